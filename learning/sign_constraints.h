// SPDX-License-Identifier: BSD-3-Clause
//
// Weights that must not be negative, or not positive, and the signs that make pair models
// associative.
//
// With w_k ≥ 0 for k in a set S, the regulariser is g(w) = ½‖w‖² + I[w_S ≥ 0]. Its conjugate is
// ½‖[v]₊‖², where [v]₊ = ∇g*(v) has max(0, v_k) for k in S, and v_k elsewhere. Hence
//
//   P(w) = λ/2 ‖w‖² + (1/M) Σ_m max_y H_m(y; w)   over w with w_S ≥ 0
//   D(α) = (1/M) Σ_m Σ_y α_my Δ_m(y) − λ/2 ‖[Ψα]₊‖²,   w(α) = [Ψα]₊
//
// In other words, w = Ψα + μ with dual variables μ ≥ 0 of the constraints, of which max(0, −Ψα) are
// the best ones for any α. A step on α that counts ‖Ψα + μ‖² with fixed μ raises the dual by at
// least what it promises, since μ improves afterwards. w·μ = 0, so that the gap is the sum of the
// gaps of the examples as before. Weights that must not be positive: the same for −w_k.
//
// Associative pair models (Taskar, Chatalbashev, Koller, "Learning associative Markov networks",
// ICML 2004, where each state has a reward ≥ 0 for agreement) are those whose pair scores θ satisfy
//
//   θ(a, b) + θ(α, α) ≥ θ(a, α) + θ(α, b)   for all a, b, α,
//
// for which graph cuts maximise over expansion moves (inference/alpha_expansion.h), and over all
// labellings where variables have two states. Where θ(a, b) = Σ_k w_k f_k(a, b), a sign for every
// weight suffices: w_k ≥ 0 if f_k satisfies the inequality, w_k ≤ 0 if −f_k does.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/structure.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

class SignConstraints {
 public:
  struct Entry {
    Offset at = 0;    ///< position in the weight vector
    double sign = 1;  ///< 1: w ≥ 0; −1: w ≤ 0
  };

  /// No constraints.
  SignConstraints() = default;
  /// Throws std::invalid_argument unless positions are ≥ 0 and increase, and signs are 1 or −1.
  explicit SignConstraints(std::vector<Entry> entries);

  bool empty() const { return entries_.empty(); }
  std::span<const Entry> entries() const { return entries_; }
  /// The number of the entry of a position, −1 for an unconstrained weight.
  Index Find(Offset at) const {
    const Offset place = at - first_;
    return place < 0 || place >= std::ssize(number_) ? -1 : number_[Size(place)];
  }

  /// The allowed number that is nearest to v.
  static double Clip(double v, double sign) {
    return sign > 0 ? std::max(0.0, v) : std::min(0.0, v);
  }
  /// The same for weight `at` of a vector, and for all weights. O(number of constraints).
  double ClipAt(Offset at, double v) const {
    const Index e = Find(at);
    return e < 0 ? v : Clip(v, entries_[Size(e)].sign);
  }
  void Clip(std::span<double> weights) const {
    for (const Entry& entry : entries_)
      weights[Size(entry.at)] = Clip(weights[Size(entry.at)], entry.sign);
  }
  /// The first entry that `weights` violate, or null.
  const Entry* FirstViolation(std::span<const double> weights) const;

 private:
  std::vector<Entry> entries_;
  Offset first_ = 0;           // position of the first entry
  std::vector<Index> number_;  // of the entry, for positions from first_ on; −1 where there is none
};

/// Whether signs of weights make all pairs of the structure associative: factors join at most two
/// variables with the same number of states; all features of pairs are constants; and each f_k or
/// its negative satisfies the inequality. There are no global factors.
bool HasAssociativeSigns(const Structure& structure);

/// The signs for all structures of the data. Weights whose f_k satisfies the inequality with
/// equality are free. Requires HasAssociativeSigns of each structure, else throws
/// std::invalid_argument. Throws DataError, which names the weight, when structures need different
/// signs of one weight.
SignConstraints AssociativeSigns(const Dataset& data);

/// The constraints that the options of a run ask for: AssociativeSigns with --associative, else
/// none.
SignConstraints SignsOf(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
