// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/kernels/kernel_expansion.h>

#include <algorithm>
#include <atomic>

#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/core/row_kernels.h>

namespace slackline::internal {
namespace {

constexpr int kExpansionChunks = 32;
/// Number of kernel rows that are processed together, so that the coefficients are read less often.
constexpr Index kGroup = 12;

/// Per block of the layout: whether it meets inputs.
std::vector<bool> MeetInputs(const Dataset& data) {
  std::vector<bool> meets(data.layout().num_blocks(), false);
  for (const auto& structure : data.structures()) {
    for (const Slot& slot : structure->slots()) meets[slot.block] = true;
  }
  return meets;
}

}  // namespace

KernelExpansion::KernelExpansion(const Dataset& data) : offset_(data.layout().num_blocks(), -1) {
  number_.assign(data.rows() == nullptr ? 0 : data.rows()->size(), -1);
  for (Index m = 0; m < data.size(); ++m) {
    for (const Slot& slot : data.example(m).structure().slots())
      number_[data.first_input(m) + slot.input] = 0;
  }
  for (std::size_t row = 0; row < number_.size(); ++row) {
    if (number_[row] < 0) continue;
    number_[row] = num_inputs();
    inputs_.push_back(data.rows()->row(static_cast<Index>(row)));
  }
  std::vector<bool> scalar(offset_.size(), false);
  for (const auto& structure : data.structures()) {
    for (const ScalarBlock& used : structure->scalar_blocks()) scalar[used.block] = true;
  }
  for (std::size_t b = 0; b < scalar.size(); ++b) {
    if (!scalar[b]) continue;
    scalar_blocks_.push_back(static_cast<Index>(b));
    offset_[b] = num_scalars_;
    num_scalars_ += data.layout().block(scalar_blocks_.back()).rows;
  }
  size_ = num_scalars_;
  const std::vector<bool> meets = MeetInputs(data);
  for (std::size_t b = 0; b < meets.size(); ++b) {
    if (!meets[b]) continue;
    const auto block = static_cast<Index>(b);
    SLACKLINE_CHECK(!scalar[b], "weight block '" + data.layout().block(block).name +
                                    "' is used with linear and with scalar features");
    blocks_.push_back({block, data.layout().block(block).rows, size_});
    offset_[b] = size_;
    size_ += static_cast<Offset>(num_inputs()) * blocks_.back().rows;
  }
}

void KernelExpansion::AddFeatures(const Dataset& data, Index m, std::span<const double> q,
                                  double scale, std::span<double> weights) const {
  const Structure& structure = data.example(m).structure();
  for (const Slot& slot : structure.slots()) {
    const Index rows = data.layout().block(slot.block).rows;
    double* to =
        weights.data() + offset(slot.block) + static_cast<Offset>(input_of(data, m, slot)) * rows;
    const double* from = q.data() + slot.coordinate;
    for (Index r = 0; r < slot.rows; ++r) to[r] += scale * from[r];
  }
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    double* to = weights.data() + offset(scalar.block);
    const double* from = q.data() + scalar.coordinate;
    for (Index r = 0; r < scalar.rows; ++r) to[r] += scale * from[r];
  }
}

bool KernelExpansion::Scores(const GramCache& gram, std::span<const double> weights, int threads,
                             std::span<double> scores, const StopCondition* stop) const {
  if (std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 0; })) {
    std::fill(scores.begin(), scores.end(), 0.0);
    return true;
  }
  std::atomic<bool> ended = false;
  std::copy(weights.begin(), weights.begin() + num_scalars_, scores.begin());
  const Index n = num_inputs();
  ParallelChunks(n, kExpansionChunks, threads, [&](const Chunk& chunk) {
    std::vector<double> computed;
    for (Index begin = chunk.begin; begin < chunk.end && !ended; begin += kGroup) {
      if (stop != nullptr && stop->Reached()) ended = true;
      const Index count = std::min(kGroup, chunk.end - begin);
      FeatureRow rows[kGroup];
      for (Index k = 0; k < count; ++k) {
        std::span<const double> row = gram.Find(begin + k);
        if (row.empty()) {
          computed.resize(Offset{kGroup} * n);
          const std::span<double> own = std::span(computed).subspan(Offset{k} * n, n);
          gram.Compute(begin + k, own);
          row = own;
        }
        rows[k] = {row.data(), nullptr, n, 0};
      }
      for (const Block& block : blocks_) {
        double* to[kGroup];
        for (Index k = 0; k < count; ++k)
          to[k] = scores.data() + block.offset + static_cast<Offset>(begin + k) * block.rows;
        RowsScores(weights.data() + block.offset, block.rows,
                   std::span<const FeatureRow>(rows, count), std::span<double* const>(to, count));
      }
    }
  });
  return !ended;
}

void KernelExpansion::Gather(const Dataset& data, Index m, std::span<const double> scores,
                             std::span<double> u) const {
  const Structure& structure = data.example(m).structure();
  for (const Slot& slot : structure.slots()) {
    const Index rows = data.layout().block(slot.block).rows;
    std::copy_n(
        scores.data() + offset(slot.block) + static_cast<Offset>(input_of(data, m, slot)) * rows,
        slot.rows, u.data() + slot.coordinate);
  }
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    std::copy_n(scores.data() + offset(scalar.block), scalar.rows, u.data() + scalar.coordinate);
  }
}

Kernel KernelOf(const TrainOptions& options, const Dataset& data) {
  Kernel kernel;
  kernel.kind = options.kernel == KernelKind::kAuto ? KernelKind::kLinear : options.kernel;
  Index columns = 1;
  const std::vector<bool> meets = MeetInputs(data);
  for (std::size_t b = 0; b < meets.size(); ++b) {
    if (meets[b]) columns = std::max(columns, data.layout().block(static_cast<Index>(b)).cols);
  }
  kernel.gamma = options.kernel_gamma > 0 ? options.kernel_gamma : 1.0 / columns;
  kernel.degree = options.kernel_degree;
  kernel.offset = options.kernel_offset;
  return kernel;
}

}  // namespace slackline::internal
