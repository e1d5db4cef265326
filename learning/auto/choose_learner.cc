// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/auto/choose_learner.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/derived_structure.h>
#include <slackline/core/graph_topology.h>
#include <slackline/core/kernel.h>
#include <slackline/core/parallel.h>
#include <slackline/core/slot_sweeps.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/inference/global_solver.h>
#include <slackline/inference/message_branch_and_bound.h>
#include <slackline/learning/auto/tuned.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/example_blocks/prox_sdca_learner.h>
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/oracle/inexact_options.h>
#include <slackline/learning/pdhg.h>
#include <slackline/learning/shards/weight_runs.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {
namespace {

/// What the choice depends on, over the problems of all ranks, each of which has its own examples.
/// All ranks must ask the same questions in the same order.
class ProblemOfRanks {
 public:
  ProblemOfRanks(const Problem& problem, Ranks& ranks) : data_(problem.data()), ranks_(ranks) {}

  template <class Test>
  bool AllGraphs(const Test& test) const {
    const auto& structures = data_.structures();
    return !AnyRank(!std::all_of(structures.begin(), structures.end(),
                                 [&](const auto& structure) { return test(structure->graph()); }));
  }
  template <class Test>
  bool AnyGraph(const Test& test) const {
    return !AllGraphs([&](const FactorGraph& graph) { return !test(graph); });
  }
  bool HasFactors() const { return AnyRank(internal::HasFactors(data_)); }
  bool HasGlobalFactors() const { return AnyRank(internal::HasGlobalFactors(data_)); }
  bool HasForbiddenStates() const { return AnyRank(internal::HasForbiddenStates(data_)); }
  /// Whether forbidden states remain that learners which need all states cannot leave out.
  bool ForbidsJointStates() const { return AnyRank(internal::ForbidsJointStates(data_)); }
  bool HasExampleOracles() const { return !AnyRank(!internal::HasExampleOracles(data_)); }

 private:
  bool AnyRank(bool mine) const { return ranks_.alone() ? mine : ranks_.Any(mine); }

  const Dataset& data_;
  Ranks& ranks_;
};

/// Throws DataError unless a learner with these options, in which the learner may be open, can
/// train on several ranks. Sets the number of shards.
void PrepareForRanks(TrainOptions* options) {
  const Ranks& ranks = RanksOf(*options);
  if (ranks.alone()) return;
  const std::string processes = std::to_string(ranks.size()) + " processes";
  if ((SetOf(options->learner) & ReadersOfShards()) == 0)
    throw DataError("learner " + std::string(Name(options->learner)) +
                    " needs a single process, but " + processes +
                    " train together; only --learner " + LearnerNames(ReadersOfShards()) +
                    " can do so");
  if (UsesKernel(*options)) RefuseKernelOnRanks(ranks);
  for (const std::string& excluded : ExcludedBy("shards", *options))
    RequireOneRank(ranks, excluded);
  if (options->tighten || options->certify == Certify::kTightened)
    RequireOneRank(ranks, "--tighten");
  options->shards = ShardsFor(*options);
}

/// Whether options are given that only factor blocks have.
bool AsksForFactorBlocks(const TrainOptions& options) {
  const auto& multipliers = options.own<AugmentedLagrangianOptions>();
  return options.own<PenaltyOptions>().rho > 0 ||
         multipliers.tau != AugmentedLagrangianOptions().tau ||
         multipliers.shrinking == Switch::kOff;
}

/// The refusal of options of factor blocks beside something that these do not support.
DataError NoFactorBlocks(const std::string& unsupported) {
  return DataError("--rho, --tau and --shrinking belong to factor blocks, which do not support " +
                   unsupported);
}

/// Whether options are given that only example blocks have.
bool AsksForExampleBlocks(const TrainOptions& options) {
  return options.average != AverageKind::kAuto || options.keep_newest ||
         options.step == StepKind::kAway || options.shards > 1 ||
         options.order == OrderKind::kGap || options.fixed_step || UsesKernel(options) ||
         options.associative || options.own<BcfwOptions>().planes == Switch::kOn;
}

/// Whether nothing joins the variables, so that each is best a block of its own. Not where examples
/// are single variables of more than two states: an active set of these states serves such an
/// example better than steps on pairs of them.
bool VariablesAreBlocks(const ProblemOfRanks& joint) {
  return !joint.HasFactors() && joint.AnyGraph([](const FactorGraph& graph) {
    return graph.num_variables() > 1 || graph.variable_states() <= 2;
  });
}

/// Whether the saddle point solves the problem, and nothing is asked for that only example blocks
/// have.
bool SaddleApplies(const ProblemOfRanks& joint, const TrainOptions& options) {
  return RanksOf(options).alone() && !AsksForExampleBlocks(options) &&
         options.step == StepKind::kAuto && options.order == OrderKind::kAuto &&
         options.proximal == Switch::kAuto && options.own<BcfwOptions>().planes == Switch::kAuto &&
         !joint.ForbidsJointStates();
}

/// Chooses example blocks, and their step where it is open. Returns the reason.
std::string TakeExampleBlocks(TrainOptions* options, const std::string& oracle,
                              const std::string& why) {
  options->learner = LearnerKind::kBcfw;
  if (options->step == StepKind::kAuto)
    options->step = options->fixed_step || HasInexactPasses(*options) ? StepKind::kFrankWolfe
                                                                      : StepKind::kPairwise;
  const std::string step = options->step == StepKind::kFrankWolfe
                               ? "Frank-Wolfe steps"
                               : std::string(Name(options->step)) + " steps over active sets";
  return "example blocks (bcfw), " + step + ", oracle " + oracle + ": " + why;
}

/// The same with the oracle that suits the graphs, which have tables.
std::string TakeExampleBlocks(const ProblemOfRanks& joint, TrainOptions* options) {
  if (joint.AllGraphs(IsForest))
    return TakeExampleBlocks(options, "dynamic programming",
                             "no graph has a cycle, so it is exact");
  if (joint.AllGraphs(IsBinaryPairwise) && options->certify != Certify::kExact)
    return TakeExampleBlocks(options, "roof duality",
                             "all variables are binary and all factors join at most two");
  const bool small =
      joint.AnyGraph([](const FactorGraph& graph) { return MessageBranchAndBound::Fits(graph); });
  if (options->certify == Certify::kExact) {
    options->oracle = SolverKind::kMessagesBranchAndBound;
    return TakeExampleBlocks(options, "message passing, with branch and bound on small graphs",
                             "the exact problem is asked for");
  }
  const bool relaxed = options->certify == Certify::kRelaxed;
  if (SaddleApplies(joint, *options)) {
    options->learner = LearnerKind::kPdhg;
    options->own<PdhgOptions>().labellings = Switch::kOn;
    options->oracle =
        small && !relaxed ? SolverKind::kMessagesBranchAndBound : SolverKind::kMessages;
    if (relaxed)
      return "labellings by message passing (bcfw), and the saddle point (pdhg) where they do not "
             "suffice: the relaxed problem is asked for";
    return small ? "example blocks (bcfw) by message passing with branch and bound; the LP "
                   "relaxation as a saddle point (pdhg) if that takes too long: the graphs have "
                   "cycles, and are small enough for branch and bound"
                 : "labellings by message passing (bcfw), and the saddle point (pdhg) where they "
                   "do not suffice: the graphs are large and have cycles";
  }
  if (small && !relaxed) {
    options->oracle = SolverKind::kMessagesBranchAndBound;
    return TakeExampleBlocks(
        options, "message passing, with branch and bound where messages do not close the gap",
        "the graphs have cycles, and are small enough for branch and bound");
  }
  options->oracle = SolverKind::kMessages;
  return TakeExampleBlocks(options, "message passing", "the graphs are large and have cycles");
}

/// Chooses the learner, and where they are open its step and oracle. Returns the reason.
std::string Decide(const Problem& problem, TrainOptions* options) {
  const ProblemOfRanks joint(problem, RanksOf(*options));
  const auto example_blocks = [&](const std::string& oracle, const std::string& why) {
    return TakeExampleBlocks(options, oracle, why);
  };
  const bool factor_blocks = AsksForFactorBlocks(*options);
  if (options->associative && factor_blocks) throw NoFactorBlocks("--associative");
  if (RescalesSlack(*options)) {
    if (factor_blocks) throw NoFactorBlocks("--rescaling slack");
    return example_blocks("of loss times score",
                          "with slack rescaling the loss is not a sum over factors");
  }
  if (problem.training().form == LossForm::kF1 && !factor_blocks) {
    return example_blocks("dynamic programming over counts",
                          "the loss 1 - F1 is not a sum over labels, which factor blocks need");
  }
  if (joint.HasGlobalFactors()) {
    // To be refused, as it does not support these factors.
    if (options->associative) return example_blocks("global", "--associative needs them");
    if (!factor_blocks && joint.HasExampleOracles() && !joint.HasForbiddenStates())
      return example_blocks("global",
                            "no variable is in two factors, so the maxima of the global factors "
                            "are those of the examples");
    options->learner = LearnerKind::kAugmentedLagrangian;
    return factor_blocks
               ? "factor blocks with multipliers (al): one of the given options applies only to "
                 "them"
               : "factor blocks with multipliers (al): examples have no oracle, because their "
                 "global factors share variables or stand beside factors with tables";
  }
  const bool joint_states = joint.ForbidsJointStates();
  if (factor_blocks && joint_states) throw NoFactorBlocks("forbidden joint states of factors");
  if (options->certify == Certify::kTightened && !AsksForExampleBlocks(*options) && !joint_states &&
      !joint.AllGraphs(IsForest)) {
    options->tighten = true;
    options->learner = LearnerKind::kAugmentedLagrangian;
    return "factor blocks with multipliers (al), larger around short cycles: the tightened "
           "relaxation is asked for";
  }
  if (joint.HasForbiddenStates() && !factor_blocks) {
    if (options->oracle != SolverKind::kAuto) {
      return example_blocks(std::string(SolverKindName(options->oracle)), "the oracle is given");
    }
    return TakeExampleBlocks(joint, options);
  }
  if (factor_blocks) {
    options->learner = LearnerKind::kAugmentedLagrangian;
    return "factor blocks with multipliers (al): one of the given options applies only to them";
  }
  if (options->oracle != SolverKind::kAuto) {
    return example_blocks(std::string(SolverKindName(options->oracle)), "the oracle is given");
  }
  if (!AsksForExampleBlocks(*options) && VariablesAreBlocks(joint)) {
    options->learner = LearnerKind::kAugmentedLagrangian;
    return "factor blocks (al): no factors join the variables, so every variable is its own block";
  }
  return TakeExampleBlocks(joint, options);
}

/// Array entries that visits of all examples touch, roughly.
std::int64_t PassWork(const Dataset& data) {
  std::int64_t entries = 0;
  for (Index m = 0; m < data.size(); ++m) entries += SweepEntries(data.example(m));
  return kVisitWork * data.size() + entries / 2;
}

}  // namespace

bool HasExampleOracles(const Dataset& data) {
  const auto& structures = data.structures();
  return std::all_of(structures.begin(), structures.end(), [](const auto& structure) {
    return structure->graph().num_global_factors() == 0 || HasExactGlobals(structure->graph());
  });
}

Index ShardsFor(const TrainOptions& options) {
  const Index ranks = RanksOf(options).size();
  if (options.shards <= 1) return ranks;
  if (options.shards < ranks)
    throw DataError("--shards " + std::to_string(options.shards) + ": " + std::to_string(ranks) +
                    " processes train together, and each needs a shard or more");
  return options.shards;
}

Index AutomaticShards(const Problem& problem, int threads) {
  if (threads == 1) return 1;
  const std::int64_t most = std::min<std::int64_t>(
      {threads, problem.size(), PassWork(problem.data()) / tuned::kLeastPassWork});
  if (most <= 1) return 1;
  const Index height = WeightRuns(problem.data(), WeightRuns::kLeastPartWork).LeastRareHeight();
  return height == 0 || height >= tuned::kLongColumn ? static_cast<Index>(most) : 1;
}

LearnerChoice ChooseLearner(const Problem& problem, const TrainOptions& options) {
  LearnerChoice choice{options, {}};
  TrainOptions& chosen = choice.options;
  const bool open_shards = chosen.shards == 0;
  if (open_shards) chosen.shards = 1;
  PrepareForRanks(&chosen);
  if (chosen.learner == LearnerKind::kAuto) {
    choice.reason = Decide(problem, &chosen);
    if (chosen.certify == Certify::kTightened && !chosen.tighten &&
        !ProblemOfRanks(problem, RanksOf(chosen)).AllGraphs(IsForest)) {
      throw DataError(
          "--certify tightened needs factor blocks (al), which do not serve this problem or the "
          "other options; use --certify relaxed, or --tighten with another learner");
    }
    chosen.certify = Certify::kAuto;  // has been decided
  }
  if (chosen.step == StepKind::kAuto) {
    if (chosen.learner == LearnerKind::kBcfw) chosen.step = StepKind::kFrankWolfe;
    if (chosen.learner == LearnerKind::kAugmentedLagrangian || chosen.learner == LearnerKind::kSoft)
      chosen.step = StepKind::kPairwise;
  }
  if (chosen.average == AverageKind::kAuto) chosen.average = AverageKind::kOff;
  const bool keeps_corners =
      chosen.learner == LearnerKind::kBcfw && chosen.step != StepKind::kFrankWolfe;
  Switch& planes = chosen.own<BcfwOptions>().planes;
  const bool best_iterates = chosen.average == AverageKind::kOff && !chosen.keep_newest;
  if (open_shards && RanksOf(chosen).alone() && keeps_corners && planes != Switch::kOn &&
      best_iterates && chosen.order != OrderKind::kCyclic && !chosen.associative) {
    chosen.shards = AutomaticShards(problem, NumThreads(chosen.threads));
    if (chosen.shards > 1 && !choice.reason.empty())
      choice.reason += "; in " + std::to_string(chosen.shards) + " shards, as --shards 0 chooses";
  }
  if (planes == Switch::kAuto) {
    const bool race = options.learner == LearnerKind::kAuto && keeps_corners && best_iterates &&
                      chosen.shards == 1 && !chosen.associative;
    planes = race ? Switch::kOn : Switch::kOff;
  }
  if (chosen.order == OrderKind::kAuto && RecordOf(chosen.learner).own_order.empty()) {
    chosen.order = keeps_corners ? OrderKind::kGap : OrderKind::kExample;
  }
  return choice;
}

}  // namespace slackline::internal
