// SPDX-License-Identifier: BSD-3-Clause
//
// Runs of one learner on one problem: their times, their work, and their JSON.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <slackline/apps/cli/cmd_json.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>

#include "bench/bench_learners.h"
#include "bench/bench_problems.h"

namespace slackline::internal::bench {

/// One run and its complete curve.
struct BenchRun {
  std::int64_t seed = 0;
  std::vector<ProgressRecord> curve;  ///< one record per check
  /// Metrics on test data at the weights of each check; empty for checks without an evaluation.
  std::vector<TestFigures> tests;
  std::vector<OnlineFigures> online;  ///< per check of an online run of multi-sample; else empty
  Offset nonzero_weights = 0;         ///< number of nonzero final weights
  TrainSummary summary;               ///< without its weights
  /// Processor seconds for making the learner, not counted as training.
  double setup_seconds = 0;
  std::int64_t peak_memory_bytes = 0;
};

/// All runs of one learner on one problem.
struct BenchRow {
  std::string problem;
  BenchLearner learner;
  Index examples = 0;
  std::string choice;  ///< what `auto` chose and why
  std::vector<BenchRun> runs;
  std::string refusal;  ///< why the learner does not apply or failed; no further runs are made then
  bool failed = false;  ///< whether an error of the program caused the refusal
};

/// Processor seconds of training up to the record: the processor time of training and checks, times
/// the fraction of elapsed seconds that is training.
double TrainingCpuSeconds(const ProgressRecord& record);

/// The work of one run up to a gap; infinite if the run did not reach the gap.
struct WorkToGap {
  double calls = kInfinity;  ///< oracle calls per example
  double passes = kInfinity;
  double seconds = kInfinity;  ///< TrainingCpuSeconds
};

/// The work at the first record whose certified relative gap is at most `gap`.
WorkToGap FindWorkToGap(std::span<const ProgressRecord> curve, double gap, Index examples);

/// The median, which is the mean of the two middle values of an even number. Values may be
/// infinite. NaN when there are none.
double Median(std::vector<double> values);

/// Medians over the runs; infinite if fewer than half of the runs reached the gap.
WorkToGap MedianWork(const BenchRow& row, double gap);

class BenchRunner {
 public:
  /// `interrupt` is read during a run.
  BenchRunner(bool quiet, const std::atomic<int>* interrupt)
      : quiet_(quiet), interrupt_(interrupt) {}

  bool interrupted() const { return interrupt_->load(std::memory_order_relaxed) != 0; }

  /// Adds a run with this seed to the row, or the reason why there is none. The task's test
  /// evaluates the weights of the first checks, and later each time the number of passes has grown
  /// by a tenth. Its time counts for the time limit but not for any figure.
  void Run(const BenchTask& task, std::int64_t seed, BenchRow* row) const;

 private:
  void Train(const BenchTask& task, std::int64_t seed, BenchRow* row) const;
  void Say(const std::string& text) const;

  bool quiet_;
  const std::atomic<int>* interrupt_;
};

/// Learner, options, medians of the work to the relative gaps, and every run with its curve, column
/// by column.
program::Json RowJson(const BenchRow& row, std::span<const double> gaps);

}  // namespace slackline::internal::bench
