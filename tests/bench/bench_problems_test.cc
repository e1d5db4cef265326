// SPDX-License-Identifier: BSD-3-Clause
//
// Only in ./run test --all: the problems and learners of the program that compares learners.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/learning/default_lambda.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/run/fingerprint.h>
#include <slackline/learning/train_loop.h>

#include "bench/bench_learners.h"
#include "bench/bench_problems.h"
#include "bench/bench_runner.h"
#include "bench/drawn/drawn_labels.h"
#include "tests/core/temporary_folder.h"

using namespace slackline::internal;
using namespace slackline::internal::bench;
using namespace slackline::internal::test;

namespace {

ProgressRecord RecordAt(Index pass, double gap) {
  ProgressRecord record;
  record.pass = pass;
  record.seconds = 2.0 * pass;
  record.check_seconds = 1.0 * pass;
  record.cpu_seconds = 6.0 * pass;
  record.oracle_calls = 10 * pass;
  record.relative_gap = gap;
  return record;
}

SyntheticLabelsOptions SmallOptions(Index stored) {
  SyntheticLabelsOptions options;
  options.examples = 300;
  options.labels = 5;
  options.features = 40;
  options.stored = stored;
  return options;
}

BenchProblem Parsed(const std::string& text) {
  std::vector<BenchProblem> problems = ParseBenchProblems(text);
  REQUIRE(problems.size() == 1);
  return problems.front();
}

BenchTask Task(const std::string& text, const std::string& folder = "", bool with_test = false) {
  return BenchTasks(folder, with_test).Make(Parsed(text));
}

Problem Make(const std::string& text, const std::string& folder = "") {
  return Task(text, folder).problem;
}

/// The message of a problem or list of problems that is refused.
std::string BadProblem(const std::string& text, const std::string& folder = "",
                       bool with_test = false) {
  return MessageOf<DataError>([&] {
    for (const BenchProblem& problem : ParseBenchProblems(text))
      BenchTasks(folder, with_test).Make(problem);
  });
}

std::vector<BenchLearner> Learners(const std::string& list) {
  TrainOptions base;
  base.gap_tolerance = 1e-4;
  base.check_every = 1;
  return ParseBenchLearners(list, base);
}

/// Writes two examples for training and two for tests.
void WriteReuters(const TemporaryFolder& folder) {
  std::filesystem::create_directory(folder.Path("reuters30"));
  folder.WriteGzip("reuters30/reuters30-train.svm.gz", "0,29 1:1 3:0.5\n1 2:1\n");
  folder.Write("reuters30/reuters30-test.svm", "0 1:1\n 2:1\n");
}

}  // namespace

TEST_CASE("problems have names, samples and options") {
  const BenchProblem some = Parsed("yeast-0.01@375.2");
  CHECK(some.name == "yeast-0.01@375.2");
  CHECK(some.of == "yeast-0.01");
  CHECK(some.examples == 375);
  CHECK(some.seed == 2);
  CHECK(some.lambda == 0.01);
  CHECK(some.text == "Yeast, 14 labels, bias off, lambda 0.01");
  CHECK(Parsed("toy@7").name == "toy@7.1");
  const BenchProblem grids = Parsed("grids@3:rows=4,lambda=0.5");
  CHECK(grids.name == "grids@3.1:rows=4,lambda=0.5");
  CHECK(grids.of == "grids:rows=4,lambda=0.5");
  CHECK(ParseBenchProblems("toy, grids:rows=2,cols=3,toy,yeast").size() == 3);
  // The last value counts, also behind a name that has one.
  CHECK(Make("toy:lambda=0.5").lambda() == 0.5);
  const Problem toy = Make("toy");
  CHECK(Make("toy:times=0.1").lambda() ==
        doctest::Approx(0.1 * ScalesOf(toy, TrainOptions()).DefaultLambda()).epsilon(1e-12));
}

TEST_CASE("problems that are refused") {
  for (const char* bad :
       {"toy@", "toy@x", "toy@0", "toy@-3", "toy@5.", "toy@5.0", "toy@5.1.2", "toy@5 :rows=2"})
    CHECK_MESSAGE(Contains(BadProblem(bad), "is not of the form problem@examples"), bad);
  CHECK(Contains(BadProblem("yeast-1"), "unknown problem 'yeast-1'; choose from yeast, emotions"));
  CHECK(Contains(BadProblem("toyy"), "did you mean 'toy'?"));
  CHECK(Contains(BadProblem(""), "unknown problem ''"));
  CHECK(Contains(BadProblem("toy,,grids"), "unknown problem ''"));
  CHECK(Contains(BadProblem("grids:states"), "'states' is not of the form option=value"));
  CHECK(Contains(BadProblem("grids:state=3"), "unknown option 'state'; did you mean 'states'?"));
  CHECK(Contains(BadProblem("grids:states=0"), "states: '0' is not allowed"));
  CHECK(Contains(BadProblem("grids:chains=1"), "it must be on or off"));
  CHECK(Contains(BadProblem("grids:lambda=x"), "lambda: 'x' is not allowed"));
  CHECK(Contains(BadProblem("grids:times=-1"), "must be positive"));
  CHECK(Contains(BadProblem("matching:rows=3"), "unknown option 'rows'"));
  CHECK(Contains(BadProblem("labels:stored=11,features=10"), "stored is larger than features"));
  CHECK(Contains(BadProblem("labels:graph=ring"), "'ring' is not allowed"));
  CHECK(Contains(BadProblem("labels:loss=most"), "'most' is not allowed"));
  CHECK(Contains(BadProblem("pictures:states=17"), "1 to 16 states"));
  CHECK(Contains(BadProblem("counts:labels=3"), "at least 4"));
  CHECK(Contains(BadProblem("toy@61"), "'toy@61.1' needs more examples than the 60"));
}

TEST_CASE("problems that need files report missing folders and files, and read gzip") {
  const TemporaryFolder folder;
  const std::string root = folder.Path("");
  CHECK(Contains(BadProblem("reuters"), "'reuters' needs files"));
  CHECK(Contains(BadProblem("reuters", root),
                 "/reuters30/reuters30-train.svm: there is no such file"));
  WriteReuters(folder);
  CHECK(Parsed("reuters").files(root).train.front().ends_with(".svm.gz"));
  const Problem problem = Make("reuters", root);
  CHECK(problem.size() == 2);
  CHECK(problem.lambda() == 0.5);
  CHECK(problem.num_parts() == 2 * (30 + 435));
  CHECK(problem.num_weights() == 30 * 4 + 435);
  CHECK(*std::max_element(problem.loss(0).begin(), problem.loss(0).end()) == 1);
  const Problem without_bias = Make("reuters-0.001", root);
  CHECK(without_bias.num_weights() == 30 * 3 + 435);
  CHECK(without_bias.lambda() == 0.001);
  const Problem mean = Make("reuters:loss=mean,graph=none,standardise=on", root);
  CHECK(mean.num_weights() == 30 * 4);
  CHECK(*std::max_element(mean.loss(0).begin(), mean.loss(0).end()) == 1.0 / 30);
}

TEST_CASE("the most frequent labels are kept") {
  const TemporaryFolder folder;
  const std::string root = folder.Path("");
  std::filesystem::create_directory(folder.Path("rcv1"));
  folder.Write("rcv1/rcv1-train.svm", "0,29 1:1 7:0\n1,29 2:1\n1 3:1\n");
  const Problem problem = Make("rcv1:labels=2,lambda=0.1", root);
  CHECK(problem.data().example(0).graph().num_variables() == 2);
  const auto labels = problem.data().example(1).labels();
  CHECK(std::vector<Index>(labels.begin(), labels.end()) == std::vector<Index>{1, 1});
  CHECK(problem.data().example(0).labels()[0] == 0);  // label 0 is left out, label 1 is not on
  CHECK(Contains(BadProblem("rcv1:labels=31", root), "has only 30 labels"));
  folder.Write("rcv1/rcv1-test.svm", "0 7:1\n");
  CHECK(Task("rcv1", root, true).test(std::vector<double>(30 * 8 + 435, 0.0)).size() == 3);
  CHECK(Contains(BadProblem("rcv1:labels=2", root, true), "test data are neither"));
}

TEST_CASE("sequence problems have the folds, files and sizes of their data") {
  const TemporaryFolder folder;
  const std::string root = folder.Path("");
  std::filesystem::create_directory(folder.Path("letters"));
  std::filesystem::create_directory(folder.Path("conll2000"));
  const auto line = [](int id, char letter, int next, int word, int fold, int position = 1) {
    return std::to_string(id) + "\t" + letter + "\t" + std::to_string(next) + "\t" +
           std::to_string(word) + "\t" + std::to_string(position) + "\t" + std::to_string(fold) +
           "\t1\t0\n";
  };
  folder.Write("letters/letter.data",
               line(1, 'a', -1, 1, 0) + line(2, 'b', -1, 2, 1) + line(3, 'c', -1, 3, 9));
  const Problem letters = Make("letters", root);
  CHECK(letters.size() == 2);
  CHECK(letters.lambda() == 0.5);
  CHECK(letters.num_weights() == 3 * (2 + 3) + 9);
  CHECK(Make("letters-0.001", root).lambda() == 0.001);
  const BenchProblem small = Parsed("letters-small");
  CHECK(small.files(root).train.front().ends_with("letter.data"));
  CHECK(Make("letters-small", root).size() == 1);
  folder.WriteGzip("letters/letter-fold0.data.gz",
                   line(1, 'a', 2, 1, 0) + line(2, 'b', -1, 1, 0, 2));
  CHECK(small.files(root).train.front().ends_with("letter-fold0.data.gz"));
  CHECK(Make("letters-small", root).num_parts() == 3);
  CHECK(!Task("letters-small", root, true).test);

  CHECK(Contains(BadProblem("conll", root), "/conll2000/train.txt: there is no"));
  folder.Write("conll2000/train.txt", "a X B-NP\nb Y I-NP\n\na X B-NP\na X O\n");
  CHECK(Make("conll", root).size() == 2);
  CHECK(Contains(BadProblem("conll", root, true), "/conll2000/test.txt: there is no"));
  folder.Write("conll2000/test.txt", "a X B-NP\n\na X O\nc Z I-VP\n");
  CHECK(!Task("conll", root).test);
  const BenchTask task = Task("conll", root, true);
  const std::vector<double> zero(task.problem.num_weights(), 0.0);
  const TestFigures figures = task.test(zero);
  REQUIRE(figures.size() == 3);
  // With zero weights every token gets the first label, B-NP: one token of three is right, and the
  // second sentence is all wrong.
  CHECK(figures[0] == std::pair<std::string, double>("hamming_loss", 0.5));
  CHECK(figures[1].first == "token_accuracy");
  CHECK(figures[1].second == doctest::Approx(1.0 / 3));
  CHECK(figures[2].first == "chunk_f1");
}

TEST_CASE("matchings are tested on drawn ones that follow those of training") {
  CHECK(!Task("matching-0.01").test);
  const BenchTask task = Task("matching-0.01", "", true);
  CHECK(task.problem.size() == 300);
  std::vector<double> weights(task.problem.num_weights(), 0.0);
  const TestFigures none = task.test(weights);
  REQUIRE(none.size() == 3);
  CHECK(none[0] == std::pair<std::string, double>("alignment_error_rate", 1));
  weights[0] = 1;  // the first feature is `dice`, which is never negative
  const TestFigures dice = task.test(weights);
  CHECK(dice[0].second < 0.6);
  // Some predicted edges are possible ones: the error rate is the true one, not 1 − F1.
  CHECK(std::abs(dice[0].second - (1 - dice[1].second)) > 1e-3);
}

TEST_CASE("test figures of multi-label data belong to the given weights") {
  const TemporaryFolder folder;
  const std::string root = folder.Path("");
  WriteReuters(folder);
  const BenchTask task = Task("reuters-0.001", root, true);
  CHECK(task.problem.size() == 2);
  std::vector<double> weights(task.problem.num_weights(), 0.0);
  const TestFigures zero = task.test(weights);
  REQUIRE(zero.size() == 3);
  CHECK(zero[0] == std::pair<std::string, double>("hamming_accuracy", 1 - 1.0 / 60));
  CHECK(zero[1] == std::pair<std::string, double>("micro_f1", 0));
  weights[0] = 1;  // label 0, feature 1
  CHECK(task.test(weights)[0].second == 1);
  CHECK(task.test(weights)[1].second == 1);
  weights[0] = 0;
  CHECK(task.test(weights) == zero);
  CHECK(!Task("toy", "", true).test);
}

TEST_CASE("drawn problems have their sizes") {
  const Problem toy = Make("toy");
  CHECK(toy.size() == 60);
  CHECK(toy.lambda() == 0.01);
  CHECK(toy.num_weights() == 6 * 9 + 15);
  CHECK(Make("toy:bias=off,graph=tree").num_weights() == 6 * 8 + 5);
  const Problem grids = Make("grids-small");
  CHECK(grids.size() == 10);
  CHECK(grids.lambda() == 0.1);
  CHECK(grids.num_parts() == 10 * (64 + 2 * 7 * 8));
  CHECK(grids.num_weights() == 4 * 5 + 16);
  CHECK(*std::max_element(grids.loss(0).begin(), grids.loss(0).end()) == 1.0 / 64);
  CHECK(Make("grids-small:chains=on").num_parts() == 10 * (64 + 16));
  const Problem matching = Make("matching");
  CHECK(matching.size() == 300);
  CHECK(matching.lambda() == 1.0 / 300);
  CHECK(matching.data().example(0).graph().num_global_factors() == 1);
  CHECK(*std::max_element(matching.loss(0).begin(), matching.loss(0).end()) == 3);
  CHECK(Make("pictures").num_weights() == 5);
  CHECK(Make("pictures:side=4,states=3,extra-features=2").num_weights() == 3 * 4 + 1);
  CHECK(Make("labels:examples=20,stored=5,features=50").data().example(0).input(0).count == 6);
}

TEST_CASE("three or four labels of a problem of counts are on, with and without their factor") {
  for (const char* text :
       {"counts:examples=40,labels=8", "counts:examples=40,labels=8,counted=on"}) {
    const Problem counts = Make(text);
    CHECK(counts.size() == 40);
    CHECK(counts.num_weights() == 8 * 13 + 28 + 9);
    CHECK(counts.data().example(0).graph().num_global_factors() ==
          (Contains(text, "counted") ? 1 : 0));
    bool three = false, four = false;
    for (Index m = 0; m < counts.size(); ++m) {
      const auto labels = counts.data().example(m).labels();
      const auto on = std::count(labels.begin(), labels.end(), 1);
      CHECK((on == 3 || on == 4));
      three = three || on == 3;
      four = four || on == 4;
    }
    CHECK((three && four));
  }
}

TEST_CASE("problems are drawn from their own seeds") {
  for (const char* name : {"pictures:side=6", "matching", "grids-small", "toy"})
    CHECK(MakeFingerprint(Make(name), {}) == MakeFingerprint(Make(name), {}));
  CHECK(MakeFingerprint(Make("toy:draw=2"), {}) != MakeFingerprint(Make("toy"), {}));
}

TEST_CASE("columns without a common scale differ by several powers of ten") {
  const Problem problem = Make("labels:examples=400,features=50,smallest-power=-3,largest-power=4");
  const FeatureRows& rows = *problem.data().rows();
  std::vector<double> largest(51, 0.0);
  for (Index m = 0; m < rows.size(); ++m) {
    const FeatureRow row = rows.row(m);
    for (std::size_t f = 0; f < 51; ++f) largest[f] = std::max(largest[f], std::abs(row.values[f]));
  }
  const auto [least, most] = std::minmax_element(largest.begin(), largest.end() - 1);
  CHECK(*most > 1e5 * *least);
}

TEST_CASE("all learners of the toy problem end at one optimum") {
  const Problem toy = Make("toy");
  double lowest = kInfinity;
  double highest = -kInfinity;
  for (BenchLearner& learner : Learners("auto,al,bcfw-pairwise,bcfw-away,al:check-every=0")) {
    learner.options.lambda = toy.lambda();
    const TrainSummary summary = Train(toy, learner.options);
    CHECK_MESSAGE(summary.termination == Termination::kConverged, learner.name);
    CHECK(summary.last.dual <= summary.last.primal);
    lowest = std::min(lowest, summary.last.primal);
    highest = std::max(highest, summary.last.dual);
  }
  CHECK(highest <= lowest + 1e-9);
}

TEST_CASE("synthetic labels have the given sizes and density, and are deterministic") {
  for (const Index stored : {0, 10}) {
    const MultiLabelData data = MakeSyntheticLabels(SmallOptions(stored));
    CHECK(data.num_examples() == 300);
    CHECK(data.num_labels() == 5);
    CHECK(data.labels.size() == 1500);
    const auto on =
        static_cast<double>(std::count(data.labels.begin(), data.labels.end(), 1)) / 1500;
    CHECK(on > 0.15);
    CHECK(on < 0.35);
    double norms = 0;
    for (Index m = 0; m < 300; ++m) {
      const FeatureRow row = data.rows->row(m);
      CHECK(row.dense() == (stored == 0));
      CHECK(row.count == (stored == 0 ? 41 : 11));
      CHECK(row.values[row.count - 1] == 1);
      norms += row.squared_norm - 1;
    }
    CHECK(norms / 300 > 0.8);
    CHECK(norms / 300 < 1.5);
    CHECK(MakeSyntheticLabels(SmallOptions(stored)).labels == data.labels);
  }
  SyntheticLabelsOptions other = SmallOptions(0);
  other.seed = 2;
  CHECK(MakeSyntheticLabels(other).labels != MakeSyntheticLabels(SmallOptions(0)).labels);
  CHECK(MakeSyntheticLabels(SmallOptions(40)).rows->row(0).count == 41);
  CHECK_THROWS_AS(MakeSyntheticLabels(SmallOptions(41)), std::invalid_argument);
  other.labels = 0;
  CHECK_THROWS_AS(MakeSyntheticLabels(other), std::invalid_argument);
}

TEST_CASE("samples have the lambda of all examples, and share what was read") {
  const TemporaryFolder folder;
  WriteReuters(folder);
  BenchTasks tasks(folder.Path(""), false);
  const BenchTask whole = tasks.Make(Parsed("reuters"));
  const BenchTask one = tasks.Make(Parsed("reuters@1.2"));
  CHECK(one.problem.size() == 1);
  CHECK(one.problem.lambda() == whole.problem.lambda());
  CHECK(one.problem.data().rows() == whole.problem.data().rows());
  CHECK(tasks.Make(Parsed("reuters-0.001@1.2")).problem.lambda() == 0.001);
}

TEST_CASE("subsets of examples keep their labels, losses and inputs") {
  const Problem whole = Make("toy");
  const TrainingSet subset = SubsetOfExamples(whole.training(), 15, 3);
  REQUIRE(subset.data.size() == 15);
  Index previous = -1;
  for (Index k = 0; k < 15; ++k) {
    const Index m = subset.data.first_input(k);  // one input per example
    CHECK(m > previous);
    previous = m;
    const auto labels = subset.data.example(k).labels();
    const auto expected = whole.data().example(m).labels();
    CHECK(std::equal(labels.begin(), labels.end(), expected.begin(), expected.end()));
    const auto loss = subset.loss(k);
    const auto expected_loss = whole.loss(m);
    CHECK(std::equal(loss.begin(), loss.end(), expected_loss.begin(), expected_loss.end()));
  }
  const TrainingSet other = SubsetOfExamples(whole.training(), 15, 4);
  bool same = true;
  for (Index k = 0; k < 15; ++k)
    same = same && other.data.first_input(k) == subset.data.first_input(k);
  CHECK(!same);
  CHECK(SubsetOfExamples(whole.training(), 60, 1).losses == whole.training().losses);
  CHECK_THROWS_AS(SubsetOfExamples(whole.training(), 61, 1), std::invalid_argument);
  CHECK_THROWS_AS(SubsetOfExamples(whole.training(), 0, 1), std::invalid_argument);
}

TEST_CASE("lists of learners are parsed") {
  const auto learners =
      Learners("auto, bcfw:step=pairwise,order=example,average=suffix,bcfw-lp,auto");
  REQUIRE(learners.size() == 3);
  CHECK(learners[0].options.learner == LearnerKind::kAuto);
  CHECK(learners[0].options.check_every == 1);
  CHECK(learners[0].options.gap_tolerance == 1e-4);
  CHECK(learners[1].name == "bcfw:step=pairwise,order=example,average=suffix");
  CHECK(learners[1].options.step == StepKind::kPairwise);
  CHECK(learners[1].options.order == OrderKind::kExample);
  CHECK(learners[1].options.average == AverageKind::kSuffix);
  CHECK(learners[2].options.step == StepKind::kFrankWolfe);
  CHECK(learners[2].options.oracle == SolverKind::kLp);
  CHECK(Learners("bcfw")[0].options.step == StepKind::kFrankWolfe);
  CHECK_FALSE(Learners("bcfw")[0].options.fixed_step);
  CHECK(Learners("bcfw-fixed")[0].options.fixed_step);
  CHECK(Learners("al:check-every=0")[0].options.check_every == 0);
  CHECK(Learners("ssg")[0].options.learner == LearnerKind::kSubgradient);
  CHECK(Learners("fw,dlpw:step-size=0.5")[1].options.own<DualLossOptions>().step_size == 0.5);
  CHECK(Learners(BenchLearnerNames()).size() == 6);
}

TEST_CASE("lists of learners that are refused") {
  const auto message = [](const char* list) {
    return MessageOf<DataError>([&] { Learners(list); });
  };
  CHECK(Contains(message("auto,sgd"), "unknown learner 'sgd'; choose from bcfw, bcfw-fixed"));
  CHECK(Contains(message(""), "unknown learner ''"));
  CHECK(Contains(message("auto,,al"), "unknown learner ''"));
  CHECK(Contains(message("step=fw"), "unknown learner 'step=fw'"));
  CHECK(Contains(message("al:speed=9"), "'al:speed=9': unknown option 'speed'"));
  CHECK(Contains(message("al:tau=2"), "'al:tau=2': --tau: '2' is not allowed"));
  CHECK(Contains(message("al:tau"), "'tau' is not of the form option=value"));
  CHECK(Contains(message("al:seed=2"), "option 'seed' belongs to the comparison"));
  CHECK(Contains(message("al:learner=bcfw"), "option 'learner' belongs to the comparison"));
  CHECK(Contains(message("bcfw:rho=1"), "--rho applies to --learner al or soft only"));
}

TEST_CASE("the work to a gap is that of the first check within it") {
  const std::vector<ProgressRecord> curve = {RecordAt(1, kNone), RecordAt(2, 0.5),
                                             RecordAt(3, 0.05), RecordAt(4, 0.001)};
  CHECK(TrainingCpuSeconds(curve[0]) == doctest::Approx(4));
  CHECK(TrainingCpuSeconds(ProgressRecord{}) == 0);
  const WorkToGap work = FindWorkToGap(curve, 0.1, 5);
  CHECK(work.passes == 3);
  CHECK(work.calls == 6);
  CHECK(work.seconds == doctest::Approx(12));
  CHECK(FindWorkToGap(curve, 1e-3, 5).passes == 4);
  CHECK(std::isinf(FindWorkToGap(curve, 1e-4, 5).seconds));
  CHECK(std::isinf(FindWorkToGap({}, 1, 5).passes));
}

TEST_CASE("medians are computed") {
  CHECK(Median({3, 1, 2}) == 2);
  CHECK(Median({4, 1}) == 2.5);
  CHECK(Median({1, kInfinity, 2}) == 2);
  CHECK(std::isinf(Median({1, kInfinity, kInfinity})));
  CHECK(std::isnan(Median({})));
}
