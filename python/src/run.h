// SPDX-License-Identifier: BSD-3-Clause
//
// Training runs under Python: without the GIL, with callbacks, and ended by Ctrl-C without losing
// the model.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <slackline/apps/training/train_task.h>
#include <slackline/learning/progress.h>

namespace slackline::python {

namespace py = pybind11;

/// Watches a run on the thread that holds the GIL between passes. The constructor and all members
/// that the training loop does not call need the GIL.
class PythonObserver final : public internal::TrainObserver {
 public:
  /// `callback`: None, or a function that receives a dict with the figures of each check, and ends
  /// training by returning True. On the main thread, Ctrl-C ends training.
  /// interrupt: not 0 ends training; must outlive the object. null: a flag of the object.
  explicit PythonObserver(py::object callback, std::atomic<int>* interrupt = nullptr);
  ~PythonObserver() override;
  PythonObserver(const PythonObserver&) = delete;
  PythonObserver& operator=(const PythonObserver&) = delete;

  /// Other than 0 when training shall end.
  const std::atomic<int>* interrupt() const { return interrupt_; }

  void OnCheck(const internal::ProgressRecord& record) override;

  /// The figures of all checks, one dict each.
  py::list history() const;
  /// The exception that a callback or Ctrl-C has raised, to be raised again when the model has been
  /// stored; None without one.
  py::object TakeException();

 private:
  py::object callback_;
  std::vector<internal::ProgressRecord> records_;
  py::object exception_;
  std::atomic<int> own_interrupt_{0};
  std::atomic<int>* interrupt_;
  bool watches_signals_ = false;
};

/// The exception that Python has raised, with its traceback.
py::object Raised(const py::error_already_set& error);

/// The figures of a check: {"pass": 12, "primal": …}, without figures that the learner does not
/// have.
py::dict RecordDict(const internal::ProgressRecord& record);

/// The entries of all results of training: primal, dual, gap, relative_gap, problem, lam, passes,
/// seconds, termination, message, notes, learner, reason, history, exception.
py::dict SummaryDict(const internal::LearnerChoice& choice, double lambda,
                     const internal::TrainSummary& summary, PythonObserver* observer);

/// What a model file says about its training, with the keys of SummaryDict; also data, program,
/// options (texts by name), costs (of errors, by rows; empty: none), and the curve of the bounds as
/// dicts with pass, seconds, primal, dual.
py::dict RecordDict(const internal::TrainingRecord& record);

/// How a model is trained.
struct RunRequest {
  internal::TrainOptions options;  ///< λ 0: from c, or the default of the task
  double c = 0;                    ///< λ = 1/(c·M); 0: not given
  py::object callback = py::none();
  bool keep_state = false;  ///< return the learner's state, from which a later run can continue
  std::string state;        ///< of an earlier run with keep_state; "": from the beginning
  std::shared_ptr<internal::Ranks> ranks = nullptr;  ///< keeps options.ranks alive

  internal::Ranks& the_ranks() const { return internal::RanksOf(options); }
};

/// The arguments that the fit functions of all applications have.
struct FitArguments {
  std::map<std::string, std::string> options;  ///< of the application
  std::map<std::string, std::string> train;
  double c = 0;
  py::object callback = py::none();
  bool keep_state = false;
  std::string state;
  /// The processes that train together; null: this one alone.
  std::shared_ptr<internal::Ranks> ranks = nullptr;

  /// The value of an option of the application. Throws pybind11::key_error when there is none.
  const std::string& text(const std::string& name) const;
  RunRequest Request() const;
};
void BindFitArguments(py::module_* module);

/// Trains the task's model without the GIL. Returns SummaryDict, with "warnings" of the task, and
/// "state" (bytes) if it is kept. From the state of a run with another λ, training continues if the
/// learner can (RunPlan::follow); the state of a run with another problem or other options is not
/// used; "notes" says so. Processes that train together must all call it. They get equal results
/// except for "exception" and the figures of their own work, and cannot keep a state.
py::dict Run(RunRequest request, internal::ProblemTask* task);

/// Makes ValueErrors of the library's errors, with options by their Python names: "--loss-weights"
/// is loss_weights.
void RegisterErrors(py::module_* module);

}  // namespace slackline::python
