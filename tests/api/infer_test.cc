// SPDX-License-Identifier: BSD-3-Clause
//
// Compares inference with given scores with enumeration of all labellings, whose scores are summed
// here from the layout and the definitions of the factors.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <random>

#include <slackline/slackline.h>

#include "tests/support/all_labellings.h"
#include "tests/support/tolerances.h"

namespace slackline {
namespace {

using internal::kInfinity;
using internal::test::AllLabellings;
using internal::test::kPolytope;
using internal::test::kSolver;
using internal::test::kTight;
using internal::test::Near;
using Labels = std::vector<int>;

/// The features of a factor with its own max oracle, −∞ as only entry when it forbids the states.
using OracleFeatures = std::function<std::vector<double>(const Labels&)>;

/// A random graph and random scores for it.
struct ScoredGraph {
  ScoredGraph(std::uint64_t seed, int variables, int most_states) : random(seed), builder(model) {
    for (int i = 0; i < variables; ++i) {
      states.push_back(most_states == 2 ? 2
                                        : 2 + static_cast<int>(random() % static_cast<unsigned>(
                                                                              most_states - 1)));
      all.push_back(builder.AddVariable(states.back()));
    }
  }

  double Number() { return static_cast<double>(random() % 4096) / 1024.0 - 2.0; }
  void AddTable(int i, int j) { builder.AddFactor({all[i], all[j]}); }
  void AddCounts(int state) {
    const int rows = static_cast<int>(all.size()) + 1;
    builder.AddFactor(all, Count(state),
                      model.AddWeights("w" + std::to_string(model.num_blocks()), rows));
    features.push_back([=](const Labels& y) {
      std::vector<double> result(rows, 0.0);
      result[std::count(y.begin(), y.end(), state)] = 1;
      return result;
    });
  }
  void AddAtMost(int count) {
    builder.AddFactor(all, AtMost(count));
    features.push_back([=](const Labels& y) -> std::vector<double> {
      if (std::count(y.begin(), y.end(), 1) > count) return {-kInfinity};
      return {};
    });
  }
  void Forbid(int i, int state) {
    builder.Forbid(all[i], {state});
    forbidden.push_back({i, state});
  }

  void Finish() {
    graph.emplace(builder.Build());
    layout.emplace(*graph);
    scores.resize(layout->size());
    for (double& score : scores) score = Number();
  }

  double Score(const Labels& y) const {
    double sum = 0;
    for (const auto& [i, state] : forbidden) sum += y[i] == state ? -kInfinity : 0;
    for (const ScoreBlock& block : layout->variables())
      sum += scores[block.begin + static_cast<std::size_t>(y[block.variables[0]])];
    for (const ScoreBlock& block : layout->tables()) {
      std::size_t state = 0;
      for (const int i : block.variables)
        state = state * static_cast<std::size_t>(states[i]) + static_cast<std::size_t>(y[i]);
      sum += scores[block.begin + state];
    }
    for (std::size_t g = 0; g < features.size(); ++g) {
      const std::vector<double> values = features[g](y);
      if (!values.empty() && values[0] == -kInfinity) return -kInfinity;
      REQUIRE(values.size() == layout->oracles()[g].size);
      for (std::size_t k = 0; k < values.size(); ++k)
        sum += values[k] * scores[layout->oracles()[g].begin + k];
    }
    return sum;
  }

  double Best() const {
    double best = -kInfinity;
    for (const Labels& y : AllLabellings(states)) best = std::max(best, Score(y));
    return best;
  }

  std::mt19937 random;
  Model model;
  GraphBuilder builder;
  std::vector<int> states;
  std::vector<Variable> all;
  std::vector<OracleFeatures> features;
  std::vector<std::pair<int, int>> forbidden;
  std::optional<Graph> graph;
  std::optional<ScoreLayout> layout;
  std::vector<double> scores;
};

double Product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += b[k] == 0 ? 0 : a[k] * b[k];
  return sum;
}

void CheckResult(const ScoredGraph& own, const InferResult& result, double best) {
  CHECK(Near(own.Score(result.labels), result.score, kTight));
  CHECK(result.score <= best + kTight * (1 + std::abs(best)));
  CHECK(result.bound >= best - kTight * (1 + std::abs(best)));
  if (result.optimal) CHECK(Near(result.score, best, kSolver));
  REQUIRE(result.marginals.size() == own.scores.size());
  const double value = Product(own.scores, result.marginals);
  if (!result.fractional) CHECK(Near(value, result.score, kTight));
  if (result.fractional) {
    CHECK(value >= result.score - kSolver * (1 + std::abs(value)));
    CHECK(value <= result.bound + kSolver * (1 + std::abs(value)));
  }
  for (const ScoreBlock& block : own.layout->variables()) {
    double sum = 0;
    for (std::size_t s = 0; s < block.size; ++s) {
      CHECK(result.marginals[block.begin + s] >= 0);
      sum += result.marginals[block.begin + s];
    }
    CHECK(Near(sum, 1, kPolytope));
  }
}

TEST_CASE("all methods agree with enumeration on tables") {
  int fractional = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const int n = 1 + static_cast<int>(seed % 6);
    ScoredGraph own(seed, n, seed % 2 == 0 ? 2 : 3);
    for (int i = 1; i < n; ++i) own.AddTable(i - 1, i);
    if (n > 2 && seed % 3 > 0) own.AddTable(0, n - 1);
    if (n > 3 && seed % 3 > 1) {
      own.AddTable(0, 2);
      own.builder.AddFactor({own.all[1], own.all[2], own.all[3]});
    }
    own.Finish();
    const double best = own.Best();
    for (const char* method : {"auto", "exact", "lp", "messages"}) {
      CAPTURE(method);
      const InferResult result =
          Infer(*own.graph, own.scores,
                {.method = method, .marginals = true, .max_marginals = method[0] == 'a'});
      CheckResult(own, result, best);
      if (method[0] == 'e' || method[0] == 'a') CHECK(result.optimal);
      fractional += result.fractional;
      if (!result.max_marginals.empty()) {
        std::vector<double> reach(result.max_marginals.size(), -kInfinity);
        for (const Labels& y : AllLabellings(own.states)) {
          for (std::size_t i = 0; i < y.size(); ++i) {
            double& entry =
                reach[own.layout->variables()[i].begin + static_cast<std::size_t>(y[i])];
            entry = std::max(entry, own.Score(y));
          }
        }
        for (std::size_t k = 0; k < reach.size(); ++k)
          CHECK(Near(reach[k], result.max_marginals[k], kTight));
      }
    }
  }
  CHECK(fractional > 0);
}

/// Scores of a table agree with the marginals of its first variable.
void CheckFirstMarginals(const ScoredGraph& own, std::span<const double> marginals) {
  for (const ScoreBlock& table : own.layout->tables()) {
    const ScoreBlock& first = own.layout->variables()[static_cast<std::size_t>(table.variables[0])];
    const std::size_t inner = table.size / first.size;
    for (std::size_t s = 0; s < first.size; ++s) {
      double sum = 0;
      for (std::size_t t = 0; t < inner; ++t) sum += marginals[table.begin + s * inner + t];
      CHECK(std::abs(sum - marginals[first.begin + s]) <= kTight);
    }
  }
}

TEST_CASE(
    "marginals of method lp are feasible and come near the bound, without an LP solver, too") {
  int fractional = 0;
  const auto check = [&](ScoredGraph& own) {
    const InferResult result = Infer(*own.graph, own.scores, {.method = "lp", .marginals = true});
    const double value = Product(own.scores, result.marginals);
    CheckResult(own, result, result.score);  // enumeration would take too long
    CheckFirstMarginals(own, result.marginals);
    CHECK(result.bound - value <= 1.001e-3 * result.bound + kTight);
    if (result.fractional) CHECK_FALSE(result.optimal);
    fractional += result.fractional;
    const InferResult labels = Infer(*own.graph, own.scores, {.method = "lp"});
    CHECK(labels.labels == result.labels);
    CHECK(labels.bound >= result.bound - kTight);
    CHECK_FALSE(
        Infer(*own.graph, own.scores, {.method = "messages", .marginals = true}).fractional);
  };
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    // Every fourth graph has more than 2000 states, which are too many for the LP solver.
    const int n = seed % 4 == 3 ? 60 : 3 + static_cast<int>(seed % 5);
    ScoredGraph own(seed, n, seed % 4 == 3 ? 9 : 4);
    for (int i = 0; i < n; ++i) own.AddTable(i, (i + 1) % n);
    for (int i = 0; i + 2 < n; i += n > 9 ? 3 : 1) own.AddTable(i, i + 2);
    own.Finish();
    for (const ScoreBlock& block : own.layout->variables())
      for (std::size_t s = 0; s < block.size; ++s) own.scores[block.begin + s] *= 0.1;
    check(own);
  }
  CHECK(fractional >= 5);
}

TEST_CASE("each factor with its own max oracle has its own scores, even where weights are shared") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const int n = 2 + static_cast<int>(seed % 4);
    ScoredGraph own(seed, n, 2);
    const WeightBlock shared = own.model.AddWeights("shared", n + 1);
    for (int twice = 0; twice < 2; ++twice) {
      own.builder.AddFactor(own.all, Count(1), shared);
      own.features.push_back([=](const Labels& y) {
        std::vector<double> result(static_cast<std::size_t>(n) + 1, 0.0);
        result[std::count(y.begin(), y.end(), 1)] = 1;
        return result;
      });
    }
    if (seed % 2 == 0) own.AddTable(0, 1);
    if (seed % 3 == 0) own.AddAtMost(n / 2);
    if (seed % 5 == 0) own.Forbid(0, 1);
    own.Finish();
    const double best = own.Best();
    for (const char* method : {"auto", "exact"}) {
      CAPTURE(method);
      const InferResult result =
          Infer(*own.graph, own.scores, {.method = method, .marginals = true});
      CheckResult(own, result, best);
      CHECK(result.optimal);
    }
    if (own.forbidden.empty())
      CheckResult(own, Infer(*own.graph, own.scores, {.method = "lp", .marginals = true}), best);
  }
}

TEST_CASE("a score of minus infinity forbids like the graph does") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const int n = 3 + static_cast<int>(seed % 3);
    ScoredGraph open(seed, n, 3), closed(seed, n, 3);
    for (ScoredGraph* own : {&open, &closed}) {
      for (int i = 0; i < n; ++i) own->AddTable(i, (i + 1) % n);
      if (seed % 2 == 0) own->AddCounts(1);
      if (own == &closed) own->Forbid(1, 0);
      own->Finish();
    }
    REQUIRE(open.scores == closed.scores);
    open.scores[open.layout->variables()[1].begin] = -kInfinity;
    const InferResult a = Infer(*open.graph, open.scores), b = Infer(*closed.graph, closed.scores);
    CHECK(a.labels == b.labels);
    CHECK(a.score == b.score);
    CHECK(a.labels[1] != 0);
    CHECK(Near(a.score, closed.Best(), kTight));
  }
}

TEST_CASE("expansion moves need associative pairs and keep their bound") {
  ScoredGraph own(3, 16, 3);
  std::fill(own.states.begin(), own.states.end(), 3);
  GraphBuilder builder(own.model);
  const VariableRange all = builder.AddVariables(16, 3);
  for (int i = 0; i < 16; ++i) {
    if (i % 4 > 0) builder.AddFactor({all[i - 1], all[i]});
    if (i >= 4) builder.AddFactor({all[i - 4], all[i]});
  }
  own.graph.emplace(builder.Build());
  own.layout.emplace(*own.graph);
  own.scores.assign(own.layout->size(), 0.0);
  for (double& score : own.scores) score = own.Number();
  CHECK_THROWS_WITH_AS(Infer(*own.graph, own.scores, {.method = "expansion"}),
                       doctest::Contains("not associative"), std::runtime_error);
  for (const ScoreBlock& block : own.layout->tables()) {
    for (std::size_t s = 0; s < 9; ++s) own.scores[block.begin + s] = s % 4 == 0 ? 0.6 : 0;
  }
  const InferResult moved =
      Infer(*own.graph, own.scores, {.method = "expansion", .marginals = true});
  const InferResult exact = Infer(*own.graph, own.scores, {.method = "exact"});
  CHECK(exact.optimal);
  CheckResult(own, moved, exact.score);
}

TEST_CASE("batches give the results of single calls for every number of threads") {
  ScoredGraph own(9, 12, 3);
  for (int i = 0; i < 12; ++i) own.AddTable(i, (i + 1) % 12);
  for (int i = 0; i < 12; ++i) own.AddTable(i, (i + 5) % 12);
  own.Finish();
  std::vector<double> rows;
  for (int r = 0; r < 30; ++r) {
    for (std::size_t k = 0; k < own.scores.size(); ++k) rows.push_back(own.Number());
  }
  const std::size_t size = own.layout->size();
  for (const char* method : {"auto", "lp", "messages"}) {
    for (const int threads : {1, 2, 5}) {
      const std::vector<InferResult> results =
          InferBatch(*own.graph, rows, {.method = method, .marginals = true, .threads = threads});
      REQUIRE(results.size() == 30);
      for (std::size_t r = 0; r < 30; ++r) {
        const InferResult alone = Infer(*own.graph, std::span(rows).subspan(r * size, size),
                                        {.method = method, .marginals = true});
        CHECK(results[r].labels == alone.labels);
        CHECK(results[r].score == alone.score);
        CHECK(results[r].bound == alone.bound);
        CHECK(results[r].marginals == alone.marginals);
      }
    }
  }
  ScoredGraph other(10, 3, 2);
  other.AddTable(0, 1);
  other.Finish();
  const std::vector<GraphScores> mixed = {{*own.graph, own.scores}, {*other.graph, other.scores}};
  const std::vector<InferResult> both = InferBatch(mixed, {.threads = 2});
  CHECK(both[0].labels == Infer(*own.graph, own.scores).labels);
  CHECK(both[1].labels == Infer(*other.graph, other.scores).labels);
  CHECK(InferBatch(*own.graph, std::span<const double>()).empty());
}

TEST_CASE("the features of a labelling times the scores are its score") {
  ScoredGraph own(4, 4, 3);
  own.AddTable(0, 2);
  own.AddCounts(1);
  own.Finish();
  Inference inference(*own.graph);
  for (const Labels& y : AllLabellings(own.states)) {
    const double score = own.Score(y);
    CHECK(Near(Product(own.scores, LabellingFeatures(*own.graph, y)), score, kTight));
    CHECK(Near(inference.Score(own.scores, y), score, kTight));
  }
  CHECK_THROWS_WITH_AS(LabellingFeatures(*own.graph, {0, 0}),
                       doctest::Contains("one state per variable"), std::invalid_argument);
}

TEST_CASE("scores and methods that do not fit are reported") {
  ScoredGraph own(5, 3, 2);
  for (int i = 0; i < 3; ++i) own.AddTable(i, (i + 1) % 3);
  own.Finish();
  const auto refuses = [&](const InferOptions& options, const std::string& words) {
    CHECK_THROWS_WITH(Infer(*own.graph, own.scores, options), doctest::Contains(words.c_str()));
  };
  refuses({.method = "exakt"}, "did you mean 'exact'");
  own.scores[3] = std::nan("");
  refuses({}, "score 3 is not a number");
  own.scores[3] = kInfinity;
  refuses({}, "score 3 is not a number, or infinite");
  own.scores[3] = own.scores[2] = -kInfinity;
  refuses({}, "labelling");
  own.scores[3] = own.scores[2] = 0;
  for (double& score : own.scores) score = 1e300;
  refuses({}, "more than 1e300");
  CHECK_THROWS_WITH_AS(InferBatch(*own.graph, own.scores, {.threads = -1}),
                       doctest::Contains("threads"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(Infer(*own.graph, std::span(own.scores).first(4)),
                       doctest::Contains("needs 18 scores, not 4"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(InferBatch(*own.graph, std::span(own.scores).first(4)),
                       doctest::Contains("whole number of rows"), std::invalid_argument);
  std::vector<double> two(36, 0.0);
  two[20] = std::nan("");
  CHECK_THROWS_WITH_AS(InferBatch(*own.graph, two), doctest::Contains("row 1: score 2"),
                       std::invalid_argument);

  ScoredGraph counts(6, 20, 2);
  counts.AddTable(0, 1);
  counts.AddAtMost(3);
  counts.Finish();
  CHECK_THROWS_WITH_AS(Infer(*counts.graph, counts.scores, {.method = "exact"}),
                       doctest::Contains("no exact method"), std::runtime_error);
  CHECK_THROWS_AS(Infer(*counts.graph, counts.scores, {.method = "messages"}), std::runtime_error);
  const InferResult result = Infer(*counts.graph, counts.scores);
  CHECK(result.bound >= result.score);
}

/// A grid of tables without any scores of variables: hard for all exact methods.
std::optional<ScoredGraph> HardGrid(int side) {
  std::optional<ScoredGraph> own;
  own.emplace(9, side * side, 2);
  for (int i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) own->AddTable(i, i + 1);
    if (i + side < side * side) own->AddTable(i, i + side);
    if (i + 2 * side + 1 < side * side) own->AddTable(i, i + 2 * side + 1);
  }
  own->Finish();
  return own;
}

TEST_CASE("a time limit and a flag end calls, with labels and bounds that hold") {
  const auto own = HardGrid(14);
  const InferResult relaxed = Infer(*own->graph, own->scores, {.method = "lp"});
  std::atomic<int> flag{1};
  for (const InferOptions& options :
       {InferOptions{.method = "exact", .time_limit_seconds = 0.1},
        InferOptions{.method = "exact", .interrupt = &flag},
        InferOptions{.method = "messages", .time_limit_seconds = 1e-9},
        InferOptions{.method = "auto", .max_marginals = true, .time_limit_seconds = 1e-9}}) {
    const InferResult result = Infer(*own->graph, own->scores, options);
    CHECK_FALSE(result.optimal);
    CHECK(result.score <= relaxed.bound + kTight);
    CHECK(result.bound >= relaxed.score - kTight);
    CHECK(Near(own->Score(result.labels), result.score, kTight));
    if (!options.max_marginals) continue;
    for (const double value : result.max_marginals) CHECK(value <= result.bound + kTight);
  }
  // The limit is that of a batch, not of its rows.
  std::vector<double> rows;
  for (int row = 0; row < 50; ++row)
    rows.insert(rows.end(), own->scores.begin(), own->scores.end());
  const auto begin = std::chrono::steady_clock::now();
  const auto results =
      InferBatch(*own->graph, rows, {.method = "exact", .time_limit_seconds = 0.2});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  CHECK(results.size() == 50);
  CHECK(seconds.count() < 8);  // 50 times the limit are 10
  flag = 0;
  CHECK_THROWS_WITH_AS(Infer(*own->graph, own->scores, {.time_limit_seconds = -1}),
                       doctest::Contains("time limit"), std::invalid_argument);
}

TEST_CASE("a predictor has the methods and limits of Infer") {
  Model model;
  GraphBuilder builder(model);
  const WeightBlock unary = model.AddWeights("unary", 3, 2);
  const WeightBlock same = model.AddWeights("same");
  const auto grid = builder.AddVariables(16, 3);
  for (int i = 0; i < 16; ++i) {
    builder.AddInput(grid[i], unary, i);
    if (i % 4 < 3) builder.AddFactor({grid[i], grid[i + 1]}, Potts(3), same);
    if (i < 12) builder.AddFactor({grid[i], grid[i + 4]}, Potts(3), same);
  }
  const Graph graph = builder.Build();
  std::mt19937_64 random(4);
  const auto number = [&] { return static_cast<double>(random() % 1000) / 500 - 1; };
  Weights weights(model);
  for (double& w : weights.values()) w = number();
  Observation observation;
  for (int i = 0; i < 16; ++i) observation.inputs.Add(std::vector<double>{number(), number()});
  const Prediction exact = Predict(graph, observation, weights, {.method = "exact"});
  CHECK(exact.optimal);
  for (const std::string method : {"auto", "lp", "messages"}) {
    const Prediction found = Predict(graph, observation, weights, {.method = method});
    CHECK(found.score <= exact.score + kTight);
    CHECK(found.bound >= exact.score - kTight);
  }
  std::atomic<int> flag{1};
  const Prediction cut =
      Predict(graph, observation, weights, {.method = "messages", .interrupt = &flag});
  CHECK(cut.bound >= exact.score - kTight);
  CHECK(cut.score <= exact.score + kTight);
  CHECK_THROWS_WITH_AS(Predictor(graph, weights, {.marginals = true}),
                       doctest::Contains("options of Infer"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(Predictor(graph, weights, {.method = "exakt"}),
                       doctest::Contains("did you mean 'exact'"), std::invalid_argument);
}

}  // namespace
}  // namespace slackline
