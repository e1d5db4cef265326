// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline segment potentials, and models of class potentials.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include <slackline/apps/segmentation/segment_model.h>
#include <tests/apps/drawn_images.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("models of class potentials are trained on out-of-fold scores") {
  const Drawn& drawn = Shared();
  const Scratch scratch("potentials");
  const std::string scores = scratch.Path("scores.tsv");
  const Arguments make = {"segment",         "potentials", drawn.features, "--lambda", "30",
                          "--gap-tolerance", "0.02",       "--folds",      "3",        "-q"};
  Succeed(make + Arguments{"--out", scores});
  CHECK(Lines(OutputOf(make + Arguments{"--out", "-"})) == Lines(ReadBytes(scores)));
  const std::string model = scratch.Path("small.slk");
  Succeed(
      drawn.Train({"--model", model, "--potentials", scores, "--lambda", "0.001", "--gap-tolerance",
                   "0.02", "--check-every", "1"}));  // as in the comparison below
  const SegmentModel small = SegmentModel::Load(model);
  CHECK(small.inputs() == SegmentInputs::kPotentials);
  CHECK(std::ssize(small.weights()) == kClasses + 1);
  CHECK(small.extractor.empty());
  const Arguments evaluate = drawn.EvaluatePrepared(model, {"--potentials", scores});
  CHECK(EvaluationOf(evaluate)["pixel_accuracy"].get<double>() > 0.7);
  CHECK(Contains(OutputOf({"info", model}), "class potentials"));
  Succeed({"segment", "cv", drawn.features, "--potentials", scores, "--lambda-path", "0.1,0.01",
           "--folds", "3", "--gap-tolerance", "0.05", "--no-refit", "-q"});

  // Trains on the same problem with bench, including the test images.
  std::filesystem::create_directories(scratch.Path("data/msrc21"));
  std::filesystem::copy_file(drawn.features, scratch.Path("data/msrc21/msrc21.fea"));
  std::filesystem::copy_file(scores, scratch.Path("data/msrc21/scores.tsv"));
  const Json bench = JsonOf({"bench", scratch.Path("data"), "--problems", "msrc", "--learners",
                             "auto:gap-tolerance=0.02", "--runs", "1", "--test-metric", "-q",
                             "--out", "-"})["problems"][0];
  const Json trained = JsonOf({"info", model, "--json"});
  CHECK(bench["weights"] == kClasses + 1);
  CHECK(bench["lambda"] == 0.001);
  const Json& curve = bench["learners"][0]["runs"][0]["curve"];
  CHECK(curve["primal"].back() == trained["primal"]);
  CHECK(curve["test:pixel_accuracy"].back() == EvaluationOf(evaluate)["pixel_accuracy"]);
  CHECK(curve["test:mean_iou"].back().get<double>() > 0);
  CheckRefused(drawn, {"bench", scratch.Path("data"), "--problems", "msrc", "--scaling"},
               {"--problems", "images"});

  CheckRefused(drawn, drawn.EvaluatePrepared(model), {"--potentials", "required"});
  CheckRefused(drawn, drawn.EvaluatePrepared(drawn.model, {"--potentials", scores}),
               {"--potentials", "features"});
  CheckRefused(
      drawn, {"segment", "predict", drawn.Image(1), "--model", model, "--out", scratch.Path("out")},
      {"class potentials", "--features"});
  CheckRefused(drawn, drawn.Train({"--model", model, "--potentials", scores, "--regions", "own"}),
               {"--potentials", "--regions"});
  CheckRefused(drawn, drawn.Train({"--model", scores, "--potentials", scores}),
               {"--model", "overwritten"});
  CheckRefused(drawn, make + Arguments{"--out", drawn.features}, {"--out", "overwritten"});
  CheckRefused(drawn, {"segment", "potentials", drawn.features, "--folds", "10", "--out", "-"},
               {"--folds", "10", "9 training images"});
  std::ofstream(scratch.Path("bad.tsv")) << "image\tlayer\n";
  CheckRefused(drawn, drawn.Train({"--model", model, "--potentials", scratch.Path("bad.tsv")}),
               {"bad.tsv:1"});
}
