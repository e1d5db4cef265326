// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/bench/bench_figures.h>

#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

constexpr const char* kLetters = "letters-0.01,letters-0.001,letters";
constexpr const char* kConll = "conll-0.01,conll-0.001,conll";

/// The stochastic solvers of the papers' first figures, with the averages that they recommend, and
/// the batch solvers.
constexpr const char* kStochastic = "bcfw,bcfw:average=weighted,ssg,ssg:average=weighted";
constexpr const char* kBatch = "fw,cutting-plane-1,cutting-plane-n,auto";
constexpr const char* kLongRuns =
    "bcfw,bcfw:average=weighted,bcfw:fixed-step=on,ssg,ssg:average=uniform,ssg:average=suffix";
constexpr const char* kAverages =
    "bcfw,bcfw:average=uniform,bcfw:average=weighted,bcfw:average=suffix,"
    "ssg,ssg:average=uniform,ssg:average=weighted,ssg:average=suffix";

/// A list of every size drawn with the seeds 1 to 10, and the whole problem:
/// "yeast-0.01@94.1,yeast-0.01@94.2,…,yeast-0.01".
std::string Samples(const std::string& problem, const std::vector<Index>& sizes) {
  constexpr Index kSamples = 10;
  std::string list;
  for (const Index size : sizes) {
    for (Index seed = 1; seed <= kSamples; ++seed)
      list += problem + "@" + std::to_string(size) + "." + std::to_string(seed) + ",";
  }
  return list + problem;
}

/// The list with `more` options for every learner; its learners have one option or none.
std::string WithOptions(std::string_view list, const std::string& more) {
  std::string result;
  for (const std::string& learner : SplitList(list)) {
    const bool has_options = learner.find(':') != std::string::npos;
    result += (result.empty() ? "" : ",") + learner + (has_options ? "," : ":") + more;
  }
  return result;
}

/// A list of learner soft with each ρ; `more` holds further options.
std::string Soft(const std::vector<std::string>& rhos, const std::string& more) {
  std::string list;
  for (const std::string& rho : rhos)
    list += (list.empty() ? "soft:rho=" : ",soft:rho=") + rho + more;
  return list;
}

std::vector<BenchFigure> FiguresOfSoftConstraints() {
  // The proximal centre is not the paper's; the soft optimum is the same.
  const std::string near_optimum = "proximal=on,check-every=20,gap-tolerance=3e-5";
  const std::string centred = "proximal=on,check-every=100,gap-tolerance=";
  const std::vector<std::string> rcv1_rhos = {"0.1", "1", "10", "100"};
  const std::string soft = Soft({"0.1", "1", "10"}, "");
  const std::string all = soft + ",al,auto,bcfw-lp,bcfw-lp-polytope,dlpw,smooth-dlpw";
  const std::vector<std::string> rhos = {"0.01", "0.1", "1", "10", "100", "1500"};
  return {
      {"002-1", "The effect of ρ: objectives against passes, and after some passes against ρ",
       "yeast-0.001,yeast-0.01",
       Soft(rhos, ",max-passes=1000,step=fw") + "," + Soft(rhos, ",max-passes=1000"), "auto", 60, 1,
       "passes", "bounds", false, "primal_suboptimality"},
      {"002-1-small", "Small ρ near convergence", "yeast-0.001,yeast-0.01",
       Soft({"0.01", "0.03", "0.1"},
            ",proximal=on,max-passes=200000,check-every=500,gap-tolerance=1e-5"),
       "auto", 250, 1, "passes", "bounds", false, "primal_suboptimality"},
      {"002-2-yeast", "Objective and accuracy against time: Yeast", "yeast-0.01,yeast-0.001", all,
       "", 30, 1, "seconds", "primal", true},
      {"002-2-rcv1", "Objective and accuracy against time: RCV1 or its drawn stand-in",
       "rcv1-0.0001,rcv1-0.001",
       Soft(rcv1_rhos, ",check-every=5,max-passes=500") +
           ",al:check-every=5,max-passes=500,auto,bcfw-lp,bcfw-lp-polytope",
       "", 250, 1, "seconds", "primal", true},
      {"002-2-reuters", "Objective and accuracy against time: Reuters-21578",
       "reuters-0.0001,reuters-0.001", all, "", 120, 1, "seconds", "primal", true},
      {"002-2-rho", "The effect of ρ on accuracy: 932 documents of Reuters-21578",
       "reuters-0.0001@932.1,reuters-0.001@932.1",
       Soft({"0.1", "1", "10"}, ",check-every=5") + ",al:check-every=5,auto,bcfw-lp", "", 30, 1,
       "passes", "primal_suboptimality", true},
      {"002-2-msrc",
       "Objective and accuracy against time: MSRC-21, two layers of superpixels, class potentials",
       "msrc", Soft({"1", "9.5", "95", "950"}, "") + ",al,auto,dlpw,smooth-dlpw", "", 120, 1,
       "seconds", "primal", true},
      {"002-3-yeast",
       "What the soft constraints cost against the number of examples, in both scales of ρ: Yeast",
       Samples("yeast-0.001", {94, 188, 375, 750}) + "," +
           Samples("yeast-0.01", {94, 188, 375, 750}),
       WithOptions("soft:rho=1", near_optimum) + "," +
           WithOptions("soft:rho=1", "rho-scale=paper," + near_optimum) + "," +
           WithOptions("soft:rho=0.000666667", "rho-scale=paper," + near_optimum),
       "auto:gap-tolerance=1e-5", 60, 1, "passes", "primal_suboptimality", false},
      {"002-3-reuters",
       "What the soft constraints cost against the number of examples, in both scales of ρ: "
       "Reuters-21578",
       Samples("reuters-0.0001", {233, 466, 932, 1864, 3729}) + "," +
           Samples("reuters-0.001", {233, 466, 932, 1864, 3729}),
       WithOptions("soft:rho=1", near_optimum) + "," +
           WithOptions("soft:rho=1", "rho-scale=paper," + near_optimum),
       "auto:gap-tolerance=1e-6", 200, 1, "passes", "primal_suboptimality", false},
      {"002-3-msrc",
       "What the soft constraints cost against the number of examples, in both scales of ρ: "
       "MSRC-21",
       Samples("msrc", {21, 42, 84, 168}),
       WithOptions("soft:rho=95", centred + "1e-4") + "," +
           WithOptions("soft:rho=95", "rho-scale=paper," + centred + "1e-3") + "," +
           WithOptions("soft:rho=1", "rho-scale=paper," + centred + "1e-5"),
       "auto:gap-tolerance=1e-7", 200, 1, "passes", "primal_suboptimality", false},
  };
}

// Stochastic learners of the preprint's figures and of those of 003 show their iterates and
// averages as they are, also where earlier ones have a better objective; batch learners can keep
// the best one.

std::vector<BenchFigure> FiguresOfPreprint() {
  return {
      {"000-1", "Suboptimality and test error in 150 passes: handwritten words", "letters-0.01",
       WithOptions(kLongRuns, "keep-newest=on,max-passes=150"),
       WithOptions("fw,fw:fixed-step=on,cutting-plane-1,cutting-plane-n,auto", "max-passes=150"),
       300, 1, "passes", "primal_suboptimality", true},
  };
}

std::vector<BenchFigure> FiguresOfBlockCoordinates() {
  const std::string stochastic =
      WithOptions(kStochastic, "keep-newest=on,max-passes=30") + ",eg:max-passes=30";
  const std::string averages = WithOptions(kAverages, "keep-newest=on,max-passes=30");
  const std::string fixed =
      WithOptions("bcfw,bcfw:fixed-step=on,ssg", "keep-newest=on,max-passes=30");
  return {
      {"003-1-letters", "Suboptimality against passes: handwritten words", kLetters, stochastic,
       kBatch, 60, 10, "passes", "primal_suboptimality", true},
      {"003-1-conll", "Suboptimality and test error against passes: CoNLL-2000", "conll",
       stochastic, kBatch, 180, 10, "passes", "primal_suboptimality", true},
      {"003-2", "Line search against fixed steps: handwritten words", kLetters, fixed,
       "fw,fw:fixed-step=on", 60, 10, "passes", "primal_suboptimality", true},
      {"003-3", "Averages of the iterates: handwritten words", kLetters, averages, "auto", 60, 10,
       "passes", "primal_suboptimality", true},
      {"003-4", "Averages of the iterates: CoNLL-2000", kConll, averages, "auto", 120, 10, "passes",
       "primal_suboptimality", true},
      {"003-5", "Suboptimality and test error against passes: synthetic matchings",
       "matching-0.01,matching-0.001,matching",
       WithOptions("bcfw,bcfw:average=weighted,ssg,ssg:average=weighted",
                   "keep-newest=on,max-passes=200"),
       "fw,cutting-plane-1,cutting-plane-n,auto", 30, 10, "passes", "primal_suboptimality", true},
  };
}

std::vector<BenchFigure> FiguresOfSeveralLabellings() {
  return {
      {"001", "Work to a small suboptimality: several corners of an example at once against one",
       "letters-0.01,letters-0.001", "multi-sample,bcfw,ssg:average=weighted", "", 60, 1, "calls",
       "primal_suboptimality", true},
      {"001-regret",
       "Average regret of one sweep after the other, each visit a new example, and its bound",
       "letters-0.01,letters-0.001",
       "multi-sample:samples=1,online-loss=on,multi-sample:samples=10,online-loss=on,"
       "multi-sample:samples=30,online-loss=on",
       "", 60, 1, "passes", "regret", false},
  };
}

std::vector<BenchFigure> FiguresOfSparsity() {
  return {
      {"004", "Weights that are not 0 against the strength of the l1 regulariser", "yeast-0.01",
       "prox-sdca:l1=0.0001,prox-sdca:l1=0.0003,prox-sdca:l1=0.001,prox-sdca:l1=0.003,prox-sdca:l1="
       "0.01,prox-sdca:l1=0.03",
       "", 30, 1, "passes", "relative_gap", true, "nonzero_weights"},
  };
}

/// All figures, paper by paper.
std::vector<BenchFigure> MakeFigures() {
  std::vector<BenchFigure> figures;
  for (const auto& of_paper :
       {FiguresOfPreprint(), FiguresOfSeveralLabellings(), FiguresOfSoftConstraints(),
        FiguresOfBlockCoordinates(), FiguresOfSparsity()})
    figures.insert(figures.end(), of_paper.begin(), of_paper.end());
  return figures;
}

const std::vector<BenchFigure>& Figures() {
  static const std::vector<BenchFigure> figures = MakeFigures();
  return figures;
}

}  // namespace

std::span<const BenchFigure> BenchFigures() { return Figures(); }

const BenchFigure& FindBenchFigure(std::string_view name) {
  std::string names;
  std::vector<std::string_view> choices;
  for (const BenchFigure& figure : Figures()) {
    if (figure.name == name) return figure;
    names.append(names.empty() ? "" : ", ").append(figure.name);
    choices.push_back(figure.name);
  }
  throw DataError("unknown figure " + Quoted(name) + "; choose from " + names +
                  DidYouMean(name, choices));
}

std::vector<BenchLearner> FigureLearners(const BenchFigure& figure,
                                         std::vector<std::string>* left_out) {
  std::vector<BenchLearner> learners = ParseBenchLearners(figure.learners, left_out);
  if (figure.once.empty()) return learners;
  for (BenchLearner& learner : ParseBenchLearners(figure.once, left_out)) {
    learner.most_runs = 1;
    learners.push_back(std::move(learner));
  }
  return learners;
}

std::vector<BenchFigureRun> FigureRuns(const BenchFigure& figure,
                                       std::vector<std::string>* left_out) {
  const std::vector<BenchLearner> learners = FigureLearners(figure, left_out);
  std::vector<BenchFigureRun> runs;
  for (const std::string& problem : SplitList(figure.problems)) {
    for (Index seed = 1; seed <= figure.runs; ++seed) {
      for (const BenchLearner& learner : learners) {
        if (seed <= learner.NumRuns(figure.runs)) runs.push_back({problem, learner.name, seed});
      }
    }
  }
  return runs;
}

}  // namespace slackline::internal
