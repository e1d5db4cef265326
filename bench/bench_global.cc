// SPDX-License-Identifier: BSD-3-Clause
//
// Measures training with global factors (core/global_factor.h) by learner al.
//
//   bench_global grid ROWS COLS STATES EXAMPLES LAMBDA [SECONDS [STEP]]
//       the edges of a grid as single pair factors, and its rows and columns as chains: one model
//       in blocks of two sizes
//   bench_global counts LABELS EXAMPLES LAMBDA [SECONDS [STEP]]
//       multi-label data with all pairs, without and with a factor on the number of labels
//
// SECONDS: time limit of one run, 60 by default; STEP: pairwise or fw. Printed: the processor
// seconds of training (without checks) and the passes at which each certified relative gap was
// first reached.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <slackline/apps/bench/grid_problem.h>
#include <slackline/core/random.h>
#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>
#include <slackline/learning/train_loop.h>

using namespace slackline::internal;

namespace {

constexpr double kGaps[] = {1e-1, 1e-2, 1e-3};

class GapClock : public TrainObserver {
 public:
  void OnCheck(const ProgressRecord& record) override {
    for (std::size_t k = 0; k < std::size(kGaps); ++k) {
      if (passes[k] < 0 && record.relative_gap <= kGaps[k]) {
        passes[k] = record.pass;
        seconds[k] = record.cpu_seconds * record.seconds / (record.seconds + record.check_seconds);
      }
    }
  }
  std::vector<Index> passes = std::vector<Index>(std::size(kGaps), -1);
  std::vector<double> seconds = std::vector<double>(std::size(kGaps), kNone);
};

void Measure(const char* name, const Problem& problem, const TrainOptions& options) {
  GapClock clock;
  const TrainSummary summary = Train(problem, options, &clock);
  std::printf("%-8s", name);
  for (std::size_t k = 0; k < std::size(kGaps); ++k) {
    if (clock.passes[k] < 0) {
      std::printf("  %g: -", kGaps[k]);
    } else {
      std::printf("  %g: %.2f s, %d passes", kGaps[k], clock.seconds[k], clock.passes[k]);
    }
  }
  const ProgressRecord& last = summary.last;
  std::printf("  | %d passes, %.1f s, primal %.6g, dual %.6g, rho %.3g\n", last.pass, last.seconds,
              last.primal, last.dual, last.rho);
}

/// 12 features; the three or four labels with the largest scores are on.
TrainingSet MakeCounts(Index labels, Index examples, bool counted) {
  constexpr std::size_t kFeatures = 12;
  auto layout = std::make_shared<WeightLayout>();
  const Index unary = layout->AddBlock("unary", labels, kFeatures + 1);
  const Index pairs = layout->AddBlock("pairs", labels * (labels - 1) / 2);
  const Index number = layout->AddBlock("number", labels + 1);
  ModelBuilder builder(layout);
  std::vector<Index> all(labels);
  std::iota(all.begin(), all.end(), 0);
  for (const Index i : all) {
    const Index rows[] = {kAbsent, i};
    builder.AddLinearFeatures(builder.AddVariable(2), unary, 0, rows);
  }
  const FactorType both =
      builder.Register(TableFactor({2, 2}, 1, StateMap{{kAbsent, kAbsent, kAbsent, 0}, {}}));
  Index pair = 0;
  for (const Index i : all) {
    for (Index j = 0; j < i; ++j) builder.AddFactor({j, i}, both, pairs, pair++);
  }
  if (counted) builder.AddGlobalFactor(all, std::make_shared<CardinalityFactor>(labels), number);
  const auto structure = builder.Build();

  Random random(11);
  std::vector<double> meaning(all.size() * kFeatures);
  for (double& value : meaning) value = random.Normal();
  auto rows = std::make_shared<FeatureRows>();
  std::vector<std::vector<Index>> given;
  for (Index m = 0; m < examples; ++m) {
    std::vector<double> x(kFeatures);
    for (double& value : x) value = random.Normal();
    std::vector<double> score(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto row = meaning.begin() + static_cast<std::ptrdiff_t>(i * kFeatures);
      score[i] = std::inner_product(x.begin(), x.end(), row, 0.5 * random.Normal());
    }
    std::vector<double> sorted = score;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const double least = sorted[2 + random.Below(2)];
    given.emplace_back();
    for (const double value : score) given.back().push_back(value >= least ? 1 : 0);
    x.push_back(1);
    rows->AddDense(x);
  }
  Dataset data(layout, rows);
  for (Index m = 0; m < examples; ++m) data.Add(structure, given[m], m);
  return MakeTrainingSet(data, LossOptions());
}

int Usage() {
  std::fprintf(stderr,
               "usage: bench_global grid ROWS COLS STATES EXAMPLES LAMBDA [SECONDS [STEP]]\n"
               "       bench_global counts LABELS EXAMPLES LAMBDA [SECONDS [STEP]]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int numbers = what == "grid" ? 5 : 3;
  if ((what != "grid" && what != "counts") || argc < 2 + numbers) return Usage();
  const double lambda = std::atof(argv[1 + numbers]);
  TrainOptions options;
  options.learner = LearnerKind::kAugmentedLagrangian;
  options.gap_tolerance = 1e-3;
  options.time_limit_seconds = argc > 2 + numbers ? std::atof(argv[2 + numbers]) : 60;
  if (argc > 3 + numbers && std::string(argv[3 + numbers]) == "fw")
    options.step = StepKind::kFrankWolfe;
  if (what == "grid") {
    GridProblemOptions grid;
    grid.rows = std::atoi(argv[2]);
    grid.cols = std::atoi(argv[3]);
    grid.states = std::atoi(argv[4]);
    grid.examples = std::atoi(argv[5]);
    Measure("pairs", Problem(MakeGridProblem(grid), lambda), options);
    grid.chains = true;
    Measure("chains", Problem(MakeGridProblem(grid), lambda), options);
  } else {
    const Index labels = std::atoi(argv[2]);
    const Index examples = std::atoi(argv[3]);
    Measure("without", Problem(MakeCounts(labels, examples, false), lambda), options);
    Measure("with", Problem(MakeCounts(labels, examples, true), lambda), options);
  }
  return 0;
}
