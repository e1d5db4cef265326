// SPDX-License-Identifier: BSD-3-Clause
//
// Reading of data with classes, and of costs of errors.
#include <slackline/apps/multiclass/multiclass_data.h>

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/multiclass/class_costs.h>
#include <slackline/apps/multiclass/multiclass_metrics.h>
#include <slackline/apps/multiclass/multiclass_model.h>
#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/core/check.h>
#include <tests/apps/multilabel/read_options.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/dealt.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Names = std::vector<std::string>;
using Labels = std::vector<Index>;

MulticlassData ReadClassText(const std::string& text, MultiLabelReadOptions options = {}) {
  const TemporaryFolder folder;
  return ReadMulticlassData(folder.Write("data.txt", text), std::move(options));
}

std::string ClassDataError(const std::string& text, MultiLabelReadOptions options = {}) {
  return ErrorIn("data.txt", [&] { ReadClassText(text, std::move(options)); });
}

std::vector<double> RowOf(const FeatureRows& rows, Index m) {
  const FeatureRow row = rows.row(m);
  return {row.values, row.values + row.count};
}

constexpr const char* kFlowers =
    "id,length,colour,kind\n"
    "1,1.5,red,rose\n"
    "2,,blue,iris\n"
    "3,2.5,red,?\n"
    "4,2,blue,\"sun, flower\"\n";

/// A model for the flowers.
MulticlassModel FlowerModel() {
  const MulticlassData data = ReadClassText(kFlowers, LabelColumns("kind", "id"));
  MulticlassModel model(data.class_names, data.num_features, false);
  model.set_feature_names(data.feature_names);
  model.set_input(data.input, data.class_column);
  return model;
}

MultiLabelData ReadFor(const MulticlassModel& model, const std::string& text, bool strict = false) {
  const TemporaryFolder folder;
  MultiLabelReadOptions options = model.ReadOptions();
  options.strict = strict;
  return ReadMultiLabelData(folder.Write("data.txt", text), options);
}

}  // namespace

TEST_CASE("classes of LIBSVM data are texts as they stand") {
  const MulticlassData data =
      ReadClassText("cat 1:0.5 3:-2\n-1 2:1\n# a comment\ncat\n 2:7\n?\n+1 1:1\n");
  CHECK(data.class_names == Names{"+1", "-1", "cat"});
  CHECK(data.labels == Labels{2, 1, 2, kUnlabelled, kUnlabelled, 0});
  CHECK(data.num_known() == 4);
  CHECK(data.num_features == 3);
  CHECK(data.feature_names.empty());
  CHECK(RowOf(*data.rows, 3) == std::vector<double>{7});
}

TEST_CASE("classes that are numbers are sorted by value") {
  CHECK(ReadClassText("10 1:1\n9 1:1\n-2.5 1:1\n").class_names == Names{"-2.5", "9", "10"});
  CHECK(ReadClassText("1 1:1\n+1 1:1\n2 1:1\n").class_names == Names{"+1", "1", "2"});
  CHECK(ReadClassText("10 1:1\n9 1:1\nx 1:1\n").class_names == Names{"10", "9", "x"});
}

TEST_CASE("a column of a table has the classes") {
  const MulticlassData data = ReadClassText(kFlowers, LabelColumns("kind", "id"));
  CHECK(data.class_names == Names{"iris", "rose", "sun, flower"});
  CHECK(data.labels == Labels{1, 0, kUnlabelled, 2});
  CHECK(data.feature_names == Names{"length", "colour=blue", "colour=red"});
  CHECK(RowOf(*data.rows, 1) == std::vector<double>{2, 1, 0});  // the mean length
  CHECK(data.class_column == "kind");
  CHECK(data.notes.size() == 1);
  CHECK(ReadClassText(kFlowers, LabelColumns("-1", "id")).labels == data.labels);
}

TEST_CASE("data for a model have its classes first") {
  const MulticlassModel model = FlowerModel();
  const MultiLabelData data =
      ReadFor(model, "kind;colour;length\nlily;red;1\nrose;green;\n;red;2\nlily;red;2\n");
  CHECK(data.label_names == Names{"iris", "rose", "sun, flower", "lily"});
  CHECK(data.classes == Labels{3, 1, kUnlabelled, 3});
  CHECK(data.labels.empty());
  REQUIRE(data.notes.size() == 3);
  CHECK(data.notes[2] == "2 examples have classes unknown to the model (first 'lily' on line 2)");
  CHECK(ErrorIn("data.txt", [&] { ReadFor(model, "kind,colour,length\nlily,red,1\n", true); }) ==
        "data.txt:2: the class 'lily' is unknown to the model (--strict)");
  const MultiLabelData none = ReadFor(model, "colour,length\nred,1\n");
  CHECK(none.classes == Labels{kUnlabelled});
  CHECK(none.notes.empty());
  CHECK(SelectExamples(data, std::vector<Index>{1}).classes == Labels{1});
}

TEST_CASE("a model of data in memory reads tables by the names of its features") {
  MulticlassModel model({"a", "b"}, 2, false);
  model.set_feature_names({"x", "y"});
  const MultiLabelData data = ReadFor(model, "y,x\n2,1\n");
  CHECK(RowOf(*data.rows, 0) == std::vector<double>{1, 2});
  CHECK(ErrorIn("data.txt", [&] { ReadFor(model, "y,x\n2,1\n,1\n"); }) ==
        "data.txt:3: column 'y' has no value, and the model does not know what to replace it by");
}

TEST_CASE("examples can be read one by one") {
  const TemporaryFolder folder;
  MulticlassModel model({"a", "b"}, 2, false);
  const MultiLabelReadOptions options = model.ReadOptions();
  LineReader lines(folder.Write("data.txt", "a 1:1\nnew 2:1\n1:5\n"));
  const auto reader = OpenMultiLabelData(&lines, options);
  std::vector<Labels> classes;
  while (reader->Next()) {
    classes.push_back(reader->Examples().classes);
    reader->Forget();
  }
  CHECK(classes == std::vector<Labels>{{0}, {2}, {kUnlabelled}});
  CHECK(reader->Notes().size() == 1);
}

TEST_CASE("ranks read the classes of one process") {
  const TemporaryFolder folder;
  std::string text;
  for (int m = 0; m < 17; ++m)
    text += "c" + std::to_string(m * 7 % 5) + (m == 11 ? "late" : "") + " 1:" + std::to_string(m) +
            "\n";
  const std::string path = folder.Write("data.txt", text);
  const MulticlassData alone = ReadMulticlassData(path, {});
  REQUIRE(alone.class_names.size() == 6);
  for (const int size : {2, 5}) {
    Labels joined;
    for (const MulticlassData& part : OnEachRank(size, [&](ThreadRanks& ranks) {
           MultiLabelReadOptions options;
           options.ranks = &ranks;
           return ReadMulticlassData(path, options);
         })) {
      CHECK(part.class_names == alone.class_names);
      joined.insert(joined.end(), part.labels.begin(), part.labels.end());
    }
    CHECK(joined == alone.labels);
  }
  MulticlassModel model({"c1", "c0"}, 1, false);
  const MultiLabelData known = ReadMultiLabelData(path, model.ReadOptions());
  Labels joined;
  for (const MultiLabelData& part : OnEachRank(3, [&](ThreadRanks& ranks) {
         MultiLabelReadOptions options = model.ReadOptions();
         options.ranks = &ranks;
         return ReadMultiLabelData(path, options);
       })) {
    CHECK(part.label_names == known.label_names);
    CHECK(part.notes == known.notes);
    joined.insert(joined.end(), part.classes.begin(), part.classes.end());
  }
  CHECK(joined == known.classes);
}

TEST_CASE("data without usable classes are refused") {
  CHECK(ClassDataError("a 1:1\na 1:2\n") ==
        "data.txt: all examples are of class 'a': there is nothing to tell apart");
  CHECK(ClassDataError("? 1:1\n2:2\n") == "data.txt: no example has a known class");
  CHECK(ClassDataError("a 1:1\nb,c 1:2\n") ==
        "data.txt:2: expected one class, found 'b,c'; sets of labels are for slackline multilabel");
  CHECK(ClassDataError("a 1:1\nb 1\n") == "data.txt:2: expected index:value, found '1'");
  std::string numbers;
  for (int m = 0; m < 11; ++m) numbers += std::to_string(m) + " 1:1\n";
  CHECK(ClassDataError(numbers) ==
        "data.txt: all 11 examples have different classes, such as '0': are these names of "
        "examples, or numbers?");
  CHECK(ClassDataError("@relation x\n@attribute a {0,1}\n@data\n1\n") ==
        "data.txt: ARFF data have sets of labels: save data with classes as CSV");
  CHECK(ClassDataError("a 1:1\nb 1:1\n", LabelColumns("kind")).find("no column") !=
        std::string::npos);
  MultiLabelReadOptions libsvm = LabelColumns("kind");
  libsvm.format = MultiLabelFormat::kLibsvm;
  CHECK(ClassDataError("a 1:1\n", libsvm)
            .starts_with("data.txt: --label-column and --ignore-columns"));
  CHECK(ClassDataError("length,kind\n1,a\n")
            .starts_with(
                "data.txt:1: a table (CSV, TSV) does not say which column has the classes: pass "
                "--label-column with its name or position, such as --label-column 'kind'"));
  CHECK(ClassDataError("length,kind,x\n1,a,2\n", LabelColumns("2:")) ==
        "--label-column: '2:' denotes 2 columns, but every example has one class (slackline "
        "multilabel is for sets of labels)");
  CHECK(ClassDataError("length,kind\n1,a\n", LabelColumns("kind", "kind")) ==
        "--ignore-columns: column 'kind' is --label-column");
}

namespace {

std::string CostError(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("data.txt", text);
  return ErrorIn("data.txt", [&] { ReadClassCosts(path, {"a", "b", "c"}); });
}

}  // namespace

TEST_CASE("costs have rows of true and columns of predicted classes") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) {
    return ReadClassCosts(folder.Write("costs.csv", text), {"a", "b, c", "d"});
  };
  const std::vector<double> costs = {0, 1, 2, 3, 0, 4, 5, 6.5, 0};
  CHECK(read("x,a,\"b, c\",d\na,0,1,2\n\"b, c\",3,0,4\nd,5,6.5,0\n") == costs);
  CHECK(read("\n\td\ta\tb, c\nd\t0\t5\t6.5\nb, c\t4\t3\t0\n\na\t2\t0\t1\n") == costs);
}

TEST_CASE("wrong costs are refused") {
  const std::string head = "x,a,b,c\n";
  CHECK(CostError("\n") == "data.txt: no costs");
  CHECK(CostError("x,a,b\na,0,1\n") == "data.txt:1: class 'c' has no column");
  CHECK(CostError("x,a,b,b\n") == "data.txt:1: class 'b' has a second column");
  CHECK(CostError("x,a,b,e\n").starts_with("data.txt:1: there is no class 'e'"));
  CHECK(CostError(head + "a,0,1,1\nb,1,0,1\n") == "data.txt:3: class 'c' has no row");
  CHECK(CostError(head + "a,0,1,1\na,0,1,1\n") == "data.txt:3: class 'a' has a second row");
  CHECK(CostError(head + "a,0,1,1\nd,0,1,1\n").starts_with("data.txt:3: there is no class 'd'"));
  CHECK(CostError(head + "a,0,1\n") ==
        "data.txt:2: the row of class 'a' has 2 costs, but there are 3 classes");
  for (const char* cost : {"-1", "x", "inf", "1e51", ""}) {
    CHECK(CostError(head + "a,0,1,1\nb,1,0," + cost + "\n") ==
          "data.txt:3: the cost of true class 'b', predicted class 'c', is '" + std::string(cost) +
              "', which is not a number from 0 to 1e50");
  }
  CHECK(CostError(head + "a,0,1,1\nb,1,2,1\n") ==
        "data.txt:3: the cost of true class 'b', predicted class 'b', is '2', but it is no error: "
        "write 0");
  CHECK(CostError(head + "a,0,0,0\nb,0,0,0\nc,0,0,0\n") ==
        "data.txt: all costs are 0: no error would matter");
}

TEST_CASE("measures of quality by hand") {
  // Classes 0 to 2 are the model's; 3 is unknown to it, and 2 is neither given nor predicted.
  const Labels truth = {0, 0, 1, 1, kUnlabelled, 3};
  const Labels predicted = {0, 1, 1, 1, 0, 0};
  const std::vector<double> costs = {0, 5, 1, 1, 0, 1, 1, 1, 0};
  const MulticlassMetrics metrics = ComputeClassMetrics(4, 3, truth, predicted, costs);
  CHECK(metrics.examples == 5);
  CHECK(metrics.error_rate == doctest::Approx(2.0 / 5));
  CHECK(metrics.mean_cost == doctest::Approx(5.0 / 4));  // the unknown class has no costs
  CHECK(metrics.classes[0].f1 == doctest::Approx(0.5));
  CHECK(metrics.classes[1].f1 == doctest::Approx(0.8));
  CHECK(metrics.classes[1].precision == doctest::Approx(2.0 / 3));
  CHECK(metrics.classes[1].recall == 1);
  CHECK(metrics.classes[3].support == 1);
  CHECK(metrics.macro_f1 == doctest::Approx(1.3 / 3));
  CHECK(metrics.confusion ==
        std::vector<std::int64_t>{1, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0});
  CHECK(ComputeClassMetrics(4, 3, truth, predicted, {}).mean_cost == doctest::Approx(1.0 / 4));
  CHECK_THROWS_AS(ComputeClassMetrics(4, 3, truth, {}, {}), std::invalid_argument);
  CHECK_THROWS_AS(ComputeClassMetrics(4, 3, truth, Labels(6, 3), {}), std::invalid_argument);
}
