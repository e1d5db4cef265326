// SPDX-License-Identifier: BSD-3-Clause
//
// slackline matching train
#include <cstdio>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/cmd_matching.h>
#include <slackline/apps/cmd_train_session.h>
#include <slackline/apps/matching_model.h>
#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>

namespace slackline::program {
namespace {

constexpr const char* kDescription =
    "Trains a model of matchings: a weight for every feature of edges, under the constraint that a node has "
    "at "
    "most so many\nedges. Training and prediction are exact. DATA (docs/matching_format.md) is plain or "
    "gzip; - "
    "reads the standard input:\n\n"
    "  3 2                          an example: so many left and right nodes\n"
    "  0 1 1 dice:0.8 distance:0.1  left node, right node, label (1, 0 or ?), features\n"
    "  2 0 0 dice:0.3 same          a feature without a number has the value 1\n"
    "                               a blank line ends the example\n\n"
    "Ctrl-C ends training early and keeps the best model. Without --lambda, --C and --lambda-path, lambda is "
    "1/M "
    "with M examples.";

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline matching train drawn/train.txt --lambda 0.01 --model alignments.slk\n"
    "  slackline matching train pairs.txt.gz --left-capacity 2 --recall-cost 1 --model pairs.slk";

struct MatchingFlags {
  std::string data;
  std::string left = "1";
  std::string right = "1";
  std::string precision = "1";
  std::string recall = "3";
  std::string loss = "count";

  void Register(CLI::App* app) {
    app->add_option("DATA", data, "training data")->required()->type_name("");
    AddTextOption(app, "left-capacity", &left, "N", "edges that a left node may have; 0: any number", "1");
    AddTextOption(app, "right-capacity", &right, "N", "edges that a right node may have; 0: any number", "1");
    AddTextOption(app, "precision-cost", &precision, "C", "what an edge too many costs in the loss", "1");
    AddTextOption(app, "recall-cost", &recall, "C", "what an edge too few costs in the loss", "3");
    AddTextOption(
        app, "loss", &loss, "mean|count",
        "costs of the wrong edges of an example, or that divided by the number of its candidate edges",
        "count");
  }
  MatchingCapacities Capacities() const {
    return {ReadCount("left-capacity", left, 0), ReadCount("right-capacity", right, 0)};
  }
  MatchingCosts Costs() const {
    return {ReadReal("precision-cost", precision, false, kLargestValue),
            ReadReal("recall-cost", recall, false, kLargestValue)};
  }
};

struct TrainCommand {
  MatchingFlags matching;
  SessionFlags session;
};

struct MatchingTask {
  MatchingData data;
  MatchingModel model;
};

MatchingTask LoadTask(const MatchingFlags& flags) {
  FeatureDictionary dictionary;
  MatchingData data = ReadMatchings(flags.data, nullptr, &dictionary);
  MatchingModel model(std::move(dictionary), flags.Capacities(), flags.Costs());
  return {std::move(data), std::move(model)};
}

Problem MakeProblem(const MatchingTask& task, const MatchingFlags& flags) {
  const Dataset dataset = task.model.MakeTrainingData(task.data);
  if (dataset.size() == 0) throw DataError(task.data.source, 0, "no edge has a known label");
  return Problem(MakeTrainingSet(dataset, task.model.Loss(ReadLossScale(flags.loss))), 1);
}

class MatchingSession : public SessionTask {
 public:
  MatchingSession(const MatchingFlags& flags, MatchingTask* task)
      : flags_(flags), task_(*task), problem_(MakeProblem(*task, flags)) {}

  const Problem& problem() const override { return problem_; }

  Fingerprint Context() const override {
    return {{"names of the features", HashOfNames({task_.model.dictionary().Text()})}};
  }

  void Describe(const LearnerChoice& choice, const std::string& lambda) const override {
    std::fprintf(stderr, "data: %s, %s, %s", Count(task_.data.num_examples(), "example").c_str(),
                 Count(task_.data.num_edges(), "candidate edge").c_str(),
                 Count(task_.data.num_features, "feature").c_str());
    const Index skipped = task_.data.num_examples() - problem_.size();
    if (skipped > 0)
      std::fprintf(stderr, ", %s without known labels left out", Count(skipped, "example").c_str());
    std::fprintf(stderr, "\n");
    DescribeLearner(choice, lambda, LossText() + ", capacities " + flags_.left + " and " + flags_.right);
  }

  Json Begin(const Problem& problem, const LearnerChoice& choice) override {
    TrainingRecord& record = task_.model.record;
    BeginRecord(task_.data.source, problem, choice.options,
                {{"left-capacity", flags_.left},
                 {"right-capacity", flags_.right},
                 {"precision-cost", flags_.precision},
                 {"recall-cost", flags_.recall},
                 {"loss", flags_.loss}},
                &record);
    record.loss = flags_.loss + " with costs";
    Json start = StartJson(record, choice);
    start["edges"] = task_.data.num_edges();
    start["features"] = task_.data.num_features;
    start["weights"] = task_.model.weights().size();
    return start;
  }

  void Save(const TrainSummary& summary, const std::string& path) override {
    SaveTrained(summary, path, &task_.model);
  }

 private:
  std::string LossText() const {
    return "loss " + flags_.loss + ", costs " + flags_.precision + " (precision) and " + flags_.recall +
           " (recall)";
  }

  const MatchingFlags& flags_;
  MatchingTask& task_;
  Problem problem_;
};

int Run(const TrainCommand& command) {
  command.matching.Capacities();
  command.matching.Costs();
  ReadLossScale(command.matching.loss);
  SessionSettings settings = ReadSession(command.session, {command.matching.data});
  MatchingTask data = LoadTask(command.matching);
  MatchingSession task(command.matching, &data);
  return RunSession(command.session, std::move(settings), &task);
}

}  // namespace

void AddMatchingTrain(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<TrainCommand>();
  CLI::App* app = parent->add_subcommand("train", kDescription);
  command->matching.Register(app);
  command->session.Register(app);
  app->footer(kExamples);
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::program
