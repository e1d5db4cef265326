// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/csv_reader.h>

#include <doctest/doctest.h>

#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/core/check.h>
#include <tests/apps/data_rows.h>
#include <tests/apps/multilabel/read_options.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Bits = std::vector<std::int8_t>;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

MultiLabelData ReadCsv(const std::string& text, const MultiLabelReadOptions& options) {
  const TemporaryFolder folder;
  return ReadMultiLabelData(folder.Write("t.csv", text), options);
}

std::string CsvError(const std::string& text, const MultiLabelReadOptions& options) {
  return ErrorIn("t.csv", [&] { ReadCsv(text, options); });
}

/// A table with label `L`, feature `x` with these values, and a numeric feature `n`.
std::string TableOf(const Names& values) {
  std::string text = "x,n,L\n";
  for (std::size_t k = 0; k < values.size(); ++k)
    text += "\"" + values[k] + "\"," + std::to_string(k % 3) + ",1\n";
  return text;
}

std::string ColumnError(const Names& values) {
  return CsvError(TableOf(values), LabelColumns("L"));
}

Names Repeated(const std::string& prefix, int different, int times) {
  Names values;
  for (int k = 0; k < different * times; ++k)
    values.push_back(prefix + std::to_string(k % different));
  return values;
}

const char* const kTable =
    "age,colour,a,b,size\n20,red,1,0,1.5\n30,green,0,?,2\n,\"red\",true,FALSE,NA\n40,?,,1,2.5\n";

}  // namespace

TEST_CASE("columns become numbers, categories in their order, and labels") {
  const MultiLabelData data = ReadCsv(kTable, LabelColumns("a,b"));
  CHECK(data.label_names == Names{"a", "b"});
  CHECK(data.labels == Bits{1, 0, 0, -1, 1, 0, -1, 1});
  CHECK(data.feature_names == Names{"age", "colour=green", "colour=red", "size"});
  CHECK(data.num_features == 4);
  CHECK(Dense(data, 0) == Values{20, 0, 1, 1.5});
  CHECK(Dense(data, 1) == Values{30, 1, 0, 2});
  CHECK(Dense(data, 2) == Values{30, 0, 1, 2});
  CHECK(Dense(data, 3) == Values{40, 0, 0, 2.5});
  CHECK(data.fill_values == Values{30, 0, 0, 2});
  CHECK(data.lines == std::vector<long>{2, 3, 4, 5});
  CHECK(data.notes ==
        Names{"2 missing values in 2 columns (age 1, size 1) replaced by the training mean",
              "1 missing value in 1 column (colour 1) counted as no category"});
}

TEST_CASE("a constant is the last feature, and ignored columns are not features") {
  const MultiLabelReadOptions options = LabelColumns("3:4", "colour,-1", true);
  const MultiLabelData data = ReadCsv(kTable, options);
  CHECK(data.feature_names == Names{"age"});
  CHECK(Dense(data, 0) == Values{20, 1});
  CHECK(data.table->ignored == Names{"colour", "size"});
}

TEST_CASE("byte order marks, semicolons, tabs, CRLF and quoted line ends are read") {
  const MultiLabelData semicolons =
      ReadCsv("\xEF\xBB\xBFx;L\r\n1;0\r\n 2 ;1\r\n", LabelColumns("L"));
  CHECK(Dense(semicolons, 1) == Values{2});
  CHECK(semicolons.notes == Names{"the columns are separated by semicolons"});
  CHECK(Dense(ReadCsv("x\tL\n1\t0\n2\t1\n", LabelColumns("L")), 1) == Values{2});
  MultiLabelReadOptions tsv = LabelColumns("L");
  tsv.format = MultiLabelFormat::kTsv;
  CHECK(ReadCsv("x,y\tL\n1\t0\n", tsv).feature_names == Names{"x,y"});
  const MultiLabelData quoted = ReadCsv("\"x\ny\",L\n\"a\nb\",0\n\"a\nb\",1\n", LabelColumns("L"));
  CHECK(quoted.feature_names == Names{"x\ny=a\nb"});
  CHECK(quoted.lines == std::vector<long>{3, 5});
}

TEST_CASE("columns with many numbers and columns without values are read") {
  std::string text = "x,y,L\n";
  double sum = 0;
  for (int k = 0; k < 3000; ++k) {
    text += (k == 1500 ? "?" : std::to_string(k) + ".5") + ",NA,1\n";
    sum += k == 1500 ? 0 : k + 0.5;
  }
  const MultiLabelData data = ReadCsv(text, LabelColumns("L"));
  CHECK(data.feature_names == Names{"x", "y"});
  CHECK(data.fill_values == Values{sum / 2999, 0});
  CHECK(Dense(data, 1500) == Values{sum / 2999, 0});
  CHECK(Dense(data, 2999) == Values{2999.5, 0});
}

TEST_CASE("a column has categories up to 50 texts, or a tenth of its values") {
  CHECK(ReadCsv(TableOf(Repeated("v", 50, 2)), LabelColumns("L")).num_features == 51);
  CHECK(ColumnError(Repeated("v", 51, 2)) ==
        "t.csv:2: column 'x' has 51 different texts, such as 'v0', too many for categories; leave "
        "the column out by --ignore-columns");
  CHECK(ReadCsv(TableOf(Repeated("v", 60, 10)), LabelColumns("L")).num_features == 61);
  CHECK(Contains(ColumnError(Repeated("v", 1001, 11)),
                 "column 'x' has 1001 different texts and more"));
  const MultiLabelData mixed = ReadCsv(TableOf({"1", "c", "a", "2", "b"}), LabelColumns("L"));
  CHECK(mixed.num_features == 6);
  CHECK(mixed.notes ==
        Names{"column 'x' has 2 numbers and 3 times other texts, 'c' for example: taken for "
              "categories"});
}

TEST_CASE("columns that cannot be features are refused with an example and advice") {
  const std::string advice = "leave the column out by --ignore-columns";
  CHECK(
      ColumnError({"", "2024-01-31", "2024-02-01"}) ==
      "t.csv:3: column 'x' has dates or times, such as '2024-01-31'; turn them into numbers, or " +
          advice);
  CHECK(ColumnError({"1,5", "2", "2,25"}) ==
        "t.csv:2: column 'x' has a number with a decimal comma, '1,5'; read such numbers by "
        "--decimal-comma, write them with a point, or " +
            advice);
  CHECK(ColumnError(Repeated("key", 11, 1)) ==
        "t.csv:2: column 'x' has a different text in every row, such as 'key0'; " + advice);
  CHECK(ReadCsv(TableOf(Repeated("key", 10, 1)), LabelColumns("L")).num_features == 11);
  Names mixed = Repeated("", 20, 2);
  mixed[7] = "abc";
  CHECK(ColumnError(mixed) ==
        "t.csv:9: value 'abc' of column 'x' is not a number, but 39 others are; correct it, leave "
        "it empty (missing), " +
            advice + ", or say that its texts are categories by --categories");
  Names many = Repeated("", 1200, 1);
  many.push_back("abc");
  CHECK(Contains(ColumnError(many),
                 "t.csv:1202: value 'abc' of column 'x' is not a number, but 1200 others"));
}

TEST_CASE("numbers must be finite and within 1e50") {
  CHECK(ColumnError({"1", "inf"}) == "t.csv:3: value 'inf' of column 'x' is not a finite number");
  CHECK(ColumnError({"1e999"}) == "t.csv:2: value '1e999' of column 'x' is not a finite number");
  CHECK(ColumnError({"1", "-2e50"}) ==
        "t.csv:3: value '-2e50' of column 'x' is too large (more than 1e50)");
}

TEST_CASE("a column that counts the rows gets a note") {
  Names values;
  for (int k = 7; k < 17; ++k) values.push_back(std::to_string(k));
  CHECK(ReadCsv(TableOf(values), LabelColumns("L")).notes ==
        Names{"column 'x' only counts the rows; --ignore-columns leaves it out"});
  values[4] = "";
  CHECK_FALSE(Contains(ReadCsv(TableOf(values), LabelColumns("L")).notes[0], "counts"));
  values[4] = "12";
  CHECK(ReadCsv(TableOf(values), LabelColumns("L")).notes.empty());
}

TEST_CASE("a first line of numbers gets a note") {
  CHECK(ReadCsv("5.1,3.5,rose,0\n4,3,daisy,1\n", LabelColumns("4")).notes ==
        Names{"most names of columns are numbers: is the first line a header?"});
  CHECK(ReadCsv("1,2,rose,L\n4,3,daisy,1\n", LabelColumns("4")).notes.empty());
}

TEST_CASE("errors in headers are reported") {
  CHECK(CsvError("x,L,x\n1,0,2\n", LabelColumns("L")) ==
        "t.csv:1: columns 1 and 3 have the same name, 'x'");
  CHECK(CsvError(",x,L\n0,1,0\n", LabelColumns("L")) ==
        "t.csv:1: column 1 has no name; name it, or leave it out by --ignore-columns 1");
  CHECK(ReadCsv(",x,L\n0,1,0\n", LabelColumns("L", "1")).num_features == 1);
  CHECK(CsvError("1,2,3\n1,2,0\n", LabelColumns("3")) ==
        "t.csv:1: the first line of a table must name its columns, but has only numbers: '1', …");
  CHECK(CsvError("x,L\n1,0\n", LabelColumns("M")) == "--label-columns: there is no column 'M'");
  CHECK(CsvError("x,L\n1,0\n", LabelColumns("L", "M")) ==
        "--ignore-columns: there is no column 'M'");
  CHECK(CsvError("x,L\n1,0\n", LabelColumns("L", "L")) ==
        "--ignore-columns: column 'L' is one of --label-columns");
  CHECK(CsvError("x,L\n1,0\n", LabelColumns("L", "x")) ==
        "t.csv:1: all columns are labels or ignored: there are no features");
  CHECK(CsvError("x,L\n", LabelColumns("L")) == "t.csv: no examples after the header");
  CHECK(CsvError("", LabelColumns("L")) == "t.csv: no examples");
  CHECK(Contains(CsvError(std::string("x\0,L\n", 5), LabelColumns("L")),
                 "t.csv: not a text in UTF-8"));
  CHECK(Contains(CsvError("PK\x03\x04...\n", {}), "t.csv: not a text in UTF-8"));
}

TEST_CASE("errors in rows are reported") {
  CHECK(CsvError("x,L\n1,0\n1,0,3\n", LabelColumns("L")) ==
        "t.csv:3: the row has 3 values, but the header (line 1) has 2 columns");
  CHECK(CsvError("\nx,L\n1\n", LabelColumns("L")) ==
        "t.csv:3: the row has 1 value, but the header (line 2) has 2 columns");
  CHECK(Contains(CsvError("x,L\n1,perhaps\n", LabelColumns("L")),
                 "t.csv:2: label 'L' has the value 'perhaps'; labels are 0 and 1, "));
}

TEST_CASE("what stands for missing values in a column of numbers is missing") {
  for (const char* word :
       {"NULL", "None", "-", "#N/A", "<NA>", "missing", "Unknown", "nan", "\\N"}) {
    CAPTURE(word);
    const MultiLabelData data = ReadCsv(TableOf({"1", word, "3", word, word}), LabelColumns("L"));
    CHECK(data.feature_names == Names{"x", "n"});
    CHECK(data.fill_values[0] == 2);
    CHECK(Dense(data, 1)[0] == 2);
    CHECK(Contains(data.notes.at(0), "3 missing values in 1 column (x 3)"));
  }
  // Among other texts, and alone, it is a category; and so it is where the user says so.
  CHECK(ReadCsv(TableOf({"a", "none", "b", "none"}), LabelColumns("L")).num_features == 4);
  CHECK(ReadCsv(TableOf({"none", "none"}), LabelColumns("L")).num_features == 2);
  MultiLabelReadOptions options = LabelColumns("L");
  options.categories = "x";
  CHECK(ReadCsv(TableOf({"1", "none", "3"}), options).num_features == 4);
  CHECK(ReadCsv(TableOf({"1", "2", "1"}), options).feature_names == Names{"x=1", "x=2", "n"});
  options.categories = "L";
  CHECK(Contains(MessageOf<DataError>([&] { ReadCsv(TableOf({"1"}), options); }),
                 "--categories: column 'L' is a label or ignored"));
  // In a wide column, too.
  Names many = Repeated("", 1200, 1);
  many.push_back("NULL");
  CHECK(ReadCsv(TableOf(many), LabelColumns("L")).num_features == 2);
}

TEST_CASE("numbers of one form are numbers") {
  const auto values = [](const Names& texts, bool commas = false) {
    MultiLabelReadOptions options = LabelColumns("L");
    options.decimal_comma = commas;
    const MultiLabelData data = ReadCsv(TableOf(texts), options);
    Values found;
    for (Index m = 0; m < data.num_examples(); ++m) found.push_back(Dense(data, m)[0]);
    CHECK(data.num_features == 2);
    CHECK(Contains(data.notes.at(0), "column 'x': '" + texts[0] + "' is read as "));
    return found;
  };
  CHECK(values({"$5", "-$7.5", "$ 8"}) == Values{5, -7.5, 8});
  CHECK(values({"5 \xe2\x82\xac", "7\xe2\x82\xac"}) == Values{5, 7});
  CHECK(values({"10%", "2.5 %", "-1%"}) == Values{10, 2.5, -1});
  CHECK(values({"1,234", "5", "1,000,000.5"}) == Values{1234, 5, 1000000.5});
  CHECK(values({"1.234,5", "-7,25", "12"}) == Values{1234.5, -7.25, 12});
  CHECK(values({"1,5", "2", "1.000"}, true) == Values{1.5, 2, 1000});
  CHECK(values({"$1,234", "$5"}) == Values{1234, 5});
  CHECK(Contains(ColumnError({"1,5", "2,25"}), "decimal comma"));
  // Not of one form: texts.
  CHECK(ReadCsv(TableOf({"$5", "10%", "x"}), LabelColumns("L")).num_features == 4);
  CHECK(ReadCsv(TableOf({"5 kg", "7 kg"}), LabelColumns("L")).num_features == 3);
}

TEST_CASE("tables as Excel writes them") {
  const auto read = [](const std::string& text, const std::string& labels) {
    return ReadCsv(text, LabelColumns(labels));
  };
  const std::string body = "1;2;1;0\r\n2;1;0;1\r\n";
  MultiLabelData data = read("\xef\xbb\xbfsep=;\r\nlength;width;l1;l2\r\n" + body, "l1,l2");
  CHECK(data.feature_names == Names{"length", "width"});
  CHECK(data.lines == std::vector<long>{3, 4});
  data = read("length, cm;width, cm, inner;l1;l2\n" + body, "l1,l2");
  CHECK(data.feature_names == Names{"length, cm", "width, cm, inner"});
  data = read("\"length, cm, x, y, z\";w;l1;l2\n" + body, "l1,l2");
  CHECK(data.feature_names == Names{"length, cm, x, y, z", "w"});
  // A separator at the end of lines, in the header, in rows, or both.
  for (const char* header : {"a;b;l1;l2", "a;b;l1;l2;"}) {
    for (const char* row : {"1;2;1;0", "1;2;1;0;"}) {
      data = read(std::string(header) + "\n" + row + "\n", "l1,l2");
      CHECK(data.feature_names == Names{"a", "b"});
      CHECK(data.labels == Bits{1, 0});
    }
  }
  CHECK(Contains(CsvError("a;l1;\n1;0;\n1;0;7\n", LabelColumns("l1")),
                 "t.csv:3: column 3 has no name"));
  MultiLabelReadOptions options = LabelColumns("l1");
  options.separator = '|';
  CHECK(ReadCsv("a,b|l1\n1|0\n", options).feature_names == Names{"a,b"});
  std::string utf16 = "\xff\xfe";
  for (const char c : std::string("gr\xf6\xdf"
                                  "e;l1\r\n1;1\r\n2;0\r\n")) {
    utf16.push_back(c);
    utf16.push_back('\0');
  }
  CHECK(read(utf16, "l1").feature_names == Names{"gr\xc3\xb6\xc3\x9f"
                                                 "e"});
  utf16.pop_back();
  CHECK(Contains(CsvError(utf16, LabelColumns("l1")), "the UTF-16 text ends within a character"));
}

TEST_CASE("one column may list the labels of each row") {
  MultiLabelReadOptions options;
  options.labels_in = "tags";
  const MultiLabelData data =
      ReadCsv("x,tags\n1,sky; sea\n2,\n3,?\n4,\"sea;art\"\n5,;sky;\n", options);
  CHECK(data.label_names == Names{"art", "sea", "sky"});
  CHECK(data.labels == Bits{0, 1, 1, 0, 0, 0, -1, -1, -1, 1, 1, 0, 0, 0, 1});
  CHECK(data.feature_names == Names{"x"});
  MultiLabelReadOptions model;
  model.label_names = data.label_names;
  model.table = data.table;
  model.fill_values = data.fill_values;
  model.num_features = 1;
  const MultiLabelData again = ReadCsv("tags,x\nsky;tree;sea,1\n,2\n", model);
  CHECK(again.labels == Bits{0, 1, 1, 0, 0, 0});
  CHECK(again.notes == Names{"1 label of the rows unknown to the model left out (first 'tree')"});
  CHECK(ReadCsv("x\n1\n", model).labels == Bits{-1, -1, -1});
  options.list_separator = ' ';
  CHECK(ReadCsv("x,tags\n1,sky sea\n", options).label_names == Names{"sea", "sky"});
  options.labels_in = "tag";
  CHECK(Contains(MessageOf<DataError>([&] { ReadCsv("x,tags\n1,a\n", options); }),
                 "--labels-in: there is no column 'tag'; did you mean 'tags'"));
}

TEST_CASE("labels are words, and a note tells which was taken for yes") {
  const MultiLabelData data =
      ReadCsv("x,a,b,c\n1,ja,x,-1\n2,nein,,1\n3,,x,1\n", LabelColumns("a,b,c"));
  CHECK(data.labels == Bits{1, 1, 0, 0, 0, 1, -1, 1, 1});
  CHECK(data.notes == Names{"labels: 'ja' was taken for yes, '-1' for no; 'x' was taken for yes, "
                            "empty for no in columns with such marks"});
  CHECK(data.table->marked == Names{"b"});
}

TEST_CASE("without label columns the message names likely ones") {
  CHECK(
      CsvError(kTable, {}) ==
      "t.csv:1: a table (CSV, TSV) does not say which columns are labels: pass --label-columns "
      "LIST, a list of names, patterns such as 'tag_*', or positions, or --labels-in COLUMN where "
      "one column lists the labels of each row (if it is not a table, pass --format)");
  CHECK(Contains(CsvError("x,a,b\n2,0,1\n3,1,\n", {}),
                 "the last 2 columns, 'a', 'b', look like labels: --label-columns=-2: (if"));
  CHECK(Contains(CsvError("x,a\n2,0\n3,1\n", {}),
                 "the last column, 'a', looks like one: --label-columns=-1 (if"));
  MultiLabelReadOptions xml;
  xml.labels_xml = "l.xml";
  CHECK(Contains(CsvError(kTable, xml), "--labels belongs to ARFF and LIBSVM data"));
}

TEST_CASE("formats are detected from the first line") {
  MultiLabelReadOptions libsvm = LibsvmOptions(3, false);
  CHECK(ReadCsv("0,2 1:1\n", libsvm).table == nullptr);
  CHECK(ReadCsv("0,2\n 1:1\n", libsvm).table == nullptr);
  CHECK(ReadCsv("# a, comment\n0 1:1\n", libsvm).table == nullptr);
  CHECK(ReadCsv("0\t1:1\n", libsvm).table == nullptr);
  CHECK(ReadCsv("x:1,L\n1,0\n", LabelColumns("L")).table != nullptr);
  CHECK(ReadCsv("% fat,L\n1,0\n", LabelColumns("L")).feature_names == Names{"% fat"});
  MultiLabelReadOptions csv = LabelColumns("L");
  csv.format = MultiLabelFormat::kCsv;
  CHECK(ReadCsv("@x,L\n1,0\n", csv).feature_names == Names{"@x"});
  libsvm.ignore_columns = "x";
  CHECK(Contains(CsvError("0 1:1\n", libsvm),
                 "belong to data with names of columns (CSV, TSV, ARFF), but the data are LIBSVM"));
}

TEST_CASE("at prediction columns are found by name, and missing values filled as in training") {
  const MultiLabelReadOptions options = ForPrediction(ReadCsv(kTable, LabelColumns("a,b")));
  const MultiLabelData data =
      ReadCsv("size;new;colour;b;age\n1;7;red;0;\n;8;blue;;50\n2;9;;1;\n", options);
  CHECK(data.label_names == Names{"a", "b"});
  CHECK(data.labels == Bits{-1, 0, -1, -1, -1, 1});
  CHECK(Dense(data, 0) == Values{30, 0, 1, 1});
  CHECK(Dense(data, 1) == Values{50, 0, 0, 2});
  CHECK(Dense(data, 2) == Values{30, 0, 0, 2});
  CHECK(data.notes ==
        Names{"the table has no column 'a': this label is not known",
              "column 'new', unknown to the model, left out",
              "3 missing values in 2 columns (age 2, size 1) replaced by the training mean",
              "1 missing value in 1 column (colour 1) counted as no category",
              "1 value in 1 column (colour 1), of categories unknown to the model (first 'blue' on "
              "line 3), counted as no category"});
  CHECK(ReadCsv("size,colour,age\n1,red,2\n", options).notes.empty());
}

TEST_CASE("ignored columns are left out at prediction without a note") {
  const MultiLabelReadOptions options = ForPrediction(ReadCsv(kTable, LabelColumns("a,b", "size")));
  CHECK(ReadCsv("size,age,colour\nabc,1,red\n", options).notes.empty());
}

TEST_CASE("columns of features may have numbers for names") {
  MultiLabelReadOptions options = ForPrediction(ReadCsv("1,2,L\n5,6,0\n", LabelColumns("L")));
  options.format = MultiLabelFormat::kCsv;
  CHECK(Dense(ReadCsv("2,1\n8,9\n", options), 0) == Values{9, 8});
}

TEST_CASE("errors at prediction are reported") {
  MultiLabelReadOptions options = ForPrediction(ReadCsv(kTable, LabelColumns("a,b")));
  CHECK(CsvError("colour,x\nred,1\n", options) ==
        "t.csv:1: the model needs columns 'age', 'size', which the table does not have");
  CHECK(CsvError("age,colour,size\nabc,red,1\n", options) ==
        "t.csv:2: value 'abc' of column 'age' is not a finite number");
  CHECK(CsvError("age,colour,size\n1e60,red,1\n", options) ==
        "t.csv:2: value '1e60' of column 'age' is too large (more than 1e50)");
  CHECK(Contains(CsvError("age,colour,size,a\n1,red,1,2\n", options),
                 "t.csv:2: label 'a' has the value '2'"));
  CHECK(Contains(CsvError("age,colour,size\n1,red\n", options), "t.csv:2: the row has 2 values"));
  CHECK(CsvError("age,colour,size\n", options) == "t.csv: no examples after the header");
  CHECK(Contains(CsvError("0 1:1\n", options),
                 "trained on a table with names of columns, which LIBSVM data"));
  options.strict = true;
  CHECK(CsvError("age,colour,size,new\n1,red,1,1\n", options) ==
        "t.csv:1: column 'new', unknown to the model (--strict)");
  CHECK(CsvError("age,colour,size\n1,red,1\n1,blue,1\n", options) ==
        "t.csv:3: the category 'blue' of column 'colour' is unknown to the model (--strict)");
  MultiLabelReadOptions other;
  other.label_names = {"a"};
  other.num_features = 1;
  CHECK(Contains(CsvError("age,a\n1,1\n", other), "the model was trained on ARFF or LIBSVM data"));
}

TEST_CASE("ARFF data serve a model of a table when their features have the same names") {
  const MultiLabelReadOptions options = ForPrediction(ReadCsv(kTable, LabelColumns("a,b")));
  const std::string head =
      "@attribute age numeric\n@attribute colour {green,red}\n@attribute size numeric\n@data\n";
  CHECK(Dense(ReadCsv(head + "?,red,1\n", options), 0) == Values{30, 0, 1, 1});
  CHECK(Contains(
      CsvError(
          "@attribute age numeric\n@attribute colour {red,green}\n@attribute size numeric\n@data\n"
          "1,red,1\n",
          options),
      "feature 2 is 'colour=red', but the model was trained with 'colour=green' there"));
}

TEST_CASE("the model's separator decides where a header contains several") {
  const MultiLabelReadOptions options = ForPrediction(ReadCsv("a;L\n1;0\n", LabelColumns("L")));
  CHECK(Dense(ReadCsv("a;\"x,y,z\"\n1;2\n", options), 0) == Values{1});
  const MultiLabelReadOptions commas = ForPrediction(ReadCsv("a,L\n1,0\n", LabelColumns("L")));
  CHECK(Dense(ReadCsv("x;y,a,z;u;v\n3,5,7\n", commas), 0) == Values{5});
}

TEST_CASE("rows are sparse where most features are categories, for any data") {
  const MultiLabelData data = ReadCsv(TableOf(Repeated("v", 250, 10)), LabelColumns("L"));
  REQUIRE(data.num_features == 251);
  const FeatureRow row = data.rows->row(4);
  REQUIRE_FALSE(row.dense());
  CHECK(row.count == 2);
  CHECK_FALSE(ReadCsv("x,n\nv4,2\n", ForPrediction(data)).rows->row(0).dense());
  CHECK(ReadCsv(TableOf(Repeated("v", 150, 10)), LabelColumns("L")).rows->row(0).dense());
}

TEST_CASE("data that do not fit into memory are refused") {
  MultiLabelReadOptions options = LabelColumns("L");
  options.bytes_per_weight = 1e18;
  CHECK(Contains(CsvError(kTable, LabelColumns("a,b")), "accepted"));
  const std::string message = CsvError("x,L\n1,0\n2,1\n", options);
  CHECK(Contains(message, "t.csv:3: 1 label × 2 examples × 1 feature: training needs about"));
}

TEST_CASE("rows of a table for a model are read one by one") {
  const MultiLabelReadOptions options =
      ForPrediction(ReadCsv("x,c,a\n1,red,0\n3,blue,1\n5,red,0\n7,blue,1\n", LabelColumns("a")));
  const TemporaryFolder folder;
  LineReader lines(folder.Write("t.csv", "c,x,new\nred,1,\n\nblue,?,2\n\"pink\n\",4,3\nred,2,4\n"));
  const auto reader = OpenMultiLabelData(&lines, options);
  CHECK(lines.line_number() == 1);
  REQUIRE(reader->Next());
  CHECK(lines.line_number() == 2);
  CHECK(reader->Examples().rows->row(0).values[0] == 1);
  CHECK(reader->Notes().size() == 1);  // the note on the header
  REQUIRE(reader->Next());
  CHECK(reader->Examples().num_examples() == 2);
  CHECK(reader->Examples().rows->row(1).values[0] == 4);  // the mean in training
  reader->Forget();
  REQUIRE(reader->Next());
  REQUIRE(reader->Next());
  const MultiLabelData& data = reader->Examples();
  CHECK(data.lines == std::vector<long>{5, 7});
  CHECK(data.labels == Bits{-1, -1});
  REQUIRE(data.rows->size() == 2);
  CHECK(data.rows->row(1).values[0] == 2);
  CHECK_FALSE(reader->Next());
  CHECK_FALSE(reader->Next());
  const Names notes = reader->Notes();
  REQUIRE(notes.size() == 3);
  CHECK(Contains(notes[1], "1 missing value in 1 column"));
  CHECK(Contains(notes[2], "on line 5"));
}

TEST_CASE("training data of a table are read all at once") {
  const TemporaryFolder folder;
  LineReader lines(folder.Write("t.csv", "x,a\n1,0\n3,1\n"));
  const MultiLabelReadOptions options = LabelColumns("a");
  const auto reader = OpenMultiLabelData(&lines, options);
  REQUIRE(reader->Next());
  CHECK_THROWS_AS(reader->Examples(), std::invalid_argument);
  CHECK_THROWS_AS(reader->Forget(), std::logic_error);
  REQUIRE(reader->Next());
  CHECK_FALSE(reader->Next());
  CHECK(reader->Finish().num_examples() == 2);
}
