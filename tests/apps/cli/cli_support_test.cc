// SPDX-License-Identifier: BSD-3-Clause
//
// Only in ./run test --all: a product of tasks, learners and options.
//
// Every learner and option of the training commands for multi-label models, sequences and
// matchings, on small, unpleasant files. For segmentation see cli_segment_support_test.cc.
#include <doctest/doctest.h>

#include <slackline/apps/matching/matching_model.h>
#include <slackline/apps/multiclass/multiclass_task.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/label_graph.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/apps/sequence/sequence_input.h>
#include <tests/apps/multilabel/read_options.h>
#include <tests/apps/support_walk.h>
#include <tests/support/sanitized.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainingSet MultiLabelTraining(const std::string& path, bool kernelized) {
  const MultiLabelData data = ReadMultiLabelData(path, LibsvmOptions(3, false));
  const MultiLabelModel model(data.label_names, data.num_features, false,
                              MakeLabelGraph("full", data), kernelized);
  return MakeTrainingSet(model.MakeDataset(data), {});
}

}  // namespace

TEST_CASE("multilabel train: every learner brackets the optimum or is refused") {
  const TemporaryFolder folder;
  // An empty label set, a contradiction, a duplicate, features from 1e-3 to 1e3, a constant
  // feature.
  const std::string files[] = {
      folder.Write("a", "0,1 1:1 2:0.5\n 1:-1 2:0.5\n0 1:1 2:0.5\n0 1:1 2:0.5\n1,2 1:0.3 2:0.5\n"),
      folder.Write("b", "0 1:1e-3 2:1\n1 1:2 2:1000\n0,1,2 2:3\n"), folder.Write("c", "0,2 1:0\n")};
  for (const std::string& file : files) {
    if (kSanitized && &file != files) continue;
    CAPTURE(file);
    const TrainingSet plain = MultiLabelTraining(file, false);
    const TrainingSet kernelized = MultiLabelTraining(file, true);
    const WalkCounts counts = WalkCommand({"multilabel", "train", file, "--num-labels", "3",
                                           "--bias", "0", "--scale", "none", "--lambda", "0.05"},
                                          0.05, &plain, &kernelized);
    CHECK(counts.trained > 40);
    CHECK(counts.refused > 5);
  }
}

TEST_CASE("sequence train: every learner brackets the optimum or is refused") {
  const TemporaryFolder folder;
  const std::string file =
      folder.Write("t", "a x B-N\nb y I-N\nc x O\n\nb y O\na x B-N\n\na x O\n");
  const std::string templates = folder.Write("templates", "U:%x[0,0]\n");
  SequenceReadOptions read;
  read.templates = templates;
  read.features = {1, 0};
  const SequenceInput input = ReadTrainingSequences(file, read);
  for (const bool bio : {false, true}) {
    CAPTURE(bio);
    const SequenceModel model = MakeSequenceModel(
        input, LearnerKind::kAuto, bio ? LabelConstraints::kBio : LabelConstraints::kAny);
    const TrainingSet training =
        MakeTrainingSet(model.MakeDataset(input.data, input.sequences), {});
    Words train = {"sequence", "train",   file,   "--template", templates, "--min-count",
                   "1",        "--scale", "none", "--lambda",   "0.1"};
    if (bio) train = train + Words{"--constraints", "bio"};
    const WalkCounts counts = WalkCommand(train, 0.1, &training, &training);
    CHECK(counts.trained > 30);
    CHECK(counts.refused > 5);
  }
}

TEST_CASE("multiclass train: every learner brackets the optimum or is refused") {
  const TemporaryFolder folder;
  const std::string file = folder.Write("d.svm", "a 1:1\nb 1:-1 2:3\na 2:1\nc 1:2 2:-1\n");
  const std::string costs = folder.Write("costs.csv", "-,a,b,c\na,0,2,0\nb,0.5,0,1\nc,1,3,0\n");
  TaskOptions options(MulticlassTask::Options());
  options.Set("bias", "0");  // which kernels treat in another way
  options.Set("costs", costs);
  auto [data, model] = MulticlassTask::Load({file, options});
  const TrainingSet set = MulticlassTask::MakeTraining(model, data, options, nullptr);
  const WalkCounts counts = WalkCommand({"multiclass", "train", file, "--costs", costs, "--bias",
                                         "0", "--scale", "none", "--lambda", "0.1"},
                                        0.1, &set, &set);
  CHECK(counts.trained > 30);
  CHECK(counts.refused >= 5);
}

TEST_CASE("matching train: every learner brackets the optimum or is refused") {
  const TemporaryFolder folder;
  // Files on which slack rescaling and smoothing must not use labellings that are not matchings.
  const std::string files[] = {
      folder.Write("min.txt", "1 2\n0 0 0\n0 1 0\n"),
      folder.Write("two.txt",
                   "2 2\n0 0 1 a:1 b:1e-3\n0 1 0 a:1000\n1 0 0 b:2\n1 1 1 a:-1\n\n"
                   "1 2\n0 0 0 a:1\n0 1 1 a:1\n\n1 1\n0 0 ? a:1\n")};
  for (const std::string& file : files) {
    for (const double lambda : {100.0, 0.05}) {
      if (kSanitized && lambda > 1) continue;
      CAPTURE(file);
      CAPTURE(lambda);
      FeatureDictionary dictionary;
      const MatchingData data = ReadMatchings(file, nullptr, &dictionary);
      const MatchingModel model(std::move(dictionary), {1, 1}, {1, 3});
      const TrainingSet training =
          MakeTrainingSet(model.MakeTrainingData(data), model.Loss(LossScale::kCount));
      const WalkCounts counts = WalkCommand(
          {"matching", "train", file, "--scale", "none", "--lambda", lambda > 1 ? "100" : "0.05"},
          lambda, &training, nullptr);
      CHECK(counts.trained > 20);
      CHECK(counts.refused > 20);
    }
  }
}

TEST_CASE(
    "a kernel keeps short inputs beside long ones, and what it certifies is verified on the "
    "kernel") {
  const TemporaryFolder folder;
  const std::string file = folder.Write("k.svm", "0 1:1\n 1:-1\n0 1:2\n 1:-2\n0 1:3000\n");
  for (const char* learner : {"auto", "al", "kernel-bcfw"}) {
    CAPTURE(learner);
    const std::string log = folder.Path("run.jsonl");
    const Outcome outcome =
        Succeed({"multilabel", "train", file, "--num-labels", "1", "--scale", "none", "--lambda",
                 "0.01", "--kernel", "polynomial", "--learner", learner, "--verify", "--log", log,
                 "--model", folder.Path("m.slk")});
    CHECK(outcome.err.find("the certificate holds") != std::string::npos);
    const nlohmann::json end = nlohmann::json::parse(Lines(ReadBytes(log)).back());
    // λ/2 ‖w‖² with w·Φ(x) = x/2 …: the optimum is 0.00125.
    CHECK(end["dual"].get<double>() <= 0.00125 * (1 + kSolver));
    CHECK(end["primal"].get<double>() >= 0.00125 * (1 - kSolver));
    CHECK(end["primal"].get<double>() <= 0.00126);
  }
}
