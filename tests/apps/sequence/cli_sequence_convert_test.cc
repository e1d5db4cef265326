// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence convert, and the commands on what it writes.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/model_file.h>
#include <tests/apps/sequence/sequence_texts.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// All entries of a model but its record, which names the data.
void CheckSameModels(const std::string& a, const std::string& b) {
  const ModelReader x(a);
  const ModelReader y(b);
  for (const char* entry : {"task", "format", "constraints", "templates", "dictionary"})
    CHECK(x.String(entry) == y.String(entry));
  CHECK(x.Strings("labels") == y.Strings("labels"));
  const auto weights = [](const ModelReader& model) {
    const auto values = model.Doubles("weights");
    return std::vector<double>(values.begin(), values.end());
  };
  CHECK(weights(x) == weights(y));
}

void CheckError(const Outcome& outcome, const std::string& message) {
  INFO(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(Contains(outcome.err, message));
}

}  // namespace

TEST_CASE("training, prediction and evaluation on converted sequences") {
  const Files files;
  const std::string data = files.folder.Path("d.data");
  const std::string test = files.folder.Path("t.data");
  const std::string model = files.folder.Path("c.slk");
  const std::string text = files.Trained({"--constraints", "bio"});
  const Arguments convert = {"sequence", "convert", files.conll, "--out", data};
  const Outcome converted = RunProgram(convert);
  INFO(converted.err);
  REQUIRE(converted.code == 0);
  CHECK(Contains(converted.err, "d.data: 40 sequences, "));
  const Arguments train = {"sequence", "train", data, "--lambda", "0.001", "--model", model};
  const Outcome trained = RunProgram(train + Arguments{"--constraints", "bio"});
  INFO(trained.err);
  REQUIRE(trained.code == 0);
  CheckSameModels(model, text);
  REQUIRE(RunProgram({"sequence", "convert", files.test, "--for", model, "--out", test}).code == 0);
  const auto run = [&](const char* command, const std::string& from, const Arguments& more = {}) {
    return RunProgram(Arguments{"sequence", command, from, "--model", model} + more);
  };
  CHECK(run("evaluate", test, {"--json"}).out == run("evaluate", files.test, {"--json"}).out);
  CHECK(run("predict", test, {"--output", "scores"}).out ==
        run("predict", files.test, {"--output", "scores"}).out);
  // The columns of tokens are not in the file.
  const auto labels = Lines(run("predict", test).out);
  const auto lines = Lines(run("predict", files.test).out);
  REQUIRE(labels.size() == lines.size());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string& line = lines[k];
    CHECK(labels[k] == line.substr(line.rfind(' ') + 1));
  }
  const auto cv = [](const std::string& from) {
    return RunProgram({"sequence", "cv", from, "--lambda-path", "0.01,0.001", "--folds", "3",
                       "--no-refit", "--json"});
  };
  const Outcome table = cv(data);
  CHECK(table.code == 0);
  const auto figures = [](const std::string& json) {
    std::vector<std::string> kept = Lines(json);
    std::erase_if(kept, [](const std::string& line) {
      return Contains(line, "\"seconds\"") || Contains(line, "\"data\"");
    });
    return kept;
  };
  CHECK(figures(table.out) == figures(cv(files.conll).out));
}

TEST_CASE("options that converted sequences have settled are refused") {
  const Files files;
  const std::string data = files.folder.Path("d.data");
  const std::string model = files.folder.Path("c.slk");
  REQUIRE(RunProgram({"sequence", "convert", files.conll, "--out", data}).code == 0);
  const auto train = [&](const Arguments& more) {
    return RunProgram(Arguments{"sequence", "train", data, "--model", model} + more);
  };
  CheckError(train({"--min-count", "2"}), "leave --min-count out, or convert the data again");
  CheckError(train({"--template", "spelling"}), "leave --template out");
  CheckError(train({"--hash-bits", "8"}), "leave --hash-bits out");
  CheckError(train({"--format", "conll"}), "leave --format out");
  CheckError(train({"--scale", "norm"}), "convert the data again, with --scale norm");
  CheckError(train({"--folds", "1"}), "the data have no folds");
  const std::string& text = files.Trained();
  CheckError(RunProgram({"sequence", "predict", data, "--model", text, "--stream"}),
             "leave --stream out");
  CheckError(RunProgram({"sequence", "convert", files.conll, "--out", data, "--for", text,
                         "--min-count", "1"}),
             "--for: the model knows its features");
  CheckError(RunProgram({"multilabel", "train", data, "--model", model}), "another task");
  const std::string letters = files.folder.Write("letters", LettersText(5));
  const std::size_t before = files.folder.NumFiles();
  CheckError(RunProgram({"sequence", "convert", letters, "--out", files.folder.Path("l"),
                         "--template", "spelling"}),
             "letters have their pixels");
  CHECK(files.folder.NumFiles() == before);
}
