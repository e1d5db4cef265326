// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/bench/bench_scaling.h>

#include <memory>

namespace slackline::internal {
namespace {

constexpr double kFeatureLambda = 0.01;

ScalingAxis ExampleAxis(const BenchProblem& definition, const std::string& folder,
                        std::uint64_t seed) {
  const auto whole = std::make_shared<const Problem>(MakeBenchProblem(definition, folder));
  const Index all = whole->size();
  ScalingAxis axis{"examples", "examples of " + std::string(definition.name), {}, {}};
  for (const Index size : {all / 4, all / 2, all}) {
    if (size >= 1 && (axis.sizes.empty() || size > axis.sizes.back())) axis.sizes.push_back(size);
  }
  axis.make = [whole, seed](Index size) {
    return Problem(SubsetOfExamples(whole->training(), size, seed), whole->lambda());
  };
  return axis;
}

ScalingAxis LabelAxis(const std::string& folder) {
  const bool toy = folder.empty();
  const BenchProblem& definition = FindBenchProblem(toy ? "toy" : "rcv1s1");
  const auto data = std::make_shared<const MultiLabelData>(ReadBenchData(definition, folder));
  ScalingAxis axis{"labels", "most frequent labels of " + std::string(definition.name), {}, {}};
  axis.sizes = toy ? std::vector<Index>{2, 4, 6} : std::vector<Index>{10, 25, 50, 101};
  axis.make = [data, lambda = definition.lambda](Index size) {
    return MakeFullGraphProblem(MostFrequentLabels(*data, size), lambda);
  };
  return axis;
}

ScalingAxis FeatureAxis(Index stored, std::uint64_t seed) {
  ScalingAxis axis{
      stored > 0 ? "features, sparse" : "features, dense", {}, {1000, 4000, 16000}, {}};
  axis.text = "synthetic, 200 examples, 10 labels, ";
  axis.text += stored > 0 ? std::to_string(stored) + " features that are not 0 per example"
                          : "dense features";
  axis.make = [stored, seed](Index size) {
    SyntheticLabelsOptions options;
    options.features = size;
    options.stored = stored;
    options.seed = seed;
    return MakeFullGraphProblem(MakeSyntheticLabels(options), kFeatureLambda);
  };
  return axis;
}

}  // namespace

std::vector<ScalingAxis> ScalingAxes(const BenchProblem& problem, const std::string& folder,
                                     std::uint64_t seed) {
  return {ExampleAxis(problem, folder, seed), LabelAxis(folder), FeatureAxis(0, seed),
          FeatureAxis(50, seed)};
}

}  // namespace slackline::internal
