// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/global_conformance.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include <slackline/core/random.h>
#include <slackline/factors/joint_states.h>

namespace slackline::internal {
namespace {

enum class Filling { kZero, kInteger, kNormal, kLarge };

std::vector<double> Numbers(Random& random, Filling filling, std::size_t count) {
  std::vector<double> numbers(count, 0.0);
  for (double& number : numbers) {
    if (filling == Filling::kInteger) number = static_cast<double>(random.Below(3)) - 1;
    if (filling == Filling::kNormal) number = random.Normal();
    if (filling == Filling::kLarge) number = 1e6 * (random.Uniform() - 0.5);
  }
  return numbers;
}

double Largest(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

class GlobalChecker {
 public:
  GlobalChecker(const GlobalFactor& factor, const ConformanceOptions& options)
      : factor_(factor), options_(options), random_(options.seed) {}

  ConformanceReport Run() {
    try {
      if (CheckShape()) {
        CollectStates();
        if (CheckStates()) CheckMaxima();
      }
    } catch (const std::exception& error) {
      report_.failures.push_back(std::string("a method throws: ") + error.what());
    }
    return report_;
  }

 private:
  bool Expect(bool ok, const std::string& message) {
    if (!ok) report_.failures.push_back(message);
    return ok;
  }
  bool Close(double a, double b, double size) const {
    return std::abs(a - b) <= options_.tolerance * (1 + size);  // false for NaN
  }

  bool CheckShape() {
    const std::span<const Index> cardinalities = factor_.cardinalities();
    cardinalities_.assign(cardinalities.begin(), cardinalities.end());
    if (!Expect(!cardinalities_.empty(),
                "cardinalities() is empty: a factor needs at least one variable") ||
        !Expect(*std::min_element(cardinalities_.begin(), cardinalities_.end()) >= 1,
                "a variable needs at least one state") ||
        !Expect(factor_.num_weights() >= 0, "num_weights() is negative")) {
      return false;
    }
    num_weights_ = factor_.num_weights();
    const std::span<const Index> again = factor_.cardinalities();
    return Expect(!factor_.name().empty(), "name() is empty") &&
           Expect(std::equal(again.begin(), again.end(), cardinalities_.begin(),
                             cardinalities_.end()) &&
                      Size(factor_.num_weights()) == num_weights_,
                  "the shape changes from call to call");
  }

  /// Collects all allowed joint states, or a sample where there are more than max_states.
  void CollectStates() {
    Offset count = 1;
    for (const Index cardinality : cardinalities_) {
      complete_ = complete_ && count <= options_.max_states / cardinality;
      if (complete_) count *= cardinality;
    }
    if (!complete_) {
      states_ = ProbeStates(factor_, options_.trials);
      return;
    }
    std::vector<Index> states(cardinalities_.size(), 0);
    bool all = true;
    do {
      const bool allowed = factor_.Allows(states);
      all = all && allowed;
      if (allowed) states_.push_back(states);
    } while (NextJoint(cardinalities_, states));
    Expect(all || factor_.IsRestricted(),
           "Allows() forbids a state, but IsRestricted() says that it does not");
    Expect(!states_.empty(), "Allows() forbids all states");
  }

  std::vector<double> Features(std::span<const Index> states, double scale, double start) const {
    std::vector<double> out(num_weights_, start);
    factor_.AddFeatures(states, scale, out);
    return out;
  }

  bool CheckStates() {
    const std::vector<double> weights = Numbers(random_, Filling::kNormal, num_weights_);
    for (const std::vector<Index>& states : states_) {
      const std::vector<double> phi = Features(states, 1, 0);
      const std::vector<double> scaled = Features(states, -2.5, 0.5);
      double score = 0;
      for (std::size_t k = 0; k < phi.size(); ++k) {
        if (!Expect(std::isfinite(phi[k]),
                    "AddFeatures gives a feature that is not a finite number") ||
            !Expect(Close(scaled[k], 0.5 - 2.5 * phi[k], std::abs(phi[k])),
                    "AddFeatures does not add, in proportion to its scale")) {
          return false;
        }
        score += weights[k] * phi[k];
      }
      const double size = Largest(phi) * Largest(weights) * static_cast<double>(phi.size() + 1);
      if (!Expect(phi == Features(states, 1, 0),
                  "AddFeatures gives other features when it is called again") ||
          !Expect(Close(factor_.Score(weights, states), score, size),
                  "Score differs from the weights times the features")) {
        return false;
      }
    }
    return true;
  }

  void CheckMaxima() {
    std::size_t message_size = 0;
    for (const Index cardinality : cardinalities_) message_size += cardinality;
    const Filling fillings[] = {Filling::kZero, Filling::kInteger, Filling::kNormal,
                                Filling::kLarge};
    for (const Filling weights : fillings) {
      for (const Filling messages : fillings) {
        for (int trial = 0; trial < options_.trials; ++trial) {
          if (!CheckMaximum(Numbers(random_, weights, num_weights_),
                            Numbers(random_, messages, message_size))) {
            return;
          }
        }
      }
    }
  }

  bool CheckMaximum(const std::vector<double>& weights, const std::vector<double>& messages) {
    std::vector<Index> found(cardinalities_.size(), -1);
    const double value = factor_.Maximize(weights, messages, found);
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (!Expect(found[k] >= 0 && found[k] < cardinalities_[k],
                  "Maximize returns a state that does not exist"))
        return false;
    }
    if (!Expect(factor_.Allows(found), "Maximize returns a forbidden state")) return false;
    std::vector<Index> again(cardinalities_.size(), -1);
    if (!Expect(factor_.Maximize(weights, messages, again) == value && again == found,
                "Maximize gives another result when it is called again")) {
      return false;
    }
    const auto score = [&](std::span<const Index> states) {
      return factor_.Score(weights, states) - MessageSum(cardinalities_, messages, states);
    };
    double best = -std::numeric_limits<double>::infinity();
    double size = Largest(messages) * static_cast<double>(cardinalities_.size());
    for (const std::vector<Index>& states : states_) {
      best = std::max(best, score(states));
      size = std::max(size, std::abs(factor_.Score(weights, states)));
    }
    const std::string against =
        ": " + std::to_string(value) + ", but a state has " + std::to_string(best);
    return Expect(Close(value, score(found), size),
                  "Maximize returns another value than its states have") &&
           Expect(value >= best || Close(value, best, size),
                  "Maximize does not find the best states" + against);
  }

  const GlobalFactor& factor_;
  const ConformanceOptions options_;
  Random random_;
  std::vector<Index> cardinalities_;
  std::size_t num_weights_ = 0;
  bool complete_ = true;
  std::vector<std::vector<Index>> states_;
  ConformanceReport report_;
};

}  // namespace

ConformanceReport CheckGlobalFactor(const GlobalFactor& factor, const ConformanceOptions& options) {
  return GlobalChecker(factor, options).Run();
}

}  // namespace slackline::internal
