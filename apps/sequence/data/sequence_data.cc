// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/sequence_data.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/split.h>

namespace slackline::internal {

FoldSelection::FoldSelection(std::string_view selection) {
  std::vector<std::string_view> parts;
  SplitViews(selection, ',', &parts);
  for (const std::string_view text : parts) {
    Part part;
    part.text = text;
    const std::size_t dash = text.find('-');
    const bool numbers =
        ParseIndex(text.substr(0, dash), &part.first) &&
        ParseIndex(dash == std::string_view::npos ? text : text.substr(dash + 1), &part.last) &&
        part.first <= part.last;
    if (!numbers) {
      throw DataError("folds " + Quoted(selection) + ": " + Quoted(text) +
                      " is neither a number nor a range such as 1-9");
    }
    parts_.push_back(std::move(part));
  }
}

bool FoldSelection::Selects(Index fold) {
  bool selects = false;
  for (Part& part : parts_) {
    if (fold < part.first || fold > part.last) continue;
    part.used = true;
    selects = true;
  }
  return selects;
}

void FoldSelection::Agree(Ranks& ranks) {
  for (Part& part : parts_) part.used = ranks.Any(part.used);
}

void FoldSelection::CheckAllUsed(const std::string& source) const {
  for (const Part& part : parts_) {
    if (!part.used) throw DataError(source, 0, "no sequence belongs to fold " + Quoted(part.text));
  }
}

std::vector<bool> SelectFolds(std::string_view selection, const SequenceData& data, Ranks& ranks) {
  if (!ranks.Any(!data.folds.empty())) throw DataError(data.source, 0, "the data have no folds");
  FoldSelection folds(selection);
  std::vector<bool> selected;
  for (const Index fold : data.folds) selected.push_back(folds.Selects(fold));
  folds.Agree(ranks);
  folds.CheckAllUsed(data.source);
  return selected;
}

long SequenceData::LineOf(Index m, Offset token) const {
  const auto before = [this](Offset t) {
    return std::upper_bound(left_out.begin(), left_out.end(), t) - left_out.begin();
  };
  return lines[m] + static_cast<long>(token - begin[m]) +
         static_cast<long>(before(token) - before(begin[m]));
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

void LabelNumbering::Agree(Ranks& ranks, std::vector<Index>* labels) {
  if (ranks.alone()) return;
  std::string mine;  // one label per line, since none has a line end
  for (Index k = num_model_labels_; k < names_.size(); ++k)
    mine.append(names_.text(k)).push_back('\n');
  StringTable all;
  for (Index k = 0; k < num_model_labels_; ++k) all.Add(names_.text(k));
  for (const std::string& text : ranks.GatherTexts(mine)) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view label = rest.substr(0, rest.find('\n'));
      all.Add(label);
      rest.remove_prefix(label.size() + 1);
    }
  }
  std::vector<Index> numbers;
  for (Index k = 0; k < names_.size(); ++k) numbers.push_back(all.Find(names_.text(k)));
  for (Index& label : *labels) {
    if (label != kUnlabelled) label = numbers[label];
  }
  names_ = std::move(all);
}

void LabelNumbering::Finish(SequenceData* data) const {
  std::vector<Index> order(names_.size());
  std::iota(order.begin(), order.end(), 0);
  if (num_model_labels_ == 0) {
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return names_.text(a) < names_.text(b); });
  }
  data->label_names.clear();
  std::vector<Index> number(order.size());
  for (const Index old : order) {
    number[old] = data->num_labels();
    data->label_names.emplace_back(names_.text(old));
  }
  data->num_model_labels = num_model_labels_ == 0 ? data->num_labels() : num_model_labels_;
  for (Index& label : data->labels) {
    if (label != kUnlabelled) label = number[label];
  }
}

}  // namespace slackline::internal
