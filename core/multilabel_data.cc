// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/multilabel_data.h>

#include <algorithm>
#include <pugixml.hpp>
#include <string_view>
#include <unordered_set>

#include <slackline/core/arff_reader.h>
#include <slackline/core/check.h>
#include <slackline/core/libsvm_reader.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/parse_number.h>

namespace slackline {
namespace {

std::string_view LocalName(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  return name.substr(name.find(':') == std::string_view::npos ? 0 : name.find(':') + 1);
}

long LineOf(const std::string& text, std::ptrdiff_t offset) {
  const auto end =
      text.begin() + std::clamp(offset, std::ptrdiff_t{0}, static_cast<std::ptrdiff_t>(text.size()));
  return 1 + std::count(text.begin(), end, '\n');
}

/// Walks over the document in its order; a loop, so that deep nesting cannot exhaust the stack.
class LabelCollector : public pugi::xml_tree_walker {
 public:
  LabelCollector(const std::string& path, const std::string& text) : path_(path), text_(text) {}

  bool for_each(pugi::xml_node& node) override {
    if (node.type() != pugi::node_element || LocalName(node) != "label") return true;
    std::string name = node.attribute("name").value();
    const auto fail = [&](const std::string& message) {
      throw DataError(path_, LineOf(text_, node.offset_debug()), message);
    };
    if (name.empty()) fail("a label without a name");
    if (!seen_.insert(name).second) fail("label " + Quoted(name) + " is named twice");
    names.push_back(std::move(name));
    lines.push_back(LineOf(text_, node.offset_debug()));
    return true;
  }

  std::vector<std::string> names;
  std::vector<long> lines;

 private:
  const std::string& path_;
  const std::string& text_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

std::vector<std::string> ReadMulanLabelNames(const std::string& path, std::vector<long>* lines) {
  LineReader reader(path);
  const std::string text = ReadAll(&reader);
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
  if (!result)
    throw DataError(reader.name(), LineOf(text, result.offset),
                    std::string("not XML: ") + result.description());
  pugi::xml_node root = document.document_element();
  if (LocalName(root) != "labels") {
    throw DataError(reader.name(), LineOf(text, root.offset_debug()),
                    "not a file of label names: the outermost element is <" + std::string(root.name()) +
                        ">, not <labels>");
  }
  LabelCollector collector(reader.name(), text);
  root.traverse(collector);
  if (collector.names.empty()) throw DataError(reader.name(), 0, "no labels");
  if (lines != nullptr) *lines = collector.lines;
  return collector.names;
}

MultiLabelData ReadMultiLabelData(const std::string& path, const MultiLabelReadOptions& options) {
  LineReader reader(path);
  std::string_view line;
  while (reader.Next(&line)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || line[first] == '%') continue;
    return line[first] == '@' ? ReadArff(&reader, line, options) : ReadLibsvm(&reader, line, options);
  }
  throw DataError(reader.name(), 0, "no examples");
}

}  // namespace slackline
