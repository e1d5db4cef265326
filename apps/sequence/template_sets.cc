// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/template_sets.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include <slackline/apps/common/string_table.h>
#include <slackline/apps/common/text_exchange.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr std::string_view kSpelling = "spelling";
constexpr std::string_view kChunking = "chunking";
constexpr std::string_view kBoth = "chunking+spelling";
constexpr std::string_view kNames[] = {kAuto, kChunking, kSpelling, kBoth};

constexpr const char* kWords =
    "# Words\n"
    "U00: %x[-2,0]\n"
    "U01: %x[-1,0]\n"
    "U02: %x[0,0]\n"
    "U03: %x[1,0]\n"
    "U04: %x[2,0]\n"
    "U05: %x[-1,0]/%x[0,0]\n"
    "U06: %x[0,0]/%x[1,0]\n";

constexpr const char* kPartsOfSpeech =
    "# Parts of speech\n"
    "U10: %x[-2,1]\n"
    "U11: %x[-1,1]\n"
    "U12: %x[0,1]\n"
    "U13: %x[1,1]\n"
    "U14: %x[2,1]\n"
    "U15: %x[-2,1]/%x[-1,1]\n"
    "U16: %x[-1,1]/%x[0,1]\n"
    "U17: %x[0,1]/%x[1,1]\n"
    "U18: %x[1,1]/%x[2,1]\n"
    "U20: %x[-2,1]/%x[-1,1]/%x[0,1]\n"
    "U21: %x[-1,1]/%x[0,1]/%x[1,1]\n"
    "U22: %x[0,1]/%x[1,1]/%x[2,1]\n";

constexpr const char* kWordSpelling =
    "# Spelling\n"
    "U10: %low[0,0]\n"
    "U11: %shape[0,0]\n"
    "U12: %pre[0,0,1]\n"
    "U13: %pre[0,0,2]\n"
    "U14: %pre[0,0,3]\n"
    "U15: %suf[0,0,1]\n"
    "U16: %suf[0,0,2]\n"
    "U17: %suf[0,0,3]\n";

/// Spelling features in addition to parts of speech. Features of first characters and of the last
/// one make chunking worse at small λ (docs/notebook/sequences.md).
constexpr const char* kMoreSpelling =
    "# Spelling\n"
    "U30: %low[0,0]\n"
    "U31: %shape[0,0]\n"
    "U32: %suf[0,0,2]\n"
    "U33: %suf[0,0,3]\n";

bool IsWord(std::string_view text) {
  std::size_t characters = 0;
  bool letter = false;
  for (const char c : text) {
    const bool ascii = static_cast<unsigned char>(c) < 0x80;
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++characters;
    letter = letter || !ascii || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
  return characters >= 2 && letter;
}

std::string NamesText() {
  std::string text;
  for (const std::string_view name : kNames) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

FeatureTemplates ReadTemplateFile(const std::string& name, Index columns) {
  std::error_code error;
  if (name != "-" && !std::filesystem::exists(name, error)) {
    throw DataError(
        name, 0,
        "there is neither such a file nor such a set of templates; the sets are " + NamesText());
  }
  return FeatureTemplates::Read(name, columns);
}

std::string_view SetOfAuto(Index num_columns, bool holds_words) {
  SLACKLINE_CHECK(num_columns >= 1, "templates need a column");
  if (num_columns == 1) return kSpelling;
  return holds_words ? kBoth : kChunking;
}

}  // namespace

std::span<const std::string_view> TemplateSetNames() { return kNames; }

bool IsTemplateSet(std::string_view name) {
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool HoldsWords(const TokenTable& tokens, Index column, Ranks& ranks) {
  SLACKLINE_CHECK(column >= 0 && column < tokens.num_columns, "there is no such column");
  std::vector<bool> seen(tokens.texts.size(), false);
  Offset different = 0;
  Offset words = 0;
  const auto count = [&](std::string_view text) {
    ++different;
    words += IsWord(text) ? 1 : 0;
  };
  StringTable texts;  // of the column; with several ranks only
  for (std::size_t k = column; k < tokens.cells.size(); k += tokens.num_columns) {
    const Index number = tokens.cells[k];
    if (seen[number]) continue;
    seen[number] = true;
    const std::string_view text = tokens.texts.text(number);
    if (ranks.alone()) {
      count(text);
    } else {
      texts.Add(text);
    }
  }
  if (!ranks.alone()) {
    const TextExchange exchange(ranks, texts);
    for (Index k = 0; k < exchange.owned().size(); ++k) count(exchange.owned().text(k));
    different = ranks.SumOf(different);
    words = ranks.SumOf(words);
  }
  return different > 0 && 2 * words >= different;
}

std::string_view ChooseTemplateSet(const TokenTable& tokens, Ranks& ranks) {
  return SetOfAuto(tokens.num_columns, tokens.num_columns > 1 && HoldsWords(tokens, 0, ranks));
}

std::string TemplateSetText(std::string_view name, Index num_columns) {
  if (!IsTemplateSet(name)) {
    throw DataError("there is no set of templates " + Quoted(name) + "; the sets are " +
                    NamesText());
  }
  if (name == kAuto) name = SetOfAuto(num_columns, true);
  if (name == kSpelling) return std::string(kWords) + kWordSpelling;
  if (num_columns < 2) {
    throw DataError(
        "the templates " + std::string(name) +
        " need words and parts of speech, but the data have one column without the labels");
  }
  return std::string(kWords) + kPartsOfSpeech + (name == kBoth ? kMoreSpelling : "");
}

FeatureTemplates ReadTemplates(const std::string& name, const TokenTable& tokens, Ranks& ranks) {
  const Index columns = tokens.num_columns;
  if (name.empty() || name == kAuto) {
    const std::string_view chosen = ChooseTemplateSet(tokens, ranks);
    return FeatureTemplates::Parse(TemplateSetText(chosen, columns), std::string(chosen), columns);
  }
  if (IsTemplateSet(name))
    return FeatureTemplates::Parse(TemplateSetText(name, columns), name, columns);
  FeatureTemplates templates;
  OnAllRanks(ranks, [&] { templates = ReadTemplateFile(name, columns); });
  return templates;
}

std::string_view TemplateSetOf(const FeatureTemplates& templates) {
  for (const std::string_view name : kNames) {
    if (name == kAuto || (name != kSpelling && templates.num_columns() < 2)) continue;
    const auto set = FeatureTemplates::Parse(TemplateSetText(name, templates.num_columns()), "set",
                                             templates.num_columns());
    if (set.text() == templates.text()) return name;
  }
  return {};
}

}  // namespace slackline::internal
