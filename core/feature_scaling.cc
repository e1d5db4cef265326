// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/feature_scaling.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/exact_sum.h>
#include <slackline/core/parse_number.h>

namespace slackline::internal {
namespace {

/// A feature is constant up to rounding if its deviation is at most this share of its largest
/// value.
constexpr double kConstantShare = 1e-12;

bool HasSparseRows(const FeatureRows& rows, Ranks* ranks) {
  bool sparse = false;
  for (Index r = 0; r < rows.size() && !sparse; ++r) sparse = !rows.row(r).dense();
  return ranks != nullptr ? ranks->Any(sparse) : sparse;
}

/// The number of rows, of all ranks if there are any.
double NumRows(const FeatureRows& rows, Ranks* ranks) {
  return static_cast<double>(ranks != nullptr ? ranks->SumOf(rows.size()) : rows.size());
}

/// Replaces every number by its sum over the ranks, if there are any.
void AddUpCounts(std::vector<std::int64_t>* counts, Ranks* ranks) {
  if (ranks != nullptr) ranks->AddUp(*counts);
}

std::vector<double> LargestValues(const FeatureRows& rows, Index num_features, Ranks* ranks) {
  std::vector<double> largest(num_features, 0.0);
  for (Index r = 0; r < rows.size(); ++r) {
    ForEachValue(rows.row(r), num_features, [&](std::size_t f, double value) {
      largest[f] = std::max(largest[f], std::abs(value));
    });
  }
  if (ranks == nullptr || ranks->alone()) return largest;
  // In pieces, so that the numbers of many ranks need little memory.
  constexpr std::size_t kAtOnce = 1 << 16;
  for (std::size_t begin = 0; begin < largest.size(); begin += kAtOnce) {
    const std::span piece =
        std::span(largest).subspan(begin, std::min(kAtOnce, largest.size() - begin));
    const std::vector<double> all = ranks->Join(std::span<const double>(piece));
    for (std::size_t k = 0; k < all.size(); ++k) {
      double& value = piece[k % piece.size()];
      value = std::max(value, all[k]);
    }
  }
  return largest;
}

std::vector<double> Means(const FeatureRows& rows, Index num_features, Ranks* ranks) {
  ExampleSums mean(num_features, ranks);
  const double count = NumRows(rows, ranks);
  for (Index r = 0; r < rows.size(); ++r) {
    ForEachValue(rows.row(r), num_features,
                 [&](std::size_t f, double value) { mean.Add(f, value / count); });
  }
  return mean.Finish();
}

/// Standard deviations around the means; values that sparse rows leave out are 0.
std::vector<double> Deviations(const FeatureRows& rows, const std::vector<double>& mean,
                               Ranks* ranks) {
  ExampleSums squares(mean.size(), ranks);
  std::vector<std::int64_t> stored(mean.size(), 0);
  const double count = NumRows(rows, ranks);
  for (Index r = 0; r < rows.size(); ++r) {
    ForEachValue(rows.row(r), static_cast<Index>(mean.size()), [&](std::size_t f, double value) {
      const double difference = value - mean[f];
      squares.Add(f, difference * difference / count);
      ++stored[f];
    });
  }
  std::vector<double> sum = squares.Finish();
  AddUpCounts(&stored, ranks);
  for (std::size_t f = 0; f < sum.size(); ++f) {
    const double left_out = (count - static_cast<double>(stored[f])) / count;
    sum[f] = std::sqrt(sum[f] + left_out * mean[f] * mean[f]);
  }
  return sum;
}

[[noreturn]] void RefuseValue(std::size_t feature) {
  throw ScaleError("the scaled value of feature " + std::to_string(feature + 1) +
                       " is too large (more than 1e50): it lies far outside of the training data",
                   0);
}

/// Sets *values to all values of a row, zeros included.
void FillDense(const FeatureRow& row, Index num_features, std::vector<double>* values) {
  if (row.dense()) {
    values->assign(row.values, row.values + row.count);
    return;
  }
  const Index last = row.count > 0 ? row.columns[row.count - 1] : -1;
  values->assign(std::max(num_features, last + 1), 0.0);
  for (Index k = 0; k < row.count; ++k) (*values)[row.columns[k]] = row.values[k];
}

/// Quantile of sorted values, interpolated linearly between neighbours.
double Quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::string_view Name(ScaleKind kind) {
  switch (kind) {
    case ScaleKind::kUnscaled:
      return "none";
    case ScaleKind::kStandard:
      return "standard";
    case ScaleKind::kMaxAbs:
      return "max-abs";
    case ScaleKind::kNorm:
      return "norm";
  }
  return {};
}

FeatureScaling FeatureScaling::Learn(ScaleKind kind, const FeatureRows& rows, Index num_features,
                                     Ranks* exactly) {
  FeatureScaling scaling;
  scaling.kind_ = kind;
  if (kind == ScaleKind::kUnscaled || kind == ScaleKind::kNorm) return scaling;
  const std::vector<double> largest = LargestValues(rows, num_features, exactly);
  if (kind == ScaleKind::kMaxAbs) {
    scaling.divisor_ = largest;
  } else {
    // Exact in one process, too: the scaling must equal that of a training in shards, whose number
    // may be chosen later.
    Ranks* const ranks = &RanksOrOne(exactly);
    std::vector<double> mean = Means(rows, num_features, ranks);
    scaling.divisor_ = Deviations(rows, mean, ranks);
    if (!HasSparseRows(rows, exactly)) scaling.shift_ = std::move(mean);
  }
  for (std::size_t f = 0; f < scaling.divisor_.size(); ++f) {
    const bool constant = !(scaling.divisor_[f] > kConstantShare * largest[f]);
    if (constant) scaling.divisor_[f] = 1;
  }
  return scaling;
}

FeatureScaling FeatureScaling::FromNumbers(ScaleKind kind, std::vector<double> shift,
                                           std::vector<double> divisor) {
  const bool numbers = kind == ScaleKind::kStandard || kind == ScaleKind::kMaxAbs;
  SLACKLINE_CHECK(numbers || divisor.empty(), "this scaling has no numbers");
  SLACKLINE_CHECK(shift.empty() || (kind == ScaleKind::kStandard && shift.size() == divisor.size()),
                  "a scaling needs a mean for every divisor, or none");
  SLACKLINE_CHECK(AllFinite(shift) && AllFinite(divisor),
                  "a number of a scaling is not a finite number");
  for (const double d : divisor) SLACKLINE_CHECK(d > 0, "the divisors of a scaling are positive");
  FeatureScaling scaling;
  scaling.kind_ = kind;
  scaling.shift_ = std::move(shift);
  scaling.divisor_ = std::move(divisor);
  return scaling;
}

void FeatureScaling::ScaleDense(std::span<double> values, Index num_features) const {
  values = values.first(std::min<std::size_t>(values.size(), num_features));
  if (kind_ == ScaleKind::kNorm) {
    const double norm =
        std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
    for (double& value : values) value = norm > 0 ? value / norm : value;
    return;
  }
  if (!active()) return;
  SLACKLINE_CHECK(values.size() <= divisor_.size(), "a vector has more features than the scaling");
  for (std::size_t f = 0; f < values.size(); ++f) {
    values[f] = (values[f] - (shift_.empty() ? 0.0 : shift_[f])) / divisor_[f];
    if (!(std::abs(values[f]) <= kLargestValue)) RefuseValue(f);
  }
}

void FeatureScaling::ScaleSparse(std::span<const Index> columns, std::span<double> values,
                                 Index num_features) const {
  if (!active()) return;
  SLACKLINE_CHECK(shift_.empty(), "sparse vectors cannot be centred");
  const std::size_t own =
      std::lower_bound(columns.begin(), columns.end(), num_features) - columns.begin();
  if (kind_ == ScaleKind::kNorm) {
    ScaleDense(values.first(own), num_features);
    return;
  }
  for (std::size_t k = 0; k < own; ++k) {
    const std::size_t f = columns[k];
    SLACKLINE_CHECK(f < divisor_.size(), "a vector has more features than the scaling");
    values[k] /= divisor_[f];
    if (!(std::abs(values[k]) <= kLargestValue)) RefuseValue(f);
  }
}

std::shared_ptr<const FeatureRows> FeatureScaling::Apply(const FeatureRows& rows,
                                                         Index num_features) const {
  auto scaled = std::make_shared<FeatureRows>();
  // Scaled rows are as long as before, except that sparse ones become dense when they are centred.
  scaled->Reserve(rows.size(), rows.stored(), shift_.empty() ? rows.stored_columns() : 0);
  std::vector<double> values;
  for (Index r = 0; r < rows.size(); ++r) try {
      const FeatureRow row = rows.row(r);
      if (row.dense() || !shift_.empty()) {
        FillDense(row, num_features, &values);
        ScaleDense(values, num_features);
        scaled->AddDense(values);
      } else {
        values.assign(row.values, row.values + row.count);
        const std::span<const Index> columns(row.columns, row.count);
        ScaleSparse(columns, values, num_features);
        scaled->AddSparse(columns, values);
      }
    } catch (const ScaleError& error) {
      throw ScaleError(error.what(), r);
    }
  return scaled;
}

ScaleAdvice AdviseScaling(const FeatureRows& rows, Index num_features, Ranks* exactly) {
  // Not exact in one process: exact sums take 40 ns more for every value, and they change the kind
  // only where a size is within rounding errors of a limit.
  ExampleSums sums(num_features, exactly);
  std::vector<std::int64_t> count(num_features, 0);
  for (Index r = 0; r < rows.size(); ++r) {
    ForEachValue(rows.row(r), num_features, [&](std::size_t f, double value) {
      sums.Add(f, value * value);
      count[f] += value != 0 ? 1 : 0;
    });
  }
  const std::vector<double> squares = sums.Finish();
  AddUpCounts(&count, exactly);
  const double num_rows = NumRows(rows, exactly);
  const bool sparse = HasSparseRows(rows, exactly);
  ScaleAdvice advice;
  std::vector<double> logs;
  for (std::size_t f = 0; f < squares.size(); ++f) {
    if (squares[f] <= 0) continue;
    const double size = std::sqrt(squares[f] / static_cast<double>(count[f]));
    logs.push_back(std::log(size));
    if (advice.smallest_feature < 0 || size < advice.smallest) {
      advice.smallest = size;
      advice.smallest_feature = static_cast<Index>(f);
    }
    if (advice.largest_feature < 0 || size > advice.largest) {
      advice.largest = size;
      advice.largest_feature = static_cast<Index>(f);
    }
  }
  if (logs.empty()) return advice;
  std::sort(logs.begin(), logs.end());
  const double middle = Quantile(logs, 0.5);
  advice.middle = std::exp(middle);
  const double similar = std::log(kSimilarSizes);
  advice.differ = logs.back() - middle > similar || middle - Quantile(logs, 0.05) > similar;
  const double total = std::accumulate(squares.begin(), squares.end(), 0.0);
  const double squared_norm = total / num_rows;
  const bool unlike_constant =
      advice.middle > kLargestMiddle || squared_norm < kShortestLength * kShortestLength;
  if (advice.differ || unlike_constant)
    advice.kind = sparse ? ScaleKind::kMaxAbs : ScaleKind::kStandard;
  return advice;
}

}  // namespace slackline::internal
