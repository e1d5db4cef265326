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

#include <slackline/core/types.h>

namespace slackline::internal {

struct BenchFigure {
  std::string_view name;  ///< paper and number
  std::string_view text;
  std::string problems;      ///< a list as --problems has it
  std::string learners;      ///< as --learners
  double time_limit = 60;    ///< seconds of a run, checks included
  Index runs = 1;            ///< per learner, with different seeds
  std::string_view x, y;     ///< what a chart of it shows at first (apps/report/report.js)
  bool test_metric = false;  ///< whether figures of the test data belong to it
  /// what a chart against an option shows at first; empty = the page's own choice
  std::string_view sweep = {};
};

/// All of them, in the order of the papers.
std::span<const BenchFigure> BenchFigures();

/// The figure of this name; throws DataError that names all of them.
const BenchFigure& FindBenchFigure(std::string_view name);

}  // namespace slackline::internal
