// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/loop_state.h>

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <tests/support/states.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// The record that Load reads from a saved state with these bounds.
ProgressRecord Reloaded(double primal, double dual) {
  LoopState state;
  state.record.pass = 1;
  state.record.primal = primal;
  state.record.dual = dual;
  state.weights = {0.5};
  LoopState loaded;
  LoadAll(StateOf(state), loaded);
  return loaded.record;
}

}  // namespace

TEST_CASE("a lower bound up to the primal is read") {
  for (const double dual : {0.0, std::nextafter(2.0, 0.0), 2.0})
    CHECK(Reloaded(2, dual).dual == dual);
  CHECK(std::isnan(Reloaded(2, std::nan("")).dual));
}

TEST_CASE("a lower bound above the primal is refused") {
  for (const double dual : {std::nextafter(2.0, 3.0), 3.0}) {
    CAPTURE(dual);
    CHECK_THROWS_WITH_AS(Reloaded(2, dual), doctest::Contains("the bounds contradict each other"),
                         DataError);
  }
}

TEST_CASE("a primal that is not finite is refused") {
  CHECK_THROWS_AS(Reloaded(std::nan(""), 0), DataError);
  CHECK_THROWS_AS(Reloaded(std::numeric_limits<double>::infinity(), 0), DataError);
}
