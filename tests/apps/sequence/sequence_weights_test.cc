// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_weights.h>

#include <doctest/doctest.h>

#include <slackline/apps/sequence/sequence_input.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// A model of CoNLL data with the weights 1, 2, 3, ….
SequenceModel NumberedModel(int hash_bits, LabelConstraints constraints = LabelConstraints::kAny) {
  const TemporaryFolder folder;
  SequenceReadOptions options;
  options.features = {1, hash_bits};
  const SequenceInput input =
      ReadTrainingSequences(folder.Write("t", "a x B-N\nb y I-N\n\nc x O\n"), options);
  SequenceModel model = MakeSequenceModel(input, LearnerKind::kAuto, constraints);
  std::vector<double> weights(model.weights().size());
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = static_cast<double>(k + 1);
  model.set_weights(weights);
  return model;
}

}  // namespace

TEST_CASE("observations, constants and transitions of a model of texts are listed") {
  const SequenceModel model = NumberedModel(0);
  const WeightSummary summary = SummariseWeights(model, {2, 0, 5});
  REQUIRE(summary.labels.size() == 3);
  for (std::size_t y = 0; y < 3; ++y) {
    const LabelWeights& label = summary.labels[y];
    CHECK(label.label == model.label_names()[y]);
    REQUIRE(label.constants.size() == 3);
    CHECK(label.constants[0].weight == model.constant_weights()[y]);
    CHECK(label.constants[1].weight == model.start_weights()[y]);
    CHECK(label.constants[2].weight == model.end_weights()[y]);
    REQUIRE(label.features.positive.size() == 2);
    // The weights rise, so the last feature is the strongest one of every label.
    CHECK(label.features.positive[0].name ==
          model.features().dictionary.name(model.num_features() - 1));
    CHECK(label.features.positive[0].weight ==
          model.token_weights()[Offset{model.num_features() - 1} * 3 + y]);
    CHECK(label.features.num_positive == model.num_features());
    CHECK(label.features.negative.empty());
  }
  REQUIRE(summary.pairs.size() == 1);
  CHECK(summary.pairs[0].directed);
  CHECK(summary.pairs[0].count == 9);
  CHECK(summary.pairs[0].positive[0].first == model.label_names()[2]);
  CHECK(summary.pairs[0].positive[0].weight == model.transition_weights()[8]);
  CHECK(summary.pairs[0].matrix.cells[1] == model.transition_weights()[1]);
}

TEST_CASE("excluded transitions are left out") {
  const WeightSummary summary =
      SummariseWeights(NumberedModel(0, LabelConstraints::kBio), {9, 0, 0});
  // O before I-N is excluded.
  CHECK(summary.pairs[0].count == 8);
  for (const PairWeight& pair : summary.pairs[0].positive)
    CHECK(!(pair.first == "O" && pair.second == "I-N"));
  CHECK(summary.notes.back().find("constraints") != std::string::npos);
}

TEST_CASE("hashed features and pixels are listed by number") {
  const SequenceModel hashed = NumberedModel(4);
  CHECK(FeatureName(hashed, 15) == "hashed feature 15");
  CHECK(SummariseWeights(hashed, {1, 0, 0}).labels[0].features.positive[0].name ==
        "hashed feature 15");
  CHECK(FeatureName(SequenceModel({"a"}, 128), 9) == "pixel at row 2, column 2");
  CHECK(FeatureName(SequenceModel({"a"}, 128), 127) == "pixel at row 16, column 8");
  CHECK(FeatureName(SequenceModel({"a"}, 20), 9) == "pixel 10");
}
