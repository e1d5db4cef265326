// SPDX-License-Identifier: BSD-3-Clause
//
// The options of tasks whose training data have one class, or one number, per example.
#pragma once

#include <array>
#include <string_view>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/tasks/task.h>

namespace slackline::internal {

/// How data are read. The texts of --label-column and --ignore-columns say what the column holds.
constexpr std::array<TaskOption, 6> ClassTableOptions(std::string_view label_column,
                                                      std::string_view ignore_columns) {
  using Kind = TaskOption::Kind;
  return {TaskOption{.name = "format",
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
                     .basic = false}};
}

/// The reading options of these values. constant: whether to append a constant feature. Throws
/// DataError.
MultiLabelReadOptions ClassReadOptions(const TaskRequest& request, bool constant);

}  // namespace slackline::internal
