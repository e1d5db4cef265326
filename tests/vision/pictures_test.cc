// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <stdexcept>

#include <slackline/vision/bitmap_font.h>
#include <slackline/vision/canvas.h>
#include <slackline/vision/pictures.h>
#include <slackline/vision/superpixels.h>

using namespace slackline::internal;

namespace {

Color PixelAt(const Image& image, Index x, Index y) {
  const std::size_t p = 3 * (Offset{y} * image.width + x);
  return {image.rgb[p], image.rgb[p + 1], image.rgb[p + 2]};
}

Color PaletteColor(int label) {
  static const std::vector<std::uint8_t> palette = ClassPalette();
  return {palette[3 * label], palette[3 * label + 1], palette[3 * label + 2]};
}

Image Plain(Index width, Index height, std::uint8_t value) {
  return {width, height, std::vector<std::uint8_t>(3 * Offset{width} * height, value)};
}

/// Vertical stripes with the given labels.
LabelImage LabelStripes(Index width, Index height, const std::vector<std::uint8_t>& labels) {
  LabelImage image{width, height, {}};
  for (Index p = 0; p < width * height; ++p) {
    image.labels.push_back(labels[(p % width) * labels.size() / width]);
  }
  return image;
}

std::set<Color> ColorsBelow(const Image& image, Index top) {
  std::set<Color> colors;
  for (Index y = top; y < image.height; ++y) {
    for (Index x = 0; x < image.width; ++x) colors.insert(PixelAt(image, x, y));
  }
  return colors;
}

/// Whether a white margin remains at the right and at the bottom, below row `top`.
bool WhiteMargin(const Image& image, Index top) {
  for (Index y = top; y < image.height; ++y) {
    if (PixelAt(image, image.width - 1, y) != kWhite) return false;
  }
  for (Index x = 0; x < image.width; ++x) {
    if (PixelAt(image, x, image.height - 1) != kWhite) return false;
  }
  return true;
}

struct Box {
  Index left = 1 << 30, top = 1 << 30, right = -1, bottom = -1;
};

Box BoxOf(const Image& image, Color color) {
  Box box;
  for (Index y = 0; y < image.height; ++y) {
    for (Index x = 0; x < image.width; ++x) {
      if (PixelAt(image, x, y) != color) continue;
      box = {std::min(box.left, x), std::min(box.top, y), std::max(box.right, x),
             std::max(box.bottom, y)};
    }
  }
  return box;
}

const std::vector<std::string> kPictureClasses = {"sky", "grass", "water", "stone"};

}  // namespace

TEST_CASE("the palette has 256 different colours, and only void is black") {
  const std::vector<std::uint8_t> palette = ClassPalette();
  REQUIRE(palette.size() == 768);
  std::set<Color> colors;
  for (int k = 0; k < 256; ++k) colors.insert(PaletteColor(k));
  CHECK(colors.size() == 256);
  CHECK(PaletteColor(kVoid) == Color{0, 0, 0});
}

TEST_CASE("the colours of the first classes are well distinguishable") {
  Image image{23, 1, {}};
  for (int k = 0; k < 21; ++k) {
    const Color color = PaletteColor(k);
    image.rgb.insert(image.rgb.end(), color.begin(), color.end());
  }
  image.rgb.insert(image.rgb.end(), {0, 0, 0, 255, 255, 255});
  const std::vector<float> lab = ToLab(image);
  for (int a = 0; a < 23; ++a) {
    for (int b = 0; b < a; ++b) {
      float square = 0;
      for (int c = 0; c < 3; ++c)
        square += (lab[3 * a + c] - lab[3 * b + c]) * (lab[3 * a + c] - lab[3 * b + c]);
      CHECK(square > 18 * 18);
    }
  }
}

TEST_CASE("every printable character has its own glyph, all others are boxes") {
  std::set<std::array<std::uint8_t, kGlyphHeight>> glyphs;
  for (char c = ' '; c <= '~'; ++c) {
    glyphs.insert(Glyph(c));
    for (const std::uint8_t row : Glyph(c)) CHECK(row < 32);
  }
  CHECK(glyphs.size() == 95);
  CHECK(Glyph('\n') == Glyph('\xc3'));
  CHECK(glyphs.count(Glyph('\xc3')) == 0);
}

TEST_CASE("text is drawn from left to right, and upwards when turned") {
  Canvas canvas(12, 7, kWhite);
  canvas.Text(0, 0, "L|", 1, kInk);
  const Image flat = canvas.Take();
  CHECK(PixelAt(flat, 0, 0) == kInk);
  CHECK(PixelAt(flat, 4, 6) == kInk);
  CHECK(PixelAt(flat, 4, 0) == kWhite);
  CHECK(PixelAt(flat, 8, 3) == kInk);
  Canvas turned(7, 12, kWhite);
  turned.TextUpwards(0, 12, "L|", 1, kInk);
  const Image up = turned.Take();
  for (Index x = 0; x < 12; ++x) {
    for (Index y = 0; y < 7; ++y) CHECK(PixelAt(flat, x, y) == PixelAt(up, y, 11 - x));
  }
}

TEST_CASE("text outside the picture is not drawn") {
  Canvas canvas(5, 5, kWhite);
  canvas.Text(-4, -3, "WWWW", 3, kInk);
  canvas.TextUpwards(3, 9, "WWWW", 3, kInk);
  CHECK(canvas.Take().rgb.size() == 75);
}

TEST_CASE("long text is cut off with two dots") {
  CHECK(TextWidth("", 2) == 0);
  CHECK(TextWidth("ab", 2) == 22);
  CHECK(FitText("grass", TextWidth("grass", 1), 1) == "grass");
  CHECK(FitText("grass", TextWidth("grass", 1) - 1, 1) == "gr..");
  CHECK(FitText("grass", 11, 1) == "..");
  CHECK(FitText("grass", 10, 1) == "");
  CHECK(FitText("grass", -3, 1) == "");
}

TEST_CASE("an overlay is half image and half colour, with dark borders between classes") {
  const Image overlay =
      Overlay(Plain(100, 40, 101), LabelStripes(100, 40, {0, 2}), kPictureClasses);
  CHECK(overlay.width == 100);
  CHECK(overlay.height > 40);
  for (const auto& [x, label] : {std::pair{10, 0}, {90, 2}}) {
    for (std::size_t c = 0; c < 3; ++c) {
      CHECK(std::abs(2 * PixelAt(overlay, x, 20)[c] - 101 - PaletteColor(label)[c]) <= 1);
    }
  }
  CHECK(PixelAt(overlay, 49, 20) == kInk);
}

TEST_CASE("the legend names only the classes that occur") {
  const Image overlay =
      Overlay(Plain(100, 40, 90), LabelStripes(100, 40, {0, kVoid, 3}), kPictureClasses);
  const std::set<Color> colors = ColorsBelow(overlay, 40);
  CHECK(colors == std::set<Color>{kWhite, kInk, PaletteColor(0), PaletteColor(3)});
}

TEST_CASE("a picture with void only has no legend") {
  const Image overlay =
      Overlay(Plain(100, 40, 90), LabelStripes(100, 40, {kVoid}), kPictureClasses);
  CHECK(overlay.height == 40);
}

TEST_CASE("legends wrap and stay within the picture") {
  std::vector<std::string> classes;
  std::vector<std::uint8_t> labels;
  for (int k = 0; k < 21; ++k) {
    classes.push_back(k % 5 == 0 ? "a class with a name of very many letters"
                                 : "class" + std::to_string(k));
    labels.push_back(static_cast<std::uint8_t>(k));
  }
  Index last_height = 1 << 30;
  for (const Index width : {21, 60, 90, 320, 700}) {
    const Image overlay = Overlay(Plain(width, 5, 90), LabelStripes(width, 5, labels), classes);
    CHECK(overlay.width == std::max(width, 80));
    CHECK(WhiteMargin(overlay, 5));
    const std::set<Color> colors = ColorsBelow(overlay, 5);
    CHECK(colors.size() == 23);
    if (width <= 320) {  // in wider pictures letters are larger
      CHECK(overlay.height <= last_height);
      last_height = overlay.height;
    }
  }
}

TEST_CASE("class names may contain any bytes") {
  const std::vector<std::string> classes = {"ciel bleu \xc3\xa9t\xc3\xa9", ""};
  const Image overlay = Overlay(Plain(200, 5, 90), LabelStripes(200, 5, {0, 1}), classes);
  CHECK(WhiteMargin(overlay, 5));
}

TEST_CASE("a sheet shows image, truth and prediction side by side") {
  const Image image = Plain(120, 40, 101);
  const Image sheet =
      Sheet(image, LabelStripes(120, 40, {0}), LabelStripes(120, 40, {1}), kPictureClasses);
  CHECK(sheet.width > 360);
  CHECK(sheet.width < 400);
  const Index step = (sheet.width - 120) / 2;
  CHECK(PixelAt(sheet, 60, 30) == Color{101, 101, 101});
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(std::abs(2 * PixelAt(sheet, 60 + step, 30)[c] - 101 - PaletteColor(0)[c]) <= 1);
    CHECK(std::abs(2 * PixelAt(sheet, 60 + 2 * step, 30)[c] - 101 - PaletteColor(1)[c]) <= 1);
  }
  const Image without_truth = Sheet(image, {}, LabelStripes(120, 40, {1}), kPictureClasses);
  CHECK(without_truth.width == 120 + step);
  CHECK(without_truth.height == sheet.height);
  CHECK(ColorsBelow(sheet, 60).count(PaletteColor(0)) == 1);
  CHECK(ColorsBelow(without_truth, 60).count(PaletteColor(0)) == 0);
}

TEST_CASE("pictures of the smallest images are drawn") {
  const LabelImage one{1, 1, {1}};
  CHECK(Overlay(Plain(1, 1, 0), one, kPictureClasses).width == 80);
  CHECK(Sheet(Plain(1, 1, 0), one, one, kPictureClasses).width > 240);
}

TEST_CASE("pictures of unequal sizes and unknown classes are refused") {
  const Image image = Plain(4, 3, 0);
  CHECK_THROWS_AS(Overlay(image, LabelStripes(3, 4, {0}), kPictureClasses), std::invalid_argument);
  CHECK_THROWS_AS(Overlay(image, LabelStripes(4, 3, {4}), kPictureClasses), std::invalid_argument);
  CHECK_THROWS_AS(Sheet(image, {}, LabelStripes(3, 4, {0}), kPictureClasses),
                  std::invalid_argument);
  CHECK_THROWS_AS(ConfusionPicture(std::vector<std::int64_t>(15), kPictureClasses),
                  std::invalid_argument);
  CHECK_THROWS_AS(ConfusionPicture(std::vector<std::int64_t>(16, -1), kPictureClasses),
                  std::invalid_argument);
}

TEST_CASE("the darkest cell of a confusion picture is that of the largest share of a row") {
  // One row has a few pixels, all in one column; the others have many pixels, spread evenly.
  const Color darkest = {8, 40, 100};
  std::vector<Box> boxes;
  for (Index cell = 0; cell < 16; ++cell) {
    std::vector<std::int64_t> counts(16, 1'000'000'000'000);
    for (Index k = 0; k < 4; ++k) counts[cell / 4 * 4 + k] = 0;
    counts[cell] = 3;
    boxes.push_back(BoxOf(ConfusionPicture(counts, kPictureClasses), darkest));
  }
  const Index side = boxes[0].right - boxes[0].left + 2;
  CHECK(side > TextWidth("100", 2));
  for (Index cell = 0; cell < 16; ++cell) {
    CHECK(boxes[cell].left == boxes[0].left + cell % 4 * side);
    CHECK(boxes[cell].top == boxes[0].top + cell / 4 * side);
    CHECK(boxes[cell].right - boxes[cell].left + 2 == side);
    CHECK(boxes[cell].bottom - boxes[cell].top + 2 == side);
  }
}

TEST_CASE("confusion pictures of any size explain rows, columns and numbers") {
  // There is ink below the cells and above the names: the legend and the title. With few classes
  // there is little room for both.
  for (const std::size_t n : {1, 2, 21}) {
    const std::vector<std::string> classes(n, "class");
    std::vector<std::int64_t> counts(n * n, 0);
    for (std::size_t k = 0; k < n; ++k) counts[k * n + k] = 1;
    const Image image = ConfusionPicture(counts, classes);
    const Box cells = BoxOf(image, {8, 40, 100});
    const Box ink = BoxOf(image, kInk);
    CHECK(ink.bottom > cells.bottom + TextHeight(2));
    CHECK(ink.top + 3 * TextHeight(2) < cells.top);
    CHECK(ink.right < image.width);
    CHECK(image.width >= TextWidth(std::string(26, 'x'), 2));
    CHECK(WhiteMargin(image, 0));
  }
  // The row of a class without pixels shows a word.
  const Image empty = ConfusionPicture(std::vector<std::int64_t>(16, 0), kPictureClasses);
  std::vector<std::int64_t> one_row(16, 0);
  for (Index k = 0; k < 4; ++k) one_row[5 * k] = k == 0 ? 0 : 1;
  const Image mixed = ConfusionPicture(one_row, kPictureClasses);
  CHECK(empty.width == mixed.width);
  CHECK(empty.height == mixed.height);
  CHECK(empty.rgb != mixed.rgb);
}

TEST_CASE("confusion pictures are drawn for one class, for many, and for rows without pixels") {
  const Image one = ConfusionPicture(std::vector<std::int64_t>{5}, std::vector<std::string>{"x"});
  CHECK(WhiteMargin(one, 0));
  std::vector<std::string> classes(60, "a class with a name of very many letters");
  const Image many = ConfusionPicture(std::vector<std::int64_t>(3600, 0), classes);
  CHECK(WhiteMargin(many, 0));
  CHECK(many.width < 1800);
}

TEST_CASE("synthetic images are the same for the same seed, and differ otherwise") {
  const SyntheticImage a = DrawSynthetic(80, 60, 8, 5);
  const SyntheticImage b = DrawSynthetic(80, 60, 8, 5);
  const SyntheticImage other = DrawSynthetic(80, 60, 8, 6);
  CHECK(a.image.rgb == b.image.rgb);
  CHECK(a.labels.labels == b.labels.labels);
  CHECK(a.image.rgb != other.image.rgb);
  CHECK(a.labels.labels != other.labels.labels);
}

TEST_CASE("synthetic images use the classes asked for, all of them in some image") {
  for (const Index num_classes : {2, 3, 5, 8}) {
    std::set<int> seen;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const SyntheticImage drawn = DrawSynthetic(64, 48, num_classes, seed);
      REQUIRE(drawn.image.rgb.size() == 3 * 64 * 48);
      REQUIRE(drawn.labels.labels.size() == 64 * 48);
      seen.insert(drawn.labels.labels.begin(), drawn.labels.labels.end());
    }
    seen.erase(kVoid);
    CHECK(static_cast<Index>(seen.size()) == num_classes);
    CHECK(*seen.rbegin() == num_classes - 1);
    CHECK(static_cast<Index>(SyntheticClasses(num_classes).size()) == num_classes);
  }
}

TEST_CASE("in synthetic images the sky is above, and only thin borders are void") {
  Offset above = 0, below = 0, empty = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LabelImage labels = DrawSynthetic(96, 64, 8, seed).labels;
    for (std::size_t p = 0; p < labels.labels.size(); ++p) {
      if (labels.labels[p] == 0) ++(p < labels.labels.size() / 2 ? above : below);
      if (labels.labels[p] == kVoid) ++empty;
    }
  }
  CHECK(above > 10 * below);
  CHECK(empty > 0);
  CHECK(empty < 20 * 96 * 64 / 5);
}

TEST_CASE("colour alone does not separate the synthetic classes") {
  // Some pairs of classes have largely overlapping ranges of mean colours.
  std::array<std::array<double, 2>, 8> range;
  range.fill({255, 0});
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const SyntheticImage drawn = DrawSynthetic(48, 48, 8, seed);
    std::array<double, 8> sum{}, count{};
    for (std::size_t p = 0; p < drawn.labels.labels.size(); ++p) {
      if (drawn.labels.labels[p] == kVoid) continue;
      sum[drawn.labels.labels[p]] += drawn.image.rgb[3 * p + 1];
      count[drawn.labels.labels[p]] += 1;
    }
    for (int k = 0; k < 8; ++k) {
      if (count[k] == 0) continue;
      range[k] = {std::min(range[k][0], sum[k] / count[k]),
                  std::max(range[k][1], sum[k] / count[k])};
    }
  }
  CHECK(range[1][1] > range[6][0]);  // grass and tree
  CHECK(range[6][1] > range[1][0]);
  CHECK(range[0][0] < range[2][1]);  // sky and water
  CHECK(range[3][0] < range[4][1]);  // stone and wood
}

TEST_CASE("synthetic images of any size are drawn, others refused") {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 30}, {30, 1}, {7, 5}}) {
    CHECK(std::ssize(DrawSynthetic(width, height, 8, 3).labels.labels) == Offset{width} * height);
  }
  CHECK_THROWS_AS(DrawSynthetic(0, 5, 8, 1), std::invalid_argument);
  CHECK_THROWS_AS(DrawSynthetic(5, 5, 1, 1), std::invalid_argument);
  CHECK_THROWS_AS(DrawSynthetic(5, 5, 9, 1), std::invalid_argument);
  CHECK_THROWS_AS(SyntheticClasses(9), std::invalid_argument);
}
