// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel_memory.h>

#include <algorithm>

#include <slackline/core/memory_limit.h>

namespace slackline {
namespace {

double PairBlockBytes(const MultiLabelSize& size, LearnerKind learner) {
  const bool blocks = learner == LearnerKind::kAugmentedLagrangian || learner == LearnerKind::kSoft;
  return blocks ? kBytesPerPairBlock * static_cast<double>(size.examples) * static_cast<double>(size.pairs)
                : 0;
}

double WeightBytes(const MultiLabelSize& size) {
  return kBytesPerWeight *
         (static_cast<double>(size.labels) * static_cast<double>(std::max(size.columns, Offset{1})) +
          static_cast<double>(size.pairs));
}

}  // namespace

double TrainingBytes(const MultiLabelSize& size, LearnerKind learner) {
  return WeightBytes(size) +
         kBytesPerLabelEntry * static_cast<double>(size.examples) * static_cast<double>(size.labels) +
         kBytesPerPair * static_cast<double>(size.pairs) + PairBlockBytes(size, learner);
}

std::string TrainingExcess(const MultiLabelSize& size, LearnerKind learner) {
  const double bytes = TrainingBytes(size, learner);
  const std::string excess = MemoryExcess(bytes);
  if (excess.empty()) return {};
  std::string text = std::to_string(size.labels) + " labels";
  if (size.columns > 0) text += " × " + std::to_string(size.columns) + " features";
  if (size.pairs > 0) text += " and " + std::to_string(size.pairs) + " pairs of labels";
  if (size.examples > 0) text += " on " + std::to_string(size.examples) + " examples";
  text += ": " + excess;
  if (PairBlockBytes(size, learner) > bytes / 2) {
    return text + "; --learner bcfw needs no memory per pair and example";
  }
  if (kBytesPerPair * static_cast<double>(size.pairs) > bytes / 2) {
    return text + "; --graph none, or a file of pairs, needs less";
  }
  return text + "; use fewer labels or features (number them without gaps)";
}

}  // namespace slackline
