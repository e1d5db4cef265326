// SPDX-License-Identifier: BSD-3-Clause
//
// Lesson 1: a small factor graph with a factor of one's own, and its best labelling.
//
// A trip of five days, each spent at the beach, in a museum, or hiking. How much we enjoy each
// depends on the weather; a day that differs from the one before is worth 2 more; museums after the
// first cost 4 each.
#include <array>
#include <iostream>
#include <memory>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/feature_map.h>
#include <slackline/factors/conformance.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/potts.h>
#include <slackline/inference/map_solver.h>

using namespace slackline::internal;

constexpr Index kDays = 5, kChoices = 3, kMuseum = 1;
constexpr std::array<const char*, kChoices> kNames = {"beach", "museum", "hike"};

// How many more than `limit` variables are in `state`. Any type with these three functions is a
// factor. It describes features; the weight that multiplies them is chosen (or learned) elsewhere.
class AtMostFactor {
 public:
  AtMostFactor(std::vector<Index> cardinalities, Index state, Index limit)
      : cardinalities_(std::move(cardinalities)), state_(state), limit_(limit) {}

  std::span<const Index> cardinalities() const { return cardinalities_; }
  Index num_weights() const { return 1; }
  void AddFeatures(std::span<const Index> labels, double scale, std::span<double> features) const {
    Index excess = -limit_;
    for (const Index label : labels) excess += label == state_;
    if (excess > 0) features[0] += scale * excess;
  }

 private:
  std::vector<Index> cardinalities_;
  Index state_, limit_;
};

int main() {
  // Check a factor of your own before you trust it: do its functions agree, also on awkward input?
  const AtMostFactor one_museum(std::vector<Index>(kDays, kChoices), kMuseum, 1);
  const ConformanceReport report = CheckFactor(one_museum);
  std::cout << (report.ok() ? "the factor conforms\n" : report.Text());

  // The model: three weights, and which variables and factors read them.
  auto layout = std::make_shared<WeightLayout>();
  const Index enjoyment = layout->AddBlock("enjoyment", 1);
  const Index change = layout->AddBlock("change", 1);
  const Index excess = layout->AddBlock("excess", 1);
  ModelBuilder builder(layout);
  for (Index day = 0; day < kDays; ++day) {
    builder.AddVariable(kChoices);
    builder.AddPotentials(day, enjoyment, kChoices * day, std::array<Index, kChoices>{0, 0, 0});
    if (day > 0) builder.AddFactor({day - 1, day}, PottsFactor(kChoices), change);
  }
  builder.AddFactor({0, 1, 2, 3, 4}, one_museum, excess);

  // The example: the numbers that belong to this trip. It rains on the first two days and on the
  // last.
  const std::vector<double> potentials = {0, 5, 1, 0, 5, 1, 6, 1, 3, 5, 0, 4, 1, 6, 2};
  Dataset trips(layout, nullptr);
  trips.Add(builder.Build(), std::vector<Index>(kDays, kUnlabelled), 0, potentials);
  const ExampleView trip = trips.example(0);

  // Weights times features give a score table per variable and factor; a solver finds the best
  // labelling.
  std::vector<double> scores(static_cast<std::size_t>(trip.graph().total_states()));
  ScoreTables(trip, std::array{1.0, 2.0, -4.0}, scores);
  MapResult best;
  MakeMapSolver(SolverKind::kSearch, trip.structure().shared_graph())
      ->Solve(scores, nullptr, &best);
  for (const Index choice : best.labels)
    std::cout << kNames[static_cast<std::size_t>(choice)] << ' ';
  std::cout << "\nvalue " << best.value
            << (best.exact ? ", the best of all\n" : ", perhaps not the best\n");
}
