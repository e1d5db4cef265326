// SPDX-License-Identifier: BSD-3-Clause
#include "src/run.h"

#include <pybind11/stl.h>

#include <cmath>
#include <csignal>
#include <regex>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/kernel.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/option_spelling.h>
#include <slackline/learning/run/checkpoint.h>
#include <slackline/learning/run/fingerprint.h>
#include <slackline/learning/run/warm_start.h>
#include "src/convert.h"
#include "src/python_ranks.h"

namespace slackline::python {
namespace {

// Set by the signal handler while a run on the main thread watches.
std::atomic<std::atomic<int>*> watched{nullptr};
struct sigaction python_handler;

/// Ends the run, then does what Python does on Ctrl-C: it raises KeyboardInterrupt in the next
/// Python code.
void OnInterrupt(int signal) {
  if (std::atomic<int>* interrupt = watched.load()) interrupt->store(signal);
  if (python_handler.sa_handler != SIG_DFL && python_handler.sa_handler != SIG_IGN)
    python_handler.sa_handler(signal);
}

bool OnMainThread() {
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

/// What a run on the problem depends on, with what the task adds.
internal::Fingerprint FingerprintOf(const internal::TrainTask& task,
                                    const internal::Problem& problem,
                                    const internal::TrainOptions& options) {
  internal::Fingerprint all = task.Context();
  for (auto& entry : internal::MakeFingerprint(problem, options)) all.push_back(std::move(entry));
  return all;
}

/// The state of an earlier run, and the plan of a run that begins with it or keeps its own state.
struct Beginning {
  internal::Checkpoint saved;  // its only figure is λ
  internal::RunPlan plan;
  std::string note;  // what a user should know; may be empty
};

/// Lets the plan begin from the state of an earlier run if that fits, and says why if not.
void BeginFrom(const std::string& state, const internal::Fingerprint& now, Beginning* run) {
  try {
    run->saved = internal::CheckpointFromBytes(state, "warm_start");
    SLACKLINE_CHECK(run->saved.figures.size() == 1, "a state without its lambda");
  } catch (const std::exception&) {  // pickled by another version
    run->note = "warm_start: the state is that of another version, so training begins anew";
    return;
  }
  switch (internal::ContinuationFrom(run->saved.fingerprint, now)) {
    case internal::Continuation::kResume:
      run->plan.checkpoints.resume = run->saved.state;
      return;
    case internal::Continuation::kFollow:
      run->plan.follow = run->saved.state;
      run->plan.follow_lambda = run->saved.figures[0];
      return;
    case internal::Continuation::kNew:
      run->note = "warm_start: data or options have changed, so training begins anew";
  }
}

/// The message with options by their Python names: "loss_weights: …".
std::string InPython(const std::string& message) {
  // A place in the library's sources says nothing to its users.
  static const std::regex place(" \\[[^\\[\\]]*:[0-9]+\\]$");
  return std::regex_replace(internal::SpellOptions(message, internal::OptionLanguage::kPython),
                            place, "");
}

}  // namespace

py::object Raised(const py::error_already_set& error) {
  py::object value = error.value();
  if (error.trace()) PyException_SetTraceback(value.ptr(), error.trace().ptr());
  return value;
}

PythonObserver::PythonObserver(py::object callback, std::atomic<int>* interrupt)
    : callback_(std::move(callback)),
      exception_(py::none()),
      interrupt_(interrupt != nullptr ? interrupt : &own_interrupt_) {
  if (!OnMainThread() || watched.load() != nullptr) return;
  struct sigaction now {};
  sigaction(SIGINT, nullptr, &now);
  // A handler with SA_SIGINFO is not Python's own.
  if (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN || (now.sa_flags & SA_SIGINFO)) return;
  python_handler = now;
  watched = interrupt_;
  struct sigaction own = now;
  own.sa_handler = OnInterrupt;
  sigaction(SIGINT, &own, nullptr);
  watches_signals_ = true;
}

PythonObserver::~PythonObserver() {
  if (!watches_signals_) return;
  sigaction(SIGINT, &python_handler, nullptr);
  watched = nullptr;
}

void PythonObserver::OnCheck(const internal::ProgressRecord& record) {
  records_.push_back(record);
  if (callback_.is_none() || *interrupt_ != 0) return;
  const py::gil_scoped_acquire gil;
  try {
    const py::object answer = callback_(RecordDict(record));
    if (!answer.is_none() && answer.cast<bool>()) *interrupt_ = SIGINT;
  } catch (py::error_already_set& error) {
    exception_ = Raised(error);
    *interrupt_ = SIGINT;
  }
}

py::list PythonObserver::history() const {
  py::list history;
  for (const internal::ProgressRecord& record : records_) history.append(RecordDict(record));
  return history;
}

py::object PythonObserver::TakeException() {
  if (PyErr_CheckSignals() != 0) {
    py::error_already_set error;
    if (exception_.is_none()) exception_ = Raised(error);
  }
  return std::exchange(exception_, py::none());
}

py::dict RecordDict(const internal::ProgressRecord& record) {
  py::dict dict;
  internal::ForEachReportedFigure(record, [&](const char* name, const auto& value) {
    if constexpr (std::is_convertible_v<decltype(value), double>) {
      if (!std::isnan(static_cast<double>(value))) dict[name] = value;
    }
  });
  return dict;
}

py::dict SummaryDict(const internal::LearnerChoice& choice, double lambda,
                     const internal::TrainSummary& summary, PythonObserver* observer) {
  const internal::ProgressRecord& last = summary.last;
  py::dict dict;
  dict["primal"] = last.primal;
  dict["dual"] = last.dual;
  dict["gap"] = last.gap;
  dict["relative_gap"] = last.relative_gap;
  dict["problem"] = std::string(internal::Name(last.problem));
  dict["lam"] = lambda;
  dict["passes"] = last.pass;
  dict["seconds"] = last.seconds + last.check_seconds;
  dict["oracle_calls"] = last.oracle_calls;
  dict["termination"] = std::string(internal::Name(summary.termination));
  dict["message"] = InPython(summary.message);
  py::list notes;
  for (const std::string& note : summary.notes) notes.append(InPython(note));
  dict["notes"] = std::move(notes);
  dict["learner"] = std::string(internal::Name(choice.options.learner));
  dict["reason"] = InPython(choice.reason);
  dict["history"] = observer->history();
  dict["exception"] = observer->TakeException();
  return dict;
}

py::dict RecordDict(const internal::TrainingRecord& record) {
  py::dict options;
  for (const auto& [name, text] : record.options) options[py::str(name)] = text;
  py::list curve;
  for (const internal::CurvePoint& point : record.curve) {
    py::dict dict;
    dict["pass"] = point.pass;
    dict["seconds"] = point.seconds;
    if (!std::isnan(point.primal)) dict["primal"] = point.primal;
    if (!std::isnan(point.dual)) dict["dual"] = point.dual;
    curve.append(std::move(dict));
  }
  py::dict dict;
  dict["program"] = record.program;
  dict["data"] = record.data;
  dict["examples"] = record.num_examples;
  dict["options"] = std::move(options);
  dict["costs"] = ArrayOf(record.costs);
  dict["primal"] = record.primal;
  dict["dual"] = record.dual;
  dict["gap"] = record.gap;
  dict["relative_gap"] = record.relative_gap;
  dict["problem"] = std::string(internal::Name(record.problem));
  dict["lam"] = record.lambda;
  dict["passes"] = record.passes;
  dict["seconds"] = record.seconds + record.check_seconds;
  dict["termination"] = std::string(internal::Name(record.termination));
  dict["message"] = record.message;
  dict["curve"] = std::move(curve);
  return dict;
}

const std::string& FitArguments::text(const std::string& name) const {
  const auto found = options.find(name);
  if (found == options.end()) throw py::key_error(name);
  return found->second;
}

RunRequest FitArguments::Request() const {
  RunRequest request = {TrainOptionsFrom(train), c, callback, keep_state, state, ranks};
  request.options.ranks = ranks.get();
  if (internal::UsesKernel(request.options)) internal::RefuseKernelOnRanks(request.the_ranks());
  return request;
}

void BindFitArguments(py::module_* module) {
  py::class_<FitArguments>(*module, "FitArguments")
      .def(py::init([](std::map<std::string, std::string> options,
                       std::map<std::string, std::string> train, double c, py::object callback,
                       bool keep_state, std::string state, const py::object& team) {
             std::shared_ptr<internal::Ranks> ranks;
             if (!team.is_none()) ranks = std::make_shared<PythonRanks>(team);
             return FitArguments{std::move(options),  std::move(train), c,
                                 std::move(callback), keep_state,       std::move(state),
                                 std::move(ranks)};
           }),
           py::arg("options"), py::arg("train"), py::arg("c"), py::arg("callback"),
           py::arg("keep_state"), py::arg("state"), py::arg("team") = py::none());
}

py::dict Run(RunRequest request, internal::ProblemTask* task) {
  PythonObserver observer(request.callback);
  Beginning from;
  internal::Checkpoint kept;
  internal::TrainedRun run;
  {
    const py::gil_scoped_release release;
    internal::SetOpenShards(*task, &request.options);
    request.options.lambda = internal::ChooseLambda(request.options, request.c, *task);
    if (request.keep_state) {
      internal::RequireState(request.options.learner, "--warm-start");
      const internal::Problem problem = task->problem().WithLambda(request.options.lambda);
      kept.fingerprint =
          FingerprintOf(*task, problem, internal::ChooseLearner(problem, request.options).options);
      kept.figures = {request.options.lambda};
      from.plan.checkpoints.write = [&kept](const std::string& state, auto) { kept.state = state; };
      from.plan.checkpoints.every_seconds = 1e9;  // only at the end
      from.plan.checkpoints.copy_before_checks = true;
      if (!request.state.empty()) BeginFrom(request.state, kept.fingerprint, &from);
    }
    run = internal::TrainModel(request.options, &observer, observer.interrupt(), task, from.plan);
  }
  py::dict result = SummaryDict(run.choice, request.options.lambda, run.summary, &observer);
  if (!from.note.empty()) result["notes"].cast<py::list>().append(from.note);
  py::list warnings;
  for (const std::string& warning : task->Warnings()) warnings.append(InPython(warning));
  result["warnings"] = std::move(warnings);
  if (request.keep_state)
    result["state"] = kept.state.empty() ? py::bytes() : py::bytes(CheckpointBytes(kept));
  return result;
}

void RegisterErrors(py::module_* module) {
  static_cast<void>(module);
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const internal::DataError& error) {
      PyErr_SetString(PyExc_ValueError, InPython(error.what()).c_str());
    } catch (const std::invalid_argument& error) {
      PyErr_SetString(PyExc_ValueError, InPython(error.what()).c_str());
    }
  });
}

}  // namespace slackline::python
