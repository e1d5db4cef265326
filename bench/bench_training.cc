// SPDX-License-Identifier: BSD-3-Clause
//
// Measures training: seconds per pass, bytes per block, and processor seconds to certified relative
// gaps.
//
//   bench_training DATA_FOLDER yeast [SECONDS]     passes; auto, al and bcfw with GLPK on Yeast
//   bench_training DATA_FOLDER reuters [SECONDS]   the same on Reuters (30 labels)
//
// SECONDS: time limit of one run, 60 by default.
//
// DATA_FOLDER holds yeast/yeast-train.arff(.gz) and yeast.xml, reuters30/reuters30-train.svm.gz.
// Every figure is the median of several runs in one process, in processor seconds without checks
// ("seconds" of docs/notation.md, section 6).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/label_graph.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/core/timer.h>
#include <slackline/learning/factor_blocks/factor_blocks.h>
#include <slackline/learning/train_loop.h>

using namespace slackline::internal;

namespace {

constexpr double kGaps[] = {1e-1, 2e-2, 1e-2, 1e-3};
constexpr int kRuns = 3;

/// Records the processor seconds of training at which each certified gap was first reached.
class GapClock : public TrainObserver {
 public:
  void OnCheck(const ProgressRecord& record) override {
    for (std::size_t k = 0; k < std::size(kGaps); ++k) {
      if (std::isnan(reached[k]) && record.relative_gap <= kGaps[k]) {
        // Processor time of training: its share of the processor time of training and checks.
        reached[k] = record.cpu_seconds * record.seconds / (record.seconds + record.check_seconds);
      }
    }
    last = record;
  }
  std::vector<double> reached = std::vector<double>(std::size(kGaps), kNone);
  ProgressRecord last;
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Problem MakeProblem(const MultiLabelData& data, double lambda) {
  const MultiLabelModel model(data.label_names, data.num_features, data.has_constant,
                              MakeLabelGraph("full", data));
  LossOptions loss;
  loss.scale = LossScale::kCount;
  return Problem(MakeTrainingSet(model.MakeDataset(data), loss), lambda);
}

void TimePasses(const Problem& problem, bool multipliers, int passes) {
  FactorBlocks blocks(problem, StepKind::kPairwise, multipliers);
  blocks.set_rho(3 * problem.penalty_scale());
  std::vector<double> seconds;
  for (int pass = 0; pass < passes; ++pass) {
    const double before = ProcessCpuSeconds();
    for (Index m = 0; m < problem.size(); ++m)
      blocks.VisitExample(m, multipliers ? 1 / blocks.rho() : 0);
    seconds.push_back(ProcessCpuSeconds() - before);
  }
  const FactorGraph& graph = problem.data().example(0).graph();
  const double variables = static_cast<double>(graph.variable_states() * 8) * problem.size();
  const double pairs = static_cast<double>(graph.num_factors()) * problem.size();
  std::printf(
      "%-5s pass: %7.2f ms (median of %d), %5.1f ns a block, %4.1f bytes a pair block, %.1f MB of "
      "blocks\n",
      multipliers ? "al" : "soft", 1e3 * Median(seconds), passes,
      1e9 * Median(seconds) / static_cast<double>(problem.num_parts()),
      (static_cast<double>(blocks.memory_bytes()) - variables) / pairs,
      static_cast<double>(blocks.memory_bytes()) / 1e6);
}

std::vector<double> TimeToGaps(const Problem& problem, const TrainOptions& options,
                               const char* name, int runs) {
  std::vector<std::vector<double>> reached(std::size(kGaps));
  ProgressRecord last;
  for (int run = 0; run < runs; ++run) {
    TrainOptions seeded = options;
    seeded.seed = run + 1;
    GapClock clock;
    Train(problem, seeded, &clock);
    for (std::size_t k = 0; k < std::size(kGaps); ++k) {
      reached[k].push_back(std::isnan(clock.reached[k]) ? kInfinity : clock.reached[k]);
    }
    last = clock.last;
  }
  std::vector<double> medians;
  std::printf("%-14s", name);
  for (const auto& values : reached) {
    medians.push_back(Median(values));
    std::isinf(medians.back()) ? std::printf("  %9s", "-") : std::printf("  %9.3f", medians.back());
  }
  std::printf("   last run: pass %d, primal %.5f, dual %.5f, %lld oracle calls\n", last.pass,
              last.primal, last.dual, static_cast<long long>(last.oracle_calls));
  std::fflush(stdout);
  return medians;
}

void PrintRatio(const char* name, const std::vector<double>& slow,
                const std::vector<double>& fast) {
  std::printf("%-14s", name);
  for (std::size_t k = 0; k < fast.size(); ++k) {
    std::isinf(slow[k]) ? std::printf("  %9s", "-") : std::printf("  %9.2f", slow[k] / fast[k]);
  }
  std::printf("\n");
}

void Compare(const Problem& problem, double seconds) {
  std::printf(
      "M = %d, d = %lld, lambda = %g, count loss; seconds of training to certified relative "
      "gap\n%-14s",
      problem.size(), static_cast<long long>(problem.num_weights()), problem.lambda(), "learner");
  for (const double gap : kGaps) std::printf("  %9g", gap);
  std::printf("\n");
  TrainOptions options;
  options.gap_tolerance = kGaps[std::size(kGaps) - 1];
  options.time_limit_seconds = seconds;
  options.check_every = 1;  // the measured time excludes checks
  const std::vector<double> automatic = TimeToGaps(problem, options, "auto", kRuns);
  options.check_every = 0;
  options.learner = LearnerKind::kAugmentedLagrangian;
  const std::vector<double> al = TimeToGaps(problem, options, "al", kRuns);
  if (!HasGlpk()) return;
  options.learner = LearnerKind::kBcfw;
  options.oracle = SolverKind::kLp;
  const std::vector<double> bcfw = TimeToGaps(problem, options, "bcfw, GLPK", kRuns);
  PrintRatio("bcfw / al", bcfw, al);
  PrintRatio("bcfw / auto", bcfw, automatic);
  // The textbook linear program, with one column per state of every variable and factor.
  options.oracle = SolverKind::kLpPolytope;
  const std::vector<double> polytope = TimeToGaps(problem, options, "bcfw, polytope", 1);
  PrintRatio("polytope / al", polytope, al);
  PrintRatio("polytope/auto", polytope, automatic);
  std::printf("\n");
}

std::string Existing(const std::string& path) {
  for (const std::string& candidate : {path, path + ".gz"}) {
    if (std::filesystem::exists(candidate)) return candidate;
  }
  return path;
}

void BenchYeast(const std::string& folder, double seconds) {
  MultiLabelReadOptions read;
  read.labels_xml = folder + "/yeast/yeast.xml";
  const MultiLabelData data =
      ReadMultiLabelData(Existing(folder + "/yeast/yeast-train.arff"), read);
  {
    const Problem problem = MakeProblem(data, 0.01);
    TimePasses(problem, false, 100);
    TimePasses(problem, true, 100);
  }
  for (const double lambda : {0.01, 0.001, 1.0 / 1500}) Compare(MakeProblem(data, lambda), seconds);
}

void BenchReuters(const std::string& folder, double seconds) {
  MultiLabelReadOptions read;
  read.num_labels = 30;
  const MultiLabelData data =
      ReadMultiLabelData(Existing(folder + "/reuters30/reuters30-train.svm"), read);
  const Problem problem = MakeProblem(data, 0.001);
  TimePasses(problem, true, 10);
  Compare(problem, seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_training DATA_FOLDER yeast|reuters [SECONDS per run]\n");
    return 2;
  }
  const std::string what = argv[2];
  const double seconds = argc > 3 ? std::atof(argv[3]) : 60;
  try {
    if (what == "yeast") {
      BenchYeast(argv[1], seconds);
    } else if (what == "reuters") {
      BenchReuters(argv[1], seconds);
    } else {
      std::fprintf(stderr, "no benchmark named '%s'\n", argv[2]);
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_training: %s\n", error.what());
    return 2;
  }
  std::printf("peak memory %.0f MB\n", static_cast<double>(PeakMemoryBytes()) / 1e6);
  return 0;
}
