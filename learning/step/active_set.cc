// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/active_set.h>

#include <algorithm>
#include <bit>
#include <limits>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

/// Σ over both lists of array[position − begin] · value.
double DotEntries(std::span<const Index> ones, std::span<const Index> index,
                  std::span<const double> value, const double* array, Offset begin) {
  double sum = 0;
  for (const Index k : ones) sum += array[k - begin];
  for (std::size_t e = 0; e < index.size(); ++e) sum += array[index[e] - begin] * value[e];
  return sum;
}

}  // namespace

void SparseCorner::Clear() {
  for (auto* list : {&slot_ones, &slot_index, &scalar_ones, &scalar_index}) list->clear();
  slot_value.clear();
  scalar_value.clear();
  loss = 0;
}

void SparsifyCorner(const Structure& structure, std::span<const double> coordinates,
                    SparseCorner* corner) {
  corner->Clear();
  const auto add = [](Offset position, double value, std::vector<Index>* ones,
                      std::vector<Index>* index, std::vector<double>* values) {
    if (value == 0) return;
    if (value == 1) {
      ones->push_back(static_cast<Index>(position));
    } else {
      index->push_back(static_cast<Index>(position));
      values->push_back(value);
    }
  };
  for (const Slot& slot : structure.slots()) {
    for (Index k = slot.coordinate; k < slot.coordinate + slot.rows; ++k) {
      add(k, coordinates[k], &corner->slot_ones, &corner->slot_index, &corner->slot_value);
    }
  }
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    const Offset begin = structure.layout().block(scalar.block).offset;
    for (Index r = 0; r < scalar.rows; ++r) {
      add(begin + r, coordinates[scalar.coordinate + r], &corner->scalar_ones,
          &corner->scalar_index, &corner->scalar_value);
    }
  }
}

CornerScratch MakeCornerScratch(const Dataset& data) {
  SLACKLINE_CHECK(data.layout().size() <= std::numeric_limits<Index>::max(),
                  "corners number weights by 32 bits: there are too many");
  Index slots = 0;
  Offset begin = data.layout().size();
  Offset end = 0;
  for (const auto& structure : data.structures()) {
    slots = std::max(slots, SlotCoordinates(*structure));
    for (const ScalarBlock& scalar : structure->scalar_blocks()) {
      const WeightBlock& block = structure->layout().block(scalar.block);
      begin = std::min(begin, block.offset);
      end = std::max(end, block.offset + block.size());
    }
  }
  CornerScratch scratch;
  scratch.slot.assign(slots, 0.0);
  scratch.scalar.assign(std::max<Offset>(0, end - begin), 0.0);
  scratch.scalar_begin = begin;
  return scratch;
}

ActiveSet::View ActiveSet::corner(Index a) const {
  const Head& head = heads_[a];
  const Index* index = index_.data() + head.begin;
  const double* value = value_.data() + head.value_begin;
  View view;
  view.slot_ones = std::span(index, head.slot_ones);
  index += head.slot_ones;
  view.slot_index = std::span(index, head.slot_values);
  index += head.slot_values;
  view.scalar_ones = std::span(index, head.scalar_ones);
  index += head.scalar_ones;
  view.scalar_index = std::span(index, head.scalar_values);
  view.slot_value = std::span(value, head.slot_values);
  view.scalar_value = std::span(value + head.slot_values, head.scalar_values);
  return view;
}

void ActiveSet::Read(Index a, SparseCorner* corner) const {
  const View view = this->corner(a);
  const auto copy = [](auto values, auto* list) { list->assign(values.begin(), values.end()); };
  copy(view.slot_ones, &corner->slot_ones);
  copy(view.slot_index, &corner->slot_index);
  copy(view.scalar_ones, &corner->scalar_ones);
  copy(view.scalar_index, &corner->scalar_index);
  copy(view.slot_value, &corner->slot_value);
  copy(view.scalar_value, &corner->scalar_value);
  corner->loss = loss(a);
}

/// Number of the corner in the set equal to this one, or −1.
Index ActiveSet::Find(const SparseCorner& corner) const {
  for (Index a = 0; a < size(); ++a) {
    if (heads_[a].loss != corner.loss) continue;
    const View view = this->corner(a);
    if (std::ranges::equal(view.slot_ones, corner.slot_ones) &&
        std::ranges::equal(view.scalar_ones, corner.scalar_ones) &&
        std::ranges::equal(view.slot_index, corner.slot_index) &&
        std::ranges::equal(view.scalar_index, corner.scalar_index) &&
        std::ranges::equal(view.slot_value, corner.slot_value) &&
        std::ranges::equal(view.scalar_value, corner.scalar_value)) {
      return a;
    }
  }
  return -1;
}

void ActiveSet::Grow() {
  const std::size_t capacity = std::max<std::size_t>(4, 2 * capacity_);
  std::vector<double> gram(capacity * capacity, 0.0);
  for (std::size_t a = 0; a < heads_.size(); ++a) {
    std::copy_n(gram_.data() + a * capacity_, heads_.size(), gram.data() + a * capacity);
  }
  gram_ = std::move(gram);
  capacity_ = capacity;
}

Index ActiveSet::Add(const ExampleView& example, const SparseCorner& corner,
                     CornerScratch* scratch) {
  const Index known = Find(corner);
  if (known >= 0) return known;
  if (keeps_products_ && heads_.size() == capacity_) Grow();
  Head head;
  head.begin = static_cast<Index>(index_.size());
  head.value_begin = static_cast<Index>(value_.size());
  head.slot_ones = static_cast<Index>(corner.slot_ones.size());
  head.slot_values = static_cast<Index>(corner.slot_index.size());
  head.scalar_ones = static_cast<Index>(corner.scalar_ones.size());
  head.scalar_values = static_cast<Index>(corner.scalar_index.size());
  head.loss = corner.loss;
  for (const auto* list :
       {&corner.slot_ones, &corner.slot_index, &corner.scalar_ones, &corner.scalar_index}) {
    index_.insert(index_.end(), list->begin(), list->end());
  }
  value_.insert(value_.end(), corner.slot_value.begin(), corner.slot_value.end());
  value_.insert(value_.end(), corner.scalar_value.begin(), corner.scalar_value.end());
  heads_.push_back(head);
  alpha_.push_back(0);
  if (keeps_products_) ComputeGram(example, size() - 1, scratch);
  return size() - 1;
}

/// Computes row and column a by scattering the corner: O(entries of all corners), and the cost of
/// FeatureGram::Apply or InputGram::Apply.
void ActiveSet::ComputeGram(const ExampleView& example, Index a, CornerScratch* scratch) {
  const Offset begin = scratch->scalar_begin;
  ForEachSlotEntry(a, [&](Index k, double value) { scratch->slot[k] += value; });
  scratch->product.resize(scratch->slot.size());
  if (scratch->inputs != nullptr) {
    scratch->inputs->Apply(example.structure(), scratch->slot, scratch->product);
  } else {
    scratch->gram.Apply(example, scratch->slot, scratch->product);
  }
  ForEachScalarEntry(a, [&](Index k, double value) { scratch->scalar[k - begin] += value; });
  for (Index b = 0; b <= a; ++b) {
    const View other = corner(b);
    const double product = DotEntries(other.slot_ones, other.slot_index, other.slot_value,
                                      scratch->product.data(), 0) +
                           DotEntries(other.scalar_ones, other.scalar_index, other.scalar_value,
                                      scratch->scalar.data(), begin);
    gram_[a * capacity_ + b] = product;
    gram_[b * capacity_ + a] = product;
  }
  ForEachSlotEntry(a, [&](Index k, double) { scratch->slot[k] = 0; });
  ForEachScalarEntry(a, [&](Index k, double) { scratch->scalar[k - begin] = 0; });
}

ActiveSet ActiveSet::First() const {
  ActiveSet first(keeps_products_);
  const Head& head = heads_[0];
  first.heads_ = {head};
  first.index_.assign(index_.begin() + head.begin, index_.begin() + head.begin + head.entries());
  first.value_.assign(value_.begin() + head.value_begin,
                      value_.begin() + head.value_begin + head.slot_values + head.scalar_values);
  first.heads_[0].begin = first.heads_[0].value_begin = 0;
  first.alpha_ = {1.0};
  if (keeps_products_) {
    first.gram_ = {gram_[0]};
    first.capacity_ = 1;
  }
  return first;
}

double ActiveSet::Score(Index a, std::span<const double> slot_scores,
                        std::span<const double> weights) const {
  const View view = corner(a);
  return loss(a) +
         DotEntries(view.slot_ones, view.slot_index, view.slot_value, slot_scores.data(), 0) +
         DotEntries(view.scalar_ones, view.scalar_index, view.scalar_value, weights.data(), 0);
}

/// Drops the corners for which keep(number, head) is false.
template <class Keep>
void ActiveSet::Compact(const Keep& keep) {
  std::size_t kept = 0;
  Index index_end = 0;
  Index value_end = 0;
  for (std::size_t a = 0; a < heads_.size(); ++a) {
    Head& old = heads_[a];
    if (!keep(a, &old)) continue;
    Head head = old;
    if (kept != a) {
      std::copy_n(index_.begin() + head.begin, head.entries(), index_.begin() + index_end);
      const Index values = head.slot_values + head.scalar_values;
      std::copy_n(value_.begin() + head.value_begin, values, value_.begin() + value_end);
      if (keeps_products_) {
        // The column moves first: rows above `kept` are final already, those below still have their
        // old order.
        for (std::size_t b = 0; b < heads_.size(); ++b) {
          gram_[b * capacity_ + kept] = gram_[b * capacity_ + a];
        }
        std::copy_n(gram_.data() + a * capacity_, heads_.size(), gram_.data() + kept * capacity_);
      }
    }
    head.begin = index_end;
    head.value_begin = value_end;
    index_end += head.entries();
    value_end += head.slot_values + head.scalar_values;
    alpha_[kept] = alpha_[a];
    heads_[kept++] = head;
  }
  heads_.resize(kept);
  alpha_.resize(kept);
  index_.resize(index_end);
  value_.resize(value_end);
}

void ActiveSet::DropIdle(Index limit) {
  Compact([&](std::size_t a, Head* head) {
    head->idle = alpha_[a] > 0 ? 0 : head->idle + 1;
    return a == 0 || head->idle <= limit;
  });
}

void ActiveSet::Retain(std::span<const std::uint8_t> keep) {
  Compact([&](std::size_t a, Head*) { return a == 0 || keep[a] != 0; });
}

void ActiveSet::AddCoordinates(const Structure& structure, Index a, double share,
                               std::span<double> coordinates) const {
  ForEachSlotEntry(a, [&](Index k, double value) { coordinates[k] += share * value; });
  ForEachScalarEntry(a, [&](Index position, double value) {
    for (const ScalarBlock& scalar : structure.scalar_blocks()) {
      const Offset row = position - structure.layout().block(scalar.block).offset;
      if (row >= 0 && row < scalar.rows) coordinates[scalar.coordinate + row] += share * value;
    }
  });
}

void ActiveSet::Archive(const ExampleView& example, CornerScratch* scratch, StateArchive* archive) {
  constexpr std::int64_t kMost = std::numeric_limits<Index>::max() / 8;
  constexpr std::int64_t kHeadBytes = 6 * 8;
  heads_.resize(archive->Length(heads_.size(), 1, kMost, kHeadBytes));
  std::int64_t entries = 0;
  std::int64_t values = 0;
  double largest_loss = 1;
  for (Head& head : heads_) {
    head.begin = static_cast<Index>(entries);
    head.value_begin = static_cast<Index>(values);
    for (Index* n :
         {&head.slot_ones, &head.slot_values, &head.scalar_ones, &head.scalar_values, &head.idle})
      archive->Integer(n, 0, kMost);
    archive->FiniteReal(&head.loss);
    largest_loss = std::max(largest_loss, head.loss);
    entries += head.entries();
    values += std::int64_t{head.slot_values} + head.scalar_values;
    archive->Require(entries <= kMost, "a corner is too long");
  }
  for (const Head& head : heads_)  // up to rounding of solvers
    archive->Require(head.loss >= -1e-6 * largest_loss, "a corner has a negative loss");
  alpha_.resize(heads_.size());
  // Sets without inner products only store corners; nothing reads their weights.
  if (keeps_products_) {
    archive->Shares(alpha_);
  } else {
    archive->FiniteReals(alpha_);
  }
  archive->Indices(&index_, 0, std::numeric_limits<Index>::max());
  archive->FiniteList(&value_);
  if (!archive->loading()) return;
  StateReader::Require(std::ssize(index_) == entries && std::ssize(value_) == values,
                       "corners do not add up");
  CheckEntries(example, *scratch);
  if (!keeps_products_) return;
  capacity_ = std::max<std::size_t>(4, std::bit_ceil(heads_.size()));
  gram_.assign(capacity_ * capacity_, 0.0);
  for (Index a = 0; a < size(); ++a) ComputeGram(example, a, scratch);
}

/// Throws DataError unless all entries lie within the example's coordinates and scalar weights.
void ActiveSet::CheckEntries(const ExampleView& example, const CornerScratch& scratch) const {
  const Index slot_end = SlotCoordinates(example.structure());
  const Offset scalar_end = scratch.scalar_begin + static_cast<Offset>(scratch.scalar.size());
  for (Index a = 0; a < size(); ++a) {
    ForEachSlotEntry(
        a, [&](Index k, double) { StateReader::Require(k < slot_end, "a corner does not fit"); });
    ForEachScalarEntry(a, [&](Index k, double) {
      StateReader::Require(k >= scratch.scalar_begin && k < scalar_end, "a corner does not fit");
    });
  }
}

}  // namespace slackline::internal
