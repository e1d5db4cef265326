// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/sequence_data.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>

namespace slackline {

std::vector<bool> SelectFolds(std::string_view selection, const SequenceData& data) {
  if (data.folds.empty()) throw DataError(data.source, 0, "the data have no folds");
  std::vector<bool> selected(data.folds.size(), false);
  for (std::size_t from = 0; from <= selection.size();) {
    const std::size_t comma = std::min(selection.find(',', from), selection.size());
    const std::string_view part = selection.substr(from, comma - from);
    from = comma + 1;
    const std::size_t dash = part.find('-');
    Index first = 0;
    Index last = 0;
    const bool numbers = ParseIndex(part.substr(0, dash), &first) &&
                         ParseIndex(dash == std::string_view::npos ? part : part.substr(dash + 1), &last) &&
                         first <= last;
    if (!numbers) {
      throw DataError("folds " + Quoted(selection) + ": " + Quoted(part) +
                      " is neither a number nor a range such as 1-9");
    }
    bool any = false;
    for (std::size_t m = 0; m < selected.size(); ++m) {
      if (data.folds[m] < first || data.folds[m] > last) continue;
      selected[m] = true;
      any = true;
    }
    if (!any) throw DataError(data.source, 0, "no sequence belongs to fold " + Quoted(part));
  }
  return selected;
}

void AppendInput(const SequenceData& data, Offset token, std::string* line) {
  const TokenTable& tokens = *data.tokens;
  for (Index c = 0; c < tokens.num_columns; ++c) {
    if (c > 0) line->push_back(tokens.separator);
    line->append(tokens.text(token, c));
  }
}

LabelNumbering::LabelNumbering(std::span<const std::string> model_labels)
    : num_model_labels_(static_cast<Index>(model_labels.size())) {
  for (const std::string& label : model_labels) names_.Add(label);
  SLACKLINE_CHECK(names_.size() == num_model_labels_, "a model has a label twice");
}

Index LabelNumbering::Number(std::string_view label) {
  return label == kUnknownLabel ? kUnlabelled : names_.Add(label);
}

void LabelNumbering::Finish(SequenceData* data) const {
  std::vector<Index> order(static_cast<std::size_t>(names_.size()));
  std::iota(order.begin(), order.end(), 0);
  if (num_model_labels_ == 0) {
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return names_.text(a) < names_.text(b); });
  }
  data->label_names.clear();
  std::vector<Index> number(order.size());
  for (const Index old : order) {
    number[static_cast<std::size_t>(old)] = data->num_labels();
    data->label_names.emplace_back(names_.text(old));
  }
  data->num_model_labels = num_model_labels_ == 0 ? data->num_labels() : num_model_labels_;
  for (Index& label : data->labels) {
    if (label != kUnlabelled) label = number[static_cast<std::size_t>(label)];
  }
}

}  // namespace slackline
