// SPDX-License-Identifier: BSD-3-Clause
//
// All arithmetic is in integers, so that pictures are the same on every machine.
#include <algorithm>
#include <array>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/vision/pictures.h>

namespace slackline::internal {

namespace {

enum Material : std::uint8_t { kSky, kGrass, kWater, kStone, kWood, kCloth, kTree, kSand };
constexpr std::array<const char*, 8> kNames = {"sky",  "grass", "water", "stone",
                                               "wood", "cloth", "tree",  "sand"};

/// The mean colours of materials that meet are similar: texture and position must tell them apart.
constexpr std::array<std::array<int, 3>, 8> kMeans = {{{150, 180, 210},
                                                       {95, 130, 70},
                                                       {125, 158, 185},
                                                       {135, 135, 130},
                                                       {150, 115, 80},
                                                       {150, 110, 110},
                                                       {80, 110, 65},
                                                       {180, 160, 115}}};

int Between(Random& random, int low, int high) {
  return low +
         static_cast<int>(random.Below(static_cast<std::uint64_t>(std::max(high - low, 0)) + 1));
}

/// A number in −128 … 127 that depends only on the seed and the position.
int Speckle(std::uint64_t seed, int x, int y) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15ULL * static_cast<std::uint32_t>(x) +
                    0xc2b2ae3d27d4eb4fULL * static_cast<std::uint32_t>(y);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<int>((z ^ (z >> 31)) & 255) - 128;
}

/// Noise of the given grain: speckles at a distance of `grain`, interpolated. x, y ≥ 0.
int SmoothNoise(std::uint64_t seed, int x, int y, int grain) {
  const int u = x / grain;
  const int v = y / grain;
  const int s = x % grain;
  const int t = y % grain;
  const int top = Speckle(seed, u, v) * (grain - s) + Speckle(seed, u + 1, v) * s;
  const int bottom = Speckle(seed, u, v + 1) * (grain - s) + Speckle(seed, u + 1, v + 1) * s;
  return (top * (grain - t) + bottom * t) / (grain * grain);
}

/// A triangle wave in −64 … 64.
int Wave(int place, int period) {
  const int phase = place % period;
  return 128 * std::min(phase, period - phase) / std::max(period / 2, 1) - 64;
}

/// The look of one material in one image.
struct Texture {
  std::array<int, 3> color{};
  std::uint64_t seed = 0;
  int size = 4;  ///< width of stripes and checks
};

/// How much lighter than its mean colour a material is at a position.
int Pattern(Material material, const Texture& t, int x, int y, int height) {
  const int fine = Speckle(t.seed + 1, x, y);
  switch (material) {
    case kSky:
      return 25 - 50 * y / height + SmoothNoise(t.seed, x, y, 24) / 5 + fine / 24;
    case kGrass:
      return SmoothNoise(t.seed, 3 * x, y, 4) / 4 + fine / 5;
    case kWater:
      return Wave(y + SmoothNoise(t.seed, x, y, 16) / 32 + 8, t.size) / 3 + fine / 20;
    case kStone:
      return SmoothNoise(t.seed, x, y, 7) / 3 + fine / 14;
    case kWood:
      return (x % (2 * t.size) == 0 ? -50 : 0) + SmoothNoise(t.seed, 4 * x, y, 12) / 6 + fine / 20;
    case kCloth:
      return ((x / t.size + y / t.size) % 2 == 0 ? 28 : -28) + fine / 20;
    case kTree:
      return SmoothNoise(t.seed, x, y, 4) / 3 + fine / 14;
    case kSand:
      return fine / 7;
  }
  return 0;
}

class Scene {
 public:
  Scene(Index width, Index height, Index num_classes, std::uint64_t seed)
      : random_(seed), width_(width), height_(height), num_classes_(num_classes) {
    labels_.assign(Offset{width} * height, kSky);
    thing_.assign(labels_.size(), 0);
  }

  SyntheticImage Draw() {
    DrawGround();
    DrawThings();
    SyntheticImage result{{width_, height_, {}}, {width_, height_, {}}};
    result.image.rgb = Colors();
    MarkBorders();
    result.labels.labels = std::move(labels_);
    return result;
  }

 private:
  bool Has(Material material) const { return material < num_classes_; }
  int Unit() const { return std::max(1, std::min(width_, height_) / 16); }

  /// Draws a sloping, wavy line from side to side and fills everything below with the material.
  void DrawBelow(Material material, int level, int slope, int roughness) {
    const std::uint64_t seed = random_.NextBits();
    for (Index x = 0; x < width_; ++x) {
      const int wave = SmoothNoise(seed, x, 0, 4 * Unit()) * roughness / 128;
      const Index begin = std::max(0, level + slope * (2 * x - width_) / (2 * width_) + wave);
      for (Index y = begin; y < height_; ++y) labels_[y * width_ + x] = material;
    }
  }

  void DrawGround() {
    horizon_ = Between(random_, height_ * 30 / 100, height_ * 55 / 100);
    std::vector<Material> grounds;
    for (const Material material : {kGrass, kSand, kWater}) {
      if (Has(material)) grounds.push_back(material);
    }
    const std::size_t first = random_.Below(grounds.size());
    DrawBelow(grounds[first], horizon_, Between(random_, -2, 2) * Unit() / 2,
              grounds[first] == kWater ? 0 : Unit());
    if (grounds.size() < 2 || random_.Below(3) == 0) return;
    const std::size_t second = (first + 1 + random_.Below(grounds.size() - 1)) % grounds.size();
    const int level = Between(random_, (2 * horizon_ + height_) / 3, (horizon_ + 3 * height_) / 4);
    DrawBelow(grounds[second], level, Between(random_, -4, 4) * Unit(), Unit());
  }

  void DrawThings() {
    std::vector<Material> kinds;
    for (const Material material : {kStone, kWood, kCloth, kTree}) {
      if (Has(material)) kinds.push_back(material);
    }
    if (kinds.empty()) return;
    const int count = Between(random_, 2, 4);
    std::vector<Material> things;
    for (int k = 0; k < count; ++k) things.push_back(kinds[random_.Below(kinds.size())]);
    // Things at the horizon are drawn first, behind the others.
    std::stable_sort(things.begin(), things.end(),
                     [](Material a, Material b) { return Depth(a) < Depth(b); });
    for (const Material material : things) DrawThing(material);
  }

  static int Depth(Material material) { return material == kTree ? 0 : material == kWood ? 1 : 2; }

  void DrawThing(Material material) {
    const int unit = Unit();
    const int x = Between(random_, 0, width_ - 1);
    const int low = height_ - horizon_;  // height below the horizon
    ++num_things_;
    switch (material) {
      case kTree: {
        const int radius = Between(random_, 2 * unit, 4 * unit);
        DrawEllipse(material, x, horizon_ - radius / 2, radius, radius * 5 / 4);
        break;
      }
      case kWood: {
        const int half = Between(random_, 2 * unit, 4 * unit);
        const int bottom = horizon_ + Between(random_, low / 6, low / 2);
        DrawBox(material, x - half, bottom - 2 * half, x + half, bottom);
        break;
      }
      case kStone: {
        const int radius = Between(random_, unit, 3 * unit);
        DrawEllipse(material, x, horizon_ + Between(random_, low / 3, low), radius * 4 / 3, radius);
        break;
      }
      default: {
        const int half = Between(random_, 3 * unit / 2, 3 * unit);
        const int top = horizon_ + Between(random_, low / 4, low * 2 / 3);
        DrawBox(material, x - half, top, x + half, top + half);
      }
    }
  }

  void Put(Material material, Index x, Index y) {
    if (x < 0 || x >= width_ || y < 0 || y >= height_) return;
    labels_[y * width_ + x] = material;
    thing_[y * width_ + x] = num_things_;
  }

  void DrawBox(Material material, int left, int top, int right, int bottom) {
    for (int y = top; y <= bottom; ++y) {
      for (int x = left; x <= right; ++x) Put(material, x, y);
    }
  }

  void DrawEllipse(Material material, int x, int y, int across, int down) {
    const std::int64_t a = std::max(across, 1);
    const std::int64_t b = std::max(down, 1);
    for (int v = -down; v <= down; ++v) {
      for (int u = -across; u <= across; ++u) {
        if (u * u * b * b + v * v * a * a <= a * a * b * b) Put(material, x + u, y + v);
      }
    }
  }

  std::vector<std::uint8_t> Colors() {
    std::array<Texture, 8> textures;
    const int light = Between(random_, -20, 20);
    for (std::size_t k = 0; k < textures.size(); ++k) {
      for (std::size_t c = 0; c < 3; ++c)
        textures[k].color[c] = kMeans[k][c] + light + Between(random_, -18, 18);
      textures[k].seed = random_.NextBits();
      textures[k].size = Between(random_, 4, 7);
    }
    for (int& c : textures[kCloth].color) c += Between(random_, -40, 40);
    const std::uint64_t grain = random_.NextBits();
    std::vector<std::uint8_t> rgb;
    rgb.reserve(3 * labels_.size());
    for (Index y = 0; y < height_; ++y) {
      for (Index x = 0; x < width_; ++x) {
        const Material material = static_cast<Material>(labels_[y * width_ + x]);
        const Texture& texture = textures[material];
        const int lighter = Pattern(material, texture, x, y, height_);
        for (std::size_t c = 0; c < 3; ++c) {
          const int noise = Speckle(grain + c, x, y) / 20;
          rgb.push_back(
              static_cast<std::uint8_t>(std::clamp(texture.color[c] + lighter + noise, 0, 255)));
        }
      }
    }
    return rgb;
  }

  /// Leaves pixels on both sides of the outlines of things without a label, as in outlines drawn by
  /// hand.
  void MarkBorders() {
    const auto differ = [this](Index p, Index q) { return thing_[p] != thing_[q]; };
    for (Index p = 0; p < width_ * height_; ++p) {
      const Index x = p % width_;
      const bool border = (x > 0 && differ(p, p - 1)) || (x + 1 < width_ && differ(p, p + 1)) ||
                          (p >= width_ && differ(p, p - width_)) ||
                          (p + width_ < width_ * height_ && differ(p, p + width_));
      if (border) labels_[p] = kVoid;
    }
  }

  Random random_;
  Index width_;
  Index height_;
  Index num_classes_;
  int horizon_ = 0;
  int num_things_ = 0;
  std::vector<std::uint8_t> labels_;
  std::vector<int> thing_;  ///< number of the thing, 0 = none
};

}  // namespace

SyntheticImage DrawSynthetic(Index width, Index height, Index num_classes, std::uint64_t seed) {
  SLACKLINE_CHECK(width >= 1 && height >= 1 && width <= kMostPixels / height,
                  "the image has a sensible size");
  SLACKLINE_CHECK(num_classes >= 2 && num_classes <= 8, "there are 2 to 8 synthetic classes");
  return Scene(width, height, num_classes, seed).Draw();
}

std::vector<std::string> SyntheticClasses(Index num_classes) {
  SLACKLINE_CHECK(num_classes >= 2 && num_classes <= 8, "there are 2 to 8 synthetic classes");
  return {kNames.begin(), kNames.begin() + num_classes};
}

}  // namespace slackline::internal
