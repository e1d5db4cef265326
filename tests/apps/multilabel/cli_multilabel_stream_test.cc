// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline multilabel predict on streams, one example after the other.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tests/apps/conversation.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct LabelStreamFiles {
  TemporaryFolder folder;
  std::string model = folder.Path("m.slk");
  std::string arff_model = folder.Path("a.slk");

  LabelStreamFiles() {
    Train({folder.Write("train.svm", LibsvmText(60, 6, 4, 1)), "--num-labels", "4", "--model",
           model});
    const std::string xml = folder.Write("l.xml", XmlText(4));
    Train({folder.Write("train.arff", ArffText(60, 6, 4, 1)), "--labels", xml, "--model",
           arff_model});
  }
  static void Train(const Arguments& more) {
    Succeed(Arguments{"multilabel", "train"} + more +
            Arguments{"--lambda", "0.05", "--gap-tolerance", "0.01"});
  }
  static Arguments Predict(const std::string& model, const std::string& data,
                           const Arguments& more = {}) {
    return Arguments{"multilabel", "predict", data, "--model", model} + more;
  }
};

/// Checks that a stream, from a file and from the standard input, gives the output of the whole
/// file.
void CheckSame(const std::string& model, const std::string& data, const Arguments& more) {
  const Outcome whole = Succeed(LabelStreamFiles::Predict(model, data, more));
  for (const bool piped : {false, true}) {
    CAPTURE(piped);
    const Outcome stream =
        piped ? RunProgram(LabelStreamFiles::Predict(model, "-", more), data)
              : RunProgram(LabelStreamFiles::Predict(model, data, more + Arguments{"--stream"}));
    CHECK(stream.code == 0);
    CHECK(stream.out == whole.out);
    CHECK(stream.err == whole.err);
  }
}

/// A table with some missing values and two categorical columns.
const char* const kTable =
    "x,\"the colour\",size,a,b\n1,red,NA,1,0\n-2,blue,3,0,1\n,green,2,0,1\n4,red,5,1,0\n"
    "0.5,,1,1,1\n-3,blue,4,0,0\n2,red,6,1,0\n-1,green,2,0,1\n";
/// New data with other columns in another order: quotes over two lines, values not seen in
/// training, one label.
const char* const kNewTable =
    "size,more,\"the colour\",b,x\n1,\"two\nlines\",red,1,2\n\n?,,\"violet\",0,-1.5\n"
    " 7 ,z,,?,NA\n2,z,pink,1,0\n";

/// A table with more than 200 features, most of them categories: its rows are sparse.
std::string WideTable(int rows, int categories) {
  std::string text = "number,c0,c1,c2,c3,c4,c5,a\n";
  for (int k = 0; k < rows; ++k) {
    text += std::to_string(k % 5);
    for (int c = 0; c < 6; ++c) text += ",t" + std::to_string((k * (2 * c + 7) + c) % categories);
    text += "," + std::to_string(k * 7 % categories % 2) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a stream of examples gives the results of the whole file, bit for bit") {
  const LabelStreamFiles files;
  const std::string svm =
      files.folder.Write("t.svm", "# none\n" + LibsvmText(25, 6, 4, 2) + "\n?\n 6:1 # x\n");
  const std::string arff =
      files.folder.WriteGzip("t.arff.gz", ArffText(25, 6, 4, 2) + "\n% none\n{2 1.5,7 1}\n");
  for (const char* output : {"labels", "scores"}) {
    for (const char* decode : {"auto", "lp"}) {
      CAPTURE(output);
      CheckSame(files.model, svm, {"--output", output, "--decode", decode});
      CheckSame(files.arff_model, arff, {"--output", output, "--decode", decode});
    }
  }
}

TEST_CASE("an example is answered before the next one is read") {
  const LabelStreamFiles files;
  const std::string text = ArffText(3, 6, 4, 2);
  const std::string data = files.folder.Write("t.arff", text);
  const auto whole = Lines(
      RunProgram(LabelStreamFiles::Predict(files.arff_model, data, {"--output", "scores"})).out);
  const std::size_t rows = text.find("@data\n") + 6;
  Conversation program(
      LabelStreamFiles::Predict(files.arff_model, "-", {"--output", "scores", "-q"}));
  program.Write(text.substr(0, rows));
  const auto lines = Lines(text.substr(rows));
  for (std::size_t k = 0; k < lines.size(); ++k) {
    program.Write(lines[k] + "\n");
    if (k == 0) CHECK(program.ReadLine() == whole[0]);
    CHECK(program.ReadLine() == whole[k + 1]);
  }
  program.CloseInput();
  CHECK(program.ReadLine().empty());
  CHECK(program.Wait() == 0);

  Conversation svm(LabelStreamFiles::Predict(files.model, "-", {"--output", "scores", "-q"}));
  for (int k = 0; k < 2; ++k) {
    svm.Write("? 1:1 3:-2\n");
    if (k == 0) CHECK(svm.ReadLine() == "0,1,2,3");
    CHECK(Contains(svm.ReadLine(), ","));
  }
  svm.CloseInput();
  CHECK(svm.Wait() == 0);
}

TEST_CASE("the results before a fault are written") {
  const LabelStreamFiles files;
  const std::string bad = files.folder.Write("bad.svm", "? 1:1\n? 2:1\n? 2:x\n? 1:1\n");
  const Outcome stream =
      RunProgram(LabelStreamFiles::Predict(files.model, "-", {"--output", "scores"}), bad);
  CHECK(stream.code == 2);
  CHECK(Lines(stream.out).size() == 3);
  CHECK(Contains(stream.err, "<stdin>:3: the value of '2:x' is not a finite number\n"));
  const std::string out = files.folder.Path("out.txt");
  CHECK(RunProgram(LabelStreamFiles::Predict(files.model, bad, {"--stream", "--out", out})).code ==
        2);
  CHECK(ReadBytes(out).empty());
  const std::string good = files.folder.Write("good.svm", "? 1:1\n? 2:1\n");
  Succeed(LabelStreamFiles::Predict(files.model, good, {"--stream", "--out", out, "-q"}));
  CHECK(ReadBytes(out) == RunProgram(LabelStreamFiles::Predict(files.model, good)).out);
  CheckRefused(RunProgram(LabelStreamFiles::Predict(files.model, "-", {"--output", "scores"}),
                          files.folder.Write("e", "\n")),
               "<stdin>: no examples\n");
  CheckRefused(RunProgram(LabelStreamFiles::Predict(files.arff_model, "-"),
                          files.folder.Write("h", ArffText(0, 6, 4, 2))),
               "<stdin>: no examples after @data\n");
}

TEST_CASE("a stream of a table gives the results and notes of the whole table") {
  const LabelStreamFiles files;
  const std::string model = files.folder.Path("t.slk");
  const std::string data = files.folder.Write("new.csv", kNewTable);
  for (const char* scale : {"none", "standard", "max-abs", "norm"}) {
    CAPTURE(scale);
    LabelStreamFiles::Train({files.folder.Write("train.csv", kTable), "--label-columns", "a,b",
                             "--scale", scale, "--model", model});
    for (const char* output : {"labels", "scores"}) CheckSame(model, data, {"--output", output});
    CheckSame(model, data, {"-q"});
  }
  const Outcome outcome = RunProgram(LabelStreamFiles::Predict(model, "-"), data);
  CHECK(Lines(outcome.out).size() == 4);
  for (const char* note :
       {"note: column 'more', unknown to the model, left out\n", "1 missing value in 1 column",
        "'violet' on line 5", "note: the table has no column 'a'"})
    CHECK(Contains(outcome.err, note));
  CHECK(Contains(outcome.err, "4 examples; decoded by"));
}

TEST_CASE("streams of tables with sparse rows and with tabs give the results of the whole tables") {
  const LabelStreamFiles files;
  const std::string model = files.folder.Path("w.slk");
  for (const char* scale : {"none", "standard"}) {
    LabelStreamFiles::Train({files.folder.Write("wide.csv", WideTable(300, 45)), "--label-columns",
                             "a", "--scale", scale, "--model", model});
    CheckSame(model, files.folder.Write("new.csv", WideTable(90, 47)), {"--output", "scores"});
  }
  const std::string tabs = "number\tc1\tc0\tc2\tc3\tc5\tc4\n1\tt3\tt,3\tt1\tNA\tt4\tt5\n";
  CheckSame(model, files.folder.Write("new.tsv", tabs), {"--format", "tsv"});
}

TEST_CASE("streams support --strict and --format") {
  const LabelStreamFiles files;
  const std::string model = files.folder.Path("t.slk");
  LabelStreamFiles::Train(
      {files.folder.Write("train.csv", kTable), "--label-columns", "a,b", "--model", model});
  const auto error = [&](const std::string& of, const std::string& text, const Arguments& more) {
    const Outcome outcome =
        RunProgram(LabelStreamFiles::Predict(of, "-", more), files.folder.Write("n", text));
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK(Contains(error(model, kNewTable, {"--strict"}),
                 "<stdin>:1: column 'more', unknown to the model (--strict)\n"));
  CHECK(Contains(error(model, "x,the colour,size\n1,red,1\n1,pink,1\n", {"--strict"}),
                 "<stdin>:3: the category 'pink' of column 'the colour' is unknown"));
  CHECK(Contains(error(files.model, "? 1:1\n? 9:1\n", {"--strict"}),
                 "<stdin>:2: feature 9 is out of range"));
  CHECK(Contains(error(model, "x,the colour,size\n1,red,1\n", {"--format", "libsvm"}),
                 "LIBSVM data do not have"));
  CHECK(Contains(error(model, "x,the colour,size\n\n", {}),
                 "<stdin>: no examples after the header\n"));
  CHECK(Contains(error(model, "x,the colour,size\n1,red,1\n1,red\n", {}), "<stdin>:3: "));
}

TEST_CASE("streams report values left out or filled in") {
  const LabelStreamFiles files;
  const std::string svm = files.folder.Write("t.svm", "? 1:1 7:2\n? 2:1\n? 8:1 9:1\n");
  CheckSame(files.model, svm, {"--output", "scores"});
  CHECK(Contains(
      RunProgram(LabelStreamFiles::Predict(files.model, "-"), svm).err,
      "note: 3 values of 3 features beyond the model's 6 left out (first feature 7 on line 1)\n"));
  const std::string arff =
      files.folder.Write("t.arff", ArffText(2, 6, 4, 2) + "?,1,2,3,4,?,0,0,0,?\n");
  CheckSame(files.arff_model, arff, {"--output", "scores"});
  CHECK(Contains(RunProgram(LabelStreamFiles::Predict(files.arff_model, "-"), arff).err,
                 "2 missing values in 2 columns"));
}

TEST_CASE("examples of models with scaled features are scaled in streams as in files") {
  const LabelStreamFiles files;
  const std::string model = files.folder.Path("s.slk");
  const std::string xml = files.folder.Write("s.xml", XmlText(4));
  const std::string arff = files.folder.Write("train.arff", ArffText(60, 6, 4, 1));
  const std::string new_arff =
      files.folder.Write("n.arff", ArffText(25, 6, 4, 2) + "{2 1.5,7 1}\n");
  const std::string svm = files.folder.Write("train.svm", LibsvmText(60, 6, 4, 1));
  const std::string new_svm = files.folder.Write("n.svm", LibsvmText(25, 6, 4, 2));
  for (const char* scale : {"standard", "max-abs", "norm"}) {
    CAPTURE(scale);
    LabelStreamFiles::Train({arff, "--labels", xml, "--scale", scale, "--model", model});
    CheckSame(model, new_arff, {"--output", "scores"});
    LabelStreamFiles::Train({svm, "--num-labels", "4", "--scale", scale, "--model", model});
    CheckSame(model, new_svm, {"--output", "scores"});
  }
}

TEST_CASE("a row of a table is answered before the next one is read") {
  const LabelStreamFiles files;
  const std::string model = files.folder.Path("t.slk");
  LabelStreamFiles::Train(
      {files.folder.Write("train.csv", kTable), "--label-columns", "a,b", "--model", model});
  Conversation program(LabelStreamFiles::Predict(model, "-", {"--output", "scores", "-q"}));
  program.Write("size,x,the colour\n");
  for (int k = 0; k < 3; ++k) {
    program.Write("1," + std::to_string(k) + ",\"red\"\n");
    if (k == 0) CHECK(program.ReadLine() == "a,b");
    CHECK(Contains(program.ReadLine(), ","));
  }
  program.CloseInput();
  CHECK(program.ReadLine().empty());
  CHECK(program.Wait() == 0);
}
