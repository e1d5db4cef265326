// SPDX-License-Identifier: BSD-3-Clause
//
// Small sequences as texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/line_reader.h>
#include <slackline/core/random.h>

namespace slackline::internal::test {

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
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < letters.size(); at += lines.back().size() + 1)
    lines.push_back(letters.substr(at, letters.find('\n', at) - at));
  std::string text;
  bool second = false;
  bool ended = false;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    second = second || (2 * k > lines.size() && ended);
    std::size_t fold = 0;
    for (int tab = 0; tab < 5; ++tab) fold = lines[k].find('\t', fold) + 1;
    text += lines[k].substr(0, fold) + (second ? "7" : "0") + lines[k].substr(fold + 1) + "\n";
    ended = lines[k].find("\t-1\t") != std::string::npos;
  }
  return text;
}

}  // namespace slackline::internal::test
