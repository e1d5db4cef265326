// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel online
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/cmd_json_log.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/terminal_line.h>
#include <slackline/apps/cli/training/cmd_checkpoint.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/multilabel/commands/cmd_multilabel_common.h>
#include <slackline/apps/multilabel/commands/cmd_reading.h>
#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/apps/multilabel/loss_weights.h>
#include <slackline/apps/multilabel/multilabel_memory.h>
#include <slackline/apps/multilabel/training/online_training.h>
#include <slackline/core/check.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/memory_limit.h>
#include <slackline/core/number_text.h>
#include <slackline/core/timer.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMultiLabelOnlineDescription =
    "Trains a multi-label classifier on a stream of any length: each example is predicted, learned "
    "from once, in the\n"
    "order of the data, and forgotten. The method is online dual ascent with several labellings in "
    "every update (learner\n"
    "multi-sample).\n"
    "DATA is read line by line; - reads the standard input. LIBSVM data need --num-labels and "
    "--num-features. Other\n"
    "data need --like: a model of `slackline multilabel train` on a sample of them, whose labels, "
    "features, scaling and\n"
    "graph the new model gets, but not its weights.\n"
    "The weights have no certificate; instead, the mean loss of the predictions, each made before "
    "its example was learned\n"
    "from, estimates the loss on new examples.\n"
    "Ctrl-C, or a line with an error, ends the stream: the model of the examples before it is "
    "written.";

constexpr const char* kMultiLabelOnlineExamples =
    "Examples:\n"
    "  zcat events.svm.gz | slackline multilabel online - --num-labels 30 --num-features 50000 "
    "--lambda 1e-5 --model e.slk\n"
    "  slackline multilabel online all.arff.gz --like sample.slk --lambda 1e-5 --model a.slk\n"
    "  slackline multilabel online monday.svm --num-labels 30 --num-features 50000 --lambda 1e-5 "
    "--checkpoint s.ckpt --model m.slk\n"
    "  slackline multilabel online tuesday.svm --num-labels 30 --num-features 50000 --lambda 1e-5 "
    "--checkpoint s.ckpt --resume s.ckpt --model m.slk\n"
    "  slackline multilabel online tuesday.svm --num-labels 30 --num-features 50000 --lambda 1e-5 "
    "--checkpoint s.ckpt --resume s.ckpt --skip-learned --model m.slk";

/// Learning from so many examples together costs less than one by one, with the same result.
constexpr Index kMostPending = 64;

struct OnlineCommand {
  std::string data;
  std::string model;
  std::string like;
  std::string num_labels;
  std::string num_features;
  std::string format = "auto";
  std::string graph = "full";
  std::string constant = "1";
  std::string loss = "mean";
  std::string log;
  std::string log_every = "1000";
  bool strict = false;
  bool skip_learned = false;
  bool quiet = false;
  bool compact = false;
  CheckpointFlags checkpoint;
  TrainFlags train;
};

/// The options of multi-sample that visit every example once, in the order of the data.
TrainOptions OptionsOf(const OnlineCommand& command) {
  TrainOptions options = command.train.Read(LearnerKind::kMultiSample);
  if (!command.train.Given("average")) options.average = AverageKind::kWeighted;
  options.own<MultiSampleOptions>().online_loss = true;
  if (options.lambda <= 0) {
    throw DataError(
        "--lambda is missing: a default would need all examples. If features have size 1, try "
        "1 / (number of examples) to 10 times that");
  }
  return options;
}

/// A model with nothing learned yet, for LIBSVM data.
MultiLabelModel NewModel(const OnlineCommand& command) {
  if (command.num_labels.empty() || command.num_features.empty()) {
    throw DataError(
        "LIBSVM data need --num-labels and --num-features; other data need --like, a model of "
        "`slackline multilabel train` on a sample of them");
  }
  const Index labels = ReadCount("num-labels", command.num_labels, 1);
  const Index features = ReadCount("num-features", command.num_features, 1);
  const bool constant = CheckChoice("bias", command.constant, {"0", "1"}) == 1;
  const Offset pairs = command.graph == "full" ? Offset{labels} * (labels - 1) / 2 : 0;
  const std::string excess = TrainingExcess(
      {0, labels, Offset{features} + (constant ? 1 : 0), pairs, 0, {UsableMemory(), 1}},
      LearnerKind::kMultiSample);
  if (!excess.empty()) throw DataError("--num-labels and --num-features are too large: " + excess);
  if (command.graph == "tree" || command.graph == "auto") {
    throw DataError("--graph: " + command.graph +
                    " needs all examples; use full, none, a file, or --like");
  }
  MultiLabelData data;  // no examples
  for (Index i = 0; i < labels; ++i) data.label_names.push_back(std::to_string(i));
  return {data.label_names, features, constant, MakeLabelGraph(command.graph, data)};
}

MultiLabelModel ModelOf(const OnlineCommand& command) {
  if (command.like.empty()) return NewModel(command);
  return MultiLabelModel::Load(command.like);
}

OnlineTraining MakeTraining(const OnlineCommand& command) {
  OnlineTrainingOptions options;
  options.train = OptionsOf(command);
  options.loss = ReadLoss(command.loss, "equal").For({});
  MultiLabelModel model = ModelOf(command);
  if (options.loss.form == LossForm::kSum) options.loss.given_weights = model.loss_weights();
  options.loss_name = command.loss;
  options.data = command.data;
  options.single_precision = command.compact;
  options.texts = {{"graph", command.like.empty() ? command.graph : "that of " + command.like},
                   {"loss", command.loss},
                   {"bias", model.has_constant() ? "1" : "0"}};
  return OnlineTraining(std::move(model), std::move(options));
}

/// One run of the command.
class OnlineSession {
 public:
  explicit OnlineSession(const OnlineCommand& command)
      : command_(command),
        training_(MakeTraining(command)),
        read_(training_.model().ReadOptions()),
        log_every_(ReadCount("log-every", command.log_every, 1)),
        line_(!command.quiet),
        keeper_(command.checkpoint, command.checkpoint.Resumed(OneRank()), training_.Identity(),
                OneRank()),
        plan_(keeper_.Begin([] { return Fingerprint(); }, 0, {})) {
    read_.format = ReadFormat(command.format);
    read_.strict = command.strict;
    if (!plan_.resume.empty()) Resume();
    if (!command.skip_learned) learned_of_data_ = 0;
    told_ = training_.figures();
  }

  int Run() {
    interrupt_ = CatchInterrupts();
    LineReader lines(command_.data);
    lines.EndAtInterrupt(interrupt_);
    if (!command_.log.empty()) log_.Open(command_.log);
    if (!command_.quiet) Describe();
    if (log_.open()) log_.Write(StartJson());
    const std::string fault = ReadAndLearn(&lines);
    line_.Clear();
    return End(fault);
  }

 private:
  bool interrupted() const { return interrupt_->load() != 0; }
  std::int64_t num_examples() const { return training_.figures().steps; }

  /// Learns from all examples up to the end of the stream, an interrupt, or an error in the data.
  /// Returns the message of such an error, or throws the error where nothing has been learned
  /// before.
  std::string ReadAndLearn(LineReader* lines) {
    std::unique_ptr<MultiLabelReader> reader;
    std::string fault;
    ExampleCollector pending;
    std::int64_t to_skip = learned_of_data_;
    const auto learn = [&] {
      const Index count = pending.size();
      if (count == 0) return;
      training_.Learn(pending.Take());
      learned_of_data_ += count;
      Report();
    };
    const auto next = [&] {
      try {
        if (reader == nullptr) reader = OpenMultiLabelData(lines, read_);
        for (; to_skip > 0; --to_skip) {
          if (!reader->Next()) ThrowTooFew(to_skip);
          reader->Forget();
        }
        if (!reader->Next()) return false;
        pending.Add(reader->Examples(), 0);
        reader->Forget();
        return true;
      } catch (const DataError& error) {
        if (!interrupted()) fault = error.what();
        return false;
      }
    };
    while (!interrupted() && next()) {
      if (pending.size() == kMostPending || num_examples() + pending.size() >= next_report_)
        learn();
    }
    learn();
    if (!fault.empty() && (num_examples() == 0 || to_skip > 0)) throw DataError(fault);
    if (reader != nullptr && !command_.quiet) {
      line_.Clear();
      TellNotes(reader->Notes());
    }
    return fault;
  }

  /// Throws where DATA ends `missing` examples before all that --skip-learned leaves out.
  [[noreturn]] void ThrowTooFew(std::int64_t missing) const {
    throw DataError(command_.data, 0,
                    "the run that --resume continues has learned from " +
                        Count(static_cast<Offset>(learned_of_data_), "example") +
                        " of its data, but --skip-learned finds only " +
                        std::to_string(learned_of_data_ - missing) + " here");
  }

  /// What is due after the examples so far: a line of the log, a checkpoint, the terminal's line.
  void Report() {
    const std::int64_t examples = num_examples();
    if (examples >= next_report_) {
      LogProgress("progress");
      next_report_ = (examples / log_every_ + 1) * log_every_;
    }
    if (since_checkpoint_.Seconds() >= plan_.every_seconds) SaveState();
    if (line_.due()) {
      line_.Show(Count(static_cast<Offset>(examples), "example") + "  mean loss " +
                 Number(training_.figures().mean_loss, 4));
    }
  }

  int End(const std::string& fault) {
    const std::int64_t examples = num_examples();
    if (examples == 0) {
      if (!interrupted()) throw DataError(command_.data, 0, "no example has a known label");
      std::fprintf(stderr, "interrupted before the first example: no model is written\n");
      return 128 + interrupt_->load();
    }
    LogProgress("end");
    training_.Save(command_.model, running_.Seconds());
    SaveState();
    if (!fault.empty()) {
      throw DataError(fault + "; the model of the " +
                      Count(static_cast<Offset>(examples), "example") +
                      " before it is written to " + command_.model);
    }
    if (!command_.quiet) Summarise();
    log_.Check();
    keeper_.CheckWritten();
    return interrupted() ? 128 + interrupt_->load() : 0;
  }

  void Describe() const {
    const MultiLabelModel& model = training_.model();
    std::fprintf(stderr, "online: %s%s, %s, %s; lambda %s, loss %s\n",
                 Count(model.num_features(), "feature").c_str(),
                 model.has_constant() ? " and a constant" : "",
                 Count(model.num_labels(), "label").c_str(),
                 Count(static_cast<Offset>(model.pairs().size()), "pair").c_str(),
                 Number(training_.options().train.lambda).c_str(), command_.loss.c_str());
    if (num_examples() > 0) {
      std::fprintf(
          stderr, "continuing after %s%s\n",
          Count(static_cast<Offset>(num_examples()), "example").c_str(),
          learned_of_data_ == 0
              ? ""
              : (", " + std::to_string(learned_of_data_) + " of which are in the data").c_str());
    }
  }

  void Summarise() const {
    const OnlineFigures figures = training_.figures();
    std::fprintf(stderr, "%s%s; mean loss of the predictions before learning %s\n",
                 Count(static_cast<Offset>(figures.steps), "example").c_str(),
                 training_.skipped() == 0
                     ? ""
                     : (", and " + Count(static_cast<Offset>(training_.skipped()), "example") +
                        " without any known label left out")
                           .c_str(),
                 Number(figures.mean_loss, 4).c_str());
    // A larger bound says nothing, since objectives are not negative.
    if (figures.bound < figures.mean_objective) {
      std::fprintf(stderr,
                   "mean objective on the way %s, at most %s above the optimum of these examples\n",
                   Number(figures.mean_objective, 4).c_str(), Number(figures.bound, 3).c_str());
    }
    std::fprintf(stderr, "%smodel written to %s\n", interrupted() ? "interrupted: " : "",
                 command_.model.c_str());
  }

  Json StartJson() const {
    const MultiLabelModel& model = training_.model();
    Json start = {{"event", "start"},
                  {"data", command_.data},
                  {"features", model.num_features()},
                  {"labels", model.num_labels()},
                  {"pairs", model.pairs().size()},
                  {"weights", model.weights().size()},
                  {"loss", command_.loss}};
    for (const auto& [name, value] : training_.Identity()) {
      if (name.starts_with("--")) start["options"][name.substr(2)] = value;
    }
    return start;
  }

  void LogProgress(const char* event) {
    if (!log_.open()) return;
    const OnlineFigures figures = training_.figures();
    const auto steps = static_cast<double>(figures.steps);
    const auto told_steps = static_cast<double>(told_.steps);
    const double newest =
        steps == told_steps
            ? kNone
            : (steps * figures.mean_loss - told_steps * told_.mean_loss) / (steps - told_steps);
    told_ = figures;
    Json json = {{"event", event},
                 {"examples", figures.steps},
                 {"skipped_examples", training_.skipped()},
                 {"mean_loss", figures.mean_loss},
                 {"newest_mean_loss", newest},
                 {"mean_objective", figures.mean_objective},
                 {"regret_bound", figures.bound},
                 {"seconds", running_.Seconds()}};
    if (std::string_view(event) == "end")
      json["termination"] = interrupted() ? "interrupted" : "end of the data";
    log_.Write(json);
  }

  void Resume() {
    StateReader reader(plan_.resume);
    StateArchive archive(&reader);
    training_.Archive(&archive);
    archive.Count(&learned_of_data_);
    reader.Finish();
    next_report_ = (num_examples() / log_every_ + 1) * log_every_;
  }

  /// Writes a checkpoint if the command asks for any.
  void SaveState() {
    if (!plan_.write) return;
    StateWriter writer;
    StateArchive archive(&writer);
    training_.Archive(&archive);
    archive.Count(&learned_of_data_);
    plan_.write(writer.bytes(), writer.parts());
    since_checkpoint_.Restart();
  }

  const OnlineCommand& command_;
  OnlineTraining training_;
  MultiLabelReadOptions read_;
  std::int64_t log_every_;
  std::int64_t next_report_ = log_every_;
  std::int64_t learned_of_data_ = 0;  // examples of DATA, also in the runs that this one resumes
  const std::atomic<int>* interrupt_ = nullptr;
  JsonLog log_;
  OnlineFigures told_;  // at the last object of the log
  TerminalLine line_;
  CheckpointKeeper keeper_;
  CheckpointPlan plan_;
  WallTimer running_, since_checkpoint_;
};

int RunMultiLabelOnline(const OnlineCommand& command) {
  RequireOneProcess("multilabel online");
  const std::vector<std::string> inputs = {command.data, command.like, command.graph,
                                           command.checkpoint.resume};
  CheckOutput("model", command.model, {command.data, command.graph, command.checkpoint.resume},
              false);
  if (!command.log.empty()) CheckOutput("log", command.log, inputs, true);
  if (command.skip_learned && command.checkpoint.resume.empty())
    throw DataError("--skip-learned needs --resume");
  command.checkpoint.Check({command.data, command.like, command.graph, command.model, command.log});
  return OnlineSession(command).Run();
}

}  // namespace

void AddMultiLabelOnline(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"online", kMultiLabelOnlineDescription, kMultiLabelOnlineExamples},
      RunMultiLabelOnline);
  app->AddArgument("DATA", &command->data, "examples")->Required();
  RegisterFormat(app, &command->format);
  Option* like = AddTextOption(
      app, "like", &command->like, "MODEL.slk",
      "instead of --num-labels, --num-features, --graph and --bias: take all of them, the scaling "
      "and costs of errors from this model");
  AddTextOption(app, "num-labels", &command->num_labels, "N",
                "number of labels in LIBSVM data, where labels are numbered from 0")
      ->Excludes(like);
  AddTextOption(app, "num-features", &command->num_features, "N",
                "number of features in LIBSVM data, where features are numbered from 1")
      ->Excludes(like);
  RegisterStrict(app, &command->strict);
  app->AddFlag("--skip-learned", &command->skip_learned,
               "with --resume, and the data of the run that it continues: leave out the examples "
               "that it has learned from")
      ->SetAudience(Audience::kCommand);
  app->StartGroup(kModelGroup);
  AddTextOption(app, "graph", &command->graph, "full|none|FILE",
                "pairs of labels that are joined: all pairs (full), none, or the pairs in a file, "
                "as for `train`",
                "full")
      ->Excludes(like);
  AddTextOption(app, "bias", &command->constant, "0|1", "add a constant feature", "1")
      ->SetAudience(Audience::kCommand)
      ->Excludes(like);
  AddTextOption(app, "loss", &command->loss, "mean|count", "as for `train`", "mean");
  constexpr std::string_view kNames[] = {"lambda",  "samples",      "update-rounds", "expand-first",
                                         "average", "suffix-share", "oracle",        "seed"};
  command->train.Register(app, kNames);
  command->train.SetDefaultText("lambda", "");
  command->train.SetDefaultText("average", "weighted");
  app->StartGroup(kOutputGroup);
  AddTextOption(app, "model", &command->model, "OUT.slk", "where to write the model")->Required();
  AddTextOption(app, "log", &command->log, "RUN.jsonl",
                "write a JSON object every so many examples; - is the standard output");
  AddTextOption(app, "log-every", &command->log_every, "N", "examples between two objects", "1000");
  AddCompactFlag(app, &command->compact);
  command->checkpoint.Register(app);
  app->AddFlag("--quiet,-q", &command->quiet, "print only warnings and errors");
  app->ShowGroups();
}

}  // namespace slackline::internal::program
