// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence convert, and the commands on what it writes.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tests/apps/model_entries.h>
#include <tests/apps/sequence/sequence_texts.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {}  // namespace

TEST_CASE("training, prediction and evaluation on converted sequences") {
  const SequenceFiles files;
  const std::string data = files.folder.Path("d.data");
  const std::string test = files.folder.Path("t.data");
  const std::string model = files.folder.Path("c.slk");
  const Arguments convert = {"sequence", "convert", files.conll, "--out", data};
  const Outcome converted = Succeed(convert);
  CHECK(Contains(converted.err, "d.data: 40 sequences, "));
  const Arguments train = {"sequence", "train", data, "--lambda", "0.001", "--model", model};
  Succeed(train + Arguments{"--constraints", "bio"});
  Succeed({"sequence", "convert", files.test, "--for", model, "--out", test});
  const auto run = [&](const char* command, const std::string& from, const Arguments& more = {}) {
    return RunProgram(Arguments{"sequence", command, from, "--model", model} + more);
  };
  CHECK(run("evaluate", test, {"--json"}).out == run("evaluate", files.test, {"--json"}).out);
  CHECK(run("predict", test, {"--output", "scores"}).out ==
        run("predict", files.test, {"--output", "scores"}).out);
  for (const Arguments& output : {Arguments{}, {"--output", "nbest=2"}})
    CHECK(run("predict", test, output).out == run("predict", files.test, output).out);
  // The columns of tokens are not in a file for training.
  const Outcome alone = run("predict", data);
  CHECK(Contains(alone.err, "d.data was converted for training, without the columns of tokens"));
  CHECK(!Contains(run("predict", data, {"-q"}).err, "note"));
  const auto labels = Lines(alone.out);
  const auto lines = Lines(run("predict", files.conll).out);
  REQUIRE(labels.size() == lines.size());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string& line = lines[k];
    CHECK(labels[k] == line.substr(line.rfind(' ') + 1));
  }
  const auto cv = [](const std::string& from) {
    return RunProgram({"sequence", "cv", from, "--lambda-path", "0.01,0.001", "--folds", "3",
                       "--no-refit", "--json"});
  };
  const Outcome table = Succeed(cv(data));
  const auto figures = [](const std::string& json) {
    std::vector<std::string> kept = Lines(json);
    std::erase_if(kept, [](const std::string& line) {
      return Contains(line, "\"seconds\"") || Contains(line, "\"data\"");
    });
    return kept;
  };
  CHECK(figures(table.out) == figures(cv(files.conll).out));
}

TEST_CASE("the models of converted sequences are those of the text, with their records") {
  const SequenceFiles files;
  const std::string data = files.folder.Path("d.data");
  const std::string name = files.folder.Path("name");
  for (const Arguments& way : {Arguments{},
                               {"--template", "chunking", "--min-count", "2"},
                               {"--hash-bits", "6"},
                               {"--scale", "norm"},
                               {"--template", "spelling", "--scale", "max-abs"}}) {
    Succeed(Arguments{"sequence", "convert", files.conll, "--out", data, "-q"} + way);
    const Arguments costs = {"--loss", "count"};
    const Arguments few = {"--max-passes", "3"};
    CHECK(TrainedEntries("sequence", data, name, few + costs) ==
          TrainedEntries("sequence", files.conll, name, few + way + costs));
  }
}

TEST_CASE("letters for a model keep their columns") {
  const SequenceFiles files;
  const std::string letters = files.folder.Write("letters", LettersText(20));
  const std::string model = files.folder.Path("l.slk");
  const std::string data = files.folder.Path("l.data");
  Succeed({"sequence", "train", letters, "--model", model, "-q", "--max-passes", "3"});
  Succeed({"sequence", "convert", letters, "--for", model, "--out", data});
  const auto predict = [&](const std::string& from) {
    return RunProgram({"sequence", "predict", from, "--model", model, "-q"}).out;
  };
  CHECK(Contains(predict(letters), "\t"));
  CHECK(predict(data) == predict(letters));
}

TEST_CASE("options that converted sequences have settled are refused") {
  const SequenceFiles files;
  const std::string data = files.folder.Path("d.data");
  const std::string model = files.folder.Path("c.slk");
  Succeed({"sequence", "convert", files.conll, "--out", data});
  const auto train = [&](const Arguments& more) {
    return RunProgram(Arguments{"sequence", "train", data, "--model", model} + more);
  };
  CheckRefused(train({"--min-count", "2"}), "leave --min-count out, or convert the data again");
  CheckRefused(train({"--template", "spelling"}), "leave --template out");
  CheckRefused(train({"--hash-bits", "8"}), "leave --hash-bits out");
  CheckRefused(train({"--format", "conll"}), "leave --format out");
  CheckRefused(train({"--scale", "norm"}), "convert the data again, with --scale norm");
  CheckRefused(train({"--folds", "1"}), "the data have no folds");
  const std::string& text = files.Trained();
  CheckRefused(RunProgram({"sequence", "predict", data, "--model", text, "--stream"}),
               "leave --stream out");
  CheckRefused(RunProgram({"sequence", "convert", files.conll, "--out", data, "--for", text,
                           "--min-count", "1"}),
               "--for: the model knows its features");
  CheckRefused(RunProgram({"multilabel", "train", data, "--model", model}), "another task");
  const std::string letters = files.folder.Write("letters", LettersText(5));
  const std::size_t before = files.folder.NumFiles();
  CheckRefused(RunProgram({"sequence", "convert", letters, "--out", files.folder.Path("l"),
                           "--template", "spelling"}),
               "letters have their pixels");
  CHECK(files.folder.NumFiles() == before);
}
