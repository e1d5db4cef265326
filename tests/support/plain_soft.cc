// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/plain_soft.h"

#include "tests/support/dense_qp.h"

namespace slackline::internal::test {
namespace {

/// η of an edge at state s of its variable.
double Multiplier(const FactorBlocks& blocks, Index m, Index c, std::size_t axis, Index s) {
  const BlockLayout& layout = blocks.layout(m);
  const FactorPlace place = layout.places[c];
  const double* state = blocks.state(m);
  if (!place.pair) return state[layout.tables[place.index].axes[axis].eta + s];
  const double one = state[layout.pairs.plane(4 + static_cast<int>(axis)) + place.index];
  return s == 1 ? one : -one;
}

}  // namespace

PlainSoft::PlainSoft(const FactorBlocks& blocks, std::span<const double> centre)
    : problem_(blocks.problem()),
      rho_(blocks.rho()),
      smoothing_(blocks.smoothing()),
      kappa_(blocks.kappa()) {
  centre_ = RealVector::Zero(problem_.num_weights());
  for (std::size_t k = 0; k < centre.size(); ++k) centre_[k] = centre[k];
  Offset messages = 0;
  for (Index m = 0; m < problem_.size(); ++m) {
    begin_.push_back(columns_);
    columns_ += graph(m).total_states();
    messages += graph(m).total_messages();
  }
  psi_ = Matrix::Zero(problem_.num_weights(), columns_);
  loss_ = RealVector::Zero(columns_);
  agreement_ = Matrix::Zero(messages, columns_);
  eta_ = RealVector::Zero(messages);
  Offset row = 0;
  for (Index m = 0; m < problem_.size(); ++m) {
    FillColumns(m);
    FillAgreement(blocks, m, &row);
  }
}

std::pair<Offset, Offset> PlainSoft::Columns(Index m, Index part) const {
  const Index n = graph(m).num_variables();
  const Offset first =
      begin_[m] + (part < n ? graph(m).state_offset(part) : graph(m).factor_offset(part - n));
  return {first, first + graph(m).num_states(part)};
}

RealVector PlainSoft::Read(const FactorBlocks& blocks) const {
  RealVector mu = RealVector::Zero(columns_);
  for (Index m = 0; m < problem_.size(); ++m) {
    const double* state = blocks.state(m);
    const BlockLayout& layout = blocks.layout(m);
    const Index n = graph(m).num_variables();
    for (Offset s = 0; s < graph(m).state_offset(n); ++s) mu[begin_[m] + s] = state[s];
    for (Index k = 0; k < layout.pairs.count; ++k) {
      const Offset first = Columns(m, n + layout.pairs.factor[k]).first;
      for (int p = 0; p < 4; ++p) mu[first + p] = state[layout.pairs.plane(p) + k];
    }
    for (const TableBlock& table : layout.tables) {
      const Offset first = Columns(m, n + table.factor).first;
      for (Index s = 0; s < table.states; ++s) mu[first + s] = state[table.mu + s];
    }
  }
  return mu;
}

PlainSoft::Point PlainSoft::At(const RealVector& mu) const {
  return {mu, psi_ * mu / Real(problem_.size()), agreement_ * mu};
}

RealVector PlainSoft::Weights(const Point& point) const {
  return (kappa_ * centre_ + point.g) / (kappa_ + Real(problem_.lambda()));
}

Real PlainSoft::ValueOfTables(const Point& point) const {
  const RealVector w = Weights(point);
  return loss_.dot(point.mu) / problem_.size() + problem_.lambda() / 2 * w.squaredNorm() +
         kappa_ / 2 * (w - centre_).squaredNorm() - w.dot(point.g);
}

Real PlainSoft::Penalty(const Point& point) const {
  return point.v.squaredNorm() / (2 * rho_ * problem_.size());
}

Real PlainSoft::Value(const Point& point) const {
  return ValueOfTables(point) - Penalty(point) -
         (eta_.dot(point.v) + smoothing_ / 2 * point.mu.squaredNorm()) / problem_.size();
}

Real PlainSoft::Relaxed(const Point& point) const {
  const RealVector w = Weights(point);
  const RealVector theta =
      loss_ - psi_.transpose() * w - agreement_.transpose() * (eta_ + point.v / rho_);
  Real hinges = 0;
  for (Index m = 0; m < problem_.size(); ++m) {
    for (Index a = 0; a < graph(m).num_parts(); ++a) {
      const auto [first, last] = Columns(m, a);
      hinges += theta.segment(first, last - first).maxCoeff();
    }
  }
  return problem_.lambda() / 2 * w.squaredNorm() + hinges / problem_.size();
}

std::pair<Real, Real> PlainSoft::Parabola(const Point& point, const RealVector& d) const {
  const auto ahead = [&](Real t) {
    Point moved = point;
    for (Offset c = 0; c < columns_; ++c) {
      if (d[c] == 0) continue;
      moved.mu[c] += t * d[c];
      moved.g += t * d[c] / problem_.size() * psi_.col(c);
      moved.v += t * d[c] * agreement_.col(c);
    }
    return Value(moved);
  };
  const Real begin = Value(point), middle = ahead(0.5), end = ahead(1);
  const Real bend = 2 * (begin + end - 2 * middle);
  return {end - begin - bend, bend};
}

void PlainSoft::FillColumns(Index m) {
  const ExampleView example = problem_.data().example(m);
  const Index n = graph(m).num_variables();
  for (Index a = 0; a < graph(m).num_parts(); ++a) {
    const Index truth = a < n ? example.labels()[a] : JointState(graph(m), a - n, example.labels());
    const Eigen::VectorXd given = DenseFeatures(example, a, truth);
    const auto [first, last] = Columns(m, a);
    for (Offset c = first; c < last; ++c) {
      const auto state = static_cast<Index>(c - first);
      psi_.col(c) = (given - DenseFeatures(example, a, state)).cast<Real>();
      if (a < n) loss_[c] = problem_.loss(m)[graph(m).state_offset(a) + state];
    }
  }
}

/// Rows A_ci μ_c − μ_i, and their η.
void PlainSoft::FillAgreement(const FactorBlocks& blocks, Index m, Offset* row) {
  const FactorGraph& graph = this->graph(m);
  for (Index c = 0; c < graph.num_factors(); ++c) {
    std::vector<Index> states(graph.scope(c).size());
    for (std::size_t k = 0; k < states.size(); ++k) {
      const Index i = graph.scope(c)[k];
      const Offset first = Columns(m, graph.num_variables() + c).first;
      for (Index joint = 0; joint < graph.factor_states(c); ++joint) {
        JointToStates(graph, c, joint, states);
        agreement_(*row + states[k], first + joint) = 1;
      }
      for (Index s = 0; s < graph.cardinality(i); ++s, ++*row) {
        agreement_(*row, Columns(m, i).first + s) = -1;
        if (blocks.multipliers()) eta_[*row] = Multiplier(blocks, m, c, k, s);
      }
    }
  }
}

}  // namespace slackline::internal::test
