// SPDX-License-Identifier: BSD-3-Clause
//
// The options of a task: one record each, from which the command line, the checks, and what models
// say about their training follow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/training/input_scaling.h>
#include <slackline/core/feature_scaling.h>
#include <slackline/core/loss.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// To be made with designated initialisers; the texts have static storage.
struct TaskOption {
  /// A flag has no value on the command line; a file is read by the training.
  enum class Kind : std::int8_t { kText, kCount, kReal, kChoice, kFlag, kFile };

  std::string_view name;         ///< without dashes
  std::string_view placeholder;  ///< "N"; of a choice its values, "mean|count"
  std::string_view text;
  std::string_view default_value;
  std::string_view default_text = {};  ///< shown in place of an empty default value
  Kind kind = Kind::kText;
  double largest = kInfinity;  ///< of a real number; the smallest is 0
  bool of_data = false;        ///< about the data, not about the model
  bool basic = true;           ///< in the short help
};

/// --scale, which every task with inputs has.
inline constexpr TaskOption kScaleOption = {.name = "scale",
                                            .placeholder = kScalePlaceholder,
                                            .text = kScaleText,
                                            .default_value = "auto",
                                            .kind = TaskOption::Kind::kChoice,
                                            .of_data = true};

/// The values of a task's options as texts, at first the defaults; of a flag "1" or nothing. An
/// accessor throws DataError when the value is not allowed.
class TaskOptions {
 public:
  explicit TaskOptions(std::span<const TaskOption> records);

  std::span<const TaskOption> records() const { return records_; }
  /// The place of the value of record k.
  std::string* value(std::size_t k) { return &values_[k].text; }
  bool* flag(std::size_t k) { return &values_[k].given; }
  void Set(std::string_view name, std::string value) {
    values_[Find(name)].text = std::move(value);
  }

  std::string Text(std::string_view name) const;
  Index Count(std::string_view name) const;
  double Real(std::string_view name) const;
  /// The position of the value among the choices.
  std::size_t Choice(std::string_view name) const;
  LossScale Loss() const { return Choice("loss") == 0 ? LossScale::kMean : LossScale::kCount; }
  /// nullopt for auto.
  std::optional<ScaleKind> Scale() const;

  /// Throws DataError unless all values are allowed.
  void Check() const;
  bool Has(std::string_view name) const;
  bool Given(std::string_view name) const { return !Text(name).empty(); }
  /// The files that are read.
  std::vector<std::string> Files() const;
  /// Names and values that are not empty, as the record of a training has them.
  std::vector<std::pair<std::string, std::string>> Entries(
      std::span<const std::string_view> names) const;

 private:
  struct Value {
    std::string text;
    bool given = false;  ///< of a flag
  };

  std::size_t Find(std::string_view name) const;

  std::span<const TaskOption> records_;
  std::vector<Value> values_;
};

}  // namespace slackline::internal
