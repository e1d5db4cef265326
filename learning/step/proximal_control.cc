// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/proximal_control.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <slackline/core/feature_map.h>
#include <slackline/learning/step/proximal_centre.h>

namespace slackline::internal {
namespace {

constexpr double kFirstKappa = 2;  // κ/λ in the first pass; more where examples outnumber weights
constexpr double kLargestFall = 0.3;  // least factor of κ in a pass
constexpr double kLargestRise = 1.5;
constexpr double kDeadBand = 1.4;          // factors nearer to 1 than this change nothing
constexpr double kLeastUsefulKappa = 0.1;  // κ/λ: a smaller κ becomes 0
constexpr double kSmallerGap = 0.9;        // of the best so far: what counts as progress
constexpr Index kPassesPerHold = 10;       // passes without progress, per hold
constexpr Index kLongestHold = 1024;
/// Most parts that AddWorstDirection visits: a second or two.
constexpr Offset kMostWorstParts = 50'000'000;

/// ψ of FirstKappa.
std::vector<double> WorstDirection(const Problem& problem) {
  std::vector<double> direction(problem.num_weights(), 0.0);
  AddWorstDirection(problem, 1.0 / problem.size(), direction);
  return direction;
}

}  // namespace

void AddWorstDirection(const Problem& problem, double scale, std::span<double> direction) {
  std::vector<double> coordinates;
  std::vector<Index> worst;
  const Offset stride = 1 + (problem.num_parts() - 1) / kMostWorstParts;
  const Offset visited = (problem.size() + stride - 1) / stride;
  scale *= static_cast<double>(problem.size()) / static_cast<double>(visited);
  for (Index m = 0; m < problem.size(); m += static_cast<Index>(stride)) {
    problem.data().PrefetchSweep(0, m, problem.size());
    const ExampleView example = problem.data().example(m);
    const FactorGraph& graph = example.graph();
    const std::span<const double> loss = problem.loss(m);
    worst.assign(example.labels().begin(), example.labels().end());
    for (Index i = 0; i < graph.num_variables(); ++i) {
      const double* first = loss.data() + graph.state_offset(i);
      worst[i] = static_cast<Index>(std::max_element(first, first + graph.cardinality(i)) - first);
    }
    coordinates.assign(example.structure().num_coordinates(), 0.0);
    AddLabellingFeatures(example, example.labels(), 1, coordinates);
    AddLabellingFeatures(example, worst, -1, coordinates);
    ScatterFeatures(example, coordinates, scale, direction);
  }
}

double MostFirstKappa(double lambda, const JointScales& scales, Offset num_weights) {
  const double examples = scales.num_examples;
  if (!ExamplesOutnumberWeights(scales.num_examples, num_weights) || !(scales.primal_at_zero > 0))
    return kFirstKappa;
  const double per_weight = examples / static_cast<double>(num_weights);
  const double range = scales.mean_squared_range * static_cast<double>(scales.num_parts) / examples;
  const double natural = range / (examples * scales.primal_at_zero);  // a λ
  return std::max(kFirstKappa, std::sqrt(natural / lambda) * std::cbrt(per_weight));
}

double FirstKappa(double lambda, std::span<const double> direction, double mean_loss, double most) {
  double norm = 0;
  for (const double d : direction) norm += d * d;
  return std::min(most * lambda, norm / std::max(mean_loss, std::numeric_limits<double>::min()));
}

double FirstKappa(const Problem& problem, double most) {
  return FirstKappa(problem.lambda(), WorstDirection(problem), PrimalAtZeroWeights(problem), most);
}

double FirstKappa(const Problem& problem) {
  // The other scales take a sweep over the data.
  if (!ExamplesOutnumberWeights(problem.size(), problem.num_weights()))
    return FirstKappa(problem, kFirstKappa);
  const JointScales scales = JointScalesOf(problem, TrainOptions());
  return FirstKappa(problem.lambda(), WorstDirection(problem), scales.primal_at_zero,
                    MostFirstKappa(problem.lambda(), scales, problem.num_weights()));
}

std::optional<double> ProximalControl::AfterPass(double lambda, double kappa, double block_gap,
                                                 double centre_gap) {
  ++waited_;
  ++stalled_;
  if (block_gap + centre_gap < kSmallerGap * best_gap_) {
    best_gap_ = block_gap + centre_gap;
    stalled_ = 0;
  } else if (stalled_ > kPassesPerHold * hold_ && hold_ < kLongestHold) {
    hold_ *= 2;
    stalled_ = 0;
  }
  if (waited_ < hold_ && block_gap > centre_gap) return std::nullopt;
  waited_ = 0;
  double factor = std::sqrt(block_gap / std::max(centre_gap, std::numeric_limits<double>::min()));
  if (factor > 1 / kDeadBand && factor < kDeadBand) factor = 1;
  kappa *= std::clamp(factor, kLargestFall, kLargestRise);
  kappa = std::min(kappa, ProximalCentre::kLargestKappa * lambda);
  return kappa < kLeastUsefulKappa * lambda ? 0 : kappa;
}

void ProximalControl::Archive(StateArchive* archive) {
  archive->Real(&best_gap_);
  archive->Integer(&hold_, 1, kLongestHold);
  for (Index* count : {&waited_, &stalled_})
    archive->Integer(count, 0, std::numeric_limits<Index>::max() / 2);
}

}  // namespace slackline::internal
