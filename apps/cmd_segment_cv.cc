// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment cv
#ifdef SLACKLINE_WITH_VISION
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/cmd_cv.h>
#include <slackline/apps/cmd_interrupt.h>
#include <slackline/apps/cmd_segment.h>
#include <slackline/apps/cmd_segment_common.h>
#include <slackline/apps/terminal_line.h>
#include <slackline/core/check.h>
#include <slackline/learning/lambda_path.h>
#include <slackline/learning/path_trainer.h>

namespace slackline::program {
namespace {

constexpr const char* kDescription =
    "Chooses lambda, and the loss if --loss is both, by cross-validation over the training images of "
    "FEATURES; then trains on all of them.\n"
    "The images are dealt out to K folds at random. For each fold, models are trained on the others for all "
    "values of lambda,\n"
    "from the largest to the smallest, each from the solution of the one before, and are tried on the fold, "
    "in pixels.\n"
    "The table has mean and standard deviation over the folds. Ctrl-C ends it early.";

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline segment cv pets.fea --lambda-path 0.1:0.0001:7 --model pets.slk\n"
    "  slackline segment cv pets.fea --lambda-path 0.01,0.001 --loss both --metric class --no-refit --json";

struct MetricChoice {
  std::string_view name;
  double SegmentMetrics::*member;
};
constexpr MetricChoice kMetrics[] = {{"pixel", &SegmentMetrics::pixel_accuracy},
                                     {"class", &SegmentMetrics::class_average},
                                     {"iou", &SegmentMetrics::mean_iou}};

struct CvCommand {
  SegmentFlags segment;
  CvFlags cv;
};

CvMetrics Metrics() {
  CvMetrics metrics;
  for (const MetricChoice& metric : kMetrics) metrics.names.push_back(metric.name);
  metrics.text =
      "what to choose by: pixel accuracy, class average or mean IoU. Of equal values, the largest "
      "lambda is chosen";
  metrics.default_name = "pixel";
  return metrics;
}

struct Settings {
  TrainOptions train;
  CvSettings cv;
  std::vector<SegmentLoss> losses;
  const MetricChoice* metric = nullptr;
};

Settings ReadSettings(const CvCommand& command) {
  Settings settings;
  SegmentFlags flags = command.segment;
  const bool both = flags.loss == "both";
  if (both) flags.loss = Name(SegmentLoss::kPixels);
  flags.Check();
  settings.losses = {flags.ReadLoss()};
  if (both) settings.losses.push_back(SegmentLoss::kBalanced);
  settings.train = command.cv.train.Read();
  RefuseKernels(settings.train, "images");
  settings.cv = command.cv.Read(Metrics(), command.segment.inputs());
  settings.metric = &kMetrics[settings.cv.metric];
  return settings;
}

/// One loss and one λ in all folds.
struct Entry {
  SegmentLoss loss;
  double lambda;
  std::vector<SegmentMetrics> folds;
  FoldTotals totals;

  std::vector<double> figures(const MetricChoice& metric) const {
    std::vector<double> values;
    for (const SegmentMetrics& fold : folds) values.push_back(fold.*metric.member);
    return values;
  }
};

/// One fold of one loss: what is trained on, and what it is tried on.
class Fold {
 public:
  Fold(const SegmentTask& task, const Settings& settings, SegmentLoss loss,
       const std::vector<std::vector<Index>>& folds, std::size_t number)
      : task_(task), model_(task.model), held_out_(folds[number]) {
    trainer_.emplace(MakeFoldProblem(task, loss, folds, number).WithLambda(settings.cv.lambdas.front()),
                     settings.train);
  }

  /// Values of λ in their order. False when it was interrupted.
  bool Run(const std::atomic<int>* interrupt, Entry* entry) {
    const TrainSummary summary = trainer_->Train(entry->lambda, interrupt);
    if (summary.termination == Termination::kInterrupted) return false;
    model_.set_weights(summary.weights);
    ConfusionMatrix confusion(model_.num_classes());
    for (const Index m : held_out_) {
      const SegmentExample& example = task_.data.examples[static_cast<std::size_t>(m)];
      const SegmentPrediction prediction =
          PredictSegments(model_, example, task_.data.rows, DecodeKind::kAuto);
      AddPixels(example, prediction.fine, &confusion);
    }
    const auto counts = confusion.counts();
    if (std::all_of(counts.begin(), counts.end(), [](std::int64_t n) { return n == 0; }))
      throw DataError(task_.data.source, 0, "a fold has no labels to compare with");
    entry->folds.push_back(ComputeSegmentMetrics(confusion));
    entry->totals.Add(summary.last, summary.termination);
    return true;
  }

 private:
  const SegmentTask& task_;
  SegmentModel model_;
  std::vector<Index> held_out_;
  std::optional<PathTrainer> trainer_;
};

/// All entries, or nothing when it was interrupted.
std::optional<std::vector<Entry>> CrossValidate(const SegmentTask& task, const Settings& settings,
                                                const std::atomic<int>* interrupt, bool show) {
  const auto folds = MakeFolds(static_cast<Index>(task.data.examples.size()), settings.cv.folds,
                               static_cast<std::uint64_t>(settings.train.seed));
  TerminalLine line(show);
  std::vector<Entry> entries;
  for (const SegmentLoss loss : settings.losses) {
    const std::size_t first = entries.size();
    for (const double lambda : settings.cv.lambdas) entries.push_back({loss, lambda, {}, {}});
    for (std::size_t f = 0; f < folds.size(); ++f) {
      Fold fold(task, settings, loss, folds, f);
      for (std::size_t k = 0; k < settings.cv.lambdas.size(); ++k) {
        if (!fold.Run(interrupt, &entries[first + k])) {
          line.Clear();
          return std::nullopt;
        }
        line.Show("loss " + std::string(Name(loss)) + ", " + FoldName(f, folds.size()) + ", lambda " +
                  LambdaText(settings.cv.lambdas[k]) + " done");
      }
    }
  }
  line.Clear();
  return entries;
}

std::size_t BestEntry(const std::vector<Entry>& entries, const MetricChoice& metric) {
  std::vector<double> means;
  for (const Entry& entry : entries) means.push_back(SpreadOf(entry.figures(metric)).mean);
  return BestMean(means);
}

std::string Table(const Settings& settings, const std::vector<Entry>& entries, std::size_t best) {
  std::string text;
  Append(&text, "%10s %12s %16s %16s %16s", "loss", "lambda", "pixel accuracy", "class average", "mean IoU");
  AppendTotalsHead(&text);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Entry& entry = entries[k];
    Append(&text, "%10s %12s", std::string(Name(entry.loss)).c_str(), LambdaText(entry.lambda).c_str());
    for (const MetricChoice& metric : kMetrics) {
      const Spread spread = SpreadOf(entry.figures(metric));
      Append(&text, " %8.2f +- %4.2f", 100 * spread.mean, 100 * spread.deviation);
    }
    AppendTotals(entry.totals, settings.cv, k == best, &text);
  }
  return text;
}

Json ResultJson(const CvCommand& command, const Settings& settings, const SegmentTask& task,
                const std::vector<Entry>& entries, std::size_t best) {
  Json path = Json::array();
  for (const Entry& entry : entries) {
    Json json = {{"loss", Name(entry.loss)}, {"lambda", entry.lambda}};
    AddTotals(entry.totals, &json);
    for (const MetricChoice& metric : kMetrics)
      json[std::string(metric.name)] = SpreadJson(entry.figures(metric));
    path.push_back(std::move(json));
  }
  return {{"program", ProgramVersion()},
          {"data", task.data.source},
          {"images", task.data.examples.size()},
          {"folds", settings.cv.folds},
          {"seed", settings.train.seed},
          {"metric", settings.metric->name},
          {"layers", command.segment.layers},
          {"pairwise", Name(task.model.pairwise())},
          {"regions", command.segment.regions},
          {"path", std::move(path)},
          {"best", {{"loss", Name(entries[best].loss)}, {"lambda", entries[best].lambda}}}};
}

/// False when it was interrupted.
bool RefitBest(const CvCommand& command, const Settings& settings, const Entry& best,
               const std::atomic<int>* interrupt, SegmentTask* task, Json* json) {
  SegmentFlags flags = command.segment;
  flags.loss = std::string(Name(best.loss));
  SegmentSession session(flags, best.loss, task);
  return command.cv.RefitBest(
      settings.train, best.lambda,
      "training on all training images with loss " + flags.loss + " and lambda " + LambdaText(best.lambda),
      interrupt, &session, json);
}

int Run(const CvCommand& command) {
  const Settings settings = ReadSettings(command);
  SegmentTask task = LoadSegmentTask(command.segment);
  command.cv.CheckFolds(settings.cv, task.data.source, static_cast<Index>(task.data.examples.size()),
                        "training image");
  if (!command.cv.quiet) {
    const SegmentSession session(command.segment, settings.losses.front(), &task);
    session.Describe(ChooseLearner(session.problem(), settings.train), settings.cv.LambdaRange());
  }
  const std::atomic<int>* interrupt = CatchInterrupts();
  const std::optional<std::vector<Entry>> entries =
      CrossValidate(task, settings, interrupt, !command.cv.quiet);
  if (!entries) return command.cv.NothingChosen(interrupt);
  const std::size_t best = BestEntry(*entries, *settings.metric);
  if (!command.cv.json) WriteOutput("-", Table(settings, *entries, best));
  Json json = ResultJson(command, settings, task, *entries, best);
  const bool finished =
      command.cv.no_refit || RefitBest(command, settings, (*entries)[best], interrupt, &task, &json);
  if (command.cv.json) WriteOutput("-", JsonText(json));
  return finished ? 0 : 128 + interrupt->load();
}

}  // namespace

void AddSegmentCv(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<CvCommand>();
  CLI::App* app = parent->add_subcommand("cv", kDescription);
  command->segment.Register(app);
  CLI::Option* loss = app->get_option("--loss");
  loss->type_name("pixels|balanced|both");
  loss->description(
      "a wrong superpixel costs its share of the labelled pixels, or that divided by the share of "
      "its\nclass; or the better one of both [pixels]");
  command->cv.Register(app, Metrics(), "all training images");
  app->footer(kExamples);
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::program
#endif
