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
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/option_records.h>

namespace slackline::internal {
namespace {

template <class T>
struct Named {
  std::string_view name;
  T value;
};
template <class T>
using Names = std::span<const Named<T>>;

constexpr Named<StepKind> kStepKinds[] = {{"auto", StepKind::kAuto},
                                          {"pairwise", StepKind::kPairwise},
                                          {"away", StepKind::kAway},
                                          {"fw", StepKind::kFrankWolfe}};
constexpr Named<OrderKind> kOrders[] = {{"auto", OrderKind::kAuto},
                                        {"example", OrderKind::kExample},
                                        {"uniform", OrderKind::kUniform},
                                        {"cyclic", OrderKind::kCyclic},
                                        {"gap", OrderKind::kGap}};
constexpr Named<AverageKind> kAverages[] = {{"auto", AverageKind::kAuto},
                                            {"none", AverageKind::kOff},
                                            {"uniform", AverageKind::kUniform},
                                            {"weighted", AverageKind::kWeighted},
                                            {"suffix", AverageKind::kSuffix}};
constexpr Named<Switch> kSwitches[] = {
    {"auto", Switch::kAuto}, {"on", Switch::kOn}, {"off", Switch::kOff}};
constexpr Named<KernelKind> kKernels[] = {{"auto", KernelKind::kAuto},
                                          {"linear", KernelKind::kLinear},
                                          {"polynomial", KernelKind::kPolynomial},
                                          {"rbf", KernelKind::kRbf}};
constexpr Named<bool> kFlags[] = {{"on", true}, {"off", false}};
constexpr Named<RhoScale> kScales[] = {{"example", RhoScale::kExample},
                                       {"paper", RhoScale::kPaper}};
constexpr Named<Rescaling> kRescalings[] = {{"margin", Rescaling::kMargin},
                                            {"slack", Rescaling::kSlack}};
constexpr Named<Certify> kCertifies[] = {{"auto", Certify::kAuto},
                                         {"exact", Certify::kExact},
                                         {"relaxed", Certify::kRelaxed},
                                         {"tightened", Certify::kTightened}};

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

LearnerKind ChooseLearnerName(const OptionRecord& record, std::string_view value) {
  std::vector<Named<LearnerKind>> names = {{LearnerKind::kAuto.name(), LearnerKind::kAuto}};
  for (const LearnerRecord* learner : Learners())
    names.push_back({learner->name, LearnerKind(learner->name)});
  return Choose<LearnerKind>(names, record, value);
}

/// Throws DataError for an option that the learner does not read, and for one that has no effect
/// without another option that is missing.
void CheckReaders(const TrainOptions& options, std::span<const std::string_view> given) {
  const auto is_given = [&](const OptionRecord& record) {
    return std::find(given.begin(), given.end(), record.name) != given.end() ||
           OptionText(record, options) != OptionText(record, TrainOptions());
  };
  LearnerSet left = SetOf(options.learner);
  std::string narrowed_by;  // the last option that made `left` smaller
  LearnerSet narrowing_readers = ~LearnerSet{0};
  for (const OptionRecord& record : OptionRecords()) {
    if (!is_given(record)) continue;
    const std::string value = OptionText(record, options);
    const LearnerSet readers = ReadersOf(record, value);
    std::string name = "--" + std::string(record.name);
    if (!record.special_values.empty()) name += " " + value;
    const std::string applies = name + " applies to --learner " + LearnerNames(readers);
    if ((left & readers) == 0) {
      if (narrowed_by.empty()) throw DataError(applies + " only");
      throw DataError(applies + ", but " + narrowed_by + " to --learner " +
                      LearnerNames(narrowing_readers));
    }
    if ((left & readers) != left) {
      left &= readers;
      narrowed_by = name;
      narrowing_readers = readers;
    }
    const bool for_all =
        record.needed_for.empty() || (left & ~NamedLearners(record.needed_for)) == 0;
    if (record.needs.empty() || !for_all) continue;
    if (!is_given(OptionNamed(record.needs)))
      throw DataError(name + " has no effect without --" + std::string(record.needs));
  }
}

/// Whether the option asks for something, by one of these values (empty: any).
bool IsSet(const OptionRecord& record, std::string_view values, const TrainOptions& options) {
  const std::string value = OptionText(record, options);
  return value != OptionText(record, TrainOptions()) && !HasWord(record.neutral_values, value) &&
         (values.empty() || HasWord(values, value));
}

/// "--order cyclic", or "--average" where every value is meant.
std::string NameWith(const OptionRecord& record, std::string_view values,
                     const TrainOptions& options) {
  const std::string name = "--" + std::string(record.name);
  return values.empty() || record.is_flag() ? name : name + " " + OptionText(record, options);
}

/// Throws DataError for options of which one excludes another.
void CheckExclusions(const TrainOptions& options) {
  for (const OptionRecord& record : OptionRecords()) {
    for (const Exclusion& exclusion : record.excludes) {
      const OptionRecord& other = OptionNamed(exclusion.other);
      if (!IsSet(record, exclusion.values, options) ||
          !IsSet(other, exclusion.other_values, options))
        continue;
      throw DataError(NameWith(record, exclusion.values, options) + " cannot be combined with " +
                      NameWith(other, exclusion.other_values, options) +
                      (exclusion.reason.empty() ? "" : ": " + std::string(exclusion.reason)));
    }
  }
}

/// Throws DataError for options that contradict each other.
void CheckCombinations(const TrainOptions& options, std::span<const std::string_view> given) {
  const LearnerSet set = SetOf(options.learner);
  const auto learners = Learners();
  if (options.certify != Certify::kAuto &&
      (options.learner != LearnerKind::kAuto || options.oracle != SolverKind::kAuto))
    throw DataError("--certify " + std::string(Name(options.certify)) +
                    " needs --learner auto and --oracle auto, which it decides");
  for (std::size_t k = 0; k < learners.size(); ++k) {
    if ((set >> k & 1) != 0 && learners[k]->check != nullptr) learners[k]->check(options);
  }
  if (const LearnerRecord* record = FindLearner(options.learner)) {
    // The message names the learners that read the option if the user gave the option by name.
    const auto refuse = [&](std::string_view option, std::string_view value,
                            std::string_view own_way, LearnerSet readers) {
      const std::string name = "--" + std::string(option);
      std::string message = name + " " + std::string(value) + ": learner " +
                            std::string(record->name) + " " + std::string(own_way);
      if (std::find(given.begin(), given.end(), option) != given.end())
        message += "; " + name + " applies to --learner " + LearnerNames(readers);
      throw DataError(message);
    };
    if (options.step != StepKind::kAuto && !record->own_steps.empty())
      refuse("step", Name(options.step), record->own_steps, ReadersOfSteps());
    if (options.order != OrderKind::kAuto && !record->own_order.empty())
      refuse("order", Name(options.order), record->own_order, ReadersOfOrders());
  }
  CheckExclusions(options);
  if (options.suffix_share != TrainOptions().suffix_share &&
      options.average != AverageKind::kSuffix)
    throw DataError("--suffix-share has no effect without --average suffix");
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
}

}  // namespace

std::vector<std::string> ExcludedBy(std::string_view name, const TrainOptions& options) {
  std::vector<std::string> names;
  for (const Exclusion& exclusion : OptionNamed(name).excludes) {
    const OptionRecord& other = OptionNamed(exclusion.other);
    if (IsSet(other, exclusion.other_values, options))
      names.push_back(NameWith(other, exclusion.other_values, options));
  }
  return names;
}

void RequireCommonOptions(const TrainOptions& options, std::string_view who) {
  const auto run = RunOptionRecords();
  for (const OptionRecord& record : OptionRecords()) {
    const std::string value = OptionText(record, options);
    const bool common = std::any_of(run.begin(), run.end(), [&](const OptionRecord& other) {
      return other.name == record.name;
    });
    if (common || record.name == "lambda" || value == OptionText(record, TrainOptions())) continue;
    const LearnerSet readers = ReadersOf(record, value);
    throw DataError(
        "--" + std::string(record.name) + " " + value + " applies to " +
        (readers == ~LearnerSet{0} ? "named learners" : "--learner " + LearnerNames(readers)) +
        ", but " + std::string(who) + " has a learner of its own");
  }
}

std::string_view Name(LearnerKind kind) { return kind.name(); }
std::string_view Name(StepKind kind) { return Find<StepKind>(kStepKinds, kind); }
std::string_view Name(OrderKind kind) { return Find<OrderKind>(kOrders, kind); }
std::string_view Name(RhoScale scale) { return Find<RhoScale>(kScales, scale); }
std::string_view Name(Rescaling rescaling) { return Find<Rescaling>(kRescalings, rescaling); }
std::string_view Name(Certify certify) { return Find<Certify>(kCertifies, certify); }
std::string_view Name(Switch kind) { return Find<Switch>(kSwitches, kind); }
std::string_view Name(AverageKind kind) { return Find<AverageKind>(kAverages, kind); }

bool OptionRecord::is_flag() const {
  return std::holds_alternative<bool>(field.get(TrainOptions()));
}

namespace {

template <class T>
T ReadValue(const OptionRecord& record, std::string_view value) {
  if constexpr (std::is_same_v<T, bool>) {
    return Choose<bool>(kFlags, record, value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return ReadNumber<T>(record, value);
  } else if constexpr (std::is_same_v<T, LearnerKind>) {
    return ChooseLearnerName(record, value);
  } else if constexpr (std::is_same_v<T, StepKind>) {
    return Choose<StepKind>(kStepKinds, record, value);
  } else if constexpr (std::is_same_v<T, OrderKind>) {
    return Choose<OrderKind>(kOrders, record, value);
  } else if constexpr (std::is_same_v<T, AverageKind>) {
    return Choose<AverageKind>(kAverages, record, value);
  } else if constexpr (std::is_same_v<T, Switch>) {
    return Choose<Switch>(kSwitches, record, value);
  } else if constexpr (std::is_same_v<T, KernelKind>) {
    return Choose<KernelKind>(kKernels, record, value);
  } else if constexpr (std::is_same_v<T, RhoScale>) {
    return Choose<RhoScale>(kScales, record, value);
  } else if constexpr (std::is_same_v<T, Rescaling>) {
    return Choose<Rescaling>(kRescalings, record, value);
  } else if constexpr (std::is_same_v<T, Certify>) {
    return Choose<Certify>(kCertifies, record, value);
  } else {
    static_assert(std::is_same_v<T, SolverKind>);
    try {
      return ParseSolverKind(value);
    } catch (const DataError& error) {
      throw DataError("--" + std::string(record.name) + ": " + error.what());
    }
  }
}

}  // namespace

void SetOption(const OptionRecord& record, std::string_view value, TrainOptions* options) {
  OptionValue read = record.field.get(*options);
  std::visit([&](auto& place) { place = ReadValue<std::decay_t<decltype(place)>>(record, value); },
             read);
  record.field.set(*options, read);
}

std::string OptionText(const OptionRecord& record, const TrainOptions& options) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
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
      record.field.get(options));
}

void CheckOptions(const TrainOptions& options, std::span<const std::string_view> given) {
  for (const OptionRecord& record : OptionRecords()) {
    // Zero means "not given" for options that must be positive when they are.
    const std::string text = OptionText(record, options);
    if (record.positive && text == "0") continue;
    TrainOptions scratch;
    SetOption(record, text, &scratch);
  }
  if (options.max_passes < 1) throw DataError("--max-passes: must be at least 1");
  CheckReaders(options, given);
  CheckCombinations(options, given);
}

bool UsesKernel(const TrainOptions& options) {
  return options.kernel != KernelKind::kAuto || IsKernelized(options.learner);
}

}  // namespace slackline::internal
