// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment potentials
#ifdef SLACKLINE_WITH_VISION
#include <algorithm>
#include <cstdio>
#include <optional>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/cli/terminal_line.h>
#include <slackline/apps/common/folds.h>
#include <slackline/apps/segmentation/class_potentials.h>
#include <slackline/apps/segmentation/commands/cmd_segment.h>
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>
#include <slackline/core/check.h>
#include <slackline/learning/run/path_trainer.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kSegmentPotentialsDescription =
    "Writes class potentials of the prepared images of FEATURES, for `segment train --potentials`: "
    "the scores of every class\n"
    "for every superpixel, by its features alone, under models that were not trained on its image. "
    "The training images are\n"
    "divided into K folds at random. A model trained on the other folds scores the images of each "
    "fold; a model trained on\n"
    "all training images scores the test images.\n"
    "The file is text, with one superpixel per line. Scores of any other classifier may be written "
    "in the same way.";

constexpr const char* kSegmentPotentialsExamples =
    "Examples:\n"
    "  slackline segment potentials pets.fea --lambda 0.01 --out scores.tsv\n"
    "  slackline segment train pets.fea --potentials scores.tsv --model small.slk\n"
    "  slackline segment evaluate --features pets.fea --potentials scores.tsv --model small.slk";

struct PotentialsCommand {
  SegmentFlags segment;
  std::string out;
  std::string folds = "5";
  bool quiet = false;
  TrainFlags train;
};

void Register(Command* app, PotentialsCommand* command) {
  command->segment.Register(app);
  app->Remove("potentials");
  app->Get("pairwise")
      ->SetText(
          "weights of a link between layers: one for different classes, or one for every pair "
          "of\nclasses [table]");
  AddTextOption(app, "out", &command->out, "FILE",
                "where to write the potentials; - is the standard output")
      ->Required();
  AddTextOption(app, "folds", &command->folds, "K", "number of folds, at least 2", "5");
  app->AddFlag("--quiet,-q", &command->quiet, "print only errors");
  command->train.Register(app);
}

/// Trains and scores images. The text of the scores is complete before anything is written.
class Scorer {
 public:
  Scorer(const SegmentTask& task, const TrainOptions& options, SegmentLoss loss)
      : task_(task),
        options_(options),
        loss_(loss),
        model_(task.model),
        text_(task.model.classes()) {}

  /// Returns false if interrupted.
  bool Train(const Problem& problem, const std::atomic<int>* interrupt) {
    const TrainSummary summary = PathTrainer(problem.WithLambda(options_.lambda), options_)
                                     .Train(options_.lambda, interrupt);
    if (summary.termination == Termination::kInterrupted) return false;
    if (summary.termination != Termination::kConverged) ++unconverged_;
    largest_gap_ = std::max(largest_gap_, summary.last.relative_gap);
    model_.set_weights(summary.weights);
    return true;
  }

  void Score(const std::string& name, const SegmentExample& example, const FeatureRows& rows) {
    const Index fine = example.graph.num_fine;
    text_.Add(name, true, ClassScores(model_, true, rows, example.first_row, fine));
    if (!model_.has_coarse()) return;
    text_.Add(name, false,
              ClassScores(model_, false, rows, example.first_row + fine, example.graph.num_coarse));
  }

  bool TrainingImages(const Folds& folds, const std::atomic<int>* interrupt, TerminalLine* line) {
    for (std::size_t f = 0; f < folds.size(); ++f) {
      const Fold fold(folds, f);
      if (!Train(MakeFoldProblem(task_, loss_, fold), interrupt)) return false;
      for (const Index m : fold.held_out()) {
        Score(task_.data.names[m], task_.data.examples[m], *task_.data.rows);
      }
      line->Show(fold.name() + " done");
    }
    return true;
  }

  const std::string& text() const { return text_.text(); }
  /// The number of trainings that did not reach their gap, and the largest relative gap of all.
  Index unconverged() const { return unconverged_; }
  double largest_gap() const { return largest_gap_; }

 private:
  const SegmentTask& task_;
  const TrainOptions& options_;
  SegmentLoss loss_;
  SegmentModel model_;
  ClassPotentialsText text_;
  Index unconverged_ = 0;
  double largest_gap_ = 0;
};

int RunSegmentPotentials(const PotentialsCommand& command) {
  command.segment.Check();
  TrainOptions options = command.train.Read();
  RefuseKernels(options, "images");
  const Index num_folds = ReadCount("folds", command.folds, 2);
  CheckOutput("out", command.out, {command.segment.features}, true);
  SegmentTask task = LoadSegmentTask(command.segment);
  const auto images = static_cast<Index>(task.data.examples.size());
  if (num_folds > images)
    throw DataError("--folds: " + command.folds + ", but " + task.data.source + " has " +
                    Count(images, "training image"));
  const SegmentLoss loss = command.segment.ReadLoss();
  const auto training = MakeSegmentTrainTask(command.segment, loss, &task);
  if (options.lambda == 0) options.lambda = UsableDefault(options, *training);
  if (!command.quiet)
    Describe(*training, ChooseLearner(training->problem().WithLambda(options.lambda), options),
             Number(options.lambda) + " (" + Count(num_folds, "fold") + ")");
  const std::vector<PreparedExample> test =
      LoadPrepared(command.segment.features, "", task.model, ImageRole::kTest);
  const std::atomic<int>* interrupt = CatchInterrupts();
  TerminalLine line(!command.quiet);
  Scorer scorer(task, options, loss);
  const auto folds = MakeFolds(images, num_folds, static_cast<std::uint64_t>(options.seed));
  bool done = scorer.TrainingImages(folds, interrupt, &line);
  done = done && (test.empty() || scorer.Train(training->problem(), interrupt));
  line.Clear();
  if (!done) {
    std::fprintf(stderr, "interrupted: nothing is written\n");
    return 128 + interrupt->load();
  }
  for (const PreparedExample& image : test) scorer.Score(image.name, image.example, *image.rows);
  WriteOutput(command.out, scorer.text());
  if (command.quiet) return 0;
  if (scorer.unconverged() > 0)
    std::fprintf(stderr, "note: %s did not reach the requested gap\n",
                 Count(scorer.unconverged(), "model").c_str());
  std::fprintf(stderr, "largest relative gap %s %%\n",
               Number(100 * scorer.largest_gap(), 3).c_str());
  std::fprintf(stderr, "potentials of %s written to %s\n",
               Count(images + static_cast<Offset>(test.size()), "image").c_str(),
               command.out.c_str());
  return 0;
}

}  // namespace

void AddSegmentPotentials(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"potentials", kSegmentPotentialsDescription, kSegmentPotentialsExamples},
      RunSegmentPotentials);
  Register(app, command);
}

}  // namespace slackline::internal::program
#endif
