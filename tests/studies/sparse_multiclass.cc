// SPDX-License-Identifier: BSD-3-Clause
//
// Study: multiclass problems with sparse weights. A class is one variable with a row of weights for
// each state. Only five of the thirty features are informative. An l1 term finds them, and the
// certificate holds with this term as well.
#include <algorithm>
#include <array>
#include <iomanip>
#include <iostream>
#include <memory>
#include <vector>

#include <slackline/core/random.h>
#include <slackline/factors/model_builder.h>
#include <slackline/learning/example_blocks/prox_sdca_learner.h>
#include <slackline/learning/train_loop.h>

using namespace slackline::internal;

constexpr Index kClasses = 4, kFeatures = 30, kUseful = 5, kTrain = 200, kTest = 1000;

int main() {
  // The model: one variable, whose state j scores by row j of the weights. The weights of one
  // feature are adjacent.
  auto layout = std::make_shared<WeightLayout>();
  const Index rows = layout->AddBlock("classes", kClasses, kFeatures);
  ModelBuilder builder(layout);
  builder.AddLinearFeatures(builder.AddVariable(kClasses), rows, 0);
  const auto structure = builder.Build();

  // The data: the class is the best of four random directions among the useful features; all other
  // features are noise.
  Random random(3);
  std::array<std::array<double, kUseful>, kClasses> truth;
  for (auto& direction : truth)
    for (double& entry : direction) entry = random.Normal();
  auto inputs = std::make_shared<FeatureRows>();
  std::vector<Index> classes;
  for (Index m = 0; m < kTrain + kTest; ++m) {
    std::array<double, kFeatures> x;
    for (double& value : x) value = random.Normal();
    std::array<double, kClasses> score{};
    for (std::size_t j = 0; j < kClasses; ++j) {
      for (std::size_t f = 0; f < kUseful; ++f) score[j] += truth[j][f] * x[f];
      score[j] += 0.5 * random.Normal();
    }
    inputs->AddDense(x);
    classes.push_back(static_cast<Index>(std::ranges::max_element(score) - score.begin()));
  }
  Dataset shown(layout, inputs);
  for (Index m = 0; m < kTrain; ++m) shown.Add(structure, std::array{classes[m]}, m);
  const Problem problem(MakeTrainingSet(shown, {}), 0.01);

  // Training with lambda/2 |w|^2 + l1 |w|_1 + the mean hinge, smoothed a little for fast
  // convergence.
  std::cout << std::setprecision(4) << "l1 weights features objective at_least errors\n";
  for (const double l1 : {0.0, 0.01, 0.03, 0.06, 0.1, 0.2}) {
    TrainOptions options;
    options.learner = LearnerKind::kProxSdca;
    options.own<ProxSdcaOptions>().sdca_step = 2;
    options.smoothing = 0.1;
    options.l1 = l1;
    options.gap_tolerance = 1e-9;  // so that the zeros counted are those of the optimum
    const TrainSummary result = Train(problem, options);

    Index errors = 0;
    for (Index m = kTrain; m < kTrain + kTest; ++m) {
      std::array<double, kClasses> score{};
      for (std::size_t k = 0; k < result.weights.size(); ++k)
        score[k % kClasses] += result.weights[k] * inputs->row(m).values[k / kClasses];
      errors += std::ranges::max_element(score) - score.begin() != classes[m];
    }
    const auto nonzero = [](double w) { return w != 0; };
    Index features = 0;
    for (std::size_t f = 0; f < kFeatures; ++f) {
      const auto begin = result.weights.begin() + static_cast<std::ptrdiff_t>(f * kClasses);
      features += std::any_of(begin, begin + kClasses, nonzero);
    }
    std::cout << l1 << " " << std::ranges::count_if(result.weights, nonzero) << " " << features
              << " " << result.last.primal << " " << result.last.dual << " " << errors << "\n";
  }
}
