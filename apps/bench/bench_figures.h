// SPDX-License-Identifier: BSD-3-Clause
//
// The comparisons behind the figures of the papers, as `slackline bench --figure NAME` runs them.
// 001: Branson et al., CVPR 2013; 002: Meshi et al., AISTATS 2015; 003: Lacoste-Julien et al., ICML
// 2013; 004: Shalev-Shwartz and Zhang, 2012.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/bench/bench_learners.h>

namespace slackline::internal {

struct BenchFigure {
  std::string_view name;  ///< number of the paper and of the figure
  std::string_view text;
  std::string problems;  ///< a list in the format of --problems
  std::string learners;  ///< a list in the format of --learners
  /// A list of learners that no seed affects, and of references; one run of each suffices.
  std::string once;
  double time_limit = 60;    ///< seconds per run, including checks
  Index runs = 1;            ///< per learner, with different seeds
  std::string_view x, y;     ///< what a chart of the figure shows at first (apps/report/report.js)
  bool test_metric = false;  ///< whether the figure includes metrics on test data
  /// What a chart against an option shows at first; empty = the default of the page.
  std::string_view sweep = {};
};

/// All figures, in the order of the papers.
std::span<const BenchFigure> BenchFigures();

/// The figure of this name. Throws DataError, which names all figures.
const BenchFigure& FindBenchFigure(std::string_view name);

/// The learners of the figure. Those that this program does not have are skipped, and a message
/// about each is appended to left_out.
std::vector<BenchLearner> FigureLearners(const BenchFigure& figure,
                                         std::vector<std::string>* left_out);

/// One run of a figure: --figure, --problems, --learners and --seed with --runs 1 make it.
struct BenchFigureRun {
  std::string problem;
  std::string learner;
  Index seed = 1;
};
/// All runs of the figure, problem by problem and then seed by seed.
std::vector<BenchFigureRun> FigureRuns(const BenchFigure& figure,
                                       std::vector<std::string>* left_out);

}  // namespace slackline::internal
