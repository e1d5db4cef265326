// SPDX-License-Identifier: BSD-3-Clause
//
// Runs of one learner on one problem for `slackline bench`, and their JSON.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <slackline/apps/bench/bench_curve.h>
#include <slackline/apps/bench/bench_learners.h>
#include <slackline/apps/bench/bench_task.h>
#include <slackline/apps/cli/cmd_json.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/problem.h>

namespace slackline::internal::program {

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

/// Medians over the runs; infinite if fewer than half of the runs reached the gap.
WorkToGap MedianWork(const BenchRow& row, double gap);

class BenchRunner {
 public:
  /// `interrupt` is read during a run.
  BenchRunner(double time_limit_seconds, bool quiet, const std::atomic<int>* interrupt)
      : time_limit_seconds_(time_limit_seconds), quiet_(quiet), interrupt_(interrupt) {}

  bool interrupted() const { return interrupt_->load(std::memory_order_relaxed) != 0; }

  using Test = std::function<TestFigures(std::span<const double>)>;

  /// Adds a run with this seed to the row, or the reason why there is none. `test` (may be empty)
  /// evaluates the weights of the first checks, and later each time the number of passes has grown
  /// by a tenth. Its time counts for the time limit but not for any figure.
  void Run(const Problem& problem, std::int64_t seed, BenchRow* row, const Test& test = {}) const;

 private:
  void Train(const Problem& problem, std::int64_t seed, const Test& test, BenchRow* row) const;
  void Say(const std::string& text) const;

  double time_limit_seconds_;
  bool quiet_;
  const std::atomic<int>* interrupt_;
};

/// The sizes of a problem.
Json ProblemJson(const Problem& problem);
/// Learner, options, medians, and every run with its curve, column by column.
Json RowJson(const BenchRow& row);
/// A number, or null where it is not finite.
Json FiniteJson(double value);

}  // namespace slackline::internal::program
