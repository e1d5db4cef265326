// SPDX-License-Identifier: BSD-3-Clause
//
// Small texts and models for the tests of slackline sequence.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <tests/apps/program.h>
#include <tests/apps/sequence/sequence_data_texts.h>

namespace slackline::internal::test {

struct SequenceFiles {
  TemporaryFolder folder;
  std::string conll = folder.Write("train.txt", ConllText(40, 5));
  std::string test = folder.Write("test.txt", ConllText(15, 6));
  std::string model = folder.Path("m.slk");

  Arguments Train(const Arguments& more = {}) const {
    return Arguments{"sequence", "train", conll, "--lambda", "0.001", "--model", model} + more;
  }
  /// Trains a model of the training data; returns its path.
  const std::string& Trained(const Arguments& more = {}) const {
    Succeed(Train(more));
    return model;
  }
};

/// Checks that the run ends with exit code 2 and this message, and writes nothing.
inline void CheckRefused(const SequenceFiles& files, const Arguments& arguments,
                         const std::string& message) {
  const std::size_t before = files.folder.NumFiles();
  const Outcome outcome = RunProgram(arguments);
  CheckStopped(outcome, {message});
  CHECK(outcome.out.empty());
  CHECK(files.folder.NumFiles() == before);
}

inline std::string LastCell(const std::string& line) {
  return line.substr(line.find_last_of(" \t") + 1);
}

}  // namespace slackline::internal::test
