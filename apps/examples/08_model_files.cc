// SPDX-License-Identifier: BSD-3-Clause
//
// Lesson 8: model files that the program trained, one call per example. The arguments are two
// files, which train_models.sh makes:
//
//     slackline sequence train names.txt --min-count 1 --lambda 0.01 --model names.slk
//     slackline multilabel train topics.csv --label-columns sports,politics --lambda 0.01 …
#include <iostream>

#include <slackline/slackline.h>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: 08_model_files NAMES.slk TOPICS.slk\n";
    return 2;
  }
  slackline::SequencePredictor tagger(argv[1]);
  const std::vector<std::vector<std::string>> sentence = {
      {"John", "NNP"}, {"runs", "VBZ"}, {"in", "IN"}, {"London", "NNP"}};
  for (const std::string& tag : tagger.Predict(sentence)) std::cout << tag << "\n";

  slackline::MultiLabelPredictor topics(argv[2]);
  for (const std::string& label : topics.PredictRow({{"goals", "1"}, {"votes", "1"}}))
    std::cout << label << "\n";
  for (const double score : topics.Scores({1, 1})) std::cout << (score > 0 ? "+" : "-") << "\n";
}
