// SPDX-License-Identifier: BSD-3-Clause
//
// Options of the Frank-Wolfe learners (`fw`, and `bcfw` with fw steps) that let the oracle answer
// early in passes. In checks it keeps its usual limits, and all bounds are proved by an oracle, so
// that certificates hold for any of these options.
//
// Source: Lacoste-Julien, Jaggi, Schmidt, Pletscher, ICML 2013, appendix C, (11)–(13): with corners
// of multiplicative quality ν and additive quality δ fixed steps are 2n/(νk + 2n), and Theorem C.1
// bounds the error by 2n/(νk + 2n) · (C_f⊗ (1 + δ)/ν + f(x_0) − f*).
#pragma once

#include <limits>
#include <optional>

#include <slackline/learning/learner_record.h>
#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/oracle/example_oracle.h>

namespace slackline::internal {

struct InexactOptions {
  /// With oracle lp or lp-polytope: tolerance of GLPK's simplex method in passes; 0 = the tight
  /// tolerance that checks always use.
  double lp_tolerance = 0;
  /// With oracle messages: most iterations of message passing in an oracle call of a pass; 0 = as
  /// many as in checks. The next visit of an example continues from its messages.
  Index oracle_iterations = 0;
  /// ν of the fixed steps.
  double step_quality = 1;
};
inline constexpr OptionRecord kInexactOptions[] = {
    {.name = "lp-tolerance",
     .placeholder = "T",
     .text = "fw, bcfw with fw steps, with oracle lp: tolerance of GLPK's simplex method during "
             "passes; certificates use 1e-9",
     .default_text = "1e-9",
     .field = Field<&InexactOptions::lp_tolerance>,
     .minimum = 1e-9,
     .maximum = 0.1,
     .positive = true},
    {.name = "oracle-iterations",
     .placeholder = "N",
     .text = "fw, bcfw with fw steps, with oracle messages: most iterations of message passing in "
             "an oracle call of a pass",
     .default_text = "100, as in checks",
     .field = Field<&InexactOptions::oracle_iterations>,
     .maximum = std::numeric_limits<Index>::max(),
     .positive = true},
    {.name = "step-quality",
     .placeholder = "NU",
     .text = "fw, bcfw with fw steps: fixed steps for corners that reach a share NU of the gap of "
             "their block: 2/(NU k+2), or 2M/(NU k+2M)",
     .default_text = "1",
     .field = Field<&InexactOptions::step_quality>,
     .minimum = 1e-6,
     .maximum = 1,
     .positive = true,
     .needs = "fixed-step"}};

/// Throws DataError where the options do not fit the oracle, or the learner does not take
/// Frank-Wolfe steps.
void CheckInexact(const TrainOptions& options, bool frank_wolfe);

/// Options of the oracles of checks and of passes, for dense corners.
ExampleOracle::Options CheckingOracle(const TrainOptions& options);
ExampleOracle::Options PassingOracle(const TrainOptions& options);
/// Whether options let the oracle answer earlier in passes than in checks.
bool HasInexactPasses(const TrainOptions& options);
/// The oracle of passes: the first one of `checks`, or one made in *inexact where passes need their
/// own. Valid while both objects are.
ExampleOracle* OracleOfPasses(const Problem& problem, const TrainOptions& options,
                              ExampleEvaluator* checks, std::optional<ExampleOracle>* inexact);

}  // namespace slackline::internal
