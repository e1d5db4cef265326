// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/check.h>
#include <tests/apps/data_rows.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

const char* const kXml = "<labels><label name=\"B\"/><label name=\"A\"/></labels>";
const char* const kHeader =
    "@relation r\n@attribute x numeric\n@attribute A {0,1}\n@attribute y real\n@attribute B "
    "{0,1}\n@data\n";

struct ArffOptions {
  std::vector<double> fill_values = {};
  std::string xml = kXml;
  std::vector<std::string> model_labels;
  std::vector<std::string> model_features = {};
  Index num_features = -1;
  bool constant = false;
  std::string label_columns = {};
  std::string ignore_columns = {};
  bool strict = false;
};

MultiLabelData ReadArff(const std::string& text, const ArffOptions& options = {}) {
  const TemporaryFolder folder;
  MultiLabelReadOptions read;
  if (!options.xml.empty()) read.labels_xml = folder.Write("labels.xml", options.xml);
  read.label_names = options.model_labels;
  read.num_features = options.num_features;
  read.feature_names = options.model_features;
  read.constant = options.constant;
  read.fill_values = options.fill_values;
  read.label_columns = options.label_columns;
  read.ignore_columns = options.ignore_columns;
  read.strict = options.strict;
  return ReadMultiLabelData(folder.Write("data.arff", text), read);
}

/// The message without the folder: "data.arff:3: message".
std::string ArffError(const std::string& text, const ArffOptions& options = {}) {
  const std::string message = MessageOf<DataError>([&] { ReadArff(text, options); });
  return message.substr(std::min(message.find("data.arff"), message.find("labels.xml")));
}

std::string ArffRowError(const std::string& row) {
  const std::string message = ArffError(kHeader + row + "\n");
  const std::string prefix = "data.arff:7: ";
  return message.substr(0, prefix.size()) == prefix ? message.substr(prefix.size()) : message;
}

using Bits = std::vector<std::int8_t>;
using Names = std::vector<std::string>;
using Values = std::vector<double>;

}  // namespace

TEST_CASE("labels are found by name and ordered like the columns, not like the XML") {
  const MultiLabelData data = ReadArff(std::string(kHeader) + "1.5,0,-2,1\n 3 , 1 , 4e0 , ? \n");
  CHECK(data.label_names == Names{"A", "B"});
  CHECK(data.num_features == 2);
  CHECK(data.labels == Bits{0, 1, 1, -1});
  CHECK(Dense(data, 0) == Values{1.5, -2});
  CHECK(Dense(data, 1) == Values{3, 4});
  CHECK(data.lines == std::vector<long>{7, 8});
}

TEST_CASE("keywords in any case, comments, blank lines, tabs and ranges are read") {
  const MultiLabelData data = ReadArff(
      "% comment\n\n@RELATION 'a relation: -C 2'\n@Attribute\tx\tNUMERIC % why\n@ATTRIBUTE "
      "A{0,1}\n@attribute B { 0 , 1 }\n"
      "@attribute y REAL [0.0, 1.0]\n% more\n@attribute z Integer\n@DATA % here\n\n% "
      "row\n1\t0\t1\t2\t3\n4,1,0,5,6 % end\n");
  CHECK(data.num_features == 3);
  CHECK(Dense(data, 0) == Values{1, 2, 3});
  CHECK(Dense(data, 1) == Values{4, 5, 6});
  CHECK(data.labels == Bits{0, 1, 1, 0});
  CHECK(data.lines == std::vector<long>{13, 14});
}

TEST_CASE("names and values may be quoted, with escapes") {
  ArffOptions options;
  options.xml = "<labels><label name=\"it's A\"/><label name='b, \"c\"'/></labels>";
  const MultiLabelData data = ReadArff(
      "@attribute 'it\\'s A' {'0',\"1\"}\n@attribute \"b, \\\"c\\\"\" {0,1}\n@attribute '% x' {'a "
      "b','c,d','}','?'}\n@data\n"
      "'1',\"0\",'a b'\n0,1,'c,d'\n0,0,\"}\"\n0,0,'?'\n",
      options);
  CHECK(data.label_names == Names{"it's A", "b, \"c\""});
  CHECK(data.labels == Bits{1, 0, 0, 1, 0, 0, 0, 0});
  CHECK(Dense(data, 0) == Values{1, 0, 0, 0});
  CHECK(Dense(data, 1) == Values{0, 1, 0, 0});
  CHECK(Dense(data, 2) == Values{0, 0, 1, 0});
  CHECK(Dense(data, 3) == Values{0, 0, 0, 1});
}

TEST_CASE("nominal features become numbers or one feature per value") {
  const MultiLabelData data = ReadArff(
      "@attribute n {3,1,-2.5}\n@attribute A {0,1}\n@attribute c {red,green,7}\n@attribute B "
      "numeric\n@attribute x real\n@data\n"
      "1,0,green,1,9\n-2.5,1,7,0.0,8\n{}\n{0 1,4 5}\n{1 1,2 7,3 1}\n");
  CHECK(data.num_features == 5);
  CHECK(Dense(data, 0) == Values{1, 0, 1, 0, 9});
  CHECK(Dense(data, 1) == Values{-2.5, 0, 0, 1, 8});
  // Values left out of a sparse row are the first nominal values, here 3 and red.
  CHECK(Sparse(data, 2) == RowContent{{0, 1}, {3, 1}});
  CHECK(Sparse(data, 3) == RowContent{{0, 1, 4}, {1, 1, 5}});
  CHECK(Sparse(data, 4) == RowContent{{0, 3}, {3, 1}});
  CHECK(data.labels == Bits{0, 1, 1, 0, 0, 0, 0, 0, 1, 1});
}

TEST_CASE("labels omitted from sparse rows are 0, or 1 where 1 is declared first") {
  const MultiLabelData data = ReadArff(
      "@attribute A {1,0}\n@attribute x numeric\n@attribute y numeric\n@attribute B "
      "{0,1}\n@data\n{1 2.5, 3 1}\n{ 0 0,2 1 }\n{0 ?}\n{}\n0,1,2,1\n");
  CHECK(data.labels == Bits{1, 1, 0, 0, -1, 0, 1, 0, 0, 1});
  CHECK(Sparse(data, 0) == RowContent{{0}, {2.5}});
  CHECK(Sparse(data, 1) == RowContent{{1}, {1}});
  CHECK(Sparse(data, 2) == RowContent{{}, {}});
  CHECK(Dense(data, 4) == Values{1, 2});
}

TEST_CASE("the constant feature is the last of dense and of sparse rows") {
  ArffOptions options;
  options.constant = true;
  const MultiLabelData data = ReadArff(std::string(kHeader) + "5,0,6,0\n{2 7}\n{}\n", options);
  CHECK(data.has_constant);
  CHECK(data.num_features == 2);
  CHECK(Dense(data, 0) == Values{5, 6, 1});
  CHECK(Sparse(data, 1) == RowContent{{1, 2}, {7, 1}});
  CHECK(Sparse(data, 2) == RowContent{{2}, {1}});
}

TEST_CASE("at prediction the labels come in the model's order and the dimensions must agree") {
  ArffOptions options;
  options.xml = "";
  options.model_labels = {"B", "A"};
  options.num_features = 2;
  const MultiLabelData data = ReadArff(std::string(kHeader) + "1,0,2,1\n1,?,2,?\n", options);
  CHECK(data.label_names == Names{"B", "A"});
  CHECK(data.labels == Bits{1, 0, -1, -1});
  options.num_features = 103;
  CHECK(ArffError(std::string(kHeader) + "1,0,2,1\n", options) ==
        "data.arff: the file has 2 features, but the model has 103");
  options.model_labels = {"B", "C"};
  const std::string message = ArffError(std::string(kHeader) + "1,0,2,1\n", options);
  CHECK(Contains(message, "data.arff: label 'C' of the model is not an attribute of "));
}

TEST_CASE("a file without any of the model's labels is read with unknown labels") {
  ArffOptions options;
  options.xml = "";
  options.model_labels = {"C", "D"};
  options.num_features = 2;
  const MultiLabelData data = ReadArff(
      "@relation r\n@attribute x numeric\n@attribute y numeric\n@data\n1,2\n{0 3}\n", options);
  CHECK(data.labels == Bits{-1, -1, -1, -1});
  CHECK(data.num_examples() == 2);
}

TEST_CASE("instance weights other than 1 are refused") {
  CHECK(ReadArff(std::string(kHeader) + "1,0,2,1,{1}\n{0 3},{1.0}\n{0 3} {1}\n").num_examples() ==
        3);
  CHECK(ArffRowError("1,0,2,1,{2.5}") ==
        "instance weight '2.5': weights other than 1 are not supported");
  CHECK(ArffRowError("{0 1}, {0}") ==
        "instance weight '0': weights other than 1 are not supported");
  CHECK(ArffRowError("1,0,2,1,{x}") == "the instance weight 'x' is not a finite number");
  CHECK(ArffRowError("1,0,2,1,{1") == "the closing '}' of an instance weight is missing");
  CHECK(ArffRowError("1,0,2,1,{1} 5") == "text after the end of the row: '5'");
}

TEST_CASE("errors in dense rows name line and token") {
  CHECK(ArffRowError("1,0,2") == "the row has 3 values, but there are 4 attributes");
  CHECK(ArffRowError("1,0,2,1,5") == "the row has 5 values, but there are 4 attributes");
  CHECK(ArffRowError("1,0,,1") == "expected a value, found ',1'");
  CHECK(ArffRowError("1,0,2,") == "the row ends where a value is expected");
  CHECK(ArffRowError("1,2,2,1") == "value '2' of label 'A' is not declared");
  CHECK(ArffRowError("abc,0,2,1") == "value 'abc' of attribute 'x' is not a finite number");
  CHECK(ArffRowError("nan,0,2,1") == "value 'nan' of attribute 'x' is not a finite number");
  CHECK(ArffRowError("1,0,-inf,1") == "value '-inf' of attribute 'y' is not a finite number");
  CHECK(ArffRowError("1,0,'2,1") == "the closing quote is missing: '2,1'");
  CHECK(
      ArffError("@attribute A numeric\n@attribute B {0,1}\n@attribute x real\n@data\n0.5,1,1\n") ==
      "data.arff:5: label 'A' has the value '0.5'; labels are 0 and 1, true and false, yes and no, "
      "-1 and 1, x and empty, or unknown (empty, NA, ?)");
  CHECK(ArffError("@attribute A {0,1}\n@attribute B {0,1}\n@attribute x {a,b}\n@data\n0,1,c\n") ==
        "data.arff:5: value 'c' of attribute 'x' is not declared");
}

TEST_CASE("errors in sparse rows name line and token") {
  CHECK(ArffRowError("{4 1}") == "index '4' of a sparse row is not a number from 0 to 3");
  CHECK(ArffRowError("{-1 1}") == "index '-1' of a sparse row is not a number from 0 to 3");
  CHECK(ArffRowError("{x 1}") == "index 'x' of a sparse row is not a number from 0 to 3");
  CHECK(ArffRowError("{2 1,2 1}") == "the indices of a sparse row must increase: 2 follows 2");
  CHECK(ArffRowError("{2 1,0 1}") == "the indices of a sparse row must increase: 0 follows 2");
  CHECK(ArffRowError("{0 1 2 1}") == "expected ',' or '}' in a sparse row, found '2 1}'");
  CHECK(ArffRowError("{0}") == "expected a value, found '}'");
  CHECK(ArffRowError("{0 1") == "expected ',' or '}' in a sparse row, found ''");
  CHECK(ArffRowError("{") == "the row ends where a value is expected");
  CHECK(ArffRowError("{0 1,}") == "expected a value, found '}'");
  CHECK(ArffRowError("{0 1} x") == "text after the end of the row: 'x'");
  CHECK(ArffRowError("{1 7}") == "value '7' of label 'A' is not declared");
}

TEST_CASE("errors in the header name line and token") {
  CHECK(ArffError("@attribute A complex\n@data\n") ==
        "data.arff:1: attribute 'A' has type 'complex'; there are numeric, real, integer, nominal "
        "{...}, string, date and relational");
  const std::string labels = "@attribute A {0,1}\n@attribute B {0,1}\n@attribute x real\n";
  for (const char* type : {"string", "date 'yyyy-MM-dd'", "relational"}) {
    const std::string message = ArffError(labels + "@attribute d " + type + "\n@data\n0,1,2,x\n");
    CHECK_MESSAGE(Contains(message, "data.arff:4: attribute 'd' has type "), message);
    CHECK_MESSAGE(Contains(message, "leave it out by --ignore-columns 'd'"), message);
  }
  CHECK(ArffError("@attribute A\n") == "data.arff:1: attribute 'A' has no type");
  CHECK(ArffError("@attribute\n") == "data.arff:1: an attribute without a name");
  CHECK(ArffError("@attribute 'A\n") ==
        "data.arff:1: the closing quote of an attribute's name is missing: 'A'");
  CHECK(ArffError("@attribute A {0,1\n") ==
        "data.arff:1: the closing '}' is missing in the values of attribute 'A'");
  CHECK(ArffError("@attribute A {0,,1}\n") ==
        "data.arff:1: an empty value in the values of attribute 'A'");
  CHECK(ArffError("@attribute A {}\n") ==
        "data.arff:1: an empty value in the values of attribute 'A'");
  CHECK(ArffError("@attribute A {0,0}\n") ==
        "data.arff:1: value '0' occurs twice in the values of attribute 'A'");
  CHECK(ArffError("@attribute A {0,1} x\n") ==
        "data.arff:1: text after the type of attribute 'A': 'x'");
  CHECK(ArffError("@attribute A {0,1}\n\n@attribute A real\n") ==
        "data.arff:3: attribute 'A' was declared before, on line 1");
  CHECK(ArffError("@relation r\n@inputs x\n") == "data.arff:2: unknown declaration '@inputs'");
  CHECK(ArffError("@relation r\n1,2\n") ==
        "data.arff:2: expected @attribute or @data, found '1,2'");
  CHECK(ArffError("@relation r\n@data\n") == "data.arff:2: @data without any @attribute before it");
  CHECK(ArffError("@attribute A {0,1}\n@data 1\n") == "data.arff:2: text after @data: '1'");
  CHECK(ArffError("@attribute A {0,1}\n") == "data.arff: no @data section");
  for (const char* values : {"{a,b}", "{1,yes}", "{0,no}", "{0,1,2}", "{maybe}"}) {
    CHECK(Contains(ArffError("@attribute A " + std::string(values) +
                             "\n@attribute B {0,1}\n@attribute x real\n@data\n"),
                   "it needs two, of which one means no: 0 and 1, false and true"));
  }
  CHECK(ArffError("@attribute A {0,1}\n@attribute B {0,1}\n@attribute x {1,2e90}\n@data\n") ==
        "data.arff:3: value '2e90' of attribute 'x' is too large (more than 1e50)");
  CHECK(ArffError("@attribute A {0,1}\n@attribute B {0,1}\n@data\n") ==
        "data.arff: all attributes are labels: there are no features");
  CHECK(ArffError(kHeader) == "data.arff: no examples after @data");
}

TEST_CASE("features are named, and other names than the model's are refused") {
  const std::string head =
      "@attribute x numeric\n@attribute A {0,1}\n@attribute 'the colour' {red,blue}\n@attribute n "
      "{1,2}\n"
      "@attribute B {0,1}\n@data\n1,0,red,2,1\n";
  const std::vector<std::string> names = {"x", "the colour=red", "the colour=blue", "n"};
  CHECK(ReadArff(head).feature_names == names);
  ArffOptions options;
  options.model_labels = {"A", "B"};
  options.num_features = 4;
  options.model_features = names;
  CHECK(ReadArff(head, options).num_examples() == 1);
  options.model_features[2] = "the colour=green";
  CHECK(ArffError(head, options) ==
        "data.arff:3: feature 3 is 'the colour=blue', but the model was trained with 'the "
        "colour=green' there");
  options.model_features = {"n", "the colour=red", "the colour=blue", "x"};
  CHECK(ArffError(head, options) ==
        "data.arff:1: feature 1 is 'x', but the model was trained with 'n' there");
  options.model_features = {"x", "the colour=red", "the colour=blue", "m"};
  CHECK(ArffError(head, options) ==
        "data.arff:4: feature 4 is 'n', but the model was trained with 'm' there");
}

TEST_CASE("the relation says which attributes are labels, as MEKA writes it") {
  const std::string attributes =
      "@attribute a {0,1}\n@attribute b {0,1}\n@attribute c {0,1}\n@data\n1,0,1\n";
  ArffOptions options;
  options.xml = "";
  CHECK(ReadArff("@relation 'r: -C 2'\n" + attributes, options).label_names == Names{"a", "b"});
  CHECK(ReadArff("@relation \"r: -C -1 -split 3\"\n" + attributes, options).label_names ==
        Names{"c"});
  CHECK(Contains(ArffError("@relation 'r: -C 4'\n" + attributes, options),
                 "the relation has -C 4, but there are only 3 attributes"));
  options.label_columns = "b,c";
  CHECK(ReadArff("@relation 'r: -C 1'\n" + attributes, options).label_names == Names{"b", "c"});
  options.xml = kXml;
  CHECK(Contains(ArffError("@relation r\n" + attributes, options),
                 "pass either --labels or --label-columns, not both"));
}

TEST_CASE("labels have any two values of which one means no") {
  struct Case {
    const char *values, *no, *yes;
  };
  for (const Case& c : {Case{"{FALSE,TRUE}", "FALSE", "TRUE"},
                        {"{TRUE,FALSE}", "FALSE", "TRUE"},
                        {"{0.0,1.0}", "0.0", "1.0"},
                        {"{N,Y}", "N", "Y"},
                        {"{no,yes}", "no", "yes"},
                        {"{-1,1}", "-1", "1"},
                        {"{E,NEG}", "NEG", "E"},
                        {"numeric", "-1", "1"}}) {
    CAPTURE(c.values);
    ArffOptions options;
    options.xml = "";
    options.label_columns = "A";
    const MultiLabelData data =
        ReadArff("@attribute A " + std::string(c.values) + "\n@attribute x real\n@data\n" + c.no +
                     ",1\n" + c.yes + ",2\n?,3\n",
                 options);
    CHECK(data.labels == Bits{0, 1, -1});
  }
  // A sparse row that omits a nominal label has its first declared value.
  const MultiLabelData sparse = ReadArff(
      "@attribute A {TRUE,FALSE}\n@attribute B {no,yes}\n@attribute x real\n@data\n{2 1}\n{0 "
      "FALSE,1 yes,2 1}\n");
  CHECK(sparse.labels == Bits{1, 0, 0, 1});
  CHECK(sparse.notes == Names{"labels: 'yes' was taken for yes, 'no' for no"});
}

TEST_CASE("attributes are left out by name, and by a model that does not know them") {
  const std::string text =
      "@attribute name string\n@attribute A {0,1}\n@attribute day date 'yyyy'\n@attribute x "
      "real\n@attribute y real\n@data\n'Doctor, A.',1,'2001',2,3\n{0 'b c',3 7}\n";
  ArffOptions options;
  options.xml = "";
  options.label_columns = "A";
  options.ignore_columns = "name,day,y";
  const MultiLabelData data = ReadArff(text, options);
  CHECK(data.feature_names == Names{"x"});
  CHECK(data.labels == Bits{1, 0});
  CHECK(Dense(data, 0) == Values{2});
  options.ignore_columns = "name,A";
  CHECK_THROWS_AS(ReadArff(text, options), DataError);
  ArffOptions model;
  model.xml = "";
  model.model_labels = {"A"};
  model.model_features = {"x"};
  model.num_features = 1;
  const MultiLabelData predicted = ReadArff(text, model);
  CHECK(Dense(predicted, 0) == Values{2});
  CHECK(predicted.notes == Names{"3 attributes unknown to the model left out: 'name', …"});
  model.strict = true;
  CHECK(Contains(ArffError(text, model), "attribute 'name' is unknown to the model (--strict)"));
}

TEST_CASE("missing and undeclared labels are explained") {
  ArffOptions options;
  options.xml = "";
  CHECK(ArffError(kHeader, options) ==
        "data.arff: an ARFF file does not say which attributes are labels, unless its relation has "
        "-C N, as in MEKA: pass --labels FILE.xml, or --label-columns LIST, a list of names, "
        "patterns such as 'tag_*', or positions");
  options.xml = "<labels><label name='A'/><label name='C'/></labels>";
  CHECK(Contains(ArffError(kHeader, options), "labels.xml:1: label 'C' is not an attribute of "));
}

TEST_CASE("label names are read from XML with hierarchies flattened and namespaces ignored") {
  const TemporaryFolder folder;
  const auto names = [&](const std::string& text) {
    return ReadMulanLabelNames(folder.Write("l.xml", text));
  };
  CHECK(names("<?xml version='1.0'?>\n<labels xmlns='http://mulan.sourceforge.net/labels'>\n<label "
              "name='a'>\n<label name='b'><label name='c'></label></label></label><!-- x --><label "
              "name='d&amp;e'/></labels>") == Names{"a", "b", "c", "d&e"});
  CHECK(names("<m:labels xmlns:m='u'><m:label name='a'/></m:labels>") == Names{"a"});
  const auto error = [&](const std::string& text) {
    return ErrorIn("l.xml", [&] { names(text); });
  };
  CHECK(error("<labels>\n<label name='a'/>\n<label name='a'/></labels>") ==
        "l.xml:3: label 'a' is named twice");
  CHECK(error("<labels>\n<label/></labels>") == "l.xml:2: a label without a name");
  CHECK(error("<labels></labels>") == "l.xml: no labels");
  CHECK(error("<tags><label name='a'/></tags>") ==
        "l.xml:1: not a file of label names: the outermost element is <tags>, not <labels>");
  CHECK(Contains(error("<labels>\n<label name='a'>\n</labels>"), "l.xml:3: not XML: "));
  CHECK(Contains(error("@relation r"), "not XML: "));
  CHECK(Contains(error(""), "not XML: "));
}

TEST_CASE("the lines of very many label names are counted in one pass") {
  const TemporaryFolder folder;
  std::string text = "<labels>\n";
  std::vector<long> expected;
  for (long k = 0; k < 400'000; ++k) {
    text += "<label name='" + std::to_string(k) + "'/>\n" + (k % 3 == 0 ? "\n" : "");
    expected.push_back(k == 0 ? 2 : expected.back() + ((k - 1) % 3 == 0 ? 2 : 1));
  }
  std::vector<long> lines;
  const Names names = ReadMulanLabelNames(folder.Write("l.xml", text + "</labels>"), &lines);
  CHECK(names.size() == expected.size());
  CHECK(lines == expected);
}

TEST_CASE("damaged text is read or refused with a message") {
  const std::string good =
      "@relation r\n@attribute 'x y' numeric\n@attribute A {0,1}\n@attribute c {u,'v "
      "w'}\n@attribute B {0,1}\n@data\n"
      "1,0,u,1\n-2.5,?,'v w',0,{1}\n{0 3,2 'v w',3 1}\n{}\n";
  for (std::size_t position = 0; position < good.size(); ++position) {
    for (const char c : std::string("0,?%-'\"\\e @{}\n\0\xff", 16)) {
      std::string text = good;
      text[position] = c;
      try {
        const MultiLabelData data = ReadArff(text);
        CHECK(data.rows->size() == data.num_examples());
        CHECK(data.labels.size() == 2 * data.lines.size());
        CHECK(data.rows->dimension() <= data.num_features);
      } catch (const DataError&) {
      }
    }
  }
}

TEST_CASE(
    "missing numbers of training become the mean of the known ones, in dense and sparse rows") {
  const std::string head =
      "@attribute x numeric\n@attribute n {3,1}\n@attribute A {0,1}\n@attribute c "
      "{r,g}\n@attribute B {0,1}\n"
      "@data\n";
  const MultiLabelData dense = ReadArff(head + "1,?,0,r,1\n?,3,1,?,0\n4,1,0,g,1\n");
  CHECK(dense.fill_values == Values{2.5, 2, 0, 0});
  CHECK(Dense(dense, 0) == Values{1, 2, 1, 0});
  CHECK(Dense(dense, 1) == Values{2.5, 3, 0, 0});
  CHECK(Dense(dense, 2) == Values{4, 1, 0, 1});
  CHECK(dense.notes ==
        Names{"2 missing values in 2 columns (x 1, n 1) replaced by the training mean",
              "1 missing value in 1 column (c 1) counted as no category"});
  // Attributes left out of a sparse row are known: x is 0, n is 3, c is r.
  const MultiLabelData sparse = ReadArff(head + "{0 6,1 ?}\n{0 ?,3 ?}\n{1 1,3 g}\n");
  CHECK(sparse.fill_values == Values{3, 2, 0, 0});
  CHECK(Sparse(sparse, 0) == RowContent{{0, 1, 2}, {6, 2, 1}});
  CHECK(Sparse(sparse, 1) == RowContent{{0, 1}, {3, 3}});
  CHECK(Sparse(sparse, 2) == RowContent{{1, 3}, {1, 1}});
}

TEST_CASE("an attribute without known values is 0, and a quoted '?' is a value") {
  const MultiLabelData data = ReadArff(std::string(kHeader) + "?,0,1,1\n?,1,2,0\n");
  CHECK(data.fill_values == Values{0, 1.5});
  CHECK(Dense(data, 1) == Values{0, 2});
  CHECK(ArffRowError("'?',0,1,1") == "value '?' of attribute 'x' is not a finite number");
}

TEST_CASE("at prediction missing values get the model's means") {
  ArffOptions options;
  options.model_labels = {"A", "B"};
  options.num_features = 2;
  options.fill_values = {7, 8};
  const MultiLabelData data = ReadArff(std::string(kHeader) + "?,0,1,1\n{0 2,2 ?}\n", options);
  CHECK(Dense(data, 0) == Values{7, 1});
  CHECK(Sparse(data, 1) == RowContent{{0, 1}, {2, 8}});
  CHECK(data.notes ==
        Names{"2 missing values in 2 columns (x 1, y 1) replaced by the training mean"});
  options.fill_values.clear();
  CHECK(Contains(ArffError(std::string(kHeader) + "1,0,1,1\n?,0,1,1\n", options),
                 "data.arff:8: attribute 'x' has the value '?', but the model has no means"));
}
