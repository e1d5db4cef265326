// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/bench/bench_curve.h>

#include <algorithm>
#include <cmath>

namespace slackline::internal {

double TrainingCpuSeconds(const ProgressRecord& record) {
  const double elapsed = record.seconds + record.check_seconds;
  return elapsed > 0 ? record.cpu_seconds * record.seconds / elapsed : 0;
}

WorkToGap FindWorkToGap(std::span<const ProgressRecord> curve, double gap, Index examples) {
  for (const ProgressRecord& record : curve) {
    if (!(record.relative_gap <= gap)) continue;
    return {static_cast<double>(record.oracle_calls) / examples, static_cast<double>(record.pass),
            TrainingCpuSeconds(record), record.seconds + record.check_seconds};
  }
  return {};
}

double Median(std::vector<double> values) {
  if (values.empty()) return kNone;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double FittedExponent(std::span<const double> x, std::span<const double> y) {
  double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!std::isfinite(y[k]) || y[k] <= 0) continue;
    const double u = std::log(x[k]);
    const double v = std::log(y[k]);
    n += 1;
    sum_x += u;
    sum_y += v;
    sum_xx += u * u;
    sum_xy += u * v;
  }
  const double spread = n * sum_xx - sum_x * sum_x;
  return n >= 2 && spread > 1e-9 ? (n * sum_xy - sum_x * sum_y) / spread : kNone;
}

}  // namespace slackline::internal
