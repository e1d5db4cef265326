// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline sequence, on small texts and on words of the letters.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include <slackline/apps/common/training_record.h>
#include <slackline/core/model_file.h>
#include <tests/apps/program.h>
#include <tests/apps/sequence/sequence_texts.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("chunks: train, info, predict and evaluate agree") {
  const SequenceFiles files;
  const Outcome train = Succeed(files.Train());
  CHECK(Contains(train.err, "format: conll, by the first line\n"));
  CHECK(Contains(train.err, "data: 40 sequences, "));
  CHECK(Contains(train.err, " 4 labels, "));
  CHECK(Contains(train.err, "converged: certified relative gap"));
  CHECK(Contains(train.err, "the optimum of the exact problem is certified"));
  CHECK(Contains(train.err, "model written to " + files.model));

  const Json info = JsonOf({"info", files.model, "--json"});
  CHECK(info["task"] == "sequence");
  CHECK(info["format"] == "conll");
  CHECK(info["labels"] == Json::array({"B-NP", "B-VP", "I-NP", "O"}));
  CHECK(info["columns"] == 2);
  CHECK(info["options"]["min-count"] == "3");
  CHECK(info["weights"] == 4 * (info["features"].get<int>() + 3) + 16);
  CHECK(Contains(OutputOf({"info", files.model}), "task        sequence\n"));

  const Outcome predict = Succeed({"sequence", "predict", files.test, "--model", files.model});
  CHECK(Contains(predict.err, "15 sequences, "));
  const auto given = Lines(ReadBytes(files.test));
  const auto lines = Lines(predict.out);
  REQUIRE(lines.size() + 1 == given.size());  // no blank line at the end
  int right = 0;
  int tokens = 0;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    CHECK(lines[k].empty() == given[k].empty());
    if (lines[k].empty()) continue;
    CHECK(lines[k].substr(0, lines[k].rfind(' ')) == given[k].substr(0, given[k].rfind(' ')));
    ++tokens;
    right += lines[k] == given[k] ? 1 : 0;
  }
  const Json metrics =
      JsonOf({"sequence", "evaluate", files.test, "--model", files.model, "--json"});
  CHECK(metrics["tokens"] == tokens);
  CHECK(metrics["sequences"] == 15);
  CHECK(std::abs(metrics["token_accuracy"].get<double>() - static_cast<double>(right) / tokens) <
        1e-12);
  CHECK(metrics["token_accuracy"] > 0.9);
  CHECK(metrics["chunks"]["f1"] > 0.9);
  CHECK(metrics["chunks"]["types"].size() == 2);
  CHECK(metrics["chunks"]["types"][0]["type"] == "NP");
  const Outcome table = Succeed({"sequence", "evaluate", files.test, "--model", files.model});
  CHECK(Contains(table.out, "token accuracy "));
  CHECK(Contains(table.out, "  chunks\n"));
  CHECK(Contains(table.out, "  NP\n"));
}

TEST_CASE("letters have folds and predictions with ids, but no chunks") {
  const SequenceFiles files;
  const std::string letters = files.folder.WriteGzip("letters.gz", TwoFolds(LettersText(60)));
  const Outcome train = Succeed({"sequence", "train", letters, "--folds", "0", "--lambda", "0.01",
                                 "--gap-tolerance", "0.01", "--model", files.model});
  CHECK(Contains(train.err, "format: letters, by the first line\n"));
  CHECK(Contains(train.err, " 128 pixels, "));
  const Json metrics =
      JsonOf({"sequence", "evaluate", letters, "--folds", "7", "--model", files.model, "--json"});
  CHECK(metrics["chunks"].is_null());
  CHECK(metrics["token_accuracy"] > 0.3);  // 26 letters, most of them rare
  const Json own =
      JsonOf({"sequence", "evaluate", letters, "--folds", "0", "--model", files.model, "--json"});
  CHECK(own["token_accuracy"] > 0.95);
  CHECK(own["sequences"].get<int>() + metrics["sequences"].get<int>() == 60);

  const auto lines =
      Lines(OutputOf({"sequence", "predict", letters, "--folds", "7", "--model", files.model}));
  const auto given = Lines(TwoFolds(LettersText(60)));
  CHECK(lines.size() ==
        metrics["tokens"].get<std::size_t>() + metrics["sequences"].get<std::size_t>() - 1);
  // The cells: id, word id, position and label of the last letter.
  const std::string& last = given.back();
  std::vector<std::string> cells;
  for (std::size_t from = 0; cells.size() < 6; from = last.find('\t', from) + 1)
    cells.push_back(last.substr(from, last.find('\t', from) - from));
  CHECK(lines.back().starts_with(cells[0] + "\t" + cells[3] + "\t" + cells[4] + "\t"));
  CHECK(LastCell(lines.back()).size() == 1);

  CheckRefused(files, {"sequence", "evaluate", letters, "--folds", "3", "--model", files.model},
               "no sequence belongs to fold '3'");
  CheckRefused(files, {"sequence", "evaluate", letters, "--folds", "x", "--model", files.model},
               "'x' is neither a number nor a range");
  CheckRefused(files, {"sequence", "train", letters, "--template", letters, "--model", files.model},
               "--template: letters have their pixels as features");
  CheckRefused(files, {"sequence", "predict", files.test, "--model", files.model},
               "test.txt:1: 1 field, but a line has id, letter");
}

TEST_CASE("scores and best labellings are written") {
  const SequenceFiles files;
  files.Trained();
  const auto labels = Lines(OutputOf({"sequence", "predict", files.test, "--model", files.model}));
  const auto scores = Lines(
      OutputOf({"sequence", "predict", files.test, "--model", files.model, "--output", "scores"}));
  REQUIRE(scores.size() == labels.size() + 1);
  CHECK(scores[0] == "B-NP\tB-VP\tI-NP\tO");
  const Arguments names = {"B-NP", "B-VP", "I-NP", "O"};
  for (std::size_t k = 0; k < labels.size(); ++k) {
    CHECK(scores[k + 1].empty() == labels[k].empty());
    if (labels[k].empty()) continue;
    std::size_t from = 0;
    for (std::size_t label = 0; label < 4; ++label) {
      const std::size_t to = std::min(scores[k + 1].find('\t', from), scores[k + 1].size());
      const double score = std::stod(scores[k + 1].substr(from, to - from));
      from = to + 1;
      CHECK(score <= 0);
      if (names[label] == LastCell(labels[k])) CHECK(score == 0);
    }
    CHECK(from == scores[k + 1].size() + 1);
  }

  const auto best = Lines(
      OutputOf({"sequence", "predict", files.test, "--model", files.model, "--output", "nbest=3"}));
  REQUIRE(best[0].starts_with("# 1 "));
  std::size_t ranks = 0;
  std::vector<std::string> first;
  double last = 0;
  int rank = 0;
  for (const std::string& line : best) {
    if (line.starts_with("# ")) {
      ++ranks;
      const double value = std::stod(line.substr(4));
      rank = line[2] - '0';
      if (rank > 1) CHECK(value <= last);
      last = value;
    } else if (rank == 1) {
      first.push_back(line);
    }
  }
  CHECK(ranks == 3 * 15);
  first.pop_back();  // there is a blank line behind the last labelling, too
  CHECK(first == labels);
}

TEST_CASE("pipes, files without labels, other output and threads give the same results") {
  const SequenceFiles files;
  files.Trained();
  const Arguments predict = {"sequence", "predict", files.test, "--model", files.model};
  const std::string labels = OutputOf(predict);
  CHECK(OutputOf({"sequence", "predict", "-", "--model", files.model}, files.test) == labels);
  const std::string zipped = files.folder.WriteGzip("t.gz", ReadBytes(files.test));
  CHECK(OutputOf({"sequence", "predict", "-", "--model", files.model}, zipped) == labels);
  const std::string bare = files.folder.Write("bare.txt", ConllText(15, 6, false));
  CHECK(OutputOf({"sequence", "predict", bare, "--model", files.model}) == labels);
  CheckRefused(files, {"sequence", "evaluate", bare, "--model", files.model},
               "bare.txt: no label is known");
  const std::string out = files.folder.Path("out.txt");
  CHECK(OutputOf(predict + Arguments{"--out", out, "-q"}).empty());
  CHECK(ReadBytes(out) == labels);
  CheckRefused(files, predict + Arguments{"--out", files.test}, "--out: ");
  for (const char* output : {"labels", "scores", "nbest=4"}) {
    const std::string one = OutputOf(predict + Arguments{"--output", output});
    for (const char* threads : {"2", "4"})
      CHECK(OutputOf(predict + Arguments{"--output", output, "--threads", threads}) == one);
  }
  // Training from a pipe, with the format detected.
  const std::string piped = files.folder.Path("piped.slk");
  Succeed({"sequence", "train", "-", "--lambda", "0.001", "--model", piped, "-q"}, files.conll);
  CHECK(ModelWeights(piped) == ModelWeights(files.model));
}

TEST_CASE("lines between sequences are kept, and unknown features counted") {
  const SequenceFiles files;
  files.Trained();
  const std::string odd =
      files.folder.Write("odd.txt", "\n\nthe DT B-NP\nzebra NN I-XX\n\n\n \nverb1 VB ?\n");
  const Outcome predict = Succeed({"sequence", "predict", odd, "--model", files.model});
  const auto lines = Lines(predict.out);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].starts_with("the DT "));
  CHECK(lines[2].empty());
  CHECK(lines[3].starts_with("verb1 VB "));
  CHECK(Contains(predict.err,
                 "note: 1 label that the model does not know and never predicts: 'I-XX'\n"));
  CHECK(Contains(predict.err, " of tokens unknown to the model left out\n"));
  const Json metrics = JsonOf({"sequence", "evaluate", odd, "--model", files.model, "--json"});
  CHECK(metrics["tokens"] == 2);
  CHECK(metrics["sequences"] == 1);
  CHECK(metrics["token_accuracy"] <= 0.5);
  CHECK(metrics["unknown_features"] > 0);
}

TEST_CASE("features come from templates, minimum counts and hashing") {
  const SequenceFiles files;
  const Outcome standard = Succeed({"sequence", "template"});
  CHECK(Contains(standard.out, "%x[-1,0]"));
  const std::string templates = files.folder.Write("t.txt", standard.out);
  files.Trained();
  const auto weights = ModelWeights(files.model);
  files.Trained({"--template", templates, "--min-count", "3"});
  CHECK(ModelWeights(files.model) == weights);
  files.Trained({"--min-count", "1"});
  CHECK(ModelWeights(files.model).size() > weights.size());
  files.Trained({"--hash-bits", "6"});
  CHECK(ModelWeights(files.model).size() == 4 * (64 + 3) + 16);
  CHECK(Contains(OutputOf({"info", files.model}),
                 "features    64, hashed, of 23 templates over 2 columns"));
  Succeed({"sequence", "evaluate", files.test, "--model", files.model});
  const std::string own = files.folder.Write("own.txt", "U: %x[0,1]\n");
  files.Trained({"--template", own});
  CHECK(ModelWeights(files.model).size() == 4 * (5 + 3) + 16);
}

TEST_CASE("templates by name are reported, stored and written") {
  const SequenceFiles files;
  const auto trained = [&](const Arguments& more) { return Succeed(files.Train(more)).err; };
  const auto info = [&] { return OutputOf({"info", files.model}); };
  CHECK(Contains(
      trained({}),
      "templates: chunking+spelling, since column 0 holds words; 23 features per token\n"));
  CHECK(Contains(
      info(),
      "templates   chunking+spelling (see `sequence template --template chunking+spelling`)\n"));
  CHECK(JsonOf({"info", files.model, "--json"})["template_set"] == "chunking+spelling");
  const auto by_default = ModelWeights(files.model);
  CHECK(Contains(trained({"--template", "chunking"}),
                 "templates: chunking; 19 features per token\n"));
  CHECK(ModelWeights(files.model).size() < by_default.size());
  CHECK(Contains(trained({"--template", "spelling"}),
                 "templates: spelling; 15 features per token\n"));
  trained({"--template", "auto"});
  CHECK(ModelWeights(files.model) == by_default);

  // Tokens that are numbers have no spelling features.
  const std::string numbers =
      files.folder.Write("numbers.txt", "11 A X\n12 B Y\n\n11 A X\n12 B Y\n");
  const Arguments train = {"sequence", "train",   numbers,    "--min-count",
                           "1",        "--model", files.model};
  CHECK(
      Contains(Succeed(train).err,
               "templates: chunking, since column 0 does not hold words; 19 features per token\n"));
  const std::string own = files.folder.Write("own.txt", "U: %m[0,0,\"\\d$\"]\nV: %t[1,0,\"^1\"]\n");
  CHECK(Contains(Succeed(train + Arguments{"--template", own}).err,
                 "templates: " + own + "; 2 features per token\n"));
  CHECK(Contains(info(), "templates   U: %m[0,0,\"\\d$\"]; V: %t[1,0,\"^1\"]\n"));
  CHECK(OutputOf({"sequence", "predict", numbers, "--model", files.model}) ==
        "11 A X\n12 B Y\n\n11 A X\n12 B Y\n");

  CHECK(OutputOf({"sequence", "template", numbers}) ==
        OutputOf({"sequence", "template", "--template", "chunking"}));
  CHECK(OutputOf({"sequence", "template", files.conll}) == OutputOf({"sequence", "template"}));
  CHECK(Lines(OutputOf({"sequence", "template", "--columns", "1"})).size() == 15 + 2);
  CheckRefused(files, {"sequence", "template", "--columns", "1", "--template", "chunking"},
               "--template: the templates chunking need words and parts of speech");
  CheckRefused(files, {"sequence", "template", "--template", "words"},
               "--template: 'words' is not allowed");
  CheckRefused(files, {"sequence", "template", files.folder.Write("letters.data", LettersText(1))},
               "letters.data:1: letters have their pixels as features, and no templates");
  CheckRefused(files, files.Train({"--template", "chunkin"}),
               "chunkin: there is neither such a file nor such a set");
}

TEST_CASE("attributes of CRFsuite: train, info, predict, evaluate and explain") {
  const SequenceFiles files;
  const auto convert = [&](const std::string& name, const std::string& text) {
    std::string converted;
    for (const std::string& line : Lines(text)) {
      const std::size_t first = line.find(' ');
      const std::size_t last = line.rfind(' ');
      if (first != std::string::npos) {
        converted += line.substr(last + 1) + "\tw=" + line.substr(0, first) +
                     "\tp\\:tag=" + line.substr(first + 1, last - first - 1) + "\tbias:0.5";
      }
      converted += "\n";
    }
    return files.folder.Write(name, converted);
  };
  const std::string train = convert("a.txt", ReadBytes(files.conll));
  const std::string test = convert("b.txt", ReadBytes(files.test));
  const Outcome trained =
      Succeed({"sequence", "train", train, "--format", "attributes", "--lambda", "0.001",
               "--verify", "--constraints", "bio", "--model", files.model});
  CHECK(Contains(trained.err, " attributes, 4 labels, "));
  const Json info = JsonOf({"info", files.model, "--json"});
  CHECK(info["format"] == "attributes");
  CHECK(info["hash_bits"] == 0);
  CHECK(info["options"]["min-count"] == "1");
  CHECK(Contains(OutputOf({"info", files.model}), " attributes\n"));
  CHECK(Contains(OutputOf({"info", files.model, "--weights"}), "p:tag=DT"));
  CHECK(Contains(ReadBytes(files.folder.Path("b.txt")), "p\\:tag=DT"));
  const auto lines = Lines(OutputOf({"sequence", "predict", test, "--model", files.model}));
  const auto given = Lines(ReadBytes(test));
  REQUIRE(lines.size() + 1 == given.size());
  int right = 0;
  int tokens = 0;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    CHECK(lines[k].empty() == given[k].empty());
    if (lines[k].empty()) continue;
    ++tokens;
    right += lines[k] == given[k].substr(0, given[k].find('\t')) ? 1 : 0;
  }
  const Json metrics = JsonOf({"sequence", "evaluate", test, "--model", files.model, "--json"});
  CHECK(metrics["tokens"] == tokens);
  CHECK(metrics["token_accuracy"].get<double>() ==
        doctest::Approx(static_cast<double>(right) / tokens));
  CHECK(metrics["chunks"]["f1"] > 0.9);
  const Outcome stream =
      Succeed({"sequence", "predict", test, "--model", files.model, "--stream", "-q"});
  CHECK(Lines(stream.out) == lines);
  CHECK(Contains(OutputOf({"sequence", "predict", test, "--model", files.model, "--explain", "1"}),
                 "p:tag=DT"));
  const auto refuse = [&](const Arguments& more, const std::string& message) {
    CheckRefused(files,
                 Arguments{"sequence", "train", train, "--format", "attributes", "--model",
                           files.folder.Path("new.slk")} +
                     more,
                 message);
  };
  refuse({"--template", "chunking"}, "--template: tokens have their attributes as features");
  refuse({"--folds", "1"}, "the data have no folds");
  refuse({"--min-count", "100000"}, "no feature occurs 100000 times");
}

TEST_CASE("paths, certificates, checkpoints and losses work for sequences") {
  const SequenceFiles files;
  Succeed({"sequence", "train", files.conll, "--lambda-path", "0.1,0.01", "--verify", "--model",
           files.model, "-q"});
  CHECK(ModelReader(files.folder.Path("m-0.1.slk")).Has("weights"));
  CHECK(ModelReader(files.folder.Path("m-0.01.slk")).Has("weights"));
  const std::string checkpoint = files.folder.Path("c.ckpt");
  const Arguments exact = {"--gap-tolerance", "0", "-q"};
  Succeed(files.Train(exact + Arguments{"--max-passes", "4", "--checkpoint", checkpoint}));
  Succeed(files.Train(exact + Arguments{"--max-passes", "8", "--resume", checkpoint}));
  const auto resumed = ModelWeights(files.model);
  Succeed(files.Train(exact + Arguments{"--max-passes", "8"}));
  CHECK(ModelWeights(files.model) == resumed);
  CheckRefused(files.Train(exact + Arguments{"--resume", checkpoint, "--min-count", "1"}),
               "belongs to another run");
  Succeed(files.Train({"--loss", "count"}));
  CHECK(ModelWeights(files.model) != resumed);
  // Costs of 1 give the same model as no costs.
  const std::string ones = files.folder.Write("ones.txt", "O * 1\nO B-NP 1\n\nB-VP\tI-NP 1\n");
  files.Trained();
  const auto plain = ModelWeights(files.model);
  files.Trained({"--costs", ones});
  CHECK(ModelWeights(files.model) == plain);
  const std::string dear = files.folder.Write("dear.txt", "O * 50\n");
  files.Trained({"--costs", dear});
  CHECK(ModelWeights(files.model) != plain);
  CHECK(JsonOf({"info", files.model, "--json"})["loss"] == "mean with costs");
}

TEST_CASE("cross-validation chooses and trains") {
  const SequenceFiles files;
  const Arguments cv = {"sequence", "cv", files.conll, "--lambda-path", "1,0.01", "--folds", "3"};
  const Outcome table = Succeed(cv + Arguments{"--model", files.model});
  const auto lines = Lines(table.out);
  REQUIRE(lines.size() == 3);
  CHECK(Contains(lines[0], "chunk F1"));
  CHECK(std::count_if(lines.begin(), lines.end(),
                      [](const auto& l) { return l.ends_with("  best"); }) == 1);
  const Json info = JsonOf({"info", files.model, "--json"});
  CHECK(info["lambda"] == (lines[1].ends_with("  best") ? 1 : 0.01));
  const Json json = JsonOf(cv + Arguments{"--no-refit", "--json", "--metric", "hamming"});
  CHECK(json["metric"] == "hamming_loss");
  REQUIRE(json["path"].size() == 2);
  CHECK(json["path"][1]["f1"]["folds"].size() == 3);
  const double large = json["path"][0]["hamming_loss"]["mean"];
  const double small = json["path"][1]["hamming_loss"]["mean"];
  CHECK(json["best"]["mean"] == std::min(large, small));
  CHECK(json["best"]["lambda"] == (large <= small ? 1 : 0.01));
  for (const char* threads : {"2", "4"}) {
    Json same =
        JsonOf(cv + Arguments{"--no-refit", "--json", "--metric", "hamming", "--threads", threads});
    for (std::size_t k = 0; k < 2; ++k) CHECK(same["path"][k]["f1"] == json["path"][k]["f1"]);
  }
  // Letters have no chunks.
  const std::string letters = files.folder.Write("letters.data", TwoFolds(LettersText(24)));
  const Arguments letter_cv = {"sequence", "cv",      letters, "--only-folds", "0", "--lambda-path",
                               "0.1",      "--folds", "2",     "--no-refit"};
  const Json result = JsonOf(letter_cv + Arguments{"--json"});
  CHECK_FALSE(result["path"][0].contains("f1"));
  CHECK(result["sequences"] < 24);
  CheckRefused(files, letter_cv + Arguments{"--metric", "f1"},
               "--metric: f1 needs chunks, but the labels of ");
  CheckRefused(files,
               {"sequence", "cv", files.conll, "--lambda-path", "1", "--folds", "41", "--no-refit"},
               "--folds: '41', but ");
  const std::string few = files.folder.Write("few.txt", "a A\nb B\n\na ?\n\nb ?\n");
  CheckRefused(files,
               {"sequence", "cv", few, "--min-count", "1", "--lambda-path", "1", "--folds", "3",
                "--no-refit", "-q"},
               " of 3 has ");
}

TEST_CASE("bad input is refused, with its place") {
  const SequenceFiles files;
  const auto refuse = [&](const std::string& text, const Arguments& more,
                          const std::string& message) {
    const std::string bad = files.folder.Write("bad.txt", text);
    CheckRefused(files, Arguments{"sequence", "train", bad, "--model", files.model} + more,
                 message);
  };
  refuse("", {}, "bad.txt: no tokens");
  refuse("\n \n", {}, "bad.txt: no tokens");
  refuse("a B\nb\n", {}, "bad.txt:2: 1 column at 'b', but line 1 has 2");
  refuse("a\nb\n", {}, "bad.txt:1: 1 column at 'a', but training needs tokens and labels");
  refuse("a ?\nb ?\n", {}, "bad.txt: no known labels");
  refuse("a X\nb Y\n", {}, "bad.txt: no feature occurs 3 times");
  refuse("a X\nb Y\n", {"--folds", "0"}, "bad.txt: the data have no folds");
  refuse("a X\nb Y\n", {"--format", "letters"}, "bad.txt:1: 1 field, but a line has id, letter");
  refuse("a X\nb Y\n", {"--format", "csv"},
         "--format: 'csv' is not allowed; it must be one of letters conll attributes");
  refuse("1\ta\t-1\t1\t1\t0\t1\n2\ta\t-1\t1\t1\t0\t2\n", {},
         "bad.txt:2: pixel 1 is '2', not 0 or 1");
  std::string pixels;
  for (int k = 0; k < 128; ++k) pixels += "\t0";
  refuse("x\ta\t-1\t1\t1\t0" + pixels + "\n", {}, "bad.txt:1: id 'x'");
  refuse("a X\nb Y\n", {"--hash-bits", "31"},
         "--hash-bits: '31' is not allowed; at most 30 are possible");
  refuse("a X\nb Y\n", {"--hash-bits", "0"},
         "--hash-bits: '0' is not allowed; it must be a whole number ≥ 1");
  refuse("a X\nb Y\n", {"--hash-bits", "3", "--min-count", "1"},
         "--hash-bits: hashed features are not counted");
  refuse("a X\nb Y\n", {"--min-count", "0"}, "--min-count: '0' is not allowed");
  refuse("a X\nb Y\n", {"--loss", "f1"},
         "--loss: 'f1' is not allowed; it must be one of mean count");
  refuse("a X\nb Y\n", {"--format", "letters", "--min-count", "2"},
         "--min-count: letters have their pixels as features");
  const auto refuse_costs = [&](const std::string& costs, const std::string& message) {
    refuse("a X\nb Y\n", {"--min-count", "1", "--costs", files.folder.Write("costs.txt", costs)},
           message);
  };
  refuse_costs("X Y 1\nX Z 2\n", "costs.txt:2: there is no label 'Z' in the data");
  refuse_costs("X Y -1\n", "costs.txt:1: cost '-1' is not a number ≥ 0");
  refuse_costs("X Y\n", "costs.txt:1: expected a given label, a predicted label and a cost");
  refuse_costs("X X 2\n", "costs.txt:1: label 'X' itself must cost nothing");
  files.folder.Write("t.txt", "U: %x[0,7]\n");
  refuse("a X\nb Y\n", {"--template", files.folder.Path("t.txt")}, "t.txt:1: ");
  CheckRefused(files, {"sequence", "train", files.folder.Path("none.txt"), "--model", files.model},
               "none.txt: cannot open the file");
  CheckRefused(files, {"sequence", "predict", files.test, "--model", files.model},
               "m.slk: cannot open the file");
  CheckRefused(files, {"sequence", "template", "--columns", "0"}, "--columns: '0' is not allowed");
  files.Trained();
  CheckRefused(files,
               {"sequence", "predict", files.test, "--model", files.model, "--output", "nbest=0"},
               "--output: 'nbest=0' is not allowed; it must be one of labels scores nbest=K");
  const std::string narrow = files.folder.Write("narrow.txt", "a\n");
  CheckRefused(files, {"sequence", "predict", narrow, "--model", files.model},
               "narrow.txt:1: 1 column at 'a', but the model needs 2 columns");
  std::string bytes = ReadBytes(files.model);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  const std::string damaged = files.folder.Write("damaged.slk", bytes);
  CheckRefused(files, {"sequence", "predict", files.test, "--model", damaged}, "damaged.slk: ");
  CheckRefused(files, {"multilabel", "predict", files.test, "--model", files.model},
               "a model of another task: 'sequence'");
}

TEST_CASE("data that need more memory than there is are refused") {
  const SequenceFiles files;
  CheckRefused(files, files.Train({"--hash-bits", "30", "--min-count", "1"}),
               "--hash-bits: hashed features are not counted");
  std::string text;  // 1500 labels of 2^30 features
  for (int k = 0; k < 1500; ++k) text += "w L" + std::to_string(k) + "\n";
  const std::string many = files.folder.Write("many.txt", text);
  CheckRefused(
      files, {"sequence", "train", many, "--hash-bits", "30", "--model", files.model},
      "many.txt: 1500 labels × 1073741824 features on 1500 tokens: training needs about 77.3 TB");
  for (int k = 1500; k < 8300; ++k) text += "w L" + std::to_string(k) + "\n";
  files.folder.Write("many.txt", text);
  CheckRefused(files, {"sequence", "train", many, "--model", files.model},
               "many.txt: 8300 different labels, but at most 8192 are possible");
}

TEST_CASE("columns between tabs keep their blanks, CoNLL-U its words, and --comments goes") {
  const TemporaryFolder folder;
  const std::string model = folder.Path("m.slk");
  std::string tabs, universal, comments;
  for (int k = 0; k < 12; ++k) {
    tabs += "New York\t\tB\nis\tverb\tO\n\n";
    universal += "# sent_id = " + std::to_string(k) +
                 "\n1-2\tdont\t_\t_\t_\t_\t_\t_\t_\t_\n"
                 "1\tdo\t_\tAUX\t_\t_\t_\t_\t_\t_\n2\tnot\t_\tPART\t_\t_\t_\t_\t_\t_\n"
                 "2.1\tgone\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n";
    comments += "# a b\ndo x AUX\nnot y PART\n\n";
  }
  const auto train = [&](const std::string& data, const Arguments& options = {}) {
    return Succeed(RunProgram(
                       Arguments{"sequence", "train", data, "--model", model, "--lambda", "0.01"} +
                       options))
        .err;
  };
  const std::string tab_file = folder.Write("tabs.txt", tabs);
  CHECK(Contains(train(tab_file), "12 sequences, 24 tokens"));
  CHECK(Contains(OutputOf({"sequence", "predict", tab_file, "--model", model}),
                 "New York\t\tB\nis\tverb\tO\n\n"));

  const std::string universal_file = folder.Write("words.conllu", universal);
  CHECK(Contains(train(universal_file), "12 sequences, 24 tokens"));
  CHECK(JsonOf({"info", model, "--json"})["labels"] == Json::array({"AUX", "PART"}));
  const std::string out = OutputOf({"sequence", "predict", universal_file, "--model", model});
  CHECK(Contains(out, "AUX\n"));
  CHECK(!Contains(out, "dont"));
  CHECK(JsonOf({"sequence", "evaluate", universal_file, "--model", model,
                "--json"})["token_accuracy"] == 1);

  const std::string comment_file = folder.Write("comments.txt", comments);
  CHECK(Contains(train(comment_file), "--comments '#' leaves such"));
  CHECK(Contains(train(comment_file, {"--comments", "#"}), "12 sequences, 24 tokens"));
  CHECK(JsonOf({"info", model, "--json"})["labels"] == Json::array({"AUX", "PART"}));
  CHECK(JsonOf({"sequence", "evaluate", comment_file, "--model", model, "--comments", "#",
                "--json"})["tokens"] == 24);
}
