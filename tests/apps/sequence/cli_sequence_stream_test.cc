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

const char* const kTraining =
    "the DT B-NP\ncat NN I-NP\nsleeps VB B-VP\n. . O\n\na DT B-NP\nbig JJ I-NP\ndog NN I-NP\n"
    "sleeps VB B-VP\n\ndogs NN B-NP\nsleep VB B-VP\n. . O\n";

const char* const kTest =
    "the DT B-NP\ndog NN I-NP\n\n\nbig JJ B-NP\ncats NN I-XX\nsleep VB ?\n \n. . O\n\nthe DT "
    "B-NP\n";

/// The first words of the shipped letters, every second one in fold 3.
std::string LettersInFolds(int words) {
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

struct StreamFiles {
  TemporaryFolder folder;
  std::string test = folder.Write("test.txt", kTest);
  std::string model = folder.Path("m.slk");

  StreamFiles() { Train(kTraining); }
  void Train(const std::string& text, const Arguments& more = {}) const {
    const std::string data = folder.Write("train.txt", text);
    Succeed(Arguments{"sequence", "train", data, "--lambda", "0.01", "--gap-tolerance", "0.01",
                      "--model", model} +
            more);
  }
  Arguments Predict(const std::string& data, const Arguments& more = {}) const {
    return Arguments{"sequence", "predict", data, "--model", model} + more;
  }
  /// Checks that a stream, from a file and from the standard input, gives the output of the whole
  /// file.
  void CheckSame(const std::string& data, const Arguments& more = {}) const {
    const Outcome whole = Succeed(Predict(data, more));
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
  const StreamFiles files;
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
  const StreamFiles files;
  const std::string letters = files.folder.Write("l.data", LettersInFolds(12));
  for (const char* scale : {"standard", "norm"}) {
    CAPTURE(scale);
    files.Train(kTraining, {"--scale", scale});
    files.CheckSame(files.test, {"--output", "scores"});
    files.Train(LettersInFolds(30), {"--scale", scale});
    files.CheckSame(letters, {"--output", "scores"});
  }
}

TEST_CASE("a stream of letters gives the results of the whole file, fold by fold") {
  const StreamFiles files;
  files.Train(LettersInFolds(30));
  const std::string data = files.folder.Write("letters.data", LettersInFolds(40));
  for (const char* output : {"labels", "scores", "nbest=2"}) {
    files.CheckSame(data, {"--output", output});
    files.CheckSame(data, {"--output", output, "--folds", "3"});
  }
  CheckStopped(RunProgram(files.Predict("-", {"--folds", "3,5"}), data),
               {"<stdin>: no sequence belongs to fold '5'\n"});
  CHECK(RunProgram(files.Predict("-", {"--folds", "x"}), data).code == 2);
  const Outcome cut = RunProgram(files.Predict("-"), files.folder.Write("cut", "1\ta\t2\t1\t1\t0"));
  CHECK(cut.code == 2);
}

TEST_CASE("a sentence is answered before the next one is read") {
  const StreamFiles files;
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
  const StreamFiles files;
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
  Succeed(files.Predict(files.test, {"--stream", "--out", out, "-q"}));
  CHECK(ReadBytes(out) == RunProgram(files.Predict(files.test)).out);
  for (const char* nothing : {"", "\n \n"}) {
    CheckRefused(RunProgram(files.Predict("-", {"--output", "scores"}),
                            files.folder.Write("empty.txt", nothing)),
                 "<stdin>: no tokens\n");
  }
  CheckRefused(RunProgram(files.Predict("-", {"--folds", "1"}), files.test),
               "<stdin>: the data have no folds\n");
}

TEST_CASE("a closed output ends a stream with an error") {
  const StreamFiles files;
  const Outcome full = RunProgram(files.Predict("-"), files.test, "/dev/full");
  CHECK(full.code == 2);
  CHECK(Contains(full.err, "<stdout>: writing failed"));
  CheckRefused(RunProgram(files.Predict("-", {"--out", "/dev/full"}), files.test),
               "/dev/full: writing failed");
}
