// SPDX-License-Identifier: BSD-3-Clause
//
// Compares prediction through the public interface with enumeration of all labellings, whose scores
// are summed here from the numbers that the graph was made from.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include <slackline/slackline.h>

#include "tests/support/all_labellings.h"
#include "tests/support/tolerances.h"

namespace slackline {
namespace {

using internal::kInfinity;
using internal::test::AllLabellings;
using internal::test::kTight;
using internal::test::Near;
using Labels = std::vector<int>;

/// A random graph with its weights, an observation, and the expected score of each part.
struct ObservedGraph {
  ObservedGraph(std::uint64_t seed, int variables, int max_states) : random(seed), builder(model) {
    const WeightBlock unary = model.AddWeights("unary");
    weight_values.push_back(1);
    for (int i = 0; i < variables; ++i) {
      const int k = 2 + static_cast<int>(random() % static_cast<unsigned>(max_states - 1));
      states.push_back(max_states == 2 ? 2 : k);
      all.push_back(builder.AddVariable(states.back()));
      builder.AddPotentials(all.back(), unary);
      std::vector<double> own;
      for (int s = 0; s < states.back(); ++s) own.push_back(Number());
      observation.potentials.insert(observation.potentials.end(), own.begin(), own.end());
      parts.push_back([i, own](const Labels& y) { return own[y[i]]; });
    }
  }

  static std::size_t At(int k) { return k; }
  double Number() { return static_cast<double>(random() % 4096) / 1024.0 - 2.0; }

  WeightBlock NewWeights(int rows) {
    const WeightBlock block = model.AddWeights("w" + std::to_string(model.num_blocks()), rows);
    for (int r = 0; r < rows; ++r) weight_values.push_back(Number());
    return block;
  }
  double Last(int rows, int row) const {
    return weight_values[weight_values.size() - At(rows) + At(row)];
  }

  void AddPotts(int i, int j) {
    const WeightBlock w = NewWeights(1);
    builder.AddFactor({all[i], all[j]}, Potts(states[i]), w);
    parts.push_back([=, v = Last(1, 0)](const Labels& y) { return y[i] != y[j] ? v : 0.0; });
  }
  void AddTable(int i, int j) {
    const int rows = states[i] * states[j], width = states[j];
    const WeightBlock w = NewWeights(rows);
    builder.AddFactor({all[i], all[j]}, Table({states[i], states[j]}), w);
    std::vector<double> v;
    for (int r = 0; r < rows; ++r) v.push_back(Last(rows, r));
    parts.push_back([=](const Labels& y) { return v[y[i] * width + y[j]]; });
  }
  void AddCount(const Factor& factor, int state, bool soft,
                const std::function<double(int)>& excess) {
    WeightBlock w;
    if (soft) w = NewWeights(1);
    builder.AddFactor(all, factor, w);
    const double v = soft ? Last(1, 0) : -kInfinity;
    parts.push_back([=](const Labels& y) {
      const double e = excess(static_cast<int>(std::count(y.begin(), y.end(), state)));
      return e == 0 ? 0.0 : v * e;
    });
  }
  void AddEveryCount(int state) {
    const int rows = static_cast<int>(all.size()) + 1;
    const WeightBlock w = NewWeights(rows);
    builder.AddFactor(all, Count(state), w);
    std::vector<double> v;
    for (int r = 0; r < rows; ++r) v.push_back(Last(rows, r));
    parts.push_back([=](const Labels& y) {
      return v[static_cast<int>(std::count(y.begin(), y.end(), state))];
    });
  }
  void Forbid(int i, int state) {
    builder.Forbid(all[i], {state});
    parts.push_back([=](const Labels& y) { return y[i] == state ? -kInfinity : 0.0; });
  }
  void ForbidEqual(int i, int j) {
    builder.Forbid({all[i], all[j]}, [](std::span<const int> y) { return y[0] == y[1]; });
    parts.push_back([=](const Labels& y) { return y[i] == y[j] ? -kInfinity : 0.0; });
  }

  Weights MakeWeights() const {
    Weights weights(model);
    std::copy(weight_values.begin(), weight_values.end(), weights.values().begin());
    return weights;
  }
  double Score(const Labels& labels) const {
    double sum = 0;
    for (const auto& part : parts) sum += part(labels);
    return sum;
  }
  std::vector<RankedLabelling> Ranked() const {
    std::vector<RankedLabelling> result;
    for (const Labels& labels : AllLabellings(states)) result.push_back({labels, Score(labels)});
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    while (!result.empty() && result.back().score == -kInfinity) result.pop_back();
    return result;
  }

  std::mt19937 random;
  Model model;
  GraphBuilder builder;
  std::vector<int> states;
  std::vector<Variable> all;
  std::vector<double> weight_values;
  Observation observation;
  std::vector<std::function<double(const Labels&)>> parts;
};

void CheckPrediction(const ObservedGraph& own) {
  const std::vector<RankedLabelling> ranked = own.Ranked();
  const Weights weights = own.MakeWeights();
  Predictor predictor(own.builder.Build(), weights);
  if (ranked.empty()) {
    CHECK_THROWS_AS(predictor.Predict(own.observation), std::runtime_error);
    return;
  }
  const Prediction best = predictor.Predict(own.observation);
  CHECK(best.optimal);
  CHECK(Near(best.score, ranked[0].score, kTight));
  CHECK(Near(best.bound, ranked[0].score, 1e-6));
  CHECK(best.bound >= best.score);
  CHECK(Near(own.Score(best.labels), best.score, kTight));
  CHECK(Near(predictor.Score(own.observation, best.labels), best.score, kTight));

  const std::vector<RankedLabelling> few = predictor.KBest(own.observation, 7);
  REQUIRE(few.size() == std::min<std::size_t>(7, ranked.size()));
  for (std::size_t k = 0; k < few.size(); ++k) {
    CHECK(Near(few[k].score, ranked[k].score, kTight));
    CHECK(Near(own.Score(few[k].labels), few[k].score, kTight));
    for (std::size_t other = 0; other < k; ++other) CHECK(few[k].labels != few[other].labels);
  }

  const double temperature = 0.7;
  const StateTable reach = predictor.MaxMarginals(own.observation);
  const MarginalTable soft = predictor.Marginals(own.observation, temperature);
  double sum = 0;
  for (const RankedLabelling& labelling : ranked)
    sum += std::exp((labelling.score - ranked[0].score) / temperature);
  CHECK(Near(soft.log_partition, ranked[0].score + temperature * std::log(sum), kTight));
  for (std::size_t i = 0; i < own.states.size(); ++i) {
    for (int s = 0; s < own.states[i]; ++s) {
      double best_with = -kInfinity, share = 0;
      for (const RankedLabelling& labelling : ranked) {
        if (labelling.labels[i] != s) continue;
        best_with = std::max(best_with, labelling.score);
        share += std::exp((labelling.score - ranked[0].score) / temperature);
      }
      CHECK((best_with == reach[i][s] || Near(best_with, reach[i][s], kTight)));
      CHECK(Near(soft.probabilities[i][s], share / sum, kTight));
    }
  }
}

TEST_CASE("predictions agree with enumeration for every mix of factors") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    const int variables = 1 + static_cast<int>(seed % 5);
    const bool binary = seed % 2 == 0;
    ObservedGraph own(seed, variables, binary ? 2 : 3);
    const auto with = [&](unsigned one_in) { return own.random() % one_in == 0; };
    const int n = variables;
    for (int i = 1; i < n; ++i) {
      if (with(3)) continue;
      if (own.states[i - 1] == own.states[i] && with(2)) {
        own.AddPotts(i - 1, i);
      } else {
        own.AddTable(i - 1, i);
      }
    }
    if (n > 2 && with(2)) own.AddTable(0, n - 1);
    if (with(4)) own.Forbid(0, 1);
    if (n > 1 && with(4)) own.ForbidEqual(0, n - 1);
    if (with(4)) own.AddEveryCount(1);
    const int count = n / 2, state = binary ? 1 : static_cast<int>(seed % 3);
    const bool soft = with(2);
    const auto above = [count](int c) { return std::max(0, c - count); };
    const auto below = [count](int c) { return std::max(0, count - c); };
    const auto off = [count](int c) { return std::abs(c - count); };
    // A count is bounded from below only where enough variables have the state.
    const auto most =
        std::count_if(own.states.begin(), own.states.end(), [state](int k) { return state < k; });
    if (with(3)) own.AddCount(AtMost(count, state), state, soft, above);
    if (with(5) && most >= count) own.AddCount(AtLeast(count, state), state, soft, below);
    if (with(5) && most >= count) own.AddCount(Exactly(count, state), state, soft, off);
    CheckPrediction(own);
  }
}

TEST_CASE("chains and trees as one factor have the scores of their pairs") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    ObservedGraph pairs(seed, 4, 2), whole(seed, 4, 2);
    const WeightBlock a = pairs.NewWeights(4), b = whole.NewWeights(4);
    const bool chain = seed % 2 == 0;
    for (int i = 1; i < 4; ++i)
      pairs.builder.AddFactor({pairs.all[chain ? i - 1 : 0], pairs.all[i]}, Table({2, 2}), a);
    whole.builder.AddFactor(whole.all,
                            chain ? Chain(4, Table({2, 2}))
                                  : Tree({2, 2, 2, 2}, {{0, 1}, {0, 2}, {0, 3}}, Table({2, 2})),
                            b);
    const Prediction one = Predict(pairs.builder.Build(), pairs.observation, pairs.MakeWeights());
    const Prediction other = Predict(whole.builder.Build(), whole.observation, whole.MakeWeights());
    CHECK(Near(one.score, other.score, kTight));
    CHECK(one.optimal);
    CHECK(other.optimal);
  }
}

/// A 5 × 5 matching: 2^25 labellings, too many to enumerate, so the factor's oracle is needed.
struct MatchingCase {
  MatchingCase() : own(5, 25, 2) {
    std::vector<MatchingEdge> edges;
    for (int l = 0; l < 5; ++l)
      for (int r = 0; r < 5; ++r) edges.push_back({l, r});
    own.builder.AddFactor(own.all, Matching(5, 5, edges));
  }
  ObservedGraph own;
};

TEST_CASE("a predicted matching is the best of all partial permutations") {
  MatchingCase matching;
  const Prediction best =
      Predict(matching.own.builder.Build(), matching.own.observation, matching.own.MakeWeights());
  CHECK(best.optimal);
  const auto gain = [&](int l, int r) {
    const std::size_t k = 2 * ObservedGraph::At(5 * l + r);
    return matching.own.observation.potentials[k + 1] - matching.own.observation.potentials[k];
  };
  double none = 0;
  for (std::size_t k = 0; k < 50; k += 2) none += matching.own.observation.potentials[k];
  std::vector<int> partner = {0, 1, 2, 3, 4};
  double wanted = -kInfinity;
  do {
    double value = none;
    for (int l = 0; l < 5; ++l) value += std::max(0.0, gain(l, partner[l]));
    wanted = std::max(wanted, value);
  } while (std::next_permutation(partner.begin(), partner.end()));
  CHECK(Near(best.score, wanted, kTight));
}

TEST_CASE("max-marginals of a matching are predictions with the other state forbidden") {
  MatchingCase matching;
  const Weights weights = matching.own.MakeWeights();
  const StateTable reach =
      MaxMarginals(matching.own.builder.Build(), matching.own.observation, weights);
  for (int i = 0; i < 25; i += 6) {
    for (const int s : {0, 1}) {
      MatchingCase one;
      one.own.builder.Forbid(one.own.all[i], {1 - s});
      const Prediction with =
          Predict(one.own.builder.Build(), one.own.observation, one.own.MakeWeights());
      CHECK(Near(with.score, reach[i][s], kTight));
    }
  }
}

TEST_CASE("a large graph with cycles has a bound, and unsupported requests are reported") {
  ObservedGraph own(3, 100, 3);
  for (int i = 0; i < 100; ++i) {
    if (i % 10 > 0) own.AddTable(i - 1, i);
    if (i >= 10) own.AddTable(i - 10, i);
  }
  Predictor predictor(own.builder.Build(), own.MakeWeights());
  const Prediction best = predictor.Predict(own.observation);
  CHECK(best.bound >= best.score);
  CHECK(Near(own.Score(best.labels), best.score, kTight));
  const StateTable reach = predictor.MaxMarginals(own.observation);
  for (std::size_t i = 0; i < reach.size(); ++i)
    CHECK(reach[i][best.labels[i]] >= best.score - kTight * std::abs(best.score));
  CHECK_THROWS_WITH_AS(predictor.KBest(own.observation, 2), doctest::Contains("without cycles"),
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(predictor.Marginals(own.observation), doctest::Contains("without cycles"),
                       std::runtime_error);
  own.Forbid(7, 0);
  const Prediction other = Predict(own.builder.Build(), own.observation, own.MakeWeights());
  CHECK(other.labels[7] != 0);
  CHECK(other.bound >= other.score);
}

TEST_CASE("a large mix of counts and tables has a bound that covers the labelling found") {
  ObservedGraph own(4, 30, 2);
  for (int i = 1; i < 30; ++i) own.AddTable(i - 1, i);
  own.AddCount(AtMost(5), 1, false, [](int c) { return std::max(0, c - 5); });
  Predictor predictor(own.builder.Build(), own.MakeWeights());
  const Prediction best = predictor.Predict(own.observation);
  CHECK(std::count(best.labels.begin(), best.labels.end(), 1) <= 5);
  CHECK(best.bound >= best.score);
  CHECK(best.bound < kInfinity);
  CHECK(Near(own.Score(best.labels), best.score, kTight));
  CHECK_THROWS_WITH_AS(predictor.MaxMarginals(own.observation),
                       doctest::Contains("share no variable"), std::runtime_error);
}

TEST_CASE("contradictions and arguments that do not fit are reported") {
  ObservedGraph own(6, 2, 2);
  own.Forbid(0, 0);
  own.AddCount(AtMost(0), 1, false, [](int c) { return c; });
  CHECK_THROWS_AS(Predict(own.builder.Build(), own.observation, own.MakeWeights()),
                  std::runtime_error);
  const Graph graph = own.builder.Build();
  CHECK_THROWS_WITH_AS(Predict(graph, own.observation, Weights(Model())),
                       doctest::Contains("not those of the graph's model"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(Predict(graph, {.inputs = {{1.0}}}, own.MakeWeights()),
                       doctest::Contains("needs 0 input rows, not 1"), std::invalid_argument);
  Predictor predictor(graph, own.MakeWeights());
  CHECK_THROWS_AS(predictor.Score(own.observation, {0, 2}), std::invalid_argument);
  CHECK_THROWS_AS(predictor.KBest(own.observation, 0), std::invalid_argument);
  CHECK_THROWS_AS(predictor.Marginals(own.observation, 0), std::invalid_argument);
  CHECK(predictor.Scores(own.observation)[0][0] == -kInfinity);
  CHECK(predictor.Scores(own.observation)[0][1] == own.observation.potentials[1]);
}

}  // namespace
}  // namespace slackline
