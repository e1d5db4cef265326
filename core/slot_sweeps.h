// SPDX-License-Identifier: BSD-3-Clause
//
// The sweeps over the weights that an example's linear features consist of: scores of all its
// slots, and the way back. See core/structure.h for slots and coordinates, core/row_kernels.h for
// the kernels.
#pragma once

#include <span>

#include <slackline/core/dataset.h>

namespace slackline::internal {

/// The slots' part of CoordinateScores (core/feature_map.h); `u` may end with them. Slots that
/// follow each other and share a block are swept together. Returns the number of multiply-adds.
/// Examples with very many of these are shared among up to `threads` threads; results are the same,
/// bit for bit.
Offset SlotScores(const ExampleView& example, std::span<const double> weights, std::span<double> u,
                  int threads = 1);

/// weights += the feature vector whose coordinates of slots are q (which may end with them): the
/// other way round. Slots without non-zero q cost a test. Returns the number of multiply-adds.
/// threads: as for SlotScores.
Offset AddSlots(const ExampleView& example, std::span<const double> q, std::span<double> weights,
                int threads = 1);

/// Whether they share those of an example.
bool ThreadsShareSweeps(const ExampleView& example, int threads);

}  // namespace slackline::internal
