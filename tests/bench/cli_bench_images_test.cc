// SPDX-License-Identifier: BSD-3-Clause
//
// Only in ./run test --all: the problem `msrc` of slackline-bench.
#include <filesystem>

#include <doctest/doctest.h>

#include <slackline/apps/segmentation/segment_model.h>
#include <tests/apps/drawn_images.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("images are the problem of segment train, with the figures of segment evaluate") {
  const Drawn& drawn = Shared();
  const Scratch scratch("bench");
  std::filesystem::create_directories(scratch.Path("data/msrc21"));
  const std::string scores = scratch.Path("data/msrc21/scores.tsv");
  Succeed({"segment", "potentials", drawn.features, "--lambda", "30", "--gap-tolerance", "0.02",
           "--folds", "3", "-q", "--out", scores});
  std::filesystem::copy_file(drawn.features, scratch.Path("data/msrc21/msrc21.fea"));
  const std::string model = scratch.Path("small.slk");
  Succeed(drawn.Train({"--model", model, "--potentials", scores, "--lambda", "0.001",
                       "--gap-tolerance", "0.02", "--check-every", "1"}));
  const Json result = JsonOf({kBenchProgram, scratch.Path("data"), "--problems", "msrc",
                              "--learners", "auto", "--gap-tolerance", "0.02", "--runs", "1",
                              "--test-metric", "-q", "--out", "-"})["problems"][0];
  CHECK(result["weights"] == kClasses + 1);
  CHECK(result["lambda"] == 0.001);
  const Json& curve = result["learners"][0]["runs"][0]["curve"];
  CHECK(curve["primal"].back() == JsonOf({"info", model, "--json"})["primal"]);
  const Arguments evaluate = drawn.EvaluatePrepared(model, {"--potentials", scores});
  CHECK(curve["test:pixel_accuracy"].back() == EvaluationOf(evaluate)["pixel_accuracy"]);
  CHECK(curve["test:mean_iou"].back().get<double>() > 0);
}
