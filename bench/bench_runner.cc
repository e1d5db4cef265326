// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_runner.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/training/cmd_train_report.h>
#include <slackline/core/check.h>
#include <slackline/core/timer.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/train_loop.h>

namespace slackline::internal::bench {
namespace {

using program::Json;
using program::Number;

/// The weights of this many first checks are all evaluated on the test data.
constexpr std::size_t kFirstTests = 10;

/// Keeps every record, evaluates weights on the test data, and shows progress on a terminal.
class CurveObserver : public TrainObserver {
 public:
  /// records_online: whether the learner is multi-sample in online mode (without revisits).
  CurveObserver(bool show, const Learner& learner, bool records_online,
                const std::function<TestFigures(std::span<const double>)>& test)
      : learner_(learner), records_online_(records_online), test_(test), report_(show) {}
  ~CurveObserver() override { report_.ClearLine(); }
  CurveObserver(const CurveObserver&) = delete;
  CurveObserver& operator=(const CurveObserver&) = delete;

  void OnCheck(const ProgressRecord& record) override {
    curve.push_back(record);
    curve.back().cpu_seconds -= test_cpu_seconds;
    tests.emplace_back();
    if (records_online_) online.push_back(FiguresOf(learner_));
    if (curve.size() <= kFirstTests || record.pass >= next_test_) RunTest(learner_.weights());
    report_.OnCheck(record);
  }
  void OnPass(Index pass) override { report_.OnPass(pass); }

  /// Evaluates the weights of the last check if OnCheck has not.
  void End(std::span<const double> weights) {
    if (!tests.empty() && tests.back().empty()) RunTest(weights);
  }

  std::vector<ProgressRecord> curve;
  std::vector<TestFigures> tests;
  std::vector<OnlineFigures> online;
  double test_cpu_seconds = 0;

 private:
  void RunTest(std::span<const double> weights) {
    if (!test_) return;
    const double before = ProcessCpuSeconds();
    tests.back() = test_(weights);
    test_cpu_seconds += ProcessCpuSeconds() - before;
    next_test_ = 1.1 * curve.back().pass;
  }

  const Learner& learner_;
  const bool records_online_;
  const std::function<TestFigures(std::span<const double>)>& test_;
  program::TrainReport report_;
  double next_test_ = 0;
};

/// On Linux, resets the peak of resident memory. On other systems the peak remains that of the
/// whole process.
void ResetPeakMemory() { std::ofstream("/proc/self/clear_refs") << "5" << std::flush; }

/// Adds a column per metric on test data, null at checks without an evaluation.
void AddTests(const std::vector<TestFigures>& tests, Json* curve) {
  const auto first =
      std::find_if(tests.begin(), tests.end(), [](const TestFigures& t) { return !t.empty(); });
  if (first == tests.end()) return;
  for (std::size_t k = 0; k < first->size(); ++k) {
    Json values = Json::array();
    for (const TestFigures& test : tests)
      values.push_back(test.empty() ? Json(nullptr) : Json(test[k].second));
    (*curve)["test:" + (*first)[k].first] = std::move(values);
  }
}

/// The values of one member in all records.
template <class Record, class Value>
Json Column(const std::vector<Record>& records, Value Record::*member) {
  Json values = Json::array();
  for (const Record& record : records) values.push_back(record.*member);
  return values;
}

Json CurveJson(const BenchRun& run) {
  const std::vector<ProgressRecord>& curve = run.curve;
  Json json = Json::object();
  const auto column = [&](const char* name, auto member) { json[name] = Column(curve, member); };
  column("pass", &ProgressRecord::pass);
  column("seconds", &ProgressRecord::seconds);
  column("check_seconds", &ProgressRecord::check_seconds);
  column("cpu_seconds", &ProgressRecord::cpu_seconds);
  column("oracle_calls", &ProgressRecord::oracle_calls);
  column("block_steps", &ProgressRecord::block_steps);
  column("primal", &ProgressRecord::primal);
  column("check_primal", &ProgressRecord::check_primal);
  column("dual", &ProgressRecord::dual);
  column("relative_gap", &ProgressRecord::relative_gap);
  const bool soft = std::any_of(curve.begin(), curve.end(), [](const ProgressRecord& record) {
    return std::isfinite(record.soft_primal);
  });
  if (soft) {
    column("soft_primal", &ProgressRecord::soft_primal);
    column("soft_dual", &ProgressRecord::soft_dual);
  }
  if (!run.online.empty()) {
    json["mean_suffered"] = Column(run.online, &OnlineFigures::mean_objective);
    json["regret_bound"] = Column(run.online, &OnlineFigures::bound);
    if (std::isfinite(run.online.front().mean_loss)) {
      json["mean_loss"] = Column(run.online, &OnlineFigures::mean_loss);
      json["loss_bound"] = Column(run.online, &OnlineFigures::loss_bound);
    }
  }
  AddTests(run.tests, &json);
  return json;
}

/// A number, or null where it is not finite.
Json FiniteJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json RunJson(const BenchRun& run) {
  return {{"seed", run.seed},
          {"termination", Name(run.summary.termination)},
          {"message", run.summary.message},
          {"notes", run.summary.notes},
          {"setup_seconds", run.setup_seconds},
          {"training_cpu_seconds", TrainingCpuSeconds(run.summary.last)},
          {"peak_memory_bytes", run.peak_memory_bytes},
          {"last", program::RecordJson(run.summary.last)},
          {"nonzero_weights", run.nonzero_weights},
          {"curve", CurveJson(run)}};
}

}  // namespace

double TrainingCpuSeconds(const ProgressRecord& record) {
  const double elapsed = record.seconds + record.check_seconds;
  return elapsed > 0 ? record.cpu_seconds * record.seconds / elapsed : 0;
}

WorkToGap FindWorkToGap(std::span<const ProgressRecord> curve, double gap, Index examples) {
  for (const ProgressRecord& record : curve) {
    if (!(record.relative_gap <= gap)) continue;
    return {static_cast<double>(record.oracle_calls) / examples, static_cast<double>(record.pass),
            TrainingCpuSeconds(record)};
  }
  return {};
}

double Median(std::vector<double> values) {
  if (values.empty()) return kNone;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

WorkToGap MedianWork(const BenchRow& row, double gap) {
  std::vector<double> calls, passes, seconds;
  for (const BenchRun& run : row.runs) {
    const WorkToGap work = FindWorkToGap(run.curve, gap, row.examples);
    calls.push_back(work.calls);
    passes.push_back(work.passes);
    seconds.push_back(work.seconds);
  }
  if (row.runs.empty()) return {};
  return {Median(calls), Median(passes), Median(seconds)};
}

void BenchRunner::Run(const BenchTask& task, std::int64_t seed, BenchRow* row) const {
  row->examples = task.problem.size();
  const std::string title =
      row->problem + ", " + row->learner.name + ", seed " + std::to_string(seed) + ": ";
  try {
    Train(task, seed, row);
  } catch (const DataError& error) {
    row->refusal = error.what();
  } catch (const std::exception& error) {
    row->refusal = error.what();
    row->failed = true;
  }
  if (!row->refusal.empty()) {
    Say(title + (row->failed ? "failed: " : "does not apply: ") + row->refusal);
    return;
  }
  const BenchRun& run = row->runs.back();
  const ProgressRecord& last = run.summary.last;
  Say(title + std::string(Name(run.summary.termination)) + " after " + Count(last.pass, "pass") +
      ", " + Number(last.seconds, 3) + " s of training and " + Number(last.check_seconds, 3) +
      " s of checks; objective " + Number(last.primal) + ", relative gap " +
      Number(last.relative_gap, 3));
}

void BenchRunner::Train(const BenchTask& task, std::int64_t seed, BenchRow* row) const {
  const Problem& problem = task.problem;
  TrainOptions options = row->learner.options;
  options.seed = seed;
  options.lambda = problem.lambda();
  BenchRun run;
  run.seed = seed;
  ResetPeakMemory();
  const double before = ProcessCpuSeconds();
  const LearnerChoice choice = ChooseLearner(problem, options);
  const std::unique_ptr<Learner> learner = MakeLearner(problem, choice.options);
  run.setup_seconds = ProcessCpuSeconds() - before;
  row->choice = choice.reason;
  const bool online = choice.options.learner == LearnerKind::kMultiSample &&
                      !choice.options.own<MultiSampleOptions>().revisit;
  CurveObserver observer(!quiet_, *learner, online, task.test);
  run.summary = RunTraining(problem, *learner, choice.options, &observer, interrupt_);
  run.peak_memory_bytes = PeakMemoryBytes();
  run.summary.last.cpu_seconds -= observer.test_cpu_seconds;
  std::vector<double>& weights = run.summary.weights;
  run.nonzero_weights =
      std::count_if(weights.begin(), weights.end(), [](double w) { return w != 0; });
  // A learner that has just undone a pass has no weights; the summary then holds the last ones.
  observer.End(learner->weights().empty() ? std::span<const double>(weights) : learner->weights());
  weights = {};
  run.curve = std::move(observer.curve);
  run.tests = std::move(observer.tests);
  run.online = std::move(observer.online);
  row->runs.push_back(std::move(run));
}

void BenchRunner::Say(const std::string& text) const {
  if (!quiet_) std::fprintf(stderr, "%s\n", text.c_str());
}

Json RowJson(const BenchRow& row, std::span<const double> gaps) {
  Json options = Json::object();
  for (const OptionRecord& record : OptionRecords()) {
    if (record.name == "seed" || record.name == "lambda" || record.name == "time-limit") continue;
    options[std::string(record.name)] = OptionText(record, row.learner.options);
  }
  Json work = Json::array();
  for (const double gap : gaps) {
    const WorkToGap to_gap = MedianWork(row, gap);
    work.push_back({{"relative_gap", gap},
                    {"oracle_calls_per_example", FiniteJson(to_gap.calls)},
                    {"passes", FiniteJson(to_gap.passes)},
                    {"training_cpu_seconds", FiniteJson(to_gap.seconds)}});
  }
  Json runs = Json::array();
  for (const BenchRun& run : row.runs) runs.push_back(RunJson(run));
  const char* state = row.failed ? "failed" : row.refusal.empty() ? "applies" : "does not apply";
  return {{"learner", row.learner.name}, {"state", state},
          {"reason", row.refusal},       {"choice", row.choice},
          {"options", options},          {"median_work_to_gap", std::move(work)},
          {"runs", std::move(runs)}};
}

}  // namespace slackline::internal::bench
