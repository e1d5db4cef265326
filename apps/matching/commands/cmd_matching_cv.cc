// SPDX-License-Identifier: BSD-3-Clause
//
// slackline matching cv
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_help.h>
#include <slackline/apps/cli/training/cmd_cv.h>
#include <slackline/apps/matching/commands/cmd_matching.h>
#include <slackline/apps/matching/commands/cmd_matching_session.h>
#include <slackline/apps/matching/matching_trial.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kDescription =
    "Chooses lambda by cross-validation over the examples of DATA, then trains with it on all of "
    "them.\nThe examples are dealt out to K folds at random. For each fold, models are trained on "
    "the others for all values of lambda,\nfrom the largest to the smallest, each from the "
    "solution of the one before, and are tried on the fold. The table has mean and\nstandard "
    "deviation over the folds. Ctrl-C ends it early. Features are numbered, and scaled, over all "
    "examples.";

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline matching cv drawn/train.txt --model alignments.slk\n"
    "  slackline matching cv pairs.txt.gz --lambda-path 0.1,0.01,0.001 --folds 10 --metric exact "
    "--no-refit --json";

/// In the order of MatchingTrial.
CvMetrics Metrics() {
  CvMetrics metrics;
  metrics.figures = {{"f1", "f1", "F1"},
                     {"precision", "precision", "precision"},
                     {"recall", "recall", "recall"},
                     {"exact", "exact", "exact"},
                     {"loss", "mean_loss", "mean loss", true}};
  metrics.text =
      "what to choose by: F1, precision or recall of the edges, share of examples without a wrong "
      "edge, or mean loss by the costs (the smaller the better). Of equal values, the largest "
      "lambda is chosen";
  metrics.default_name = "f1";
  return metrics;
}

struct CvCommand {
  MatchingFlags matching;
  CvFlags cv;
};

int Run(const CvCommand& command) {
  command.matching.Check();
  const CvSettings settings = command.cv.Read(Metrics(), {command.matching.data});
  MatchingTask task = LoadMatchingTask(command.matching);
  CvProblem problem;
  problem.source = task.data.source;
  problem.examples = task.data.num_examples();
  problem.all = "all examples";
  problem.figures = Metrics().figures;
  for (std::size_t f = 0; f < problem.figures.size(); ++f) problem.shown.push_back(f);
  problem.own = {{"loss", command.matching.loss}};
  problem.make = [&](const TrainOptions& options, std::size_t,
                     const std::vector<std::vector<Index>>& folds, std::size_t fold) {
    return std::make_unique<MatchingTrial>(task.data, task.model, command.matching.Loss(), options,
                                           folds, fold);
  };
  problem.session = [&](std::size_t) {
    return std::make_unique<MatchingSession>(command.matching, &task);
  };
  return RunCv(command.cv, settings, problem);
}

}  // namespace

void AddMatchingCv(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<CvCommand>();
  CLI::App* app = parent->add_subcommand("cv", kDescription);
  command->matching.Register(app);
  command->cv.Register(app, Metrics(), "all examples");
  GroupHelp(app);
  app->footer(kExamples);
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::internal::program
