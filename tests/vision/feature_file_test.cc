// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/feature_file.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <tests/core/temporary_folder.h>
#include <tests/vision/feature_file_bytes.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kDimension = 5;
const std::vector<std::string> kClasses = {"sky", "ground", "thing"};
const std::vector<FeatureBlock> kBlocks = {{"own/a", 0, 3}, {"image/b", 3, 2}};
const std::string kExtractor("bytes\0of an extractor", 21);

std::vector<float> RandomRows(Index count, Random* random) {
  std::vector<float> rows(count * kDimension);
  for (float& value : rows) value = static_cast<float>(random->Normal());
  return rows;
}

struct Example {
  std::string name;
  ImageRole role;
  ImageFeatures features;
  LabelImage labels;
};

Example MakeExample(const std::string& name, ImageRole role, Index width, Index height, Index fine,
                    std::uint64_t seed) {
  Random random(seed);
  Example example{name, role, {}, {width, height, {}}};
  ImageFeatures& features = example.features;
  features.fine = SuperpixelStripes(width, height, fine);
  features.coarse = SuperpixelStripes(width, height, 2);
  for (Index s = 0; s < fine; ++s) features.parent.push_back(2 * s / fine);
  for (Index s = 1; s < fine; ++s)
    features.neighbours.push_back({s - 1, s, width, 0.5f + static_cast<float>(s)});
  features.fine_rows = RandomRows(fine, &random);
  features.coarse_rows = RandomRows(2, &random);
  for (Index p = 0; p < width * height; ++p) {
    example.labels.labels.push_back(p % 7 == 0 ? kVoid
                                               : static_cast<std::uint8_t>(random.Below(3)));
  }
  return example;
}

std::vector<Example> Examples() {
  return {MakeExample("first", ImageRole::kTrain, 6, 5, 4, 1),
          MakeExample("x", ImageRole::kTest, 3, 3, 3, 2),
          MakeExample("the third", ImageRole::kTrain, 7, 4, 5, 3)};
}

std::string WriteExamples(const TemporaryFolder& folder) {
  const std::string path = folder.Path("a.fea");
  FeatureFileWriter writer(path, kClasses, kDimension, kBlocks, kExtractor);
  for (const Example& example : Examples()) {
    writer.Add(example.name, example.role, example.features, example.labels);
  }
  writer.Finish();
  return path;
}

/// Opens the file and reads all of its contents; returns the message of the DataError, or "".
std::string ReadAll(const std::string& path) {
  try {
    return std::isfinite(SumOfAll(FeatureFile(path))) ? "" : "not finite";
  } catch (const DataError& error) {
    return error.what();
  }
}

/// The bytes with correct checksums of directory and header.
std::string WithChecksums(std::string bytes) {
  const auto directory = Take<std::uint64_t>(bytes, 24);
  if (directory <= bytes.size()) Put(Crc32(std::string_view(bytes).substr(directory)), 56, &bytes);
  Put(Crc32(std::string_view(bytes).substr(0, 60)), 60, &bytes);
  return bytes;
}

void CheckSame(const PreparedImage& image, const Example& example) {
  const ImageFeatures& features = example.features;
  CHECK(image.name == example.name);
  CHECK(image.role == example.role);
  CHECK(image.width == example.labels.width);
  CHECK(image.height == example.labels.height);
  REQUIRE(image.num_fine == features.fine.count);
  REQUIRE(image.num_coarse == features.coarse.count);
  CHECK(std::equal(image.parent.begin(), image.parent.end(), features.parent.begin(),
                   features.parent.end()));
  REQUIRE(image.neighbours.size() == features.neighbours.size());
  for (std::size_t k = 0; k < features.neighbours.size(); ++k) {
    CHECK(image.neighbours[k].first == features.neighbours[k].first);
    CHECK(image.neighbours[k].second == features.neighbours[k].second);
    CHECK(image.neighbours[k].border == features.neighbours[k].border);
    CHECK(image.neighbours[k].contrast == features.neighbours[k].contrast);
  }
  const auto fine = ClassPixels(features.fine, example.labels, 3);
  const auto coarse = ClassPixels(features.coarse, example.labels, 3);
  CHECK(std::equal(image.fine_pixels.begin(), image.fine_pixels.end(), fine.begin(), fine.end()));
  CHECK(std::equal(image.coarse_pixels.begin(), image.coarse_pixels.end(), coarse.begin(),
                   coarse.end()));
  REQUIRE(image.fine_features.size() == features.fine_rows.size());
  REQUIRE(image.coarse_features.size() == features.coarse_rows.size());
  for (std::size_t k = 0; k < features.fine_rows.size(); ++k) {
    CHECK(image.fine_features[k] == ToHalf(features.fine_rows[k]));
  }
  for (std::size_t k = 0; k < features.coarse_rows.size(); ++k) {
    CHECK(image.coarse_features[k] == ToHalf(features.coarse_rows[k]));
  }
}

}  // namespace

TEST_CASE("a file is read back as it was written") {
  const TemporaryFolder folder;
  const FeatureFile file(WriteExamples(folder));
  CHECK(file.classes() == kClasses);
  CHECK(file.dimension() == kDimension);
  REQUIRE(file.blocks().size() == kBlocks.size());
  for (std::size_t k = 0; k < kBlocks.size(); ++k) {
    CHECK(file.blocks()[k].name == kBlocks[k].name);
    CHECK(file.blocks()[k].begin == kBlocks[k].begin);
    CHECK(file.blocks()[k].size == kBlocks[k].size);
  }
  CHECK(file.extractor() == kExtractor);
  const std::vector<Example> examples = Examples();
  REQUIRE(file.num_images() == static_cast<Index>(examples.size()));
  for (Index i = 0; i < file.num_images(); ++i) {
    CheckSame(file.image(i), examples[i]);
    file.CheckFeatures(i);
  }
  CHECK_THROWS_AS(file.image(3), std::invalid_argument);
  CHECK_THROWS_AS(file.image(-1), std::invalid_argument);
}

TEST_CASE("a file without images is valid") {
  const TemporaryFolder folder;
  FeatureFileWriter(folder.Path("a.fea"), kClasses, kDimension, kBlocks, "").Finish();
  const FeatureFile file(folder.Path("a.fea"));
  CHECK(file.num_images() == 0);
  CHECK(file.extractor().empty());
}

TEST_CASE("the file appears with Finish, or not at all") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("a.fea", "old");
  {
    FeatureFileWriter writer(path, kClasses, kDimension, kBlocks, kExtractor);
    const Example example = Examples()[0];
    writer.Add(example.name, example.role, example.features, example.labels);
    CHECK(folder.NumFiles() == 2);
  }
  CHECK(folder.NumFiles() == 1);
  CHECK(ReadBytes(path) == "old");
  WriteExamples(folder);
  CHECK(folder.NumFiles() == 1);
  CHECK(ReadAll(path).empty());
}

TEST_CASE("contents that cannot be written are refused") {
  const TemporaryFolder folder;
  const auto open = [&](const std::string& path) {
    FeatureFileWriter(path, kClasses, kDimension, kBlocks, "");
  };
  CHECK(Contains(MessageOf<DataError>([&] { open(folder.Path("none/a.fea")); }),
                 "there is no folder"));
  CHECK(Contains(MessageOf<DataError>([&] { open(folder.Path("")); }), "is a directory"));
  FeatureFileWriter writer(folder.Path("a.fea"), kClasses, kDimension, kBlocks, "");
  const auto add = [&](const Example& example) {
    writer.Add(example.name, example.role, example.features, example.labels);
  };
  Example wrong = Examples()[0];
  wrong.labels.width = 5;
  wrong.labels.height = 6;
  CHECK_THROWS_AS(add(wrong), std::invalid_argument);
  wrong = Examples()[0];
  wrong.features.fine_rows.pop_back();
  CHECK_THROWS_AS(add(wrong), std::invalid_argument);
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), 65520.0f, -1e30f}) {
    wrong = Examples()[0];
    wrong.features.coarse_rows[1] = value;
    CHECK_THROWS_AS(add(wrong), std::invalid_argument);
  }
  writer.Finish();
  CHECK_THROWS_AS(writer.Finish(), std::invalid_argument);
  CHECK_THROWS_AS(add(Examples()[0]), std::invalid_argument);
}

TEST_CASE("messages name the fault") {
  const TemporaryFolder folder;
  const std::string good = ReadBytes(WriteExamples(folder));
  const auto refuse = [&](const std::string& bytes, const std::string& part) {
    const std::string message = ReadAll(folder.Write("b.fea", bytes));
    CHECK_MESSAGE((Contains(message, "b.fea: ") && Contains(message, part)), message);
  };
  CHECK(Contains(ReadAll(folder.Path("none.fea")), "none.fea: cannot open the file"));
  CHECK(Contains(ReadAll(folder.Path("")), "is a directory"));
  refuse("", "not a Slackline feature file");
  refuse("SLACKLIN and more", "not a Slackline feature file");
  refuse("SLACKFEA", "truncated: expected at least 64 bytes, found 8");
  refuse(good.substr(0, good.size() - 1), "truncated: expected " + std::to_string(good.size()));
  refuse(good + "x", "too long");
  std::string newer = good;
  Put<std::uint32_t>(kFeatureFileVersion + 1, 8, &newer);
  refuse(newer, "newer version: its format is 3, this program reads formats up to 2");
  std::string damaged = good;
  damaged[good.size() - 1] ^= 1;
  refuse(damaged, "damaged: the checksum of its directory");
  damaged = good;
  damaged[64] ^= 1;
  refuse(damaged, "damaged: the checksum of image 'first'");
}

TEST_CASE("truncated files are refused") {
  const TemporaryFolder folder;
  const std::string good = ReadBytes(WriteExamples(folder));
  for (std::size_t length = 0; length < good.size(); length += 97) {
    CHECK(!ReadAll(folder.Write("b.fea", good.substr(0, length))).empty());
  }
}

TEST_CASE("every flipped byte is detected") {
  const TemporaryFolder folder;
  const std::string good = ReadBytes(WriteExamples(folder));
  int missed = 0;
  for (std::size_t k = 0; k < good.size(); ++k) {
    std::string bad = good;
    bad[k] = static_cast<char>(bad[k] ^ (1 << k % 8));
    missed += ReadAll(folder.Write("b.fea", bad)).empty();
  }
  CHECK(missed == 0);
}

TEST_CASE("any directory with a good checksum is harmless") {
  const TemporaryFolder folder;
  const std::string good = ReadBytes(WriteExamples(folder));
  REQUIRE(WithChecksums(good) == good);
  const std::size_t directory = Take<std::uint64_t>(good, 24);
  Random random(7);
  for (std::size_t k = directory; k < good.size(); ++k) {
    for (const int value : {0, 0x7f, 0xff, static_cast<int>(random.Below(256))}) {
      std::string bad = good;
      bad[k] = static_cast<char>(value);
      ReadAll(folder.Write("b.fea", WithChecksums(bad)));
    }
  }
  for (const std::uint64_t place :
       {std::uint64_t{0}, std::uint64_t{63}, std::uint64_t{64}, std::uint64_t{80},
        std::uint64_t{good.size()}, std::uint64_t{1} << 62, ~std::uint64_t{15}}) {
    std::string bad = good;
    Put(place, 24, &bad);
    CHECK(!ReadAll(folder.Write("b.fea", WithChecksums(bad))).empty());
  }
}

TEST_CASE("arrays with good checksums are still checked") {
  const TemporaryFolder folder;
  const std::string good = ReadBytes(WriteExamples(folder));
  const std::size_t directory = Take<std::uint64_t>(good, 24);
  // The arrays of the first image: 4 parents, 3 pairs of neighbours, 4 × 4 and 2 × 4 numbers of
  // pixels, 4 and 2 rows of features.
  const std::size_t pairs = 64 + 16;
  const std::size_t pixels = pairs + 3 * 16;
  const std::size_t features = pixels + 64 + 32;
  const std::size_t end = features + 48 + 32;
  const std::size_t entry = good.find("first", directory) + 5;
  const auto refuse = [&](std::string bad, const std::string& part) {
    Put(Crc32(std::string_view(bad).substr(64, features - 64)), entry + 33, &bad);
    Put(Crc32(std::string_view(bad).substr(features, end - features)), entry + 37, &bad);
    const std::string message = ReadAll(folder.Write("b.fea", WithChecksums(bad)));
    CHECK_MESSAGE(Contains(message, part), message);
  };
  refuse(good, "");
  const auto with = [&](std::int32_t value, std::size_t at) {
    std::string bad = good;
    Put(value, at, &bad);
    return bad;
  };
  refuse(with(2, 64), "a parent of image 'first'");
  refuse(with(-1, 68), "a parent of image 'first'");
  refuse(with(1, pairs), "a pair of neighbours of image 'first'");
  refuse(with(4, pairs + 4), "a pair of neighbours of image 'first'");
  refuse(with(-1, pairs), "a pair of neighbours of image 'first'");
  refuse(with(0x7f800000, pairs + 12), "a pair of neighbours of image 'first'");
  refuse(with(-5, pixels), "a number of pixels of image 'first'");
  refuse(with(-5, pixels + 64), "a number of pixels of image 'first'");
  refuse(with(0x7c00, features), "a feature of image 'first' is not finite");
}
