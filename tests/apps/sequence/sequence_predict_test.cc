// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_predict.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <doctest/doctest.h>

#include <tests/support/sequences.h>
#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// All labellings of sequence m that the model's constraints allow, with falling scores; equal
/// scores in lexicographic order.
std::vector<RankedLabelling> Ranked(const SequenceModel& model, const SequenceData& data, Index m) {
  std::vector<RankedLabelling> all;
  std::vector<Index> labels(data.length(m), 0);
  do {
    if (model.constraints() == LabelConstraints::kAny || ValidBio(model.label_names(), labels))
      all.push_back({ScoreOf(model, data, m, labels), labels});
  } while (NextLabelling(model.num_labels(), &labels));
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.value > b.value; });
  return all;
}

/// Compares labels, scores and `count` best labellings with enumeration.
void CheckPredictions(const SequenceModel& model, const SequenceData& data, Index count) {
  SequencePredictOptions options;
  options.scores = true;
  options.best = count;
  const auto sequences = AllSequences(data);
  const SequencePredictions predictions = PredictSequences(model, data, sequences, options);
  const std::size_t k = model.num_labels();
  REQUIRE(std::ssize(predictions.labels) == data.num_tokens());
  for (const Index m : sequences) {
    const auto all = Ranked(model, data, m);
    const std::size_t first = data.begin[m];
    CHECK(std::equal(all[0].labels.begin(), all[0].labels.end(),
                     predictions.labels.begin() + static_cast<std::ptrdiff_t>(first)));
    const auto& best = predictions.best[m];
    REQUIRE(best.size() == std::min<std::size_t>(count, all.size()));
    std::set<std::vector<Index>> seen;
    for (std::size_t rank = 0; rank < best.size(); ++rank) {
      // Labellings of tokens without features have equal scores up to rounding, which decides their
      // order. So compare the scores.
      const auto same = std::find_if(
          all.begin(), all.end(), [&](const auto& one) { return one.labels == best[rank].labels; });
      REQUIRE(same != all.end());
      CHECK(Near(same->value, all[rank].value, kExact));
      CHECK(Near(best[rank].value, all[rank].value, kExact));
      CHECK(seen.insert(best[rank].labels).second);
    }
    for (std::size_t i = 0; i < all[0].labels.size(); ++i) {
      for (std::size_t label = 0; label < k; ++label) {
        const auto with = std::find_if(all.begin(), all.end(), [&](const auto& one) {
          return one.labels[i] == static_cast<Index>(label);
        });
        const double score = predictions.scores[(first + i) * k + label];
        if (with == all.end()) {
          CHECK(score == -std::numeric_limits<double>::infinity());
        } else {
          CHECK(Near(score, with->value - all[0].value, kExact));
        }
        if (predictions.labels[first + i] == static_cast<Index>(label)) CHECK(score == 0);
      }
    }
  }
  // Without scores and best labellings, labels are computed by another function.
  CHECK(PredictSequences(model, data, sequences, {}).labels == predictions.labels);
}

}  // namespace

TEST_CASE("predictions, scores and best labellings agree with enumeration") {
  Random random(111);
  for (int trial = 0; trial < 40; ++trial) {
    const SequenceData data = RandomSequences(random, 6, 1 + trial % 4, 4);
    SequenceModel model(data.label_names, data.num_features);
    SetRandomWeights(random, false, &model);
    CheckPredictions(model, data, 5);
  }
}

TEST_CASE("with constraints predictions agree with enumeration over allowed labellings") {
  Random random(115);
  int changed = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const SequenceData data = RandomBioSequences(random, 6, trial % 2 == 1, 4);
    SequenceModel model(data.label_names, data.num_features, LabelConstraints::kBio);
    SetRandomWeights(random, false, &model);
    CheckPredictions(model, data, 1000);  // all labellings, too
    SequenceModel free(data.label_names, data.num_features);
    free.set_weights(model.weights());
    const auto all = AllSequences(data);
    if (PredictSequences(free, data, all, {}).labels !=
        PredictSequences(model, data, all, {}).labels)
      ++changed;
  }
  CHECK(changed > 20);
}

TEST_CASE("marginals agree with enumeration, with constraints and at all temperatures") {
  Random random(116);
  for (int trial = 0; trial < 20; ++trial) {
    const bool bio = trial % 2 == 1;
    const SequenceData data =
        bio ? RandomBioSequences(random, 6, true, 4) : RandomSequences(random, 6, 3, 4);
    SequenceModel model(data.label_names, data.num_features,
                        bio ? LabelConstraints::kBio : LabelConstraints::kAny);
    SetRandomWeights(random, false, &model);
    const double temperature = trial < 10 ? 1.0 : 0.3;
    const auto marginals =
        SequenceMarginals(model, data, AllSequences(data), temperature, 1 + trial % 2);
    const std::size_t k = model.num_labels();
    REQUIRE(marginals.size() == data.labels.size() * k);
    for (Index m = 0; m < data.num_sequences(); ++m) {
      const auto all = Ranked(model, data, m);
      std::vector<double> expected(data.length(m) * k, 0.0);
      double total = 0;
      for (const RankedLabelling& one : all) {
        const double weight = std::exp((one.value - all[0].value) / temperature);
        total += weight;
        for (std::size_t i = 0; i < one.labels.size(); ++i)
          expected[i * k + one.labels[i]] += weight;
      }
      for (std::size_t s = 0; s < expected.size(); ++s)
        CHECK(Near(marginals[data.begin[m] * k + s], expected[s] / total, kExact));
    }
  }
  const SequenceData data = RandomSequences(random, 2, 3, 4);
  const SequenceModel model(data.label_names, data.num_features);
  CHECK(SequenceMarginals(model, data, {}, 1, 1).empty());
  CHECK_THROWS_AS(SequenceMarginals(model, data, AllSequences(data), 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(SequenceMarginals(model, data, std::vector<Index>{2}, 1, 1),
                  std::invalid_argument);
}

TEST_CASE(
    "with ties the first labelling in lexicographic order is predicted, in all kinds of output") {
  Random random(112);
  const SequenceData data = RandomSequences(random, 8, 3, 4);
  const SequenceModel model(data.label_names, data.num_features);  // all weights zero
  for (int kind = 0; kind < 3; ++kind) {
    SequencePredictOptions options;
    options.scores = kind == 1;
    options.best = kind == 2 ? 2 : 0;
    const auto labels = PredictSequences(model, data, AllSequences(data), options).labels;
    CHECK(labels == std::vector<Index>(data.num_tokens(), 0));
  }
}

TEST_CASE("results do not depend on the number of threads, and some sequences may be chosen") {
  Random random(113);
  const SequenceData data = RandomSequences(random, 300, 4, 9);
  SequenceModel model(data.label_names, data.num_features);
  SetRandomWeights(random, true, &model);
  SequencePredictOptions options;
  options.scores = true;
  options.best = 3;
  const SequencePredictions one = PredictSequences(model, data, AllSequences(data), options);
  for (const Index threads : {2, 4, 0}) {
    options.threads = threads;
    const SequencePredictions more = PredictSequences(model, data, AllSequences(data), options);
    CHECK(more.labels == one.labels);
    CHECK(more.scores == one.scores);
    for (std::size_t m = 0; m < one.best.size(); ++m) {
      REQUIRE(more.best[m].size() == one.best[m].size());
      for (std::size_t rank = 0; rank < one.best[m].size(); ++rank) {
        CHECK(more.best[m][rank].labels == one.best[m][rank].labels);
        CHECK(more.best[m][rank].value == one.best[m][rank].value);
      }
    }
  }
  const std::vector<Index> some = {250, 3};
  const SequencePredictions part = PredictSequences(model, data, some, {});
  REQUIRE(std::ssize(part.labels) == data.length(250) + data.length(3));
  for (Index i = 0; i < data.length(250); ++i)
    CHECK(part.labels[i] == one.labels[data.begin[250] + i]);
  for (Index i = 0; i < data.length(3); ++i)
    CHECK(part.labels[data.length(250) + i] == one.labels[data.begin[3] + i]);
  CHECK(PredictSequences(model, data, {}, {}).labels.empty());
  CHECK_THROWS_AS(PredictSequences(model, data, std::vector<Index>{300}, {}),
                  std::invalid_argument);
  SequenceModel other(data.label_names, 4);
  CHECK_THROWS_AS(PredictSequences(other, data, some, {}), std::invalid_argument);
}

TEST_CASE("metrics count the selected sequences") {
  Random random(114);
  SequenceData data = RandomSequences(random, 5, 2, 3);
  const std::vector<Index> some = {4, 1};
  std::vector<Index> right;
  for (const Index m : some) {
    for (Offset t = data.begin[m]; t < data.begin[m + 1]; ++t) right.push_back(data.labels[t]);
  }
  CHECK(EvaluateSequences(data, some, right).token_accuracy == 1);
  CHECK(EvaluateSequences(data, some, right).sequences == 2);
  right.back() = 1 - right.back();
  CHECK(EvaluateSequences(data, some, right).sequence_accuracy == 0.5);
}
