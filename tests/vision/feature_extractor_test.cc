// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/feature_extractor.h>

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <set>

#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/vision/dense_kernels.h>
#include <slackline/vision/descriptors.h>
#include <slackline/vision/extractor_state.h>
#include <slackline/vision/filters.h>
#include <slackline/vision/pictures.h>
#include <slackline/vision/principal_components.h>
#include <slackline/vision/region_histograms.h>
#include <slackline/vision/shape_values.h>
#include <slackline/vision/vocabulary.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

ExtractorOptions Small() {
  ExtractorOptions options;
  options.fine = 12;
  options.coarse = 3;
  options.features = FeatureSet::kSmall;
  return options;
}

/// Image files of some synthetic images.
struct Files {
  explicit Files(int count) {
    for (int k = 0; k < count; ++k) {
      paths.push_back(folder.Path("image" + std::to_string(k) + ".png"));
      WritePng(paths.back(), DrawSynthetic(24 + 3 * k, 20, 4, static_cast<std::uint64_t>(k)).image);
    }
  }
  TemporaryFolder folder;
  std::vector<std::string> paths;
};

FeatureExtractor Learned(const Files& files, const ExtractorOptions& options = Small(),
                         int threads = 1) {
  return FeatureExtractor::Learn(files.paths, options, threads, {});
}

std::vector<float> RandomNumbers(Index count, Random* random) {
  std::vector<float> numbers(count);
  for (float& value : numbers) value = static_cast<float>(random->Normal());
  return numbers;
}

bool AllFinite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

void CheckWhole(const ImageFeatures& features, const Image& image,
                const FeatureExtractor& extractor) {
  CHECK(features.fine.width == image.width);
  CHECK(features.fine.height == image.height);
  CHECK(features.fine.count >= 1);
  CHECK(features.coarse.count >= 1);
  CHECK(std::ssize(features.parent) == features.fine.count);
  CHECK(std::ssize(features.fine_rows) == features.fine.count * extractor.dimension());
  CHECK(std::ssize(features.coarse_rows) == features.coarse.count * extractor.dimension());
  CHECK(AllFinite(features.fine_rows));
  CHECK(AllFinite(features.coarse_rows));
}

double Square(const float* a, const float* b, Index size) {
  double sum = 0;
  for (Index d = 0; d < size; ++d)
    sum += (static_cast<double>(a[d]) - b[d]) * (static_cast<double>(a[d]) - b[d]);
  return sum;
}

/// A checkerboard of colours: no two adjacent pixels are equal.
Image Coloured(Index width, Index height) {
  Image image{width, height, {}};
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      for (const Index value : {80 + 50 * (x % 3), 200 - 60 * (y % 2), 7 * x}) {
        image.rgb.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  return image;
}

}  // namespace

TEST_CASE("products with a matrix and nearest columns are right") {
  Random random(3);
  for (const auto& [points, size, columns] :
       {std::array<Index, 3>{1, 1, 1}, {7, 3, 16}, {70, 5, 37}, {130, 19, 40}}) {
    const std::vector<float> x = RandomNumbers(points * size, &random);
    const std::vector<float> c = RandomNumbers(columns * size, &random);
    const std::vector<float> bias = RandomNumbers(columns, &random);
    std::vector<float> product(points * columns);
    Multiply(PackedColumns(c, bias, size), x.data(), points, product.data());
    std::vector<Index> words(points);
    NearestColumns(PackedColumns::ForNearest(c, size), x.data(), points, words.data());
    for (Index p = 0; p < points; ++p) {
      double best = 1e30;
      for (Index k = 0; k < columns; ++k) {
        const float* column = c.data() + k * size;
        double dot = bias[k];
        for (Index d = 0; d < size; ++d) dot += static_cast<double>(x[p * size + d]) * column[d];
        CHECK(product[p * columns + k] == doctest::Approx(dot).epsilon(1e-5));
        best = std::min(best, Square(x.data() + p * size, column, size));
      }
      CHECK(Square(x.data() + p * size, c.data() + words[p] * size, size) <= best + 1e-5);
    }
  }
}

TEST_CASE("among equal columns the first is the nearest") {
  const std::vector<float> columns = {1, 1, 0, 0, 1, 1, 0, 0};
  const std::vector<float> points = {0.9f, 1, 0.1f, 0};
  std::vector<Index> words(2);
  NearestColumns(PackedColumns::ForNearest(columns, 2), points.data(), 2, words.data());
  CHECK(words == std::vector<Index>{0, 1});
}

TEST_CASE("principal components are Eigen's, of rows in any number of parts") {
  Random random(8);
  constexpr Index kSize = 6;
  constexpr Index kRows = 50;
  std::vector<float> rows = RandomNumbers(kSize * kRows, &random);
  for (Index r = 0; r < kRows; ++r) {
    for (Index d = 0; d < kSize; ++d) rows[r * kSize + d] = rows[r * kSize + d] * (1 + d) + d;
  }
  Moments moments(kSize);
  moments.Add(rows.data(), 20);
  moments.Add(rows.data() + 20 * kSize, kRows - 20);
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd x = Eigen::Map<const Matrix>(rows.data(), kRows, kSize).cast<double>();
  const Eigen::MatrixXd centred = x.rowwise() - x.colwise().mean();
  const Eigen::MatrixXd covariance = centred.transpose() * centred / kRows;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> expected(covariance);
  const Spectrum spectrum = Decompose(moments);
  REQUIRE(spectrum.values.size() == kSize);
  for (Index k = 0; k < kSize; ++k) {
    CHECK(spectrum.values[k] ==
          doctest::Approx(expected.eigenvalues()[kSize - 1 - k]).epsilon(1e-4));
    double dot = 0;
    for (Index d = 0; d < kSize; ++d)
      dot += spectrum.vectors[k * kSize + d] * expected.eigenvectors()(d, kSize - 1 - k);
    CHECK(std::abs(dot) == doctest::Approx(1).epsilon(1e-3));
  }
  const double sum = std::accumulate(spectrum.values.begin(), spectrum.values.end(), 0.0);
  CHECK(CountFor(spectrum, 0) == 1);
  CHECK(CountFor(spectrum, (spectrum.values[0] + spectrum.values[1]) / sum - 1e-9) == 2);
  CHECK(CountFor(spectrum, 1.1) == kSize);
}

TEST_CASE("words are the nearest centres of projected descriptors") {
  const Image image = DrawSynthetic(30, 22, 4, 9).image;
  const std::vector<float> lab = ToLab(image);
  for (const DescriptorSpec& standard : DescriptorSpecs(FeatureSet::kStandard)) {
    if (standard.size == 0) continue;
    DescriptorSpec spec = standard;
    spec.words = 7;
    if (spec.kept > 20) spec.kept = 8;
    const Descriptors found = Describe({image, lab}, spec);
    REQUIRE(found.values.size() == found.pixels.size() * spec.size);
    const Vocabulary vocabulary =
        std::move(Vocabulary::Learn({spec}, {found.values}, 1, 1, nullptr)[0]);
    const Index size = spec.kept > 0 ? spec.kept : spec.size;
    const std::vector<float> projected = vocabulary.Project(found.values);
    const std::vector<Index> words = vocabulary.Words(found.values);
    REQUIRE(projected.size() == words.size() * size);
    int wrong = 0;
    for (std::size_t p = 0; p < words.size(); ++p) {
      const float* point = projected.data() + p * size;
      const double own = Square(point, vocabulary.centres().data() + words[p] * size, size);
      for (Index k = 0; k < spec.words; ++k) {
        const double other = Square(point, vocabulary.centres().data() + k * size, size);
        wrong += other < own - 1e-4 * (1 + own);
      }
    }
    CHECK_MESSAGE(wrong == 0, spec.name);
  }
}

TEST_CASE("descriptors lie on a grid that covers the image, whatever its size") {
  for (const auto& [width, height] : {std::array<Index, 2>{1, 1}, {5, 3}, {2, 17}, {23, 14}}) {
    const Image image = Coloured(width, height);
    const std::vector<float> lab = ToLab(image);
    for (const DescriptorSpec& spec : DescriptorSpecs(FeatureSet::kStandard)) {
      const Descriptors found = Describe({image, lab}, spec);
      const std::size_t cells = ((width - 1) / spec.step + 1) * ((height - 1) / spec.step + 1);
      CHECK_MESSAGE(found.pixels.size() == cells, spec.name);
      CHECK(std::set<Index>(found.pixels.begin(), found.pixels.end()).size() == cells);
      for (const Index pixel : found.pixels) CHECK((pixel >= 0 && pixel < width * height));
      CHECK(AllFinite(found.values));
      for (const Index word : found.words) CHECK((word >= 0 && word < kPatternWords));
    }
  }
}

TEST_CASE("SIFT of a flat image is zero, and of an edge depends on its direction") {
  const DescriptorSpec& spec = DescriptorSpecs(FeatureSet::kStandard)[0];
  const auto describe = [&](const Image& image) {
    return Describe({image, ToLab(image)}, spec).values;
  };
  Image image{16, 16, std::vector<std::uint8_t>(3 * 256, 90)};
  for (const float value : describe(image)) CHECK(value == 0);
  for (std::size_t k = 0; k < image.rgb.size(); ++k) image.rgb[k] = k / 3 % 16 < 8 ? 0 : 255;
  const std::vector<float> upright = describe(image);
  for (std::size_t k = 0; k < image.rgb.size(); ++k) image.rgb[k] = k / 48 < 8 ? 0 : 255;
  const std::vector<float> flat = describe(image);
  REQUIRE(upright.size() == flat.size());
  CHECK(Square(upright.data(), flat.data(), static_cast<Index>(flat.size())) > 10);
}

TEST_CASE("smoothing keeps constants and sums") {
  Plane plane(9, 7);
  std::fill(plane.values.begin(), plane.values.end(), 3.0f);
  for (const float value : Smooth(plane, 2).values) CHECK(value == doctest::Approx(3));
  std::fill(plane.values.begin(), plane.values.end(), 0.0f);
  plane.values[3 * 9 + 4] = 1;
  const Plane smooth = Smooth(plane, 0.8);
  CHECK(std::accumulate(smooth.values.begin(), smooth.values.end(), 0.0) ==
        doctest::Approx(1).epsilon(1e-3));
  CHECK(smooth.at(4, 3) == *std::max_element(smooth.values.begin(), smooth.values.end()));
  CHECK(smooth.at(3, 3) == doctest::Approx(smooth.at(5, 3)));
  CHECK(smooth.at(4, 2) == doctest::Approx(smooth.at(3, 3)));
}

TEST_CASE("an image is reduced by means") {
  Image image{3, 2, {}};
  for (const int value : {10, 20, 90, 30, 40, 50})
    image.rgb.insert(image.rgb.end(), 3, static_cast<std::uint8_t>(value));
  const Image reduced = Reduced(image, 2);
  CHECK(reduced.width == 2);
  CHECK(reduced.height == 1);
  CHECK(reduced.rgb == std::vector<std::uint8_t>{25, 25, 25, 70, 70, 70});
}

TEST_CASE("descriptors of large images are taken from a smaller copy") {
  const Image large{1201, 801, std::vector<std::uint8_t>(3 * 1201 * 801, 77)};
  const WorkingImage working(large);
  const Image& small = working.described().image;
  CHECK(small.width == 601);
  CHECK(small.height == 401);
  CHECK(std::ssize(working.described().lab) == 3 * Offset{small.num_pixels()});
  Superpixels halves{large.width, large.height, 2, {}};
  for (Index p = 0; p < large.num_pixels(); ++p) halves.of_pixel.push_back(p % large.width >= 600);
  const std::vector<Index> of_pixel = working.SuperpixelOfDescribed(halves);
  REQUIRE(std::ssize(of_pixel) == small.num_pixels());
  int wrong = 0;
  for (Index p = 0; p < small.num_pixels(); ++p) wrong += of_pixel[p] != (p % small.width >= 300);
  CHECK(wrong == 0);
  const Image moderate = Coloured(40, 30);
  CHECK(&WorkingImage(moderate).described().image == &moderate);
}

TEST_CASE("histograms of regions count words") {
  const PlacedWords words{3, {0, 0, 1, 2, 2, 2}, {0, 1, 2, 0, 0, 2}};
  const std::vector<float> own = CountWords(words, 4);
  CHECK(own == std::vector<float>{1, 1, 0, 0, 0, 1, 2, 0, 1, 0, 0, 0});
  std::vector<float> around = NeighbourSums(own, 3, 4, {{0, 1, 1, 0}, {1, 2, 1, 0}, {2, 3, 1, 0}});
  CHECK(around == std::vector<float>{0, 0, 1, 3, 1, 1, 0, 0, 1, 2, 0, 1});
  CHECK(RowSum(own, 3) == std::vector<float>{3, 1, 2});
  TakeRoots(3, &around);
  for (std::size_t row = 0; row < around.size(); row += 3) {
    CHECK(Square(around.data() + row, std::vector<float>(3).data(), 3) == doctest::Approx(1));
  }
  CHECK(around[3] == doctest::Approx(std::sqrt(0.6f)));
  std::vector<float> nothing(6);
  TakeRoots(3, &nothing);
  CHECK(nothing == std::vector<float>(6));
}

TEST_CASE("the shape values of a known superpixel are right") {
  // The left half is black, the right half red.
  Image image{8, 4, {}};
  Superpixels superpixels{8, 4, 2, {}};
  for (Index p = 0; p < 32; ++p) {
    const bool right = p % 8 >= 4;
    superpixels.of_pixel.push_back(right);
    for (const int value : {right ? 255 : 0, 0, 0})
      image.rgb.push_back(static_cast<std::uint8_t>(value));
  }
  const std::vector<float> values = ShapeValues(image, ToLab(image), superpixels);
  REQUIRE(values.size() == 2 * kShapeValues);
  CHECK(AllFinite(values));
  const float* left = values.data();
  const float* right = left + kShapeValues;
  CHECK(left[0] == doctest::Approx(0));
  CHECK(right[0] == doctest::Approx(53.2).epsilon(0.01));  // L of red
  CHECK(right[1] == doctest::Approx(0));
  CHECK(right[9] == 1);   // red
  CHECK(right[12] == 1);  // the cosine of its hue
  CHECK(left[16] == 0);
  CHECK(right[16] == 1);                     // the first hue
  CHECK(left[24] == doctest::Approx(0.25));  // x
  CHECK(left[25] == doctest::Approx(0.5));
  CHECK(right[29] == doctest::Approx(0.5));  // the left edge of its bounding box
  CHECK(left[33] == doctest::Approx(std::log(0.5)));
  CHECK(left[34] == 1);  // touches the left border
  CHECK(left[35] == 0);
  CHECK(right[35] == 1);
  CHECK(left[38] == doctest::Approx(std::log(16.0)));
  CHECK(left[39] == doctest::Approx(0));
  CHECK(left[40] == doctest::Approx(1));
  CHECK(left[44] == doctest::Approx(0));  // a square is not elongated
}

TEST_CASE("an extractor depends on images, options and seed, not on threads") {
  const Files files(5);
  const FeatureExtractor extractor = Learned(files);
  const std::string saved = extractor.Save();
  CHECK(Learned(files).Save() == saved);
  CHECK(Learned(files, Small(), 3).Save() == saved);
  ExtractorOptions other = Small();
  other.seed = 2;
  CHECK(Learned(files, other).Save() != saved);
  const Image image = ReadImage(files.paths[1]);
  const ImageFeatures features = extractor.Extract(image);
  CheckWhole(features, image, extractor);
  CHECK(extractor.Extract(image).fine_rows == features.fine_rows);
  CHECK(extractor.Extract(image).coarse_rows == features.coarse_rows);
}

TEST_CASE("a saved extractor keeps the limit of superpixels") {
  const Files files(4);
  ExtractorOptions limited = Small();
  limited.at_most = true;
  const FeatureExtractor extractor = Learned(files, limited);
  const FeatureExtractor loaded = FeatureExtractor::Load(extractor.Save());
  CHECK(loaded.options().at_most);
  CHECK_FALSE(FeatureExtractor::Load(Learned(files).Save()).options().at_most);
  for (const std::string& path : files.paths) {
    const ImageFeatures features = loaded.Extract(ReadImage(path));
    CHECK(features.fine.count <= limited.fine);
    CHECK(features.coarse.count <= limited.coarse);
    CHECK(features.fine_rows == extractor.Extract(ReadImage(path)).fine_rows);
  }
}

TEST_CASE("images in memory give the extractor of their files") {
  const Files files(4);
  std::array<std::atomic<int>, 4> asked{};
  const ImageSource source = [&](Index i) {
    ++asked[i];
    return ReadImage(files.paths[i]);
  };
  CHECK(FeatureExtractor::Learn(4, source, Small(), 2, {}).Save() == Learned(files).Save());
  for (const auto& count : asked) CHECK(count == 2);
  CHECK_THROWS_AS(FeatureExtractor::Learn(0, source, Small(), 1, {}), std::invalid_argument);
}

TEST_CASE("blocks cover the features, and have norm 1 in the mean over the training images") {
  const Files files(6);
  const FeatureExtractor extractor = Learned(files);
  std::vector<double> norms(extractor.blocks().size());
  double count = 0;
  for (const std::string& path : files.paths) {
    const ImageFeatures features = extractor.Extract(ReadImage(path));
    count += features.fine.count;
    for (Index s = 0; s < features.fine.count; ++s) {
      const float* row = features.fine_rows.data() + s * extractor.dimension();
      for (std::size_t b = 0; b < norms.size(); ++b) {
        const FeatureBlock& block = extractor.blocks()[b];
        norms[b] += Square(row + block.begin, std::vector<float>(block.size).data(), block.size);
      }
    }
  }
  Index end = 0;
  std::set<std::string> names;
  for (std::size_t b = 0; b < norms.size(); ++b) {
    const FeatureBlock& block = extractor.blocks()[b];
    CHECK(block.begin == end);
    CHECK(block.size >= 1);
    end += block.size;
    names.insert(block.name);
    CHECK_MESSAGE(norms[b] / count == doctest::Approx(1).epsilon(0.1), block.name);
  }
  CHECK(end == extractor.dimension());
  CHECK(names.size() == norms.size());
  CHECK(names.count("own/sift4") + names.count("neighbours/lab") + names.count("own/shape") == 3);
}

TEST_CASE("a saved extractor gives the same features") {
  const Files files(3);
  const FeatureExtractor extractor = Learned(files);
  const std::string saved = extractor.Save();
  const FeatureExtractor loaded = FeatureExtractor::Load(saved);
  CHECK(loaded.Save() == saved);
  CHECK(loaded.dimension() == extractor.dimension());
  CHECK(loaded.options().fine == 12);
  CHECK(loaded.options().features == FeatureSet::kSmall);
  const Image image = DrawSynthetic(26, 19, 3, 77).image;
  CHECK(loaded.Extract(image).fine_rows == extractor.Extract(image).fine_rows);
}

TEST_CASE("damaged extractors are refused") {
  const Files files(2);
  const std::string saved = Learned(files).Save();
  REQUIRE(FeatureExtractor::Load(saved).Save() == saved);
  const auto message = [](const std::string& bytes) {
    return MessageOf<DataError>([&] { FeatureExtractor::Load(bytes); });
  };
  for (std::size_t length = 0; length < saved.size(); length += 977) {
    CHECK(message(saved.substr(0, length)) != "accepted");
  }
  for (std::size_t k = 0; k < saved.size(); k += k < 200 ? 1 : 491) {
    std::string bad = saved;
    bad[k] = static_cast<char>(bad[k] ^ 0x20);
    CHECK(message(bad) != "accepted");
  }
  CHECK(Contains(message("no extractor at all"), "not a feature extractor"));
  CHECK(Contains(message(saved + "x"), "damaged"));
  std::string newer = saved;
  newer[8] = 3;
  CHECK(Contains(message(newer), "newer version"));
}

TEST_CASE("lengths with a good checksum are still checked") {
  const Files files(2);
  const std::string saved = Learned(files).Save();
  const std::string body = saved.substr(0, saved.size() - 4);
  const auto mended = [](std::string bytes) {
    const std::uint32_t sum = Crc32(bytes);
    bytes.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
    return bytes;
  };
  REQUIRE(mended(body) == saved);
  const auto refused = [&](const std::string& bytes) {
    return Contains(MessageOf<DataError>([&] { FeatureExtractor::Load(mended(bytes)); }),
                    "do not fit together");
  };
  for (const std::size_t at : {12, 16, 20, 32, 35, 39}) {  // superpixels, kind, the first length
    std::string bad = body;
    bad[at] = bad[at + 3] = static_cast<char>(0xff);
    CHECK(refused(bad));
  }
  CHECK(refused(body + std::string(4, '\0')));
  CHECK(refused(body.substr(0, body.size() - 8)));
}

TEST_CASE("images of any size and colour are supported") {
  Files files(2);
  const auto add = [&](const std::string& name, const Image& image) {
    files.paths.push_back(files.folder.Path(name));
    WritePng(files.paths.back(), image);
  };
  add("dot.png", Coloured(1, 1));
  add("tiny.png", Coloured(5, 3));
  add("grey.png", Image{20, 20, std::vector<std::uint8_t>(1200, 128)});
  const FeatureExtractor extractor = Learned(files);
  for (const auto& [width, height] :
       {std::array<Index, 2>{1, 1}, {5, 3}, {1, 40}, {33, 2}, {31, 29}}) {
    const Image image = Coloured(width, height);
    CheckWhole(extractor.Extract(image), image, extractor);
  }
  const Image grey{20, 20, std::vector<std::uint8_t>(1200, 128)};
  CheckWhole(extractor.Extract(grey), grey, extractor);
}

TEST_CASE("an extractor can be learned from uniform images") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("dot.png");
  const Image dot{1, 1, {10, 10, 10}};
  WritePng(path, dot);
  const FeatureExtractor extractor = FeatureExtractor::Learn({path, path}, Small(), 1, {});
  CheckWhole(extractor.Extract(dot), dot, extractor);
  for (const float value : extractor.Extract(dot).fine_rows) CHECK(value == 0);
  const Image image = Coloured(9, 9);
  CheckWhole(extractor.Extract(image), image, extractor);
}

TEST_CASE("progress is reported image by image, and can end the work") {
  const Files files(3);
  Index calls = 0;
  LearnProgress progress;
  progress.image = [&](Index done, Index all) {
    CHECK(done == ++calls);
    CHECK(all == 6);
  };
  FeatureExtractor::Learn(files.paths, Small(), 2, progress);
  CHECK(calls == 6);
  progress.image = [](Index done, Index) {
    if (done == 2) throw DataError("enough");
  };
  CHECK(MessageOf<DataError>([&] { FeatureExtractor::Learn(files.paths, Small(), 1, progress); }) ==
        "enough");
}

TEST_CASE("learning can be ended at every step") {
  const Files files(2);
  // Calls of the check, by the number of images done: first descriptors, then all of k-means, then
  // words and components.
  std::array<int, 5> steps{};
  std::size_t images = 0;
  LearnProgress progress;
  progress.image = [&](Index done, Index) { images = done; };
  progress.check = [&] { ++steps[images]; };
  FeatureExtractor::Learn(files.paths, Small(), 1, progress);
  CHECK(steps[0] >= 2);    // descriptors of the first image
  CHECK(steps[2] >= 100);  // 50 centres to draw for each of two vocabularies
  CHECK(steps[4] >= 9);    // components of every block
  const int all = std::accumulate(steps.begin(), steps.end(), 0);
  for (const int threads : {1, 2}) {
    for (int last = 0; last < all; last += 1 + all / 20) {
      std::atomic<int> count{0};
      LearnProgress stop;
      stop.check = [&] {
        if (count++ >= last) throw DataError("stopped");
      };
      CHECK(MessageOf<DataError>([&] {
              FeatureExtractor::Learn(files.paths, Small(), threads, stop);
            }) == "stopped");
    }
  }
  const FeatureExtractor extractor = Learned(files);
  const auto stop = [] { throw DataError("stopped"); };
  CHECK(MessageOf<DataError>([&] { extractor.Extract(Coloured(9, 9), stop); }) == "stopped");
}

TEST_CASE("images that cannot be learned from are refused") {
  Files files(2);
  CHECK_THROWS_AS(FeatureExtractor::Learn({}, Small(), 1, {}), std::invalid_argument);
  files.paths.push_back(files.folder.Path("none.png"));
  CHECK(Contains(MessageOf<DataError>([&] { Learned(files); }), "none.png"));
  files.paths.back() = files.folder.Write("bad.png", "not an image");
  files.paths.push_back(files.folder.Write("worse.png", "none either"));
  for (const int threads : {1, 2, 4})
    CHECK(Contains(MessageOf<DataError>([&] { Learned(files, Small(), threads); }), "bad.png"));
}
