// SPDX-License-Identifier: BSD-3-Clause
//
// --void of the commands that read label images. Part of the program only, where it is built with
// images.
#pragma once

#include <string>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/vision/label_coding.h>

namespace slackline::internal::program {

/// --void N,M,…
struct VoidFlag {
  std::string values;  ///< empty: not given

  /// default_text: for the help.
  void Register(CLI::App* app, const std::string& default_text);
  /// `otherwise` where the option is not given. Throws DataError, also when so many classes and the
  /// void values are more than the 256 values of a byte.
  LabelCoding Read(const LabelCoding& otherwise, Index num_classes) const;
};

/// That of the label images which the model was trained on.
LabelCoding CodingOf(const SegmentModel& model);

}  // namespace slackline::internal::program
