// SPDX-License-Identifier: BSD-3-Clause
//
// The family of training problems: it covers the stated ranges, and its problems are the same in
// every draw.
#include <slackline/apps/bench/family.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/learning/run/fingerprint.h>

#include "tests/core/temporary_folder.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

Problem Make(const std::string& name) { return ChooseFamily({name}, "").front().make(""); }

}  // namespace

TEST_CASE("the family has many problems with distinct names") {
  std::set<std::string> names;
  std::size_t drawn = 0;
  for (const FamilyProblem& problem : FamilyProblems()) {
    names.insert(problem.name);
    drawn += problem.needs_data ? 0 : 1;
  }
  CHECK(names.size() == FamilyProblems().size());
  CHECK(names.size() >= 60);
  CHECK(ChooseFamily({}, "").size() == drawn);
  CHECK(ChooseFamily({}, "folder").size() == names.size());
}

TEST_CASE("parts of names select problems") {
  for (const FamilyProblem& problem : ChooseFamily({"matchings"}, ""))
    CHECK(problem.name.find("matchings") == 0);
  CHECK(MessageOf<DataError>([] {
          ChooseFamily({"matchings", "nothing"}, "");
        }).find("'nothing'") != std::string::npos);
  CHECK(MessageOf<DataError>([] { ChooseFamily({"yeast"}, ""); }).find("data folder") !=
        std::string::npos);
}

TEST_CASE("the family has problems with few and many weights, few and many examples") {
  CHECK(Make("pictures-12x12/lambda").num_weights() == 5);
  CHECK(Make("sparse").num_weights() > 1'000'000);
  CHECK(Make("labels-20x100").size() == 20);
  CHECK(Make("chains-100000").size() == 100'000);
  CHECK(Make("1000-labels").data().example(0).graph().num_variables() == 1000);
}

TEST_CASE("lambda is the one in the name") {
  const Problem once = Make("labels-400x50-unscaled-full/1x");
  const Problem hundredth = Make("labels-400x50-unscaled-full/0.01x");
  CHECK(hundredth.lambda() == doctest::Approx(0.01 * once.lambda()).epsilon(1e-12));
  CHECK(Make("pictures-12x12/lambda=0.01").lambda() == 0.01);
}

TEST_CASE("columns without a common scale differ by several powers of ten") {
  const Problem problem = Make("labels-400x50-unscaled-full/1x");
  const FeatureRows& rows = *problem.data().rows();
  std::vector<double> largest(51, 0.0);
  for (Index m = 0; m < rows.size(); ++m) {
    const FeatureRow row = rows.row(m);
    for (std::size_t f = 0; f < 51; ++f) largest[f] = std::max(largest[f], std::abs(row.values[f]));
  }
  const auto [least, most] = std::minmax_element(largest.begin(), largest.end() - 1);
  CHECK(*most > 1e5 * *least);
}

TEST_CASE("problems are drawn from their own seeds") {
  for (const char* name : {"pictures-12x12/1x", "matchings/1x", "chains-300-of-15/1x"})
    CHECK(MakeFingerprint(Make(name), {}) == MakeFingerprint(Make(name), {}));
}
