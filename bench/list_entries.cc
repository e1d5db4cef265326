// SPDX-License-Identifier: BSD-3-Clause
#include "bench/list_entries.h"

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>

namespace slackline::internal::bench {
namespace {

void AddOption(std::string_view piece, ListEntry* entry) {
  const std::size_t equals = piece.find('=');
  if (equals == std::string_view::npos) {
    throw DataError(Quoted(entry->name) + ": " + Quoted(piece) +
                    " is not of the form option=value");
  }
  entry->options.emplace_back(piece.substr(0, equals), piece.substr(equals + 1));
}

}  // namespace

std::string ListEntry::text() const {
  std::string text = name;
  for (std::size_t k = 0; k < options.size(); ++k)
    text += (k == 0 ? ":" : ",") + options[k].first + "=" + options[k].second;
  return text;
}

std::vector<ListEntry> SplitEntries(std::string_view list) {
  std::vector<ListEntry> entries;
  for (const std::string& text : Split(list, ',')) {
    const std::string_view piece = Trimmed(text);
    const std::size_t colon = piece.find(':');
    if (colon != std::string_view::npos) {
      entries.push_back({std::string(piece.substr(0, colon)), {}});
      AddOption(piece.substr(colon + 1), &entries.back());
    } else if (piece.find('=') != std::string_view::npos && !entries.empty()) {
      AddOption(piece, &entries.back());
    } else {
      entries.push_back({std::string(piece), {}});
    }
  }
  std::vector<ListEntry> different;
  for (ListEntry& entry : entries) {
    const auto same = [&](const ListEntry& other) { return other.text() == entry.text(); };
    if (std::none_of(different.begin(), different.end(), same))
      different.push_back(std::move(entry));
  }
  return different;
}

ListEntry WithoutName(ListEntry entry, std::span<const NamedEntry> names) {
  for (const NamedEntry& named : names) {
    if (named.name != entry.name) continue;
    ListEntry whole = SplitEntries(named.entry).front();
    whole.options.insert(whole.options.end(), entry.options.begin(), entry.options.end());
    return whole;
  }
  return entry;
}

const std::string* EntryOptions::Find(std::string_view name) {
  known_.emplace_back(name);
  const std::string* value = nullptr;
  for (std::size_t k = 0; k < read_.size(); ++k) {
    if (entry_.options[k].first != name) continue;
    read_[k] = 1;
    value = &entry_.options[k].second;
  }
  return value;
}

void EntryOptions::Refuse(std::string_view name, const std::string& value,
                          const char* allowed) const {
  throw DataError(Quoted(entry_.text()) + ": " + std::string(name) + ": " + Quoted(value) +
                  " is not allowed; it must be " + allowed);
}

void EntryOptions::Read(std::string_view name, Index* count, Index least) {
  const std::string* value = Find(name);
  if (value == nullptr) return;
  if (!ParseIndex(*value, count) || *count < least)
    Refuse(name, *value, least > 0 ? "a whole number ≥ 1" : "a whole number ≥ 0");
}

void EntryOptions::Read(std::string_view name, double* number) {
  const std::string* value = Find(name);
  if (value != nullptr && !ParseNumber(*value, number)) Refuse(name, *value, "a number");
}

void EntryOptions::Read(std::string_view name, bool* flag) {
  const std::string* value = Find(name);
  if (value == nullptr) return;
  if (*value != "on" && *value != "off") Refuse(name, *value, "on or off");
  *flag = *value == "on";
}

void EntryOptions::Read(std::string_view name, std::string* text) {
  const std::string* value = Find(name);
  if (value != nullptr) *text = *value;
}

void EntryOptions::RequireAllRead() const {
  for (std::size_t k = 0; k < read_.size(); ++k) {
    if (read_[k] != 0) continue;
    throw DataError(Quoted(entry_.text()) + ": unknown option " + Quoted(entry_.options[k].first) +
                    DidYouMean(entry_.options[k].first, {known_.begin(), known_.end()}));
  }
}

}  // namespace slackline::internal::bench
