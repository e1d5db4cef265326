// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline multilabel cv, and the library behind it.
#include <signal.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <slackline/apps/common/folds.h>
#include <slackline/apps/common/training_record.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <tests/apps/cv_parts.h>
#include <tests/apps/multilabel/read_options.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct CvFiles {
  TemporaryFolder folder;
  std::string data = folder.Write("d.svm", LibsvmText(60, 6, 4, 2));
  std::string model = folder.Path("m.slk");

  Arguments Cv(const Arguments& more) const {
    return Arguments{"multilabel", "cv", data, "--num-labels", "4", "--lambda-path", "0.001:1:4"} +
           more;
  }
  Json Result(const Arguments& more) const {
    const Outcome outcome = Succeed(Cv(more + Arguments{"--json"}));
    return Json::parse(outcome.out);
  }
};

}  // namespace

TEST_CASE("selected examples have the contents of the data") {
  const CvFiles files;
  const MultiLabelData data = ReadMultiLabelData(files.data, LibsvmOptions(4));
  const std::vector<Index> chosen = {3, 59, 0};
  const MultiLabelData part = SelectExamples(data, chosen);
  REQUIRE(part.num_examples() == 3);
  CHECK(part.num_features == data.num_features);
  CHECK(part.has_constant);
  for (std::size_t k = 0; k < 3; ++k) {
    const FeatureRow a = data.rows->row(chosen[k]);
    const FeatureRow b = part.rows->row(static_cast<Index>(k));
    REQUIRE(a.count == b.count);
    CHECK(std::equal(a.values, a.values + a.count, b.values));
    CHECK(part.lines[k] == data.lines[chosen[k]]);
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(part.labels[4 * k + i] == data.labels[4 * Offset{chosen[k]} + i]);
  }
}

TEST_CASE("cv prints a table and the best lambda, and trains a model on all data") {
  const CvFiles files;
  const Outcome outcome = Succeed(files.Cv({"--model", files.model}));
  const auto lines = Lines(outcome.out);
  REQUIRE(lines.size() == 5);
  CHECK(Contains(lines[0], "micro F1"));
  CHECK(Contains(lines[0], "Hamming loss"));
  CHECK(Contains(lines[1], "           1 "));
  CHECK(Contains(lines[4], "       0.001 "));
  CHECK(std::count_if(lines.begin(), lines.end(),
                      [](const auto& l) { return l.ends_with("  best"); }) == 1);
  CHECK(Contains(outcome.err, "model written to " + files.model));
  const Json result = files.Result({"--no-refit"});
  const Json info = JsonOf({"info", files.model, "--json"});
  CHECK(info["lambda"] == result["best"]["lambda"]);
  // The model is the same as that of `train`.
  const std::string trained = files.folder.Path("t.slk");
  Succeed({"multilabel", "train", files.data, "--num-labels", "4", "--lambda",
           result["best"]["lambda"].dump(), "--model", trained});
  CHECK(ModelWeights(trained) == ModelWeights(files.model));
}

TEST_CASE("JSON output has all metrics with the right figures") {
  const CvFiles files;
  const Json result = files.Result({"--no-refit", "--folds", "3", "--metric", "hamming"});
  CHECK(result["folds"] == 3);
  CHECK(result["metric"] == "hamming_loss");
  CHECK_FALSE(result.contains("refit"));
  REQUIRE(result["path"].size() == 4);
  double best = 2;
  for (const Json& entry : result["path"]) {
    CHECK(entry["converged"] == 3);
    for (const char* key :
         {"hamming_loss", "subset_accuracy", "micro_f1", "macro_f1", "example_f1", "jaccard"}) {
      REQUIRE(entry[key]["folds"].size() == 3);
      double mean = 0;
      for (const Json& value : entry[key]["folds"]) mean += value.get<double>() / 3;
      double squares = 0;
      for (const Json& value : entry[key]["folds"])
        squares += std::pow(value.get<double>() - mean, 2);
      CHECK(std::abs(entry[key]["mean"].get<double>() - mean) < 1e-12);
      CHECK(std::abs(entry[key]["deviation"].get<double>() - std::sqrt(squares / 2)) < 1e-12);
    }
    best = std::min(best, entry["hamming_loss"]["mean"].get<double>());
  }
  CHECK(result["best"]["mean"] == best);
}

TEST_CASE("the figure of a fold is that of training on the other folds") {
  const CvFiles files;
  const Json result =
      files.Result({"--no-refit", "--folds", "4", "--seed", "9", "--gap-tolerance", "1e-9"});
  const auto folds = MakeFolds(60, 4, 9);
  const auto examples = Lines(ReadBytes(files.data));
  REQUIRE(examples.size() == 60);
  const auto [inside, outside] = SplitByFold(examples, folds[2]);
  const std::string train = files.folder.Write("train.svm", outside);
  const std::string test = files.folder.Write("test.svm", inside);
  for (std::size_t k = 0; k < 4; ++k) {
    Succeed({"multilabel", "train", train, "--num-labels", "4", "--lambda",
             result["path"][k]["lambda"].dump(), "--gap-tolerance", "1e-9", "--model",
             files.model});
    const Json metrics = JsonOf({"multilabel", "evaluate", test, "--model", files.model, "--json"});
    for (const char* key : {"hamming_loss", "micro_f1", "jaccard"}) {
      CHECK(std::abs(result["path"][k][key]["folds"][2].get<double>() -
                     metrics[key].get<double>()) < 1e-9);
    }
  }
}

TEST_CASE("the result depends only on the seed") {
  const CvFiles files;
  const Json first = Timeless(files.Result({"--no-refit"}));
  CHECK(first == Timeless(files.Result({"--no-refit"})));
  CHECK(first == Timeless(files.Result({"--no-refit", "--threads", "2"})));
  CHECK(first["path"] != Timeless(files.Result({"--no-refit", "--seed", "2"}))["path"]);
  CHECK(files.folder.NumFiles() == 1);
}

TEST_CASE("cv works with other learners, trees and metrics") {
  const CvFiles files;
  for (const char* learner : {"al", "soft"}) {
    CHECK(files.Result({"--no-refit", "--folds", "2", "--learner", learner})["path"].size() == 4);
  }
  CHECK(files
            .Result({"--no-refit", "--folds", "2", "--graph", "tree", "--step", "fw", "--learner",
                     "bcfw", "--gap-tolerance", "0.05"})["path"]
            .size() == 4);
  for (const char* metric : {"subset", "macro-f1", "example-f1", "jaccard"}) {
    Succeed(files.Cv({"--no-refit", "--folds", "2", "--metric", metric}));
  }
  const Json refit = files.Result({"--model", files.model, "-q"});
  CHECK(refit["refit"]["model"] == files.model);
  CHECK(refit["refit"]["termination"] == "converged");
}

TEST_CASE(
    "without values of lambda cv starts around the default, and extends while the best is at an "
    "end") {
  const CvFiles files;
  const Arguments plain = {"multilabel", "cv", files.data, "--num-labels", "4"};
  const Outcome outcome = Succeed(plain + Arguments{"--model", files.model, "--json"});
  const Json result = Json::parse(outcome.out);
  const std::string trained = files.folder.Path("t.slk");
  Succeed({"multilabel", "train", files.data, "--num-labels", "4", "--model", trained});
  const double usual = JsonOf({"info", trained, "--json"})["lambda"].get<double>();
  std::vector<double> lambdas;
  for (const Json& entry : result["path"]) lambdas.push_back(entry["lambda"].get<double>());
  REQUIRE(lambdas.size() >= 5);
  CHECK(std::is_sorted(lambdas.rbegin(), lambdas.rend()));
  CHECK(std::find(lambdas.begin(), lambdas.end(), usual) != lambdas.end());
  for (std::size_t k = 1; k < lambdas.size(); ++k)
    CHECK(std::abs(lambdas[k - 1] / lambdas[k] - std::sqrt(10.0)) < 0.05);
  const double best = result["best"]["lambda"].get<double>();
  const bool inside = best < lambdas.front() && best > lambdas.back();
  CHECK(inside != result["at_edge"].get<bool>());
  CHECK(JsonOf({"info", files.model, "--json"})["lambda"] == best);
}

TEST_CASE("with given values a best one at an end is reported, and none are added") {
  const CvFiles files;
  const Arguments data = {"multilabel", "cv", files.data, "--num-labels", "4", "--no-refit"};
  const Outcome outcome = Succeed(data + Arguments{"--lambda-path", "1000,100"});
  CHECK(Lines(outcome.out).size() == 3);
  CHECK(Contains(outcome.err, "of those tried"));
  CHECK_FALSE(Contains(RunProgram(data + Arguments{"--lambda-path", "1"}).err, "of those tried"));
}

TEST_CASE("a training that takes too many passes is cut off, which is reported") {
  const CvFiles files;
  const Arguments slow = {"--no-refit", "--folds", "2", "--gap-tolerance", "0"};
  const Outcome limited = Succeed(files.Cv(slow));
  CHECK(Contains(limited.err, "ended at the limit of 500 passes, with gaps up to"));
  CHECK(Contains(limited.err, "--max-passes allows more"));
  const Outcome own = RunProgram(files.Cv(slow + Arguments{"--max-passes", "3"}));
  CHECK(Contains(own.err, "2 of 2 trainings ended at a limit, with gaps up to"));
  CHECK_FALSE(Contains(RunProgram(files.Cv(slow + Arguments{"--quiet"})).err, "limit"));
}

TEST_CASE("graphs are chosen by the same folds") {
  const CvFiles files;
  const Json both = files.Result({"--graph", "full,none", "--model", files.model});
  REQUIRE(both["path"].size() == 8);
  const Json none = files.Result({"--graph", "none", "--no-refit"});
  const Json full = files.Result({"--graph", "full", "--no-refit"});
  double best = -1;
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(both["path"][k]["graph"] == "none");
    CHECK(both["path"][k]["micro_f1"] == none["path"][k]["micro_f1"]);
    CHECK(both["path"][4 + k]["graph"] == "full");
    CHECK(both["path"][4 + k]["micro_f1"] == full["path"][k]["micro_f1"]);
    for (const std::size_t entry : {k, 4 + k})
      best = std::max(best, both["path"][entry]["micro_f1"]["mean"].get<double>());
  }
  CHECK(both["best"]["mean"] == best);
  const Json info = JsonOf({"info", files.model, "--json"});
  CHECK(info["options"]["graph"] == both["best"]["graph"]);
  CHECK(info["pairs"].size() == (both["best"]["graph"] == "full" ? 6 : 0));
  CHECK(files.Result({"--graph", "auto", "--no-refit"})["path"].size() == 12);
}

TEST_CASE("train --graph auto trains with the chosen graph") {
  const CvFiles files;
  const Arguments data = {"multilabel", "train",    files.data, "--num-labels",
                          "4",          "--lambda", "0.1"};
  const Outcome outcome = Succeed(data + Arguments{"--graph", "auto", "--model", files.model});
  const std::string graph =
      JsonOf({"info", files.model, "--json"})["options"]["graph"].get<std::string>();
  CHECK(Contains(outcome.err, "graph: " + graph + ", by cross-validation: micro F1 none "));
  const std::string trained = files.folder.Path("t.slk");
  Succeed(data + Arguments{"--graph", graph, "--model", trained});
  CHECK(ModelWeights(trained) == ModelWeights(files.model));
}

TEST_CASE("bad input ends with code 2 and one line, and nothing is written") {
  const CvFiles files;
  files.folder.Write("m.slk", "old");
  const std::size_t before = files.folder.NumFiles();
  const auto refuse = [&](const Arguments& arguments, const std::string& part) {
    CheckRefused(arguments, part);
    CHECK(ReadBytes(files.model) == "old");
    CHECK(files.folder.NumFiles() == before);
  };
  const Arguments model = {"--model", files.model};
  refuse(files.Cv(model + Arguments{"--graph", "tree,chain"}), "--graph: 'chain' is not allowed");
  refuse(files.Cv(model + Arguments{"--scale", "max"}), "--scale: 'max' is not allowed");
  refuse(files.Cv({}), "--model: a file name is needed, or --no-refit");
  refuse(files.Cv(model + Arguments{"--no-refit"}), "--no-refit");
  refuse(files.Cv(model + Arguments{"--folds", "1"}),
         "--folds: '1' is not allowed; it must be a whole number ≥ 2");
  refuse(files.Cv(model + Arguments{"--folds", "61"}), "has 60 examples");
  refuse(files.Cv(model + Arguments{"--metric", "f1"}),
         "--metric: 'f1' is not allowed; it must be one of hamming");
  refuse(files.Cv(model + Arguments{"--lambda", "1"}),
         "--lambda: cv takes its values from --lambda-path");
  refuse(files.Cv({"--model", files.data}), "would be overwritten");
  refuse(files.Cv(model + Arguments{"--learner", "soft", "--tau", "0.5"}), "--tau applies to");
  refuse(
      {"multilabel", "cv", files.data, "--num-labels", "4", "--lambda-path", "1,0", "--no-refit"},
      "--lambda-path: '0' is not allowed");
  refuse({"multilabel", "cv", files.folder.Path("none"), "--num-labels", "4", "--lambda-path", "1",
          "--no-refit"},
         "cannot open the file");
}

TEST_CASE("folds without known labels are named") {
  const CvFiles files;
  std::string text = "1 1:1\n0 1:-1\n";
  for (int k = 0; k < 6; ++k) text += "? 1:0.5\n";
  const std::string data = files.folder.Write("unknown.svm", text);
  CheckRefused({"multilabel", "cv", data, "--num-labels", "2", "--lambda-path", "1", "--folds", "4",
                "--no-refit", "-q"},
               "of 4 has no known label");
}

TEST_CASE("an interrupt ends a cross-validation without a result") {
  const CvFiles files;
  Process process(
      files.Cv({"--model", files.model, "--gap-tolerance", "0", "--max-passes", "2000000000"}));
  REQUIRE(process.Works(SIGINT));
  process.Signal(SIGINT);
  const Outcome outcome = process.Wait();
  CHECK(outcome.code == 130);
  CHECK(outcome.out.empty());
  CHECK(
      Contains(outcome.err,
               "interrupted after 0 of 20 trainings: no lambda is chosen and no model is written"));
  CHECK_FALSE(std::filesystem::exists(files.model));
}
