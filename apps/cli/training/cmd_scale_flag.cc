// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/training/cmd_scale_flag.h>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/training/input_scaling.h>

namespace slackline::internal::program {

void ScaleFlag::Register(Command* app) {
  AddTextOption(app, "scale", &scale, kScalePlaceholder, kScaleText, "auto");
}

std::optional<ScaleKind> ScaleFlag::Read() const {
  return ScaleChoice(CheckChoice("scale", scale, ScaleNames()));
}

}  // namespace slackline::internal::program
