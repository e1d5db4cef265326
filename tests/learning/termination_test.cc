// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/termination.h>

#include <cmath>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/option_text.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

ProgressRecord Record(double primal, double gap) {
  return {.pass = 7,
          .primal = primal,
          .dual = primal - gap,
          .gap = gap,
          .soft_primal = 2 * primal,
          .soft_gap = 10 * gap};
}

TrainOptions Tolerances(double relative, double absolute) {
  return {.gap_tolerance = relative, .absolute_gap = absolute, .max_passes = 100};
}

/// What ends the run; nothing: it goes on.
std::optional<Termination> ReasonOf(const TrainOptions& options, const ProgressRecord& record,
                                    bool interrupted = false) {
  const auto stop = DecideStop(options, StoppingGap::kCertified, record, interrupted);
  return stop ? std::optional(stop->reason) : std::nullopt;
}

}  // namespace

TEST_CASE("gaps up to the relative tolerance times the primal, or the absolute one, end the run") {
  CHECK(ReasonOf(Tolerances(1e-3, 0), Record(5, 0.00501)) == std::nullopt);
  CHECK(ReasonOf(Tolerances(1e-3, 0), Record(5, 0.00499)) == Termination::kConverged);
  CHECK(DecideStop(Tolerances(1e-3, 0), StoppingGap::kCertified, Record(5, 0.00499), false)
            ->message == "certified relative gap 0.000998 <= 0.001");
  CHECK(ReasonOf(Tolerances(0, 0.01), Record(5, 0.0101)) == std::nullopt);
  CHECK(ReasonOf(Tolerances(0, 0.01), Record(5, 0.0099)) == Termination::kConverged);
  // Equal to the tolerance; tolerances of zero; no gap.
  CHECK(ReasonOf(Tolerances(0.25, 0), Record(4, 1)) == Termination::kConverged);
  CHECK(ReasonOf(Tolerances(0, 0.5), Record(4, 0.5)) == Termination::kConverged);
  CHECK(ReasonOf(Tolerances(0, 0), Record(5, 0)) == std::nullopt);
  CHECK(ReasonOf(Tolerances(1e-3, 1e-3), Record(5, kNone)) == std::nullopt);
}

TEST_CASE("soft learners stop on their soft gap") {
  // Soft gap 10·gap over soft primal 2·primal: five times the certified relative gap.
  const TrainOptions options = Tolerances(1e-3, 0);
  CHECK_FALSE(DecideStop(options, StoppingGap::kSoft, Record(5, 0.00101), false).has_value());
  const auto stop = DecideStop(options, StoppingGap::kSoft, Record(5, 0.00099), false);
  REQUIRE(stop.has_value());
  CHECK(stop->message.find("soft relative gap") == 0);
}

TEST_CASE("the pass limit is inclusive, and the time limit counts passes and checks") {
  TrainOptions options = With(Tolerances(1e-3, 0), "--max-passes 8");
  CHECK(ReasonOf(options, Record(5, 1)) == std::nullopt);
  options.max_passes = 7;
  CHECK(ReasonOf(options, Record(5, 1)) == Termination::kMaxPasses);
  Set(&options, "--max-passes 100 --time-limit 2");
  ProgressRecord record = Record(5, 1);
  record.seconds = 1.5;
  record.check_seconds = 0.4;
  CHECK(ReasonOf(options, record) == std::nullopt);
  record.check_seconds = 0.6;
  CHECK(ReasonOf(options, record) == Termination::kTimeLimit);
}

TEST_CASE("messages give the figures behind the reason") {
  TrainOptions options = Tolerances(1e-3, 0);
  options.time_limit_seconds = 2;
  ProgressRecord record = Record(5, 1);
  const std::string gap = "certified relative gap 0.2, wanted 0.001";
  CHECK(DecideStop(options, StoppingGap::kCertified, record, true)->message == gap);
  record.seconds = 2.5;
  CHECK(DecideStop(options, StoppingGap::kCertified, record, false)->message ==
        "2.5 s of at most 2 s, " + gap);
  options.time_limit_seconds = 0;
  options.max_passes = 7;
  CHECK(DecideStop(options, StoppingGap::kCertified, record, false)->message ==
        "7 passes of at most 7, " + gap);
}

TEST_CASE("a reached gap takes precedence over an interrupt, and an interrupt over limits") {
  const TrainOptions options = With(Tolerances(1e-3, 0), "--max-passes 1");
  CHECK(ReasonOf(options, Record(5, 0.001), true) == Termination::kConverged);
  CHECK(ReasonOf(options, Record(5, 1), true) == Termination::kInterrupted);
}

TEST_CASE("checks become less frequent during a run") {
  CHECK(NextCheck(0, 0, false) == 1);
  CHECK(NextCheck(1, 0, false) == 2);
  CHECK(NextCheck(9, 0, false) == 10);
  CHECK(NextCheck(10, 0, false) == 12);
  CHECK(NextCheck(100, 0, false) == 120);
  CHECK(NextCheck(100, 0, true) == 150);
  CHECK(NextCheck(0, 0, true) == 2);
  CHECK(NextCheck(100, 7, true) == 107);
}

namespace {

/// The pass of a check at which a run with these gaps has stalled; 0: never. Checks come every
/// fifth of the passes.
Index StallsAt(const TrainOptions& options, bool steady, double (*gap_after)(Index), Index most) {
  StallWatch watch;
  for (Index pass = 1; pass < most; pass = NextCheck(pass, 0, false)) {
    ProgressRecord record = Record(1, gap_after(pass));
    record.pass = pass;
    const auto stall =
        DecideStall(options, StoppingGap::kCertified, record, steady, "do this", &watch);
    if (!stall) continue;
    CHECK(stall->reason == Termination::kStalled);
    CHECK(stall->message.find("wanted 0.001; do this") != std::string::npos);
    return pass;
  }
  return 0;
}

}  // namespace

TEST_CASE("a run whose gap stays as it is has stalled, in as many more passes as bounds need") {
  const TrainOptions options = Tolerances(1e-3, 0);
  const auto stays = [](Index pass) { return pass < 300 ? 1.0 / pass : 1.0 / 300; };
  const Index steady = StallsAt(options, true, stays, 100000);
  CHECK(steady > 600);
  CHECK(steady <= 2400);
  const Index other = StallsAt(options, false, stays, 1000000);
  CHECK(other > 3000);
  CHECK(StallsAt(Tolerances(0, 0), true, stays, 100000) == 0);
  // As slow as the square root of the logarithm, but not still.
  CHECK(StallsAt(
            options, true, [](Index pass) { return 1 / std::log2(2.0 + pass); }, 100000) == 0);
  // A plateau from 400 to 3000 passes does not end a learner whose bounds may stand still.
  CHECK(StallsAt(
            options, false,
            [](Index pass) {
              return pass < 400 ? 1.0 / pass : pass < 3000 ? 1.0 / 400 : 1.0 / pass;
            },
            20000) == 0);
}
