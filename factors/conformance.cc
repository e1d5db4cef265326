// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/conformance.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/random.h>

namespace slackline::internal {
namespace {

// Guard values around an output buffer. They are of ordinary size, so that any value added to one
// changes it.
constexpr double kGuard = -8.0625;
constexpr std::size_t kGuardSize = 16;

std::string Text(std::span<const Index> states) {
  std::string text = "(";
  for (std::size_t k = 0; k < states.size(); ++k)
    text += (k > 0 ? ", " : "") + std::to_string(states[k]);
  return text + ")";
}

class Checker {
 public:
  Checker(const FactorMethods& factor, const ConformanceOptions& options)
      : factor_(factor), options_(options), random_(options.seed) {}

  ConformanceReport Run() {
    try {
      if (CheckShape() && CheckFeatures()) CheckFeatureTableMethod();
    } catch (const std::exception& error) {
      Fail(std::string("a method throws: ") + error.what());
    }
    return {failures_};
  }

 private:
  void Fail(const std::string& message) { failures_.push_back(message); }
  /// Adds the message unless `ok`, and returns `ok`: a check stops at its first failure.
  bool Expect(bool ok, const std::string& message) {
    if (!ok) Fail(message);
    return ok;
  }
  bool Close(double a, double b, double size) const {
    return std::abs(a - b) <= options_.tolerance * (1 + size);  // false for NaN
  }

  bool CheckShape() {
    cardinalities_ = factor_.cardinalities();
    num_weights_ = factor_.num_weights();
    if (!Expect(!cardinalities_.empty(),
                "cardinalities() is empty: a factor needs at least one variable"))
      return false;
    Offset states = 1;
    for (const Index cardinality : cardinalities_) {
      if (!Expect(cardinality >= 1, "cardinalities() contains " + std::to_string(cardinality) +
                                        ": a variable needs at least one state")) {
        return false;
      }
      states *= cardinality;
      if (!Expect(states <= options_.max_states,
                  "the factor has too many joint states to be checked"))
        return false;
    }
    num_states_ = states;
    return Expect(num_weights_ >= 0, "num_weights() is negative") &&
           Expect(factor_.cardinalities() == cardinalities_,
                  "cardinalities() changes from call to call") &&
           Expect(factor_.num_weights() == num_weights_, "num_weights() changes from call to call");
  }

  /// Runs add_features on a copy of `start` between guard values; true when they are unchanged.
  bool GuardedFeatures(std::span<const Index> states, double scale, std::span<const double> start,
                       std::vector<double>* result) {
    std::vector<double> buffer(start.size() + 2 * kGuardSize, kGuard);
    std::copy(start.begin(), start.end(), buffer.begin() + kGuardSize);
    factor_.add_features(states, scale,
                         std::span<double>(buffer).subspan(kGuardSize, start.size()));
    const auto first = buffer.begin() + kGuardSize;
    const auto last = first + static_cast<std::ptrdiff_t>(start.size());
    result->assign(first, last);
    const auto is_guard = [](double value) { return value == kGuard; };
    return std::all_of(buffer.begin(), first, is_guard) &&
           std::all_of(last, buffer.end(), is_guard);
  }

  bool CheckFeatures() {
    const std::vector<double> zero(num_weights_, 0.0);
    std::vector<Index> states(cardinalities_.size(), 0);
    std::vector<double> phi;
    std::vector<double> again;
    features_.clear();
    do {
      const std::string where = " for states " + Text(states);
      if (!Expect(GuardedFeatures(states, 1.0, zero, &phi),
                  "AddFeatures writes outside of its num_weights() entries" + where)) {
        return false;
      }
      for (const double value : phi) {
        if (!Expect(std::isfinite(value),
                    "AddFeatures gives a feature that is not a finite number" + where)) {
          return false;
        }
      }
      GuardedFeatures(states, 1.0, zero, &again);
      if (!Expect(phi == again, "AddFeatures gives other features when it is called again" + where))
        return false;
      features_.insert(features_.end(), phi.begin(), phi.end());
    } while (NextJoint(cardinalities_, states));
    for (int trial = 0; trial < options_.trials; ++trial) {
      if (!CheckAdding(random_.Below(num_states_))) return false;
    }
    return true;
  }

  /// Whether AddFeatures adds to what the output holds, in proportion to its scale.
  bool CheckAdding(std::size_t joint) {
    std::vector<Index> states(cardinalities_.size());
    SplitJoint(cardinalities_, static_cast<Index>(joint), states);
    const std::string where = " for states " + Text(states);
    const std::span<const double> phi = Features(joint);
    std::vector<double> result;
    const auto agrees = [&](double scale, std::span<const double> start) {
      GuardedFeatures(states, scale, start, &result);
      for (std::size_t k = 0; k < phi.size(); ++k) {
        const double size = std::abs(start[k]) + std::abs(scale * phi[k]);
        if (!Close(result[k], start[k] + scale * phi[k], size)) return false;
      }
      return true;
    };
    const std::vector<double> zero(phi.size(), 0.0);
    std::vector<double> start(phi.size());
    for (double& value : start) value = random_.Normal();
    for (const double scale : {0.0, -2.5, 0.125, random_.Normal()}) {
      if (!Expect(agrees(scale, zero), "AddFeatures is not proportional to its scale" + where))
        return false;
    }
    return Expect(agrees(1.0, start) && agrees(-0.5, start),
                  "AddFeatures overwrites its output instead of adding to it" + where);
  }

  std::span<const double> Features(std::size_t joint) const {
    const std::size_t n = num_weights_;
    return {features_.data() + joint * n, n};
  }

  void CheckFeatureTableMethod() {
    if (!factor_.feature_table) return;
    const FeatureTable table = factor_.feature_table();
    CheckFeatureTable(table);
    if (!Expect(table.cardinalities == cardinalities_ && table.num_weights == num_weights_,
                "feature_table() has another shape than cardinalities() and num_weights() say")) {
      return;
    }
    for (std::size_t joint = 0; joint < num_states_; ++joint) {
      std::vector<double> phi(num_weights_, 0.0);
      for (const StateMap& map : table.terms) {
        if (map.rows[joint] == kAbsent) continue;
        phi[map.rows[joint]] += map.values.empty() ? 1.0 : map.values[joint];
      }
      const std::span<const double> expected = Features(joint);
      for (std::size_t k = 0; k < phi.size(); ++k) {
        if (!Expect(
                Close(phi[k], expected[k], std::abs(expected[k])),
                "feature_table() and AddFeatures differ in joint state " + std::to_string(joint))) {
          return;
        }
      }
    }
  }

  const FactorMethods& factor_;
  const ConformanceOptions options_;
  Random random_;
  std::vector<Index> cardinalities_;
  Index num_weights_ = 0;
  std::size_t num_states_ = 0;
  std::vector<double> features_;  // num_weights() values per joint state
  std::vector<std::string> failures_;
};

}  // namespace

std::string ConformanceReport::Text() const {
  std::string text;
  for (const std::string& failure : failures) text += failure + "\n";
  return text;
}

ConformanceReport CheckFactorMethods(const FactorMethods& factor,
                                     const ConformanceOptions& options) {
  return Checker(factor, options).Run();
}

}  // namespace slackline::internal
