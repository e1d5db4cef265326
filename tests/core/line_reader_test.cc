// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/line_reader.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::vector<std::string> AllLines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.Next(&line)) {
    lines.emplace_back(line);
    CHECK(reader.line_number() == static_cast<long>(lines.size()));
  }
  CHECK_FALSE(reader.Next(&line));
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("line ends of both kinds are stripped and blank lines are kept") {
  const TemporaryFolder folder;
  CHECK(AllLines(folder.Write("a", "one\r\n\ntwo \n\r\nlast")) ==
        Lines{"one", "", "two ", "", "last"});
  CHECK(AllLines(folder.Write("b", "one\n")) == Lines{"one"});
  CHECK(AllLines(folder.Write("c", "\n")) == Lines{""});
  CHECK(AllLines(folder.Write("d", "")).empty());
}

TEST_CASE("a byte order mark is skipped at the start of the file only") {
  const TemporaryFolder folder;
  CHECK(AllLines(folder.Write("a", "\xEF\xBB\xBFx\n\xEF\xBB\xBFy\n")) ==
        Lines{"x", "\xEF\xBB\xBFy"});
  CHECK(AllLines(folder.Write("b", "\xEF\xBB\xBF")) == Lines{""});
}

TEST_CASE("a line longer than the longest one is refused, with its number") {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& path) {
    return MessageOf<DataError>([&] {
      LineReader reader(path, 1000000);
      std::string_view line;
      while (reader.Next(&line)) {
      }
    });
  };
  const std::string longest(1000000, 'x');
  CHECK(message(folder.Write("a", "1\n" + longest + "\n3\n")) == "accepted");
  const std::string path = folder.Write("b", "1\n" + std::string(2000000, 'x') + "\n3\n");
  CHECK(message(path) == path + ":2: the line is longer than 1.00 MB");
  CHECK(message("/dev/zero") == "/dev/zero:1: the line is longer than 1.00 MB");
}

TEST_CASE("all lines together may be as long as one") {
  const TemporaryFolder folder;
  const std::string path =
      folder.Write("a", std::string(600, 'x') + "\n" + std::string(600, 'y') + "\n");
  LineReader reader(path, 1000);
  CHECK(MessageOf<DataError>([&] { ReadAll(&reader); }) ==
        path + ":2: the file is longer than 1.00 kB");
}

TEST_CASE("gzip is recognised by its content") {
  const TemporaryFolder folder;
  CHECK(AllLines(folder.WriteGzip("plain-name.txt", "one\ntwo\n")) == Lines{"one", "two"});
  CHECK(AllLines(folder.Write("not-gzip.gz", "one\ntwo\n")) == Lines{"one", "two"});
  const std::string part =
      ReadBytes(folder.WriteGzip("a.gz", "one\nt")) + ReadBytes(folder.WriteGzip("b.gz", "wo\n"));
  CHECK(AllLines(folder.Write("two-members.gz", part)) == Lines{"one", "two"});
}

TEST_CASE("lines longer than any buffer are read whole") {
  const TemporaryFolder folder;
  std::string text;
  Lines expected;
  for (const std::size_t length : {3u, 262143u, 262144u, 262145u, 1500000u, 1u}) {
    expected.emplace_back(length, static_cast<char>('a' + expected.size()));
    text += expected.back() + "\n";
  }
  CHECK(AllLines(folder.Write("long", text)) == expected);
  CHECK(AllLines(folder.WriteGzip("long.gz", text)) == expected);
}

TEST_CASE("ReadAll returns the rest of the file") {
  const TemporaryFolder folder;
  LineReader reader(folder.Write("a", "one\r\ntwo\nthree"));
  std::string_view line;
  REQUIRE(reader.Next(&line));
  CHECK(ReadAll(&reader) == "two\nthree\n");
}

TEST_CASE("files that cannot be read are named in the error") {
  const TemporaryFolder folder;
  const std::string missing = folder.Path("missing.txt");
  CHECK(MessageOf<DataError>([&] { LineReader reader(missing); }) ==
        missing + ": cannot open the file: No such file or directory");
  const std::string here = folder.Path("");
  CHECK(MessageOf<DataError>([&] { LineReader reader(here); }) ==
        here + ": is a directory, not a file");
  const std::string locked = folder.Write("locked", "text");
  std::filesystem::permissions(locked, std::filesystem::perms::none);
  if (access(locked.c_str(), R_OK) != 0) {  // root may read everything
    CHECK(MessageOf<DataError>([&] { LineReader reader(locked); }) ==
          locked + ": cannot open the file: Permission denied");
  }
}

TEST_CASE("truncated and damaged gzip data are errors at every length") {
  const TemporaryFolder folder;
  std::string text;
  for (int k = 0; k < 500; ++k) text += std::to_string(k * k * 7919 % 1000003) + "\n";
  const std::string good = ReadBytes(folder.WriteGzip("good.gz", text));
  for (std::size_t length = 2; length < good.size(); length += 7) {
    const std::string path = folder.Write("short.gz", good.substr(0, length));
    const std::string message = MessageOf<DataError>([&] { AllLines(path); });
    CHECK(Contains(message, path + ": the gzip data are truncated or damaged: "));
    CHECK_FALSE(Contains(message, "line 0"));
  }
  for (std::size_t position = 12; position < good.size(); position += 11) {
    std::string bad = good;
    bad[position] = static_cast<char>(bad[position] ^ 0x15);
    const std::string path = folder.Write("bad.gz", bad);
    CHECK(Contains(MessageOf<DataError>([&] { AllLines(path); }), "truncated or damaged"));
  }
}

TEST_CASE("lines before a fault are returned, and the message gives its place") {
  const TemporaryFolder folder;
  const std::string good = ReadBytes(folder.WriteGzip("good.gz", "one\ntwo\nthree\n"));
  // Cut in the checksum.
  const std::string cut = folder.Write("cut.gz", good.substr(0, good.size() - 4));
  CHECK(MessageOf<DataError>([&] { AllLines(cut); }) ==
        cut + ": the gzip data are truncated or damaged: they end too early (after line 3)");
  const std::string shorter = folder.Write("shorter.gz", good.substr(0, 5));
  CHECK(MessageOf<DataError>([&] { AllLines(shorter); }) ==
        shorter +
            ": the gzip data are truncated or damaged: they end too early (before the end of line "
            "1)");
}

TEST_CASE("only gzip and zeros may follow gzip") {
  const TemporaryFolder folder;
  const std::string good = ReadBytes(folder.WriteGzip("good.gz", "one\ntwo\n"));
  const std::string large =
      ReadBytes(folder.WriteGzip("large.gz", std::string(3000000, 'x') + "\n"));
  CHECK(AllLines(folder.Write("zeros.gz", good + std::string(200000, '\0'))) ==
        Lines{"one", "two"});
  CHECK(AllLines(folder.Write("three.gz", good + large + good)) ==
        Lines{"one", "two", std::string(3000000, 'x'), "one", "two"});
  CHECK(AllLines(folder.WriteGzip("empty.gz", "")).empty());
  for (const std::string& garbage : {std::string("0 1:1\n"), std::string("x"), std::string("\x1f"),
                                     std::string(200000, '\0') + "x"}) {
    const std::string path = folder.Write("garbage.gz", good + garbage);
    CHECK(MessageOf<DataError>([&] { AllLines(path); }) ==
          path + ": the gzip data are followed by something that is not gzip (after line 2)");
  }
}

TEST_CASE("the path - reads the standard input") {
  const TemporaryFolder folder;
  const std::string path = folder.WriteGzip("in.gz", "one\ntwo\n");
  const int saved = dup(STDIN_FILENO);
  const int file = open(path.c_str(), O_RDONLY);
  REQUIRE(file >= 0);
  REQUIRE(dup2(file, STDIN_FILENO) >= 0);
  close(file);
  CHECK(LineReader("-").name() == "<stdin>");
  CHECK(AllLines("-") == Lines{"one", "two"});
  if (saved >= 0) {
    dup2(saved, STDIN_FILENO);
    close(saved);
  }
}

TEST_CASE("parts of files follow each other with an empty line between them") {
  const TemporaryFolder folder;
  const std::string text = "\xEF\xBB\xBFone\r\ntwo\n\nfour\nfive";
  const std::string plain = folder.Write("a", text);
  const std::string gzip = folder.WriteGzip("b", text);
  const std::string empty = folder.Write("c", "");
  const auto four = static_cast<Offset>(text.find("four"));
  LineReader reader("all",
                    {{plain, four, four + 5, 3}, {empty}, {gzip, 0, four - 1, 0}, {gzip, 2}});
  CHECK(reader.name() == "all");
  std::string seen;
  std::string_view line;
  while (reader.Next(&line)) {
    CHECK(reader.source() == "all");
    seen += reader.name().substr(reader.name().size() - 1) + std::to_string(reader.line_number()) +
            (reader.between_parts() ? " between" : " " + std::string(line)) + "|";
  }
  CHECK(seen ==
        "a4 four|a4 between|c0 between|b1 one|b2 two|b2 between|b1 two|b2 |b3 four|b4 five|");
  CHECK_FALSE(reader.Next(&line));
}

TEST_CASE("a part begins at every byte of a file with the next line") {
  const TemporaryFolder folder;
  std::string text;
  for (std::size_t k = 0; k < 300; ++k) text += std::string(k * k % 23, 'x') + "\n";
  const std::string paths[] = {folder.Write("a", text), folder.WriteGzip("b", text)};
  for (const std::string& path : paths) {
    for (std::size_t byte = 0; byte <= text.size(); byte += 13) {
      const std::size_t expected =
          byte == 0 ? 0 : std::min(text.find('\n', byte - 1), text.size() - 1) + 1;
      LineReader reader("all", {{path, static_cast<Offset>(byte)}});
      std::string_view line;
      if (expected == text.size()) {
        CHECK_FALSE(reader.Next(&line));
        continue;
      }
      REQUIRE(reader.Next(&line));
      CHECK(reader.line_begin() == static_cast<Offset>(expected));
      CHECK(line == std::string_view(text).substr(expected, text.find('\n', expected) - expected));
    }
  }
}

TEST_CASE("an interrupt ends a silent pipe, and the line whose end has not come is left out") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const std::string text = "one\ntwo\nthr";
  REQUIRE(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  LineReader reader("/dev/fd/" + std::to_string(ends[0]));
  std::atomic<int> interrupt = 0;
  reader.EndAtInterrupt(&interrupt);
  std::string_view line;
  REQUIRE(reader.Next(&line));
  CHECK(line == "one");
  REQUIRE(reader.Next(&line));
  CHECK(line == "two");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    interrupt = 2;
  });
  CHECK_FALSE(reader.Next(&line));
  other.join();
  CHECK_FALSE(reader.Next(&line));
  close(ends[0]);
  close(ends[1]);
}
