// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/bench/bench_figures.h>

#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

constexpr const char* kLetters = "letters-0.01,letters-0.001,letters";
constexpr const char* kConll = "conll-0.01,conll-0.001,conll";

/// The learners of the paper's first figure: batch and stochastic, with the averages it recommends.
constexpr const char* kAllSolvers =
    "bcfw,bcfw:average=weighted,ssg,ssg:average=weighted,fw,cutting-plane-1,cutting-plane-n,eg,"
    "auto";
constexpr const char* kAverages =
    "bcfw,bcfw:average=weighted,bcfw:average=suffix,ssg,ssg:average=uniform,ssg:average=weighted,"
    "ssg:average=suffix";

/// A list of every size drawn with the seeds 1 to `samples`: "yeast-0.01@94.1,yeast-0.01@94.2,…".
std::string Samples(const std::string& problem, const std::vector<Index>& sizes, Index samples) {
  std::string list;
  for (const Index size : sizes) {
    for (Index seed = 1; seed <= samples; ++seed) {
      list += (list.empty() ? "" : ",") + problem + "@" + std::to_string(size) + "." +
              std::to_string(seed);
    }
  }
  return list;
}

/// A list of learner soft with each ρ; `more` holds further options.
std::string Soft(const std::vector<std::string>& rhos, const std::string& more) {
  std::string list;
  for (const std::string& rho : rhos)
    list += (list.empty() ? "soft:rho=" : ",soft:rho=") + rho + more;
  return list;
}

std::vector<BenchFigure> MakeFigures() {
  return {
      {"001", "Work to a small suboptimality: several corners of an example at once against one",
       "letters-0.01,letters-0.001", "multi-sample,bcfw,ssg:average=weighted", 60, 1, "calls",
       "primal_suboptimality", true},
      {"001-regret",
       "Average regret of one sweep after the other, each visit a new example, and its bound",
       "letters-0.01,letters-0.001",
       "multi-sample:samples=1,online-loss=on,multi-sample:samples=10,online-loss=on,"
       "multi-sample:samples=30,online-loss=on",
       60, 1, "passes", "regret", false},
      {"002-1", "The effect of ρ: objectives against passes, and after some passes against ρ",
       "yeast-0.01",
       Soft({"0.01", "0.1", "1", "10", "100", "1500"}, ",max-passes=1000,step=fw") + "," +
           Soft({"0.01", "0.1", "1", "10", "100", "1500"}, ",max-passes=1000") + ",auto",
       60, 1, "passes", "bounds", false, "primal_suboptimality"},
      {"002-2-yeast", "Objective and accuracy against time: Yeast", "yeast-0.01,yeast-0.001",
       Soft({"0.1", "1", "10"}, "") + ",al,auto,bcfw-lp,bcfw-lp-polytope,dlpw,smooth-dlpw", 30, 1,
       "seconds", "primal", true},
      {"002-2-reuters", "Objective and accuracy against time: Reuters", "reuters-0.001",
       Soft({"0.1", "1", "10"}, "") + ",al,auto,bcfw-lp,bcfw-lp-polytope,dlpw,smooth-dlpw", 120, 1,
       "seconds", "primal", true},
      {"002-2-msrc",
       "Objective and accuracy against time: MSRC-21, two layers of superpixels, class potentials",
       "msrc", Soft({"0.1", "1", "10"}, "") + ",al,auto,dlpw,smooth-dlpw", 120, 1, "seconds",
       "primal", true},
      {"002-3-yeast", "What the soft constraints cost against the number of examples: Yeast, ρ = 1",
       Samples("yeast-0.01", {94, 188, 375, 750, 1500}, 10), "soft:rho=1,auto", 20, 1, "passes",
       "primal_suboptimality", false},
      {"002-3-reuters",
       "What the soft constraints cost against the number of examples: Reuters, ρ = 1",
       Samples("reuters-0.001", {233, 466, 932, 1864, 3729, 7457}, 3), "soft:rho=1,auto", 40, 1,
       "passes", "primal_suboptimality", false},
      {"003-1-letters", "Suboptimality against passes: handwritten words", kLetters, kAllSolvers,
       60, 1, "passes", "primal_suboptimality", true},
      {"003-1-conll", "Suboptimality and test error against passes: CoNLL-2000", "conll",
       kAllSolvers, 180, 1, "passes", "primal_suboptimality", true},
      {"003-2", "Line search against fixed steps: handwritten words", kLetters,
       "bcfw,bcfw:fixed-step=on,fw,fw:fixed-step=on,ssg", 60, 1, "passes", "primal_suboptimality",
       false},
      {"003-3", "Averages of the iterates: handwritten words", kLetters, kAverages, 60, 1, "passes",
       "primal_suboptimality", true},
      {"003-4", "Averages of the iterates: CoNLL-2000", kConll, kAverages, 120, 1, "passes",
       "primal_suboptimality", true},
      {"003-5", "Suboptimality against passes: synthetic matchings",
       "matching-0.01,matching-0.001,matching",
       "bcfw,bcfw:average=weighted,ssg,ssg:average=weighted,fw,cutting-plane-1,cutting-plane-n,"
       "auto",
       30, 1, "passes", "primal_suboptimality", false},
      {"004", "Weights that are not 0 against the strength of the l1 regulariser", "yeast-0.01",
       "prox-sdca:l1=0.0001,prox-sdca:l1=0.0003,prox-sdca:l1=0.001,prox-sdca:l1=0.003,prox-sdca:l1="
       "0.01,prox-sdca:l1=0.03",
       30, 1, "passes", "relative_gap", true, "nonzero_weights"},
  };
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

}  // namespace slackline::internal
