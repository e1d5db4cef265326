// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal::test {

/// All labellings of variables with these numbers of states, in lexicographic order.
inline std::vector<std::vector<Index>> AllLabellings(std::span<const Index> cardinalities) {
  std::vector<std::vector<Index>> all;
  std::vector<Index> labels(cardinalities.size(), 0);
  for (;;) {
    all.push_back(labels);
    std::size_t i = labels.size();
    while (i > 0 && ++labels[i - 1] == cardinalities[i - 1]) labels[--i] = 0;
    if (i == 0) return all;
  }
}

}  // namespace slackline::internal::test
