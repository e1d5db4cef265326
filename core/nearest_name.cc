// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/nearest_name.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace slackline::internal {
namespace {

constexpr std::size_t kLongestWord = 60;

}  // namespace

std::size_t EditDistance(std::string_view a, std::string_view b) {
  // Distances of the first i, i − 1 and i − 2 characters of `a` from all prefixes of `b`.
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> before = row;
  std::vector<std::size_t> before_that = row;
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, before_that);
    std::swap(row, before);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, before[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_that[j - 2] + 1);
      }
    }
  }
  return row.back();
}

std::string_view NearestName(std::string_view word, const std::vector<std::string_view>& names) {
  if (word.size() > kLongestWord) return {};
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view name : names) {
    const std::size_t distance = EditDistance(word, name);
    // A word that has nothing in common with the name is not a misspelling of it.
    if (distance >= least || distance >= std::max(word.size(), name.size())) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& names) {
  const std::string_view nearest = NearestName(word, names);
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

}  // namespace slackline::internal
