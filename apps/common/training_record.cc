// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/training_record.h>

#include <cmath>
#include <limits>
#include <utility>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {

std::string ModelTask(const ModelReader& file) {
  return file.Has("task") ? file.String("task") : "";
}

std::vector<double> ModelWeights(const std::string& path) {
  const ModelReader reader(path);
  const std::span<const double> weights = reader.Doubles("weights");
  return {weights.begin(), weights.end()};
}

ModelEntries::ModelEntries(ModelReader file, std::string_view task) : file_(std::move(file)) {
  const std::string found = file_.Has("task") ? file_.String("task") : "unknown";
  if (found != task) {
    const std::string noun = found.starts_with("converted") ? "data" : "a model";
    throw DataError(
        path(), 0,
        noun + " of another task: " + Quoted(found) + ", not '" + std::string(task) + "'");
  }
}

void ModelEntries::Require(bool good, const std::string& entry) const {
  if (!good)
    throw DataError(path(), 0, "the model is inconsistent: entry '" + entry + "' does not fit");
}

Index ModelEntries::ToIndex(const std::string& entry, std::int64_t value) const {
  Require(value >= 0 && value < std::numeric_limits<Index>::max(), entry);
  return static_cast<Index>(value);
}

std::span<const std::int64_t> ModelEntries::Integers(const std::string& entry,
                                                     std::size_t count) const {
  const auto values = file_.Integers(entry);
  Require(values.size() == count, entry);
  return values;
}

std::span<const double> ModelEntries::Doubles(const std::string& entry, std::size_t count) const {
  const auto values = file_.Doubles(entry);
  Require(values.size() == count, entry);
  return values;
}

std::vector<double> ModelEntries::TakeWeights(std::size_t count) {
  Doubles("weights", count);
  std::vector<double> weights = file_.TakeDoubles("weights");
  Require(AllFinite(weights), "weights");
  return weights;
}

void FinishRecord(const TrainSummary& summary, TrainingRecord* record) {
  record->problem = summary.last.problem;
  record->primal = summary.last.primal;
  record->dual = summary.last.dual;
  record->gap = summary.last.gap;
  record->relative_gap = summary.last.relative_gap;
  record->termination = summary.termination;
  record->message = summary.message;
  record->passes = summary.last.pass;
  record->seconds = summary.last.seconds;
  record->check_seconds = summary.last.check_seconds;
}

namespace {

void SaveCrossValidation(const CrossValidationRecord& record, ModelWriter* writer) {
  if (!record.known()) return;
  std::vector<std::string> candidates;
  std::vector<double> figures;
  for (const CrossValidationRecord::Point& point : record.points) {
    candidates.push_back(point.candidate);
    figures.insert(figures.end(), {point.lambda, point.mean, point.deviation});
  }
  writer->Add("cv_metric", record.metric);
  writer->Add("cv_folds", std::vector<std::int64_t>{record.folds});
  writer->Add("cv_candidates", candidates);
  writer->Add("cv_figures", figures);
  if (record.best != kAbsent) writer->Add("cv_best", std::vector<std::int64_t>{record.best});
}

CrossValidationRecord LoadCrossValidation(const ModelEntries& entries) {
  CrossValidationRecord record;
  const ModelReader& file = entries.file();
  if (!file.Has("cv_metric")) return record;
  record.metric = file.String("cv_metric");
  entries.Require(record.known(), "cv_metric");
  record.folds = entries.ToIndex("cv_folds", entries.Integers("cv_folds", 1)[0]);
  const auto& candidates = file.Strings("cv_candidates");
  const auto figures = entries.Doubles("cv_figures", 3 * candidates.size());
  for (std::size_t k = 0; k < candidates.size(); ++k)
    record.points.push_back(
        {candidates[k], figures[3 * k], figures[3 * k + 1], figures[3 * k + 2]});
  if (file.Has("cv_best")) {
    record.best = entries.ToIndex("cv_best", entries.Integers("cv_best", 1)[0]);
    entries.Require(record.best < std::ssize(candidates), "cv_best");
  }
  return record;
}

constexpr std::size_t kCurveFigures = 4;

void SaveCurve(const std::vector<CurvePoint>& curve, ModelWriter* writer) {
  if (curve.empty()) return;
  std::vector<double> figures;
  for (const CurvePoint& point : curve)
    figures.insert(figures.end(),
                   {static_cast<double>(point.pass), point.seconds, point.primal, point.dual});
  writer->Add("curve", figures);
}

std::vector<CurvePoint> LoadCurve(const ModelEntries& entries) {
  std::vector<CurvePoint> curve;
  if (!entries.file().Has("curve")) return curve;
  const std::span<const double> figures = entries.file().Doubles("curve");
  entries.Require(figures.size() % kCurveFigures == 0, "curve");
  for (std::size_t k = 0; k < figures.size(); k += kCurveFigures) {
    const double pass = figures[k];
    entries.Require(
        pass >= 0 && pass < std::numeric_limits<Index>::max() && std::floor(pass) == pass, "curve");
    entries.Require(std::isfinite(figures[k + 1]), "curve");
    entries.Require(curve.empty() || static_cast<Index>(pass) >= curve.back().pass, "curve");
    curve.push_back({static_cast<Index>(pass), figures[k + 1], figures[k + 2], figures[k + 3]});
  }
  return curve;
}

}  // namespace

void SaveRecord(const TrainingRecord& record, ModelWriter* writer) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, value] : record.options) {
    names.push_back(name);
    values.push_back(value);
  }
  writer->Add("program", record.program);
  writer->Add("data", record.data);
  writer->Add("option_names", names);
  writer->Add("option_values", values);
  writer->Add("loss", record.loss);
  writer->Add("problem", std::string(Name(record.problem)));
  writer->Add("termination", std::string(Name(record.termination)));
  writer->Add("message", record.message);
  writer->Add("counts", std::vector<std::int64_t>{record.num_examples, record.passes});
  writer->Add("figures",
              std::vector<double>{record.lambda, record.primal, record.dual, record.gap,
                                  record.relative_gap, record.seconds, record.check_seconds});
  SaveCrossValidation(record.cross_validation, writer);
  SaveCurve(record.curve, writer);
  // Models read from files of older versions lack this number.
  if (!std::isnan(record.cost_per_variable))
    writer->Add("cost_per_variable", std::vector<double>{record.cost_per_variable});
  if (!record.costs.empty()) writer->Add("costs_of_errors", record.costs);
}

TrainingRecord LoadRecord(const ModelEntries& entries) {
  const ModelReader& file = entries.file();
  TrainingRecord record;
  record.program = file.String("program");
  record.data = file.String("data");
  const auto& names = file.Strings("option_names");
  const auto& values = file.Strings("option_values");
  entries.Require(names.size() == values.size(), "option_values");
  for (std::size_t k = 0; k < names.size(); ++k) record.options.emplace_back(names[k], values[k]);
  record.loss = file.String("loss");
  record.single_precision = file.HasSinglePrecision("weights");
  record.problem =
      entries.Choose("problem", {CertifiedProblem::kRelaxed, CertifiedProblem::kExact});
  record.termination = entries.Choose(
      "termination", {Termination::kConverged, Termination::kMaxPasses, Termination::kTimeLimit,
                      Termination::kInterrupted, Termination::kStalled});
  record.message = file.String("message");
  const auto counts = entries.Integers("counts", 2);
  record.num_examples = entries.ToIndex("counts", counts[0]);
  record.passes = entries.ToIndex("counts", counts[1]);
  const auto figures = entries.Doubles("figures", 7);
  record.lambda = figures[0];
  record.primal = figures[1];
  record.dual = figures[2];
  record.gap = figures[3];
  record.relative_gap = figures[4];
  record.seconds = figures[5];
  record.check_seconds = figures[6];
  if (file.Has("cost_per_variable"))
    record.cost_per_variable = entries.Doubles("cost_per_variable", 1)[0];
  if (file.Has("costs_of_errors")) {
    const auto costs = file.Doubles("costs_of_errors");
    entries.Require(AllFinite(costs), "costs_of_errors");
    record.costs.assign(costs.begin(), costs.end());
  }
  record.cross_validation = LoadCrossValidation(entries);
  record.curve = LoadCurve(entries);
  return record;
}

}  // namespace slackline::internal
