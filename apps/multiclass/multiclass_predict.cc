// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/multiclass_predict.h>

#include <algorithm>
#include <span>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>

namespace slackline::internal {
namespace {

constexpr int kClassChunks = 64;

/// score(m, scores) computes the scores of example m.
template <class Score>
MulticlassPredictions Predict(const MulticlassModel& model, Index examples, Index threads,
                              const Score& score) {
  SLACKLINE_CHECK(threads >= 0, "the number of threads is negative");
  const auto k = static_cast<std::size_t>(model.num_classes());
  MulticlassPredictions out;
  out.labels.resize(Size(examples));
  out.scores.resize(out.labels.size() * k);
  ParallelChunks(examples, kClassChunks, NumThreads(threads), [&](const Chunk& chunk) {
    for (Index m = chunk.begin; m < chunk.end; ++m) {
      const std::span<double> scores = std::span(out.scores).subspan(m * k, k);
      score(m, scores);
      out.labels[m] =
          static_cast<Index>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    }
  });
  // Finite weights of a manipulated model file may have infinite sums.
  if (!AllFinite(out.scores)) throw DataError("the model's weights are too large for these inputs");
  return out;
}

}  // namespace

MulticlassPredictions PredictClasses(const MulticlassModel& model, const FeatureRows& rows,
                                     Index threads) {
  SLACKLINE_CHECK(rows.dimension() <= model.num_features(),
                  "the rows do not have the features of the model");
  return Predict(model, rows.size(), threads,
                 [&](Index m, std::span<double> scores) { model.Scores(rows.row(m), scores); });
}

MulticlassPredictions PredictTrainingRows(const MulticlassModel& model, const FeatureRows& rows,
                                          std::span<const Index> examples, Index threads) {
  return Predict(model, static_cast<Index>(examples.size()), threads,
                 [&](Index m, std::span<double> scores) {
                   model.TrainingScores(rows.row(examples[m]), scores);
                 });
}

}  // namespace slackline::internal
