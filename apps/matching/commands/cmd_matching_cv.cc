// SPDX-License-Identifier: BSD-3-Clause
//
// slackline matching cv
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_help.h>
#include <slackline/apps/cli/training/cmd_cv.h>
#include <slackline/apps/matching/commands/cmd_matching.h>
#include <slackline/apps/matching/commands/cmd_matching_session.h>
#include <slackline/apps/matching/matching_predict.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMatchingCvDescription =
    "Chooses lambda by cross-validation over the examples of DATA, then trains with it on all of "
    "them.\n"
    "The examples are divided into K folds at random. For each fold, models are trained on the "
    "other folds for all values of\n"
    "lambda, from the largest to the smallest, each starting from the solution of the previous "
    "one, and are evaluated on the\n"
    "fold. The table has mean and standard deviation over the folds. Ctrl-C ends cross-validation "
    "early. Features are\n"
    "numbered, and scaled, over all examples.";

constexpr const char* kMatchingCvExamples =
    "Examples:\n"
    "  slackline matching cv drawn/train.txt --model alignments.slk\n"
    "  slackline matching cv pairs.txt.gz --lambda-path 0.1,0.01,0.001 --folds 10 --metric exact "
    "--no-refit --json";

/// In the order of MatchingTrial::Figures.
CvMetrics MatchingCvMetrics() {
  CvMetrics metrics;
  metrics.figures = {{"f1", "f1", "F1"},
                     {"precision", "precision", "precision"},
                     {"recall", "recall", "recall"},
                     {"exact", "exact", "exact"},
                     {"loss", "mean_loss", "mean loss", true},
                     {"aer", "error_rate", "AER", true}};
  metrics.text =
      "what to choose by: F1, precision or recall of the edges, share of examples without a wrong "
      "edge, mean loss by the costs or alignment error rate (the smaller the better). Of equal "
      "values, the largest lambda is chosen";
  metrics.default_name = "f1";
  return metrics;
}

struct MatchingCvCommand {
  MatchingFlags matching;
  CvFlags cv;
};

/// The data with these examples only; edges keep their numbers.
MatchingData Select(const MatchingData& data, const std::vector<Index>& examples) {
  MatchingData part;
  part.source = data.source;
  part.rows = data.rows;
  part.num_features = data.num_features;
  part.edges = data.edges;
  for (const Index m : examples) part.examples.push_back(data.examples[m]);
  return part;
}

class MatchingTrial : public TrainedTrial {
 public:
  MatchingTrial(const MatchingTask& task, LossScale loss, const Fold& fold,
                const TrainOptions& options)
      : TrainedTrial(options), model_(task.model), held_out_(Select(task.data, fold.held_out())) {
    const Dataset training = model_.MakeTrainingData(Select(task.data, fold.Others()));
    SetProblem(Problem(MakeTrainingSet(training, model_.Loss(loss)), 1));
  }

 private:
  std::vector<double> Figures(std::span<const double> weights) override {
    model_.set_weights({weights.begin(), weights.end()});
    const MatchingPredictions predictions =
        PredictMatchings(model_, held_out_, static_cast<int>(options().threads));
    const MatchingMetrics metrics =
        EvaluateMatchings(held_out_, predictions.labels, model_.costs());
    return {metrics.f1,    metrics.precision, metrics.recall,
            metrics.exact, metrics.mean_loss, metrics.error_rate};
  }

  MatchingModel model_;
  MatchingData held_out_;
};

class MatchingCv : public CvApplication {
 public:
  MatchingCv(const MatchingTask& task, LossScale loss) : task_(task), loss_(loss) {}

  std::string source() const override { return task_.data.source; }
  Index num_examples() const override { return task_.data.num_examples(); }
  bool HasKnownLabel(Index example) const override {
    const auto edges = task_.data.edges_of(task_.data.examples[example]);
    return std::any_of(edges.begin(), edges.end(),
                       [](const MatchingEdge& edge) { return edge.label != kUnlabelled; });
  }
  std::unique_ptr<FoldTrial> MakeTrial(std::size_t, const Fold& fold,
                                       const TrainOptions& options) const override {
    return std::make_unique<MatchingTrial>(task_, loss_, fold, options);
  }

 private:
  const MatchingTask& task_;
  const LossScale loss_;
};

int RunMatchingCv(const MatchingCvCommand& command) {
  command.matching.Check();
  const CvSettings settings = command.cv.Read(MatchingCvMetrics(), {command.matching.data});
  MatchingTask matching = LoadMatchingTask(command.matching, settings.train);
  CvTask task;
  task.all = "all examples";
  task.figures = MatchingCvMetrics().figures;
  task.shown = {0, 1, 2, 3, 4, 5};
  task.own = {{"loss", command.matching.loss}};
  task.session = [&](std::size_t) {
    return std::make_unique<MatchingSession>(command.matching, &matching);
  };
  return RunCv(command.cv, settings, MatchingCv(matching, command.matching.Loss()), task);
}

}  // namespace

void AddMatchingCv(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"cv", kMatchingCvDescription, kMatchingCvExamples}, RunMatchingCv);
  command->matching.Register(app);
  command->cv.Register(app, MatchingCvMetrics(), "all examples");
  GroupHelp(app);
}

}  // namespace slackline::internal::program
