// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/bench/bench_problems.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

#include <slackline/apps/bench/grid_problem.h>
#include <slackline/apps/matching/matching_draw.h>
#include <slackline/apps/matching/matching_model.h>
#include <slackline/apps/multilabel/label_graph.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/quoted.h>
#include <slackline/core/random.h>

namespace slackline::internal {
namespace {

constexpr BenchProblem kProblems[] = {
    {"yeast", "Yeast, 14 labels, bias, λ = 1/1500", BenchSource::kYeast, true, 1.0 / 1500},
    {"yeast-0.01", "Yeast, 14 labels, no bias, λ = 0.01", BenchSource::kYeast, false, 0.01},
    {"yeast-0.001", "Yeast, 14 labels, no bias, λ = 0.001", BenchSource::kYeast, false, 0.001},
    {"reuters", "Reuters-21578, 30 labels, bias, λ = 1/M", BenchSource::kReuters30, true, 0},
    {"reuters-0.001", "Reuters-21578, 30 labels, no bias, λ = 0.001", BenchSource::kReuters30,
     false, 0.001},
    {"reuters-0.0001", "Reuters-21578, 30 labels, no bias, λ = 0.0001", BenchSource::kReuters30,
     false, 0.0001},
    {"rcv1-0.001", "RCV1 or its drawn stand-in, 30 labels, no bias, λ = 0.001", BenchSource::kRcv1,
     false, 0.001},
    {"rcv1-0.0001", "RCV1 or its drawn stand-in, 30 labels, no bias, λ = 0.0001",
     BenchSource::kRcv1, false, 0.0001},
    {"rcv1s1", "RCV1 subset 1, 101 labels, bias, λ = 0.001", BenchSource::kRcv1s1, true, 0.001},
    {"letters", "handwritten words, folds 1 to 9, λ = 1/M, mean loss", BenchSource::kLetters, true,
     0},
    {"letters-0.01", "handwritten words, folds 1 to 9, λ = 0.01, mean loss", BenchSource::kLetters,
     true, 0.01},
    {"letters-0.001", "handwritten words, folds 1 to 9, λ = 0.001, mean loss",
     BenchSource::kLetters, true, 0.001},
    {"letters-small", "handwritten words, fold 0, λ = 0.01, mean loss", BenchSource::kLetters0,
     true, 0.01},
    {"conll", "CoNLL-2000 chunks, λ = 1/M, mean loss", BenchSource::kConll, true, 0},
    {"conll-0.01", "CoNLL-2000 chunks, λ = 0.01, mean loss", BenchSource::kConll, true, 0.01},
    {"conll-0.001", "CoNLL-2000 chunks, λ = 0.001, mean loss", BenchSource::kConll, true, 0.001},
    {"msrc", "MSRC-21, two layers of superpixels, class potentials, Potts links, λ = 0.001",
     BenchSource::kMsrc, false, 0.001},
    {"msrc-0.0003", "MSRC-21, two layers of superpixels, class potentials, Potts links, λ = 0.0003",
     BenchSource::kMsrc, false, 0.0003},
    {"grids", "synthetic, 50 grids of 20×20 variables with 10 states, λ = 1, mean loss",
     BenchSource::kGrids, false, 1},
    {"grids-small", "synthetic, 10 grids of 8×8 variables with 4 states, λ = 0.1, mean loss",
     BenchSource::kSmallGrids, false, 0.1},
    {"matching", "synthetic, 300 alignments of 5 to 20 words, λ = 1/M, costs 1 and 3",
     BenchSource::kMatching, false, 0},
    {"matching-0.01", "synthetic, 300 alignments of 5 to 20 words, λ = 0.01, costs 1 and 3",
     BenchSource::kMatching, false, 0.01},
    {"matching-0.001", "synthetic, 300 alignments of 5 to 20 words, λ = 0.001, costs 1 and 3",
     BenchSource::kMatching, false, 0.001},
    {"toy", "synthetic, 60 examples, 6 labels, bias, λ = 0.01", BenchSource::kToy, true, 0.01},
};

std::string Existing(const std::string& path) {
  std::error_code ignored;
  const bool packed =
      !std::filesystem::exists(path, ignored) && std::filesystem::exists(path + ".gz", ignored);
  return packed ? path + ".gz" : path;
}

Problem MakeGrids(const BenchProblem& problem) {
  GridProblemOptions options;
  if (problem.source == BenchSource::kSmallGrids) {
    options.examples = 10;
    options.rows = 8;
    options.cols = 8;
    options.states = 4;
    options.features = 5;
  }
  return Problem(MakeGridProblem(options), problem.lambda);
}

Problem MakeMatchings(const BenchProblem& problem) {
  std::vector<std::string> drawn = DrawnMatchings(0);
  drawn.resize(kMatchingExamples);
  FeatureDictionary dictionary;
  const MatchingData data = ParseMatchings("synthetic", drawn, nullptr, &dictionary);
  const MatchingModel model(std::move(dictionary), {});
  return Problem(MakeTrainingSet(model.MakeTrainingData(data), model.Loss(LossScale::kCount)),
                 problem.lambda > 0 ? problem.lambda : 1.0 / data.num_examples());
}

/// Draws the labels of an example, before label noise.
void DrawLabels(Random* random, std::vector<std::int8_t>* labels) {
  for (std::size_t i = 0; i < labels->size(); ++i) {
    const bool copied = random->Uniform() < 0.3 && i > 0;
    const bool on = random->Uniform() < 0.2;
    (*labels)[i] = copied ? (*labels)[i - 1] : static_cast<std::int8_t>(on);
  }
}

/// Draws dense inputs: noise plus the direction of each label that is on.
class DenseInputs {
 public:
  DenseInputs(Random* random, const SyntheticLabelsOptions& options)
      : options_(options), directions_(Offset{options.labels} * options.features) {
    for (double& value : directions_) value = random->Normal();
    const double powers = options.largest_power - options.smallest_power;
    for (Index f = 0; f < options.features && powers > 0; ++f)
      factors_.push_back(std::pow(10, options.smallest_power + powers * random->Uniform()));
  }
  void Add(Random* random, const std::vector<std::int8_t>& labels, FeatureRows* rows) {
    const std::size_t features = options_.features;
    const double scale = 1 / std::sqrt(static_cast<double>(features));
    values_.assign(features, 0);
    for (double& value : values_) value = random->Normal() * scale;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] != 1) continue;
      for (std::size_t f = 0; f < features; ++f)
        values_[f] += 0.3 * scale * directions_[i * features + f];
    }
    for (std::size_t f = 0; f < factors_.size(); ++f) values_[f] *= factors_[f];
    if (options_.constant) values_.push_back(1);
    rows->AddDense(values_);
  }

 private:
  SyntheticLabelsOptions options_;
  std::vector<double> directions_;
  std::vector<double> factors_;  // one per column; empty: all 1
  std::vector<double> values_;
};

void AddSparseInput(Random* random, const SyntheticLabelsOptions& options,
                    const std::vector<std::int8_t>& labels, FeatureRows* rows) {
  std::vector<Index> on;
  for (Index i = 0; i < options.labels; ++i) {
    if (labels[i] == 1 && i < options.features) on.push_back(i);
  }
  const auto features = static_cast<std::uint64_t>(options.features);
  std::vector<Index> columns;
  while (std::ssize(columns) < options.stored) {
    Index column = static_cast<Index>(random->Below(features));
    if (!on.empty() && random->Uniform() < 0.5) {
      const Index label = on[random->Below(on.size())];
      column -= column % options.labels;
      column += column + label < options.features ? label : 0;
    }
    const auto place = std::lower_bound(columns.begin(), columns.end(), column);
    if (place == columns.end() || *place != column) columns.insert(place, column);
  }
  std::vector<double> values(columns.size(), 1 / std::sqrt(static_cast<double>(options.stored)));
  if (options.constant) {
    columns.push_back(options.features);
    values.push_back(1);
  }
  rows->AddSparse(columns, values);
}

}  // namespace

std::span<const BenchProblem> BenchProblems() { return kProblems; }

const BenchProblem& FindBenchProblem(std::string_view name) {
  std::string names;
  std::vector<std::string_view> choices;
  for (const BenchProblem& problem : kProblems) {
    if (problem.name == name) return problem;
    names.append(names.empty() ? "" : ", ").append(problem.name);
    choices.push_back(problem.name);
  }
  throw DataError("unknown problem " + Quoted(name) + "; choose from " + names +
                  DidYouMean(name, choices));
}

std::string BenchChoice::name() const {
  const std::string whole(problem->name);
  return examples == 0 ? whole
                       : whole + "@" + std::to_string(examples) + "." + std::to_string(seed);
}

BenchChoice FindBenchChoice(std::string_view name) {
  const std::size_t at = name.find('@');
  BenchChoice choice{&FindBenchProblem(name.substr(0, at))};
  if (at == std::string_view::npos) return choice;
  const std::string_view numbers = name.substr(at + 1);
  const std::size_t dot = numbers.find('.');
  const auto read = [&](std::string_view text, auto* value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
    if (error != std::errc() || end != text.data() + text.size() || *value < 1)
      throw DataError(Quoted(name) +
                      " is not of the form problem@examples or problem@examples.seed");
  };
  read(numbers.substr(0, dot), &choice.examples);
  if (dot != std::string_view::npos) read(numbers.substr(dot + 1), &choice.seed);
  return choice;
}

std::vector<std::string> BenchFiles(const BenchProblem& problem, const std::string& folder) {
  switch (problem.source) {
    case BenchSource::kYeast:
      return {Existing(folder + "/yeast/yeast-train.arff"), folder + "/yeast/yeast.xml"};
    case BenchSource::kReuters30:
      return {Existing(folder + "/reuters30/reuters30-train.svm")};
    case BenchSource::kRcv1:
      return {Existing(folder + "/rcv1/rcv1-train.svm")};
    case BenchSource::kRcv1s1:
      return {Existing(folder + "/rcv1s1/rcv1s1-train.svm")};
    case BenchSource::kLetters:
      return {Existing(folder + "/letters/letter.data")};
    case BenchSource::kLetters0: {
      const std::string fold = Existing(folder + "/letters/letter-fold0.data");
      std::error_code ignored;
      return {std::filesystem::exists(fold, ignored) ? fold
                                                     : Existing(folder + "/letters/letter.data")};
    }
    case BenchSource::kConll:
      return {Existing(folder + "/conll2000/train.txt")};
    case BenchSource::kMsrc:
      return {folder + "/msrc21/msrc21.fea", Existing(folder + "/msrc21/scores.tsv")};
    case BenchSource::kGrids:
    case BenchSource::kSmallGrids:
    case BenchSource::kMatching:
    case BenchSource::kToy:
      break;
  }
  return {};
}

std::vector<std::string> BenchTestFiles(const BenchProblem& problem, const std::string& folder) {
  switch (problem.source) {
    case BenchSource::kYeast:
      return {Existing(folder + "/yeast/yeast-test.arff")};
    case BenchSource::kReuters30:
      return {Existing(folder + "/reuters30/reuters30-test.svm")};
    case BenchSource::kRcv1:
      return {Existing(folder + "/rcv1/rcv1-test.svm")};
    case BenchSource::kRcv1s1:
      return {Existing(folder + "/rcv1s1/rcv1s1-test.svm")};
    case BenchSource::kLetters:
      return {Existing(folder + "/letters/letter.data")};
    case BenchSource::kConll:
      return {Existing(folder + "/conll2000/test.txt")};
    default:
      return {};
  }
}

std::string BenchTestFolds(const BenchProblem& problem) {
  return problem.source == BenchSource::kLetters ? "0" : "";
}

void CheckBenchData(const BenchProblem& problem, const std::string& folder) {
  const std::string name(problem.name);
  if (!problem.needs_data()) return;
  if (folder.empty())
    throw DataError("the problem '" + name + "' needs files: give the folder that contains them");
  for (const std::string& file : BenchFiles(problem, folder)) {
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) continue;
    const bool plain = file.ends_with(".xml") || file.ends_with(".fea");
    const std::string packed = plain ? "" : ", with or without .gz";
    throw DataError(file, 0,
                    "there is no such file" + packed + "; the problem '" + name + "' needs it");
  }
}

MultiLabelData ReadBenchData(const BenchProblem& problem, const std::string& folder) {
  CheckBenchData(problem, folder);
  if (problem.source == BenchSource::kToy) {
    SyntheticLabelsOptions options;
    options.examples = 60;
    options.labels = 6;
    options.features = 8;
    options.constant = problem.bias;
    return MakeSyntheticLabels(options);
  }
  SLACKLINE_CHECK(problem.needs_data(), "not a multi-label problem: " + std::string(problem.name));
  const std::vector<std::string> files = BenchFiles(problem, folder);
  MultiLabelReadOptions read;
  read.append_constant = problem.bias;
  if (problem.source == BenchSource::kYeast) read.labels_xml = files[1];
  if (problem.source == BenchSource::kReuters30 || problem.source == BenchSource::kRcv1)
    read.num_labels = 30;
  if (problem.source == BenchSource::kRcv1s1) read.num_labels = 101;
  return ReadMultiLabelData(files[0], read);
}

SequenceInput ReadBenchSequences(const BenchProblem& problem, const std::string& folder) {
  CheckBenchData(problem, folder);
  SLACKLINE_CHECK(problem.sequences(), "not a problem of sequences: " + std::string(problem.name));
  SequenceReadOptions options;
  options.templates = "chunking";  // fixed here, whatever the default of `sequence train` is
  if (problem.source == BenchSource::kLetters) options.folds = "1-9";
  if (problem.source == BenchSource::kLetters0) options.folds = "0";
  return ReadTrainingSequences(BenchFiles(problem, folder).front(), options);
}

Problem MakeChainProblem(const SequenceInput& input, double lambda) {
  const SequenceModel model = MakeSequenceModel(input, LearnerKind::kAuto);
  LossOptions loss;
  loss.scale = LossScale::kMean;
  TrainingSet training = MakeTrainingSet(model.MakeDataset(input.data, input.sequences), loss);
  const Index examples = training.data.size();
  if (examples == 0) throw DataError(input.data.source, 0, "no sequence has a known label");
  return Problem(std::move(training), lambda > 0 ? lambda : 1.0 / examples);
}

Problem MakeBenchProblem(const BenchProblem& problem, const std::string& folder) {
  if (problem.sequences())
    return MakeChainProblem(ReadBenchSequences(problem, folder), problem.lambda);
  if (problem.source == BenchSource::kMatching) return MakeMatchings(problem);
  SLACKLINE_CHECK(!problem.segments(),
                  "not a problem of this library: " + std::string(problem.name));
  if (!problem.multilabel()) return MakeGrids(problem);
  return MakeFullGraphProblem(ReadBenchData(problem, folder), problem.lambda);
}

std::vector<std::string> DrawnMatchings(double possible) {
  DrawnAlignments options;
  options.possible = possible;
  options.examples = kMatchingExamples + kMatchingTestExamples;
  options.longest = 20;
  return DrawAlignments(options);
}

Problem MakeFullGraphProblem(const MultiLabelData& data, double lambda) {
  return MakeLabelProblem(data, "full", LossScale::kCount, lambda);
}

Problem MakeLabelProblem(const MultiLabelData& data, const std::string& graph, LossScale scale,
                         double lambda) {
  const MultiLabelModel model(data.label_names, data.num_features, data.has_constant,
                              MakeLabelGraph(graph, data));
  LossOptions loss;
  loss.scale = scale;
  TrainingSet training = MakeTrainingSet(model.MakeDataset(data), loss);
  const Index examples = training.data.size();
  if (examples == 0) throw DataError(data.source, 0, "no example has a known label");
  return Problem(std::move(training), lambda > 0 ? lambda : 1.0 / examples);
}

MultiLabelData MakeSyntheticLabels(const SyntheticLabelsOptions& options) {
  SLACKLINE_CHECK(options.examples >= 1 && options.labels >= 1 && options.features >= 1,
                  "synthetic labels need at least one example, label and feature");
  SLACKLINE_CHECK(options.stored >= 0 && options.stored <= options.features,
                  "an example cannot store more features than there are");
  Random random(options.seed);
  MultiLabelData data;
  data.source = "synthetic";
  for (Index i = 0; i < options.labels; ++i) data.label_names.push_back(std::to_string(i));
  data.num_features = options.features;
  data.has_constant = options.constant;
  SyntheticLabelsOptions dense = options;
  if (options.stored > 0) dense.features = 1;  // sparse inputs need no directions
  DenseInputs inputs(&random, dense);
  const auto rows = std::make_shared<FeatureRows>();
  std::vector<std::int8_t> labels(options.labels);
  for (Index m = 0; m < options.examples; ++m) {
    DrawLabels(&random, &labels);
    if (options.stored > 0) {
      AddSparseInput(&random, options, labels, rows.get());
    } else {
      inputs.Add(&random, labels, rows.get());
    }
    for (const std::int8_t label : labels) {
      const bool flipped = random.Uniform() < options.label_noise;
      data.labels.push_back(flipped ? static_cast<std::int8_t>(1 - label) : label);
    }
    data.lines.push_back(m + 1);
  }
  data.rows = rows;
  return data;
}

TrainingSet SubsetOfExamples(const TrainingSet& training, Index count, std::uint64_t seed) {
  const Dataset& data = training.data;
  SLACKLINE_CHECK(count >= 1 && count <= data.size(), "a subset has between one and all examples");
  std::vector<Index> chosen(data.size());
  std::iota(chosen.begin(), chosen.end(), 0);
  Random(seed).Shuffle(std::span<Index>(chosen));
  chosen.resize(count);
  std::sort(chosen.begin(), chosen.end());
  TrainingSet subset{Dataset(data.shared_layout(), data.rows()), {}, {0}, 0, 0, training.form};
  for (const Index m : chosen) {
    const ExampleView example = data.example(m);
    subset.data.Add(data.structures()[data.structure_of(m)], example.labels(), data.first_input(m),
                    example.potentials());
    const std::span<const double> loss = training.loss(m);
    subset.losses.insert(subset.losses.end(), loss.begin(), loss.end());
    subset.loss_begin.push_back(static_cast<Offset>(subset.losses.size()));
  }
  return subset;
}

MultiLabelData MostFrequentLabels(const MultiLabelData& data, Index count) {
  const std::size_t labels = data.num_labels();
  SLACKLINE_CHECK(count >= 1 && count <= data.num_labels(),
                  "a subset has between one and all labels");
  std::vector<Index> frequency(labels);
  for (std::size_t k = 0; k < data.labels.size(); ++k) frequency[k % labels] += data.labels[k] == 1;
  std::vector<std::size_t> chosen(labels);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::size_t a, std::size_t b) { return frequency[a] > frequency[b]; });
  chosen.resize(count);
  std::sort(chosen.begin(), chosen.end());

  MultiLabelData subset = data;
  subset.label_names.clear();
  for (const std::size_t i : chosen) subset.label_names.push_back(data.label_names[i]);
  subset.labels.clear();
  for (std::size_t row = 0; row < data.labels.size(); row += labels) {
    for (const std::size_t i : chosen) subset.labels.push_back(data.labels[row + i]);
  }
  return subset;
}

}  // namespace slackline::internal
