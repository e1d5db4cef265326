// SPDX-License-Identifier: BSD-3-Clause
//
// Only in ./run test --all: a product of learners and options.
//
// Every learner and option of the training command for segmentation models.
#include <doctest/doctest.h>

#include <tests/apps/drawn_images.h>
#include <tests/apps/support_walk.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("segment train: every learner agrees with all others or is refused") {
  const TemporaryFolder folder;
  const std::string drawn = folder.Path("drawn");
  Succeed({"segment", "draw", "--out", drawn, "--images", "4", "--classes", "2", "--size", "48x36",
           "-q"});
  Succeed({"segment", "prepare", "--images", drawn + "/images", "--labels", drawn + "/labels",
           "--classes", drawn + "/classes.txt", "--train", drawn + "/train.txt", "--superpixels",
           "12", "--coarse", "4", "--features", "small", "--out", folder.Path("few.fea"), "-q"});
  const WalkCounts counts = WalkCommand(
      {"segment", "train", folder.Path("few.fea"), "--lambda", "3"}, 3, nullptr, nullptr);
  CHECK(counts.trained > 25);
  CHECK(counts.refused > 5);
}
