// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/training/cmd_cv.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/terminal_line.h>
#include <slackline/apps/common/program_version.h>
#include <slackline/apps/common/progress_text.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/core/quoted.h>
#include <slackline/core/standard_input.h>
#include <slackline/learning/run/lambda_path.h>

namespace slackline::internal::program {
namespace {

/// The default limit on the passes of a training in a fold. Learners that step on examples need
/// some tens of passes; a λ that needs thousands must not delay the others. The other learners need
/// more passes, which are cheaper.
constexpr Index kMostPasses = 500;
constexpr Index kMostCheapPasses = 20000;

std::string RangeText(const std::vector<double>& lambdas, Index folds) {
  return LambdaText(lambdas.front()) + " to " + LambdaText(lambdas.back()) + " (" +
         Count(static_cast<Offset>(lambdas.size()), "value") + ", " + Count(folds, "fold") + ")";
}

class CvCommand {
 public:
  CvCommand(const CvFlags& flags, CvSettings settings, const CvApplication& application,
            const CvTask& task)
      : flags_(flags), settings_(std::move(settings)), application_(application), task_(task) {
    const Index examples = application.num_examples();
    if (settings_.folds > examples) {
      throw DataError("--folds: " + Quoted(flags.folds) + ", but " + application.source() +
                      " has " + Count(examples, task.noun));
    }
    plan_.folds =
        MakeFolds(examples, settings_.folds, static_cast<std::uint64_t>(settings_.train.seed));
    plan_.lambdas = settings_.lambdas;
    plan_.candidates.assign(task.candidates.size(), settings_.train);
    plan_.metric = settings_.metric;
    plan_.smaller_is_better = metric().smaller_is_better;
    plan_.threads = settings_.threads;
    plan_.ranks = &ranks_;
  }

  int Run() {
    CompletedTask session = task_.session(0);
    Prepare(*session.training);
    const std::atomic<int>* interrupt = CatchInterrupts();
    const CvResult result = Validate(interrupt);
    if (result.interrupted) {
      std::fprintf(stderr, "interrupted after %d of %d trainings: no lambda is chosen%s\n",
                   static_cast<int>(result.progress.done), static_cast<int>(result.progress.total),
                   flags_.no_refit ? "" : " and no model is written");
      return 128 + static_cast<int>(ranks_.MaxOf(interrupt->load()));
    }
    if (!ranks_.first()) return 0;  // rank 0 goes on alone
    if (!flags_.json) WriteOutput("-", Table(result));
    if (!flags_.quiet) TellLimits(result);
    Json json = ResultJson(result);
    const bool finished = flags_.no_refit || Refit(result, std::move(session), interrupt, &json);
    if (flags_.json) WriteOutput("-", JsonText(json));
    return finished ? 0 : 128 + interrupt->load();
  }

 private:
  bool choices() const { return task_.candidates.size() > 1; }
  const FigureName& metric() const { return task_.figures[settings_.metric]; }

  static Index MostPasses(const LearnerChoice& choice) {
    const LearnerKind learner = choice.options.learner;
    const bool blocks = learner == LearnerKind::kBcfw || learner == LearnerKind::kKernelBcfw;
    return blocks ? kMostPasses : kMostCheapPasses;
  }

  /// Determines what depends on the data: the values of λ and the pass limit of every training.
  void Prepare(const TrainTask& training) {
    plan_.extend = plan_.lambdas.empty();
    if (plan_.extend) plan_.lambdas = LambdasAround(UsableDefault(settings_.train, training));
    const LearnerChoice choice = training.Choose(settings_.train);
    if (settings_.limited) {
      for (std::size_t c = 0; c < plan_.candidates.size(); ++c)
        plan_.candidates[c].max_passes =
            MostPasses(c == 0 ? choice : task_.session(c).training->Choose(settings_.train));
    }
    if (flags_.quiet) return;
    if (choices()) {
      std::string names;
      for (const std::string& name : task_.candidates) names += (names.empty() ? "" : ", ") + name;
      std::fprintf(stderr, "choosing lambda and %s; candidates: %s\n", task_.candidate_key.c_str(),
                   names.c_str());
    }
    if (flags_.verbose) TellReason(choice);
    Describe(training, choice, RangeText(plan_.lambdas, settings_.folds));
    TellWarnings(training);
  }

  CvResult Validate(const std::atomic<int>* interrupt) {
    TerminalLine line(!flags_.quiet);
    plan_.observer = [&](const CvProgress& progress) {
      line.Show(std::to_string(progress.done) + " of " + std::to_string(progress.total) +
                " trainings done, about " + TimeText(progress.seconds_left) + " left");
    };
    CvResult result = CrossValidate(application_, plan_, interrupt);
    line.Clear();
    return result;
  }

  std::string Table(const CvResult& result) const {
    std::string text;
    if (choices()) Append(&text, "%10s", task_.candidate_key.c_str());
    Append(&text, "%12s", "lambda");
    for (const std::size_t f : task_.shown)
      Append(&text, " %18s", std::string(task_.figures[f].title).c_str());
    Append(&text, " %10s %8s %9s\n", "converged", "passes", "seconds");
    for (std::size_t k = 0; k < result.entries.size(); ++k) {
      const CvEntry& entry = result.entries[k];
      if (choices()) Append(&text, "%10s", task_.candidates[entry.candidate].c_str());
      Append(&text, "%12s", LambdaText(entry.lambda).c_str());
      for (const std::size_t f : task_.shown) {
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

  /// Prints notes on trainings that ended at a limit, and on a best λ at an end of the path.
  void TellLimits(const CvResult& result) const {
    for (const CvEntry& entry : result.entries) {
      const FoldTotals totals = entry.totals();
      const Index open = settings_.folds - totals.converged;
      if (open == 0) continue;
      std::string what =
          choices() ? task_.candidate_key + " " + task_.candidates[entry.candidate] + ", " : "";
      std::fprintf(
          stderr, "note: %slambda %s: %d of %d trainings ended at %s, with gaps up to %s %%%s\n",
          what.c_str(), LambdaText(entry.lambda).c_str(), static_cast<int>(open),
          static_cast<int>(settings_.folds),
          settings_.limited
              ? ("the limit of " + Count(plan_.candidates[entry.candidate].max_passes, "pass"))
                    .c_str()
              : "a limit",
          Number(100 * entry.widest_gap(), 2).c_str(),
          settings_.limited ? "; --max-passes allows more" : "");
    }
    if (!result.at_end()) return;
    const bool largest = result.edge == PathEdge::kLargest;
    std::fprintf(stderr,
                 "note: the best lambda is the %s of those tried: %s ones may be better%s\n",
                 largest ? "largest" : "smallest", largest ? "larger" : "smaller",
                 plan_.extend ? "" : "; without --lambda-path, cv tries further values by itself");
  }

  Json ResultJson(const CvResult& result) const {
    Json path = Json::array();
    for (const CvEntry& entry : result.entries) {
      Json json = Choice(entry);
      const FoldTotals totals = entry.totals();
      json.update({{"converged", totals.converged},
                   {"passes", totals.passes},
                   {"seconds", totals.seconds}});
      for (std::size_t f = 0; f < task_.figures.size(); ++f) {
        const std::vector<double> values = entry.figures(f);
        const Spread spread = SpreadOf(values);
        json[std::string(task_.figures[f].key)] = {
            {"mean", spread.mean}, {"deviation", spread.deviation}, {"folds", values}};
      }
      path.push_back(std::move(json));
    }
    const CvEntry& best = result.entries[result.best];
    const Spread spread = SpreadOf(best.figures(settings_.metric));
    Json chosen = Choice(best);
    chosen.update({{"mean", spread.mean}, {"deviation", spread.deviation}});
    Json json = {{"program", ProgramVersion()},
                 {"data", application_.source()},
                 {task_.key, application_.num_examples()},
                 {"folds", settings_.folds},
                 {"seed", settings_.train.seed},
                 {"metric", metric().key},
                 {"at_edge", result.at_end()}};
    json.update(task_.own);
    json["path"] = std::move(path);
    json["best"] = std::move(chosen);
    return json;
  }

  /// For example {"graph": "full", "lambda": 0.01}.
  Json Choice(const CvEntry& entry) const {
    Json json = Json::object();
    if (!task_.candidate_key.empty()) json[task_.candidate_key] = task_.candidates[entry.candidate];
    json["lambda"] = entry.lambda;
    return json;
  }

  CrossValidationRecord Record(const CvResult& result) const {
    CrossValidationRecord record;
    record.metric = metric().key;
    record.folds = settings_.folds;
    for (const CvEntry& entry : result.entries) {
      const Spread spread = SpreadOf(entry.figures(settings_.metric));
      record.points.push_back({choices() ? task_.candidates[entry.candidate] : std::string(),
                               entry.lambda, spread.mean, spread.deviation});
    }
    record.best = static_cast<Index>(result.best);
    return record;
  }

  /// Trains with the best λ. Returns false if interrupted. `session` is that of candidate 0.
  bool Refit(const CvResult& result, CompletedTask session, const std::atomic<int>* interrupt,
             Json* json) const {
    const CvEntry& best = result.entries[result.best];
    if (!flags_.quiet) {
      const std::string with =
          task_.candidate_key.empty()
              ? std::string()
              : task_.candidate_key + " " + task_.candidates[best.candidate] + " and ";
      std::fprintf(stderr, "training on %s with %slambda %s\n", task_.all.c_str(), with.c_str(),
                   LambdaText(best.lambda).c_str());
    }
    if (best.candidate != 0) {
      session = {};  // frees its data before the other candidate's data are read
      session = task_.session(best.candidate);
    }
    RefitOptions refit{settings_.train, flags_.model, flags_.quiet, flags_.compact, Record(result)};
    refit.train.lambda = best.lambda;
    refit.train.threads = settings_.threads;
    if (settings_.limited) refit.train.max_passes = TrainOptions().max_passes;
    return program::Refit(refit, interrupt, session, &(*json)["refit"]) !=
           Termination::kInterrupted;
  }

  const CvFlags& flags_;
  CvSettings settings_;
  const CvApplication& application_;
  const CvTask& task_;
  Ranks& ranks_ = ProcessRanks();
  CvPlan plan_;
};

}  // namespace

void CvFlags::Register(Command* app, const CvMetrics& metrics, const std::string& all,
                       std::span<const std::string_view> names) {
  metric = metrics.default_name;
  std::string choices;
  for (const FigureName& figure : metrics.figures)
    choices.append(choices.empty() ? "" : "|").append(figure.name);
  app->StartGroup(kTrainingGroup);
  AddTextOption(app, "lambda-path", &lambda_path, "L1,L2,...|FROM:TO:COUNT",
                "values of lambda to choose from: these, or COUNT values in a geometric sequence",
                "five around the default, or more");
  AddTextOption(app, "folds", &folds, "K", "number of folds, at least 2", "5");
  AddTextOption(app, "metric", &metric, choices, metrics.text, metrics.default_name);
  app->StartGroup(kOutputGroup);
  Option* model_option = AddTextOption(app, "model", &model, "OUT.slk",
                                       "where to write the final model, trained on " + all);
  app->AddFlag("--no-refit", &no_refit, "do not train a final model")->Excludes(model_option);
  AddCompactFlag(app, &compact);
  app->AddFlag("--json", &json, "write JSON, with all metrics, instead of a table");
  app->AddFlag("--quiet,-q", &quiet, "print only the result and errors");
  app->AddFlag("--verbose,-v", &verbose, "also say which learner was chosen, and why")
      ->SetAudience(Audience::kCommand);
  train.Register(app, names);
  train.Hide("lambda");
  train.SetDefaultText("threads", "0");
  train.SetDefaultText("max-passes", std::to_string(kMostPasses) + ", and " +
                                         std::to_string(kMostCheapPasses) +
                                         " for learners other than bcfw, in folds");
}

CvSettings CvFlags::Read(const CvMetrics& metrics, const std::vector<std::string>& inputs) const {
  CvSettings settings;
  settings.train = train.Read();
  if (train.Given("lambda"))
    throw DataError("--lambda: cv takes its values from --lambda-path here");
  if (!lambda_path.empty()) settings.lambdas = ReadLambdaPath(lambda_path);
  settings.folds = ReadCount("folds", folds, 2);
  std::vector<std::string_view> names;
  for (const FigureName& figure : metrics.figures) names.push_back(figure.name);
  settings.metric = CheckChoice("metric", metric, names);
  // Several processes of one machine share its processors.
  const Index threads = ProcessRanks().alone() ? 0 : 1;
  settings.threads = NumThreads(train.Given("threads") ? settings.train.threads : threads);
  settings.limited = !train.Given("max-passes") && !train.Given("time-limit");
  if (!no_refit) {
    if (model.empty()) throw DataError("--model: a file name is needed, or --no-refit");
    CheckOutput("model", model, inputs, false);
  }
  // Every process reads all data.
  if (!ProcessRanks().alone() && std::find(inputs.begin(), inputs.end(), "-") != inputs.end())
    ShareStandardInput(ProcessRanks());
  return settings;
}

int RunCv(const CvFlags& flags, CvSettings settings, const CvApplication& application,
          const CvTask& task) {
  return CvCommand(flags, std::move(settings), application, task).Run();
}

}  // namespace slackline::internal::program
