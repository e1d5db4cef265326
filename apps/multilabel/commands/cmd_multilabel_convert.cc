// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel convert
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/cli/terminal_line.h>
#include <slackline/apps/cli/training/cmd_scale_flag.h>
#include <slackline/apps/multilabel/commands/cmd_reading.h>
#include <slackline/apps/multilabel/conversion/convert_data.h>
#include <slackline/core/check.h>
#include <slackline/core/memory_limit.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kDescription =
    "Converts data to a file that `train` uses where it lies, so that they can be larger than the "
    "memory.\nDATA is ARFF (Mulan; needs --labels) or LIBSVM (needs --labels or --num-labels), "
    "also gzip, or a folder with files\npart-...; - reads the standard input. The constant and the "
    "scaling of the features become part of the file.";

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline multilabel convert reuters.svm.gz --num-labels 30 --out reuters.data\n"
    "  slackline multilabel train reuters.data --model r.slk\n"
    "  zstdcat huge.svm.zst | slackline multilabel convert - --num-labels 30 --out huge.data\n"
    "  slackline multilabel convert reuters-test.svm.gz --for r.slk --out test.data";

struct ConvertCommand {
  std::string data;
  std::string out;
  std::string format = "auto";
  std::string labels_xml;
  std::string num_labels;
  std::string bias = "1";
  ScaleFlag scale;
  std::string model;
  std::string window = "auto";
  bool quiet = false;
};

/// Thrown by the progress of a conversion.
struct Interrupted {};

/// Megabytes, "auto" or "none".
WindowChoice ReadWindow(const std::string& window) {
  if (window == "auto") return {};
  if (window == "none") return {0};
  constexpr Index kMost = 1 << 30;
  return {std::int64_t{ReadCount("window", window, 1, kMost)} * 1000000};
}

MultiLabelReadOptions ReadOptionsOf(const ConvertCommand& command) {
  MultiLabelReadOptions read;
  if (!command.model.empty()) {
    if (!command.labels_xml.empty() || !command.num_labels.empty())
      throw DataError("--for: the model knows the labels: leave --labels and --num-labels out");
    read = MultiLabelModel::Load(command.model).ReadOptions();
    if (read.table)
      throw DataError(command.model, 0,
                      "was trained on a table (CSV, TSV), which cannot be converted");
  } else {
    read.labels_xml = command.labels_xml;
    if (!command.num_labels.empty())
      read.num_labels = ReadCount("num-labels", command.num_labels, 1);
    read.append_constant = CheckChoice("bias", command.bias, {"0", "1"}) == 1;
  }
  read.format = ReadFormat(command.format);
  return read;
}

void Summarise(const ConvertCommand& command, const Conversion& conversion) {
  const MultiLabelData& about = conversion.about;
  TellNotes(about.notes);
  std::fprintf(stderr, "%s: %s, %s%s, %s; %s\n", command.out.c_str(),
               Count(conversion.num_examples, "example").c_str(),
               Count(about.num_features, "feature").c_str(),
               about.has_constant ? " and a constant" : "",
               Count(about.num_labels(), "label").c_str(),
               BytesText(static_cast<double>(conversion.bytes)).c_str());
  const ConvertedValues& values = *about.converted;
  if (!values.scaling_line.empty()) std::fprintf(stderr, "%s\n", values.scaling_line.c_str());
  for (const std::string& warning : values.warnings)
    std::fprintf(stderr, "note: %s\n", warning.c_str());
}

int Run(const ConvertCommand& command) {
  CheckOutput("out", command.out, {command.data, command.labels_xml, command.model}, false);
  ConversionOptions options;
  options.read = ReadOptionsOf(command);
  options.scale = command.scale.Read();
  options.windows = ReadWindow(command.window);
  const std::atomic<int>* interrupt = CatchInterrupts();
  TerminalLine line(!command.quiet);
  options.progress = [&](std::string_view stage, Index examples) {
    if (interrupt->load() != 0) throw Interrupted{};
    if (line.due()) line.Show(std::string(stage) + ": " + Count(examples, "example"));
  };
  Conversion conversion;
  try {
    conversion = ConvertMultiLabelData(command.data, command.out, options);
  } catch (const Interrupted&) {
    line.Clear();
    std::fprintf(stderr, "interrupted: no file is written\n");
    return 128 + interrupt->load();
  } catch (...) {
    line.Clear();
    throw;
  }
  line.Clear();
  if (!command.quiet) Summarise(command, conversion);
  return 0;
}

}  // namespace

void AddMultiLabelConvert(CLI::App* parent, Action* action) {
  const auto [app, command] = AddCommand(parent, action, {"convert", kDescription, kExamples}, Run);
  app->add_option("DATA", command->data, "data in text")->required()->type_name("");
  AddTextOption(app, "out", &command->out, "FILE", "where to write")->required();
  RegisterFormat(app, &command->format);
  AddTextOption(app, "labels", &command->labels_xml, "FILE.xml",
                "names of the labels (Mulan's XML)");
  AddTextOption(app, "num-labels", &command->num_labels, "N",
                "number of labels in LIBSVM data, where labels are numbered from 0");
  CLI::Option* bias =
      AddTextOption(app, "bias", &command->bias, "0|1", "add a constant feature", "1");
  command->scale.Register(app);
  AddTextOption(app, "for", &command->model, "M.slk",
                "convert for predictions of this model, or their evaluation: with its labels, "
                "features, constant and scaling")
      ->excludes(bias)
      ->excludes("--scale");
  AddTextOption(app, "window", &command->window, "MB|auto|none",
                "megabytes of features that training visits together, in random order, before it "
                "goes on to others; so much is read in advance, too. none: all. auto: 64 MB if "
                "the features have more than 1 GB, else none",
                "auto");
  app->add_flag("--quiet,-q", command->quiet, "print only errors");
}

}  // namespace slackline::internal::program
