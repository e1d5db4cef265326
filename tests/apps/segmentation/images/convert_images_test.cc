// SPDX-License-Identifier: BSD-3-Clause
//
// Converted images are those of the prepared file: every number of them, on one rank and on
// several.
#include <slackline/apps/segmentation/images/convert_images.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/segmentation/images/converted_images.h>
#include <slackline/apps/segmentation/images/image_preparation.h>
#include <slackline/apps/segmentation/images/prepared_images.h>
#include <slackline/core/check.h>
#include <tests/apps/data_rows.h>
#include <tests/apps/segmentation/images/drawn_pictures.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/dealt.h>
#include <tests/support/thread_ranks.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Five training images, prepared; 0 and 7 are void values of their labels.
std::string PrepareFive(const TemporaryFolder& folder) {
  PreparationRequest request = DrawnRequest();
  request.num_train = 5;
  request.coding = LabelCoding({0, 7});
  ImagePreparation preparation(request, {});
  preparation.Learn();
  const std::string path = folder.Path("images.fea");
  WriteFeatureFile(path, NameOf, &preparation, nullptr);
  return path;
}

void CheckSameExample(const SegmentExample& a, const SegmentExample& b) {
  CHECK(a.graph.num_fine == b.graph.num_fine);
  CHECK(a.graph.num_coarse == b.graph.num_coarse);
  CHECK(a.graph.parent == b.graph.parent);
  CHECK(std::equal(a.graph.neighbours.begin(), a.graph.neighbours.end(), b.graph.neighbours.begin(),
                   b.graph.neighbours.end(),
                   [](const SegmentGraph::Border& x, const SegmentGraph::Border& y) {
                     return x.first == y.first && x.second == y.second && x.contrast == y.contrast;
                   }));
  CHECK(a.potentials.empty());
  CHECK(a.fine_pixels == b.fine_pixels);
  CHECK(a.coarse_pixels == b.coarse_pixels);
}

void CheckSameDense(const FeatureRow& a, const FeatureRow& b) {
  REQUIRE(a.dense());
  CheckSameRow(a, b);
}

void CheckSameTask(const SegmentTask& converted, const SegmentTask& prepared) {
  const SegmentModel& model = converted.model;
  CHECK(model.File().Bytes() == prepared.model.File().Bytes());
  CHECK(converted.scaled.line == prepared.scaled.line);
  CHECK(converted.scaled.warnings == prepared.scaled.warnings);
  const SegmentData& a = converted.data;
  const SegmentData& b = prepared.data;
  CHECK(a.names == b.names);
  CHECK(a.rows->in_file());
  REQUIRE(a.examples.size() == b.examples.size());
  for (std::size_t m = 0; m < a.examples.size(); ++m) {
    CHECK(a.examples[m].first_row == b.examples[m].first_row);
    CheckSameExample(a.examples[m], b.examples[m]);
  }
  REQUIRE(a.rows->size() == b.rows->size());
  for (Index r = 0; r < a.rows->size(); ++r) CheckSameDense(a.rows->row(r), b.rows->row(r));
}

ImageConversionOptions With(const SegmentChoices& choices, std::optional<ScaleKind> scale = {}) {
  ImageConversionOptions options;
  options.choices = choices;
  options.scale = scale;
  return options;
}

SegmentChoices Layers(const char* layers, const char* regions = "") {
  SegmentChoices choices;
  choices.layers = layers;
  choices.regions = regions;
  return choices;
}

}  // namespace

TEST_CASE("the task of converted images is that of prepared ones") {
  const TemporaryFolder folder;
  const std::string path = PrepareFive(folder);
  const std::string out = folder.Path("out");
  for (const char* layers : {"two", "fine", "neighbours"}) {
    for (const char* regions : {"", "own,image"}) {
      for (const std::optional<ScaleKind> scale :
           {std::optional<ScaleKind>(), std::optional<ScaleKind>(ScaleKind::kStandard),
            std::optional<ScaleKind>(ScaleKind::kUnscaled)}) {
        const SegmentChoices choices = Layers(layers, regions);
        const ImageConversion conversion = ConvertImages(path, {out}, With(choices, scale));
        const SegmentTask prepared = LoadSegmentTask(path, choices, scale);
        CheckSameTask(LoadSegmentTask(out, choices, std::nullopt), prepared);
        CHECK(conversion.num_images == 5);
        CHECK(conversion.num_rows == prepared.data.rows->size());
        CHECK(conversion.num_features == prepared.model.num_features());
        CHECK(conversion.num_classes == kClasses);
      }
    }
  }
}

TEST_CASE("ranks have their images of one file and of parts") {
  const TemporaryFolder folder;
  const std::string path = PrepareFive(folder);
  const std::string one = folder.Path("one");
  const std::string parts = folder.Path("parts");
  ImageConversionOptions options = With({});
  ConvertImages(path, {one}, options);
  CHECK(ConvertImages(path, {parts, 3}, options).num_files >= 1);
  const SegmentTask prepared = LoadSegmentTask(path, {}, std::nullopt);
  for (const std::string& source : {one, parts}) {
    CheckSameTask(LoadSegmentTask(source, {}, std::nullopt), prepared);
    for (const int processes : {2, 3, 7}) {
      std::vector<std::optional<SegmentTask>> shares(Size(processes));
      OnThreadRanks(processes, [&](ThreadRanks& ranks) {
        shares[Size(ranks.rank())] = LoadSegmentTask(source, {}, std::nullopt, &ranks, 4);
      });
      std::size_t images = 0;
      Index row = 0;
      for (const std::optional<SegmentTask>& share : shares) {
        for (const SegmentExample& example : share->data.examples)
          CheckSameExample(example, prepared.data.examples[images++]);
        for (Index r = 0; r < share->data.rows->size(); ++r)
          CheckSameDense(share->data.rows->row(r), prepared.data.rows->row(row++));
      }
      CHECK(images == prepared.data.examples.size());
      CHECK(row == prepared.data.rows->size());
    }
  }
}

TEST_CASE("choices that the conversion made otherwise are refused") {
  const TemporaryFolder folder;
  const std::string path = PrepareFive(folder);
  const std::string out = folder.Path("out");
  const auto message = [&](const SegmentChoices& choices, std::optional<ScaleKind> scale = {}) {
    return MessageOf<DataError>([&] { LoadSegmentTask(out, choices, scale); });
  };
  ConvertImages(path, {out}, With(Layers("fine", "own")));
  CHECK(Contains(message({}), "was converted without coarse superpixels: pass --layers fine, or"));
  CHECK(Contains(message(Layers("fine", "all")), "was converted with --regions own: convert"));
  CHECK(Contains(message(Layers("fine"), ScaleKind::kNorm), "again, with --scale norm"));
  CHECK(message(Layers("fine", "own")) == "accepted");
  ConvertImages(path, {out}, With({}));
  CHECK(Contains(message(Layers("fine")), "convert the images again, with --layers fine"));
  SegmentChoices potentials;
  potentials.potentials = "scores.tsv";
  CHECK(Contains(message(potentials), "--potentials needs the file of prepared images"));
  const SegmentModel model = LoadSegmentTask(out, {}, std::nullopt).model;
  CHECK(Contains(MessageOf<DataError>([&] { LoadPrepared(out, "", model, ImageRole::kTest); }),
                 "converted images, which are for training"));
}

TEST_CASE("files without training images, interrupts and damage leave no file") {
  const TemporaryFolder folder;
  const std::string path = PrepareFive(folder);
  const std::string out = folder.Path("out");
  ImageConversionOptions options;
  struct Stop {};
  for (const std::string_view end : {"reading", "learning scales", "writing"}) {
    options.progress = [&](std::string_view stage, Index) {
      if (stage == end) throw Stop{};
    };
    CHECK_THROWS_AS(ConvertImages(path, {out}, options), Stop);
  }
  options.progress = [](std::string_view, Index) {};
  std::string bytes = ReadBytes(path);
  bytes[bytes.size() / 3] ^= 1;  // in the features of an image
  const std::string damaged = folder.Write("damaged", bytes);
  CHECK(
      Contains(MessageOf<DataError>([&] { ConvertImages(damaged, {out}, options); }), "checksum"));
  CHECK(folder.NumFiles() == 2);
}

TEST_CASE("a changed bit of a file is found") {
  const TemporaryFolder folder;
  const std::string out = folder.Path("out");
  ConvertImages(PrepareFive(folder), {out}, {});
  const std::string bytes = ReadBytes(out);
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 500) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    CAPTURE(at);
    folder.Write("out", changed);
    CHECK(MessageOf<DataError>([&] { LoadSegmentTask(out, {}, std::nullopt); }) != "accepted");
  }
}

TEST_CASE("images that contradict themselves are refused") {
  ConvertedImage image;
  image.name = "a";
  image.example.graph = {3, 2, {0, 1, 1}, {{0, 1, 2.5F}, {1, 2, 0}}};
  image.example.fine_pixels = {1, 2, 3, 4, 5, 6};
  image.example.coarse_pixels = {0, 1, 2, 3};
  const auto valid = [](const ConvertedImage& given) {
    ConvertedImage read;
    return ReadImageBytes(ImageBytes(given), 2, &read);
  };
  ConvertedImage read;
  CHECK(ReadImageBytes(ImageBytes(image), 2, &read));
  CHECK(read.name == "a");
  CheckSameExample(read.example, image.example);
  const auto changed = [&](const auto& change) {
    ConvertedImage other = image;
    change(&other.example);
    return valid(other);
  };
  CHECK(!changed([](SegmentExample* e) { e->graph.parent[1] = 2; }));
  CHECK(!changed([](SegmentExample* e) { e->graph.parent[1] = -1; }));
  CHECK(!changed([](SegmentExample* e) { e->graph.neighbours[0].first = 1; }));
  CHECK(!changed([](SegmentExample* e) { e->graph.neighbours[1].second = 3; }));
  CHECK(!changed([](SegmentExample* e) {
    e->graph.neighbours[1].contrast = std::numeric_limits<float>::infinity();
  }));
  CHECK(!changed([](SegmentExample* e) { e->fine_pixels[2] = -1; }));
  CHECK(!changed([](SegmentExample* e) { e->coarse_pixels[2] = -1; }));
  CHECK(!changed([](SegmentExample* e) { e->graph.num_fine = 0; }));
  CHECK(
      !changed([](SegmentExample* e) { e->graph.num_coarse = std::numeric_limits<Index>::max(); }));
  const std::string bytes = ImageBytes(image);
  for (std::size_t length = 0; length + 1 < bytes.size(); ++length)
    CHECK(!ReadImageBytes(std::string_view(bytes).substr(0, length), 2, &read));
}
