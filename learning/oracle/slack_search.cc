// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/slack_search.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace slackline::internal {
namespace {

constexpr int kMostCalls = 24;
constexpr double kSearchGap = 1e-9;  // relative gap at which the search ends
constexpr double kOnEdge = 1e-10;    // of scores: an answer that does not improve on an edge
constexpr double kFirst = 2;         // first multiplier, over the largest loss
constexpr double kWiden = 4;         // between multipliers until there are answers on both sides
constexpr double kNarrowest = 1e-6;  // relative distance of the multipliers on both sides
/// The search ends after so many calls in a row whose answers miss their bounds and close less than
/// kLeastShare of the distance between value and bound.
constexpr int kSearchPatience = 3;
constexpr double kLeastShare = 0.01;

/// E, the minimum of the lines.
class Envelope {
 public:
  explicit Envelope(double largest) : largest_(largest) {}
  void Add(double slope, double offset) { lines_.push_back({slope, offset}); }

  /// max_d d·(1 + E(d)) over the losses, or over [0, largest] where there are none.
  double Bound(std::span<const double> losses) const {
    double most = 0;
    for (const double d : losses) {
      double least = kInfinity;
      for (const Line& line : lines_) least = std::min(least, line.offset - line.slope * d);
      most = std::max(most, d * (1 + least));
    }
    if (!losses.empty()) return most;
    for (const Line& line : lines_) most = std::max(most, BoundOf(line));
    return most;
  }

 private:
  struct Line {
    double slope = 0;
    double offset = 0;
  };

  /// The maximum over the interval where this line is the lowest: lines of smaller slope bound it
  /// on the left, lines of larger slope on the right.
  double BoundOf(const Line& line) const {
    double low = 0;
    double high = largest_;
    for (const Line& other : lines_) {
      const double slopes = line.slope - other.slope;
      const double offsets = line.offset - other.offset;
      if (slopes == 0) {
        if (offsets > 0) return 0;
      } else if (slopes > 0) {
        low = std::max(low, offsets / slopes);
      } else {
        high = std::min(high, offsets / slopes);
      }
    }
    // Rounding must not hide the point at which three lines meet.
    if (low > high * (1 + kOnEdge)) return 0;
    const double d = std::clamp((1 + line.offset) / (2 * line.slope), std::min(low, high), high);
    return d * (1 + line.offset - line.slope * d);
  }

  double largest_;
  std::vector<Line> lines_;
};

/// An answer on one side of the best multiplier.
struct Side {
  double multiplier = 0;
  double score = -kInfinity;
  double loss = 0;
  bool known = false;
};

/// The multiplier at which both answers are equally good, if it lies between theirs, else 0.
double Meeting(const Side& low, const Side& high) {
  const double meeting = (low.score - high.score) / (high.loss - low.loss);
  const bool between =
      low.loss < high.loss && meeting > low.multiplier && meeting < high.multiplier;
  return between ? meeting : 0;
}

}  // namespace

SlackBounds SearchMultipliers(double largest, std::span<const double> losses,
                              const std::function<MultiplierAnswer(double)>& ask) {
  SlackBounds result;
  if (!(largest > 0)) return result;
  result.upper_bound = kInfinity;
  Envelope envelope(largest);
  Side low;   // losses too small: the best multiplier is larger
  Side high;  // the best multiplier is smaller
  double multiplier = kFirst / largest;
  double edge = kInfinity;  // L if both sides are ends of an edge of the hull
  for (int idle = 0; result.calls < kMostCalls && idle < kSearchPatience;) {
    const MultiplierAnswer answer = ask(multiplier);
    ++result.calls;
    const double open = result.upper_bound - result.value;
    envelope.Add(multiplier, answer.bound);
    const double value = answer.loss * (1 + answer.score);
    if (value > result.value) result.value = value;
    result.upper_bound = std::max(result.value, envelope.Bound(losses));
    const double still_open = result.upper_bound - result.value;
    if (still_open <= kSearchGap * result.upper_bound) break;
    if (answer.bound <= edge + kOnEdge * (1 + std::abs(edge)) && edge < kInfinity) break;
    const double found = answer.score + multiplier * answer.loss;
    const bool exact = answer.bound - found <= kSearchGap * (1 + std::abs(answer.bound));
    idle = !exact && still_open > (1 - kLeastShare) * open ? idle + 1 : 0;
    const bool small = 2 * multiplier * answer.loss < 1 + answer.bound;
    (small ? low : high) = {multiplier, answer.score, answer.loss, true};
    if (!low.known || !high.known) {
      multiplier = small ? multiplier * kWiden : multiplier / kWiden;
      continue;
    }
    if (high.multiplier <= low.multiplier * (1 + kNarrowest)) break;
    const double meeting = Meeting(low, high);
    multiplier = meeting > 0 ? meeting : std::sqrt(low.multiplier * high.multiplier);
    edge = meeting > 0 ? low.score + meeting * low.loss : kInfinity;
  }
  return result;
}

}  // namespace slackline::internal
