// SPDX-License-Identifier: BSD-3-Clause
//
// The named problems with their data for testing, for curves of accuracy against work.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/bench/bench_problems.h>
#include <slackline/apps/sequence/sequence_model.h>

namespace slackline::internal {

/// Names of figures and their values, in [0, 1].
using TestFigures = std::vector<std::pair<std::string, double>>;

struct BenchTask {
  Problem problem;
  /// Figures of the test data at weights of the problem: for multi-label data hamming_accuracy,
  /// micro_f1 and example_f1, predicted by the LP relaxation with rounding as in the AISTATS 2015
  /// paper; for sequences hamming_loss (mean over the sequences of the share of wrong tokens),
  /// token_accuracy, and for CoNLL chunk_f1. Empty where the problem has no such data.
  std::function<TestFigures(std::span<const double>)> test;
};

/// The problem (MakeBenchProblem), with its test data when `with_test` is true and there are some.
/// Throws DataError, also when files with test data are missing.
BenchTask MakeBenchTask(const BenchProblem& problem, const std::string& folder, bool with_test);

}  // namespace slackline::internal
