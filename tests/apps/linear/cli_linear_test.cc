// SPDX-License-Identifier: BSD-3-Clause
//
// The commands slackline linear train, evaluate and predict.
#include <csignal>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/linear/linear_model.h>
#include <slackline/core/random.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// A number 100 + 3x − y + noise of two features x and y, and a third one without effect; or
/// whether it is above 100. table: CSV with a column "target", else LIBSVM.
std::string LinearText(int examples, std::uint64_t seed, bool classes, bool table) {
  Random random(seed);
  std::ostringstream text;
  if (table) text << "x,y,z,target\n";
  for (int m = 0; m < examples; ++m) {
    const double x = random.Normal(), y = random.Normal(), z = random.Normal();
    const double number = 100 + 3 * x - y + 0.3 * random.Normal();
    std::string target = std::to_string(number);
    if (classes) target = number > 100 ? "yes" : "no";
    if (table) {
      text << x << "," << y << "," << z << "," << target << "\n";
    } else {
      text << target << " 1:" << x << " 2:" << y << " 3:" << z << "\n";
    }
  }
  return text.str();
}

struct LinearFiles {
  TemporaryFolder folder;
  std::string classes = folder.WriteGzip("classes.svm.gz", LinearText(200, 1, true, false));
  std::string classes_test = folder.Write("classes-test.svm", LinearText(100, 2, true, false));
  std::string numbers = folder.Write("numbers.csv", LinearText(200, 1, false, true));
  std::string numbers_test = folder.Write("numbers-test.csv", LinearText(100, 2, false, true));
  std::string model = folder.Path("m.slk");

  Arguments TrainClasses(const Arguments& more = {}) const {
    return Arguments{"linear", "train", classes, "--model", model} + more;
  }
  Arguments TrainNumbers(const Arguments& more = {}) const {
    return Arguments{"linear", "train", numbers, "--label-column", "target", "--model", model} +
           more;
  }
  Json Evaluate(const std::string& data) const {
    return JsonOf({"linear", "evaluate", data, "--model", model, "--json"});
  }
  Json Info() const { return JsonOf({"info", model, "--json"}); }
};

}  // namespace

TEST_CASE("two classes: all losses certify their gap and predict well") {
  const LinearFiles files;
  for (const std::string loss : {"hinge", "smoothed-hinge", "logistic"}) {
    for (const std::string regulariser : {"l2", "l1", "q-norm"}) {
      const Outcome train = Succeed(files.TrainClasses(
          {"--loss", loss, "--regulariser", regulariser, "--gap-tolerance", "1e-4"}));
      CHECK(Contains(train.err, "classes no (-1) and yes (1)"));
      CHECK(Contains(train.err, "converged"));
      const Json info = files.Info();
      CHECK(info["problem"] == "exact");
      CHECK(info["gap"].get<double>() <= 1e-4 * info["primal"].get<double>());
      CHECK(info["dual"].get<double>() <= info["primal"].get<double>());
      const Json metrics = files.Evaluate(files.classes_test);
      CHECK(metrics["error_rate"].get<double>() < 0.1);
      CHECK(metrics["auc"].get<double>() > 0.97);
      CHECK(metrics["examples"] == 100);
    }
  }
}

TEST_CASE("the reported objective is that of the model on its own data") {
  const LinearFiles files;
  Succeed(files.TrainClasses({"--loss", "smoothed-hinge", "--smoothing", "0.5", "--lambda", "0.01",
                              "--l1", "0.02", "--gap-tolerance", "1e-6", "--scale", "none"}));
  const LinearModel model = LinearModel::Load(files.model);
  double squares = 0, one_norm = 0;
  for (const double w : model.weights()) {
    squares += w * w;
    one_norm += std::abs(w);
  }
  const double primal = files.Info()["primal"].get<double>();
  const double loss = files.Evaluate(files.classes)["mean_loss"].get<double>();
  CHECK(primal == doctest::Approx(loss + 0.005 * squares + 0.02 * one_norm).epsilon(1e-9));
  CHECK(model.loss().parameter == 0.5);
}

TEST_CASE("numbers: tables, LIBSVM and streams give the same predictions") {
  const LinearFiles files;
  for (const std::string loss : {"squared", "absolute"}) {
    Succeed(files.TrainNumbers({"--loss", loss, "--gap-tolerance", "1e-4"}));
    const Json metrics = files.Evaluate(files.numbers_test);
    CHECK(metrics["r2"].get<double>() > 0.98);
    CHECK(metrics["rmse"].get<double>() < 0.4);
  }
  const LinearModel table = LinearModel::Load(files.model);
  CHECK(table.offset() == doctest::Approx(100).epsilon(0.01));
  CHECK(table.inputs().feature_names() == Arguments{"x", "y", "z"});
  const Arguments predict = {"linear", "predict", files.numbers_test, "--model", files.model};
  const Outcome whole = Succeed(predict);
  CHECK(Lines(whole.out).size() == 100);
  CHECK(OutputOf(predict + Arguments{"--stream"}) == whole.out);
  CHECK(RunProgram({"linear", "predict", "-", "--model", files.model}, files.numbers_test).out ==
        whole.out);
  // Columns are found by name, and the numbers need not be there.
  const std::string other = files.folder.Write("other.csv", "z,y,x\n0,0,0\n0,0,1\n");
  const auto lines = Lines(OutputOf({"linear", "predict", other, "--model", files.model}));
  REQUIRE(lines.size() == 2);
  CHECK(std::stod(lines[0]) == doctest::Approx(100).epsilon(0.01));
  CHECK(std::stod(lines[1]) - std::stod(lines[0]) == doctest::Approx(3).epsilon(0.05));

  const std::string libsvm = files.folder.Write("n.svm", LinearText(200, 1, false, false));
  Succeed({"linear", "train", libsvm, "--loss", "absolute", "--gap-tolerance", "1e-4", "--model",
           files.model});
  const LinearModel lines_model = LinearModel::Load(files.model);
  for (std::size_t k = 0; k < 3; ++k)
    CHECK(lines_model.weights()[k] == doctest::Approx(table.weights()[k]).epsilon(0.01));
}

TEST_CASE("cv chooses lambda by the metrics of classes or of numbers") {
  const LinearFiles files;
  const Arguments classes = {"linear", "cv", files.classes, "--lambda-path", "10,0.01", "--json"};
  Succeed(classes + Arguments{"--model", files.model, "--metric", "loss"});
  const Json info = files.Info();
  CHECK(info["lambda"] == 0.01);
  CHECK(info["cross_validation"]["metric"] == "mean_loss");
  CHECK(info["cross_validation"]["points"].size() == 2);
  CHECK(JsonOf(classes + Arguments{"--no-refit"})["metric"] == "error_rate");

  const Arguments numbers = {
      "linear",  "cv", files.numbers, "--label-column", "target",        "--loss",   "squared",
      "--folds", "4",  "--no-refit",  "--json",         "--lambda-path", "1,0.0001", "--threads",
      "1"};
  const Json result = JsonOf(numbers);
  CHECK(result["metric"] == "rmse");
  CHECK(result["best"]["lambda"] == 0.0001);
  CHECK(result["best"]["mean"].get<double>() == doctest::Approx(0.3).epsilon(0.2));
  Arguments two = numbers;
  two.back() = "2";
  Json other = JsonOf(two);
  for (std::size_t k = 0; k < 2; ++k) CHECK(other["path"][k]["rmse"] == result["path"][k]["rmse"]);

  CHECK(Contains(RunProgram(numbers + Arguments{"--metric", "auc"}).err,
                 "auc is not known of numbers"));
  CHECK(Contains(RunProgram(numbers + Arguments{"--regulariser", "l1"}).err,
                 "has no lambda to choose"));
}

TEST_CASE("a fold's metrics are those of a model of the other examples") {
  const LinearFiles files;
  const std::string text = LinearText(30, 4, false, true);
  const std::string some = files.folder.Write("some.csv", text);
  const Json result = JsonOf({"linear", "cv", some, "--label-column", "target", "--loss", "squared",
                              "--lambda-path", "0.01", "--folds", "30", "--no-refit", "--json",
                              "--gap-tolerance", "1e-8"});
  const std::vector<double> errors = result["path"][0]["mae"]["folds"];
  REQUIRE(errors.size() == 30);
  // A model for each line left out, in the order of the lines; that of the folds is random.
  std::vector<double> expected;
  const std::vector<std::string> lines = Lines(text);
  for (std::size_t m = 1; m < lines.size(); ++m) {
    std::string others = lines[0] + "\n";
    for (std::size_t k = 1; k < lines.size(); ++k) {
      if (k != m) others += lines[k] + "\n";
    }
    Succeed({"linear", "train", files.folder.Write("others.csv", others), "--label-column",
             "target", "--loss", "squared", "--lambda", "0.01", "--gap-tolerance", "1e-8",
             "--model", files.model});
    const std::string one = files.folder.Write("one.csv", lines[0] + "\n" + lines[m] + "\n");
    expected.push_back(files.Evaluate(one)["mae"]);
  }
  std::vector<double> found = errors;
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  for (std::size_t k = 0; k < 30; ++k)
    CHECK(found[k] == doctest::Approx(expected[k]).epsilon(1e-3));
}

TEST_CASE("a path over lambda writes a model for each") {
  const LinearFiles files;
  Succeed(files.TrainClasses({"--lambda-path", "0.1,0.01", "--verbose"}));
  const std::string first = files.folder.Path("m-0.1.slk");
  const LinearModel model = LinearModel::Load(first);
  CHECK(model.record.lambda == 0.1);
  Succeed(files.TrainClasses({"--lambda", "0.1"}));
  CHECK(LinearModel::Load(files.model).weights() == model.weights());
  CHECK(LinearModel::Load(files.folder.Path("m-0.01.slk")).record.lambda == 0.01);
}

TEST_CASE("l1 makes weights zero, and too large ones all of them") {
  const LinearFiles files;
  Succeed(files.TrainNumbers({"--loss", "squared", "--regulariser", "l1", "--l1", "0.3", "--scale",
                              "none", "--gap-tolerance", "1e-6"}));
  const LinearModel model = LinearModel::Load(files.model);
  CHECK(model.weights()[0] != 0);
  CHECK(model.weights()[2] == 0);
  CHECK(files.Info()["zero_weights"].get<int>() >= 1);
  CHECK(Contains(OutputOf({"info", files.model, "--weights"}), "x"));
  Succeed({"report", files.model, "-o", files.folder.Path("m.html")});
  const Outcome none = Succeed(files.TrainNumbers({"--loss", "squared", "--l1", "50"}));
  CHECK(Contains(none.err, "--l1 is so large that all weights are 0"));
  const LinearModel zero = LinearModel::Load(files.model);
  for (const double w : zero.weights()) CHECK(w == 0);
}

TEST_CASE("probabilities and scores belong to the second class") {
  const LinearFiles files;
  Succeed(files.TrainClasses({"--loss", "logistic"}));
  const Arguments predict = {"linear",  "predict",   files.classes_test,
                             "--model", files.model, "--output"};
  const auto classes = Lines(OutputOf(predict + Arguments{"predictions"}));
  const auto scores = Lines(OutputOf(predict + Arguments{"scores"}));
  const auto shares = Lines(OutputOf(predict + Arguments{"probabilities"}));
  for (std::size_t m = 0; m < classes.size(); ++m) {
    const double score = std::stod(scores[m]);
    CHECK(classes[m] == (score > 0 ? "yes" : "no"));
    CHECK(std::stod(shares[m]) == doctest::Approx(1 / (1 + std::exp(-score))).epsilon(1e-6));
  }
  Succeed(files.TrainClasses());
  CheckRefused(predict + Arguments{"probabilities"}, "need a model of the logistic loss");
}

TEST_CASE("runs are resumed and logged, and outputs of iterates are options") {
  const LinearFiles files;
  const std::string checkpoint = files.folder.Path("c.slc"), log = files.folder.Path("l.jsonl");
  const Arguments options = {"--loss",  "logistic", "--output",        "average",
                             "--order", "uniform",  "--gap-tolerance", "0"};
  Succeed(files.TrainClasses(options + Arguments{"--max-passes", "12", "--log", log}));
  const LinearModel whole = LinearModel::Load(files.model);
  CHECK(Json::parse(Lines(ReadBytes(log)).back())["pass"] == 12);
  Succeed(files.TrainClasses(
      options + Arguments{"--max-passes", "5", "--checkpoint", checkpoint, "--quiet"}));
  Succeed(files.TrainClasses(options + Arguments{"--max-passes", "12", "--resume", checkpoint}));
  CHECK(LinearModel::Load(files.model).weights() == whole.weights());
  CheckRefused(files.TrainClasses({"--loss", "hinge", "--resume", checkpoint}),
               "belongs to another run");
}

TEST_CASE("an interrupt keeps the model") {
  const LinearFiles files;
  Process process(files.TrainClasses({"--gap-tolerance", "0", "--max-passes", "2000000000"}));
  REQUIRE(process.Works(SIGINT, 0.1));
  process.Signal(SIGINT);
  const Outcome outcome = process.Wait();
  CHECK(outcome.code == 128 + SIGINT);
  CHECK(Contains(outcome.err, "best model so far written to"));
  CHECK(files.Evaluate(files.classes_test)["error_rate"].get<double>() < 0.1);
}

TEST_CASE("bad input is refused with its place, and replaces nothing") {
  const LinearFiles files;
  Succeed(files.TrainClasses());
  const std::string before = ReadBytes(files.model);
  const auto train = [&](const std::string& text, const Arguments& more) {
    return Arguments{"linear", "train", files.folder.Write("bad.svm", text), "--model",
                     files.model} +
           more;
  };
  CheckRefused(train("1 1:2\n-1 1:x\n", {}), "bad.svm:2: ");
  CheckRefused(train("1 1:2\nfive 1:1\n", {"--loss", "squared"}),
               "bad.svm:2: the number to predict is 'five'");
  CheckRefused(train("1e51 1:2\n", {"--loss", "squared"}), "bad.svm:1: the number to predict");
  CheckRefused(train("1,2 1:2\n", {"--loss", "squared"}), "expected one number");
  CheckRefused(train("1 1:2\n2 1:1\n3 1:4\n", {}), "3 classes ('1', '2', '3')");
  CheckRefused(train("1 1:2\n1 1:1\n", {}), "nothing to tell apart");
  CheckRefused(train("? 1:2\n", {"--loss", "squared"}), "no example has a known number");
  CheckRefused(files.TrainClasses({"--sdca-step", "5"}), "step 5 is for smooth losses");
  CheckRefused(files.TrainClasses({"--epsilon", "0.5"}), "--epsilon is for --loss absolute");
  CheckRefused(files.TrainClasses({"--smoothing", "2"}), "--smoothing is for --loss smoothed");
  CheckRefused(files.TrainClasses({"--loss", "cubic"}), "--loss");
  CheckRefused(files.TrainClasses({"--regulariser", "l1", "--l1", "0"}), "--l1");
  CheckRefused(files.TrainClasses({"--log", files.model}), "--log");
  CheckRefused({"linear", "predict", files.classes_test, "--model", files.classes_test},
               "classes-test.svm");
  CHECK(ReadBytes(files.model) == before);
  // Unknown classes are left out and counted.
  const Outcome some = Succeed(train("a 1:2\nb 1:-1\n? 1:3\n 1:4\n", {}));
  CHECK(Contains(some.err, "2 examples without a known class left out"));
}
