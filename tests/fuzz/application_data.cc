// SPDX-License-Identifier: BSD-3-Clause
//
// Text files of matchings and of segmentation, and files that accompany data: costs, graphs, lists
// of names.
#include <slackline/apps/matching/matching_data.h>
#include <slackline/apps/matching/matching_model.h>
#include <slackline/apps/multiclass/class_costs.h>
#include <slackline/apps/multilabel/label_counts.h>
#include <slackline/apps/multilabel/label_graph.h>
#include <slackline/apps/multilabel/loss_weights.h>
#include <slackline/apps/segmentation/class_potentials.h>
#include <slackline/apps/segmentation/commands/cmd_segment_lists.h>
#include <slackline/apps/sequence/sequence_input.h>

#include "tests/fuzz/target.h"

namespace slackline::internal::fuzz {
namespace {

const std::vector<std::string> kNames = {"a", "b c", "#d", "\"e", "2"};

void ReadMatchingText(std::string_view text) {
  const std::string path = PathOf(text);
  FeatureDictionary made;
  const MatchingData data = ReadMatchings(path, nullptr, &made);
  ReadMatchings(path, &made, nullptr);
  MatchingModel(made, {1, 2}).MakeTrainingData(data);
}

void ReadPotentials(std::string_view text) {
  const ClassPotentials potentials(PathOf(text), {"grass", "blue sky"});
  potentials.Layer("a", true, 2);
  potentials.Layer("a", false, 1);
}

void ReadLists(std::string_view text) {
  std::vector<program::ListedImage> images;
  program::ReadImageList(PathOf(text), &images);
  program::ReadClassNames(PathOf(text));
}

/// As a file, and as an option value.
void ReadLossWeights(std::string_view text) {
  MultiLabelData data;
  data.label_names = kNames;
  data.labels = {1, 0, 0, -1, 1, 0, 1, 0, 0, 0};
  LossWeights::Parse(PathOf(text)).For(data);
  LossWeights::Parse(std::string(text)).For(data);
}

void ReadLabelCounts(std::string_view text) {
  MultiLabelData data;
  data.label_names = kNames;
  data.labels = {1, 0, 0, -1, 1, 0, 1, 0, 0, 0};
  DescribeLabelCounts(LabelCountsFor(ParseLabelCounts(text), data), data.num_labels());
}

const FuzzTarget kLossWeights({"loss_weights", ReadLossWeights});
const FuzzTarget kLabelCounts({"label_counts", ReadLabelCounts});
const FuzzTarget kMatching({"matching", ReadMatchingText, {}, 1024});
const FuzzTarget kPotentials({"potentials", ReadPotentials});
const FuzzTarget kGraph({"label_graph",
                         [](std::string_view text) { ReadLabelGraph(PathOf(text), kNames); }});
const FuzzTarget kCosts({"costs",
                         [](std::string_view text) { ReadLabelCosts(PathOf(text), kNames); }});
const FuzzTarget kClassCosts({"class_costs",
                              [](std::string_view text) { ReadClassCosts(PathOf(text), kNames); }});
const FuzzTarget kLists({"lists", ReadLists});

}  // namespace
}  // namespace slackline::internal::fuzz
