// SPDX-License-Identifier: BSD-3-Clause
//
// Only in ./run test --all: a product of structures, learners and options.
//
// The full product of the support table: every learner with every option that changes its
// objective, its steps or its oracle, on every kind of structure, with unpleasant data. Accepted
// combinations must bracket an optimum that is computed without the library's learning code;
// MakeLearner must refuse the others with a message that names an alternative.
//
// SLACKLINE_SUPPORT_SEEDS=N tests N more problems of each kind, from seed SLACKLINE_SUPPORT_FIRST
// (default 1000) on.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/graph_topology.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/example_blocks/prox_sdca_learner.h>
#include <slackline/learning/kernels/kernel_expansion.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/options.h>
#include <slackline/learning/planes/plane_options.h>
#include <slackline/learning/sign_constraints.h>
#include <slackline/learning/support_table.h>
#include <slackline/learning/train_loop.h>
#include <slackline/learning/verify/verify.h>

#include "tests/support/dense_qp.h"
#include "tests/support/labelling_program.h"
#include "tests/support/learner_ways.h"
#include "tests/support/quadratic_program.h"
#include "tests/support/support_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr SolverKind kOracles[] = {
    SolverKind::kAuto,       SolverKind::kRoof,           SolverKind::kMessages,
    SolverKind::kLp,         SolverKind::kLpPolytope,     SolverKind::kTree,
    SolverKind::kBruteForce, SolverKind::kBranchAndBound, SolverKind::kMessagesBranchAndBound,
    SolverKind::kGlobal,     SolverKind::kExpansion};
constexpr AverageKind kAverages[] = {AverageKind::kOff, AverageKind::kUniform,
                                     AverageKind::kWeighted, AverageKind::kSuffix};
constexpr KernelKind kKernels[] = {KernelKind::kLinear, KernelKind::kPolynomial, KernelKind::kRbf};
constexpr double kSmoothings[] = {1e-6, 1e-2, 10};

/// Adds some of the ways of a learner with slack rescaling, but none that CheckOptions refuses for
/// every problem.
void AddSlackWays(Random& random, std::vector<TrainOptions>* ways) {
  const std::vector<TrainOptions> margin = *ways;
  for (TrainOptions way : margin) {
    way.rescaling = Rescaling::kSlack;
    if (way.learner == LearnerKind::kProxSdca && way.smoothing > 0) continue;
    if (random.Below(margin.size() > 6 ? 8 : 3) > 0) continue;
    try {
      CheckOptions(way);
      ways->push_back(way);
    } catch (const DataError&) {  // the learner does not rescale by slacks
    }
  }
}

/// Adds some of the ways with constraints on signs, with an oracle of their own, but none that
/// CheckOptions refuses for every problem.
void AddAssociativeWays(Random& random, std::vector<TrainOptions>* ways) {
  const std::vector<TrainOptions> all = *ways;
  for (TrainOptions way : all) {
    way.associative = true;
    way.oracle = Pick(random, kOracles);
    if (random.Below(6) > 0) continue;
    try {
      CheckOptions(way);
      ways->push_back(way);
    } catch (const DataError&) {  // the learner has no constraints
    }
  }
}

/// The ways of one learner, apart from oracles and kernels.
std::vector<TrainOptions> WaysOfLearner(Random& random, LearnerKind learner) {
  std::vector<TrainOptions> ways;
  const auto add = [&]() -> TrainOptions& {
    ways.emplace_back();
    ways.back().learner = learner;
    return ways.back();
  };
  if (learner == LearnerKind::kBcfw) {
    for (const StepKind step : {StepKind::kPairwise, StepKind::kAway, StepKind::kFrankWolfe}) {
      add().step = step;
      ways.back().average = Pick(random, kAverages);
    }
  } else if (learner == LearnerKind::kAugmentedLagrangian) {
    for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) add().step = step;
  } else if (learner == LearnerKind::kSoft) {
    add();
    add().smoothing = Pick(random, kSmoothings);
  } else if (learner == LearnerKind::kCuttingPlane1 || learner == LearnerKind::kCuttingPlaneN) {
    add().own<PlaneOptions>().prune_after = Pick(random, std::vector<Index>{0, 1, 50});
  } else if (learner == LearnerKind::kProxSdca) {
    for (const Index step : {1, 2, 3, 4, 5}) {
      for (const bool l1 : {false, true}) {
        for (const bool smooth : {false, true}) {
          if (step == 5 && !smooth) continue;  // refused by CheckOptions for every problem
          TrainOptions& way = add();
          way.own<ProxSdcaOptions>().sdca_step = step;
          way.l1 = l1 ? 0.01 : 0;
          way.smoothing = smooth ? kSmoothings[step % 3] : 0;
        }
      }
    }
  } else if (learner == LearnerKind::kMultiSample) {
    add().own<MultiSampleOptions>().samples = Pick(random, std::vector<Index>{1, 3, 10});
    add().own<MultiSampleOptions>().revisit = true;
  } else if (learner == LearnerKind::kSubgradient) {
    add().average = Pick(random, kAverages);
  } else {
    add();
  }
  AddSlackWays(random, &ways);
  return ways;
}

/// All combinations except of oracles and kernels, which are drawn; each oracle occurs with bcfw.
std::vector<TrainOptions> Product(Random& random) {
  std::vector<TrainOptions> product;
  for (const LearnerKind learner : AllLearners()) {
    for (TrainOptions& way : WaysOfLearner(random, learner)) {
      product.push_back(way);
      if (UsesOracle(learner)) {
        for (const SolverKind oracle : kOracles) {
          // Without constraints on signs, expansion is refused for every problem.
          if (oracle == SolverKind::kAuto || oracle == SolverKind::kExpansion) continue;
          const bool all = learner == LearnerKind::kBcfw && way.rescaling == Rescaling::kMargin;
          if (!all && random.Below(6) > 0) continue;
          product.push_back(way);
          product.back().oracle = oracle;
        }
      }
      if (way.l1 > 0) continue;
      for (const KernelKind kernel : kKernels) {
        if (!IsKernelized(learner) && random.Below(3) > 0) continue;
        product.push_back(way);
        product.back().kernel = kernel;
        if (kernel != KernelKind::kLinear) product.back().kernel_gamma = 1;
        if (kernel == KernelKind::kPolynomial) product.back().kernel_degree = 2;
      }
    }
  }
  AddAssociativeWays(random, &product);
  for (TrainOptions& options : product) {
    options.max_passes = Pick(random, std::vector<Index>{1, 5, 60});
    options.check_every = Pick(random, std::vector<Index>{0, 1});
    options.gap_tolerance = Pick(random, std::vector<double>{0, 1e-9, 1e-3});
    options.seed = static_cast<std::int64_t>(random.Below(100));
  }
  return product;
}

/// What distinguishes objectives: slack rescaling, σ, γ, kernel, constraints on signs.
using ObjectiveKey = std::tuple<bool, double, double, KernelKind, bool>;
ObjectiveKey KeyOf(const TrainOptions& options) {
  const bool prox = options.learner == LearnerKind::kProxSdca;
  KernelKind kernel = options.kernel;
  if (kernel == KernelKind::kAuto && UsesKernel(options)) kernel = KernelKind::kLinear;
  return {options.rescaling == Rescaling::kSlack, options.l1, prox ? options.smoothing : 0,
          kernel == KernelKind::kLinear ? KernelKind::kAuto : kernel, options.associative};
}

struct Counts {
  int accepted = 0;
  int refused = 0;
  int precise = 0;  // references within 1e-3
  int references = 0;
  std::set<LearnerKind> learners;
};

/// One problem with the full product.
class Trial {
 public:
  Trial(std::uint64_t seed, ProblemKind kind, Counts* counts)
      : random_(seed), problem_(UnpleasantProblem(random_, kind), 1), counts_(counts) {
    // Two thirds of the λ fit the size of the features; the others are arbitrary.
    const double natural = 1 / problem_.penalty_scale();
    const double lambda = random_.Below(3) > 0
                              ? natural * std::pow(10.0, 4 * random_.Uniform() - 2)
                              : std::pow(10.0, static_cast<double>(random_.Below(13)) - 6);
    problem_ = problem_.WithLambda(std::max(kSmallestLambda, lambda));
    at_zero_ = PrimalAtZeroWeights(problem_);
  }

  void Run() {
    CAPTURE(problem_.lambda());
    CAPTURE(at_zero_);
    for (const TrainOptions& options : Product(random_)) {
      const std::string way = Describe(options);
      CAPTURE(way);
      Try(options);
    }
  }

 private:
  void Try(const TrainOptions& options) {
    std::string refusal;
    std::string reason;
    try {
      reason = Unsupported(problem_, ChooseLearner(problem_, options).options);
      const auto learner = MakeLearner(problem_, options);
      CHECK(reason == "");
      ++counts_->accepted;
      counts_->learners.insert(options.learner);
      learner->traits().dual_point->KeepDualPoint();
      const TrainSummary summary = RunTraining(problem_, *learner, options, nullptr, nullptr);
      Check(options, summary);
      const Verification verified = VerifyCertificate(problem_, summary.weights, summary.last,
                                                      options, learner->traits().dual_point);
      CAPTURE(verified.message);
      CHECK(verified.outcome == VerifyOutcome::kHolds);
    } catch (const DataError& error) {
      refusal = error.what();
    } catch (const std::exception& error) {
      const std::string what = error.what();
      FAIL_CHECK(what);
    }
    if (refusal.empty()) return;
    ++counts_->refused;
    CAPTURE(refusal);
    CHECK(refusal == reason);
    CHECK(refusal.find("use ") != std::string::npos);
  }

  void Check(const TrainOptions& options, const TrainSummary& summary) {
    const ProgressRecord& last = summary.last;
    CAPTURE(last.primal);
    CAPTURE(last.dual);
    CHECK(last.dual <= last.primal);
    CHECK(last.dual >= 0);
    const ReferenceBracket& exact = Reference(options);
    CAPTURE(exact.lower);
    CAPTURE(exact.upper);
    const double room = Room(options);
    // The relaxation has more points than the exact problem; on graphs without cycles it is tight.
    CHECK(last.primal >= exact.lower - room);
    const bool tight = last.problem == CertifiedProblem::kExact || AllGraphs(problem_, IsForest);
    if (tight) CHECK(last.dual <= exact.upper + room);
    if (!tight) CheckRelaxed(options, last, room);
  }

  /// Compares bounds with the relaxed optimum where an independent program can compute it.
  void CheckRelaxed(const TrainOptions& options, const ProgressRecord& last, double room) {
    if (KeyOf(options) != ObjectiveKey{}) return;
    if (!relaxed_) {
      relaxed_ = kInfinity;
      try {
        relaxed_ = RelaxedOptimum(problem_.training(), problem_.lambda());
      } catch (const QpFailure&) {  // the program cannot reach its precision at such scales
      }
    }
    if (*relaxed_ == kInfinity) return;
    CAPTURE(*relaxed_);
    CHECK(last.dual <= *relaxed_ + room);
    CHECK(last.primal >= *relaxed_ - room);
  }

  const ReferenceBracket& Reference(const TrainOptions& options) {
    const ObjectiveKey key = KeyOf(options);
    const auto [entry, is_new] = references_.try_emplace(key);
    if (!is_new) return entry->second;
    const Kernel kernel = KernelOf(options, problem_.data());
    ReferenceObjective objective;
    std::tie(objective.slack, objective.l1, objective.smoothing, std::ignore, std::ignore) = key;
    if (options.associative) objective.signs = AssociativeSigns(problem_.data());
    if (std::get<KernelKind>(key) != KernelKind::kAuto) objective.kernel = &kernel;
    entry->second = BracketOptimum(problem_.training(), problem_.lambda(), objective);
    CHECK(entry->second.lower <= entry->second.upper + Room(options));
    ++counts_->references;
    counts_->precise +=
        entry->second.upper - entry->second.lower <= 1e-3 * entry->second.upper ? 1 : 0;
    return entry->second;
  }

  /// How far rounding and solver tolerances may move bounds.
  double Room(const TrainOptions& options) const {
    const double norm = std::sqrt(2 * at_zero_ / problem_.lambda());
    const double range =
        std::sqrt(problem_.mean_squared_range() * static_cast<double>(problem_.num_parts()));
    const double smooth = options.learner == LearnerKind::kProxSdca ? options.smoothing * 4 : 0;
    return kSolver * (at_zero_ + smooth) + kSummands * 100 * norm * range;
  }

  Random random_;
  Problem problem_;
  Counts* counts_;
  double at_zero_ = 0;
  std::map<ObjectiveKey, ReferenceBracket> references_;
  std::optional<double> relaxed_;
};

Counts RunSeeds(ProblemKind kind, std::uint64_t first, std::uint64_t count) {
  Counts counts;
  const std::string name(Name(kind));
  CAPTURE(name);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    Trial(seed, kind, &counts).Run();
  }
  return counts;
}

}  // namespace

TEST_CASE("every accepted combination brackets an independent optimum") {
  constexpr std::uint64_t kSeeds = 3;
  std::set<LearnerKind> learners;
  for (const ProblemKind kind : kAllProblemKinds) {
    const Counts counts = RunSeeds(kind, 1, kSeeds);
    CAPTURE(std::string(Name(kind)));
    CHECK(counts.accepted > 0);
    CHECK(counts.refused > 0);
    CHECK(counts.precise >= 0.7 * counts.references);
    learners.insert(counts.learners.begin(), counts.learners.end());
  }
  for (const LearnerKind learner : AllLearners()) {
    CAPTURE(Name(learner));
    CHECK(learners.count(learner) == 1);
  }
}

TEST_CASE("the documents contain the support table") {
  struct Column {
    std::string_view title;
    Trait trait;
  };
  constexpr Column kColumns[] = {{"cycles", Trait::kCycles},
                                 {"global factors", Trait::kGlobals},
                                 {"coupled ones", Trait::kCoupledGlobals},
                                 {"forbidden joint states", Trait::kForbiddenStates},
                                 {"coupled, many labellings", Trait::kManyCoupled},
                                 {"loss 1 − F1", Trait::kCountLoss}};
  std::string table = "| `--learner` |";
  std::string line = "|---|";
  for (const Column& column : kColumns) {
    table += " " + std::string(column.title) + " |";
    line += "---|";
  }
  table += "\n" + line + "\n";
  for (const Way& way : Ways()) {
    const std::string options(way.variant.options);
    table +=
        "| `" + std::string(Name(way.learner)) + (options.empty() ? "" : " ") + options + "` |";
    for (const Column& column : kColumns) table += Supports(way, column.trait) ? " yes |" : " no |";
    table += "\n";
  }
  std::ifstream file(std::string(SLACKLINE_SOURCE_DIR) + "/docs/reference/learners.md");
  std::ostringstream text;
  text << file.rdbuf();
  CAPTURE(table);
  CHECK(text.str().find(table) != std::string::npos);
  for (const LearnerRecord* learner : Learners()) {
    CAPTURE(learner->section);
    CHECK(text.str().find("\n## " + std::string(learner->section) + "\n") != std::string::npos);
  }
}

TEST_CASE("every refusal names an alternative") {
  // Every requirement that a trait rules out has a message with advice: the walk above meets most
  // of them, this one all.
  for (const Trait trait : kAllTraits) {
    CAPTURE(static_cast<int>(trait));
    CHECK(RuledOutBy(trait) != 0);
  }
  for (const SolverKind oracle : kOracles) {
    CAPTURE(SolverKindName(oracle));
    CHECK((NeedsOf(oracle) == 0) == (oracle == SolverKind::kAuto));
  }
  for (const LearnerKind learner : AllLearners()) {
    if (learner == LearnerKind::kAuto) continue;
    const TrainOptions options{.learner = learner};
    CAPTURE(Name(learner));
    CHECK(WayOf(options).variant.options.empty());
  }
}

TEST_CASE("bounds hold on more seeds, on request" *
          doctest::skip(std::getenv("SLACKLINE_SUPPORT_SEEDS") == nullptr)) {
  for (const ProblemKind kind : kAllProblemKinds) {
    RunSeeds(kind, FromEnvironment("SLACKLINE_SUPPORT_FIRST", 1000),
             FromEnvironment("SLACKLINE_SUPPORT_SEEDS", 0));
  }
}
