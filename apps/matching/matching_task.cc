// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/matching_task.h>

#include <algorithm>
#include <utility>

#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>

namespace slackline::internal {
namespace {

constexpr TaskOption kMatchingOptions[] = {
    {.name = "left-capacity",
     .placeholder = "N",
     .text = "most edges of a left node; 0: any number",
     .default_value = "1",
     .kind = TaskOption::Kind::kCount},
    {.name = "right-capacity",
     .placeholder = "N",
     .text = "most edges of a right node; 0: any number",
     .default_value = "1",
     .kind = TaskOption::Kind::kCount},
    {.name = "precision-cost",
     .placeholder = "C",
     .text = "cost of a false edge in the loss",
     .default_value = "1",
     .kind = TaskOption::Kind::kReal,
     .largest = kLargestValue},
    {.name = "recall-cost",
     .placeholder = "C",
     .text = "cost of a missed edge in the loss",
     .default_value = "3",
     .kind = TaskOption::Kind::kReal,
     .largest = kLargestValue},
    {.name = "loss",
     .placeholder = "mean|count",
     .text = "costs of the wrong edges of an example, or this sum divided by the number of its "
             "candidate edges",
     .default_value = "count",
     .kind = TaskOption::Kind::kChoice},
    kScaleOption};

constexpr TaskFigure<MatchingMetrics> kMatchingFigures[] = {
    {{"f1", "f1", "F1"}, &MatchingMetrics::f1},
    {{"precision", "precision", "precision"}, &MatchingMetrics::precision},
    {{"recall", "recall", "recall"}, &MatchingMetrics::recall},
    {{"exact", "exact", "exact"}, &MatchingMetrics::exact},
    {{"loss", "mean_loss", "mean loss", true}, &MatchingMetrics::mean_loss},
    {{"aer", "error_rate", "AER", true}, &MatchingMetrics::error_rate}};

/// "LEFT-RIGHT LEFT-RIGHT" of the chosen edges.
void AppendPairs(std::span<const MatchingEdge> edges, std::span<const Index> labels,
                 std::string* text) {
  bool first = true;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (labels[e] == 0) continue;
    if (!first) text->push_back(' ');
    text->append(std::to_string(edges[e].left)).append("-").append(std::to_string(edges[e].right));
    first = false;
  }
  text->push_back('\n');
}

/// "F1   0.7273   (explanation)", as a line of a table.
void AppendFigure(std::string_view title, double value, const std::string& explanation,
                  std::string* text) {
  std::string line(title);
  line.resize(22, ' ');
  const std::string number = FixedText(value, 4);
  line.append(8 - std::min<std::size_t>(8, number.size()), ' ').append(number);
  if (!explanation.empty()) line.append("   (").append(explanation).append(")");
  text->append(line).push_back('\n');
}

}  // namespace

std::span<const TaskOption> MatchingTask::Options() { return kMatchingOptions; }
std::span<const TaskFigure<MatchingMetrics>> MatchingTask::Figures() { return kMatchingFigures; }

std::vector<std::string> MatchingTask::Notes(const MatchingData& data) {
  if (data.unknown_features == 0) return {};
  return {Count(data.unknown_features, "feature") + " of edges unknown to the model left out"};
}

std::pair<MatchingData, MatchingModel> MatchingTask::Load(const TaskRequest& request) {
  FeatureDictionary dictionary;
  MatchingData data =
      ReadMatchings(request.path, nullptr, &dictionary, {request.ranks, request.shards});
  return {std::move(data), MakeModel(request.options, std::move(dictionary))};
}

MatchingModel MatchingTask::MakeModel(const TaskOptions& options, FeatureDictionary dictionary) {
  return {std::move(dictionary),
          {options.Count("left-capacity"), options.Count("right-capacity")},
          {options.Real("precision-cost"), options.Real("recall-cost")}};
}

std::function<std::string(Index)> MatchingTask::FeatureName(const MatchingModel& model,
                                                            const MatchingData& /*data*/) {
  return [&model](Index feature) { return std::string(model.dictionary().name(feature)); };
}

TrainingSet MatchingTask::MakeTraining(const MatchingModel& model, const MatchingData& data,
                                       const TaskOptions& options,
                                       const std::vector<Index>* examples) {
  return MakeTrainingSet(
      model.MakeTrainingData(examples == nullptr ? data : Select(data, *examples)),
      model.Loss(options.Loss()));
}

void MatchingTask::SetTrained(MatchingModel* model, const Problem& /*problem*/,
                              const TrainOptions& /*train*/, std::span<const double> weights) {
  model->set_weights({weights.begin(), weights.end()});
}

MatchingMetrics MatchingTask::Measure(const MatchingModel& model, const MatchingData& data,
                                      const std::vector<Index>& examples, int threads) {
  const MatchingData held_out = Select(data, examples);
  return Evaluate(model, held_out, Predict(model, held_out, threads), OneRank());
}

Fingerprint MatchingTask::Context(const MatchingModel& model) {
  return {{"names of the features", HashOfNames({model.dictionary().Text()})}};
}

MatchingData MatchingTask::Select(const MatchingData& data, const std::vector<Index>& examples) {
  MatchingData part;
  part.source = data.source;
  part.rows = data.rows;
  part.num_features = data.num_features;
  part.edges = data.edges;
  for (const Index m : examples) part.examples.push_back(data.examples[m]);
  return part;
}

bool MatchingTask::HasKnownLabel(const MatchingData& data, Index example) {
  const auto edges = data.edges_of(data.examples[example]);
  return std::any_of(edges.begin(), edges.end(),
                     [](const MatchingEdge& edge) { return edge.label != kUnlabelled; });
}

std::string MatchingTask::DataLine(const TaskInput<MatchingTask>& input, std::int64_t kept,
                                   Ranks& ranks) {
  const MatchingData& data = input.data;
  const std::int64_t examples = ranks.SumOf(data.num_examples());
  std::string line = "data: " + Count(examples, "example") + ", " +
                     Count(ranks.SumOf(data.num_edges()), "candidate edge") + ", " +
                     Count(data.num_features, "feature");
  if (kept < examples)
    line += ", " + Count(examples - kept, "example") + " without known labels left out";
  const std::int64_t possible = ranks.SumOf(static_cast<std::int64_t>(
      std::count_if(data.edges.begin(), data.edges.end(),
                    [](const MatchingEdge& edge) { return edge.possible; })));
  if (possible > 0) line += ", " + Count(possible, "possible edge") + " left out";
  return line;
}

std::string MatchingTask::ModelText(const TaskOptions& options) {
  return "loss " + options.Text("loss") + ", costs " + options.Text("precision-cost") +
         " (precision) and " + options.Text("recall-cost") + " (recall), capacities " +
         options.Text("left-capacity") + " and " + options.Text("right-capacity");
}

TaskEntries MatchingTask::StartEntries(const TaskInput<MatchingTask>& input,
                                       const TrainingSet& /*training*/) {
  return {{"edges", std::int64_t{input.data.num_edges()}},
          {"features", std::int64_t{input.data.num_features}},
          {"weights", static_cast<std::int64_t>(input.model.weights().size())}};
}

void MatchingTask::Write(const MatchingData& data, Index example,
                         const MatchingPredictions& predictions, std::size_t output, bool before,
                         std::string* text) {
  const MatchingExample& own = data.examples[example];
  const std::span<const MatchingEdge> edges = data.edges_of(own);
  const auto labels = std::span(predictions.labels).subspan(own.first_edge, own.num_edges);
  if (output == 0) {
    AppendPairs(edges, labels, text);
    return;
  }
  if (before) text->push_back('\n');
  text->append(std::to_string(own.num_left) + " " + std::to_string(own.num_right) + "\n");
  for (std::size_t e = 0; e < edges.size(); ++e) {
    text->append(std::to_string(edges[e].left) + " " + std::to_string(edges[e].right) + " " +
                 std::to_string(labels[e]));
    if (output == 2)
      text->append(" ").append(NumberText(predictions.scores[own.first_edge + e], 9));
    text->push_back('\n');
  }
}

std::string MatchingTask::Summary(const MatchingData& data, const MatchingPredictions& predictions,
                                  Ranks& ranks) {
  std::int64_t counts[] = {data.num_examples(), 0, data.num_edges()};
  for (const Index label : predictions.labels) counts[1] += label;
  ranks.AddUp(counts);
  return Count(counts[0], "example") + ", " + Count(counts[1], "edge") + " of " +
         Count(counts[2], "candidate");
}

TaskEntries MatchingTask::MetricEntries(const MatchingMetrics& metrics, const MatchingData& data) {
  return {{"examples", std::int64_t{metrics.examples}},
          {"edges", metrics.edges},
          {"given", metrics.truth},
          {"predicted", metrics.predicted},
          {"right", metrics.right},
          {"possible", metrics.possible},
          {"tolerated", metrics.tolerated},
          {"precision", metrics.precision},
          {"recall", metrics.recall},
          {"f1", metrics.f1},
          {"error_rate", metrics.error_rate},
          {"exact", metrics.exact},
          {"mean_loss", metrics.mean_loss},
          {"unknown_features", data.unknown_features}};
}

std::string MatchingTask::MetricsText(const MatchingMetrics& metrics, const MatchingModel& model) {
  std::string text = Count(metrics.examples, "example") + ", " +
                     Count(metrics.edges, "candidate edge") + ", " + std::to_string(metrics.truth) +
                     " given and " + std::to_string(metrics.predicted) + " predicted\n";
  const bool sure = metrics.possible == 0;
  if (!sure)
    text += Count(metrics.possible, "possible edge") + ", of which " +
            std::to_string(metrics.tolerated) + " predicted\n";
  text += "\n";
  AppendFigure(
      "precision", metrics.precision,
      "share of the predicted edges that are " + std::string(sure ? "right" : "given or possible"),
      &text);
  AppendFigure("recall", metrics.recall, "share of the given edges that are found", &text);
  AppendFigure("F1", metrics.f1, "", &text);
  AppendFigure("alignment error rate", metrics.error_rate,
               sure ? "1 - F1: all given edges are sure ones" : "given edges are the sure ones",
               &text);
  AppendFigure("exact", metrics.exact, "share of examples without a wrong edge", &text);
  AppendFigure("mean loss", metrics.mean_loss,
               "per example: " + NumberText(model.costs().precision, 6) + " for a false edge, " +
                   NumberText(model.costs().recall, 6) + " for a missed edge",
               &text);
  return text;
}

}  // namespace slackline::internal
