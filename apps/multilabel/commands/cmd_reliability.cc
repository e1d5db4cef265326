// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/commands/cmd_reliability.h>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {
namespace {

std::string Cell(double share, bool empty) {
  std::string text;
  Append(&text, "%.4f", share);
  return empty ? "-" : text;
}

}  // namespace

void AddReliability(const Reliability& reliability, Json* json, std::string* table) {
  Append(table, "\nBrier score        %8.4f   (mean squared error of the labels' probabilities)\n",
         reliability.brier_score);
  Append(table, "log loss           %8.4f   (mean of -log of the probability of the true value)\n",
         reliability.log_loss);
  Append(table, "calibration error  %8.4f   (mean difference between predicted and true shares)\n",
         reliability.calibration_error);
  Append(table, "\n%13s %10s %10s %10s\n", "probability", "predicted", "true", "entries");
  Json bins = Json::array();
  for (std::size_t k = 0; k < reliability.bins.size(); ++k) {
    const ReliabilityBin& bin = reliability.bins[k];
    const bool empty = bin.count == 0;
    Append(table, "%5.1f to %4.1f %10s %10s %10lld\n", static_cast<double>(k) / 10,
           static_cast<double>(k + 1) / 10, Cell(bin.mean_predicted, empty).c_str(),
           Cell(bin.share_true, empty).c_str(), static_cast<long long>(bin.count));
    bins.push_back({{"from", static_cast<double>(k) / 10},
                    {"to", static_cast<double>(k + 1) / 10},
                    {"mean_predicted", empty ? Json(nullptr) : Json(bin.mean_predicted)},
                    {"share_true", empty ? Json(nullptr) : Json(bin.share_true)},
                    {"entries", bin.count}});
  }
  (*json)["calibration"] = {{"brier_score", reliability.brier_score},
                            {"log_loss", reliability.log_loss},
                            {"calibration_error", reliability.calibration_error},
                            {"bins", std::move(bins)}};
}

}  // namespace slackline::internal::program
