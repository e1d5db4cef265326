// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions need little memory: text whose training does not fit in a limit is converted in it.
#include <sys/resource.h>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <tests/apps/program.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

#ifndef SLACKLINE_SANITIZED  // sanitizers need memory of their own

namespace {

/// Runs the program with at most this much memory for its data, which mapped files do not count in.
Outcome RunIn(rlim_t megabytes, const Arguments& arguments) {
  return RunProgram(arguments, "/dev/null", "", [megabytes] {
    const rlimit limit{megabytes << 20, megabytes << 20};
    setrlimit(RLIMIT_DATA, &limit);
  });
}

void CheckConverts(const std::string& task, const std::string& text, rlim_t megabytes,
                   const Arguments& more) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("text", text);
  for (const Arguments& out :
       {Arguments{"--out", folder.Path("a")}, {"--out", folder.Path("b"), "--parts", "4"}}) {
    Succeed(RunIn(megabytes, Arguments{task, "convert", path, "-q"} + out + more));
  }
  const Outcome trained = RunIn(megabytes, Arguments{task, "train", path, "-q", "--max-passes", "1",
                                                     "--model", folder.Path("m")} +
                                               more);
  INFO(trained.err);
  CHECK(trained.code == 1);
  CHECK(Contains(trained.err, "not enough memory"));
}

}  // namespace

TEST_CASE("tables") {
  Random random(1);
  std::string text = "tag,colour";
  for (int k = 0; k < 20; ++k) text += ",x" + std::to_string(k);
  for (int m = 0; m < 120000; ++m) {
    text += m % 3 == 0 ? "\n1,red" : "\n0,blue";
    for (int k = 0; k < 20; ++k) text += ',' + std::to_string(random.Below(10000));
  }
  CheckConverts("multilabel", text + "\n", 16, {"--label-columns", "tag"});
}

TEST_CASE("sequences") {
  Random random(2);
  std::string text;
  for (int m = 0; m < 20000; ++m) {
    for (std::size_t k = 0; k < 4 + random.Below(9); ++k)
      text += 'w' + std::to_string(random.Below(300)) + " p" + std::to_string(random.Below(20)) +
              ' ' + "BIO"[random.Below(3)] + '\n';
    text += '\n';
  }
  CheckConverts("sequence", text, 24, {"--template", "spelling"});
}

#endif
