// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/bench/family.h>

#include <algorithm>
#include <memory>
#include <utility>

#include <slackline/apps/bench/bench_problems.h>
#include <slackline/apps/bench/grid_problem.h>
#include <slackline/apps/bench/pictures_problem.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_scaling.h>
#include <slackline/core/number_text.h>
#include <slackline/core/quoted.h>
#include <slackline/learning/default_lambda.h>

namespace slackline::internal {
namespace {

/// A λ: `value`, or, if that is 0, `times` the default λ of the problem.
struct Lambda {
  double value = 0;
  double times = 1;
};
Lambda At(double value) { return {value, 1}; }
Lambda Times(double times) { return {0, times}; }

std::string LambdaText(const Lambda& lambda) {
  return lambda.value > 0 ? "lambda=" + NumberText(lambda.value, 4)
                          : NumberText(lambda.times) + "x";
}

Problem WithLambda(const Problem& problem, const Lambda& lambda) {
  if (lambda.value > 0) return problem.WithLambda(lambda.value);
  return problem.WithLambda(lambda.times * ScalesOf(problem, TrainOptions()).DefaultLambda());
}

class Family {
 public:
  using Make = std::function<Problem(const std::string&)>;

  void Add(const std::string& name, bool needs_data, const Make& make,
           const std::vector<Lambda>& lambdas) {
    for (const Lambda& lambda : lambdas) {
      problems_.push_back(
          {name + "/" + LambdaText(lambda), needs_data,
           [make, lambda](const std::string& folder) { return WithLambda(make(folder), lambda); }});
    }
  }

  void AddPictures(const std::string& name, const PicturesOptions& options,
                   const std::vector<Lambda>& lambdas) {
    Add(
        "pictures-" + name, false,
        [options](const std::string&) { return Problem(MakePicturesProblem(options), 1); },
        lambdas);
  }

  void AddGrids(const std::string& name, const GridProblemOptions& options,
                const std::vector<Lambda>& lambdas) {
    Add(
        name, false, [options](const std::string&) { return Problem(MakeGridProblem(options), 1); },
        lambdas);
  }

  void AddLabels(const std::string& name, const SyntheticLabelsOptions& options,
                 const std::string& graph, const std::vector<Lambda>& lambdas) {
    const auto make = [options, graph](const std::string&) {
      return MakeLabelProblem(MakeSyntheticLabels(options), graph, LossScale::kMean, 1);
    };
    Add("labels-" + name + "-" + graph, false, make, lambdas);
  }

  void AddMulan(const std::string& name, bool standardise, const std::string& graph,
                LossScale scale, const std::vector<Lambda>& lambdas) {
    const auto make = [=](const std::string& folder) {
      MultiLabelReadOptions read;
      read.labels_xml = folder + "/" + name + "/" + name + ".xml";
      MultiLabelData data =
          ReadMultiLabelData(folder + "/" + name + "/" + name + "-train.arff", read);
      if (standardise) {
        const auto scaling =
            FeatureScaling::Learn(ScaleKind::kStandard, *data.rows, data.num_features);
        data.rows = scaling.Apply(*data.rows, data.num_features);
      }
      return MakeLabelProblem(data, graph, scale, 1);
    };
    std::string text = name;
    text += standardise ? "-standardised-" : "-";
    text += scale == LossScale::kCount ? "count-" : "";
    Add(text + graph, true, make, lambdas);
  }

  /// One of the named problems, with the given values of λ.
  void AddNamed(const std::string& name, const std::string& source,
                const std::vector<Lambda>& lambdas) {
    const BenchProblem& problem = FindBenchProblem(source);
    Add(
        name, problem.needs_data(),
        [&problem](const std::string& folder) { return MakeBenchProblem(problem, folder); },
        lambdas);
  }

  std::vector<FamilyProblem> Take() { return std::move(problems_); }

 private:
  std::vector<FamilyProblem> problems_;
};

/// Few weights and similar examples. λ = 0.01 with the mean loss is far below the default.
void AddPictures(Family* family) {
  PicturesOptions pictures;
  family->AddPictures("12x12", pictures, {At(0.01), Times(1)});
  pictures.side = 20;
  family->AddPictures("20x20", pictures, {At(0.01), Times(0.1)});
  pictures.side = 12;
  pictures.extra_features = 100;
  family->AddPictures("12x12-205-weights", pictures, {At(0.01), Times(1), Times(0.01)});
  pictures.extra_features = 1000;
  family->AddPictures("12x12-2005-weights", pictures, {Times(1), Times(0.01)});
  pictures.extra_features = 10;
  pictures.examples = 500;
  family->AddPictures("500-of-12x12", pictures, {Times(10), Times(1), Times(0.1)});
  pictures.examples = 20;
  pictures.extra_features = 0;
  pictures.side = 30;
  pictures.states = 4;
  family->AddPictures("30x30-4-states", pictures, {At(0.01), Times(1)});
}

/// Forests and graphs with cycles, with shared weights.
void AddGrids(Family* family) {
  GridProblemOptions chain;
  chain.rows = 1;
  chain.cols = 15;
  chain.examples = 300;
  chain.states = 10;
  family->AddGrids("chains-300-of-15", chain, {Times(10), Times(1), Times(0.1), Times(0.01)});
  chain.examples = 5000;
  chain.states = 5;
  chain.features = 20;
  family->AddGrids("chains-5000-of-15", chain, {Times(1), Times(0.1), Times(0.01)});
  chain.examples = 200;
  chain.states = 26;
  chain.features = 200;
  family->AddGrids("chains-26-states", chain, {Times(1), Times(0.01)});
  chain.examples = 100000;
  chain.cols = 2;
  chain.states = 2;
  chain.features = 10;
  family->AddGrids("chains-100000-of-2", chain, {Times(1), Times(0.01)});
  chain.examples = 10;
  chain.cols = 1000;
  chain.states = 4;
  chain.features = 10;
  family->AddGrids("chains-10-of-1000", chain, {Times(1), Times(0.01)});

  GridProblemOptions grid;
  grid.examples = 10;
  grid.rows = grid.cols = 8;
  grid.states = 4;
  grid.features = 5;
  family->AddGrids("grids-10-of-8x8", grid, {At(0.1), Times(1), Times(0.01)});
  grid.rows = grid.cols = 12;
  family->AddGrids("grids-10-of-12x12", grid, {Times(0.1)});
  grid.examples = 50;
  grid.rows = grid.cols = 5;
  grid.states = 3;
  grid.features = 10;
  family->AddGrids("grids-50-of-5x5", grid, {Times(1), Times(0.1)});
  grid.rows = grid.cols = 6;
  grid.states = 6;
  family->AddGrids("grids-50-of-6x6", grid, {Times(0.1)});
  grid.examples = 100;
  grid.rows = grid.cols = 6;
  grid.states = 2;
  grid.features = 50;
  family->AddGrids("grids-100-binary", grid, {Times(1), Times(0.01)});
  family->AddGrids("grids-50-of-20x20", GridProblemOptions(), {At(1)});

  family->AddNamed("matchings", "matching", {Times(10), Times(1), Times(0.1), Times(0.01)});
}

/// Many labels for one input.
void AddLabels(Family* family) {
  SyntheticLabelsOptions labels;
  labels.examples = 500;
  labels.features = 100;
  family->AddLabels("500x100", labels, "full", {Times(10), Times(1), Times(0.1), Times(0.01)});
  labels.label_noise = 0.2;
  family->AddLabels("500x100-noisy", labels, "none", {Times(1), Times(0.01)});
  labels.examples = 20;
  family->AddLabels("20x100", labels, "full", {Times(1), Times(0.01)});
  labels.examples = 20000;
  labels.labels = 5;
  labels.features = 10;
  family->AddLabels("20000x10", labels, "full", {Times(1), Times(0.01)});
  family->AddLabels("20000x10", labels, "tree", {Times(0.1)});
  labels.examples = 400;
  labels.labels = 8;
  labels.features = 50;
  labels.smallest_power = -3;
  labels.largest_power = 4;
  family->AddLabels("400x50-unscaled", labels, "full", {Times(1), Times(0.01)});
  family->AddLabels("400x50-unscaled", labels, "none", {Times(1), Times(0.01)});
  labels.smallest_power = labels.largest_power = 0;
  labels.examples = 1000;
  labels.labels = 40;
  labels.features = 200;
  labels.label_noise = 0.05;
  family->AddLabels("1000x200-40", labels, "full", {Times(1), Times(0.1)});
  labels.examples = 2000;
  labels.labels = 20;
  labels.features = 50000;
  labels.stored = 60;
  family->AddLabels("2000x50000-sparse", labels, "full", {Times(1), Times(0.01)});
  labels.examples = 300;
  labels.labels = 1000;
  labels.features = 2000;
  labels.stored = 40;
  family->AddLabels("300x2000-1000-labels", labels, "tree", {Times(1), Times(0.1)});
  labels.examples = 1100;
  labels.labels = 53;
  labels.features = 1000;
  labels.stored = 90;
  labels.label_noise = 0.2;
  family->AddLabels("1100x1000-53-sparse", labels, "full", {Times(1), Times(0.1)});
  labels.examples = 400;
  labels.labels = 159;
  family->AddLabels("400x1000-159-sparse", labels, "full", {Times(1)});
  labels.labels = 30;
  labels.features = 5000;
  labels.stored = 60;
  labels.label_noise = 0.05;
  family->AddLabels("400x5000-30-sparse", labels, "full", {Times(0.1)});
  labels.examples = 2500;
  labels.labels = 10;
  labels.features = 3000;
  labels.label_noise = 0.2;
  family->AddLabels("2500x3000-10-sparse", labels, "full", {Times(1), Times(0.1)});
}

void AddFiles(Family* family) {
  family->AddMulan("emotions", false, "full", LossScale::kMean, {At(1.0 / 391)});
  family->AddMulan("emotions", true, "full", LossScale::kMean, {Times(1), Times(0.01)});
  family->AddMulan("flags", false, "full", LossScale::kMean, {At(1.0 / 129)});
  family->AddMulan("flags", false, "full", LossScale::kCount, {At(1.0 / 129)});
  family->AddMulan("flags", true, "full", LossScale::kMean, {Times(1), Times(0.01)});
  family->AddMulan("birds", false, "none", LossScale::kMean, {Times(1)});
  family->AddMulan("birds", true, "none", LossScale::kMean, {At(1.0 / 322), Times(1)});
  family->AddMulan("birds", true, "full", LossScale::kMean, {Times(1), Times(0.1)});
  family->AddNamed("yeast", "yeast", {Times(10), Times(1), Times(0.1), Times(0.01)});
  family->AddNamed("reuters", "reuters", {Times(1), Times(0.1), Times(0.01)});
  family->AddNamed("rcv1s1", "rcv1s1", {Times(1), Times(0.1)});
  family->AddNamed("letters-626-words", "letters-small", {Times(1), Times(0.1), Times(0.01)});
  family->AddNamed("letters", "letters", {Times(0.1)});
  family->AddNamed("conll", "conll", {Times(1)});
}

}  // namespace

std::vector<FamilyProblem> FamilyProblems() {
  Family family;
  AddPictures(&family);
  AddGrids(&family);
  AddLabels(&family);
  AddFiles(&family);
  return family.Take();
}

std::vector<FamilyProblem> ChooseFamily(const std::vector<std::string>& pieces,
                                        const std::string& folder) {
  const std::vector<FamilyProblem> all = FamilyProblems();
  const auto contains = [](const FamilyProblem& problem, const std::string& piece) {
    return problem.name.find(piece) != std::string::npos;
  };
  for (const std::string& piece : pieces) {
    if (std::none_of(all.begin(), all.end(),
                     [&](const auto& problem) { return contains(problem, piece); }))
      throw DataError("no problem of the family has " + Quoted(piece) + " in its name");
  }
  std::vector<FamilyProblem> chosen;
  for (const FamilyProblem& problem : all) {
    if (problem.needs_data && folder.empty()) continue;
    const bool wanted =
        pieces.empty() || std::any_of(pieces.begin(), pieces.end(), [&](const std::string& piece) {
          return contains(problem, piece);
        });
    if (wanted) chosen.push_back(problem);
  }
  if (chosen.empty()) throw DataError("these problems of the family need the data folder");
  return chosen;
}

}  // namespace slackline::internal
