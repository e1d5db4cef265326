// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/read_file.h>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <tests/core/pipe.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("a file of the maximum size is read whole, and a larger file is refused") {
  const TemporaryFolder folder;
  const std::string text(3'000'000, 'x');
  const std::string path = folder.Write("a", text);
  CHECK(ReadFile(path, text.size()) == text);
  CHECK(MessageOf<DataError>([&] { ReadFile(path, text.size() - 1); }) ==
        path + ": the file is too long; at most 3.00 MB are allowed");
  CHECK(ReadFile(folder.Write("b", ""), 0).empty());
}

TEST_CASE("a pipe is read to its end") {
  const TemporaryFolder folder;
  const std::string text(200'000, 'x');
  const Pipe pipe(folder.Path("pipe"), text);
  CHECK(ReadFile(pipe.path(), 1'000'000) == text);
}

TEST_CASE("an endless file is read only up to the maximum size") {
  CHECK(ReadFileUpTo("/dev/zero", [](std::string_view) { return 1000; }).size() < 10'000'000);
  CHECK(Contains(MessageOf<DataError>([] { ReadFile("/dev/zero", 1000); }), "is too long"));
}

TEST_CASE("files that cannot be read are reported") {
  const TemporaryFolder folder;
  CHECK(Contains(MessageOf<DataError>([&] { ReadFile(folder.Path(""), 9); }), "is a directory"));
  CHECK(Contains(MessageOf<DataError>([&] { ReadFile(folder.Path("none"), 9); }),
                 "none: cannot open the file: No such file"));
}
