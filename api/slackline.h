// SPDX-License-Identifier: BSD-3-Clause
//
// Everything that a program needs to train structured SVMs on factor graphs and to predict with
// them. docs/guides/own_graph_in_cpp.md is a guide; apps/examples has lessons.
#pragma once

#include <slackline/dataset.h>         // IWYU pragma: export
#include <slackline/example_oracle.h>  // IWYU pragma: export
#include <slackline/export.h>          // IWYU pragma: export
#include <slackline/factor.h>          // IWYU pragma: export
#include <slackline/graph.h>           // IWYU pragma: export
#include <slackline/infer.h>           // IWYU pragma: export
#include <slackline/joint_kernel.h>    // IWYU pragma: export
#include <slackline/model.h>           // IWYU pragma: export
#include <slackline/online.h>          // IWYU pragma: export
#include <slackline/predict.h>         // IWYU pragma: export
#include <slackline/predictors.h>      // IWYU pragma: export
#include <slackline/train.h>           // IWYU pragma: export
#include <slackline/version.h>         // IWYU pragma: export
