// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/feature_gram.h>

#include <algorithm>

#include <slackline/core/slot_sweeps.h>

namespace slackline::internal {

Index SlotCoordinates(const Structure& structure) {
  const std::span<const Slot> slots = structure.slots();
  return slots.empty() ? 0 : slots.back().coordinate + slots.back().rows;
}

void FeatureGram::Apply(const ExampleView& example, std::span<const double> q,
                        std::span<double> out) {
  const Structure& structure = example.structure();
  if (structure.slots_are_orthogonal()) {
    for (const Slot& slot : structure.slots()) {
      const double norm = example.input(slot.input).squared_norm;
      for (Index k = slot.coordinate; k < slot.coordinate + slot.rows; ++k) {
        out[k] = norm * q[k];
      }
    }
    return;
  }
  weights_.resize(structure.layout().size(), 0.0);
  const auto block = [&](const Slot& slot) {
    return weights_.data() + structure.layout().block(slot.block).offset;
  };
  const auto used = [&](const Slot& slot) {
    const double* begin = q.data() + slot.coordinate;
    return std::any_of(begin, begin + slot.rows, [](double value) { return value != 0; });
  };
  AddSlots(example, q, weights_);
  SlotScores(example, weights_, out);
  Index cleared = -1;  // block whose first `columns` columns are zero again
  Index columns = 0;
  for (const Slot& slot : structure.slots()) {
    if (!used(slot)) continue;
    const FeatureRow x = example.input(slot.input);
    if (x.dense()) {
      if (slot.block == cleared && x.count <= columns) continue;
      cleared = slot.block;
      columns = x.count;
      std::fill_n(block(slot), static_cast<Offset>(x.count) * slot.rows, 0.0);
      continue;
    }
    for (Index k = 0; k < x.count; ++k) {
      std::fill_n(block(slot) + static_cast<Offset>(x.columns[k]) * slot.rows, slot.rows, 0.0);
    }
  }
}

double FeatureGram::SquaredNorm(const ExampleView& example, std::span<const double> q) {
  const Structure& structure = example.structure();
  const std::size_t slots = SlotCoordinates(structure);
  product_.resize(slots);
  Apply(example, q, product_);
  double norm = 0;
  for (std::size_t k = 0; k < slots; ++k) norm += q[k] * product_[k];
  const std::size_t coordinates = structure.num_coordinates();
  for (std::size_t k = slots; k < coordinates; ++k) norm += q[k] * q[k];
  return std::max(0.0, norm);
}

}  // namespace slackline::internal
