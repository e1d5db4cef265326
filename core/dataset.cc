// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/dataset.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>

namespace slackline::internal {

Dataset::Dataset(std::shared_ptr<const WeightLayout> layout,
                 std::shared_ptr<const FeatureRows> rows)
    : layout_(std::move(layout)), rows_(std::move(rows)) {
  SLACKLINE_CHECK(layout_ != nullptr, "a data set needs a weight layout");
  if (rows_ == nullptr) rows_ = std::make_shared<const FeatureRows>();
}

Index Dataset::Add(std::shared_ptr<const Structure> structure, std::span<const Index> labels,
                   Index first_input, std::span<const double> potentials) {
  SLACKLINE_CHECK(structure != nullptr, "an example needs a structure");
  SLACKLINE_CHECK(structure->shared_layout() == layout_,
                  "the structure belongs to another weight layout");
  const FactorGraph& graph = structure->graph();
  SLACKLINE_CHECK(static_cast<Index>(labels.size()) == graph.num_variables(),
                  "an example needs one label per variable (" +
                      std::to_string(graph.num_variables()) + "), not " +
                      std::to_string(labels.size()));
  for (Index i = 0; i < graph.num_variables(); ++i) {
    const Index label = labels[i];
    SLACKLINE_CHECK(label == kUnlabelled || (label >= 0 && label < graph.cardinality(i)),
                    "label " + std::to_string(label) + " of variable " + std::to_string(i) +
                        " is out of range");
  }
  SLACKLINE_CHECK(first_input >= 0 && first_input <= rows_->size() - structure->num_inputs(),
                  "the inputs of an example are not among the feature rows");
  for (const Slot& slot : structure->slots()) {
    const FeatureRow x = rows_->row(first_input + slot.input);
    // Rows in a file are not touched here where all of them fit.
    if (!x.dense() && rows_->dimension() <= layout_->block(slot.block).cols) continue;
    const Index dimension = x.count == 0 ? 0 : x.dense() ? x.count : x.columns[x.count - 1] + 1;
    const WeightBlock& block = layout_->block(slot.block);
    SLACKLINE_CHECK(dimension <= block.cols && (!x.dense() || dimension == block.cols),
                    "an input of dimension " + std::to_string(dimension) +
                        " does not fit weight block '" + block.name + "' with " +
                        std::to_string(block.cols) + " columns");
  }
  SLACKLINE_CHECK(static_cast<Index>(potentials.size()) == structure->num_potentials(),
                  "an example needs " + std::to_string(structure->num_potentials()) +
                      " potentials, not " + std::to_string(potentials.size()));
  SLACKLINE_CHECK(AllFinite(potentials), "a potential is not a finite number");

  const auto [known, added] =
      structure_number_.try_emplace(structure.get(), static_cast<Index>(structures_.size()));
  if (added) structures_.push_back(std::move(structure));
  examples_.push_back({known->second, first_input, static_cast<Offset>(labels_.size()),
                       static_cast<Offset>(potentials_.size())});
  labels_.insert(labels_.end(), labels.begin(), labels.end());
  potentials_.insert(potentials_.end(), potentials.begin(), potentials.end());
  return size() - 1;
}

Index Dataset::ExamplesAhead() const {
  constexpr std::int64_t kMostExamples = 64;
  constexpr std::int64_t kMostBytes = 16'000'000;
  if (size() < 2 || rows_ == nullptr || rows_->size() < 2) return kMostExamples;
  // Rows lie in the order of the file, or share the values of earlier rows.
  const std::int64_t bytes =
      8 * std::abs(rows_->row(rows_->size() - 1).values - rows_->row(0).values);
  const std::int64_t per_example = bytes / size() + 1;
  return static_cast<Index>(std::clamp(kMostBytes / per_example, std::int64_t{1}, kMostExamples));
}

void Dataset::ReadAhead(Index begin, Index m, Index end) const {
  const Index ahead = ExamplesAhead();
  if ((m - begin) % ahead != 0) return;
  const Index from = m == begin ? m : std::min(m + ahead, end);
  WillNeed(from, std::min(m + 2 * ahead, end));
}

void Dataset::WillNeed(Index begin, Index end) const {
  if (begin >= end) return;
  const Entry& last = examples_[end - 1];
  const Index first_row = examples_[begin].first_input;
  const Index end_row = last.first_input + structures_[last.structure]->num_inputs();
  if (end_row > first_row) rows_->WillNeed(first_row, end_row - first_row);
}

std::vector<Index> Dataset::WindowEnds() const {
  const std::span<const Index> ends = rows_->window_ends();
  std::vector<Index> runs;
  if (ends.empty()) return runs;
  std::ptrdiff_t before = -1;
  for (Index m = 0; m < size(); ++m) {
    const std::ptrdiff_t window =
        std::upper_bound(ends.begin(), ends.end(), examples_[m].first_input) - ends.begin();
    if (m > 0 && window != before) runs.push_back(m);
    before = window;
  }
  if (size() > 0) runs.push_back(size());
  return runs;
}

bool HasForbiddenStates(const Dataset& data) {
  return std::any_of(data.structures().begin(), data.structures().end(),
                     [](const auto& structure) { return structure->has_forbidden_states(); });
}

bool HasFactors(const Dataset& data) {
  return std::any_of(data.structures().begin(), data.structures().end(), [](const auto& structure) {
    return structure->graph().num_factors() + structure->graph().num_global_factors() > 0;
  });
}

bool HasGlobalFactors(const Dataset& data) {
  return std::any_of(data.structures().begin(), data.structures().end(), [](const auto& structure) {
    return structure->graph().num_global_factors() > 0;
  });
}

}  // namespace slackline::internal
