// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/record_deal.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <slackline/core/check.h>
#include <tests/core/data_folder.h>
#include <tests/core/piped_input.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/thread_ranks.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Lines with text are records of their own, except those that begin with #.
LineRole WholeLine(std::string_view line) {
  return line.empty() || line[0] == '#' ? LineRole::kNothing : LineRole::kEnd;
}
/// Records are blocks of lines between blank ones.
LineRole Block(std::string_view line) {
  return line.empty() ? LineRole::kSeparator : LineRole::kPart;
}
/// Records end with a line that ends with a point; blank lines may be anywhere.
LineRole Sentence(std::string_view line) {
  if (line.empty()) return LineRole::kNothing;
  return line.back() == '.' ? LineRole::kEnd : LineRole::kPart;
}

/// Declarations begin with @.
Offset SkipDeclarations(LineReader* file) {
  std::string_view line;
  while (file->Next(&line)) {
    if (line.empty() || line[0] != '@') return file->line_begin();
  }
  return file->next_begin();
}

struct Record {
  std::string text;  // with the name of the file and the line number before each line
  bool operator==(const Record&) const = default;
};

std::vector<Record> Read(std::vector<FilePart> parts, const RecordRule& rule) {
  LineReader reader("all", std::move(parts));
  std::vector<Record> records;
  std::string_view line;
  bool open = false;
  while (reader.Next(&line)) {
    if (reader.between_parts()) open = false;
    const LineRole role = rule.role(line, open);
    if (role == LineRole::kSeparator) open = false;
    if (role == LineRole::kNothing || role == LineRole::kSeparator) continue;
    if (!open) records.emplace_back();
    open = role == LineRole::kPart;
    records.back().text +=
        reader.name() + ":" + std::to_string(reader.line_number()) + " " + std::string(line) + "\n";
  }
  return records;
}

/// Checks that the records of all ranks are those of one, dealt as they should be.
void CheckDeal(const std::string& path, const RecordRule& rule, std::size_t expected) {
  std::vector<Record> all;
  OnThreadRanks(1, [&](ThreadRanks& ranks) {
    all = Read(DealRecords(ranks, FindDataSource(ranks, path), rule, 1), rule);
  });
  REQUIRE(all.size() == expected);
  for (const Deal& deal : Deals()) {
    CAPTURE(path);
    CAPTURE(deal.ranks);
    CAPTURE(deal.shards);
    std::vector<std::vector<Record>> parts(Size(deal.ranks));
    OnThreadRanks(deal.ranks, [&](ThreadRanks& ranks) {
      parts[Size(ranks.rank())] =
          Read(DealRecords(ranks, FindDataSource(ranks, path), rule, deal.shards), rule);
    });
    std::vector<Record> joined;
    const auto records = static_cast<Offset>(all.size());
    for (int r = 0; r < deal.ranks; ++r) {
      const Offset shards = std::min<Offset>(deal.shards, records);
      CHECK(std::ssize(joined) == records * (shards * r / deal.ranks) / shards);
      joined.insert(joined.end(), parts[Size(r)].begin(), parts[Size(r)].end());
    }
    CHECK(joined == all);
  }
}

RecordRule RuleOf(LineRole (*role)(std::string_view)) {
  RecordRule rule;
  rule.role = [role](std::string_view line, bool) { return role(line); };
  return rule;
}

void CheckEverywhere(const std::string& text, const RecordRule& rule, std::size_t records) {
  const TemporaryFolder folder;
  CheckDeal(folder.Write("plain", text), rule, records);
  CheckDeal(folder.WriteGzip("text.gz", text), rule, records);
  CheckDeal(WriteParts(folder, "folder", {text, "", text, text, "\n\n", ""}), rule, 3 * records);
}

}  // namespace

TEST_CASE("lines that are records are dealt whatever their lengths") {
  std::string text;
  for (std::size_t k = 0; k < 40; ++k) text += std::string(1 + k * k % 97, 'x') + "\n";
  CheckEverywhere(text, RuleOf(WholeLine), 40);
  text.pop_back();  // the last line has no end
  CheckEverywhere(text, RuleOf(WholeLine), 40);
  CheckEverywhere(
      "\xEF\xBB\xBF"
      "a\r\nb\r\n\r\n#\r\nc\r\nd\r\ne\r\nf\r\ng",
      RuleOf(WholeLine), 7);
  CheckEverywhere("#\n#\n\n1\n2\n#\n\n3\n4\n5\n6\n#\n\n7\n#\n\n", RuleOf(WholeLine), 7);
  CheckEverywhere(std::string(5000, 'a') + "\nb\nc\nd\ne\nf\ng\n", RuleOf(WholeLine), 7);
  CheckEverywhere("a\nb\nc\nd\ne\nf\n" + std::string(5000, 'g'), RuleOf(WholeLine), 7);
}

TEST_CASE("records of several lines are not cut") {
  std::string text = "\n\n";
  for (std::size_t k = 0; k < 20; ++k) {
    for (std::size_t line = 0; line <= k * 7 % 5; ++line)
      text += std::string(1 + k % 6, 'x') + "\n";
    text += k % 3 == 0 ? "\n\n\n" : "\n";
  }
  CheckEverywhere(text, RuleOf(Block), 20);
  CheckEverywhere("a\na\na\na\na\na\na\na\na\na\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng", RuleOf(Block), 7);
  CheckEverywhere("a\n\na\na.\nb.\nc\n\nc\nc.\n\nd.\ne.\nf\nf.\ng.\nh", RuleOf(Sentence), 8);
}

TEST_CASE("the declarations of every file are no records") {
  RecordRule rule = RuleOf(WholeLine);
  rule.head = SkipDeclarations;
  CheckEverywhere("@a\n@b\n" + std::string("@") + std::string(500, 'c') + "\n1\n2\n3\n4\n5\n6\n7\n",
                  rule, 7);
  CheckEverywhere("1\n2\n3\n@4\n5\n6\n7\n", rule, 7);
}

TEST_CASE("records at all places of random texts") {
  std::uint64_t state = 1;
  const auto below = [&](std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<std::string> pieces(1 + below(4));
    for (std::string& piece : pieces) {
      for (std::uint64_t lines = below(30); lines > 0; --lines)
        piece += std::string(below(3) == 0 ? 0 : below(9), 'a') + (below(3) == 0 ? "." : "") + "\n";
    }
    const TemporaryFolder folder;
    const std::string path = WriteParts(folder, "parts", pieces);
    for (const auto role : {WholeLine, Block, Sentence}) {
      std::size_t records = 0;
      OnThreadRanks(1, [&](ThreadRanks& ranks) {
        const RecordRule rule = RuleOf(role);
        records = Read(DealRecords(ranks, FindDataSource(ranks, path), rule, 1), rule).size();
      });
      if (records >= 7) CheckDeal(path, RuleOf(role), records);
    }
  }
}

TEST_CASE("with fewer records than ranks, some ranks get no parts") {
  for (const RecordRule& rule : {RuleOf(WholeLine), RuleOf(Block)}) {
    std::string text = "\n\n";
    for (std::size_t records = 1; records <= 5; ++records) {
      text += "record " + std::to_string(records) + "\n\n\n";
      CheckEverywhere(text, rule, records);
    }
    const TemporaryFolder folder;
    const std::string one = folder.Write("one", "a\n");
    OnThreadRanks(3, [&](ThreadRanks& ranks) {
      const bool any = !DealRecords(ranks, FindDataSource(ranks, one), rule, 3).empty();
      CHECK(any == (ranks.rank() == 2));
    });
    const std::string none = folder.Write("none", "\n\n");
    OnThreadRanks(3, [&](ThreadRanks& ranks) {
      CHECK(MessageOf<DataError>([&] {
              DealRecords(ranks, FindDataSource(ranks, none), rule, 3);
            }) == none + ": no examples");
    });
  }
}

TEST_CASE("a line may have another role in an open record") {
  // Records are lines, and go on while a quote is open.
  RecordRule rule;
  rule.role = [](std::string_view line, bool open) {
    if (!open && line.empty()) return LineRole::kNothing;
    for (const char c : line) open ^= c == '"';
    return open ? LineRole::kPart : LineRole::kEnd;
  };
  CheckEverywhere("a\n\n\"b\n\nc\"\n\nd \"e\" f\n\"\n\"\ng\n\"h\n\n\ni\n\"\"\nj\"\nk\n", rule, 7);
  std::string text;  // ranks begin within quotes
  for (std::size_t k = 0; k < 30; ++k)
    text += "\"" + std::string(k * k % 31, '\n') + "line\nline\"\n" + (k % 3 == 0 ? "x\n" : "");
  CheckEverywhere(text, rule, 40);
  // Without its end, the quote of the last record ends with the file.
  CheckEverywhere(text + "y\n\"\n\nz\n", rule, 42);
}

TEST_CASE("the standard input is dealt as a file is") {
  const TemporaryFolder folder;
  std::string text;
  for (int k = 0; k < 30000; ++k) text += "line " + std::to_string(k) + "\n";
  const RecordRule rule = RuleOf(WholeLine);
  for (const std::string& bytes : {text, ReadBytes(folder.WriteGzip("text.gz", text))}) {
    const PipedInput input(bytes);
    std::vector<std::vector<Record>> parts(3);
    OnThreadRanks(3, [&](ThreadRanks& ranks) {
      const DataSource source = FindDataSource(ranks, "-");
      CHECK(source.name == "<stdin>");
      parts[Size(ranks.rank())] = Read(DealRecords(ranks, source, rule, 3), rule);
    });
    for (std::size_t r = 0; r < 3; ++r) {
      REQUIRE(parts[r].size() == 10000);
      const std::string number = std::to_string(10000 * r + 7000);
      CHECK(parts[r][7000].text ==
            "<stdin>:" + std::to_string(10000 * r + 7001) + " line " + number + "\n");
    }
  }
}

TEST_CASE("what cannot be read is the same error on all ranks, with its line") {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& path) {
    std::vector<std::string> messages(3);
    OnThreadRanks(3, [&](ThreadRanks& ranks) {
      messages[Size(ranks.rank())] = MessageOf<DataError>(
          [&] { DealRecords(ranks, FindDataSource(ranks, path), RuleOf(WholeLine), 3); });
    });
    CHECK(messages[1] == messages[0]);
    CHECK(messages[2] == messages[0]);
    return messages[0];
  };
  CHECK(Contains(message(folder.Path("nowhere")), "nowhere: cannot open the file"));
  CHECK(Contains(message(folder.Path("")), "is a directory, not a file, and has no files part-"));
  CHECK(Contains(message("/dev/null"), "/dev/null: is not a file on a disk"));

  std::string text;
  for (int k = 0; k < 3000; ++k) text += std::to_string(k * 7919 % 1000003) + "\n";
  const std::string good = ReadBytes(folder.WriteGzip("good.gz", text));
  const std::string cut = folder.Write("cut.gz", good.substr(0, good.size() / 2));
  const std::string alone = MessageOf<DataError>([&] {
    LineReader reader(cut);
    std::string_view line;
    while (reader.Next(&line)) {
    }
  });
  CHECK(Contains(alone, "(after line "));
  CHECK(message(cut) == alone);
}

TEST_CASE("an error in the declarations of a file is that of all ranks") {
  const TemporaryFolder folder;
  RecordRule rule = RuleOf(WholeLine);
  rule.head = [](LineReader* file) {
    std::string_view line;
    if (file->Next(&line) && line == "@bad")
      throw DataError(file->name(), file->line_number(), "bad head");
    return file->line_begin();
  };
  const std::string parts = WriteParts(folder, "parts", {"a\nb\n", "c\n", "@bad\nd\n", "e\n"});
  for (const int processes : {1, 3}) {
    std::vector<std::string> messages(Size(processes));
    OnThreadRanks(processes, [&](ThreadRanks& ranks) {
      messages[Size(ranks.rank())] = MessageOf<DataError>(
          [&] { DealRecords(ranks, FindDataSource(ranks, parts), rule, processes); });
    });
    for (const std::string& message : messages) CHECK(message == parts + "/part-2:1: bad head");
  }
}
