// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence cv
#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_help.h>
#include <slackline/apps/cli/training/cmd_cv.h>
#include <slackline/apps/common/path_trial.h>
#include <slackline/apps/sequence/commands/cmd_sequence.h>
#include <slackline/apps/sequence/commands/cmd_sequence_common.h>
#include <slackline/apps/sequence/data/chunk_tags.h>
#include <slackline/apps/sequence/sequence_predict.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kDescription =
    "Chooses lambda by cross-validation over the sequences of DATA, then trains with it on all of "
    "them.\n"
    "The sequences are dealt out to K folds at random. For each fold, models are trained on the "
    "others for all values of lambda,\nfrom the largest to the smallest, each from the solution of "
    "the one before, and are tried on the fold.\nThe table has mean and standard deviation over "
    "the folds. Ctrl-C ends it early. Features are counted over all sequences.";

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline sequence cv letter.data.gz --only-folds 0 --model letters.slk\n"
    "  slackline sequence cv conll-train.txt.gz --lambda-path 1e-4,1e-5 --folds 3 --metric f1 "
    "--no-refit --json";

/// Number of the figure that is about chunks: labels without chunks do not have it.
constexpr std::size_t kChunkF1 = 3;

CvMetrics Metrics() {
  CvMetrics metrics;
  metrics.figures = {{"token", "token_accuracy", "token accuracy"},
                     {"sequence", "sequence_accuracy", "sequence accuracy"},
                     {"hamming", "hamming_loss", "Hamming loss", true},
                     {"f1", "f1", "chunk F1"},
                     {"auto", "", ""}};
  metrics.text =
      "what to choose by: accuracy of tokens or of sequences, Hamming loss (the smaller the "
      "better), or F1 of chunks; auto: F1 where labels mark chunks (B-NP, I-NP, O), else accuracy "
      "of tokens. Of equal values, the largest lambda is chosen";
  metrics.default_name = "auto";
  return metrics;
}

struct CvCommand {
  SequenceFlags sequence;
  CvFlags cv;
};

/// One fold: what is trained on, and what it is tried on.
class SequenceTrial : public PathTrial {
 public:
  SequenceTrial(const SequenceTask& task, const TrainOptions& options,
                const std::vector<std::vector<Index>>& folds, std::size_t number)
      : PathTrial(options), task_(task), model_(task.model), name_(FoldName(number, folds.size())) {
    const auto sequence = [&](Index j) { return task.input.sequences[j]; };
    for (const Index j : folds[number]) held_out_.push_back(sequence(j));
    std::vector<Index> others;
    for (const Index j : ExamplesOutside(folds, number)) others.push_back(sequence(j));
    std::sort(others.begin(), others.end());
    SetProblem(MakeSequenceProblem(task, others, "no sequence outside of " + name_));
  }

 private:
  std::vector<double> Figures(std::span<const double> weights) override {
    model_.SetTrained(problem(), options(), weights);
    SequencePredictOptions predict;
    predict.threads = options().threads;
    const SequencePredictions predictions =
        PredictSequences(model_, task_.input.data, held_out_, predict);
    const SequenceMetrics metrics =
        EvaluateSequences(task_.input.data, held_out_, predictions.labels);
    if (metrics.tokens == 0)
      throw DataError(task_.input.data.source, 0,
                      name_ + " has no known label to compare predictions with");
    return {metrics.token_accuracy, metrics.sequence_accuracy, metrics.hamming_loss,
            metrics.chunks.f1};
  }

  const SequenceTask& task_;
  SequenceModel model_;
  std::string name_;
  std::vector<Index> held_out_;
};

/// The figures that the data have, and the one to choose by.
void ChooseMetric(const SequenceTask& task, CvSettings* settings, CvProblem* problem) {
  const bool chunks = LooksLikeChunks(task.model.label_names());
  problem->figures = Metrics().figures;
  problem->figures.resize(chunks ? kChunkF1 + 1 : kChunkF1);
  if (settings->metric > kChunkF1) settings->metric = chunks ? kChunkF1 : 0;
  if (settings->metric >= problem->figures.size())
    throw DataError("--metric: f1 is of chunks, but the labels of " + task.input.data.source +
                    " mark none");
  for (std::size_t f = 0; f < problem->figures.size(); ++f) problem->shown.push_back(f);
}

int Run(const CvCommand& command) {
  command.sequence.Read();
  CvSettings settings = command.cv.Read(Metrics(), command.sequence.inputs());
  SequenceTask task = LoadSequenceTask(command.sequence, settings.train.learner);
  CvProblem problem;
  problem.source = task.input.data.source;
  problem.examples = static_cast<Index>(task.input.sequences.size());
  problem.noun = "sequence";
  problem.key = "sequences";
  problem.all = "all sequences";
  problem.own = {{"loss", command.sequence.loss}, {"constraints", Name(task.model.constraints())}};
  ChooseMetric(task, &settings, &problem);
  problem.make = [&task](const TrainOptions& options, std::size_t,
                         const std::vector<std::vector<Index>>& folds, std::size_t fold) {
    return std::make_unique<SequenceTrial>(task, options, folds, fold);
  };
  problem.session = [&](std::size_t) {
    return std::make_unique<SequenceSession>(command.sequence, &task);
  };
  return RunCv(command.cv, settings, problem);
}

}  // namespace

void AddSequenceCv(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<CvCommand>();
  CLI::App* app = parent->add_subcommand("cv", kDescription);
  command->sequence.Register(app, "only-folds");
  command->cv.Register(app, Metrics(), "all sequences");
  GroupHelp(app);
  app->footer(kExamples);
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::internal::program
