// SPDX-License-Identifier: BSD-3-Clause
//
// The problems, learners and figures of `slackline bench`.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <slackline/apps/bench/bench_curve.h>
#include <slackline/apps/bench/bench_figures.h>
#include <slackline/apps/bench/bench_learners.h>
#include <slackline/apps/bench/bench_problems.h>
#include <slackline/apps/bench/bench_scaling.h>
#include <slackline/apps/bench/bench_task.h>
#include <slackline/core/check.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/train_loop.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
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

}  // namespace

TEST_CASE("names of problems are distinct, and found") {
  std::set<std::string_view> names;
  for (const BenchProblem& problem : BenchProblems()) {
    CHECK(names.insert(problem.name).second);
    CHECK(&FindBenchProblem(problem.name) == &problem);
    CHECK(BenchFiles(problem, "folder").empty() != problem.needs_data());
  }
  CHECK(names.size() == 24);
  const std::string message = MessageOf<DataError>([] { FindBenchProblem("yeast-1"); });
  CHECK(Contains(message, "unknown problem 'yeast-1'; choose from yeast, yeast-0.01"));
}

TEST_CASE("problems that need files report missing folders and files, and read gzip") {
  const TemporaryFolder folder;
  const std::string root = folder.Path("");
  const BenchProblem& reuters = FindBenchProblem("reuters");
  CHECK(Contains(MessageOf<DataError>([&] { MakeBenchProblem(reuters, ""); }),
                 "'reuters' needs files"));
  CHECK(Contains(MessageOf<DataError>([&] { MakeBenchProblem(reuters, root); }),
                 "/reuters30/reuters30-train.svm: there is no such file"));
  std::filesystem::create_directory(folder.Path("reuters30"));
  folder.WriteGzip("reuters30/reuters30-train.svm.gz", "0,29 1:1 3:0.5\n1 2:1\n");
  CHECK(BenchFiles(reuters, root).front().ends_with(".svm.gz"));
  const Problem problem = MakeBenchProblem(reuters, root);
  CHECK(problem.size() == 2);
  CHECK(problem.lambda() == 0.5);
  CHECK(problem.num_parts() == 2 * (30 + 435));
  CHECK(problem.num_weights() == 30 * 4 + 435);
  CHECK(*std::max_element(problem.loss(0).begin(), problem.loss(0).end()) == 1);
  const Problem without_bias = MakeBenchProblem(FindBenchProblem("reuters-0.001"), root);
  CHECK(without_bias.num_weights() == 30 * 3 + 435);
  CHECK(without_bias.lambda() == 0.001);
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
  const Problem letters = MakeBenchProblem(FindBenchProblem("letters"), root);
  CHECK(letters.size() == 2);
  CHECK(letters.lambda() == 0.5);
  CHECK(letters.num_weights() == 3 * (2 + 3) + 9);
  CHECK(MakeBenchProblem(FindBenchProblem("letters-0.001"), root).lambda() == 0.001);
  const BenchProblem& small = FindBenchProblem("letters-small");
  CHECK(BenchFiles(small, root).front().ends_with("letter.data"));
  CHECK(MakeBenchProblem(small, root).size() == 1);
  folder.WriteGzip("letters/letter-fold0.data.gz",
                   line(1, 'a', 2, 1, 0) + line(2, 'b', -1, 1, 0, 2));
  CHECK(BenchFiles(small, root).front().ends_with("letter-fold0.data.gz"));
  CHECK(MakeBenchProblem(small, root).num_parts() == 3);
  CHECK(BenchTestFiles(small, root).empty());

  const BenchProblem& conll = FindBenchProblem("conll");
  CHECK(Contains(MessageOf<DataError>([&] { MakeBenchProblem(conll, root); }),
                 "/conll2000/train.txt: there is no"));
  folder.Write("conll2000/train.txt", "a X B-NP\nb Y I-NP\n\na X B-NP\na X O\n");
  CHECK(MakeBenchProblem(conll, root).size() == 2);
  CHECK(Contains(MessageOf<DataError>([&] { MakeBenchTask(conll, root, true); }),
                 "/conll2000/test.txt: there is no"));
  folder.Write("conll2000/test.txt", "a X B-NP\n\na X O\nc Z I-VP\n");
  CHECK(!MakeBenchTask(conll, root, false).test);
  const BenchTask task = MakeBenchTask(conll, root, true);
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

TEST_CASE("RCV1 has 30 labels, training and test data") {
  const TemporaryFolder folder;
  const std::string root = folder.Path("");
  std::filesystem::create_directory(folder.Path("rcv1"));
  folder.Write("rcv1/rcv1-train.svm", "0,29 1:1 7:0\n1 2:1\n");
  folder.Write("rcv1/rcv1-test.svm", "0 7:1\n");
  const BenchTask task = MakeBenchTask(FindBenchProblem("rcv1-0.0001"), root, true);
  CHECK(task.problem.num_weights() == 30 * 7 + 435);
  CHECK(task.problem.lambda() == 0.0001);
  CHECK(task.test(std::vector<double>(task.problem.num_weights(), 0.0)).size() == 3);
}

TEST_CASE("matchings are tested on drawn ones that follow those of training") {
  const std::vector<std::string> drawn = DrawnMatchings(0);
  // Possible edges of the tests change nothing in the training data.
  CHECK(DrawnMatchings(kPossibleTestEdges).size() == drawn.size());
  CHECK(drawn.size() == kMatchingExamples + kMatchingTestExamples);
  const BenchProblem& matching = FindBenchProblem("matching-0.01");
  CHECK(!MakeBenchTask(matching, "", false).test);
  const BenchTask task = MakeBenchTask(matching, "", true);
  CHECK(task.problem.size() == kMatchingExamples);
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
  std::filesystem::create_directory(folder.Path("reuters30"));
  folder.Write("reuters30/reuters30-train.svm", "0,29 1:1 3:0.5\n1 2:1\n");
  const BenchProblem& reuters = FindBenchProblem("reuters-0.001");
  CHECK(Contains(MessageOf<DataError>([&] { MakeBenchTask(reuters, root, true); }),
                 "reuters30-test.svm: there is no"));
  folder.Write("reuters30/reuters30-test.svm", "0 1:1\n 2:1\n");
  const BenchTask task = MakeBenchTask(reuters, root, true);
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
  CHECK(!MakeBenchTask(FindBenchProblem("toy"), "", true).test);
}

TEST_CASE("a name can select some examples of a problem") {
  const BenchChoice whole = FindBenchChoice("toy");
  CHECK(whole.problem == &FindBenchProblem("toy"));
  CHECK(whole.examples == 0);
  CHECK(whole.name() == "toy");
  const BenchChoice some = FindBenchChoice("yeast-0.01@375.2");
  CHECK(some.problem == &FindBenchProblem("yeast-0.01"));
  CHECK(some.examples == 375);
  CHECK(some.seed == 2);
  CHECK(some.name() == "yeast-0.01@375.2");
  CHECK(FindBenchChoice("toy@7").name() == "toy@7.1");
  for (const char* bad :
       {"toy@", "toy@x", "toy@0", "toy@-3", "toy@5.", "toy@5.0", "toy@5.1.2", "toy@5 "}) {
    CHECK_MESSAGE(
        Contains(MessageOf<DataError>([&] { FindBenchChoice(bad); }), "is not of the form"), bad);
  }
  CHECK_THROWS_AS(FindBenchChoice("iris@5"), DataError);
}

TEST_CASE("figures have existing problems and named learners, and keep their first learner") {
  std::set<std::string_view> names;
  for (const BenchFigure& figure : BenchFigures()) {
    CHECK(names.insert(figure.name).second);
    CHECK(&FindBenchFigure(figure.name) == &figure);
    CHECK(figure.time_limit > 0);
    for (const std::string& problem : SplitList(figure.problems)) FindBenchChoice(problem);
    std::vector<std::string> left_out;
    const std::vector<BenchLearner> learners = FigureLearners(figure, &left_out);
    CHECK_MESSAGE(learners.size() + left_out.size() >= 2, figure.name);
    std::set<std::string> runs;
    for (const BenchFigureRun& run : FigureRuns(figure, &left_out)) {
      CHECK(run.seed <= figure.runs);
      CHECK(runs.insert(run.problem + " " + run.learner + " " + std::to_string(run.seed)).second);
    }
    for (const std::string& message : left_out)
      CHECK_MESSAGE((!Contains(message, "unknown learner") && !Contains(message, "applies to")),
                    message);
  }
  CHECK(Contains(MessageOf<DataError>([] { FindBenchFigure("002"); }),
                 "unknown figure '002'; choose from 000-1, 001"));
}

TEST_CASE("learners with bad options are left out on request") {
  std::vector<std::string> left_out;
  const auto learners = ParseBenchLearners("auto,bcfw:stride=2,al:tau=2,soft:rho=3", &left_out);
  REQUIRE(learners.size() == 2);
  CHECK(learners[1].name == "soft:rho=3");
  REQUIRE(left_out.size() == 2);
  CHECK(Contains(left_out[0], "unknown option 'stride'"));
  CHECK(Contains(left_out[1], "--tau"));
  CHECK(ParseBenchLearners("ssg").front().options.learner == LearnerKind::kSubgradient);
}

TEST_CASE("problems without files are made") {
  const Problem toy = MakeBenchProblem(FindBenchProblem("toy"), "");
  CHECK(toy.size() == 60);
  CHECK(toy.num_weights() == 6 * 9 + 15);
  const Problem grids = MakeBenchProblem(FindBenchProblem("grids-small"), "");
  CHECK(grids.size() == 10);
  CHECK(grids.lambda() == 0.1);
  CHECK(grids.num_parts() == 10 * (64 + 2 * 7 * 8));
  CHECK(grids.num_weights() == 4 * 5 + 16);
  CHECK(*std::max_element(grids.loss(0).begin(), grids.loss(0).end()) == 1.0 / 64);
  const Problem matching = MakeBenchProblem(FindBenchProblem("matching"), "");
  CHECK(matching.size() == 300);
  CHECK(matching.lambda() == 1.0 / 300);
  CHECK(matching.data().example(0).graph().num_global_factors() == 1);
  CHECK(*std::max_element(matching.loss(0).begin(), matching.loss(0).end()) == 3);
}

TEST_CASE("all learners of the toy problem end at one optimum") {
  const Problem toy = MakeBenchProblem(FindBenchProblem("toy"), "");
  double lowest = kInfinity;
  double highest = -kInfinity;
  for (BenchLearner& learner :
       ParseBenchLearners("auto,al,bcfw-pairwise,bcfw-away,al:check-every=0")) {
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

TEST_CASE("subsets of examples keep their labels, losses and inputs") {
  const Problem whole = MakeBenchProblem(FindBenchProblem("toy"), "");
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

TEST_CASE("the most frequent labels are found") {
  MultiLabelData data;
  data.label_names = {"a", "b", "c", "d"};
  data.labels = {0,  1, 1, 0,  //
                 0,  1, 0, 1,  //
                 -1, 1, 1, 1};
  data.lines = {1, 2, 3};
  const MultiLabelData subset = MostFrequentLabels(data, 2);
  CHECK(subset.label_names == std::vector<std::string>{"b", "c"});
  CHECK(subset.labels == std::vector<std::int8_t>{1, 1, 1, 0, 1, 1});
  CHECK(subset.num_examples() == 3);
  CHECK(MostFrequentLabels(data, 4).labels == data.labels);
  CHECK_THROWS_AS(MostFrequentLabels(data, 5), std::invalid_argument);
}

TEST_CASE("scaling axes without data make problems of their sizes") {
  const auto axes = ScalingAxes(FindBenchProblem("toy"), "", 1);
  REQUIRE(axes.size() == 4);
  CHECK(axes[0].sizes == std::vector<Index>{15, 30, 60});
  CHECK(axes[0].make(15).size() == 15);
  CHECK(axes[0].make(15).lambda() == axes[0].make(60).lambda());
  CHECK(axes[1].make(4).data().example(0).graph().num_variables() == 4);
  CHECK(axes[2].make(1000).num_weights() == 10 * 1001 + 45);
  CHECK(axes[3].make(4000).num_weights() == 10 * 4001 + 45);
  CHECK(axes[3].make(4000).data().example(0).input(0).count == 51);
}

TEST_CASE("lists of learners are parsed") {
  const auto learners =
      ParseBenchLearners("auto, bcfw:step=pairwise,order=example,average=suffix,bcfw-lp,auto");
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
  CHECK(ParseBenchLearners("bcfw")[0].options.step == StepKind::kFrankWolfe);
  CHECK_FALSE(ParseBenchLearners("bcfw")[0].options.fixed_step);
  CHECK(ParseBenchLearners("bcfw-fixed")[0].options.fixed_step);
  CHECK(ParseBenchLearners("fw,ssg:projection=on")[1].options.own<SubgradientOptions>().projection);
  for (const auto& piece : SplitList(BenchLearnerNames()))
    CHECK(ParseBenchLearners(piece).size() == 1);
}

TEST_CASE("lists of learners that are refused") {
  const auto message = [](const char* list) {
    return MessageOf<DataError>([&] { ParseBenchLearners(list); });
  };
  CHECK(Contains(message("auto,sgd"), "unknown learner 'sgd'; choose from auto, al, soft"));
  CHECK(Contains(message(""), "unknown learner ''"));
  CHECK(Contains(message("auto,,al"), "unknown learner ''"));
  CHECK(Contains(message("step=fw"), "unknown learner 'step=fw'"));
  CHECK(Contains(message("al:speed=9"), "learner 'al:speed=9': unknown option 'speed'"));
  CHECK(Contains(message("al:tau=2"), "learner 'al:tau=2': --tau: '2' is not allowed"));
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
  CHECK(work.elapsed == curve[2].seconds + curve[2].check_seconds);
  CHECK(FindWorkToGap(curve, 1e-3, 5).passes == 4);
  CHECK(std::isinf(FindWorkToGap(curve, 1e-4, 5).seconds));
  CHECK(std::isinf(FindWorkToGap({}, 1, 5).passes));
}

TEST_CASE("medians and exponents are computed") {
  CHECK(Median({3, 1, 2}) == 2);
  CHECK(Median({4, 1}) == 2.5);
  CHECK(Median({1, kInfinity, 2}) == 2);
  CHECK(std::isinf(Median({1, kInfinity, kInfinity})));
  CHECK(std::isnan(Median({})));
  const std::vector<double> x = {10, 20, 40};
  CHECK(FittedExponent(x, std::vector<double>{3, 12, 48}) == doctest::Approx(2));
  CHECK(FittedExponent(x, std::vector<double>{5, kInfinity, 5}) == doctest::Approx(0));
  CHECK(std::isnan(FittedExponent(x, std::vector<double>{5, kInfinity, kNone})));
  CHECK(std::isnan(FittedExponent(std::vector<double>{7, 7}, std::vector<double>{1, 2})));
}
