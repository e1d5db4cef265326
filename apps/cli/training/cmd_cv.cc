// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/training/cmd_cv.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/cli/terminal_line.h>
#include <slackline/apps/common/progress_text.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/core/quoted.h>
#include <slackline/learning/run/lambda_path.h>

namespace slackline::internal::program {
namespace {

/// Passes that one training may take unless the user sets a limit: those of example blocks take
/// some tens, and a λ that needs thousands must not hold up the others. Passes of the other
/// learners are cheaper, and more.
constexpr Index kMostPasses = 500;
constexpr Index kMostCheapPasses = 20000;

std::string RangeText(const std::vector<double>& lambdas, Index folds) {
  return LambdaText(lambdas.front()) + " to " + LambdaText(lambdas.back()) + " (" +
         Count(static_cast<Offset>(lambdas.size()), "value") + ", " + Count(folds, "fold") + ")";
}

class CvRun {
 public:
  CvRun(const CvFlags& flags, CvSettings settings, const CvProblem& problem)
      : flags_(flags), settings_(std::move(settings)), problem_(problem) {
    if (settings_.folds > problem.examples) {
      throw DataError("--folds: " + Quoted(flags.folds) + ", but " + problem.source + " has " +
                      Count(problem.examples, problem.noun));
    }
    folds_ = MakeFolds(problem.examples, settings_.folds,
                       static_cast<std::uint64_t>(settings_.train.seed));
  }

  int Run() {
    std::unique_ptr<SessionTask> task = problem_.session(0);
    Prepare(*task);
    const std::atomic<int>* interrupt = CatchInterrupts();
    const LambdaSearchResult result = Search(interrupt);
    if (result.interrupted) {
      std::fprintf(stderr, "interrupted after %d of %d trainings: no lambda is chosen%s\n",
                   static_cast<int>(result.progress.done), static_cast<int>(result.progress.total),
                   flags_.no_refit ? "" : " and no model is written");
      return 128 + interrupt->load();
    }
    if (!flags_.json) WriteOutput("-", Table(result));
    if (!flags_.quiet) TellLimits(result);
    Json json = ResultJson(result);
    const bool finished = flags_.no_refit || Refit(result, std::move(task), interrupt, &json);
    if (flags_.json) WriteOutput("-", JsonText(json));
    return finished ? 0 : 128 + interrupt->load();
  }

 private:
  bool choices() const { return problem_.candidates.size() > 1; }

  LearnerChoice ChooseFor(const SessionTask& task) const {
    return ChooseLearner(task.problem().WithLambda(settings_.lambdas.front()), settings_.train);
  }
  static Index MostPasses(const LearnerChoice& choice) {
    const LearnerKind learner = choice.options.learner;
    const bool blocks = learner == LearnerKind::kBcfw || learner == LearnerKind::kKernelBcfw;
    return blocks ? kMostPasses : kMostCheapPasses;
  }

  /// What needs the data: the values of λ, and a limit for every training.
  void Prepare(const SessionTask& task) {
    extend_ = settings_.lambdas.empty();
    if (extend_) settings_.lambdas = LambdasAround(UsableDefault(settings_.train, task));
    const LearnerChoice choice = ChooseFor(task);
    if (settings_.limited) {
      for (std::size_t candidate = 0; candidate < problem_.candidates.size(); ++candidate)
        most_passes_.push_back(
            MostPasses(candidate == 0 ? choice : ChooseFor(*problem_.session(candidate))));
    }
    const int jobs =
        static_cast<int>(settings_.folds) * static_cast<int>(problem_.candidates.size());
    settings_.train.threads = std::max(1, settings_.threads / jobs);
    if (flags_.quiet) return;
    if (choices()) {
      std::string names;
      for (const std::string& name : problem_.candidates)
        names += (names.empty() ? "" : ", ") + name;
      std::fprintf(stderr, "to choose from: lambda, and %s %s\n", problem_.candidate_key.c_str(),
                   names.c_str());
    }
    if (flags_.verbose) TellReason(choice);
    task.Describe(choice, RangeText(settings_.lambdas, settings_.folds));
    TellWarnings(task);
  }

  LambdaSearchResult Search(const std::atomic<int>* interrupt) {
    TerminalLine line(!flags_.quiet);
    LambdaSearchTask task;
    task.lambdas = settings_.lambdas;
    task.num_candidates = problem_.candidates.size();
    task.num_folds = settings_.folds;
    task.extend = extend_;
    task.metric = settings_.metric;
    task.smaller_is_better = problem_.figures[settings_.metric].smaller_is_better;
    task.threads = settings_.threads;
    task.make = [this](std::size_t candidate, std::size_t fold) {
      TrainOptions train = settings_.train;
      if (settings_.limited) train.max_passes = most_passes_[candidate];
      return problem_.make(train, candidate, folds_, fold);
    };
    task.observer = [&](const SearchProgress& progress) {
      line.Show(std::to_string(progress.done) + " of " + std::to_string(progress.total) +
                " trainings done, about " + TimeText(progress.seconds_left) + " left");
    };
    LambdaSearchResult result = SearchLambda(task, interrupt);
    line.Clear();
    return result;
  }

  std::string Table(const LambdaSearchResult& result) const {
    std::string text;
    if (choices()) Append(&text, "%10s", problem_.candidate_key.c_str());
    Append(&text, "%12s", "lambda");
    for (const std::size_t f : problem_.shown)
      Append(&text, " %18s", std::string(problem_.figures[f].title).c_str());
    Append(&text, " %10s %8s %9s\n", "converged", "passes", "seconds");
    for (std::size_t k = 0; k < result.entries.size(); ++k) {
      const SearchEntry& entry = result.entries[k];
      if (choices()) Append(&text, "%10s", problem_.candidates[entry.candidate].c_str());
      Append(&text, "%12s", LambdaText(entry.lambda).c_str());
      for (const std::size_t f : problem_.shown) {
        const Spread spread = SpreadOf(entry.figures(f));
        Append(&text, " %8.4f +- %6.4f", spread.mean, spread.deviation);
      }
      const FoldTotals totals = entry.totals();
      const std::string converged =
          std::to_string(totals.converged) + "/" + std::to_string(settings_.folds);
      Append(&text, " %10s %8lld %9.2f%s\n", converged.c_str(),
             static_cast<long long>(totals.passes), totals.seconds,
             k == result.best ? "  best" : "");
    }
    return text;
  }

  /// Where the figures may be worse than they could be.
  void TellLimits(const LambdaSearchResult& result) const {
    for (const SearchEntry& entry : result.entries) {
      const FoldTotals totals = entry.totals();
      const Index open = settings_.folds - totals.converged;
      if (open == 0) continue;
      std::string what =
          choices() ? problem_.candidate_key + " " + problem_.candidates[entry.candidate] + ", "
                    : "";
      std::fprintf(stderr,
                   "note: %slambda %s: %d of %d trainings ended at %s, with gaps up to %s %%%s\n",
                   what.c_str(), LambdaText(entry.lambda).c_str(), static_cast<int>(open),
                   static_cast<int>(settings_.folds),
                   settings_.limited
                       ? ("the limit of " + Count(most_passes_[entry.candidate], "pass")).c_str()
                       : "a limit",
                   Number(100 * entry.widest_gap(), 2).c_str(),
                   settings_.limited ? "; --max-passes allows more" : "");
    }
    if (!result.at_end()) return;
    const bool largest = result.edge == SearchEdge::kLargest;
    std::fprintf(stderr,
                 "note: the best lambda is the %s of those tried: %s ones may be better%s\n",
                 largest ? "largest" : "smallest", largest ? "larger" : "smaller",
                 extend_ ? "" : "; without --lambda-path, cv tries further values by itself");
  }

  Json ResultJson(const LambdaSearchResult& result) const {
    Json path = Json::array();
    for (const SearchEntry& entry : result.entries) {
      Json json = Choice(entry);
      const FoldTotals totals = entry.totals();
      json.update({{"converged", totals.converged},
                   {"passes", totals.passes},
                   {"seconds", totals.seconds}});
      for (std::size_t f = 0; f < problem_.figures.size(); ++f) {
        const std::vector<double> values = entry.figures(f);
        const Spread spread = SpreadOf(values);
        json[std::string(problem_.figures[f].key)] = {
            {"mean", spread.mean}, {"deviation", spread.deviation}, {"folds", values}};
      }
      path.push_back(std::move(json));
    }
    const SearchEntry& best = result.entries[result.best];
    const Spread spread = SpreadOf(best.figures(settings_.metric));
    Json chosen = Choice(best);
    chosen.update({{"mean", spread.mean}, {"deviation", spread.deviation}});
    Json json = {
        {"program", ProgramVersion()},     {"data", problem_.source},
        {problem_.key, problem_.examples}, {"folds", settings_.folds},
        {"seed", settings_.train.seed},    {"metric", problem_.figures[settings_.metric].key},
        {"at_edge", result.at_end()}};
    json.update(problem_.own);
    json["path"] = std::move(path);
    json["best"] = std::move(chosen);
    return json;
  }

  /// {"graph": "full", "lambda": 0.01}
  Json Choice(const SearchEntry& entry) const {
    Json json = Json::object();
    if (!problem_.candidate_key.empty())
      json[problem_.candidate_key] = problem_.candidates[entry.candidate];
    json["lambda"] = entry.lambda;
    return json;
  }

  CrossValidationRecord Record(const LambdaSearchResult& result) const {
    CrossValidationRecord record;
    record.metric = problem_.figures[settings_.metric].key;
    record.folds = settings_.folds;
    for (const SearchEntry& entry : result.entries) {
      const Spread spread = SpreadOf(entry.figures(settings_.metric));
      record.points.push_back({choices() ? problem_.candidates[entry.candidate] : std::string(),
                               entry.lambda, spread.mean, spread.deviation});
    }
    record.best = static_cast<Index>(result.best);
    return record;
  }

  /// Trains with the best λ. False when it was interrupted.
  /// task: of candidate 0.
  bool Refit(const LambdaSearchResult& result, std::unique_ptr<SessionTask> task,
             const std::atomic<int>* interrupt, Json* json) const {
    const SearchEntry& best = result.entries[result.best];
    if (!flags_.quiet) {
      const std::string with =
          problem_.candidate_key.empty()
              ? std::string()
              : problem_.candidate_key + " " + problem_.candidates[best.candidate] + " and ";
      std::fprintf(stderr, "training on %s with %slambda %s\n", problem_.all.c_str(), with.c_str(),
                   LambdaText(best.lambda).c_str());
    }
    if (best.candidate != 0) {
      task.reset();  // the data of both would be in memory
      task = problem_.session(best.candidate);
    }
    RefitOptions refit{settings_.train, flags_.model, flags_.quiet, flags_.compact, Record(result)};
    refit.train.lambda = best.lambda;
    refit.train.threads = settings_.threads;
    if (settings_.limited) refit.train.max_passes = TrainOptions().max_passes;
    return program::Refit(refit, interrupt, task.get(), &(*json)["refit"]) !=
           Termination::kInterrupted;
  }

  const CvFlags& flags_;
  CvSettings settings_;
  const CvProblem& problem_;
  std::vector<std::vector<Index>> folds_;
  std::vector<Index> most_passes_;  // per candidate; none: no limit
  bool extend_ = false;
};

}  // namespace

void CvFlags::Register(CLI::App* app, const CvMetrics& metrics, const std::string& all) {
  metric = metrics.default_name;
  std::string names;
  for (const CvFigure& figure : metrics.figures)
    names.append(names.empty() ? "" : "|").append(figure.name);
  AddTextOption(app, "lambda-path", &lambda_path, "L1,L2,...|FROM:TO:COUNT",
                "values of lambda to choose from: these, or so many in a geometric sequence",
                "five around the default of train, and more while the best one lies at an end");
  AddTextOption(app, "folds", &folds, "K", "number of folds, at least 2", "5");
  AddTextOption(app, "metric", &metric, names, metrics.text, metrics.default_name);
  CLI::Option* model_option =
      AddTextOption(app, "model", &model, "OUT.slk",
                    "where to write the model that is trained on " + all + " in the end");
  app->add_flag("--no-refit", no_refit, "train no such model")->excludes(model_option);
  AddCompactFlag(app, &compact);
  app->add_flag("--json", json, "write JSON, with all metrics, instead of a table");
  app->add_flag("--quiet,-q", quiet, "say nothing but the result and errors");
  app->add_flag("--verbose,-v", verbose, "also say which way of training was chosen, and why");
  train.Register(app);
  train.Hide("lambda");
  train.SetDefaultText("threads", "0");
  train.SetDefaultText("max-passes", std::to_string(kMostPasses) + ", and " +
                                         std::to_string(kMostCheapPasses) +
                                         " of learners other than bcfw, in folds");
}

CvSettings CvFlags::Read(const CvMetrics& metrics, const std::vector<std::string>& inputs) const {
  CvSettings settings;
  settings.train = train.Read();
  if (train.Given("lambda"))
    throw DataError("--lambda: its values are those of --lambda-path here");
  if (!lambda_path.empty()) settings.lambdas = ReadLambdaPath(lambda_path);
  settings.folds = ReadCount("folds", folds, 2);
  std::vector<std::string_view> names;
  for (const CvFigure& figure : metrics.figures) names.push_back(figure.name);
  settings.metric = CheckChoice("metric", metric, names);
  settings.threads = NumThreads(train.Given("threads") ? settings.train.threads : 0);
  settings.limited = !train.Given("max-passes") && !train.Given("time-limit");
  if (no_refit) return settings;
  if (model.empty()) throw DataError("--model: a file name is needed, or --no-refit");
  CheckOutput("model", model, inputs, false);
  return settings;
}

int RunCv(const CvFlags& flags, CvSettings settings, const CvProblem& problem) {
  return CvRun(flags, std::move(settings), problem).Run();
}

}  // namespace slackline::internal::program
