// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/options.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/number_text.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
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
constexpr Named<PlaneRace> kPlaneRaces[] = {
    {"auto", PlaneRace::kAuto}, {"on", PlaneRace::kOn}, {"off", PlaneRace::kOff}};
constexpr Named<KernelKind> kKernels[] = {{"auto", KernelKind::kAuto},
                                          {"linear", KernelKind::kLinear},
                                          {"polynomial", KernelKind::kPolynomial},
                                          {"rbf", KernelKind::kRbf}};
constexpr Named<bool> kFlags[] = {{"on", true}, {"off", false}};
constexpr Named<RhoScale> kScales[] = {{"example", RhoScale::kExample},
                                       {"paper", RhoScale::kPaper}};
constexpr Named<Rescaling> kRescalings[] = {{"margin", Rescaling::kMargin},
                                            {"slack", Rescaling::kSlack}};

template <class T>
std::string_view Find(Names<T> names, T value) {
  for (const auto& [name, candidate] : names) {
    if (candidate == value) return name;
  }
  return "?";
}

[[noreturn]] void Refuse(const OptionRecord& record, std::string_view value,
                         const std::string& allowed) {
  throw DataError("--" + std::string(record.name) + ": " + Quoted(value) +
                  " is not allowed; it must be " + allowed);
}

template <class T>
T Choose(Names<T> names, const OptionRecord& record, std::string_view value) {
  std::string allowed = "one of";
  std::vector<std::string_view> texts;
  for (const auto& [name, candidate] : names) {
    if (name == value) return candidate;
    allowed += " " + std::string(name);
    texts.push_back(name);
  }
  Refuse(record, value, allowed + DidYouMean(value, texts));
}

std::string RangeText(const OptionRecord& record, bool integer) {
  std::string text = integer ? "a whole number" : "a number";
  if (record.positive) {
    text += integer ? " ≥ 1" : " > 0";
    if (!integer && record.minimum > 0) text += ", at least " + NumberText(record.minimum);
  } else {
    text += " ≥ " + NumberText(record.minimum);
  }
  if (record.maximum < kInfinity) text += " and ≤ " + NumberText(record.maximum);
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
  return learner == LearnerKind::kAuto ? kForAl | kForBcfw
                                       : For(learner);  // what auto chooses from
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
      throw DataError(applies + ", but " + before + " to --learner " +
                      LearnerNames(readers_before));
    }
    if ((left & readers) != left) {
      left &= readers;
      before = name;
      readers_before = readers;
    }
    if (record.needs.empty() || (left & record.needed_for) != left) continue;
    const auto& records = OptionRecords();
    const auto needed =
        std::find_if(records.begin(), records.end(),
                     [&](const OptionRecord& other) { return other.name == record.needs; });
    if (!is_given(*needed))
      throw DataError(name + " has no effect without --" + std::string(record.needs));
  }
}

/// What learners do instead of reading an option that most others read.
struct OwnWay {
  LearnerSet learners;
  std::string_view way;
};
constexpr OwnWay kOwnSteps[] = {
    {For(LearnerKind::kFrankWolfe, LearnerKind::kKernelFrankWolfe, LearnerKind::kKernelBcfw),
     "takes Frank-Wolfe steps only"},
    {For(LearnerKind::kSubgradient), "takes subgradient steps only"},
    {kForCuttingPlanes | For(LearnerKind::kBundle),
     "takes no steps, but solves a program over its planes"},
    {For(LearnerKind::kExponentiatedGradient), "takes exponentiated gradient steps only"},
    {For(LearnerKind::kExcessiveGap), "takes steps of the excessive gap method only"},
    {For(LearnerKind::kExtragradient), "takes extragradient steps only"},
    {For(LearnerKind::kDlpw, LearnerKind::kSmoothDlpw), "takes gradient steps only"},
    {For(LearnerKind::kProxSdca), "has steps of its own, which --sdca-step chooses"},
    {For(LearnerKind::kMultiSample), "updates an example by all of its labellings at hand"}};
constexpr OwnWay kOwnOrders[] = {
    {kForBatches, "takes all examples at once"},
    {kWithoutOrders & ~kForBatches, "always goes through all examples in a fresh random order"}};

/// Refuses the option with this value where the learner has a way of its own. Who gave it by name
/// is told who reads it.
void RefuseOwnWays(std::span<const OwnWay> ways, LearnerKind learner, std::string_view option,
                   std::string_view value, std::span<const std::string_view> given) {
  LearnerSet readers = kForAll;
  for (const OwnWay& own : ways) readers &= ~own.learners;
  for (const OwnWay& own : ways) {
    if ((own.learners & For(learner)) == 0) continue;
    const std::string name = "--" + std::string(option);
    std::string message = name + " " + std::string(value) + ": learner " +
                          std::string(Name(learner)) + " " + std::string(own.way);
    if (std::find(given.begin(), given.end(), option) != given.end())
      message += "; " + name + " applies to --learner " + LearnerNames(readers);
    throw DataError(message);
  }
}

/// Options that have no meaning together.
void CheckCombinations(const TrainOptions& options, std::span<const std::string_view> given) {
  const double rho = options.rho > 0 ? options.rho : 1;
  if (options.rho_final > rho)
    throw DataError("--rho-final must not be larger than --rho: the penalty gets stricter");
  const bool frank_wolfe =
      options.step == StepKind::kFrankWolfe ||
      (options.step == StepKind::kAuto && options.learner == LearnerKind::kBcfw);
  if (options.fixed_step && options.learner == LearnerKind::kBcfw && !frank_wolfe) {
    throw DataError(
        "--fixed-step needs --step fw: pairwise and away steps search along their line");
  }
  if (options.lp_tolerance > 0) {
    if (!HasGlpk()) throw DataError("--lp-tolerance is for GLPK, which this build does not have");
    if (options.oracle != SolverKind::kLp && options.oracle != SolverKind::kLpPolytope)
      throw DataError("--lp-tolerance needs --oracle lp or lp-polytope");
    if (options.learner == LearnerKind::kBcfw && !frank_wolfe)
      throw DataError("--lp-tolerance needs --step fw: active sets need exact oracles");
  }
  if (options.step != StepKind::kAuto)
    RefuseOwnWays(kOwnSteps, options.learner, "step", Name(options.step), given);
  if (options.order != OrderKind::kAuto)
    RefuseOwnWays(kOwnOrders, options.learner, "order", Name(options.order), given);
  if (options.rescaling == Rescaling::kSlack && options.oracle != SolverKind::kAuto &&
      options.oracle != SolverKind::kBruteForce) {
    throw DataError(
        "--rescaling slack enumerates labellings: --oracle must be auto or brute-force");
  }
  if (options.sdca_step == 5 && options.learner == LearnerKind::kProxSdca &&
      options.smoothing <= 0) {
    throw DataError("--sdca-step 5 needs --smoothing: it is for smooth losses");
  }
  if (options.l1 > 0 && options.kernel != KernelKind::kAuto) {
    throw DataError("--l1 does not go with --kernel: weights are then those of support vectors");
  }
  const TrainOptions defaults;
  if (options.kernel == KernelKind::kLinear && options.kernel_gamma != defaults.kernel_gamma) {
    throw DataError("--kernel-gamma has no effect with --kernel linear");
  }
  if (options.kernel != KernelKind::kPolynomial &&
      (options.kernel_degree != defaults.kernel_degree ||
       options.kernel_offset != defaults.kernel_offset)) {
    throw DataError(
        "--kernel-degree and --kernel-offset have no effect without --kernel polynomial");
  }
  if (options.planes == PlaneRace::kOn) {
    if (options.learner == LearnerKind::kBcfw && frank_wolfe)
      throw DataError("--planes on needs --step pairwise or away: plain bcfw keeps no corners");
    if (options.average != AverageKind::kAuto && options.average != AverageKind::kOff)
      throw DataError("--planes on does not go with --average: planes have no iterates to average");
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
std::string_view Name(PlaneRace kind) { return Find<PlaneRace>(kPlaneRaces, kind); }
std::string_view Name(AverageKind kind) { return Find<AverageKind>(kAverages, kind); }

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
        } else if constexpr (std::is_same_v<T, PlaneRace>) {
          options->*member = Choose<PlaneRace>(kPlaneRaces, record, value);
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
          return NumberText(value);
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
  CheckCombinations(options, given);
}

bool UsesKernel(const TrainOptions& options) {
  return options.kernel != KernelKind::kAuto || (For(options.learner) & kForKernels) != 0;
}

}  // namespace slackline::internal
