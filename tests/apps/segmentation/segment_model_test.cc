// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/segment_model.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <doctest/doctest.h>

#include <slackline/apps/segmentation/segment_metrics.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/graph_topology.h>
#include <slackline/core/random.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/glpk_lp.h>
#include <slackline/inference/tree_dp.h>
#include <slackline/learning/train_loop.h>

#include "tests/core/temporary_folder.h"
#include "tests/support/dealt.h"
#include "tests/support/dense_qp.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Images {
  std::vector<SegmentExample> examples;
  std::shared_ptr<FeatureRows> rows = std::make_shared<FeatureRows>();
};

SegmentGraph RandomGraph(Random& random, Index fine, Index coarse) {
  SegmentGraph graph;
  graph.num_fine = fine;
  graph.num_coarse = coarse;
  for (Index i = 0; i < fine; ++i) graph.parent.push_back(static_cast<Index>(random.Below(coarse)));
  for (Index i = 0; i < fine; ++i) {
    for (Index j = i + 1; j < fine; ++j) {
      if (random.Below(2) == 0)
        graph.neighbours.push_back({i, j, static_cast<float>(40 * random.Uniform())});
    }
  }
  return graph;
}

void AddImage(Random& random, const SegmentModel& model, Index fine, Index coarse, Images* images) {
  SegmentExample example;
  example.graph = RandomGraph(random, fine, coarse);
  example.first_row = images->rows->size();
  const Index k = model.num_classes();
  const auto pixels = [&](Index count, std::vector<std::int64_t>* out) {
    for (Index i = 0; i < count; ++i) {
      const bool blank = random.Below(5) == 0;  // void
      for (Index c = 0; c < k; ++c)
        out->push_back(blank ? 0 : static_cast<std::int64_t>(random.Below(4)));
    }
  };
  pixels(fine, &example.fine_pixels);
  pixels(coarse, &example.coarse_pixels);
  const Index superpixels = fine + (model.has_coarse() ? coarse : 0);
  if (model.inputs() == SegmentInputs::kPotentials) {
    for (Index p = 0; p < superpixels * k; ++p) example.potentials.push_back(random.Normal());
    images->examples.push_back(std::move(example));
    return;
  }
  std::vector<double> features(model.file_dimension());
  std::vector<double> row(model.num_columns());
  for (Index i = 0; i < superpixels; ++i) {
    for (double& value : features) value = random.Normal();
    model.SelectFeatures(features, row);
    images->rows->AddDense(row);
  }
  images->examples.push_back(std::move(example));
}

SegmentModel Model(Index classes, SegmentLayers layers, SegmentPairwise pairwise,
                   SegmentInputs inputs = SegmentInputs::kFeatures) {
  std::vector<std::string> names;
  for (Index c = 0; c < classes; ++c) names.push_back("class " + std::to_string(c));
  if (inputs == SegmentInputs::kPotentials)
    return SegmentModel::OfPotentials(names, layers, pairwise);
  return SegmentModel(names, 3, {{0, 1}, {2, 1}}, layers, pairwise);
}

void RandomWeights(Random& random, SegmentModel* model, bool whole) {
  std::vector<double> weights = model->weights();
  for (double& w : weights) w = whole ? static_cast<double>(random.Below(5)) - 2 : random.Normal();
  model->set_weights(weights);
}

/// The score of a labelling of all superpixels by the definition of the model.
double Score(const SegmentModel& model, const SegmentExample& example, const FeatureRows& rows,
             std::span<const Index> fine, std::span<const Index> coarse) {
  const Index k = model.num_classes();
  const auto weight = [&](std::string_view block, Index row, Index column) {
    const WeightLayout& layout = *model.layout();
    for (Index b = 0; b < layout.num_blocks(); ++b) {
      if (layout.block(b).name == block)
        return model.weights()[layout.block(b).offset +
                               static_cast<Offset>(column) * layout.block(b).rows + row];
    }
    FAIL("no such block");
    return 0.0;
  };
  double score = 0;
  const auto unary = [&](std::string_view block, Index row, Index label) {
    if (model.inputs() == SegmentInputs::kPotentials) {
      score += example.potentials[row * k + label] * weight("class", label, 0);
      return;
    }
    const FeatureRow x = rows.row(example.first_row + row);
    for (Index f = 0; f < x.count; ++f) score += x.values[f] * weight(block, label, f);
  };
  for (Index i = 0; i < example.graph.num_fine; ++i) unary("fine", i, fine[i]);
  if (model.has_coarse()) {
    for (Index j = 0; j < example.graph.num_coarse; ++j)
      unary("coarse", example.graph.num_fine + j, coarse[j]);
    for (Index i = 0; i < example.graph.num_fine; ++i) {
      const Index a = fine[i];
      const Index b = coarse[example.graph.parent[i]];
      if (model.pairwise() == SegmentPairwise::kTable) score += weight("link", a * k + b, 0);
      if (model.pairwise() == SegmentPairwise::kPotts && a != b) score += weight("link", 0, 0);
      if (model.pairwise() == SegmentPairwise::kAgreement && a == b) score += weight("link", a, 0);
    }
  }
  if (model.layers() == SegmentLayers::kNeighbours) {
    for (const SegmentGraph::Border& border : example.graph.neighbours) {
      Index bin = 0;
      while (bin + 1 < kContrastBins && !(border.contrast < kContrastEnds[bin])) ++bin;
      if (fine[border.first] != fine[border.second]) score += weight("neighbours", bin, 0);
    }
  }
  return score;
}

constexpr SegmentLayers kLayers[] = {SegmentLayers::kTwo, SegmentLayers::kFine,
                                     SegmentLayers::kNeighbours};
constexpr SegmentPairwise kPairwise[] = {SegmentPairwise::kPotts, SegmentPairwise::kTable,
                                         SegmentPairwise::kAgreement};
constexpr SegmentInputs kInputs[] = {SegmentInputs::kFeatures, SegmentInputs::kPotentials};

}  // namespace

TEST_CASE("a prediction has the best score of all labellings, written out from the definition") {
  Random random(81);
  int proven = 0;
  int total = 0;
  for (const SegmentLayers layers : kLayers) {
    for (const SegmentPairwise pairwise : kPairwise) {
      for (int trial = 0; trial < 12; ++trial) {
        const auto classes = static_cast<Index>(2 + random.Below(2));
        SegmentModel model = Model(classes, layers, pairwise, kInputs[trial / 3 % 2]);
        RandomWeights(random, &model, trial % 3 == 0);  // whole numbers: ties
        Images images;
        const auto fine = static_cast<Index>(1 + random.Below(4));
        const auto coarse = static_cast<Index>(1 + random.Below(std::min<Index>(fine, 2)));
        AddImage(random, model, fine, coarse, &images);
        const SegmentExample& example = images.examples[0];
        const SegmentPrediction prediction =
            PredictSegments(model, example, images.rows, DecodeKind::kAuto);
        double best = -std::numeric_limits<double>::infinity();
        double best_of_prediction = best;
        std::vector<Index> labels(fine + coarse, 0);
        bool more = true;
        while (more) {
          const std::span<const Index> all(labels);
          const double score =
              Score(model, example, *images.rows, all.first(fine), all.subspan(fine));
          best = std::max(best, score);
          if (std::equal(prediction.fine.begin(), prediction.fine.end(), labels.begin()))
            best_of_prediction = std::max(best_of_prediction, score);
          more = false;
          for (Index& label : labels) {
            if (++label < classes) {
              more = true;
              break;
            }
            label = 0;
          }
        }
        ++total;
        proven += prediction.certified() ? 1 : 0;
        CHECK(prediction.upper_bound >= best - 1e-9);
        if (layers != SegmentLayers::kNeighbours) CHECK(prediction.certified());
        if (prediction.certified()) CHECK(Near(best_of_prediction, best, kTight));
      }
    }
  }
  CHECK(proven >= total * 9 / 10);
}

TEST_CASE("on stars the oracles agree: dynamic programming, enumeration, and the linear program") {
  Random random(82);
  for (int trial = 0; trial < 40; ++trial) {
    SegmentModel model = Model(static_cast<Index>(2 + random.Below(3)), SegmentLayers::kTwo,
                               kPairwise[trial % 2], kInputs[trial / 4 % 2]);
    RandomWeights(random, &model, trial % 4 == 0);
    Images images;
    AddImage(random, model, static_cast<Index>(1 + random.Below(5)),
             static_cast<Index>(1 + random.Below(2)), &images);
    const TrainingSet training =
        MakeSegmentTraining(model, images.examples, images.rows, SegmentLoss::kPixels);
    if (training.data.size() == 0) continue;
    const ExampleView example = training.data.example(0);
    REQUIRE(IsForest(example.graph()));
    std::vector<double> scores(example.graph().total_states());
    ScoreTables(example, model.weights(), scores);
    for (std::size_t s = 0; s < training.loss(0).size(); ++s) scores[s] += training.loss(0)[s];
    const auto& graph = example.structure().shared_graph();
    MapResult tree, brute, lp;
    TreeSolver(graph).Solve(scores, nullptr, &tree);
    MakeBruteForceSolver(graph)->Solve(scores, nullptr, &brute);
    CHECK(Near(tree.value, brute.value, kTight));
    if (!HasGlpk()) continue;
    MakeMapSolver(SolverKind::kLp, graph)->Solve(scores, nullptr, &lp);
    CHECK(Near(lp.upper_bound, brute.value, kSolver));
  }
}

TEST_CASE("training reaches the optimum of an independent quadratic program") {
  Random random(83);
  for (const SegmentLayers layers : kLayers) {
    for (int number = 0; number < 4; ++number) {
      const SegmentLoss loss = number % 2 == 0 ? SegmentLoss::kPixels : SegmentLoss::kBalanced;
      const SegmentModel model = Model(2, layers, kPairwise[random.Below(2)], kInputs[number / 2]);
      Images images;
      for (int m = 0; m < 3; ++m) AddImage(random, model, 3, 2, &images);
      const TrainingSet training = MakeSegmentTraining(model, images.examples, images.rows, loss);
      const double lambda = 0.1;
      const double optimum = RelaxedOptimum(training, lambda);
      TrainOptions options;
      options.gap_tolerance = 1e-7;
      options.max_passes = 5000;
      const TrainSummary summary = Train(Problem(training, lambda), options);
      CHECK(summary.last.dual <= optimum + 1e-7);
      CHECK(summary.last.primal >= optimum - 1e-7);
      CHECK(summary.last.primal <= optimum + 1e-5);
    }
  }
}

TEST_CASE("the paper's form has one weight per class for both layers, and one for unequal links") {
  const SegmentModel model =
      Model(21, SegmentLayers::kTwo, SegmentPairwise::kPotts, SegmentInputs::kPotentials);
  CHECK(model.weights().size() == 22);
  CHECK(model.num_columns() == 0);
  SegmentExample example;
  example.graph = {2, 1, {0, 0}, {}};
  example.potentials.assign(21 * 3 - 1, 0.0);  // one too few
  CHECK_THROWS_AS(
      PredictSegments(model, example, std::make_shared<FeatureRows>(), DecodeKind::kAuto),
      std::invalid_argument);
  CHECK_THROWS_AS(ClassScores(model, true, FeatureRows(), 0, 1), std::invalid_argument);
}

TEST_CASE("superpixels without labels are left out of training") {
  const SegmentModel model = Model(3, SegmentLayers::kNeighbours, SegmentPairwise::kTable);
  Images images;
  Random random(84);
  AddImage(random, model, 4, 2, &images);
  AddImage(random, model, 2, 1, &images);
  SegmentExample& first = images.examples[0];
  first.graph.parent = {0, 0, 1, 1};
  first.graph.neighbours = {{0, 1, 1.0F}, {1, 2, 5.0F}, {2, 3, 50.0F}};
  // The second superpixel has no labelled pixels.
  first.fine_pixels = {4, 0, 0, 0, 0, 0, 1, 3, 2, 0, 0, 2};
  first.coarse_pixels = {0, 0, 0, 1, 3, 4};  // nor has the first
  images.examples[1].fine_pixels.assign(6, 0);
  const TrainingSet training =
      MakeSegmentTraining(model, images.examples, images.rows, SegmentLoss::kPixels);
  REQUIRE(training.data.size() == 1);
  CHECK(training.skipped_examples == 1);
  CHECK(training.skipped_variables == 2);
  const ExampleView example = training.data.example(0);
  CHECK(example.graph().num_variables() == 4);  // fine 0, 2, 3 and coarse 1
  CHECK(example.graph().num_factors() == 3);    // links 2–1 and 3–1, neighbours 2–3
  const std::vector<Index> labels(example.labels().begin(), example.labels().end());
  CHECK(labels == std::vector<Index>{0, 1, 2, 2});
  // Fractions of 12 labelled fine and 8 labelled coarse pixels; each layer has half of the weight.
  const std::vector<double> loss(training.loss(0).begin(), training.loss(0).end());
  const std::vector<double> wanted = {0,        2.0 / 12, 2.0 / 12, 3.0 / 12, 0,   3.0 / 12,
                                      1.0 / 12, 1.0 / 12, 0,        0.5,      0.5, 0};
  REQUIRE(loss.size() == wanted.size());
  for (std::size_t k = 0; k < loss.size(); ++k) CHECK(Near(loss[k], wanted[k], kTight));
  const std::vector<Index> scope(example.graph().scope(2).begin(), example.graph().scope(2).end());
  CHECK(scope == std::vector<Index>{1, 2});
}

TEST_CASE("balanced losses weigh classes by the inverse of their pixels") {
  const SegmentModel model = Model(3, SegmentLayers::kFine, SegmentPairwise::kPotts);
  Images images;
  Random random(85);
  AddImage(random, model, 2, 1, &images);
  images.examples[0].fine_pixels = {30, 0,  0,
                                    0,  10, 0};  // the third class does not occur: a mean of 20
  const TrainingSet training =
      MakeSegmentTraining(model, images.examples, images.rows, SegmentLoss::kBalanced);
  const std::vector<double> loss(training.loss(0).begin(), training.loss(0).end());
  CHECK(Near(loss[1], 0.75 * 20 / 30, kTight));
  CHECK(Near(loss[3], 0.25 * 20 / 10, kTight));
}

TEST_CASE("the label of a superpixel is that of most of its pixels") {
  const std::vector<std::int64_t> pixels = {0, 0, 0, 2, 5, 5, 9, 1, 0};
  CHECK(MajorityLabels(pixels, 3) == std::vector<Index>{kUnlabelled, 1, 0});
}

TEST_CASE("saved models are loaded unchanged") {
  const TemporaryFolder folder;
  Random random(86);
  for (int number = 0; number < 6; ++number) {
    const SegmentLayers layers = kLayers[number % 3];
    const SegmentInputs inputs = kInputs[number / 3];
    SegmentModel model = Model(3, layers, SegmentPairwise::kPotts, inputs);
    RandomWeights(random, &model, false);
    model.extractor = std::string("bytes\0with zeros", 16);
    model.record.loss = "pixels";
    const std::string path = folder.Path("m.slk");
    model.Save(path);
    const SegmentModel loaded = SegmentModel::Load(path);
    CHECK(loaded.classes() == model.classes());
    CHECK(loaded.layers() == layers);
    CHECK(loaded.weights() == model.weights());
    CHECK(loaded.extractor == model.extractor);
    CHECK(loaded.inputs() == inputs);
    CHECK(loaded.num_columns() == (inputs == SegmentInputs::kFeatures ? 3 : 0));
    CHECK(loaded.record.loss == "pixels");
  }
}

TEST_CASE("invalid models are refused") {
  using Ranges = std::vector<FeatureRange>;
  const auto make = [](std::vector<std::string> classes, Index dimension, const Ranges& ranges) {
    return SegmentModel(std::move(classes), dimension, ranges, SegmentLayers::kTwo,
                        SegmentPairwise::kPotts);
  };
  CHECK_NOTHROW(make({"a", "b"}, 4, {{0, 4}}));
  CHECK_THROWS_AS(make({"a"}, 4, {{0, 4}}), std::invalid_argument);
  CHECK_THROWS_AS(make({"a", "a"}, 4, {{0, 4}}), std::invalid_argument);
  CHECK_THROWS_AS(make({"a", "b"}, 4, {}), std::invalid_argument);
  CHECK_THROWS_AS(make({"a", "b"}, 4, {{0, 5}}), std::invalid_argument);
  CHECK_THROWS_AS(make({"a", "b"}, 4, {{2, 1}, {1, 1}}), std::invalid_argument);
}

TEST_CASE("the figures of a small confusion matrix are right") {
  ConfusionMatrix confusion(3);
  confusion.Add(0, 0, 6);
  confusion.Add(0, 1, 2);
  confusion.Add(1, 1, 1);
  confusion.Add(1, 0, 1);  // class 2 does not occur
  const SegmentMetrics metrics = ComputeSegmentMetrics(confusion);
  CHECK(metrics.pixels == 10);
  CHECK(Near(metrics.pixel_accuracy, 0.7, kTight));
  CHECK(Near(metrics.class_average, (0.75 + 0.5) / 2, kTight));
  CHECK(Near(metrics.mean_iou, (6.0 / 9 + 1.0 / 4) / 2, kTight));
  CHECK(std::isnan(metrics.classes[2].recall));
  CHECK(std::isnan(metrics.classes[2].iou));
  // Class 2 is predicted but never occurs: its IoU is zero and counts.
  confusion.Add(0, 2, 2);
  CHECK(Near(ComputeSegmentMetrics(confusion).mean_iou, (6.0 / 11 + 1.0 / 4 + 0) / 3, kTight));
  CHECK_THROWS_AS(ComputeSegmentMetrics(ConfusionMatrix(2)), std::invalid_argument);
}

TEST_CASE("ranks get the losses and the default lambda of all images") {
  Random random(31);
  for (const SegmentInputs inputs : {SegmentInputs::kFeatures, SegmentInputs::kPotentials}) {
    const SegmentModel model = Model(3, SegmentLayers::kTwo, SegmentPairwise::kPotts, inputs);
    Images images;
    for (int m = 0; m < 7; ++m) AddImage(random, model, 6, 2, &images);
    const SegmentLoss loss = SegmentLoss::kBalanced;
    const TrainingSet all = MakeSegmentTraining(model, images.examples, images.rows, loss);
    REQUIRE(all.data.size() == 7);
    CostScales scales;
    const double lambda = DefaultSegmentLambda(model, images.examples, scales);
    for (const int size : {2, 3, 5}) {
      struct Made {
        std::vector<double> losses;
        double lambda = 0;
      };
      std::vector<double> losses;
      for (const Made& made : OnEachRank(size, [&](ThreadRanks& ranks) {
             std::vector<SegmentExample> own;
             for (const Index m : NumbersOf(ranks, 7)) own.push_back(images.examples[m]);
             return Made{MakeSegmentTraining(model, own, images.rows, loss, ranks).losses,
                         DefaultSegmentLambda(model, own, scales, &ranks)};
           })) {
        losses.insert(losses.end(), made.losses.begin(), made.losses.end());
        CHECK(made.lambda == lambda);
      }
      CHECK(losses == all.losses);
    }
  }
}
