// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/regions.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>

namespace slackline::internal {

namespace {

std::uint64_t PackPair(Index a, Index b) {
  return (static_cast<std::uint64_t>(std::min(a, b)) << 32) |
         static_cast<std::uint64_t>(std::max(a, b));
}

/// Renumbers in the order of first occurrence. Returns how many different numbers there are.
Index NumberByFirstPixel(std::vector<Index>& of_pixel, Index bound) {
  std::vector<Index> number(bound, -1);
  Index count = 0;
  for (Index& region : of_pixel) {
    if (number[region] < 0) number[region] = count++;
    region = number[region];
  }
  return count;
}

/// Merges regions (union-find). The root of a merged region is the region into which the others
/// were merged.
class RegionMerger {
 public:
  RegionMerger(Index width, Index height, const std::vector<Index>& of_pixel, Index count)
      : root_(count), size_(count, 0), next_(count, -1), last_(count), begin_(count + 1, 0) {
    for (Index r = 0; r < count; ++r) root_[r] = last_[r] = r;
    for (const Index region : of_pixel) ++size_[region];
    const std::vector<Border> borders = FindBorders(width, height, of_pixel);
    for (const Border& border : borders) {
      ++begin_[border.first + 1];
      ++begin_[border.second + 1];
    }
    for (Index r = 0; r < count; ++r) begin_[r + 1] += begin_[r];
    neighbours_.resize(2 * borders.size());
    std::vector<Offset> at(begin_.begin(), begin_.end() - 1);
    for (const Border& border : borders) {
      neighbours_[at[border.first]++] = {border.second, border.length};
      neighbours_[at[border.second]++] = {border.first, border.length};
    }
  }

  void MergeSmallest(Index least, Index most) {
    using SizedRegion = std::pair<Index, Index>;  // size, region
    std::priority_queue<SizedRegion, std::vector<SizedRegion>, std::greater<>> smallest;
    Index count = static_cast<Index>(size_.size());
    for (Index r = 0; r < count; ++r) smallest.emplace(size_[r], r);
    while (!smallest.empty()) {
      const auto [size, region] = smallest.top();
      smallest.pop();
      if (root_[region] != region || size_[region] != size) continue;  // outdated entry
      if (size >= least && count <= most) return;
      const Index into = LongestNeighbour(region);
      if (into < 0) return;
      Merge(region, into);
      smallest.emplace(size_[into], into);
      --count;
    }
  }

  Index Find(Index region) {
    while (root_[region] != region) {
      root_[region] = root_[root_[region]];
      region = root_[region];
    }
    return region;
  }

 private:
  Index LongestNeighbour(Index region) {
    found_.clear();
    for (Index part = region; part >= 0; part = next_[part]) {
      for (Offset k = begin_[part]; k < begin_[part + 1]; ++k) {
        const Index other = Find(neighbours_[k].first);
        if (other != region) found_.emplace_back(other, neighbours_[k].second);
      }
    }
    std::sort(found_.begin(), found_.end());
    Index best = -1;
    Index best_length = 0;
    for (std::size_t k = 0; k < found_.size();) {
      const Index other = found_[k].first;
      Index length = 0;
      for (; k < found_.size() && found_[k].first == other; ++k) length += found_[k].second;
      if (length > best_length) {
        best = other;
        best_length = length;
      }
    }
    return best;
  }

  void Merge(Index region, Index into) {
    root_[region] = into;
    size_[into] += size_[region];
    next_[last_[into]] = region;
    last_[into] = last_[region];
  }

  std::vector<Index> root_;
  std::vector<Index> size_;
  std::vector<Index> next_;  ///< linked list of the parts of a merged region
  std::vector<Index> last_;
  std::vector<Offset> begin_;
  std::vector<std::pair<Index, Index>>
      neighbours_;  ///< of the original regions: (region, border length)
  std::vector<std::pair<Index, Index>> found_;
};

}  // namespace

std::vector<Border> FindBorders(Index width, Index height, const std::vector<Index>& of_pixel) {
  std::vector<std::uint64_t> pairs;
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const Index p = y * width + x;
      const Index own = of_pixel[p];
      if (x + 1 < width && of_pixel[p + 1] != own) pairs.push_back(PackPair(own, of_pixel[p + 1]));
      if (y + 1 < height && of_pixel[p + width] != own)
        pairs.push_back(PackPair(own, of_pixel[p + width]));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<Border> borders;
  for (std::size_t k = 0; k < pairs.size();) {
    const std::size_t begin = k;
    while (k < pairs.size() && pairs[k] == pairs[begin]) ++k;
    borders.push_back({static_cast<Index>(pairs[begin] >> 32),
                       static_cast<Index>(pairs[begin] & 0xffffffffU),
                       static_cast<Index>(k - begin)});
  }
  return borders;
}

Index NumberRegions(Index width, Index height, std::vector<Index>& of_pixel) {
  std::vector<Index> region(of_pixel.size(), -1);
  std::vector<Index> stack;
  Index count = 0;
  for (Index start = 0; start < width * height; ++start) {
    if (region[start] >= 0) continue;
    const Index own = of_pixel[start];
    const auto visit = [&](Index p) {
      if (region[p] >= 0 || of_pixel[p] != own) return;
      region[p] = count;
      stack.push_back(p);
    };
    visit(start);
    while (!stack.empty()) {
      const Index p = stack.back();
      stack.pop_back();
      const Index x = p % width;
      if (x > 0) visit(p - 1);
      if (x + 1 < width) visit(p + 1);
      if (p >= width) visit(p - width);
      if (p < width * (height - 1)) visit(p + width);
    }
    ++count;
  }
  of_pixel = std::move(region);
  return count;
}

Index MergeSmallRegions(Index width, Index height, Index least, Index most,
                        std::vector<Index>& of_pixel) {
  const Index count =
      of_pixel.empty() ? 0 : *std::max_element(of_pixel.begin(), of_pixel.end()) + 1;
  RegionMerger merger(width, height, of_pixel, count);
  merger.MergeSmallest(least, most);
  for (Index& region : of_pixel) region = merger.Find(region);
  return NumberByFirstPixel(of_pixel, count);
}

}  // namespace slackline::internal
