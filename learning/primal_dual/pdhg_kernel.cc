// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/primal_dual/pdhg_kernel.h>

#include <algorithm>

#include <slackline/core/simd.h>

namespace slackline::internal {
namespace {

/// The numbers of eight factors.
struct Eight {
  Four low, high;
};

inline Eight Load(const double* from) {
  return {*reinterpret_cast<const Four*>(from), *reinterpret_cast<const Four*>(from + 4)};
}
inline void Store(const Eight& numbers, double* to) {
  *reinterpret_cast<Four*>(to) = numbers.low;
  *reinterpret_cast<Four*>(to + 4) = numbers.high;
}
inline Eight Same(double number) {
  const Four four = {number, number, number, number};
  return {four, four};
}
inline Eight operator+(const Eight& a, const Eight& b) { return {a.low + b.low, a.high + b.high}; }
inline Eight operator-(const Eight& a, const Eight& b) { return {a.low - b.low, a.high - b.high}; }
inline Eight operator*(const Eight& a, const Eight& b) { return {a.low * b.low, a.high * b.high}; }
inline Eight operator/(const Eight& a, const Eight& b) { return {a.low / b.low, a.high / b.high}; }
inline Eight Larger(const Eight& a, const Eight& b) {
  return {a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
/// a / max(a, b): the factor that reduces b to a where b is larger. Requires b > 0.
inline Eight ShareIfLarger(const Eight& a, const Eight& b) { return a / Larger(a, b); }

constexpr int kLanes = 8;
constexpr double kTiny = 1e-300;  // in place of 0 below a fraction

/// The score of a joint state minus its messages.
template <Index kOrder>
inline Eight Reparametrised(const PdhgBlock& block, const double* messages, Index state) {
  const Index order = kOrder > 0 ? kOrder : block.order;
  const Index* const row = block.row_of + static_cast<Offset>(state) * order;
  Eight value = block.own_scores ? Load(block.scores + static_cast<Offset>(state) * kLanes)
                                 : Same(block.scores[state]);
  for (Index k = 0; k < order; ++k)
    value = value - Load(messages + static_cast<Offset>(row[k]) * kLanes);
  return value;
}

template <Index kOrder>
inline void StepEntries(const PdhgBlock& block, const double* messages, double* sums,
                        double* rows) {
  const Index order = kOrder > 0 ? kOrder : block.order;
  const Eight step = Load(block.steps);
  const Eight zero = Same(0);
  const Eight flush = Same(kPdhgFlush);
  const Eight relaxation = Same(block.relaxation);
  for (Index state = 0; state < block.states; ++state) {
    const Offset at = static_cast<Offset>(state) * kLanes;
    const Eight entry = Load(block.entries + at);
    const Eight next = Larger(zero, entry + step * Reparametrised<kOrder>(block, messages, state));
    const Eight change = next - entry;
    const Eight mirror = next + change;
    // Entries near 0 shrink by a factor in every step. They become 0 here, before they are denormal
    // numbers, which take ten times as long.
    Store((entry + relaxation * change + flush) - flush, block.entries + at);
    Store(Load(sums + at) + mirror, sums + at);
    const Index* const row = block.row_of + static_cast<Offset>(state) * order;
    for (Index k = 0; k < order; ++k) {
      double* const into = rows + static_cast<Offset>(row[k]) * kLanes;
      Store(Load(into) + mirror, into);
    }
  }
}

}  // namespace

SLACKLINE_MULTIVERSION
void PdhgStep(const PdhgBlock& block, double* messages, double* sums, double* rows) {
  std::fill_n(rows, static_cast<Offset>(block.rows) * kLanes, 0.0);
  if (block.order == 2) {
    StepEntries<2>(block, messages, sums, rows);
  } else {
    StepEntries<0>(block, messages, sums, rows);
  }
  for (Index r = 0; r < block.rows; ++r) {
    const Eight step = Same(block.relaxation * block.row_steps[r]);
    const Offset at = static_cast<Offset>(r) * kLanes;
    Store(Load(messages + at) - step * (Load(block.mirrored + at) - Load(rows + at)),
          messages + at);
  }
}

SLACKLINE_MULTIVERSION
void PdhgMaxima(const PdhgBlock& block, const double* messages, double* out) {
  Eight best = Same(-kInfinity);
  for (Index state = 0; state < block.states; ++state)
    best = Larger(best, block.order == 2 ? Reparametrised<2>(block, messages, state)
                                         : Reparametrised<0>(block, messages, state));
  Store(best, out);
}

SLACKLINE_MULTIVERSION
void RepairPairs(Index states_first, Index states_second, const double* marginals, double* entries,
                 double* rows) {
  const Index count = states_first + states_second;
  const Eight zero = Same(0);
  const auto at = [](double* numbers, Index r) {
    return numbers + static_cast<Offset>(r) * kLanes;
  };
  const auto wanted = [&](Index r) { return Load(marginals + static_cast<Offset>(r) * kLanes); };
  // First the sums of columns, then the factors that scale the columns, then what is missing.
  double* const columns = rows;
  double* const missing = at(rows, count);
  std::fill_n(columns, static_cast<Offset>(count) * kLanes, 0.0);
  for (Index a = 0; a < states_first; ++a) {
    Eight sum = zero;
    for (Index b = 0; b < states_second; ++b) {
      double* const entry = at(entries, a * states_second + b);
      Store(Larger(zero, Load(entry)), entry);
      sum = sum + Load(entry);
    }
    const Eight factor = ShareIfLarger(wanted(a), Larger(sum, Same(kTiny)));
    for (Index b = 0; b < states_second; ++b) {
      double* const entry = at(entries, a * states_second + b);
      Store(Load(entry) * factor, entry);
      Store(Load(at(columns, b)) + Load(entry), at(columns, b));
    }
  }
  std::copy_n(marginals, static_cast<Offset>(count) * kLanes, missing);
  for (Index b = 0; b < states_second; ++b) {
    const Eight sum = Larger(Load(at(columns, b)), Same(kTiny));
    Store(ShareIfLarger(wanted(states_first + b), sum), at(columns, b));
  }
  for (Index a = 0; a < states_first; ++a) {
    for (Index b = 0; b < states_second; ++b) {
      double* const entry = at(entries, a * states_second + b);
      const Eight scaled = Load(entry) * Load(at(columns, b));
      Store(scaled, entry);
      Store(Load(at(missing, a)) - scaled, at(missing, a));
      Store(Load(at(missing, states_first + b)) - scaled, at(missing, states_first + b));
    }
  }
  Eight total = zero;
  for (Index r = 0; r < count; ++r) {
    Store(Larger(zero, Load(at(missing, r))), at(missing, r));
    if (r < states_first) total = total + Load(at(missing, r));
  }
  const Eight inverse = Same(1) / Larger(total, Same(kTiny));
  for (Index a = 0; a < states_first; ++a) {
    const Eight left = Load(at(missing, a)) * inverse;
    for (Index b = 0; b < states_second; ++b) {
      double* const entry = at(entries, a * states_second + b);
      Store(Load(entry) + left * Load(at(missing, states_first + b)), entry);
    }
  }
}

}  // namespace slackline::internal
