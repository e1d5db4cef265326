// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/kernel_entries.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

Kernel LoadKernel(const ModelEntries& entries) {
  Kernel kernel;
  kernel.kind =
      entries.Choose("kernel", {KernelKind::kLinear, KernelKind::kPolynomial, KernelKind::kRbf});
  const auto numbers = entries.Doubles("kernel_numbers", 3);
  entries.Require(AllFinite(numbers) && numbers[0] > 0 && numbers[1] >= 0, "kernel_numbers");
  entries.Require(numbers[2] >= 1 && numbers[2] <= 1e6 && numbers[2] == std::floor(numbers[2]),
                  "kernel_numbers");
  kernel.gamma = numbers[0];
  kernel.offset = numbers[1];
  kernel.degree = static_cast<Index>(numbers[2]);
  return kernel;
}

}  // namespace

void SaveSupport(const KernelSupport& support, ModelWriter* writer) {
  const Kernel& kernel = support.kernel();
  std::vector<std::int64_t> counts;  // numbers of stored values; −1 − number for sparse vectors
  std::vector<std::int64_t> columns;
  std::vector<double> values;
  for (Index j = 0; j < support.size(); ++j) {
    const FeatureRow x = support.vectors().row(j);
    counts.push_back(x.dense() ? x.count : -1 - static_cast<std::int64_t>(x.count));
    values.insert(values.end(), x.values, x.values + x.count);
    if (!x.dense()) columns.insert(columns.end(), x.columns, x.columns + x.count);
  }
  writer->Add("kernel", std::string(Name(kernel.kind)));
  writer->Add("kernel_numbers",
              std::vector<double>{kernel.gamma, kernel.offset, static_cast<double>(kernel.degree)});
  writer->Add("support_counts", counts);
  writer->Add("support_columns", columns);
  writer->Add("support_values", values);
  writer->Add("coefficients", support.coefficients());
}

KernelSupport LoadSupport(const ModelEntries& entries, Index rows, Index columns) {
  KernelSupport support(LoadKernel(entries), rows);
  const auto counts = entries.file().Integers("support_counts");
  std::span<const std::int64_t> sparse = entries.file().Integers("support_columns");
  std::span<const double> values = entries.file().Doubles("support_values");
  const auto coefficients = entries.Doubles("coefficients", counts.size() * rows);
  entries.Require(AllFinite(values), "support_values");
  entries.Require(AllFinite(coefficients), "coefficients");
  std::vector<Index> own;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const bool dense = counts[j] >= 0;
    entries.Require(counts[j] >= -1 - static_cast<std::int64_t>(columns) && counts[j] <= columns,
                    "support_counts");
    const std::size_t count = dense ? counts[j] : -1 - counts[j];
    entries.Require(count <= values.size() && (dense || count <= sparse.size()), "support_counts");
    FeatureRow x{values.data(), nullptr, static_cast<Index>(count), 0};
    if (!dense) {
      own.assign(1, 0);  // allocates, so that own.data() is not null even for an empty row
      own.clear();
      for (std::size_t k = 0; k < count; ++k) {
        entries.Require(sparse[k] >= (k == 0 ? 0 : sparse[k - 1] + 1) && sparse[k] < columns,
                        "support_columns");
        own.push_back(static_cast<Index>(sparse[k]));
      }
      x.columns = own.data();
      sparse = sparse.subspan(count);
    }
    const double length = std::inner_product(x.values, x.values + count, x.values, 0.0);
    entries.Require(std::isfinite(length), "support_values");
    support.Add(x, coefficients.subspan(j * rows, rows));
    values = values.subspan(count);
  }
  entries.Require(values.empty(), "support_values");
  entries.Require(sparse.empty(), "support_columns");
  return support;
}

KernelSupport SupportOf(const KernelExpansion& expansion, const Kernel& kernel, Index block,
                        std::span<const double> weights) {
  const auto found = std::find_if(expansion.blocks().begin(), expansion.blocks().end(),
                                  [&](const auto& candidate) { return candidate.block == block; });
  SLACKLINE_CHECK(found != expansion.blocks().end() && std::ssize(weights) == expansion.size(),
                  "the coefficients do not fit the data");
  KernelSupport support(kernel, found->rows);
  for (Index j = 0; j < expansion.num_inputs(); ++j) {
    const auto own =
        weights.subspan(found->offset + static_cast<Offset>(j) * found->rows, found->rows);
    if (std::any_of(own.begin(), own.end(), [](double value) { return value != 0; }))
      support.Add(expansion.inputs()[j], own);
  }
  return support;
}

}  // namespace slackline::internal
