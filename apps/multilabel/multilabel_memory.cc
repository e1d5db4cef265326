// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/multilabel_memory.h>

#include <algorithm>
#include <set>
#include <vector>

#include <slackline/core/memory_limit.h>

namespace slackline::internal {
namespace {

/// Per pair of labels and example.
double PairBlockBytes(LearnerKind learner) {
  for (const LearnerKind blocks : {LearnerKind::kAugmentedLagrangian, LearnerKind::kSoft,
                                   LearnerKind::kDlpw, LearnerKind::kSmoothDlpw}) {
    if (learner == blocks) return kBytesPerPairBlock;
  }
  if (learner == LearnerKind::kPdhg) return kBytesPerSaddlePair;
  const bool points = learner == LearnerKind::kFrankWolfe || learner == LearnerKind::kProxSdca;
  return points ? kBytesPerPairCoordinate : 0;
}

double PairBlockBytes(const MultiLabelSize& size, LearnerKind learner) {
  return PairBlockBytes(learner) * static_cast<double>(size.examples) *
         static_cast<double>(size.pairs);
}

double WeightBytes(const MultiLabelSize& size) {
  return kBytesPerWeight * (static_cast<double>(size.labels) *
                                static_cast<double>(std::max(size.columns, Offset{1})) +
                            static_cast<double>(size.pairs));
}

}  // namespace

Offset RestrictedPairs(const MultiLabelData& data, std::span<const LabelPair> pairs) {
  const std::size_t n = data.num_labels();
  std::set<std::vector<bool>> patterns;
  Offset total = 0;
  for (auto row = data.labels.begin(); row != data.labels.end();
       row += static_cast<std::ptrdiff_t>(n)) {
    std::vector<bool> known(n);
    std::transform(row, row + static_cast<std::ptrdiff_t>(n), known.begin(),
                   [](std::int8_t label) { return label >= 0; });
    const std::size_t count = std::count(known.begin(), known.end(), true);
    if (count == n || count == 0) continue;
    const auto [position, is_new] = patterns.insert(std::move(known));
    if (!is_new) continue;
    const std::vector<bool>& pattern = *position;
    total += std::count_if(pairs.begin(), pairs.end(), [&](const LabelPair& pair) {
      return pattern[pair.a] && pattern[pair.b];
    });
  }
  return total;
}

double TrainingBytes(const MultiLabelSize& size, LearnerKind learner) {
  return WeightBytes(size) +
         kBytesPerLabelEntry * static_cast<double>(size.examples) *
             static_cast<double>(size.labels) +
         kBytesPerPair * static_cast<double>(size.pairs) +
         kBytesPerRestrictedPair * static_cast<double>(size.restricted_pairs) +
         PairBlockBytes(size, learner);
}

std::string TrainingExcess(const MultiLabelSize& size, LearnerKind learner) {
  const double bytes = TrainingBytes(size, learner);
  const std::string excess = MemoryExcess(bytes, size.memory);
  if (excess.empty()) return {};
  std::string text = std::to_string(size.labels) + " labels";
  if (size.columns > 0) text += " × " + std::to_string(size.columns) + " features";
  if (size.pairs > 0) text += " and " + std::to_string(size.pairs) + " pairs of labels";
  if (size.examples > 0) text += " on " + std::to_string(size.examples) + " examples";
  const double restricted_bytes =
      kBytesPerRestrictedPair * static_cast<double>(size.restricted_pairs);
  if (restricted_bytes > bytes / 2) text += " with many different patterns of missing labels";
  text += ": " + excess;
  if (PairBlockBytes(size, learner) > bytes / 2) {
    return text + "; --learner bcfw --step pairwise needs no memory per pair and example";
  }
  if (kBytesPerPair * static_cast<double>(size.pairs) + restricted_bytes > bytes / 2) {
    return text + "; --graph none, or a file of pairs, needs less";
  }
  return text + "; use fewer labels or features (number them without gaps)";
}

}  // namespace slackline::internal
