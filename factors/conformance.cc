// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/conformance.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <slackline/core/random.h>

namespace slackline::internal {
namespace {

// What surrounds an output buffer (of ordinary size, so that adding to it shows), and what fills a
// buffer that the factor is to write.
constexpr double kGuard = -8.0625;
constexpr std::size_t kGuardSize = 16;
constexpr double kPoison = std::numeric_limits<double>::quiet_NaN();

// Kinds of numbers that weights and messages are filled with.
enum class Filling { kZero, kInteger, kNormal, kLarge };
constexpr Filling kFillings[] = {Filling::kZero, Filling::kInteger, Filling::kNormal,
                                 Filling::kLarge};

std::vector<double> Numbers(Random& random, Filling filling, std::size_t count) {
  std::vector<double> numbers(count, 0.0);
  for (double& number : numbers) {
    switch (filling) {
      case Filling::kZero:
        break;
      case Filling::kInteger:
        number = static_cast<double>(random.Below(3)) - 1;
        break;
      case Filling::kNormal:
        number = random.Normal();
        break;
      case Filling::kLarge:
        number = 1e6 * (2 * random.Uniform() - 1.5);  // mostly far below zero
        break;
    }
  }
  return numbers;
}

double LargestMagnitude(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

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
      if (CheckShape() && CheckFeatures()) {
        CheckScores();
        CheckFeatureTableMethod();
        if (factor_.maximize) CheckMaximize();
        for (std::size_t axis = 0; axis < cardinalities_.size(); ++axis)
          CheckMarginals(static_cast<Index>(axis));
      }
    } catch (const std::exception& error) {
      Fail(std::string("a method throws: ") + error.what());
    }
    return {failures_};
  }

 private:
  void Fail(const std::string& message) { failures_.push_back(message); }
  /// Adds the message unless `ok`, and returns `ok`: checks stop at their first failure.
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
    num_states_ = static_cast<std::size_t>(states);
    return Expect(num_weights_ >= 0, "num_weights() is negative") &&
           Expect(factor_.cardinalities() == cardinalities_,
                  "cardinalities() changes from call to call") &&
           Expect(factor_.num_weights() == num_weights_, "num_weights() changes from call to call");
  }

  /// Runs add_features on a guarded copy of `start`; true when nothing outside was written.
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
    integral_ = true;
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
        integral_ = integral_ && value == std::round(value);
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

  /// Does AddFeatures add, to what is there already, and in proportion to its scale?
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
    const std::vector<double> start = Numbers(random_, Filling::kNormal, phi.size());
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

  /// w·φ(y) from the features, for all y: what every other method is compared with.
  std::vector<double> ReferenceTable(std::span<const double> weights) const {
    std::vector<double> table(num_states_, 0.0);
    for (std::size_t joint = 0; joint < num_states_; ++joint) {
      const std::span<const double> phi = Features(joint);
      for (std::size_t k = 0; k < phi.size(); ++k) table[joint] += weights[k] * phi[k];
    }
    return table;
  }

  void CheckScores() {
    for (const Filling filling : kFillings) {
      for (int trial = 0; trial < options_.trials; ++trial) {
        const std::vector<double> weights =
            Numbers(random_, filling, static_cast<std::size_t>(num_weights_));
        if (!CheckScoresAt(weights)) return;
      }
    }
  }

  bool CheckScoresAt(std::span<const double> weights) {
    const std::vector<double> reference = ReferenceTable(weights);
    const double size = LargestMagnitude(reference) + LargestMagnitude(weights);
    std::vector<double> table(num_states_, kPoison);
    factor_.score_table(weights, table);
    std::vector<Index> states(cardinalities_.size(), 0);
    for (std::size_t joint = 0; joint < num_states_; ++joint) {
      const std::string where = " for states " + Text(states);
      if (!Expect(Close(table[joint], reference[joint], size),
                  "the score table differs from the weights times the features" + where) ||
          !Expect(Close(factor_.score(weights, states), reference[joint], size),
                  "Score differs from the weights times the features" + where)) {
        return false;
      }
      NextJoint(cardinalities_, states);
    }
    return true;
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

  void CheckMaximize() {
    std::size_t message_size = 0;
    for (const Index cardinality : cardinalities_)
      message_size += static_cast<std::size_t>(cardinality);
    for (const Filling weight_filling : kFillings) {
      for (const Filling message_filling : kFillings) {
        // Sums of small integers are exact: ties are ties, and the tie rule can be asked for.
        const bool exact = integral_ && weight_filling <= Filling::kInteger &&
                           message_filling <= Filling::kInteger;
        for (int trial = 0; trial < options_.trials; ++trial) {
          const auto weights =
              Numbers(random_, weight_filling, static_cast<std::size_t>(num_weights_));
          const auto messages = Numbers(random_, message_filling, message_size);
          if (!CheckMaximizeAt(weights, messages, exact)) return;
        }
      }
    }
  }

  bool CheckMaximizeAt(std::span<const double> weights, std::span<const double> messages,
                       bool exact) {
    std::vector<double> table = ReferenceTable(weights);
    const double size = LargestMagnitude(table) + LargestMagnitude(weights) +
                        LargestMagnitude(messages) * static_cast<double>(cardinalities_.size());
    Reparametrise(cardinalities_, table, messages, table);
    const FactorMax expected = TableMax(table);
    const FactorMax found = factor_.maximize(weights, messages);
    const std::string against = ": " + std::to_string(found.value) + " at joint state " +
                                std::to_string(found.joint) + ", the table has " +
                                std::to_string(expected.value) + " at " +
                                std::to_string(expected.joint);
    return Expect(found.joint >= 0 && static_cast<std::size_t>(found.joint) < num_states_,
                  "Maximize returns a joint state that does not exist" + against) &&
           Expect(Close(table[found.joint], expected.value, size),
                  "Maximize does not find the best joint state" + against) &&
           Expect(Close(found.value, expected.value, size),
                  "Maximize returns a wrong value" + against) &&
           Expect(!exact || found.joint == expected.joint,
                  "Maximize does not take the lowest of several best joint states" + against);
  }

  void CheckMarginals(Index axis) {
    const Marginalization a(cardinalities_, axis);
    const std::string where = " on axis " + std::to_string(axis);
    const std::size_t states = cardinalities_[axis];
    if (!Expect(static_cast<std::size_t>(a.rows()) == states &&
                    static_cast<std::size_t>(a.cols()) == num_states_,
                "a marginalization matrix has the wrong size" + where)) {
      return;
    }
    const Eigen::SparseMatrix<double> matrix = a.Matrix();
    std::vector<double> out(states, kPoison);
    a.Apply(std::vector<double>(num_states_, 1.0), out);
    const auto each = static_cast<double>(num_states_ / states);
    Expect(std::all_of(out.begin(), out.end(), [&](double value) { return value == each; }),
           "the sums of a table of ones are wrong" + where);

    std::vector<Index> split(cardinalities_.size());
    for (int trial = 0; trial < options_.trials; ++trial) {
      const auto joint = static_cast<Index>(random_.Below(num_states_));
      SplitJoint(cardinalities_, joint, split);
      std::vector<double> indicator(num_states_, 0.0);
      indicator[joint] = 1.0;
      a.Apply(indicator, out);
      std::vector<double> expected(states, 0.0);
      expected[split[axis]] = 1.0;
      if (!Expect(out == expected, "the marginals of an indicator are not an indicator" + where))
        return;
      if (!CheckAdjoint(a, matrix, where)) return;
    }
  }

  /// ⟨A μ, m⟩ = ⟨μ, Aᵀ m⟩, and both as the Eigen matrix says.
  bool CheckAdjoint(const Marginalization& a, const Eigen::SparseMatrix<double>& matrix,
                    const std::string& where) {
    const std::vector<double> mu =
        Numbers(random_, Filling::kNormal, static_cast<std::size_t>(a.cols()));
    const std::vector<double> m =
        Numbers(random_, Filling::kNormal, static_cast<std::size_t>(a.rows()));
    std::vector<double> applied(m.size(), kPoison);
    std::vector<double> transposed(mu.size(), 0.0);
    a.Apply(mu, applied);
    a.ApplyTransposeAdd(m, 1.0, transposed);
    const auto vector = [](const std::vector<double>& values) {
      return Eigen::Map<const Eigen::VectorXd>(values.data(),
                                               static_cast<Eigen::Index>(values.size()));
    };
    const double size = static_cast<double>(mu.size());
    const double left = vector(applied).dot(vector(m));
    const double right = vector(mu).dot(vector(transposed));
    return Expect(Close(left, right, size), "A and its transpose do not belong together" + where) &&
           Expect(Close((matrix * vector(mu) - vector(applied)).lpNorm<Eigen::Infinity>(), 0.0,
                        size) &&
                      Close((matrix.transpose() * vector(m) - vector(transposed))
                                .lpNorm<Eigen::Infinity>(),
                            0.0, size),
                  "A and its sparse matrix differ" + where);
  }

  const FactorMethods& factor_;
  const ConformanceOptions options_;
  Random random_;
  std::vector<Index> cardinalities_;
  Index num_weights_ = 0;
  std::size_t num_states_ = 0;
  std::vector<double> features_;  // num_weights() values per joint state
  bool integral_ = true;
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
