// SPDX-License-Identifier: BSD-3-Clause
//
// The data behind the training problems: which files of the data folder they are, or how they are
// drawn, and how they become problems with test figures.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/bench_problems.h"
#include "bench/list_entries.h"

namespace slackline::internal::bench {

/// How a problem is made: two members of BenchProblem.
struct BenchRecipe {
  std::function<BenchFiles(const std::string& folder)> files;
  std::function<BenchTask(const BenchFiles& files, bool with_test)> make;
};

struct BenchSource {
  std::string_view name;
  std::string_view text;
  /// Reads the options of these data. Throws DataError on bad values.
  BenchRecipe (*recipe)(const BenchSource& source, EntryOptions* options);
  double lambda = 0;  ///< 0 = 1/M
  /// Files in the data folder; empty: none.
  std::string_view train = {};
  std::string_view beside = {};  ///< another file of training
  std::string_view test = {};
  Index labels = 0;  ///< of LIBSVM data
  /// Of the letters: which folds are for training, and which for tests.
  std::string_view folds = {};
  std::string_view test_folds = {};
};

std::span<const BenchSource> BenchSources();

}  // namespace slackline::internal::bench
