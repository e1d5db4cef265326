// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factor.h>

#include <algorithm>
#include <utility>

#include <slackline/api/factor_impl.h>
#include <slackline/core/check.h>
#include <slackline/factors/agreement.h>
#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/conformance.h>
#include <slackline/factors/global_conformance.h>
#include <slackline/factors/matching_factor.h>
#include <slackline/factors/potts.h>
#include <slackline/factors/state_count_factor.h>
#include <slackline/factors/table.h>
#include <slackline/factors/tree_factor.h>

namespace slackline {
inline namespace v1 {
namespace {

/// A factor with a table.
template <class F>
struct TabledFactor final : FactorImpl {
  explicit TabledFactor(F f) : factor(std::move(f)) {}
  int NumWeights(std::span<const int> /*states*/, bool /*none*/) const override {
    return factor.num_weights();
  }
  void Add(std::span<const int> scope, std::span<const int> /*states*/, int block, int base,
           internal::ModelBuilder* builder) const override {
    if (scope.size() == 1) {
      builder->AddVariableFeatures(scope[0], factor, block, base);
    } else {
      builder->AddFactor(scope, factor, block, base);
    }
  }
  internal::FeatureTable FeatureTable() const override {
    return internal::TabulateFeatures(factor);
  }
  F factor;
};

template <class F>
Factor Tabled(F factor) {
  return Factor(std::make_shared<TabledFactor<F>>(std::move(factor)));
}

/// A factor with its own max oracle instead of a table.
struct OracleFactor final : FactorImpl {
  explicit OracleFactor(std::shared_ptr<const internal::GlobalFactor> f) : factor(std::move(f)) {}
  int NumWeights(std::span<const int> /*states*/, bool /*none*/) const override {
    return factor->num_weights();
  }
  void Add(std::span<const int> scope, std::span<const int> /*states*/, int block, int base,
           internal::ModelBuilder* builder) const override {
    builder->AddGlobalFactor(scope, factor, block, base);
  }
  std::shared_ptr<const internal::GlobalFactor> factor;
};

enum class CountKind { kAtMost, kAtLeast, kExactly, kEach };

struct CountFactor final : FactorImpl {
  CountFactor(CountKind k, int n, int s) : kind(k), count(n), state(s) {
    SLACKLINE_CHECK(n >= 0 && s >= 0, "a count and its state must not be negative");
  }

  int NumWeights(std::span<const int> states, bool none) const override {
    if (kind == CountKind::kEach) return static_cast<int>(states.size()) + 1;
    return none ? 0 : 1;
  }

  void Add(std::span<const int> scope, std::span<const int> states, int block, int base,
           internal::ModelBuilder* builder) const override {
    const int size = static_cast<int>(scope.size());
    const bool hard = block < 0;
    internal::StateMap counts;
    for (int n = 0; n <= size; ++n) {
      const int excess = Excess(n);
      const bool read = !hard && (kind == CountKind::kEach || excess > 0);
      counts.rows.push_back(!read ? internal::kAbsent : kind == CountKind::kEach ? n : 0);
      if (kind != CountKind::kEach) counts.values.push_back(excess);
    }
    const bool upper = hard && (kind == CountKind::kAtMost || kind == CountKind::kExactly);
    const bool lower = hard && (kind == CountKind::kAtLeast || kind == CountKind::kExactly);
    const int low = lower ? count : 0;
    const int high = upper ? std::min(count, size) : size;
    SLACKLINE_CHECK(low <= size, "a factor over " + std::to_string(size) +
                                     " variables cannot ask for a count of " + std::to_string(low));
    builder->AddGlobalFactor(scope, Make(states, std::move(counts), hard, low, high), block, base);
  }

 private:
  int Excess(int n) const {
    if (kind == CountKind::kAtMost) return std::max(0, n - count);
    if (kind == CountKind::kAtLeast) return std::max(0, count - n);
    return std::abs(n - count);
  }

  std::shared_ptr<const internal::GlobalFactor> Make(std::span<const int> states,
                                                     internal::StateMap counts, bool hard, int low,
                                                     int high) const {
    const int size = static_cast<int>(states.size());
    const int num_weights = NumWeights(states, hard);
    const bool binary =
        state == 1 && std::all_of(states.begin(), states.end(), [](int k) { return k == 2; });
    if (binary) {
      return std::make_shared<internal::CardinalityFactor>(size, num_weights, std::move(counts),
                                                           low, high);
    }
    return std::make_shared<internal::StateCountFactor>(
        std::vector<int>(states.begin(), states.end()), state, num_weights, std::move(counts), low,
        high);
  }

  CountKind kind;
  int count;
  int state;
};

Factor MakeCount(CountKind kind, int count, int state) {
  return Factor(std::make_shared<CountFactor>(kind, count, state));
}

/// Adapts a GlobalFactor of the public interface to the library's interface.
class AdaptedFactor final : public internal::GlobalFactor {
 public:
  explicit AdaptedFactor(std::shared_ptr<const v1::GlobalFactor> factor)
      : factor_(std::move(factor)) {
    SLACKLINE_CHECK(factor_ != nullptr, "there is no factor");
  }
  /// For checks. Does not own the factor, which must outlive this object.
  explicit AdaptedFactor(const v1::GlobalFactor* factor)
      : AdaptedFactor(std::shared_ptr<const v1::GlobalFactor>(std::shared_ptr<void>(), factor)) {}

  std::string_view name() const override { return factor_->name(); }
  std::span<const int> cardinalities() const override { return factor_->cardinalities(); }
  int num_weights() const override { return factor_->num_weights(); }
  void AddFeatures(std::span<const int> states, double scale,
                   std::span<double> out) const override {
    factor_->AddFeatures(states, scale, out);
  }
  double Maximize(std::span<const double> weights, std::span<const double> messages,
                  std::span<int> states) const override {
    return factor_->Maximize(weights, messages, states);
  }
  double Score(std::span<const double> weights, std::span<const int> states) const override {
    return factor_->Score(weights, states);
  }
  bool IsRestricted() const override { return factor_->IsRestricted(); }
  bool Allows(std::span<const int> states) const override { return factor_->Allows(states); }

 private:
  std::shared_ptr<const v1::GlobalFactor> factor_;
};

}  // namespace

internal::FeatureTable FactorImpl::FeatureTable() const {
  throw std::invalid_argument("the pairs of a chain or tree need a factor with a table");
}

Factor Potts(int states) { return Tabled(internal::PottsFactor(states)); }

Factor Agreement(int states) { return Tabled(internal::AgreementFactor(states)); }

Factor Table(std::vector<int> states) { return Tabled(internal::TableFactor(std::move(states))); }

Factor Table(std::vector<int> states, int num_weights, std::vector<int> rows,
             std::vector<double> values) {
  return Tabled(internal::TableFactor(std::move(states), num_weights,
                                      internal::StateMap{std::move(rows), std::move(values)}));
}

Factor FunctionTable(std::vector<int> states, int num_weights, const FillFeatures& fill) {
  SLACKLINE_CHECK(fill != nullptr, "there is no function to fill the table");
  return Tabled(internal::TableFactor::FromFunction(std::move(states), num_weights, fill));
}

Factor AtMost(int count, int state) { return MakeCount(CountKind::kAtMost, count, state); }
Factor AtLeast(int count, int state) { return MakeCount(CountKind::kAtLeast, count, state); }
Factor Exactly(int count, int state) { return MakeCount(CountKind::kExactly, count, state); }
Factor Count(int state) { return MakeCount(CountKind::kEach, 0, state); }

Factor Matching(const std::vector<MatchingEdge>& edges, std::vector<int> left_capacities,
                std::vector<int> right_capacities) {
  std::vector<internal::MatchingFactor::Edge> copied;
  copied.reserve(edges.size());
  for (const MatchingEdge& edge : edges) copied.push_back({edge.left, edge.right});
  return Factor(std::make_shared<OracleFactor>(std::make_shared<internal::MatchingFactor>(
      std::move(copied), std::move(left_capacities), std::move(right_capacities))));
}

Factor Matching(int num_left, int num_right, const std::vector<MatchingEdge>& edges,
                int left_capacity, int right_capacity) {
  SLACKLINE_CHECK(num_left >= 1 && num_right >= 1, "a matching needs nodes on both sides");
  return Matching(edges, std::vector<int>(num_left, left_capacity),
                  std::vector<int>(num_right, right_capacity));
}

Factor Chain(int length, const Factor& pair) {
  return Factor(std::make_shared<OracleFactor>(std::make_shared<internal::TreeFactor>(
      internal::TreeFactor::Chain(length, pair.impl().FeatureTable()))));
}

Factor Tree(std::vector<int> states, const std::vector<std::pair<int, int>>& edges,
            const Factor& pair) {
  internal::FeatureTable table = pair.impl().FeatureTable();
  const int num_weights = table.num_weights;
  std::vector<internal::TreeFactor::Edge> copied;
  copied.reserve(edges.size());
  for (const auto& [first, second] : edges) copied.push_back({first, second, 0, 0});
  return Factor(std::make_shared<OracleFactor>(std::make_shared<internal::TreeFactor>(
      std::move(states), num_weights, std::vector<internal::FeatureTable>{std::move(table)},
      std::move(copied))));
}

GlobalFactor::~GlobalFactor() = default;

double GlobalFactor::Score(std::span<const double> weights, std::span<const int> states) const {
  std::vector<double> features(weights.size(), 0.0);
  AddFeatures(states, 1.0, features);
  double score = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) score += weights[k] * features[k];
  return score;
}

bool GlobalFactor::Allows(std::span<const int> /*states*/) const { return true; }

Factor MakeFactor(std::shared_ptr<const GlobalFactor> factor) {
  return Factor(std::make_shared<OracleFactor>(std::make_shared<AdaptedFactor>(std::move(factor))));
}

std::string CheckFeatures(std::vector<int> states, int num_weights,
                          const AddFeaturesFunction& add_features) {
  SLACKLINE_CHECK(add_features != nullptr, "there is no function to try");
  internal::FactorMethods methods;
  methods.cardinalities = [&states] { return states; };
  methods.num_weights = [num_weights] { return num_weights; };
  methods.add_features = add_features;
  return internal::CheckFactorMethods(methods, {}).Text();
}

std::string CheckFactor(const GlobalFactor& factor) {
  return internal::CheckGlobalFactor(AdaptedFactor(&factor)).Text();
}

}  // namespace v1
}  // namespace slackline
