// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/bench/bench_task.h>

#include <filesystem>
#include <memory>

#include <slackline/apps/matching/matching_predict.h>
#include <slackline/apps/multilabel/label_graph.h>
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/apps/multilabel/validation/multilabel_metrics.h>
#include <slackline/apps/sequence/sequence_predict.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

std::vector<double> Copy(std::span<const double> weights) {
  return {weights.begin(), weights.end()};
}

BenchTask MakeMultiLabelTask(const BenchProblem& problem, const std::string& folder) {
  const MultiLabelData data = ReadBenchData(problem, folder);
  const auto model = std::make_shared<MultiLabelModel>(
      data.label_names, data.num_features, data.has_constant, MakeLabelGraph("full", data));
  MultiLabelReadOptions read = model->ReadOptions();
  read.fill_values = data.fill_values;
  read.strict = true;
  const auto test = std::make_shared<const MultiLabelData>(
      ReadMultiLabelData(BenchTestFiles(problem, folder).front(), read));
  PredictOptions options;
  options.decode = DecodeKind::kLp;
  return {MakeFullGraphProblem(data, problem.lambda),
          [model, test, options](std::span<const double> weights) {
            model->set_weights(Copy(weights));
            const MultiLabelPredictions predictions = Predict(*model, *test, options);
            const MultiLabelMetrics metrics =
                ComputeMetrics(model->num_labels(), test->labels, predictions.labels);
            return TestFigures{{"hamming_accuracy", 1 - metrics.hamming_loss},
                               {"micro_f1", metrics.micro_f1},
                               {"example_f1", metrics.example_f1}};
          }};
}

BenchTask MakeSequenceTask(const BenchProblem& problem, const std::string& folder) {
  const SequenceInput input = ReadBenchSequences(problem, folder);
  const auto model = std::make_shared<SequenceModel>(MakeSequenceModel(input, LearnerKind::kAuto));
  const auto test = std::make_shared<const SequenceInput>(
      ReadSequencesFor(*model, BenchTestFiles(problem, folder).front(), BenchTestFolds(problem)));
  return {MakeChainProblem(input, problem.lambda), [model, test](std::span<const double> weights) {
            model->set_weights(Copy(weights));
            const SequencePredictions predictions =
                PredictSequences(*model, test->data, test->sequences, {});
            const SequenceMetrics metrics =
                EvaluateSequences(test->data, test->sequences, predictions.labels);
            TestFigures figures = {{"hamming_loss", metrics.hamming_loss},
                                   {"token_accuracy", metrics.token_accuracy}};
            if (model->format() != SequenceFormat::kLetters)
              figures.emplace_back("chunk_f1", metrics.chunks.f1);
            return figures;
          }};
}

/// The drawn matchings after those of training, with possible edges as in the gold alignments of
/// the ICML 2013 paper, whose training data have none. Features that training did not have are left
/// out.
BenchTask MakeMatchingTask(const BenchProblem& problem) {
  const std::vector<std::string> drawn = DrawnMatchings(kPossibleTestEdges);
  const std::span<const std::string> examples(drawn);
  FeatureDictionary dictionary;
  ParseMatchings("synthetic", examples.first(kMatchingExamples), nullptr, &dictionary);
  const auto model = std::make_shared<MatchingModel>(std::move(dictionary), MatchingCapacities{});
  const auto test = std::make_shared<const MatchingData>(ParseMatchings(
      "synthetic", examples.subspan(kMatchingExamples), &model->dictionary(), nullptr));
  return {MakeBenchProblem(problem, ""), [model, test](std::span<const double> weights) {
            model->set_weights(Copy(weights));
            const MatchingPredictions predictions = PredictMatchings(*model, *test, 1);
            const MatchingMetrics metrics =
                EvaluateMatchings(*test, predictions.labels, model->costs());
            return TestFigures{{"alignment_error_rate", metrics.error_rate},
                               {"f1", metrics.f1},
                               {"exact", metrics.exact}};
          }};
}

}  // namespace

BenchTask MakeBenchTask(const BenchProblem& problem, const std::string& folder, bool with_test) {
  const std::vector<std::string> files = BenchTestFiles(problem, folder);
  if (with_test && problem.source == BenchSource::kMatching) return MakeMatchingTask(problem);
  if (!with_test || files.empty()) return {MakeBenchProblem(problem, folder), {}};
  CheckBenchData(problem, folder);
  std::error_code ignored;
  if (!std::filesystem::exists(files.front(), ignored)) {
    throw DataError(
        files.front(), 0,
        "there is no such file, with or without .gz; it should hold the test data of '" +
            std::string(problem.name) + "'");
  }
  return problem.sequences() ? MakeSequenceTask(problem, folder)
                             : MakeMultiLabelTask(problem, folder);
}

}  // namespace slackline::internal
