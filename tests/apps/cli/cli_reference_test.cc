// SPDX-License-Identifier: BSD-3-Clause
//
// Only in ./run test --all: trains for a minute.
//
// Reference optima of the shipped Yeast data from an independent program (1500 training examples,
// all 91 pairs, count loss, no constant). Runs of the command line must reach them to the accuracy
// of the reference.
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/apps/multilabel/read_options.h>
#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

// Builds with sanitizers are fifty times slower: they stop at wide gaps, where the bounds must
// already enclose the reference.
#ifdef SLACKLINE_SANITIZED
constexpr bool kSlow = true;
#else
constexpr bool kSlow = false;
#endif

/// The last object in the log of a run on Yeast.
Json Train(const TemporaryFolder& folder, const Arguments& options, const std::string& gap) {
  const std::string log = folder.Path("run.jsonl");
  std::vector<std::string> command = {"multilabel",
                                      "train",
                                      kYeast + "yeast-train.arff.gz",
                                      "--labels",
                                      kYeast + "yeast.xml",
                                      "--model",
                                      folder.Path("yeast.slk"),
                                      "--log",
                                      log,
                                      "--bias",
                                      "0",
                                      "--loss",
                                      "count",
                                      "--quiet",
                                      "--gap-tolerance",
                                      kSlow ? "0.05" : gap};
  command.insert(command.end(), options.begin(), options.end());
  Succeed(command);
  const std::string text = ReadBytes(log);
  const std::size_t last = text.rfind('\n', text.size() - 2);
  return Json::parse(text.substr(last + 1));
}

void CheckBracket(double lower, double upper, double reference, double tolerance) {
  CHECK(lower <= reference + tolerance);
  CHECK(upper >= reference - tolerance);
  if (kSlow) return;
  CHECK(std::abs(lower - reference) <= 2 * tolerance);
  CHECK(std::abs(upper - reference) <= 2 * tolerance);
}

}  // namespace

TEST_CASE("relaxed optimum at lambda 0.01: 7.575549, by factor blocks and by example blocks") {
  for (const char* learner : {"al", "auto"}) {
    const TemporaryFolder folder;
    const Json end = Train(folder, {"--lambda", "0.01", "--learner", learner}, "3e-7");
    CHECK(end["termination"] == "converged");
    CHECK(end["problem"] == "relaxed");
    CheckBracket(end["dual"], end["primal"], 7.575549, 2e-6);
  }
}

TEST_CASE("relaxed optimum at lambda 0.001: 6.72474, and its test metrics with exact decoding") {
  const TemporaryFolder folder;
  const Json end = Train(folder, {"--lambda", "0.001"}, "8e-6");
  CheckBracket(end["dual"], end["primal"], 6.72474, 3e-5);
  const Outcome outcome = Succeed({"multilabel", "evaluate", kYeast + "yeast-test.arff.gz",
                                   "--model", folder.Path("yeast.slk"), "--json"});
  const Json metrics = Json::parse(outcome.out);
  const double tolerance = kSlow ? 0.03 : 0.0015;
  CHECK(std::abs(1 - metrics["hamming_loss"].get<double>() - 0.794) <= tolerance);
  CHECK(std::abs(metrics["subset_accuracy"].get<double>() - 0.191) <= tolerance);
  CHECK(std::abs(metrics["micro_f1"].get<double>() - 0.658) <= tolerance);
  CHECK(metrics["decoder"] == "exact (branch and bound)");
}

TEST_CASE("soft optimum at rho 1500, given in the paper's scale: 12.337254") {
  const TemporaryFolder folder;
  const Json end =
      Train(folder, {"--lambda", "0.01", "--learner", "soft", "--rho", "1", "--rho-scale", "paper"},
            "1e-7");
  CHECK(end["rho"] == 1500);
  CheckBracket(end["soft_dual"], end["soft_primal"], 12.337254, 2e-6);
}

TEST_CASE("soft optimum at rho 15: 11.273889") {
  const TemporaryFolder folder;
  const Json end = Train(folder, {"--lambda", "0.01", "--learner", "soft", "--rho", "15"}, "8e-8");
  CheckBracket(end["soft_dual"], end["soft_primal"], 11.273889, 1e-6);
}

TEST_CASE("soft optimum at rho 1, the default: 8.480900") {
  const TemporaryFolder folder;
  const Json end = Train(folder, {"--lambda", "0.01", "--learner", "soft"}, "1e-6");
  CHECK(end["rho"] == 1);
  CheckBracket(end["soft_dual"], end["soft_primal"], 8.480900, 8e-6);
}

TEST_CASE("Frank-Wolfe steps reach the same soft optimum, slowly") {
  const TemporaryFolder folder;
  const Json end = Train(
      folder, {"--lambda", "0.01", "--learner", "soft", "--rho", "15", "--step", "fw"}, "2e-3");
  CHECK(end["soft_dual"].get<double>() <= 11.273889 + 1e-6);
  CHECK(end["soft_primal"].get<double>() >= 11.273889 - 1e-6);
}
