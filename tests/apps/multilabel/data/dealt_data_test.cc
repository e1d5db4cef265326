// SPDX-License-Identifier: BSD-3-Clause
//
// Multi-label data that several ranks read together: the examples of the ranks, one after the
// other, are those of one rank, and everything else is the same on all ranks.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/check.h>
#include <tests/core/data_folder.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/dealt.h>
#include <tests/support/thread_ranks.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Example {
  std::string file;
  long line;
  bool dense;
  std::vector<Index> columns;
  std::vector<double> values;
  std::vector<std::int8_t> labels;
  bool operator==(const Example&) const = default;
};

std::vector<Example> ExamplesOf(const MultiLabelData& data) {
  std::vector<Example> examples;
  for (Index m = 0; m < data.num_examples(); ++m) {
    const FeatureRow row = data.rows->row(m);
    const auto labels = data.labels.begin() + Offset{m} * data.num_labels();
    Example example{data.FileOf(m), data.lines[m], row.dense(), {}, {}, {}};
    if (!row.dense()) example.columns.assign(row.columns, row.columns + row.count);
    example.values.assign(row.values, row.values + row.count);
    example.labels.assign(labels, labels + data.num_labels());
    examples.push_back(std::move(example));
  }
  CHECK(data.rows->size() == data.num_examples());
  return examples;
}

MultiLabelData ReadOn(Ranks& ranks, const std::string& path, MultiLabelReadOptions options,
                      int shards) {
  options.ranks = &ranks;
  options.shards = shards;
  return ReadMultiLabelData(path, options);
}

/// Checks the data of all deals; returns those of one rank.
MultiLabelData CheckDeals(const std::string& path, const MultiLabelReadOptions& options) {
  MultiLabelData one = ReadMultiLabelData(path, options);
  const std::vector<Example> examples = ExamplesOf(one);
  REQUIRE(examples.size() >= 7);
  for (const Deal& deal : Deals()) {
    CAPTURE(path);
    CAPTURE(deal.ranks);
    CAPTURE(deal.shards);
    const std::vector<MultiLabelData> parts = OnEachRank(
        deal.ranks, [&](ThreadRanks& ranks) { return ReadOn(ranks, path, options, deal.shards); });
    std::vector<Example> joined;
    for (int r = 0; r < deal.ranks; ++r) {
      const MultiLabelData& part = parts[Size(r)];
      CHECK(std::ssize(joined) ==
            one.num_examples() * (Offset{deal.shards} * r / deal.ranks) / deal.shards);
      for (Example& example : ExamplesOf(part)) joined.push_back(std::move(example));
      CHECK(part.source == one.source);
      CHECK(part.label_names == one.label_names);
      CHECK(part.num_features == one.num_features);
      CHECK(part.feature_names == one.feature_names);
      CHECK(part.has_constant == one.has_constant);
      CHECK(part.fill_values == one.fill_values);
      CHECK(part.notes == one.notes);
    }
    CHECK(joined == examples);
  }
  return one;
}

/// The message on `processes` ranks, which must be the same on all of them.
std::string Message(const std::string& path, const MultiLabelReadOptions& options, int processes) {
  std::vector<std::string> messages(Size(processes));
  OnThreadRanks(processes, [&](ThreadRanks& ranks) {
    messages[Size(ranks.rank())] = MessageOf<DataError>([&] { ReadOn(ranks, path, options, 0); });
  });
  for (const std::string& message : messages) CHECK(message == messages[0]);
  return messages[0];
}

MultiLabelReadOptions Labels(Index count, bool constant = true) {
  MultiLabelReadOptions options;
  options.num_labels = count;
  options.append_constant = constant;
  return options;
}

std::string LibsvmText() {
  std::string text = "% a comment before the data\n\n";
  for (int k = 0; k < 23; ++k) {
    text += std::to_string(k % 4) + (k % 3 == 0 ? ",4" : "");
    for (int f = 1; f <= 1 + k * k % 17; ++f)
      text += " " + std::to_string(f * (k % 5 + 1)) + ":" + std::to_string(0.1 * k);
    text += k % 4 == 0 ? "  # why\r\n" : "\n";
    if (k % 5 == 0) text += "# a comment\n\n  \t\r\n";
  }
  return text + "? 2:1\n" + " 3:4\n" + "1";
}

const char* const kXml = "<labels><label name=\"B\"/><label name=\"A\"/></labels>";
const char* const kHeader =
    "% ARFF\n@relation r\n@attribute x numeric\n@attribute A {0,1}\n@attribute c {red,green,blue}\n"
    "@attribute y real\n@attribute B {0,1}\n@data\n";

std::string ArffRows() {
  std::string text;
  for (int k = 0; k < 30; ++k) {
    const std::string x = k % 4 == 1 ? "?" : std::to_string(0.1 * k * k) + (k == 7 ? "e20" : "");
    const std::string color = k % 7 == 2 ? "?" : k % 2 == 0 ? "green" : "blue";
    const std::string y = k % 5 == 3 ? "?" : std::to_string(-1.0 / (k + 1));
    text += k % 3 == 0
                ? "{0 " + x + ", 1 " + std::to_string(k % 2) + ", 2 " + color + ", 3 " + y + "}"
                : x + "," + std::to_string(k % 2) + "," + color + "," + y + ",?";
    text += k % 6 == 0 ? "\r\n%\n\n" : "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("LIBSVM data: plain, gzip and in a folder") {
  const TemporaryFolder folder;
  const std::string text = LibsvmText();
  CHECK(CheckDeals(folder.Write("data.svm", text), Labels(5)).num_examples() == 26);
  CheckDeals(folder.Write("no_constant.svm", text), Labels(5, false));
  CheckDeals(folder.WriteGzip("data.svm.gz", text), Labels(5));
  CheckDeals(folder.Write("mark.svm", "\xEF\xBB\xBF" + text.substr(text.find("0,4"))), Labels(5));
  const std::string parts = WriteParts(
      folder, "parts", {"", text, text.substr(0, 300) + "\n", "", "# only this\n", text});
  const MultiLabelData data = CheckDeals(parts, Labels(5));
  CHECK(data.num_examples() > 52);
  CHECK(data.source == parts);
  CHECK(data.FileOf(0) == parts + "/part-1.gz");
  CHECK(data.lines[0] == 3);
  CHECK(data.FileOf(data.num_examples() - 1) == parts + "/part-5.gz");
}

TEST_CASE("the largest feature may be that of any rank") {
  const TemporaryFolder folder;
  for (std::size_t large = 0; large < 10; ++large) {
    std::string text;
    for (std::size_t k = 0; k < 10; ++k) text += k == large ? "0 700:1\n" : "1 3:1\n";
    CHECK(CheckDeals(folder.Write("data.svm", text), Labels(2)).num_features == 700);
  }
}

TEST_CASE("data for a model leave out what the model does not know, with the note of one rank") {
  const TemporaryFolder folder;
  MultiLabelReadOptions options;
  options.label_names = {"a", "b", "c", "d", "e"};
  options.num_features = 20;
  const MultiLabelData data = CheckDeals(folder.Write("data.svm", LibsvmText()), options);
  REQUIRE(data.notes.size() == 1);
  CHECK(Contains(data.notes[0], "beyond the model's 20 left out (first feature "));
  CheckDeals(WriteParts(folder, "parts", {"0 1:1\n", LibsvmText(), LibsvmText()}), options);
}

TEST_CASE("ARFF data: plain, gzip and in a folder, with the means of all ranks") {
  const TemporaryFolder folder;
  MultiLabelReadOptions options;
  options.labels_xml = folder.Write("labels.xml", kXml);
  options.append_constant = true;
  const std::string text = kHeader + ArffRows();
  const MultiLabelData data = CheckDeals(folder.Write("data.arff", text), options);
  CHECK(data.num_examples() == 30);
  CHECK(data.fill_values.size() == 5);
  CHECK(data.notes.size() > 0);
  CheckDeals(folder.WriteGzip("data.arff.gz", text), options);
  CheckDeals(WriteParts(folder, "parts",
                        {text, "", kHeader, std::string(kHeader) + "\n1,1,red,2,0", "%\n", text}),
             options);
  MultiLabelReadOptions model;
  model.label_names = data.label_names;
  model.feature_names = data.feature_names;
  model.num_features = data.num_features;
  model.fill_values = data.fill_values;
  CheckDeals(folder.Write("data.arff", text), model);
}

TEST_CASE("the data of the examples") {
  const std::string data = SLACKLINE_SOURCE_DIR "/data/";
  MultiLabelReadOptions options;
  options.labels_xml = data + "yeast/yeast.xml";
  const MultiLabelData yeast = CheckDeals(data + "yeast/yeast-train.arff.gz", options);
  CHECK(yeast.num_examples() == 1500);
}

TEST_CASE("an error on one rank is the error of all, and that of one rank") {
  const TemporaryFolder folder;
  std::string good;
  for (int k = 0; k < 40; ++k) good += std::to_string(k % 3) + " 1:1 2:" + std::to_string(k) + "\n";
  const auto check = [&](const std::string& path, const MultiLabelReadOptions& options,
                         const std::string& part) {
    const std::string one = MessageOf<DataError>([&] { ReadMultiLabelData(path, options); });
    CHECK_MESSAGE(Contains(one, part), one);
    for (const int processes : {2, 3, 5}) CHECK(Message(path, options, processes) == one);
  };
  check(folder.Write("a", good + "1 1:x\n" + good), Labels(3), "a:41: the value of '1:x'");
  check(folder.WriteGzip("b", "7\n" + good + "1 1:x\n" + good), Labels(3), "b:1: label '7'");
  check(folder.Write("c", good + good + "1 0:1\n"), Labels(3), "c:81: feature index 0");
  check(WriteParts(folder, "d", {good, good, "0\n1 1:nan\n", good}), Labels(3), "d/part-2:2: ");
  check(folder.Write("e", good), {}, "e: a LIBSVM file does not contain the number of labels");
  check(folder.Write("f", "1\n2\n0\n1\n1\n1\n"), Labels(3, false), "f: no features");
  check(folder.Write("g", "# nothing\n"), Labels(3), "g: no examples");
  check(folder.Path("nowhere"), Labels(3), "nowhere: cannot open the file");

  MultiLabelReadOptions arff;
  arff.labels_xml = folder.Write("labels.xml", kXml);
  const std::string rows = ArffRows();
  check(folder.Write("h", kHeader + rows + "1,1,pink,1,1\n"), arff, "'pink' of attribute 'c'");
  check(folder.Write("i", std::string("@attribute x integer\n@atribute y real\n@data\n") + rows),
        arff, "i:2: unknown declaration");
  check(folder.Write("j", kHeader), arff, "j: no examples after @data");
  check(folder.Write("k", kHeader + rows), Labels(2), "k: an ARFF file does not say");
  const std::string text = kHeader + rows;
  std::string other = text;
  other.replace(other.find("@attribute y real"), 17, "@attribute z real");
  check(WriteParts(folder, "l", {text, text, other}), arff,
        "l/part-2:6: attribute 'z' is not declared like attribute 'y' of ");
  check(WriteParts(folder, "m", {text, text, "1,1,red,1,1\n"}), arff,
        "m/part-2:1: expected @attribute or @data");
  check(WriteParts(folder, "n", {text, text + "1\n", text}), arff, "n/part-1.gz:");
}

TEST_CASE("the memory of all features is checked, also where one rank has them") {
  const TemporaryFolder folder;
  std::string text;
  for (int k = 0; k < 20; ++k) text += k == 13 ? "0 2000000000:1\n" : "1 3:1\n";
  MultiLabelReadOptions options = Labels(2);
  options.bytes_per_weight = 1e9;
  options.bytes_per_label_entry = 1;
  const std::string path = folder.Write("data.svm", text);
  const std::string one = MessageOf<DataError>([&] { ReadMultiLabelData(path, options); });
  CHECK(Contains(one, "data.svm:14: feature '2000000000:1' makes 2 labels"));
  CHECK(Message(path, options, 3) == one);
}

TEST_CASE("what several processes cannot read") {
  const TemporaryFolder folder;
  CHECK(Contains(Message("-", Labels(3), 2), "<stdin>: only one process can read"));
  CHECK(Contains(Message(folder.Write("two.svm", "1 1:1\n0 1:2\n"), Labels(2), 3),
                 "two.svm: 2 examples are not enough for 3 processes"));
  MultiLabelReadOptions table;
  table.label_columns = "a";
  const std::string csv = folder.Write("t.csv", "a,b\n1,2\n0,3\n");
  CHECK(
      Contains(Message(csv, table, 2), "several processes cannot have data in a table (CSV, TSV)"));
  CHECK(Contains(Message(csv, table, 2), "convert it to LIBSVM or ARFF"));
  CHECK(Message(csv, table, 1) == "nothing was thrown");
  const std::string parts = WriteParts(folder, "tables", {"a,b\n1,2\n", "a,b\n0,3\n"});
  CHECK(Contains(Message(parts, table, 1), "a folder cannot have data in a table"));
}
