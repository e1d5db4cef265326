// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/labelling_program.h"

#include <algorithm>
#include <vector>

#include <Eigen/Core>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/factors/joint_states.h>

#include "tests/support/allowed_labelling.h"
#include "tests/support/coordinates.h"
#include "tests/support/kernel_problems.h"
#include "tests/support/vectors.h"

namespace slackline::internal::test {
namespace {

using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

constexpr int kMostIterations = 60000;
constexpr Real kGapPrecision = 1e-12L;
constexpr int kBisections = 100;

struct Labelled {
  Index example;
  std::vector<Index> labels;
  Real loss;
};

/// Coordinates of ψ(labels).
std::vector<double> Coordinates(const ExampleView& example, std::span<const Index> labels) {
  std::vector<double> q = CoordinatesOf(example, example.labels());
  AddLabellingFeatures(example, labels, -1, q);
  return q;
}

/// ψ written out over all weights.
Vector Features(const ExampleView& example, std::span<const double> q) {
  const Structure& structure = example.structure();
  Vector psi = Vector::Zero(structure.layout().size());
  for (const Slot& slot : structure.slots()) {
    const WeightBlock& block = structure.layout().block(slot.block);
    const FeatureRow x = example.input(slot.input);
    for (Index r = 0; r < slot.rows; ++r) {
      for (Index f = 0; f < x.count; ++f)
        psi[block.at(r, x.dense() ? f : x.columns[f])] +=
            static_cast<Real>(q[slot.coordinate + r]) * x.values[f];
    }
  }
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    const WeightBlock& block = structure.layout().block(scalar.block);
    for (Index r = 0; r < scalar.rows; ++r) psi[block.at(r, 0)] += q[scalar.coordinate + r];
  }
  return psi;
}

class Program {
 public:
  Program(const TrainingSet& training, double lambda, const ReferenceObjective& objective)
      : training_(training),
        objective_(objective),
        lambda_(lambda),
        lambda_m_(static_cast<Real>(lambda) * training.data.size()),
        maps_(objective.l1 > 0 || !objective.signs.empty()),
        sign_(static_cast<std::size_t>(training.data.layout().size()), 0) {
    for (const SignConstraints::Entry& entry : objective.signs.entries())
      sign_[entry.at] = static_cast<int>(entry.sign);
    Enumerate();
    if (objective.kernel == nullptr) {
      MakeFeatures();
    } else {
      MakeKernelGram();
    }
    Start();
  }

  ReferenceBracket Solve() {
    ReferenceBracket bracket{0, kInfinity};
    for (int step = 0; step < kMostIterations; ++step) {
      Index best_example = -1;
      Index up = 0;
      Index down = 0;
      const Real gap = Gap(&best_example, &up, &down);
      if (step % 64 == 0 || gap <= 0) {
        Rebuild();
        const Real value = Value();
        bracket.lower = std::max(bracket.lower, static_cast<double>(value));
        bracket.upper = std::min(bracket.upper, static_cast<double>(value + gap / Examples()));
        if (gap / Examples() <= kGapPrecision * std::max(value, Real(1e-300L))) break;
      }
      if (best_example < 0) break;
      StepOnPair(up, down);
    }
    bracket.upper = std::max(bracket.upper, bracket.lower);  // rounding may reverse the order
    return bracket;
  }

 private:
  Real Examples() const { return training_.data.size(); }
  Eigen::Index count() const { return static_cast<Eigen::Index>(columns_.size()); }

  void Enumerate() {
    for (Index m = 0; m < training_.data.size(); ++m) {
      const ExampleView example = training_.data.example(m);
      const std::vector<Index> cardinalities(example.graph().cardinalities().begin(),
                                             example.graph().cardinalities().end());
      std::vector<Index> labels(cardinalities.size(), 0);
      begin_.push_back(count());
      do {
        if (!IsAllowed(example.structure(), labels)) continue;
        Real loss = 0;
        for (std::size_t i = 0; i < labels.size(); ++i)
          loss +=
              training_.loss(m)[example.graph().state_offset(static_cast<Index>(i)) + labels[i]];
        columns_.push_back({m, labels, loss});
        SLACKLINE_CHECK(columns_.size() <= 600, "too many labellings for the reference");
      } while (NextJoint(cardinalities, labels));
    }
    begin_.push_back(count());
  }

  Real Scale(const Labelled& column) const { return objective_.slack ? column.loss : Real(1); }

  void MakeFeatures() {
    psi_ = Matrix::Zero(training_.data.layout().size(), count());
    for (Eigen::Index k = 0; k < count(); ++k) {
      const Labelled& column = columns_[k];
      const ExampleView example = training_.data.example(column.example);
      psi_.col(k) = Scale(column) * Features(example, Coordinates(example, column.labels));
    }
    gram_ = psi_.transpose() * psi_;
  }

  void MakeKernelGram() {
    const Dataset& data = training_.data;
    std::vector<std::vector<double>> q;
    for (const Labelled& column : columns_) {
      q.push_back(Coordinates(data.example(column.example), column.labels));
      for (double& value : q.back()) value *= static_cast<double>(Scale(column));
    }
    gram_ = Matrix::Zero(count(), count());
    const Index dimension = data.rows()->dimension();
    const auto dense = [dimension](const FeatureRow& row) -> Vector {
      return DenseInput(row, dimension).cast<Real>();
    };
    for (Eigen::Index a = 0; a < count(); ++a) {
      for (Eigen::Index b = 0; b < count(); ++b) {
        const ExampleView first = data.example(columns_[a].example);
        const ExampleView second = data.example(columns_[b].example);
        for (const Slot& s : first.structure().slots()) {
          for (const Slot& t : second.structure().slots()) {
            if (s.block != t.block) continue;
            const Real k = PlainKernel(*objective_.kernel, dense(first.input(s.input)),
                                       dense(second.input(t.input)));
            for (Index r = 0; r < std::min(s.rows, t.rows); ++r)
              gram_(a, b) += k * q[a][s.coordinate + r] * q[b][t.coordinate + r];
          }
        }
        for (const ScalarBlock& s : first.structure().scalar_blocks()) {
          for (const ScalarBlock& t : second.structure().scalar_blocks()) {
            if (s.block != t.block) continue;
            for (Index r = 0; r < std::min(s.rows, t.rows); ++r)
              gram_(a, b) += static_cast<Real>(q[a][s.coordinate + r]) * q[b][t.coordinate + r];
          }
        }
      }
    }
  }

  void Start() {
    beta_ = Vector::Zero(count());
    for (Eigen::Index k = 0; k < count(); ++k) {
      const Labelled& column = columns_[k];
      const auto truth = training_.data.example(column.example).labels();
      if (std::ranges::equal(column.labels, truth)) beta_[k] = 1;
    }
    Rebuild();
  }

  /// Computes from β what the steps keep up to date.
  void Rebuild() {
    if (maps_) {
      v_ = psi_ * beta_ / lambda_m_;
    } else {
      products_ = gram_ * beta_ / lambda_m_;
    }
  }

  /// Entry i of w for entry v of Ψβ/(λM).
  Real Map(Eigen::Index i, Real v) const {
    if (sign_[i] * v < 0) return 0;
    const Real t = static_cast<Real>(objective_.l1) / lambda_;
    return v > t ? v - t : v < -t ? v + t : Real(0);
  }

  /// The number of variables that have the same state in labellings a and b.
  Real Agreement(const Labelled& a, const Labelled& b) const {
    Real sum = 0;
    for (std::size_t i = 0; i < a.labels.size(); ++i) sum += a.labels[i] == b.labels[i] ? 1 : 0;
    return sum;
  }

  /// γ Σ_l S_kl β_l.
  Real SmoothPart(Eigen::Index k) const {
    if (objective_.smoothing == 0) return 0;
    const Labelled& column = columns_[k];
    Real sum = 0;
    for (Eigen::Index l = begin_[column.example]; l < begin_[column.example + 1]; ++l)
      sum += beta_[l] * Agreement(column, columns_[l]);
    return objective_.smoothing * sum;
  }

  /// M ∂_k D.
  Vector Gradient() const {
    Vector gradient(count());
    Vector along = products_;
    if (maps_) {
      Vector w(v_.size());
      for (Eigen::Index i = 0; i < v_.size(); ++i) w[i] = Map(i, v_[i]);
      along = psi_.transpose() * w;
    }
    for (Eigen::Index k = 0; k < count(); ++k)
      gradient[k] = columns_[k].loss - along[k] - SmoothPart(k);
    return gradient;
  }

  /// M times the gap. Finds the pair of labellings of one example with the largest slope.
  Real Gap(Index* example, Index* up, Index* down) const {
    const Vector gradient = Gradient();
    Real total = 0;
    Real steepest = 0;
    for (Index m = 0; m < training_.data.size(); ++m) {
      Eigen::Index high = begin_[m];
      Eigen::Index low = -1;
      Real mean = 0;
      for (Eigen::Index k = begin_[m]; k < begin_[m + 1]; ++k) {
        mean += beta_[k] * gradient[k];
        if (gradient[k] > gradient[high]) high = k;
        if (beta_[k] > 0 && (low < 0 || gradient[k] < gradient[low])) low = k;
      }
      total += gradient[high] - mean;
      if (gradient[high] - gradient[low] > steepest) {
        steepest = gradient[high] - gradient[low];
        *example = m;
        *up = static_cast<Index>(high);
        *down = static_cast<Index>(low);
      }
    }
    return total;
  }

  void StepOnPair(Index up, Index down) {
    const Real most = beta_[down];
    const Labelled& a = columns_[up];
    const Labelled& b = columns_[down];
    const Real smooth =
        objective_.smoothing * 2 * (static_cast<Real>(a.labels.size()) - Agreement(a, b));
    Real step = most;
    if (maps_) {
      const Vector d = (psi_.col(up) - psi_.col(down)) / lambda_m_;
      const Real start = a.loss - b.loss - SmoothPart(up) + SmoothPart(down);
      const auto slope = [&](Real t) {
        Real sum = start - t * smooth;
        for (Eigen::Index i = 0; i < d.size(); ++i)
          sum -= lambda_m_ * d[i] * Map(i, v_[i] + t * d[i]);
        return sum;
      };
      if (slope(most) < 0) {
        Real low = 0;
        Real high = most;
        for (int k = 0; k < kBisections; ++k) {
          const Real middle = (low + high) / 2;
          (slope(middle) > 0 ? low : high) = middle;
        }
        step = low;
      }
      v_ += step * d;
    } else {
      const Real slope =
          a.loss - b.loss - products_[up] + products_[down] - SmoothPart(up) + SmoothPart(down);
      const Real curvature =
          (gram_(up, up) + gram_(down, down) - 2 * gram_(up, down)) / lambda_m_ + smooth;
      if (curvature > 0) step = std::min(most, slope / curvature);
      products_ += step / lambda_m_ * (gram_.col(up) - gram_.col(down));
    }
    beta_[up] += step;
    beta_[down] = step == most ? Real(0) : beta_[down] - step;
  }

  Real Value() const {
    Real sum = 0;
    for (Eigen::Index k = 0; k < count(); ++k)
      sum += beta_[k] * (columns_[k].loss - SmoothPart(k) / 2);
    for (Index m = 0; objective_.smoothing > 0 && m < training_.data.size(); ++m)
      sum += objective_.smoothing / 2 *
             static_cast<Real>(training_.data.example(m).graph().num_variables());
    Real squares = 0;
    if (maps_) {
      for (Eigen::Index i = 0; i < v_.size(); ++i) squares += Map(i, v_[i]) * Map(i, v_[i]);
    } else {
      squares = beta_.dot(products_) / lambda_m_;
    }
    return sum / Examples() - static_cast<Real>(lambda_) / 2 * squares;
  }

  const TrainingSet& training_;
  ReferenceObjective objective_;
  Real lambda_;
  Real lambda_m_;
  bool maps_;              // whether w differs from Ψβ/(λM)
  std::vector<int> sign_;  // of each weight; 0: unconstrained
  std::vector<Labelled> columns_;
  std::vector<Eigen::Index> begin_;  // of the columns of each example, and the end
  Matrix psi_, gram_;
  Vector beta_, products_, v_;
};

}  // namespace

ReferenceBracket BracketOptimum(const TrainingSet& training, double lambda,
                                const ReferenceObjective& objective) {
  SLACKLINE_CHECK((objective.l1 == 0 && objective.signs.empty()) || objective.kernel == nullptr,
                  "no l1 norm and no constraints of kernelized weights");
  return Program(training, lambda, objective).Solve();
}

}  // namespace slackline::internal::test
