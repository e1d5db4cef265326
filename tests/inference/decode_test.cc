// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/decode.h>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/inference/brute_force.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// max { score | y_i = s } by enumeration.
double BestWith(const GraphPtr& graph, const std::vector<double>& scores, Index i, Index s) {
  std::vector<double> fixed = scores;
  for (Index t = 0; t < graph->cardinality(i); ++t) {
    if (t != s) fixed[graph->state_offset(i) + t] -= 1e4;
  }
  const MapResult result = Solved(*MakeBruteForceSolver(graph), fixed);
  return test::LabellingScore(*graph, scores, result.labels);
}

}  // namespace

TEST_CASE("names of the kinds of decoding are parsed and refused") {
  CHECK(ParseDecodeKind("auto") == DecodeKind::kAuto);
  CHECK(ParseDecodeKind("lp") == DecodeKind::kLp);
  CHECK_THROWS_WITH_AS(ParseDecodeKind("map"), "unknown way to decode 'map'; choose from auto, lp",
                       DataError);
}

TEST_CASE("on small graphs auto is exact") {
  Random random(81);
  for (int number = 0; number < 120; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    const MapResult best = Solved(*MakeBruteForceSolver(graph), scores);
    Decoder decoder(DecodeKind::kAuto, graph);
    const MapResult result = Decoded(decoder, scores);
    CHECK(Near(result.value, best.value, kExact));
    CHECK(result.exact);
    CHECK_FALSE(decoder.fractional());
    CHECK(decoder.num_certified() == 1);
  }
  CHECK(Decoder(DecodeKind::kAuto, FullBinary(14)).description() == "exact (branch and bound)");
  CHECK(Decoder(DecodeKind::kAuto, FullBinary(20)).description() == "exact (branch and bound)");
  CHECK(Decoder(DecodeKind::kLp, Grid(1, 3, 2)).description() ==
        "exact (max-product on a graph without cycles)");
}

TEST_CASE("LP decoding: fractional solutions are counted, bounds hold, integral ones are exact") {
  Random random(82);
  const GraphPtr graph = FullBinary(10);
  Decoder decoder(DecodeKind::kLp, graph);
  Index fractional = 0;
  Index certified = 0;
  for (int number = 0; number < 40; ++number) {
    const std::vector<double> scores = DenseBinaryScores(random, *graph, 3);
    const MapResult best = Solved(*MakeBruteForceSolver(graph), scores);
    const MapResult result = Decoded(decoder, scores);
    CHECK(decoder.fractional() == !result.integral);
    CHECK(result.upper_bound >= best.value - kTight);
    CHECK(test::LabellingScore(*graph, scores, result.labels) <= best.value + kExact);
    if (result.exact)
      CHECK(Near(test::LabellingScore(*graph, scores, result.labels), best.value, kSolver));
    fractional += decoder.fractional();
    certified += result.exact;
  }
  CHECK(decoder.num_decoded() == 40);
  CHECK(decoder.num_fractional() == fractional);
  CHECK(decoder.num_certified() == certified);
  CHECK(fractional > 0);
  CHECK(certified > 0);
}

TEST_CASE(
    "large graphs get a labelling, its value, a valid bound and a description of the method") {
  Random random(83);
  const GraphPtr graph = FullBinary(26);
  Decoder decoder(DecodeKind::kAuto, graph);
  for (const double strength : {0.3, 2.0}) {
    const std::vector<double> scores = DenseBinaryScores(random, *graph, strength);
    const MapResult result = Decoded(decoder, scores);
    CHECK(result.integral);
    CHECK(result.marginals.empty());
    CHECK(Near(result.value, test::LabellingScore(*graph, scores, result.labels), kExact));
    CHECK(result.upper_bound >= result.value);
  }
  CHECK(decoder.description().find("% certified optimal") != std::string::npos);
  CHECK(decoder.description().find("LP relaxation (roof duality)") == 0);
}

TEST_CASE("max-marginals per state agree with enumeration") {
  Random random(84);
  for (int number = 0; number < 48; ++number) {
    const GraphPtr graph = SmallGraph(random, number);
    const std::vector<double> scores = SmallScores(random, *graph, number / 12);
    std::vector<double> out(graph->variable_states());
    Decoder(DecodeKind::kAuto, graph).MaxMarginalTables(scores, out);
    for (Index i = 0; i < graph->num_variables(); ++i) {
      for (Index s = 0; s < graph->cardinality(i); ++s) {
        CHECK(Near(out[graph->state_offset(i) + s], BestWith(graph, scores, i, s), kExact));
      }
    }
  }
}

TEST_CASE(
    "differences of max-marginals: signs agree with the labels, relaxed values bound exact ones") {
  Random random(85);
  const GraphPtr graph = FullBinary(8);
  for (int number = 0; number < 10; ++number) {
    const std::vector<double> scores = DenseBinaryScores(random, *graph, 2);
    Decoder decoder(DecodeKind::kAuto, graph);
    const MapResult result = Decoded(decoder, scores);
    std::vector<double> differences(8);
    decoder.MaxMarginals(scores, differences);
    for (Index i = 0; i < 8; ++i) {
      CHECK(Near(differences[i], BestWith(graph, scores, i, 1) - BestWith(graph, scores, i, 0),
                 kExact));
      CHECK((differences[i] > 0) == (result.labels[i] == 1));
    }
    std::vector<double> relaxed(16);
    Decoder(DecodeKind::kLp, graph).MaxMarginalTables(scores, relaxed);
    for (Index i = 0; i < 8; ++i) {
      for (Index s = 0; s < 2; ++s)
        CHECK(relaxed[2 * i + s] >= BestWith(graph, scores, i, s) - kTight);
    }
  }
  std::vector<double> differences(3);
  CHECK_THROWS_AS(
      Decoder(DecodeKind::kAuto, Cycle(3, 3)).MaxMarginals(std::vector<double>(36), differences),
      std::invalid_argument);
}

TEST_CASE("relaxed max-marginals of the frustrated triangle are right") {
  const GraphPtr graph = Cycle(3, 2);
  std::vector<double> scores(graph->total_states(), 0.0);
  for (Index c = 0; c < 3; ++c)
    scores[graph->factor_offset(c) + 1] = scores[graph->factor_offset(c) + 2] = 1;
  scores[1] = 0.25;
  // With y_0 fixed the two other variables are at ½, and the three pairs contribute ½ + ½ + 1.
  std::vector<double> out(6);
  Decoder decoder(DecodeKind::kLp, graph);
  decoder.MaxMarginalTables(scores, out);
  CHECK(Near(out[0], 2, kTight));
  CHECK(Near(out[1], 2.25, kTight));
  std::vector<double> differences(3);
  decoder.MaxMarginals(scores, differences);
  CHECK(Near(differences[0], 0.25, kTight));
}
