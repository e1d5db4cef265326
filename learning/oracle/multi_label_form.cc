// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/multi_label_form.h>

#include <algorithm>
#include <map>

namespace slackline::internal {
namespace {

/// The single state of the map that has a feature, or −1 when there are none or several.
Index OnlyState(const StateMap& map) {
  Index only = -1;
  for (std::size_t s = 0; s < map.rows.size(); ++s) {
    if (map.rows[s] == kAbsent) continue;
    if (only >= 0) return -1;
    only = static_cast<Index>(s);
  }
  return only;
}

Offset WeightPosition(const Structure& structure, const FeatureTerm& term, const StateMap& map,
                      Index state) {
  return structure.layout().block(term.block).offset + term.base + map.rows[state];
}

}  // namespace

std::optional<MultiLabelForm> MultiLabelForm::Make(const Structure& structure) {
  const FactorGraph& graph = structure.graph();
  if (structure.has_forbidden_states()) return std::nullopt;
  MultiLabelForm form;
  form.slot_coordinate_.assign(graph.num_variables(), -1);
  form.later_.resize(graph.num_variables());
  for (Index i = 0; i < graph.num_variables(); ++i) {
    if (graph.cardinality(i) != 2) return std::nullopt;
    for (const FeatureTerm& term : structure.terms(i)) {
      const StateMap& map = structure.map(term.map);
      if (OnlyState(map) != 1 || term.kind == FeatureKind::kPotential) return std::nullopt;
      if (term.kind == FeatureKind::kLinear) {
        form.slot_coordinate_[i] = term.coordinate + map.rows[1];
      } else {
        form.constants_.push_back({i, static_cast<Index>(WeightPosition(structure, term, map, 1)),
                                   map.values.empty() ? 1.0 : map.values[1]});
      }
    }
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const std::span<const Index> scope = graph.scope(c);
    const auto terms = structure.terms(graph.num_variables() + c);
    if (scope.size() != 2 || terms.size() != 1 || terms[0].kind != FeatureKind::kConstant)
      return std::nullopt;
    const StateMap& map = structure.map(terms[0].map);
    if (OnlyState(map) != 3 || !(map.values.empty() || map.values[3] == 1)) return std::nullopt;
    form.later_[std::min(scope[0], scope[1])].emplace_back(std::max(scope[0], scope[1]), c);
    form.pairs_.push_back({scope[0], scope[1]});
    form.pair_weight_.push_back(static_cast<Index>(WeightPosition(structure, terms[0], map, 3)));
  }
  // Two pairs with one weight would have one entry with value 2 in a corner.
  std::vector<Index> sorted = form.pair_weight_;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return std::nullopt;
  for (const Constant& constant : form.constants_) {
    if (std::binary_search(sorted.begin(), sorted.end(), constant.weight)) return std::nullopt;
  }
  form.contiguous_ = true;
  for (std::size_t e = 0; e < sorted.size(); ++e) {
    form.contiguous_ =
        form.contiguous_ && form.pair_weight_[e] == form.pair_weight_[0] + static_cast<Index>(e);
  }
  return form;
}

void MultiLabelForm::UnaryCoefficients(std::span<const double> loss,
                                       std::span<const double> slot_scores,
                                       std::span<const double> weights, std::span<double> u) const {
  for (std::size_t i = 0; i < slot_coordinate_.size(); ++i) {
    const Index k = slot_coordinate_[i];
    u[i] = loss[2 * i + 1] - loss[2 * i] + (k >= 0 ? slot_scores[k] : 0.0);
  }
  for (const Constant& constant : constants_) {
    u[constant.variable] += constant.value * weights[constant.weight];
  }
}

std::span<const double> MultiLabelForm::PairCoefficients(std::span<const double> weights,
                                                         std::vector<double>* buffer) const {
  if (pairs_.empty()) return {};
  if (contiguous_) return weights.subspan(pair_weight_[0], pairs_.size());
  buffer->resize(pairs_.size());
  for (std::size_t e = 0; e < pairs_.size(); ++e) (*buffer)[e] = weights[pair_weight_[e]];
  return *buffer;
}

void MultiLabelForm::ReadCorner(const RoofDuality& roof, std::span<const double> t,
                                std::span<const double> loss, SparseCorner* corner) const {
  corner->Clear();
  const std::span<const std::uint8_t> doubled = roof.doubled();
  const auto add = [](Index position, int twice, std::vector<Index>* ones,
                      std::vector<Index>* index, std::vector<double>* value) {
    if (twice == 2) {
      ones->push_back(position);
    } else if (twice == 1) {
      index->push_back(position);
      value->push_back(0.5);
    }
  };
  for (std::size_t i = 0; i < slot_coordinate_.size(); ++i) {
    const int p = doubled[i];
    corner->loss += 0.5 * (p * loss[2 * i + 1] + (2 - p) * loss[2 * i]);
    if (p == 0) continue;
    if (slot_coordinate_[i] >= 0) {
      add(slot_coordinate_[i], p, &corner->slot_ones, &corner->slot_index, &corner->slot_value);
    }
    for (const auto& [j, pair] : later_[i]) {
      const int q = doubled[j];
      if (q == 0) continue;
      add(pair_weight_[pair], t[pair] > 0 ? std::min(p, q) : std::max(0, p + q - 2),
          &corner->scalar_ones, &corner->scalar_index, &corner->scalar_value);
    }
  }
  for (const Constant& constant : constants_) {
    const int p = doubled[constant.variable];
    if (p == 0) continue;
    corner->scalar_index.push_back(constant.weight);
    corner->scalar_value.push_back(0.5 * p * constant.value);
  }
}

void MultiLabelForm::ReadLabelling(std::span<const Index> labels, SparseCorner* corner) const {
  corner->Clear();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == 0) continue;
    if (slot_coordinate_[i] >= 0) corner->slot_ones.push_back(slot_coordinate_[i]);
    for (const auto& [j, pair] : later_[i]) {
      if (labels[j] == 1) corner->scalar_ones.push_back(pair_weight_[pair]);
    }
  }
  std::map<Index, double> sums;
  for (const Constant& constant : constants_) {
    if (labels[constant.variable] == 1) sums[constant.weight] += constant.value;
  }
  for (const auto& [weight, sum] : sums) {
    if (sum == 1) {
      corner->scalar_ones.push_back(weight);
    } else if (sum != 0) {
      corner->scalar_index.push_back(weight);
      corner->scalar_value.push_back(sum);
    }
  }
  std::sort(corner->slot_ones.begin(), corner->slot_ones.end());
  std::sort(corner->scalar_ones.begin(), corner->scalar_ones.end());
}

}  // namespace slackline::internal
