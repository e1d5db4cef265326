// SPDX-License-Identifier: BSD-3-Clause
//
// The options --calibrate of train and cv and --output probabilities of predict, and the figures of
// evaluate for calibrated models.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/common/folds.h>
#include <slackline/apps/multilabel/calibration.h>
#include <slackline/core/model_file.h>
#include <tests/apps/cv_parts.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct CalibrationFiles {
  TemporaryFolder folder;
  std::string data = folder.Write("d.svm", LibsvmText(60, 6, 4, 2));
  std::string test = folder.Write("t.svm", LibsvmText(40, 6, 4, 3));
  std::string model = folder.Path("m.slk");

  Outcome Run(const std::string& command, const Arguments& more) const {
    return RunProgram(
        Arguments{"multilabel", command, data, "--num-labels", "4", "--model", model} + more);
  }
  Outcome Train(const Arguments& more) const {
    return Run("train", Arguments{"--lambda", "0.01"} + more);
  }
  Outcome Predict(const std::string& output) const {
    return RunProgram({"multilabel", "predict", test, "--model", model, "--output", output, "-q"});
  }
  std::vector<double> Entry(const std::string& name) const {
    const ModelReader reader(model);
    const auto values = reader.Doubles(name);
    return {values.begin(), values.end()};
  }
};

std::vector<double> Numbers(const std::string& line) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    numbers.push_back(std::stod(line.substr(at, end - at)));
    at = end + 1;
  }
  return numbers;
}

}  // namespace

TEST_CASE("probabilities are those of the scores, with the names of the labels above") {
  const CalibrationFiles files;
  const Outcome trained = Succeed(files.Train({"--calibrate"}));
  CHECK(Contains(trained.err, "calibrated: held-out examples have Brier score"));
  const std::vector<double> slopes = files.Entry("calibration_slope");
  const std::vector<double> intercepts = files.Entry("calibration_intercept");
  const auto scores = Lines(files.Predict("scores").out);
  const auto probabilities = Lines(files.Predict("probabilities").out);
  REQUIRE(probabilities.size() == 41);
  CHECK(probabilities[0] == "0,1,2,3");
  for (std::size_t m = 1; m < scores.size(); ++m) {
    const auto s = Numbers(scores[m]);
    const auto p = Numbers(probabilities[m]);
    REQUIRE(p.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(p[i] > 0);
      CHECK(p[i] < 1);
      CHECK(std::abs(p[i] - Sigmoid{slopes[i], intercepts[i]}.Probability(s[i])) < 1e-6);
    }
  }
}

TEST_CASE(
    "calibration does not change the weights, and fits scores from models of the other folds") {
  const CalibrationFiles files;
  Succeed(files.Train({"--gap-tolerance", "1e-9"}));
  const std::vector<double> weights = files.Entry("weights");
  Succeed(files.Train({"--gap-tolerance", "1e-9", "--calibrate", "--seed", "4"}));
  CHECK(files.Entry("weights").size() == weights.size());
  const std::vector<double> slopes = files.Entry("calibration_slope");
  const std::vector<double> intercepts = files.Entry("calibration_intercept");

  // The same by hand: five trainings, each on the examples outside its fold.
  const auto folds = MakeFolds(60, 5, 4);
  const auto lines = Lines(ReadBytes(files.data));
  REQUIRE(lines.size() == 60);
  std::vector<double> scores(60 * 4);
  std::vector<std::int8_t> truth(60 * 4);
  const std::string part_model = files.folder.Path("part.slk");
  for (std::size_t f = 0; f < 5; ++f) {
    const auto [inside, outside] = SplitByFold(lines, folds[f]);
    const std::string train = files.folder.Write("train.svm", outside);
    const std::string test = files.folder.Write("test.svm", inside);
    Succeed({"multilabel", "train", train, "--num-labels", "4", "--lambda", "0.01",
             "--gap-tolerance", "1e-9", "--seed", "4", "--model", part_model});
    const auto out = Lines(RunProgram({"multilabel", "predict", test, "--model", part_model,
                                       "--output", "scores", "-q"})
                               .out);
    for (std::size_t k = 0; k < folds[f].size(); ++k) {
      const auto row = Numbers(out[k + 1]);
      const std::size_t m = folds[f][k];
      const std::string given = "," + lines[m].substr(0, lines[m].find(' ')) + ",";
      for (std::size_t i = 0; i < 4; ++i) {
        scores[4 * m + i] = row[i];
        truth[4 * m + i] = Contains(given, "," + std::to_string(i) + ",") ? 1 : 0;
      }
    }
  }
  const LabelCalibration expected = FitCalibration(4, scores, truth);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(std::abs(slopes[i] - expected[i].slope) < 1e-3 * std::abs(expected[i].slope));
    CHECK(std::abs(intercepts[i] - expected[i].intercept) < 1e-3);
  }
}

TEST_CASE("the calibration does not depend on threads, and depends on the seed") {
  const CalibrationFiles files;
  Succeed(files.Train({"--calibrate"}));
  const std::vector<double> slopes = files.Entry("calibration_slope");
  const std::vector<double> weights = files.Entry("weights");
  for (const char* threads : {"2", "8"}) {
    Succeed(files.Train({"--calibrate", "--threads", threads}));
    CHECK(files.Entry("calibration_slope") == slopes);
    CHECK(files.Entry("weights") == weights);
  }
  Succeed(files.Train({"--calibrate", "--seed", "2"}));
  CHECK(files.Entry("calibration_slope") != slopes);
}

TEST_CASE("evaluate reports figures of probabilities only for calibrated models") {
  const CalibrationFiles files;
  Succeed(files.Train({}));
  const Arguments evaluate = {"multilabel", "evaluate", files.test, "--model", files.model};
  CHECK_FALSE(Contains(RunProgram(evaluate).out, "Brier"));
  Json plain = JsonOf(evaluate + Arguments{"--json"});
  CHECK_FALSE(plain.contains("calibration"));

  Succeed(files.Train({"--calibrate"}));
  const Outcome table = RunProgram(evaluate);
  CHECK(Contains(table.out, "Brier score"));
  CHECK(Contains(table.out, "  0.9 to  1.0 "));
  Json json = JsonOf(evaluate + Arguments{"--json"});
  double squares = 0;
  double entries = 0;
  const auto lines = Lines(ReadBytes(files.test));
  const auto probabilities = Lines(files.Predict("probabilities").out);
  for (std::size_t m = 0; m < lines.size(); ++m) {
    const auto p = Numbers(probabilities[m + 1]);
    const std::string given = "," + lines[m].substr(0, lines[m].find(' ')) + ",";
    for (std::size_t i = 0; i < 4; ++i) {
      const double y = Contains(given, "," + std::to_string(i) + ",") ? 1 : 0;
      squares += (p[i] - y) * (p[i] - y);
      entries += 1;
    }
  }
  CHECK(std::abs(json["calibration"]["brier_score"].get<double>() - squares / entries) < 1e-7);
  REQUIRE(json["calibration"]["bins"].size() == 10);
  double counted = 0;
  for (const Json& bin : json["calibration"]["bins"]) counted += bin["entries"].get<double>();
  CHECK(counted == entries);
  json.erase("calibration");
  CHECK(json == plain);
}

TEST_CASE("cv calibrates its final model; graphs, kernels and paths are calibrated, too") {
  const CalibrationFiles files;
  const Outcome cv =
      Succeed(files.Run("cv", {"--calibrate", "--lambda-path", "0.1,0.01", "--folds", "3"}));
  CHECK(Contains(cv.err, "calibration: 3 trainings"));
  CHECK(files.Entry("calibration_slope").size() == 4);
  for (const Arguments& more :
       {Arguments{"--graph", "tree"}, Arguments{"--kernel", "rbf"},
        Arguments{"--loss", "count", "--bias", "0"}, Arguments{"--learner", "al"}}) {
    Succeed(files.Train(more + Arguments{"--calibrate"}));
    CHECK(files.Entry("calibration_slope").size() == 4);
  }
  Succeed(files.Run("train", {"--calibrate", "--lambda-path", "0.1,0.01"}));
  for (const char* name : {"m-0.1.slk", "m-0.01.slk"})
    CHECK(ModelReader(files.folder.Path(name)).Doubles("calibration_slope").size() == 4);
}

TEST_CASE("bad input of calibration ends with code 2 and one line") {
  const CalibrationFiles files;
  Succeed(files.Train({}));
  const std::string before = ReadBytes(files.model);
  const auto refuse = [&](const Outcome& outcome, const std::string& part) {
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(Lines(outcome.err).size() == 1);
    CHECK_MESSAGE(Contains(outcome.err, part), part);
    CHECK(ReadBytes(files.model) == before);
  };
  refuse(files.Predict("probabilities"),
         files.model +
             ": the model is not calibrated, so it has no probabilities: train it with `slackline "
             "multilabel train --calibrate`");
  refuse(files.Predict("probability"), "did you mean 'probabilities'?");
  refuse(files.Train({"--calibrate", "--clusters", "2"}),
         "--clusters cannot be combined with --calibrate");
  refuse(RunProgram(
             {"multilabel", "cv", files.data, "--num-labels", "4", "--no-refit", "--calibrate"}),
         "--calibrate cannot be combined with --no-refit");
  const std::string few = files.folder.Write("few.svm", LibsvmText(4, 6, 4, 2));
  refuse(RunProgram({"multilabel", "train", few, "--num-labels", "4", "--model", files.model,
                     "--calibrate"}),
         "--calibrate needs 5 examples, but " + few + " has 4 examples");
  const std::string unknown =
      files.folder.Write("unknown.svm", "1 1:1\n0 1:-1\n? 1:1\n? 1:2\n? 1:3\n? 1:4\n");
  refuse(RunProgram({"multilabel", "train", unknown, "--num-labels", "2", "--model", files.model,
                     "--calibrate"}),
         "of 5 has no known label");
}

TEST_CASE("an interrupt during training leaves a model without calibration") {
  const CalibrationFiles files;
  Process process({"multilabel", "train", files.data, "--num-labels", "4", "--model", files.model,
                   "--calibrate", "--gap-tolerance", "0", "--max-passes", "2000000000"});
  REQUIRE(process.Works(SIGINT));
  process.Signal(SIGINT);
  CHECK(process.Wait().code == 130);
  CHECK(std::filesystem::exists(files.model));
  CHECK_FALSE(ModelReader(files.model).Has("calibration_slope"));
}

TEST_CASE("an interrupt during calibration leaves the trained model without one") {
  const CalibrationFiles files;
  Process process({"multilabel", "train", files.data, "--num-labels", "4", "--model", files.model,
                   "--calibrate", "--gap-tolerance", "0", "--time-limit", "1"});
  REQUIRE(process.Catches(SIGINT));
  while (!std::filesystem::exists(files.model))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  process.Signal(SIGINT);
  const Outcome outcome = process.Wait();
  CHECK(outcome.code == 130);
  CHECK(Contains(outcome.err, "interrupted: the model is not calibrated"));
  CHECK_FALSE(ModelReader(files.model).Has("calibration_slope"));
}
