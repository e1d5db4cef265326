// SPDX-License-Identifier: BSD-3-Clause
//
// The segmentation problem of `slackline bench` in the form of the paper, with one weight per class
// and one for links. Source: Meshi, Srebro, Hazan, "Efficient training of structured SVMs via soft
// constraints", AISTATS 2015, section 6 and figure 2.
#pragma once

#include <string>

#include <slackline/apps/bench/bench_task.h>

namespace slackline::internal::program {

/// Two layers of superpixels with Potts links over class potentials, the loss in shares of pixels,
/// and the λ of `problem`. Test metrics: pixel_accuracy, class_average and mean_iou on the file's
/// test images, if it has any. Throws DataError when files are missing or do not fit, and if the
/// program is built without images.
BenchTask MakeSegmentBenchTask(const BenchProblem& problem, const std::string& folder,
                               bool with_test);

}  // namespace slackline::internal::program
