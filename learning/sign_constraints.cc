// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/sign_constraints.h>

#include <map>
#include <optional>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

/// Which signs a weight may have; the inequality holds for f_k times such a sign.
struct Allowed {
  bool positive = true;
  bool negative = true;
};

/// The signs for the weight of one row of a map over pairs of `states` states each.
Allowed AllowedSigns(const StateMap& map, Index row, Index states) {
  const auto f = [&](Index a, Index b) {
    const std::size_t s = Size(Offset{a} * states + b);
    if (map.rows[s] != row) return 0.0;
    return map.values.empty() ? 1.0 : map.values[s];
  };
  Allowed allowed;
  for (Index alpha = 0; alpha < states; ++alpha) {
    for (Index a = 0; a < states; ++a) {
      for (Index b = 0; b < states; ++b) {
        const double low = f(a, alpha) + f(alpha, b);
        const double high = f(a, b) + f(alpha, alpha);
        allowed.positive = allowed.positive && high >= low;
        allowed.negative = allowed.negative && high <= low;
      }
      if (!allowed.positive && !allowed.negative) return allowed;
    }
  }
  return allowed;
}

/// Rows of a map with the signs of their weights; empty optional: some weight can have none.
using RowSigns = std::optional<std::vector<std::pair<Index, Allowed>>>;

RowSigns SignsOfMap(const StateMap& map, Index states) {
  std::vector<Index> rows;
  for (const Index row : map.rows) {
    if (row != kAbsent) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::vector<std::pair<Index, Allowed>> signs;
  for (const Index row : rows) {
    const Allowed allowed = AllowedSigns(map, row, states);
    if (!allowed.positive && !allowed.negative) return std::nullopt;
    signs.emplace_back(row, allowed);
  }
  return signs;
}

/// Calls visit(weight block, row, Allowed) for the weights of all pairs, some of them several
/// times. Returns false at the first pair that no signs make associative.
template <class Visit>
bool ForEachPairWeight(const Structure& structure, const Visit& visit) {
  const FactorGraph& graph = structure.graph();
  if (graph.num_global_factors() > 0) return false;
  std::map<std::pair<Index, Index>, RowSigns> known;  // by map and number of states
  for (Index i = 0; i < graph.num_variables(); ++i) {
    if (graph.cardinality(i) != graph.cardinality(0)) return false;
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    if (graph.scope(c).size() > 2) return false;
    if (graph.scope(c).size() < 2) continue;
    const Index states = graph.cardinality(graph.scope(c)[0]);
    for (const FeatureTerm& term : structure.terms(graph.num_variables() + c)) {
      if (term.kind != FeatureKind::kConstant) return false;
      const auto [found, is_new] = known.try_emplace({term.map, states});
      if (is_new) found->second = SignsOfMap(structure.map(term.map), states);
      if (!found->second) return false;
      for (const auto& [row, allowed] : *found->second) visit(term.block, row + term.base, allowed);
    }
  }
  return true;
}

}  // namespace

SignConstraints::SignConstraints(std::vector<Entry> entries) : entries_(std::move(entries)) {
  if (entries_.empty()) return;
  first_ = entries_.front().at;
  SLACKLINE_CHECK(first_ >= 0, "positions of weights are not negative");
  number_.assign(Size(entries_.back().at - first_ + 1), -1);
  Offset before = -1;
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Entry& entry = entries_[e];
    SLACKLINE_CHECK(entry.at > before && (entry.sign == 1 || entry.sign == -1),
                    "constraints need increasing positions, and signs 1 or -1");
    before = entry.at;
    number_[Size(entry.at - first_)] = static_cast<Index>(e);
  }
}

const SignConstraints::Entry* SignConstraints::FirstViolation(
    std::span<const double> weights) const {
  for (const Entry& entry : entries_) {
    if (weights[Size(entry.at)] * entry.sign < 0) return &entry;
  }
  return nullptr;
}

bool HasAssociativeSigns(const Structure& structure) {
  return ForEachPairWeight(structure, [](Index, Index, const Allowed&) {});
}

SignConstraints AssociativeSigns(const Dataset& data) {
  std::map<Offset, double> signs;
  for (const auto& structure : data.structures()) {
    const bool can = ForEachPairWeight(*structure, [&](Index block, Index row,
                                                       const Allowed& allowed) {
      if (allowed.positive && allowed.negative) return;
      const double sign = allowed.positive ? 1 : -1;
      const WeightBlock& place = data.layout().block(block);
      const auto [found, is_new] = signs.try_emplace(place.at(row, 0), sign);
      if (found->second == sign) return;
      throw DataError("no sign of weight " + std::to_string(row) + " of \"" + place.name +
                      "\" makes all pairs associative: some pairs need one that is not negative, "
                      "and others one that is not positive");
    });
    SLACKLINE_CHECK(can, "no signs of weights make the pairs of a structure associative");
  }
  std::vector<SignConstraints::Entry> entries;
  for (const auto& [at, sign] : signs) entries.push_back({at, sign});
  return SignConstraints(std::move(entries));
}

SignConstraints SignsOf(const Problem& problem, const TrainOptions& options) {
  return options.associative ? AssociativeSigns(problem.data()) : SignConstraints();
}

}  // namespace slackline::internal
