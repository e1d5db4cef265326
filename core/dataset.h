// SPDX-License-Identifier: BSD-3-Clause
//
// Examples and data sets: the data that fill structures.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include <slackline/core/feature_rows.h>
#include <slackline/core/prefetch.h>
#include <slackline/core/structure.h>

namespace slackline::internal {

/// One example as algorithms see it: its structure and the data that belong to it. Valid while the
/// Dataset lives.
class ExampleView {
 public:
  ExampleView(const Structure& structure, const FeatureRows* rows, Index first_input,
              std::span<const double> potentials, std::span<const Index> labels)
      : structure_(&structure),
        rows_(rows),
        first_input_(first_input),
        potentials_(potentials),
        labels_(labels) {}

  const Structure& structure() const { return *structure_; }
  const FactorGraph& graph() const { return structure_->graph(); }
  /// Input vector number k of the example, k < structure().num_inputs().
  FeatureRow input(Index k) const { return rows_->row(first_input_ + k); }
  std::span<const double> potentials() const { return potentials_; }
  /// The ground truth y^m, one state per variable; kUnlabelled where it is not known.
  std::span<const Index> labels() const { return labels_; }

 private:
  const Structure* structure_;
  const FeatureRows* rows_;
  Index first_input_;
  std::span<const double> potentials_;
  std::span<const Index> labels_;
};

class Dataset {
 public:
  Dataset(std::shared_ptr<const WeightLayout> layout, std::shared_ptr<const FeatureRows> rows);

  /// Appends an example and returns its number. Its inputs are rows first_input … of the feature
  /// rows. Throws std::invalid_argument when the layout, the number of inputs, an input's
  /// dimension, the number of potentials, the number of labels or a label does not fit the
  /// structure.
  Index Add(std::shared_ptr<const Structure> structure, std::span<const Index> labels,
            Index first_input = 0, std::span<const double> potentials = {});

  Index size() const { return static_cast<Index>(examples_.size()); }
  ExampleView example(Index m) const {
    const Entry& e = examples_[m];
    const Structure& s = *structures_[e.structure];
    return {s, rows_.get(), e.first_input,
            std::span(potentials_.data() + e.first_potential, s.num_potentials()),
            std::span(labels_.data() + e.first_label, s.graph().num_variables())};
  }

  /// structures(): the distinct structures of the examples, in order of first use. structure_of(m):
  /// the number of the structure of example m.
  std::span<const std::shared_ptr<const Structure>> structures() const { return structures_; }
  Index structure_of(Index m) const { return examples_[m].structure; }

  /// Prefetch data of example m in three steps, as its use comes nearer: its entry, then its labels
  /// and the entries of its feature rows, then the values of these rows.
  void PrefetchEntry(Index m) const { Prefetch(&examples_[m]); }
  void PrefetchLabels(Index m) const {
    const Entry& e = examples_[m];
    Prefetch(labels_.data() + e.first_label);
    if (rows_ != nullptr) rows_->PrefetchEntries(e.first_input, num_inputs(e));
  }
  void PrefetchValues(Index m) const {
    const Entry& e = examples_[m];
    if (rows_ != nullptr) rows_->PrefetchValues(e.first_input, num_inputs(e));
  }

  /// The same in a sweep over the examples begin … end − 1 in their order, before m is read. Where
  /// rows lie in a file, the file is read some examples ahead.
  void PrefetchSweep(Index begin, Index m, Index end) const {
    if (rows_->in_file()) ReadAhead(begin, m, end);
  }
  /// How many examples (up to twice as many) a sweep reads ahead where rows lie in a file: some
  /// megabytes. With many large examples, the first ones would be gone before they are visited.
  Index ExamplesAhead() const;

  /// Where rows lie in a file, has the system begin to read those of examples begin … end − 1.
  void WillNeed(Index begin, Index end) const;
  /// The ends of the runs of consecutive examples whose first inputs lie in one window of rows
  /// (FeatureRows::SetWindows). Empty where the rows have no windows.
  std::vector<Index> WindowEnds() const;

  const WeightLayout& layout() const { return *layout_; }
  const std::shared_ptr<const WeightLayout>& shared_layout() const { return layout_; }
  const std::shared_ptr<const FeatureRows>& rows() const { return rows_; }
  Index first_input(Index m) const { return examples_[m].first_input; }

 private:
  void ReadAhead(Index begin, Index m, Index end) const;
  struct Entry {
    Index structure;
    Index first_input;
    Offset first_label;
    Offset first_potential;
  };
  Index num_inputs(const Entry& e) const { return structures_[e.structure]->num_inputs(); }

  std::shared_ptr<const WeightLayout> layout_;
  std::shared_ptr<const FeatureRows> rows_;
  std::vector<std::shared_ptr<const Structure>> structures_;
  std::unordered_map<const Structure*, Index> structure_number_;
  std::vector<Entry> examples_;
  std::vector<Index> labels_;
  std::vector<double> potentials_;
};

/// Whether the structure of any example has forbidden states (core/structure.h).
bool HasForbiddenStates(const Dataset& data);

/// Whether the graph of any example has factors, with tables or global.
bool HasFactors(const Dataset& data);

/// Whether the structure of any example has global factors (core/global_factor.h).
bool HasGlobalFactors(const Dataset& data);

}  // namespace slackline::internal
