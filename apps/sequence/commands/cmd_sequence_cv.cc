// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence cv
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/training/cmd_cv.h>
#include <slackline/apps/sequence/commands/cmd_sequence.h>
#include <slackline/apps/sequence/commands/cmd_sequence_common.h>
#include <slackline/apps/sequence/data/chunk_tags.h>
#include <slackline/apps/sequence/sequence_predict.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kSequenceCvDescription =
    "Chooses lambda by cross-validation over the sequences of DATA, then trains with it on all of "
    "them.\n"
    "The sequences are divided into K folds at random. For each fold, models are trained on the "
    "other folds for all values of\n"
    "lambda, from the largest to the smallest, each starting from the solution of the previous "
    "one, and are evaluated on the\n"
    "fold.\n"
    "The table has mean and standard deviation over the folds. Ctrl-C ends cross-validation early. "
    "Features are counted over\n"
    "all sequences.";

constexpr const char* kSequenceCvExamples =
    "Examples:\n"
    "  slackline sequence cv letter.data.gz --only-folds 0 --model letters.slk\n"
    "  slackline sequence cv conll-train.txt.gz --lambda-path 1e-4,1e-5 --folds 3 --metric f1 "
    "--no-refit --json";

/// Index of the metric on chunks, which data without chunk labels lack.
constexpr std::size_t kChunkF1 = 3;

CvMetrics SequenceCvMetrics() {
  CvMetrics metrics;
  metrics.figures = {{"token", "token_accuracy", "token accuracy"},
                     {"sequence", "sequence_accuracy", "sequence accuracy"},
                     {"hamming", "hamming_loss", "Hamming loss", true},
                     {"f1", "f1", "chunk F1"},
                     {"auto", "", ""}};
  metrics.text =
      "what to choose by: accuracy of tokens or sequences, Hamming loss, or F1 of chunks; auto: F1 "
      "where labels mark chunks (B-NP, I-NP, O), else accuracy of tokens";
  metrics.default_name = "auto";
  return metrics;
}

struct SequenceCvCommand {
  SequenceFlags sequence;
  CvFlags cv;
};

class SequenceTrial : public TrainedTrial {
 public:
  SequenceTrial(const SequenceTask& task, const Fold& fold, const TrainOptions& options)
      : TrainedTrial(options), task_(task), model_(task.model) {
    const auto sequence = [&](Index j) { return task.input.sequences[j]; };
    for (const Index j : fold.held_out()) held_out_.push_back(sequence(j));
    std::vector<Index> others;
    for (const Index j : fold.Others()) others.push_back(sequence(j));
    SetProblem(MakeSequenceProblem(task, others));
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
    return {metrics.token_accuracy, metrics.sequence_accuracy, metrics.hamming_loss,
            metrics.chunks.f1};
  }

  const SequenceTask& task_;
  SequenceModel model_;
  std::vector<Index> held_out_;
};

/// The examples are the sequences that the task selects, in its order.
class SequenceCv : public CvApplication {
 public:
  explicit SequenceCv(const SequenceTask& task) : task_(task) {}

  std::string source() const override { return task_.input.data.source; }
  Index num_examples() const override { return static_cast<Index>(task_.input.sequences.size()); }
  bool HasKnownLabel(Index example) const override {
    const SequenceData& data = task_.input.data;
    const Index m = task_.input.sequences[example];
    const auto labels = std::span(data.labels).subspan(data.begin[m], data.length(m));
    return std::any_of(labels.begin(), labels.end(),
                       [](Index label) { return label != kUnlabelled; });
  }
  std::unique_ptr<FoldTrial> MakeTrial(std::size_t, const Fold& fold,
                                       const TrainOptions& options) const override {
    return std::make_unique<SequenceTrial>(task_, fold, options);
  }

 private:
  const SequenceTask& task_;
};

/// Sets the metrics that the data have, and the one to choose by.
void ChooseMetric(const SequenceTask& sequences, CvSettings* settings, CvTask* task) {
  const bool chunks = LooksLikeChunks(sequences.model.label_names());
  task->figures = SequenceCvMetrics().figures;
  task->figures.resize(chunks ? kChunkF1 + 1 : kChunkF1);
  if (settings->metric > kChunkF1) settings->metric = chunks ? kChunkF1 : 0;
  if (settings->metric >= task->figures.size())
    throw DataError("--metric: f1 needs chunks, but the labels of " + sequences.input.data.source +
                    " mark none");
  for (std::size_t f = 0; f < task->figures.size(); ++f) task->shown.push_back(f);
}

int RunSequenceCv(const SequenceCvCommand& command) {
  command.sequence.Read();
  CvSettings settings = command.cv.Read(SequenceCvMetrics(), command.sequence.inputs());
  SequenceTask sequences = LoadSequenceTask(command.sequence, settings.train);
  CvTask task;
  task.noun = "sequence";
  task.key = "sequences";
  task.all = "all sequences";
  task.own = {{"loss", command.sequence.loss},
              {"constraints", Name(sequences.model.constraints())}};
  ChooseMetric(sequences, &settings, &task);
  task.session = [&](std::size_t) {
    return CompletedTask{
        std::make_unique<SequenceTraining>(&sequences, command.sequence.Texts(sequences.input))};
  };
  return RunCv(command.cv, settings, SequenceCv(sequences), task);
}

}  // namespace

void AddSequenceCv(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"cv", kSequenceCvDescription, kSequenceCvExamples}, RunSequenceCv);
  command->sequence.Register(app, "only-folds");
  command->cv.Register(app, SequenceCvMetrics(), "all sequences");
  app->ShowGroups();
}

}  // namespace slackline::internal::program
