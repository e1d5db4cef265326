// SPDX-License-Identifier: BSD-3-Clause
//
// Small texts and models for the tests of slackline sequence.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/line_reader.h>
#include <slackline/core/random.h>
#include <tests/apps/program.h>

namespace slackline::internal::test {

using Arguments = std::vector<std::string>;

/// Words with parts of speech: a noun chunk is an article, some adjectives and a noun.
inline std::string ConllText(int sentences, std::uint64_t seed, bool labels = true) {
  Random random(seed);
  std::string text;
  const auto line = [&](const std::string& word, const std::string& part,
                        const std::string& label) {
    text += word + " " + part + (labels ? " " + label : "") + "\n";
  };
  for (int m = 0; m < sentences; ++m) {
    for (std::size_t phrase = 0; phrase <= random.Below(2); ++phrase) {
      line(random.Below(2) == 0 ? "the" : "a", "DT", "B-NP");
      for (std::size_t k = random.Below(3); k > 0; --k)
        line("big" + std::to_string(random.Below(3)), "JJ", "I-NP");
      line("noun" + std::to_string(random.Below(5)), "NN", "I-NP");
      line("verb" + std::to_string(random.Below(4)), "VB", random.Below(8) == 0 ? "O" : "B-VP");
    }
    line(".", ".", "O");
    text += "\n";
  }
  return text;
}

/// The first words of the shipped letters.
inline std::string LettersText(int words) {
  LineReader reader(std::string(SLACKLINE_SOURCE_DIR) + "/data/letters/letter-fold0.data.gz");
  std::string text;
  std::string_view line;
  while (words > 0 && reader.Next(&line)) {
    text.append(line).push_back('\n');
    if (line.find("\t-1\t") != std::string_view::npos) --words;
  }
  return text;
}

/// The letters with the second half of the words in another fold.
inline std::string TwoFolds(const std::string& letters) {
  const auto lines = Lines(letters);
  std::string text;
  bool second = false;
  bool ended = false;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    second = second || (2 * k > lines.size() && ended);
    std::size_t fold = 0;
    for (int tab = 0; tab < 5; ++tab) fold = lines[k].find('\t', fold) + 1;
    text += lines[k].substr(0, fold) + (second ? "7" : "0") + lines[k].substr(fold + 1) + "\n";
    ended = Contains(lines[k], "\t-1\t");
  }
  return text;
}

struct Files {
  TemporaryFolder folder;
  std::string conll = folder.Write("train.txt", ConllText(40, 5));
  std::string test = folder.Write("test.txt", ConllText(15, 6));
  std::string model = folder.Path("m.slk");

  Arguments Train(const Arguments& more = {}) const {
    return Arguments{"sequence", "train", conll, "--lambda", "0.001", "--model", model} + more;
  }
  /// Trains a model of the training data; returns its path.
  const std::string& Trained(const Arguments& more = {}) const {
    const Outcome outcome = RunProgram(Train(more));
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return model;
  }
};

inline Outcome Good(const Arguments& arguments, const std::string& input = "/dev/null") {
  const Outcome outcome = RunProgram(arguments, input);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return outcome;
}

/// Checks that the run ends with exit code 2 and this message, and writes nothing.
inline void CheckRefused(const Files& files, const Arguments& arguments,
                         const std::string& message) {
  const std::size_t before = files.folder.NumFiles();
  const Outcome outcome = RunProgram(arguments);
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK(files.folder.NumFiles() == before);
  const auto lines = Lines(outcome.err);
  REQUIRE(!lines.empty());
  const std::string got = lines.back();
  CHECK_MESSAGE(Contains(got, message), got);
}

inline std::string LastCell(const std::string& line) {
  return line.substr(line.find_last_of(" \t") + 1);
}

}  // namespace slackline::internal::test
