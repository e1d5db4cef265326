// SPDX-License-Identifier: BSD-3-Clause
//
// The training problems on which learners are compared: data of the data folder, and drawn data.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/learning/problem.h>

namespace slackline::internal::bench {

/// Names and values of metrics on test data, in [0, 1].
using TestFigures = std::vector<std::pair<std::string, double>>;

/// A training problem, and metrics on its test data with the given weights (empty: no test data).
struct BenchTask {
  Problem problem;
  std::function<TestFigures(std::span<const double>)> test = {};
};

/// The files of a problem. Empty for drawn data.
struct BenchFiles {
  std::vector<std::string> train;
  std::string test;  ///< empty: there are no test data
};

/// A problem as the command line names it: NAME[@EXAMPLES[.SEED]][:option=value,…], such as
/// "yeast@375.2" or "grids:rows=8,cols=8,lambda=0.1".
struct BenchProblem {
  std::string name;        ///< as given, with the seed of the sample
  std::string text;        ///< what it is
  std::string of;          ///< the name without the sample
  Index examples = 0;      ///< the size of the sample; 0 = all examples
  std::uint64_t seed = 1;  ///< of the sample
  double lambda = 0;       ///< 0 = `times` the default of the data, or, if that is 0, too, 1/M
  double times = 0;

  /// The files in the data folder, with ".gz" where only the compressed file exists.
  std::function<BenchFiles(const std::string& folder)> files;
  /// The task on all examples at any λ, with test data if `with_test` is true and it has any.
  std::function<BenchTask(const BenchFiles& files, bool with_test)> make;
};

/// All names, for help texts: "yeast, yeast-0.01, …".
std::string BenchProblemNames();

/// Reads a list (list_entries.h) of problems. Throws DataError on unknown names and options, and
/// bad values.
std::vector<BenchProblem> ParseBenchProblems(std::string_view list);

/// Throws DataError when the problem needs files and `folder` is empty, or when a file is missing
/// (with its path): one of training, or if with_test is true, that of tests.
void CheckBenchData(const BenchProblem& problem, const std::string& folder, bool with_test);

/// Makes tasks one after the other. Problems in a row that differ in their samples alone share what
/// they read.
class BenchTasks {
 public:
  BenchTasks(std::string folder, bool with_test)
      : folder_(std::move(folder)), with_test_(with_test) {}

  /// Throws DataError on missing and bad files, and on samples that are too large. A sample has the
  /// λ of all examples.
  BenchTask Make(const BenchProblem& problem);

 private:
  std::string folder_;
  bool with_test_;
  std::string of_;  // which problem whole_ is
  std::optional<BenchTask> whole_;
};

/// `count` examples drawn without replacement with `seed`, in their original order. Requires 1 ≤
/// count ≤ number of examples.
TrainingSet SubsetOfExamples(const TrainingSet& training, Index count, std::uint64_t seed);

}  // namespace slackline::internal::bench
