// SPDX-License-Identifier: BSD-3-Clause
//
// Multi-label data that several ranks read together: the examples of the ranks, one after the
// other, are those of one rank, and everything else is the same on all ranks.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/check.h>
#include <slackline/core/memory_limit.h>
#include <tests/apps/multilabel/read_options.h>
#include <tests/core/data_folder.h>
#include <tests/core/piped_input.h>
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
            one.num_examples() *
                (std::min<Offset>(deal.shards, one.num_examples()) * r / deal.ranks) /
                std::min<Offset>(deal.shards, one.num_examples()));
      for (Example& example : ExamplesOf(part)) joined.push_back(std::move(example));
      CHECK(part.source == one.source);
      CHECK(part.label_names == one.label_names);
      CHECK(part.num_features == one.num_features);
      CHECK(part.feature_names == one.feature_names);
      CHECK(part.has_constant == one.has_constant);
      CHECK(part.fill_values == one.fill_values);
      CHECK(part.notes == one.notes);
      REQUIRE((part.table == nullptr) == (one.table == nullptr));
      if (one.table == nullptr) continue;
      CHECK(part.table->ignored == one.table->ignored);
      CHECK(part.table->separator == one.table->separator);
      CHECK(part.table->FeatureNames() == one.table->FeatureNames());
    }
    CHECK(joined == examples);
  }
  return one;
}

std::string DealError(const std::string& path, const MultiLabelReadOptions& options,
                      int processes) {
  return ErrorOnRanks(processes, [&](ThreadRanks& ranks) { ReadOn(ranks, path, options, 0); });
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

const char* const kDealtXml = "<labels><label name=\"B\"/><label name=\"A\"/></labels>";
const char* const kDealtHeader =
    "% ARFF\n@relation r\n@attribute x numeric\n@attribute A {0,1}\n@attribute c {red,green,blue}\n"
    "@attribute y real\n@attribute B {0,1}\n@data\n";

const std::string kDealtTableHeader = "z,id,c,x,A,B\n";

/// Rows from … to − 1 of a table: missing values, a column that counts, quotes with line ends,
/// categories that first occur late, blank lines.
std::string RowsOfTable(int from, int to) {
  std::string text;
  for (int k = from; k < to; ++k) {
    const std::string colour =
        k % 7 == 3 ? "\"a \"\"b\"\",\nc\n\"" : "colour" + std::to_string(k / 6);
    const std::string x = k % 13 == 5 ? "" : std::to_string(0.1 * k + 1.0 / (k + 3));
    text += "0.5," + std::to_string(k + 5) + ", " + colour + " ," + x + "," +
            std::to_string(k % 2) + "," + (k % 5 == 0 ? "?" : "true") +
            (k % 4 == 0 ? "\r\n" : "\n");
    if (k % 6 == 0) text += "  \n";
  }
  return text;
}

MultiLabelReadOptions TableOptions() { return LabelColumns("A,B", "", true); }

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
  CHECK(CheckDeals(folder.Write("data.svm", text), LibsvmOptions(5)).num_examples() == 26);
  CheckDeals(folder.Write("no_constant.svm", text), LibsvmOptions(5, false));
  CheckDeals(folder.WriteGzip("data.svm.gz", text), LibsvmOptions(5));
  CheckDeals(folder.Write("mark.svm", "\xEF\xBB\xBF" + text.substr(text.find("0,4"))),
             LibsvmOptions(5));
  const std::string parts = WriteParts(
      folder, "parts", {"", text, text.substr(0, 300) + "\n", "", "# only this\n", text});
  const MultiLabelData data = CheckDeals(parts, LibsvmOptions(5));
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
    CHECK(CheckDeals(folder.Write("data.svm", text), LibsvmOptions(2)).num_features == 700);
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
  options.labels_xml = folder.Write("labels.xml", kDealtXml);
  options.constant = true;
  const std::string text = kDealtHeader + ArffRows();
  const MultiLabelData data = CheckDeals(folder.Write("data.arff", text), options);
  CHECK(data.num_examples() == 30);
  CHECK(data.fill_values.size() == 5);
  CHECK(data.notes.size() > 0);
  CheckDeals(folder.WriteGzip("data.arff.gz", text), options);
  CheckDeals(WriteParts(folder, "parts",
                        {text, "", kDealtHeader, std::string(kDealtHeader) + "\n1,1,red,2,0", "%\n",
                         text}),
             options);
  MultiLabelReadOptions model;
  model.label_names = data.label_names;
  model.feature_names = data.feature_names;
  model.num_features = data.num_features;
  model.fill_values = data.fill_values;
  CheckDeals(folder.Write("data.arff", text), model);
}

TEST_CASE("the data of the examples") {
  MultiLabelReadOptions options;
  options.labels_xml = kYeast + "yeast.xml";
  const MultiLabelData yeast = CheckDeals(kYeast + "yeast-train.arff.gz", options);
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
    for (const int processes : {2, 3, 5}) CHECK(DealError(path, options, processes) == one);
  };
  check(folder.Write("a", good + "1 1:x\n" + good), LibsvmOptions(3), "a:41: the value of '1:x'");
  check(folder.WriteGzip("b", "7\n" + good + "1 1:x\n" + good), LibsvmOptions(3), "b:1: label '7'");
  check(folder.Write("c", good + good + "1 0:1\n"), LibsvmOptions(3), "c:81: feature index 0");
  check(WriteParts(folder, "d", {good, good, "0\n1 1:nan\n", good}), LibsvmOptions(3),
        "d/part-2:2: ");
  check(folder.Write("e", good), {}, "e: a LIBSVM file does not contain the number of labels");
  check(folder.Write("f", "1\n2\n0\n1\n1\n1\n"), LibsvmOptions(3, false), "f: no features");
  check(folder.Write("g", "# nothing\n"), LibsvmOptions(3), "g: no examples");
  check(folder.Path("nowhere"), LibsvmOptions(3), "nowhere: cannot open the file");

  MultiLabelReadOptions arff;
  arff.labels_xml = folder.Write("labels.xml", kDealtXml);
  const std::string rows = ArffRows();
  check(folder.Write("h", kDealtHeader + rows + "1,1,pink,1,1\n"), arff, "'pink' of attribute 'c'");
  check(folder.Write("i", std::string("@attribute x integer\n@atribute y real\n@data\n") + rows),
        arff, "i:2: unknown declaration");
  check(folder.Write("j", kDealtHeader), arff, "j: no examples after @data");
  check(folder.Write("k", kDealtHeader + rows), LibsvmOptions(2), "k: an ARFF file does not say");
  const std::string text = kDealtHeader + rows;
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
  MultiLabelReadOptions options = LibsvmOptions(2);
  options.bytes_per_weight = 1e9;
  options.bytes_per_label_entry = 1;
  const std::string path = folder.Write("data.svm", text);
  const std::string one = MessageOf<DataError>([&] { ReadMultiLabelData(path, options); });
  CHECK(Contains(one, "data.svm:14: feature '2000000000:1' makes 2 labels"));
  CHECK(DealError(path, options, 3) == one);
}

TEST_CASE("tables are those of one process, with quotes that span lines") {
  const TemporaryFolder folder;
  const std::string text = kDealtTableHeader + RowsOfTable(0, 40);
  const MultiLabelData one = CheckDeals(folder.Write("t.csv", text), TableOptions());
  CHECK(one.table->columns[2].categories.size() == 8);  // of which ranks have seen some each
  CHECK(one.fill_values[0] > 0);
  CHECK(std::ranges::any_of(one.notes, [](const std::string& note) {
    return Contains(note, "3 missing values in 1 column (x 3)");
  }));
  CHECK(std::ranges::any_of(one.notes, [](const std::string& note) {
    return Contains(note, "column 'id' only counts the rows");
  }));
  CheckDeals(folder.WriteGzip("t.csv.gz", text), TableOptions());
  const MultiLabelData parts =
      CheckDeals(WriteParts(folder, "p",
                            {kDealtTableHeader + RowsOfTable(0, 3), "", kDealtTableHeader,
                             kDealtTableHeader + RowsOfTable(3, 40), "\n\n"}),
                 TableOptions());
  CHECK(parts.fill_values == one.fill_values);
  CHECK(parts.table->FeatureNames() == one.table->FeatureNames());
  CHECK(parts.labels == one.labels);
}

TEST_CASE("a number column with more different values than categories may have") {
  const TemporaryFolder folder;
  // 1400 numbers: with two ranks, neither has more than 1000; after 1200 rows of few numbers, the
  // last of two ranks has more than 1000 alone.
  for (const int constant : {0, 1200}) {
    std::string text = "x,y,L\n";
    for (int k = 0; k < constant; ++k) text += std::to_string(k % 3) + ",1,0\n";
    for (int k = 0; k < 1400; ++k)
      text += std::to_string(0.1 * (k * 7 % 1400)) + "," + (k % 9 == 0 ? "" : "2") + ",1\n";
    CHECK(CheckDeals(folder.Write("wide.csv", text), LabelColumns("L")).num_features == 2);
  }
}

TEST_CASE("predictions on tables of several ranks") {
  const TemporaryFolder folder;
  const std::string train = folder.Write("train.csv", kDealtTableHeader + RowsOfTable(0, 30));
  const MultiLabelData data = ReadMultiLabelData(train, TableOptions());
  MultiLabelReadOptions options;
  options.label_names = data.label_names;
  options.num_features = data.num_features;
  options.feature_names = data.feature_names;
  options.table = data.table;
  options.fill_values = data.fill_values;
  const std::string rows = RowsOfTable(0, 30) + "1,40,unheard,2,0,0\n1,41,of,2,0,0\n";
  const MultiLabelData one = CheckDeals(folder.Write("a.csv", kDealtTableHeader + rows), options);
  CHECK(Contains(one.notes.back(),
                 "2 values in 1 column (c 2), of categories unknown to the model "
                 "(first 'unheard' on line " +
                     std::to_string(std::ranges::count(rows, '\n')) + ")"));
  CheckDeals(
      WriteParts(folder, "b", {kDealtTableHeader + RowsOfTable(0, 30), kDealtTableHeader + rows}),
      options);
}

TEST_CASE("with fewer examples than ranks, some have none") {
  const TemporaryFolder folder;
  MultiLabelReadOptions arff;
  arff.labels_xml = folder.Write("l.xml", kDealtXml);
  for (const int examples : {1, 2, 3}) {
    std::string lines;
    for (int k = 0; k < examples; ++k) lines += "1 " + std::to_string(k + 1) + ":0.5\n";
    CheckDeals(folder.Write("a.svm", lines), LibsvmOptions(2));
    lines.clear();
    for (int k = 0; k < examples; ++k) lines += std::to_string(k) + ",1,red,?,0\n";
    CheckDeals(folder.Write("a.arff", kDealtHeader + lines), arff);
    CheckDeals(folder.Write("a.csv", kDealtTableHeader + RowsOfTable(0, examples)), TableOptions());
  }
}

TEST_CASE("errors in tables of several ranks") {
  const TemporaryFolder folder;
  const auto check = [&](const std::string& text, const std::string& expected) {
    const std::string path = folder.Write("bad.csv", text);
    const std::string one = MessageOf<DataError>([&] { ReadMultiLabelData(path, TableOptions()); });
    CAPTURE(one);
    CHECK(Contains(one, expected));
    for (const int ranks : {2, 3}) CHECK(DealError(path, TableOptions(), ranks) == one);
  };
  const std::string rows = RowsOfTable(0, 30);
  const std::string last = "bad.csv:" + std::to_string(2 + std::ranges::count(rows, '\n')) + ": ";
  check(kDealtTableHeader + rows + "1,2\n", last + "the row has 2 values");
  check(kDealtTableHeader + rows + "1,40,red,2,0,7\n", last);
  check(kDealtTableHeader + "1,40,red,1e60,0,0\n" + rows, "bad.csv:2: value '1e60' of column 'x'");
  check(kDealtTableHeader + rows + "1,40,\"red,2,0,0\n", last + "the closing quote");
  check("id,c,A\n" + rows, "there is no column 'B'");
  check(kDealtTableHeader, "bad.csv: no examples after the header");
  std::string texts;  // 60 texts, each twice: too many for categories
  for (int k = 0; k < 120; ++k) texts += "1,1,t" + std::to_string(k % 60) + ",1,0,0\n";
  check(kDealtTableHeader + texts,
        "bad.csv:2: column 'c' has 60 different texts, such as 't0', too many");
  texts.clear();
  for (int k = 0; k < 60; ++k) texts += "1,1,t" + std::to_string(k) + ",1,0,0\n";
  check(kDealtTableHeader + texts, "bad.csv:2: column 'c' has a different text in every row");
  std::string numbers;  // a mistake on the last line; the first rank has seen numbers only
  for (int k = 0; k < 40; ++k) numbers += "1,1,red," + std::to_string(k) + ",0,0\n";
  check(kDealtTableHeader + numbers + "1,1,red,oops,0,0\n",
        "bad.csv:42: value 'oops' of column 'x' is not a number, but 40 others are");
  numbers.clear();  // too many numbers for categories: each rank counts its own values
  for (int k = 0; k < 2400; ++k) numbers += "1,1,red," + std::to_string(k) + ",0,0\n";
  const std::string wide =
      folder.Write("wide.csv", kDealtTableHeader + numbers + "1,1,red,oops,0,0\n");
  for (const int ranks : {1, 2, 3}) {
    CHECK(Contains(DealError(wide, TableOptions(), ranks),
                   "wide.csv:2402: value 'oops' of column 'x' is not a number, but " +
                       std::to_string(ranks == 1   ? 2400
                                      : ranks == 2 ? 1200
                                                   : 2400) +
                       " others are"));
  }

  const std::string other = "z,other,c,x,A,B\n";
  const std::string parts =
      WriteParts(folder, "q", {kDealtTableHeader + rows, other + rows, kDealtTableHeader + rows});
  for (const int ranks : {1, 3})
    CHECK(Contains(DealError(parts, TableOptions(), ranks),
                   "part-1.gz:1: column 2 is 'other', but "));
}

TEST_CASE("ranks that share memory count it together") {
  const TemporaryFolder folder;
  std::string text = "x,L\n";
  for (int k = 0; k < 40; ++k) text += std::to_string(k) + ",1\n";
  MultiLabelReadOptions svm = LibsvmOptions(2, false);
  MultiLabelReadOptions csv = LabelColumns("L");
  // The weights of two labels, or of the constant, take 0.4 of the memory.
  svm.bytes_per_weight = 0.2 * UsableMemory();
  csv.bytes_per_weight = 0.4 * UsableMemory();
  const std::string table = folder.Write("t.csv", text);
  const std::string lines = folder.Write("t.svm", "0 1:1\n1 1:2\n0,1 1:3\n");
  for (const int machine : {1, 2, 3}) {
    const std::string error = ErrorOnRanks(3, [&](ThreadRanks& ranks) {
      for (MultiLabelReadOptions* options : {&svm, &csv}) {
        MultiLabelReadOptions on_rank = *options;
        on_rank.memory = MemoryShare{UsableMemory(), ranks.rank() == 1 ? machine : 1};
        ReadOn(ranks, options == &svm ? lines : table, on_rank, 3);
      }
    });
    CHECK((error == "accepted") == (machine < 3));
    if (machine == 3) CHECK(Contains(error, "3 processes of this machine need about "));
  }
}

TEST_CASE("messages name the standard input, and its line") {
  std::string text;
  for (int k = 0; k < 9; ++k) text += k == 6 ? "1 2;1\n" : "1 2:1\n";
  const PipedInput input(text);
  CHECK(DealError("-", LibsvmOptions(3), 3).starts_with("<stdin>:7: "));
}
