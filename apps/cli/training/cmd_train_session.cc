// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/training/cmd_train_session.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/training/cmd_train_report.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/run/lambda_path.h>

namespace slackline::internal::program {
namespace {

/// Inserts λ before the ending: m.slk becomes m-0.01.slk.
std::string PathModelName(const std::string& model, double lambda) {
  constexpr std::string_view kEnding = ".slk";
  std::string name = model;
  if (name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
  name.append("-").append(LambdaText(lambda));
  return model.ends_with(kEnding) ? name.append(kEnding) : name;
}

/// A model with a larger relative gap causes a warning.
constexpr double kWideGap = 0.1;

/// A λ that is smaller than the default by more than this factor causes a note before training.
constexpr double kFarBelowDefault = 100;

/// Examples of a shard below which a note is printed: 64 shards of Yeast (1500 examples) train ten
/// times slower than one.
constexpr int kFewExamplesOfShard = 24;

/// Exit code when --verify finds a certificate that does not hold.
constexpr int kCertificateFails = 1;

/// The number of shards for a command that does not say it: that of the checkpoint that it resumes,
/// or 0, which leaves the choice to the program, where it asks for several threads. (--threads 0,
/// all processors, does not count: results must not depend on the machine.)
Index UnsaidShards(const std::optional<Checkpoint>& resumed, const TrainOptions& train) {
  if ((SetOf(train.learner) & ReadersOfShards()) == 0 && train.learner != LearnerKind::kAuto)
    return train.shards;
  if (resumed) {
    const std::string saved = SavedOption(*resumed, "shards");
    return saved.empty() ? train.shards : ReadCount("shards", saved, 0);
  }
  const bool chosen = train.threads > 1 && RanksOf(train).alone();
  return chosen ? 0 : train.shards;
}

/// Prints in how many shards several processes train, or how many the program has chosen.
void TellShards(const TrainOptions& options) {
  if (const Ranks& ranks = RanksOf(options); !ranks.alone()) {
    std::fprintf(stderr, "shards: %d on %d processes\n", options.shards, ranks.size());
  } else if (options.shards > 1) {
    std::fprintf(stderr,
                 "shards: %d on %d threads; the model depends on the shards (--shards 1: one chain "
                 "of steps)\n",
                 options.shards, NumThreads(options.threads));
  } else {
    std::fprintf(stderr, "shards: 1, since one chain of steps is faster here\n");
  }
}

/// The first object of the log, with the entries common to all applications.
Json StartJson(const TrainingRecord& record, const LearnerChoice& choice) {
  Json options = Json::object();
  for (const auto& [name, value] : record.options) options[name] = value;
  return {{"program", record.program},
          {"data", record.data},
          {"examples", record.num_examples},
          {"lambda", record.lambda},
          {"cost_per_variable", record.cost_per_variable},
          {"choice", choice.reason},
          {"processes", RanksOf(choice.options).size()},
          {"options", std::move(options)}};
}

/// The figures of one λ in the table of a path; checkpoints store them too.
struct PathRow {
  double lambda = 0, primal = 0, relative_gap = 0, passes = 0, seconds = 0;
};
constexpr std::size_t kRowFigures = 5;

void PrintRow(const PathRow& row) {
  std::fprintf(stderr, "%12s %14s %10s %9.0f %10.2f\n", LambdaText(row.lambda).c_str(),
               Number(row.primal, 7).c_str(), Number(100 * row.relative_gap, 3).c_str(), row.passes,
               row.seconds);
}

/// The run of a command after its input has been checked: one training per λ.
class Session {
 public:
  /// settings: without the checkpoint.
  Session(const SessionFlags& flags, const SessionSettings& settings,
          std::optional<Checkpoint> resumed, TrainTask* task, const Completion& complete)
      : flags_(flags),
        settings_(settings),
        task_(*task),
        complete_(complete),
        verify_(flags.verify),
        keeper_(flags.checkpoint, std::move(resumed), Context(), RanksOf(settings.train)),
        figures_(keeper_.figures()),
        report_(!flags.quiet) {
    first_ = keeper_.stage();
    if (first_ >= settings.lambdas.size() || figures_.size() != first_ * kRowFigures) {
      throw DataError("--resume: " + flags.checkpoint.resume +
                      " belongs to another run: --lambda-path differs");
    }
    const bool alone = !keeper_.wanted() && settings.lambdas.size() == 1;
    TrainOptions first = settings_.train;
    first.lambda = settings_.lambdas[first_];
    trainer_ = task_.MakeTrainer(first, alone ? first.time_limit_seconds : 0);
    Prepare(first_);
  }

  int Run() {
    if (!flags_.quiet) Announce();
    if (!flags_.log.empty()) OnFirstRank([&] { report_.OpenLog(flags_.log); });
    const std::atomic<int>* interrupt = CatchInterrupts();
    bool interrupted = false;
    for (std::size_t k = first_; k < settings_.lambdas.size() && !interrupted; ++k) {
      if (k > first_) {
        trainer_->MoveTo(settings_.lambdas[k]);
        Prepare(k);
      }
      interrupted = TrainOne(k, interrupt) == Termination::kInterrupted;
      // An interrupt during the verification of a certificate also ends the path.
      interrupted =
          interrupted || (ranks().Any(interrupt->load() != 0) && k + 1 < settings_.lambdas.size());
    }
    keeper_.CheckWritten();
    if (verify_.failed()) return kCertificateFails;
    return interrupted ? 128 + static_cast<int>(ranks().MaxOf(interrupt->load())) : 0;
  }

 private:
  TrainingRecord& record() { return *task_.record(); }
  Ranks& ranks() const { return RanksOf(settings_.train); }

  /// What must match in a resumed run besides problem and options.
  Fingerprint Context() const {
    Fingerprint context = task_.Context();
    std::string path;
    for (const double lambda : settings_.lambdas)
      path += (path.empty() ? "" : ",") + LambdaText(lambda);
    context.push_back({"--lambda-path", settings_.path() ? path : "none"});
    return context;
  }

  const LearnerChoice& choice() const { return trainer_->choice(); }

  /// Reads what a checkpoint has for λ number k, and makes the learner.
  void Prepare(std::size_t k) {
    plan_ = keeper_.Begin([&] { return trainer_->fingerprint(); }, static_cast<std::int64_t>(k),
                          figures_);
    Learner& learner = trainer_->learner();
    if (verify_.wanted()) learner.traits().dual_point->KeepDualPoint();
  }

  void Announce() const {
    if (flags_.verbose) TellReason(choice());
    if (settings_.open_shards || !RanksOf(choice().options).alone()) TellShards(choice().options);
    std::string lambda = Number(settings_.lambdas[0]);
    const CostScales& scales = task_.Scales(settings_.train);
    if (settings_.path()) {
      lambda += " to " + Number(settings_.lambdas.back()) + " (" +
                Count(static_cast<Offset>(settings_.lambdas.size()), "value") + ")";
    } else {
      lambda += std::string(" (") + (settings_.default_lambda ? "default; " : "") + "C " +
                Number(scales.CostPerVariable(settings_.lambdas[0]), 3) + " per " +
                std::string(task_.VariableNoun()) + ")";
    }
    Describe(task_, choice(), lambda);
    WarnOfSlowness(scales);
    if (!plan_.resume.empty())
      std::fprintf(stderr, "resumed from %s\n", flags_.checkpoint.resume.c_str());
    if (!settings_.path()) return;
    std::fprintf(stderr, "%12s %14s %10s %9s %10s\n", "lambda", "objective", "gap %", "passes",
                 "seconds");
    for (std::size_t r = 0; r < figures_.size(); r += kRowFigures) {
      PrintRow({figures_[r], figures_[r + 1], figures_[r + 2], figures_[r + 3], figures_[r + 4]});
    }
  }

  /// Prints notes on causes of slow training.
  void WarnOfSlowness(const CostScales& scales) const {
    const double smallest = *std::min_element(settings_.lambdas.begin(), settings_.lambdas.end());
    const double usual = task_.DefaultLambda(settings_.train);
    if (smallest < usual / kFarBelowDefault) {
      std::fprintf(stderr,
                   "note: lambda %s is %s times smaller than the default for these data, %s (C %s "
                   "per %s): training may take many passes\n",
                   Number(smallest, 3).c_str(), Number(usual / smallest, 2).c_str(),
                   Number(usual, 3).c_str(), Number(scales.CostPerVariable(usual), 3).c_str(),
                   std::string(task_.VariableNoun()).c_str());
    }
    const Offset shards = choice().options.shards;
    const Offset examples = task_.TotalExamples(choice().options);
    if (shards > 1 && examples < kFewExamplesOfShard * shards) {
      std::fprintf(stderr,
                   "note: %s in %s: shards of fewer than %d spend most of their time on exchanges; "
                   "fewer shards train faster\n",
                   Count(examples, "example").c_str(), Count(shards, "shard").c_str(),
                   kFewExamplesOfShard);
    }
    TellWarnings(task_);
  }

  Termination TrainOne(std::size_t k, const std::atomic<int>* interrupt) {
    task_.Begin(trainer_->lambda(), choice().options);
    Json start = StartJson(record(), choice());
    start.update(EntriesJson(task_.StartEntries()));
    if (UsesKernel(choice().options)) start["kernel"] = task_.KernelText(choice().options);
    if (!plan_.resume.empty()) start["resumed"] = flags_.checkpoint.resume;
    report_.Begin(start);
    const TrainSummary summary = trainer_->Run(&report_, interrupt, plan_);
    report_.ClearLine();
    record().curve = report_.curve();
    record().single_precision = flags_.compact;
    task_.Finish(summary);
    OnFirstRank([&] { task_.Save(settings_.models[k]); });
    if (complete_) complete_(summary, settings_.models[k]);
    if (verify_.wanted())
      verify_.Run(*trainer_->problem(), choice().options, summary, trainer_->learner(),
                  settings_.models[k], flags_.quiet, interrupt);
    OnAllRanks(ranks(), [&] { report_.End(summary, verify_.Figures()); });
    const PathRow row{settings_.lambdas[k], summary.last.primal, summary.last.relative_gap,
                      static_cast<double>(summary.last.pass),
                      summary.last.seconds + summary.last.check_seconds};
    figures_.insert(figures_.end(),
                    {row.lambda, row.primal, row.relative_gap, row.passes, row.seconds});
    if (!flags_.quiet) Tell(k, row, summary);
    WarnOfGap(choice().options, summary, settings_.models[k]);
    verify_.Tell(settings_.models[k], flags_.quiet);
    return summary.termination;
  }

  void Tell(std::size_t k, const PathRow& row, const TrainSummary& summary) const {
    if (!settings_.path()) {
      DescribeResult(choice().options, summary);
      DescribeModel(summary, settings_.models[k]);
      return;
    }
    PrintRow(row);
    if (summary.termination == Termination::kInterrupted) {
      std::fprintf(stderr, "interrupted: %s\n", summary.message.c_str());
      DescribeModel(summary, settings_.models[k]);
    } else if (k + 1 == settings_.lambdas.size()) {
      std::fprintf(stderr, "models written to %s ... %s\n", settings_.models.front().c_str(),
                   settings_.models.back().c_str());
    }
  }

  const SessionFlags& flags_;
  const SessionSettings& settings_;
  TrainTask& task_;
  const Completion& complete_;
  CertificateCheck verify_;
  CheckpointKeeper keeper_;
  std::vector<double> figures_;  // of the completed values of λ
  TrainReport report_;
  std::size_t first_ = 0;
  std::unique_ptr<Trainer> trainer_;
  CheckpointPlan plan_;
};

}  // namespace

void WarnOfGap(const TrainOptions& options, const TrainSummary& summary, const std::string& path) {
  const double gap = summary.last.relative_gap;
  if (summary.termination == Termination::kConverged || gap <= kWideGap) return;
  const std::string wide = std::isnan(gap)
                               ? "no gap is certified"
                               : "the certified gap is still " + Number(100 * gap, 3) + " %";
  std::fprintf(
      stderr,
      "WARNING: %s: %s, and at most %s %% was wanted; the model may be far from the best one\n",
      path.c_str(), wide.c_str(), Number(100 * options.gap_tolerance, 3).c_str());
}

void TellReason(const LearnerChoice& choice) {
  if (!choice.reason.empty()) std::fprintf(stderr, "learner: %s\n", choice.reason.c_str());
}

void TellWarnings(const TrainTask& task) {
  for (const std::string& warning : task.Warnings())
    std::fprintf(stderr, "note: %s\n", warning.c_str());
}

void AddCompactFlag(Command* app, bool* compact) {
  app->AddFlag("--compact", compact,
               "store the weights in single precision: the file has half the size,\n"
               "and each weight changes by less than a ten-millionth of its value")
      ->SetAudience(Audience::kTraining);
}

void SessionFlags::Register(Command* app, std::span<const std::string_view> names) {
  app->StartGroup(kOutputGroup);
  AddTextOption(app, "model", &model, "OUT.slk", "where to write the model")->Required();
  app->StartGroup(kTrainingGroup);
  Option* c_option =
      AddTextOption(app, "C", &c, "C", "instead of --lambda: λ = 1/(C·M) with M examples")
          ->SetAudience(Audience::kCommand);
  Option* path = AddTextOption(
      app, "lambda-path", &lambda_path, "L1,L2,...|FROM:TO:COUNT",
      "instead of --lambda: train with these values, or COUNT values in a geometric sequence, and "
      "write the models to OUT-<lambda>.slk");
  app->StartGroup(kOutputGroup);
  AddTextOption(app, "log", &log, "RUN.jsonl",
                "write a JSON object per check; - is the standard output");
  app->AddFlag("--quiet,-q", &quiet, "print only errors");
  app->AddFlag("--verbose,-v", &verbose, "also say which learner was chosen, and why")
      ->SetAudience(Audience::kCommand);
  AddCompactFlag(app, &compact);
  if (names.empty()) verify.Register(app);
  checkpoint.Register(app);
  train.Register(app, names);
  c_option->Excludes("lambda");
  path->Excludes("lambda")->Excludes(c_option);
}

SessionSettings ReadSession(const SessionFlags& flags, const std::vector<std::string>& inputs) {
  SessionSettings settings;
  settings.train = flags.train.Read();
  if (!flags.checkpoint.file.empty()) RequireState(settings.train.learner, "--checkpoint");
  if (!flags.checkpoint.resume.empty()) RequireState(settings.train.learner, "--resume");
  if (!ProcessRanks().alone()) settings.train.ranks = &ProcessRanks();
  if (!flags.c.empty()) settings.c = ReadReal("C", flags.c, true);
  settings.models = {flags.model};
  if (!flags.lambda_path.empty()) {
    settings.lambdas = ReadLambdaPath(flags.lambda_path);
    if (settings.path() && !flags.model.empty()) {
      settings.models.clear();
      for (const double lambda : settings.lambdas)
        settings.models.push_back(PathModelName(flags.model, lambda));
    }
  }
  std::vector<std::string> others = inputs;
  if (!flags.checkpoint.resume.empty()) others.push_back(flags.checkpoint.resume);
  for (const std::string& model : settings.models) CheckOutput("model", model, others, false);
  others.insert(others.end(), settings.models.begin(), settings.models.end());
  if (!flags.log.empty()) CheckOutput("log", flags.log, others, true);
  // A resumed run may write to the checkpoint that it reads.
  others = inputs;
  others.insert(others.end(), settings.models.begin(), settings.models.end());
  if (!flags.log.empty()) others.push_back(flags.log);
  flags.checkpoint.Check(others);
  settings.resumed = flags.checkpoint.Resumed(RanksOf(settings.train));
  if (!flags.train.Given("shards"))
    settings.train.shards = UnsaidShards(settings.resumed, settings.train);
  settings.open_shards = settings.train.shards == 0 && RanksOf(settings.train).alone();
  return settings;
}

std::vector<double> ReadLambdaPath(const std::string& text) {
  return ForOption("lambda-path", [&] { return ParseLambdaPath(text); });
}

void RefuseKernels(const TrainOptions& options, const std::string& task) {
  if (!UsesKernel(options)) return;
  throw DataError(
      "--kernel, and --learner kernel-bcfw and kernel-fw, are for multi-label models, "
      "classes and sequences: models of " +
      task + " cannot store support vectors");
}

int RunSession(const SessionFlags& flags, SessionSettings settings, TrainTask* task,
               const Completion& complete) {
  SetOpenShards(*task, &settings.train);
  if (settings.lambdas.empty()) {
    settings.lambdas = {ChooseLambda(settings.train, settings.c, *task)};
    settings.default_lambda = settings.train.lambda == 0 && settings.c == 0;
  }
  std::optional<Checkpoint> resumed = std::exchange(settings.resumed, std::nullopt);
  return Session(flags, settings, std::move(resumed), task, complete).Run();
}

Termination Refit(const RefitOptions& options, const std::atomic<int>* interrupt,
                  const CompletedTask& task, Json* figures) {
  TrainReport report(!options.quiet);
  const TrainedRun run = TrainModel(options.train, &report, interrupt, task.training.get());
  const TrainSummary& summary = run.summary;
  report.ClearLine();
  TrainingRecord& record = *task.training->record();
  record.cross_validation = options.cross_validation;
  record.single_precision = options.compact;
  task.training->Save(options.model);
  if (task.complete) task.complete(summary, options.model);
  if (!options.quiet) {
    DescribeResult(run.choice.options, summary);
    DescribeModel(summary, options.model);
  }
  WarnOfGap(run.choice.options, summary, options.model);
  *figures = {{"model", options.model},
              {"primal", summary.last.primal},
              {"dual", summary.last.dual},
              {"termination", Name(summary.termination)}};
  return summary.termination;
}

void Describe(const TrainTask& task, const LearnerChoice& choice, const std::string& lambda) {
  for (const std::string& line : task.DataLines()) {
    if (!line.empty()) std::fprintf(stderr, "%s\n", line.c_str());
  }
  std::string model = task.ModelText();
  if (UsesKernel(choice.options)) model += ", kernel " + task.KernelText(choice.options);
  // Only a learner that the user has named is shown; --verbose shows one that was chosen.
  const std::string by =
      choice.reason.empty() ? " by " + std::string(Name(choice.options.learner)) : "";
  std::fprintf(stderr, "training%s: lambda %s, %s; ends at a certified gap of %s %%\n", by.c_str(),
               lambda.c_str(), model.c_str(),
               Number(100 * choice.options.gap_tolerance, 3).c_str());
}

Json EntriesJson(const TaskEntries& entries) {
  Json json = Json::object();
  for (const auto& [name, entry] : entries)
    std::visit([&, &key = name](const auto& value) { json[key] = value; }, entry);
  return json;
}

void DescribeResult(const TrainOptions& options, const TrainSummary& summary) {
  const ProgressRecord& last = summary.last;
  for (const std::string& note : summary.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  std::fprintf(stderr, "%s: %s\n", std::string(Name(summary.termination)).c_str(),
               summary.message.c_str());
  std::fprintf(stderr,
               "objective %s; the optimum of the %s problem is certified to lie between %s and %s "
               "(relative gap %s %%)\n",
               Number(last.primal, 7).c_str(),
               last.problem == CertifiedProblem::kExact ? "exact" : "LP-relaxed",
               Number(last.dual, 7).c_str(), Number(last.primal, 7).c_str(),
               Number(100 * last.relative_gap, 3).c_str());
  if (options.learner == LearnerKind::kSoft) {
    std::fprintf(stderr,
                 "soft objective %s, soft gap %s (rho %s); the certified gap stays open: soft "
                 "constraints solve a softer problem\n",
                 Number(last.soft_primal, 7).c_str(), Number(last.soft_gap, 3).c_str(),
                 Number(last.rho, 4).c_str());
  }
  if (options.l1 > 0) {
    const auto zeros = std::count(summary.weights.begin(), summary.weights.end(), 0.0);
    const auto size = static_cast<std::ptrdiff_t>(summary.weights.size());
    std::fprintf(stderr, "%td of %s not zero\n", size - zeros,
                 Count(static_cast<Offset>(size), "weight").c_str());
  }
  std::fprintf(stderr, "%s, %s s of training and %s s of checks\n",
               Count(last.pass, "pass").c_str(), Number(last.seconds, 3).c_str(),
               Number(last.check_seconds, 3).c_str());
}

void DescribeModel(const TrainSummary& summary, const std::string& path) {
  const char* best =
      summary.termination == Termination::kInterrupted ? "best model so far" : "model";
  std::fprintf(stderr, "%s written to %s\n", best, path.c_str());
}

}  // namespace slackline::internal::program
