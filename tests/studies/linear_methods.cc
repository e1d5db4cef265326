// SPDX-License-Identifier: BSD-3-Clause
//
// Study: passes over the data of Prox-SDCA, FISTA, proximal SGD and RDA until the objective
// (1/n) Σ φ_i(x_iᵀw) + λ/2 ‖w‖² + σ ‖w‖₁ is within 1e-3 and 1e-6 of the optimum. λ = 0 is problem
// (6) of the paper, for which Prox-SDCA moves a proximal centre (linear_learner.h). The other
// methods have the best of several step sizes, which a user would have to find. Without arguments
// on drawn data; with
//   FILE LOSS LAMBDA L1 MOST_PASSES
// on LIBSVM text with labels −1 and 1 (or numbers), with processor seconds. With λ = 0, L1 is a
// share of the smallest σ that makes all weights 0. scripts/measure/linear_methods.py runs it on
// the data sets of docs/notebook/linear.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/core/timer.h>
#include <slackline/learning/default_lambda.h>
#include <slackline/learning/standalone/linear_learner.h>

#include "tests/support/linear_baselines.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr double kWanted[] = {1e-3, 1e-6};
const StopControl kNever(nullptr, 0);

/// Passes and processor seconds until the errors of kWanted are reached; −1: not within the limit.
struct Effort {
  int passes[2] = {-1, -1};
  double seconds[2] = {-1, -1};
};

bool Better(const Effort& a, const Effort& b) {
  const auto value = [](int passes) { return passes < 0 ? 1'000'000'000 : passes; };
  if (a.passes[1] != b.passes[1]) return value(a.passes[1]) < value(b.passes[1]);
  return value(a.passes[0]) < value(b.passes[0]);
}

/// Runs passes; the objective is evaluated outside of the time.
Effort Measure(double optimum, int most, const std::function<void()>& pass,
               const std::function<double()>& objective) {
  Effort effort;
  double seconds = 0;
  for (int k = 1; k <= most && effort.passes[1] < 0; ++k) {
    const double begin = ProcessCpuSeconds();
    pass();
    seconds += ProcessCpuSeconds() - begin;
    const double error = objective() - optimum;
    if (!std::isfinite(error)) break;
    for (int e = 0; e < 2; ++e) {
      if (effort.passes[e] >= 0 || error > kWanted[e]) continue;
      effort.passes[e] = k;
      effort.seconds[e] = seconds;
    }
  }
  return effort;
}

Effort MeasureBaseline(const LinearProblem& problem, double optimum, int most,
                       const std::function<std::unique_ptr<LinearBaseline>()>& make) {
  const auto method = make();
  return Measure(
      optimum, most, [&] { method->Pass(); },
      [&] { return LinearObjective(problem, method->weights()); });
}

/// The best of several parameters for the smaller error, or else for the larger one.
Effort Best(const std::vector<double>& parameters, const std::function<Effort(double)>& run) {
  Effort best = run(parameters[0]);
  for (std::size_t k = 1; k < parameters.size(); ++k) {
    const Effort other = run(parameters[k]);
    if (Better(other, best)) best = other;
  }
  return best;
}

/// The problem as Prox-SDCA takes it: for problem (6) with the λ of the proximal term that
/// `slackline linear` takes.
LinearProblem ForSdca(LinearProblem problem) {
  if (problem.lambda > 0) return problem;
  CostScales scales;
  scales.mean_squared_norm = 0;
  const Index n = problem.rows->size();
  for (Index i = 0; i < n; ++i) scales.mean_squared_norm += problem.rows->row(i).squared_norm / n;
  scales.variables_per_weight = static_cast<double>(n) / problem.rows->dimension();
  scales.num_examples = n;
  problem.regulariser = LinearRegulariser::kL1;
  problem.lambda = scales.DefaultLambda();
  return problem;
}

/// An evaluation as in a run of the program, after which the proximal centre may move.
Evaluation Check(Learner* learner) {
  const Evaluation evaluation = learner->Evaluate(1);
  if (CheckListener* listener = learner->traits().listener) listener->Adapt(evaluation);
  return evaluation;
}

double Optimum(const LinearProblem& problem) {
  const auto learner = MakeLinearLearner(ForSdca(problem), {});
  double dual = 0;
  for (int pass = 0; pass < 200000; ++pass) {
    learner->RunPass(kNever);
    if (problem.lambda > 0 && pass % 10 != 9) continue;
    const Evaluation evaluation = Check(learner.get());
    dual = std::max(dual, evaluation.dual);
    if (evaluation.primal - evaluation.dual < 1e-9) break;
  }
  return dual;
}

Effort MeasureSdca(const LinearProblem& problem, double optimum, int most) {
  const auto learner = MakeLinearLearner(ForSdca(problem), {});
  return Measure(
      optimum, most, [&] { learner->RunPass(kNever); },
      [&] { return Check(learner.get()).primal; });
}

void Print(const char* name, const Effort& effort, bool seconds) {
  std::printf("%-16s", name);
  for (int e = 0; e < 2; ++e) {
    effort.passes[e] < 0 ? std::printf(" %8s", "-") : std::printf(" %8d", effort.passes[e]);
    if (seconds) std::printf(" %9.3g", effort.seconds[e]);
  }
  std::printf("\n");
}

void Compare(const LinearProblem& problem, int most, bool seconds) {
  const double optimum = Optimum(problem);
  const ScalarLoss loss(problem.loss, problem.labels, problem.loss_parameter);
  double squared_radius = 0;
  for (Index i = 0; i < problem.rows->size(); ++i)
    squared_radius = std::max(squared_radius, problem.rows->row(i).squared_norm);
  std::printf("n %d, ", problem.rows->size());
  if (problem.lambda > 0)
    std::printf("R2/(lambda gamma) %.4g, ", squared_radius / (problem.lambda * loss.gamma()));
  std::printf("optimum %.6g\n", optimum);
  Print("prox-sdca", MeasureSdca(problem, optimum, most), seconds);
  for (const bool restarts : {false, true}) {
    Print(restarts ? "fista-restarts" : "fista",
          MeasureBaseline(problem, optimum, most, [&] { return MakeFista(problem, restarts); }),
          seconds);
  }
  const double unit = loss.gamma() / squared_radius;  // the inverse of the largest curvature
  const int stochastic = std::min(most, 300);
  Print("proximal-sgd",
        Best({unit / 4, unit, 4 * unit},
             [&](double step) {
               return MeasureBaseline(problem, optimum, stochastic,
                                      [&] { return MakeProximalSgd(problem, step, 1); });
             }),
        seconds);
  Print("rda",
        Best({0.25 / unit, 1 / unit, 4 / unit, 16 / unit},
             [&](double strength) {
               return MeasureBaseline(problem, optimum, stochastic,
                                      [&] { return MakeRda(problem, strength, 1); });
             }),
        seconds);
}

LinearProblem Drawn(ScalarLossKind loss) {
  constexpr Index kExamples = 500, kFeatures = 40;
  Random random(7);
  LinearProblem problem;
  auto rows = std::make_shared<FeatureRows>();
  for (Index i = 0; i < kExamples; ++i) {
    std::vector<double> x(kFeatures);
    for (double& value : x) value = random.Normal() / std::sqrt(double{kFeatures});
    const double y = 6 * x[0] - 3 * x[1] + random.Normal();
    rows->AddDense(x);
    problem.labels.push_back(TakesNumbers(loss) ? y : (y > 0 ? 1 : -1));
  }
  problem.rows = std::move(rows);
  problem.loss = loss;
  problem.loss_parameter = 1;
  problem.l1 = 0.001;
  return problem;
}

LinearProblem Read(const std::string& path) {
  LinearProblem problem;
  auto rows = std::make_shared<FeatureRows>();
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream text(line);
    double label = 0, value = 0;
    Index column = 0;
    char colon = 0;
    text >> label;
    std::vector<Index> columns;
    std::vector<double> values;
    while (text >> column >> colon >> value) {
      columns.push_back(column - 1);
      values.push_back(value);
    }
    rows->AddSparse(columns, values);
    problem.labels.push_back(label);
  }
  SLACKLINE_CHECK(rows->size() > 0, "no examples in " + path);
  problem.rows = std::move(rows);
  return problem;
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%-16s %8s %8s\n", "passes to", "1e-3", "1e-6");
  constexpr ScalarLossKind kLosses[] = {ScalarLossKind::kSmoothedHinge, ScalarLossKind::kLogistic,
                                        ScalarLossKind::kSquared};
  if (argc == 6) {
    LinearProblem problem = Read(argv[1]);
    for (const ScalarLossKind loss : kLosses) {
      if (Name(loss) == std::string(argv[2])) problem.loss = loss;
    }
    problem.loss_parameter = 1;
    problem.lambda = std::stod(argv[3]);
    problem.l1 = std::stod(argv[4]) * (problem.lambda == 0 ? LargestUsefulL1(problem) : 1);
    Compare(problem, std::stoi(argv[5]), true);
    return 0;
  }
  for (const ScalarLossKind loss : kLosses) {
    LinearProblem problem = Drawn(loss);
    for (const double lambda : {0.1, 0.001}) {
      problem.lambda = lambda;
      std::printf("%s, lambda %g: ", std::string(Name(loss)).c_str(), lambda);
      Compare(problem, 1000, false);
    }
    problem.lambda = 0;
    for (const double share : {0.1, 0.01}) {
      problem.l1 = share * LargestUsefulL1(problem);
      std::printf("%s, problem (6), %g of the largest sigma: ", std::string(Name(loss)).c_str(),
                  share);
      Compare(problem, 1000, false);
    }
  }
  return 0;
}
