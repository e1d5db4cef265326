// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/verify/verify.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include <slackline/core/feature_map.h>
#include <slackline/core/graph_topology.h>
#include <slackline/core/number_text.h>
#include <slackline/core/split.h>
#include <slackline/core/timer.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/inference/brute_force.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/kernels/kernel_expansion.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/oracle/readable_marginals.h>
#include <slackline/learning/oracle/slack_oracle.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/sign_constraints.h>
#include <slackline/learning/verify/verify_hinge.h>
#include <slackline/learning/verify/verify_space.h>

namespace slackline::internal {
namespace {

constexpr double kTolerance = 1e-7;  // relative to the objective
// Relative to the objective at w = 0: terms of this size may cancel in the objective.
constexpr double kLossTolerance = 1e-9;
constexpr double kFeasible = 1e-9;        // violation of constraints on marginals
constexpr double kScoreRounding = 1e-12;  // relative to the largest scores
constexpr Offset kFewLabellings = 1 << 12;

/// q += coordinates of φ_part(state).
void AddPlainCoordinates(const ExampleView& example, Index part, Index state, std::span<double> q) {
  const Structure& structure = example.structure();
  for (const FeatureTerm& term : structure.terms(part)) {
    const Index row = structure.map(term.map).rows[state];
    if (row != kAbsent) q[term.coordinate + row] += TermFactor(example, term, state);
  }
}

/// The objective that is verified.
struct Objective {
  double l1 = 0;         // σ of a term σ‖w‖₁
  double smoothing = 0;  // γ of the smoothed hinge
  Rescaling rescaling = Rescaling::kMargin;
  SignConstraints signs = {};  // of the weights
};

/// The different names in lists with commas.
std::string UniteNames(const std::vector<std::string>& lists) {
  std::vector<std::string_view> names;
  std::string text;
  for (const std::string& list : lists) {
    std::vector<std::string_view> parts;
    SplitViews(list, ',', &parts);
    for (const std::string_view name : parts) {
      if (name.empty() || std::ranges::find(names, name) != names.end()) continue;
      names.push_back(name);
      text.append(text.empty() ? "" : ",").append(name);
    }
  }
  return text;
}

class Verifier {
 public:
  Verifier(const Problem& problem, std::unique_ptr<VerifySpace> space, const ProgressRecord& claim,
           SolverKind trained, const Objective& objective, Ranks& ranks)
      : problem_(problem),
        ranks_(ranks),
        num_examples_(NumExamples(problem, ranks)),
        space_(std::move(space)),
        objective_(objective),
        hinges_(problem, trained, claim.problem, objective.rescaling, objective.smoothing),
        weights_rounding_(space_->WeightsRounding()) {
    names_ = hinges_.names();
    if (objective.signs.FirstViolation(space_->weights()) != nullptr)
      fault_ = "a weight has a sign that the constraints forbid";
    const std::vector<Index> sizes = ranks.Gather(problem.size());
    first_example_ = std::accumulate(sizes.begin(), sizes.begin() + ranks.rank(), std::int64_t{0});
    for (const auto& structure : problem.data().structures()) {
      // Marginals cannot be read from points that slack rescaling multiplies by losses, nor checked
      // with the loss 1 − F1, which is not a sum over marginals.
      const bool read =
          objective.rescaling == Rescaling::kMargin && problem.training().form == LossForm::kSum;
      readable_.push_back(read ? ReadableMarginals::Make(*structure) : std::nullopt);
    }
  }

  /// Maximises example m, and adds its dual point if the learner has one.
  void Add(Index m, const DualPointSource* point) {
    u_.resize(problem_.data().example(m).structure().num_coordinates());
    space_->Scores(m, u_);
    const VerifiedHinge hinge = hinges_.Maximise(m, u_, space_->weights());
    // Each part of the maximiser and of the ground truth has a score.
    const double parts = 2.0 * problem_.data().example(m).graph().num_blocks();
    const double rounding = parts * weights_rounding_.score;
    score_rounding_ = std::max(score_rounding_, rounding);
    if (!hinge.feasible) fault_ = "a solver's solution is not feasible";
    value_ += hinge.value;
    bound_ += hinge.bound;
    scores_ = std::max(scores_, hinge.scores);
    double loss = 0;
    has_point_ = has_point_ && point != nullptr && point->DualPoint(m, &q_, &loss);
    if (has_point_) AddPoint(m, hinge, loss, rounding);
  }

  /// All ranks must call it after their last example. From then on the figures, the fault and the
  /// names cover the examples of all ranks.
  void AddUp() {
    if (ranks_.alone()) return;
    value_ = ranks_.SumOfReals(value_);
    bound_ = ranks_.SumOfReals(bound_);
    loss_ = ranks_.SumOfReals(loss_);
    scores_ = std::ranges::max(ranks_.Gather(scores_));
    score_rounding_ = std::ranges::max(ranks_.Gather(score_rounding_));
    has_point_ = !ranks_.Any(!has_point_);
    if (has_point_) space_->AddUpPoint(ranks_);
    fault_ = ranks_.FirstText(fault_);
    names_ = UniteNames(ranks_.GatherTexts(names_));
  }

  double primal() const { return Primal(bound_); }
  double primal_value() const { return Primal(value_); }
  double dual() const {
    if (!has_point_) return kNone;
    const double squares =
        space_->PointSquaredNorm(objective_.l1 / problem_.lambda(), objective_.signs);
    return loss_ / num_examples_ - problem_.lambda() / 2 * squares;
  }
  bool has_point() const { return has_point_; }
  double scores() const { return scores_; }
  /// Bounds on the errors of the primal and of the dual by rounding of kernel values. DualRounding
  /// sweeps over the point.
  double PrimalRounding() const {
    return problem_.lambda() / 2 * weights_rounding_.squared_norm + score_rounding_;
  }
  double DualRounding() const { return problem_.lambda() / 2 * space_->PointRounding(); }
  const std::string& names() const { return names_; }
  /// What is wrong with a dual point or with a solver's solution; empty: nothing.
  const std::string& fault() const { return fault_; }

 private:
  double Primal(double hinges) const {
    return problem_.lambda() / 2 * space_->SquaredNorm() + objective_.l1 * space_->OneNorm() +
           hinges / num_examples_;
  }

  /// Adds the dual point of example m to the dual, and checks it. rounding: bound on the rounding
  /// error of the example's hinge.
  void AddPoint(Index m, const VerifiedHinge& hinge, double loss, double rounding) {
    const ExampleView example = problem_.data().example(m);
    const FactorGraph& graph = example.graph();
    const std::optional<ReadableMarginals>& readable = readable_[problem_.data().structure_of(m)];
    if (readable && readable->Violation(example.structure(), q_, problem_.loss(m), loss,
                                        objective_.smoothing) > kFeasible * (1 + loss)) {
      fault_ = "the dual point of example " + NumberOf(m) + " is not feasible";
    }
    psi_.assign(q_.size(), 0.0);
    for (Index a = 0; a < graph.num_parts(); ++a)
      AddPlainCoordinates(example, a, TrueState(example, a), psi_);
    for (Index g = 0; g < graph.num_global_factors(); ++g) {
      states_.resize(graph.global_scope(g).size());
      GlobalStates(graph, g, example.labels(), states_);
      AddGlobalFeatures(example.structure(), g, states_, 1, psi_);
    }
    double value = loss;  // becomes Δ·μ − w·ψ(μ)
    for (std::size_t k = 0; k < psi_.size(); ++k) {
      psi_[k] -= q_[k];
      value -= u_[k] * psi_[k];
    }
    space_->AddToPoint(m, psi_, 1 / (problem_.lambda() * num_examples_));
    const double room =
        kTolerance * (1 + loss + hinge.bound) + 1e3 * kScoreRounding * hinge.scores + 2 * rounding;
    if (value > hinge.bound + room) {
      fault_ = "the dual point of example " + NumberOf(m) + " has a larger value than its maximum";
    }
    loss_ += loss;
  }

  /// The number of an example of this rank among those of all ranks.
  std::string NumberOf(Index m) const { return std::to_string(first_example_ + m); }

  const Problem& problem_;
  Ranks& ranks_;
  const double num_examples_;
  std::int64_t first_example_ = 0;
  std::unique_ptr<VerifySpace> space_;
  Objective objective_;
  HingeVerifier hinges_;
  std::string names_;
  std::vector<std::optional<ReadableMarginals>> readable_;  // per structure
  std::string fault_;
  std::vector<double> u_, q_, psi_;
  std::vector<Index> states_;
  bool has_point_ = true;
  double value_ = 0;
  double bound_ = 0;
  double loss_ = 0;
  double scores_ = 0;
  VerifySpace::Rounding weights_rounding_;
  double score_rounding_ = 0;  // largest bound on the rounding error of an example's hinge
};

/// Properties of a run that decide how its figures are compared.
struct Training {
  double room = 0;            // tolerance of its figures
  double slack = 0;           // further tolerance of an exact oracle's bound, for simplex solvers
  bool exact_oracle = false;  // the primal is the objective, not only a bound on it
  bool own_bound = false;     // the lower bound belongs to the dual point, not to several points
};

Training Describe(const Problem& problem, const TrainOptions& options, const ProgressRecord& claim,
                  const DualPointSource* point) {
  const auto& structures = problem.data().structures();
  Ranks& ranks = RanksOf(options);
  const bool messages =
      ranks.Any(std::any_of(structures.begin(), structures.end(), [&](const auto& structure) {
        return options.oracle == SolverKind::kMessages ||
               options.oracle == SolverKind::kExpansion ||
               options.oracle == SolverKind::kMessagesBranchAndBound ||
               (options.oracle == SolverKind::kAuto &&
                AutomaticSolver(structure->graph()) == SolverKind::kMessages);
      }));
  bool multipliers = false;  // whose bounds may be larger than the objective
  if (RescalesSlack(options)) {
    const std::vector<bool> needs = SlackNeedsSolver(problem, options.oracle);
    multipliers = ranks.Any(std::find(needs.begin(), needs.end(), true) != needs.end());
  }
  Training training;
  const double at_zero = PrimalAtZeroWeights(problem, ranks.alone() ? nullptr : &ranks);
  training.room = kTolerance * std::abs(claim.primal) + kLossTolerance * at_zero;
  training.slack = kTolerance * at_zero;
  training.own_bound = point != nullptr && point->DualPointIsBest();
  // A smoothed hinge is bounded at the newest marginals (prox_sdca_learner.h).
  const bool smoothed = options.learner == LearnerKind::kProxSdca && options.smoothing > 0;
  training.exact_oracle = !smoothed && !multipliers &&
                          (point == nullptr || point->PrimalIsObjective()) &&
                          ((UsesOracle(options.learner) && (!messages || RescalesSlack(options))) ||
                           UsesMarginals(options.learner));
  return training;
}

bool IsInterrupted(const VerifyOptions& options) {
  return options.interrupt != nullptr && options.interrupt->load(std::memory_order_relaxed) != 0;
}

std::string NineDigits(double value) { return NumberText(value, 9); }

/// Compares the figures; sets the outcome and the message of *result.
void Judge(const Verifier& verifier, const ProgressRecord& claim, const Training& training,
           Verification* result) {
  result->primal = verifier.primal();
  result->primal_value = verifier.primal_value();
  result->dual = verifier.dual();
  const double primal_rounding = verifier.PrimalRounding();
  const double dual_rounding = verifier.DualRounding();
  const double room = training.room + kScoreRounding * verifier.scores() + primal_rounding;
  result->dual_proved = claim.dual <= std::max(0.0, result->dual) + room + dual_rounding;
  std::string fault = verifier.fault();
  if (verifier.has_point() && !std::isfinite(result->dual)) fault = "the dual point is not finite";
  const std::string but = ", but by " + verifier.names() + " it is ";
  if (!(claim.primal >= result->primal_value - room)) {
    fault = "the objective was claimed to be " + NineDigits(claim.primal) + but +
            NineDigits(result->primal_value);
  } else if (training.exact_oracle && !claim.rough &&
             claim.primal > result->primal + room + training.slack) {
    fault = "the objective was claimed to be " + NineDigits(claim.primal) + but +
            NineDigits(result->primal);
  } else if (!(claim.dual <= result->primal + room)) {
    fault = "the lower bound was claimed to be " + NineDigits(claim.dual) +
            ", above the objective, which is " + NineDigits(result->primal) + " by " +
            verifier.names();
  } else if (training.own_bound && !result->dual_proved && !std::isnan(result->dual)) {
    fault = "the lower bound was claimed to be " + NineDigits(claim.dual) +
            ", but that of the dual point is " + NineDigits(result->dual);
  }
  result->outcome = fault.empty() ? VerifyOutcome::kHolds : VerifyOutcome::kFails;
  if (!fault.empty()) {
    result->message = "the certificate does not hold: " + fault;
    return;
  }
  result->message = "the certificate holds: objective " + NineDigits(result->primal) + " by " +
                    verifier.names() + " (claimed " + NineDigits(claim.primal) + ")";
  const double rounding = primal_rounding + dual_rounding;
  if (rounding > 1e-6 * claim.primal)
    result->message += ", within the rounding of kernel values (" + NumberText(rounding, 2) + ")";
  if (std::isnan(result->dual)) return;
  result->message += ", lower bound " + NineDigits(result->dual) +
                     " from the dual point (claimed " + NineDigits(claim.dual) +
                     (result->dual_proved ? ")" : ", of other points)");
}

}  // namespace

SolverKind VerifyingSolver(const FactorGraph& graph, SolverKind trained, CertifiedProblem problem) {
  const bool few = CountLabellings(graph, kFewLabellings) <= kFewLabellings;
  const bool forest = IsForest(graph);
  const bool small = graph.total_states() <= kSmallLpStates;
  const bool binary = IsBinaryPairwise(graph);
  // With kAuto, some learners use roof duality on forests, and some dynamic programming.
  if (trained == SolverKind::kAuto && forest && binary && small && HasGlpk())
    return SolverKind::kLp;
  if (trained == SolverKind::kAuto) trained = AutomaticSolver(graph);
  if (trained == SolverKind::kExpansion && !forest)
    return few ? SolverKind::kBruteForce : binary ? SolverKind::kRoof : SolverKind::kMessages;
  // Without cycles the relaxed and the exact problem are the same.
  if (forest && trained != SolverKind::kTree) return SolverKind::kTree;
  if (forest && binary) return SolverKind::kRoof;
  if (problem == CertifiedProblem::kExact || forest) {
    if (few && trained != SolverKind::kBruteForce) return SolverKind::kBruteForce;
    if (forest && HasGlpk() && small) return SolverKind::kLp;
    return forest ? SolverKind::kMessages : SolverKind::kBranchAndBound;
  }
  // The simplex method takes seconds on large graphs. Roof duality returns a feasible point and a
  // bound from messages; the verifier evaluates both without the code of roof duality.
  if (binary && (trained != SolverKind::kRoof || !small || !HasGlpk())) return SolverKind::kRoof;
  if (!HasGlpk() || !small) return SolverKind::kMessages;
  return trained == SolverKind::kLp ? SolverKind::kLpPolytope : SolverKind::kLp;
}

SolverKind VerifyingSolver(const Structure& structure, SolverKind trained,
                           CertifiedProblem problem) {
  const FactorGraph& graph = structure.graph();
  if (!structure.has_forbidden_states() || !IsForest(graph))
    return VerifyingSolver(graph, trained, problem);
  const bool few = CountLabellings(graph, kFewLabellings) <= kFewLabellings;
  return few && trained != SolverKind::kBruteForce ? SolverKind::kBruteForce : SolverKind::kTree;
}

Verification VerifyCertificate(const Problem& problem, std::span<const double> weights,
                               const ProgressRecord& claim, const TrainOptions& trained,
                               const DualPointSource* point, const VerifyOptions& options) {
  Ranks& ranks = RanksOf(trained);
  const WallTimer timer;
  const TrainOptions chosen = ChooseLearner(problem, trained).options;
  const SolverKind oracle = UsesOracle(chosen.learner)      ? chosen.oracle
                            : UsesMarginals(chosen.learner) ? SolverKind::kTree
                                                            : SolverKind::kMessages;
  const bool prox = chosen.learner == LearnerKind::kProxSdca;
  Verifier verifier(
      problem,
      UsesKernel(chosen)
          ? MakeKernelSpace(problem.data(), KernelOf(chosen, problem.data()), weights)
          : MakeLinearSpace(problem.data(), weights),
      claim, oracle,
      {chosen.l1, prox ? chosen.smoothing : 0, chosen.rescaling, SignsOf(problem, chosen)}, ranks);
  Verification result;
  result.solvers = verifier.names();
  Index done = 0;
  OnAllRanks(ranks, [&] {
    for (; done < problem.size() && !IsInterrupted(options); ++done) {
      verifier.Add(done, point);
      if (options.progress) options.progress(done + 1);
    }
  });
  const std::int64_t all_done = ranks.SumOf(done);
  if (all_done < ranks.SumOf(problem.size())) {
    result.seconds = timer.Seconds();
    result.message = "verification interrupted after " + std::to_string(all_done) + " of " +
                     std::to_string(ranks.SumOf(problem.size())) + " examples";
    return result;
  }
  verifier.AddUp();
  result.solvers = verifier.names();
  Judge(verifier, claim, Describe(problem, chosen, claim, point), &result);
  result.seconds = timer.Seconds();
  return result;
}

}  // namespace slackline::internal
