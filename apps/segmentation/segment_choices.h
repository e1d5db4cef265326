// SPDX-License-Identifier: BSD-3-Clause
//
// The choices that users make about a segmentation model, as texts.
#pragma once

#include <string>
#include <string_view>

#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/apps/training/train_task.h>

namespace slackline::internal {

struct SegmentChoices {
  std::string layers = "two";
  std::string pairwise;  ///< empty: table, or with potentials Potts
  std::string loss = "pixels";
  std::string regions;     ///< some of own, neighbours, image, with commas; empty or all: all
  std::string potentials;  ///< path of a file of class potentials; empty: a model of features

  /// Checks the values that need no data; the functions below check theirs. All throw DataError.
  void Check() const;
  SegmentLayers ReadLayers() const;
  SegmentPairwise ReadPairwise() const;
  SegmentLoss ReadLoss() const;
  /// The regions, "all" if empty.
  std::string RegionsText() const { return regions.empty() ? "all" : regions; }
};

/// The texts of a model's record for these choices. `scale`: the name of the requested scaling.
RecordTexts TextsOf(const SegmentChoices& choices, std::string_view scale,
                    const SegmentModel& model);

}  // namespace slackline::internal
