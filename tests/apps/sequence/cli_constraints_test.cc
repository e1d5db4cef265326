// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline sequence with constraints on chunk labels.
#include <doctest/doctest.h>

#include <algorithm>

#include <tests/apps/program.h>
#include <tests/apps/sequence/sequence_texts.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("with constraints no prediction breaks the rules of chunks") {
  const SequenceFiles files;
  // Only the words determine labels. In the test sentence they suggest a labelling that violates
  // the constraints.
  std::string text;
  for (int k = 0; k < 30; ++k) text += "the B-NP\nnoun I-NP\nverb B-VP\nup I-VP\n. O\n\n";
  const std::string train = files.folder.Write("rules.txt", text);
  const std::string words = files.folder.Write("words.txt", "W: %x[0,0]\n");
  const std::string test = files.folder.Write("odd.txt", "noun ?\n. ?\nup ?\nnoun ?\n\nup ?\n");
  const Arguments common = {"sequence", "train", train,     "--template", words,
                            "--lambda", "0.1",   "--model", files.model};
  const auto predict = [&](const char* output) {
    return OutputOf({"sequence", "predict", test, "--model", files.model, "--output", output});
  };
  /// The number of labels that violate the constraints.
  const auto broken = [](const std::string& lines) {
    int count = 0;
    std::string before;
    for (const std::string& line : Lines(lines)) {
      const std::string label = line.empty() || line.starts_with("# ") ? "" : LastCell(line);
      if (label.starts_with("I-"))
        count += before.empty() || before == "O" || before.substr(2) != label.substr(2) ? 1 : 0;
      before = label;
    }
    return count;
  };
  Succeed(common);
  CHECK(broken(predict("labels")) > 0);
  CHECK(JsonOf({"info", files.model, "--json"})["constraints"] == "none");

  const std::string log = files.folder.Path("log.jsonl");
  const Outcome trained =
      Succeed(common + Arguments{"--constraints", "bio", "--verify", "--log", log});
  CHECK(Contains(trained.err, "loss mean, constraints bio; "));
  CHECK(Contains(trained.err, "the optimum of the exact problem is certified"));
  CHECK(Contains(ReadBytes(log), "\"constraints\":\"bio\""));
  const Json info = JsonOf({"info", files.model, "--json"});
  CHECK(info["constraints"] == "bio");
  CHECK(info["options"]["constraints"] == "bio");
  CHECK(Contains(OutputOf({"info", files.model}), "constraints bio\n"));
  CHECK(broken(predict("labels")) == 0);
  const std::string best = predict("nbest=1000");
  CHECK(broken(best) == 0);
  // Of 5 labels 3 may come first; there are 153 labellings of 4 tokens and 3 of one token.
  const auto lines = Lines(best);
  CHECK(std::count_if(lines.begin(), lines.end(),
                      [](const auto& l) { return l.starts_with("# "); }) == 153 + 3);
  const auto scores = Lines(predict("scores"));
  CHECK(scores[0] == "B-NP\tB-VP\tI-NP\tI-VP\tO");
  for (const std::size_t first : {1u, 6u}) CHECK(Contains(scores[first], "\t-inf\t-inf\t"));
  for (const std::size_t later : {2u, 3u, 4u}) CHECK_FALSE(Contains(scores[later], "inf"));
  // With the predicted labels as ground truth, evaluate finds no error: it predicts with
  // constraints, too.
  const std::string same = files.folder.Write("same.txt", predict("labels"));
  CHECK(JsonOf({"sequence", "evaluate", same, "--model", files.model,
                "--json"})["token_accuracy"] == 1);
}

TEST_CASE("constraints work in cross-validation and checkpoints, and bad ones are refused") {
  const SequenceFiles files;
  const Arguments bio = {"--constraints", "bio"};
  const Json cv = JsonOf(Arguments{"sequence", "cv", files.conll, "--lambda-path", "1,0.01",
                                   "--folds", "2", "--json", "--model", files.model} +
                         bio);
  CHECK(cv["constraints"] == "bio");
  CHECK(JsonOf({"info", files.model, "--json"})["constraints"] == "bio");
  const std::string checkpoint = files.folder.Path("c.ckpt");
  Succeed(files.Train(bio + Arguments{"--max-passes", "2", "--checkpoint", checkpoint}));
  Succeed(files.Train(bio + Arguments{"--max-passes", "3", "--resume", checkpoint}));
  CheckRefused(files.Train({"--resume", checkpoint}), "belongs to another run",
               "--constraints was bio and is none now");

  const auto refuse = [&](const std::string& text, const Arguments& more,
                          const std::string& message) {
    const std::string bad = files.folder.Write("bad.txt", text);
    CheckRefused(files, Arguments{"sequence", "train", bad, "--model", files.model} + bio + more,
                 message);
  };
  const std::string good = ReadBytes(files.conll);
  const auto line = std::to_string(std::count(good.begin(), good.end(), '\n') + 2);
  refuse(good + "a DT O\nnoun1 NN I-NP\n", {},
         "bad.txt:" + line + ": constraints bio do not allow 'I-NP' after 'O'");
  refuse(good + "\nnoun1 NN I-NP\n", {},
         "bad.txt:" + line + ": constraints bio do not allow 'I-NP' to begin a sequence");
  refuse(good + "a DT X\n", {},
         "bad.txt: constraints bio need BIO labels, but label 'X' is neither O nor B- or I- with a "
         "type");
  for (const char* learner : {"al", "soft"}) {
    refuse(good, {"--learner", learner},
           "--constraints: bio needs --learner bcfw; " + std::string(learner) +
               " steps on single factors");
  }
  CheckRefused(files, files.Train({"--constraints", "iob1"}),
               "--constraints: 'iob1' is not allowed; it must be one of none bio");
  const std::string letters =
      "--constraints: bio needs labels of chunks, which letters do not have";
  refuse(LettersText(3), {}, letters);
  refuse(good, {"--format", "letters"}, letters);
}
