// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/multilabel_data.h>

#include <algorithm>
#include <new>
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

/// Tells lines of places in a text; the time for places in rising order is linear in the text.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}

  long LineOf(std::ptrdiff_t offset) {
    const auto place = static_cast<std::size_t>(
        std::clamp(offset, std::ptrdiff_t{0}, static_cast<std::ptrdiff_t>(text_.size())));
    if (place < counted_) *this = LineCounter(text_);
    const std::string_view step = text_.substr(counted_, place - counted_);
    line_ += static_cast<long>(std::count(step.begin(), step.end(), '\n'));
    counted_ = place;
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t counted_ = 0;
  long line_ = 1;  // of the place counted_
};

/// Walks over the document in its order; a loop, so that deep nesting cannot exhaust the stack.
class LabelCollector : public pugi::xml_tree_walker {
 public:
  LabelCollector(const std::string& path, LineCounter* lines_of) : path_(path), counter_(*lines_of) {}

  bool for_each(pugi::xml_node& node) override {
    if (node.type() != pugi::node_element || LocalName(node) != "label") return true;
    std::string name = node.attribute("name").value();
    const long line = counter_.LineOf(node.offset_debug());
    const auto fail = [&](const std::string& message) { throw DataError(path_, line, message); };
    if (name.empty()) fail("a label without a name");
    if (!seen_.insert(name).second) fail("label " + Quoted(name) + " is named twice");
    names.push_back(std::move(name));
    lines.push_back(line);
    return true;
  }

  std::vector<std::string> names;
  std::vector<long> lines;

 private:
  const std::string& path_;
  LineCounter& counter_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

std::vector<std::string> ReadMulanLabelNames(const std::string& path, std::vector<long>* lines) {
  LineReader reader(path);
  const std::string text = ReadAll(&reader);
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
  if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
  LineCounter counter(text);
  if (!result)
    throw DataError(reader.name(), counter.LineOf(result.offset),
                    std::string("not XML: ") + result.description());
  pugi::xml_node root = document.document_element();
  if (LocalName(root) != "labels") {
    throw DataError(reader.name(), counter.LineOf(root.offset_debug()),
                    "not a file of label names: the outermost element is <" + std::string(root.name()) +
                        ">, not <labels>");
  }
  LabelCollector collector(reader.name(), &counter);
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
