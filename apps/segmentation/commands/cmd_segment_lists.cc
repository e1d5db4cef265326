// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/commands/cmd_segment_lists.h>

#include <algorithm>
#include <unordered_map>

#include <slackline/core/check.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>

namespace slackline::internal::program {
namespace {

constexpr std::size_t kMostClasses = 255;

bool HasControlCharacters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

}  // namespace

std::vector<std::string> ReadClassNames(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> names;
  std::unordered_map<std::string, long> lines;
  long blank = 0;
  for (std::string_view line; reader.Next(&line);) {
    const std::string name(Trimmed(line));
    if (name.empty()) {
      if (blank == 0) blank = reader.line_number();
      continue;
    }
    if (blank > 0) throw DataError(reader.name(), blank, "the name of a class is empty");
    if (HasControlCharacters(name)) {
      throw DataError(
          reader.name(), reader.line_number(),
          "the name of class " + Quoted(name) + " has control characters: is this a text file?");
    }
    const auto [found, added] = lines.emplace(name, reader.line_number());
    if (!added) {
      throw DataError(
          reader.name(), reader.line_number(),
          "class " + Quoted(name) + " is also in line " + std::to_string(found->second));
    }
    names.push_back(name);
    if (names.size() > kMostClasses) {
      throw DataError(
          reader.name(), reader.line_number(),
          "too many classes: at most " + std::to_string(kMostClasses) + " are possible");
    }
  }
  if (names.size() < 2) throw DataError(reader.name(), 0, "at least 2 classes are needed");
  return names;
}

void ReadImageList(const std::string& path, std::vector<ListedImage>* images) {
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t k = 0; k < images->size(); ++k) known.emplace((*images)[k].name, k);
  const std::size_t before = images->size();
  LineReader reader(path);
  for (std::string_view line; reader.Next(&line);) {
    const std::string name(Trimmed(line));
    if (name.empty()) continue;
    if (HasControlCharacters(name))
      throw DataError(reader.name(), reader.line_number(),
                      "not the name of an image: " + Quoted(name));
    const auto [found, added] = known.emplace(name, images->size());
    if (!added) {
      const ListedImage& other = (*images)[found->second];
      throw DataError(reader.name(), reader.line_number(),
                      "image " + Quoted(name) + " is also in " +
                          (found->second < before ? other.list + ", " : "") + "line " +
                          std::to_string(other.line));
    }
    images->push_back({name, reader.name(), reader.line_number()});
  }
  if (images->size() == before) throw DataError(reader.name(), 0, "no images");
}

}  // namespace slackline::internal::program
