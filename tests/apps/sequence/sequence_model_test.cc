// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_model.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include <doctest/doctest.h>

#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/loss.h>
#include <slackline/core/model_file.h>
#include <slackline/core/random.h>
#include <slackline/learning/train_loop.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/dense_qp.h>
#include <tests/support/sequences.h>
#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Integers = std::vector<std::int64_t>;
using Strings = std::vector<std::string>;

SequenceModel ConllModel(int hash_bits) {
  const TemporaryFolder folder;
  SequenceReadOptions options;
  options.features = {1, hash_bits};
  const SequenceInput input =
      ReadTrainingSequences(folder.Write("t", "a x B-N\nb y I-N\n\nc x O\n"), options);
  return MakeSequenceModel(input, LearnerKind::kAuto);
}

SequenceModel AttributeModel(int hash_bits) {
  const TemporaryFolder folder;
  SequenceReadOptions options;
  options.format = SequenceFormat::kAttributes;
  options.features = {1, hash_bits};
  const SequenceInput input =
      ReadTrainingSequences(folder.Write("t", "N\ta\tx:2\nV\tb\n\nN\ta\tc:0.5\n"), options);
  return MakeSequenceModel(input, LearnerKind::kAuto);
}

/// Saves the model with one entry changed, and loads it.
void LoadChanged(const SequenceModel& model, const std::string& entry,
                 const std::function<void(ModelWriter*)>& replacement) {
  const TemporaryFolder folder;
  model.Save(folder.Path("m.slk"));
  const ModelReader reader(folder.Path("m.slk"));
  ModelWriter writer;
  for (const std::string& name : reader.names()) {
    if (name == entry) {
      replacement(&writer);
    } else if (name == "labels" || name.starts_with("option_")) {
      writer.Add(name, reader.Strings(name));
    } else if (name == "num_features" || name == "columns" || name == "hash_bits" ||
               name == "counts") {
      writer.Add(name, reader.Integers(name));
    } else if (name == "weights" || name == "figures") {
      writer.Add(name, reader.Doubles(name));
    } else {
      writer.Add(name, reader.String(name));
    }
  }
  writer.Save(folder.Path("changed.slk"));
  SequenceModel::Load(folder.Path("changed.slk"));
}

/// Trains, and checks that the bounds close around the optimum.
TrainSummary TrainTo(double optimum, const TrainingSet& training, double lambda) {
  TrainOptions options;
  options.gap_tolerance = 1e-7;
  options.max_passes = 5000;
  const TrainSummary summary = Train(Problem(training, lambda), options);
  CHECK(summary.last.problem == CertifiedProblem::kExact);
  CHECK(summary.last.dual <= optimum + kSolver);
  CHECK(summary.last.primal >= optimum - kSolver);
  CHECK(summary.last.primal <= optimum + 1e-5);
  return summary;
}

}  // namespace

TEST_CASE("the letters have 4082 weights") {
  std::vector<std::string> names;
  for (char c = 'a'; c <= 'z'; ++c) names.emplace_back(1, c);
  const SequenceModel model(names, 128);
  CHECK(model.layout()->size() == 4082);
  CHECK(SequenceModel::NumWeights(26, 128) == 4082);
  CHECK(model.token_weights().size() == 26 * 128);
  CHECK(model.transition_weights().size() == 26 * 26);
  CHECK(model.format() == SequenceFormat::kLetters);
  CHECK_THROWS_AS(model.features(), std::invalid_argument);
}

TEST_CASE("scores are those of the definition") {
  Random random(101);
  for (int trial = 0; trial < 60; ++trial) {
    const SequenceData data = RandomSequences(random, 4, 1 + trial % 3, 5);
    SequenceModel model(data.label_names, data.num_features);
    SetRandomWeights(random, false, &model);
    const Dataset dataset = model.MakeDataset(data, AllSequences(data));
    for (Index m = 0; m < data.num_sequences(); ++m) {
      const ExampleView example = dataset.example(m);
      std::vector<Index> labels(data.length(m));
      for (Index& label : labels) label = static_cast<Index>(random.Below(model.num_labels()));
      std::vector<double> u(example.structure().num_coordinates());
      CoordinateScores(example, model.weights(), u);
      std::vector<double> q(u.size(), 0.0);
      AddLabellingFeatures(example, labels, 1, q);
      CHECK(Near(std::inner_product(u.begin(), u.end(), q.begin(), 0.0),
                 ScoreOf(model, data, m, labels), kExact));
    }
  }
}

TEST_CASE("sequences of one length share a structure") {
  Random random(102);
  const SequenceData data = RandomSequences(random, 20, 3, 3);
  const SequenceModel model(data.label_names, data.num_features);
  const Dataset dataset = model.MakeDataset(data, AllSequences(data));
  CHECK(dataset.size() == 20);
  CHECK(dataset.structures().size() <= 3);
  // Any selection of sequences, in any order.
  const std::vector<Index> some = {7, 3};
  const Dataset part = model.MakeDataset(data, some);
  REQUIRE(part.size() == 2);
  CHECK(std::ssize(part.example(0).labels()) == data.length(7));
  CHECK(part.first_input(1) == static_cast<Index>(data.begin[3]));
  CHECK_THROWS_AS(model.MakeDataset(data, std::vector<Index>{20}), std::invalid_argument);
  CHECK_THROWS_AS(model.MakeStructure(0), std::invalid_argument);
}

TEST_CASE("training reaches the optimum of an independent quadratic program") {
  Random random(103);
  for (int trial = 0; trial < 4; ++trial) {
    SequenceData data = RandomSequences(random, 4, 2 + trial % 2, 3);
    if (trial >= 2) data.labels[1] = kUnlabelled;
    const SequenceModel model(data.label_names, data.num_features);
    LossOptions loss;
    loss.scale = trial % 2 == 0 ? LossScale::kMean : LossScale::kCount;
    const TrainingSet training = MakeTrainingSet(model.MakeDataset(data, AllSequences(data)), loss);
    const double lambda = 0.1;
    const double optimum = RelaxedOptimum(training, lambda);
    CHECK(Near(optimum, ExactOptimum(training, lambda), kSolver));
    TrainTo(optimum, training, lambda);
  }
}

TEST_CASE("tokens without labels leave training with their pairs, and with start and end") {
  Random random(104);
  SequenceData data = RandomSequences(random, 1, 2, 4);
  while (data.length(0) != 4) data = RandomSequences(random, 1, 2, 4);
  SequenceModel model(data.label_names, data.num_features);
  SetRandomWeights(random, false, &model);
  data.labels = {kUnlabelled, 1, 0, kUnlabelled};
  const TrainingSet training = MakeTrainingSet(model.MakeDataset(data, AllSequences(data)), {});
  REQUIRE(training.data.size() == 1);
  CHECK(training.skipped_variables == 2);
  const ExampleView example = training.data.example(0);
  REQUIRE(example.graph().num_variables() == 2);
  REQUIRE(example.graph().num_factors() == 1);
  std::vector<double> u(example.structure().num_coordinates());
  CoordinateScores(example, model.weights(), u);
  std::vector<double> q(u.size(), 0.0);
  AddLabellingFeatures(example, example.labels(), 1, q);
  const Index k = model.num_labels();
  double wanted = model.transition_weights()[1 * k + 0];  // neither start nor end
  for (const Index i : {1, 2}) {
    const Index label = data.labels[i];
    wanted += model.constant_weights()[label];
    const FeatureRow x = data.rows->row(i);
    for (Index f = 0; f < x.count; ++f)
      wanted += x.values[f] * model.token_weights()[x.columns[f] * k + label];
  }
  CHECK(Near(std::inner_product(u.begin(), u.end(), q.begin(), 0.0), wanted, kExact));
  // An unlabelled token in the middle leaves two chains, the first with a start, the second with an
  // end.
  data.labels = {1, kUnlabelled, 0, 1};
  const TrainingSet cut = MakeTrainingSet(model.MakeDataset(data, AllSequences(data)), {});
  const Structure& structure = cut.data.example(0).structure();
  CHECK(structure.graph().num_variables() == 3);
  CHECK(structure.graph().num_factors() == 1);
  CHECK(structure.terms(0).size() == 3);
  CHECK(structure.terms(1).size() == 2);
  CHECK(structure.terms(2).size() == 3);
  // Labels that the model does not know count as unlabelled.
  SequenceData unknown = data;
  unknown.num_model_labels = 2;
  unknown.label_names = {"a", "b", "new"};
  unknown.labels = {0, 2, 1, 1};
  const SequenceModel two({"a", "b"}, data.num_features);
  CHECK(two.MakeDataset(unknown, AllSequences(unknown)).example(0).labels()[1] == kUnlabelled);
}

TEST_CASE("constraints forbid exactly the labellings that IOB2 does not allow") {
  for (const bool two_types : {false, true}) {
    const std::vector<std::string> names = BioNames(two_types);
    const SequenceModel model(names, 2, LabelConstraints::kBio);
    REQUIRE(model.rules() != nullptr);
    CHECK(SequenceModel(names, 2).rules() == nullptr);
    CHECK_FALSE(SequenceModel(names, 2).MakeStructure(3)->has_forbidden_states());
    for (const Index length : {1, 2, 4}) {
      const auto structure = model.MakeStructure(length);
      std::vector<Index> labels(length, 0);
      do {
        CHECK((FirstForbiddenPart(*structure, labels) < 0) == ValidBio(names, labels));
      } while (NextLabelling(model.num_labels(), &labels));
    }
  }
}

TEST_CASE("with constraints training reaches the optimum over allowed labellings") {
  Random random(106);
  int different = 0;
  for (int trial = 0; trial < 4; ++trial) {
    SequenceData data = RandomBioSequences(random, 4, trial % 2 == 1, 3);
    if (trial >= 2) data.labels[1] = kUnlabelled;
    const SequenceModel model(data.label_names, data.num_features, LabelConstraints::kBio);
    LossOptions loss;
    loss.scale = trial % 2 == 0 ? LossScale::kMean : LossScale::kCount;
    const auto all = AllSequences(data);
    const TrainingSet training = MakeTrainingSet(model.MakeDataset(data, all), loss);
    const double lambda = 0.1;
    const double optimum = ExactOptimum(training, lambda);
    const TrainSummary summary = TrainTo(optimum, training, lambda);
    SequenceModel trained = model;
    trained.set_weights(summary.weights);
    for (std::size_t pair = 0; pair < trained.transition_weights().size(); ++pair) {
      if (!trained.rules()->transition[pair]) CHECK(trained.transition_weights()[pair] == 0);
    }
    const SequenceModel free(data.label_names, data.num_features);
    const double without = ExactOptimum(MakeTrainingSet(free.MakeDataset(data, all), loss), lambda);
    CHECK(without >= optimum - kSolver);
    if (without > optimum + 1e-3) ++different;
  }
  CHECK(different >= 3);
}

TEST_CASE("unlabelled tokens interrupt constraints") {
  const std::vector<std::string> names = BioNames(true);  // I-V B-N O I-N B-V
  const Index i_v = 0, b_n = 1, o = 2, i_n = 3;
  const SequenceModel model(names, 3, LabelConstraints::kBio);
  Random random(107);
  SequenceData data = RandomBioSequences(random, 1, true, 4);
  while (data.length(0) != 4) data = RandomBioSequences(random, 1, true, 4);
  const auto training = [&](const std::vector<Index>& labels) {
    data.labels = labels;
    return MakeTrainingSet(model.MakeDataset(data, AllSequences(data)), {});
  };
  const auto forbidden = [&](const TrainingSet& set, const std::vector<Index>& labels) {
    return FirstForbiddenPart(set.data.example(0).structure(), labels);
  };
  // Without the first token, the second may have any label.
  const TrainingSet headless = training({kUnlabelled, i_n, i_n, o});
  CHECK(forbidden(headless, {i_v, i_v, o}) == -1);
  CHECK(forbidden(headless, {i_v, i_n, o}) == 3);
  // Behind an unlabelled token any label may come, but not at the beginning.
  const TrainingSet cut = training({b_n, kUnlabelled, i_v, i_v});
  CHECK(forbidden(cut, {o, i_n, i_n}) == -1);
  CHECK(forbidden(cut, {i_n, i_n, i_n}) == 0);
  CHECK(forbidden(cut, {b_n, i_n, i_v}) == 3);
  CHECK_THROWS_AS(training({i_n, kUnlabelled, o, o}), std::invalid_argument);
  CHECK_THROWS_AS(training({b_n, kUnlabelled, o, i_n}), std::invalid_argument);
}

TEST_CASE("saved models are loaded unchanged") {
  const TemporaryFolder folder;
  Random random(105);
  const std::string path = folder.Path("m.slk");
  for (const int hash_bits : {-1, 0, 4}) {
    SequenceModel model = hash_bits < 0 ? SequenceModel({"x", "y", "z"}, 7) : ConllModel(hash_bits);
    SetRandomWeights(random, false, &model);
    model.record.loss = "count";
    model.record.lambda = 0.25;
    model.Save(path);
    const SequenceModel loaded = SequenceModel::Load(path);
    CHECK(loaded.format() == model.format());
    CHECK(loaded.label_names() == model.label_names());
    CHECK(loaded.num_features() == model.num_features());
    CHECK(loaded.weights() == model.weights());
    CHECK(loaded.constraints() == LabelConstraints::kAny);
    CHECK(loaded.record.loss == "count");
    CHECK(loaded.record.lambda == 0.25);
    if (hash_bits < 0) continue;
    CHECK(loaded.features().templates.text() == model.features().templates.text());
    CHECK(loaded.features().templates.num_columns() == 2);
    CHECK(loaded.features().dictionary.Text() == model.features().dictionary.Text());
    CHECK(loaded.features().dictionary.hash_bits() == hash_bits);
  }
}

TEST_CASE("models of attributes are saved with a format of their own") {
  const TemporaryFolder folder;
  Random random(106);
  for (const int hash_bits : {0, 4}) {
    SequenceModel model = AttributeModel(hash_bits);
    SetRandomWeights(random, false, &model);
    CHECK(model.format() == SequenceFormat::kAttributes);
    model.Save(folder.Path("m.slk"));
    const ModelReader file(folder.Path("m.slk"));
    CHECK(file.String("format") == "attributes");
    CHECK_FALSE(file.Has("templates"));
    const SequenceModel loaded = SequenceModel::Load(folder.Path("m.slk"));
    CHECK(loaded.format() == SequenceFormat::kAttributes);
    CHECK(loaded.num_features() == model.num_features());
    CHECK(loaded.features().dictionary.Text() == model.features().dictionary.Text());
    CHECK(loaded.features().dictionary.hash_bits() == hash_bits);
    CHECK(loaded.weights() == model.weights());
  }
  CHECK_THROWS_AS(LoadChanged(AttributeModel(0), "dictionary",
                              [](ModelWriter* writer) { writer->Add("dictionary", "a\n"); }),
                  DataError);
  CHECK_THROWS_AS(LoadChanged(AttributeModel(0), "format",
                              [](ModelWriter* writer) { writer->Add("format", "conll"); }),
                  DataError);
}

TEST_CASE("constraints are saved and loaded") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  const SequenceModel model(BioNames(true), 7, LabelConstraints::kBio);
  model.Save(path);
  const SequenceModel loaded = SequenceModel::Load(path);
  CHECK(loaded.constraints() == LabelConstraints::kBio);
  REQUIRE(loaded.rules() != nullptr);
  CHECK(loaded.rules()->transition == model.rules()->transition);
  CHECK(loaded.rules()->start == model.rules()->start);
}

TEST_CASE("models whose entries contradict each other are refused") {
  const SequenceModel model = ConllModel(0);
  const SequenceModel hashed = ConllModel(3);
  const auto error = [](const SequenceModel& m, const std::string& entry,
                        const std::function<void(ModelWriter*)>& replacement) {
    return MessageOf<DataError>([&] { LoadChanged(m, entry, replacement); });
  };
  const auto wrong = [](const std::string& entry) {
    return "the model is inconsistent: entry '" + entry + "' does not fit";
  };
  CHECK(error(model, "format", [](ModelWriter* w) { w->Add("format", std::string("conll")); }) ==
        "accepted");
  CHECK(
      Contains(error(model, "format", [](ModelWriter* w) { w->Add("format", std::string("csv")); }),
               wrong("format")));
  CHECK(Contains(error(model, "labels",
                       [](ModelWriter* w) {
                         w->Add("labels", Strings{"O", "O", "B-N"});
                       }),
                 wrong("labels")));
  CHECK(Contains(error(model, "labels", [](ModelWriter* w) { w->Add("labels", Strings{}); }),
                 wrong("labels")));
  CHECK(Contains(error(model, "labels",
                       [](ModelWriter* w) {
                         w->Add("labels", Strings{"O", "B-N"});
                       }),
                 wrong("weights")));
  const auto constraints = [](const std::string& name) {
    return [name](ModelWriter* w) { w->Add("constraints", name); };
  };
  CHECK(error(model, "constraints", constraints("bio")) == "accepted");
  CHECK(Contains(error(model, "constraints", constraints("iob1")), wrong("constraints")));
  CHECK(Contains(error(model, "constraints", [](ModelWriter*) {}), "constraints"));
  CHECK(Contains(error(SequenceModel({"a", "b"}, 3), "constraints", constraints("bio")),
                 wrong("constraints")));
  CHECK(Contains(
      error(model, "num_features", [](ModelWriter* w) { w->Add("num_features", Integers{2}); }),
      wrong("dictionary")));
  CHECK(Contains(
      error(model, "num_features", [](ModelWriter* w) { w->Add("num_features", Integers{0}); }),
      wrong("num_features")));
  CHECK(Contains(error(model, "num_features",
                       [](ModelWriter* w) {
                         w->Add("num_features", Integers{1, 1});
                       }),
                 wrong("num_features")));
  CHECK(Contains(error(model, "columns", [](ModelWriter* w) { w->Add("columns", Integers{0}); }),
                 wrong("columns")));
  CHECK(Contains(error(model, "columns", [](ModelWriter* w) { w->Add("columns", Integers{1}); }),
                 "column"));
  CHECK(Contains(error(model, "templates",
                       [](ModelWriter* w) { w->Add("templates", std::string("U: %x[0")); }),
                 "changed.slk (templates):1: "));
  CHECK(
      Contains(error(model, "hash_bits", [](ModelWriter* w) { w->Add("hash_bits", Integers{3}); }),
               wrong("hash_bits")));
  CHECK(Contains(
      error(hashed, "hash_bits", [](ModelWriter* w) { w->Add("hash_bits", Integers{31}); }),
      wrong("hash_bits")));
  CHECK(Contains(
      error(hashed, "hash_bits", [](ModelWriter* w) { w->Add("hash_bits", Integers{30}); }),
      wrong("dictionary")));
  CHECK(Contains(error(model, "dictionary",
                       [](ModelWriter* w) { w->Add("dictionary", std::string("a\na\n")); }),
                 "twice"));
  CHECK(Contains(
      error(model, "dictionary", [](ModelWriter* w) { w->Add("dictionary", std::string("a")); }),
      "not complete"));
  CHECK(Contains(
      error(model, "weights", [](ModelWriter* w) { w->Add("weights", std::vector<double>{1}); }),
      wrong("weights")));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(Contains(error(model, "weights",
                       [&](ModelWriter* w) {
                         w->Add("weights", std::vector<double>(model.weights().size(), nan));
                       }),
                 wrong("weights")));
}

TEST_CASE("invalid models are refused") {
  CHECK_NOTHROW(SequenceModel({"a"}, 1));
  CHECK_THROWS_AS(SequenceModel({}, 1), std::invalid_argument);
  CHECK_THROWS_AS(SequenceModel({"a", "a"}, 1), std::invalid_argument);
  CHECK_THROWS_AS(SequenceModel({"a", "b"}, 0), std::invalid_argument);
  CHECK_NOTHROW(SequenceModel({"B-a", "O"}, 1, LabelConstraints::kBio));
  CHECK_THROWS_AS(SequenceModel({"B-a", "I-b", "O"}, 1, LabelConstraints::kBio),
                  std::invalid_argument);
  SequenceModel model({"a", "b"}, 1);
  CHECK_THROWS_AS(model.set_weights({1, 2}), std::invalid_argument);
}
