// SPDX-License-Identifier: BSD-3-Clause
//
// The options of tasks whose training data have one class, or one number, per example.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/tasks/task.h>

namespace slackline::internal {

/// The options of how data are read, then --scale, then a task's own. The texts of --label-column
/// and --ignore-columns say what the column holds.
template <std::size_t n>
constexpr std::array<TaskOption, n + 7> WithTableOptions(std::string_view label_column,
                                                         std::string_view ignore_columns,
                                                         const TaskOption (&own)[n]) {
  using Kind = TaskOption::Kind;
  std::array<TaskOption, n + 7> options = {
      TaskOption{.name = "format",
                 .placeholder = "auto|libsvm|csv|tsv",
                 .text = "format of DATA. auto decides by the first line: LIBSVM has a class, "
                         "then index:value; any other is the header of a table",
                 .default_value = "auto",
                 .kind = Kind::kChoice,
                 .of_data = true,
                 .basic = false},
      TaskOption{.name = "label-column",
                 .placeholder = "COLUMN",
                 .text = label_column,
                 .default_value = "",
                 .of_data = true},
      TaskOption{.name = "ignore-columns",
                 .placeholder = "LIST",
                 .text = ignore_columns,
                 .default_value = "",
                 .of_data = true,
                 .basic = false},
      TaskOption{.name = "categories",
                 .placeholder = "LIST",
                 .text = "columns whose texts are categories, even if they are numbers",
                 .default_value = "",
                 .of_data = true,
                 .basic = false},
      TaskOption{.name = "decimal-comma",
                 .placeholder = "",
                 .text = "1,5 and 1.234,5 are numbers, with a comma before the decimals",
                 .default_value = "",
                 .kind = Kind::kFlag,
                 .of_data = true,
                 .basic = false},
      TaskOption{.name = "separator",
                 .placeholder = "CHARACTER",
                 .text = "what stands between columns: a character, or tab",
                 .default_value = "",
                 .default_text = "by the first line",
                 .of_data = true,
                 .basic = false},
      kScaleOption};
  std::copy(std::begin(own), std::end(own), options.begin() + 7);
  return options;
}

/// The reading options of these values. constant: whether to append a constant feature. Throws
/// DataError.
MultiLabelReadOptions ClassReadOptions(const TaskRequest& request, bool constant);

}  // namespace slackline::internal
