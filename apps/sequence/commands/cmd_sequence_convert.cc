// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence convert
#include <optional>
#include <string>
#include <vector>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/training/cmd_conversion.h>
#include <slackline/apps/sequence/commands/cmd_sequence.h>
#include <slackline/apps/sequence/commands/cmd_sequence_common.h>
#include <slackline/apps/sequence/conversion/convert_sequences.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kSequenceConvertDescription =
    "Converts sequences to a file that `train` uses where it lies, so that they can be larger than "
    "the memory.\nDATA is plain or gzip, or a folder with files part-...; it is read several "
    "times. "
    "Labels, the dictionary, the features\nof tokens and their scaling become part of the file; "
    "the texts of tokens do not.";

constexpr const char* kSequenceConvertExamples =
    "Examples:\n"
    "  slackline sequence convert conll-train.txt.gz --out chunks.data\n"
    "  slackline sequence train chunks.data --model chunks.slk\n"
    "  slackline sequence convert tagged.txt --template mine.txt --min-count 1 --out tags.parts "
    "--parts 4\n"
    "  slackline sequence convert conll-test.txt.gz --for chunks.slk --out test.data";

struct SequenceConvertCommand {
  SequenceFlags sequence;
  ConversionFlags conversion;
};

void Summarise(const SequenceConvertCommand& command, const SequenceConversion& conversion) {
  const SequenceInput& about = conversion.about;
  if (!command.conversion.model.empty()) NoteUnknown(about.data, about.unknown_features);
  SummariseConversion(
      command.conversion,
      {Count(conversion.num_sequences, "sequence") + ", " + Count(conversion.num_tokens, "token") +
           ", " + Count(about.data.num_features, "feature") + ", " +
           Count(about.data.num_labels(), "label"),
       conversion.bytes, conversion.num_files},
      *about.data.converted);
}

/// The model of --for. Options of reading are errors with it.
std::optional<SequenceModel> LoadModel(const SequenceConvertCommand& command) {
  const SequenceFlags& flags = command.sequence;
  if (command.conversion.model.empty()) return std::nullopt;
  for (const std::string& value : {flags.format, flags.templates, flags.min_count, flags.hash_bits})
    if (!value.empty())
      throw DataError(
          "--for: the model knows its features: leave --format, --template, --min-count and "
          "--hash-bits out");
  return SequenceModel::Load(command.conversion.model);
}

int RunSequenceConvert(const SequenceConvertCommand& command) {
  const ConversionFlags& flags = command.conversion;
  std::vector<std::string> inputs = command.sequence.inputs();
  inputs.push_back(flags.model);
  SequenceConversionOptions options;
  options.read = command.sequence.Read();
  options.scale = flags.scale.Read();
  options.windows = flags.Windows();
  const ConvertedTarget target = flags.Target(inputs);
  const std::optional<SequenceModel> model = LoadModel(command);
  options.model = model ? &*model : nullptr;
  SequenceConversion conversion;
  return flags.Run(
      [&](const ConversionProgress& progress) {
        options.progress = progress;
        options.check_format = [&](SequenceFormat format) {
          CheckFormat(command.sequence, format);
        };
        conversion = ConvertSequences(command.sequence.data, target, options);
      },
      [&] { Summarise(command, conversion); });
}

}  // namespace

void AddSequenceConvert(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"convert", kSequenceConvertDescription, kSequenceConvertExamples},
                 RunSequenceConvert);
  app->AddArgument("DATA", &command->sequence.data, "sequences in text")->Required();
  command->sequence.RegisterReading(app);
  command->conversion.Register(
      app,
      "convert for predictions of this model, or their evaluation: with its labels, features and "
      "scaling");
}

}  // namespace slackline::internal::program
