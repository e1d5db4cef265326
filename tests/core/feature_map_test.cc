// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the feature map functions with explicitly formed feature vectors on random structures.
#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/input_gram.h>

#include <memory>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/derived_structure.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/random.h>
#include <slackline/factors/model_builder.h>
#include <tests/support/random_models.h>
#include <tests/support/random_problems.h>
#include <tests/support/tolerances.h>
#include <tests/support/vectors.h>

using namespace slackline::internal;
using slackline::internal::test::Dot;
using slackline::internal::test::InputKind;
using slackline::internal::test::kExact;
using slackline::internal::test::Near;
using slackline::internal::test::ProblemOptions;
using slackline::internal::test::RandomOptions;
using slackline::internal::test::RandomProblem;

namespace {

using Vector = std::vector<double>;

bool AllNear(const Vector& a, const Vector& b) {
  bool near = a.size() == b.size();
  for (std::size_t k = 0; near && k < a.size(); ++k) near = Near(a[k], b[k], kExact);
  return near;
}

Index Draw(Random* random, Index bound) {
  return static_cast<Index>(random->Below(static_cast<std::uint64_t>(bound)));
}

/// The arguments of one builder call, from which the expected features are formed.
struct Request {
  FeatureKind kind;
  Index part, block, source, base;
  StateMap map;
};

/// A random graph with random terms, and one example with random data. There are two linear and two
/// scalar blocks; one block is used with up to three inputs, dense and sparse.
class RandomModel {
 public:
  RandomModel(std::uint64_t seed, Index many_rows = 5) : random_(seed) {
    graph_ = test::RandomGraph(random_, 1 + Draw(&random_, 5), 4, Draw(&random_, 6), 3);
    layout_ = std::make_shared<WeightLayout>();
    layout_->AddBlock("a", many_rows, 6);
    layout_->AddBlock("s", 4);
    layout_->AddBlock("b", 3, 4);
    layout_->AddBlock("t", 7);
    StructureBuilder builder(graph_, layout_);
    for (Index part = 0; part < graph_->num_parts(); ++part) {
      if (Draw(&random_, 4) != 0) Add(&builder, FeatureKind::kLinear, part, 2 * Draw(&random_, 2));
      while (Draw(&random_, 2) != 0)
        Add(&builder, FeatureKind::kPotential, part, 1 + 2 * Draw(&random_, 2));
      while (Draw(&random_, 2) != 0)
        Add(&builder, FeatureKind::kConstant, part, 1 + 2 * Draw(&random_, 2));
    }
    structure_ = builder.Build();
    MakeExample();
  }

  ExampleView example() const { return data_->example(0); }
  const FactorGraph& graph() const { return *graph_; }
  const std::shared_ptr<const Structure>& structure() const { return structure_; }
  const Dataset& data() const { return *data_; }
  Random* random() { return &random_; }

  Vector RandomVector(Offset size) {
    Vector values(size);
    for (double& value : values) value = random_.Normal();
    return values;
  }

  /// φ_part(state), written out over all weights.
  Vector Phi(Index part, Index state) const {
    Vector phi(layout_->size(), 0.0);
    const std::size_t s = state;
    for (const Request& r : requests_) {
      if (r.part != part || r.map.rows[s] == kAbsent) continue;
      const WeightBlock& block = layout_->block(r.block);
      const Index row = r.map.rows[s] + r.base;
      if (r.kind == FeatureKind::kLinear) {
        const FeatureRow x = rows_->row(kFirstInput + r.source);
        for (Index k = 0; k < x.count; ++k) {
          phi[block.at(row, x.dense() ? k : x.columns[k])] += x.values[k];
        }
      } else {
        const double value = r.kind == FeatureKind::kPotential ? potentials_[r.source + s]
                             : r.map.values.empty()            ? 1.0
                                                               : r.map.values[s];
        phi[block.at(row, 0)] += value;
      }
    }
    return phi;
  }

 private:
  static constexpr Index kFirstInput = 2;
  static constexpr Index kInputs = 3;

  void Add(StructureBuilder* builder, FeatureKind kind, Index part, Index block) {
    Request r{kind, part, block, 0, 0, {}};
    const Index rows = layout_->block(block).rows;
    r.base = Draw(&random_, rows);
    const Index states = graph_->num_states(part);
    for (Index s = 0; s < states; ++s) r.map.rows.push_back(Draw(&random_, rows - r.base + 1) - 1);
    if (kind == FeatureKind::kLinear) {
      r.source = Draw(&random_, kInputs);
      builder->AddLinear(part, block, r.source, builder->AddStateMap(r.map), r.base);
    } else if (kind == FeatureKind::kPotential) {
      r.source = Draw(&random_, 9);
      builder->AddPotential(part, block, r.source, builder->AddStateMap(r.map), r.base);
    } else {
      if (Draw(&random_, 2) != 0) r.map.values = RandomVector(states);
      builder->AddConstant(part, block, builder->AddStateMap(r.map), r.base);
    }
    requests_.push_back(r);
  }

  /// An input that only one linear block reads may be dense. The others are sparse, with the
  /// columns of the smaller block.
  void MakeExample() {
    rows_ = std::make_shared<FeatureRows>();
    for (Index k = 0; k < kFirstInput; ++k) rows_->AddDense(RandomVector(3));
    for (Index input = 0; input < kInputs; ++input) {
      bool reads[3] = {false, false, false};
      for (const Request& r : requests_) {
        if (r.kind == FeatureKind::kLinear && r.source == input) reads[r.block] = true;
      }
      if (reads[0] != reads[2] && Draw(&random_, 2) != 0) {
        rows_->AddDense(RandomVector(layout_->block(reads[0] ? 0 : 2).cols));
        continue;
      }
      std::vector<Index> columns;
      for (Index f = 0; f < layout_->block(2).cols; ++f) {
        if (Draw(&random_, 3) != 0) columns.push_back(f);
      }
      rows_->AddSparse(columns, RandomVector(static_cast<Offset>(columns.size())));
    }
    potentials_ = RandomVector(structure_->num_potentials());
    data_ = std::make_unique<Dataset>(layout_, rows_);
    data_->Add(structure_, std::vector<Index>(graph_->num_variables(), 0), kFirstInput,
               potentials_);
  }

  Random random_;
  std::shared_ptr<const FactorGraph> graph_;
  std::shared_ptr<WeightLayout> layout_;
  std::shared_ptr<const Structure> structure_;
  std::shared_ptr<FeatureRows> rows_;
  std::vector<Request> requests_;
  Vector potentials_;
  std::unique_ptr<Dataset> data_;
};

constexpr std::uint64_t kModels = 60;

Vector Zeros(Offset size) { return Vector(size, 0.0); }

void AddScaled(double scale, const Vector& from, Vector* to) {
  for (std::size_t k = 0; k < from.size(); ++k) (*to)[k] += scale * from[k];
}

}  // namespace

TEST_CASE("score tables are the products of the weights with the formed feature vectors") {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    CAPTURE(seed);
    RandomModel model(seed);
    const FactorGraph& graph = model.graph();
    const Vector weights = model.RandomVector(model.structure()->layout().size());
    Vector scores(graph.total_states(), 99.0);  // any value: must be overwritten
    ScoreTables(model.example(), weights, scores);
    Vector expected;
    for (Index part = 0; part < graph.num_parts(); ++part) {
      for (Index s = 0; s < graph.num_states(part); ++s)
        expected.push_back(Dot(weights, model.Phi(part, s)));
    }
    CHECK(AllNear(scores, expected));
  }
}

TEST_CASE("marginals, states and labellings scatter to the formed feature vectors") {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    CAPTURE(seed);
    RandomModel model(seed);
    const ExampleView example = model.example();
    const FactorGraph& graph = model.graph();
    Vector q = Zeros(model.structure()->num_coordinates());
    Vector expected = Zeros(model.structure()->layout().size());
    for (Index part = 0; part < graph.num_parts(); ++part) {
      Vector mu = model.RandomVector(graph.num_states(part));
      mu[0] = 0;
      AddMarginalFeatures(example, part, mu, 0.7, q);
      for (Index s = 0; s < graph.num_states(part); ++s)
        AddScaled(0.7 * mu[s], model.Phi(part, s), &expected);
      const Index state = Draw(model.random(), graph.num_states(part));
      AddStateFeatures(example, part, state, -1.5, q);
      AddScaled(-1.5, model.Phi(part, state), &expected);
    }
    std::vector<Index> labels;
    for (const Index cardinality : graph.cardinalities())
      labels.push_back(Draw(model.random(), cardinality));
    AddLabellingFeatures(example, labels, 2.0, q);
    for (Index i = 0; i < graph.num_variables(); ++i)
      AddScaled(2.0, model.Phi(i, labels[i]), &expected);
    for (Index c = 0; c < graph.num_factors(); ++c) {
      AddScaled(2.0, model.Phi(graph.num_variables() + c, JointState(graph, c, labels)), &expected);
    }

    const Vector weights = model.RandomVector(model.structure()->layout().size());
    Vector scattered = weights;
    ScatterFeatures(example, q, 0.3, scattered);
    Vector sum = weights;
    AddScaled(0.3, expected, &sum);
    CHECK(AllNear(scattered, sum));

    Vector u = Zeros(model.structure()->num_coordinates());
    CoordinateScores(example, weights, u);
    CHECK(Near(Dot(u, q), Dot(weights, expected), 10 * kExact));
    CHECK(Near(FeatureGram().SquaredNorm(example, q), Dot(expected, expected), 10 * kExact));
  }
}

TEST_CASE("some of the random structures use one block with several inputs, others do not") {
  int orthogonal = 0;
  for (std::uint64_t seed = 1; seed <= kModels; ++seed)
    orthogonal += RandomModel(seed).structure()->slots_are_orthogonal() ? 1 : 0;
  CHECK(orthogonal > 5);
  CHECK(orthogonal < static_cast<int>(kModels) - 5);
}

TEST_CASE("inner products of features computed from those of inputs are the same") {
  Random random(29);
  int applied = 0;
  for (int trial = 0; trial < 60; ++trial) {
    ProblemOptions options = RandomOptions(random);
    options.tied_weights = trial % 3 != 0;
    options.inputs = trial % 2 == 0 ? InputKind::kDense : InputKind::kSparse;
    options.num_variables =
        trial % 20 == 19 ? 90 : 1 + trial % 9;  // 90: matrices that are computed in parts
    if (options.num_variables > 9) options.forest = true;
    const TrainingSet training = RandomProblem(random, options);
    for (Index m = 0; m < training.data.size(); ++m) {
      const ExampleView example = training.data.example(m);
      const Structure& structure = example.structure();
      if (!InputGram::Applies(structure)) continue;
      ++applied;
      const std::size_t count = SlotCoordinates(structure);
      std::vector<double> q(count), wanted(count, -1), found(count, -2);
      for (double& value : q) value = random.Below(3) == 0 ? 0 : random.Normal();
      FeatureGram().Apply(example, q, wanted);
      InputGram(example).Apply(structure, q, found);
      for (std::size_t k = 0; k < count; ++k) CHECK(Near(found[k], wanted[k], 10 * kExact));
    }
  }
  CHECK(applied >= 60);
}

TEST_CASE(
    "inner products of inputs of ones are the same, also for counts that do not fit into a byte") {
  for (const Index common : {0, 5, 255, 256}) {
    constexpr Index kVariables = 4, kStates = 3, kFeatures = 400;
    auto layout = std::make_shared<WeightLayout>();
    const Index block = layout->AddBlock("inputs", kStates, kFeatures);
    ModelBuilder builder(layout);
    for (Index i = 0; i < kVariables; ++i)
      builder.AddLinearFeatures(builder.AddVariable(kStates), block, i);
    auto rows = std::make_shared<FeatureRows>();
    for (Index i = 0; i < kVariables; ++i) {
      std::vector<Index> columns(common);
      std::iota(columns.begin(), columns.end(), 0);
      columns.push_back(300 + i / 2);
      rows->AddSparse(columns, std::vector<double>(columns.size(), 1.0));
    }
    Dataset data(layout, rows);
    data.Add(builder.Build(), std::vector<Index>(kVariables, 0), 0);
    const ExampleView example = data.example(0);
    const Structure& structure = example.structure();
    REQUIRE(InputGram::Applies(structure));
    Random random(31);
    const std::size_t count = SlotCoordinates(structure);
    std::vector<double> q(count), wanted(count, -1), found(count, -2);
    for (double& value : q) value = random.Normal();
    FeatureGram().Apply(example, q, wanted);
    const InputGram gram(example);
    CHECK_FALSE(gram.empty());
    gram.Apply(structure, q, found);
    CAPTURE(common);
    for (std::size_t k = 0; k < count; ++k) CHECK(Near(found[k], wanted[k], 10 * kExact));
  }
}

TEST_CASE("blocks with more rows than any buffer are scattered whole") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    RandomModel model(seed, 300);
    const Vector q = model.RandomVector(model.structure()->num_coordinates());
    Vector scattered = Zeros(model.structure()->layout().size());
    ScatterFeatures(model.example(), q, 1.0, scattered);
    // ⟨scatter(q), w⟩ = ⟨q, u(w)⟩ for every w: each of the two maps is the transpose of the other.
    const Vector weights = model.RandomVector(model.structure()->layout().size());
    Vector u = Zeros(model.structure()->num_coordinates());
    CoordinateScores(model.example(), weights, u);
    CHECK(Near(Dot(scattered, weights), Dot(q, u), 100 * kExact));
    CHECK(Near(FeatureGram().SquaredNorm(model.example(), q), Dot(scattered, scattered),
               10 * kExact));
  }
}

TEST_CASE("restricted structures give the remaining parts the same scores") {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    CAPTURE(seed);
    RandomModel model(seed);
    const FactorGraph& graph = model.graph();
    std::vector<bool> keep;
    for (Index i = 0; i < graph.num_variables(); ++i) keep.push_back(Draw(model.random(), 3) != 0);
    const RestrictedStructure part = Restrict(*model.structure(), keep);
    const auto n = static_cast<Index>(part.variables.size());
    Dataset data(model.structure()->shared_layout(), model.data().rows());
    data.Add(part.structure, std::vector<Index>(n, 0), model.data().first_input(0),
             model.example().potentials().first(part.structure->num_potentials()));
    const Vector weights = model.RandomVector(model.structure()->layout().size());
    Vector all = Zeros(graph.total_states());
    Vector some = Zeros(part.structure->graph().total_states());
    ScoreTables(model.example(), weights, all);
    ScoreTables(data.example(0), weights, some);
    bool same = true;
    for (Index p = 0; p < part.structure->graph().num_parts(); ++p) {
      const Index original =
          p < n ? part.variables[p] : graph.num_variables() + part.factors[p - n];
      REQUIRE(part.structure->graph().num_states(p) == graph.num_states(original));
      for (Index s = 0; s < graph.num_states(original); ++s) {
        same = same && all[graph.state_offset(original) + s] ==
                           some[part.structure->graph().state_offset(p) + s];
      }
    }
    CHECK(same);
  }
}

TEST_CASE(
    "forbidden states score -infinity, with and without features; the others keep their scores") {
  FactorGraphBuilder graph;
  graph.AddVariables(2, 2);
  graph.AddFactor({0, 1});
  auto layout = std::make_shared<WeightLayout>();
  layout->AddBlock("pairs", 4);
  StructureBuilder builder(graph.Build(), layout);
  builder.AddConstant(2, 0, builder.AddStateMap({{0, 1, kAbsent, 3}, {}}));
  builder.ForbidStates(2, {false, true, true, false});
  builder.ForbidStates(1, {false, true});
  Dataset data(layout, nullptr);
  data.Add(builder.Build(), std::vector<Index>{0, 0});
  Vector scores(8, 7.0);
  ScoreTables(data.example(0), Vector{1, 2, 3, 4}, scores);
  CHECK(scores == Vector{0, 0, 0, -kInfinity, 1, -kInfinity, -kInfinity, 4});
}
