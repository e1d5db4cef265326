// SPDX-License-Identifier: BSD-3-Clause
//
// --scale of the commands that train. Part of the program only.
#pragma once

#include <optional>
#include <string>

#include <slackline/apps/cli/cmd_parser.h>
#include <slackline/core/feature_scaling.h>

namespace slackline::internal::program {

struct ScaleFlag {
  std::string scale = "auto";

  void Register(Command* app);
  /// nullopt if the value is auto. Throws DataError on a value that is not a kind of scaling.
  std::optional<ScaleKind> Read() const;
};

}  // namespace slackline::internal::program
