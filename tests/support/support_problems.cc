// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/support_problems.h"

#include <cmath>
#include <memory>
#include <vector>

#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/matching_factor.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>
#include <slackline/factors/tree_factor.h>

#include "tests/support/allowed_labelling.h"
#include "tests/support/losses.h"
#include "tests/support/random_problems.h"

namespace slackline::internal::test {
namespace {

bool Coin(Random& random, std::uint64_t one_in) { return random.Below(one_in) == 0; }

/// A power of ten from 1e-6 to 1e6.
double SomeScale(Random& random) {
  return std::pow(10.0, static_cast<double>(random.Below(13)) - 6);
}

ProblemOptions TableOptions(Random& random, ProblemKind kind) {
  ProblemOptions options = RandomOptions(random);
  options.num_examples = Coin(random, 4) ? 1 : 2 + static_cast<Index>(random.Below(2));
  options.num_variables = 2 + static_cast<Index>(random.Below(2));
  options.max_states = 2 + static_cast<Index>(random.Below(2));
  options.num_factors = 4;
  options.forest = kind == ProblemKind::kForest || kind == ProblemKind::kForbiddenForest;
  options.unlabelled = Coin(random, 4);
  options.repeat_examples = Coin(random, 4);
  options.whole_inputs = Coin(random, 3);
  if (options.inputs == InputKind::kNone) options.inputs = InputKind::kSparse;
  options.input_scale = Coin(random, 2) ? 1 : SomeScale(random);
  options.uneven_inputs = Coin(random, 3);
  options.constant_inputs = Coin(random, 5);
  switch (kind) {
    case ProblemKind::kFreeVariables:
      options.num_factors = 0;
      break;
    case ProblemKind::kBinaryCycles:
      options.num_variables = 3;
      options.max_states = options.max_order = 2;
      options.single_states = options.mixed_sizes = options.unlabelled = false;
      break;
    case ProblemKind::kCycles:
      options.num_variables = 3;
      options.max_states = options.max_order = 3;
      options.duplicate_factors = true;
      options.mixed_sizes = options.single_states = options.unlabelled = false;
      break;
    case ProblemKind::kForbiddenForest:
    case ProblemKind::kForbiddenCycles:
      options.forbidden = true;
      options.duplicate_factors = kind == ProblemKind::kForbiddenCycles;
      options.mixed_sizes = options.single_states = options.unlabelled = false;
      break;
    case ProblemKind::kScalars:
      options.inputs = InputKind::kNone;
      options.potentials = true;
      break;
    default:
      break;
  }
  return options;
}

/// Global factors over binary variables, one input vector for each.
class GlobalProblem {
 public:
  GlobalProblem(Random& random, ProblemKind kind)
      : random_(random),
        kind_(kind),
        states_(kind == ProblemKind::kWeightedGlobals && Coin(random, 3) ? 3 : 2) {
    unary_ = layout_->AddBlock("unary", states_, kDimension);
    pair_ = layout_->AddBlock("pair", states_ * states_);
    count_ = layout_->AddBlock("count", 4);
  }

  Dataset Make() {
    const double scale = Coin(random_, 2) ? 1 : SomeScale(random_);
    const bool uneven = Coin(random_, 3);
    const auto examples = static_cast<Index>(1 + random_.Below(3));
    std::vector<std::shared_ptr<const Structure>> structures;
    for (Index m = 0; m < examples; ++m) structures.push_back(MakeStructure());
    auto rows = std::make_shared<FeatureRows>();
    for (Index k = 0; k < examples * kVariables; ++k) {
      const double own = uneven ? SomeScale(random_) : scale;
      rows->AddDense(std::vector<double>{own * random_.Normal(), own, own * random_.Normal()});
    }
    Dataset data(layout_, rows);
    for (Index m = 0; m < examples; ++m) {
      const auto& structure = structures[m];
      data.Add(structure, SomeLabels(*structure), m * kVariables);
      if (Coin(random_, 4))
        // A second, random labelling of the same input.
        data.Add(structure, SomeLabels(*structure), m * kVariables);
    }
    return data;
  }

 private:
  static constexpr Index kVariables = 4;
  static constexpr Index kDimension = 3;

  std::shared_ptr<const Structure> MakeStructure() {
    ModelBuilder builder(layout_);
    for (Index i = 0; i < kVariables; ++i) {
      builder.AddVariable(states_);
      builder.AddLinearFeatures(i, unary_, i);
    }
    const std::vector<Index> three = {0, 1, 2};
    if (kind_ == ProblemKind::kWeightedGlobals) {
      AddWeighted(three, &builder);
    } else if (Coin(random_, 2)) {
      const std::vector<MatchingFactor::Edge> edges = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
      builder.AddGlobalFactor(std::vector<Index>{0, 1, 2, 3},
                              std::make_shared<MatchingFactor>(2, 2, edges));
    } else {
      builder.AddGlobalFactor(three,
                              std::make_shared<CardinalityFactor>(CardinalityFactor::AtMostOne(3)));
    }
    if (kind_ == ProblemKind::kCoupledGlobals) {
      if (Coin(random_, 2)) {
        builder.AddGlobalFactor(std::vector<Index>{1, 2, 3}, std::make_shared<CardinalityFactor>(3),
                                count_);
      } else {
        builder.AddFactor({2, 3}, TableFactor({states_, states_}), pair_);
      }
    }
    // The last state is forbidden; labels never use it.
    if (kind_ == ProblemKind::kForbiddenGlobals) builder.ForbidStates(3, {false, true});
    return builder.Build();
  }

  void AddWeighted(const std::vector<Index>& scope, ModelBuilder* builder) {
    if (states_ > 2 || Coin(random_, 2)) {
      const TableFactor pair({states_, states_});
      builder->AddGlobalFactor(scope, std::make_shared<TreeFactor>(TreeFactor::Chain(3, pair)),
                               pair_);
    } else {
      builder->AddGlobalFactor(scope, std::make_shared<CardinalityFactor>(3), count_);
    }
  }

  std::vector<Index> SomeLabels(const Structure& structure) {
    std::vector<Index> labels(kVariables, 0);
    for (int attempt = 0; attempt < 50 && !Coin(random_, 6); ++attempt) {
      for (Index& label : labels)
        label = static_cast<Index>(random_.Below(static_cast<std::uint64_t>(states_)));
      if (IsAllowed(structure, labels)) return labels;
    }
    return std::vector<Index>(kVariables, 0);  // an empty label set
  }

  Random& random_;
  ProblemKind kind_;
  Index states_;
  std::shared_ptr<WeightLayout> layout_ = std::make_shared<WeightLayout>();
  Index unary_, pair_, count_;
};

bool HasGlobals(ProblemKind kind) {
  return kind == ProblemKind::kFreeGlobals || kind == ProblemKind::kWeightedGlobals ||
         kind == ProblemKind::kCoupledGlobals || kind == ProblemKind::kForbiddenGlobals;
}

}  // namespace

std::string_view Name(ProblemKind kind) {
  constexpr std::string_view kNames[] = {"free variables",   "forest",
                                         "binary cycles",    "cycles",
                                         "free globals",     "weighted globals",
                                         "coupled globals",  "forbidden forest",
                                         "forbidden cycles", "forbidden globals",
                                         "scalars"};
  return kNames[static_cast<std::size_t>(kind)];
}

TrainingSet UnpleasantProblem(Random& random, ProblemKind kind) {
  const LossOptions loss = LossWith(Coin(random, 2) ? LossScale::kMean : LossScale::kCount);
  TrainingSet training = HasGlobals(kind)
                             ? MakeTrainingSet(GlobalProblem(random, kind).Make(), loss)
                             : RandomProblem(random, TableOptions(random, kind));
  const bool own = Coin(random, 3);
  const double scale = Coin(random, 3) ? SomeScale(random) : 1;
  for (double& value : training.losses)
    value *= scale * (own ? std::pow(10.0, 2 * random.Uniform() - 1) : 1);
  return training;
}

}  // namespace slackline::internal::test
