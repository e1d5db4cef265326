// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/validation/multilabel_metrics.h>

#include <doctest/doctest.h>

#include <stdexcept>

#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Bits = std::vector<std::int8_t>;

}  // namespace

TEST_CASE("metrics agree with a case counted by hand") {
  const Bits given = {1, 0, 1,       //
                      0, 0, 0,       //
                      1, 1, 0,       //
                      0, 1, 0};      //
  const Bits predicted = {1, 1, 0,   //
                          0, 0, 0,   //
                          1, 1, 0,   //
                          1, 0, 0};  //
  const MultiLabelMetrics m = ComputeMetrics(3, given, predicted);
  CHECK(m.examples == 4);
  CHECK(Near(m.hamming_loss, 4.0 / 12));
  CHECK(Near(m.subset_accuracy, 0.5));
  // Over all entries: 3 true positives, 2 false positives, 2 false negatives.
  CHECK(Near(m.micro_f1, 6.0 / 10));
  CHECK(Near(m.labels[0].precision, 2.0 / 3));
  CHECK(Near(m.labels[0].recall, 1));
  CHECK(Near(m.labels[0].f1, 0.8));
  CHECK(Near(m.labels[1].precision, 0.5));
  CHECK(Near(m.labels[1].recall, 0.5));
  CHECK(Near(m.labels[1].f1, 0.5));
  CHECK(Near(m.labels[2].f1, 0));
  CHECK(m.labels[0].support == 2);
  CHECK(m.labels[2].support == 1);
  CHECK(m.labels[2].known == 4);
  CHECK(Near(m.macro_f1, (0.8 + 0.5 + 0) / 3));
  // Per example: 2·1/4, both empty, equal, disjoint.
  CHECK(Near(m.example_f1, (0.5 + 1 + 1 + 0) / 4));
  CHECK(Near(m.jaccard, (1.0 / 3 + 1 + 1 + 0) / 4));
}

TEST_CASE("perfect and completely wrong predictions have extreme metrics") {
  const Bits given = {1, 0, 0, 1};
  const MultiLabelMetrics right = ComputeMetrics(2, given, given);
  CHECK(right.hamming_loss == 0);
  CHECK(right.subset_accuracy == 1);
  CHECK(right.micro_f1 == 1);
  CHECK(right.macro_f1 == 1);
  CHECK(right.example_f1 == 1);
  CHECK(right.jaccard == 1);
  const MultiLabelMetrics wrong = ComputeMetrics(2, given, Bits{0, 1, 1, 0});
  CHECK(wrong.hamming_loss == 1);
  CHECK(wrong.subset_accuracy == 0);
  CHECK(wrong.micro_f1 == 0);
  CHECK(wrong.example_f1 == 0);
  CHECK(wrong.jaccard == 0);
}

TEST_CASE("divisions of zero by zero have defined values") {
  const MultiLabelMetrics m = ComputeMetrics(2, Bits{1, 0, 0, 0}, Bits{1, 0, 0, 0});
  CHECK(m.labels[1].precision == 0);
  CHECK(m.labels[1].recall == 0);
  CHECK(m.labels[1].f1 == 0);
  CHECK(m.macro_f1 == 0.5);  // a label that is neither given nor predicted counts as 0
  CHECK(m.example_f1 == 1);  // an example whose sets are both empty counts as 1
  CHECK(m.jaccard == 1);
  const MultiLabelMetrics empty = ComputeMetrics(1, Bits{0, 0}, Bits{0, 0});
  CHECK(empty.micro_f1 == 0);
  CHECK(empty.example_f1 == 1);
  CHECK(empty.subset_accuracy == 1);
}

TEST_CASE("unknown labels do not count") {
  const Bits given = {1,  -1, -1,  //
                      -1, -1, -1,  //
                      0,  1,  -1};
  const Bits predicted = {1, 1, 1,  //
                          1, 1, 1,  //
                          1, 1, 0};
  const MultiLabelMetrics m = ComputeMetrics(3, given, predicted);
  CHECK(m.examples == 2);
  CHECK(Near(m.hamming_loss, 1.0 / 3));
  CHECK(Near(m.subset_accuracy, 0.5));
  CHECK(Near(m.micro_f1, 4.0 / 5));
  CHECK(m.labels[2].known == 0);
  CHECK(Near(m.macro_f1, (2.0 / 3 + 1) / 2));  // of the two labels with known entries
  CHECK(Near(m.example_f1, (1 + 2.0 / 3) / 2));
  CHECK(Near(m.jaccard, (1 + 0.5) / 2));
  const MultiLabelMetrics none = ComputeMetrics(2, Bits{-1, -1}, Bits{1, 1});
  CHECK(none.examples == 0);
  CHECK(none.hamming_loss == 0);
  CHECK(none.subset_accuracy == 0);
}

TEST_CASE("sizes that do not fit are refused") {
  CHECK_THROWS_AS(ComputeMetrics(2, Bits{1, 0}, Bits{1}), std::invalid_argument);
  CHECK_THROWS_AS(ComputeMetrics(2, Bits{1, 0, 1}, Bits{1, 0, 1}), std::invalid_argument);
  CHECK_THROWS_AS(ComputeMetrics(0, Bits{}, Bits{}), std::invalid_argument);
}
