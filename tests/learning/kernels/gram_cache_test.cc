// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/kernels/gram_cache.h>

#include <algorithm>
#include <list>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

using namespace slackline::internal;

namespace {

constexpr Kernel kCachedKernel{KernelKind::kRbf, 0.3, 3, 1};

struct Inputs {
  FeatureRows rows;
  std::vector<FeatureRow> views;
  explicit Inputs(Index count) {
    Random random(5);
    for (Index j = 0; j < count; ++j)
      rows.AddDense(std::vector<double>{random.Normal(), random.Normal()});
    for (Index j = 0; j < count; ++j) views.push_back(rows.row(j));
  }
};

}  // namespace

TEST_CASE("rows have the kernel's values for any memory limit") {
  const Inputs inputs(17);
  for (const std::int64_t bytes : {0, 8 * 17 * 3, 1'000'000}) {
    GramCache cache(kCachedKernel, inputs.views, bytes);
    Random random(6);
    for (int k = 0; k < 100; ++k) {
      const auto j = static_cast<Index>(random.Below(17));
      const std::span<const double> row = cache.Row(j);
      REQUIRE(row.size() == 17);
      for (std::size_t i = 0; i < row.size(); ++i)
        CHECK(row[i] == KernelValue(kCachedKernel, inputs.views[j], inputs.views[i]));
    }
  }
}

TEST_CASE("memory stays within the limit") {
  const Inputs inputs(20);
  GramCache cache(kCachedKernel, inputs.views, 8 * 20 * 4 + 100);
  CHECK(cache.capacity() == 4);
  CHECK(cache.bytes() == 0);
  for (Index j = 0; j < 20; ++j) {
    cache.Row(j);
    CHECK(cache.bytes() <= 8 * 20 * 4);
  }
  CHECK(cache.kept() == 4);
  CHECK(GramCache(kCachedKernel, inputs.views, 1 << 30).capacity() == 20);
  CHECK(GramCache(kCachedKernel, inputs.views, 0).capacity() == 1);
}

TEST_CASE("the least recently used row makes room") {
  const Inputs inputs(12);
  constexpr std::size_t kRoom = 5;
  GramCache cache(kCachedKernel, inputs.views, 8 * 12 * kRoom);
  std::list<Index> model;  // newest first
  std::int64_t computed = 0;
  Random random(7);
  for (int k = 0; k < 500; ++k) {
    const auto j = static_cast<Index>(random.Below(12));
    const auto found = std::find(model.begin(), model.end(), j);
    if (found == model.end()) {
      ++computed;
      if (model.size() == kRoom) model.pop_back();
    } else {
      model.erase(found);
    }
    model.push_front(j);
    cache.Row(j);
    CHECK(cache.computed() == computed);
    for (Index i = 0; i < 12; ++i) {
      const bool kept = std::find(model.begin(), model.end(), i) != model.end();
      CHECK(cache.Find(i).empty() == !kept);
    }
  }
}
