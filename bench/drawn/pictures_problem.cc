// SPDX-License-Identifier: BSD-3-Clause
#include "bench/drawn/pictures_problem.h"

#include <memory>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/potts.h>

#include "bench/drawn/grid_edges.h"

namespace slackline::internal {
namespace {

std::shared_ptr<const Structure> PictureStructure(const PicturesOptions& options,
                                                  std::shared_ptr<const WeightLayout> layout,
                                                  Index unary, Index same) {
  ModelBuilder builder(std::move(layout));
  for (Index v = 0; v < options.side * options.side; ++v) {
    builder.AddVariable(options.states);
    builder.AddLinearFeatures(v, unary, v);
  }
  const PottsFactor potts(options.states);
  ForEachGridEdge(options.side, options.side, [&](Index a, Index b) {
    builder.AddFactor({a, b}, potts, same);
  });
  return builder.Build();
}

std::vector<Index> DrawDiscs(const PicturesOptions& options, Random* random) {
  std::vector<Index> labels(Offset{options.side} * options.side, 0);
  for (Index state = 1; state < options.states; ++state) {
    const double radius = options.side * (0.125 + 0.125 * random->Uniform());
    const double row = options.side * random->Uniform();
    const double col = options.side * random->Uniform();
    for (Index v = 0; v < options.side * options.side; ++v) {
      const Index pixel_row = v / options.side;
      const Index pixel_col = v % options.side;
      const double dr = pixel_row + 0.5 - row;
      const double dc = pixel_col + 0.5 - col;
      if (dr * dr + dc * dc <= radius * radius) labels[v] = state;
    }
  }
  return labels;
}

}  // namespace

TrainingSet MakePicturesProblem(const PicturesOptions& options) {
  SLACKLINE_CHECK(options.examples >= 1 && options.side >= 1 && options.states >= 1 &&
                      options.states <= 16 && options.extra_features >= 0,
                  "pictures need at least one example and pixel, 1 to 16 states, and no negative "
                  "number of features");
  Random random(options.seed);
  auto layout = std::make_shared<WeightLayout>();
  const Index features = 2 + options.extra_features;
  const Index unary = layout->AddBlock("unary", options.states, features);
  const Index same = layout->AddBlock("same", 1);
  const auto structure = PictureStructure(options, layout, unary, same);
  auto rows = std::make_shared<FeatureRows>();
  std::vector<std::vector<Index>> labellings;
  std::vector<double> x(features);
  for (Index m = 0; m < options.examples; ++m) {
    labellings.push_back(DrawDiscs(options, &random));
    for (const Index label : labellings.back()) {
      x[0] = label + random.Normal();
      x[1] = 1;
      for (std::size_t f = 2; f < x.size(); ++f) x[f] = 0.3 * label + random.Normal();
      rows->AddDense(x);
    }
  }
  Dataset data(layout, rows);
  for (Index m = 0; m < options.examples; ++m)
    data.Add(structure, labellings[m], m * options.side * options.side);
  LossOptions loss;
  loss.scale = options.loss;
  return MakeTrainingSet(data, loss);
}

}  // namespace slackline::internal
