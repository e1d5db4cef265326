// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <tests/core/data_folder.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/thread_ranks.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kLabels = 5;
constexpr Index kKnownFeatures = 4;

/// Labels in an odd cycle that repel each other, so that some LP solutions are fractional.
MultiLabelModel DrawnModel() {
  std::vector<std::string> names;
  for (Index k = 0; k < kLabels; ++k) names.push_back(std::to_string(k));
  MultiLabelModel model(names, kKnownFeatures, true,
                        {{0, 1}, {0, 2}, {0, 4}, {1, 2}, {2, 3}, {3, 4}});
  std::vector<double> weights(model.weights().size());
  Random random(5);
  for (double& weight : weights) weight = 0.5 * random.Normal();
  for (std::size_t k = 0; k < kLabels; ++k)
    weights[kKnownFeatures * kLabels + k] = 1;  // the constant
  for (std::size_t pair = 0; pair < model.pairs().size(); ++pair) *(weights.rbegin() + pair) = -3;
  model.set_weights(weights);
  return model;
}

std::string ExampleText(int examples) {
  Random random(6);
  std::string text;
  for (int m = 0; m < examples; ++m) {
    text += std::to_string(m % kLabels);
    // Feature 5 is unknown to the model.
    for (Index f = 1; f <= kKnownFeatures + (m % 3 == 0 ? 1 : 0); ++f)
      text += " " + std::to_string(f) + ":" + std::to_string(random.Normal());
    text += m % 4 == 0 ? "\n\n" : "\n";
  }
  return text;
}

struct Result {
  MultiLabelData data;
  MultiLabelPredictions predictions;
};

Result ResultOf(const MultiLabelModel& model, const std::string& path, PredictOptions options,
                Ranks* ranks) {
  MultiLabelReadOptions read = model.ReadOptions();
  read.ranks = ranks;
  options.ranks = ranks;
  Result result{ReadMultiLabelData(path, read), {}};
  result.predictions = Predict(model, result.data, options);
  return result;
}

/// Checks that the predictions of the ranks, one after the other, are those of one process.
void CheckRanks(const std::string& path, DecodeKind decode) {
  const MultiLabelModel model = DrawnModel();
  PredictOptions options;
  options.decode = decode;
  options.scores = true;
  options.fractional = true;
  const Result one = ResultOf(model, path, options, nullptr);
  for (const int size : {1, 2, 3, 7}) {
    CAPTURE(size);
    std::vector<Result> parts(Size(size));
    OnThreadRanks(size, [&](ThreadRanks& ranks) {
      parts[Size(ranks.rank())] = ResultOf(model, path, options, &ranks);
    });
    std::vector<std::int8_t> truth;
    MultiLabelPredictions joined;
    for (const Result& part : parts) {
      const MultiLabelPredictions& mine = part.predictions;
      truth.insert(truth.end(), part.data.labels.begin(), part.data.labels.end());
      joined.labels.insert(joined.labels.end(), mine.labels.begin(), mine.labels.end());
      joined.scores.insert(joined.scores.end(), mine.scores.begin(), mine.scores.end());
      CHECK(mine.decoder == one.predictions.decoder);
      CHECK(mine.fractional == one.predictions.fractional);
      CHECK(part.data.notes == one.data.notes);
    }
    CHECK(truth == one.data.labels);
    CHECK(joined.labels == one.predictions.labels);
    CHECK(joined.scores == one.predictions.scores);
  }
}

}  // namespace

TEST_CASE("several ranks predict what one does, also with fewer examples than ranks") {
  const TemporaryFolder folder;
  const std::string text = ExampleText(40);
  for (const DecodeKind decode : {DecodeKind::kAuto, DecodeKind::kLp}) {
    CheckRanks(folder.Write("text", text), decode);
    CheckRanks(folder.Write("few", ExampleText(3)), decode);
  }
  CheckRanks(WriteParts(folder, "parts", {text, "", "1 1:0.5", text}), DecodeKind::kAuto);
  // The compared shares say something.
  PredictOptions options;
  options.fractional = true;
  options.decode = DecodeKind::kLp;
  const Result one = ResultOf(DrawnModel(), folder.Path("text"), options, nullptr);
  CHECK(one.predictions.fractional.value() > 0);
  CHECK(Contains(one.predictions.decoder, "% certified optimal"));
}

TEST_CASE("a folder is read as the file with its lines") {
  const TemporaryFolder folder;
  const MultiLabelModel model = DrawnModel();
  const std::string whole = folder.Write("whole", ExampleText(9) + ExampleText(4));
  const std::string parts = WriteParts(folder, "parts", {ExampleText(9), ExampleText(4)});
  const Result one = ResultOf(model, whole, {}, nullptr);
  const Result other = ResultOf(model, parts, {}, nullptr);
  CHECK(other.predictions.labels == one.predictions.labels);
  CHECK(other.data.labels == one.data.labels);
}

TEST_CASE("an example that cannot be predicted is the same error on all ranks") {
  const TemporaryFolder folder;
  MultiLabelModel model = DrawnModel();
  std::vector<double> weights = model.weights();
  weights[0] = -1e253;  // times 1e50 it is too large for a sum
  model.set_weights(weights);
  std::string text;
  for (int m = 0; m < 6; ++m) text += m == 5 ? "0 1:1e50\n" : "0 2:1\n";
  const std::string path = folder.Write("text", text);
  PredictOptions options;
  options.decode = DecodeKind::kLp;
  const auto message = [&](Ranks* ranks) {
    return MessageOf<DataError>([&] { ResultOf(model, path, options, ranks); });
  };
  const std::string one = message(nullptr);
  REQUIRE(one != "accepted");
  OnThreadRanks(3, [&](ThreadRanks& ranks) { CHECK(message(&ranks) == one); });
}
