// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/validation/multilabel_metrics.h>

#include <slackline/apps/common/ratio.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

struct Counts {
  std::int64_t both = 0;       // true and predicted
  std::int64_t missed = 0;     // true only
  std::int64_t predicted = 0;  // predicted only
  std::int64_t known = 0;

  void Add(std::int8_t truth, std::int8_t guess) {
    if (truth < 0) return;
    ++known;
    both += truth == 1 && guess == 1;
    missed += truth == 1 && guess == 0;
    predicted += truth == 0 && guess == 1;
  }
  std::int64_t wrong() const { return missed + predicted; }
};

double F1(const Counts& counts, double of_nothing = 0) {
  return Ratio(2 * counts.both, 2 * counts.both + counts.wrong(), of_nothing);
}

LabelMetrics OfLabel(const Counts& counts) {
  return {Ratio(counts.both, counts.both + counts.predicted),
          Ratio(counts.both, counts.both + counts.missed), F1(counts),
          static_cast<Index>(counts.both + counts.missed), static_cast<Index>(counts.known)};
}

/// Adds the metrics of one example to sums, from which the caller computes means.
void AddExample(const Counts& counts, MultiLabelMetrics* sums) {
  if (counts.known == 0) return;
  ++sums->examples;
  sums->subset_accuracy += counts.wrong() == 0 ? 1 : 0;
  sums->example_f1 += F1(counts, 1);
  sums->jaccard += Ratio(counts.both, counts.both + counts.wrong(), 1);
}

}  // namespace

std::span<const MultiLabelFigure> MultiLabelFigures() {
  using M = MultiLabelMetrics;
  static constexpr MultiLabelFigure kFigures[] = {
      {{"hamming", "hamming_loss", "Hamming loss", true}, &M::hamming_loss},
      {{"subset", "subset_accuracy", "subset accuracy"}, &M::subset_accuracy},
      {{"micro-f1", "micro_f1", "micro F1"}, &M::micro_f1},
      {{"macro-f1", "macro_f1", "macro F1"}, &M::macro_f1},
      {{"example-f1", "example_f1", "example F1"}, &M::example_f1},
      {{"jaccard", "jaccard", "Jaccard index"}, &M::jaccard}};
  return kFigures;
}

MultiLabelMetrics ComputeMetrics(Index num_labels, std::span<const std::int8_t> truth,
                                 std::span<const std::int8_t> predicted) {
  SLACKLINE_CHECK(
      num_labels > 0 && truth.size() == predicted.size() && truth.size() % num_labels == 0,
      "true and predicted labels do not fit each other");
  const std::size_t n = num_labels;
  MultiLabelMetrics metrics;
  Counts all;
  std::vector<Counts> of_label(n);
  for (std::size_t row = 0; row < truth.size(); row += n) {
    Counts example;
    for (std::size_t i = 0; i < n; ++i) {
      example.Add(truth[row + i], predicted[row + i]);
      of_label[i].Add(truth[row + i], predicted[row + i]);
      all.Add(truth[row + i], predicted[row + i]);
    }
    AddExample(example, &metrics);
  }
  Index known_labels = 0;
  for (const Counts& counts : of_label) {
    metrics.labels.push_back(OfLabel(counts));
    if (counts.known == 0) continue;
    ++known_labels;
    metrics.macro_f1 += metrics.labels.back().f1;
  }
  if (known_labels > 0) metrics.macro_f1 /= known_labels;
  metrics.hamming_loss = Ratio(all.wrong(), all.known);
  metrics.micro_f1 = F1(all);
  if (metrics.examples > 0) {
    metrics.subset_accuracy /= metrics.examples;
    metrics.example_f1 /= metrics.examples;
    metrics.jaccard /= metrics.examples;
  }
  return metrics;
}

}  // namespace slackline::internal
