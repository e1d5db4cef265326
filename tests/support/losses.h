// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <slackline/core/loss.h>

namespace slackline::internal::test {

/// The loss with this form or scale and else the defaults.
inline LossOptions LossWith(LossForm form) {
  LossOptions loss;
  loss.form = form;
  return loss;
}
inline LossOptions LossWith(LossScale scale) {
  LossOptions loss;
  loss.scale = scale;
  return loss;
}

}  // namespace slackline::internal::test
