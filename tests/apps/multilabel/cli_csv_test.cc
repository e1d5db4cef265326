// SPDX-License-Identifier: BSD-3-Clause
//
// Users' tables, from training to prediction, with the program.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/core/random.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

const char* const kColours[] = {"blue", "green", "red"};

/// One example, from which all forms of the same data are made.
struct Example {
  double x;
  int colour;  // −1: missing
  bool missing_x;
  int a;  // −1: unknown
  int b;
};

std::vector<Example> MakeExamples(int count) {
  Random random(7);
  std::vector<Example> examples;
  for (int k = 0; k < count; ++k) {
    const double x = std::round(64 * random.Normal()) / 64;
    const int colour = static_cast<int>(random.Below(3));
    examples.push_back({x, k % 9 == 4 ? -1 : colour, k % 7 == 3,
                        k % 11 == 5 ? -1
                        : x > 0     ? 1
                                    : 0,
                        colour == 2 ? 1 : 0});
  }
  return examples;
}

std::string LabelText(int label) { return label < 0 ? "?" : std::to_string(label); }
std::string Number(double x) { return std::to_string(x); }

std::string CsvText(const std::vector<Example>& examples) {
  std::string text = "x,colour,a,b\n";
  for (const Example& e : examples)
    text += (e.missing_x ? "NA" : Number(e.x)) + "," + (e.colour < 0 ? "" : kColours[e.colour]) +
            "," + LabelText(e.a) + "," + LabelText(e.b) + "\n";
  return text;
}

std::string SameArffText(const std::vector<Example>& examples) {
  std::string text =
      "@relation r\n@attribute x numeric\n@attribute colour {blue,green,red}\n@attribute a {0,1}\n"
      "@attribute b {0,1}\n@data\n";
  for (const Example& e : examples)
    text += (e.missing_x ? "?" : Number(e.x)) + "," + (e.colour < 0 ? "?" : kColours[e.colour]) +
            "," + LabelText(e.a) + "," + LabelText(e.b) + "\n";
  return text;
}

struct CsvFiles {
  TemporaryFolder folder;
  std::vector<Example> examples = MakeExamples(120);
  std::string csv = folder.Write("train.csv", CsvText(examples));
  std::string model = folder.Path("m.slk");

  Outcome Train(const std::string& data, const Arguments& options, const std::string& to) const {
    return RunProgram(Arguments{"multilabel", "train", data, "--model", to, "--lambda", "0.1"} +
                      options);
  }
  void TrainModel() const { Succeed(Train(csv, {"--label-columns", "a,b", "--quiet"}, model)); }
  Outcome Predict(const std::string& text, const Arguments& options = {}) const {
    return RunProgram(
        Arguments{"multilabel", "predict", folder.Write("new.csv", text), "--model", model} +
        options);
  }
};

/// Checks that the run fails with all `parts` in its one-line message, and writes no model.
void CheckBadTable(const CsvFiles& files, const std::string& text, const Arguments& options,
                   const Arguments& parts) {
  const std::string out = files.folder.Path("out.slk");
  CheckRefusal(files.Train(files.folder.Write("bad.csv", text), options, out), parts);
  CHECK(ReadBytes(out).empty());
}

}  // namespace

TEST_CASE("a table and the ARFF data of the same content give the same model, bit for bit") {
  const CsvFiles files;
  files.TrainModel();
  const std::string arff = files.folder.Write("train.arff", SameArffText(files.examples));
  const std::string xml =
      files.folder.Write("l.xml", "<labels><label name='a'/><label name='b'/></labels>");
  const std::string other = files.folder.Path("arff.slk");
  const Outcome outcome = Succeed(files.Train(arff, {"--labels", xml}, other));
  CHECK(Contains(outcome.err,
                 "note: 17 missing values in 1 column (x 17) replaced by the training mean\n"));
  const MultiLabelModel csv_model = MultiLabelModel::Load(files.model);
  const MultiLabelModel arff_model = MultiLabelModel::Load(other);
  CHECK(csv_model.weights() == arff_model.weights());
  CHECK(csv_model.feature_names() == arff_model.feature_names());
  CHECK(csv_model.input().fill_values == arff_model.input().fill_values);
  const Arguments scores = {"--output", "scores"};
  const Outcome by_table =
      RunProgram(Arguments{"multilabel", "predict", files.csv, "--model", files.model} + scores);
  const Outcome by_arff =
      RunProgram(Arguments{"multilabel", "predict", arff, "--model", other} + scores);
  CHECK(by_table.code == 0);
  CHECK(by_table.out == by_arff.out);
  // The features have the same names, so the model of the table also applies to the ARFF data.
  CHECK(RunProgram(Arguments{"multilabel", "predict", arff, "--model", files.model} + scores).out ==
        by_table.out);
}

TEST_CASE(
    "a table of many categories and the LIBSVM data of the same content give the same weights") {
  const CsvFiles files;
  std::string csv = "word,L0,L1\n";
  std::string svm;
  for (int k = 0; k < 2500; ++k) {
    const int word = k * 7 % 250;
    const std::string digits = std::to_string(1000 + word);
    const bool on = word % 3 == 0;
    csv += "w" + digits + (on ? ",1,0\n" : ",0,1\n");
    svm += std::string(on ? "0 " : "1 ") + std::to_string(word + 1) + ":1\n";
  }
  const std::string a = files.folder.Path("a.slk");
  const std::string b = files.folder.Path("b.slk");
  Succeed(files.Train(files.folder.Write("w.csv", csv), {"--label-columns", "L*"}, a));
  Succeed(files.Train(files.folder.Write("w.svm", svm), {"--num-labels", "2"}, b));
  CHECK(MultiLabelModel::Load(a).weights() == MultiLabelModel::Load(b).weights());
}

TEST_CASE("columns may come in any order, with others between, unknown categories and gaps") {
  const CsvFiles files;
  files.TrainModel();
  const Outcome plain = Succeed(files.Predict("x,colour\n0.5,red\n-1,blue\n"));
  CHECK(plain.out == "a,b\n\n");
  const Outcome shuffled =
      Succeed(files.Predict("b;new;colour;x\n;1;red;0.5\n0;2;blue;-1\n1;3;pink;-1\n?;4;;N/A\n"));
  CHECK(Lines(shuffled.out).size() == 4);
  CHECK(shuffled.out.starts_with(plain.out));
  const Arguments notes = {"note: the table has no column 'a': this label is not known",
                           "note: column 'new', unknown to the model, left out",
                           "note: 1 missing value in 1 column (x 1) replaced by the training mean",
                           "note: 1 missing value in 1 column (colour 1) counted as no category",
                           "note: 1 value in 1 column (colour 1), of categories unknown to the "
                           "model (first 'pink' on line 4), counted as no category"};
  const Arguments lines = Lines(shuffled.err);
  REQUIRE(lines.size() == notes.size() + 1);
  for (std::size_t k = 0; k < notes.size(); ++k) CHECK(lines[k] == notes[k]);
  CHECK(files.Predict("x,colour\n?,pink\n", {"--quiet"}).err.empty());
  Succeed(files.Predict("x,colour\n?,pink\n", {"--quiet"}));
}

TEST_CASE("a single row is predicted as among others, also from gzip and the standard input") {
  const CsvFiles files;
  files.TrainModel();
  const Arguments scores = {"--output", "scores"};
  const Arguments command =
      Arguments{"multilabel", "predict", "-", "--model", files.model} + scores;
  const std::string all = files.Predict("x,colour\n0.5,red\nNA,blue\n", scores).out;
  const std::string one = files.folder.WriteGzip("one.gz", "colour,x\nblue,NA\n");
  CHECK(Lines(RunProgram(command, one).out)[1] == Lines(all)[2]);
}

TEST_CASE("evaluate reads tables, and requires labels") {
  const CsvFiles files;
  files.TrainModel();
  const Arguments evaluate = {"multilabel", "evaluate", "--model", files.model, "--json"};
  const Outcome outcome = Succeed(evaluate + Arguments{files.csv});
  CHECK(Json::parse(outcome.out)["micro_f1"].get<double>() > 0.8);
  CHECK(Contains(outcome.err, "note: 17 missing values in 1 column (x 17)"));
  CheckRefused(evaluate + Arguments{files.folder.Write("n.csv", "x,colour\n1,red\n")},
               "no label is known");
}

TEST_CASE("info reports the columns of the table") {
  const CsvFiles files;
  files.TrainModel();
  const Outcome text = RunProgram({"info", files.model});
  CHECK(Contains(text.out, "columns     x, colour (3 categories)\n"));
  const Json json = JsonOf({"info", files.model, "--json"});
  CHECK(json["columns"][0] == Json({{"name", "x"}, {"categories", Json::array()}}));
  CHECK(json["columns"][1]["categories"] == Json({"blue", "green", "red"}));
}

TEST_CASE("cross-validation reads tables, and its model stores the columns") {
  const CsvFiles files;
  const Outcome outcome =
      Succeed({"multilabel", "cv", files.csv, "--label-columns", "-2:", "--lambda-path", "0.1,0.01",
               "--folds", "2", "--model", files.model});
  CHECK(Contains(outcome.err, "note: 17 missing values"));
  CHECK(files.Predict("colour,x\nred,0.5\n").out == "a,b\n");
}

TEST_CASE("strict prediction refuses features that the model does not know") {
  const CsvFiles files;
  files.TrainModel();
  const auto refuse = [&](const std::string& text, const std::string& part) {
    CheckRefused(files.Predict(text, {"--strict"}), part);
  };
  refuse("x,colour,new\n1,red,2\n", "new.csv:1: column 'new', unknown to the model");
  refuse("x,colour\n1,red\n1,pink\n", "new.csv:3: the category 'pink' of column 'colour'");
  Succeed(files.Predict("x,colour\n1,red\n", {"--strict"}));
}

TEST_CASE("prediction refuses tables without the columns of the model, and other formats") {
  const CsvFiles files;
  files.TrainModel();
  const auto refuse = [&](const std::string& text, const std::string& part,
                          const Arguments& options = {}) {
    CheckRefused(files.Predict(text, options), part);
  };
  refuse("x,color\n1,red\n", "the model needs column 'colour', which the table does not have");
  refuse("x,colour\n1,red\nabc,red\n",
         "new.csv:3: value 'abc' of column 'x' is not a finite number");
  refuse("0 1:1\n", "the model was trained on a table");
  refuse("@attribute y numeric\n@data\n1\n", "the file has 1 features, but the model has 4");
  refuse("x,colour\n1,red\n", "--format: ", {"--format", "xls"});
  refuse("x,colour\n1,red\n", "new.csv:1", {"--format", "tsv"});
}

TEST_CASE("LIBSVM data with more features than the model are predicted, with a note") {
  const CsvFiles files;
  const std::string svm = files.folder.Write("t.svm", LibsvmText(40, 3, 2, 5));
  Succeed(files.Train(svm, {"--num-labels", "2"}, files.model));
  const Outcome known = files.Predict("0 1:1 3:1\n1 2:1\n");
  const Outcome more = Succeed(files.Predict("0 1:1 3:1 4:9\n1 2:1 4:2 7:1\n"));
  CHECK(more.out == known.out);
  CHECK(Contains(
      more.err,
      "note: 3 values of 2 features beyond the model's 3 left out (first feature 4 on line 1)"));
  CheckRefused(files.Predict("0 1:1 3:1\n1 2:1 7:1\n", {"--strict"}),
               "new.csv:2: feature 7 is out of range: the model has 3 features");
  CheckRefused(files.Predict("x,colour\n1,red\n"), "the model was trained on ARFF or LIBSVM data");
}

TEST_CASE(
    "ARFF data with missing values are trained on, and predicted with the means of training") {
  const CsvFiles files;
  const std::string head = "@attribute x numeric\n@attribute L0 {0,1}\n@data\n";
  const std::string arff = files.folder.Write("t.arff", head + "1,1\n-2,0\n?,1\n4,1\n-1,0\n");
  const std::string xml = files.folder.Write("l.xml", XmlText(1));
  const Outcome outcome = Succeed(files.Train(arff, {"--labels", xml}, files.model));
  CHECK(Contains(outcome.err,
                 "note: 1 missing value in 1 column (x 1) replaced by the training mean"));
  const Arguments scores = {"--output", "scores"};
  CHECK(files.Predict(head + "?,?\n", scores).out == files.Predict(head + "0.5,?\n", scores).out);
}

TEST_CASE("training refuses bad tables, with file, line and column, and writes nothing") {
  const CsvFiles files;
  const Arguments labels = {"--label-columns", "L"};
  CheckBadTable(files, "x,L\n1,0\n2\n", labels, {"bad.csv:3: the row has 1 value"});
  CheckBadTable(files, "x,L\n1,maybe\n", labels, {"bad.csv:2: label 'L' has the value 'maybe'"});
  CheckBadTable(files, "x,L,L\n1,0,1\n", labels,
                {"bad.csv:1: columns 2 and 3 have the same name, 'L'"});
  CheckBadTable(files, "x,,L\n1,0,1\n", labels, {"bad.csv:1: column 2 has no name"});
  CheckBadTable(files, "x,L\ninf,1\n", labels, {"bad.csv:2: value 'inf' of column 'x'"});
  CheckBadTable(files, "x,L\n1e51,1\n", labels,
                {"bad.csv:2: value '1e51' of column 'x' is too large"});
  CheckBadTable(
      files, "d,L\n2024-01-31,1\n", labels,
      {"bad.csv:2: column 'd' has dates or times, such as '2024-01-31'", "--ignore-columns"});
  CheckBadTable(files, "x,L\n\"1,1\n", labels,
                {"bad.csv:2: the closing quote of a value is missing"});
  CheckBadTable(files, "x,L\n2,0\n", {},
                {"--label-columns", "'L', looks like one: --label-columns=-1"});
  CheckBadTable(files, "x,L\n1,0\n", {"--label-columns", "M"},
                {"--label-columns: there is no column 'M'"});
  CheckBadTable(files, "x,L\n1,0\n", labels + Arguments{"--ignore-columns", "L"},
                {"--ignore-columns: column 'L' is one of --label-columns"});
  CheckBadTable(files, "x,L\n1,0\n", labels + Arguments{"--num-labels", "2"},
                {"--num-labels: '2'"});
  CheckBadTable(files, "x,L\n1,?\n", labels, {"no example has a known label"});
  CheckBadTable(files, "x,L,M\n1,0,?\n2,1,?\n", {"--label-columns", "L,M"},
                {"label 'M' has no known value"});
  CheckBadTable(files, "0 1:1\n",
                {"--num-labels", "1", "--label-columns", "L", "--format", "libsvm"},
                {"--label-columns and --ignore-columns belong to data with names of columns"});
}

TEST_CASE("tables as Excel writes them give the model of plain tables") {
  const CsvFiles files;
  std::string plain = "x,share,a,b\n", excel = "sep=;\nx;share;a;b;\n";
  for (const Example& e : MakeExamples(60)) {
    const std::string label = e.a == 1 ? "1" : "0", other = std::to_string(e.b);
    std::string comma = Number(e.x);
    comma[comma.find('.')] = ',';
    plain += (e.missing_x ? "" : Number(e.x)) + ",1" + other + "," + label + "," + other + "\n";
    excel += (e.missing_x ? "#N/A" : comma) + ";1" + other + "%;" + (e.a == 1 ? "ja" : "nein") +
             ";" + (e.b == 1 ? "x" : "") + ";\n";
  }
  const std::string columns = files.folder.Path("columns.slk");
  Succeed(files.Train(files.folder.Write("plain.csv", plain), {"--label-columns", "a,b"}, columns));
  const std::string data = files.folder.Write("excel.csv", excel);
  const Outcome train =
      Succeed(files.Train(data, {"--label-columns", "a,b", "--decimal-comma"}, files.model));
  CHECK(Contains(train.err, "'x' was taken for yes, empty for no"));
  const MultiLabelModel from_plain = MultiLabelModel::Load(columns);
  const MultiLabelModel from_excel = MultiLabelModel::Load(files.model);
  CHECK(std::ranges::equal(from_plain.weights(), from_excel.weights()));
  CHECK(OutputOf({"multilabel", "predict", data, "--model", files.model}) ==
        OutputOf({"multilabel", "predict", files.folder.Path("plain.csv"), "--model", columns}));
  // Without a word on the comma.
  const Outcome refused = files.Train(data, {"--label-columns", "a,b"}, files.folder.Path("no"));
  CHECK(refused.code == 2);
  CHECK(Contains(refused.err, "--decimal-comma"));
}

TEST_CASE("--separator, --categories and --labels-in in training, prediction and evaluation") {
  const CsvFiles files;
  std::string text = "x|grade|tags\n";
  for (const Example& e : MakeExamples(60)) {
    text += Number(e.x) + "|" + (e.colour == 2 ? "n/k" : std::to_string(e.colour + 1)) + "|" +
            (e.a == 1 ? "warm" : "") + (e.a == 1 && e.b == 1 ? " / " : "") +
            (e.b == 1 ? "light" : "") + "\n";
  }
  const std::string data = files.folder.Write("bars.txt", text);
  const Arguments columns{"--format", "csv", "--separator", "|", "--labels-in", "tags:/"};
  const Outcome refused = files.Train(data, columns, files.model);
  CHECK(refused.code == 2);
  CHECK(Contains(refused.err, "'grade'"));
  CHECK(Contains(refused.err, "--categories"));
  const Outcome train =
      Succeed(files.Train(data, columns + Arguments{"--categories", "grade"}, files.model));
  CHECK(Contains(train.err, " 2 labels, "));
  const Json info = JsonOf({"info", files.model, "--json"});
  CHECK(info["labels"] == Json::array({"light", "warm"}));
  const Arguments reading{data, "--model", files.model, "--format", "csv", "--separator", "|"};
  const Json metrics = JsonOf(Arguments{"multilabel", "evaluate", "--json"} + reading);
  CHECK(metrics["hamming_loss"] < 0.1);
  const std::string predicted = OutputOf(Arguments{"multilabel", "predict"} + reading);
  const std::string unlabelled = files.folder.Write("new.txt", "grade|x\nn/k|1\n2|-1\n");
  CHECK(Contains(predicted, "light"));
  CHECK(OutputOf({"multilabel", "predict", unlabelled, "--model", files.model, "--format", "csv",
                  "--separator", "|"}) == "light,warm\n\n");
  CHECK(Contains(files.Train(data, columns + Arguments{"--label-columns", "x"}, files.model).err,
                 "--labels-in: pass either this option or --label-columns"));
  CHECK(Contains(files.Train(data, {"--label-columns", "x", "--separator", "ab"}, files.model).err,
                 "--separator: 'ab' is not allowed"));
}
