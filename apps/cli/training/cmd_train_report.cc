// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/training/cmd_train_report.h>

#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {

Json RecordJson(const ProgressRecord& record) {
  Json json = Json::object();
  ForEachReportedFigure(record, [&](const char* name, const auto& value) { json[name] = value; });
  return json;
}

TrainReport::TrainReport(bool show) : line_(show) {}

void TrainReport::Begin(const Json& start) {
  last_ = ProgressRecord();
  curve_ = TrainingCurve();
  if (!log_.open()) return;
  Json first = {{"event", "start"}};
  first.update(start);
  log_.Write(first);
}

void TrainReport::OnCheck(const ProgressRecord& record) {
  last_ = record;
  curve_.Add(record);
  if (log_.open()) {
    Json line = {{"event", "check"}};
    line.update(RecordJson(record));
    log_.Write(line);
  }
  Draw(record.pass);
}

void TrainReport::OnPass(Index pass) {
  if (line_.due()) Draw(pass);
}

void TrainReport::Draw(Index pass) {
  if (!line_.active()) return;
  std::string line = "pass " + std::to_string(pass) + "  " + Number(running_.Seconds(), 3) + " s";
  if (!std::isnan(last_.primal)) line += "  objective " + Number(last_.primal);
  if (!std::isnan(last_.dual)) line += "  lower bound " + Number(last_.dual);
  if (!std::isnan(last_.relative_gap))
    line += "  relative gap " + Number(100 * last_.relative_gap, 3) + " %";
  line_.Show(line);
}

void TrainReport::ClearLine() { line_.Clear(); }

void TrainReport::End(const TrainSummary& summary, const Json& more) {
  if (!log_.open()) return;
  Json line = {
      {"event", "end"}, {"termination", Name(summary.termination)}, {"message", summary.message}};
  line.update(RecordJson(summary.last));
  line["notes"] = summary.notes;
  if (more.is_object()) line.update(more);
  log_.Write(line);
  log_.Check();
}

}  // namespace slackline::internal::program
