// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/tasks/task_options.h>

#include <algorithm>

#include <slackline/apps/common/choice.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/core/check.h>

namespace slackline::internal {

TaskOptions::TaskOptions(std::span<const TaskOption> records) : records_(records) {
  for (const TaskOption& record : records) values_.push_back({std::string(record.default_value)});
}

std::size_t TaskOptions::Find(std::string_view name) const {
  const auto found = std::find_if(records_.begin(), records_.end(),
                                  [&](const TaskOption& record) { return record.name == name; });
  SLACKLINE_CHECK(found != records_.end(), "the task has no option " + std::string(name));
  return found - records_.begin();
}

bool TaskOptions::Has(std::string_view name) const {
  return std::any_of(records_.begin(), records_.end(),
                     [&](const TaskOption& record) { return record.name == name; });
}

std::string TaskOptions::Text(std::string_view name) const {
  const Value& value = values_[Find(name)];
  return value.given ? "1" : value.text;
}

Index TaskOptions::Count(std::string_view name) const { return ReadCount(name, Text(name), 0); }

double TaskOptions::Real(std::string_view name) const {
  return ReadReal(name, Text(name), false, records_[Find(name)].largest);
}

std::size_t TaskOptions::Choice(std::string_view name) const {
  return CheckChoice(name, Text(name), Alternatives(records_[Find(name)].placeholder));
}

std::optional<ScaleKind> TaskOptions::Scale() const { return ScaleChoice(Choice("scale")); }

void TaskOptions::Check() const {
  for (const TaskOption& record : records_) {
    if (record.kind == TaskOption::Kind::kCount) Count(record.name);
    if (record.kind == TaskOption::Kind::kReal) Real(record.name);
    if (record.kind == TaskOption::Kind::kChoice) Choice(record.name);
  }
}

std::vector<std::string> TaskOptions::Files() const {
  std::vector<std::string> files;
  for (const TaskOption& record : records_) {
    if (record.kind == TaskOption::Kind::kFile && Given(record.name))
      files.push_back(Text(record.name));
  }
  return files;
}

std::vector<std::pair<std::string, std::string>> TaskOptions::Entries(
    std::span<const std::string_view> names) const {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const std::string_view name : names) {
    if (Given(name)) entries.emplace_back(name, Text(name));
  }
  return entries;
}

}  // namespace slackline::internal
