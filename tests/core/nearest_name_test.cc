// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/nearest_name.h>

#include <doctest/doctest.h>

using namespace slackline::internal;

TEST_CASE("the distance counts insertions, deletions, changes and swaps of neighbours") {
  CHECK(EditDistance("", "") == 0);
  CHECK(EditDistance("", "abc") == 3);
  CHECK(EditDistance("abc", "") == 3);
  CHECK(EditDistance("lambda", "lambda") == 0);
  CHECK(EditDistance("lamda", "lambda") == 1);
  CHECK(EditDistance("lambbda", "lambda") == 1);
  CHECK(EditDistance("lampda", "lambda") == 1);
  CHECK(EditDistance("lmabda", "lambda") == 1);
  CHECK(EditDistance("kitten", "sitting") == 3);
  CHECK(EditDistance("abcd", "dcba") == 3);  // the swap of b and c, and two changes
}

TEST_CASE("the distance is symmetric") {
  const std::vector<std::string_view> words = {"",    "a",       "ab",      "ba", "abc",
                                               "cab", "predict", "predcit", "cv"};
  for (const auto a : words) {
    for (const auto b : words) CHECK(EditDistance(a, b) == EditDistance(b, a));
  }
}

TEST_CASE("a misspelled name finds the nearest name, the first among ties; other words find none") {
  const std::vector<std::string_view> names = {
      "auto", "al", "fw", "bcfw", "bmrm", "cutting-plane-1", "cutting-plane-n"};
  CHECK(NearestName("bmrn", names) == "bmrm");
  CHECK(NearestName("cutting-plan-n", names) == "cutting-plane-n");
  CHECK(NearestName("cutting-plane", names) == "cutting-plane-1");
  CHECK(NearestName("svm", names).empty());
  CHECK(NearestName("x", names).empty());
  CHECK(NearestName("", names).empty());
  CHECK(NearestName(std::string(100000, 'x'), names).empty());
  CHECK(NearestName("bmrm", {}).empty());
}

TEST_CASE("the end of a message is empty where no name is near") {
  CHECK(DidYouMean("lamda", {"lambda"}) == "; did you mean 'lambda'?");
  CHECK(DidYouMean("frob", {"lambda"}).empty());
}
