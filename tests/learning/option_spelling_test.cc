// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/learning/option_spelling.h>
#include <slackline/learning/options.h>

using namespace slackline::internal;

namespace {

std::string InPython(std::string_view message) {
  return SpellOptions(message, OptionLanguage::kPython);
}
std::string InCpp(std::string_view message) { return SpellOptions(message, OptionLanguage::kCpp); }

}  // namespace

TEST_CASE("names of options become names of arguments and of fields") {
  CHECK(InPython("--lambda: -1 is not allowed") == "lam: -1 is not allowed");
  CHECK(InCpp("--lambda: -1 is not allowed") == "TrainOptions::lambda: -1 is not allowed");
  CHECK(InPython("(--time-limit)") == "(time_limit)");
  CHECK(InCpp("(--time-limit)") == "(TrainOptions::time_limit_seconds)");
  CHECK(InCpp("--rho-final must not be larger than --rho: x") ==
        "learner_options \"rho-final\" must not be larger than learner_options \"rho\": x");
  // Options of an application are not among the records of options.
  CHECK(InPython("--loss-weights FILE: no file") == "loss_weights FILE: no file");
}

TEST_CASE("a value behind a name becomes a value of the language") {
  CHECK(InPython("--order cyclic needs --learner bcfw.") ==
        "order=\"cyclic\" needs learner=\"bcfw\".");
  CHECK(InCpp("--order cyclic needs --learner bcfw.") ==
        "learner_options {\"order\", \"cyclic\"} needs TrainOptions::learner = \"bcfw\".");
  CHECK(InPython("use --certify relaxed, or none") == "use certify=\"relaxed\", or none");
  CHECK(InCpp("use --certify relaxed, or none") ==
        "use TrainOptions::certify = Certify::kRelaxed, or none");
  CHECK(InPython("--shards 4: too many") == "shards=4: too many");
  CHECK(InCpp("--max-passes 4: too few") == "TrainOptions::max_passes = 4: too few");
  CHECK(InPython("--associative on applies") == "associative=True applies");
}

TEST_CASE("a word that is no value of the option stays a word") {
  CHECK(InPython("--shards cannot be combined with --fixed-step: x") ==
        "shards cannot be combined with fixed_step: x");
  CHECK(InPython("--learner only") == "learner only");
  CHECK(InPython("one -- two, a--b, --") == "one -- two, a--b, --");
  CHECK(InPython("") == "");
}

TEST_CASE("messages of the checks keep nothing of the command line") {
  const TrainOptions options{.learner = LearnerKind::kAugmentedLagrangian,
                             .oracle = SolverKind::kTree};
  try {
    CheckOptions(options);
    FAIL("accepted");
  } catch (const DataError& error) {
    CHECK(InPython(error.what()).find("--") == std::string::npos);
    CHECK(InCpp(error.what()).find("--") == std::string::npos);
  }
}
