// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel train
#include <cstdio>
#include <utility>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/multilabel/commands/cmd_multilabel_common.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMultiLabelTrainDescription =
    "Trains a multi-label classifier and writes it to a model file.\n"
    "DATA is a table (CSV, TSV; needs --label-columns), ARFF (Mulan; needs --labels) or LIBSVM "
    "(needs --labels or\n--num-labels), also gzip; - reads the standard input. Or DATA is a file "
    "of `slackline multilabel convert`,\nwhich may be larger than the memory.\nCtrl-C ends "
    "training early and keeps the best model.";

constexpr const char* kMultiLabelTrainExamples =
    "Examples:\n"
    "  slackline multilabel train yeast-train.arff.gz --labels yeast.xml --model yeast.slk\n"
    "  slackline multilabel train photos.csv --label-columns 'tag_*' --ignore-columns file,date "
    "--model p.slk\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --graph tree --lambda 0.001 "
    "--model r.slk\n"
    "  slackline multilabel train - --num-labels 30 --learner bcfw --time-limit 60 --log run.jsonl "
    "--model r.slk < reuters.svm\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --lambda-path 0.1:0.0001:7 "
    "--model r.slk\n"
    "  slackline multilabel train yeast-train.arff.gz --labels yeast.xml --kernel rbf "
    "--kernel-gamma 1 --model y.slk\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --verify --model r.slk\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --checkpoint r.ckpt --model "
    "r.slk\n"
    "  slackline multilabel train reuters.svm.gz --num-labels 30 --checkpoint r.ckpt --resume "
    "r.ckpt --model r.slk";

struct MultiLabelTrainCommand {
  DataFlags data;
  SessionFlags session;
  std::string clusters;
  std::string cluster_rounds = "1";
  bool calibrate = false;

  /// The value of --clusters; 0 if not given.
  Index NumClusters() const { return clusters.empty() ? 0 : ReadCount("clusters", clusters, 1); }
};

/// Does all checks of --clusters that need no data.
void CheckClusters(const MultiLabelTrainCommand& command) {
  ReadCount("cluster-rounds", command.cluster_rounds, 1);
  if (command.NumClusters() == 0) return;
  const auto refuse = [](const std::string& other, const char* why) {
    throw DataError("--clusters cannot be combined with " + other + ": " + why);
  };
  if (!command.session.lambda_path.empty())
    refuse("--lambda-path", "clusters are chosen for one λ");
  if (command.calibrate) refuse("--calibrate", "the trainings for calibration have no clusters");
  if (!command.session.checkpoint.file.empty() || !command.session.checkpoint.resume.empty())
    refuse("--checkpoint and --resume",
           "checkpoints do not keep the trainings that choose clusters");
}

int RunMultiLabelTrain(const MultiLabelTrainCommand& command) {
  SessionSettings settings = ReadSession(command.session, command.data.inputs());
  CheckClusters(command);
  const DataSettings data_settings = command.data.Read(settings.train);
  const TrainingData data = ReadTrainingData(command.data, data_settings);
  std::optional<CalibrationPlan> calibration;
  if (command.calibrate)
    calibration =
        PlanCalibration(data.data, {kCalibrationFolds, settings.train.seed, command.session.quiet},
                        RanksOf(settings.train));
  std::string graph = command.data.graph;
  const bool quiet = command.session.quiet;
  const std::vector<std::string> graphs = TellGraphCandidates(data_settings, data, quiet);
  if (graphs.size() > 1) {
    const std::atomic<int>* interrupt = CatchInterrupts();
    TrainOptions options = settings.train;
    options.lambda = ChooseLambda(options, settings.c,
                                  *MakeMultiLabelTraining(data_settings, data, graphs.front()));
    const std::optional<GraphChoice> choice =
        ChooseGraph(data.data, data_settings.training, graphs, options, interrupt);
    if (!choice) {
      std::fprintf(stderr, "interrupted: no graph is chosen and no model is written\n");
      return 128 + static_cast<int>(RanksOf(settings.train).MaxOf(interrupt->load()));
    }
    if (!quiet) std::fprintf(stderr, "%s\n", choice->line.c_str());
    graph = choice->graph;
  }
  const auto training = MakeMultiLabelTraining(data_settings, data, graph);
  if (command.NumClusters() > 0) {
    SetOpenShards(*training, &settings.train);
    settings.lambdas = {ChooseLambda(settings.train, settings.c, *training)};
    TrainOptions options = settings.train;
    options.lambda = settings.lambdas[0];
    training->Tighten(options, command.NumClusters(),
                      ReadCount("cluster-rounds", command.cluster_rounds, 1), CatchInterrupts());
  }
  if (!calibration) return RunSession(command.session, std::move(settings), training.get());
  return calibration->ExitCode(RunSession(command.session, std::move(settings), training.get(),
                                          CalibrateBy(*calibration, training.get())));
}

}  // namespace

void AddMultiLabelTrain(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"train", kMultiLabelTrainDescription, kMultiLabelTrainExamples},
                 RunMultiLabelTrain);
  command->data.Register(app);
  Option* clusters =
      AddTextOption(app, "clusters", &command->clusters, "N",
                    "tighten the relaxation with factors over at most N triples of labels")
          ->SetAudience(Audience::kCommand);
  AddTextOption(app, "cluster-rounds", &command->cluster_rounds, "R",
                "choose the clusters in R rounds of training, N/R of them in each", "1")
      ->SetAudience(Audience::kCommand)
      ->Needs(clusters);
  AddCalibrateFlag(app, &command->calibrate, "by five more trainings");
  command->session.Register(app);
  app->ShowGroups();
}

}  // namespace slackline::internal::program
