// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/point_change.h>

namespace slackline::internal {
namespace {

/// The sums over the edges and parts of one example.
class ChangeSums {
 public:
  ChangeSums(std::span<const double> before, const double* after)
      : before_(before.data()), after_(after) {}

  /// The edge of an axis of a table or of a global factor.
  void AddAxis(const TableAxis& axis) {
    for (Index s = 0; s < axis.cardinality; ++s) {
      const Offset factor = axis.marginal + s;
      const Offset variable = axis.state + s;
      AddViolation(before_[factor] - before_[variable], Moved(factor) - Moved(variable),
                   axis.eta >= 0 ? after_[axis.eta + s] : 0);
    }
  }
  /// Both edges of all pairs. State 0 of an edge has the negative v and η of state 1.
  void AddPairs(const PairGroup& pairs) {
    const Offset mu1 = pairs.plane(1);
    const Offset mu2 = pairs.plane(2);
    const Offset mu3 = pairs.plane(3);
    for (Index k = 0; k < pairs.count; ++k) {
      const double both = before_[mu3 + k];
      const double moved = Moved(mu3 + k);
      for (int side = 0; side < 2; ++side) {
        const Offset one = (side == 0 ? mu2 : mu1) + k;
        const Offset variable = (side == 0 ? pairs.first_state : pairs.second_state)[k];
        const double v = before_[one] + both - before_[variable];
        const double d = Moved(one) + moved - Moved(variable);
        const double eta = pairs.eta >= 0 ? after_[pairs.plane(4 + side) + k] : 0;
        products_ += 2 * v * d;
        squares_ += 2 * d * d;
        messages_ += 2 * eta * d;
      }
    }
  }
  /// ‖μ_a‖² of a part whose marginals are `count` numbers from `begin` on.
  void AddSquares(Offset begin, Offset count) {
    for (Offset s = begin; s < begin + count; ++s) {
      own_products_ += before_[s] * Moved(s);
      own_squares_ += Moved(s) * Moved(s);
    }
  }

  PointChange Change(double loss, double rho, double smoothing) const {
    return {loss - messages_ - products_ / rho - smoothing * own_products_,
            squares_ / rho + smoothing * own_squares_};
  }

  double Moved(Offset s) const { return after_[s] - before_[s]; }

 private:
  void AddViolation(double v, double d, double eta) {
    products_ += v * d;
    squares_ += d * d;
    messages_ += eta * d;
  }

  const double* before_;
  const double* after_;
  double products_ = 0;      // Σ v·Δv
  double squares_ = 0;       // Σ ‖Δv‖²
  double messages_ = 0;      // Σ η·Δv
  double own_products_ = 0;  // Σ μ_a·Δμ_a
  double own_squares_ = 0;   // Σ ‖Δμ_a‖²
};

}  // namespace

PointChange ChangeOfPoint(const FactorBlocks& blocks, Index m, std::span<const double> before) {
  const BlockLayout& layout = blocks.layout(m);
  ChangeSums sums(before, blocks.state(m));
  const std::span<const double> loss = blocks.problem().loss(m);
  double gained = 0;
  for (std::size_t s = 0; s < loss.size(); ++s)
    gained += loss[s] * sums.Moved(static_cast<Offset>(s));
  sums.AddPairs(layout.pairs);
  for (const TableBlock& table : layout.tables) {
    for (const TableAxis& axis : table.axes) sums.AddAxis(axis);
  }
  for (const GlobalBlock& global : layout.globals) {
    for (const TableAxis& axis : global.axes) sums.AddAxis(axis);
  }
  if (blocks.smoothing() > 0) {
    sums.AddSquares(0, static_cast<Offset>(loss.size()));
    sums.AddSquares(layout.pairs.mu, 4 * static_cast<Offset>(layout.pairs.count));
    for (const TableBlock& table : layout.tables) sums.AddSquares(table.mu, table.states);
  }
  return sums.Change(gained, blocks.rho(), blocks.smoothing());
}

}  // namespace slackline::internal
