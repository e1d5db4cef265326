// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/penalty_control.h>

#include <doctest/doctest.h>

using namespace slackline::internal;

namespace {

/// A check at which P − A = steps and A − D = constraints.
PenaltyControl::Observation Observed(Index pass, double steps, double constraints) {
  return {pass, 10 + steps, 10, 10 - constraints, steps + constraints};
}

}  // namespace

TEST_CASE("rho grows where block steps lag, and falls where constraints lag") {
  PenaltyControl lagging({1, 1, 1}, true, 1);
  lagging.Observe(Observed(5, 4, 1));
  CHECK(lagging.settings().rho == doctest::Approx(2));
  PenaltyControl violated({1, 1, 1}, true, 1);
  violated.Observe(Observed(5, 1, 4));
  CHECK(violated.settings().rho == doctest::Approx(0.5));
}

TEST_CASE("one change of rho is bounded") {
  PenaltyControl control({1, 1, 1}, true, 1);
  control.Observe(Observed(5, 1e6, 1));
  CHECK(control.settings().rho == doctest::Approx(PenaltyControl::kLargestFactor));
  PenaltyControl down({1, 1, 1}, true, 1);
  down.Observe(Observed(5, 1, 1e6));
  CHECK(down.settings().rho == doctest::Approx(1 / PenaltyControl::kLargestFactor));
}

TEST_CASE("rho is balanced within the range of its scale") {
  PenaltyControl control({1, 1, 1}, true, 2);
  for (Index pass = 3; pass < 100000; pass *= 2) control.Observe(Observed(pass, 1e6 / pass, 0));
  CHECK(control.settings().rho == PenaltyControl::kHighest * 2);
}

TEST_CASE("balanced gaps do not change rho") {
  PenaltyControl control({1, 1, 1}, true, 1);
  control.Observe(Observed(5, 1.9, 1));
  CHECK(control.settings().rho == 1);
}

TEST_CASE("frequent checks do not change rho more often") {
  PenaltyControl control({1, 1, 1}, true, 1);
  for (Index pass = 60; pass < 70; ++pass) control.Observe(Observed(pass, 4, 1));
  CHECK(control.settings().rho == doctest::Approx(2));
  control.Observe(Observed(70, 4, 1));
  CHECK(control.settings().rho == doctest::Approx(4));
}

TEST_CASE("a given rho is kept while the gap falls") {
  PenaltyControl control({7, 1, 1}, false, 1);
  double gap = 1;
  for (Index pass = 1; pass < 2000; pass = pass * 6 / 5 + 1) {
    gap *= 0.7;
    CHECK(control.Observe(Observed(pass, gap, gap / 10)).empty());
  }
  CHECK(control.settings().rho == 7);
  CHECK(control.settings().visits_per_update == 1);
}

TEST_CASE("a stalled gap leads to more visits per update") {
  PenaltyControl control({1, 1, 1}, false, 1);
  std::string note;
  for (Index pass = 1; pass <= 50 && note.empty(); ++pass)
    note = control.Observe(Observed(pass, 1, 0.1));
  CHECK(note.find("safeguard at pass 40") == 0);
  CHECK(control.settings().visits_per_update == 3);
}

TEST_CASE("a stalled gap of constraints lengthens short multiplier steps") {
  PenaltyControl control({1, 0.01, 1}, false, 1);
  for (Index pass = 1; pass <= 50; ++pass) control.Observe(Observed(pass, 0.1, 1));
  CHECK(control.settings().tau == doctest::Approx(0.03));
  CHECK(control.settings().visits_per_update == 1);
}

TEST_CASE("rho is changed a finite number of times") {
  PenaltyControl control({1, 1, 1}, true, 1);
  double last = 1;
  int changes = 0;
  Index pass = 3;
  for (Index k = 0; k < 90; ++k, pass += pass / 5 + 1) {
    control.Observe(Observed(pass, k % 2 == 0 ? 9 : 1, k % 2 == 0 ? 1 : 9));
    if (control.settings().rho != last) ++changes;
    last = control.settings().rho;
  }
  CHECK(changes == PenaltyControl::kMaxChanges);
}
