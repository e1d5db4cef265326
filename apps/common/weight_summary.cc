// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/weight_summary.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/number_text.h>

namespace slackline::internal {
namespace {

/// Keeps the added entries with the largest |weight|; among equals, the first.
template <class Id>
class Strongest {
 public:
  explicit Strongest(Index most) : most_(most) {}

  void Add(double strength, const Id& id) {
    const Offset order = count_++;
    if (heap_.size() == most_ && !(strength > heap_.top().strength)) return;
    heap_.push({strength, order, id});
    if (heap_.size() > most_) heap_.pop();
  }

  Offset count() const { return count_; }

  /// The strongest first. Empties the heap.
  std::vector<Id> Take() {
    std::vector<Id> ids;
    for (; !heap_.empty(); heap_.pop()) ids.push_back(heap_.top().id);
    std::reverse(ids.begin(), ids.end());
    return ids;
  }

 private:
  struct Entry {
    double strength;
    Offset order;
    Id id;
    /// Puts the entry to be dropped first on top of the heap.
    bool operator<(const Entry& other) const {
      return strength != other.strength ? strength > other.strength : order < other.order;
    }
  };

  std::size_t most_;
  std::priority_queue<Entry> heap_;
  Offset count_ = 0;
};

/// The labels of a matrix in ascending order: the labels of the strongest pairs.
std::vector<Index> MatrixLabels(Index num_labels, const PairVisitor& pairs, Index most) {
  std::vector<Index> labels(num_labels);
  std::iota(labels.begin(), labels.end(), 0);
  if (num_labels <= most) return labels;
  // most² different pairs have at least `most` different labels.
  Strongest<std::pair<Index, Index>> strongest(most * most);
  pairs([&](Index a, Index b, double weight) { strongest.Add(std::abs(weight), {a, b}); });
  std::vector<bool> chosen(num_labels, false);
  labels.clear();
  for (const auto& [a, b] : strongest.Take()) {
    const Index more = (chosen[a] ? 0 : 1) + (a == b || chosen[b] ? 0 : 1);
    if (static_cast<Index>(labels.size()) + more > most) break;
    for (const Index label : {a, b}) {
      if (!chosen[label]) labels.push_back(label);
      chosen[label] = true;
    }
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

PairMatrix MakeMatrix(bool directed, std::span<const std::string> labels, const PairVisitor& pairs,
                      Index most) {
  PairMatrix matrix;
  const auto num_labels = static_cast<Index>(labels.size());
  const std::vector<Index> shown = MatrixLabels(num_labels, pairs, most);
  matrix.num_left_out = num_labels - static_cast<Index>(shown.size());
  std::vector<Index> place(labels.size(), kAbsent);
  for (std::size_t k = 0; k < shown.size(); ++k) {
    place[shown[k]] = static_cast<Index>(k);
    matrix.labels.push_back(labels[shown[k]]);
  }
  matrix.cells.assign(shown.size() * shown.size(), kNone);
  const auto cell = [&](Index a, Index b) -> double& { return matrix.cells[a * shown.size() + b]; };
  pairs([&](Index first, Index second, double weight) {
    const Index a = place[first];
    const Index b = place[second];
    if (a < 0 || b < 0) return;
    cell(a, b) = weight;
    if (!directed) cell(b, a) = weight;
  });
  return matrix;
}

}  // namespace

WeightRanking RankWeights(const StridedWeights& weights, Index top,
                          const std::function<std::string(Offset)>& name,
                          const std::function<double(Offset)>& size) {
  SLACKLINE_CHECK(top >= 1, "a ranking needs room for one weight");
  Strongest<Offset> positive(top);
  Strongest<Offset> negative(top);
  for (Offset k = 0; k < weights.count; ++k) {
    const double weight = weights[k];
    if (weight > 0) positive.Add(weight, k);
    if (weight < 0) negative.Add(-weight, k);
  }
  const auto named = [&](const std::vector<Offset>& numbers) {
    std::vector<NamedWeight> list;
    for (const Offset k : numbers) list.push_back({name(k), weights[k], size ? size(k) : kNone});
    return list;
  };
  WeightRanking ranking;
  ranking.num_positive = positive.count();
  ranking.num_negative = negative.count();
  ranking.positive = named(positive.Take());
  ranking.negative = named(negative.Take());
  return ranking;
}

PairSummary RankPairs(std::string title, bool directed, std::span<const std::string> labels,
                      const PairVisitor& pairs, const WeightSummaryOptions& options) {
  SLACKLINE_CHECK(options.top >= 1, "a ranking needs room for one weight");
  struct Pair {
    Index a, b;
    double weight;
  };
  Strongest<Pair> positive(options.top);
  Strongest<Pair> negative(options.top);
  PairSummary summary;
  pairs([&](Index a, Index b, double weight) {
    ++summary.count;
    if (weight > 0) positive.Add(weight, {a, b, weight});
    if (weight < 0) negative.Add(-weight, {a, b, weight});
  });
  const auto named = [&](const std::vector<Pair>& list) {
    std::vector<PairWeight> result;
    for (const Pair& pair : list) result.push_back({labels[pair.a], labels[pair.b], pair.weight});
    return result;
  };
  summary.title = std::move(title);
  summary.directed = directed;
  summary.positive = named(positive.Take());
  summary.negative = named(negative.Take());
  if (options.matrix_labels > 0)
    summary.matrix = MakeMatrix(directed, labels, pairs, options.matrix_labels);
  return summary;
}

std::string ScalingNote(const FeatureScaling& scaling) {
  switch (scaling.kind()) {
    case ScaleKind::kUnscaled:
      return "A weight is the score of one unit of its feature: the model does not scale features, "
             "and does not know how large they typically are.";
    case ScaleKind::kStandard:
      return "A weight is the score of one standard deviation of its feature, by which the model "
             "divides (size: that deviation in the training data).";
    case ScaleKind::kMaxAbs:
      return "A weight is the score of its feature at its largest absolute value, by which the "
             "model divides (size: that value in the training data).";
    case ScaleKind::kNorm:
      return "A weight is the score of one unit of its feature after each input has been divided "
             "by its length; typical sizes of features are not known.";
  }
  return "";
}

double TypicalSize(const FeatureScaling& scaling, Offset feature) {
  return feature < std::ssize(scaling.divisor()) ? scaling.divisor()[feature] : kNone;
}

Index LabelsToShow(Index num_labels, const WeightSummaryOptions& options, WeightSummary* summary) {
  if (options.most_labels <= 0 || num_labels <= options.most_labels) return num_labels;
  summary->notes.push_back("The features of the first " + Count(options.most_labels, "label") +
                           " are shown; the model has " + std::to_string(num_labels) + ".");
  return options.most_labels;
}

std::string NumberedFeature(Offset feature) { return "feature " + std::to_string(feature + 1); }

}  // namespace slackline::internal
