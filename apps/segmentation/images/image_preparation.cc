// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/images/image_preparation.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/vision/feature_file.h>

namespace slackline::internal {

ImagePreparation::ImagePreparation(PreparationRequest request, PreparationProgress progress)
    : request_(std::move(request)), progress_(std::move(progress)) {
  SLACKLINE_CHECK(request_.num_train >= 1 && request_.num_train <= request_.num_images,
                  "at least one of the images must be for training");
}

void ImagePreparation::CheckStage(std::string_view stage, Index done, Index all) const {
  CheckStep(progress_.check);
  if (progress_.stage) progress_.stage(stage, done, all);
}

/// Calls work(i) for the images [begin, end) on all threads. Throws the failure of the first image
/// that has one.
template <class Work>
void ImagePreparation::ForImages(std::string_view stage, Index begin, Index end, Index all,
                                 const Work& work) {
  std::mutex mutex;
  if (begin == 0) CheckStage(stage, 0, all);
  Index done = begin;
  ParallelChunks(end - begin, end - begin, request_.threads, [&](const Chunk& chunk) {
    CheckStep(progress_.check);
    work(begin + chunk.begin);
    const std::lock_guard<std::mutex> lock(mutex);
    CheckStage(stage, ++done, all);
  });
}

std::vector<Offset> ImagePreparation::Check() {
  std::vector<Offset> class_pixels(request_.classes.size());
  std::mutex mutex;
  ForImages(kChecking, 0, request_.num_images, request_.num_images, [&](Index i) {
    const LabelledImage read = request_.labelled(i);
    if (i >= request_.num_train) return;
    std::vector<Offset> pixels(kVoid + 1);
    for (const std::uint8_t label : read.labels.labels) ++pixels[label];
    const std::lock_guard<std::mutex> lock(mutex);
    for (std::size_t k = 0; k < class_pixels.size(); ++k) class_pixels[k] += pixels[k];
  });
  return class_pixels;
}

void ImagePreparation::Learn() {
  const Index count = request_.num_train;
  CheckStage(kWords, 0, count);
  LearnProgress progress;
  progress.image = [&](Index done, Index) {
    // Learning makes two passes over the training images.
    if (done == count + 1) CheckStage(kComponents, 0, count);
    CheckStage(done <= count ? kWords : kComponents, (done - 1) % count + 1, count);
  };
  progress.check = progress_.check;
  extractor_ = std::make_unique<FeatureExtractor>(FeatureExtractor::Learn(
      count, request_.image, request_.extractor, request_.threads, progress));
}

void ImagePreparation::Extract(bool train_only, const Take& take) {
  SLACKLINE_CHECK(extractor_ != nullptr, "features need a learned extractor");
  const Index all = train_only ? request_.num_train : request_.num_images;
  const Index batch = 4 * request_.threads;
  for (Index begin = 0; begin < all; begin += batch) {
    const Index end = std::min(begin + batch, all);
    std::vector<ImageFeatures> features(end - begin);
    std::vector<LabelImage> labels(features.size());
    ForImages(kFeatures, begin, end, all, [&](Index i) {
      LabelledImage read = request_.labelled(i);
      const std::size_t k = i - begin;
      features[k] = extractor_->Extract(read.image, progress_.check);
      labels[k] = std::move(read.labels);
    });
    for (std::size_t k = 0; k < features.size(); ++k)
      take(begin + static_cast<Index>(k), features[k], labels[k]);
  }
}

void WriteFeatureFile(const std::string& path, const std::function<std::string(Index)>& name,
                      ImagePreparation* preparation, const ImagePreparation::Take& take) {
  const FeatureExtractor& extractor = preparation->extractor();
  const PreparationRequest& request = preparation->request();
  FeatureFileWriter writer(path, request.classes, extractor.dimension(), extractor.blocks(),
                           extractor.Save());
  writer.SetCoding(request.coding);
  preparation->Extract(
      false, [&](Index i, const ImageFeatures& features, const LabelImage& labels) {
        const ImageRole role = i < request.num_train ? ImageRole::kTrain : ImageRole::kTest;
        writer.Add(name(i), role, features, labels);
        if (take) take(i, features, labels);
      });
  writer.Finish();
}

SegmentTask PrepareSegmentTask(const std::string& source, const SegmentChoices& choices,
                               std::optional<ScaleKind> scale, ImagePreparation* preparation,
                               Ranks* exactly) {
  const PreparationRequest& request = preparation->request();
  SegmentModel model = MakeSegmentModel(
      choices, FormatOf(preparation->extractor(), request.classes, request.coding));
  SegmentData data;
  data.source = source;
  auto rows = std::make_shared<FeatureRows>();
  preparation->Extract(true, [&](Index i, const ImageFeatures& features, const LabelImage& labels) {
    data.names.push_back(std::to_string(i));
    data.examples.push_back(MakeExample(model, features, labels, rows.get()));
  });
  data.rows = std::move(rows);
  return MakeSegmentTask(std::move(model), std::move(data), scale, exactly);
}

}  // namespace slackline::internal
