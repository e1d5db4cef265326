// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/label_counts.h>

#include <algorithm>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

std::optional<Index> ParseCount(std::string_view text) {
  Index count = 0;
  if (!ParseIndex(text, &count)) return std::nullopt;
  return count;
}

/// Numbers of labels of one example.
struct LabelTally {
  Index on = 0;
  Index unknown = 0;
};

std::vector<LabelTally> TallyLabels(const MultiLabelData& data) {
  const std::size_t labels = data.label_names.size();
  std::vector<LabelTally> tallies(data.labels.size() / labels);
  for (std::size_t k = 0; k < data.labels.size(); ++k) {
    tallies[k / labels].on += data.labels[k] == 1;
    tallies[k / labels].unknown += data.labels[k] < 0;
  }
  return tallies;
}

/// The smallest number of labels known to be on in an example, over the examples with a known
/// label. 0 without such examples.
Index SmallestCount(const MultiLabelData& data, Ranks& ranks) {
  Index smallest = kAbsent;
  for (const LabelTally& tally : TallyLabels(data)) {
    if (tally.unknown == data.num_labels()) continue;
    if (smallest == kAbsent || tally.on < smallest) smallest = tally.on;
  }
  if (!ranks.alone()) {
    for (const Index other : ranks.Gather(Index{smallest})) {
      if (other != kAbsent && (smallest == kAbsent || other < smallest)) smallest = other;
    }
  }
  return std::max(smallest, Index{0});
}

}  // namespace

std::optional<CountRange> ParseLabelCounts(std::string_view text) {
  if (text == "auto") return std::nullopt;
  if (text == "any") return CountRange{};
  const std::size_t dash = text.find('-');
  const std::optional<Index> low = ParseCount(text.substr(0, dash));
  std::optional<Index> high = low;
  if (dash != std::string_view::npos) {
    const std::string_view rest = text.substr(dash + 1);
    high = rest.empty() ? CountRange{}.high : ParseCount(rest);
  }
  if (!low || !high || *low > *high || *high == 0)
    throw DataError(
        "--label-counts: " + Quoted(text) +
        " is not one of auto, any, MIN-MAX, MIN- and N, with 0 <= MIN <= MAX and MAX > 0");
  return CountRange{*low, *high};
}

CountRange LabelCountsFor(const std::optional<CountRange>& asked, const MultiLabelData& training,
                          Ranks& ranks) {
  if (!asked) return {SmallestCount(training, ranks), CountRange{}.high};
  if (!asked->Fits(training.num_labels()))
    throw DataError(training.source, 0,
                    "--label-counts asks for " + std::to_string(asked->low) +
                        " labels or more, but the data have " +
                        std::to_string(training.num_labels()));
  return *asked;
}

CountRange TrainingCounts(const std::optional<CountRange>& asked, const MultiLabelModel& model,
                          const MultiLabelData& training, LossForm form, Ranks& ranks) {
  if (form != LossForm::kSum) return {};
  if (!asked || !model.pairs().empty() || model.kernelized()) return {};
  const std::vector<LabelTally> tallies = TallyLabels(training);
  const bool violated = std::any_of(tallies.begin(), tallies.end(), [&](const LabelTally& tally) {
    return tally.unknown > 0 || !asked->Contains(tally.on);
  });
  return ranks.Any(violated) ? CountRange{} : *asked;
}

std::string DescribeLabelCounts(const CountRange& range, Index labels) {
  const auto noun = [](Index count) {
    return std::to_string(count) + (count == 1 ? " label" : " labels");
  };
  if (!range.Restricts(labels)) return "any number of labels";
  if (range.high >= labels) return "at least " + noun(range.low);
  if (range.low == range.high) return "exactly " + noun(range.low);
  if (range.low == 0) return "at most " + noun(range.high);
  return std::to_string(range.low) + " to " + noun(range.high);
}

}  // namespace slackline::internal
