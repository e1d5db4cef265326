// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/training/cmd_conversion.h>

#include <atomic>
#include <cstdio>
#include <string_view>

#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/cli/terminal_line.h>
#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>
#include <slackline/core/memory_limit.h>

namespace slackline::internal::program {
namespace {

constexpr Index kMostParts = 99999;  // their names have five digits

}  // namespace

void ConversionFlags::Register(Command* app, const std::string& for_text) {
  AddTextOption(app, "out", &out, "FILE|FOLDER", "where to write")->Required();
  AddTextOption(app, "parts", &parts, "N",
                "write N files part-... of about equally many bytes (fewer where the data have "
                "less than N MB) into a new folder, which is then read as one file is",
                "one file");
  scale.Register(app);
  if (!for_text.empty()) AddTextOption(app, "for", &model, "M.slk", for_text)->Excludes("scale");
  AddTextOption(app, "window", &window, "MB|auto|none",
                "megabytes of features that training visits together, in random order, before it "
                "goes on to others; so much is read in advance, too. none: all. auto: 64 MB if "
                "the features have more than 1 GB, else none",
                "auto");
  app->AddFlag("--quiet,-q", &quiet, "print only errors");
}

ConvertedTarget ConversionFlags::Target(const std::vector<std::string>& inputs) const {
  ConvertedTarget target{out, 0};
  if (parts.empty()) {
    CheckOutput("out", out, inputs, false);
    return target;
  }
  target.parts = ReadCount("parts", parts, 1, kMostParts);
  if (out == "-") throw DataError("--out: '-' is no folder (use ./- for a folder of that name)");
  ForOption("out", [&] { AtomicFolder probe(out); });
  return target;
}

WindowChoice ConversionFlags::Windows() const {
  if (window == "auto") return {};
  if (window == "none") return {0};
  constexpr Index kMost = 1 << 30;
  return {std::int64_t{ReadCount("window", window, 1, kMost)} * 1000000};
}

int ConversionFlags::Run(const std::function<void(const ConversionProgress&)>& convert,
                         const std::function<void()>& summarise) const {
  const std::atomic<int>* interrupt = CatchInterrupts();
  TerminalLine line(!quiet);
  try {
    convert([&](std::string_view stage, Index examples) {
      if (interrupt->load() != 0) throw Interrupted{};
      if (line.due()) line.Show(std::string(stage) + ": " + Count(examples, "example"));
    });
  } catch (const Interrupted&) {
    line.Clear();
    std::fprintf(stderr, "interrupted: no file is written\n");
    return 128 + interrupt->load();
  } catch (...) {
    line.Clear();
    throw;
  }
  line.Clear();
  if (!quiet) summarise();
  return 0;
}

void SummariseConversion(const ConversionFlags& flags, const ConversionCounts& counts,
                         const ConvertedValues& values) {
  const std::string parts = flags.parts.empty() ? "" : " in " + Count(counts.files, "file");
  std::fprintf(stderr, "%s: %s; %s%s\n", flags.out.c_str(), counts.text.c_str(),
               BytesText(static_cast<double>(counts.bytes)).c_str(), parts.c_str());
  if (!values.scaling_line.empty()) std::fprintf(stderr, "%s\n", values.scaling_line.c_str());
  for (const std::string& warning : values.warnings)
    std::fprintf(stderr, "note: %s\n", warning.c_str());
}

}  // namespace slackline::internal::program
