// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline multilabel train --clusters.
#include <algorithm>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <tests/apps/program.h>

using namespace slackline::internal::test;

namespace {

/// Exactly one of four labels is on, mostly the one of the largest feature: the pair marginals of
/// the relaxed solution contradict each other.
std::string ExclusiveText(int examples) {
  slackline::internal::Random random(7);
  std::string text;
  for (int m = 0; m < examples; ++m) {
    std::string row;
    int label = 0;
    double best = -1e300;
    for (int f = 0; f < 4; ++f) {
      const double value = random.Normal();
      row += " " + std::to_string(f + 1) + ":" + std::to_string(value);
      const double score = 1.5 * value + random.Normal();
      if (score > best) label = f;
      best = std::max(best, score);
    }
    text += std::to_string(label) + row + "\n";
  }
  return text;
}

struct ExclusiveSession {
  TemporaryFolder folder;
  std::string data = folder.Write("d.svm", ExclusiveText(30));
  std::string model = folder.Path("m.slk");

  Outcome Train(const Arguments& options) const {
    return RunProgram(Arguments{"multilabel", "train", data, "--num-labels", "4", "--learner", "al",
                                "--lambda", "0.001", "--loss", "count", "--gap-tolerance", "1e-4",
                                "--model", model, "--log", "-"} +
                      options);
  }
};

Json StartOf(const Outcome& outcome) { return Json::parse(Lines(outcome.out).front()); }
Json LastLine(const Outcome& outcome) { return Json::parse(Lines(outcome.out).back()); }

}  // namespace

TEST_CASE(
    "clusters lower the relaxed optimum, are certified and verified, and give an ordinary model") {
  const ExclusiveSession s;
  const Outcome pairs = Succeed(s.Train({}));
  CHECK_FALSE(StartOf(pairs)["options"].contains("clusters"));
  const Outcome tight = Succeed(s.Train({"--clusters", "3", "--cluster-rounds", "2", "--verify"}));
  CHECK(tight.err.find("1 cluster of three") !=
        std::string::npos);  // two triples of four labels are never disjoint
  CHECK(StartOf(tight)["options"]["clusters"] == "1");
  CHECK(LastLine(tight)["primal"].get<double>() < LastLine(pairs)["dual"].get<double>());
  CHECK(StartOf(tight)["weights"] == StartOf(pairs)["weights"]);
  const Outcome predict = Succeed({"multilabel", "predict", s.data, "--model", s.model});
  CHECK(Lines(predict.out).size() == 30);
}

TEST_CASE("options that do not work with clusters are refused") {
  const ExclusiveSession s;
  const auto refusal = [&](const Arguments& options) {
    const Outcome outcome = s.Train(options);
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK(refusal({"--clusters", "0"}).find("--clusters") != std::string::npos);
  CHECK(refusal({"--clusters", "1", "--cluster-rounds", "0"}).find("--cluster-rounds") !=
        std::string::npos);
  CHECK(refusal({"--clusters", "1", "--checkpoint", s.folder.Path("c")})
            .find("--checkpoint and --resume") != std::string::npos);
  const Outcome path =
      RunProgram({"multilabel", "train", s.data, "--num-labels", "4", "--lambda-path", "0.1,0.01",
                  "--clusters", "1", "--model", s.model});
  CHECK(path.code == 2);
  CHECK(path.err.find("--lambda-path") != std::string::npos);
}
