// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/images/image_preparation.h>

#include <doctest/doctest.h>

#include <atomic>

#include <slackline/core/check.h>
#include <slackline/vision/feature_file.h>
#include <tests/apps/segmentation/images/drawn_pictures.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/thread_ranks.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::string FileBytes(const PreparationRequest& request) {
  const TemporaryFolder folder;
  ImagePreparation preparation(request, {});
  preparation.Learn();
  WriteFeatureFile(folder.Path("images.fea"), NameOf, &preparation, nullptr);
  return ReadBytes(folder.Path("images.fea"));
}

/// Whether both tasks have the same images and rows.
void CheckEqual(const SegmentTask& a, const SegmentTask& b) {
  CHECK(a.model.extractor == b.model.extractor);
  CHECK(a.model.classes() == b.model.classes());
  CHECK(a.model.void_values() == b.model.void_values());
  REQUIRE(a.data.examples.size() == b.data.examples.size());
  for (std::size_t m = 0; m < a.data.examples.size(); ++m) {
    const SegmentExample& one = a.data.examples[m];
    const SegmentExample& other = b.data.examples[m];
    CHECK(one.graph.parent == other.graph.parent);
    CHECK(one.graph.neighbours.size() == other.graph.neighbours.size());
    CHECK(one.first_row == other.first_row);
    CHECK(one.fine_pixels == other.fine_pixels);
    CHECK(one.coarse_pixels == other.coarse_pixels);
  }
  REQUIRE(a.data.rows->size() == b.data.rows->size());
  for (Index r = 0; r < a.data.rows->size(); ++r) {
    const FeatureRow one = a.data.rows->row(r);
    const FeatureRow other = b.data.rows->row(r);
    REQUIRE(one.count == other.count);
    CHECK(std::equal(one.values, one.values + one.count, other.values));
  }
}

}  // namespace

TEST_CASE("checking counts the pixels of the classes in training images") {
  ImagePreparation preparation(DrawnRequest(), {});
  const std::vector<Offset> pixels = preparation.Check();
  std::vector<Offset> expected(kClasses);
  for (Index i = 0; i < 3; ++i) {
    for (const std::uint8_t label : Draw(i).labels.labels) {
      if (label != kVoid) ++expected[label];
    }
  }
  CHECK(pixels == expected);
}

TEST_CASE("images in memory give the task of their feature file") {
  const TemporaryFolder folder;
  PreparationRequest request = DrawnRequest();
  request.coding = LabelCoding({0, 7});
  ImagePreparation preparation(request, {});
  preparation.Learn();
  Index taken = 0;
  WriteFeatureFile(folder.Path("images.fea"), NameOf, &preparation,
                   [&](Index i, const ImageFeatures& features, const LabelImage& labels) {
                     CHECK(i == taken++);
                     CHECK(features.fine.width == labels.width);
                   });
  CHECK(taken == 5);
  const FeatureFile file(folder.Path("images.fea"));
  REQUIRE(file.num_images() == 5);
  CHECK(file.image(2).role == ImageRole::kTrain);
  CHECK(file.image(3).role == ImageRole::kTest);
  CHECK(file.image(3).name == "image3");
  for (const char* layers : {"two", "fine", "neighbours"}) {
    SegmentChoices choices;
    choices.layers = layers;
    choices.regions = "own,image";
    for (const std::optional<ScaleKind> scale :
         {std::optional<ScaleKind>(), std::optional<ScaleKind>(ScaleKind::kStandard)}) {
      CheckEqual(PrepareSegmentTask("here", choices, scale, &preparation),
                 LoadSegmentTask(folder.Path("images.fea"), choices, scale));
    }
  }
}

TEST_CASE("ranks have the training images one after the other") {
  const TemporaryFolder folder;
  ImagePreparation preparation(DrawnRequest(), {});
  preparation.Learn();
  const std::string path = folder.Path("images.fea");
  WriteFeatureFile(path, NameOf, &preparation, nullptr);
  for (const std::optional<ScaleKind> scale :
       {std::optional<ScaleKind>(), std::optional<ScaleKind>(ScaleKind::kStandard)}) {
    const SegmentTask one = LoadSegmentTask(path, {}, scale, &OneRank());
    REQUIRE(one.data.examples.size() == 3);
    for (const int processes : {2, 3}) {
      std::vector<std::optional<SegmentTask>> parts(Size(processes));
      OnThreadRanks(processes, [&](ThreadRanks& ranks) {
        parts[Size(ranks.rank())] = LoadSegmentTask(path, {}, scale, &ranks, 3);
      });
      std::vector<std::string> names;
      Index row = 0;
      for (const std::optional<SegmentTask>& part : parts) {
        for (std::size_t m = 0; m < part->data.examples.size(); ++m) {
          CHECK(part->data.examples[m].fine_pixels == one.data.examples[names.size()].fine_pixels);
          names.push_back(part->data.names[m]);
        }
        for (Index r = 0; r < part->data.rows->size(); ++r) {
          const FeatureRow mine = part->data.rows->row(r);
          const FeatureRow expected = one.data.rows->row(row++);
          REQUIRE(mine.count == expected.count);
          CHECK(std::equal(mine.values, mine.values + mine.count, expected.values));
        }
      }
      CHECK(names == one.data.names);
      CHECK(row == one.data.rows->size());
    }
  }
  std::atomic<int> images = 0;  // fewer than ranks
  OnThreadRanks(5, [&](ThreadRanks& ranks) {
    images +=
        static_cast<int>(LoadSegmentTask(path, {}, std::nullopt, &ranks).data.examples.size());
  });
  CHECK(images == 3);
}

TEST_CASE("features do not depend on the number of threads") {
  PreparationRequest request = DrawnRequest();
  const std::string bytes = FileBytes(request);
  request.threads = 3;
  CHECK(FileBytes(request) == bytes);
  request.extractor.seed = 2;
  CHECK(FileBytes(request) != bytes);
}

TEST_CASE("stages report all their images, from zero on") {
  std::vector<std::string> reports;
  PreparationProgress progress;
  progress.stage = [&](std::string_view stage, Index done, Index all) {
    reports.push_back(std::string(stage) + " " + std::to_string(done) + "/" + std::to_string(all));
  };
  ImagePreparation preparation(DrawnRequest(), progress);
  preparation.Check();
  preparation.Learn();
  preparation.Extract(true, [](Index, const ImageFeatures&, const LabelImage&) {});
  const std::vector<std::string> expected = {"checking 0/5",
                                             "checking 1/5",
                                             "checking 2/5",
                                             "checking 3/5",
                                             "checking 4/5",
                                             "checking 5/5",
                                             "learning words 0/3",
                                             "learning words 1/3",
                                             "learning words 2/3",
                                             "learning words 3/3",
                                             "learning components 0/3",
                                             "learning components 1/3",
                                             "learning components 2/3",
                                             "learning components 3/3",
                                             "features 0/3",
                                             "features 1/3",
                                             "features 2/3",
                                             "features 3/3"};
  CHECK(reports == expected);
}

TEST_CASE("the work ends where a check throws, and no file appears") {
  struct Stop {};
  const TemporaryFolder folder;
  const std::string path = folder.Path("images.fea");
  int calls = 0;
  int last = -1;
  PreparationProgress progress;
  progress.check = [&] {
    if (++calls == last) throw Stop{};
  };
  const auto work = [&] {
    ImagePreparation preparation(DrawnRequest(), progress);
    preparation.Check();
    preparation.Learn();
    WriteFeatureFile(path, NameOf, &preparation, nullptr);
  };
  work();
  CHECK(std::filesystem::remove(path));
  const int all = calls;
  for (const int step : {1, all / 4, all / 2, all}) {
    calls = 0;
    last = step;
    CHECK_THROWS_AS(work(), Stop);
    CHECK_FALSE(std::filesystem::exists(path));
  }
}

TEST_CASE("the first image that fails is reported, for any number of threads") {
  PreparationRequest request = DrawnRequest();
  request.labelled = [](Index i) {
    if (i == 1 || i == 4) throw DataError("image " + std::to_string(i));
    return Draw(i);
  };
  for (const int threads : {1, 4}) {
    request.threads = threads;
    CHECK_THROWS_WITH_AS(ImagePreparation(request, {}).Check(), "image 1", DataError);
  }
}

TEST_CASE("preparation needs training images") {
  PreparationRequest request = DrawnRequest();
  request.num_train = 0;
  CHECK_THROWS_AS(ImagePreparation(request, {}), std::invalid_argument);
  request.num_train = 6;
  CHECK_THROWS_AS(ImagePreparation(request, {}), std::invalid_argument);
}

TEST_CASE("images without labels are not a task") {
  PreparationRequest request = DrawnRequest();
  request.labelled = [](Index i) {
    LabelledImage image = Draw(i);
    image.labels.labels.assign(image.labels.labels.size(), kVoid);
    return image;
  };
  ImagePreparation preparation(request, {});
  preparation.Learn();
  SegmentTask task = PrepareSegmentTask("here", {}, std::nullopt, &preparation);
  CHECK_THROWS_WITH_AS(SegmentTraining(&task, SegmentLoss::kPixels, {}),
                       "here: no training image has a label", DataError);
}
