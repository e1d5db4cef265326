// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/vision/regions.h>
#include <slackline/vision/superpixels.h>

using namespace slackline::internal;

namespace {

Image Noise(Index width, Index height, std::uint64_t seed) {
  Random random(seed);
  Image image{width, height, std::vector<std::uint8_t>(3 * Offset{width} * height)};
  for (std::uint8_t& v : image.rgb) v = static_cast<std::uint8_t>(random.Below(256));
  return image;
}

/// Smooth colours with a few edges and a little noise.
Image Scene(Index width, Index height, std::uint64_t seed) {
  Random random(seed);
  Image image{width, height, {}};
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const bool inside = (x - width / 3) * (x - width / 3) + (y - height / 2) * (y - height / 2) <
                          width * height / 16;
      const Index light =
          (inside ? 160 : 40) + 60 * x / width + static_cast<Index>(random.Below(12));
      image.rgb.push_back(static_cast<std::uint8_t>(light));
      image.rgb.push_back(static_cast<std::uint8_t>(90 + 80 * y / height));
      image.rgb.push_back(static_cast<std::uint8_t>(2 * y < height ? 200 : 60));
    }
  }
  return image;
}

/// Random superpixel numbers, not necessarily connected.
Superpixels RandomSuperpixels(Index width, Index height, Index count, std::uint64_t seed) {
  Random random(seed);
  Superpixels result{width, height, count, {}};
  for (Index p = 0; p < width * height; ++p) {
    result.of_pixel.push_back(p < count ? p : static_cast<Index>(random.Below(count)));
  }
  return result;
}

void CheckPartition(const Superpixels& s, Index width, Index height) {
  REQUIRE(s.width == width);
  REQUIRE(s.height == height);
  REQUIRE(static_cast<Index>(s.of_pixel.size()) == width * height);
  Index seen = 0;
  bool in_order = true;
  for (const Index number : s.of_pixel) {
    in_order = in_order && number >= 0 && number <= seen;
    if (number == seen) ++seen;
  }
  CHECK(in_order);
  CHECK(seen == s.count);
  // Every superpixel is connected: there are as many regions as numbers.
  std::vector<Index> regions = s.of_pixel;
  CHECK(NumberRegions(width, height, regions) == s.count);
  CHECK(regions == s.of_pixel);
}

/// Lab by its definition, in double precision.
std::array<double, 3> ExactLab(int red, int green, int blue) {
  const auto linear = [](int v) {
    const double s = v / 255.0;
    return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
  };
  const auto f = [](double t) {
    return t > std::pow(6.0 / 29, 3) ? std::cbrt(t) : t * 29 * 29 / 108.0 + 4.0 / 29;
  };
  const double r = linear(red);
  const double g = linear(green);
  const double b = linear(blue);
  const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const double y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
  const double z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

}  // namespace

TEST_CASE("superpixels cover an image, are connected and numbered by their first pixels") {
  for (const Image& image : {Scene(97, 64, 1), Noise(61, 70, 2), Scene(320, 213, 3)}) {
    for (const Index wanted : {1, 2, 7, 30, 200})
      CheckPartition(Slic(image, wanted), image.width, image.height);
  }
}

TEST_CASE("the number of superpixels is about the requested one") {
  const Image image = Scene(320, 213, 4);
  for (const Index wanted : {200, 100, 30}) {
    const Superpixels s = Slic(image, wanted);
    CHECK(s.count >= 0.75 * wanted);
    CHECK(s.count <= 1.2 * wanted);
  }
  CHECK(Slic(image, 1).count == 1);
  CHECK(Slic(Noise(100, 80, 1), 50).count <= 60);
}

TEST_CASE("surplus superpixels are merged if the number is a limit") {
  const Image image = Scene(320, 213, 4);
  for (const Index wanted : {65, 31, 1}) {
    const Superpixels free = Slic(image, wanted);
    const Superpixels limited = Slic(image, wanted, true);
    CheckPartition(limited, image.width, image.height);
    CHECK(limited.count == std::min(free.count, wanted));
    // Merged superpixels keep their borders with others.
    std::vector<Index> of(free.count, -1);
    for (std::size_t p = 0; p < free.of_pixel.size(); ++p) {
      Index& now = of[free.of_pixel[p]];
      if (now < 0) now = limited.of_pixel[p];
      CHECK(now == limited.of_pixel[p]);
    }
  }
  CHECK(Slic(image, 65).count > 65);
}

TEST_CASE("superpixels follow the edges of the image") {
  // The edge between the halves is not on any regular grid.
  Image image{90, 60, {}};
  LabelImage halves{90, 60, {}};
  for (Index p = 0; p < 90 * 60; ++p) {
    const bool left = p % 90 < 37;
    image.rgb.insert(image.rgb.end(), 3, left ? 60 : 190);
    halves.labels.push_back(left ? 0 : 1);
  }
  for (const Index wanted : {6, 12, 60}) {
    const Superpixels s = Slic(image, wanted);
    const std::vector<std::int32_t> pixels = ClassPixels(s, halves, 2);
    for (Index k = 0; k < s.count; ++k) CHECK(std::min(pixels[3 * k], pixels[3 * k + 1]) == 0);
  }
}

TEST_CASE("the same image gives the same superpixels") {
  const Image image = Scene(120, 90, 5);
  const Superpixels once = Slic(image, 40);
  CHECK(Slic(image, 40).of_pixel == once.of_pixel);
}

TEST_CASE("images of any size have superpixels") {
  const Superpixels one = Slic(Noise(1, 1, 1), 200);
  CHECK(one.count == 1);
  CHECK(one.of_pixel == std::vector<Index>{0});
  for (const auto& [width, height] :
       {std::pair{1, 50}, {50, 1}, {3, 2}, {2, 2}, {5, 5}, {4, 300}, {9, 8}}) {
    for (const Index wanted : {1, 3, 10, 1000}) {
      const Superpixels s = Slic(Noise(width, height, 6), wanted);
      CheckPartition(s, width, height);
      CHECK(s.count <= std::max(1.2 * wanted, 1.0));
    }
  }
  CHECK(Slic(Noise(1, 50, 1), 10).count == 10);
}

TEST_CASE("every pixel is a superpixel when enough are requested") {
  CHECK(Slic(Noise(6, 4, 1), 24).count == 24);
  CHECK(Slic(Noise(6, 4, 1), 1000000).count == 24);
}

TEST_CASE("a large image takes moderate time") {
#ifdef SLACKLINE_SANITIZED
  const Index width = 1000, height = 600;
#else
  const Index width = 2000, height = 1500;
#endif
  const Superpixels s = Slic(Scene(width, height, 7), 200);
  CheckPartition(s, width, height);
  CHECK(s.count >= 150);
  CHECK(s.count <= 240);
}

TEST_CASE("wrong requests for superpixels are refused") {
  CHECK_THROWS_AS(Slic({0, 0, {}}, 5), std::invalid_argument);
  CHECK_THROWS_AS(Slic({2, 2, {1, 2, 3}}, 5), std::invalid_argument);
  CHECK_THROWS_AS(Slic(Noise(2, 2, 1), 0), std::invalid_argument);
}

TEST_CASE("small regions join the neighbour with the longest border, the lowest of equals") {
  // Region 2 touches 0 once, 1 once and 3 twice; region 4 touches 1 and 3 once each.
  std::vector<Index> numbers = {0, 0, 1, 1, 1,  //
                                0, 2, 1, 1, 4,  //
                                3, 3, 3, 3, 3};
  numbers[6] = 2;
  REQUIRE(NumberRegions(5, 3, numbers) == 5);
  std::vector<Index> merged = numbers;
  CHECK(MergeSmallRegions(5, 3, 2, 100, merged) == 3);
  CHECK(merged == std::vector<Index>{0, 0, 1, 1, 1,  //
                                     0, 0, 1, 1, 1,  //
                                     2, 2, 2, 2, 2});
  merged = numbers;
  CHECK(MergeSmallRegions(5, 3, 0, 100, merged) == 5);
  CHECK(merged == numbers);
  CHECK(MergeSmallRegions(5, 3, 0, 1, merged) == 1);
}

TEST_CASE("regions that touch only at corners are separate") {
  std::vector<Index> numbers = {7, 5,  //
                                5, 7};
  CHECK(NumberRegions(2, 2, numbers) == 4);
  CHECK(numbers == std::vector<Index>{0, 1, 2, 3});
}

TEST_CASE("parents are the coarse superpixels that share most pixels, the lowest of equals") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Superpixels fine = RandomSuperpixels(12, 9, 20, seed);
    const Superpixels coarse = RandomSuperpixels(12, 9, 4, seed + 10);
    const std::vector<Index> parents = Parents(fine, coarse);
    REQUIRE(parents.size() == 20);
    for (Index s = 0; s < 20; ++s) {
      std::vector<Index> shared(4, 0);
      for (Index p = 0; p < 12 * 9; ++p) shared[coarse.of_pixel[p]] += fine.of_pixel[p] == s;
      CHECK(parents[s] == std::max_element(shared.begin(), shared.end()) - shared.begin());
    }
  }
}

TEST_CASE("neighbours are all pairs with a common border, with its length and their contrast") {
  const Image image = Noise(10, 8, 3);
  const Superpixels s = RandomSuperpixels(10, 8, 6, 4);
  std::map<std::pair<Index, Index>, Index> borders;
  std::vector<std::array<double, 4>> sums(6);
  for (Index p = 0; p < 80; ++p) {
    for (Index q = 0; q < p; ++q) {
      const Index distance = std::abs(p % 10 - q % 10) + std::abs(p / 10 - q / 10);
      if (distance == 1 && s.of_pixel[p] != s.of_pixel[q])
        ++borders[std::minmax(s.of_pixel[p], s.of_pixel[q])];
    }
    const auto lab = ExactLab(image.rgb[3 * p], image.rgb[3 * p + 1], image.rgb[3 * p + 2]);
    for (int c = 0; c < 3; ++c) sums[s.of_pixel[p]][c] += lab[c];
    sums[s.of_pixel[p]][3] += 1;
  }
  const std::vector<NeighbourPair> pairs = Neighbours(image, s);
  REQUIRE(pairs.size() == borders.size());
  std::size_t k = 0;
  for (const auto& [pair, length] : borders) {
    CHECK(pairs[k].first == pair.first);
    CHECK(pairs[k].second == pair.second);
    CHECK(pairs[k].border == length);
    double square = 0;
    for (int c = 0; c < 3; ++c) {
      const double difference =
          sums[pair.first][c] / sums[pair.first][3] - sums[pair.second][c] / sums[pair.second][3];
      square += difference * difference;
    }
    CHECK(std::abs(pairs[k].contrast - std::sqrt(square)) < 2e-3);
    ++k;
  }
}

TEST_CASE("one superpixel has no neighbours") {
  CHECK(Neighbours(Noise(3, 3, 1), Slic(Noise(3, 3, 1), 1)).empty());
}

TEST_CASE("Lab agrees with its definition over all of sRGB") {
  Image image{0, 1, {}};
  for (int r = 0; r < 256; r += 15) {
    for (int g = 0; g < 256; g += 15) {
      for (int b = 0; b < 256; b += 15) {
        for (const int v : {r, g, b}) image.rgb.push_back(static_cast<std::uint8_t>(v));
      }
    }
  }
  for (int v = 0; v < 256; ++v) image.rgb.insert(image.rgb.end(), 3, static_cast<std::uint8_t>(v));
  image.width = static_cast<Index>(image.rgb.size() / 3);
  const std::vector<float> lab = ToLab(image);
  REQUIRE(lab.size() == image.rgb.size());
  double worst = 0;
  for (std::size_t i = 0; i < lab.size(); i += 3) {
    const auto exact = ExactLab(image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]);
    for (int c = 0; c < 3; ++c)
      worst = std::max(worst, std::abs(static_cast<double>(lab[i + c]) - exact[c]));
  }
  CHECK(worst < 1e-3);
}

TEST_CASE("Lab of known colours is right") {
  const std::vector<float> lab = ToLab({4, 1, {255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255}});
  const std::vector<double> known = {100,   0,     0,     0,     0,     0,
                                     53.24, 80.09, 67.20, 32.30, 79.19, -107.86};
  for (std::size_t i = 0; i < known.size(); ++i)
    CHECK(lab[i] == doctest::Approx(known[i]).epsilon(1e-3).scale(10));
}

TEST_CASE("pixels of classes are counted for every superpixel, void last") {
  const Superpixels s{3, 2, 2, {0, 0, 1, 0, 1, 1}};
  const LabelImage labels{3, 2, {0, 2, 2, kVoid, 2, 1}};
  CHECK(ClassPixels(s, labels, 3) == std::vector<std::int32_t>{1, 0, 1, 1, 0, 1, 2, 0});
  CHECK_THROWS_AS(ClassPixels(s, labels, 2), std::invalid_argument);
  CHECK_THROWS_AS(ClassPixels(s, {2, 3, labels.labels}, 3), std::invalid_argument);

  const Superpixels many = Slic(Scene(60, 40, 8), 20);
  LabelImage drawn{60, 40, {}};
  for (Index p = 0; p < 2400; ++p)
    drawn.labels.push_back(static_cast<std::uint8_t>(p % 4 == 3 ? kVoid : p % 4));
  const std::vector<std::int32_t> counts = ClassPixels(many, drawn, 3);
  CHECK(std::ssize(counts) == 4 * Offset{many.count});
  CHECK(std::accumulate(counts.begin(), counts.end(), 0) == 2400);
}

TEST_CASE("painting gives every pixel the label of its superpixel") {
  const Superpixels s{3, 1, 3, {0, 1, 2}};
  const LabelImage image = Paint(s, {7, kUnlabelled, 0});
  CHECK(image.width == 3);
  CHECK(image.height == 1);
  CHECK(image.labels == std::vector<std::uint8_t>{7, kVoid, 0});
  CHECK_THROWS_AS(Paint(s, {1, 2}), std::invalid_argument);
  CHECK_THROWS_AS(Paint(s, {1, 2, 256}), std::invalid_argument);
}
