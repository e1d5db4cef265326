// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/learner_registry.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/example_blocks/prox_sdca_learner.h>
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/soft.h>
#include <slackline/learning/kernels/kernel_expansion.h>
#include <slackline/learning/kernels/kernel_map.h>
#include <slackline/learning/option_records.h>
#include <slackline/learning/pdhg.h>
#include <slackline/learning/planes/joint_planes.h>
#include <slackline/learning/reduced_learner.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/stop_relay.h>
#include <slackline/learning/support_table.h>
#include <slackline/learning/tightened_learner.h>
#include <slackline/learning/train_loop.h>
#include <slackline/learning/zero_learner.h>

namespace slackline::internal {
namespace {

/// The learners of the library.
constexpr const LearnerRecord* kLearners[] = {
    &kAugmentedLagrangianLearner,
    &kSoftLearner,
    &kBcfwLearner,
    &kFrankWolfeLearner,
    &kKernelFrankWolfeLearner,
    &kKernelBcfwLearner,
    &kSubgradientLearner,
    &kCuttingPlane1Learner,
    &kCuttingPlaneNLearner,
    &kBundleLearner,
    &kExponentiatedGradientLearner,
    &kExcessiveGapLearner,
    &kExtragradientLearner,
    &kDlpwLearner,
    &kSmoothDlpwLearner,
    &kProxSdcaLearner,
    &kMultiSampleLearner,
    &kPdhgLearner,
};

constexpr LearnerSet kAllLearners = ~LearnerSet{0};
constexpr std::size_t kMostLearners = 64;

/// The learners, and the list of options that follows from their records.
class Catalogue {
 public:
  Catalogue() {
    for (const LearnerRecord* record : kLearners) Add(*record);
    MakeOptions();
  }

  void Register(const LearnerRecord& record) {
    Add(record);
    MakeOptions();
  }

  const std::vector<const LearnerRecord*>& learners() const { return learners_; }
  const std::vector<OptionRecord>& options() const { return options_; }

  /// The learners that list the option among their own; empty for a shared option.
  LearnerSet Owners(std::string_view option) const {
    LearnerSet owners = 0;
    for (std::size_t k = 0; k < learners_.size(); ++k) {
      for (const auto& list : learners_[k]->options) {
        if (std::any_of(list.begin(), list.end(),
                        [&](const OptionRecord& own) { return own.name == option; }))
          owners |= LearnerSet{1} << k;
      }
    }
    return owners;
  }

 private:
  void Add(const LearnerRecord& record) {
    SLACKLINE_CHECK(learners_.size() < kMostLearners, "there are too many learners");
    SLACKLINE_CHECK(!record.name.empty() && record.name != LearnerKind::kAuto.name() &&
                        record.make != nullptr && !record.variants.empty() &&
                        record.variants.back().applies == nullptr,
                    "the record of a learner needs a name, a maker, and a variant that always "
                    "applies");
    for (const LearnerRecord* other : learners_) {
      SLACKLINE_CHECK(other->name != record.name,
                      "there is a learner '" + std::string(record.name) + "' already");
    }
    for (const auto& list : record.options) {
      for (const OptionRecord& option : list) RequireNewName(option, list);
    }
    learners_.push_back(&record);
  }

  /// Throws std::invalid_argument when another option has the name. Two learners may share a list
  /// of options, and with it an option.
  void RequireNewName(const OptionRecord& option, std::span<const OptionRecord> list) const {
    bool taken = false;
    for (const auto& shared : {SharedOptionRecords(), RunOptionRecords()}) {
      for (const OptionRecord& other : shared) taken = taken || other.name == option.name;
    }
    for (const LearnerRecord* learner : learners_) {
      for (const auto& others : learner->options) {
        if (others.data() == list.data()) continue;
        for (const OptionRecord& other : others) taken = taken || other.name == option.name;
      }
    }
    SLACKLINE_CHECK(!taken, "there is an option '" + std::string(option.name) + "' already");
  }

  void MakeOptions() {
    options_.assign(SharedOptionRecords().begin(), SharedOptionRecords().end());
    for (const LearnerRecord* learner : learners_) {
      for (const auto& list : learner->options) {
        const auto same = [&](const OptionRecord& other) { return other.name == list[0].name; };
        if (std::any_of(options_.begin(), options_.end(), same)) continue;
        options_.insert(options_.end(), list.begin(), list.end());
      }
    }
    options_.insert(options_.end(), RunOptionRecords().begin(), RunOptionRecords().end());
  }

  std::vector<const LearnerRecord*> learners_;
  std::vector<OptionRecord> options_;
};

Catalogue& TheCatalogue() {
  static Catalogue catalogue;
  return catalogue;
}

/// The set of the learners whose record passes the test.
template <class Test>
LearnerSet SetWhere(const Test& test) {
  LearnerSet set = 0;
  const auto learners = Learners();
  for (std::size_t k = 0; k < learners.size(); ++k) {
    if (test(*learners[k])) set |= LearnerSet{1} << k;
  }
  return set;
}

/// Whether some variant of the learner has one of the needs.
bool AnyNeeds(LearnerKind learner, NeedSet needs) {
  const LearnerRecord* record = FindLearner(learner);
  return record != nullptr &&
         std::any_of(record->variants.begin(), record->variants.end(),
                     [&](const LearnerVariant& variant) { return (variant.needs & needs) != 0; });
}

}  // namespace

std::span<const LearnerRecord* const> Learners() { return TheCatalogue().learners(); }
std::span<const OptionRecord> OptionRecords() { return TheCatalogue().options(); }
const OptionRecord* FindOption(std::string_view name) {
  for (const OptionRecord& record : OptionRecords()) {
    if (record.name == name) return &record;
  }
  return nullptr;
}
const OptionRecord& OptionNamed(std::string_view name) {
  const OptionRecord* record = FindOption(name);
  SLACKLINE_CHECK(record != nullptr, "there is no option '" + std::string(name) + "'");
  return *record;
}
void RegisterLearner(const LearnerRecord& record) { TheCatalogue().Register(record); }

const LearnerRecord* FindLearner(LearnerKind learner) {
  for (const LearnerRecord* record : Learners()) {
    if (record->name == learner.name()) return record;
  }
  return nullptr;
}

const LearnerRecord& RecordOf(LearnerKind learner) {
  const LearnerRecord* record = FindLearner(learner);
  SLACKLINE_CHECK(record != nullptr, "there is no learner '" + std::string(learner.name()) + "'");
  return *record;
}

bool UsesOracle(LearnerKind learner) { return AnyNeeds(learner, NeedsAll(Need::kExampleOracle)); }
bool UsesMarginals(LearnerKind learner) { return AnyNeeds(learner, NeedsAll(Need::kMarginals)); }
bool IsKernelized(LearnerKind learner) {
  const LearnerRecord* record = FindLearner(learner);
  return record != nullptr && record->kernelized;
}

LearnerSet SetOf(LearnerKind learner) {
  // `auto` chooses between al, bcfw and pdhg. An option of pdhg does not keep the choice open.
  return NamedLearners(learner == LearnerKind::kAuto ? "al bcfw" : learner.name());
}

LearnerSet ReadersOf(const OptionRecord& option, std::string_view value) {
  const bool special =
      option.special_values.empty() ? value != "auto" : HasWord(option.special_values, value);
  return special ? ReadersOf(option) : kAllLearners;
}

LearnerSet ReadersOf(const OptionRecord& option) {
  const LearnerSet owners = TheCatalogue().Owners(option.name);
  if (owners != 0) return owners;
  if (!option.by_learner) return kAllLearners;
  return SetWhere([&](const LearnerRecord& record) { return HasWord(record.reads, option.name); });
}

LearnerSet ReadersOfSteps() {
  return SetWhere([](const LearnerRecord& record) { return record.own_steps.empty(); });
}
LearnerSet ReadersOfOrders() {
  return SetWhere([](const LearnerRecord& record) { return record.own_order.empty(); });
}
void RequireState(LearnerKind learner, std::string_view option) {
  const LearnerRecord* record = FindLearner(learner);
  if (record == nullptr || record->keeps_state) return;
  const LearnerSet keepers = SetWhere([](const LearnerRecord& each) { return each.keeps_state; });
  throw DataError(std::string(option) + ": learner " + std::string(learner.name()) +
                  " saves no state; use --learner auto or " + LearnerNames(keepers));
}
LearnerSet ReadersOfShards() {
  return SetWhere([](const LearnerRecord& record) { return HasWord(record.reads, "shards"); });
}

LearnerSet NamedLearners(std::string_view names) {
  return SetWhere([&](const LearnerRecord& record) { return HasWord(names, record.name); });
}

std::string LearnerNames(LearnerSet set) {
  std::string names;
  const auto learners = Learners();
  for (std::size_t k = 0; k < learners.size(); ++k) {
    if ((set >> k & 1) != 0) names.append(names.empty() ? "" : " or ").append(learners[k]->name);
  }
  return names;
}

namespace {

/// Whether the certificate of zero weights is that of the learner's objective.
bool MayStayAtZero(const TrainOptions& options) {
  return options.learner != LearnerKind::kProxSdca;
}

}  // namespace

std::unique_ptr<Learner> MakeLearner(const Problem& problem, const TrainOptions& given) {
  SLACKLINE_CHECK(given.lambda == 0 || given.lambda == problem.lambda(),
                  "options.lambda is not that of the problem: use Problem::WithLambda, or Train");
  const TrainOptions options = ChooseLearner(problem, given).options;
  CheckOptions(options);
  // Structures of the examples of one rank alone may be the ones that are not supported.
  OnAllRanks(RanksOf(options), [&] {
    const std::string fault = Unsupported(problem, options);
    if (!fault.empty()) throw DataError(fault);
  });
  if (options.tighten) return MakeTightenedLearner(problem, options);
  if ((WayOf(options).variant.needs & NeedsAll(Need::kEveryState)) != 0 &&
      RanksOf(options).Any(HasForbiddenStates(problem.data())))
    return MakeReducedLearner(problem, options);
  try {
    const StopRelay::Preparation preparation(MayStayAtZero(options) ? options.stop : nullptr);
    if (UsesKernel(options) && !IsKernelized(options.learner))
      return MakeKernelMapLearner(problem, options);
    return RecordOf(options.learner).make(problem, options);
  } catch (const OutOfTime&) {
    options.stop->CountEndedPreparation();
    return MakeZeroLearner(
        problem, options,
        UsesKernel(options) ? KernelExpansion(problem.data()).size() : problem.num_weights());
  }
}

}  // namespace slackline::internal
