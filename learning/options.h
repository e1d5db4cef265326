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

#include <slackline/core/kernel.h>
#include <slackline/core/types.h>
#include <slackline/inference/map_solver.h>
#include <slackline/learning/option_fields.h>

namespace slackline::internal {

/// Smaller λ lead to numbers without meaning.
inline constexpr double kSmallestLambda = 1e-30;
/// Of ρ and of smoothing: their squares, and products with data, are numbers.
inline constexpr double kSmallestStrength = 1e-50;
inline constexpr double kLargestStrength = 1e50;

struct TrainOptions {
  LearnerKind learner = LearnerKind::kAuto;

  /// λ of the objective; 0 = that of the problem (Train). The command line takes one by the data
  /// then (learning/default_lambda.h).
  double lambda = 0;

  // What several learners read; their records say which (LearnerRecord::reads).

  /// al, soft, bcfw; the others have steps of their own.
  StepKind step = StepKind::kAuto;
  /// Learners that go through the examples. example: all examples in a fresh random order each
  /// pass. uniform: blocks (bcfw: examples) drawn with replacement. gap (bcfw with pairwise or away
  /// steps): as example, without those whose gap was small when last seen.
  OrderKind order = OrderKind::kAuto;
  /// Which weights are evaluated besides the newest; the better ones are kept.
  AverageKind average = AverageKind::kAuto;
  /// al, and bcfw with pairwise or away steps: whether passes work on proximal problems.
  Switch proximal = Switch::kAuto;
  /// fw, bcfw and their kernelized forms: the step 2/(k+2), or 2M/(k+2M), instead of a line search.
  bool fixed_step = false;
  /// cutting-plane-1, cutting-plane-n: which objective is trained.
  Rescaling rescaling = Rescaling::kMargin;
  /// soft: weight γ of a quadratic on every simplex, which smooths the maxima; 0 = none.
  /// smooth-dlpw: the temperature of its soft maxima; 0 = from the losses (dual_loss.h). prox-sdca:
  /// γ of the quadratic that smooths the hinge; 0 = none.
  double smoothing = 0;
  /// prox-sdca: σ of the term σ‖w‖₁ that is added to the objective; 0 = none.
  double l1 = 0;
  /// Kernel on input vectors (core/kernel.h). auto: linear for the kernelized learners, none for
  /// the others.
  KernelKind kernel = KernelKind::kAuto;
  /// γ of the polynomial and rbf kernels; 0 = 1 / number of features.
  double kernel_gamma = 0;
  Index kernel_degree = 3;
  double kernel_offset = 1;
  /// Learners that ask an oracle over whole examples.
  SolverKind oracle = SolverKind::kAuto;

  // When to look and to stop, and what the machine does.

  /// Stop when gap ≤ gap_tolerance · |primal| (0 = never)
  double gap_tolerance = 1e-3;
  /// … or when gap ≤ absolute_gap (0 = never).
  double absolute_gap = 0;
  Index max_passes = 100000;
  /// Elapsed seconds of training, checks included; 0 = no limit.
  double time_limit_seconds = 0;
  /// Passes between two evaluations of the certificate; 0 = often at first, then every fifth (or
  /// half) more, and when a learner expects the wanted gap; not while its guess is hopeless or a
  /// check would cost more than the passes since the last.
  Index check_every = 0;

  std::int64_t seed = 1;
  /// Threads for checks (passes run on one); 0 = all of the machine. Results do not depend on it.
  Index threads = 1;

  /// Options of one learner (or family) alone: options.own<SubgradientOptions>().projection.
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

/// One option: its command-line name, what it means, its default in words, and how its value is
/// read, checked and shown. To be made with designated initialisers.
struct OptionRecord {
  std::string_view name;  ///< without dashes
  /// Name of the value in help texts; empty for bool, a flag on the command line.
  std::string_view placeholder = {};
  std::string_view text;
  std::string_view default_text;
  OptionField field;

  /// Numbers: the allowed range. Explicit values must also be > 0 when `positive`.
  double minimum = 0;
  double maximum = kInfinity;
  bool positive = false;

  /// Says when to stop, or how to use the machine, but not where the run goes: may differ when a
  /// run is resumed.
  bool outer = false;

  /// Whether only learners read the option whose record says so (LearnerRecord::reads), and the
  /// values that this concerns (blanks between them; empty = all but auto). Options of a learner's
  /// own record are read by the learners that list them.
  bool by_learner = false;
  std::string_view special_values = {};
  /// The option says nothing unless this other one is given, too, to the learners `needed_for`
  /// (blanks between them; empty = all).
  std::string_view needs = {};
  std::string_view needed_for = {};

  bool is_flag() const;
};

/// All options, in the order of help texts: those of TrainOptions, then those of the learners in
/// the order of the registry. Valid until a learner is registered.
std::span<const OptionRecord> OptionRecords();

/// Reads `value` into the option; throws DataError that names option, value and what is allowed.
void SetOption(const OptionRecord& record, std::string_view value, TrainOptions* options);
/// The option's value as text that SetOption reads back.
std::string OptionText(const OptionRecord& record, const TrainOptions& options);

/// Throws DataError when options contradict each other, are outside of their ranges, or are not
/// read by the learner: options that differ from their defaults, and those in `given` (names),
/// whatever their values.
void CheckOptions(const TrainOptions& options, std::span<const std::string_view> given = {});

/// Whether inputs meet each other through a kernel: the weights of a run are then those of an
/// expansion (kernel_expansion.h).
bool UsesKernel(const TrainOptions& options);

}  // namespace slackline::internal
