// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/commands/cmd_matching_session.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>
#include <slackline/learning/choose_learner.h>

namespace slackline::internal::program {
void MatchingFlags::Register(Command* app) {
  app->AddArgument("DATA", &data, "training data")->Required();
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

RecordTexts MatchingFlags::Texts() const {
  RecordTexts texts;
  texts.loss = loss + " with costs";
  texts.options = {{"left-capacity", left},
                   {"right-capacity", right},
                   {"precision-cost", precision},
                   {"recall-cost", recall},
                   {"loss", loss},
                   {"scale", scale.scale}};
  return texts;
}

MatchingTask LoadMatchingTask(const MatchingFlags& flags, const TrainOptions& train) {
  FeatureDictionary dictionary;
  MatchingData data =
      ReadMatchings(flags.data, nullptr, &dictionary, {train.ranks, ShardsFor(train)});
  return MakeMatchingTask(std::move(data), std::move(dictionary), flags.Capacities(), flags.Costs(),
                          flags.scale.Read(), ExactRanks(train));
}

MatchingSession::MatchingSession(const MatchingFlags& flags, MatchingTask* task)
    : flags_(flags), training_(task, flags.Loss(), flags.Texts()) {}

void MatchingSession::Describe(const LearnerChoice& choice, const std::string& lambda) const {
  const MatchingTask& task = training_.task();
  Ranks& ranks = RanksOrOne(task.ranks);
  const std::int64_t examples = ranks.SumOf(task.data.num_examples());
  std::fprintf(stderr, "data: %s, %s, %s", Count(examples, "example").c_str(),
               Count(ranks.SumOf(task.data.num_edges()), "candidate edge").c_str(),
               Count(task.data.num_features, "feature").c_str());
  const std::int64_t skipped = examples - ranks.SumOf(training_.problem().size());
  if (skipped > 0)
    std::fprintf(stderr, ", %s without known labels left out", Count(skipped, "example").c_str());
  const auto possible = std::count_if(task.data.edges.begin(), task.data.edges.end(),
                                      [](const MatchingEdge& edge) { return edge.possible; });
  const std::int64_t all_possible = ranks.SumOf(static_cast<std::int64_t>(possible));
  if (all_possible > 0)
    std::fprintf(stderr, ", %s left out", Count(all_possible, "possible edge").c_str());
  std::fprintf(stderr, "\n");
  if (!task.scaled.line.empty()) std::fprintf(stderr, "%s\n", task.scaled.line.c_str());
  DescribeLearner(choice, lambda,
                  LossText() + ", capacities " + flags_.left + " and " + flags_.right);
}

Json MatchingSession::StartEntries(const Problem& problem, const LearnerChoice& choice) const {
  static_cast<void>(problem);
  static_cast<void>(choice);
  const MatchingTask& task = training_.task();
  Json start;
  start["edges"] = task.data.num_edges();
  start["features"] = task.data.num_features;
  start["weights"] = task.model.weights().size();
  return start;
}

std::string MatchingSession::LossText() const {
  return "loss " + flags_.loss + ", costs " + flags_.precision + " (precision) and " +
         flags_.recall + " (recall)";
}

}  // namespace slackline::internal::program
