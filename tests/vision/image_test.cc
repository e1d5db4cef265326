// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/vision/image.h>
#include <slackline/vision/jpeg_file.h>
#include <slackline/vision/png_file.h>
#include <tests/core/temporary_folder.h>
#include <tests/vision/image_files.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes RandomBytes(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.Below(256));
  return bytes;
}

Bytes Grey(const Bytes& values) {
  Bytes rgb;
  for (const std::uint8_t v : values) rgb.insert(rgb.end(), {v, v, v});
  return rgb;
}

Image Read(const std::string& bytes) {
  const TemporaryFolder folder;
  return ReadImage(folder.Write("a.img", bytes));
}

Bytes Colors(const PngContent& content) { return Read(MakePng(content)).rgb; }

LabelImage ReadLabels(const std::string& bytes, Index num_classes) {
  const TemporaryFolder folder;
  return ReadLabelImage(folder.Write("a.img", bytes), num_classes);
}

/// The part of a message after "…/a.img: ".
std::string WithoutPath(const std::string& message) {
  const std::string mark = "a.img: ";
  const std::size_t at = message.find(mark);
  return at == std::string::npos ? message : message.substr(at + mark.size());
}

std::string Error(const std::string& bytes) {
  return WithoutPath(MessageOf<DataError>([&] { Read(bytes); }));
}

/// Like Error, but without a file, for hundreds of variants.
std::string DecodeError(const std::string& bytes) {
  return WithoutPath(MessageOf<DataError>(
      [&] { bytes.front() == '\x89' ? DecodePng("a.img", bytes) : DecodeJpeg("a.img", bytes); }));
}

std::string LabelError(const std::string& bytes, Index num_classes = 21) {
  return WithoutPath(MessageOf<DataError>([&] { ReadLabels(bytes, num_classes); }));
}

void CheckNear(const Bytes& found, const Bytes& expected, int tolerance) {
  REQUIRE(found.size() == expected.size());
  int worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    worst = std::max(worst, std::abs(found[i] - expected[i]));
  CHECK(worst <= tolerance);
}

/// An image of 16 × 8 pixels whose halves have one colour each.
Bytes TwoHalves(const Bytes& left, const Bytes& right) {
  Bytes samples;
  for (int p = 0; p < 16 * 8; ++p) {
    const Bytes& color = p % 16 < 8 ? left : right;
    samples.insert(samples.end(), color.begin(), color.end());
  }
  return samples;
}

std::string SmallJpeg(bool progressive = false) {
  return MakeJpeg({.width = 24,
                   .height = 17,
                   .samples = RandomBytes(3 * 24 * 17, 5),
                   .progressive = progressive});
}

std::string SmallPng(bool interlaced = false) {
  return MakePng({.width = 11,
                  .height = 9,
                  .color_type = PNG_COLOR_TYPE_RGB,
                  .rows = RandomBytes(3 * 11 * 9, 6),
                  .interlaced = interlaced});
}

std::string BigEndian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<char>((number >> shift) & 0xff));
  return bytes;
}

std::string PngOfSize(std::uint32_t width, std::uint32_t height) {
  const auto chunk = [](const std::string& content) {
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    return BigEndian(static_cast<std::uint32_t>(content.size() - 4)) + content +
           BigEndian(static_cast<std::uint32_t>(sum));
  };
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR" + BigEndian(width) + BigEndian(height) + std::string("\x08\0\0\0\0", 5)) +
         chunk("IDAT");
}

/// A JPEG whose header states another size.
std::string JpegOfSize(int width, int height) {
  std::string bytes = SmallJpeg();
  const std::size_t at = bytes.find("\xff\xc0");
  REQUIRE(at != std::string::npos);
  bytes.replace(at + 5, 4, BigEndian((static_cast<std::uint32_t>(height) << 16) | width));
  return bytes;
}

/// An EXIF block with another tag before the orientation.
std::string Exif(int orientation, bool big_endian, int type = 3) {
  const auto number = [&](unsigned value, int size) {
    std::string bytes;
    for (int k = 0; k < size; ++k)
      bytes.push_back(static_cast<char>(value >> 8 * (big_endian ? size - 1 - k : k) & 0xff));
    return bytes;
  };
  const auto entry = [&](unsigned tag, unsigned of_type, unsigned value) {
    return number(tag, 2) + number(of_type, 2) + number(1, 4) + number(value, 2) + number(0, 2);
  };
  return (big_endian ? "MM" : "II") + number(42, 2) + number(8, 4) + number(2, 2) +
         entry(0x0100, 3, 7) + entry(0x0112, type, orientation) + number(0, 4);
}

std::string WithExif(const std::string& png, const std::string& exif) {
  const std::string content = "eXIf" + exif;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
  const std::size_t header = 8 + 25;  // the magic bytes and IHDR
  return png.substr(0, header) + BigEndian(static_cast<std::uint32_t>(exif.size())) + content +
         BigEndian(static_cast<std::uint32_t>(sum)) + png.substr(header);
}

std::string JpegWithExif(const std::string& jpeg, const std::string& exif) {
  const std::string content = std::string("Exif\0\0", 6) + exif;
  const auto size = static_cast<std::uint32_t>(content.size() + 2);
  const std::size_t at = 2 + 18;  // after the JFIF segment
  return jpeg.substr(0, at) + "\xff\xe1" + BigEndian(size).substr(2) + content + jpeg.substr(at);
}

}  // namespace

TEST_CASE("images are turned by their EXIF orientation, as viewers show them") {
  struct Turned {
    int orientation;
    Index width;
    Bytes values;
  };
  // Stored: 1 2 3 / 4 5 6. The standard names the side that the first stored row is on, and the
  // one that the first column is on: 6 is right and top.
  const std::vector<Turned> all = {{1, 3, {1, 2, 3, 4, 5, 6}}, {2, 3, {3, 2, 1, 6, 5, 4}},
                                   {3, 3, {6, 5, 4, 3, 2, 1}}, {4, 3, {4, 5, 6, 1, 2, 3}},
                                   {5, 2, {1, 4, 2, 5, 3, 6}}, {6, 2, {4, 1, 5, 2, 6, 3}},
                                   {7, 2, {6, 3, 5, 2, 4, 1}}, {8, 2, {3, 6, 2, 5, 1, 4}},
                                   {0, 3, {1, 2, 3, 4, 5, 6}}, {9, 3, {1, 2, 3, 4, 5, 6}}};
  const std::string png = MakePng({.width = 3, .height = 2, .rows = {1, 2, 3, 4, 5, 6}});
  for (const Turned& turned : all) {
    for (const bool big_endian : {false, true}) {
      CAPTURE(turned.orientation);
      const std::string bytes = WithExif(png, Exif(turned.orientation, big_endian));
      const Image image = Read(bytes);
      CHECK(image.width == turned.width);
      CHECK(image.height == 6 / turned.width);
      CHECK(image.rgb == Grey(turned.values));
      const LabelImage labels = ReadLabels(bytes, 21);
      CHECK(labels.width == turned.width);
      CHECK(labels.labels == turned.values);
    }
  }
  const std::string jpeg = SmallJpeg();
  const Image stored = Read(jpeg);
  const Image turned = Read(JpegWithExif(jpeg, Exif(6, true)));
  CHECK(turned.width == stored.height);
  CHECK(turned.height == stored.width);
  bool same = true;
  for (Index y = 0; y < turned.height; ++y) {
    for (Index x = 0; x < turned.width; ++x)
      same = same && turned.rgb[3 * (y * turned.width + x)] ==
                         stored.rgb[3 * ((stored.height - 1 - x) * stored.width + y)];
  }
  CHECK(same);
}

TEST_CASE("damaged EXIF blocks are ignored") {
  const std::string png = MakePng({.width = 3, .height = 2, .rows = {1, 2, 3, 4, 5, 6}});
  const std::string exif = Exif(6, false);
  for (std::size_t length = 0; length + 6 < exif.size(); ++length)
    CHECK(Read(WithExif(png, exif.substr(0, length))).width == 3);
  CHECK(Read(WithExif(png, Exif(6, false, 4))).width == 3);
  std::string far = exif;
  far[4] = far[5] = far[6] = '\xff';  // a directory behind the end
  CHECK(Read(WithExif(png, far)).width == 3);
}

TEST_CASE(
    "an image written as PNG is read back unchanged, and nothing else is left in the folder") {
  const TemporaryFolder folder;
  const Image image{7, 5, RandomBytes(105, 1)};
  WritePng(folder.Path("a.png"), image);
  const Image back = ReadImage(folder.Path("a.png"));
  CHECK(back.width == 7);
  CHECK(back.height == 5);
  CHECK(back.rgb == image.rgb);
  CHECK(folder.NumFiles() == 1);
}

TEST_CASE("the content of a file decides on its format, not its name") {
  const TemporaryFolder folder;
  CHECK(ReadImage(folder.Write("png.jpg", SmallPng())).width == 11);
  CHECK(ReadImage(folder.Write("jpeg.png", SmallJpeg())).width == 24);
}

TEST_CASE("grey of 1, 2, 4 and 8 bits becomes three equal channels over the full range") {
  CHECK(Colors({.width = 3, .height = 1, .bits = 1, .rows = {0b10100000}}) == Grey({255, 0, 255}));
  CHECK(Colors({.width = 4, .height = 1, .bits = 2, .rows = {0b00011011}}) ==
        Grey({0, 85, 170, 255}));
  CHECK(Colors({.width = 3, .height = 1, .bits = 4, .rows = {0x0f, 0x70}}) == Grey({0, 255, 119}));
  CHECK(Colors({.width = 2, .height = 2, .rows = {0, 1, 128, 255}}) == Grey({0, 1, 128, 255}));
}

TEST_CASE("16 bits are rounded to 8") {
  CHECK(Colors({.width = 5,
                .height = 1,
                .bits = 16,
                .rows = {0, 0, 0xff, 0xff, 0x80, 0x80, 0x12, 0x34, 0x12, 0xff}}) ==
        Grey({0, 255, 128, 18, 19}));
  CHECK(Colors({.width = 1,
                .height = 1,
                .bits = 16,
                .color_type = PNG_COLOR_TYPE_RGB,
                .rows = {0x01, 0x01, 0x02, 0xff, 0xfe, 0x00}}) == Bytes{1, 3, 253});
}

TEST_CASE("palettes are looked up, also those of few bits and with transparent colours") {
  const Bytes palette = {10, 20, 30, 40, 50, 60, 200, 100, 0};
  CHECK(Colors({.width = 3,
                .height = 1,
                .color_type = PNG_COLOR_TYPE_PALETTE,
                .rows = {2, 0, 1},
                .palette = palette}) == Bytes{200, 100, 0, 10, 20, 30, 40, 50, 60});
  CHECK(Colors({.width = 3,
                .height = 1,
                .bits = 2,
                .color_type = PNG_COLOR_TYPE_PALETTE,
                .rows = {0b10000100},
                .palette = palette,
                .palette_alpha = {0, 255, 51}}) == Bytes{244, 224, 204, 255, 255, 255, 40, 50, 60});
}

TEST_CASE("transparent pixels are laid over white") {
  CHECK(Colors({.width = 3,
                .height = 1,
                .color_type = PNG_COLOR_TYPE_RGB_ALPHA,
                .rows = {9, 8, 7, 0, 9, 8, 7, 255, 0, 100, 255, 51}}) ==
        Bytes{255, 255, 255, 9, 8, 7, 204, 224, 255});
  CHECK(Colors({.width = 2,
                .height = 1,
                .color_type = PNG_COLOR_TYPE_GRAY_ALPHA,
                .rows = {100, 255, 0, 51}}) == Grey({100, 204}));
  CHECK(Colors({.width = 2,
                .height = 1,
                .color_type = PNG_COLOR_TYPE_RGB,
                .rows = {1, 2, 3, 1, 2, 4},
                .transparent = {1, 2, 3}}) == Bytes{255, 255, 255, 1, 2, 4});
  CHECK(Colors({.width = 2, .height = 1, .rows = {5, 6}, .transparent = {5}}) == Grey({255, 6}));
}

TEST_CASE("an interlaced PNG holds the same pixels as a plain one") {
  CHECK(Read(SmallPng(true)).rgb == Read(SmallPng(false)).rgb);
  PngContent content{.width = 13, .height = 10, .bits = 1, .rows = RandomBytes(20, 3)};
  const Bytes plain = Colors(content);
  const std::vector<std::uint8_t> plain_labels = ReadLabels(MakePng(content), 2).labels;
  content.interlaced = true;
  CHECK(Colors(content) == plain);
  CHECK(ReadLabels(MakePng(content), 2).labels == plain_labels);
}

TEST_CASE("JPEGs in colour and in grey are read, also progressive ones") {
  const Bytes colors = TwoHalves({200, 30, 60}, {10, 120, 240});
  CheckNear(Read(MakeJpeg({.width = 16, .height = 8, .samples = colors})).rgb, colors, 3);
  CheckNear(Read(MakeJpeg({.width = 16, .height = 8, .samples = colors, .progressive = true})).rgb,
            colors, 3);
  const Bytes grey = TwoHalves({77}, {201});
  CheckNear(Read(MakeJpeg({.width = 16, .height = 8, .space = JCS_GRAYSCALE, .samples = grey})).rgb,
            Grey(grey), 1);
}

TEST_CASE("JPEGs with four inks become RGB, whether inks are stored inverted or not") {
  JpegContent content{.width = 16, .height = 8, .space = JCS_CMYK};
  content.samples = TwoHalves({255, 100, 0, 255}, {255, 255, 255, 51});
  const Bytes expected = TwoHalves({255, 100, 0}, {51, 51, 51});
  CheckNear(Read(MakeJpeg(content)).rgb, expected, 3);
  content.adobe = false;
  for (std::uint8_t& sample : content.samples) sample = static_cast<std::uint8_t>(255 - sample);
  CheckNear(Read(MakeJpeg(content)).rgb, expected, 3);
}

TEST_CASE("a file that is missing, a folder, empty or of another format is named with the reason") {
  const TemporaryFolder folder;
  const std::string missing = MessageOf<DataError>([&] { ReadImage(folder.Path("none.png")); });
  CHECK(missing == folder.Path("none.png") + ": cannot open the file: No such file or directory");
  CHECK(MessageOf<DataError>([&] { ReadLabelImage(folder.Path("none.png"), 2); }) == missing);
  CHECK(Contains(MessageOf<DataError>([&] { ReadImage(folder.Path("")); }),
                 "is a directory, not a file"));
  CHECK(Error("") == "the file is empty");
  CHECK(Error("GIF89a and so on") == "is neither a JPEG nor a PNG file");
  CHECK(Error("\x89PNG") == "is neither a JPEG nor a PNG file");
}

TEST_CASE("a PNG that ends anywhere too early is refused") {
  for (const bool interlaced : {false, true}) {
    const std::string bytes = SmallPng(interlaced);
    for (std::size_t size = 8; size < bytes.size(); ++size) {
      CHECK(Contains(DecodeError(bytes.substr(0, size)), "the PNG cannot be decoded: "));
    }
    CHECK(Error(bytes.substr(0, bytes.size() / 2)) ==
          "the PNG cannot be decoded: the file ends too early");
  }
}

TEST_CASE("a JPEG that ends anywhere too early is refused") {
  for (const bool progressive : {false, true}) {
    const std::string bytes = SmallJpeg(progressive);
    for (std::size_t size = 3; size < bytes.size(); size += 1 + size / 40) {
      CHECK(Contains(DecodeError(bytes.substr(0, size)), "the JPEG cannot be decoded: "));
    }
    CHECK(Error(bytes.substr(0, bytes.size() / 2)) ==
          "the JPEG cannot be decoded: Premature end of JPEG file");
    CHECK(Error(bytes.substr(0, bytes.size() - 1)) != "accepted");
  }
}

TEST_CASE("damaged files are refused or read, without harm") {
  Random random(7);
  for (const std::string& good : {SmallPng(), SmallPng(true), SmallJpeg(), SmallJpeg(true)}) {
    const std::size_t frame = std::min(good.find("\xff\xc0"), good.find("\xff\xc2"));
    for (int k = 0; k < 100; ++k) {
      std::string bytes = good;
      const std::size_t at = 40 + random.Below(bytes.size() - 40);
      // Bytes of the size in the header are not changed: a large size is allowed and takes long.
      if (frame != std::string::npos && at >= frame + 5 && at < frame + 9) continue;
      bytes[at] = static_cast<char>(random.Below(256));
      const std::string error = DecodeError(bytes);
      CHECK((error == "accepted" || Contains(error, "cannot be decoded: ")));
    }
  }
}

TEST_CASE("a PNG with a wrong checksum is refused") {
  std::string bytes = SmallPng();
  bytes[bytes.size() - 14] ^=
      1;  // the checksum of the pixels ends before the 12 bytes of the last chunk
  CHECK(Contains(Error(bytes), "the PNG cannot be decoded: "));
}

TEST_CASE("images of too many pixels are refused by their headers") {
  CHECK(Error(PngOfSize(20000, 5001)) ==
        "an image of 20000 x 5001 pixels is too large; at most 50000000 pixels are allowed "
        "(--max-pixels)");
  CHECK(Contains(Error(PngOfSize(0x7fffffff, 0x7fffffff)), "is too large; at most 50000000"));
  CHECK(Contains(LabelError(PngOfSize(20000, 5001)), "is too large; at most 50000000"));
  CHECK(Error(JpegOfSize(20000, 5001)) ==
        "an image of 20000 x 5001 pixels is too large; at most 50000000 pixels are allowed "
        "(--max-pixels)");
}

TEST_CASE("the caller sets the largest number of pixels") {
  const auto message = [](const std::string& bytes, Index most) {
    return MessageOf<DataError>([&] {
      bytes.front() == '\x89' ? DecodePng("a", bytes, most) : DecodeJpeg("a", bytes, most);
    });
  };
  for (const std::string& bytes : {SmallPng(), SmallJpeg()}) {
    const TemporaryFolder folder;
    const std::string path = folder.Write("image", bytes);
    const Index pixels = ReadImage(path).num_pixels();
    CHECK(message(bytes, pixels) == "accepted");
    CHECK(Contains(message(bytes, pixels - 1),
                   "is too large; at most " + std::to_string(pixels - 1)));
    CHECK_THROWS_AS(ReadImage(path, pixels - 1), DataError);
  }
  CHECK(Contains(MessageOf<DataError>([] { DecodeLabelPng("a", PngOfSize(11, 10), 109); }),
                 "too large"));
}

TEST_CASE("an endless file is refused") {
  CHECK(Contains(MessageOf<DataError>([] { ReadImage("/dev/zero"); }), "neither a JPEG nor a PNG"));
}

TEST_CASE("labels are the stored values of grey and palette PNGs of any bits") {
  using Labels = std::vector<std::uint8_t>;
  CHECK(ReadLabels(MakePng({.width = 3, .height = 1, .bits = 1, .rows = {0b10100000}}), 2).labels ==
        Labels{1, 0, 1});
  CHECK(ReadLabels(MakePng({.width = 4, .height = 1, .bits = 2, .rows = {0b00011011}}), 4).labels ==
        Labels{0, 1, 2, 3});
  CHECK(
      ReadLabels(MakePng({.width = 3, .height = 1, .bits = 4, .rows = {0x0f, 0x70}}), 16).labels ==
      Labels{0, 15, 7});
  CHECK(ReadLabels(MakePng({.width = 2, .height = 2, .rows = {0, 20, 255, 3}}), 21).labels ==
        Labels{0, 20, 255, 3});
  CHECK(ReadLabels(MakePng({.width = 3,
                            .height = 1,
                            .bits = 2,
                            .color_type = PNG_COLOR_TYPE_PALETTE,
                            .rows = {0b10000100},
                            .palette = {1, 2, 3, 4, 5, 6, 7, 8, 9},
                            .palette_alpha = {0}}),
                   3)
            .labels == Labels{2, 0, 1});
}

TEST_CASE(
    "a label image written with a palette is read back as labels, and as colours by image "
    "programs") {
  const TemporaryFolder folder;
  Bytes palette(768);
  for (std::size_t i = 0; i < palette.size(); ++i) palette[i] = static_cast<std::uint8_t>(i * 7);
  LabelImage image{4, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, kVoid}};
  WriteLabelPng(folder.Path("a.png"), image, palette);
  const LabelImage back = ReadLabelImage(folder.Path("a.png"), 11);
  CHECK(back.width == 4);
  CHECK(back.height == 3);
  CHECK(back.labels == image.labels);
  const Image colors = ReadImage(folder.Path("a.png"));
  for (std::size_t p = 0; p < 12; ++p) {
    for (std::size_t c = 0; c < 3; ++c)
      CHECK(colors.rgb[3 * p + c] == palette[3 * image.labels[p] + c]);
  }
}

TEST_CASE("an unknown value in a label image is reported with its place") {
  CHECK(LabelError(MakePng({.width = 3, .height = 2, .rows = {0, 1, 255, 2, 21, 200}})) ==
        "value 21 at column 1, row 1 (from 0) is neither a class, of which there are 21, nor 255 "
        "(no label)");
  CHECK(Contains(LabelError(MakePng({.width = 3, .height = 1, .rows = {0, 1, 2}}), 2),
                 "value 2 at column 2, row 0"));
}

TEST_CASE("label images of other kinds are refused with the accepted ones") {
  const std::string wanted =
      "a label image must be a greyscale or palette PNG of at most 8 bits whose values are class "
      "numbers; this one ";
  CHECK(LabelError(SmallPng()) == wanted + "is an RGB image");
  CHECK(LabelError(MakePng({.width = 1, .height = 1, .bits = 16, .rows = {0, 0}})) ==
        wanted + "has 16 bits");
  CHECK(
      LabelError(MakePng(
          {.width = 1, .height = 1, .color_type = PNG_COLOR_TYPE_GRAY_ALPHA, .rows = {0, 255}})) ==
      wanted + "has an alpha channel");
  CHECK(LabelError(MakePng({.width = 1,
                            .height = 1,
                            .color_type = PNG_COLOR_TYPE_RGB_ALPHA,
                            .rows = {0, 0, 0, 255}})) == wanted + "has an alpha channel");
  CHECK(LabelError(SmallJpeg()) == wanted + "is a JPEG");
}

TEST_CASE("an image that cannot be written leaves no file behind") {
  const TemporaryFolder folder;
  const Image image{1, 1, {1, 2, 3}};
  CHECK_THROWS_AS(WritePng(folder.Path("none/a.png"), image), DataError);
  CHECK_THROWS_AS(WritePng(folder.Path("a.png"), {2, 2, {1, 2, 3}}), std::invalid_argument);
  CHECK_THROWS_AS(WriteLabelPng(folder.Path("a.png"), {1, 1, {0}}, Bytes(3)),
                  std::invalid_argument);
  CHECK(folder.NumFiles() == 0);
}

TEST_CASE("an image file is found by the first of the extensions that exists") {
  const TemporaryFolder folder;
  folder.Write("a.png", "");
  folder.Write("b.jpg", "");
  folder.Write("b.png", "");
  const std::string all = folder.Path("");
  CHECK(FindImageFile(all, "a", {".jpg", ".png"}) == folder.Path("a.png"));
  CHECK(FindImageFile(all, "b", {".jpg", ".png"}) == folder.Path("b.jpg"));
  CHECK(MessageOf<DataError>([&] {
          FindImageFile(all, "c", {".jpg", ".jpeg", ".png"});
        }) == all + ": none of these files exists: c.jpg, c.jpeg, c.png");
}
