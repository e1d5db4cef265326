// SPDX-License-Identifier: BSD-3-Clause
//
// The options of training in one aggregate, and one record per option that drives the command
// line's help, the range checks, and what is written into model files. Options of one learner alone
// are a struct beside that learner, which TrainOptions::own finds by its type; their records belong
// to the learner's record (learner_registry.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/kernel.h>
#include <slackline/core/ranks.h>
#include <slackline/core/types.h>
#include <slackline/inference/map_solver.h>
#include <slackline/learning/option_fields.h>

namespace slackline::internal {

class StopRelay;

/// With a smaller λ, rounding leaves no correct digits.
inline constexpr double kSmallestLambda = 1e-30;
/// Range of ρ and of smoothing: squares of these values and products with data do not overflow.
inline constexpr double kSmallestStrength = 1e-50;
inline constexpr double kLargestStrength = 1e50;

/// The options of one training run.
struct TrainOptions {
  LearnerKind learner = LearnerKind::kAuto;

  /// λ of the objective. 0: Train takes the λ of the problem, and the command line derives one from
  /// the data (learning/default_lambda.h).
  double lambda = 0;

  // Options that several learners read; LearnerRecord::reads says which.

  /// For al, soft and bcfw; the other learners have steps of their own.
  StepKind step = StepKind::kAuto;
  /// For learners that go through the examples. example: all examples in a fresh random order each
  /// pass. uniform: blocks (bcfw: examples) drawn with replacement. cyclic: all examples in the
  /// order of the data. gap (bcfw with pairwise or away steps): as `example`, without examples
  /// whose gap was small at their last visit.
  OrderKind order = OrderKind::kAuto;
  /// Which average of the weights is evaluated besides the newest weights; the better of the two is
  /// kept.
  AverageKind average = AverageKind::kAuto;
  /// The largest share of all iterates that a suffix average has (IterateAverage).
  double suffix_share = 0.5;
  /// The run ends with the weights of its last check, which are the average where there is one, and
  /// not with the best weights of all checks.
  bool keep_newest = false;
  /// For al, soft, and bcfw with pairwise or away steps: whether passes work on proximal problems.
  /// kAuto: they do, except those of soft.
  Switch proximal = Switch::kAuto;
  /// For fw, bcfw and their kernelized forms: the step 2/(k+2), or 2M/(k+2M), instead of a line
  /// search.
  bool fixed_step = false;
  /// For cutting-plane-1 and cutting-plane-n: which hinge is trained.
  Rescaling rescaling = Rescaling::kMargin;
  /// For bcfw and prox-sdca: weights of pairs get signs that make the pairs associative
  /// (sign_constraints.h).
  bool associative = false;
  /// For soft: weight γ of a quadratic on every simplex, which smooths the maxima; 0 = none.
  /// smooth-dlpw: temperature of its soft maxima; 0 = from the losses (reference/dual_losses.cc).
  /// prox-sdca: γ of the quadratic that smooths the hinge; 0 = none.
  double smoothing = 0;
  /// For prox-sdca: σ of the term σ‖w‖₁ that is added to the objective; 0 = none.
  double l1 = 0;
  /// For bcfw, prox-sdca, soft and al: the number of shards into which the examples are dealt
  /// (learning/shards). 0: for bcfw with active sets as many as threads where that pays, and else 1
  /// (AutomaticShards, auto/choose_learner.h); several ranks have one each.
  Index shards = 1;
  /// Kernel on input vectors (core/kernel.h). auto: linear for the kernelized learners, no kernel
  /// for the others.
  KernelKind kernel = KernelKind::kAuto;
  /// γ of the polynomial and rbf kernels; 0 = 1 / number of features.
  double kernel_gamma = 0;
  Index kernel_degree = 3;
  double kernel_offset = 1;
  /// For `auto`. kExact: the exact problem, with oracles that search, also where it may never come
  /// to its gap. kRelaxed: the LP relaxation. kAuto: the exact problem where that is cheap, by
  /// counts of work.
  Certify certify = Certify::kAuto;
  /// Trains with larger factors around short cycles (tightened_learner.h).
  bool tighten = false;
  /// Oracle of the learners that maximise over whole examples.
  SolverKind oracle = SolverKind::kAuto;

  // Options of the training loop: when to check and to stop, the seed, the number of threads.

  /// The run stops when gap ≤ gap_tolerance · |primal|; 0 = never.
  double gap_tolerance = 1e-3;
  /// The run also stops when gap ≤ absolute_gap; 0 = never.
  double absolute_gap = 0;
  Index max_passes = 100000;
  /// Limit on the elapsed seconds of training, checks included; 0 = no limit.
  double time_limit_seconds = 0;
  /// Passes between two evaluations of the certificate. 0: whenever the number of passes has grown
  /// by a fifth (by a half for learners that estimate their gap), and when the estimate reaches the
  /// wanted gap. Then the loop waits while an estimate is hopeless in the first passes, and while a
  /// check would cost more than the passes since the last one.
  Index check_every = 0;

  std::int64_t seed = 1;
  /// Threads for checks and large examples; 0 = all of the machine. Results do not depend on it.
  Index threads = 1;
  /// The processes that train together, each with a problem of its own examples alone; null: this
  /// process alone. All of them have the same options, and call the same functions. Must outlive
  /// what is made with these options.
  Ranks* ranks = nullptr;
  /// Ends checks early (stop_relay.h); null: they are always made to their end. Must outlive what
  /// is made with these options.
  StopRelay* stop = nullptr;

  /// Options of one learner (or family) alone, such as
  /// options.own<DualLossOptions>().step_size.
  OwnOptions own_options = {};
  template <class T>
  const T& own() const {
    return own_options.Get<T>();
  }
  template <class T>
  T& own() {
    return own_options.Edit<T>();
  }
};

/// The ranks of the options, or this process alone.
inline Ranks& RanksOf(const TrainOptions& options) { return RanksOrOne(options.ranks); }

/// The ranks for sums over all examples (core/exact_sum.h) that must have the same bits however the
/// examples are dealt to processes: those of a training with shards. Null for all others, which are
/// in one process and add numbers in the order of the examples.
inline Ranks* ExactRanks(const TrainOptions& options) {
  Ranks& ranks = RanksOf(options);
  return options.shards > 1 || !ranks.alone() ? &ranks : nullptr;
}

/// What cannot be given beside an option; see OptionRecord::excludes.
struct Exclusion {
  /// The values of the option that exclude the other one, separated by blanks; empty: all of them.
  std::string_view values = {};
  std::string_view other;              ///< name of the other option
  std::string_view other_values = {};  ///< those that are excluded; empty: all of them
  std::string_view reason = {};        ///< a clause
};

/// One option: its command-line name, what it means, its default in words, and how its value is
/// read, checked and shown. To be made with designated initialisers.
struct OptionRecord {
  std::string_view name;  ///< without dashes
  /// Name of the value in help texts; empty for bool, a flag on the command line.
  std::string_view placeholder = {};
  std::string_view text;
  std::string_view default_text;
  OptionField field;

  /// Allowed range of a number. Explicit values must also be > 0 when `positive`.
  double minimum = 0;
  double maximum = kInfinity;
  bool positive = false;

  /// True for the options that the short help of every training command shows.
  bool basic = false;

  /// True for options that decide when to stop or how to use the machine, and do not change what is
  /// computed. They may differ when a run is resumed.
  bool outer = false;

  /// True for a shared option that only some learners read (LearnerRecord::reads). A learner's own
  /// options are read by the learners that list them.
  bool by_learner = false;
  /// The values that only these learners read, separated by blanks; empty = all but auto. Every
  /// learner accepts the other values.
  std::string_view special_values = {};
  /// The name of another option without which this one has no effect. `needed_for`: the learners
  /// that this concerns, separated by blanks; empty = all.
  std::string_view needs = {};
  std::string_view needed_for = {};
  /// Values that ask for nothing, as the default does, separated by blanks.
  std::string_view neutral_values = {};
  /// What cannot be given beside this option; neutral values exclude nothing.
  std::span<const Exclusion> excludes = {};

  bool is_flag() const;
};

/// All options, in the order of help texts: those of TrainOptions, then those of the learners in
/// the order of the registry. Valid until a learner is registered.
std::span<const OptionRecord> OptionRecords();
/// The option with this name; null if there is none.
const OptionRecord* FindOption(std::string_view name);
/// The same. Requires that there is one.
const OptionRecord& OptionNamed(std::string_view name);

/// Reads `value` into the option. Throws DataError that names the option, the value and the allowed
/// values.
void SetOption(const OptionRecord& record, std::string_view value, TrainOptions* options);
/// The option's value as a text that SetOption reads back.
std::string OptionText(const OptionRecord& record, const TrainOptions& options);

/// Throws DataError when options contradict each other, lie outside their ranges, or are not read
/// by the learner. Checked are the options that differ from their defaults, and those in `given`
/// (names) whatever their values.
void CheckOptions(const TrainOptions& options, std::span<const std::string_view> given = {});
/// The names of the options, with the value where not all are excluded ("--order cyclic"), that the
/// option with this name excludes and that are set.
std::vector<std::string> ExcludedBy(std::string_view name, const TrainOptions& options);
/// For a learner without a name, which reads the options of the training loop alone: throws
/// DataError, which names the learners that read it, for any other option that is set. who:
/// "StructuredSVM".
void RequireCommonOptions(const TrainOptions& options, std::string_view who);

/// Whether a run compares inputs by a kernel. Its weights are then those of an expansion
/// (kernel_expansion.h).
bool UsesKernel(const TrainOptions& options);

}  // namespace slackline::internal
