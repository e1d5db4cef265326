// SPDX-License-Identifier: BSD-3-Clause
//
// Where the values of options live. Options that several learners read are members of TrainOptions
// (options.h). Options of one learner alone are a struct beside that learner. Option records
// describe both kinds and know how to get and set the value.
#pragma once

#include <any>
#include <compare>
#include <cstdint>
#include <map>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <variant>

#include <slackline/core/kernel.h>
#include <slackline/core/types.h>
#include <slackline/inference/map_solver.h>

namespace slackline::internal {

/// The name of a learner: a key of the registry (learner_registry.h), or `auto`. The constants are
/// the learners that code or tests name; a new learner does not need a constant.
class LearnerKind {
 public:
  constexpr LearnerKind() = default;
  /// name: must have static storage.
  constexpr explicit LearnerKind(std::string_view name) : name_(name) {}
  constexpr std::string_view name() const { return name_; }
  constexpr auto operator<=>(const LearnerKind&) const = default;

  /// Chosen from the structure of the problem (learning/auto/choose_learner.h).
  static const LearnerKind kAuto;
  static const LearnerKind kAugmentedLagrangian, kSoft, kBcfw, kFrankWolfe, kKernelFrankWolfe,
      kKernelBcfw, kSubgradient, kCuttingPlane1, kCuttingPlaneN, kBundle, kExponentiatedGradient,
      kExcessiveGap, kExtragradient, kDlpw, kSmoothDlpw, kProxSdca, kMultiSample, kPdhg;

 private:
  std::string_view name_ = "auto";
};
inline constexpr LearnerKind LearnerKind::kAuto{"auto"};
inline constexpr LearnerKind LearnerKind::kAugmentedLagrangian{"al"};
inline constexpr LearnerKind LearnerKind::kSoft{"soft"};
inline constexpr LearnerKind LearnerKind::kBcfw{"bcfw"};
inline constexpr LearnerKind LearnerKind::kFrankWolfe{"fw"};
inline constexpr LearnerKind LearnerKind::kKernelFrankWolfe{"kernel-fw"};
inline constexpr LearnerKind LearnerKind::kKernelBcfw{"kernel-bcfw"};
inline constexpr LearnerKind LearnerKind::kSubgradient{"ssg"};
inline constexpr LearnerKind LearnerKind::kCuttingPlane1{"cutting-plane-1"};
inline constexpr LearnerKind LearnerKind::kCuttingPlaneN{"cutting-plane-n"};
inline constexpr LearnerKind LearnerKind::kBundle{"bmrm"};
inline constexpr LearnerKind LearnerKind::kExponentiatedGradient{"eg"};
inline constexpr LearnerKind LearnerKind::kExcessiveGap{"excessive-gap"};
inline constexpr LearnerKind LearnerKind::kExtragradient{"extragradient"};
inline constexpr LearnerKind LearnerKind::kDlpw{"dlpw"};
inline constexpr LearnerKind LearnerKind::kSmoothDlpw{"smooth-dlpw"};
inline constexpr LearnerKind LearnerKind::kProxSdca{"prox-sdca"};
inline constexpr LearnerKind LearnerKind::kPdhg{"pdhg"};
inline constexpr LearnerKind LearnerKind::kMultiSample{"multi-sample"};

/// kAuto: pairwise for soft and al, and for bcfw where `auto` chose the learner; Frank-Wolfe for
/// bcfw otherwise (auto/choose_learner.h). kAway: bcfw only.
enum class StepKind { kAuto, kPairwise, kAway, kFrankWolfe };
/// kAuto: gap for bcfw with pairwise or away steps, else example.
enum class OrderKind { kAuto, kExample, kUniform, kCyclic, kGap };
/// kAuto is the same as kOff.
enum class AverageKind { kAuto, kOff, kUniform, kWeighted, kSuffix };
/// A technique that can be switched on and off. kAuto: as the option that has this value says.
enum class Switch { kAuto, kOn, kOff };
/// The scale in which ρ is given: per example, or ρ/M.
enum class RhoScale { kExample, kPaper };
/// The hinge of a labelling y: Δ(y) − w·ψ(y) (margin), or Δ(y)·(1 − w·ψ(y)) (slack; only for label
/// spaces that can be enumerated).
enum class Rescaling { kMargin, kSlack };

/// Which problem a run with --learner auto is to train and certify, where both are at hand.
enum class Certify { kAuto, kExact, kRelaxed, kTightened };

/// The names of these values on the command line and in files.
std::string_view Name(LearnerKind kind);
std::string_view Name(StepKind kind);
std::string_view Name(OrderKind kind);
std::string_view Name(RhoScale scale);
std::string_view Name(Rescaling rescaling);
std::string_view Name(Certify certify);
std::string_view Name(AverageKind kind);
std::string_view Name(Switch kind);

/// Structs of learners' own options, at most one of each type.
class OwnOptions {
 public:
  /// The struct as it was set, or with its defaults.
  template <class T>
  const T& Get() const {
    static const T kDefaults{};
    const auto found = entries_.find(typeid(T));
    return found == entries_.end() ? kDefaults : *std::any_cast<T>(&found->second);
  }
  template <class T>
  T& Edit() {
    std::any& entry = entries_[typeid(T)];
    if (!entry.has_value()) entry = T{};
    return *std::any_cast<T>(&entry);
  }

 private:
  std::map<std::type_index, std::any> entries_;
};

struct TrainOptions;

/// The value of an option of any type.
using OptionValue =
    std::variant<double, bool, Index, std::int64_t, LearnerKind, StepKind, OrderKind, RhoScale,
                 AverageKind, Switch, Rescaling, Certify, KernelKind, SolverKind>;

/// Access to one option. `set` needs a value of the type that `get` returns.
struct OptionField {
  OptionValue (*get)(const TrainOptions&);
  void (*set)(TrainOptions&, const OptionValue&);
};

/// Makes the OptionField of a member of TrainOptions or of a learner's own struct:
/// Field<&TrainOptions::lambda>, Field<&DualLossOptions::step_size>. Needs options.h.
template <auto kMember>
struct FieldOf;
template <class Owner, class Value, Value Owner::*kMember>
struct FieldOf<kMember> {
  template <class Options>
  static auto& Place(Options& options) {
    if constexpr (std::is_same_v<Owner, TrainOptions>) {
      return options.*kMember;
    } else {
      return options.template own<Owner>().*kMember;
    }
  }
  static OptionValue Get(const TrainOptions& options) { return Place(options); }
  static void Set(TrainOptions& options, const OptionValue& value) {
    Place(options) = std::get<Value>(value);
  }
};
template <auto kMember>
inline constexpr OptionField Field = {&FieldOf<kMember>::Get, &FieldOf<kMember>::Set};

}  // namespace slackline::internal
