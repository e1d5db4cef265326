// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/training/cmd_train_report.h>

#include <cmath>
#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {

Json RecordJson(const ProgressRecord& record) {
  Json json = Json::object();
  ForEachReportedFigure(record, [&](const char* name, const auto& value) { json[name] = value; });
  return json;
}

TrainReport::TrainReport(bool show) : line_(show) {}

void TrainReport::OpenLog(const std::string& path) {
  log_path_ = path;
  if (path == "-") {
    log_ = &std::cout;
  } else {
    log_file_.open(path, std::ios::binary | std::ios::trunc);
    if (!log_file_) throw DataError(path, 0, "cannot open the log for writing");
    log_ = &log_file_;
  }
}

void TrainReport::Begin(const Json& start) {
  last_ = ProgressRecord();
  curve_ = TrainingCurve();
  if (log_ == nullptr) return;
  Json first = {{"event", "start"}};
  first.update(start);
  WriteLine(first);
}

void TrainReport::OnCheck(const ProgressRecord& record) {
  last_ = record;
  curve_.Add(record);
  if (log_ != nullptr) {
    Json line = {{"event", "check"}};
    line.update(RecordJson(record));
    WriteLine(line);
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

void TrainReport::WriteLine(const Json& json) { *log_ << JsonLine(json) << std::endl; }

void TrainReport::End(const TrainSummary& summary, const Json& more) {
  if (log_ == nullptr) return;
  Json line = {
      {"event", "end"}, {"termination", Name(summary.termination)}, {"message", summary.message}};
  line.update(RecordJson(summary.last));
  line["notes"] = summary.notes;
  if (more.is_object()) line.update(more);
  WriteLine(line);
  if (!*log_)
    throw DataError(log_path_ == "-" ? "<stdout>" : log_path_, 0,
                    "the log could not be written completely");
}

}  // namespace slackline::internal::program
