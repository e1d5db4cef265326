// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/file_map.h>

#include <sys/stat.h>

#include <string>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("files lie one after the other, each from the beginning of a page on") {
  const TemporaryFolder folder;
  const std::string first(5000, 'a');
  const std::string last = "last";
  const FileMap map({folder.Write("a", first), folder.Write("b", ""), folder.Write("c", last)});
  REQUIRE(map.num_files() == 3);
  CHECK(map.bytes(0) == first);
  CHECK(map.bytes(1).empty());
  CHECK(map.bytes(2) == last);
  for (Index f = 0; f < 3; ++f) {
    CHECK(map.begin(f) % 4096 == 0);
    CHECK(map.bytes().substr(map.begin(f), map.bytes(f).size()) == map.bytes(f));
  }
  CHECK(map.bytes()[first.size()] == '\0');
  CHECK(map.path(2) == folder.Path("c"));
  map.ExpectRandomReads();
  map.WillNeed(0, map.bytes().size());
  map.WillNeed(map.begin(2) + 1, 1 << 30);
}

TEST_CASE("what a file was stays mapped when another takes its name") {
  const TemporaryFolder folder;
  const FileMap map({folder.Write("a", "old")});
  folder.Write("b", "new!");
  std::filesystem::rename(folder.Path("b"), folder.Path("a"));
  CHECK(map.bytes(0) == "old");
}

TEST_CASE("an address belongs to the file that is mapped there") {
  const TemporaryFolder folder;
  const char* begin = nullptr;
  {
    const FileMap map({folder.Write("a", "first"), folder.Write("b", "second")});
    begin = map.bytes(0).data();
    CHECK(FileMap::FileAt(begin) == folder.Path("a"));
    CHECK(FileMap::FileAt(map.bytes(1).data() + 3) == folder.Path("b"));
    CHECK(FileMap::FileAt(begin + map.bytes().size()) == nullptr);
    CHECK(FileMap::FileAt(&folder) == nullptr);
  }
  CHECK(FileMap::FileAt(begin) == nullptr);
}

TEST_CASE("what cannot be mapped is refused") {
  const TemporaryFolder folder;
  const auto message = [](const std::string& path) {
    return MessageOf<DataError>([&] { FileMap map({path}); });
  };
  CHECK(message(folder.Path("none")) ==
        folder.Path("none") + ": cannot open the file: No such file or directory");
  CHECK(message(folder.Path("")) == folder.Path("") + ": is a directory, not a file");
  REQUIRE(mkfifo(folder.Path("pipe").c_str(), 0600) == 0);
  CHECK(message(folder.Path("pipe")) == folder.Path("pipe") + ": is not a regular file");
  CHECK(FileMap({}).bytes().empty());
}
