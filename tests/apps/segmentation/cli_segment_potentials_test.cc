// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline segment potentials, and models of class potentials.
#include <doctest/doctest.h>

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
  Succeed(drawn.Train(
      {"--model", model, "--potentials", scores, "--lambda", "0.001", "--gap-tolerance", "0.02"}));
  const SegmentModel small = SegmentModel::Load(model);
  CHECK(small.inputs() == SegmentInputs::kPotentials);
  CHECK(std::ssize(small.weights()) == kClasses + 1);
  CHECK(small.extractor.empty());
  const Arguments evaluate = drawn.EvaluatePrepared(model, {"--potentials", scores});
  CHECK(EvaluationOf(evaluate)["pixel_accuracy"].get<double>() > 0.7);
  CHECK(Contains(OutputOf({"info", model}), "class potentials"));
  Succeed({"segment", "cv", drawn.features, "--potentials", scores, "--lambda-path", "0.1,0.01",
           "--folds", "3", "--gap-tolerance", "0.05", "--no-refit", "-q"});

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
