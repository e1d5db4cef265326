// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline bench --family.
#include <doctest/doctest.h>

#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

const std::vector<std::string> kFamily = {"bench", "--family", "--quiet"};

void CheckNoFamily(const Arguments& arguments, const std::string& message) {
  CheckRefused(kFamily + arguments, message);
}

}  // namespace

TEST_CASE("--family compares auto with the fastest other learner on every chosen problem") {
  const TemporaryFolder folder;
  const std::string out = folder.Path("family.json");
  const Outcome outcome =
      Succeed(kFamily + Arguments{"--problems", "labels-400x50-unscaled", "--learners",
                                  "auto,bcfw-pairwise,cutting-plane-1", "--out", out});
  CHECK(Contains(outcome.out, "labels-400x50-unscaled-full/0.01x"));
  const Json family = Json::parse(ReadBytes(out))["family"];
  REQUIRE(family.size() == 4);
  for (const Json& problem : family) {
    CHECK(problem["examples"] == 400);
    REQUIRE(problem["learners"].size() == 3);
    const Json& own = problem["learners"][0];
    CHECK(own["learner"] == "auto");
    CHECK(own["runs"][0]["last"]["relative_gap"].get<double>() <= 1e-3);
    for (const Json& learner : problem["learners"]) CHECK(learner["state"] == "applies");
  }
}

TEST_CASE("a learner that does not apply does not stop the comparison") {
  const Outcome outcome =
      Succeed(kFamily + Arguments{"--problems", "grids-10-of-8x8/0.01x", "--learners", "auto,eg"});
  CHECK(Contains(outcome.out, "grids-10-of-8x8/0.01x"));
}

TEST_CASE("options that --family excludes are refused") {
  CheckNoFamily({"--problems", "nothing"}, "--problems");
  CheckNoFamily({"--problems", "yeast"}, "data folder");
  CheckNoFamily({"--scaling"}, "--family excludes");
  CheckNoFamily({"--figure", "002-1"}, "--family excludes");
  CheckNoFamily({"--learners", "ufo"}, "--learners");
}
