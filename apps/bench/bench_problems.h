// SPDX-License-Identifier: BSD-3-Clause
//
// The named training problems of `slackline bench`, on which learners are compared.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// The source of a problem's examples. Sources from kGrids on need no files. kLetters: folds 1 to
/// 9; kLetters0: fold 0.
enum class BenchSource {
  kYeast,
  kReuters30,
  kRcv1,
  kRcv1s1,
  kLetters,
  kLetters0,
  kConll,
  kMsrc,
  kGrids,
  kSmallGrids,
  kMatching,
  kToy
};

struct BenchProblem {
  std::string_view name;
  std::string_view text;
  BenchSource source;
  bool bias;
  double lambda;  ///< 0 = 1/M

  bool needs_data() const { return source < BenchSource::kGrids; }
  bool sequences() const {
    return source == BenchSource::kLetters || source == BenchSource::kLetters0 ||
           source == BenchSource::kConll;
  }
  bool segments() const { return source == BenchSource::kMsrc; }
  bool multilabel() const {
    return (needs_data() && !sequences() && !segments()) || source == BenchSource::kToy;
  }
};

/// All problems, in the order in which they are run.
std::span<const BenchProblem> BenchProblems();

/// The problem of this name. Throws DataError, which names all problems.
const BenchProblem& FindBenchProblem(std::string_view name);

/// A problem, or some of its examples, as named on the command line: "yeast", "yeast@375",
/// "yeast@375.2".
struct BenchChoice {
  const BenchProblem* problem = nullptr;
  Index examples = 0;      ///< 0 = all of them
  std::uint64_t seed = 1;  ///< of the draw

  std::string name() const;
};
/// Throws DataError on unknown names and malformed numbers.
BenchChoice FindBenchChoice(std::string_view name);

/// The files of the problem in the data folder, with ".gz" where only the compressed file exists.
/// Empty for problems that need none.
std::vector<std::string> BenchFiles(const BenchProblem& problem, const std::string& folder);

/// The same for test data, and the folds to use of these files (empty = all).
std::vector<std::string> BenchTestFiles(const BenchProblem& problem, const std::string& folder);
std::string BenchTestFolds(const BenchProblem& problem);

/// Throws DataError when the problem needs files and `folder` is empty, or when a file is missing
/// (with its path).
void CheckBenchData(const BenchProblem& problem, const std::string& folder);

/// The data of a multi-label problem. Throws DataError on missing or bad files.
MultiLabelData ReadBenchData(const BenchProblem& problem, const std::string& folder);

/// The sequences of a sequence problem. CoNLL: the templates "chunking" and the default minimal
/// count of `slackline sequence train`.
SequenceInput ReadBenchSequences(const BenchProblem& problem, const std::string& folder);

/// The training problem of anything but images (cmd_segment_bench.h makes those): count loss and
/// all pairs of labels for multi-label data, mean loss for grids and sequences, costs of 1 and 3
/// for matchings (matching_model.h).
Problem MakeBenchProblem(const BenchProblem& problem, const std::string& folder);

/// The drawn matchings of the problem `matching`, which are followed by others to test on.
inline constexpr Index kMatchingExamples = 300;
inline constexpr Index kMatchingTestExamples = 347;  // as in the ICML 2013 paper
/// The share of the true edges of the test examples that are only possible.
inline constexpr double kPossibleTestEdges = 0.3;
/// possible: the share of the true edges that are possible; all else is the same for all shares.
std::vector<std::string> DrawnMatchings(double possible);

/// Count loss, all pairs of labels. lambda: 0 = 1/M.
Problem MakeFullGraphProblem(const MultiLabelData& data, double lambda);

/// `graph` is full, none or tree (label_graph.h). lambda: 0 = 1/M.
Problem MakeLabelProblem(const MultiLabelData& data, const std::string& graph, LossScale scale,
                         double lambda);

/// Mean loss, all sequences of the input. lambda: 0 = 1/M.
Problem MakeChainProblem(const SequenceInput& input, double lambda);

struct SyntheticLabelsOptions {
  Index examples = 200;
  Index labels = 10;
  Index features = 1000;
  Index stored = 0;  ///< features that are not 0 in an example; 0 = all
  double label_noise = 0.05;
  bool constant = true;
  /// Dense inputs only: each column is multiplied by 10^u, with u drawn from [smallest_power,
  /// largest_power].
  double smallest_power = 0;
  double largest_power = 0;
  std::uint64_t seed = 1;
};

/// Multi-label data whose difficulty hardly depends on the number of features. A label is on with
/// probability 0.2, and with probability 0.3 it copies the label before it, so that pairs matter. A
/// dense input is noise plus a random direction for each label that is on. A sparse input takes
/// half of its features from those of the labels that are on (feature f belongs to label f mod
/// labels). Inputs have a norm of about 1. Finally each label flips with probability label_noise.
/// Throws std::invalid_argument on counts below 1 or more stored features than features.
MultiLabelData MakeSyntheticLabels(const SyntheticLabelsOptions& options);

/// `count` examples drawn without replacement with `seed`, in their original order. Requires 1 ≤
/// count ≤ number of examples.
TrainingSet SubsetOfExamples(const TrainingSet& training, Index count, std::uint64_t seed);

/// The data restricted to the `count` most frequent labels (the first of equally frequent ones).
/// Requires 1 ≤ count ≤ number of labels.
MultiLabelData MostFrequentLabels(const MultiLabelData& data, Index count);

}  // namespace slackline::internal
