// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/label_lists.h>

#include <algorithm>
#include <utility>

#include <slackline/apps/multilabel/tables/table_text.h>
#include <slackline/core/number_text.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>

namespace slackline::internal {

LabelLists::LabelLists(char separator, const std::vector<std::string>& known)
    : separator_(separator), num_known_(static_cast<Index>(known.size())) {
  for (const std::string& name : known) names_.Add(name);
}

void LabelLists::Add(std::string_view text) {
  if (!text.empty() && IsMissingText(text)) {
    labels_.push_back(kUnlabelled);
    end_.push_back(labels_.size());
    return;
  }
  std::vector<std::string_view> pieces;
  SplitViews(text, separator_, &pieces);
  for (const std::string_view piece : pieces) {
    const std::string_view name = Trimmed(piece);
    if (name.empty()) continue;
    const Index label = num_known_ > 0 ? names_.Find(name) : names_.Add(name);
    if (label == kAbsent) {
      if (unknown_++ == 0) first_unknown_ = name;
    } else {
      labels_.push_back(label);
    }
  }
  end_.push_back(labels_.size());
}

void LabelLists::Agree(Ranks& ranks) {
  if (num_known_ > 0) {
    unknown_ = ranks.SumOf(unknown_);
    first_unknown_ = ranks.FirstText(first_unknown_);
    return;
  }
  const StringTable all = JoinTexts(ranks, names_);
  std::vector<std::string_view> sorted;
  for (Index k = 0; k < all.size(); ++k) sorted.push_back(all.text(k));
  std::sort(sorted.begin(), sorted.end());
  StringTable joined;
  for (const std::string_view name : sorted) joined.Add(name);
  for (Index& label : labels_) {
    if (label != kUnlabelled) label = joined.Find(names_.text(label));
  }
  names_ = std::move(joined);
}

std::vector<std::string> LabelLists::Names() const {
  std::vector<std::string> names;
  for (Index k = 0; k < names_.size(); ++k) names.emplace_back(names_.text(k));
  return names;
}

void LabelLists::AppendTo(std::vector<std::int8_t>* labels) const {
  const std::size_t count = Size(names_.size());
  std::size_t at = 0;
  for (const std::size_t end : end_) {
    const std::size_t row = labels->size();
    labels->resize(row + count, 0);
    for (; at < end; ++at) {
      if (labels_[at] == kUnlabelled) {
        std::fill_n(labels->begin() + static_cast<std::ptrdiff_t>(row), count, std::int8_t{-1});
      } else {
        (*labels)[row + Size(labels_[at])] = 1;
      }
    }
  }
}

void LabelLists::Forget() {
  end_.clear();
  labels_.clear();
}

void LabelLists::AddNotes(std::vector<std::string>* notes) const {
  if (unknown_ == 0) return;
  notes->push_back(Count(unknown_, "label") + " of the rows unknown to the model left out (first " +
                   Quoted(first_unknown_) + ")");
}

}  // namespace slackline::internal
