// SPDX-License-Identifier: BSD-3-Clause
//
// Measures training on rows in files (DatasetOptions::rows_folder).
//
//   bench_rows EXAMPLES FEATURES [FOLDER]
//
// Makes chains of four variables with FEATURES random features each, 32 bytes an example and
// feature, and trains to a relative gap of 0.01 with `auto`. FOLDER: rows are kept in a file there,
// else in memory. To see what the disk costs, run it under a memory limit (a control group).
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>

#include <slackline/slackline.h>

namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Random chains of four variables with three states, which two of the features tell.
class Chains {
 public:
  static constexpr int kLength = 4, kStates = 3;

  Chains(slackline::Graph graph, int features) : graph_(std::move(graph)), features_(features) {}

  slackline::GraphExample Next() {
    slackline::GraphExample given{graph_, {}};
    std::vector<double> x(features_);
    for (int t = 0; t < kLength; ++t) {
      for (double& value : x) value = Uniform();
      given.example.labels.push_back((x[0] + x[1] > 0.3) + (x[2] + 0.1 * Uniform() > -0.1));
      given.example.inputs.Add(x);
    }
    return given;
  }

 private:
  double Uniform() { return static_cast<double>(random_() % 2001) / 1000 - 1; }

  slackline::Graph graph_;
  int features_;
  std::mt19937 random_{1};
};

slackline::Graph MakeGraph(slackline::Model* model, int features) {
  const auto look = model->AddWeights("look", Chains::kStates, features);
  const auto change = model->AddWeights("change");
  slackline::GraphBuilder builder(*model);
  const auto v = builder.AddVariables(Chains::kLength, Chains::kStates);
  for (int t = 0; t < Chains::kLength; ++t) builder.AddInput(v[t], look, t);
  for (int t = 1; t < Chains::kLength; ++t)
    builder.AddFactor({v[t - 1], v[t]}, slackline::Potts(Chains::kStates), change);
  return builder.Build();
}

}  // namespace

int main(int argc, char** argv) {
  const int examples = argc > 2 ? std::atoi(argv[1]) : 0;
  const int features = argc > 2 ? std::atoi(argv[2]) : 0;
  if (argc > 4 || examples < 1 || features < 3) {
    std::fputs("usage: bench_rows EXAMPLES FEATURES(>= 3) [FOLDER]\n", stderr);
    return 2;
  }
  slackline::Model model;
  Chains chains(MakeGraph(&model, features), features);
  const Clock::time_point begin = Clock::now();
  slackline::Dataset data(model, {.rows_folder = argc > 3 ? argv[3] : ""});
  data.AddAll([&]() -> std::optional<slackline::GraphExample> {
    if (data.size() == examples) return std::nullopt;
    return chains.Next();
  });
  std::printf("%.0f MB of rows written in %.1f s\n", 32e-6 * examples * features,
              SecondsSince(begin));
  std::fflush(stdout);
  const slackline::TrainResult result = slackline::Train(data, {.gap_tolerance = 0.01});
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%d passes, relative gap %.4f\n%.1f s, of them processor %.1f s and system %.1f s\n"
      "at most %ld MB of memory, %ld reads of pages waited for\n",
      result.passes, result.certificate.relative_gap, SecondsSince(begin), Seconds(usage.ru_utime),
      Seconds(usage.ru_stime), usage.ru_maxrss / 1000, usage.ru_majflt);
  return 0;
}
