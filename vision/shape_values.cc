// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/shape_values.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace slackline::internal {
namespace {

constexpr int kHues = 8;

/// Sums over the pixels of a superpixel.
struct ShapeSums {
  double pixels = 0;
  std::array<double, 3> lab{}, squares{}, cubes{},
      rgb{};  // squares and cubes of the differences from the mean
  double hue_x = 0, hue_y = 0, saturation = 0, value = 0;
  std::array<double, kHues> hues{};
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;  // products of the differences from the mean
  Index left = 0, right = -1, top = 0, bottom = -1;
  double perimeter = 0;
  double change = 0;

  double mean_x() const { return x / pixels; }
  double mean_y() const { return y / pixels; }
};

void AddHue(const std::uint8_t* rgb, ShapeSums* sums) {
  const double red = rgb[0] / 255.0;
  const double green = rgb[1] / 255.0;
  const double blue = rgb[2] / 255.0;
  const double most = std::max({red, green, blue});
  const double chroma = most - std::min({red, green, blue});
  sums->value += most;
  if (chroma <= 0) return;
  double sixth = 0;  // the hue, 0 … 6
  if (most == red) {
    sixth = (green - blue) / chroma + (green < blue ? 6 : 0);
  } else {
    sixth = most == green ? (blue - red) / chroma + 2 : (red - green) / chroma + 4;
  }
  const double saturation = chroma / most;
  sums->saturation += saturation;
  sums->hue_x += saturation * std::cos(sixth * std::numbers::pi / 3);
  sums->hue_y += saturation * std::sin(sixth * std::numbers::pi / 3);
  sums->hues[static_cast<std::size_t>(sixth * kHues / 6) % kHues] += saturation;
}

class Summation {
 public:
  Summation(const Image& image, const std::vector<float>& lab, const Superpixels& superpixels)
      : image_(image), lab_(lab), superpixels_(superpixels), sums_(superpixels.count) {}

  const std::vector<ShapeSums>& Run() {
    ForPixels([this](Index x, Index y, std::size_t pixel, ShapeSums* sums) {
      AddPixel(x, y, pixel, sums);
    });
    ForPixels([this](Index x, Index y, std::size_t pixel, ShapeSums* sums) {
      AddDifferences(x, y, pixel, sums);
    });
    return sums_;
  }

 private:
  template <class Work>
  void ForPixels(const Work& work) {
    std::size_t pixel = 0;
    for (Index y = 0; y < image_.height; ++y) {
      for (Index x = 0; x < image_.width; ++x, ++pixel) {
        work(x, y, pixel, &sums_[superpixels_.of_pixel[pixel]]);
      }
    }
  }

  void AddPixel(Index x, Index y, std::size_t pixel, ShapeSums* sums) const {
    if (sums->pixels == 0) *sums = ShapeSums{.left = x, .right = x, .top = y};
    sums->pixels += 1;
    const std::uint8_t* rgb = image_.rgb.data() + 3 * pixel;
    for (std::size_t c = 0; c < 3; ++c) {
      sums->lab[c] += lab_[3 * pixel + c];
      sums->rgb[c] += rgb[c] / 255.0;
    }
    AddHue(rgb, sums);
    sums->x += x;
    sums->y += y;
    sums->left = std::min(sums->left, x);
    sums->right = std::max(sums->right, x);
    sums->bottom = y;
    const std::size_t width = image_.width;
    const float lightness = lab_[3 * pixel];
    const auto look = [&](bool inside, std::size_t other) {
      sums->perimeter += !inside || superpixels_.of_pixel[other] != superpixels_.of_pixel[pixel];
    };
    look(x > 0, pixel - 1);
    look(x + 1 < image_.width, pixel + 1);
    look(y > 0, pixel - width);
    look(y + 1 < image_.height, pixel + width);
    if (x + 1 < image_.width) sums->change += std::abs(lab_[3 * pixel + 3] - lightness);
    if (y + 1 < image_.height) sums->change += std::abs(lab_[3 * (pixel + width)] - lightness);
  }

  void AddDifferences(Index x, Index y, std::size_t pixel, ShapeSums* sums) const {
    for (std::size_t c = 0; c < 3; ++c) {
      const double difference = lab_[3 * pixel + c] - sums->lab[c] / sums->pixels;
      sums->squares[c] += difference * difference;
      sums->cubes[c] += difference * difference * difference;
    }
    const double dx = x - sums->mean_x();
    const double dy = y - sums->mean_y();
    sums->xx += dx * dx;
    sums->yy += dy * dy;
    sums->xy += dx * dy;
  }

  const Image& image_;
  const std::vector<float>& lab_;
  const Superpixels& superpixels_;
  std::vector<ShapeSums> sums_;
};

/// Appends the values of one superpixel, one after the other.
class Row {
 public:
  explicit Row(std::vector<float>* to) : to_(to) {}
  void Add(double value) { to_->push_back(static_cast<float>(value)); }
  template <class... Values>
  void Add(double first, Values... rest) {
    Add(first);
    Add(rest...);
  }

 private:
  std::vector<float>* to_;
};

void AddColours(const ShapeSums& sums, Row* row) {
  const double n = sums.pixels;
  for (std::size_t c = 0; c < 3; ++c) {
    row->Add(sums.lab[c] / n, std::sqrt(sums.squares[c] / n), std::cbrt(sums.cubes[c] / n));
  }
  for (const double value : sums.rgb) row->Add(value / n);
  row->Add(sums.hue_x / n, sums.hue_y / n, sums.saturation / n, sums.value / n);
  for (const double hue : sums.hues) row->Add(hue / n);
}

void AddPlace(const ShapeSums& sums, const Image& image, Row* row) {
  const double x = (sums.mean_x() + 0.5) / image.width;
  const double y = (sums.mean_y() + 0.5) / image.height;
  row->Add(x, y, x * x, y * y, x * y);
  row->Add(static_cast<double>(sums.left) / image.width, (sums.right + 1.0) / image.width,
           static_cast<double>(sums.top) / image.height, (sums.bottom + 1.0) / image.height);
  row->Add(std::log(sums.pixels / image.num_pixels()));
  row->Add(sums.left == 0, sums.right + 1 == image.width, sums.top == 0,
           sums.bottom + 1 == image.height);
}

void AddForm(const ShapeSums& sums, Row* row) {
  const double n = sums.pixels;
  const double width = sums.right - sums.left + 1;
  const double height = sums.bottom - sums.top + 1;
  row->Add(std::log(sums.perimeter * sums.perimeter / n), std::log(width / height),
           n / (width * height));
  // Mean squares are divided by the area, which makes them independent of scale.
  const double xx = sums.xx / n / n;
  const double yy = sums.yy / n / n;
  const double xy = sums.xy / n / n;
  const double sum = xx + yy;
  row->Add(xx, yy, xy, sum > 0 ? std::hypot(xx - yy, 2 * xy) / sum : 0);
  row->Add(sums.change / n);
}

}  // namespace

std::vector<float> ShapeValues(const Image& image, const std::vector<float>& lab,
                               const Superpixels& superpixels) {
  Summation summation(image, lab, superpixels);
  std::vector<float> values;
  values.reserve(Offset{superpixels.count} * kShapeValues);
  Row row(&values);
  for (const ShapeSums& sums : summation.Run()) {
    AddColours(sums, &row);
    AddPlace(sums, image, &row);
    AddForm(sums, &row);
  }
  return values;
}

}  // namespace slackline::internal
