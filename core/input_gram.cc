// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/input_gram.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <slackline/core/row_kernels.h>

namespace slackline::internal {
namespace {

/// Slots [begin, end) of one block, with consecutive coordinates.
struct Run {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

/// The run that begins at slot `begin`.
Run RunFrom(std::span<const Slot> slots, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < slots.size() && slots[end].block == slots[begin].block &&
         slots[end].coordinate == slots[end - 1].coordinate + slots[end - 1].rows)
    ++end;
  return {begin, end};
}

template <class Visit>
void ForEachRun(std::span<const Slot> slots, const Visit& visit) {
  for (std::size_t begin = 0; begin < slots.size();) {
    const Run run = RunFrom(slots, begin);
    visit(run);
    begin = run.end;
  }
}

/// Inner products of dense inputs of equal length, by the row kernels on a transposed copy of some
/// inputs. The matrix is symmetric, so halves of it are copied instead of computed.
class DenseGram {
 public:
  DenseGram(const std::vector<FeatureRow>& inputs, double* gram)
      : inputs_(inputs), n_(inputs.size()), length_(inputs[0].count), gram_(gram) {
    Square(0, n_);
  }

 private:
  static constexpr std::size_t kSmall = 32;

  /// Rows and columns [begin, end).
  void Square(std::size_t begin, std::size_t end) {
    if (end - begin <= kSmall) return Rectangle(begin, end, begin, end);
    const std::size_t middle = (begin + end) / 2;
    Square(begin, middle);
    Square(middle, end);
    Rectangle(middle, end, begin, middle);
    for (std::size_t i = middle; i < end; ++i) {
      for (std::size_t j = begin; j < middle; ++j) gram_[j * n_ + i] = gram_[i * n_ + j];
    }
  }

  void Rectangle(std::size_t begin, std::size_t end, std::size_t first, std::size_t last) {
    const std::size_t columns = last - first;
    transposed_.resize(columns * length_);
    for (std::size_t f = 0; f < length_; ++f) {
      for (std::size_t j = 0; j < columns; ++j)
        transposed_[f * columns + j] = inputs_[first + j].values[f];
    }
    rows_.clear();
    for (std::size_t i = begin; i < end; ++i) rows_.push_back(gram_ + i * n_ + first);
    RowsScores(transposed_.data(), static_cast<Index>(columns),
               std::span<const FeatureRow>(inputs_).subspan(begin, end - begin), rows_);
  }

  const std::vector<FeatureRow>& inputs_;
  std::size_t n_, length_;
  double* gram_;
  std::vector<double> transposed_;
  std::vector<double*> rows_;
};

}  // namespace

bool InputGram::Applies(const Structure& structure) {
  std::unordered_set<Index> blocks;
  bool once = true;
  ForEachRun(structure.slots(), [&](const Run& run) {
    once = blocks.insert(structure.slots()[run.begin].block).second && once;
  });
  return once;
}

Offset InputGram::Numbers(const Structure& structure) {
  Offset numbers = 0;
  ForEachRun(structure.slots(),
             [&](const Run& run) { numbers += static_cast<Offset>(run.size() * run.size()); });
  return numbers;
}

InputGram::InputGram(const ExampleView& example) {
  const std::span<const Slot> slots = example.structure().slots();
  gram_.resize(Numbers(example.structure()));
  double* gram = gram_.data();
  std::vector<FeatureRow> inputs;
  ForEachRun(slots, [&](const Run& run) {
    inputs.clear();
    for (std::size_t s = run.begin; s < run.end; ++s)
      inputs.push_back(example.input(slots[s].input));
    const std::size_t n = inputs.size();
    const bool dense = std::all_of(inputs.begin(), inputs.end(), [&](const FeatureRow& x) {
      return x.dense() && x.count == inputs[0].count;
    });
    if (dense && n > 1) {
      DenseGram(inputs, gram);  // fills `gram`
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j)
          gram[i * n + j] = gram[j * n + i] = Dot(inputs[i], inputs[j]);
      }
    }
    gram += n * n;
  });
  const bool counts = std::all_of(gram_.begin(), gram_.end(), [](double value) {
    return value >= 0 && value <= 255 && value == std::floor(value);
  });
  if (!counts) return;
  counts_.assign(gram_.begin(), gram_.end());
  gram_ = {};
}

void InputGram::Apply(const Structure& structure, std::span<const double> q,
                      std::span<double> out) const {
  const std::span<const Slot> slots = structure.slots();
  const std::vector<double> unpacked(counts_.begin(), counts_.end());
  const double* gram = counts_.empty() ? gram_.data() : unpacked.data();
  std::vector<FeatureRow> rows;
  std::vector<double*> to;
  ForEachRun(slots, [&](const Run& run) {
    // A matrix product: the coordinates of the run form a weight block in which the number of an
    // input takes the place of a feature.
    const auto n = static_cast<Index>(run.size());
    const Index states = slots[run.begin].rows;
    rows.clear();
    to.clear();
    for (Index i = 0; i < n; ++i) {
      rows.push_back({gram + static_cast<Offset>(i) * n, nullptr, n, 0});
      to.push_back(out.data() + slots[run.begin].coordinate + static_cast<Offset>(i) * states);
    }
    RowsScores(q.data() + slots[run.begin].coordinate, states, rows, to);
    gram += static_cast<Offset>(n) * n;
  });
}

}  // namespace slackline::internal
