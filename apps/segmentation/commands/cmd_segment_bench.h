// SPDX-License-Identifier: BSD-3-Clause
//
// The segmentation problem of `slackline bench`: the paper's form, with a weight for each class and
// one for links. Source: Meshi, Srebro, Hazan, "Efficient training of structured SVMs via soft
// constraints", AISTATS 2015, section 6 and figure 2.
#pragma once

#include <string>

#include <slackline/apps/bench/bench_task.h>

namespace slackline::internal::program {

/// Two layers of superpixels with Potts links over class potentials, loss in shares of pixels, the
/// problem's λ. Test figures: pixel_accuracy, class_average and mean_iou of the file's test images,
/// none where it has none. Throws DataError when files are missing or do not fit, and where the
/// program is built without images.
BenchTask MakeSegmentBenchTask(const BenchProblem& problem, const std::string& folder,
                               bool with_test);

}  // namespace slackline::internal::program
