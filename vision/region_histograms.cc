// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/region_histograms.h>

#include <cmath>
#include <numeric>

namespace slackline::internal {

std::vector<float> CountWords(const PlacedWords& words, Index count) {
  std::vector<float> rows(Offset{count} * words.num_words);
  for (std::size_t k = 0; k < words.words.size(); ++k) {
    rows[Offset{words.superpixels[k]} * words.num_words + words.words[k]] += 1;
  }
  return rows;
}

std::vector<float> NeighbourSums(const std::vector<float>& rows, Index num_words, Index count,
                                 const std::vector<NeighbourPair>& neighbours) {
  const std::size_t size = num_words;
  std::vector<float> sums(count * size);
  const auto add = [&](Index from, Index to) {
    const float* source = rows.data() + from * size;
    float* target = sums.data() + to * size;
    for (std::size_t w = 0; w < size; ++w) target[w] += source[w];
  };
  for (const NeighbourPair& pair : neighbours) {
    add(pair.first, pair.second);
    add(pair.second, pair.first);
  }
  return sums;
}

std::vector<float> RowSum(const std::vector<float>& rows, Index num_words) {
  const std::size_t size = num_words;
  std::vector<float> sum(size);
  for (std::size_t k = 0; k < rows.size(); k += size) {
    for (std::size_t w = 0; w < size; ++w) sum[w] += rows[k + w];
  }
  return sum;
}

void TakeRoots(Index num_words, std::vector<float>* rows) {
  for (auto row = rows->begin(); row != rows->end(); row += num_words) {
    const float sum = std::accumulate(row, row + num_words, 0.0f);
    if (!(sum > 0)) continue;
    for (auto value = row; value != row + num_words; ++value) *value = std::sqrt(*value / sum);
  }
}

}  // namespace slackline::internal
