// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_sources.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <slackline/apps/common/choice.h>
#include <slackline/apps/matching/matching_draw.h>
#include <slackline/apps/matching/matching_predict.h>
#include <slackline/apps/multilabel/label_graph.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/apps/multilabel/validation/multilabel_metrics.h>
#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/apps/sequence/sequence_predict.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_scaling.h>

#include "bench/drawn/counts_problem.h"
#include "bench/drawn/drawn_labels.h"
#include "bench/drawn/grid_problem.h"
#include "bench/drawn/pictures_problem.h"
#include "bench/segment_problem.h"

namespace slackline::internal::bench {
namespace {

std::vector<double> Copy(std::span<const double> weights) {
  return {weights.begin(), weights.end()};
}

std::string ExistingFile(const std::string& path) {
  std::error_code ignored;
  const bool packed =
      !std::filesystem::exists(path, ignored) && std::filesystem::exists(path + ".gz", ignored);
  return packed ? path + ".gz" : path;
}

BenchFiles FilesOf(const BenchSource& source, const std::string& folder) {
  const auto path = [&](std::string_view name) {
    return ExistingFile(folder + "/" + std::string(name));
  };
  BenchFiles files;
  for (const std::string_view name : {source.train, source.beside}) {
    if (!name.empty()) files.train.push_back(path(name));
  }
  if (!source.test.empty()) files.test = path(source.test);
  return files;
}

BenchRecipe RecipeOnFiles(const BenchSource& source,
                          std::function<BenchTask(const BenchFiles&, bool)> make) {
  return {[source](const std::string& folder) { return FilesOf(source, folder); }, std::move(make)};
}

/// `make` draws the problem.
template <class Make>
BenchRecipe RecipeOfDrawn(const Make& make) {
  return {[](const std::string&) { return BenchFiles(); },
          [make](const BenchFiles&, bool) { return BenchTask{make()}; }};
}

// ---- Multi-label data ----

struct LabelForm {
  std::string graph = "full";
  LossScale scale = LossScale::kCount;
};

LabelForm ReadForm(EntryOptions* options) {
  LabelForm form;
  options->Read("graph", &form.graph);
  CheckChoice("graph", form.graph, {"full", "none", "tree"});
  std::string loss = "count";
  options->Read("loss", &loss);
  form.scale = ReadLossScale(loss);
  return form;
}

struct LabelFiles {
  LabelForm form;
  bool constant = true;
  bool standardise = false;
  Index most_frequent = 0;  // number of labels that are kept; 0 = all
  Index labels = 0;         // of LIBSVM data
};

/// The data restricted to the `count` most frequent labels (the first of equally frequent ones).
MultiLabelData MostFrequentLabels(const MultiLabelData& data, Index count) {
  const std::size_t labels = data.num_labels();
  if (count > data.num_labels())
    throw DataError(data.source, 0, "has only " + std::to_string(labels) + " labels");
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

/// Figures of test data, predicted by the LP relaxation with rounding as in the AISTATS 2015 paper.
std::function<TestFigures(std::span<const double>)> TestOfLabels(const MultiLabelData& data,
                                                                 const std::string& graph,
                                                                 const std::string& file) {
  const auto model = std::make_shared<MultiLabelModel>(
      data.label_names, data.num_features, data.has_constant, MakeLabelGraph(graph, data));
  MultiLabelReadOptions read = model->ReadOptions();
  read.fill_values = data.fill_values;
  read.strict = true;
  const auto test = std::make_shared<const MultiLabelData>(ReadMultiLabelData(file, read));
  PredictOptions options;
  options.decode = DecodeKind::kLp;
  return [model, test, options](std::span<const double> weights) {
    model->set_weights(Copy(weights));
    const MultiLabelPredictions predictions = Predict(*model, *test, options);
    const MultiLabelMetrics metrics =
        ComputeMetrics(model->num_labels(), test->labels, predictions.labels);
    return TestFigures{{"hamming_accuracy", 1 - metrics.hamming_loss},
                       {"micro_f1", metrics.micro_f1},
                       {"example_f1", metrics.example_f1}};
  };
}

BenchTask MakeLabelTask(const LabelFiles& given, const BenchFiles& files, bool with_test) {
  MultiLabelReadOptions read;
  read.constant = given.constant;
  read.num_labels = given.labels;
  if (files.train.size() > 1) read.labels_xml = files.train[1];
  MultiLabelData data = ReadMultiLabelData(files.train[0], read);
  if (given.standardise) {
    const auto scaling = FeatureScaling::Learn(ScaleKind::kStandard, *data.rows, data.num_features);
    data.rows = scaling.Apply(*data.rows, data.num_features);
  }
  if (given.most_frequent > 0) data = MostFrequentLabels(data, given.most_frequent);
  BenchTask task{MakeLabelProblem(data, given.form.graph, given.form.scale, 0)};
  if (!with_test) return task;
  if (given.standardise || given.most_frequent > 0)
    throw DataError("test data are neither standardised nor reduced to the most frequent labels");
  task.test = TestOfLabels(data, given.form.graph, files.test);
  return task;
}

BenchRecipe RecipeOfLabelFiles(const BenchSource& source, EntryOptions* options) {
  LabelFiles given;
  given.labels = source.labels;
  given.form = ReadForm(options);
  options->Read("bias", &given.constant);
  options->Read("standardise", &given.standardise);
  options->Read("labels", &given.most_frequent);
  return RecipeOnFiles(source, [given](const BenchFiles& files, bool with_test) {
    return MakeLabelTask(given, files, with_test);
  });
}

BenchRecipe RecipeOfDrawnLabels(const BenchSource& /*source*/, EntryOptions* options) {
  SyntheticLabelsOptions drawn;
  Index seed = 1;
  const LabelForm form = ReadForm(options);
  options->Read("examples", &drawn.examples);
  options->Read("labels", &drawn.labels);
  options->Read("features", &drawn.features);
  options->Read("stored", &drawn.stored, 0);
  options->Read("noise", &drawn.label_noise);
  options->Read("bias", &drawn.constant);
  options->Read("smallest-power", &drawn.smallest_power);
  options->Read("largest-power", &drawn.largest_power);
  options->Read("draw", &seed);
  drawn.seed = static_cast<std::uint64_t>(seed);
  if (drawn.stored > drawn.features) throw DataError("stored is larger than features");
  return RecipeOfDrawn([drawn, form] {
    return MakeLabelProblem(MakeSyntheticLabels(drawn), form.graph, form.scale, 0);
  });
}

// ---- Sequences, matchings, images ----

/// Mean loss. hamming_loss is the mean over the sequences of the fraction of wrong tokens.
BenchTask MakeSequenceTask(const BenchSource& source, const BenchFiles& files, bool with_test) {
  SequenceReadOptions read;
  read.templates = "chunking";  // fixed here, whatever the default of `sequence train` is
  read.folds = source.folds;
  const SequenceInput input = ReadTrainingSequences(files.train[0], read);
  const auto model = std::make_shared<SequenceModel>(MakeSequenceModel(input, LearnerKind::kAuto));
  LossOptions loss;
  loss.scale = LossScale::kMean;
  TrainingSet training = MakeTrainingSet(model->MakeDataset(input.data, input.sequences), loss);
  const Index examples = training.data.size();
  if (examples == 0) throw DataError(input.data.source, 0, "no sequence has a known label");
  BenchTask task{Problem(std::move(training), 1.0 / examples)};
  if (!with_test) return task;
  const auto test = std::make_shared<const SequenceInput>(
      ReadSequencesFor(*model, files.test, std::string(source.test_folds)));
  task.test = [model, test](std::span<const double> weights) {
    model->set_weights(Copy(weights));
    const SequencePredictions predictions =
        PredictSequences(*model, test->data, test->sequences, {});
    const SequenceMetrics metrics =
        EvaluateSequences(test->data, test->sequences, predictions.labels);
    TestFigures figures = {{"hamming_loss", metrics.hamming_loss},
                           {"token_accuracy", metrics.token_accuracy}};
    if (model->format() != SequenceFormat::kLetters)
      figures.emplace_back("chunk_f1", metrics.chunks.f1);
    return figures;
  };
  return task;
}

BenchRecipe RecipeOfSequences(const BenchSource& source, EntryOptions* /*options*/) {
  return RecipeOnFiles(source, [source](const BenchFiles& files, bool with_test) {
    return MakeSequenceTask(source, files, with_test && !files.test.empty());
  });
}

/// Fold 0, from the file that ships or from that of all folds.
BenchRecipe RecipeOfSmallLetters(const BenchSource& source, EntryOptions* options) {
  BenchRecipe recipe = RecipeOfSequences(source, options);
  recipe.files = [source](const std::string& folder) {
    BenchFiles files = FilesOf(source, folder);
    std::error_code ignored;
    if (std::filesystem::exists(files.train[0], ignored)) return files;
    return BenchFiles{{ExistingFile(folder + "/letters/letter.data")}, ""};
  };
  return recipe;
}

constexpr Index kMatchingExamples = 300;
constexpr Index kMatchingTestExamples = 347;  // as in the ICML 2013 paper
/// The share of the true edges of the test examples that are only possible.
constexpr double kPossibleTestEdges = 0.3;

/// Drawn matchings with costs of 1 and 3. They are tested on those that follow, with possible edges
/// as in the gold alignments of the ICML 2013 paper, whose training data have none. Possible edges
/// change nothing else. Features that training did not have are left out.
BenchTask MakeMatchingTask(bool with_test) {
  DrawnAlignments options;
  options.examples = kMatchingExamples + kMatchingTestExamples;
  options.longest = 20;
  const std::vector<std::string> sure = DrawAlignments(options);
  FeatureDictionary dictionary;
  const MatchingData data =
      ParseMatchings("synthetic", std::span(sure).first(kMatchingExamples), nullptr, &dictionary);
  const auto model = std::make_shared<MatchingModel>(std::move(dictionary), MatchingCapacities{});
  BenchTask task{
      Problem(MakeTrainingSet(model->MakeTrainingData(data), model->Loss(LossScale::kCount)),
              1.0 / data.num_examples())};
  if (!with_test) return task;
  options.possible = kPossibleTestEdges;
  const std::vector<std::string> possible = DrawAlignments(options);
  const auto test = std::make_shared<const MatchingData>(ParseMatchings(
      "synthetic", std::span(possible).subspan(kMatchingExamples), &model->dictionary(), nullptr));
  task.test = [model, test](std::span<const double> weights) {
    model->set_weights(Copy(weights));
    const MatchingPredictions predictions = PredictMatchings(*model, *test, 1);
    const MatchingMetrics metrics = EvaluateMatchings(*test, predictions.labels, model->costs());
    return TestFigures{
        {"alignment_error_rate", metrics.error_rate}, {"f1", metrics.f1}, {"exact", metrics.exact}};
  };
  return task;
}

BenchRecipe RecipeOfMatchings(const BenchSource& /*source*/, EntryOptions* /*options*/) {
  return {[](const std::string&) { return BenchFiles(); },
          [](const BenchFiles&, bool with_test) { return MakeMatchingTask(with_test); }};
}

BenchRecipe RecipeOfImages(const BenchSource& source, EntryOptions* /*options*/) {
  return RecipeOnFiles(source, MakeImageTask);
}

// ---- Drawn graphs ----

BenchRecipe RecipeOfGrids(const BenchSource& /*source*/, EntryOptions* options) {
  GridProblemOptions drawn;
  options->Read("examples", &drawn.examples);
  options->Read("rows", &drawn.rows);
  options->Read("cols", &drawn.cols);
  options->Read("states", &drawn.states);
  options->Read("features", &drawn.features);
  options->Read("chains", &drawn.chains);
  return RecipeOfDrawn([drawn] { return Problem(MakeGridProblem(drawn), 1.0 / drawn.examples); });
}

BenchRecipe RecipeOfPictures(const BenchSource& /*source*/, EntryOptions* options) {
  PicturesOptions drawn;
  options->Read("examples", &drawn.examples);
  options->Read("side", &drawn.side);
  options->Read("states", &drawn.states);
  options->Read("extra-features", &drawn.extra_features, 0);
  if (drawn.states > 16) throw DataError("pictures have 1 to 16 states");
  return RecipeOfDrawn(
      [drawn] { return Problem(MakePicturesProblem(drawn), 1.0 / drawn.examples); });
}

BenchRecipe RecipeOfCounts(const BenchSource& /*source*/, EntryOptions* options) {
  CountsOptions drawn;
  options->Read("examples", &drawn.examples);
  options->Read("labels", &drawn.labels);
  options->Read("counted", &drawn.counted);
  if (drawn.labels < 4) throw DataError("three or four labels are on: at least 4 are needed");
  return RecipeOfDrawn([drawn] { return Problem(MakeCountsProblem(drawn), 1.0 / drawn.examples); });
}

constexpr BenchSource kSources[] = {
    {"yeast", "Yeast, 14 labels", RecipeOfLabelFiles, 0, "yeast/yeast-train.arff",
     "yeast/yeast.xml", "yeast/yeast-test.arff"},
    {"emotions", "Emotions, 6 labels", RecipeOfLabelFiles, 0, "emotions/emotions-train.arff",
     "emotions/emotions.xml", "emotions/emotions-test.arff"},
    {"flags", "Flags, 7 labels", RecipeOfLabelFiles, 0, "flags/flags-train.arff", "flags/flags.xml",
     "flags/flags-test.arff"},
    {"birds", "Birds, 19 labels", RecipeOfLabelFiles, 0, "birds/birds-train.arff",
     "birds/birds.xml", "birds/birds-test.arff"},
    {"reuters", "Reuters-21578, 30 labels", RecipeOfLabelFiles, 0, "reuters30/reuters30-train.svm",
     "", "reuters30/reuters30-test.svm", 30},
    {"rcv1", "RCV1 or its drawn stand-in, 30 labels", RecipeOfLabelFiles, 0, "rcv1/rcv1-train.svm",
     "", "rcv1/rcv1-test.svm", 30},
    {"rcv1s1", "RCV1 subset 1, 101 labels", RecipeOfLabelFiles, 0.001, "rcv1s1/rcv1s1-train.svm",
     "", "rcv1s1/rcv1s1-test.svm", 101},
    {"letters", "handwritten words, folds 1 to 9", RecipeOfSequences, 0, "letters/letter.data", "",
     "letters/letter.data", 0, "1-9", "0"},
    {"letters-small", "handwritten words, fold 0", RecipeOfSmallLetters, 0.01,
     "letters/letter-fold0.data", "", "", 0, "0"},
    {"conll", "CoNLL-2000 chunks", RecipeOfSequences, 0, "conll2000/train.txt", "",
     "conll2000/test.txt"},
    {"msrc", "MSRC-21, two layers of superpixels, class potentials, Potts links", RecipeOfImages,
     0.001, "msrc21/msrc21.fea", "msrc21/scores.tsv"},
    {"matching", "drawn alignments of 5 to 20 words, costs 1 and 3", RecipeOfMatchings},
    {"labels", "drawn multi-label data", RecipeOfDrawnLabels},
    {"grids", "drawn grids of variables", RecipeOfGrids, 1},
    {"pictures", "drawn pictures to segment", RecipeOfPictures},
    {"counts", "drawn labels of which three or four are on", RecipeOfCounts},
};

}  // namespace

std::span<const BenchSource> BenchSources() { return kSources; }

}  // namespace slackline::internal::bench
