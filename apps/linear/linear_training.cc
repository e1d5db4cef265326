// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/linear/linear_training.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include <slackline/apps/linear/linear_metrics.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/learning/default_lambda.h>

namespace slackline::internal {
namespace {

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The standard deviation; 1 where all values are equal.
double Deviation(std::span<const double> values) {
  const double mean = Mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares > 0 ? std::sqrt(squares / static_cast<double>(values.size())) : 1;
}

LinearModel EmptyModel(const LinearData& data, const FeatureScaling& scaling,
                       const LinearTrainingOptions& options) {
  ModelInputs inputs(data.num_features);
  inputs.set_feature_names(data.feature_names);
  inputs.set_scaling(scaling);
  inputs.set_input(data.input, data.class_column);
  return {std::move(inputs), options.loss, data.class_names, options.constant};
}

std::uint64_t HashOfRows(const FeatureRows& rows) {
  DataHash hash;
  for (Index m = 0; m < rows.size(); ++m) {
    const FeatureRow row = rows.row(m);
    hash.Add(std::span<const double>(row.values, Size(row.count)));
    if (!row.dense()) hash.Add(std::span<const Index>(row.columns, Size(row.count)));
  }
  return hash.word();
}

/// Trains for one λ after another, always with a new learner.
class LinearTrainer final : public Trainer {
 public:
  LinearTrainer(LinearProblem problem, const LinearLearnerOptions& learner,
                const LearnerChoice& choice)
      : problem_(std::move(problem)), options_(learner), choice_(choice) {
    problem_.lambda = choice.options.lambda;
  }

  double lambda() const override { return problem_.lambda; }
  const LearnerChoice& choice() const override { return choice_; }
  Learner& learner() override {
    if (learner_ == nullptr) learner_ = MakeLinearLearner(problem_, options_);
    return *learner_;
  }
  void MoveTo(double lambda) override {
    if (lambda == problem_.lambda) return;
    problem_.lambda = choice_.options.lambda = lambda;
    learner_.reset();
  }
  TrainSummary Run(TrainObserver* observer, const std::atomic<int>* interrupt,
                   const CheckpointPlan& checkpoints) override {
    return RunTraining(learner(), choice_.options, observer, interrupt, checkpoints);
  }
  Fingerprint fingerprint() const override;

 private:
  LinearProblem problem_;
  LinearLearnerOptions options_;
  LearnerChoice choice_;
  std::unique_ptr<Learner> learner_;
};

Fingerprint LinearTrainer::fingerprint() const {
  DataHash labels, rows;
  labels.Add(std::span<const double>(problem_.labels));
  rows.Add(HashOfRows(*problem_.rows));
  const auto number = [](double value) { return NumberText(value); };
  return {{"number of examples", std::to_string(problem_.labels.size())},
          {"number of features", std::to_string(problem_.rows->dimension())},
          {"features of the data", rows.Text()},
          {"labels of the data", labels.Text()},
          {"--loss", std::string(Name(problem_.loss))},
          {"parameter of the loss", number(problem_.loss_parameter)},
          {"--regulariser", std::string(Name(problem_.regulariser))},
          {"--lambda", number(problem_.lambda)},
          {"--l1", number(problem_.l1)},
          {"--sdca-step", std::to_string(static_cast<int>(options_.step))},
          {"--output", std::string(Name(options_.output))},
          {"--order", options_.uniform ? "uniform" : "example"},
          {"--seed", std::to_string(options_.seed)}};
}

/// One training in a fold, on rows that are scaled.
class LinearTrial final : public FoldTrial {
 public:
  LinearTrial(const LinearData& data, LinearTrainingOptions options, const Fold& fold,
              const TrainOptions& train)
      : train_(train),
        held_out_(SelectExamples(data, fold.held_out())),
        training_(SelectExamples(data, fold.Others()), Unscaled(std::move(options))) {}

  TrialResult Run(double lambda, const std::atomic<int>* interrupt) override {
    train_.lambda = lambda;
    if (trainer_ == nullptr) trainer_ = training_.MakeTrainer(train_);
    const TrainSummary summary = trainer_->Train(lambda, interrupt);
    TrialResult result{{}, summary.last, summary.termination};
    if (summary.termination == Termination::kInterrupted) return result;
    training_.SetWeights(train_, summary.weights);
    const LinearModel& model = training_.model();
    const LinearMetrics metrics =
        ComputeLinearMetrics(model.loss(), held_out_.labels, model.TrainingScores(*held_out_.rows));
    for (const LinearFigure& figure : LinearFigures(model.predicts_numbers()))
      result.figures.push_back(metrics.*figure.value);
    return result;
  }

 private:
  static LinearTrainingOptions Unscaled(LinearTrainingOptions options) {
    options.scale = ScaleKind::kUnscaled;
    return options;
  }

  TrainOptions train_;
  const LinearData held_out_;
  LinearTraining training_;
  std::unique_ptr<Trainer> trainer_;
};

}  // namespace

LinearTraining::LinearTraining(LinearData data, const LinearTrainingOptions& options)
    : TrainTask(data.source, options.texts),
      options_(options),
      data_(std::move(data)),
      scaled_(ScaleForTraining(options.scale, {data_.source, data_.rows, data_.num_features,
                                               FeatureNames(data_.feature_names)})),
      model_(EmptyModel(data_, scaled_.scaling, options)) {
  data_.rows = scaled_.rows;
  problem_.rows = scaled_.rows;
  problem_.loss = options.loss.kind;
  problem_.loss_parameter = options.loss.parameter;
  problem_.labels = data_.labels;
  problem_.regulariser = options.regulariser;
  if (model_.predicts_numbers() && options.constant) offset_ = Mean(data_.labels);
  for (double& label : problem_.labels) label -= offset_;
  largest_l1_ = LargestUsefulL1(problem_);
  const bool problem_six = options.regulariser == LinearRegulariser::kL1;
  problem_.l1 = options.l1.value_or(problem_six ? kDefaultL1Share * largest_l1_ : 0);
  if (problem_six && !(std::isfinite(problem_.l1) && problem_.l1 >= kSmallestLambda))
    throw DataError("--l1 would be " + NumberText(problem_.l1, 6) +
                    " for these data; pass a value");
}

LearnerChoice LinearTraining::Choose(const TrainOptions& options) const {
  LearnerChoice choice{options, "prox-sdca, which trains all linear models"};
  choice.options.learner = LearnerKind::kProxSdca;
  choice.options.l1 = problem_.l1;
  return choice;
}

std::unique_ptr<Trainer> LinearTraining::MakeTrainer(const TrainOptions& options,
                                                     double /*preparation_limit_seconds*/,
                                                     const std::atomic<int>* /*interrupt*/) const {
  return std::make_unique<LinearTrainer>(problem_, options_.learner, Choose(options));
}

Index LinearTraining::TotalExamples(const TrainOptions& /*options*/) const {
  return data_.num_examples();
}

CostScales LinearTraining::ComputeScales(const TrainOptions& /*options*/) const {
  CostScales scales;
  const FeatureRows& rows = *problem_.rows;
  const double constant = options_.constant ? 1 : 0;
  double squares = 0;
  for (Index m = 0; m < rows.size(); ++m) squares += rows.row(m).squared_norm;
  const double others = squares / rows.size() - constant;
  // The constant counts at most as much as all other features together.
  scales.mean_squared_norm = others > 0 ? others + std::min(constant, others) : 1;
  scales.variables_per_weight = static_cast<double>(rows.size()) / data_.num_features;
  scales.num_examples = rows.size();
  return scales;
}

double LinearTraining::DefaultLambda(const TrainOptions& options) const {
  const double lambda = Scales(options).DefaultLambda();
  const bool absolute = options_.loss.kind == ScalarLossKind::kAbsolute;
  return absolute ? RoundedLambda(lambda / Deviation(data_.labels)) : lambda;
}

std::vector<std::string> LinearTraining::DataLines() const {
  std::vector<std::string> lines = NoteLines(data_.notes);
  std::string& line = lines.emplace_back("data: " + Count(data_.rows->size(), "example") + ", " +
                                         Count(data_.num_features, "feature") +
                                         (options_.constant ? " and a constant" : ""));
  if (!data_.class_names.empty())
    line += ", classes " + data_.class_names[0] + " (-1) and " + data_.class_names[1] + " (1)";
  if (data_.num_unknown > 0)
    line += ", " + Count(data_.num_unknown, "example") + " without a known " +
            (data_.class_names.empty() ? "number" : "class") + " left out";
  lines.push_back(scaled_.line);
  return lines;
}

std::string LinearTraining::ModelText() const {
  std::string text = problem_.l1 > 0 ? NumberText(problem_.l1, 4) + " |w|_1" : "";
  if (problem_.regulariser == LinearRegulariser::kL1) {
    text += " alone";
  } else {
    const bool l2 = problem_.regulariser == LinearRegulariser::kL2;
    text = std::string(l2 ? "l2" : "q-norm") + (text.empty() ? "" : " + " + text);
  }
  return text + ", loss " + std::string(Name(problem_.loss));
}

TaskEntries LinearTraining::StartEntries() const {
  return {{"features", data_.num_features}, {"l1", problem_.l1}};
}

std::vector<std::string> LinearTraining::Warnings() const {
  std::vector<std::string> warnings = scaled_.warnings;
  if (problem_.l1 >= largest_l1_ && problem_.l1 > 0) {
    warnings.push_back("--l1 is so large that all weights are 0; they are not below " +
                       NumberText(largest_l1_, 4) + " for these data");
  }
  return warnings;
}

Fingerprint LinearTraining::Context() const {
  return {{"names of the classes", HashOfNames(model_.class_names())}};
}

bool LinearTraining::Records(const OptionRecord& option) const {
  return option.name != "lambda" &&
         std::find(std::begin(kLinearTrainOptions), std::end(kLinearTrainOptions), option.name) !=
             std::end(kLinearTrainOptions);
}

RecordTexts LinearTraining::Texts() const {
  RecordTexts texts = TrainTask::Texts();
  for (auto& [name, text] : texts.options) {
    if (name == "l1") text = NumberText(problem_.l1);
  }
  return texts;
}

std::unique_ptr<FoldTrial> LinearCv::MakeTrial(std::size_t /*candidate*/, const Fold& fold,
                                               const TrainOptions& options) const {
  return std::make_unique<LinearTrial>(training_.data(), options_, fold, options);
}

}  // namespace slackline::internal
