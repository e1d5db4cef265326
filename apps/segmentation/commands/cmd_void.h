// SPDX-License-Identifier: BSD-3-Clause
//
// --void of the commands that read label images. Part of the program only, if it is built with
// images.
#pragma once

#include <string>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/core/types.h>
#include <slackline/vision/label_coding.h>

namespace slackline::internal::program {

/// The option --void N,M,…
struct VoidFlag {
  std::string values;  ///< empty: not given

  /// default_text: shown as the default in the help.
  void Register(Command* app, const std::string& default_text);
  /// The coding with the given void values, or `otherwise` if the option is not given. Throws
  /// DataError, also when num_classes and the void values together exceed the 256 values of a byte.
  LabelCoding Read(const LabelCoding& otherwise, Index num_classes) const;
};

}  // namespace slackline::internal::program
