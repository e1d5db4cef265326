// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/loss_weights.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include <slackline/apps/multilabel/label_lines.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

constexpr std::string_view kByFrequency = "inverse-frequency";

/// Two weights for every label: for a false alarm and for missing it.
std::vector<double> ByFrequency(const MultiLabelData& data, double power, Ranks& ranks) {
  const std::size_t labels = data.num_labels();
  std::vector<std::int64_t> counts(2 * labels);
  for (std::size_t k = 0; k < data.labels.size(); ++k) {
    counts[k % labels] += data.labels[k] >= 0;
    counts[labels + k % labels] += data.labels[k] == 1;
  }
  ranks.AddUp(counts);
  const std::vector<double> all(counts.begin(), counts.end());
  const std::span<const double> known = std::span(all).first(labels);
  const std::span<const double> on = std::span(all).last(labels);
  double largest = 0;
  for (std::size_t i = 0; i < labels; ++i) {
    if (on[i] > 0) largest = std::max(largest, on[i] / known[i]);
  }
  std::vector<double> weights(2 * labels, 1.0);
  for (std::size_t i = 0; i < labels; ++i) {
    if (on[i] > 0) weights[2 * i + 1] = std::pow(largest * known[i] / on[i], power);
  }
  return weights;
}

double ReadWeight(const LabelLines& lines, const LabelLines::Word& word) {
  double weight = 0;
  if (!ParseNumber(word.text, &weight) || weight < 0 || weight > LossWeights::kLargestWeight) {
    lines.Fail(Quoted(word.text) + " is not a weight from 0 to 1e6");
  }
  return weight;
}

std::vector<double> ReadWeights(const std::string& path, const MultiLabelData& data) {
  LabelLines lines(path, data.label_names);
  std::vector<double> weights(2 * data.label_names.size(), 1.0);
  std::vector<long> where(data.label_names.size());
  while (lines.Next()) {
    const std::vector<LabelLines::Word>& words = lines.words();
    if (words.size() < 2 || words.size() > 3) {
      lines.Fail(
          "expected a label, the cost of missing it, and optionally the cost of a false alarm, "
          "found " +
          lines.Text() + " (names with blanks need double quotes)");
    }
    const std::size_t i = lines.LabelOf(words[0]);
    if (where[i] > 0) {
      lines.Fail("label " + Quoted(words[0].text) + " was given before, on line " +
                 std::to_string(where[i]));
    }
    where[i] = lines.line_number();
    weights[2 * i + 1] = ReadWeight(lines, words[1]);
    if (words.size() == 3) weights[2 * i] = ReadWeight(lines, words[2]);
  }
  return weights;
}

}  // namespace

LossWeights LossWeights::Parse(const std::string& text) {
  LossWeights weights;
  if (text == "equal") return weights;
  if (text == kByFrequency) {
    weights.power_ = kDefaultPower;
    return weights;
  }
  if (text.starts_with(std::string(kByFrequency) + ":")) {
    const std::string_view rest = std::string_view(text).substr(kByFrequency.size());
    if (ParseNumber(rest.substr(1), &weights.power_) && weights.power_ > 0 && weights.power_ <= 1)
      return weights;
    throw DataError("--loss-weights: " + Quoted(text) +
                    ": the power must be above 0 and at most 1");
  }
  std::error_code ignored;
  if (!std::filesystem::exists(text, ignored))
    throw DataError("--loss-weights: " + Quoted(text) +
                    " is neither equal nor inverse-frequency, and there is no such file");
  weights.file_ = text;
  return weights;
}

LossWeights LossWeights::Given(std::vector<double> costs) {
  for (const double cost : costs) {
    if (!(cost >= 0 && cost <= kLargestWeight))
      throw DataError("--loss-weights: " + NumberText(cost, 6) + " is not a weight from 0 to 1e6");
  }
  LossWeights weights;
  weights.given_ = std::move(costs);
  return weights;
}

std::vector<double> LossWeights::For(const MultiLabelData& training, Ranks& ranks) const {
  if (!given_.empty() && given_.size() != 2 * training.label_names.size()) {
    throw DataError("--loss-weights: " + std::to_string(given_.size()) + " costs do not fit " +
                    Count(training.num_labels(), "label") + ", which need two each");
  }
  std::vector<double> weights = given_;
  if (!file_.empty()) OnAllRanks(ranks, [&] { weights = ReadWeights(file_, training); });
  if (power_ > 0) weights = ByFrequency(training, power_, ranks);
  if (std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 1; }))
    return {};
  return weights;
}

}  // namespace slackline::internal
