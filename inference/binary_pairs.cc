// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/binary_pairs.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

double PairTerm(const double* table) { return table[0] + table[3] - table[1] - table[2]; }

/// x, or the nearest of 0, ½, 1 if it is within 1e-6.
double Snap(double x) {
  const double near = std::round(2 * x) / 2;
  return std::clamp(std::abs(x - near) <= 1e-6 ? near : x, 0.0, 1.0);
}

class BinaryPairFormulation final : public LpFormulation {
 public:
  explicit BinaryPairFormulation(std::shared_ptr<const FactorGraph> graph)
      : graph_(std::move(graph)),
        form_(*graph_),
        u_(graph_->num_variables()),
        t_(form_.pairs().size()),
        positive_(t_.size(), 0) {
    model_.maximise = false;
    model_.rows = graph_->num_variables();
    model_.columns = model_.rows + static_cast<Index>(t_.size());
    model_.row_lower.assign(u_.size(), 0.0);
    model_.row_upper.assign(u_.size(), kInfinity);
    model_.column_lower.assign(model_.columns, 0.0);
    model_.column_upper.assign(model_.columns, kInfinity);
    model_.cost.assign(model_.columns, 1.0);
    FillMatrix();
  }

  const LpModel& Update(std::span<const double> scores, bool with_start) override {
    const Index n = model_.rows;
    form_.Coefficients(scores, u_, t_);
    scale_ = std::min(ScaleOf(u_), ScaleOf(t_));
    for (std::size_t i = 0; i < u_.size(); ++i) model_.row_lower[i] = u_[i] * scale_;
    bool flipped = false;
    for (std::size_t e = 0; e < t_.size(); ++e) {
      const double t = t_[e] * scale_;
      const char positive = t > 0;
      flipped = flipped || positive != positive_[e];
      positive_[e] = positive;
      if (positive) model_.row_lower[form_.pairs()[e].second] += t;
      model_.column_upper[n + e] = std::abs(t);
      model_.cost[n + e] = positive ? 0 : 1;
    }
    // The whole matrix is rewritten, so that its order, and with it all rounding, depends only on
    // the scores.
    if (flipped) {
      FillMatrix();
      ++model_.matrix_version;
    }
    if (with_start) FillStart();
    return model_;
  }

  void Read(const LpSolution& solution, std::span<const double> scores, std::span<double> marginals,
            std::span<double> messages) const override {
    std::vector<double> x(u_.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = Snap(solution.row_dual[i]);
    form_.Marginals(scores, x, marginals);
    std::vector<double> f(t_.size());
    for (std::size_t e = 0; e < f.size(); ++e) f[e] = solution.column_value[u_.size() + e] / scale_;
    form_.Messages(scores, f, messages);
  }

 private:
  void FillMatrix() {
    model_.row.clear();
    model_.column.clear();
    model_.coefficient.clear();
    for (Index i = 0; i < model_.rows; ++i) AddEntry(i, i, 1);
    Index column = model_.rows;
    for (std::size_t e = 0; e < t_.size(); ++e, ++column) {
      AddEntry(form_.pairs()[e].first, column, positive_[e] ? -1 : 1);
      AddEntry(form_.pairs()[e].second, column, 1);
    }
  }
  void AddEntry(Index row, Index column, double coefficient) {
    model_.row.push_back(row);
    model_.column.push_back(column);
    model_.coefficient.push_back(coefficient);
  }

  /// Sets the basis with f = 0 and p = max(0, r). Alternatives took as long or longer: f at its
  /// better bound for an ICM labelling, and GLPK's two own bases.
  void FillStart() {
    model_.start.assign(model_.rows + model_.columns, BasisStatus::kAtLower);
    for (std::size_t i = 0; i < u_.size(); ++i) {
      model_.start[model_.row_lower[i] > 0 ? u_.size() + i : i] = BasisStatus::kBasic;
    }
  }

  std::shared_ptr<const FactorGraph> graph_;
  BinaryPairs form_;
  std::vector<double> u_;
  std::vector<double> t_;
  std::vector<char> positive_;  // the signs that the matrix is written for
  LpModel model_;
  double scale_ = 1;
};

}  // namespace

bool IsBinaryPairwise(const FactorGraph& graph) {
  if (graph.num_global_factors() > 0) return false;
  for (Index i = 0; i < graph.num_variables(); ++i) {
    if (graph.cardinality(i) != 2) return false;
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    if (graph.scope(c).size() > 2) return false;
  }
  return true;
}

BinaryPairs::BinaryPairs(const FactorGraph& graph) : graph_(&graph) {
  SLACKLINE_CHECK(IsBinaryPairwise(graph), "the graph is not binary and pairwise");
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const std::span<const Index> scope = graph.scope(c);
    if (scope.size() == 2) {
      pairs_.push_back({c, scope[0], scope[1]});
    } else {
      unary_.push_back(c);
    }
  }
}

void BinaryPairs::Coefficients(std::span<const double> scores, std::span<double> u,
                               std::span<double> t) const {
  for (Index i = 0; i < graph_->num_variables(); ++i) {
    const double* table = scores.data() + graph_->state_offset(i);
    u[i] = table[1] - table[0];
  }
  for (const Index c : unary_) {
    const double* table = scores.data() + graph_->factor_offset(c);
    u[graph_->scope(c)[0]] += table[1] - table[0];
  }
  for (std::size_t e = 0; e < pairs_.size(); ++e) {
    const double* table = scores.data() + graph_->factor_offset(pairs_[e].factor);
    u[pairs_[e].first] += table[2] - table[0];
    u[pairs_[e].second] += table[1] - table[0];
    t[e] = PairTerm(table);
  }
}

void BinaryPairs::Marginals(std::span<const double> scores, std::span<const double> x,
                            std::span<double> marginals) const {
  for (Index i = 0; i < graph_->num_variables(); ++i) {
    double* table = marginals.data() + graph_->state_offset(i);
    table[0] = 1 - x[i];
    table[1] = x[i];
  }
  for (const Index c : unary_) {
    double* table = marginals.data() + graph_->factor_offset(c);
    table[0] = 1 - x[graph_->scope(c)[0]];
    table[1] = x[graph_->scope(c)[0]];
  }
  for (const Pair& pair : pairs_) {
    const Offset offset = graph_->factor_offset(pair.factor);
    const double p = x[pair.first];
    const double q = x[pair.second];
    const double both =
        PairTerm(scores.data() + offset) > 0 ? std::min(p, q) : std::max(0.0, p + q - 1);
    double* table = marginals.data() + offset;
    table[3] = both;
    table[2] = p - both;
    table[1] = q - both;
    table[0] = std::max(0.0, 1 - (p + q - both));
  }
}

void BinaryPairs::Messages(std::span<const double> scores, std::span<const double> f,
                           std::span<double> messages) const {
  for (const Index c : unary_) {
    const double* table = scores.data() + graph_->factor_offset(c);
    double* message = messages.data() + graph_->message_offset(graph_->edge(c, 0));
    message[0] = table[0];
    message[1] = table[1];
  }
  for (std::size_t e = 0; e < pairs_.size(); ++e) {
    const Index c = pairs_[e].factor;
    const double* table = scores.data() + graph_->factor_offset(c);
    const double t = PairTerm(table);
    const double flow = std::clamp(f[e], 0.0, std::abs(t));
    double* first = messages.data() + graph_->message_offset(graph_->edge(c, 0));
    double* second = messages.data() + graph_->message_offset(graph_->edge(c, 1));
    first[0] = 0;
    first[1] = table[2] - table[0] + (t > 0 ? flow : -flow);
    second[0] = 0;
    second[1] = table[1] - table[0] + (t > 0 ? t - flow : -flow);
  }
}

std::unique_ptr<LpFormulation> MakeBinaryPairFormulation(std::shared_ptr<const FactorGraph> graph) {
  return std::make_unique<BinaryPairFormulation>(std::move(graph));
}

}  // namespace slackline::internal
