// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/class_table_options.h>

#include <slackline/apps/common/choice.h>

namespace slackline::internal {

MultiLabelReadOptions ClassReadOptions(const TaskRequest& request, bool constant) {
  constexpr MultiLabelFormat kFormats[] = {MultiLabelFormat::kAuto, MultiLabelFormat::kLibsvm,
                                           MultiLabelFormat::kCsv, MultiLabelFormat::kTsv};
  const TaskOptions& options = request.options;
  MultiLabelReadOptions read;
  read.format = kFormats[options.Choice("format")];
  read.label_columns = options.Text("label-column");
  read.ignore_columns = options.Text("ignore-columns");
  read.separator = ReadSeparator(options.Text("separator"));
  read.categories = options.Text("categories");
  read.decimal_comma = options.Given("decimal-comma");
  read.constant = constant;
  read.ranks = request.ranks;
  read.shards = request.shards;
  return read;
}

}  // namespace slackline::internal
