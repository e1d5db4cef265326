// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/options.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline {
namespace {

template <class T>
struct Named {
  std::string_view name;
  T value;
};
template <class T>
using Names = std::span<const Named<T>>;

constexpr Named<LearnerKind> kLearners[] = {{"auto", LearnerKind::kAuto},
                                            {"al", LearnerKind::kAugmentedLagrangian},
                                            {"soft", LearnerKind::kSoft},
                                            {"bcfw", LearnerKind::kBcfw},
                                            {"fw", LearnerKind::kFrankWolfe},
                                            {"kernel-fw", LearnerKind::kKernelFrankWolfe},
                                            {"kernel-bcfw", LearnerKind::kKernelBcfw},
                                            {"ssg", LearnerKind::kSubgradient},
                                            {"cutting-plane-1", LearnerKind::kCuttingPlane1},
                                            {"cutting-plane-n", LearnerKind::kCuttingPlaneN},
                                            {"bmrm", LearnerKind::kBundle},
                                            {"eg", LearnerKind::kExponentiatedGradient},
                                            {"excessive-gap", LearnerKind::kExcessiveGap},
                                            {"extragradient", LearnerKind::kExtragradient},
                                            {"dlpw", LearnerKind::kDlpw},
                                            {"smooth-dlpw", LearnerKind::kSmoothDlpw},
                                            {"prox-sdca", LearnerKind::kProxSdca},
                                            {"multi-sample", LearnerKind::kMultiSample}};
constexpr Named<StepKind> kSteps[] = {{"auto", StepKind::kAuto},
                                      {"pairwise", StepKind::kPairwise},
                                      {"away", StepKind::kAway},
                                      {"fw", StepKind::kFrankWolfe}};
constexpr Named<OrderKind> kOrders[] = {{"auto", OrderKind::kAuto},
                                        {"example", OrderKind::kExample},
                                        {"uniform", OrderKind::kUniform},
                                        {"gap", OrderKind::kGap}};
constexpr Named<AverageKind> kAverages[] = {{"auto", AverageKind::kAuto},
                                            {"none", AverageKind::kOff},
                                            {"uniform", AverageKind::kUniform},
                                            {"weighted", AverageKind::kWeighted},
                                            {"suffix", AverageKind::kSuffix}};
constexpr Named<Switch> kSwitches[] = {{"auto", Switch::kAuto}, {"off", Switch::kOff}};
constexpr Named<KernelKind> kKernels[] = {{"auto", KernelKind::kAuto},
                                          {"linear", KernelKind::kLinear},
                                          {"polynomial", KernelKind::kPolynomial},
                                          {"rbf", KernelKind::kRbf}};
constexpr Named<bool> kFlags[] = {{"on", true}, {"off", false}};
constexpr Named<RhoScale> kScales[] = {{"example", RhoScale::kExample}, {"paper", RhoScale::kPaper}};
constexpr Named<Rescaling> kRescalings[] = {{"margin", Rescaling::kMargin}, {"slack", Rescaling::kSlack}};

template <class T>
std::string_view Find(Names<T> names, T value) {
  for (const auto& [name, candidate] : names) {
    if (candidate == value) return name;
  }
  return "?";
}

[[noreturn]] void Refuse(const OptionRecord& record, std::string_view value, const std::string& allowed) {
  throw DataError("--" + std::string(record.name) + ": " + Quoted(value) + " is not allowed; it must be " +
                  allowed);
}

template <class T>
T Choose(Names<T> names, const OptionRecord& record, std::string_view value) {
  std::string allowed = "one of";
  for (const auto& [name, candidate] : names) {
    if (name == value) return candidate;
    allowed += " " + std::string(name);
  }
  Refuse(record, value, allowed);
}

std::string Show(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string RangeText(const OptionRecord& record, bool integer) {
  std::string text = integer ? "a whole number" : "a number";
  if (record.positive) {
    text += integer ? " ≥ 1" : " > 0";
    if (!integer && record.minimum > 0) text += ", at least " + Show(record.minimum);
  } else {
    text += " ≥ " + Show(record.minimum);
  }
  if (record.maximum < kInfinity) text += " and ≤ " + Show(record.maximum);
  return text;
}

template <class T>
T ReadNumber(const OptionRecord& record, std::string_view value) {
  T number{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  bool good = error == std::errc() && end == value.data() + value.size();
  if constexpr (std::is_floating_point_v<T>) good = good && std::isfinite(number);
  const auto comparable = static_cast<double>(number);
  good = good && comparable >= record.minimum && comparable <= record.maximum &&
         (!record.positive || number > 0);
  if (!good) Refuse(record, value, RangeText(record, !std::is_floating_point_v<T>));
  return number;
}

LearnerSet SetOf(LearnerKind learner) {
  return learner == LearnerKind::kAuto ? kForAl | kForBcfw : For(learner);  // what auto chooses from
}

/// "al or soft"
std::string LearnerNames(LearnerSet set) {
  std::string names;
  for (const auto& [name, kind] : kLearners) {
    if (kind == LearnerKind::kAuto || (SetOf(kind) & set) == 0) continue;
    names.append(names.empty() ? "" : " or ").append(name);
  }
  return names;
}

bool HasWord(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t blank = std::min(words.find(' '), words.size());
    if (words.substr(0, blank) == word) return true;
    words.remove_prefix(std::min(blank + 1, words.size()));
  }
  return false;
}

/// The learners that read the option with its value.
LearnerSet ReadersOf(const OptionRecord& record, const std::string& value) {
  const bool special =
      record.special_values.empty() ? value != "auto" : HasWord(record.special_values, value);
  return special ? record.learners : kForAll;
}

/// An option that is accepted must be read.
void CheckReaders(const TrainOptions& options, std::span<const std::string_view> given) {
  const auto is_given = [&](const OptionRecord& record) {
    return std::find(given.begin(), given.end(), record.name) != given.end() ||
           OptionText(record, options) != OptionText(record, TrainOptions());
  };
  LearnerSet left = SetOf(options.learner);
  std::string before;  // the option that made it so
  LearnerSet readers_before = kForAll;
  for (const OptionRecord& record : OptionRecords()) {
    if (!is_given(record)) continue;
    const std::string value = OptionText(record, options);
    const LearnerSet readers = ReadersOf(record, value);
    std::string name = "--" + std::string(record.name);
    if (!record.special_values.empty()) name += " " + value;
    const std::string applies = name + " applies to --learner " + LearnerNames(readers);
    if ((left & readers) == 0) {
      if (before.empty()) throw DataError(applies + " only");
      throw DataError(applies + ", but " + before + " to --learner " + LearnerNames(readers_before));
    }
    if ((left & readers) != left) {
      left &= readers;
      before = name;
      readers_before = readers;
    }
    if (record.needs.empty() || (left & record.needed_for) != left) continue;
    const auto& records = OptionRecords();
    const auto needed = std::find_if(records.begin(), records.end(),
                                     [&](const OptionRecord& other) { return other.name == record.needs; });
    if (!is_given(*needed)) throw DataError(name + " has no effect without --" + std::string(record.needs));
  }
}

/// Options that have no meaning together.
void CheckCombinations(const TrainOptions& options) {
  const double rho = options.rho > 0 ? options.rho : 1;
  if (options.rho_final > rho)
    throw DataError("--rho-final must not be larger than --rho: the penalty gets stricter");
  const bool frank_wolfe = options.step == StepKind::kFrankWolfe ||
                           (options.step == StepKind::kAuto && options.learner == LearnerKind::kBcfw);
  if (options.fixed_step && options.learner == LearnerKind::kBcfw && !frank_wolfe) {
    throw DataError("--fixed-step needs --step fw: pairwise and away steps search along their line");
  }
  if (options.lp_tolerance > 0) {
    if (!HasGlpk()) throw DataError("--lp-tolerance is for GLPK, which this build does not have");
    if (options.oracle != SolverKind::kLp && options.oracle != SolverKind::kLpPolytope)
      throw DataError("--lp-tolerance needs --oracle lp or lp-polytope");
    if (options.learner == LearnerKind::kBcfw && !frank_wolfe)
      throw DataError("--lp-tolerance needs --step fw: kept corners need exact oracles");
  }
  const bool batch = options.learner == LearnerKind::kFrankWolfe;
  if (batch && options.order != OrderKind::kAuto)
    throw DataError("--order does not apply to --learner fw, which moves all examples together");
  if ((batch || options.learner == LearnerKind::kSubgradient) && options.step != StepKind::kAuto)
    throw DataError("--step does not apply to --learner fw or ssg, which have one kind of step");
  if (options.rescaling == Rescaling::kSlack && options.oracle != SolverKind::kAuto &&
      options.oracle != SolverKind::kBruteForce) {
    throw DataError("--rescaling slack enumerates labellings: --oracle must be auto or brute-force");
  }
  if (options.sdca_step == 5 && options.learner == LearnerKind::kProxSdca && options.smoothing <= 0) {
    throw DataError("--sdca-step 5 needs --smoothing: it is for smooth losses");
  }
  const TrainOptions defaults;
  if (options.kernel == KernelKind::kLinear && options.kernel_gamma != defaults.kernel_gamma) {
    throw DataError("--kernel-gamma has no effect with --kernel linear");
  }
  if (options.kernel != KernelKind::kPolynomial &&
      (options.kernel_degree != defaults.kernel_degree || options.kernel_offset != defaults.kernel_offset)) {
    throw DataError("--kernel-degree and --kernel-offset have no effect without --kernel polynomial");
  }
  if (options.order == OrderKind::kGap && frank_wolfe) {
    throw DataError("--order gap needs --step pairwise or away: plain bcfw keeps no gaps");
  }
}

}  // namespace

std::string_view Name(LearnerKind kind) { return Find<LearnerKind>(kLearners, kind); }
std::string_view Name(StepKind kind) { return Find<StepKind>(kSteps, kind); }
std::string_view Name(OrderKind kind) { return Find<OrderKind>(kOrders, kind); }
std::string_view Name(RhoScale scale) { return Find<RhoScale>(kScales, scale); }
std::string_view Name(Rescaling rescaling) { return Find<Rescaling>(kRescalings, rescaling); }
std::string_view Name(Switch kind) { return Find<Switch>(kSwitches, kind); }
std::string_view Name(AverageKind kind) { return Find<AverageKind>(kAverages, kind); }

std::span<const OptionRecord> OptionRecords() {
  using O = TrainOptions;
  constexpr auto kMaxIndex = static_cast<double>(std::numeric_limits<Index>::max());
  constexpr auto kMaxSeed = 9007199254740992.0;
  static const OptionRecord records[] = {
      {"learner", "NAME",
       "auto: the fastest for the structure. bcfw: one block per example, with an oracle. al: augmented "
       "Lagrangian, solves the LP-relaxed problem by factor blocks. soft: factor blocks with a penalty "
       "instead of constraints. For comparison (docs/learners.md): fw, kernel-fw, kernel-bcfw, ssg, "
       "cutting-plane-1, "
       "cutting-plane-n, bmrm, eg, excessive-gap, extragradient, dlpw, smooth-dlpw, prox-sdca, multi-sample",
       "auto", &O::learner},
      {"lambda", "L", "weight of the regulariser, objective λ/2 ‖w‖² + mean hinge", "1/M", &O::lambda,
       kSmallestLambda, kInfinity, true},
      {"step", "auto|pairwise|away|fw",
       "direction of a step: pairwise, away (bcfw) or Frank-Wolfe; bcfw keeps corners for the first two",
       "soft, al: pairwise; bcfw: fw", &O::step, 0, kInfinity, false, false, kForBcfw, "away"},
      {"order", "auto|example|uniform|gap",
       "all examples in random order, blocks drawn with replacement, or (bcfw with kept corners) the "
       "examples "
       "with a gap",
       "example; gap with kept corners", &O::order, 0, kInfinity, false, false, kForBcfw, "gap"},
      {"average", "auto|none|uniform|weighted|suffix",
       "bcfw, fw, ssg, prox-sdca, multi-sample: also evaluate this average of all iterates, and keep the "
       "better weights",
       "none", &O::average, 0, kInfinity, false, false,
       kForBcfw |
           For(LearnerKind::kFrankWolfe, LearnerKind::kSubgradient, LearnerKind::kProxSdca,
               LearnerKind::kMultiSample) |
           kForKernels,
       "uniform weighted suffix"},
      {"proximal", "auto|off",
       "al, and bcfw with kept corners: let passes work on proximal problems, which helps when λ is small",
       "auto", &O::proximal, 0, kInfinity, false, false, kForAl | kForBcfw, "off"},
      {"fixed-step", "",
       "fw, bcfw with fw steps: steps of length 2/(k+2), or 2M/(k+2M), instead of a line search", "off",
       &O::fixed_step, 0, kInfinity, false, false, kForBcfw | For(LearnerKind::kFrankWolfe) | kForKernels,
       "on"},
      {"projection", "", "ssg: project iterates onto the ball that the optimum lies in", "off",
       &O::projection, 0, kInfinity, false, false, For(LearnerKind::kSubgradient), "on"},
      {"shrinking", "auto|off", "al: let most passes leave out pairs of labels that are off and stay so",
       "auto", &O::shrinking, 0, kInfinity, false, false, kForAl, "off"},
      {"rescaling", "margin|slack",
       "cutting-plane-1, cutting-plane-n: hinge of a labelling, loss − margin or loss · (1 − margin); slack "
       "needs label spaces that can be enumerated",
       "margin", &O::rescaling, 0, kInfinity, false, false, kForCuttingPlanes, "slack"},
      {"constraint-cache", "auto|off",
       "cutting-plane-1: add planes of kept labellings while they are violated enough, before the oracle is "
       "asked",
       "auto", &O::constraint_cache, 0, kInfinity, false, false, For(LearnerKind::kCuttingPlane1), "off"},
      {"line-search", "auto|off",
       "bmrm: take planes near the best point of a line, not at the newest weights", "auto", &O::line_search,
       0, kInfinity, false, false, For(LearnerKind::kBundle), "off"},
      {"prune-after", "N", "cutting planes, bmrm: drop planes that had no weight in N rounds; 0 = keep all",
       "50", &O::prune_after, 0, kMaxIndex, false, false, kForCuttingPlanes | For(LearnerKind::kBundle)},
      {"rho", "R", "strength of the soft penalty: small = strict", "soft: 1; al: from the data", &O::rho, 0,
       kInfinity, true, false, kForAl | kForSoft},
      {"rho-scale",
       "example|paper",
       "scale of ρ: per example, or ρ/M as the paper's equation (5) is written",
       "example",
       &O::rho_scale,
       0,
       kInfinity,
       false,
       false,
       kForAl | kForSoft,
       {},
       "rho",
       kForAl},
      {"rho-final", "R", "soft: let ρ fall to this value", "stays", &O::rho_final, 0, kInfinity, true, false,
       kForSoft},
      {"rho-passes",
       "N",
       "soft: passes over which ρ falls",
       "100",
       &O::rho_passes,
       1,
       kMaxIndex,
       true,
       false,
       kForSoft,
       {},
       "rho-final"},
      {"tau", "T", "al: length of a multiplier step", "1", &O::tau, 0, 1, true, false, kForAl},
      {"step-size", "E", "dlpw, smooth-dlpw: steps on the weights have length E/t", "found by short trials",
       &O::step_size, 0, kInfinity, true, false, For(LearnerKind::kDlpw, LearnerKind::kSmoothDlpw)},
      {"smoothing", "G",
       "soft, prox-sdca: weight of a quadratic that smooths the maxima; smooth-dlpw: temperature of its soft "
       "maxima",
       "none; smooth-dlpw: from the losses", &O::smoothing, 0, kInfinity, true, false,
       kForSoft | For(LearnerKind::kSmoothDlpw, LearnerKind::kProxSdca)},
      {"sdca-step", "1..5",
       "prox-sdca: step option of the paper. 1: several steps on the example, 2: line search, 3: a bound on "
       "the "
       "curvature of the example, 4: of all examples, 5: smoothed losses only",
       "2", &O::sdca_step, 1, 5, true, false, For(LearnerKind::kProxSdca)},
      {"l1", "S", "prox-sdca: adds S ‖w‖₁ to the objective, so that weights become zero", "none", &O::l1, 0,
       kInfinity, true, false, For(LearnerKind::kProxSdca)},
      {"random-output", "", "prox-sdca: also evaluate the iterate after a random step", "off",
       &O::random_output, 0, kInfinity, false, false, For(LearnerKind::kProxSdca), "on"},
      {"samples", "K", "multi-sample: labellings in each update of an example", "10", &O::samples, 1, 10000,
       true, false, For(LearnerKind::kMultiSample)},
      {"revisit", "",
       "multi-sample: later visits of an example go on from its dual variables, instead of counting it as a "
       "new example",
       "off", &O::revisit, 0, kInfinity, false, false, For(LearnerKind::kMultiSample), "on"},
      {"kernel", "auto|linear|polynomial|rbf",
       "kernel on input vectors: kernel-bcfw and kernel-fw keep kernel values as far as --cache-mb goes, "
       "other learners work "
       "on a factor of the kernel matrix of all inputs",
       "kernel-bcfw, kernel-fw: linear; else none", &O::kernel},
      {"kernel-gamma",
       "G",
       "γ of the kernels (γ⟨x,x'⟩ + c)^p and exp(−γ‖x − x'‖²)",
       "1 / number of features",
       &O::kernel_gamma,
       0,
       kInfinity,
       true,
       false,
       kForAll,
       {},
       "kernel"},
      {"kernel-degree",
       "P",
       "p of the polynomial kernel",
       "3",
       &O::kernel_degree,
       1,
       64,
       true,
       false,
       kForAll,
       {},
       "kernel"},
      {"kernel-offset",
       "C",
       "c of the polynomial kernel",
       "1",
       &O::kernel_offset,
       0,
       kInfinity,
       false,
       false,
       kForAll,
       {},
       "kernel"},
      {"cache-mb", "N", "kernel-bcfw, kernel-fw: megabytes for kernel values. Results do not depend on it",
       "256", &O::cache_mb, 1, kMaxIndex, true, true, kForKernels},
      {"oracle", "auto|roof|messages|lp|lp-polytope|tree|brute-force|search|global",
       "bcfw and others that ask an oracle: how an example is maximised", "auto", &O::oracle, 0, kInfinity,
       false, false, kForOracles},
      {"lp-tolerance", "T",
       "bcfw with fw steps and oracle lp: tolerance of GLPK's simplex method in passes; checks keep 1e-9",
       "1e-9", &O::lp_tolerance, 1e-9, 0.1, true, false, kForBcfw},
      {"gap-tolerance", "G", "stop at this relative duality gap; 0 = do not", "1e-3", &O::gap_tolerance, 0,
       kInfinity, false, true},
      {"absolute-gap", "G", "stop at this absolute duality gap; 0 = do not", "0", &O::absolute_gap, 0,
       kInfinity, false, true},
      {"max-passes", "N", "stop after N passes over the examples", "100000", &O::max_passes, 1, kMaxIndex,
       true, true},
      {"time-limit", "SECONDS", "stop after this time, keeping the best model; 0 = no limit", "0",
       &O::time_limit_seconds, 0, kInfinity, false, true},
      {"check-every", "PASSES",
       "passes between two certificates; 0 = often at first, then less, and when the gap seems small", "0",
       &O::check_every, 0, kMaxIndex},
      {"seed", "S", "seed of the random order", "1", &O::seed, 0, kMaxSeed},
      {"threads", "N",
       "threads, for certificates and passes beside them; 0 = all. Results do not depend on it", "1",
       &O::threads, 0, 1024, false, true},
  };
  return records;
}

void SetOption(const OptionRecord& record, std::string_view value, TrainOptions* options) {
  std::visit(
      [&](auto member) {
        using T = std::remove_reference_t<decltype(options->*member)>;
        if constexpr (std::is_same_v<T, bool>) {
          options->*member = Choose<bool>(kFlags, record, value);
        } else if constexpr (std::is_arithmetic_v<T>) {
          options->*member = ReadNumber<T>(record, value);
        } else if constexpr (std::is_same_v<T, LearnerKind>) {
          options->*member = Choose<LearnerKind>(kLearners, record, value);
        } else if constexpr (std::is_same_v<T, StepKind>) {
          options->*member = Choose<StepKind>(kSteps, record, value);
        } else if constexpr (std::is_same_v<T, OrderKind>) {
          options->*member = Choose<OrderKind>(kOrders, record, value);
        } else if constexpr (std::is_same_v<T, AverageKind>) {
          options->*member = Choose<AverageKind>(kAverages, record, value);
        } else if constexpr (std::is_same_v<T, Switch>) {
          options->*member = Choose<Switch>(kSwitches, record, value);
        } else if constexpr (std::is_same_v<T, KernelKind>) {
          options->*member = Choose<KernelKind>(kKernels, record, value);
        } else if constexpr (std::is_same_v<T, RhoScale>) {
          options->*member = Choose<RhoScale>(kScales, record, value);
        } else if constexpr (std::is_same_v<T, Rescaling>) {
          options->*member = Choose<Rescaling>(kRescalings, record, value);
        } else {
          try {
            options->*member = ParseSolverKind(value);
          } catch (const DataError& error) {
            throw DataError("--" + std::string(record.name) + ": " + error.what());
          }
        }
      },
      record.member);
}

std::string OptionText(const OptionRecord& record, const TrainOptions& options) {
  return std::visit(
      [&](auto member) -> std::string {
        const auto value = options.*member;
        using T = std::remove_const_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>) {
          return std::string(Find<bool>(kFlags, value));
        } else if constexpr (std::is_floating_point_v<T>) {
          return Show(value);
        } else if constexpr (std::is_integral_v<T>) {
          return std::to_string(value);
        } else if constexpr (std::is_same_v<T, SolverKind>) {
          return std::string(SolverKindName(value));
        } else {
          return std::string(Name(value));
        }
      },
      record.member);
}

void CheckOptions(const TrainOptions& options, std::span<const std::string_view> given) {
  for (const OptionRecord& record : OptionRecords()) {
    // Zero means "not given" for options that must be positive when they are.
    const std::string text = OptionText(record, options);
    if (record.positive && text == "0") continue;
    TrainOptions scratch;
    SetOption(record, text, &scratch);
  }
  if (options.tau <= 0) throw DataError("--tau: must be > 0 and ≤ 1");
  if (options.max_passes < 1) throw DataError("--max-passes: must be at least 1");
  CheckReaders(options, given);
  CheckCombinations(options);
}

bool UsesKernel(const TrainOptions& options) {
  return options.kernel != KernelKind::kAuto || (For(options.learner) & kForKernels) != 0;
}

}  // namespace slackline
