// SPDX-License-Identifier: BSD-3-Clause
//
// The option --scale and the default λ on the command line: results must not depend on the units of
// the data.
#include <doctest/doctest.h>

#include <cmath>

#include <slackline/apps/common/training_record.h>
#include <slackline/core/model_file.h>
#include <slackline/core/random.h>
#include <tests/apps/multilabel/read_options.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// A dense ARFF file with three features in these units; the last feature has a mean far from 0.
/// Two labels follow the first two features.
std::string ArffIn(const std::vector<double>& units, std::uint64_t seed) {
  Random random(seed);
  const auto normal = [&] {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(random.Below(1 << 20)) / (1 << 20);
    return sum;
  };
  std::string text = "@relation units\n";
  for (const char* name : {"a", "b", "c"}) text += std::string("@attribute ") + name + " numeric\n";
  text += "@attribute L0 {0,1}\n@attribute L1 {0,1}\n@data\n";
  for (int m = 0; m < 120; ++m) {
    const double x[] = {normal(), normal(), normal() + 5};
    for (int f = 0; f < 3; ++f) text += std::to_string(units[f] * x[f]) + ",";
    text += std::string(x[0] + 0.3 * normal() > 0 ? "1" : "0") + "," +
            (x[1] - x[0] + 0.3 * normal() > 0 ? "1" : "0") + "\n";
  }
  return text;
}

struct Units {
  TemporaryFolder folder;
  std::string xml = folder.Write("l.xml", XmlText(2));
  std::string train, test, model;

  explicit Units(const std::vector<double>& units)
      : train(folder.Write("train.arff", ArffIn(units, 1))),
        test(folder.Write("test.arff", ArffIn(units, 2))),
        model(folder.Path("m.slk")) {}

  Outcome Train(const Arguments& more = {}) const {
    return RunProgram(Arguments{"multilabel", "train", train, "--labels", xml, "--model", model} +
                      more);
  }
  std::string Predict() const {
    const Outcome outcome = Succeed({"multilabel", "predict", test, "--model", model});
    return outcome.out;
  }
};

}  // namespace

TEST_CASE("predictions do not depend on the units of features") {
  const Units plain({1, 1, 1});
  Succeed(plain.Train({"--scale", "standard"}));
  const std::string expected = plain.Predict();
  CHECK(std::count(expected.begin(), expected.end(), '0') > 20);
  CHECK(std::count(expected.begin(), expected.end(), '1') > 20);
  for (const auto& units :
       std::vector<std::vector<double>>{{1000, 0.01, 30}, {1e4, 1e4, 1e4}, {0.01, 0.01, 0.01}}) {
    const Units other(units);
    const Outcome outcome = Succeed(other.Train());
    CHECK(Contains(outcome.err, "scaling: standard, since "));
    CHECK(Contains(outcome.err, "converged"));
    const auto lines = Lines(other.Predict());
    const auto wanted = Lines(expected);
    REQUIRE(lines.size() == wanted.size());
    int different = 0;  // numbers in the file have six digits behind the point
    for (std::size_t m = 0; m < lines.size(); ++m) different += lines[m] != wanted[m] ? 1 : 0;
    CHECK(different <= 2);
  }
}

TEST_CASE("the default lambda gives the same model whatever the unit of the loss") {
  const Units mean({1, 1, 1});
  Succeed(mean.Train({"--gap-tolerance", "1e-8"}));
  const auto weights = ModelWeights(mean.model);
  const Units count({1, 1, 1});
  Succeed(count.Train({"--gap-tolerance", "1e-8", "--loss", "count"}));
  const auto others = ModelWeights(count.model);
  REQUIRE(weights.size() == others.size());
  for (std::size_t k = 0; k < weights.size(); ++k)
    CHECK(std::abs(2 * weights[k] - others[k]) < 0.02);
}

TEST_CASE("data of similar sizes are not scaled, bit for bit, and a note says so") {
  const TemporaryFolder folder;
  const Arguments yeast = {
      "multilabel", "train", kYeast + "yeast-train.arff.gz", "--labels", kYeast + "yeast.xml",
      "--graph",    "none"};
  const Outcome automatic = Succeed(yeast + Arguments{"--model", folder.Path("auto.slk")});
  CHECK(Contains(automatic.err, "scaling: none, since features have similar sizes"));
  CHECK(Contains(automatic.err, "(default; C 2 per label)"));
  Succeed(yeast + Arguments{"--scale", "none", "--model", folder.Path("none.slk")});
  CHECK(ModelWeights(folder.Path("auto.slk")) == ModelWeights(folder.Path("none.slk")));
}

TEST_CASE("notes before training report unscaled features and a lambda far below the default") {
  const Units units({1000, 1, 1});
  const Outcome unscaled = units.Train({"--scale", "none", "--max-passes", "1"});
  CHECK(Contains(unscaled.err, "note: sizes of features reach from"));
  CHECK(Contains(unscaled.err, "'a'"));
  CHECK(Contains(unscaled.err, "--scale none keeps them: training may take many passes"));
  const Outcome small = units.Train({"--lambda", "1e-6", "--max-passes", "1"});
  CHECK(Contains(small.err, "note: lambda 1e-06 is"));
  CHECK(Contains(small.err, "times smaller than the default for these data"));
  CHECK(units.Train({"--scale", "none", "--max-passes", "1", "--quiet"}).err.find("note") ==
        std::string::npos);
}

TEST_CASE("every kind of scaling trains, is saved in the model, and predicts") {
  const Units units({30, 1, 1});
  for (const char* kind : {"none", "standard", "max-abs", "norm"}) {
    INFO(kind);
    Succeed(units.Train({"--scale", kind}));
    const ModelReader reader(units.model);
    CHECK(reader.Has("scaling") == (std::string(kind) != "none"));
    if (reader.Has("scaling")) CHECK(reader.String("scaling") == kind);
    CHECK(Lines(units.Predict()).size() == 120);
  }
  const Outcome wrong = units.Train({"--scale", "minmax"});
  CHECK(wrong.code == 2);
  CHECK(Contains(
      wrong.err,
      "--scale: 'minmax' is not allowed; it must be one of auto none standard max-abs norm"));
}

TEST_CASE("a value far outside of the training data is refused with its line") {
  const Units units({1e-30, 1e-30, 1e-30});
  const TemporaryFolder folder;
  const std::string train =
      folder.Write("t.svm", "0 1:1e-30 2:1\n 1:2e-30 2:400\n0 1:1e-30 2:7\n 1:-3e-30 2:3\n");
  const std::string model = folder.Path("m.slk");
  Succeed(
      {"multilabel", "train", train, "--num-labels", "1", "--scale", "max-abs", "--model", model});
  const std::string test = folder.Write("x.svm", "0 1:1\n0 1:1e25\n");
  CheckRefused({"multilabel", "predict", test, "--model", model},
               "x.svm:2: the scaled value of feature 1 is too large");
}

TEST_CASE("sequences and matchings support scaling, too") {
  const TemporaryFolder folder;
  std::string letters;
  Random random(3);
  for (int m = 0; m < 40; ++m) {
    for (int i = 0; i < 3; ++i) {
      const bool a = random.Below(2) == 0;
      const int id = 3 * m + i;
      letters += std::to_string(id) + "\t" + (a ? "a" : "b") + "\t" +
                 (i == 2 ? "-1" : std::to_string(id + 1)) + "\t" + std::to_string(m) + "\t" +
                 std::to_string(i + 1) + "\t0";
      for (int p = 0; p < 128; ++p) letters += p < 64 && a ? "\t1" : "\t0";
      letters += "\n";
    }
  }
  const std::string words = folder.Write("w.data", letters);
  const std::string model = folder.Path("m.slk");
  const Outcome trained =
      Succeed({"sequence", "train", words, "--scale", "norm", "--model", model});
  CHECK(Contains(trained.err, "scaling: norm, each example's features get norm 1"));
  CHECK(Contains(trained.err, "per token)"));
  const Json figures = JsonOf({"sequence", "evaluate", words, "--model", model, "--json"});
  CHECK(figures["token_accuracy"] == 1);
  std::string edges;
  for (int m = 0; m < 20; ++m) {
    edges += "2 2\n";
    for (int e = 0; e < 4; ++e) {
      const bool on = e == 0 || e == 3;
      edges += std::to_string(e / 2) + " " + std::to_string(e % 2) + (on ? " 1" : " 0") +
               " near:" + std::to_string((on ? 5000 : 100) + static_cast<int>(random.Below(50))) +
               " x:" + std::to_string(random.Below(3)) + "\n";
    }
    edges += "\n";
  }
  const std::string pairs = folder.Write("p.txt", edges);
  const Outcome matched = Succeed({"matching", "train", pairs, "--model", model});
  CHECK(Contains(matched.err, "scaling: max-abs, since "));
  CHECK(Contains(matched.err, "'near'"));
  CHECK(JsonOf({"matching", "evaluate", pairs, "--model", model, "--json"})["f1"] == 1);
}
