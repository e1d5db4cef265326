// SPDX-License-Identifier: BSD-3-Clause
//
// Sweeps over the weights for the linear features of an example: the scores of all its slots, and
// the addition of its slots to the weights. See core/structure.h for slots and coordinates,
// core/row_kernels.h for the kernels.
#pragma once

#include <span>

#include <slackline/core/dataset.h>

namespace slackline::internal {

/// The slots' part of CoordinateScores (core/feature_map.h); `u` may end with the slots.
/// Consecutive slots of one block are swept together. Returns the number of multiply-adds. Up to
/// `threads` threads share the work of a large example (ThreadsShareSweeps); results are the same,
/// bit for bit.
Offset SlotScores(const ExampleView& example, std::span<const double> weights, std::span<double> u,
                  int threads = 1);

/// weights += the feature vector whose coordinates of slots are q: the transpose of SlotScores. q
/// may end with the slots. Slots whose q is zero cost a test. Returns the number of multiply-adds.
/// threads: as for SlotScores.
Offset AddSlots(const ExampleView& example, std::span<const double> q, std::span<double> weights,
                int threads = 1);

/// The multiply-adds of a sweep over all slots of an example. Reads no values of its inputs.
Offset SweepEntries(const ExampleView& example);

/// Whether up to `threads` threads share the sweeps of an example: `threads` is at least 2, and a
/// sweep over all slots takes at least 500 000 multiply-adds.
bool ThreadsShareSweeps(const ExampleView& example, int threads);

}  // namespace slackline::internal
