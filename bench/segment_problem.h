// SPDX-License-Identifier: BSD-3-Clause
//
// The segmentation problem in the form of the paper, with one weight per class and one for links.
// Source: Meshi, Srebro, Hazan, "Efficient training of structured SVMs via soft constraints",
// AISTATS 2015, section 6 and figure 2.
#pragma once

#include "bench/bench_problems.h"

namespace slackline::internal::bench {

/// Two layers of superpixels with Potts links over class potentials, and the loss in shares of
/// pixels. The files are those of features and of potentials. Test metrics: pixel_accuracy,
/// class_average and mean_iou on the file's test images, if it has any. Throws DataError when files
/// do not fit, and if the program is built without images.
BenchTask MakeImageTask(const BenchFiles& files, bool with_test);

}  // namespace slackline::internal::bench
