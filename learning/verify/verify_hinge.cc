// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/verify/verify_hinge.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/check.h>
#include <slackline/factors/joint_states.h>
#include <slackline/inference/branch_and_bound.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/count_search.h>
#include <slackline/inference/global_solver.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/presolve.h>
#include <slackline/inference/rounding.h>
#include <slackline/learning/oracle/slack_oracle.h>
#include <slackline/learning/oracle/slack_search.h>
#include <slackline/learning/verify/verify.h>

namespace slackline::internal {
namespace {

constexpr double kMarginalTolerance = 1e-9;  // violation of constraints on marginals
constexpr Offset kMostListedLabellings = 1 << 12;
constexpr Offset kMostNodes = 1 << 20;  // a tenth of a second
constexpr int kSmoothSteps = 200;
constexpr double kSmoothGap = 1e-9;  // relative gap at which steps on a smoothed hinge end

/// Σ over the terms of the part of the coordinate scores that the state has.
double PlainScore(const ExampleView& example, Index part, Index state, std::span<const double> u) {
  const Structure& structure = example.structure();
  double score = 0;
  for (const FeatureTerm& term : structure.terms(part)) {
    const Index row = structure.map(term.map).rows[state];
    if (row != kAbsent) score += u[term.coordinate + row] * TermFactor(example, term, state);
  }
  return score;
}

std::unique_ptr<MapSolver> LimitedSearch(std::shared_ptr<const FactorGraph> graph) {
  return std::make_unique<BranchAndBoundSolver>(std::move(graph),
                                                BranchAndBoundOptions{.node_limit = kMostNodes});
}

}  // namespace

Index TrueState(const ExampleView& example, Index part) {
  const FactorGraph& graph = example.graph();
  if (part < graph.num_variables()) return example.labels()[part];
  return JointState(graph, part - graph.num_variables(), example.labels());
}

double TermFactor(const ExampleView& example, const FeatureTerm& term, Index state) {
  if (term.kind == FeatureKind::kLinear) return 1;
  if (term.kind == FeatureKind::kPotential) return example.potentials()[term.source + state];
  const StateMap& map = example.structure().map(term.map);
  return map.values.empty() ? 1.0 : map.values[state];
}

HingeVerifier::HingeVerifier(const Problem& problem, SolverKind trained, CertifiedProblem certified,
                             Rescaling rescaling, double smoothing)
    : problem_(problem), rescaling_(rescaling), smoothing_(smoothing) {
  const bool slack = rescaling == Rescaling::kSlack;
  const bool counts = problem.training().form == LossForm::kF1;
  for (const auto& structure : problem.data().structures()) {
    solvers_.push_back(nullptr);
    decoders_.push_back(nullptr);
    if (slack &&
        CountLabellings(structure->graph(), kMostListedLabellings) <= kMostListedLabellings) {
      AddName("enumeration");
    } else if (structure->graph().num_global_factors() > 0) {
      // With coupled global factors the bounds must hold for the relaxation, not only for
      // labellings, so labellings are not enumerated.
      GlobalDecodeOptions options;
      const bool exact = HasExactGlobals(structure->graph());
      options.enumerate = exact ? kMostListedLabellings : 0;
      const bool few = exact && CountLabellings(structure->graph(), kMostListedLabellings) <=
                                    kMostListedLabellings;
      decoders_.back() = std::make_unique<GlobalDecoder>(structure, options);
      AddName(few ? "enumeration" : exact ? "global" : "dual decomposition");
    } else {
      // Bounds of a relaxation hold for labellings, too, and slack rescaling calls the solver many
      // times.
      const SolverKind kind = slack ? VerifyingSolver(*structure,
                                                      trained == SolverKind::kAuto
                                                          ? AutomaticSlackSolver(structure->graph())
                                                          : trained,
                                                      CertifiedProblem::kRelaxed)
                                    : VerifyingSolver(*structure, trained, certified);
      // Training gave up on some of these graphs, and branch and bound may not finish on them. With
      // a limit on its nodes branch and bound returns an upper bound.
      solvers_.back() =
          kind == SolverKind::kBranchAndBound && trained == SolverKind::kMessagesBranchAndBound
              ? MakePresolvedSolver(structure->shared_graph(), LimitedSearch)
              : MakeMapSolver(kind, structure->shared_graph());
      std::string way = counts ? " for each count" : "";
      if (slack) way += " at multipliers";
      AddName(std::string(solvers_.back()->name()) + way);
    }
  }
}

void HingeVerifier::AddName(const std::string& name) {
  if (("," + names_ + ",").find("," + name + ",") != std::string::npos) return;
  names_ += (names_.empty() ? "" : ",") + name;
}

/// theta_ = w·φ of all states, without losses. Returns w·φ of the ground truth.
double HingeVerifier::FillScores(const ExampleView& example, std::span<const double> u) {
  const FactorGraph& graph = example.graph();
  theta_.assign(graph.total_states(), 0.0);
  double truth = GlobalScores(example, u, example.labels());
  for (Index a = 0; a < graph.num_parts(); ++a) {
    const Index label = TrueState(example, a);
    for (Index s = 0; s < graph.num_states(a); ++s) {
      const double score = PlainScore(example, a, s, u);
      theta_[graph.state_offset(a) + s] = score;
      if (s == label) truth += score;
    }
    for (const Index s : example.structure().forbidden_states(a))
      theta_[graph.state_offset(a) + s] = -kInfinity;
  }
  return truth;
}

VerifiedHinge HingeVerifier::Maximise(Index m, std::span<const double> u,
                                      std::span<const double> weights) {
  const ExampleView example = problem_.data().example(m);
  const std::span<const double> loss = problem_.loss(m);
  const double truth = FillScores(example, u);
  VerifiedHinge hinge;
  for (std::size_t s = 0; s < theta_.size(); ++s) {
    if (theta_[s] != -kInfinity)
      hinge.scores =
          std::max(hinge.scores, std::abs(theta_[s]) + (s < loss.size() ? std::abs(loss[s]) : 0.0));
  }
  if (rescaling_ == Rescaling::kSlack) {
    const std::size_t structure = problem_.data().structure_of(m);
    const bool few = solvers_[structure] == nullptr && decoders_[structure] == nullptr;
    if (few) {
      Slack(m, u, truth, &hinge);
    } else if (problem_.training().form == LossForm::kF1) {
      SlackCounts(m, truth, &hinge);
    } else {
      SlackByMultipliers(m, u, weights, truth, &hinge);
    }
    return hinge;
  }
  if (problem_.training().form == LossForm::kF1) {
    Counts(m, example, truth, &hinge);
    return hinge;
  }
  for (std::size_t s = 0; s < loss.size(); ++s) theta_[s] += loss[s];
  if (smoothing_ > 0) {
    Smoothed(m, example, u, weights, truth, &hinge);
    return hinge;
  }
  const Solution solution = Solve(m, example, u, weights, theta_, &hinge.feasible);
  // The ground truth has hinge 0.
  hinge.value = std::max(0.0, solution.value - truth);
  hinge.bound = std::max(solution.bound - truth, hinge.value);
  return hinge;
}

/// Maximises theta over the solver's domain. The value of the solution is recomputed from its
/// point.
HingeVerifier::Solution HingeVerifier::Solve(Index m, const ExampleView& example,
                                             std::span<const double> u,
                                             std::span<const double> weights,
                                             std::span<const double> theta, bool* feasible) {
  const FactorGraph& graph = example.graph();
  const std::size_t structure = problem_.data().structure_of(m);
  if (decoders_[structure] != nullptr) {
    decoders_[structure]->Decode(theta, weights, &result_);
  } else {
    solvers_[structure]->Solve(theta, nullptr, &result_);
  }
  Solution solution;
  solution.bound = result_.upper_bound;
  const std::size_t states = graph.variable_states();
  if (!result_.integral) {
    if (PolytopeViolation(graph, result_.marginals) > kMarginalTolerance) *feasible = false;
    solution.value = MarginalsScore(theta, result_.marginals);
    solution.marginals.assign(result_.marginals.begin(),
                              result_.marginals.begin() + static_cast<std::ptrdiff_t>(states));
    return solution;
  }
  solution.value = ScoreOf(example, u, theta, result_.labels);
  solution.marginals.assign(states, 0.0);
  for (Index i = 0; i < graph.num_variables(); ++i)
    solution.marginals[graph.state_offset(i) + result_.labels[i]] = 1;
  return solution;
}

/// Score of a labelling: theta and its global factors; −∞ when a global factor forbids it.
double HingeVerifier::ScoreOf(const ExampleView& example, std::span<const double> u,
                              std::span<const double> theta, std::span<const Index> labels) {
  return LabellingScore(example.graph(), theta, labels) + GlobalScores(example, u, labels);
}

/// Σ_g w·φ_g(labels), feature by feature; −∞ if a global factor forbids the labelling.
double HingeVerifier::GlobalScores(const ExampleView& example, std::span<const double> u,
                                   std::span<const Index> labels) {
  double score = 0;
  for (Index g = 0; g < example.graph().num_global_factors(); ++g) {
    const GlobalPart& part = example.structure().globals()[g];
    states_.resize(example.graph().global_scope(g).size());
    GlobalStates(example.graph(), g, labels, states_);
    if (!part.factor->Allows(states_)) return -kInfinity;
    features_.assign(part.factor->num_weights(), 0.0);
    part.factor->AddFeatures(states_, 1, features_);
    for (std::size_t k = 0; k < features_.size(); ++k)
      score += u[part.coordinate + k] * features_[k];
  }
  return score;
}

/// Maximises F(μ) = θ·μ + (γ/2) Σ_i (1 − ‖μ_i‖²) by Frank-Wolfe steps, starting at the ground
/// truth. At every point F is a lower bound on the largest F, and a maximum over the gradient θ −
/// γμ gives an upper bound. The best of both bounds are kept.
void HingeVerifier::Smoothed(Index m, const ExampleView& example, std::span<const double> u,
                             std::span<const double> weights, double truth, VerifiedHinge* hinge) {
  const FactorGraph& graph = example.graph();
  const double variables = graph.num_variables();
  std::vector<double> mu(graph.variable_states(), 0.0);
  for (Index i = 0; i < graph.num_variables(); ++i)
    mu[graph.state_offset(i) + example.labels()[i]] = 1;
  double linear = truth;  // θ·μ
  double squares = variables;
  const std::vector<double> theta = theta_;
  std::vector<double> gradient;
  hinge->bound = kInfinity;
  for (int step = 0; step < kSmoothSteps; ++step) {
    gradient = theta;
    for (std::size_t s = 0; s < mu.size(); ++s) gradient[s] -= smoothing_ * mu[s];
    const Solution corner = Solve(m, example, u, weights, gradient, &hinge->feasible);
    const double value = linear - truth + smoothing_ / 2 * (variables - squares);
    const double here = linear - smoothing_ * squares;  // the gradient times μ
    hinge->value = std::max(hinge->value, value);
    hinge->bound = std::min(hinge->bound, value + std::max(0.0, corner.bound - here));
    double along = 0;
    double length = 0;
    for (std::size_t s = 0; s < mu.size(); ++s) {
      const double d = corner.marginals[s] - mu[s];
      along += mu[s] * corner.marginals[s];
      length += d * d;
    }
    const double gap = corner.value - here;
    if (!(gap > kSmoothGap * (std::abs(value) + smoothing_))) break;
    const double share = length > 0 ? std::min(1.0, gap / (smoothing_ * length)) : 1.0;
    linear += share * (corner.value + smoothing_ * along - linear);
    squares = 0;
    for (std::size_t s = 0; s < mu.size(); ++s) {
      mu[s] += share * (corner.marginals[s] - mu[s]);
      squares += mu[s] * mu[s];
    }
  }
  hinge->bound = std::max(hinge->bound, hinge->value);
}

/// With k predicted and p relevant labels, h of them both, the loss is 1 − F1 = 1 − 2h/(p + k):
/// each hit reduces it by 2/(p + k).
void HingeVerifier::Counts(Index m, const ExampleView& example, double truth,
                           VerifiedHinge* hinge) {
  const auto& structure = problem_.data().structures()[problem_.data().structure_of(m)];
  const FactorGraph& graph = *structure->shared_graph();
  const std::span<const Index> labels = example.labels();
  const auto relevant = static_cast<Index>(std::count(labels.begin(), labels.end(), 1));
  std::vector<double> theta;
  for (Index k = 0; k <= graph.num_variables(); ++k) {
    theta = theta_;
    for (Index i = 0; i < graph.num_variables(); ++i) {
      if (labels[i] == 1) theta[graph.state_offset(i) + 1] -= 2.0 / (relevant + k);
    }
    const double constant = relevant + k > 0 ? 1 : 0;
    CountSearch search(structure->shared_graph(), {k, k});
    search.Solve(theta, solvers_[problem_.data().structure_of(m)].get(), &result_);
    const double value = ScoreOf(example, {}, theta_, result_.labels) +
                         problem_.training().LossOf(m, result_.labels);
    hinge->value = std::max(hinge->value, value - truth);
    hinge->bound = std::max(hinge->bound, result_.upper_bound + constant - truth);
  }
  hinge->bound = std::max(hinge->bound, hinge->value);
}

void HingeVerifier::Slack(Index m, std::span<const double> u, double truth, VerifiedHinge* hinge) {
  const ExampleView example = problem_.data().example(m);
  const FactorGraph& graph = example.graph();
  std::vector<Index> labels(graph.num_variables(), 0);
  do {
    const double score = ScoreOf(example, u, theta_, labels);
    if (score == -kInfinity) continue;  // forbidden
    const double delta = problem_.training().LossOf(m, labels);
    hinge->value = std::max(hinge->value, delta * (1 + score - truth));
    hinge->scores = std::max(hinge->scores, delta * (1 + std::abs(score) + std::abs(truth)));
  } while (NextJoint(graph.cardinalities(), labels));
  hinge->bound = hinge->value;
}

void HingeVerifier::SlackByMultipliers(Index m, std::span<const double> u,
                                       std::span<const double> weights, double truth,
                                       VerifiedHinge* hinge) {
  const ExampleView example = problem_.data().example(m);
  const FactorGraph& graph = example.graph();
  const std::span<const double> loss = problem_.loss(m);
  double largest = 0;
  for (Index i = 0; i < graph.num_variables(); ++i) {
    double most = 0;
    for (Index s = 0; s < graph.cardinality(i); ++s)
      most = std::max(most, loss[graph.state_offset(i) + s]);
    largest += most;
  }
  hinge->scores = largest * (1 + std::abs(truth) + hinge->scores);
  std::vector<double> theta;
  const SlackBounds bounds =
      SearchMultipliers(largest, {}, [&](double multiplier) -> MultiplierAnswer {
        theta = theta_;
        for (std::size_t s = 0; s < loss.size(); ++s) theta[s] += multiplier * loss[s];
        const Solution solution = Solve(m, example, u, weights, theta, &hinge->feasible);
        return {solution.bound - truth, ScoreOf(example, u, theta_, result_.labels) - truth,
                problem_.training().LossOf(m, result_.labels)};
      });
  hinge->value = bounds.value;
  hinge->bound = bounds.upper_bound;
}

/// For k predicted labels the loss is a sum (Counts), so that multipliers apply.
void HingeVerifier::SlackCounts(Index m, double truth, VerifiedHinge* hinge) {
  const std::size_t structure = problem_.data().structure_of(m);
  const ExampleView example = problem_.data().example(m);
  const FactorGraph& graph = example.graph();
  const std::span<const Index> labels = example.labels();
  const auto relevant = static_cast<Index>(std::count(labels.begin(), labels.end(), 1));
  std::vector<double> theta;
  for (Index k = 0; k <= graph.num_variables(); ++k) {
    if (relevant + k == 0) continue;  // the ground truth
    CountSearch search(problem_.data().structures()[structure]->shared_graph(), {k, k});
    const SlackBounds bounds = SearchMultipliers(1, {}, [&](double multiplier) -> MultiplierAnswer {
      theta = theta_;
      for (Index i = 0; i < graph.num_variables(); ++i) {
        if (labels[i] == 1) theta[graph.state_offset(i) + 1] -= multiplier * 2 / (relevant + k);
      }
      search.Solve(theta, solvers_[structure].get(), &result_);
      return {result_.upper_bound + multiplier - truth,
              ScoreOf(example, {}, theta_, result_.labels) - truth,
              problem_.training().LossOf(m, result_.labels)};
    });
    hinge->value = std::max(hinge->value, bounds.value);
    hinge->bound = std::max(hinge->bound, bounds.upper_bound);
  }
}

}  // namespace slackline::internal
