// SPDX-License-Identifier: BSD-3-Clause
//
// slackline matching train
#include <utility>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_help.h>
#include <slackline/apps/matching/commands/cmd_matching.h>
#include <slackline/apps/matching/commands/cmd_matching_session.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMatchingTrainDescription =
    "Trains a model of matchings, with a weight for every feature of edges. Training and "
    "prediction are exact.\n"
    "Every node has at most a given number of edges (--left-capacity, --right-capacity).\n"
    "DATA is plain or gzip (docs/reference/matching_format.md); - reads the standard input:\n\n"
    "  3 2                          an example: numbers of left and right nodes\n"
    "  0 1 1 dice:0.8 distance:0.1  left node, right node, label (1, 0, p or ?), features\n"
    "  2 0 0 dice:0.3 same          a feature without a number has the value 1\n"
    "                               a blank line ends the example\n\n"
    "Ctrl-C ends training early and keeps the best model.";

constexpr const char* kMatchingTrainExamples =
    "Examples:\n"
    "  slackline matching train drawn/train.txt --lambda 0.01 --model alignments.slk\n"
    "  slackline matching train pairs.txt.gz --left-capacity 2 --recall-cost 1 --model pairs.slk";

struct MatchingTrainCommand {
  MatchingFlags matching;
  SessionFlags session;
};

int RunMatchingTrain(const MatchingTrainCommand& command) {
  command.matching.Check();
  SessionSettings settings = ReadSession(command.session, {command.matching.data});
  MatchingTask data = LoadMatchingTask(command.matching, settings.train);
  MatchingSession task(command.matching, &data);
  return RunSession(command.session, std::move(settings), &task);
}

}  // namespace

void AddMatchingTrain(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"train", kMatchingTrainDescription, kMatchingTrainExamples},
                 RunMatchingTrain);
  command->matching.Register(app);
  command->session.Register(app);
  GroupHelp(app);
}

}  // namespace slackline::internal::program
