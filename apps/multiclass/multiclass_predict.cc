// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/multiclass_predict.h>

#include <algorithm>
#include <span>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>

namespace slackline::internal {
namespace {

constexpr int kChunks = 64;

}  // namespace

MulticlassPredictions PredictClasses(const MulticlassModel& model, const FeatureRows& rows,
                                     Index threads) {
  SLACKLINE_CHECK(rows.dimension() <= model.num_features() && threads >= 0,
                  "the rows do not have the features of the model");
  const auto k = static_cast<std::size_t>(model.num_classes());
  MulticlassPredictions out;
  out.labels.resize(rows.size());
  out.scores.resize(out.labels.size() * k);
  ParallelChunks(rows.size(), kChunks, NumThreads(threads), [&](const Chunk& chunk) {
    for (Index m = chunk.begin; m < chunk.end; ++m) {
      const std::span<double> scores = std::span(out.scores).subspan(m * k, k);
      model.Scores(rows.row(m), scores);
      out.labels[m] =
          static_cast<Index>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    }
  });
  // Finite weights of a manipulated model file may have infinite sums.
  if (!AllFinite(out.scores)) throw DataError("the model's weights are too large for these inputs");
  return out;
}

}  // namespace slackline::internal
