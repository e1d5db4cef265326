// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <slackline/apps/multilabel/multilabel_memory.h>

using namespace slackline::internal;

TEST_CASE("the memory of training grows with weights, label entries, pairs and blocks") {
  CHECK(TrainingBytes({0, 20, 1'600'000, 0}, LearnerKind::kAuto) ==
        doctest::Approx(32e6 * kBytesPerWeight));
  CHECK(TrainingBytes({10, 4, 2, 6}, LearnerKind::kBcfw) ==
        doctest::Approx(14 * kBytesPerWeight + 40 * kBytesPerLabelEntry + 6 * kBytesPerPair));
  CHECK(
      TrainingBytes({10, 4, 2, 6}, LearnerKind::kSoft) ==
      doctest::Approx(TrainingBytes({10, 4, 2, 6}, LearnerKind::kBcfw) + 60 * kBytesPerPairBlock));
}

TEST_CASE("a refusal names the sizes and a remedy") {
  CHECK(TrainingExcess({1000, 100, 5000, 4950}, LearnerKind::kAuto).empty());
  const std::string labels =
      TrainingExcess({0, 2'000'000'000, 2'000'000'000, 0}, LearnerKind::kAuto);
  CHECK(labels.find("2000000000 labels × 2000000000 features: training needs about") == 0);
  CHECK(labels.find("without gaps") != std::string::npos);
  const std::string pairs =
      TrainingExcess({0, 2'000'000'000, 0, Offset{1} << 60}, LearnerKind::kAuto);
  CHECK(pairs.find("--graph none") != std::string::npos);
  const std::string blocks =
      TrainingExcess({2'000'000'000, 100, 10, 40'000'000}, LearnerKind::kAugmentedLagrangian);
  CHECK(blocks.find("on 2000000000 examples") != std::string::npos);
  CHECK(blocks.find("--learner bcfw") != std::string::npos);
}

TEST_CASE("every pattern of missing labels has its own pairs") {
  MultiLabelData data;
  data.label_names = {"a", "b", "c"};
  data.lines = {1, 2, 3, 4, 5};
  data.labels = {0, 1, 0, /**/ -1, 1, 0, /**/ -1, 0, 1, /**/ 0, -1, -1, /**/ -1, -1, -1};
  const std::vector<LabelPair> pairs = {{0, 1}, {0, 2}, {1, 2}};
  CHECK(RestrictedPairs(data, pairs) == 1);  // {b, c}, once
  CHECK(RestrictedPairs(data, {}) == 0);
  data.labels = {0, 1, -1, /**/ -1, 1, 0, /**/ 0, -1, 1, /**/ 0, 0, 0, /**/ 1, 1, 1};
  CHECK(RestrictedPairs(data, pairs) == 3);
  const std::string text =
      TrainingExcess({1000, 100, 10, 4950, Offset{1} << 60}, LearnerKind::kBcfw);
  CHECK(text.find("patterns of missing labels") != std::string::npos);
  CHECK(text.find("--graph none") != std::string::npos);
}
