// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/oracle_check.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/number_text.h>

namespace slackline::internal {
namespace {

/// Rounding error of sums whose terms may cancel, as a share of the size of these terms.
constexpr double kOracleRounding = 1e-9;
/// Rounding error as a share of the sums themselves: smaller differences are rounding, whatever the
/// terms.
constexpr double kLastDigits = 1e-13;

/// How far the bound lies above truth + least, its smallest valid value.
double ExcessOf(const OracleBound& answer) { return answer.bound - answer.truth - answer.least; }

double TermsOf(const OracleBound& answer) {
  return std::abs(answer.bound) + std::abs(answer.truth) + std::abs(answer.least);
}

}  // namespace

double SizeOfScores(const ExampleView& example, std::span<const double> u,
                    std::span<const double> loss, std::span<const double> offsets) {
  const Structure& structure = example.structure();
  const FactorGraph& graph = example.graph();
  double size = 0;
  std::vector<double> scores;
  for (Index a = 0; a < graph.num_parts(); ++a) {
    scores.assign(graph.num_states(a), 0.0);
    AddPartScores(example, a, u, scores);
    double most = 0;
    for (std::size_t s = 0; s < scores.size(); ++s) {
      if (scores[s] == -kInfinity) continue;  // forbidden
      double state = std::abs(scores[s]);
      if (a < graph.num_variables()) {
        const std::size_t at = graph.state_offset(a) + s;
        state += std::abs(loss[at]) + (offsets.empty() ? 0.0 : std::abs(offsets[at]));
      }
      most = std::max(most, state);
    }
    size += most;
  }
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    const GlobalPart& part = structure.globals()[g];
    double sum = 0;
    for (Index k = 0; part.block >= 0 && k < part.factor->num_weights(); ++k)
      sum += std::abs(u[part.coordinate + k]);
    size += sum * static_cast<double>(graph.global_scope(g).size());
  }
  return size;
}

bool LiesBelowTruth(const OracleBound& answer) {
  const double terms = TermsOf(answer);
  return !(std::isfinite(terms) && ExcessOf(answer) >= -kLastDigits * terms);
}

void RequireRounding(Index m, const OracleBound& answer, double size) {
  const double terms = TermsOf(answer);
  if (std::isfinite(terms) && ExcessOf(answer) >= -kOracleRounding * (terms + size)) return;
  throw std::logic_error("the oracle is wrong: its bound on example " + std::to_string(m) + " is " +
                         NumberText(answer.bound, 9) + ", and the ground truth has the score " +
                         NumberText(answer.truth + answer.least, 9));
}

}  // namespace slackline::internal
