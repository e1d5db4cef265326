// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/learner_ways.h"

#include <slackline/core/derived_structure.h>
#include <slackline/core/graph_topology.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/example_blocks/prox_sdca_learner.h>
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/factor_blocks/soft.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/oracle/inexact_options.h>
#include <slackline/learning/planes/joint_planes.h>
#include <slackline/learning/planes/plane_options.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/sign_constraints.h>

namespace slackline::internal::test {
namespace {

constexpr LearnerKind kPlaneLearners[] = {LearnerKind::kCuttingPlane1, LearnerKind::kCuttingPlaneN,
                                          LearnerKind::kBundle};
constexpr LearnerKind kMarginalLearners[] = {
    LearnerKind::kExponentiatedGradient, LearnerKind::kExcessiveGap, LearnerKind::kExtragradient};
constexpr AverageKind kAverages[] = {AverageKind::kOff, AverageKind::kUniform,
                                     AverageKind::kWeighted, AverageKind::kSuffix};
constexpr OrderKind kOrders[] = {OrderKind::kExample, OrderKind::kUniform, OrderKind::kCyclic};

TrainOptions Of(LearnerKind learner, SolverKind oracle = SolverKind::kAuto) {
  return {.learner = learner, .oracle = oracle};
}

bool HasFactors(const Problem& problem) {
  return !AllGraphs(problem, [](const FactorGraph& graph) { return graph.num_factors() == 0; });
}

/// Deals the examples of some runs into shards, where the options of a learner allow it.
void DealSome(Random& random, TrainOptions* options) {
  const bool averages =
      options->average != AverageKind::kAuto && options->average != AverageKind::kOff;
  if (averages || options->fixed_step || options->order == OrderKind::kCyclic ||
      options->own<ProxSdcaOptions>().random_output ||
      options->own<BcfwOptions>().planes == Switch::kOn)
    return;
  options->shards = Pick(random, std::vector<Index>{1, 2, 3});
}

/// Learners on messages, and smoothed soft constraints.
void AddDualLosses(Random& random, std::vector<TrainOptions>* ways) {
  for (const LearnerKind learner :
       {LearnerKind::kDlpw, LearnerKind::kSmoothDlpw, LearnerKind::kSoft}) {
    TrainOptions options = Of(learner);
    options.order = Pick(random, kOrders);
    if (learner != LearnerKind::kSoft)
      options.own<DualLossOptions>().step_size = Pick(random, std::vector{0.0, 1e-3, 1.0, 1e4});
    if (learner != LearnerKind::kDlpw)
      options.smoothing = Pick(random, std::vector{1e-6, 1e-2, 1.0, 1e3});
    if (learner == LearnerKind::kSoft) DealSome(random, &options);
    ways->push_back(options);
  }
}

void AddFactorBlocks(Random& random, std::vector<TrainOptions>* ways) {
  for (const LearnerKind learner : {LearnerKind::kAugmentedLagrangian, LearnerKind::kSoft}) {
    for (const StepKind step : {StepKind::kFrankWolfe, StepKind::kPairwise}) {
      TrainOptions options = Of(learner);
      options.step = step;
      options.order = Pick(random, kOrders);
      if (random.Below(2) == 0)
        options.own<PenaltyOptions>().rho = Pick(random, std::vector{1e-6, 1e-2, 1.0, 1e2, 1e6});
      const bool says_rho = options.own<PenaltyOptions>().rho > 0 || learner == LearnerKind::kSoft;
      if (random.Below(2) == 0 && says_rho)
        options.own<PenaltyOptions>().rho_scale = RhoScale::kPaper;
      if (learner == LearnerKind::kSoft && random.Below(3) == 0) {
        options.own<SoftOptions>().rho_final =
            0.1 * (options.own<PenaltyOptions>().rho > 0 ? options.own<PenaltyOptions>().rho : 1);
        options.own<SoftOptions>().rho_passes = 10;
      }
      if (learner == LearnerKind::kSoft && random.Below(3) == 0) options.proximal = Switch::kOn;
      if (learner == LearnerKind::kAugmentedLagrangian && random.Below(2) == 0)
        options.own<AugmentedLagrangianOptions>().tau = 0.3;
      if (learner == LearnerKind::kAugmentedLagrangian && random.Below(3) == 0)
        options.own<AugmentedLagrangianOptions>().shrinking = Switch::kOff;
      DealSome(random, &options);
      ways->push_back(options);
    }
  }
}

/// bcfw with every kind of step.
void AddExampleBlocks(Random& random, SolverKind oracle, std::vector<TrainOptions>* ways) {
  for (const StepKind step : {StepKind::kFrankWolfe, StepKind::kPairwise, StepKind::kAway}) {
    TrainOptions options = Of(LearnerKind::kBcfw, oracle);
    options.step = step;
    if (random.Below(5) > 0) options.average = Pick(random, kAverages);
    options.order = Pick(random, kOrders);
    if (step != StepKind::kFrankWolfe && random.Below(2) == 0) options.order = OrderKind::kGap;
    if (step != StepKind::kFrankWolfe && random.Below(3) == 0) options.proximal = Switch::kOff;
    const bool averages =
        options.average != AverageKind::kAuto && options.average != AverageKind::kOff;
    if (step != StepKind::kFrankWolfe && !averages && random.Below(2) == 0)
      options.own<BcfwOptions>().planes = Switch::kOn;
    DealSome(random, &options);
    ways->push_back(options);
  }
}

/// Learners without active sets, and options that no other learner has.
TrainOptions SimpleWay(Random& random, SolverKind oracle) {
  TrainOptions options = Of(Pick(random, std::vector{LearnerKind::kBcfw, LearnerKind::kFrankWolfe,
                                                     LearnerKind::kSubgradient}),
                            oracle);
  if (options.learner != LearnerKind::kFrankWolfe) options.average = Pick(random, kAverages);
  if (options.learner == LearnerKind::kBcfw) options.step = StepKind::kFrankWolfe;
  if (options.learner != LearnerKind::kSubgradient) options.fixed_step = random.Below(2) == 0;
  if (options.learner == LearnerKind::kBcfw &&
      (oracle == SolverKind::kLp || oracle == SolverKind::kLpPolytope))
    options.own<InexactOptions>().lp_tolerance = Pick(random, std::vector{0.0, 1e-6, 1e-3, 0.1});
  if (options.learner != LearnerKind::kSubgradient && oracle == SolverKind::kMessages)
    options.own<InexactOptions>().oracle_iterations = Pick(random, std::vector<Index>{0, 1, 3});
  if (options.fixed_step)
    options.own<InexactOptions>().step_quality = Pick(random, std::vector{1.0, 0.4});
  if (options.learner != LearnerKind::kFrankWolfe && random.Below(2) == 0)
    options.order = OrderKind::kUniform;
  if (options.learner == LearnerKind::kBcfw) DealSome(random, &options);
  return options;
}

/// Cutting planes and bundles.
void AddPlanes(Random& random, const std::vector<SolverKind>& oracles,
               std::vector<TrainOptions>* ways) {
  for (const LearnerKind learner : kPlaneLearners) {
    for (int k = 0; k < 2; ++k) {
      TrainOptions options = Of(learner, Pick(random, oracles));
      if (learner == LearnerKind::kCuttingPlane1 && random.Below(2) == 0)
        options.own<CuttingPlane1Options>().constraint_cache = Switch::kOff;
      options.own<PlaneOptions>().prune_after = Pick(random, std::vector{50, 50, 0, 1, 3});
      ways->push_back(options);
    }
  }
}

/// All step options of proximal dual ascent, on the plain objective and on one with an l1 term, a
/// smoothed hinge or both.
void AddProxSdca(Random& random, const Problem& problem, const std::vector<SolverKind>& oracles,
                 std::vector<TrainOptions>* ways) {
  const double l1 = Pick(random, std::vector{0.0, 1e-4, 0.01, 1.0});
  const double smoothing = Pick(random, std::vector{0.0, 1e-6, 0.01, 0.2, 10.0});
  for (const bool plain : {true, false}) {
    if (!plain && l1 == 0 && smoothing == 0) break;
    for (const Index step : {1, 2, 3, 4, 5}) {
      if (step == 5 && (plain || smoothing == 0 || HasFactors(problem))) continue;
      TrainOptions options = Of(LearnerKind::kProxSdca, Pick(random, oracles));
      options.own<ProxSdcaOptions>().sdca_step = step;
      options.average = Pick(random, kAverages);
      options.order = Pick(random, kOrders);
      options.own<ProxSdcaOptions>().random_output = random.Below(3) == 0;
      if (!plain) {
        options.l1 = l1;
        options.smoothing = smoothing;
      }
      DealSome(random, &options);
      ways->push_back(options);
    }
  }
}

void AddMultiSample(Random& random, const std::vector<SolverKind>& oracles,
                    std::vector<TrainOptions>* ways) {
  for (const bool revisit : {false, true}) {
    TrainOptions options = Of(LearnerKind::kMultiSample, Pick(random, oracles));
    options.own<MultiSampleOptions>().samples = Pick(random, std::vector{1, 3, 10});
    options.own<MultiSampleOptions>().revisit = revisit;
    options.own<MultiSampleOptions>().update_rounds = Pick(random, std::vector{1, 3});
    options.own<MultiSampleOptions>().expand_first = random.Below(2) == 0;
    options.own<MultiSampleOptions>().online_loss = !revisit && random.Below(2) == 0;
    options.average = Pick(random, kAverages);
    options.order = Pick(random, kOrders);
    ways->push_back(options);
  }
}

/// Learners with expansions for weights. With the linear kernel the problem stays the same.
void AddKernels(Random& random, const std::vector<SolverKind>& oracles,
                std::vector<TrainOptions>* ways) {
  for (const LearnerKind learner : {LearnerKind::kKernelBcfw, LearnerKind::kKernelFrankWolfe}) {
    TrainOptions options = Of(learner, Pick(random, oracles));
    options.fixed_step = random.Below(3) == 0;
    if (learner == LearnerKind::kKernelBcfw) options.order = Pick(random, kOrders);
    ways->push_back(options);
  }
}

/// Some of the ways with slack rescaling, which is another objective; two in three with an oracle
/// that is exact for it.
void AddSlack(Random& random, std::vector<TrainOptions>* ways) {
  const std::vector<TrainOptions> margin = *ways;
  for (int k = 0; k < 12; ++k) {
    TrainOptions options = Pick(random, margin);
    if (!ReadsRescaling(options.learner) || options.l1 > 0 || options.smoothing > 0) continue;
    options.rescaling = Rescaling::kSlack;
    options.own<MultiSampleOptions>().online_loss = false;
    // Multi-sample draws labellings with the oracle that it was given.
    if (random.Below(3) > 0 && options.learner != LearnerKind::kMultiSample) {
      options.oracle = Pick(random, std::vector{SolverKind::kAuto, SolverKind::kBruteForce});
      options.own<InexactOptions>().lp_tolerance = 0;
      options.own<InexactOptions>().oracle_iterations = 0;
    }
    ways->push_back(options);
  }
}

/// Some of the ways with constraints on signs, which is another objective, where they apply and
/// constrain a weight; some with the oracle that needs them.
void AddAssociative(Random& random, const Problem& problem, std::vector<TrainOptions>* ways) {
  const auto& structures = problem.data().structures();
  const bool can = std::all_of(structures.begin(), structures.end(), [](const auto& structure) {
    return HasAssociativeSigns(*structure);
  });
  if (!can || AssociativeSigns(problem.data()).empty()) return;
  const std::vector<TrainOptions> all = *ways;
  for (int k = 0; k < 24; ++k) {
    TrainOptions options = Pick(random, all);
    const bool reads =
        options.learner == LearnerKind::kBcfw || options.learner == LearnerKind::kProxSdca;
    if (!reads || RescalesSlack(options) || UsesKernel(options) ||
        options.own<BcfwOptions>().planes == Switch::kOn)
      continue;
    options.associative = true;
    options.shards = 1;
    if (random.Below(2) == 0 && !HasForbiddenStates(problem.data())) {
      options.oracle = SolverKind::kExpansion;
      options.own<InexactOptions>().lp_tolerance = 0;
      options.own<InexactOptions>().oracle_iterations = 0;
    }
    ways->push_back(options);
  }
}

std::vector<SolverKind> OraclesFor(const Problem& problem) {
  std::vector<SolverKind> oracles = {SolverKind::kBruteForce, SolverKind::kBranchAndBound,
                                     SolverKind::kMessages, SolverKind::kMessagesBranchAndBound,
                                     SolverKind::kAuto};
  if (HasGlpk()) oracles.insert(oracles.end(), {SolverKind::kLp, SolverKind::kLpPolytope});
  if (AllGraphs(problem, IsBinaryPairwise)) oracles.push_back(SolverKind::kRoof);
  if (AllGraphs(problem, IsForest)) oracles.push_back(SolverKind::kTree);
  return oracles;
}

}  // namespace

std::vector<LearnerKind> AllLearners() {
  std::vector<LearnerKind> learners = {LearnerKind::kAuto};
  for (const LearnerRecord* record : Learners()) learners.emplace_back(record->name);
  return learners;
}

bool KeepsState(LearnerKind learner) {
  return learner == LearnerKind::kAuto || RecordOf(learner).keeps_state;
}

bool ReadsRescaling(LearnerKind learner) {
  if (learner == LearnerKind::kAuto) return true;
  const std::string_view reads = RecordOf(learner).reads;
  return reads.find("rescaling") != std::string_view::npos;
}

bool HasInputs(const Problem& problem) {
  const auto& structures = problem.data().structures();
  return std::any_of(structures.begin(), structures.end(),
                     [](const auto& structure) { return !structure->slots().empty(); });
}

std::string Describe(const TrainOptions& options) {
  std::string text;
  const TrainOptions defaults;
  for (const OptionRecord& record : OptionRecords()) {
    if (OptionText(record, options) == OptionText(record, defaults)) continue;
    text += " --" + std::string(record.name) + " " + OptionText(record, options);
  }
  return text;
}

std::string ObjectiveOf(const TrainOptions& options) {
  if (options.rescaling == Rescaling::kSlack) return "slack rescaling";
  if (options.associative) {
    TrainOptions free = options;
    free.associative = false;
    return "associative " + ObjectiveOf(free);
  }
  if (options.learner != LearnerKind::kProxSdca || (options.l1 == 0 && options.smoothing == 0))
    return {};
  return "l1 " + std::to_string(options.l1) + ", smoothing " + std::to_string(options.smoothing);
}

std::vector<TrainOptions> AllWays(Random& random, const Problem& problem) {
  const bool forbidden = ForbidsJointStates(problem.data());
  const bool forest = AllGraphs(problem, IsForest);
  const std::vector<SolverKind> oracles = OraclesFor(problem);
  std::vector<TrainOptions> ways(1);  // auto
  for (const SolverKind oracle : oracles) AddExampleBlocks(random, oracle, &ways);
  if (!forbidden) {
    AddDualLosses(random, &ways);
    AddFactorBlocks(random, &ways);
    ways.push_back(Of(LearnerKind::kPdhg));
  }
  for (const SolverKind oracle : oracles) ways.push_back(SimpleWay(random, oracle));
  for (const LearnerKind learner : kMarginalLearners) {
    if (!forest) break;
    ways.push_back(Of(learner));
    if (learner == LearnerKind::kExponentiatedGradient) ways.back().order = Pick(random, kOrders);
  }
  AddPlanes(random, oracles, &ways);
  AddProxSdca(random, problem, oracles, &ways);
  AddMultiSample(random, oracles, &ways);
  if (HasInputs(problem)) {
    AddKernels(random, oracles, &ways);
    // Any other learner may use a kernel, too, unless there is an l1 term: with a kernel the l1
    // norm would be taken in other coordinates.
    TrainOptions options = ways[random.Below(ways.size())];
    if (!UsesKernel(options) && options.l1 == 0) {
      options.kernel = KernelKind::kLinear;
      ways.push_back(options);
    }
  }
  AddSlack(random, &ways);
  AddAssociative(random, problem, &ways);
  for (TrainOptions& options : ways) {
    options.seed = static_cast<std::int64_t>(random.Below(1000));
    options.max_passes = Pick(random, std::vector{1, 7, 40, 150});
    options.check_every = Pick(random, std::vector{0, 1, 5});
    options.gap_tolerance = options.absolute_gap = Pick(random, std::vector{0.0, 1e-9, 1e-3});
  }
  return ways;
}

std::vector<TrainOptions> RefusedWays(Random& random, const Problem& problem) {
  std::vector<TrainOptions> ways;
  const bool forbidden = ForbidsJointStates(problem.data());
  const auto with_oracle = [&](LearnerKind learner, SolverKind oracle) {
    if (learner == LearnerKind::kKernelBcfw && !HasInputs(problem)) return;
    ways.push_back(Of(learner, oracle));
  };
  for (const LearnerKind learner : AllLearners()) {
    if (UsesMarginals(learner) && !AllGraphs(problem, IsForest)) ways.push_back(Of(learner));
    const bool on_labellings =
        UsesOracle(learner) || UsesMarginals(learner) || learner == LearnerKind::kAuto;
    if (!on_labellings && forbidden) ways.push_back(Of(learner));
    if (IsKernelized(learner) && !HasInputs(problem)) ways.push_back(Of(learner));
    if (!HasInputs(problem)) {
      ways.push_back(Of(learner));
      ways.back().kernel = Pick(random, std::vector{KernelKind::kLinear, KernelKind::kRbf});
    }
    if (UsesOracle(learner)) {
      if (!AllGraphs(problem, IsForest)) with_oracle(learner, SolverKind::kTree);
      if (!AllGraphs(problem, IsBinaryPairwise)) with_oracle(learner, SolverKind::kRoof);
    } else if (learner != LearnerKind::kAuto) {
      ways.push_back(Of(learner, SolverKind::kBruteForce));  // the learner has no oracle
    }
    if (!ReadsRescaling(learner)) {
      ways.push_back(Of(learner));
      ways.back().rescaling = Rescaling::kSlack;
    }
  }
  TrainOptions smooth_steps = Of(LearnerKind::kProxSdca, SolverKind::kBruteForce);
  smooth_steps.own<ProxSdcaOptions>().sdca_step = 5;
  ways.push_back(smooth_steps);
  if (HasFactors(problem)) {
    ways.push_back(smooth_steps);
    ways.back().smoothing = 0.1;
  }
  return ways;
}

}  // namespace slackline::internal::test
