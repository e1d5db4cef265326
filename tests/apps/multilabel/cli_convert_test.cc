// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel convert, and the commands on what it writes.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/model_file.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct ConversionFiles {
  TemporaryFolder folder;
  std::string text = folder.Write("d.svm", LibsvmText(300, 8, 6, 2));
  std::string data = folder.Path("d.data");
  std::string model = folder.Path("m.slk");

  Outcome Convert(const Arguments& more = {}) const {
    return RunProgram(Arguments{"multilabel", "convert", text, "--out", data} + more);
  }
  Outcome Train(const std::string& from, const std::string& to, const Arguments& more = {}) const {
    return RunProgram(
        Arguments{"multilabel", "train", from, "--model", to, "--gap-tolerance", "0.001"} + more);
  }
};

std::vector<double> Weights(const std::string& model) {
  const ModelReader reader(model);
  const auto weights = reader.Doubles("weights");
  return {weights.begin(), weights.end()};
}

}  // namespace

TEST_CASE("training on converted data gives the model of the text") {
  const ConversionFiles files;
  const std::string other = files.folder.Path("o.slk");
  for (const Arguments& scale : {Arguments{}, Arguments{"--scale", "standard"}}) {
    const Outcome converted = Succeed(files.Convert(Arguments{"--num-labels", "6"} + scale));
    CHECK(Contains(converted.err, "d.data: 300 examples, 8 features and a constant, 6 labels; "));
    for (const Arguments& more : {Arguments{}, Arguments{"--bias", "1", "--num-labels", "6"}}) {
      Succeed(files.Train(files.data, files.model, more + scale));
    }
    Succeed(files.Train(files.text, other, Arguments{"--num-labels", "6"} + scale));
    CHECK(Weights(files.model) == Weights(other));
  }
  const Arguments evaluate = {"multilabel", "evaluate", files.text, "--model"};
  CHECK(RunProgram(evaluate + Arguments{files.model}).out ==
        RunProgram(evaluate + Arguments{other}).out);
}

TEST_CASE("predictions are those of the text") {
  const ConversionFiles files;
  REQUIRE(files.Train(files.text, files.model, {"--num-labels", "6", "--scale", "standard"}).code ==
          0);
  Succeed(files.Convert({"--for", files.model}));
  for (const char* command : {"predict", "evaluate"}) {
    const Outcome text = RunProgram({"multilabel", command, files.text, "--model", files.model});
    const Outcome data = Succeed({"multilabel", command, files.data, "--model", files.model});
    CHECK(data.out == text.out);
  }
  CheckRefused(
      RunProgram({"multilabel", "predict", files.data, "--model", files.model, "--stream"}),
      "is converted data already");
  Succeed(files.Convert({"--num-labels", "6", "--scale", "none"}));
  CheckRefused(RunProgram({"multilabel", "evaluate", files.data, "--model", files.model}),
               "convert the data again, with --for and this model");
}

TEST_CASE("a table, for training and for a model, and in parts") {
  const ConversionFiles files;
  const std::string folder = files.folder.Path("parts");
  const std::string other = files.folder.Path("o.slk");
  std::string table = "size,colour,tag_a,tag_b\n";
  for (int m = 0; m < 200; ++m) {
    table += (m % 9 == 0 ? "" : std::to_string(m * m % 71)) + (m % 4 == 0 ? ",red," : ",green,") +
             (m % 3 == 0 ? "1," : "0,") + (m * m % 71 > 30 ? "1\n" : "0\n");
  }
  const std::string text = files.folder.Write("t.csv", table);
  const Arguments columns = {"--label-columns", "tag_*"};
  Succeed(files.Train(text, other, columns));
  for (const Arguments& out : {Arguments{"--out", files.data}, {"--out", folder, "--parts", "2"}}) {
    const Outcome converted = Succeed(Arguments{"multilabel", "convert", text} + out + columns);
    CHECK(Contains(converted.err, "200 examples, 3 features and a constant, 2 labels; "));
    Succeed(files.Train(out[1], files.model));
    CHECK(Weights(files.model) == Weights(other));
    for (const char* command : {"predict", "evaluate"}) {
      const auto run = [&](const std::string& data, const std::string& model) {
        return RunProgram({"multilabel", command, data, "--model", model});
      };
      CHECK(run(text, files.model).out == run(text, other).out);
      CHECK(run(out[1], other).out == run(text, other).out);
    }
  }
  const Arguments parts = {"multilabel", "convert", text, "--out", folder, "--parts", "2"};
  CheckRefused(RunProgram(parts + columns), "is there already");
  CheckRefused(RunProgram({"multilabel", "convert", text, "--out", files.data}),
               "pass --label-columns");
  CheckRefused(
      RunProgram(Arguments{"multilabel", "convert", text, "--out", files.data, "--for", other} +
                 columns),
      "--for: the model knows the labels");
  Succeed({"multilabel", "convert", text, "--out", files.data, "--for", other});
  Succeed({"multilabel", "evaluate", files.data, "--model", other});
}

TEST_CASE("options that would change the values are refused, with the way out") {
  const ConversionFiles files;
  Succeed(files.Convert({"--num-labels", "6", "--scale", "none"}));
  CheckRefused(files.Train(files.data, files.model, {"--scale", "norm"}),
               "convert the data again, with --scale norm");
  CheckRefused(files.Train(files.data, files.model, {"--bias", "0"}),
               "convert the data again, with --bias 0");
  CheckRefused(files.Train(files.data, files.model, {"--kernel", "rbf"}),
               "convert the data again, with --bias 0");
  CheckRefused(files.Train(files.data, files.model, {"--num-labels", "7"}), "has 6 labels");
  CheckRefused(files.Train(files.data, files.model, {"--format", "libsvm"}), "leave --format out");
  CheckRefused(files.Convert(), "pass --num-labels N or --labels FILE.xml");
  CheckRefused(files.Convert({"--num-labels", "6", "--window", "0"}), "--window");
  CheckRefused(files.Convert({"--for", files.text}), "not a Slackline model");
  CheckRefused(
      RunProgram({"multilabel", "convert", files.text, "--num-labels", "6", "--out", files.text}),
      "would be overwritten");
}

TEST_CASE("a resumed run visits the windows of the whole run") {
  const ConversionFiles files;
  const std::string text = files.folder.Write("large.svm", LibsvmText(40000, 8, 6, 2));
  const auto convert = [&](const char* window) {
    return RunProgram({"multilabel", "convert", text, "--num-labels", "6", "--out", files.data,
                       "--window", window});
  };
  Succeed(convert("1"));
  const std::string checkpoint = files.folder.Path("c");
  const std::string other = files.folder.Path("o.slk");
  const auto train = [&](const std::string& to, const char* passes, const Arguments& more) {
    return RunProgram(Arguments{"multilabel", "train", files.data, "--model", to, "--learner",
                                "bcfw", "--graph", "none", "--gap-tolerance", "1e-9",
                                "--max-passes", passes} +
                      more);
  };
  Succeed(train(files.model, "6", {}));
  Succeed(train(other, "3", {"--checkpoint", checkpoint}));
  Succeed(train(other, "6", {"--resume", checkpoint}));
  CHECK(Weights(files.model) == Weights(other));
  Succeed(convert("none"));
  CheckRefused(train(other, "6", {"--resume", checkpoint}), "windows of the data");
}

TEST_CASE("a full disk leaves no file") {
  const ConversionFiles files;
  const std::size_t before = files.folder.NumFiles();
  const Outcome outcome =
      RunProgram({"multilabel", "convert", files.text, "--num-labels", "6", "--out", files.data},
                 "/dev/null", "", [] {
                   const rlimit limit{2000, 2000};
                   setrlimit(RLIMIT_FSIZE, &limit);
                 });
  CheckRefused(outcome, files.data + ": writing failed: ");
  CHECK(files.folder.NumFiles() == before);
}

TEST_CASE("a file that becomes shorter during training ends it with a message") {
  const ConversionFiles files;
  Succeed(files.Convert({"--num-labels", "6"}));
  Process process({"multilabel", "train", files.data, "--model", files.model, "--gap-tolerance",
                   "0", "--learner", "bcfw"});
  REQUIRE(process.Works(SIGINT));
  REQUIRE(truncate(files.data.c_str(), 0) == 0);
  const Outcome outcome = process.Wait();
  CheckStopped(outcome, {files.data + ": can no longer be read: the file became shorter"});
}
