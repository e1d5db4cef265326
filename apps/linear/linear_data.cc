// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/linear/linear_data.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

/// Lower bounds on the memory of training, per weight: the points of the learner, of the newest and
/// of the best evaluation, and the model with two copies while it is saved.
constexpr double kBytesPerWeight = 64;
/// Per example (and class): the label, the dual variable, and the copies of its averages.
constexpr double kBytesPerLabel = 24;

void RequireTwoClasses(const MultiLabelData& read) {
  const std::vector<std::string>& names = read.label_names;
  if (names.size() == 2) return;
  if (names.empty()) throw DataError(read.source, 0, "no example has a known class");
  if (names.size() == 1) {
    throw DataError(
        read.source, 0,
        "all examples are of class " + Quoted(names[0]) + ": there is nothing to tell apart");
  }
  throw DataError(read.source, 0,
                  std::to_string(names.size()) + " classes (" + Quoted(names[0]) + ", " +
                      Quoted(names[1]) + ", " + Quoted(names[2]) + (names.size() > 3 ? ", …" : "") +
                      "), but this loss tells two apart: slackline multiclass is for more, and "
                      "--loss squared or absolute for numbers");
}

/// Leaves out the examples without a known label.
void KeepKnown(LinearData* data) {
  std::vector<Index> known;
  for (std::size_t m = 0; m < data->labels.size(); ++m) {
    if (!std::isnan(data->labels[m])) known.push_back(static_cast<Index>(m));
  }
  const auto all = static_cast<Index>(data->labels.size());
  if (std::ssize(known) == all) return;
  *data = SelectExamples(*data, known);
  data->num_unknown = all - data->num_examples();
}

}  // namespace

LinearData SelectExamples(const LinearData& data, std::span<const Index> examples) {
  LinearData part = data;
  auto rows = std::make_shared<FeatureRows>();
  part.labels.clear();
  for (const Index m : examples) {
    part.labels.push_back(data.labels[Size(m)]);
    const FeatureRow row = data.rows->row(m);
    const std::span<const double> values(row.values, Size(row.count));
    if (row.dense()) {
      rows->AddDense(values);
    } else {
      rows->AddSparse({row.columns, Size(row.count)}, values);
    }
  }
  part.rows = std::move(rows);
  return part;
}

std::vector<double> LinearLabels(const MultiLabelData& data, bool numbers) {
  if (numbers) return data.numbers;
  std::vector<double> labels;
  for (const Index known : data.classes) {
    const bool of_model = known == 0 || known == 1;
    labels.push_back(of_model ? 2.0 * known - 1 : std::numeric_limits<double>::quiet_NaN());
  }
  return labels;
}

LinearData ReadLinearData(const std::string& path, MultiLabelReadOptions options, bool numbers) {
  options.classes = true;
  options.numbers = numbers;
  options.bytes_per_weight = kBytesPerWeight;
  options.bytes_per_label_entry = kBytesPerLabel;
  MultiLabelData read = ReadMultiLabelData(path, options);
  if (!numbers) RequireTwoClasses(read);
  LinearData data;
  data.labels = LinearLabels(read, numbers);
  data.source = std::move(read.source);
  if (!numbers) data.class_names = std::move(read.label_names);
  data.feature_names = std::move(read.feature_names);
  data.num_features = read.num_features;
  data.rows = std::move(read.rows);
  data.input = {std::move(read.fill_values), std::move(read.table)};
  data.class_column = std::move(read.class_column);
  data.notes = std::move(read.notes);
  KeepKnown(&data);
  if (data.labels.empty()) throw DataError(data.source, 0, "no example has a known number");
  if (data.rows->dimension() == 0) throw DataError(data.source, 0, "all features are zero");
  return data;
}

}  // namespace slackline::internal
