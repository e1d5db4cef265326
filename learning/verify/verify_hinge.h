// SPDX-License-Identifier: BSD-3-Clause
//
// The largest hinge of one example, as verification (verify.h) finds it: between the value of a
// point that is seen to be feasible and a certified bound.
//
//   margin rescaling  another solver than training's (VerifyingSolver); global factors:
//                     enumeration, or dual decomposition (global_decoder.h)
//   slack rescaling   all labellings, one after the other, by their definition Δ(s)(1 − w·ψ(s))
//   loss 1 − F1       for each number k of labels the loss is a sum: the best labelling with
//                     exactly k (count_search.h)
//   smoothed hinge    max_μ θ·μ + (γ/2) Σ_i (1 − ‖μ_i‖²) by Frank-Wolfe steps with the solver of
//                     margin rescaling; the gap of its best point is the distance of value and
//                     bound
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

/// What is known of one example's maximum.
struct VerifiedHinge {
  double value = 0;  ///< reached by a feasible point
  double bound = 0;
  double scores = 0;     ///< the largest |θ|
  bool feasible = true;  ///< false: a solver's solution is no point of its domain
};

/// Of a problem's examples, one at a time.
class HingeVerifier {
 public:
  /// trained: the oracle of training (VerifyingSolver). smoothing: γ. The problem must outlive it.
  HingeVerifier(const Problem& problem, SolverKind trained, CertifiedProblem certified,
                Rescaling rescaling, double smoothing);

  /// u: the coordinate scores of example m. weights: the weight vector, of which global factors
  /// read theirs.
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
  void Slack(const ExampleView& example, std::span<const double> u, std::span<const double> loss,
             double truth, VerifiedHinge* hinge);

  const Problem& problem_;
  Rescaling rescaling_;
  double smoothing_;
  // one per structure, null where there are global factors:
  std::vector<std::unique_ptr<MapSolver>> solvers_;
  std::vector<std::unique_ptr<GlobalDecoder>> decoders_;  // these, else null
  std::string names_;
  MapResult result_;
  std::vector<double> theta_, features_;
  std::vector<Index> states_;
};

/// The joint state of a part under the ground truth.
Index TrueState(const ExampleView& example, Index part);

/// The scalar in front of the coordinate that a term gives a state: 1 for linear features.
double TermFactor(const ExampleView& example, const FeatureTerm& term, Index state);

}  // namespace slackline::internal
