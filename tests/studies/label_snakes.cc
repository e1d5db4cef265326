// SPDX-License-Identifier: BSD-3-Clause
//
// Study: one model, blocks of two sizes. A snake of five cells lies on a grid; the colour of a cell
// tells the direction to the next cell. The task is to number the cells from the tail, by their own
// colours and those around them. Blocks are the edges of the grid, or its rows and columns: these
// are chains, maximised by dynamic programming, which agree on common cells softly (soft) or
// through multipliers (al).
#include <iostream>

#include <slackline/core/random.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>
#include <slackline/factors/tree_factor.h>
#include <slackline/inference/global_decoder.h>
#include <slackline/learning/train_loop.h>

using namespace slackline::internal;
constexpr Index kSide = 4, kWidth = kSide + 2, kCells = kSide * kSide, kLabels = 6, kColours = 6;
constexpr Index kSteps[] = {0, 1, kWidth, -1, -kWidth};  // on a grid with a border of one cell
// The labels of the cells. Adds the inputs of the cells to `rows`: one column of each of five
// groups.
std::vector<Index> DrawSnake(Random* random, FeatureRows* rows) {
  const auto place = [](Index cell) { return (cell / kSide + 1) * kWidth + cell % kSide + 1; };
  std::vector<Index> colour, number, labels;
  for (Index next = 0; next < kLabels;) {
    colour.assign(kWidth * kWidth, kColours - 1);
    number.assign(kWidth * kWidth, 0);
    for (Index cell = 0; cell < kCells; ++cell) colour[place(cell)] = 0;
    Index at = place(static_cast<Index>(random->Below(kCells)));
    for (next = 1; next < kLabels && colour[at] == 0; at += kSteps[colour[at]]) {
      number[at] = next++;
      colour[at] = 1 + static_cast<Index>(random->Below(4));
    }
  }
  for (Index cell = 0; cell < kCells; ++cell) {
    std::vector<Index> seen;
    for (Index k = 0; k < 5; ++k) seen.push_back(k * kColours + colour[place(cell) + kSteps[k]]);
    rows->AddSparse(seen, std::vector<double>(5, 1.0));
    labels.push_back(number[place(cell)]);
  }
  return labels;
}

// Trains on 24 grids, tests on 40 others, and returns the number of passes.
Index TrainAndTest(LearnerKind learner, bool chains) {
  auto layout = std::make_shared<WeightLayout>();
  const Index own = layout->AddBlock("own", kLabels, 5 * kColours);
  const Index links = layout->AddBlock("links", kLabels * kLabels);
  ModelBuilder builder(layout);
  for (Index i = 0; i < kCells; ++i)
    builder.AddLinearFeatures(builder.AddVariable(kLabels), own, i);
  const TableFactor pair({kLabels, kLabels});
  const auto chain = std::make_shared<TreeFactor>(TreeFactor::Chain(kSide, pair));
  for (Index a = 0; a < kSide; ++a) {
    std::vector<Index> row, column;
    for (Index b = 0; b < kSide; ++b) row.push_back(a * kSide + b), column.push_back(b * kSide + a);
    for (const auto& line : {row, column}) {
      if (chains) builder.AddGlobalFactor(line, chain, links);
      for (int k = 1; k < kSide && !chains; ++k)
        builder.AddFactor({line[k - 1], line[k]}, pair, links);
    }
  }
  auto rows = std::make_shared<FeatureRows>();
  Dataset sets[] = {{layout, rows}, {layout, rows}};
  const auto structure = builder.Build();
  Random random(3);
  for (Index m = 0; m < 64; ++m)
    sets[m < 40].Add(structure, DrawSnake(&random, rows.get()), m * kCells);
  const TrainOptions options{.learner = learner, .gap_tolerance = 0.1, .check_every = 20};
  const TrainSummary result = Train(Problem(MakeTrainingSet(sets[0], {}), 0.02), options);
  MapResult best;
  Index right = 0;
  for (Index m = 0; m < 40; ++m) {
    GlobalDecoder(structure).Decode(sets[1].example(m), result.weights, &best);
    for (int i = 0; i < kCells; ++i) right += best.labels[i] == sets[1].example(m).labels()[i];
  }
  std::cout << Name(learner) << (chains ? ", chains: " : ", edges: ") << right * 100 / 640
            << " % right\n";
  return result.last.pass;
}

int main() {
  for (const LearnerKind learner : {LearnerKind::kSoft, LearnerKind::kAugmentedLagrangian}) {
    const Index edges = TrainAndTest(learner, false), chains = TrainAndTest(learner, true);
    std::cout << "chains need " << (chains < edges ? "fewer passes" : "as many passes or more")
              << "\n";
  }
}
