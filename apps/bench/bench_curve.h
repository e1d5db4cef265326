// SPDX-License-Identifier: BSD-3-Clause
//
// Figures read off the curves of training runs to compare learners.
#pragma once

#include <span>
#include <vector>

#include <slackline/learning/progress.h>

namespace slackline::internal {

/// The relative gaps in tables.
inline constexpr double kBenchGaps[] = {1e-1, 1e-2, 1e-3, 1e-4};

/// Processor seconds of training up to the record: the processor time of training and checks, times
/// the fraction of elapsed seconds that is training.
double TrainingCpuSeconds(const ProgressRecord& record);

/// The work of one run up to a gap; infinite if the run did not reach the gap.
struct WorkToGap {
  double calls = kInfinity;  ///< oracle calls per example
  double passes = kInfinity;
  double seconds = kInfinity;  ///< TrainingCpuSeconds
  double elapsed = kInfinity;  ///< seconds of training and checks
};

/// The work at the first record whose certified relative gap is at most `gap`.
WorkToGap FindWorkToGap(std::span<const ProgressRecord> curve, double gap, Index examples);

/// The median, which is the mean of the two middle values of an even number. Values may be
/// infinite. NaN when there are none.
double Median(std::vector<double> values);

/// The exponent a of the least-squares fit log y = a log x + b over the points with finite y > 0;
/// NaN when fewer than two different x remain.
double FittedExponent(std::span<const double> x, std::span<const double> y);

}  // namespace slackline::internal
