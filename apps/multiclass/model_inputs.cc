// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/model_inputs.h>

#include <cstdint>
#include <memory>
#include <utility>

#include <slackline/apps/common/scaling_entries.h>
#include <slackline/core/check.h>

namespace slackline::internal {

ModelInputs::ModelInputs(Index num_features) : num_features_(num_features) {
  SLACKLINE_CHECK(num_features >= 1, "a model needs features");
}

void ModelInputs::set_feature_names(std::vector<std::string> names) {
  SLACKLINE_CHECK(names.empty() || std::ssize(names) == num_features_,
                  "a model needs a name for every feature, or none");
  feature_names_ = std::move(names);
}

void ModelInputs::set_scaling(FeatureScaling scaling) {
  SLACKLINE_CHECK(scaling.Fits(num_features_), "a scaling needs numbers for every feature");
  scaling_ = std::move(scaling);
}

void ModelInputs::set_input(InputRecord input, std::string class_column) {
  const auto fill_values = static_cast<Index>(input.fill_values.size());
  SLACKLINE_CHECK(fill_values == 0 || fill_values == num_features_,
                  "a fill value is needed for every feature, or none");
  SLACKLINE_CHECK(!input.table || input.table->FeatureNames() == feature_names_,
                  "the features of the table are not those of the model");
  input_ = std::move(input);
  class_column_ = std::move(class_column);
}

MultiLabelReadOptions ModelInputs::ReadOptions(const std::vector<std::string>& class_names) const {
  MultiLabelReadOptions options;
  options.classes = true;
  options.label_names = class_names;
  options.class_column = class_column_;
  options.num_features = num_features_;
  options.feature_names = feature_names_;
  options.scaling = scaling_;
  options.table = input_.table;
  options.fill_values = input_.fill_values;
  if (!input_.table && !feature_names_.empty()) {
    auto table = std::make_shared<TableSchema>();
    for (const std::string& name : feature_names_) table->columns.push_back({name, {}});
    options.table = std::move(table);
  }
  return options;
}

void ModelInputs::SaveFeatures(ModelWriter* writer) const {
  writer->Add("num_features", std::vector<std::int64_t>{num_features_});
  writer->Add("feature_names", feature_names_);
}

void ModelInputs::SaveReading(ModelWriter* writer) const {
  SaveInputRecord(input_, writer);
  if (!class_column_.empty()) writer->Add("class_column", class_column_);
}

ModelInputs ModelInputs::Load(const ModelEntries& entries) {
  const Index num_features =
      entries.ToIndex("num_features", entries.Integers("num_features", 1)[0]);
  entries.Require(num_features >= 1, "num_features");
  ModelInputs inputs(num_features);
  const auto& names = entries.file().Strings("feature_names");
  entries.Require(names.empty() || std::ssize(names) == num_features, "feature_names");
  inputs.set_feature_names(names);
  inputs.set_scaling(LoadScaling(entries, num_features));
  std::string class_column;
  if (entries.file().Has("class_column")) class_column = entries.file().String("class_column");
  InputRecord input = LoadInputRecord(entries, num_features, names, {class_column});
  entries.Require(class_column.empty() == (input.table == nullptr), "class_column");
  inputs.set_input(std::move(input), std::move(class_column));
  return inputs;
}

}  // namespace slackline::internal
