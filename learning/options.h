// SPDX-License-Identifier: BSD-3-Clause
//
// All options of training, in one aggregate, and one record per option that drives the command
// line's help, the range checks, and what is written into model files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <slackline/core/kernel.h>
#include <slackline/core/types.h>
#include <slackline/inference/map_solver.h>

namespace slackline::internal {

/// kAuto: chosen from the structure of the problem (learning/choose_learner.h). The others are
/// described where they are made.
enum class LearnerKind {
  kAuto,
  kAugmentedLagrangian,
  kSoft,
  kBcfw,
  kFrankWolfe,
  kKernelFrankWolfe,
  kKernelBcfw,
  kSubgradient,
  kCuttingPlane1,
  kCuttingPlaneN,
  kBundle,
  kExponentiatedGradient,
  kExcessiveGap,
  kExtragradient,
  kDlpw,
  kSmoothDlpw,
  kProxSdca,
  kMultiSample
};
/// kAuto: pairwise for soft and al, Frank-Wolfe for bcfw. kAway: bcfw only.
enum class StepKind { kAuto, kPairwise, kAway, kFrankWolfe };
/// kAuto: gap for bcfw with pairwise or away steps, else example.
enum class OrderKind { kAuto, kExample, kUniform, kGap };
/// kAuto: none.
enum class AverageKind { kAuto, kOff, kUniform, kWeighted, kSuffix };
/// A technique that can be switched off.
enum class Switch { kAuto, kOff };
/// Whether example blocks race with planes of the whole training set and with factor blocks. kAuto:
/// where `auto` chose the learner.
enum class PlaneRace { kAuto, kOn, kOff };
enum class RhoScale { kExample, kPaper };
/// What the hinge of a labelling y is: Δ(y) − w·ψ(y) (margin), or Δ(y)·(1 − w·ψ(y)) (slack; label
/// spaces that can be enumerated).
enum class Rescaling { kMargin, kSlack };

/// Smaller λ lead to numbers without meaning.
inline constexpr double kSmallestLambda = 1e-30;

/// Sets of learners, for options that only some of them have.
using LearnerSet = unsigned;
constexpr LearnerSet For(LearnerKind learner) { return 1U << static_cast<unsigned>(learner); }
template <class... Others>
constexpr LearnerSet For(LearnerKind first, Others... others) {
  return For(first) | For(others...);
}
inline constexpr LearnerSet kForAl = For(LearnerKind::kAugmentedLagrangian);
inline constexpr LearnerSet kForSoft = For(LearnerKind::kSoft);
inline constexpr LearnerSet kForBcfw = For(LearnerKind::kBcfw);
inline constexpr LearnerSet kForAll = ~0U;
inline constexpr LearnerSet kForCuttingPlanes =
    For(LearnerKind::kCuttingPlane1, LearnerKind::kCuttingPlaneN);
/// Learners that ask an oracle for the best labelling of a whole example.
inline constexpr LearnerSet kForOracles =
    kForBcfw | For(LearnerKind::kFrankWolfe, LearnerKind::kKernelFrankWolfe,
                   LearnerKind::kKernelBcfw, LearnerKind::kSubgradient, LearnerKind::kCuttingPlane1,
                   LearnerKind::kCuttingPlaneN, LearnerKind::kBundle, LearnerKind::kProxSdca,
                   LearnerKind::kMultiSample);
inline constexpr LearnerSet kForKernels =
    For(LearnerKind::kKernelFrankWolfe, LearnerKind::kKernelBcfw);
/// Learners that do not read TrainOptions::order: those that take all examples at once, and one
/// that has an order of its own.
inline constexpr LearnerSet kForBatches =
    For(LearnerKind::kFrankWolfe, LearnerKind::kKernelFrankWolfe, LearnerKind::kCuttingPlane1,
        LearnerKind::kBundle, LearnerKind::kExcessiveGap, LearnerKind::kExtragradient);
inline constexpr LearnerSet kWithoutOrders = kForBatches | For(LearnerKind::kCuttingPlaneN);
constexpr bool UsesOracle(LearnerKind learner) { return (For(learner) & kForOracles) != 0; }

struct TrainOptions {
  LearnerKind learner = LearnerKind::kAuto;

  /// λ of the objective; 0 = that of the problem (Train). The command line takes one by the data
  /// then (learning/default_lambda.h).
  double lambda = 0;

  /// al, soft, bcfw; the others have steps of their own.
  StepKind step = StepKind::kAuto;
  /// All but kWithoutOrders. example: all examples in a fresh random order each pass. uniform:
  /// blocks (bcfw: examples) drawn with replacement. gap (bcfw with pairwise or away steps): as
  /// example, without those whose gap was small when last seen.
  OrderKind order = OrderKind::kAuto;
  /// bcfw: which weights are evaluated besides the newest; the better ones are kept.
  AverageKind average = AverageKind::kAuto;
  /// al, and bcfw with pairwise or away steps: whether passes work on proximal problems.
  Switch proximal = Switch::kAuto;
  /// auto, bcfw with pairwise or away steps: whether planes or factor blocks take over where they
  /// are faster (planes/race_learner.h).
  PlaneRace planes = PlaneRace::kAuto;
  /// fw, bcfw and their kernelized forms: the step 2/(k+2), or 2M/(k+2M), instead of a line search.
  bool fixed_step = false;
  /// ssg: whether iterates are projected onto the ball that the optimum lies in.
  bool projection = false;
  /// al: whether most passes leave out pairs of binary variables that rest (active_pairs.h).
  Switch shrinking = Switch::kAuto;

  /// cutting-plane-1, cutting-plane-n: which objective is trained.
  Rescaling rescaling = Rescaling::kMargin;
  /// cutting-plane-1: whether planes of kept labellings are added as long as they are violated
  /// enough, before the oracle is asked.
  Switch constraint_cache = Switch::kAuto;
  /// bmrm: whether the next plane is taken near the best point of the line from the best weights so
  /// far (else at the newest).
  Switch line_search = Switch::kAuto;
  /// cutting-plane-1, cutting-plane-n, bmrm: planes that had no weight in so many rounds are
  /// dropped; 0 = none are.
  Index prune_after = 50;

  /// ρ of the soft penalty; 0 = chosen by the program (1 for soft; from the data for al).
  double rho = 0;
  /// Scale in which `rho` and `rho_final` are given: per example, or equation (5) of the paper read
  /// literally, ρ/M.
  RhoScale rho_scale = RhoScale::kExample;
  /// soft: ρ falls geometrically from rho to rho_final over the first rho_passes passes; 0 = stays
  /// at rho.
  double rho_final = 0;
  Index rho_passes = 100;
  /// al: length of a multiplier step, in (0, 1].
  double tau = 1;

  /// dlpw, smooth-dlpw: η of the steps η/t on the weights; 0 = found by short trials.
  double step_size = 0;
  /// soft: weight γ of a quadratic on every simplex, which smooths the maxima; 0 = none.
  /// smooth-dlpw: the temperature of its soft maxima; 0 = from the losses (dual_loss.h). prox-sdca:
  /// γ of the quadratic that smooths the hinge; 0 = none.
  double smoothing = 0;
  /// prox-sdca: which of the paper's step options I to V (prox_sdca_learner.h).
  Index sdca_step = 2;
  /// prox-sdca: σ of the term σ‖w‖₁ that is added to the objective; 0 = none.
  double l1 = 0;
  /// prox-sdca: also evaluate the iterate after a random step, and keep the better weights.
  bool random_output = false;
  /// multi-sample: labellings in each update of an example.
  Index samples = 10;
  /// multi-sample: later visits of an example go on from its dual variables, instead of counting it
  /// as a new one.
  bool revisit = false;
  /// Kernel on input vectors (core/kernel.h). auto: linear for the kernelized learners, none for
  /// the others.
  KernelKind kernel = KernelKind::kAuto;
  /// γ of the polynomial and rbf kernels; 0 = 1 / number of features.
  double kernel_gamma = 0;
  Index kernel_degree = 3;
  double kernel_offset = 1;
  /// kernelized learners: memory for kernel values, in units of 10^6 bytes.
  Index cache_mb = 256;

  /// Oracle of bcfw.
  SolverKind oracle = SolverKind::kAuto;
  /// bcfw with fw steps, oracle lp or lp-polytope: GLPK's tolerances in passes (checks keep tight
  /// ones); 0 = tight as well.
  double lp_tolerance = 0;

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
};

std::string_view Name(LearnerKind kind);
std::string_view Name(StepKind kind);
std::string_view Name(OrderKind kind);
std::string_view Name(RhoScale scale);
std::string_view Name(Rescaling rescaling);
std::string_view Name(AverageKind kind);
std::string_view Name(Switch kind);
std::string_view Name(PlaneRace kind);

/// One option: its command-line name, what it means, its default in words, and how its value is
/// read, checked and shown.
struct OptionRecord {
  std::string_view name;  ///< without dashes
  std::string_view
      placeholder;  ///< name of the value in help texts; empty for bool, a flag on the command line
  std::string_view text;
  std::string_view default_text;

  /// Where the value lives.
  std::variant<double TrainOptions::*, bool TrainOptions::*, Index TrainOptions::*,
               std::int64_t TrainOptions::*, LearnerKind TrainOptions::*, StepKind TrainOptions::*,
               OrderKind TrainOptions::*, RhoScale TrainOptions::*, AverageKind TrainOptions::*,
               Switch TrainOptions::*, PlaneRace TrainOptions::*, Rescaling TrainOptions::*,
               KernelKind TrainOptions::*, SolverKind TrainOptions::*>
      member;

  /// Numbers: the allowed range. Explicit values must also be > 0 when `positive`.
  double minimum = 0;
  double maximum = kInfinity;
  bool positive = false;

  /// Says when to stop, or how to use the machine, but not where the run goes: may differ when a
  /// run is resumed.
  bool outer = false;

  /// The learners that read the option, and the values that this concerns (blanks between them;
  /// empty = all but auto).
  LearnerSet learners = kForAll;
  std::string_view special_values = {};
  /// The option says nothing unless this other one is given, too, to the learners `needed_for`.
  std::string_view needs = {};
  LearnerSet needed_for = kForAll;
};

/// All options, in the order of help texts.
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
