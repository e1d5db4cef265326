// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/standard_input.h>

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/line_reader.h>
#include <tests/core/piped_input.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/thread_ranks.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::string ReadAnew() {
  std::ifstream file("/dev/stdin", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// More bytes than a pipe or a piece holds.
std::string LongText() {
  std::string text;
  for (int k = 0; text.size() < 9'000'000; ++k) text += std::to_string(k) + "\n";
  return text;
}

}  // namespace

TEST_CASE("all ranks can read the standard input of rank 0 as often as they want") {
  for (const std::string& text : {std::string(), std::string("one line"), LongText()}) {
    for (const CopyAccess access : {CopyAccess::kSameMachine, CopyAccess::kNobody}) {
      for (const int size : {1, 2, 4}) {
        CAPTURE(text.size());
        CAPTURE(size);
        const PipedInput input(text);
        std::vector<int> good(Size(size), 0);
        OnThreadRanks(size, [&](ThreadRanks& ranks) {
          ShareStandardInput(ranks, access);
          good[Size(ranks.rank())] += ReadAnew() == text ? 1 : 0;
          good[Size(ranks.rank())] += ReadAnew() == text ? 1 : 0;
        });
        CHECK(good == std::vector<int>(Size(size), 2));
      }
    }
  }
}

TEST_CASE("the standard input itself begins anew, too") {
  const PipedInput input("one\ntwo\n");
  OnThreadRanks(1, [](ThreadRanks& ranks) { ShareStandardInput(ranks); });
  LineReader lines("-");
  std::string_view line;
  REQUIRE(lines.Next(&line));
  CHECK(line == "one");
}

TEST_CASE("ranks of one machine share one copy") {
  const std::string text = LongText();
  for (const CopyAccess access : {CopyAccess::kSameMachine, CopyAccess::kNobody}) {
    const PipedInput input(text);
    OnThreadRanks(2, [&](ThreadRanks& ranks) {
      ShareStandardInput(ranks, access);
      CHECK((ranks.sent() > text.size()) == (ranks.first() && access == CopyAccess::kNobody));
    });
  }
}

TEST_CASE("a folder that cannot keep the copy is an error on all ranks") {
  const TemporaryFolder folder;
  const PipedInput input("text");
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "/tmp" : before;
  setenv("TMPDIR", folder.Path("none").c_str(), 1);
  std::vector<std::string> messages(2);
  OnThreadRanks(2, [&](ThreadRanks& ranks) {
    messages[Size(ranks.rank())] = MessageOf<DataError>([&] { ShareStandardInput(ranks); });
  });
  setenv("TMPDIR", kept.c_str(), 1);
  CHECK(messages[0] == messages[1]);
  CHECK(messages[0].starts_with("<stdin>: cannot make a file in " + folder.Path("none")));
}
