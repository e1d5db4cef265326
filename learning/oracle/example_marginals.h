// SPDX-License-Identifier: BSD-3-Clause
//
// Expectations of an example's features and loss under an exponential family over its labellings,
// by dynamic programming. Methods on the interior of the marginal polytope use them in place of a
// maximisation. (Meshi, Srebro, Hazan call this the expectation oracle; so do Lacoste-Julien and
// others, ICML 2013, Table 1.)
//
// With a number c, coordinate scores v (core/structure.h) and a temperature T,
//   p(y) ∝ exp((c Δ_m(y) + v·q(y)) / T).
// Every distribution in these methods has this form: steps add multiples of H_m(·; w), whose c is 1
// and whose v holds the coordinate scores at w. So an example needs num_coordinates + 1 numbers,
// however many labellings or table entries it has.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <slackline/inference/sum_product.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct Expectation {
  std::span<const double> coordinates;  ///< of ψ_m(μ) = φ_m(y^m) − φ_m(μ): num_coordinates entries
  double loss = 0;                      ///< Δ_m·μ
  /// T log Σ_y exp((c Δ_m(y) + v·q(y) − v·q(y^m)) / T): with c = 1 the maximum of H_m, smoothed.
  double log_partition = 0;
  /// Size of the terms whose difference is log_partition. The rounding error of log_partition is a
  /// small multiple of 1e-16 of this size.
  double terms = 0;
};

/// Keeps one solver per structure and work space; one object must not be used by two threads at a
/// time.
class ExampleMarginals {
 public:
  /// Throws DataError when a structure has cycles or global factors, naming `learner` and what to
  /// use instead.
  ExampleMarginals(const Problem& problem, std::string_view learner);

  /// The expectation for example m. loss_scale: c; scores: v, num_coordinates entries (else
  /// std::invalid_argument); temperature: T, as in sum_product.h. The result is valid until the
  /// next call. Forbidden states have no mass. Cost: the score tables, where a table that factors
  /// share counts once; a call of sum-product; sums.
  Expectation Expect(Index m, double loss_scale, std::span<const double> scores,
                     double temperature);

  /// log |Y_m|: the logarithm of the number of labellings without forbidden states.
  double LogLabellings(Index m) const {
    return entries_[problem_.data().structure_of(m)].log_labellings;
  }

 private:
  struct Entry {  // of a structure
    std::unique_ptr<SumProduct> solver;
    std::vector<Index> table_factor;  // per factor: the first factor with the same table
    double log_labellings = 0;
  };
  void FillScores(const Entry& entry, Index m, double loss_scale, std::span<const double> scores);

  Problem problem_;
  std::vector<Entry> entries_;
  std::vector<double> tables_;
  std::vector<double> marginals_;
  std::vector<double> coordinates_;
};

}  // namespace slackline::internal
