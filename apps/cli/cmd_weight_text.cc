// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_weight_text.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {
namespace {

/// Two columns side by side, with two blanks before each.
constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kColumnWidth = kLineWidth / 2 - 2;
constexpr std::size_t kNumberWidth = 10;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string EndedLine(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string RightNumber(const std::string& text) { return RightCell(text, kNumberWidth); }

/// Weight, size (if sizes are known) and name.
std::string Cell(const NamedWeight& entry, bool sizes) {
  std::string cell = RightNumber(Number(entry.weight, 4));
  if (sizes) cell += RightNumber(std::isnan(entry.size) ? "" : Number(entry.size, 3));
  return cell + "  " + Fitted(entry.name, kColumnWidth - cell.size() - 2);
}

std::string Heading(const std::string& title, bool sizes) {
  return RightNumber("weight") + (sizes ? RightNumber("size") : "") + "  " + title;
}

void AppendRanking(const WeightRanking& ranking, const char* titles[2], std::string* text) {
  const auto known = [](const NamedWeight& entry) { return !std::isnan(entry.size); };
  const bool sizes = std::any_of(ranking.positive.begin(), ranking.positive.end(), known) ||
                     std::any_of(ranking.negative.begin(), ranking.negative.end(), known);
  const std::size_t rows = std::max(ranking.positive.size(), ranking.negative.size());
  if (rows == 0) return;
  *text += EndedLine("  " + Fitted(Heading(titles[0], sizes), kColumnWidth) + "  " +
                     Heading(titles[1], sizes));
  for (std::size_t k = 0; k < rows; ++k) {
    const std::string left = k < ranking.positive.size() ? Cell(ranking.positive[k], sizes) : "";
    const std::string right = k < ranking.negative.size() ? Cell(ranking.negative[k], sizes) : "";
    *text += EndedLine("  " + Fitted(left, kColumnWidth) + "  " + right);
  }
}

/// Both names of a pair; each is cut if there is not enough room for both.
std::string PairName(const PairSummary& pairs, const PairWeight& pair) {
  const std::size_t room = kColumnWidth - kNumberWidth - 2 - 3;
  const std::size_t first = Length(pair.first);
  const std::size_t second = Length(pair.second);
  const std::size_t half = room / 2;
  const std::size_t for_first = std::min(first, std::max(half, room - std::min(room, second)));
  const std::size_t for_second = std::min(second, room - for_first);
  const auto fitted = [](const std::string& name, std::size_t width) {
    return Fitted(name, std::max<std::size_t>(1, width));
  };
  return fitted(pair.first, for_first) + (pairs.directed ? " → " : " + ") +
         fitted(pair.second, for_second);
}

WeightRanking RankingOf(const PairSummary& pairs) {
  const auto named = [&](const std::vector<PairWeight>& list) {
    std::vector<NamedWeight> result;
    for (const PairWeight& pair : list)
      result.push_back({PairName(pairs, pair), pair.weight, kNone});
    return result;
  };
  return {named(pairs.positive), named(pairs.negative), 0, 0};
}

void AppendLabel(const LabelWeights& label, std::string* text) {
  static const char* titles[2] = {"speaks for it", "speaks against it"};
  std::string constants;
  for (const NamedWeight& constant : label.constants)
    constants += (constants.empty() ? "" : ", ") + constant.name + " " + Number(constant.weight, 4);
  const std::string name = label.label.empty() ? "edges" : label.label;
  const std::size_t room = kLineWidth - std::min(kLineWidth / 2, constants.size() + 2);
  *text += "\n" + EndedLine(Fitted(name, std::min(room, Length(name))) +
                            (constants.empty() ? "" : "  " + constants));
  AppendRanking(label.features, titles, text);
}

Json ToJson(const std::vector<NamedWeight>& list) {
  Json json = Json::array();
  for (const NamedWeight& entry : list) {
    Json item = {{"name", entry.name}, {"weight", entry.weight}};
    if (!std::isnan(entry.size)) item["size"] = entry.size;
    json.push_back(std::move(item));
  }
  return json;
}

Json ToJson(const std::vector<PairWeight>& list) {
  Json json = Json::array();
  for (const PairWeight& pair : list)
    json.push_back({{"first", pair.first}, {"second", pair.second}, {"weight", pair.weight}});
  return json;
}

}  // namespace

std::string Fitted(std::string_view text, std::size_t width) {
  const bool cut = Length(text) > width;
  const std::size_t room = cut ? width - 1 : width;
  std::string fitted;
  std::size_t used = 0;
  for (const char c : text) {
    if (!IsContinuation(c) && used++ == room && cut) break;
    fitted += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  }
  if (cut) return fitted + "…";
  return fitted + std::string(width - used, ' ');
}

std::string WeightsText(const WeightSummary& summary) {
  static const char* kPairTitles[2] = {"attract each other", "repel each other"};
  std::string text;
  for (const std::string& note : summary.notes) text += Wrap(note, kLineWidth) + "\n";
  for (const LabelWeights& label : summary.labels) AppendLabel(label, &text);
  for (const PairSummary& pairs : summary.pairs) {
    text += "\n" + pairs.title + " (" + std::to_string(pairs.count) + ")\n";
    AppendRanking(RankingOf(pairs), kPairTitles, &text);
  }
  for (const WeightList& list : summary.lists) {
    text += "\n" + list.title + "\n";
    for (const NamedWeight& entry : list.weights) text += EndedLine("  " + Cell(entry, false));
  }
  return text;
}

Json WeightsJson(const WeightSummary& summary) {
  Json json = {{"notes", summary.notes},
               {"labels", Json::array()},
               {"pairs", Json::array()},
               {"lists", Json::array()}};
  for (const LabelWeights& label : summary.labels) {
    json["labels"].push_back({{"label", label.label},
                              {"constants", ToJson(label.constants)},
                              {"num_positive", label.features.num_positive},
                              {"num_negative", label.features.num_negative},
                              {"positive", ToJson(label.features.positive)},
                              {"negative", ToJson(label.features.negative)}});
  }
  for (const PairSummary& pairs : summary.pairs) {
    json["pairs"].push_back({{"title", pairs.title},
                             {"directed", pairs.directed},
                             {"count", pairs.count},
                             {"positive", ToJson(pairs.positive)},
                             {"negative", ToJson(pairs.negative)}});
  }
  for (const WeightList& list : summary.lists)
    json["lists"].push_back({{"title", list.title}, {"weights", ToJson(list.weights)}});
  return json;
}

}  // namespace slackline::internal::program
