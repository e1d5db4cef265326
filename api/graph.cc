// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/graph.h>

#include <string>
#include <utility>

#include <slackline/api/factor_impl.h>
#include <slackline/api/graph_impl.h>
#include <slackline/api/model_impl.h>
#include <slackline/core/check.h>
#include <slackline/core/derived_structure.h>
#include <slackline/core/graph_topology.h>
#include <slackline/factors/model_builder.h>

namespace slackline {
inline namespace v1 {
namespace {

std::vector<int> Numbers(const Scope& scope) {
  std::vector<int> numbers;
  for (const Variable variable : scope.variables()) numbers.push_back(variable.number);
  return numbers;
}

}  // namespace

struct GraphBuilder::Impl {
  explicit Impl(const Model& model) : layout(model.impl()->layout), builder(layout) {}

  struct Forbidden {
    std::vector<int> scope;
    int factor;  // −1: a single variable
    std::vector<bool> flags;
  };

  std::vector<int> StatesOf(std::span<const int> scope) const {
    std::vector<int> result;
    for (const int i : scope) {
      SLACKLINE_CHECK(i >= 0 && i < static_cast<int>(states.size()),
                      "the graph has no variable " + std::to_string(i));
      result.push_back(states[i]);
    }
    return result;
  }

  const internal::WeightBlock& Block(WeightBlock weights) const {
    SLACKLINE_CHECK(weights.number >= 0 && weights.number < layout->num_blocks(),
                    "these weights are not those of the graph's model");
    return layout->block(weights.number);
  }

  /// Throws std::invalid_argument unless the block has exactly `read` rows.
  void RequireRows(WeightBlock weights, int read, const std::string& reader) const {
    const internal::WeightBlock& block = Block(weights);
    SLACKLINE_CHECK(weights.first_row >= 0 && weights.rows >= 1 &&
                        weights.rows <= block.rows - weights.first_row,
                    "block '" + block.name + "' has no such rows");
    SLACKLINE_CHECK(weights.rows == read, reader + " needs " + std::to_string(read) +
                                              " rows of weights, and block '" + block.name +
                                              "' has " + std::to_string(weights.rows));
  }

  int JointStates(std::span<const int> scope) const {
    int joint = 1;
    for (const int k : StatesOf(scope)) joint *= k;
    return joint;
  }

  std::vector<int> InputRows(WeightBlock weights, int num_states, const std::string& reader) const {
    if (num_states == 2 && weights.rows == 1) return {internal::kAbsent, 0};
    RequireRows(weights, num_states, reader);
    return {};
  }

  /// The row of each state: row 0 for all states, or empty when state s reads row s.
  std::vector<int> PotentialRows(WeightBlock weights, int num_states,
                                 const std::string& reader) const {
    if (weights.rows == 1) return std::vector<int>(num_states, 0);
    RequireRows(weights, num_states, reader);
    return {};
  }

  std::shared_ptr<internal::WeightLayout> layout;
  internal::ModelBuilder builder;
  std::vector<int> states;
  std::vector<Forbidden> forbidden;
  int num_potentials = 0;
};

Variable VariableRange::operator[](int k) const {
  if (k < 0 || k >= size_)
    throw std::out_of_range("there is no variable " + std::to_string(k) + " in a range of " +
                            std::to_string(size_));
  return {first_ + k};
}

int Graph::num_variables() const { return impl_->structure->graph().num_variables(); }
int Graph::num_states(Variable variable) const {
  SLACKLINE_CHECK(variable.number >= 0 && variable.number < num_variables(),
                  "the graph has no variable " + std::to_string(variable.number));
  return impl_->structure->graph().cardinality(variable.number);
}
int Graph::num_factors() const {
  const internal::FactorGraph& graph = impl_->structure->graph();
  return graph.num_factors() + graph.num_global_factors();
}
int Graph::num_inputs() const { return impl_->structure->num_inputs(); }
int Graph::num_potentials() const { return impl_->structure->num_potentials(); }
bool Graph::IsForest() const {
  const internal::FactorGraph& graph = impl_->structure->graph();
  return graph.num_global_factors() == 0 && internal::IsForest(graph);
}

GraphBuilder::GraphBuilder(const Model& model) : impl_(std::make_unique<Impl>(model)) {}
GraphBuilder::GraphBuilder(GraphBuilder&& other) noexcept = default;
GraphBuilder& GraphBuilder::operator=(GraphBuilder&& other) noexcept = default;
GraphBuilder::~GraphBuilder() = default;

Variable GraphBuilder::AddVariable(int states) {
  const Variable variable{impl_->builder.AddVariable(states)};
  impl_->states.push_back(states);
  return variable;
}

VariableRange GraphBuilder::AddVariables(int count, int states) {
  SLACKLINE_CHECK(count >= 0, "the number of variables must not be negative");
  const VariableRange range(static_cast<int>(impl_->states.size()), count);
  for (int k = 0; k < count; ++k) AddVariable(states);
  return range;
}

void GraphBuilder::AddInput(Variable variable, WeightBlock weights, int input) {
  const int num_states = impl_->StatesOf({&variable.number, 1})[0];
  const std::vector<int> rows =
      impl_->InputRows(weights, num_states,
                       "the input of a variable with " + std::to_string(num_states) + " states");
  impl_->builder.AddLinearFeatures(variable.number, weights.number, input, rows, weights.first_row);
}

void GraphBuilder::AddInputFactor(const Scope& scope, WeightBlock weights, int input) {
  const std::vector<int> numbers = Numbers(scope);
  impl_->RequireRows(weights, impl_->JointStates(numbers), "the input of a factor");
  const int factor = impl_->builder.AddFactor(numbers);
  impl_->builder.AddFactorLinearFeatures(factor, weights.number, input, {}, weights.first_row);
}

int GraphBuilder::AddPotentials(Variable variable, WeightBlock weights) {
  const int num_states = impl_->StatesOf({&variable.number, 1})[0];
  const std::vector<int> rows =
      impl_->PotentialRows(weights, num_states, "a variable with potentials");
  const int first = impl_->num_potentials;
  impl_->builder.AddPotentials(variable.number, weights.number, first, rows, weights.first_row);
  impl_->num_potentials += num_states;
  return first;
}

int GraphBuilder::AddPotentialFactor(const Scope& scope, WeightBlock weights) {
  const std::vector<int> numbers = Numbers(scope);
  const int joint = impl_->JointStates(numbers);
  const std::vector<int> rows = impl_->PotentialRows(weights, joint, "a factor with potentials");
  const int first = impl_->num_potentials;
  const int factor = impl_->builder.AddFactor(numbers);
  impl_->builder.AddFactorPotentials(factor, weights.number, first, rows, weights.first_row);
  impl_->num_potentials += joint;
  return first;
}

void GraphBuilder::AddFactor(const Scope& scope, const Factor& factor, WeightBlock weights) {
  const std::vector<int> numbers = Numbers(scope);
  const std::vector<int> states = impl_->StatesOf(numbers);
  const bool none = weights.number < 0;
  const int num_weights = factor.impl().NumWeights(states, none);
  SLACKLINE_CHECK(!none || num_weights == 0,
                  "the factor has " + std::to_string(num_weights) +
                      " weights: AddFactor needs the block that they are in");
  if (!none) impl_->RequireRows(weights, num_weights, "the factor");
  factor.impl().Add(numbers, states, weights.number, weights.first_row, &impl_->builder);
}

void GraphBuilder::AddFactor(const Scope& scope) {
  const std::vector<int> numbers = Numbers(scope);
  impl_->StatesOf(numbers);
  impl_->builder.AddFactor(numbers);
}

void GraphBuilder::Forbid(Variable variable, std::initializer_list<int> states) {
  const int num_states = impl_->StatesOf({&variable.number, 1})[0];
  std::vector<bool> flags(num_states, false);
  for (const int s : states) {
    SLACKLINE_CHECK(s >= 0 && s < num_states, "the variable has no state " + std::to_string(s));
    flags[s] = true;
  }
  impl_->forbidden.push_back({{variable.number}, -1, std::move(flags)});
}

void GraphBuilder::Forbid(const Scope& scope,
                          const std::function<bool(std::span<const int>)>& forbidden) {
  const std::vector<int> numbers = Numbers(scope);
  const std::vector<int> cardinalities = impl_->StatesOf(numbers);
  const int factor = numbers.size() == 1 ? -1 : impl_->builder.AddFactor(numbers);
  std::vector<bool> flags;
  std::vector<int> states(numbers.size(), 0);
  do {
    flags.push_back(forbidden(states));
  } while (internal::NextJoint(cardinalities, states));
  impl_->forbidden.push_back({numbers, factor, std::move(flags)});
}

Graph GraphBuilder::Build() const {
  auto graph = std::make_shared<GraphImpl>();
  graph->open = impl_->builder.Build();
  graph->structure = graph->open;
  if (!impl_->forbidden.empty()) {
    internal::ModelBuilder closed = impl_->builder;
    for (const Impl::Forbidden& entry : impl_->forbidden) {
      if (entry.factor < 0) {
        closed.ForbidStates(entry.scope[0], entry.flags);
      } else {
        closed.ForbidFactorStates(entry.factor, entry.flags);
      }
    }
    graph->structure = closed.Build();
  }
  graph->joined = internal::JoinFactors(graph->structure);
  return Graph(std::move(graph));
}

}  // namespace v1
}  // namespace slackline
