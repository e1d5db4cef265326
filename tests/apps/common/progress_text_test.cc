// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/progress_text.h>

#include <stdexcept>

#include <doctest/doctest.h>

using namespace slackline::internal;

TEST_CASE("times are seconds up to two minutes, then minutes") {
  CHECK(TimeText(0) == "0 s");
  CHECK(TimeText(119.4) == "119 s");
  CHECK(TimeText(119.6) == "2:00 min");
  CHECK(TimeText(130) == "2:10 min");
  CHECK(TimeText(3605) == "60:05 min");
}

TEST_CASE("the time left follows from the images done, and is unknown for the first") {
  CHECK(ProgressText("features", 1, 591, 3) == "features: image 1 of 591");
  CHECK(ProgressText("features", 34, 591, 8) == "features: image 34 of 591, about 2:11 min left");
  CHECK(ProgressText("checking", 2, 4, 30) == "checking: image 2 of 4, about 30 s left");
  CHECK(ProgressText("checking", 4, 4, 30) == "checking: image 4 of 4");
  CHECK_THROWS_AS(ProgressText("checking", 0, 4, 30), std::invalid_argument);
}

TEST_CASE("a stage is announced once") {
  StageClock clock;
  clock.Begin("words");
  while (clock.Seconds() == 0) {
  }
  const double before = clock.Seconds();
  clock.Begin("words");
  CHECK(clock.Seconds() >= before);
}
