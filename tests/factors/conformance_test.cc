// SPDX-License-Identifier: BSD-3-Clause
//
// The conformance check passes a sound factor and detects every kind of fault.
#include <slackline/factors/conformance.h>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace slackline::internal::test {
namespace {

enum class Fault {
  kNone,
  kEmptyScope,
  kNoStates,
  kTooLarge,
  kNegativeWeights,
  kMovingShape,
  kNotFinite,
  kOutOfRange,
  kUnsteady,
  kScaleIgnored,
  kOverwrites,
  kTableWrong,
  kTableShape,
  kThrows,
};

// A 2 × 3 table with a weight for each joint state, and one fault.
class FaultyFactor {
 public:
  explicit FaultyFactor(Fault fault) : fault_(fault) {
    if (fault == Fault::kEmptyScope) cardinalities_.clear();
    if (fault == Fault::kNoStates) cardinalities_[1] = 0;
    if (fault == Fault::kTooLarge) cardinalities_ = {1 << 20, 1 << 20};
  }

  std::span<const Index> cardinalities() const { return cardinalities_; }
  Index num_weights() const {
    if (fault_ == Fault::kMovingShape) return 6 + calls_++;
    return fault_ == Fault::kNegativeWeights ? -1 : 6;
  }

  void AddFeatures(std::span<const Index> states, double scale, std::span<double> out) const {
    const std::size_t joint = states[0] * 3 + states[1];
    double feature = 1;
    if (fault_ == Fault::kNotFinite && joint == 5)
      feature = std::numeric_limits<double>::infinity();
    if (fault_ == Fault::kUnsteady) feature = ++calls_;
    if (fault_ == Fault::kThrows && joint == 4) throw std::runtime_error("out of order");
    if (fault_ == Fault::kScaleIgnored) scale = 1;
    // Past the end of the span, but inside the checker's guarded buffer.
    if (fault_ == Fault::kOutOfRange && joint == 5) *(out.data() + out.size()) += scale;
    out[joint] = (fault_ == Fault::kOverwrites ? 0 : out[joint]) + scale * feature;
  }

  FeatureTable feature_table() const {
    FeatureTable table = OwnWeightPerState({2, 3});
    if (fault_ == Fault::kTableWrong) std::swap(table.terms[0].rows[1], table.terms[0].rows[2]);
    if (fault_ == Fault::kTableShape) table.cardinalities = {3, 2};
    return table;
  }

 private:
  Fault fault_;
  std::vector<Index> cardinalities_ = {2, 3};
  mutable int calls_ = 0;
};
static_assert(Factor<FaultyFactor> && FactorWithFeatureTable<FaultyFactor>);

TEST_CASE("a sound factor passes, with every seed") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    ConformanceOptions options;
    options.seed = seed;
    const ConformanceReport report = CheckFactor(FaultyFactor(Fault::kNone), options);
    CHECK(report.ok());
    CHECK(report.Text() == "");
  }
}

TEST_CASE("each fault is caught and named") {
  const std::map<Fault, std::string> faults = {
      {Fault::kEmptyScope, "cardinalities() is empty"},
      {Fault::kNoStates, "needs at least one state"},
      {Fault::kTooLarge, "too many joint states"},
      {Fault::kNegativeWeights, "num_weights() is negative"},
      {Fault::kMovingShape, "num_weights() changes"},
      {Fault::kNotFinite, "a feature that is not a finite number for states (1, 2)"},
      {Fault::kOutOfRange, "writes outside of its num_weights() entries for states (1, 2)"},
      {Fault::kUnsteady, "other features when it is called again"},
      {Fault::kScaleIgnored, "not proportional to its scale"},
      {Fault::kOverwrites, "overwrites its output"},
      {Fault::kTableWrong, "feature_table() and AddFeatures differ in joint state 1"},
      {Fault::kTableShape, "feature_table() has another shape"},
      {Fault::kThrows, "a method throws: out of order"},
  };
  CHECK(std::ssize(faults) == static_cast<std::ptrdiff_t>(Fault::kThrows));
  for (const auto& entry : faults) {
    const auto& fault = entry.first;
    const auto& message = entry.second;
    CAPTURE(message);
    const ConformanceReport report = CheckFactor(FaultyFactor(fault));
    CHECK_FALSE(report.ok());
    CHECK(report.Text().find(message) != std::string::npos);
    CHECK(report.failures.size() == 1);
  }
}

}  // namespace
}  // namespace slackline::internal::test
