// SPDX-License-Identifier: BSD-3-Clause
//
// Synthetic labelled images in memory, as preparation takes them.
#pragma once

#include <slackline/apps/segmentation/images/image_preparation.h>
#include <slackline/vision/pictures.h>

namespace slackline::internal::test {

inline constexpr Index kClasses = 4;

inline LabelledImage Draw(Index i) {
  SyntheticImage drawn = DrawSynthetic(26 + 3 * i, 22, kClasses, static_cast<std::uint64_t>(i));
  return {std::move(drawn.image), std::move(drawn.labels)};
}

/// Five images, the first three for training.
inline PreparationRequest DrawnRequest() {
  PreparationRequest request;
  request.num_train = 3;
  request.num_images = 5;
  request.image = [](Index i) { return Draw(i).image; };
  request.labelled = &Draw;
  request.classes = SyntheticClasses(kClasses);
  request.extractor = {.fine = 12, .coarse = 3, .features = FeatureSet::kSmall};
  return request;
}

inline std::string NameOf(Index i) { return "image" + std::to_string(i); }

/// Weights that differ from class to class.
inline void SetWeights(SegmentModel* model) {
  std::vector<double> weights(model->weights().size());
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] = static_cast<double>((37 * k) % 101) / 50 - 1;
  model->set_weights(std::move(weights));
}

}  // namespace slackline::internal::test
