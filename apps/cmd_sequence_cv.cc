// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence cv
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <span>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/cmd_cv.h>
#include <slackline/apps/cmd_interrupt.h>
#include <slackline/apps/cmd_sequence.h>
#include <slackline/apps/cmd_sequence_common.h>
#include <slackline/apps/sequence_predict.h>
#include <slackline/apps/terminal_line.h>
#include <slackline/core/check.h>
#include <slackline/core/chunk_tags.h>
#include <slackline/learning/lambda_path.h>
#include <slackline/learning/path_trainer.h>

namespace slackline::program {
namespace {

constexpr const char* kDescription =
    "Chooses lambda by cross-validation over the sequences of DATA, then trains with it on all of them.\n"
    "The sequences are dealt out to K folds at random. For each fold, models are trained on the others for "
    "all values of "
    "lambda,\nfrom the largest to the smallest, each from the solution of the one before, and are tried on "
    "the fold.\nThe table has mean "
    "and standard deviation over the folds. Ctrl-C ends it early. Features are counted over all sequences.";

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline sequence cv letter.data.gz --only-folds 0 --lambda-path 0.1:0.0001:4 --model letters.slk\n"
    "  slackline sequence cv conll-train.txt.gz --lambda-path 1e-4,1e-5 --folds 3 --metric f1 --no-refit "
    "--json";

struct MetricChoice {
  std::string_view name;  ///< on the command line
  std::string_view key;   ///< in JSON
  const char* title;      ///< in the table
  double (*value)(const SequenceMetrics&);
  bool smaller_is_better = false;
};
constexpr MetricChoice kMetrics[] = {
    {"token", "token_accuracy", "token accuracy", [](const SequenceMetrics& m) { return m.token_accuracy; }},
    {"sequence", "sequence_accuracy", "sequence accuracy",
     [](const SequenceMetrics& m) { return m.sequence_accuracy; }},
    {"hamming", "hamming_loss", "Hamming loss", [](const SequenceMetrics& m) { return m.hamming_loss; },
     true},
    {"f1", "f1", "chunk F1", [](const SequenceMetrics& m) { return m.chunks.f1; }}};

struct CvCommand {
  SequenceFlags sequence;
  CvFlags cv;
};

CvMetrics Metrics() {
  CvMetrics metrics;
  for (const MetricChoice& metric : kMetrics) metrics.names.push_back(metric.name);
  metrics.text =
      "what to choose by: accuracy of tokens or of sequences, Hamming loss (the smaller the better), or F1 "
      "of chunks. Of equal "
      "values, the largest lambda is chosen";
  metrics.default_name = "token";
  return metrics;
}

struct Settings {
  TrainOptions train;
  CvSettings cv;
  const MetricChoice* metric = nullptr;
  std::span<const MetricChoice> shown{kMetrics};  ///< those that the data have
};

Settings ReadSettings(const CvCommand& command) {
  Settings settings;
  command.sequence.Read();
  settings.train = command.cv.train.Read();
  settings.cv = command.cv.Read(Metrics(), command.sequence.inputs());
  settings.metric = &kMetrics[settings.cv.metric];
  return settings;
}

/// One λ in all folds.
struct Entry {
  std::vector<SequenceMetrics> folds;
  FoldTotals totals;

  std::vector<double> figures(const MetricChoice& metric) const {
    std::vector<double> values;
    for (const SequenceMetrics& fold : folds) values.push_back(metric.value(fold));
    return values;
  }
};

/// One fold: what is trained on, and what it is tried on.
class Fold {
 public:
  Fold(const SequenceTask& task, const Settings& settings, const std::vector<std::vector<Index>>& folds,
       std::size_t number)
      : task_(task), model_(task.model), name_(FoldName(number, folds.size())) {
    const auto sequence = [&](Index j) { return task.input.sequences[static_cast<std::size_t>(j)]; };
    for (const Index j : folds[number]) held_out_.push_back(sequence(j));
    std::vector<Index> others;
    for (const Index j : ExamplesOutside(folds, number)) others.push_back(sequence(j));
    std::sort(others.begin(), others.end());
    problem_.emplace(MakeSequenceProblem(task, others, "no sequence outside of " + name_)
                         .WithLambda(settings.cv.lambdas.front()));
    trainer_.emplace(*problem_, settings.train);
    train_ = settings.train;
    predict_.threads = settings.train.threads;
  }

  /// Values of λ in their order. False when it was interrupted.
  bool Run(double lambda, const std::atomic<int>* interrupt, Entry* entry) {
    const TrainSummary summary = trainer_->Train(lambda, interrupt);
    if (summary.termination == Termination::kInterrupted) return false;
    model_.SetTrained(*problem_, train_, summary.weights);
    const SequencePredictions predictions = PredictSequences(model_, task_.input.data, held_out_, predict_);
    const SequenceMetrics metrics = EvaluateSequences(task_.input.data, held_out_, predictions.labels);
    if (metrics.tokens == 0)
      throw DataError(task_.input.data.source, 0, name_ + " has no known label to compare predictions with");
    entry->folds.push_back(metrics);
    entry->totals.Add(summary.last, summary.termination);
    return true;
  }

 private:
  const SequenceTask& task_;
  SequenceModel model_;
  std::string name_;
  std::vector<Index> held_out_;
  SequencePredictOptions predict_;
  TrainOptions train_;
  std::optional<Problem> problem_;
  std::optional<PathTrainer> trainer_;
};

/// All entries, or nothing when it was interrupted.
std::optional<std::vector<Entry>> CrossValidate(const SequenceTask& task, const Settings& settings,
                                                const std::atomic<int>* interrupt, bool show) {
  const auto folds = MakeFolds(static_cast<Index>(task.input.sequences.size()), settings.cv.folds,
                               static_cast<std::uint64_t>(settings.train.seed));
  TerminalLine line(show);
  std::vector<Entry> entries(settings.cv.lambdas.size());
  for (std::size_t f = 0; f < folds.size(); ++f) {
    Fold fold(task, settings, folds, f);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (!fold.Run(settings.cv.lambdas[k], interrupt, &entries[k])) {
        line.Clear();
        return std::nullopt;
      }
      line.Show(FoldName(f, folds.size()) + ", lambda " + LambdaText(settings.cv.lambdas[k]) + " done");
    }
  }
  line.Clear();
  return entries;
}

/// Chunks are for labels that mark them.
void ChooseMetrics(const SequenceTask& task, Settings* settings) {
  if (LooksLikeChunks(task.model.label_names())) return;
  settings->shown = settings->shown.first(std::size(kMetrics) - 1);
  if (settings->cv.metric == settings->shown.size())
    throw DataError("--metric: f1 is of chunks, but the labels of " + task.input.data.source + " mark none");
}

std::size_t BestEntry(const std::vector<Entry>& entries, const MetricChoice& metric) {
  std::vector<double> means;
  for (const Entry& entry : entries)
    means.push_back((metric.smaller_is_better ? -1 : 1) * SpreadOf(entry.figures(metric)).mean);
  return BestMean(means);
}

std::string Table(const Settings& settings, const std::vector<Entry>& entries, std::size_t best) {
  std::string text;
  Append(&text, "%12s", "lambda");
  for (const MetricChoice& metric : settings.shown) Append(&text, " %18s", metric.title);
  AppendTotalsHead(&text);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    Append(&text, "%12s", LambdaText(settings.cv.lambdas[k]).c_str());
    for (const MetricChoice& metric : settings.shown) {
      const Spread spread = SpreadOf(entries[k].figures(metric));
      Append(&text, " %8.4f +- %6.4f", spread.mean, spread.deviation);
    }
    AppendTotals(entries[k].totals, settings.cv, k == best, &text);
  }
  return text;
}

Json ResultJson(const CvCommand& command, const Settings& settings, const SequenceTask& task,
                const std::vector<Entry>& entries, std::size_t best) {
  Json path = Json::array();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    Json entry = {{"lambda", settings.cv.lambdas[k]}};
    AddTotals(entries[k].totals, &entry);
    for (const MetricChoice& metric : settings.shown)
      entry[std::string(metric.key)] = SpreadJson(entries[k].figures(metric));
    path.push_back(std::move(entry));
  }
  const Spread spread = SpreadOf(entries[best].figures(*settings.metric));
  return {{"program", ProgramVersion()},
          {"data", task.input.data.source},
          {"sequences", task.input.sequences.size()},
          {"folds", settings.cv.folds},
          {"seed", settings.train.seed},
          {"metric", settings.metric->key},
          {"loss", command.sequence.loss},
          {"constraints", Name(task.model.constraints())},
          {"path", std::move(path)},
          {"best",
           {{"lambda", settings.cv.lambdas[best]}, {"mean", spread.mean}, {"deviation", spread.deviation}}}};
}

int Run(const CvCommand& command) {
  Settings settings = ReadSettings(command);
  SequenceTask task = LoadSequenceTask(command.sequence, settings.train.learner);
  command.cv.CheckFolds(settings.cv, task.input.data.source, static_cast<Index>(task.input.sequences.size()),
                        "sequence");
  ChooseMetrics(task, &settings);
  SequenceSession session(command.sequence, &task);
  if (!command.cv.quiet)
    session.Describe(ChooseLearner(session.problem(), settings.train), settings.cv.LambdaRange());
  const std::atomic<int>* interrupt = CatchInterrupts();
  const auto entries = CrossValidate(task, settings, interrupt, !command.cv.quiet);
  if (!entries) return command.cv.NothingChosen(interrupt);
  const std::size_t best = BestEntry(*entries, *settings.metric);
  const double lambda = settings.cv.lambdas[best];
  if (!command.cv.json) WriteOutput("-", Table(settings, *entries, best));
  Json json = ResultJson(command, settings, task, *entries, best);
  const bool finished = command.cv.no_refit ||
                        command.cv.RefitBest(settings.train, lambda,
                                             "training on all sequences with lambda " + LambdaText(lambda),
                                             interrupt, &session, &json);
  if (command.cv.json) WriteOutput("-", JsonText(json));
  return finished ? 0 : 128 + interrupt->load();
}

}  // namespace

void AddSequenceCv(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<CvCommand>();
  CLI::App* app = parent->add_subcommand("cv", kDescription);
  command->sequence.Register(app, "only-folds");
  command->cv.Register(app, Metrics(), "all sequences");
  app->footer(kExamples);
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::program
