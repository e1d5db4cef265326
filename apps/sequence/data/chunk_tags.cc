// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/chunk_tags.h>

#include <algorithm>

#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

using Role = ChunkTag::Role;

Role RoleOf(std::string_view prefix, Role other) {
  if (prefix == "O") return Role::kOutside;
  if (prefix == "B") return Role::kBegin;
  if (prefix == "I") return Role::kInside;
  if (prefix == "E" || prefix == "L") return Role::kEnd;
  if (prefix == "S" || prefix == "U") return Role::kSingle;
  return other;
}

/// 'B' or 'I' if the label is B-X or I-X with a non-empty X, else 0.
char BioPrefix(std::string_view label) {
  const bool marked = label.size() > 2 && (label[0] == 'B' || label[0] == 'I') && label[1] == '-';
  return marked ? label[0] : '\0';
}

}  // namespace

ChunkTag ParseChunkTag(std::string_view label) {
  const std::size_t dash = label.find('-');
  if (dash == std::string_view::npos) return {RoleOf(label, Role::kOutside), {}};
  const Role role = RoleOf(label.substr(0, dash), Role::kInside);
  if (role == Role::kOutside) return {};
  return {role, label.substr(dash + 1)};
}

bool BeginsChunk(const ChunkTag& previous, const ChunkTag& tag) {
  if (tag.role == Role::kOutside) return false;
  if (tag.role == Role::kBegin || tag.role == Role::kSingle) return true;
  if (previous.role == Role::kOutside || previous.role == Role::kEnd ||
      previous.role == Role::kSingle)
    return true;
  return previous.type != tag.type;
}

bool LooksLikeChunks(std::span<const std::string> label_names) {
  bool any = false;
  for (const std::string& label : label_names) {
    const std::size_t dash = label.find('-');
    const bool marked =
        dash != std::string::npos && dash + 1 < label.size() &&
        RoleOf(std::string_view(label).substr(0, dash), Role::kOutside) != Role::kOutside;
    if (!marked && label != "O") return false;
    any = any || marked;
  }
  return any;
}

bool LooksLikeBio(std::span<const std::string> label_names) {
  return WhyNotBio(label_names).empty();
}

std::string WhyNotBio(std::span<const std::string> label_names) {
  bool any = false;
  for (const std::string& label : label_names) {
    const char prefix = BioPrefix(label);
    if (prefix == '\0' && label != "O")
      return "label " + Quoted(label) + " is neither O nor B- or I- with a type";
    any = any || prefix == 'B';
    if (prefix != 'I') continue;
    const std::string begin = "B" + label.substr(1);
    if (std::find(label_names.begin(), label_names.end(), begin) == label_names.end())
      return "label " + Quoted(label) + " can follow nothing: there is no label " + Quoted(begin);
  }
  return any ? "" : "no label begins a chunk";
}

BioRules BioAllowed(std::span<const std::string> label_names) {
  const std::size_t count = label_names.size();
  BioRules rules{static_cast<Index>(count), std::vector<bool>(count, true),
                 std::vector<bool>(count * count, true)};
  for (std::size_t to = 0; to < count; ++to) {
    if (BioPrefix(label_names[to]) != 'I') continue;
    const std::string_view type = std::string_view(label_names[to]).substr(2);
    rules.start[to] = false;
    for (std::size_t from = 0; from < count; ++from) {
      const std::string_view before = label_names[from];
      rules.transition[from * count + to] = BioPrefix(before) != '\0' && before.substr(2) == type;
    }
  }
  return rules;
}

}  // namespace slackline::internal
