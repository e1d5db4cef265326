// SPDX-License-Identifier: BSD-3-Clause
//
// The option --explain of predict.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include <tests/apps/program.h>
#include <tests/apps/trained.h>

using namespace slackline::internal::test;

namespace {

double SumOf(const Json& features) {
  double sum = features["others_score"].get<double>();
  for (const Json& part : features["strongest"]) sum += part["score"].get<double>();
  return sum;
}

}  // namespace

TEST_CASE("explained labels are the predicted ones, and their parts add up") {
  const Trained trained({"--scale", "standard"}, "0.001");
  const std::vector<std::string> predict = {"multilabel", "predict", trained.data, "--model",
                                            trained.model};
  const std::vector<std::string> lines = Lines(OutputOf(predict));
  const Json all = JsonOf(predict + Arguments{"--explain", "all", "--json", "--top", "2"});
  REQUIRE(all["examples"].size() == 60);
  int chosen = 0;
  for (std::size_t m = 0; m < 60; ++m) {
    const Json& example = all["examples"][m];
    CHECK(example["example"] == m + 1);
    std::string names;
    double total = example["pairs"].get<double>();
    for (const Json& label : example["labels"]) {
      names += (names.empty() ? "" : ",") + label["label"].get<std::string>();
      CHECK(label["features"]["strongest"].size() <= 2);
      CHECK(std::abs(SumOf(label["features"]) - label["features"]["total"].get<double>()) < 1e-9);
      total += label["features"]["total"].get<double>() + label["constant"].get<double>();
      ++chosen;
    }
    CHECK(names == lines[m]);
    CHECK(std::abs(total - example["score"].get<double>()) < 1e-9);
  }
  CHECK(chosen > 30);
}

TEST_CASE("one example is explained as a table with the values of the data") {
  const Trained trained({"--scale", "standard"}, "0.001");
  const std::vector<std::string> predict = {"multilabel", "predict", trained.data, "--model",
                                            trained.model};
  const Json all = JsonOf(predict + Arguments{"--explain", "all", "--json"});
  std::size_t m = 0;
  while (all["examples"][m]["labels"].size() < 2) ++m;
  const std::string number = std::to_string(m + 1);
  const std::string text = OutputOf(predict + Arguments{"--explain", number});
  CHECK(text.starts_with("example " + number + ": score "));
  CHECK(Contains(text, " = features "));
  CHECK(Contains(text, "score     weight     scaled      value  feature"));
  CHECK(Contains(text, "pairs with "));
  // The raw values are those of the first line of data in the file, whose first columns are the
  // features.
  const std::vector<std::string> file = Lines(ReadBytes(trained.data));
  const std::size_t first =
      std::find_if(file.begin(), file.end(),
                   [](const std::string& line) { return line.starts_with("@data"); }) -
      file.begin();
  for (const Json& part : all["examples"][m]["labels"][0]["features"]["strongest"]) {
    const std::string name = part["name"].get<std::string>();
    const int column = std::stoi(name.substr(name.find_first_of("0123456789")));
    std::string rest = file[first + 1 + m];
    for (int k = 0; k < column; ++k) rest = rest.substr(rest.find(',') + 1);
    CHECK(std::abs(std::stod(rest) - part["raw"].get<double>()) < 1e-9);
  }
  const std::string out = trained.folder.Path("out.txt");
  CHECK(OutputOf(predict + Arguments{"--explain", number, "--out", out}).empty());
  CHECK(ReadBytes(out) == text);
}

TEST_CASE("sequences are explained token by token") {
  const TemporaryFolder folder;
  const std::string data =
      folder.Write("t.txt", "the D\ndog N\nbarks V\n\na D\ncat N\n\nthe D\ncat N\nsleeps V\n");
  const std::string model = folder.Path("m.slk");
  Succeed(
      {"sequence", "train", data, "--min-count", "1", "--lambda", "0.01", "--model", model, "-q"});
  const std::vector<std::string> predict = {"sequence", "predict", data, "--model", model, "-q"};
  const Json json = JsonOf(predict + Arguments{"--explain", "2", "--json"});
  REQUIRE(json["sequences"].size() == 1);
  const Json& sequence = json["sequences"][0];
  CHECK(sequence["sequence"] == 2);
  REQUIRE(sequence["tokens"].size() == 2);
  CHECK(sequence["tokens"][1]["input"] == "cat");
  double total = 0;
  for (const Json& token : sequence["tokens"]) {
    CHECK(std::abs(SumOf(token["observations"]) - token["observations"]["total"].get<double>()) <
          1e-9);
    total += token["observations"]["total"].get<double>();
    for (const char* part : {"constant", "start", "transition", "end"})
      total += token[part].get<double>();
  }
  CHECK(std::abs(total - sequence["score"].get<double>()) < 1e-9);
  // The score that predict reports for the best labelling.
  const std::vector<std::string> best = Lines(OutputOf(predict + Arguments{"--output", "nbest=1"}));
  std::vector<double> scores;
  for (const std::string& line : best) {
    if (line.starts_with("# 1 ")) scores.push_back(std::stod(line.substr(4)));
  }
  CHECK(std::abs(scores[1] - total) < 1e-6);
  const std::string text = OutputOf(predict + Arguments{"--explain", "all"});
  for (const char* part :
       {"sequence 1: score ", "sequence 3: score ", "3  sleeps  V\n", "transition "})
    CHECK_MESSAGE(Contains(text, part), part);
}

TEST_CASE("bad arguments of --explain are refused") {
  const Trained trained;
  const std::vector<std::string> predict = {"multilabel", "predict", trained.data, "--model",
                                            trained.model};
  for (const char* bad : {"0", "-1", "x", "1.5", ""})
    CheckRefused(predict + Arguments{"--explain", bad}, "--explain: ");
  CheckRefused(predict + Arguments{"--explain", "61"}, "there is no number 61");
  CheckRefused(predict + Arguments{"--explain", "1", "--top", "0"}, "--top");
  CheckRefused(predict + Arguments{"--explain", "1", "--output", "labels"}, "--output");
  CheckRefused(predict + Arguments{"--json"}, "--explain");
  CheckRefused(predict + Arguments{"--top", "3"}, "--explain");
  // The option is checked before any data are read.
  CheckRefused({"multilabel", "predict", "nowhere", "--model", "nowhere", "--explain", "0"},
               "--explain: '0'");
}
