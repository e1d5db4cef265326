// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/segment_weights.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/number_text.h>

namespace slackline::internal {
namespace {

std::span<const double> BlockWeights(const SegmentModel& model, std::string_view name) {
  const WeightBlock& block = model.layout()->block(model.layout()->Find(name));
  return std::span<const double>(model.weights()).subspan(block.offset, block.size());
}

/// Merges two rankings and keeps the strongest.
std::vector<NamedWeight> Merged(const std::vector<NamedWeight>& a,
                                const std::vector<NamedWeight>& b, Index top) {
  std::vector<NamedWeight> all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::stable_sort(all.begin(), all.end(), [](const NamedWeight& x, const NamedWeight& y) {
    return std::abs(x.weight) > std::abs(y.weight);
  });
  all.resize(std::min<std::size_t>(all.size(), top));
  return all;
}

LabelWeights ClassWeights(const SegmentModel& model, Index label,
                          std::span<const std::string> names, Index top) {
  LabelWeights entry;
  entry.label = model.classes()[label];
  const Index k = model.num_classes();
  for (const std::string layer : {"fine", "coarse"}) {
    if (layer == "coarse" && !model.has_coarse()) continue;
    const std::span<const double> weights = BlockWeights(model, layer);
    // The constant is the last column.
    const double constant = weights[Offset{model.num_features()} * k + label];
    entry.constants.push_back({layer + ": constant", constant, kNone});
    const auto name = [&](Offset f) {
      return layer + ": " + (names.empty() ? NumberedFeature(f) : names[f]);
    };
    const auto size = [&](Offset f) { return TypicalSize(model.scaling(), f); };
    const WeightRanking ranking =
        RankWeights({weights, label, k, model.num_features()}, top, name, size);
    WeightRanking& all = entry.features;
    all.positive = Merged(all.positive, ranking.positive, top);
    all.negative = Merged(all.negative, ranking.negative, top);
    all.num_positive += ranking.num_positive;
    all.num_negative += ranking.num_negative;
  }
  return entry;
}

void AddClasses(const SegmentModel& model, std::span<const std::string> names,
                const WeightSummaryOptions& options, WeightSummary* summary) {
  if (model.inputs() == SegmentInputs::kPotentials) {
    WeightList list{"weights of class potentials", {}};
    const std::span<const double> weights = BlockWeights(model, "class");
    for (std::size_t c = 0; c < weights.size(); ++c)
      list.weights.push_back({model.classes()[c], weights[c], kNone});
    summary->lists.push_back(std::move(list));
    return;
  }
  summary->notes.push_back(ScalingNote(model.scaling()));
  const Index shown = LabelsToShow(model.num_classes(), options, summary);
  for (Index label = 0; label < shown; ++label)
    summary->labels.push_back(ClassWeights(model, label, names, options.top));
}

void AddLinks(const SegmentModel& model, const WeightSummaryOptions& options,
              WeightSummary* summary) {
  if (!model.has_coarse()) return;
  const std::span<const double> weights = BlockWeights(model, "link");
  if (model.pairwise() == SegmentPairwise::kPotts) {
    summary->lists.push_back({"links between a superpixel and the coarse one around it",
                              {{"different classes", weights[0], kNone}}});
    return;
  }
  const Index k = model.num_classes();
  if (model.pairwise() == SegmentPairwise::kAgreement) {
    WeightList list{"links where a superpixel and the coarse one around it agree", {}};
    for (Index c = 0; c < k; ++c) list.weights.push_back({model.classes()[c], weights[c], kNone});
    summary->lists.push_back(std::move(list));
    return;
  }
  const PairVisitor visitor = [&](const std::function<void(Index, Index, double)>& visit) {
    for (Index a = 0; a < k; ++a) {
      for (Index b = 0; b < k; ++b) visit(a, b, weights[Offset{a} * k + b]);
    }
  };
  summary->pairs.push_back(RankPairs("links from a superpixel to the coarse one around it", true,
                                     model.classes(), visitor, options));
}

std::string ContrastRange(Index bin) {
  const auto end = [](Index b) { return NumberText(kContrastEnds[b], 4); };
  if (bin == 0) return "contrast below " + end(0);
  if (bin + 1 == kContrastBins) return "contrast from " + end(bin - 1) + " on";
  return "contrast from " + end(bin - 1) + " to " + end(bin);
}

void AddNeighbours(const SegmentModel& model, WeightSummary* summary) {
  if (model.layers() != SegmentLayers::kNeighbours) return;
  WeightList list{"neighbours of different classes", {}};
  const std::span<const double> weights = BlockWeights(model, "neighbours");
  for (Index bin = 0; bin < kContrastBins; ++bin)
    list.weights.push_back({ContrastRange(bin), weights[bin], kNone});
  summary->lists.push_back(std::move(list));
}

}  // namespace

WeightSummary SummariseWeights(const SegmentModel& model,
                               std::span<const std::string> feature_names,
                               const WeightSummaryOptions& options) {
  SLACKLINE_CHECK(feature_names.empty() || std::ssize(feature_names) == model.num_features(),
                  "a name for every feature is needed, or none");
  WeightSummary summary;
  AddClasses(model, feature_names, options, &summary);
  AddLinks(model, options, &summary);
  AddNeighbours(model, &summary);
  return summary;
}

std::vector<std::string> SegmentFeatureNames(const SegmentModel& model,
                                             std::span<const NamedRange> blocks) {
  std::vector<std::string> names;
  for (const FeatureRange& range : model.ranges()) {
    for (Index f = range.begin; f < range.begin + range.size; ++f) {
      const auto inside = [f](const NamedRange& b) { return b.begin <= f && f - b.begin < b.size; };
      const auto block = std::find_if(blocks.begin(), blocks.end(), inside);
      names.push_back(block == blocks.end()
                          ? NumberedFeature(f)
                          : block->name + " " + std::to_string(f - block->begin + 1));
    }
  }
  return names;
}

}  // namespace slackline::internal
