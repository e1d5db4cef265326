// SPDX-License-Identifier: BSD-3-Clause
//
// The implementation of Model and Weights.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include <slackline/core/weights.h>
#include <slackline/model.h>

namespace slackline {
inline namespace v1 {

static_assert(std::is_same_v<internal::Index, int>);

struct ModelImpl {
  std::shared_ptr<internal::WeightLayout> layout = std::make_shared<internal::WeightLayout>();
};

struct Weights::Impl {
  std::shared_ptr<const internal::WeightLayout> layout;
  std::vector<double> values;
};

Weights WeightsOf(std::shared_ptr<const internal::WeightLayout> layout, std::vector<double> values);

/// Throws std::invalid_argument when the weights belong to another model or the model has grown
/// since.
void RequireWeightsOf(const Weights& weights, const internal::WeightLayout& layout);

}  // namespace v1
}  // namespace slackline
