// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/inexact_options.h>

#include <slackline/core/check.h>

namespace slackline::internal {

void CheckInexact(const TrainOptions& options, bool frank_wolfe) {
  const auto& own = options.own<InexactOptions>();
  if (own.lp_tolerance > 0) {
    if (!HasGlpk()) throw DataError("--lp-tolerance needs GLPK, which this build does not have");
    if (options.oracle != SolverKind::kLp && options.oracle != SolverKind::kLpPolytope)
      throw DataError("--lp-tolerance needs --oracle lp or lp-polytope");
    if (!frank_wolfe)
      throw DataError("--lp-tolerance needs --step fw: active sets need exact oracles");
  }
  if (own.oracle_iterations > 0) {
    if (options.oracle != SolverKind::kMessages)
      throw DataError("--oracle-iterations needs --oracle messages");
    if (!frank_wolfe)
      throw DataError(
          "--oracle-iterations needs --step fw: active sets choose the iterations themselves");
  }
}

ExampleOracle::Options CheckingOracle(const TrainOptions& options) {
  return {.solver = options.oracle,
          .ways = ExampleOracle::Ways::kSolvers,
          .effort = ExampleOracle::Effort::kChecking,
          .rescaling = options.rescaling,
          .stop = options.stop};
}

ExampleOracle::Options PassingOracle(const TrainOptions& options) {
  ExampleOracle::Options oracle = CheckingOracle(options);
  oracle.effort = ExampleOracle::Effort::kTraining;
  oracle.lp_tolerance = options.own<InexactOptions>().lp_tolerance;
  oracle.message_iterations = options.own<InexactOptions>().oracle_iterations;
  return oracle;
}

bool HasInexactPasses(const TrainOptions& options) {
  const auto& own = options.own<InexactOptions>();
  return own.lp_tolerance > 0 || own.oracle_iterations > 0;
}

ExampleOracle* OracleOfPasses(const Problem& problem, const TrainOptions& options,
                              ExampleEvaluator* checks, std::optional<ExampleOracle>* inexact) {
  ExampleOracle* const checking = &checks->oracle();
  // Graph cuts are bounded by messages in checks alone.
  if (!HasInexactPasses(options) && options.oracle != SolverKind::kExpansion) return checking;
  return &inexact->emplace(problem, PassingOracle(options));
}

}  // namespace slackline::internal
