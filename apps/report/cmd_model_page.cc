// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/report/cmd_model_page.h>

#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_weight_text.h>
#include <slackline/apps/report/cmd_any_model.h>

namespace slackline::internal::program {
namespace {

Json CurveJson(const std::vector<CurvePoint>& curve) {
  if (curve.empty()) return nullptr;
  Json json = {{"pass", Json::array()},
               {"seconds", Json::array()},
               {"primal", Json::array()},
               {"dual", Json::array()}};
  for (const CurvePoint& point : curve) {
    json["pass"].push_back(point.pass);
    json["seconds"].push_back(point.seconds);
    json["primal"].push_back(point.primal);
    json["dual"].push_back(point.dual);
  }
  return json;
}

Json MatrixJson(const PairMatrix& matrix) {
  const std::size_t n = matrix.labels.size();
  Json rows = Json::array();
  for (std::size_t a = 0; a < n; ++a) {
    Json row = Json::array();
    for (std::size_t b = 0; b < n; ++b) row.push_back(matrix.cells[a * n + b]);
    rows.push_back(std::move(row));
  }
  return {{"labels", matrix.labels}, {"left_out", matrix.num_left_out}, {"rows", std::move(rows)}};
}

}  // namespace

Json ModelPageData(const std::string& path) {
  const AnyModel model = LoadAnyModel(ModelReader(path));
  const TrainingRecord& record = RecordOf(model);
  Json lines = Json::array();
  const FactLines facts = FactsOf(model);  // the first is the task
  for (const auto& [name, text] : facts) lines.push_back({name, text});
  const WeightSummary summary = WeightsOf(model, {kPageTop, kPageLabels, kMatrixLabels});
  Json strongest = WeightsJson(summary);
  for (std::size_t k = 0; k < summary.pairs.size(); ++k)
    strongest["pairs"][k]["matrix"] = MatrixJson(summary.pairs[k].matrix);
  Json page = {
      {"file", std::filesystem::path(path).filename().string()},
      {"task", facts.front().second},
      {"facts", std::move(lines)},
      {"certificate",
       {{"problem", Name(record.problem)},
        {"primal", record.primal},
        {"dual", record.dual},
        {"relative_gap", record.relative_gap},
        {"termination", Name(record.termination)},
        {"message", record.message}}},
      {"curve", CurveJson(record.curve)},
      {"lambda", record.lambda},
      {"cross_validation",
       record.cross_validation.known() ? CrossValidationJson(record.cross_validation) : Json()},
      {"strongest", std::move(strongest)}};
  return {{"model", std::move(page)}};
}

}  // namespace slackline::internal::program
