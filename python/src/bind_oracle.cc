// SPDX-License-Identifier: BSD-3-Clause
//
// Training with an oracle written in Python (python/slackline/structured_svm.py).
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <slackline/core/number_text.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/example_blocks/whole_example_learner.h>
#include <slackline/learning/train_loop.h>
#include "src/convert.h"
#include "src/module.h"
#include "src/run.h"

namespace slackline::python {
namespace {

using internal::WholeExampleAnswer;

/// Rounding error of an answer's value, relative to the sum of its terms.
constexpr double kRounding = 1e-9;

/// Ends a run because the oracle has raised an exception, which is kept aside.
struct OracleRaised : std::exception {};

/// An answer: (positions, values, loss, bound). Positions (int64, ascending) and values are the
/// entries of φ(y) − φ(truth) that are not 0; a bound of NaN claims that y is the best output.
class PythonOracle final : public internal::WholeExampleOracle {
 public:
  /// answer(m, w) returns the answer for example m, batch(first, count, w) a list of answers.
  PythonOracle(py::object answer, py::object batch)
      : answer_(std::move(answer)), batch_(std::move(batch)), exception_(py::none()) {}

  void Maximise(Index m, std::span<const double> weights, WholeExampleAnswer* answer) override {
    const py::gil_scoped_acquire gil;
    last_weights_.assign(weights.begin(), weights.end());
    example_ = m;
    Call([&] { Read(answer_(m, ArrayOf(weights)), weights, answer); });
  }

  void OnContradiction(const internal::OracleContradiction& contradiction) override {
    ++contradictions_;
    if (first_fault_.empty()) first_fault_ = contradiction.Text();
  }

  void MaximiseBatch(Index first, std::span<const double> weights,
                     std::span<WholeExampleAnswer> answers) override {
    const py::gil_scoped_acquire gil;
    last_weights_.assign(weights.begin(), weights.end());
    if (first == 0) bounds_everywhere_ = true;
    Call([&] {
      const py::list list = batch_(first, answers.size(), ArrayOf(weights));
      if (list.size() != answers.size())
        throw py::value_error("the oracle has not answered all examples");
      for (std::size_t k = 0; k < answers.size(); ++k) {
        example_ = first + static_cast<Index>(k);
        Read(list[k], weights, &answers[k]);
      }
    });
    checked_weights_ = last_weights_;
  }

  const std::vector<double>& last_weights() const { return last_weights_; }
  /// The weights of the last complete check.
  const std::vector<double>& checked_weights() const { return checked_weights_; }
  /// Whether all answers of the last check had a bound.
  bool bounds_everywhere() const { return bounds_everywhere_; }
  /// Answers without a bound that were worth less than the ground truth.
  Offset below_truth() const { return below_truth_; }
  Offset contradictions() const { return contradictions_; }
  /// The first fault, with the number of the example.
  const std::string& first_fault() const { return first_fault_; }
  const py::object& exception() const { return exception_; }

 private:
  template <class Work>
  void Call(const Work& work) {
    try {
      work();
    } catch (py::error_already_set& error) {
      exception_ = Raised(error);
    } catch (const py::builtin_exception& error) {
      error.set_error();
      exception_ = Raised(py::error_already_set());
    }
    if (!exception_.is_none()) throw OracleRaised();
  }

  void Read(const py::handle& object, std::span<const double> weights, WholeExampleAnswer* answer) {
    using Positions = py::array_t<std::int64_t, py::array::c_style>;
    const auto [at, values, loss, bound] =
        object.cast<std::tuple<Positions, DoubleArray, double, double>>();
    double value = loss, size = 1 + std::abs(loss);
    for (py::ssize_t k = 0; k < at.size(); ++k) {
      const auto position = static_cast<std::size_t>(at.data()[k]);
      if (position >= weights.size() || at.size() != values.size())
        throw py::value_error("an answer of the oracle has features that the model does not have");
      const double term = weights[position] * values.data()[k];
      value += term;
      size += std::abs(term);
    }
    answer->loss = loss;
    answer->bound = std::isnan(bound) ? std::max(0.0, value) : bound;
    bounds_everywhere_ = bounds_everywhere_ && !std::isnan(bound);
    if (std::isnan(bound) && loss >= 0 && value < 0) {
      // The ground truth is the better answer.
      if (value < -kRounding * size) {
        ++below_truth_;
        if (first_fault_.empty())
          first_fault_ = "the answer for example " + std::to_string(example_) + " was worth " +
                         internal::NumberText(value) + ", and the true output 0";
      }
      answer->loss = 0;
      return;
    }
    answer->point.at.assign(at.data(), at.data() + at.size());
    answer->point.values.assign(values.data(), values.data() + values.size());
  }

  py::object answer_, batch_, exception_;
  std::vector<double> last_weights_, checked_weights_;
  bool bounds_everywhere_ = true;
  Offset below_truth_ = 0;
  Offset contradictions_ = 0;
  std::string first_fault_;
  Index example_ = 0;  // whose answer is read
};

/// Keeps the weights of the best check, for a run that ends with an exception.
class BestCheck final : public internal::TrainObserver {
 public:
  BestCheck(PythonObserver* next, const PythonOracle* oracle) : next_(next), oracle_(oracle) {}
  void OnCheck(const internal::ProgressRecord& record) override {
    if (weights_.empty() || record.primal < last_.primal) weights_ = oracle_->checked_weights();
    last_ = record;
    next_->OnCheck(record);
  }

  /// The figures of the run so far.
  internal::TrainSummary Summary() const {
    internal::TrainSummary summary;
    summary.weights = weights_;
    summary.last = last_;
    summary.termination = internal::Termination::kInterrupted;
    summary.message = "the oracle raised an exception";
    if (weights_.empty()) {
      summary.weights = oracle_->last_weights();
      summary.notes = {"no check had been completed, so that the weights have no certificate"};
    }
    return summary;
  }

 private:
  PythonObserver* next_;
  const PythonOracle* oracle_;
  std::vector<double> weights_;
  internal::ProgressRecord last_;
};

py::dict TrainOracle(Index examples, Offset features, py::object answer, py::object batch,
                     double lambda, const std::map<std::string, std::string>& texts,
                     py::object callback) {
  const internal::TrainOptions options = TrainOptionsFrom(texts);
  if (options.learner != internal::TrainOptions().learner)
    throw py::value_error("an oracle of your own has its own learner: leave learner unset");
  internal::RequireCommonOptions(options, "StructuredSVM");
  PythonObserver observer(std::move(callback));
  PythonOracle oracle(std::move(answer), std::move(batch));
  BestCheck best(&observer, &oracle);
  internal::TrainSummary summary;
  bool certified = true;
  {
    const py::gil_scoped_release release;
    const auto learner =
        internal::MakeWholeExampleLearner(&oracle, examples, features, lambda, options.seed);
    try {
      summary = internal::RunTraining(*learner, options, &best, observer.interrupt());
    } catch (const OracleRaised&) {
      summary = best.Summary();
    } catch (const internal::CertificateError&) {
      certified = false;
    }
  }
  if (!certified) {
    throw py::value_error(internal::kContradictoryOracle +
                          (oracle.first_fault().empty() ? "" : ". First, " + oracle.first_fault()) +
                          "; see check_oracle");
  }
  internal::LearnerChoice choice;
  choice.options = options;
  py::dict result = SummaryDict(choice, lambda, summary, &observer);
  result["learner"] = "whole-example";
  if (!oracle.exception().is_none()) result["exception"] = oracle.exception();
  result["w"] = ArrayOf(summary.weights);
  result["bounds_everywhere"] = oracle.bounds_everywhere();
  result["below_truth"] = oracle.below_truth();
  result["contradictions"] = oracle.contradictions();
  result["first_fault"] = oracle.first_fault();
  return result;
}

/// The faults of an oracle, and what it has raised, or None.
py::tuple CheckOracle(Index examples, Offset features, py::object answer) {
  PythonOracle oracle(std::move(answer), py::none());
  std::vector<std::string> faults;
  try {
    faults = internal::CheckWholeExampleOracle(&oracle, examples, features);
  } catch (const OracleRaised&) {
  }
  if (oracle.below_truth() > 0) faults.insert(faults.begin(), oracle.first_fault());
  return py::make_tuple(faults, oracle.exception());
}

}  // namespace

void BindOracle(py::module_* module) {
  module->def("train_oracle", &TrainOracle);
  module->def("check_oracle", &CheckOracle);
}

}  // namespace slackline::python
