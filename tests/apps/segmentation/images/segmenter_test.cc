// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/images/segmenter.h>

#include <doctest/doctest.h>

#include <slackline/apps/segmentation/images/prepared_images.h>
#include <slackline/core/check.h>
#include <tests/apps/segmentation/images/drawn_pictures.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Drawn images, prepared, and a model with some weights.
struct PreparedImages {
  PreparedImages() : preparation(DrawnRequest(), {}) {
    preparation.Learn();
    WriteFeatureFile(path, NameOf, &preparation, nullptr);
  }
  SegmentModel Model(const SegmentChoices& choices = {}) {
    SegmentModel model = LoadSegmentTask(path, choices, std::nullopt).model;
    SetWeights(&model);
    return model;
  }

  TemporaryFolder folder;
  std::string path = folder.Path("images.fea");
  ImagePreparation preparation;
};

}  // namespace

TEST_CASE("an image is labelled as its prepared features are") {
  PreparedImages prepared;
  for (const char* layers : {"two", "fine", "neighbours"}) {
    SegmentChoices choices;
    choices.layers = layers;
    const SegmentModel model = prepared.Model(choices);
    const Segmenter segmenter(model, DecodeKind::kAuto);
    CHECK(segmenter.options().fine == 12);
    ConfusionMatrix confusion(kClasses);
    Index certified = 0;
    for (Index i = 3; i < 5; ++i) {
      const LabelledImage drawn = Draw(i);
      const Segmenter::Result result = segmenter.Predict(drawn.image, true);
      AddPixels(drawn.labels, result.labels, &confusion);
      certified += result.certified ? 1 : 0;
      CHECK(std::ssize(result.scores) == result.superpixels.count * kClasses);
      CHECK(segmenter.Predict(drawn.image, false).scores.empty());
    }
    const SegmentEvaluation evaluation =
        EvaluatePrepared(prepared.path, "", model, DecodeKind::kAuto);
    CHECK(evaluation.images == 2);
    CHECK(evaluation.certified == certified);
    CHECK(HasPixels(confusion));
    CHECK(std::equal(confusion.counts().begin(), confusion.counts().end(),
                     evaluation.confusion.counts().begin()));
  }
}

TEST_CASE("without links every superpixel has the class with the best score") {
  PreparedImages prepared;
  SegmentChoices choices;
  choices.layers = "fine";
  const SegmentModel model = prepared.Model(choices);
  const Segmenter::Result result = Segmenter(model, DecodeKind::kAuto).Predict(Draw(4).image, true);
  for (std::size_t p = 0; p < result.labels.labels.size(); ++p) {
    const auto scores = result.scores.begin() + result.superpixels.of_pixel[p] * kClasses;
    CHECK(result.labels.labels[p] == std::max_element(scores, scores + kClasses) - scores);
  }
}

TEST_CASE("prediction ends where a check throws") {
  struct Stop {};
  PreparedImages prepared;
  const SegmentModel model = prepared.Model();
  const Segmenter segmenter(model, DecodeKind::kAuto);
  CHECK_THROWS_AS(segmenter.Predict(Draw(0).image, false, [] { throw Stop{}; }), Stop);
}

TEST_CASE("models that cannot label images are refused") {
  PreparedImages prepared;
  const SegmentModel potentials =
      SegmentModel::OfPotentials({"a", "b"}, SegmentLayers::kTwo, SegmentPairwise::kPotts);
  CHECK_THROWS_AS(Segmenter(potentials, DecodeKind::kAuto), DataError);
  SegmentModel model = prepared.Model();
  SegmentModel other(model.classes(), 5, {{0, 5}}, SegmentLayers::kTwo, SegmentPairwise::kTable);
  other.extractor = model.extractor;
  CHECK_THROWS_WITH_AS(Segmenter(other, DecodeKind::kAuto),
                       "the model's features do not fit its weights", DataError);
  model.extractor.back() ^= 1;
  CHECK_THROWS_AS(Segmenter(model, DecodeKind::kAuto), DataError);
}

TEST_CASE("a model takes the features of the regions chosen") {
  PreparedImages prepared;
  const ImageFormat format =
      FormatOf(prepared.preparation.extractor(), SyntheticClasses(kClasses), LabelCoding({3, 255}));
  SegmentChoices choices;
  const SegmentModel all = MakeSegmentModel(choices, format);
  CHECK(all.num_features() == format.dimension);
  CHECK(CodingOf(all).void_values() == std::vector<std::uint8_t>{3, 255});
  Index own = 0;
  for (const FeatureBlock& block : format.blocks)
    own += block.name.starts_with("own/") ? block.size : 0;
  choices.regions = "own";
  CHECK(MakeSegmentModel(choices, format).num_features() == own);
  choices.regions = "sky";
  CHECK_THROWS_AS(MakeSegmentModel(choices, format), DataError);
}

TEST_CASE("files that do not fit a model are refused") {
  PreparedImages prepared;
  SegmentModel model = prepared.Model();
  CHECK(LoadPrepared(prepared.path, "", model, ImageRole::kTrain).size() == 3);
  CHECK_THROWS_AS(LoadPrepared(prepared.path, "scores.tsv", model, ImageRole::kTest), DataError);
  model.extractor += "x";
  CHECK_THROWS_WITH_AS(
      LoadPrepared(prepared.path, "", model, ImageRole::kTest),
      (prepared.path + ": the file has other features than those that the model was trained on")
          .c_str(),
      DataError);
  const SegmentModel other(std::vector<std::string>{"a", "b"}, 5, {{0, 5}}, SegmentLayers::kTwo,
                           SegmentPairwise::kTable);
  CHECK_THROWS_WITH_AS(LoadPrepared(prepared.path, "", other, ImageRole::kTest),
                       (prepared.path + ": the file has other classes than the model").c_str(),
                       DataError);
}

TEST_CASE("void pixels are not compared") {
  ConfusionMatrix confusion(2);
  const LabelImage predicted{2, 2, {0, 1, 1, 0}};
  AddPixels(LabelImage{2, 2, {kVoid, kVoid, kVoid, kVoid}}, predicted, &confusion);
  CHECK_FALSE(HasPixels(confusion));
  AddPixels(LabelImage{2, 2, {0, 0, kVoid, 1}}, predicted, &confusion);
  CHECK(HasPixels(confusion));
  CHECK(std::vector<std::int64_t>(confusion.counts().begin(), confusion.counts().end()) ==
        std::vector<std::int64_t>{1, 1, 1, 0});
}
