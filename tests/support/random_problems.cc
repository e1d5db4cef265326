// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/random_problems.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include <slackline/factors/model_builder.h>
#include <slackline/factors/potts.h>
#include <slackline/factors/table.h>

#include "tests/support/losses.h"

namespace slackline::internal::test {
namespace {

constexpr Index kNoBlock = -1;

struct Blocks {
  std::shared_ptr<WeightLayout> layout = std::make_shared<WeightLayout>();
  Index linear = kNoBlock;
  Index potential = kNoBlock;
  Index potts = kNoBlock;
  Index table = kNoBlock;
  Index table_rows = 0;  // of one factor
};

Blocks MakeBlocks(const ProblemOptions& options) {
  Blocks blocks;
  const Index copies = options.tied_weights ? 1 : options.num_variables;
  if (options.inputs != InputKind::kNone) {
    blocks.linear =
        blocks.layout->AddBlock("linear", copies * options.max_states, options.input_dimension);
  }
  if (options.potentials) blocks.potential = blocks.layout->AddBlock("potential", 1);
  const Index factors = options.tied_weights ? 1 : std::max(1, options.num_factors);
  blocks.potts = blocks.layout->AddBlock("potts", factors);
  blocks.table_rows = 1;
  for (Index k = 0; k < std::max(1, options.max_order); ++k)
    blocks.table_rows *= options.max_states;
  blocks.table = blocks.layout->AddBlock("table", factors * blocks.table_rows);
  return blocks;
}

/// Draws scopes; in a forest, only those whose variables lie in different components.
class ScopeSource {
 public:
  ScopeSource(Random& random, const ProblemOptions& options) : random_(random), options_(options) {
    component_.resize(options.num_variables);
    std::iota(component_.begin(), component_.end(), 0);
  }

  /// Empty when no further factor fits.
  std::vector<Index> Next() {
    const Index largest = std::min(options_.max_order, options_.num_variables);
    const Index order =
        largest < 2
            ? 1
            : 2 + static_cast<Index>(random_.Below(static_cast<std::uint64_t>(largest - 1)));
    std::vector<Index> candidates(component_.size());
    std::iota(candidates.begin(), candidates.end(), 0);
    random_.Shuffle(std::span<Index>(candidates));
    std::vector<Index> scope;
    for (const Index i : candidates) {
      if (static_cast<Index>(scope.size()) == order) break;
      const auto same = [&](Index j) { return Component(i) == Component(j); };
      if (options_.forest && std::any_of(scope.begin(), scope.end(), same)) continue;
      scope.push_back(i);
    }
    if (largest >= 2 && scope.size() < 2) return {};
    for (const Index i : scope) Merge(Component(i), Component(scope[0]));
    return scope;
  }

 private:
  Index Component(Index i) const { return component_[i]; }
  void Merge(Index from, Index to) { std::replace(component_.begin(), component_.end(), from, to); }

  Random& random_;
  const ProblemOptions& options_;
  std::vector<Index> component_;
};

/// A weight per joint state, numbered as if every variable had max_states states, so that tables of
/// different shapes can share weights.
TableFactor SharedTable(const std::vector<Index>& cardinalities, Index max_states,
                        Index num_weights) {
  return TableFactor::FromFunction(cardinalities, num_weights,
                                   [&](std::span<const Index> states, std::span<double> features) {
                                     Index row = 0;
                                     for (const Index s : states) row = row * max_states + s;
                                     features[row] = 1;
                                   });
}

Index RandomCardinality(Random& random, const ProblemOptions& options) {
  if (options.max_states < 2 || (options.single_states && random.Below(3) == 0)) return 1;
  return 2 + static_cast<Index>(random.Below(static_cast<std::uint64_t>(options.max_states - 1)));
}

/// Random flags for forbidden states. State 0 is never flagged, so the labelling of zeros stays
/// allowed.
std::vector<bool> SomeStates(Random& random, Index states) {
  std::vector<bool> flags(states, false);
  for (std::size_t s = 1; s < flags.size(); ++s) flags[s] = random.Below(3) == 0;
  return flags;
}

std::shared_ptr<const Structure> MakeStructure(Random& random, const ProblemOptions& options,
                                               const Blocks& blocks) {
  ModelBuilder builder(blocks.layout);
  std::vector<Index> cardinality;
  Index potentials = 0;
  for (Index i = 0; i < options.num_variables; ++i) {
    const Index states = RandomCardinality(random, options);
    cardinality.push_back(states);
    builder.AddVariable(states);
    if (blocks.linear != kNoBlock) {
      builder.AddLinearFeatures(i, blocks.linear, options.tied_weights ? i : 0, {},
                                options.tied_weights ? 0 : i * options.max_states);
    }
    if (blocks.potential != kNoBlock) {
      const std::vector<Index> rows(states, 0);
      builder.AddPotentials(i, blocks.potential, potentials, rows);
      potentials += states;
    }
  }
  ScopeSource scopes(random, options);
  std::vector<Index> scope;
  for (Index c = 0; c < options.num_factors; ++c) {
    const bool again = options.duplicate_factors && c > 0 && random.Below(2) == 0;
    if (!again) scope = scopes.Next();
    if (scope.empty()) break;
    std::vector<Index> states;
    for (const Index i : scope) states.push_back(cardinality[i]);
    const Index number = options.tied_weights ? 0 : c;
    if (options.potts && scope.size() == 2 && states[0] == states[1] && random.Below(3) == 0) {
      builder.AddFactor(scope, PottsFactor(states[0]), blocks.potts, number);
    } else {
      builder.AddFactor(scope, SharedTable(states, options.max_states, blocks.table_rows),
                        blocks.table, number * blocks.table_rows);
    }
    if (!options.forbidden || options.forbidden_variables) continue;
    Index joint = 1;
    for (const Index k : states) joint *= k;
    builder.ForbidFactorStates(c, SomeStates(random, joint));
  }
  for (Index i = 0; options.forbidden && i < options.num_variables; ++i)
    builder.ForbidStates(i, SomeStates(random, cardinality[i]));
  return builder.Build();
}

/// Labels that the structure allows: the first allowed draw, or all zero after 100 attempts.
std::vector<Index> RandomLabels(Random& random, const ProblemOptions& options,
                                const Structure& structure, bool first_example) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::vector<Index> labels;
    for (const Index states : structure.graph().cardinalities()) {
      labels.push_back(static_cast<Index>(random.Below(static_cast<std::uint64_t>(states))));
      const bool first = first_example && labels.size() == 1;
      if (options.unlabelled && !first && random.Below(4) == 0) labels.back() = kUnlabelled;
    }
    if (FirstForbiddenPart(structure, labels) < 0) return labels;
  }
  return std::vector<Index>(structure.graph().num_variables(), 0);
}

double RandomInput(Random& random, const ProblemOptions& options) {
  const double value = random.Normal();
  return options.input_scale * (options.whole_inputs ? std::round(value) : value);
}

void AddInput(Random& random, const ProblemOptions& options, FeatureRows* rows) {
  std::vector<Index> columns;
  std::vector<double> values;
  for (Index f = 0; f < options.input_dimension; ++f) {
    if (options.inputs == InputKind::kSparse && random.Below(2) == 0) continue;
    columns.push_back(f);
    values.push_back(options.zero_features ? 0.0 : RandomInput(random, options));
    if (f == 0 && options.constant_inputs) values.back() = options.input_scale;
  }
  if (options.uneven_inputs) {
    const double scale = std::pow(10.0, static_cast<double>(random.Below(13)) - 6);
    for (double& value : values) value *= scale;
  }
  if (options.inputs == InputKind::kSparse) {
    rows->AddSparse(columns, values);
  } else {
    rows->AddDense(values);
  }
}

}  // namespace

TrainingSet RandomProblem(Random& random, const ProblemOptions& options) {
  const Blocks blocks = MakeBlocks(options);
  auto rows = std::make_shared<FeatureRows>();
  std::vector<std::shared_ptr<const Structure>> structures;
  for (Index m = 0; m < options.num_examples; ++m) {
    const bool reuse = options.shared_structure && m > 0;
    ProblemOptions own = options;
    if (options.mixed_sizes) {
      own.num_variables =
          1 + static_cast<Index>(random.Below(static_cast<std::uint64_t>(options.num_variables)));
    }
    structures.push_back(reuse ? structures.front() : MakeStructure(random, own, blocks));
    for (Index k = 0; k < structures.back()->num_inputs(); ++k)
      AddInput(random, options, rows.get());
  }
  Dataset data(blocks.layout, rows);
  Index first_input = 0;
  for (const std::shared_ptr<const Structure>& structure : structures) {
    const std::vector<Index> labels = RandomLabels(random, options, *structure, data.size() == 0);
    std::vector<double> potentials;
    for (Index k = 0; k < structure->num_potentials(); ++k)
      potentials.push_back(RandomInput(random, options));
    for (int copy = 0; copy < (options.repeat_examples ? 2 : 1); ++copy) {
      data.Add(structure, labels, first_input, potentials);
    }
    first_input += structure->num_inputs();
  }
  return MakeTrainingSet(data, LossWith(options.loss));
}

ProblemOptions RandomOptions(Random& random) {
  const auto coin = [&random] { return random.Below(2) == 0; };
  ProblemOptions options;
  options.num_examples = 1 + static_cast<Index>(random.Below(4));
  options.num_variables = 1 + static_cast<Index>(random.Below(4));
  options.max_states = 2 + static_cast<Index>(random.Below(2));
  options.num_factors = static_cast<Index>(random.Below(5));
  options.max_order = 2 + static_cast<Index>(random.Below(2));
  options.forest = coin();
  options.shared_structure = coin();
  options.mixed_sizes = coin();
  options.tied_weights = coin();
  options.inputs = static_cast<InputKind>(random.Below(3));
  options.zero_features = random.Below(8) == 0;
  options.single_states = random.Below(4) == 0;
  options.potentials = coin();
  options.loss = coin() ? LossScale::kMean : LossScale::kCount;
  return options;
}

ProblemOptions RandomHardOptions(Random& random) {
  ProblemOptions options = RandomOptions(random);
  if (random.Below(3) == 0) options.max_states = options.max_order = 2;  // roof duality applies
  if (random.Below(6) == 0) options.num_examples = 1;
  if (random.Below(8) == 0) options.num_variables = 1;
  if (random.Below(3) == 0)
    options.input_scale = std::pow(10.0, static_cast<double>(random.Below(17)) - 8);
  options.whole_inputs = random.Below(3) == 0;
  options.duplicate_factors = !options.forest && random.Below(3) == 0;
  options.repeat_examples = random.Below(4) == 0;
  options.unlabelled = random.Below(3) == 0;
  return options;
}

}  // namespace slackline::internal::test
