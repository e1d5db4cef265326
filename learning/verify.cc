// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/verify.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/graph_topology.h>
#include <slackline/core/number_text.h>
#include <slackline/core/timer.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/global_decoder.h>
#include <slackline/inference/global_solver.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/rounding.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/kernel_map.h>
#include <slackline/learning/marginal_learner.h>
#include <slackline/learning/prox_regulariser.h>

namespace slackline {
namespace {

constexpr double kTolerance = 1e-7;  // of the objective
constexpr double kOfLosses = 1e-9;  // of the objective at w = 0: its terms are of that size, whatever is left
constexpr double kFeasible = 1e-9;  // of marginals
constexpr double kRounding = 1e-12;  // of the largest scores
constexpr Offset kFewLabellings = 1 << 12;

std::size_t Size(Offset n) { return static_cast<std::size_t>(n); }

/// The feature of a state in a term, or none.
bool HasFeature(const StateMap& map, Index state) { return map.rows[Size(state)] != kAbsent; }

/// The scalar in front of the weight of a potential or constant feature.
double ScalarValue(const ExampleView& example, const FeatureTerm& term, const StateMap& map, Index state) {
  if (term.kind == FeatureKind::kPotential) return example.potentials()[Size(term.source + state)];
  return map.values.empty() ? 1.0 : map.values[Size(state)];
}

/// w·φ_part(state), feature by feature.
double PlainScore(const ExampleView& example, Index part, Index state, std::span<const double> weights) {
  const Structure& structure = example.structure();
  double score = 0;
  for (const FeatureTerm& term : structure.terms(part)) {
    const StateMap& map = structure.map(term.map);
    if (!HasFeature(map, state)) continue;
    const WeightBlock& block = structure.layout().block(term.block);
    const Index row = map.rows[Size(state)] + term.base;
    if (term.kind != FeatureKind::kLinear) {
      score += weights[Size(block.at(row, 0))] * ScalarValue(example, term, map, state);
      continue;
    }
    const FeatureRow x = example.input(structure.slots()[Size(term.source)].input);
    for (Index f = 0; f < x.count; ++f) {
      score += weights[Size(block.at(row, x.dense() ? f : x.columns[f]))] * x.values[f];
    }
  }
  return score;
}

/// q += coordinates of φ_part(state).
void AddPlainCoordinates(const ExampleView& example, Index part, Index state, std::span<double> q) {
  const Structure& structure = example.structure();
  for (const FeatureTerm& term : structure.terms(part)) {
    const StateMap& map = structure.map(term.map);
    if (!HasFeature(map, state)) continue;
    q[Size(term.coordinate + map.rows[Size(state)])] +=
        term.kind == FeatureKind::kLinear ? 1.0 : ScalarValue(example, term, map, state);
  }
}

/// Calls visit(position in the weight vector, coordinate, factor) for all features that coordinates stand for.
template <class Visit>
void ForEachWeight(const ExampleView& example, const Visit& visit) {
  const Structure& structure = example.structure();
  for (const Slot& slot : structure.slots()) {
    const WeightBlock& block = structure.layout().block(slot.block);
    const FeatureRow x = example.input(slot.input);
    for (Index f = 0; f < x.count; ++f) {
      for (Index r = 0; r < slot.rows; ++r) {
        visit(Size(block.at(r, x.dense() ? f : x.columns[f])), Size(slot.coordinate + r), x.values[f]);
      }
    }
  }
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    const WeightBlock& block = structure.layout().block(scalar.block);
    for (Index r = 0; r < scalar.rows; ++r) visit(Size(block.at(r, 0)), Size(scalar.coordinate + r), 1.0);
  }
}

/// Where the coordinates of a structure are its marginals: μ_i(1) of binary variables, μ_ij(1, 1) of pairs.
class ReadableMarginals {
 public:
  /// Empty unless each of these has a coordinate of its own.
  static std::optional<ReadableMarginals> Make(const Structure& structure) {
    const FactorGraph& graph = structure.graph();
    if (!IsBinaryPairwise(graph)) return std::nullopt;
    std::vector<int> uses(Size(structure.num_coordinates()), 0);
    for (Index a = 0; a < graph.num_parts(); ++a) {
      for (const FeatureTerm& term : structure.terms(a)) {
        for (const Index row : structure.map(term.map).rows) {
          if (row != kAbsent) ++uses[Size(term.coordinate + row)];
        }
      }
    }
    ReadableMarginals readable;
    for (Index a = 0; a < graph.num_parts(); ++a) {
      const Index last = graph.num_states(a) - 1;
      Index found = -1;
      for (const FeatureTerm& term : structure.terms(a)) {
        const StateMap& map = structure.map(term.map);
        const bool one =
            term.kind == FeatureKind::kLinear ||
            (term.kind == FeatureKind::kConstant && (map.values.empty() || map.values[Size(last)] == 1));
        if (!one || !HasFeature(map, last)) return std::nullopt;
        const Index coordinate = term.coordinate + map.rows[Size(last)];
        const auto present =
            std::count_if(map.rows.begin(), map.rows.end(), [](Index r) { return r != kAbsent; });
        if (present == 1 && uses[Size(coordinate)] == 1) found = coordinate;
      }
      if (found < 0) return std::nullopt;
      readable.coordinate_.push_back(found);
    }
    return readable;
  }

  /// The largest violation of the local polytope's constraints, the largest marginal of a forbidden state, and of Δ·μ = loss (relative to 1 + loss).
  double Violation(const Structure& structure, std::span<const double> q, std::span<const double> delta,
                   double loss) const {
    const FactorGraph& graph = structure.graph();
    double worst = 0;
    for (Index i = 0; i < graph.num_variables(); ++i) {
      const double p = At(q, i);
      worst = std::max({worst, -p, p - 1});
      for (const Index s : structure.forbidden_states(i)) worst = std::max(worst, s == 1 ? p : 1 - p);
      const auto state = Size(graph.state_offset(i));
      loss -= delta[state] * (1 - p) + delta[state + 1] * p;
    }
    for (Index c = 0; c < graph.num_factors(); ++c) {
      const std::span<const Index> scope = graph.scope(c);
      const double both = At(q, graph.num_variables() + c);
      const double first = At(q, scope[0]);
      const double second = At(q, scope[scope.size() - 1]);
      worst = std::max({worst, both - first, both - second, -both});
      worst = std::max(worst, (scope.size() == 1 ? first : first + second - 1) - both);
      const double rest = 1 - first - second + both;
      const double of_pair[] = {rest, second - both, first - both, both};
      for (const Index s : structure.forbidden_states(graph.num_variables() + c))
        worst = std::max(worst, scope.size() == 2 ? of_pair[s] : s == 1 ? both : 1 - both);
    }
    return std::max(worst, std::abs(loss));
  }

 private:
  double At(std::span<const double> q, Index part) const { return q[Size(coordinate_[Size(part)])]; }

  std::vector<Index> coordinate_;  // per part
};

/// What is known of one example's maximum.
struct Hinge {
  double value = 0;  // reached by a feasible point
  double bound = 0;
  double scores = 0;  // the largest |θ|
};

class Verifier {
 public:
  /// l1: σ of the objective's term σ‖w‖₁.
  Verifier(const Problem& problem, std::span<const double> weights, const ProgressRecord& claim,
           SolverKind trained, double l1)
      : problem_(problem), weights_(weights), l1_(l1), at_point_(weights.size(), 0.0) {
    for (const auto& structure : problem.data().structures()) {
      readable_.push_back(ReadableMarginals::Make(*structure));
      std::string name;
      if (structure->graph().num_global_factors() > 0) {
        // Bounds of the relaxation are wanted, not only of labellings: none are enumerated where the two may differ.
        GlobalDecodeOptions options;
        const bool exact = HasExactGlobals(structure->graph());
        options.enumerate = exact ? kFewLabellings : 0;
        const bool few = exact && CountLabellings(structure->graph(), kFewLabellings) <= kFewLabellings;
        name = few ? "enumeration" : exact ? "global" : "dual decomposition";
        solvers_.push_back(nullptr);
        decoders_.push_back(std::make_unique<GlobalDecoder>(structure, options));
      } else {
        const SolverKind kind = VerifyingSolver(*structure, trained, claim.problem);
        solvers_.push_back(MakeMapSolver(kind, structure->shared_graph()));
        decoders_.push_back(nullptr);
        name = solvers_.back()->name();
      }
      if (("," + names_ + ",").find("," + name + ",") == std::string::npos) {
        names_ += (names_.empty() ? "" : ",") + name;
      }
    }
  }

  /// Maximises example m, and adds its dual point if the learner has one.
  void Add(Index m, const Learner* learner) {
    const ExampleView example = problem_.data().example(m);
    const Hinge hinge = Maximise(m, example);
    value_ += hinge.value;
    bound_ += hinge.bound;
    scores_ = std::max(scores_, hinge.scores);
    double loss = 0;
    has_point_ = has_point_ && learner != nullptr && learner->DualPoint(m, &q_, &loss);
    if (has_point_) AddPoint(m, example, hinge, loss);
  }

  double primal() const { return Objective(bound_); }
  double primal_value() const { return Objective(value_); }
  double dual() const {
    if (!has_point_) return kNone;
    double conjugate = 0;  // ½‖w(μ)‖², with the soft threshold of the l1 term
    for (const double v : at_point_) {
      const double w = SoftThreshold(v, l1_ / problem_.lambda());
      conjugate += 0.5 * w * w;
    }
    return loss_ / problem_.size() - problem_.lambda() * conjugate;
  }
  bool has_point() const { return has_point_; }
  double scores() const { return scores_; }
  const std::string& names() const { return names_; }
  /// Empty, or what is wrong with the points themselves.
  const std::string& fault() const { return fault_; }

 private:
  double Objective(double hinges) const {
    double one_norm = 0;
    for (const double w : weights_) one_norm += std::abs(w);
    return Regulariser(problem_.lambda(), weights_) + l1_ * one_norm + hinges / problem_.size();
  }

  Hinge Maximise(Index m, const ExampleView& example) {
    const FactorGraph& graph = example.graph();
    theta_.assign(Size(graph.total_states()), 0.0);
    const std::span<const double> delta = problem_.loss(m);
    double given = 0;
    for (Index a = 0; a < graph.num_parts(); ++a) {
      const Index label = GivenState(example, a);
      for (Index s = 0; s < graph.num_states(a); ++s) {
        const double score = PlainScore(example, a, s, weights_);
        theta_[Size(graph.state_offset(a) + s)] = score;
        if (s == label) given += score;
      }
      for (const Index s : example.structure().forbidden_states(a))
        theta_[Size(graph.state_offset(a) + s)] = -kInfinity;
    }
    for (std::size_t s = 0; s < delta.size(); ++s) theta_[s] += delta[s];
    const std::size_t structure = Size(problem_.data().structure_of(m));
    Hinge hinge;
    if (decoders_[structure] != nullptr) {
      decoders_[structure]->Decode(theta_, weights_, &result_);
      given += GlobalScores(example, example.labels());
    } else {
      solvers_[structure]->Solve(theta_, nullptr, &result_);
    }
    for (const double score : theta_) {
      if (score != -kInfinity) hinge.scores = std::max(hinge.scores, std::abs(score));
    }
    // The given labelling has no loss: it reaches 0.
    hinge.value = std::max(0.0, ReachedValue(example) - given);
    hinge.bound = std::max(result_.upper_bound - given, hinge.value);
    return hinge;
  }

  static Index GivenState(const ExampleView& example, Index part) {
    const FactorGraph& graph = example.graph();
    if (part < graph.num_variables()) return example.labels()[Size(part)];
    return JointState(graph, part - graph.num_variables(), example.labels());
  }

  /// Σ θ·μ of the solver's solution, if that is a point of the domain.
  double ReachedValue(const ExampleView& example) {
    const FactorGraph& graph = example.graph();
    if (!result_.integral) {
      if (PolytopeViolation(graph, result_.marginals) > kFeasible)
        fault_ = "a solver's solution is not feasible";
      return MarginalsScore(theta_, result_.marginals);
    }
    return LabellingScore(graph, theta_, result_.labels) + GlobalScores(example, result_.labels);
  }

  /// Σ_g w·φ_g(labels), feature by feature; −∞ for what a global factor forbids.
  double GlobalScores(const ExampleView& example, std::span<const Index> labels) {
    double score = 0;
    for (Index g = 0; g < example.graph().num_global_factors(); ++g) {
      const GlobalPart& part = example.structure().globals()[Size(g)];
      states_.resize(example.graph().global_scope(g).size());
      GlobalStates(example.graph(), g, labels, states_);
      if (!part.factor->Allows(states_)) return -kInfinity;
      features_.assign(Size(part.factor->num_weights()), 0.0);
      part.factor->AddFeatures(states_, 1, features_);
      const Offset first =
          part.block < 0 ? 0 : example.structure().layout().block(part.block).at(part.base, 0);
      for (std::size_t k = 0; k < features_.size(); ++k) score += weights_[Size(first) + k] * features_[k];
    }
    return score;
  }

  void AddPoint(Index m, const ExampleView& example, const Hinge& hinge, double loss) {
    const FactorGraph& graph = example.graph();
    const std::optional<ReadableMarginals>& readable = readable_[Size(problem_.data().structure_of(m))];
    if (readable &&
        readable->Violation(example.structure(), q_, problem_.loss(m), loss) > kFeasible * (1 + loss)) {
      fault_ = "the dual point of example " + std::to_string(m) + " is not feasible";
    }
    given_.assign(q_.size(), 0.0);
    for (Index a = 0; a < graph.num_parts(); ++a) {
      AddPlainCoordinates(example, a, GivenState(example, a), given_);
    }
    for (Index g = 0; g < graph.num_global_factors(); ++g) {
      states_.resize(graph.global_scope(g).size());
      GlobalStates(graph, g, example.labels(), states_);
      AddGlobalFeatures(example.structure(), g, states_, 1, given_);
    }
    double value = loss;  // Δ·μ − w·ψ(μ)
    const double scale = 1 / problem_.lambda_m();
    ForEachWeight(example, [&](std::size_t position, std::size_t k, double x) {
      const double psi = (given_[k] - q_[k]) * x;
      at_point_[position] += scale * psi;
      value -= weights_[position] * psi;
    });
    const double room = kTolerance * (1 + loss + hinge.bound) + 1e3 * kRounding * hinge.scores;
    if (value > hinge.bound + room) {
      fault_ = "the dual point of example " + std::to_string(m) + " has a larger value than its maximum";
    }
    loss_ += loss;
  }

  const Problem& problem_;
  std::span<const double> weights_;
  double l1_;
  std::vector<std::unique_ptr<MapSolver>>
      solvers_;  // one per structure, null where there are global factors:
  std::vector<std::unique_ptr<GlobalDecoder>> decoders_;    // these, else null
  std::vector<std::optional<ReadableMarginals>> readable_;  // the same
  std::string names_;
  std::string fault_;
  MapResult result_;
  std::vector<double> theta_, q_, given_, features_;
  std::vector<Index> states_;
  std::vector<double> at_point_;  // w(μ)
  bool has_point_ = true;
  double value_ = 0;
  double bound_ = 0;
  double loss_ = 0;
  double scores_ = 0;
};

/// What is known of a run before its figures are looked at.
struct Training {
  double room = 0;            // of its figures
  double slack = 0;           // what an exact oracle's bound may lie too high: simplex solvers stop there
  bool exact_oracle = false;  // the primal is the objective, not only a bound on it
  bool own_bound = false;     // the lower bound is that of the dual point, not of several points
};

Training Describe(const Problem& problem, const TrainOptions& options, const ProgressRecord& claim,
                  const Learner* learner) {
  const auto& structures = problem.data().structures();
  const bool messages = std::any_of(structures.begin(), structures.end(), [&](const auto& structure) {
    return options.oracle == SolverKind::kMessages ||
           (options.oracle == SolverKind::kAuto &&
            AutomaticSolver(structure->graph()) == SolverKind::kMessages);
  });
  Training training;
  const double at_zero = PrimalAtZeroWeights(problem);
  training.room = kTolerance * std::abs(claim.primal) + kOfLosses * at_zero;
  training.slack = kTolerance * at_zero;
  training.own_bound = learner != nullptr && learner->DualPointIsBest();
  training.exact_oracle = (UsesOracle(options.learner) && !messages) || UsesMarginals(options.learner);
  return training;
}

std::string Figure(double value) { return NumberText(value, 9); }

/// Compares the figures and writes the sentence.
void Judge(const Verifier& verifier, const ProgressRecord& claim, const Training& training,
           Verification* result) {
  result->primal = verifier.primal();
  result->primal_value = verifier.primal_value();
  result->dual = verifier.dual();
  const double room = training.room + kRounding * verifier.scores();
  result->dual_proved = claim.dual <= std::max(0.0, result->dual) + room;
  std::string fault = verifier.fault();
  if (verifier.has_point() && !std::isfinite(result->dual)) fault = "the dual point is not finite";
  const std::string but = ", but by " + verifier.names() + " it is ";
  if (!(claim.primal >= result->primal_value - room)) {
    fault = "the objective was claimed to be " + Figure(claim.primal) + but + Figure(result->primal_value);
  } else if (training.exact_oracle && claim.primal > result->primal + room + training.slack) {
    fault = "the objective was claimed to be " + Figure(claim.primal) + but + Figure(result->primal);
  } else if (!(claim.dual <= result->primal + room)) {
    fault = "the lower bound was claimed to be " + Figure(claim.dual) + ", above the objective, which is " +
            Figure(result->primal) + " by " + verifier.names();
  } else if (training.own_bound && !result->dual_proved && !std::isnan(result->dual)) {
    fault = "the lower bound was claimed to be " + Figure(claim.dual) + ", but that of the dual point is " +
            Figure(result->dual);
  }
  result->outcome = fault.empty() ? VerifyOutcome::kHolds : VerifyOutcome::kFails;
  if (!fault.empty()) {
    result->message = "the certificate does not hold: " + fault;
    return;
  }
  result->message = "the certificate holds: objective " + Figure(result->primal) + " by " + verifier.names() +
                    " (claimed " + Figure(claim.primal) + ")";
  if (std::isnan(result->dual)) return;
  result->message += ", lower bound " + Figure(result->dual) + " from the dual point (claimed " +
                     Figure(claim.dual) + (result->dual_proved ? ")" : ", of other points)");
}

}  // namespace

SolverKind VerifyingSolver(const FactorGraph& graph, SolverKind trained, CertifiedProblem problem) {
  const bool few = CountLabellings(graph, kFewLabellings) <= kFewLabellings;
  const bool forest = IsForest(graph);
  const bool small = graph.total_states() <= kSmallLpStates;
  const bool binary = IsBinaryPairwise(graph);
  // Left to themselves, some learners take roof duality on forests and some dynamic programming.
  if (trained == SolverKind::kAuto && forest && binary && small && HasGlpk()) return SolverKind::kLp;
  if (trained == SolverKind::kAuto) trained = AutomaticSolver(graph);
  // Without cycles both problems are the same.
  if (forest && trained != SolverKind::kTree) return SolverKind::kTree;
  if (forest && binary) return SolverKind::kRoof;
  if (problem == CertifiedProblem::kExact || forest) {
    if (few && trained != SolverKind::kBruteForce) return SolverKind::kBruteForce;
    if (forest && HasGlpk() && small) return SolverKind::kLp;
    return forest ? SolverKind::kMessages : SolverKind::kSearch;
  }
  // The simplex takes seconds on large graphs. Roof duality comes with a feasible point and a bound from messages, both of
  // which are evaluated without it.
  if (binary && (trained != SolverKind::kRoof || !small || !HasGlpk())) return SolverKind::kRoof;
  if (!HasGlpk() || !small) return SolverKind::kMessages;
  return trained == SolverKind::kLp ? SolverKind::kLpPolytope : SolverKind::kLp;
}

SolverKind VerifyingSolver(const Structure& structure, SolverKind trained, CertifiedProblem problem) {
  const FactorGraph& graph = structure.graph();
  if (!structure.has_forbidden_states()) return VerifyingSolver(graph, trained, problem);
  const bool few = CountLabellings(graph, kFewLabellings) <= kFewLabellings;
  if (few && trained != SolverKind::kBruteForce) return SolverKind::kBruteForce;
  return IsForest(graph) ? SolverKind::kTree : SolverKind::kSearch;
}

void RequireVerifiable(const TrainOptions& options) {
  if (options.rescaling == Rescaling::kSlack) {
    throw DataError(
        "certificates of --rescaling slack cannot be verified: every example is maximised by enumeration "
        "already");
  }
}

Verification VerifyCertificate(const Problem& problem, std::span<const double> weights,
                               const ProgressRecord& claim, const TrainOptions& trained,
                               const Learner* learner, const VerifyOptions& options) {
  if (UsesKernel(trained)) {
    const KernelMap map(problem, KernelOf(trained, problem.data()));
    SLACKLINE_CHECK(weights.size() == Size(map.expansion().size()), "the weights do not fit the problem");
    // With auto, the learner is found again without the kernel.
    TrainOptions linear = WithoutKernel(trained);
    if (UsesKernel(linear)) linear.learner = LearnerKind::kBcfw;
    return VerifyCertificate(map.problem(), map.Weights(weights), claim, linear, learner, options);
  }
  SLACKLINE_CHECK(weights.size() == Size(problem.num_weights()), "the weights do not fit the problem");
  RequireVerifiable(trained);
  const WallTimer timer;
  const TrainOptions chosen = ChooseLearner(problem, trained).options;
  if (chosen.smoothing > 0 && chosen.learner == LearnerKind::kProxSdca)
    throw DataError("verification does not know smoothed objectives");
  const SolverKind oracle = UsesOracle(chosen.learner)      ? chosen.oracle
                            : UsesMarginals(chosen.learner) ? SolverKind::kTree
                                                            : SolverKind::kMessages;
  Verifier verifier(problem, weights, claim, oracle, chosen.l1);
  Verification result;
  result.solvers = verifier.names();
  for (Index m = 0; m < problem.size(); ++m) {
    if (options.interrupt != nullptr && options.interrupt->load(std::memory_order_relaxed) != 0) {
      result.seconds = timer.Seconds();
      result.message = "verification interrupted after " + std::to_string(m) + " of " +
                       std::to_string(problem.size()) + " examples";
      return result;
    }
    verifier.Add(m, learner);
    if (options.progress) options.progress(m + 1);
  }
  Judge(verifier, claim, Describe(problem, chosen, claim, learner), &result);
  result.seconds = timer.Seconds();
  return result;
}

}  // namespace slackline
