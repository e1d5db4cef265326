// SPDX-License-Identifier: BSD-3-Clause
//
// The largest hinge of one example for verification (verify.h), enclosed between the value of a
// point whose feasibility is checked and a certified bound.
//
//   margin rescaling  another solver than training's (VerifyingSolver); global factors:
//                     enumeration, or dual decomposition (global_decoder.h)
//   slack rescaling   enumeration of up to 4096 labellings by the definition Δ(s)(1 − w·ψ(s)); with
//                     more, the solver of margin rescaling at several multipliers of the loss
//                     (slack_search.h), whose value and bound may differ
//   loss 1 − F1       the best labelling with exactly k labels for every k (count_search.h), for
//                     which the loss is a sum
//   smoothed hinge    max_μ θ·μ + (γ/2) Σ_i (1 − ‖μ_i‖²) by Frank-Wolfe steps with the solver of
//                     margin rescaling; value and bound differ by the gap of the best point
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/inference/global_decoder.h>
#include <slackline/inference/map_solver.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>

namespace slackline::internal {

/// Bounds on the largest hinge of one example.
struct VerifiedHinge {
  double value = 0;      ///< lower bound: value of a feasible point
  double bound = 0;      ///< certified upper bound
  double scores = 0;     ///< the largest |θ|
  bool feasible = true;  ///< false: a solver's solution is not in its domain
};

/// Finds the largest hinges of a problem's examples, one example at a time.
class HingeVerifier {
 public:
  /// trained: the oracle of training (VerifyingSolver). smoothing: γ ≥ 0. `problem` must outlive
  /// this object.
  HingeVerifier(const Problem& problem, SolverKind trained, CertifiedProblem certified,
                Rescaling rescaling, double smoothing);

  /// u: the coordinate scores of example m. weights: the weight vector, for global factors; may be
  /// empty without them.
  VerifiedHinge Maximise(Index m, std::span<const double> u, std::span<const double> weights);

  /// Names of the solvers in use.
  const std::string& names() const { return names_; }

 private:
  struct Solution {
    double value = 0;
    double bound = 0;
    std::vector<double> marginals;  // of the variables
  };
  void AddName(const std::string& name);
  double FillScores(const ExampleView& example, std::span<const double> u);
  Solution Solve(Index m, const ExampleView& example, std::span<const double> u,
                 std::span<const double> weights, std::span<const double> theta, bool* feasible);
  double GlobalScores(const ExampleView& example, std::span<const double> u,
                      std::span<const Index> labels);
  double ScoreOf(const ExampleView& example, std::span<const double> u,
                 std::span<const double> theta, std::span<const Index> labels);
  void Smoothed(Index m, const ExampleView& example, std::span<const double> u,
                std::span<const double> weights, double truth, VerifiedHinge* hinge);
  void Counts(Index m, const ExampleView& example, double truth, VerifiedHinge* hinge);
  void Slack(Index m, std::span<const double> u, double truth, VerifiedHinge* hinge);
  void SlackCounts(Index m, double truth, VerifiedHinge* hinge);
  void SlackByMultipliers(Index m, std::span<const double> u, std::span<const double> weights,
                          double truth, VerifiedHinge* hinge);

  const Problem& problem_;
  Rescaling rescaling_;
  double smoothing_;
  // Per structure: solver without global factors and decoder with them; the other pointer is null.
  // Both are null where slack rescaling enumerates.
  std::vector<std::unique_ptr<MapSolver>> solvers_;
  std::vector<std::unique_ptr<GlobalDecoder>> decoders_;
  std::string names_;
  MapResult result_;
  std::vector<double> theta_, features_;
  std::vector<Index> states_;
};

/// The joint state of a part under the ground truth.
Index TrueState(const ExampleView& example, Index part);

/// The factor of a term's coordinate in a state; 1 for linear features.
double TermFactor(const ExampleView& example, const FeatureTerm& term, Index state);

}  // namespace slackline::internal
