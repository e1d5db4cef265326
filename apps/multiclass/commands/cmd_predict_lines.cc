// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands that predict one thing of every example share.
#include <cstdint>
#include <cstdio>
#include <utility>

#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/cmd_stream_output.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>
#include <slackline/apps/multilabel/data/multilabel_reader.h>

namespace slackline::internal::program {
namespace {

void SayCount(const LinesFlags& flags, std::int64_t examples) {
  if (!flags.quiet) std::fprintf(stderr, "%s\n", Count(examples, "example").c_str());
}

/// Predicts each example and writes its line before reading the next one.
void PredictStream(const LinesFlags& flags, const MultiLabelReadOptions& read,
                   const LineWriter& writer) {
  LineReader lines(flags.data);
  StreamOutput out(flags.out);
  const auto reader = OpenMultiLabelData(&lines, read);
  std::string text = writer.head;
  std::int64_t examples = 0;
  for (; reader->Next(); ++examples) {
    writer.append(*reader->Examples().rows, 1, &text);
    reader->Forget();
    out.Write(text);
    text.clear();
  }
  out.Finish();
  if (!flags.quiet) TellNotes(reader->Notes());
  SayCount(flags, examples);
}

}  // namespace

void LinesFlags::RegisterModel(Command* app) {
  app->AddArgument("DATA", &data, "examples")->Required();
  AddTextOption(app, "model", &model, "M.slk", "the model")->Required();
}

void LinesFlags::RegisterOut(Command* app) {
  AddTextOption(app, "out", &out, "FILE", "where to write", "the standard output");
  app->AddFlag(
      "--stream", &stream,
      "write the line of each example as soon as it is read, as is always done if DATA is -");
  reading.Register(app);
  threads.Register(app);
  app->AddFlag("--quiet,-q", &quiet, "print only errors");
}

void LinesFlags::CheckFiles() const {
  threads.Read();
  if (!out.empty()) OnFirstRank([&] { CheckOutput("out", out, {data, model}, true); });
  RequireOneStream(stream, data);
}

void PredictLines(const LinesFlags& flags, MultiLabelReadOptions of_model,
                  const LineWriter& writer) {
  const MultiLabelReadOptions read = flags.reading.OptionsFor(std::move(of_model));
  if (flags.stream || flags.data == "-") return PredictStream(flags, read, writer);
  const MultiLabelData data = ReadMultiLabelData(flags.data, read);
  if (!flags.quiet) TellNotes(data.notes);
  std::string text = ProcessRanks().first() ? writer.head : std::string();
  MakeOnAllRanks([&] {
    writer.append(*data.rows, flags.threads.Read(), &text);
    return true;
  });
  WriteJoinedOutput(flags.out, std::move(text));
  SayCount(flags, ProcessRanks().SumOf(data.num_examples()));
}

}  // namespace slackline::internal::program
