// SPDX-License-Identifier: BSD-3-Clause
//
// Model files used by a program: it trains two small models, saves them, loads them again, and
// predicts one sentence and one example a call. What the command line trains is loaded in the same
// way.
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/prediction/multilabel_predictor.h>
#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/apps/sequence/sequence_predictor.h>
#include <slackline/core/atomic_file.h>
#include <slackline/core/loss.h>
#include <slackline/learning/train_loop.h>

using namespace slackline::internal;

namespace {

/// As `slackline sequence train TEXT --min-count 1 --lambda 0.01 --model PATH` does.
void TrainTagger(const std::string& folder, const std::string& path) {
  const std::string text = folder + "/names.txt";
  WriteFileAtomically(
      text,
      "Mary NNP PER\nsees VBZ O\nParis NNP LOC\n\nJohn NNP PER\nlives VBZ O\nin IN O\n"
      "London NNP LOC\n\nthe DT O\nriver NN O\nruns VBZ O\nin IN O\nParis NNP LOC\n");
  SequenceReadOptions read;
  read.features.min_count = 1;
  const SequenceInput input = ReadTrainingSequences(text, read);
  SequenceModel model = MakeSequenceModel(input, LearnerKind::kAuto);
  const Problem problem(MakeTrainingSet(model.MakeDataset(input.data, input.sequences), {}), 0.01);
  const TrainOptions options;
  model.SetTrained(problem, options, Train(problem, options).weights);
  model.Save(path);
}

/// As `slackline multilabel train EXAMPLES --num-labels 2 --lambda 0.01 --model PATH` does.
void TrainLabels(const std::string& folder, const std::string& path) {
  const std::string text = folder + "/examples.svm";
  WriteFileAtomically(text, "0 1:1\n1 2:1\n0,1 1:1 2:1\n 3:1\n");
  MultiLabelReadOptions read;
  read.label_names = {"sports", "politics"};
  read.append_constant = true;
  const MultiLabelData data = ReadMultiLabelData(text, read);
  MultiLabelModel model(data.label_names, data.num_features, true, {{0, 1}});
  const Problem problem(MakeTrainingSet(model.MakeDataset(data), {}), 0.01);
  const TrainOptions options;
  model.SetTrained(problem, options, Train(problem, options).weights);
  model.Save(path);
}

}  // namespace

int main() {
  const std::string folder = std::filesystem::temp_directory_path() / "slackline-predict-example";
  std::filesystem::create_directories(folder);
  TrainTagger(folder, folder + "/names.slk");
  TrainLabels(folder, folder + "/topics.slk");

  SequencePredictor tagger(folder + "/names.slk");
  for (const std::string& tag :
       tagger.Predict({{"John", "NNP"}, {"runs", "VBZ"}, {"in", "IN"}, {"London", "NNP"}}))
    std::cout << tag << "\n";

  MultiLabelPredictor topics(folder + "/topics.slk");
  const std::vector<double> example = {1, 1, 0};
  for (const std::string& label : topics.Predict(example)) std::cout << label << "\n";
  for (const double score : topics.Scores(example)) std::cout << (score > 0 ? "+" : "-") << "\n";
  std::filesystem::remove_all(folder);
}
