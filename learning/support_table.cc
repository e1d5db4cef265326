// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/support_table.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/derived_structure.h>
#include <slackline/core/graph_topology.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/global_solver.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/oracle/count_loss_oracle.h>
#include <slackline/learning/oracle/slack_oracle.h>
#include <slackline/learning/sign_constraints.h>

namespace slackline::internal {
namespace {

struct OracleRow {
  SolverKind oracle;
  NeedSet needs;
};
constexpr NeedSet kTablesOnly = NeedsAll(Need::kNoGlobals);
constexpr OracleRow kOracles[] = {
    {SolverKind::kRoof, kTablesOnly | NeedsAll(Need::kBinaryPairs)},
    {SolverKind::kMessages, kTablesOnly},
    {SolverKind::kMessagesBranchAndBound, kTablesOnly},
    {SolverKind::kLp, kTablesOnly},
    {SolverKind::kLpPolytope, kTablesOnly},
    {SolverKind::kTree, kTablesOnly | NeedsAll(Need::kNoCycles)},
    {SolverKind::kBruteForce, kTablesOnly | NeedsAll(Need::kBruteForce)},
    {SolverKind::kBranchAndBound, kTablesOnly},
    {SolverKind::kExpansion, kTablesOnly | NeedsAll(Need::kSignedPairs)},
    {SolverKind::kGlobal, NeedsAll(Need::kSomeGlobals, Need::kEveryState)},
};

struct TraitRow {
  Trait trait;
  NeedSet rules_out;
};
/// What no structure with global factors has.
constexpr NeedSet kNotWithGlobals =
    NeedsAll(Need::kMarginals, Need::kTables, Need::kNoGlobals, Need::kSignedPairs);
constexpr TraitRow kTraits[] = {
    {Trait::kFactors, NeedsAll(Need::kFreeVariables)},
    {Trait::kCycles, NeedsAll(Need::kMarginals, Need::kNoCycles)},
    {Trait::kNotBinaryPairs, NeedsAll(Need::kBinaryPairs)},
    {Trait::kGlobals, kNotWithGlobals},
    {Trait::kCoupledGlobals, kNotWithGlobals | NeedsAll(Need::kExampleOracle)},
    {Trait::kForbiddenStates, NeedsAll(Need::kEveryState)},
    {Trait::kManyCoupled, kNotWithGlobals | NeedsAll(Need::kExampleOracle, Need::kSlackOracle)},
    {Trait::kHugeLabellings, NeedsAll(Need::kBruteForce)},
    {Trait::kNoInputs, NeedsAll(Need::kInputs)},
    {Trait::kCountLoss, NeedsAll(Need::kSumLoss)},
    {Trait::kUnsignedPairs, NeedsAll(Need::kSignedPairs)},
};

/// Why a need is not met, and what the user can do instead. {} stands for the learner or the
/// oracle.
struct Reason {
  Need need;
  std::string_view text;
};
constexpr Reason kReasons[] = {
    {Need::kSumLoss,
     "{} needs a loss that is a sum over the labels, which 1 - F1 is not; use --learner auto, "
     "bcfw, fw, ssg, bmrm, or a cutting plane"},
    {Need::kNoGlobals,
     "{} does not support global factors, which have no tables; use --oracle auto"},
    {Need::kExampleOracle,
     "{} needs oracles over whole examples, which do not exist if global factors share variables "
     "or stand beside factors with tables; use --learner al or soft"},
    {Need::kMarginals,
     "{} needs exact marginals of whole examples, which exist only on graphs without cycles and "
     "without global factors; use --learner bcfw or al"},
    {Need::kTables,
     "{} needs the scores of all joint states of a factor, which global factors do not have; use "
     "--learner al, or soft without --smoothing"},
    {Need::kEveryState,
     "{} does not support forbidden joint states of factors; use --learner bcfw, on graphs without "
     "global factors"},
    {Need::kFreeVariables,
     "{} needs examples without factors, whose smoothed maximum is a projection; use --sdca-step "
     "2"},
    {Need::kSlackOracle,
     "{} needs oracles over whole examples, which do not exist if global factors share variables "
     "or stand beside factors with tables and an example has more than 4096 labellings; use "
     "--rescaling margin with --learner al or soft"},
    {Need::kBruteForce, "{} tries all labellings, but there are too many; use --oracle auto"},
    {Need::kNoCycles, "{} needs graphs without cycles; use --oracle auto"},
    {Need::kBinaryPairs,
     "{} needs binary variables and factors over one or two of them; use --oracle auto"},
    {Need::kSomeGlobals, "{} maximises global factors, but there are none; use --oracle auto"},
    {Need::kSignedPairs,
     "{} needs factors over at most two variables with equal numbers of states, whose every weight "
     "rewards either agreement or disagreement of the two, as Potts pairs and pairs with one "
     "weight per state do; use --learner auto without --associative"},
    {Need::kInputs,
     "there are no input vectors for a kernel to compare: all features are scalars; leave out "
     "--kernel, and use --learner bcfw"},
};
constexpr std::string_view kCountsNeed =
    "the loss 1 - F1 needs binary labels without cycles of pairs, without global factors and "
    "without forbidden states; with multi-label data, use --graph none or tree";
constexpr std::string_view kExpansionNeeds =
    "oracle expansion makes graph cuts, which need --associative; use it, or --oracle auto";
constexpr std::string_view kForbiddenPairs =
    "oracle expansion makes graph cuts, which forbidden states of pairs rule out where two states "
    "exclude each other but not a third one; use --oracle auto";
constexpr std::string_view kGlobalNeeds =
    "oracle global needs global factors that share no variables and do not stand beside factors "
    "with tables; use --oracle auto";
constexpr std::string_view kNoKernelsOfGlobals =
    "kernels cannot be combined with global factors, whose features are not inputs; leave out "
    "--kernel, and use --learner auto";

std::string TextOf(Need need, const std::string& subject) {
  const auto* reason = std::find_if(std::begin(kReasons), std::end(kReasons),
                                    [need](const Reason& row) { return row.need == need; });
  SLACKLINE_CHECK(reason != std::end(kReasons), "a need has no text");
  std::string text(reason->text);
  const std::size_t place = text.find("{}");
  if (place != std::string::npos) text.replace(place, 2, subject);
  return text;
}

/// Why the oracle of the loss 1 − F1 does not apply; empty when it does.
std::string CountLossFault(const Problem& problem, SolverKind oracle) {
  if (oracle != SolverKind::kAuto && oracle != SolverKind::kTree)
    return "the loss 1 - F1 has an oracle of its own: leave out --oracle";
  const auto& structures = problem.data().structures();
  const bool fit = std::all_of(structures.begin(), structures.end(), [](const auto& structure) {
    return CountLossOracle::Fits(*structure);
  });
  return fit ? std::string() : std::string(kCountsNeed);
}

/// Whether forbidden states of a pair break the inequality of expansion moves
/// (inference/alpha_expansion.h), whatever the finite scores are.
bool ForbiddenPairsCut(const Structure& structure) {
  const FactorGraph& graph = structure.graph();
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const std::span<const Index> forbidden = structure.forbidden_states(graph.num_variables() + c);
    if (forbidden.empty() || graph.scope(c).size() != 2) continue;
    const Index states = graph.cardinality(graph.scope(c)[0]);
    std::vector<bool> out(Size(states * states), false);
    for (const Index s : forbidden) out[Size(s)] = true;
    const auto is_out = [&](Index a, Index b) { return out[Size(a * states + b)]; };
    for (Index alpha = 0; alpha < states; ++alpha) {
      for (Index a = 0; a < states; ++a) {
        for (Index b = 0; b < states; ++b) {
          if (is_out(a, alpha) || is_out(alpha, b)) continue;
          if (is_out(a, b) || is_out(alpha, alpha)) return false;
        }
      }
    }
  }
  return true;
}

/// The text of the first ruled-out need in the order of kReasons.
std::string FirstFault(NeedSet faults, const std::string& subject) {
  for (const Reason& reason : kReasons) {
    if ((faults & NeedsAll(reason.need)) != 0) return TextOf(reason.need, subject);
  }
  return {};
}

NeedSet RuledOutByAll(TraitSet traits) {
  NeedSet needs = (traits & Bit(Trait::kGlobals)) != 0 ? 0 : NeedsAll(Need::kSomeGlobals);
  for (const Trait trait : kAllTraits) {
    if ((traits & Bit(trait)) != 0) needs |= RuledOutBy(trait);
  }
  return needs;
}

/// What the oracles of a problem's structures need.
class OracleNeeds {
 public:
  OracleNeeds(const Problem& problem, const TrainOptions& options, NeedSet way)
      : oracle_(options.oracle), slack_(RescalesSlack(options)) {
    // Some ways with slack rescaling need the solver for sums as well.
    if (slack_ && (way & NeedsAll(Need::kExampleOracle)) == 0)
      solver_ = SlackNeedsSolver(problem, oracle_);
  }
  SolverKind KindFor(const FactorGraph& graph) const {
    if (oracle_ != SolverKind::kAuto) return oracle_;
    return slack_ ? AutomaticSlackSolver(graph) : AutomaticSolver(graph);
  }
  bool NeedsSolver(std::size_t structure) const { return solver_.empty() || solver_[structure]; }
  NeedSet Of(std::size_t structure, SolverKind oracle) const {
    if (NeedsSolver(structure)) return NeedsOf(oracle);
    // Enumeration serves every structure that is not too large.
    return oracle_ == SolverKind::kBruteForce ? NeedsAll(Need::kBruteForce) : NeedSet{0};
  }

 private:
  SolverKind oracle_;
  bool slack_;
  std::vector<bool> solver_;  // per structure: whether it needs the solver; empty: all do
};

}  // namespace

std::vector<Way> Ways() {
  std::vector<Way> ways;
  for (const LearnerRecord* learner : Learners()) {
    for (const LearnerVariant& variant : learner->variants)
      ways.push_back({LearnerKind(learner->name), variant});
  }
  return ways;
}

Way WayOf(const TrainOptions& options) {
  const auto variants = RecordOf(options.learner).variants;
  const auto applies = [&](const LearnerVariant& variant) {
    return variant.applies == nullptr || variant.applies(options);
  };
  return {options.learner, *std::find_if(variants.begin(), variants.end(), applies)};
}

NeedSet NeedsOf(SolverKind oracle) {
  for (const OracleRow& row : kOracles) {
    if (row.oracle == oracle) return row.needs;
  }
  return 0;
}

NeedSet RuledOutBy(Trait trait) {
  for (const TraitRow& row : kTraits) {
    if (row.trait == trait) return row.rules_out;
  }
  return 0;
}

bool Supports(const Way& way, Trait trait) { return (way.variant.needs & RuledOutBy(trait)) == 0; }

TraitSet TraitsOf(const Structure& structure) {
  const FactorGraph& graph = structure.graph();
  TraitSet traits = 0;
  const auto set = [&traits](Trait trait, bool has) { traits |= has ? Bit(trait) : 0; };
  const bool globals = graph.num_global_factors() > 0;
  set(Trait::kFactors, graph.num_factors() > 0 || globals);
  set(Trait::kCycles, !globals && !IsForest(graph));
  set(Trait::kNotBinaryPairs, !IsBinaryPairwise(graph));
  set(Trait::kGlobals, globals);
  set(Trait::kCoupledGlobals, globals && !HasExactGlobals(graph));
  set(Trait::kForbiddenStates,
      globals ? structure.has_forbidden_states() : ForbidsJointStates(structure));
  set(Trait::kManyCoupled, globals && !HasExactGlobals(graph) &&
                               CountLabellings(graph, kMaxSlackLabellings) > kMaxSlackLabellings);
  set(Trait::kHugeLabellings, CountLabellings(graph, kMaxLabellings) > kMaxLabellings);
  set(Trait::kNoInputs, structure.slots().empty());
  return traits;
}

std::string Unsupported(const Problem& problem, const TrainOptions& options) {
  const LearnerVariant way = WayOf(options).variant;
  const std::string learner = "learner " + std::string(Name(options.learner)) +
                              (way.options.empty() ? "" : " with " + std::string(way.options));
  const bool counts = problem.training().form == LossForm::kF1;
  if (options.oracle == SolverKind::kExpansion && !options.associative)
    return std::string(kExpansionNeeds);
  TraitSet common = ~TraitSet{0};  // traits that all structures have
  const OracleNeeds oracles(problem, options, way.needs);
  for (std::size_t k = 0; k < problem.data().structures().size(); ++k) {
    const auto& structure = problem.data().structures()[k];
    TraitSet traits = TraitsOf(*structure) | (counts ? Bit(Trait::kCountLoss) : 0);
    if (options.associative && !HasAssociativeSigns(*structure))
      traits |= Bit(Trait::kUnsignedPairs);
    common &= traits;
    const NeedSet out = RuledOutByAll(traits);
    if (UsesKernel(options) && (out & NeedsAll(Need::kNoGlobals)) != 0)
      return std::string(kNoKernelsOfGlobals);
    // One input among all examples is enough for a kernel.
    std::string fault = FirstFault(way.needs & out & ~NeedsAll(Need::kInputs), learner);
    if (!fault.empty()) return fault;
    if ((way.needs & NeedsAll(Need::kExampleOracle, Need::kSlackOracle)) == 0) continue;
    if (counts) continue;  // the loss 1 − F1 has its own oracle, see below
    const SolverKind oracle = oracles.KindFor(structure->graph());
    const std::string name(SolverKindName(oracle));
    fault =
        FirstFault(oracles.Of(k, oracle) & out, options.oracle == SolverKind::kAuto
                                                    ? "the oracle of these examples (" + name + ")"
                                                    : "oracle " + name);
    if (!fault.empty()) return fault;
    if (oracle == SolverKind::kExpansion && oracles.NeedsSolver(k) &&
        !ForbiddenPairsCut(*structure))
      return std::string(kForbiddenPairs);
    if (oracle == SolverKind::kGlobal && (out & NeedsAll(Need::kExampleOracle)) != 0 &&
        oracles.NeedsSolver(k))
      return std::string(kGlobalNeeds);
  }
  if (counts) {
    std::string fault = CountLossFault(problem, options.oracle);
    if (!fault.empty()) return fault;
  }
  const bool lp = options.oracle == SolverKind::kLp || options.oracle == SolverKind::kLpPolytope;
  if (lp && !HasGlpk())
    return "oracle lp needs GLPK, which this build does not have; use --oracle auto or messages";
  if (UsesKernel(options) && (common & Bit(Trait::kNoInputs)) != 0)
    return TextOf(Need::kInputs, learner);
  return {};
}

}  // namespace slackline::internal
