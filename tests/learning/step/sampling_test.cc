// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/sampling.h>
#include <tests/support/states.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include <doctest/doctest.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kSize = 50;
const StopControl kNoStop(nullptr, 0);

TrainOptions Ordered(OrderKind order) {
  TrainOptions options;
  options.order = order;
  options.seed = 7;
  return options;
}

std::vector<Index> Pass(ExampleVisits* visits) {
  std::vector<Index> seen;
  visits->Pass(kNoStop, [&](Index m) { seen.push_back(m); });
  return seen;
}

}  // namespace

TEST_CASE("a pass visits every example once, in another order each time") {
  ExampleVisits visits(Ordered(OrderKind::kExample), kSize);
  const std::vector<Index> first = Pass(&visits);
  std::vector<Index> second = Pass(&visits);
  CHECK(first != second);
  std::sort(second.begin(), second.end());
  for (Index m = 0; m < kSize; ++m) CHECK(second[m] == m);
}

TEST_CASE("a uniform pass draws with replacement") {
  ExampleVisits visits(Ordered(OrderKind::kUniform), kSize);
  std::vector<Index> seen = Pass(&visits);
  CHECK(seen.size() == kSize);
  std::sort(seen.begin(), seen.end());
  CHECK(seen.front() >= 0);
  CHECK(seen.back() < kSize);
  CHECK(std::adjacent_find(seen.begin(), seen.end()) != seen.end());
}

TEST_CASE("a pass ends after the visit during which it is stopped") {
  const std::atomic<int> interrupt{1};
  const StopControl stop(&interrupt, 0);
  ExampleVisits visits(Ordered(OrderKind::kExample), kSize);
  int count = 0;
  visits.Pass(stop, [&](Index) { ++count; });
  CHECK(count == 1);
}

TEST_CASE("saved visits continue like uninterrupted ones") {
  for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform}) {
    ExampleVisits visits(Ordered(order), kSize);
    Pass(&visits);
    StateWriter writer;
    SaveState(visits, &writer);
    ExampleVisits loaded(Ordered(order), kSize);
    StateReader reader(writer.bytes());
    LoadState(loaded, &reader);
    reader.Finish();
    CHECK(Pass(&loaded) == Pass(&visits));
  }
}
