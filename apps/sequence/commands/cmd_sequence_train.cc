// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence train
#include <utility>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/sequence/commands/cmd_sequence.h>
#include <slackline/apps/sequence/commands/cmd_sequence_common.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kSequenceTrainDescription =
    "Trains a chain model: a weight for every feature and label, for labels at the ends of a "
    "sequence, and for every pair of\n"
    "adjacent labels. Training and prediction are exact. DATA is plain or gzip; - reads the "
    "standard input; ? is an unknown\n"
    "label.\n"
    "Ctrl-C ends training early and keeps the best model. Without --lambda, --C and --lambda-path, "
    "lambda is chosen from the\n"
    "data.";

constexpr const char* kSequenceTrainExamples =
    "Examples:\n"
    "  slackline sequence train conll-train.txt.gz --lambda 0.02 --model chunks.slk\n"
    "  slackline sequence train letter.data.gz --folds 1-9 --lambda 0.001 --model letters.slk\n"
    "  slackline sequence train tagged.txt --template mine.txt --min-count 1 --lambda-path "
    "1e-3:1e-6:4 --model tags.slk\n"
    "  slackline sequence train tagged.txt --hash-bits 18 --loss count --verify --model tags.slk";

struct SequenceTrainCommand {
  SequenceFlags sequence;
  SessionFlags session;
};

int RunSequenceTrain(const SequenceTrainCommand& command) {
  command.sequence.Read();
  SessionSettings settings = ReadSession(command.session, command.sequence.inputs());
  SequenceTask data = LoadSequenceTask(command.sequence, settings.train);
  SequenceTraining training(&data, command.sequence.Texts(data.input));
  return RunSession(command.session, std::move(settings), &training);
}

}  // namespace

void AddSequenceTrain(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"train", kSequenceTrainDescription, kSequenceTrainExamples},
                 RunSequenceTrain);
  command->sequence.Register(app, "folds");
  command->session.Register(app);
  app->ShowGroups();
}

}  // namespace slackline::internal::program
