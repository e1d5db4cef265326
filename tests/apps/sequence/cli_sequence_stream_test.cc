// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline sequence predict on streams, one sequence after the other.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <slackline/core/line_reader.h>
#include <tests/apps/conversation.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Arguments = std::vector<std::string>;

const char* const kTraining =
    "the DT B-NP\ncat NN I-NP\nsleeps VB B-VP\n. . O\n\na DT B-NP\nbig JJ I-NP\ndog NN I-NP\n"
    "sleeps VB B-VP\n\ndogs NN B-NP\nsleep VB B-VP\n. . O\n";

const char* const kTest =
    "the DT B-NP\ndog NN I-NP\n\n\nbig JJ B-NP\ncats NN I-XX\nsleep VB ?\n \n. . O\n\nthe DT "
    "B-NP\n";

/// The first words of the shipped letters, every second one in fold 3.
std::string LettersText(int words) {
  LineReader reader(std::string(SLACKLINE_SOURCE_DIR) + "/data/letters/letter-fold0.data.gz");
  std::string text;
  std::string_view line;
  while (words > 0 && reader.Next(&line)) {
    std::string changed(line);
    std::size_t fold = 0;
    for (int tab = 0; tab < 5; ++tab) fold = changed.find('\t', fold) + 1;
    if (words % 2 == 0) changed[fold] = '3';
    text.append(changed).push_back('\n');
    if (changed.find("\t-1\t") != std::string::npos) --words;
  }
  return text;
}

struct Files {
  TemporaryFolder folder;
  std::string test = folder.Write("test.txt", kTest);
  std::string model = folder.Path("m.slk");

  Files() { Train(kTraining); }
  void Train(const std::string& text, const Arguments& more = {}) const {
    const std::string data = folder.Write("train.txt", text);
    const Outcome outcome = RunProgram(Arguments{"sequence", "train", data, "--lambda", "0.01",
                                                 "--gap-tolerance", "0.01", "--model", model} +
                                       more);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
  }
  Arguments Predict(const std::string& data, const Arguments& more = {}) const {
    return Arguments{"sequence", "predict", data, "--model", model} + more;
  }
  /// Checks that a stream, from a file and from the standard input, gives the output of the whole
  /// file.
  void CheckSame(const std::string& data, const Arguments& more = {}) const {
    const Outcome whole = RunProgram(Predict(data, more));
    REQUIRE(whole.code == 0);
    for (const bool piped : {false, true}) {
      CAPTURE(piped);
      const Outcome stream = piped ? RunProgram(Predict("-", more), data)
                                   : RunProgram(Predict(data, more + Arguments{"--stream"}));
      CHECK(stream.code == 0);
      CHECK(stream.out == whole.out);
      CHECK(stream.err == whole.err);
    }
  }
};

}  // namespace

TEST_CASE("a stream of CoNLL columns gives the results of the whole file, bit for bit") {
  const Files files;
  for (const char* output : {"labels", "scores", "nbest=3"}) {
    CAPTURE(output);
    files.CheckSame(files.test, {"--output", output});
    files.CheckSame(files.folder.WriteGzip("t.gz", kTest), {"--output", output});
  }
  files.CheckSame(files.folder.Write("bare.txt", "the\tDT\ndog\tNN\n\ncats\tNN\n\n"));
  files.Train(kTraining, {"--constraints", "bio", "--min-count", "1"});
  files.CheckSame(files.test, {"--output", "scores"});
}

TEST_CASE("features are scaled in streams as in files") {
  const Files files;
  const std::string letters = files.folder.Write("l.data", LettersText(12));
  for (const char* scale : {"standard", "norm"}) {
    CAPTURE(scale);
    files.Train(kTraining, {"--scale", scale});
    files.CheckSame(files.test, {"--output", "scores"});
    files.Train(LettersText(30), {"--scale", scale});
    files.CheckSame(letters, {"--output", "scores"});
  }
}

TEST_CASE("a stream of letters gives the results of the whole file, fold by fold") {
  const Files files;
  files.Train(LettersText(30));
  const std::string data = files.folder.Write("letters.data", LettersText(40));
  for (const char* output : {"labels", "scores", "nbest=2"}) {
    files.CheckSame(data, {"--output", output});
    files.CheckSame(data, {"--output", output, "--folds", "3"});
  }
  const Outcome refused = RunProgram(files.Predict("-", {"--folds", "3,5"}), data);
  CHECK(refused.code == 2);
  CHECK(Contains(refused.err, "<stdin>: no sequence belongs to fold '5'\n"));
  CHECK(RunProgram(files.Predict("-", {"--folds", "x"}), data).code == 2);
  const Outcome cut = RunProgram(files.Predict("-"), files.folder.Write("cut", "1\ta\t2\t1\t1\t0"));
  CHECK(cut.code == 2);
}

TEST_CASE("a sentence is answered before the next one is read") {
  const Files files;
  const auto whole = Lines(RunProgram(files.Predict(files.test)).out);
  Conversation program(files.Predict("-", {"-q"}));
  program.Write("the DT\ndog NN\n\n");
  CHECK(program.ReadLine() == whole[0]);
  CHECK(program.ReadLine() == whole[1]);
  program.Write("\nbig JJ\ncats NN\n");
  program.Write("sleep VB\n\n");
  for (std::size_t k = 2; k < 6; ++k) CHECK(program.ReadLine() == whole[k]);
  program.Write(". .\n\nthe DT\n");  // the last sentence has no blank line behind it
  program.CloseInput();
  for (std::size_t k = 6; k < whole.size(); ++k) CHECK(program.ReadLine() == whole[k]);
  CHECK(program.ReadLine().empty());
  CHECK(program.Wait() == 0);
}

TEST_CASE("the results before a fault are written") {
  const Files files;
  const std::string bad =
      files.folder.Write("bad.txt", "the DT O\ncat NN O\n\ncat NN\n\ndog NN O\n");
  const Outcome stream = RunProgram(files.Predict("-"), bad);
  CHECK(stream.code == 2);
  CHECK(Lines(stream.out).size() == 2);
  CHECK(stream.out.starts_with("the DT "));
  CHECK(Contains(stream.err, "<stdin>:4: 2 columns at 'cat', but line 1 has 3\n"));
  // An output file is complete or does not exist.
  const std::string out = files.folder.Path("out.txt");
  CHECK(RunProgram(files.Predict(bad, {"--stream", "--out", out})).code == 2);
  CHECK(ReadBytes(out).empty());
  CHECK(RunProgram(files.Predict(files.test, {"--stream", "--out", out, "-q"})).code == 0);
  CHECK(ReadBytes(out) == RunProgram(files.Predict(files.test)).out);
  for (const char* nothing : {"", "\n \n"}) {
    const Outcome empty = RunProgram(files.Predict("-", {"--output", "scores"}),
                                     files.folder.Write("empty.txt", nothing));
    CHECK(empty.code == 2);
    CHECK(empty.out.empty());
    CHECK(Contains(empty.err, "<stdin>: no tokens\n"));
  }
  const Outcome folds = RunProgram(files.Predict("-", {"--folds", "1"}), files.test);
  CHECK(folds.code == 2);
  CHECK(Contains(folds.err, "<stdin>: the data have no folds\n"));
}

TEST_CASE("a closed output ends a stream with an error") {
  const Files files;
  const Outcome full = RunProgram(files.Predict("-"), files.test, "/dev/full");
  CHECK(full.code == 2);
  CHECK(Contains(full.err, "<stdout>: writing failed"));
  const Outcome device = RunProgram(files.Predict("-", {"--out", "/dev/full"}), files.test);
  CHECK(device.code == 2);
  CHECK(Contains(device.err, "/dev/full: writing failed"));
}
