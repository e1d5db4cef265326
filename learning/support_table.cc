// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/support_table.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/inference/brute_force.h>
#include <slackline/inference/global_solver.h>
#include <slackline/learning/oracle/count_loss_oracle.h>
#include <slackline/learning/oracle/slack_oracle.h>

namespace slackline::internal {
namespace {

template <class... Needs>
constexpr NeedSet NeedsAll(Needs... needs) {
  return (Bit(needs) | ... | NeedSet{0});
}

bool Always(const TrainOptions&) { return true; }
bool Smoothed(const TrainOptions& options) { return options.smoothing > 0; }
bool SlackRescaled(const TrainOptions& options) { return options.rescaling == Rescaling::kSlack; }
bool SdcaStep5(const TrainOptions& options) { return options.sdca_step == 5; }

constexpr NeedSet kOracle = Bit(Need::kExampleOracle);
constexpr NeedSet kOnSums = Bit(Need::kSumLoss);
constexpr NeedSet kOnMarginals = kOnSums | Bit(Need::kMarginals);
constexpr NeedSet kOnFactors = kOnSums | Bit(Need::kEveryState);
constexpr NeedSet kOnMessages = kOnSums | NeedsAll(Need::kEveryState, Need::kTables);
constexpr NeedSet kEnumerates = kOnSums | Bit(Need::kEnumeration);
constexpr NeedSet kOfKernels = NeedsAll(Need::kInputs, Need::kNoGlobals);

constexpr Way kWays[] = {
    {LearnerKind::kBcfw, "", Always, kOracle},
    {LearnerKind::kFrankWolfe, "", Always, kOracle},
    {LearnerKind::kKernelBcfw, "", Always, kOracle | kOfKernels},
    {LearnerKind::kKernelFrankWolfe, "", Always, kOracle | kOfKernels},
    {LearnerKind::kSubgradient, "", Always, kOracle},
    {LearnerKind::kCuttingPlane1, "--rescaling slack", SlackRescaled, kEnumerates},
    {LearnerKind::kCuttingPlane1, "", Always, kOracle},
    {LearnerKind::kCuttingPlaneN, "--rescaling slack", SlackRescaled, kEnumerates},
    {LearnerKind::kCuttingPlaneN, "", Always, kOracle},
    {LearnerKind::kBundle, "", Always, kOracle},
    {LearnerKind::kExponentiatedGradient, "", Always, kOnMarginals},
    {LearnerKind::kExcessiveGap, "", Always, kOnMarginals},
    {LearnerKind::kExtragradient, "", Always, kOnMarginals},
    {LearnerKind::kAugmentedLagrangian, "", Always, kOnFactors},
    {LearnerKind::kSoft, "--smoothing", Smoothed, kOnMessages},
    {LearnerKind::kSoft, "", Always, kOnFactors},
    {LearnerKind::kDlpw, "", Always, kOnMessages},
    {LearnerKind::kSmoothDlpw, "", Always, kOnMessages},
    {LearnerKind::kProxSdca, "--sdca-step 5 --smoothing", SdcaStep5,
     kOnSums | kOracle | Bit(Need::kFreeVariables)},
    {LearnerKind::kProxSdca, "--smoothing", Smoothed, kOnSums | kOracle},
    {LearnerKind::kProxSdca, "", Always, kOnSums | kOracle},
    {LearnerKind::kMultiSample, "", Always, kOnSums | kOracle},
};

struct OracleRow {
  SolverKind oracle;
  NeedSet needs;
};
constexpr NeedSet kTablesOnly = Bit(Need::kNoGlobals);
constexpr OracleRow kOracles[] = {
    {SolverKind::kRoof, kTablesOnly | NeedsAll(Need::kBinaryPairs, Need::kEveryState)},
    {SolverKind::kMessages, kTablesOnly | Bit(Need::kEveryState)},
    {SolverKind::kMessagesBranchAndBound, kTablesOnly | Bit(Need::kEveryState)},
    {SolverKind::kLp, kTablesOnly | Bit(Need::kEveryState)},
    {SolverKind::kLpPolytope, kTablesOnly | Bit(Need::kEveryState)},
    {SolverKind::kTree, kTablesOnly | Bit(Need::kNoCycles)},
    {SolverKind::kBruteForce, kTablesOnly | Bit(Need::kBruteForce)},
    {SolverKind::kBranchAndBound, kTablesOnly},
    {SolverKind::kGlobal, NeedsAll(Need::kSomeGlobals, Need::kEveryState)},
};

struct TraitRow {
  Trait trait;
  NeedSet rules_out;
};
constexpr TraitRow kTraits[] = {
    {Trait::kFactors, Bit(Need::kFreeVariables)},
    {Trait::kCycles, NeedsAll(Need::kMarginals, Need::kNoCycles)},
    {Trait::kNotBinaryPairs, Bit(Need::kBinaryPairs)},
    {Trait::kGlobals, NeedsAll(Need::kMarginals, Need::kTables, Need::kNoGlobals)},
    {Trait::kCoupledGlobals, Bit(Need::kExampleOracle)},
    {Trait::kForbiddenStates, Bit(Need::kEveryState)},
    {Trait::kManyLabellings, Bit(Need::kEnumeration)},
    {Trait::kHugeLabellings, Bit(Need::kBruteForce)},
    {Trait::kNoInputs, Bit(Need::kInputs)},
    {Trait::kCountLoss, Bit(Need::kSumLoss)},
};

/// Why a need is not met, and what to do instead. {} stands for the learner or the oracle.
struct Reason {
  Need need;
  std::string_view text;
};
constexpr Reason kReasons[] = {
    {Need::kSumLoss,
     "{} needs a loss that is a sum over the labels, which 1 - F1 is not; use --learner auto, "
     "bcfw, fw, ssg, bmrm, or a cutting plane without --rescaling slack"},
    {Need::kNoGlobals, "{} does not see global factors, which have no tables; use --oracle auto"},
    {Need::kExampleOracle,
     "{} needs oracles over whole examples, which there are not where global factors share "
     "variables or stand beside factors with tables; use --learner al or soft"},
    {Need::kMarginals,
     "{} needs exact marginals of whole examples, which there are without global factors and on "
     "graphs without cycles only; use --learner bcfw or al"},
    {Need::kTables,
     "{} needs the scores of all joint states of a factor, which global factors do not have; use "
     "--learner al, or soft without --smoothing"},
    {Need::kEveryState,
     "{} cannot leave out forbidden states, which need graphs without cycles (--oracle tree), or "
     "--oracle branch-and-bound or brute-force on small ones, and no global factors beside them; "
     "use --learner bcfw"},
    {Need::kFreeVariables,
     "{} needs examples without factors, whose smoothed maximum is a projection; use --sdca-step "
     "2"},
    {Need::kEnumeration,
     "--rescaling slack enumerates the labellings of every example, at most 4096; there are "
     "examples with more: use --rescaling margin"},
    {Need::kBruteForce, "{} tries all labellings, and there are too many; use --oracle auto"},
    {Need::kNoCycles, "{} needs graphs without cycles; use --oracle auto"},
    {Need::kBinaryPairs,
     "{} needs binary variables and factors over one or two of them; use --oracle auto"},
    {Need::kSomeGlobals, "{} maximises global factors, and there are none; use --oracle auto"},
    {Need::kInputs,
     "there are no input vectors for a kernel to compare: all features are scalars; leave out "
     "--kernel, and use --learner bcfw"},
};
constexpr std::string_view kCountsNeed =
    "the loss 1 - F1 needs binary labels without cycles of pairs, without global factors and "
    "without forbidden states: for labels, --graph none or tree";
constexpr std::string_view kNoKernelsOfGlobals =
    "kernels do not go with global factors, whose features are not inputs; leave out --kernel, and "
    "use --learner auto";

std::string TextOf(Need need, const std::string& who) {
  const auto* reason = std::find_if(std::begin(kReasons), std::end(kReasons),
                                    [need](const Reason& row) { return row.need == need; });
  SLACKLINE_CHECK(reason != std::end(kReasons), "a need has no text");
  std::string text(reason->text);
  const std::size_t place = text.find("{}");
  if (place != std::string::npos) text.replace(place, 2, who);
  return text;
}

/// Why the maximum with the loss 1 − F1 does not apply; empty when it does.
std::string CountLossFault(const Problem& problem, SolverKind oracle) {
  if (oracle != SolverKind::kAuto && oracle != SolverKind::kTree)
    return "the loss 1 - F1 has an oracle of its own: leave out --oracle";
  const auto& structures = problem.data().structures();
  const bool fit = std::all_of(structures.begin(), structures.end(), [](const auto& structure) {
    return CountLossOracle::Fits(*structure);
  });
  return fit ? std::string() : std::string(kCountsNeed);
}

/// The text of the first need, in the order of the reasons, that is ruled out.
std::string FirstFault(NeedSet faults, const std::string& who) {
  for (const Reason& reason : kReasons) {
    if ((faults & Bit(reason.need)) != 0) return TextOf(reason.need, who);
  }
  return {};
}

NeedSet RuledOutByAll(TraitSet traits) {
  NeedSet needs = (traits & Bit(Trait::kGlobals)) != 0 ? 0 : Bit(Need::kSomeGlobals);
  for (const Trait trait : kAllTraits) {
    if ((traits & Bit(trait)) != 0) needs |= RuledOutBy(trait);
  }
  return needs;
}

}  // namespace

std::span<const Way> Ways() { return kWays; }

const Way& WayOf(const TrainOptions& options) {
  for (const Way& way : kWays) {
    if (way.learner == options.learner && way.applies(options)) return way;
  }
  SLACKLINE_CHECK(
      false, "learner '" + std::string(Name(options.learner)) + "' is not in the support table");
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

bool Supports(const Way& way, Trait trait) { return (way.needs & RuledOutBy(trait)) == 0; }

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
  set(Trait::kForbiddenStates, structure.has_forbidden_states());
  set(Trait::kManyLabellings, CountLabellings(graph, kMaxSlackLabellings) > kMaxSlackLabellings);
  set(Trait::kHugeLabellings, CountLabellings(graph, kMaxLabellings) > kMaxLabellings);
  set(Trait::kNoInputs, structure.slots().empty());
  return traits;
}

std::string Unsupported(const Problem& problem, const TrainOptions& options) {
  const Way& way = WayOf(options);
  const std::string learner = "learner " + std::string(Name(options.learner)) +
                              (way.options.empty() ? "" : " with " + std::string(way.options));
  const bool counts = problem.training().form == LossForm::kF1;
  TraitSet common = ~TraitSet{0};  // of all structures
  for (const auto& structure : problem.data().structures()) {
    const TraitSet traits = TraitsOf(*structure) | (counts ? Bit(Trait::kCountLoss) : 0);
    common &= traits;
    const NeedSet out = RuledOutByAll(traits);
    if (UsesKernel(options) && (out & Bit(Need::kNoGlobals)) != 0)
      return std::string(kNoKernelsOfGlobals);
    // One input among all examples is enough for a kernel.
    std::string fault = FirstFault(way.needs & out & ~Bit(Need::kInputs), learner);
    if (!fault.empty()) return fault;
    if ((way.needs & Bit(Need::kExampleOracle)) == 0) continue;
    if (counts) continue;  // it has its own, see below
    const bool chosen = options.oracle == SolverKind::kAuto;
    const SolverKind oracle = chosen ? AutomaticSolver(structure->graph()) : options.oracle;
    const std::string name(SolverKindName(oracle));
    fault = FirstFault(NeedsOf(oracle) & out,
                       chosen ? "the oracle of these examples (" + name + ")" : "oracle " + name);
    if (!fault.empty()) return fault;
  }
  if (counts) {
    std::string fault = CountLossFault(problem, options.oracle);
    if (!fault.empty()) return fault;
  }
  const bool lp = options.oracle == SolverKind::kLp || options.oracle == SolverKind::kLpPolytope;
  if (lp && !HasGlpk())
    return "oracle lp is GLPK's, which this build does not have; use --oracle auto or messages";
  if (UsesKernel(options) && (common & Bit(Trait::kNoInputs)) != 0)
    return TextOf(Need::kInputs, learner);
  return {};
}

}  // namespace slackline::internal
