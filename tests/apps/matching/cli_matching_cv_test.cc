// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline matching cv.
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/common/folds.h>
#include <slackline/apps/common/training_record.h>
#include <tests/apps/cv_parts.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr const char* kMatchingFigures[] = {"f1",    "precision", "recall",
                                            "exact", "mean_loss", "error_rate"};

struct MatchingCvFiles {
  TemporaryFolder folder;
  std::string train = folder.Path("drawn") + "/train.txt";
  std::string model = folder.Path("m.slk");

  MatchingCvFiles() {
    Succeed({"matching", "draw", "--out", folder.Path("drawn"), "--examples", "40", "--words",
             "3-6", "--vocabulary", "30", "--possible", "0.2"});
  }
  Arguments Cv(const Arguments& more) const {
    return Arguments{"matching", "cv", train, "--lambda-path", "1:0.001:4"} + more;
  }
  Json Result(const Arguments& more) const {
    const Outcome outcome = Succeed(Cv(more + Arguments{"--json"}));
    return Json::parse(outcome.out);
  }
};

}  // namespace

TEST_CASE("the table, the best lambda, and the model of all examples") {
  const MatchingCvFiles files;
  const Outcome outcome = Succeed(files.Cv({"--model", files.model}));
  const auto lines = Lines(outcome.out);
  REQUIRE(lines.size() == 5);
  for (const char* title : {"F1", "precision", "recall", "exact", "mean loss", "AER"})
    CHECK(Contains(lines[0], title));
  CHECK(std::count_if(lines.begin(), lines.end(),
                      [](const auto& l) { return l.ends_with("  best"); }) == 1);
  const Json result = files.Result({"--no-refit"});
  const Json info = JsonOf({"info", files.model, "--json"});
  CHECK(info["lambda"] == result["best"]["lambda"]);
  const std::string trained = files.folder.Path("t.slk");
  Succeed({"matching", "train", files.train, "--lambda", result["best"]["lambda"].dump(), "--model",
           trained});
  CHECK(ModelWeights(trained) == ModelWeights(files.model));
}

TEST_CASE("a fold's figures are those of training on the others") {
  const MatchingCvFiles files;
  // All folds have the same dictionary, and there is no scaling, so training by hand uses the same
  // features.
  const Json result = files.Result(
      {"--no-refit", "--folds", "3", "--seed", "5", "--gap-tolerance", "1e-9", "--scale", "none"});
  CHECK(result["examples"] == 30);
  const auto folds = MakeFolds(30, 3, 5);
  std::vector<std::string> examples(1);
  for (const std::string& line : Lines(ReadBytes(files.train))) {
    if (line.empty()) {
      examples.emplace_back();
    } else {
      examples.back() += line + "\n";
    }
  }
  REQUIRE(examples.size() == 30);
  const auto [inside, outside] = SplitByFold(examples, folds[1]);
  const std::string train = files.folder.Write("train.txt", outside);
  const std::string test = files.folder.Write("test.txt", inside);
  for (std::size_t k = 0; k < 4; ++k) {
    Succeed({"matching", "train", train, "--lambda", result["path"][k]["lambda"].dump(),
             "--gap-tolerance", "1e-9", "--scale", "none", "--model", files.model});
    const Json metrics = JsonOf({"matching", "evaluate", test, "--model", files.model, "--json"});
    for (const char* key : kMatchingFigures) {
      CAPTURE(key);
      CHECK(std::abs(result["path"][k][key]["folds"][1].get<double>() -
                     metrics[key].get<double>()) < 1e-9);
    }
  }
}

TEST_CASE("the result depends on the seed, and not on threads; the smallest loss is the best") {
  const MatchingCvFiles files;
  const Json first = Timeless(files.Result({"--no-refit", "--metric", "loss"}));
  CHECK(first == Timeless(files.Result({"--no-refit", "--metric", "loss", "--threads", "3"})));
  CHECK(first["path"] !=
        Timeless(files.Result({"--no-refit", "--metric", "loss", "--seed", "2"}))["path"]);
  CHECK(first["metric"] == "mean_loss");
  double best = 1e9;
  for (const Json& entry : first["path"])
    best = std::min(best, entry["mean_loss"]["mean"].get<double>());
  CHECK(first["best"]["mean"] == best);
}

TEST_CASE("bad input of matching cv: code 2, one line, nothing written") {
  const MatchingCvFiles files;
  files.folder.Write("m.slk", "old");
  const auto refuse = [&](const Arguments& arguments, const std::string& part) {
    CheckRefused(arguments, part);
    CHECK(ReadBytes(files.model) == "old");
  };
  const Arguments model = {"--model", files.model};
  refuse(files.Cv({}), "--model: a file name is needed, or --no-refit");
  refuse(files.Cv(model + Arguments{"--folds", "31"}), "has 30 examples");
  refuse(files.Cv(model + Arguments{"--metric", "F1"}),
         "it must be one of f1 precision recall exact loss aer");
  refuse(files.Cv(model + Arguments{"--lambda", "1"}),
         "--lambda: cv takes its values from --lambda-path");
  refuse(files.Cv(model + Arguments{"--left-capacity", "-1"}), "--left-capacity");
  refuse(files.Cv({"--model", files.train}), "would be overwritten");
  refuse({"matching", "cv", files.folder.Path("none"), "--no-refit"}, "cannot open the file");
  const std::string unknown =
      files.folder.Write("unknown.txt", "1 1\n0 0 1 f\n\n1 1\n0 0 ? f\n\n1 1\n0 0 ? f\n");
  refuse({"matching", "cv", unknown, "--no-refit", "--folds", "3", "-q"}, "of 3 has");
}

TEST_CASE("an interrupt ends matching cv without a result") {
  const MatchingCvFiles files;
  Process process(
      files.Cv({"--model", files.model, "--gap-tolerance", "0", "--max-passes", "2000000000"}));
  REQUIRE(process.Works(SIGINT));
  process.Signal(SIGINT);
  const Outcome outcome = process.Wait();
  CHECK(outcome.code == 130);
  CHECK(outcome.out.empty());
  CHECK(Contains(outcome.err, "no lambda is chosen and no model is written"));
  CHECK_FALSE(std::filesystem::exists(files.model));
}
