// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/training/cmd_scale_flag.h>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/training/input_scaling.h>

namespace slackline::internal::program {

void ScaleFlag::Register(Command* app) {
  AddTextOption(app, "scale", &scale, "auto|none|standard|max-abs|norm",
                "scaling of the features, kept in the model. standard: to mean 0 and standard "
                "deviation 1 (sparse data are not centred). max-abs: division by the largest "
                "absolute value. norm: division of every input by its length. auto: none if "
                "features have similar sizes; else standard, or max-abs for sparse data",
                "auto");
}

std::optional<ScaleKind> ScaleFlag::Read() const {
  return ScaleChoice(CheckChoice("scale", scale, ScaleNames()));
}

}  // namespace slackline::internal::program
