// SPDX-License-Identifier: BSD-3-Clause
//
// The option --weights of slackline info, and its output on scaling, λ and cross-validation.
#include <algorithm>

#include <doctest/doctest.h>

#include <tests/apps/program.h>
#include <tests/apps/trained.h>

using namespace slackline::internal::test;

namespace {

std::string QuietOutput(const Arguments& arguments) {
  const Outcome outcome = Succeed(arguments);
  CHECK(outcome.err.empty());
  return outcome.out;
}

std::size_t Characters(const std::string& line) {
  return std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

void CheckWidth(const std::string& text) {
  for (const std::string& line : Lines(text)) CHECK_MESSAGE(Characters(line) <= 100, line);
}

}  // namespace

TEST_CASE("the strongest features and pairs of a model, as a table and as JSON") {
  const Trained trained;
  const std::string text = QuietOutput({"info", trained.model, "--weights", "--top", "2"});
  CheckWidth(text);
  for (const char* part : {"L0  constant ", "L3  constant ", "speaks for it", "speaks against it",
                           "pairs of labels (6)", "attract each other", "repel each other"}) {
    CHECK_MESSAGE(Contains(text, part), part);
  }
  const Json json = JsonOf({"info", trained.model, "--weights", "--top", "2", "--json"});
  const Json& strongest = json["strongest"];
  REQUIRE(strongest["labels"].size() == 4);
  for (const Json& label : strongest["labels"]) {
    CHECK(label["positive"].size() <= 2);
    CHECK(label["num_positive"].get<int>() + label["num_negative"].get<int>() <= 5);
    if (label["positive"].size() == 2)
      CHECK(label["positive"][0]["weight"] >= label["positive"][1]["weight"]);
    for (const Json& entry : label["negative"]) CHECK(entry["weight"] < 0);
  }
  CHECK(strongest["pairs"][0]["count"] == 6);
  // The table shows the same feature.
  const std::string name = strongest["labels"][0]["positive"][0]["name"].get<std::string>();
  CHECK(Contains(text, "  " + name));
  const Json ten = JsonOf({"info", trained.model, "--weights", "--json"});
  CHECK(ten["strongest"]["labels"][0]["positive"].size() >=
        strongest["labels"][0]["positive"].size());
  CHECK(!JsonOf({"info", trained.model, "--json"}).contains("strongest"));
}

TEST_CASE("sizes of features are shown where the model scales") {
  const Trained trained({"--scale", "standard"});
  CHECK(Contains(QuietOutput({"info", trained.model, "--weights"}),
                 "weight      size  speaks for it"));
  CHECK(Contains(QuietOutput({"info", trained.model}), "scaling     standard\n"));
  const Json json = JsonOf({"info", trained.model, "--weights", "--json"});
  CHECK(json["scaling"] == "standard");
  CHECK(json["strongest"]["labels"][0]["positive"][0]["size"] > 0);
  const Trained plain({"--scale", "none"});
  CHECK(!Contains(QuietOutput({"info", plain.model, "--weights"}), "size  speaks"));
}

TEST_CASE("long names are cut to fit the line") {
  const TemporaryFolder folder;
  std::string name;
  for (int k = 0; k < 60; ++k) name += "ä";
  const std::string data =
      folder.Write("d.arff", "@relation r\n@attribute 'f\t" + name + "' numeric\n@attribute '" +
                                 name + "1' {0,1}\n@attribute '" + name +
                                 "2' {0,1}\n@data\n1,1,0\n-1,0,1\n2,1,1\n-2,0,0\n");
  const std::string labels = folder.Write(
      "l.xml", "<labels xmlns=\"http://mulan.sourceforge.net/labels\"><label name=\"" + name +
                   "1\"></label><label name=\"" + name + "2\"></label></labels>");
  const std::string model = folder.Path("m.slk");
  Succeed(
      {"multilabel", "train", data, "--labels", labels, "--model", model, "--lambda", "0.1", "-q"});
  const std::string text = QuietOutput({"info", model, "--weights"});
  CheckWidth(text);
  CHECK(Contains(text, "ä…"));
  CHECK(!Contains(text, "\t"));
  CheckWidth(QuietOutput({"multilabel", "predict", data, "--model", model, "--explain", "all"}));
}

TEST_CASE("info reports C and the figures of cross-validation") {
  const Trained trained;
  const std::string plain = QuietOutput({"info", trained.model});
  CHECK(Contains(plain, "(lambda 0.01, C "));
  CHECK(Contains(plain, " per label, loss mean)"));
  CHECK(!Contains(plain, "chosen by"));
  CHECK(JsonOf({"info", trained.model, "--json"})["cost_per_variable"] > 0);
  const std::string chosen = trained.folder.Path("cv.slk");
  Succeed({"multilabel", "cv", trained.folder.Path("train.arff"), "--labels",
           trained.folder.Path("labels.xml"), "--lambda-path", "1,0.1", "--folds", "3", "--graph",
           "auto", "--metric", "hamming", "--model", chosen, "-q"});
  const std::string text = QuietOutput({"info", chosen});
  CHECK(Contains(text, "chosen by   hamming"));
  CHECK(Contains(text, " over 3 folds: "));
  const Json json = JsonOf({"info", chosen, "--json"});
  const Json& cv = json["cross_validation"];
  CHECK(cv["folds"] == 3);
  REQUIRE(cv["points"].size() == 6);
  const Json& best = cv["points"][cv["best"].get<std::size_t>()];
  CHECK(best["lambda"] == json["lambda"]);
  CHECK(best["candidate"] == json["options"]["graph"]);
  // The chosen λ has the lowest loss.
  for (const Json& point : cv["points"]) CHECK(point["mean"] >= best["mean"]);
}

TEST_CASE("the weights of sequence and matching models are listed") {
  const TemporaryFolder folder;
  const std::string data =
      folder.Write("t.txt", "the D\ndog N\nbarks V\n\na D\ncat N\n\nthe D\ncat N\nsleeps V\n");
  const std::string model = folder.Path("m.slk");
  Succeed(
      {"sequence", "train", data, "--min-count", "1", "--lambda", "0.1", "--model", model, "-q"});
  const std::string text = QuietOutput({"info", model, "--weights"});
  CheckWidth(text);
  CHECK(Contains(text, "transitions (9)"));
  CHECK(Contains(text, "D → N"));
  CHECK(Contains(text, ", start "));
  const std::string edges =
      folder.Write("e.txt", "2 2\n0 0 1 near:1\n0 1 0 near:0.2 far\n1 0 0 far:2\n1 1 1 near:0.7\n");
  Succeed({"matching", "train", edges, "--lambda", "0.1", "--model", model, "-q"});
  const std::string matching = QuietOutput({"info", model, "--weights"});
  CHECK(Contains(matching, "edges  constant "));
  CHECK(Contains(matching, "near"));
  CHECK(Contains(QuietOutput({"info", model}), " per edge, loss"));
}

TEST_CASE("bad arguments of --weights are refused") {
  const Trained trained;
  const auto refused = [&](const Arguments& more, const std::string& message) {
    CheckRefused(Arguments{"info", trained.model} + more, message);
  };
  refused({"--weights", "--top", "0"}, "--top");
  refused({"--weights", "--top", "many"}, "--top");
  refused({"--top", "3"}, "--weights");
}
