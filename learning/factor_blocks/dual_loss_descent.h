// SPDX-License-Identifier: BSD-3-Clause
//
// Engine of the learners `dlpw` and `smooth-dlpw` (dual_loss.h): descent on the weights and
// messages of the relaxed problem G, example by example. The trials that choose η run on the same
// engine, with fewer examples.
//
//   symbol   here                      shape
//   w        scale_ · direction_       num_weights
//   δ        messages(k)               graph.total_messages() per example
//   μ̄        average(k)                graph.total_states() per example
//   ε        temperature               number ≥ 0
#pragma once

#include <span>
#include <vector>

#include <slackline/learning/problem.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// Work space of one thread for one example.
struct DualLossWork {
  std::vector<double> u, scores, marginals, messages, q, sweep;
};

class DualLossDescent {
 public:
  struct Settings {
    double temperature = 0;  ///< ε; 0: the exact maximum
    /// η: step k on the weights has length η/(n + k), n = size(), but at most 1/λ.
    double eta = 1;
    bool average = true;  ///< whether to keep μ̄
  };

  /// Works on these examples of the problem as if it had no others. Starts at w = 0, δ = 0 and μ̄ =
  /// the ground truth. `problem` must outlive the object; its λ may change (ChangeLambda).
  DualLossDescent(const Problem& problem, std::vector<Index> examples, const Settings& settings);

  Index size() const { return static_cast<Index>(examples_.size()); }  ///< n
  double eta() const { return settings_.eta; }
  void set_eta(double eta) { settings_.eta = eta; }

  /// Visits example number k < size(): a star sweep on its δ at the current w
  /// (inference/star_updates.h), which gives beliefs b; then μ̄ += 2/(j+1) (b − μ̄) in the j-th
  /// visit of the example, and w −= η_t (λw − Σ_a ψ_a·b_a).
  void Visit(Index k);

  /// The current w.
  void ReadWeights(std::vector<double>* weights) const;

  /// Upper bound on max H over the local polytope for example k at these weights, from a copy of
  /// the example's messages after a few sweeps with the exact maximum. Safe to call from several
  /// threads with a `work` each.
  double Bound(Index k, std::span<const double> weights, DualLossWork* work) const;
  /// λ/2‖w‖² + the mean of all bounds, at the current w.
  double Objective() const;

  /// A point of the local polytope for example k: p_i = the mean of μ̄_i and all A_ci μ̄_c, with
  /// the factors repaired to the marginals p. *coordinates: those of φ at that point. Returns the
  /// loss of the point. Requires settings.average.
  double FeasibleCoordinates(Index k, std::vector<double>* coordinates, DualLossWork* work) const;

  std::int64_t steps() const { return steps_; }

  /// To be called when λ of the problem changes from `before` to `after` (Problem::WithLambda).
  /// Keeps δ, and scales w so that λw stays the same. Counts of steps begin anew.
  void ChangeLambda(double before, double after);

  void Archive(StateArchive* archive);

 private:
  ExampleView example(Index k) const { return problem_->data().example(examples_[k]); }
  std::span<const double> loss(Index k) const { return problem_->loss(examples_[k]); }
  std::size_t message_begin(Index k) const { return message_begin_[k]; }
  std::size_t average_begin(Index k) const { return average_begin_[k]; }
  void Scores(Index k, std::span<const double> weights, double scale, DualLossWork* work) const;
  void TakeAverage(Index k);
  void StepWeights(Index k);

  const Problem* problem_;
  std::vector<Index> examples_;
  Settings settings_;
  std::vector<Offset> message_begin_;
  std::vector<Offset> average_begin_;
  std::vector<double> messages_;
  std::vector<double> averages_;
  std::vector<Offset> visits_;  // per example
  std::vector<double> direction_;
  double scale_ = 1;
  std::int64_t steps_ = 0;
  DualLossWork work_;
};

}  // namespace slackline::internal
