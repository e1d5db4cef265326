// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_explain_flags.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_weight_text.h>
#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
namespace {

constexpr std::size_t kPartNumberWidth = 11;
constexpr std::size_t kPartNameWidth = 100 - 4 * kPartNumberWidth - 2;

std::string Column(const std::string& text) { return RightCell(text, kPartNumberWidth); }

}  // namespace

void ExplainFlags::Register(Command* app, const std::string& noun) {
  option_ = AddTextOption(app, "explain", &explain, "N|all",
                          "instead: break down the score of the predicted labels of " + noun +
                              " number N, counted from 1, into the contributions of its features, "
                              "constants and pairs of labels");
  option_->Excludes("output");
  AddTextOption(app, "top", &top, "K", "number of features that --explain shows for each label",
                "10")
      ->Needs(option_);
  app->AddFlag("--json", &json, "write the explanation as JSON")->Needs(option_);
}

bool ExplainFlags::wanted() const { return option_ != nullptr && option_->given(); }

Index ExplainFlags::ReadTop() const { return ReadCount("top", top, 1); }

std::vector<Index> ExplainFlags::ReadNumbers(Index count, const std::string& source) const {
  std::vector<Index> numbers;
  if (explain == "all") {
    numbers.resize(std::max<Index>(count, 0));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  Index number = 0;
  if (!ParseIndex(explain, &number) || number < 1)
    throw DataError("--explain: " + Quoted(explain) +
                    " is not allowed; it must be a whole number ≥ 1, or all");
  if (count < 0) return numbers;
  if (number > count) {
    throw DataError("--explain: there is no number " + explain + "; " + source + " has " +
                    std::to_string(count));
  }
  return {number - 1};
}

void AppendParts(const ScoreSum& sum, std::string* text) {
  if (sum.parts.empty()) return;
  const bool raw = std::any_of(sum.parts.begin(), sum.parts.end(), [](const ScorePart& part) {
    return !std::isnan(part.raw) && part.raw != part.value;
  });
  *text += Column("score") + Column("weight") + Column(raw ? "scaled" : "value") +
           (raw ? Column("value") : "") + "  feature\n";
  for (const ScorePart& part : sum.parts) {
    *text += Column(Number(part.score, 4)) + Column(Number(part.weight, 4)) +
             Column(Number(part.value, 4));
    if (raw) *text += Column(Number(part.raw, 4));
    *text +=
        "  " +
        Fitted(part.name, std::min(kPartNameWidth, std::max<std::size_t>(1, Length(part.name)))) +
        "\n";
  }
  if (sum.num_others == 0) return;
  const std::size_t columns = raw ? 3 : 2;
  *text += Column(Number(sum.others, 4)) + std::string(columns * kPartNumberWidth, ' ') + "  " +
           Count(sum.num_others, "other feature") + "\n";
}

std::string SumText(double total, const std::vector<std::pair<std::string, double>>& terms) {
  std::string text;
  for (const auto& [name, value] : terms) {
    if (value != 0) text += (text.empty() ? "" : " + ") + name + " " + Number(value, 4);
  }
  return Number(total, 6) + (text.empty() ? "" : " = " + text);
}

Json PartsJson(const ScoreSum& sum) {
  Json parts = Json::array();
  for (const ScorePart& part : sum.parts) {
    Json entry = {
        {"name", part.name}, {"score", part.score}, {"weight", part.weight}, {"value", part.value}};
    entry["raw"] = part.raw;
    parts.push_back(std::move(entry));
  }
  return {{"total", sum.total},
          {"strongest", std::move(parts)},
          {"others", sum.num_others},
          {"others_score", sum.others}};
}

}  // namespace slackline::internal::program
