// SPDX-License-Identifier: BSD-3-Clause
//
// Bad input: exit code 2, a one-line message that names file, line and token, and no output file
// created or changed.
#include <filesystem>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <slackline/core/model_file.h>
#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

/// A folder with good data, label names and a good model.
const std::string kHead =
    "@relation r\n@attribute f numeric\n@attribute L0 {0,1}\n@attribute L1 {0,1}\n@data\n";
struct GoodFiles {
  TemporaryFolder folder;
  std::string svm = folder.Write("good.svm", LibsvmText(30, 3, 2, 4));
  std::string arff = folder.Write("good.arff", kHead + "1,1,0\n-1,0,1\n");
  std::string xml = folder.Write("good.xml", XmlText(2));
  std::string out = folder.Path("out.slk");

  std::string Model() const {
    const std::string path = folder.Path("good.slk");
    Succeed({"multilabel", "train", svm, "--num-labels", "2", "--model", path});
    return path;
  }
};

/// Checks that the run fails with all `parts` in its one-line message, that the folder keeps its
/// files, and that `out` keeps its content.
void CheckFailure(const GoodFiles& files, const Arguments& arguments, const Arguments& parts) {
  for (const bool existing : {false, true}) {
    if (existing) files.folder.Write("out.slk", "old");
    const std::size_t before = files.folder.NumFiles();
    const Outcome outcome = RunProgram(arguments);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.starts_with("slackline: "));
    CHECK(Lines(outcome.err).size() == 1);
    for (const std::string& part : parts) CHECK_MESSAGE(Contains(outcome.err, part), part);
    CHECK(files.folder.NumFiles() == before);
    if (existing) CHECK(ReadBytes(files.out) == "old");
  }
  std::filesystem::remove(files.out);
}

void CheckBadSvm(const std::string& content, const Arguments& parts) {
  const GoodFiles files;
  const std::string bad = files.folder.Write("bad.svm", content);
  CheckFailure(files, {"multilabel", "train", bad, "--num-labels", "2", "--model", files.out},
               parts);
}

void CheckBadArff(const std::string& rows, const Arguments& parts) {
  const GoodFiles files;
  const std::string bad = files.folder.Write("bad.arff", kHead + rows);
  CheckFailure(files, {"multilabel", "train", bad, "--labels", files.xml, "--model", files.out},
               parts);
}

void CheckBadOption(const Arguments& options, const Arguments& parts) {
  const GoodFiles files;
  CheckFailure(
      files,
      Arguments{"multilabel", "train", files.svm, "--num-labels", "2", "--model", files.out} +
          options,
      parts);
}

}  // namespace

TEST_CASE("missing, empty and truncated files") {
  const GoodFiles files;
  const auto refuse = [&](const std::string& data, const Arguments& parts) {
    CheckFailure(files, {"multilabel", "train", data, "--num-labels", "2", "--model", files.out},
                 parts);
  };
  refuse(files.folder.Path("none.svm"), {"none.svm: cannot open the file"});
  refuse(files.folder.Path(""), {"is a directory"});
  refuse(files.folder.Write("empty.svm", ""), {"empty.svm: no examples"});
  refuse(files.folder.Write("blank.svm", "\n \n"), {"blank.svm: no examples"});
  refuse(files.folder.Write("cut.svm", "0 1:1\n1 2"), {"cut.svm:2", "'2'"});
  const std::string gz = ReadBytes(files.folder.WriteGzip("whole.gz", LibsvmText(500, 3, 2, 4)));
  refuse(files.folder.Write("cut.gz", gz.substr(0, gz.size() / 2)),
         {"cut.gz: the gzip data are truncated"});
  refuse(files.folder.Write("short.gz", gz.substr(0, 20)), {"short.gz:", "truncated", "line 1"});
  refuse(files.folder.Write("more.gz", gz + "0 1:1\n"),
         {"more.gz:", "followed by something that is not gzip"});
  CheckFailure(files,
               {"multilabel", "train", files.arff, "--labels", files.folder.Path("none.xml"),
                "--model", files.out},
               {"none.xml: cannot open"});
  CheckFailure(files,
               {"multilabel", "train", files.arff, "--labels", files.svm, "--model", files.out},
               {"good.svm:", "not XML"});
}

TEST_CASE("bad LIBSVM lines") {
  CheckBadSvm("0 1:1\n2 1:1\n", {"bad.svm:2", "label '2' is out of range"});
  CheckBadSvm("0 1:1\nx 1:1\n", {"bad.svm:2", "label 'x'"});
  CheckBadSvm("-1 1:1\n", {"bad.svm:1", "label '-1'"});
  CheckBadSvm("0 1:1\n\n1 1:nan\n", {"bad.svm:3", "'1:nan' is not a finite number"});
  CheckBadSvm("0 1:inf\n", {"bad.svm:1", "'1:inf'"});
  CheckBadSvm("0 1:1e999\n", {"bad.svm:1", "'1:1e999'"});
  CheckBadSvm("0 1:1\n1 1:-1.5e154\n", {"bad.svm:2", "'1:-1.5e154' is too large"});
  CheckBadSvm("0 0:1\n", {"bad.svm:1", "feature index 0", "'0:1'"});
  CheckBadSvm("0 2:1 1:1\n", {"bad.svm:1", "must increase", "'1:1'"});
  CheckBadSvm("0 2:1 2:1\n", {"bad.svm:1", "must increase", "'2:1'"});
  CheckBadSvm("0 1\n", {"bad.svm:1", "'0 1'", "the numbers of examples, features and labels"});
  CheckBadSvm("0 1:1\n0 1\n", {"bad.svm:2", "'1'"});
  CheckBadSvm("0, 1 1:1\n", {"bad.svm:1", "separated by commas without blanks"});
  CheckBadSvm("? 1:1\n? 1:2\n", {"bad.svm: no example has a known label"});
}

TEST_CASE("tokens of messages are printable and short") {
  CheckBadSvm(std::string("0 1:1\n\0\x1b[2J 1:1\n", 17), {"bad.svm:2", "label '\\x00\\x1b[2J'"});
  CheckBadSvm("0 1:1\n" + std::string(5000, 'x') + " 1:1\n",
              {"bad.svm:2", std::string(60, 'x') + "...'"});
  CheckBadArff("1,\x07,0\n", {"bad.arff:6", "'\\x07'"});
  CheckBadOption({"--lambda", "\x1b[2J"}, {"--lambda", "'\\x1b[2J'"});
  const GoodFiles files;
  const std::string bad = files.folder.Path("a\x1b[2Jb.svm");
  CheckFailure(files, {"multilabel", "train", bad, "--num-labels", "2", "--model", files.out},
               {"a\\x1b[2Jb.svm: cannot open"});
}

TEST_CASE("an error in the file of label names has its line") {
  const GoodFiles files;
  const std::string xml = files.folder.Write(
      "names.xml", "<labels>\n<label name=\"L0\"/>\n<label name=\"L7\"/>\n</labels>\n");
  CheckFailure(files, {"multilabel", "train", files.arff, "--labels", xml, "--model", files.out},
               {"names.xml:3", "label 'L7' is not an attribute of", "good.arff"});
}

TEST_CASE("data too large for any machine are refused") {
  const GoodFiles files;
  const std::string huge = files.folder.Write("huge.svm", "0 1:1\n0 1:2 2147483640:1\n");
  const auto refuse = [&](const std::string& labels, const Arguments& parts) {
    CheckFailure(files,
                 {"multilabel", "train", huge, "--num-labels", labels, "--graph", "none", "--model",
                  files.out},
                 parts);
  };
  refuse("100000", {"huge.svm:2", "'2147483640:1'", "100000 labels", "of memory", "without gaps"});
  CheckFailure(
      files, {"multilabel", "train", files.svm, "--num-labels", "2147483647", "--model", files.out},
      {"--num-labels", "'2147483647'", "of memory", "--graph none"});
  CheckFailure(files,
               {"multilabel", "cv", huge, "--num-labels", "100000", "--graph", "none",
                "--lambda-path", "1,2", "--model", files.out},
               {"huge.svm:2", "of memory"});
  const std::string model = files.Model();
  CheckFailure(files,
               {"multilabel", "predict", huge, "--model", model, "--strict", "--out", files.out},
               {"huge.svm:2", "feature 2147483640", "3 features"});
}

TEST_CASE("a wide sparse data set is accepted") {
  const GoodFiles files;
  const std::string wide = files.folder.Write("wide.svm", "0 1:1\n1 1:2 200000:1\n");
  Succeed({"multilabel", "train", wide, "--num-labels", "20", "--graph", "none", "--model",
           files.out, "--max-passes", "1"});
}

TEST_CASE("bad ARFF rows") {
  CheckBadArff("1,1,0\n1,2,0\n", {"bad.arff:7", "is not declared", "'2'"});
  CheckBadArff("1,1,0\n1,1\n", {"bad.arff:7", "the row has 2 values"});
  CheckBadArff("nan,1,0\n", {"bad.arff:6", "'nan'"});
  CheckBadArff("1e999,1,0\n", {"bad.arff:6", "'1e999'"});
  CheckBadArff("", {"bad.arff: no examples"});
}

TEST_CASE("labels that are not described or missing are refused") {
  const GoodFiles files;
  const Arguments train = {"multilabel", "train"};
  CheckFailure(files, train + Arguments{files.svm, "--model", files.out},
               {"good.svm: ", "--num-labels"});
  CheckFailure(files, train + Arguments{files.arff, "--model", files.out},
               {"good.arff: ", "--labels"});
  CheckFailure(files,
               train + Arguments{files.arff, "--labels", files.xml, "--num-labels", "3", "--model",
                                 files.out},
               {"--num-labels", "'3'", "2 labels"});
  const std::string xml = files.folder.Write("other.xml", "<labels><label name='L7'/></labels>");
  CheckFailure(files, train + Arguments{files.arff, "--labels", xml, "--model", files.out},
               {"other.xml", "L7"});
}

TEST_CASE("unknown options and bad values") {
  CheckBadOption({"--frobnicate", "1"},
                 {"unknown option '--frobnicate'", "slackline multilabel train --help"});
  CheckBadOption({"--lamda", "1"}, {"unknown option '--lamda'; did you mean '--lambda'?"});
  CheckBadOption({"--max-pases=3"},
                 {"unknown option '--max-pases=3'; did you mean '--max-passes'?"});
  CheckBadOption({"--learner", "bmrn"}, {"'bmrn' is not allowed", "; did you mean 'bmrm'?"});
  CheckBadOption({"--loss", "coutn"}, {"'coutn' is not allowed", "; did you mean 'count'?"});
  CheckBadOption({"surplus"}, {"unexpected argument 'surplus'", "--help"});
  CheckBadOption({"--seed"}, {"--seed", "--help"});
  CheckBadOption({"--learner", "svm"}, {"--learner", "'svm'", "al soft bcfw"});
  CheckBadOption({"--step", "big"}, {"--step", "'big'", "pairwise away fw"});
  CheckBadOption({"--oracle", "delphi"}, {"--oracle", "'delphi'", "tree"});
  CheckBadOption({"--loss", "l2"}, {"--loss", "'l2'", "mean count"});
  CheckBadOption({"--bias", "yes"}, {"--bias", "'yes'", "0 1"});
  CheckBadOption({"--num-labels", "3", "--num-labels", "3"}, {"--num-labels"});
  for (const std::string& value :
       {std::string("0"), std::string("-1"), std::string("nan"), std::string("1x")}) {
    CheckBadOption({"--lambda", value}, {"--lambda", "'" + value + "'", "> 0"});
    CheckBadOption({"--rho", value}, {"--rho", "'" + value + "'", "> 0"});
    CheckBadOption({"--C", value}, {"--C", "'" + value + "'", "> 0"});
  }
  CheckBadOption({"--lambda", "1", "--C", "1"}, {"--lambda", "--C"});
  CheckBadOption({"--C", "1e308"}, {"--C"});
  CheckBadOption({"--tau", "1.5"}, {"--tau", "'1.5'"});
  CheckBadOption({"--max-passes", "0"}, {"--max-passes", "'0'"});
  CheckBadOption({"--threads", "-1"}, {"--threads", "'-1'"});
  CheckBadOption({"--learner", "bcfw", "--rho", "1"},
                 {"--rho applies to --learner al or soft only"});
  CheckBadOption({"--learner", "al", "--oracle", "lp"}, {"--oracle", "bcfw"});
  CheckBadOption({"--learner", "eg", "--step", "fw"},
                 {"--step fw: learner eg takes exponentiated gradient",
                  "--step applies to --learner al or soft or bcfw"});
  CheckBadOption({"--learner", "bmrm", "--order", "example"},
                 {"--order example", "takes all examples at once"});
  CheckBadOption({"--learner", "soft", "--average", "uniform"},
                 {"--average uniform applies to", "bcfw or ssg"});
  CheckBadOption({"--learner", "bcfw", "--tau", "1"}, {"--tau applies to --learner al only"});
  CheckBadOption({"--learner", "fw", "--checkpoint", "c.ckpt"},
                 {"--checkpoint: learner fw saves no state", "--learner auto or al or soft"});
  CheckBadOption({"--learner", "eg", "--resume", "c.ckpt"},
                 {"--resume: learner eg saves no state"});
  CheckBadOption({"--rho-passes", "7"}, {"--rho-passes applies to --learner soft only"});
  CheckBadOption({"--rho", "1", "--step", "away"}, {"--rho", "--step away", "bcfw"});
  CheckBadOption({"--C", "1e300"}, {"--C", "at least 1e-30"});
  CheckBadOption({"--C", "1e-320"}, {"--C", "inf"});
}

TEST_CASE("bad commands") {
  const GoodFiles files;
  CheckFailure(files, {}, {"a command is missing", "multilabel", "info"});
  CheckFailure(files, {"multilable"},
               {"unknown command 'multilable'", "did you mean 'multilabel'?"});
  CheckFailure(files, {"multilabel", "predcit"},
               {"unknown command 'predcit'", "did you mean 'predict'?"});
  CheckFailure(files, {"multilabel", "test"},
               {"unknown command 'test'", "train, predict, evaluate"});
  for (const std::string task : {"matching", "multiclass", "linear"})
    CheckFailure(files, {task, "convert", "data.csv"},
                 {task + " convert: files larger than the memory are for", task + " --help"});
  std::vector<std::string> tasks = {"matching", "multiclass", "linear", "sequence"};
#ifdef SLACKLINE_WITH_VISION
  tasks.emplace_back("segment");
#endif
  for (const std::string& task : tasks)
    CheckFailure(files, {task, "online", "data.csv"},
                 {task + " online: ", "<slackline/online.h>", task + " --help"});
  CheckFailure(files, {"--frob"}, {"unknown option '--frob'"});
  CheckFailure(files, {"multilabel", "train"}, {"DATA"});
  CheckFailure(files, {"multilabel", "train", files.svm}, {"--model"});
  CheckFailure(files, {"info"}, {"MODEL"});
}

TEST_CASE("bad graph files") {
  const auto refuse = [](const std::string& content, const Arguments& parts) {
    const GoodFiles files;
    const std::string graph = files.folder.Write("g.txt", content);
    CheckFailure(files,
                 {"multilabel", "train", files.arff, "--labels", files.xml, "--model", files.out,
                  "--graph", graph},
                 parts);
  };
  refuse("L0 L1\nL1 L1\n", {"g.txt:2", "self-loop", "'L1'"});
  refuse("L0 L2\n", {"g.txt:1", "unknown label 'L2'"});
  refuse("L0 L1\n1 0\n", {"g.txt:2", "given before, on line 1"});
  refuse("L0\n", {"g.txt:1", "expected two labels"});
  CheckBadOption({"--graph", "complete"}, {"--graph", "'complete'", "full, none nor tree"});
}

TEST_CASE("outputs that cannot be written are found before training") {
  const GoodFiles files;
  const Arguments endless = {"multilabel", "train",           files.svm, "--num-labels",
                             "2",          "--gap-tolerance", "0",       "--max-passes",
                             "2000000000", "--time-limit",    "100"};
  const std::string nowhere = files.folder.Path("no/folder/m.slk");
  CheckFailure(files, endless + Arguments{"--model", nowhere}, {"--model", "no/folder"});
  CheckFailure(files, endless + Arguments{"--model", files.folder.Path("")},
               {"--model", "directory"});
  CheckFailure(files, endless + Arguments{"--model", ""}, {"--model"});
  CheckFailure(files, endless + Arguments{"--model", files.out, "--log", nowhere},
               {"--log", "no/folder"});
  CheckFailure(files, endless + Arguments{"--model", files.svm},
               {"--model", "would be overwritten"});
  CheckFailure(files, endless + Arguments{"--model", files.out, "--log", files.out},
               {"--log", "would be overwritten"});
  CHECK(ReadBytes(files.svm) == LibsvmText(30, 3, 2, 4));
  if (geteuid() != 0) {
    const std::string locked = files.folder.Path("locked");
    mkdir(locked.c_str(), 0500);
    CheckFailure(files, endless + Arguments{"--model", locked + "/m.slk"},
                 {"--model", "Permission denied"});
  }
}

TEST_CASE("two outputs of one name, and models on the standard output, are refused") {
  const GoodFiles files;
  const Arguments train = {"multilabel", "train", files.svm, "--num-labels", "2"};
  const std::string detour = files.folder.Path("./out.slk");
  CheckFailure(files, train + Arguments{"--model", files.out, "--log", detour},
               {"--log", "would be overwritten"});
  CheckFailure(files, train + Arguments{"--model", files.out, "--checkpoint", detour},
               {"--checkpoint", "would be overwritten"});
  CheckFailure(files, train + Arguments{"--model", "-"}, {"--model", "'-'", "standard output"});
  CheckFailure(files, train + Arguments{"--model", files.out, "--checkpoint", "-"},
               {"--checkpoint", "'-'"});
  const std::string checkpoint = files.folder.Write("r.ckpt", "state");
  CheckFailure(files, train + Arguments{"--model", checkpoint, "--resume", checkpoint},
               {"--model", "would be overwritten"});
  CHECK(ReadBytes(checkpoint) == "state");
}

TEST_CASE("the file that the standard input comes from is not overwritten") {
  const GoodFiles files;
  const std::string model = files.Model();
  const std::string before = ReadBytes(files.svm);
  const Arguments train = {"multilabel", "train", "-", "--num-labels", "2"};
  const Arguments runs[] = {train + Arguments{"--model", files.svm},
                            train + Arguments{"--model", files.out, "--log", files.svm},
                            train + Arguments{"--model", files.out, "--checkpoint", files.svm},
                            {"multilabel", "predict", "-", "--model", model, "--out", files.svm}};
  for (const Arguments& arguments : runs) {
    CheckRefused(RunProgram(arguments, files.svm),
                 "is also the standard input, and would be overwritten");
    CHECK(ReadBytes(files.svm) == before);
  }
  Succeed(train + Arguments{"--model", files.out}, files.svm);
}

TEST_CASE("empty, missing and repeated values") {
  const GoodFiles files;
  const std::string model = files.Model();
  for (const char* option : {"--log", "--checkpoint", "--resume", "--labels", "--graph", "--C",
                             "--lambda-path", "--lambda"}) {
    CheckBadOption({option, ""}, {option, "the value is empty"});
  }
  CheckFailure(files, {"multilabel", "predict", files.svm, "--model", model, "--out", ""},
               {"--out", "the value is empty"});
  CheckFailure(files, {"multilabel", "predict", "", "--model", model},
               {"DATA", "the value is empty"});
  CheckBadOption({"--log"}, {"--log needs a value"});
  CheckBadOption({"--lambda", "1", "--lambda=2"}, {"--lambda is given twice"});
  CheckBadOption({"--seed", "1", "--seed", "1", "--seed", "1"}, {"--seed is given 3 times"});
  // Flags may be repeated.
  Succeed({"multilabel", "evaluate", files.svm, "--model", model, "--json", "--json"});
}

TEST_CASE("an output that cannot be written completely is an error") {
  const GoodFiles files;
  const std::string model = files.Model();
  const Arguments runs[] = {{"--help"},
                            {"--version"},
                            {"multilabel", "train", "--help"},
                            {"info", model},
                            {"multilabel", "predict", files.svm, "--model", model},
                            {"multilabel", "evaluate", files.svm, "--model", model}};
  for (const Arguments& arguments : runs) {
    const Outcome outcome = RunProgram(arguments, "/dev/null", "/dev/full");
    INFO(arguments[0] << outcome.err);
    CHECK(outcome.code == 2);
    CHECK(Contains(outcome.err, "<stdout>: writing failed"));
  }
}

TEST_CASE("a log is neither created nor changed when training does not start") {
  const GoodFiles files;
  const std::string log = files.folder.Write("run.jsonl", "old");
  CheckFailure(files, {"multilabel", "train", files.svm, "--model", files.out, "--log", log},
               {"--num-labels"});
  CHECK(ReadBytes(log) == "old");
}

TEST_CASE("bad models, and data that do not fit the model") {
  const GoodFiles files;
  const std::string model = files.Model();
  const std::string bytes = ReadBytes(model);
  const auto refuse = [&](const std::string& path, const std::string& data,
                          const Arguments& parts) {
    const Arguments rest = {data, "--model", path};
    CheckFailure(files, Arguments{"multilabel", "predict", "--out", files.out} + rest, parts);
    CheckFailure(files, Arguments{"multilabel", "evaluate"} + rest, parts);
  };
  refuse(files.folder.Path("none.slk"), files.svm, {"none.slk: cannot open the file"});
  refuse(files.svm, files.svm, {"good.svm: not a Slackline model"});
  refuse(files.folder.Write("cut.slk", bytes.substr(0, bytes.size() - 9)), files.svm,
         {"cut.slk: the model is truncated"});
  std::string changed = bytes;
  changed[changed.size() / 2] ^= 1;
  refuse(files.folder.Write("changed.slk", changed), files.svm,
         {"changed.slk: the model is damaged"});
  std::string newer = bytes;
  newer[8] = 9;
  refuse(files.folder.Write("newer.slk", newer), files.svm,
         {"newer.slk: written by a newer version"});
  slackline::internal::ModelWriter writer;
  writer.Add("task", std::string("parsing"));
  writer.Save(files.folder.Path("other.slk"));
  refuse(files.folder.Path("other.slk"), files.svm,
         {"other.slk: a model of another task: 'parsing'"});
  CheckFailure(files, {"info", files.folder.Path("other.slk")}, {"another task"});

  const std::string wide = files.folder.Write("wide.svm", "0 1:1\n1 4:1\n");
  CheckFailure(files, {"multilabel", "predict", wide, "--model", model, "--strict"},
               {"wide.svm:2", "feature 4", "3 features"});
  refuse(model, files.folder.Write("labels.svm", "5 1:1\n"), {"labels.svm:1", "label '5'"});
  refuse(model, files.folder.Path("none.svm"), {"none.svm: cannot open"});
  CheckFailure(files,
               {"multilabel", "evaluate", files.folder.Write("u.svm", "? 1:1\n"), "--model", model},
               {"u.svm: no label is known"});
  CheckFailure(
      files,
      {"multilabel", "predict", files.svm, "--model", model, "--out", files.folder.Path("no/x")},
      {"--out", "no"});
  CheckFailure(files, {"multilabel", "predict", files.svm, "--model", model, "--out", model},
               {"--out", "overwritten"});
  CheckFailure(files, {"multilabel", "predict", files.svm, "--model", model, "--decode", "guess"},
               {"--decode", "'guess'", "auto, lp"});
  CheckFailure(files, {"multilabel", "predict", files.svm, "--model", model, "--output", "x"},
               {"--output", "'x'"});
  CheckFailure(files, {"multilabel", "predict", files.svm, "--model", model, "--threads", "x"},
               {"--threads", "'x'"});
}

TEST_CASE("an ARFF model refuses data with other features or another order of features") {
  const GoodFiles files;
  const auto arff = [&](const std::string& name, const std::string& first,
                        const std::string& second) {
    return files.folder.Write(
        name, "@relation r\n@attribute " + first + " numeric\n@attribute " + second +
                  " numeric\n@attribute L0 {0,1}\n@attribute L1 {0,1}\n@data\n"
                  "1,2,1,0\n-1,3,0,1\n");
  };
  const std::string model = files.folder.Path("a.slk");
  const std::string data = arff("good2.arff", "height", "width");
  Succeed({"multilabel", "train", data, "--labels", files.xml, "--model", model});
  for (const char* command : {"predict", "evaluate"}) {
    CheckFailure(
        files, {"multilabel", command, arff("swapped.arff", "width", "height"), "--model", model},
        {"swapped.arff:2: feature 1 is 'width', but the model was trained with 'height' there"});
    CheckFailure(
        files, {"multilabel", command, arff("renamed.arff", "height", "depth"), "--model", model},
        {"renamed.arff:3: feature 2 is 'depth', but the model was trained with 'width' there"});
    Succeed({"multilabel", command, data, "--model", model});
    // LIBSVM data have no feature names.
    const std::string svm = files.folder.Write("same.svm", "0 1:1 2:2\n1 1:-1 2:3\n");
    Succeed({"multilabel", command, svm, "--model", model});
  }
}

TEST_CASE("an ARFF model refuses data with other dimensions") {
  const GoodFiles files;
  const std::string model = files.folder.Path("a.slk");
  Succeed({"multilabel", "train", files.arff, "--labels", files.xml, "--model", model});
  const std::string head = "@relation r\n@attribute f numeric\n";
  const std::string labels = "@attribute L0 {0,1}\n@attribute L1 {0,1}\n@data\n";
  const std::string other =
      files.folder.Write("other.arff", "@relation r\n@attribute g numeric\n" + labels + "1,1,0\n");
  CheckFailure(files, {"multilabel", "predict", other, "--model", model, "--out", files.out},
               {"other.arff:2", "feature 1 is 'g', but the model was trained with 'f' there"});
  const std::string wide =
      files.folder.Write("wide.arff", head + "@attribute g numeric\n" + labels + "1,1,1,0\n");
  CheckFailure(files,
               {"multilabel", "predict", wide, "--model", model, "--out", files.out, "--strict"},
               {"wide.arff:3", "attribute 'g' is unknown to the model"});
  CHECK(Contains(Succeed({"multilabel", "predict", wide, "--model", model}).err,
                 "note: 1 attribute unknown to the model left out: 'g'"));
}
