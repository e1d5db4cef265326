// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/tasks/task_options.h>

#include <algorithm>

#include <slackline/apps/common/choice.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/core/check.h>

namespace slackline::internal {

TaskOptions::TaskOptions(std::span<const TaskOption> records) : records_(records) {
  for (const TaskOption& record : records) values_.emplace_back(record.default_value);
}

const TaskOption& TaskOptions::RecordOf(std::string_view name) const {
  const auto found = std::find_if(records_.begin(), records_.end(),
                                  [&](const TaskOption& record) { return record.name == name; });
  SLACKLINE_CHECK(found != records_.end(), "the task has no option " + std::string(name));
  return *found;
}

std::string* TaskOptions::Find(std::string_view name) {
  return &values_[&RecordOf(name) - records_.data()];
}

const std::string& TaskOptions::Text(std::string_view name) const {
  return values_[&RecordOf(name) - records_.data()];
}

Index TaskOptions::Count(std::string_view name) const { return ReadCount(name, Text(name), 0); }

double TaskOptions::Real(std::string_view name) const {
  return ReadReal(name, Text(name), false, RecordOf(name).largest);
}

std::size_t TaskOptions::Choice(std::string_view name) const {
  return CheckChoice(name, Text(name), Alternatives(RecordOf(name).placeholder));
}

std::optional<ScaleKind> TaskOptions::Scale() const { return ScaleChoice(Choice("scale")); }

void TaskOptions::Check() const {
  for (const TaskOption& record : records_) {
    if (record.kind == TaskOption::Kind::kCount) Count(record.name);
    if (record.kind == TaskOption::Kind::kReal) Real(record.name);
    if (record.kind == TaskOption::Kind::kChoice) Choice(record.name);
  }
}

std::vector<std::pair<std::string, std::string>> TaskOptions::Entries() const {
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t k = 0; k < records_.size(); ++k)
    entries.emplace_back(records_[k].name, values_[k]);
  return entries;
}

}  // namespace slackline::internal
