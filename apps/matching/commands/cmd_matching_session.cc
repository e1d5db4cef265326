// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/commands/cmd_matching_session.h>

#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>

namespace slackline::internal::program {
namespace {

Problem MakeProblem(const MatchingTask& task, const MatchingFlags& flags) {
  const Dataset dataset = task.model.MakeTrainingData(task.data);
  if (dataset.size() == 0) throw DataError(task.data.source, 0, "no edge has a known label");
  return Problem(MakeTrainingSet(dataset, task.model.Loss(flags.Loss())), 1);
}

}  // namespace

void MatchingFlags::Register(CLI::App* app) {
  app->add_option("DATA", data, "training data")->required()->type_name("");
  AddTextOption(app, "left-capacity", &left, "N", "most edges of a left node; 0: any number", "1");
  AddTextOption(app, "right-capacity", &right, "N", "most edges of a right node; 0: any number",
                "1");
  AddTextOption(app, "precision-cost", &precision, "C", "cost of a false edge in the loss", "1");
  AddTextOption(app, "recall-cost", &recall, "C", "cost of a missed edge in the loss", "3");
  AddTextOption(app, "loss", &loss, "mean|count",
                "costs of the wrong edges of an example (count), or this sum divided by the number "
                "of its candidate edges (mean)",
                "count");
  scale.Register(app);
}

void MatchingFlags::Check() const {
  Capacities();
  Costs();
  Loss();
  scale.Read();
}

MatchingCapacities MatchingFlags::Capacities() const {
  return {ReadCount("left-capacity", left, 0), ReadCount("right-capacity", right, 0)};
}

MatchingCosts MatchingFlags::Costs() const {
  return {ReadReal("precision-cost", precision, false, kLargestValue),
          ReadReal("recall-cost", recall, false, kLargestValue)};
}

MatchingTask LoadMatchingTask(const MatchingFlags& flags) {
  FeatureDictionary dictionary;
  MatchingData data = ReadMatchings(flags.data, nullptr, &dictionary);
  MatchingModel model(std::move(dictionary), flags.Capacities(), flags.Costs());
  const auto name = [&model](Index feature) {
    return std::string(model.dictionary().name(feature));
  };
  ScaledInputs scaled =
      ScaleForTraining(flags.scale.Read(), {data.source, data.rows, data.num_features, name});
  data.rows = scaled.rows;
  model.set_scaling(scaled.scaling);
  return {std::move(data), std::move(model), std::move(scaled)};
}

MatchingSession::MatchingSession(const MatchingFlags& flags, MatchingTask* task)
    : flags_(flags), task_(*task), problem_(MakeProblem(*task, flags)) {}

Fingerprint MatchingSession::Context() const {
  return {{"names of the features", HashOfNames({task_.model.dictionary().Text()})}};
}

void MatchingSession::Describe(const LearnerChoice& choice, const std::string& lambda) const {
  std::fprintf(stderr, "data: %s, %s, %s", Count(task_.data.num_examples(), "example").c_str(),
               Count(task_.data.num_edges(), "candidate edge").c_str(),
               Count(task_.data.num_features, "feature").c_str());
  const Index skipped = task_.data.num_examples() - problem_.size();
  if (skipped > 0)
    std::fprintf(stderr, ", %s without known labels left out", Count(skipped, "example").c_str());
  std::fprintf(stderr, "\n");
  if (!task_.scaled.line.empty()) std::fprintf(stderr, "%s\n", task_.scaled.line.c_str());
  DescribeLearner(choice, lambda,
                  LossText() + ", capacities " + flags_.left + " and " + flags_.right);
}

Json MatchingSession::Begin(const Problem& problem, const LearnerChoice& choice) {
  TrainingRecord& record = task_.model.record;
  BeginRecord(task_.data.source, problem, choice.options,
              {{"left-capacity", flags_.left},
               {"right-capacity", flags_.right},
               {"precision-cost", flags_.precision},
               {"recall-cost", flags_.recall},
               {"loss", flags_.loss},
               {"scale", flags_.scale.scale}},
              &record);
  record.loss = flags_.loss + " with costs";
  Json start = StartJson(record, choice);
  start["edges"] = task_.data.num_edges();
  start["features"] = task_.data.num_features;
  start["weights"] = task_.model.weights().size();
  return start;
}

std::string MatchingSession::LossText() const {
  return "loss " + flags_.loss + ", costs " + flags_.precision + " (precision) and " +
         flags_.recall + " (recall)";
}

}  // namespace slackline::internal::program
