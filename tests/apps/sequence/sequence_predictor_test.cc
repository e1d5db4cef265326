// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_predictor.h>

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/apps/sequence/sequence_stream.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_scaling.h>
#include <slackline/core/random.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Tokens = std::vector<SequencePredictor::Token>;

/// A model with random weights for the columns of a text.
SequenceModel RandomModel(const TemporaryFolder& folder, const std::string& text,
                          LabelConstraints constraints = LabelConstraints::kAny) {
  SequenceReadOptions options;
  options.features.min_count = 1;
  const SequenceInput input = ReadTrainingSequences(folder.Write("train.txt", text), options);
  SequenceModel model = MakeSequenceModel(input, LearnerKind::kAuto, constraints);
  Random random(3);
  std::vector<double> weights(model.weights().size());
  for (double& weight : weights) weight = random.Normal();
  model.set_weights(std::move(weights));
  return model;
}

const char* const kTraining =
    "the DT B-N\ncat NN I-N\nsleeps VB B-V\n\nbig JJ B-N\ndogs NN I-N\nrun VB B-V\n. . O\n";

const Tokens kSentence = {{"the", "DT"}, {"zebra", "NN"}, {"runs", "VB"}, {".", "."}};

struct SavedModel {
  TemporaryFolder folder;
  SequenceModel model = RandomModel(folder, kTraining);
  std::string path = folder.Path("m.slk");

  SavedModel() { model.Save(path); }
  /// The output of the command for the sentence.
  SequencePredictions FromFile(const SequencePredictOptions& options) const {
    std::string text;
    for (const auto& token : kSentence) text += token[0] + " " + token[1] + "\n";
    const SequenceInput input = ReadSequencesFor(model, folder.Write("test.txt", text), "");
    return PredictSequences(model, input.data, input.sequences, options);
  }
};

}  // namespace

TEST_CASE("repeated calls give the results of a file with the sentence") {
  const SavedModel files;
  SequencePredictor predictor(files.path);
  CHECK(predictor.labels() == files.model.label_names());
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::vector<std::string> names;
    for (const Index label : files.FromFile({}).labels)
      names.push_back(files.model.label_names()[label]);
    CHECK(predictor.Predict(kSentence) == names);
    SequencePredictOptions scores;
    scores.scores = true;
    CHECK(predictor.Scores(kSentence) == files.FromFile(scores).scores);
    SequencePredictOptions best;
    best.best = 3;
    const auto expected = files.FromFile(best).best.front();
    const auto labellings = predictor.PredictBest(kSentence, 3);
    REQUIRE(labellings.size() == 3);
    CHECK(labellings[0].labels == names);
    for (std::size_t k = 0; k < 3; ++k) CHECK(labellings[k].score == expected[k].value);
    // A sentence of another length in between has no effect.
    CHECK(predictor.Predict({{"cat", "NN"}}).size() == 1);
  }
}

TEST_CASE("sentences may be empty, and constraints hold") {
  const TemporaryFolder folder;
  SequencePredictor predictor(RandomModel(folder, kTraining, LabelConstraints::kBio));
  CHECK(predictor.Predict({}).empty());
  CHECK(predictor.Scores({}).empty());
  CHECK(predictor.PredictBest({}, 2).at(0).labels.empty());
  const auto all = predictor.PredictBest({{"cat", "NN"}}, 100);
  CHECK(all.size() == 3);  // I-N, one of the four labels, cannot come first
  for (const auto& labelling : all) CHECK(labelling.labels.at(0) != "I-N");
}

TEST_CASE("copies share the model and work in other threads") {
  const SavedModel files;
  auto first = std::make_unique<SequencePredictor>(files.path);
  const auto expected = first->Predict(kSentence);
  SequencePredictor copy(*first);
  SequencePredictor assigned(files.path);
  assigned = *first;
  CHECK(&copy.model() == &first->model());
  CHECK(&assigned.model() == &first->model());
  first.reset();
  std::vector<std::string> of_thread;
  std::thread thread([&] { of_thread = assigned.Predict(kSentence); });
  CHECK(copy.Predict(kSentence) == expected);
  thread.join();
  CHECK(of_thread == expected);
  SequencePredictor moved(std::move(copy));
  CHECK(moved.Predict(kSentence) == expected);
}

TEST_CASE("letters are predicted from pixels") {
  const TemporaryFolder folder;
  const std::string letters =
      "1\to\t2\t1\t1\t0\t0\t1\t1\n2\tm\t-1\t1\t2\t0\t1\t0\t0\n7\ta\t-1\t4\t1\t0\t1\t1\t0\n";
  const SequenceModel model = RandomModel(folder, letters);
  const SequenceInput input = ReadSequencesFor(model, folder.Write("l.data", letters), "");
  const SequencePredictions expected = PredictSequences(model, input.data, input.sequences, {});
  FeatureRows word;
  word.AddSparse(std::vector<Index>{1, 2}, std::vector<double>{1, 1});
  word.AddSparse(std::vector<Index>{0}, std::vector<double>{1});
  SequencePredictor predictor(model);
  const auto names = predictor.PredictRows(word);
  REQUIRE(names.size() == 2);
  for (std::size_t k = 0; k < 2; ++k) CHECK(names[k] == model.label_names()[expected.labels[k]]);
  CHECK(predictor.ScoreRows(word).size() == 2 * 3);
  CHECK(Contains(MessageOf<std::invalid_argument>([&] { predictor.Predict({{"a"}}); }),
                 "a model of letters or attributes takes rows of features"));
  word.AddSparse(std::vector<Index>{3}, std::vector<double>{1});
  CHECK(Contains(MessageOf<std::invalid_argument>([&] { predictor.PredictRows(word); }),
                 "there are rows with 4 features, but the model has 3"));
}

TEST_CASE("features are scaled once, where the model has a scaling") {
  SavedModel files;
  const auto divisor = [](const SequenceModel& model) {
    std::vector<double> numbers(model.num_features());
    for (std::size_t f = 0; f < numbers.size(); ++f) numbers[f] = 0.5 + static_cast<double>(f % 7);
    return numbers;
  };
  SequencePredictOptions options;
  options.scores = true;
  const auto unscaled = files.FromFile(options).scores;
  for (const bool norm : {false, true}) {
    files.model.set_scaling(
        norm ? FeatureScaling::FromNumbers(ScaleKind::kNorm, {}, {})
             : FeatureScaling::FromNumbers(ScaleKind::kMaxAbs, {}, divisor(files.model)));
    const auto expected = files.FromFile(options).scores;
    CHECK(expected != unscaled);
    CHECK(SequencePredictor(files.model).Scores(kSentence) == expected);
    std::string text;
    for (const auto& token : kSentence) text += token[0] + " " + token[1] + "\n";
    SequenceStream stream(files.model, files.folder.Write("stream.txt", text), "");
    REQUIRE(stream.Next());
    CHECK(PredictSequences(files.model, stream.data(), std::vector<Index>{0}, options).scores ==
          expected);
  }

  const std::string letters = "1\to\t2\t1\t1\t0\t0\t1\t1\n2\tm\t-1\t1\t2\t0\t1\t0\t0\n";
  SequenceModel model = RandomModel(files.folder, letters);
  model.set_scaling(FeatureScaling::FromNumbers(ScaleKind::kMaxAbs, {}, divisor(model)));
  const std::string path = files.folder.Write("l.data", letters);
  const SequenceInput input = ReadSequencesFor(model, path, "");
  const auto expected = PredictSequences(model, input.data, input.sequences, options).scores;
  FeatureRows word;
  word.AddSparse(std::vector<Index>{1, 2}, std::vector<double>{1, 1});
  word.AddSparse(std::vector<Index>{0}, std::vector<double>{1});
  CHECK(SequencePredictor(model).ScoreRows(word) == expected);
  SequenceStream stream(model, path, "");
  REQUIRE(stream.Next());
  CHECK(PredictSequences(model, stream.data(), std::vector<Index>{0}, options).scores == expected);
}

TEST_CASE("values that scaling makes too large are refused") {
  SavedModel files;
  std::vector<double> tiny(files.model.num_features(), 1e-60);
  files.model.set_scaling(FeatureScaling::FromNumbers(ScaleKind::kMaxAbs, {}, tiny));
  SequencePredictor predictor(files.model);
  CHECK(Contains(MessageOf<std::invalid_argument>([&] { predictor.Predict(kSentence); }),
                 "tokens:1: "));
  FeatureRows row;
  row.AddSparse(std::vector<Index>{1}, std::vector<double>{1});
  CHECK_THROWS_AS(predictor.PredictRows(row), std::invalid_argument);
}

TEST_CASE("tokens with other columns and files that are not models are refused") {
  const SavedModel files;
  SequencePredictor predictor(files.path);
  CHECK(Contains(MessageOf<std::invalid_argument>([&] {
                   predictor.Predict({{"a", "DT"}, {"cat"}});
                 }),
                 "token 1 has 1 columns, but the model has 2"));
  CHECK(Contains(MessageOf<std::invalid_argument>([&] {
                   predictor.Predict({{"a", "DT", "B-N"}});
                 }),
                 "token 0 has 3 columns, but the model has 2"));
  CHECK_THROWS_AS(predictor.PredictBest(kSentence, 0), std::invalid_argument);
  CHECK_THROWS_AS(SequencePredictor(files.folder.Path("train.txt")), DataError);
  CHECK_THROWS_AS(SequencePredictor(files.folder.Path("missing.slk")), DataError);
}
