// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline multilabel with kernels.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/model_file.h>
#include <slackline/core/random.h>
#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

/// Two labels: the exclusive or of the signs of two features, and the opposite of it.
std::string ExclusiveOrText(int examples, std::uint64_t seed) {
  slackline::internal::Random random(seed);
  std::string text;
  for (int m = 0; m < examples; ++m) {
    const double a = random.Below(2) == 0 ? -1 : 1;
    const double b = random.Below(2) == 0 ? -1 : 1;
    text += a * b < 0 ? "0" : "1";
    text += " 1:" + std::to_string(a + 0.2 * random.Normal()) +
            " 2:" + std::to_string(b + 0.2 * random.Normal());
    text += "\n";
  }
  return text;
}

struct KernelFiles {
  TemporaryFolder folder;
  std::string data = folder.Write("d.svm", LibsvmText(70, 6, 4, 2));
  std::string test = folder.Write("t.svm", LibsvmText(40, 6, 4, 3));
  std::string model = folder.Path("m.slk");

  Arguments Train(const Arguments& more) const {
    return Arguments{"multilabel", "train", data, "--num-labels", "4", "--model", model} + more;
  }
};

/// The numbers below the line of label names.
std::vector<double> Scores(const KernelFiles& files, const std::string& model) {
  const auto lines = Lines(OutputOf(
      {"multilabel", "predict", files.test, "--model", model, "--output", "scores", "-q"}));
  std::vector<double> scores;
  for (std::size_t k = 1; k < lines.size(); ++k) {
    std::size_t begin = 0;
    while (begin < lines[k].size()) {
      const std::size_t end = std::min(lines[k].find(',', begin), lines[k].size());
      scores.push_back(std::stod(lines[k].substr(begin, end - begin)));
      begin = end + 1;
    }
  }
  return scores;
}

}  // namespace

TEST_CASE("a model with the linear kernel predicts what the primal model predicts") {
  const KernelFiles files;
  const std::string kernel = files.folder.Path("k.slk");
  for (const std::string constant : {"0", "1"}) {
    const Arguments common = {
        "multilabel",   "train", files.data, "--num-labels", "4",  "--bias",          constant,
        "--max-passes", "15",    "--lambda", "0.01",         "-q", "--gap-tolerance", "0"};
    Succeed(common + Arguments{"--learner", "bcfw", "--step", "fw", "--model", files.model});
    Succeed(common + Arguments{"--learner", "kernel-bcfw", "--model", kernel});
    const std::vector<double> linear = Scores(files, files.model);
    const std::vector<double> expanded = Scores(files, kernel);
    REQUIRE(linear.size() == 160);
    REQUIRE(expanded.size() == linear.size());
    for (std::size_t k = 0; k < linear.size(); ++k)
      CHECK(linear[k] == doctest::Approx(expanded[k]).epsilon(1e-6));
    CHECK(OutputOf({"multilabel", "predict", files.test, "--model", files.model, "-q"}) ==
          OutputOf({"multilabel", "predict", files.test, "--model", kernel, "-q"}));
  }
}

TEST_CASE("rbf solves problems that linear models cannot") {
  const KernelFiles files;
  const std::string data = files.folder.Write("xor.svm", ExclusiveOrText(60, 4));
  const std::string test = files.folder.Write("xor-test.svm", ExclusiveOrText(100, 5));
  const auto loss = [&](const Arguments& more) {
    Succeed(Arguments{"multilabel", "train", data, "--num-labels", "2", "--lambda", "0.001",
                      "--model", files.model, "--max-passes", "300", "-q"} +
            more);
    return JsonOf(
               {"multilabel", "evaluate", test, "--model", files.model, "--json"})["hamming_loss"]
        .get<double>();
  };
  CHECK(loss({}) > 0.2);
  CHECK(loss({"--learner", "kernel-bcfw", "--kernel", "rbf", "--kernel-gamma", "1"}) < 0.02);
  CHECK(loss({"--learner", "kernel-bcfw", "--kernel", "polynomial", "--kernel-degree", "2"}) <
        0.02);
  CHECK(loss({"--learner", "al", "--kernel", "rbf", "--kernel-gamma", "1"}) < 0.02);
  CHECK(loss({"--kernel", "rbf", "--kernel-gamma", "1"}) < 0.02);
}

TEST_CASE("info reports the kernel and the support vectors") {
  const KernelFiles files;
  const Outcome train =
      Succeed(files.Train({"--learner", "kernel-bcfw", "--kernel", "rbf", "--kernel-gamma", "0.5",
                           "--gap-tolerance", "0.05", "--verify"}));
  CHECK(Contains(train.err, "kernel rbf, gamma 0.5"));
  CHECK(Contains(train.err, "the certificate holds"));
  CHECK(Contains(OutputOf({"info", files.model}), "kernel      rbf, gamma 0.5; "));
  const Json info = JsonOf({"info", files.model, "--json"});
  CHECK(info["kernel"] == "rbf, gamma 0.5");
  CHECK(info["support_vectors"].get<int>() > 0);
  CHECK(info["support_vectors"].get<int>() <= 70);
  CHECK(info["weights"] == 4 + 6);
  CHECK(info["options"]["kernel"] == "rbf");
}

TEST_CASE("checkpoints, paths and cross-validation support kernels") {
  const KernelFiles files;
  const std::string checkpoint = files.folder.Path("c.ckpt");
  const std::string other = files.folder.Path("o.slk");
  const Arguments rbf = {"--learner", "bcfw", "--kernel", "rbf", "--gap-tolerance", "0", "-q"};
  Succeed(files.Train(rbf + Arguments{"--max-passes", "4", "--checkpoint", checkpoint}));
  Succeed({"multilabel", "train", files.data, "--num-labels", "4", "--model", other, "--learner",
           "bcfw", "--kernel", "rbf", "--gap-tolerance", "0", "-q", "--max-passes", "9", "--resume",
           checkpoint});
  Succeed(files.Train(rbf + Arguments{"--max-passes", "9"}));
  const slackline::internal::ModelReader a(files.model), b(other);
  const auto c = a.Doubles("coefficients"), d = b.Doubles("coefficients");
  REQUIRE(c.size() == d.size());
  CHECK(std::equal(c.begin(), c.end(), d.begin()));

  Succeed(files.Train({"--learner", "kernel-bcfw", "--kernel", "rbf", "--gap-tolerance", "0.05",
                       "-q", "--lambda-path", "0.1,0.01"}));
  CHECK(Contains(OutputOf({"info", files.folder.Path("m-0.01.slk")}), "support vector"));

  const Json cv = JsonOf({"multilabel", "cv", files.data, "--num-labels", "4", "--lambda-path",
                          "0.1,0.01", "--folds", "3", "--kernel", "rbf", "--gap-tolerance", "0.02",
                          "--model", other, "--json", "-q"});
  CHECK(cv["path"].size() == 2);
  CHECK(Contains(OutputOf({"info", other}), "kernel      rbf, gamma 0.16"));
}

TEST_CASE("kernels are refused where they have no effect, with the reason") {
  const KernelFiles files;
  CheckRefused(files.Train({"--kernel-gamma", "1"}),
               "--kernel-gamma has no effect without --kernel");
  CheckRefused(files.Train({"--kernel", "linear", "--kernel-gamma", "1"}),
               "no effect with --kernel linear");
  CheckRefused(files.Train({"--kernel", "rbf", "--kernel-degree", "2"}),
               "without --kernel polynomial");
  CheckRefused(files.Train({"--kernel", "sigmoid"}), "one of auto linear polynomial rbf");
  CheckRefused(files.Train({"--kernel", "rbf", "--cache-mb", "5", "--learner", "bcfw"}),
               "--cache-mb applies to");
}

TEST_CASE("sequences support kernels, too") {
  const KernelFiles files;
  const std::string kernel = files.folder.Path("k.slk");
  slackline::internal::Random random(8);
  std::string text;
  for (int m = 0; m < 25; ++m) {
    for (int i = 0; i < 4; ++i) {
      const auto word = random.Below(6);
      const auto label = random.Below(4) == 0 ? random.Below(3) : word / 2;
      text += "w" + std::to_string(word) + " L" + std::to_string(label) + "\n";
    }
    text += "\n";
  }
  const std::string data = files.folder.Write("s.txt", text);
  const std::string templates = files.folder.Write("t.txt", "U00:%x[0,0]\nU01:%x[-1,0]\n");
  const Arguments common = {
      "sequence", "train", data,           "--template", templates,         "--min-count", "1",
      "--lambda", "0.01",  "--max-passes", "12",         "--gap-tolerance", "0",           "-q"};
  Succeed(common + Arguments{"--learner", "bcfw", "--step", "fw", "--model", files.model});
  Succeed(common + Arguments{"--learner", "kernel-bcfw", "--model", kernel});
  const auto predict = [&](const std::string& model) {
    return OutputOf({"sequence", "predict", data, "--model", model, "-q"});
  };
  const std::string linear = predict(files.model);
  CHECK(linear.size() > 200);
  CHECK(linear == predict(kernel));
  CHECK(Contains(OutputOf({"info", kernel}), "kernel      linear; "));
  Succeed(common + Arguments{"--learner", "kernel-bcfw", "--kernel", "polynomial",
                             "--kernel-degree", "2", "--verify", "--model", kernel});
  CHECK(JsonOf({"info", kernel, "--json"})["support_vectors"].get<int>() <= 100);
  CHECK(predict(kernel).size() > 200);
  const Json cv = JsonOf({"sequence", "cv", data, "--template", templates, "--lambda-path",
                          "0.1,0.01", "--folds", "2", "--kernel", "rbf", "--max-passes", "5",
                          "--no-refit", "--json", "-q"});
  CHECK(cv["path"].size() == 2);
}
