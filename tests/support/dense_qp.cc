// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/dense_qp.h"

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/factors/joint_states.h>

#include "tests/support/allowed_labelling.h"

namespace slackline::internal::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The columns of the global factors of an example: the allowed joint states of each factor, last
/// variable fastest. These columns follow those of the flat tables.
struct GlobalColumns {
  explicit GlobalColumns(const Structure& structure) : end(structure.graph().total_states()) {
    const FactorGraph& graph = structure.graph();
    for (Index g = 0; g < graph.num_global_factors(); ++g) {
      const GlobalFactor& factor = *structure.globals()[g].factor;
      begin.push_back(end);
      states.emplace_back();
      std::vector<Index> joint(graph.global_scope(g).size(), 0);
      do {
        if (factor.Allows(joint)) states.back().push_back(joint);
      } while (NextJoint(factor.cardinalities(), joint));
      end += static_cast<Offset>(states.back().size());
    }
  }
  /// The column of global factor g for a labelling that the factor allows.
  Offset ColumnOf(const FactorGraph& graph, Index g, std::span<const Index> labels) const {
    std::vector<Index> joint(graph.global_scope(g).size());
    GlobalStates(graph, g, labels, joint);
    const auto& own = states[g];
    const auto found = std::find(own.begin(), own.end(), joint);
    SLACKLINE_CHECK(found != own.end(), "the global factor forbids the labelling");
    return begin[g] + (found - own.begin());
  }

  std::vector<Offset> begin;
  std::vector<std::vector<std::vector<Index>>> states;
  Offset end;
};

VectorXd DenseGlobalFeatures(const Structure& structure, Index g, std::span<const Index> states) {
  const GlobalPart& part = structure.globals()[g];
  VectorXd phi = VectorXd::Zero(structure.layout().size());
  if (part.block < 0) return phi;
  std::vector<double> local(part.factor->num_weights(), 0.0);
  part.factor->AddFeatures(states, 1, local);
  const Offset first = structure.layout().block(part.block).at(part.base, 0);
  for (std::size_t k = 0; k < local.size(); ++k) phi[first + static_cast<Offset>(k)] = local[k];
  return phi;
}

/// One column per joint state of each part of each example, in the order of the examples and of
/// their flat tables.
struct RelaxedProblem {
  MatrixXd psi;        // per column: ψ_a(y_a)
  VectorXd loss;       // per column: Δ_a(y_a)
  MatrixXd simplex;    // one row per part: its columns sum to 1
  MatrixXd agreement;  // one row per (factor, variable, state): A_ci μ_c − μ_i
};

std::vector<Index> GivenStates(const ExampleView& example) {
  const FactorGraph& graph = example.graph();
  std::vector<Index> given(example.labels().begin(), example.labels().end());
  for (Index c = 0; c < graph.num_factors(); ++c)
    given.push_back(JointState(graph, c, example.labels()));
  return given;
}

void FillAgreement(const FactorGraph& graph, Offset column, Eigen::Index* row,
                   MatrixXd* agreement) {
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const std::span<const Index> scope = graph.scope(c);
    std::vector<Index> states(scope.size());
    for (std::size_t k = 0; k < scope.size(); ++k) {
      for (Index joint = 0; joint < graph.factor_states(c); ++joint) {
        JointToStates(graph, c, joint, states);
        (*agreement)(*row + states[k], column + graph.factor_offset(c) + joint) = 1;
      }
      for (Index s = 0; s < graph.cardinality(scope[k]); ++s) {
        (*agreement)(*row + s, column + graph.state_offset(scope[k]) + s) = -1;
      }
      *row += graph.cardinality(scope[k]);
    }
  }
}

void FillGlobals(const ExampleView& example, const GlobalColumns& globals, Offset column,
                 Eigen::Index* part_row, Eigen::Index* row, RelaxedProblem* problem) {
  const FactorGraph& graph = example.graph();
  for (Index g = 0; g < graph.num_global_factors(); ++g, ++*part_row) {
    const std::span<const Index> scope = graph.global_scope(g);
    std::vector<Index> given(scope.size());
    GlobalStates(graph, g, example.labels(), given);
    const VectorXd truth = DenseGlobalFeatures(example.structure(), g, given);
    Offset at = column + globals.begin[g];
    for (const std::vector<Index>& states : globals.states[g]) {
      problem->psi.col(at) = truth - DenseGlobalFeatures(example.structure(), g, states);
      problem->simplex(*part_row, at) = 1;
      Eigen::Index axis_row = *row;
      for (std::size_t k = 0; k < scope.size(); ++k) {
        problem->agreement(axis_row + states[k], at) = 1;
        axis_row += graph.cardinality(scope[k]);
      }
      ++at;
    }
    for (const Index i : scope) {
      for (Index s = 0; s < graph.cardinality(i); ++s) {
        problem->agreement((*row)++, column + graph.state_offset(i) + s) = -1;
      }
    }
  }
}

/// The problem of examples [first, last).
RelaxedProblem MakeRelaxed(const TrainingSet& training, Index first, Index last) {
  Offset columns = 0;
  Offset parts = 0;
  Offset messages = 0;
  for (Index m = first; m < last; ++m) {
    const FactorGraph& graph = training.data.example(m).graph();
    columns += GlobalColumns(training.data.example(m).structure()).end;
    parts += graph.num_blocks();
    messages += graph.total_messages();
    for (Index g = 0; g < graph.num_global_factors(); ++g) {
      for (const Index i : graph.global_scope(g)) messages += graph.cardinality(i);
    }
  }
  RelaxedProblem problem{MatrixXd::Zero(training.data.layout().size(), columns),
                         VectorXd::Zero(columns), MatrixXd::Zero(parts, columns),
                         MatrixXd::Zero(messages, columns)};
  Offset column = 0;
  Eigen::Index part_row = 0;
  Eigen::Index agreement_row = 0;
  for (Index m = first; m < last; ++m) {
    const ExampleView example = training.data.example(m);
    const FactorGraph& graph = example.graph();
    const std::vector<Index> given = GivenStates(example);
    for (Index a = 0; a < graph.num_parts(); ++a, ++part_row) {
      const VectorXd truth = DenseFeatures(example, a, given[a]);
      for (Index s = 0; s < graph.num_states(a); ++s) {
        const Offset at = column + graph.state_offset(a) + s;
        problem.psi.col(at) = truth - DenseFeatures(example, a, s);
        problem.simplex(part_row, at) = 1;
      }
    }
    const std::span<const double> loss = training.loss(m);
    for (std::size_t k = 0; k < loss.size(); ++k)
      problem.loss[column + static_cast<Offset>(k)] = loss[k];
    FillAgreement(graph, column, &agreement_row, &problem.agreement);
    const GlobalColumns globals(example.structure());
    FillGlobals(example, globals, column, &part_row, &agreement_row, &problem);
    column += globals.end;
  }
  return problem;
}

/// Calls visit(μ of the labelling, as an indicator vector) for every allowed labelling.
template <class Visit>
void ForEachLabelling(const Structure& structure, Visit&& visit) {
  const FactorGraph& graph = structure.graph();
  const GlobalColumns globals(structure);
  std::vector<Index> labels(graph.num_variables(), 0);
  do {
    if (!IsAllowed(structure, labels)) continue;
    VectorXd mu = VectorXd::Zero(globals.end);
    for (Index g = 0; g < graph.num_global_factors(); ++g)
      mu[globals.ColumnOf(graph, g, labels)] = 1;
    for (Index i = 0; i < graph.num_variables(); ++i) {
      mu[graph.state_offset(i) + labels[i]] = 1;
    }
    for (Index c = 0; c < graph.num_factors(); ++c)
      mu[graph.factor_offset(c) + JointState(graph, c, labels)] = 1;
    visit(mu);
  } while (NextJoint(graph.cardinalities(), labels));
}

double NumExamples(const TrainingSet& training) {
  return static_cast<double>(training.data.size());
}

/// max μᵀℓ − λ/2‖Ψμ‖² − ½ μᵀ extra μ over Aμ = b, μ ≥ 0, with w = Ψμ.
Optimum SolveDual(const RelaxedProblem& p, double lambda, double num_examples,
                  const MatrixXd& extra, const MatrixXd& a, const VectorXd& b) {
  const MatrixXd big_psi = p.psi / (lambda * num_examples);
  MatrixXd q = lambda * big_psi.transpose() * big_psi;
  if (extra.size() > 0) q += extra;
  const QpResult result = SolveQp(q, -p.loss / num_examples, a, b);
  const VectorXd w = big_psi * result.x;
  return {-result.objective,
          {w.data(), w.data() + w.size()},
          {result.x.data(), result.x.data() + result.x.size()}};
}

MatrixXd Stack(const MatrixXd& top, const MatrixXd& bottom) {
  MatrixXd both(top.rows() + bottom.rows(), top.cols());
  both << top, bottom;
  return both;
}

/// 1 for each simplex row, 0 for each further row.
VectorXd OnesThenZeros(Eigen::Index ones, Eigen::Index zeros) {
  VectorXd b = VectorXd::Zero(ones + zeros);
  b.head(ones).setOnes();
  return b;
}

double HalfSquaredNorm(double lambda, std::span<const double> weights) {
  double sum = 0;
  for (const double value : weights) sum += value * value;
  return lambda / 2 * sum;
}

/// θ_a(y_a; w) of example m, in the flat order.
VectorXd LossAugmentedScores(const RelaxedProblem& problem, std::span<const double> weights) {
  const Eigen::Map<const VectorXd> w(weights.data(), static_cast<Eigen::Index>(weights.size()));
  return problem.loss - problem.psi.transpose() * w;
}

}  // namespace

VectorXd DenseFeatures(const ExampleView& example, Index part, Index state) {
  const Structure& structure = example.structure();
  VectorXd phi = VectorXd::Zero(structure.layout().size());
  for (const FeatureTerm& term : structure.terms(part)) {
    const StateMap& map = structure.map(term.map);
    const WeightBlock& block = structure.layout().block(term.block);
    if (map.rows[state] == kAbsent) continue;
    const Index row = map.rows[state] + term.base;
    if (term.kind == FeatureKind::kLinear) {
      const FeatureRow x = example.input(structure.slots()[term.source].input);
      for (Index f = 0; f < x.count; ++f)
        phi[block.at(row, x.dense() ? f : x.columns[f])] += x.values[f];
    } else if (term.kind == FeatureKind::kPotential) {
      phi[block.at(row, 0)] += example.potentials()[term.source + state];
    } else {
      phi[block.at(row, 0)] += map.values.empty() ? 1.0 : map.values[state];
    }
  }
  return phi;
}

namespace {

/// The columns of states that are not forbidden, and that no row of the constraints fixes at 0: a
/// row of `agreement` does where its other side has no columns left.
std::vector<Eigen::Index> ColumnsLeft(const TrainingSet& training, const RelaxedProblem& p) {
  std::vector<char> left(p.psi.cols(), 1);
  Offset column = 0;
  for (Index m = 0; m < training.data.size(); ++m) {
    const Structure& structure = training.data.example(m).structure();
    for (Index a = 0; a < structure.graph().num_parts(); ++a) {
      for (const Index s : structure.forbidden_states(a))
        left[column + structure.graph().state_offset(a) + s] = 0;
    }
    column += GlobalColumns(structure).end;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Eigen::Index row = 0; row < p.agreement.rows(); ++row) {
      bool of_sign[2] = {false, false};
      for (Eigen::Index k = 0; k < p.agreement.cols(); ++k) {
        if (left[k] != 0 && p.agreement(row, k) != 0) of_sign[p.agreement(row, k) > 0] = true;
      }
      if (of_sign[0] == of_sign[1]) continue;
      for (Eigen::Index k = 0; k < p.agreement.cols(); ++k) {
        if (p.agreement(row, k) != 0) left[k] = 0;
      }
      changed = true;
    }
  }
  std::vector<Eigen::Index> columns;
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (left[k] != 0) columns.push_back(static_cast<Eigen::Index>(k));
  }
  return columns;
}

}  // namespace

Optimum SolveRelaxed(const TrainingSet& training, double lambda) {
  const RelaxedProblem whole = MakeRelaxed(training, 0, training.data.size());
  const std::vector<Eigen::Index> left = ColumnsLeft(training, whole);
  const RelaxedProblem p{whole.psi(Eigen::all, left), whole.loss(left),
                         whole.simplex(Eigen::all, left), whole.agreement(Eigen::all, left)};
  Optimum optimum =
      SolveDual(p, lambda, NumExamples(training), MatrixXd(), Stack(p.simplex, p.agreement),
                OnesThenZeros(p.simplex.rows(), p.agreement.rows()));
  std::vector<double> marginals(whole.psi.cols(), 0.0);
  for (std::size_t k = 0; k < left.size(); ++k) marginals[left[k]] = optimum.marginals[k];
  optimum.marginals = std::move(marginals);
  return optimum;
}

Optimum SolveSoft(const TrainingSet& training, double lambda, double rho, double smoothing) {
  const RelaxedProblem p = MakeRelaxed(training, 0, training.data.size());
  MatrixXd extra = p.agreement.transpose() * p.agreement / (rho * NumExamples(training));
  extra.diagonal().array() += smoothing / NumExamples(training);
  return SolveDual(p, lambda, NumExamples(training), extra, p.simplex,
                   OnesThenZeros(p.simplex.rows(), 0));
}

namespace {

/// The optimum over all labellings; slack: with slack rescaling.
Optimum SolveOverLabellings(const TrainingSet& training, double lambda, bool slack) {
  std::vector<VectorXd> psi;
  std::vector<double> loss;
  std::vector<Index> example_of;
  for (Index m = 0; m < training.data.size(); ++m) {
    const RelaxedProblem own = MakeRelaxed(training, m, m + 1);
    ForEachLabelling(training.data.example(m).structure(), [&](const VectorXd& mu) {
      SLACKLINE_CHECK(psi.size() < 1500, "too many labelings for the exact reference");
      loss.push_back(own.loss.dot(mu));
      psi.push_back((slack ? loss.back() : 1) * (own.psi * mu));
      example_of.push_back(m);
    });
  }
  const auto columns = static_cast<Eigen::Index>(psi.size());
  RelaxedProblem p{MatrixXd::Zero(training.data.layout().size(), columns), VectorXd::Zero(columns),
                   MatrixXd::Zero(training.data.size(), columns), MatrixXd()};
  for (Eigen::Index k = 0; k < columns; ++k) {
    p.psi.col(k) = psi[k];
    p.loss[k] = loss[k];
    p.simplex(example_of[k], k) = 1;
  }
  return SolveDual(p, lambda, NumExamples(training), MatrixXd(), p.simplex,
                   OnesThenZeros(p.simplex.rows(), 0));
}

}  // namespace

Optimum SolveExact(const TrainingSet& training, double lambda) {
  return SolveOverLabellings(training, lambda, false);
}
Optimum SolveSlackRescaled(const TrainingSet& training, double lambda) {
  return SolveOverLabellings(training, lambda, true);
}

double RelaxedOptimum(const TrainingSet& training, double lambda) {
  return SolveRelaxed(training, lambda).value;
}
double ExactOptimum(const TrainingSet& training, double lambda) {
  return SolveExact(training, lambda).value;
}
double SoftOptimum(const TrainingSet& training, double lambda, double rho, double smoothing) {
  return SolveSoft(training, lambda, rho, smoothing).value;
}

double ExactPrimal(const TrainingSet& training, double lambda, std::span<const double> weights) {
  double hinge = 0;
  for (Index m = 0; m < training.data.size(); ++m) {
    const VectorXd theta = LossAugmentedScores(MakeRelaxed(training, m, m + 1), weights);
    double best = -kInfinity;
    ForEachLabelling(training.data.example(m).structure(),
                     [&](const VectorXd& mu) { best = std::max(best, theta.dot(mu)); });
    hinge += best;
  }
  return HalfSquaredNorm(lambda, weights) + hinge / NumExamples(training);
}

double SlackRescaledPrimal(const TrainingSet& training, double lambda,
                           std::span<const double> weights) {
  const Eigen::Map<const VectorXd> w(weights.data(), static_cast<Eigen::Index>(weights.size()));
  double hinge = 0;
  for (Index m = 0; m < training.data.size(); ++m) {
    const RelaxedProblem own = MakeRelaxed(training, m, m + 1);
    double best = -kInfinity;
    ForEachLabelling(training.data.example(m).structure(), [&](const VectorXd& mu) {
      best = std::max(best, own.loss.dot(mu) * (1 - w.dot(own.psi * mu)));
    });
    hinge += best;
  }
  return HalfSquaredNorm(lambda, weights) + hinge / NumExamples(training);
}

double RelaxedPrimal(const TrainingSet& training, double lambda, std::span<const double> weights) {
  double hinge = 0;
  for (Index m = 0; m < training.data.size(); ++m) {
    const RelaxedProblem p = MakeRelaxed(training, m, m + 1);
    const VectorXd theta = LossAugmentedScores(p, weights);
    hinge -=
        SolveQp(MatrixXd::Zero(theta.size(), theta.size()), -theta, Stack(p.simplex, p.agreement),
                OnesThenZeros(p.simplex.rows(), p.agreement.rows()))
            .objective;
  }
  return HalfSquaredNorm(lambda, weights) + hinge / NumExamples(training);
}

}  // namespace slackline::internal::test
