// SPDX-License-Identifier: BSD-3-Clause
//
// The named problems with their test data, for curves of accuracy against work.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/bench/bench_problems.h>
#include <slackline/apps/sequence/sequence_model.h>

namespace slackline::internal {

/// Names and values of metrics on test data, in [0, 1].
using TestFigures = std::vector<std::pair<std::string, double>>;

struct BenchTask {
  Problem problem;
  /// Metrics on the test data with the given weights. Multi-label data: hamming_accuracy, micro_f1
  /// and example_f1, predicted by the LP relaxation with rounding as in the AISTATS 2015 paper.
  /// Sequences: hamming_loss (mean over the sequences of the fraction of wrong tokens),
  /// token_accuracy, and for CoNLL chunk_f1. Matchings: alignment_error_rate, f1 and exact. Empty
  /// function where the problem has no test data.
  std::function<TestFigures(std::span<const double>)> test;
};

/// The problem (MakeBenchProblem), with its test data if with_test is true and it has any. Throws
/// DataError, also when files with test data are missing.
BenchTask MakeBenchTask(const BenchProblem& problem, const std::string& folder, bool with_test);

}  // namespace slackline::internal
