// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of ones share their values in converted data, and labels may have different lengths.
#include <slackline/apps/converted/converted_writer.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/converted/converted_reader.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kColumns = 1000;
constexpr Index kRows = 6000;

/// Row r has r % 100 columns, and ones but for one row of all.
FeatureRows DrawnRows(Index special = -1) {
  FeatureRows rows;
  for (Index r = 0; r < kRows; ++r) {
    std::vector<Index> columns;
    for (Index k = 0; k < r % 100; ++k) columns.push_back(7 * k + r % 7);
    std::vector<double> values(columns.size(), 1.0);
    if (r == special) values.back() = 2;
    rows.AddSparse(columns, values);
  }
  return rows;
}

std::string LabelsOf(Index r) { return std::string(Size(r % 5), static_cast<char>('a' + r % 3)); }

ConvertedKind Kind(Index label_bytes) {
  return {"test", [label_bytes](const ConvertedPart&) { return label_bytes; }, nullptr};
}

void Write(const FeatureRows& rows, ConvertedWriter* writer) {
  for (Index r = 0; r < rows.size(); ++r) writer->Add(rows.row(r), LabelsOf(r));
  writer->EndExamples();
}

void Finish(ConvertedWriter* writer) {
  ModelWriter directory;
  directory.Add("task", std::string("test"));
  ConvertedFacts facts;
  facts.label_names = {"a"};
  facts.num_features = kColumns;
  facts.values.options = {{"scale", "none"}, {"template", ""}};
  writer->Finish(facts, directory);
}

void CheckSameRows(const FeatureRows& a, const FeatureRows& b, double factor = 1) {
  REQUIRE(a.size() == b.size());
  for (Index r = 0; r < a.size(); ++r) {
    CAPTURE(r);
    const FeatureRow x = a.row(r);
    const FeatureRow y = b.row(r);
    REQUIRE(x.count == y.count);
    REQUIRE(!x.dense());
    CHECK(std::equal(x.columns, x.columns + x.count, y.columns));
    CHECK(std::equal(x.values, x.values + x.count, y.values,
                     [factor](double one, double other) { return one == factor * other; }));
  }
}

struct Contents {
  ConvertedParts parts;
  std::vector<std::string> labels;
  ConvertedValues values;
  std::shared_ptr<const FeatureRows> rows;
};

Contents ReadBack(const std::vector<std::string>& files) {
  Contents read;
  const ConvertedKind kind = Kind(kLabelsVary);
  read.parts = OpenConverted(files, kind);
  const auto visit = [&](const ConvertedRow& row) {
    read.labels.emplace_back(row.labels);
    return true;
  };
  read.rows =
      LoadConvertedRows(read.parts, kind, {0, read.parts.num_examples()}, visit, &read.values);
  return read;
}

/// Checks that rows and labels come back from a file, and returns the kinds of its blocks.
std::vector<ConvertedRows> CheckFile(const std::string& path, const FeatureRows& rows,
                                     double factor = 1) {
  const Contents read = ReadBack({path});
  CheckSameRows(*read.rows, rows, factor);
  for (Index r = 0; r < rows.size(); ++r) CHECK(read.labels[Size(r)] == LabelsOf(r));
  std::vector<ConvertedRows> kinds;
  for (const ConvertedBlock& block : read.parts.first().blocks) kinds.push_back(block.kind);
  CHECK(kinds.size() == 4);
  read.rows->WillNeed(0, rows.size());
  read.rows->WillNeed(kRows - 1, 1);
  return kinds;
}

constexpr auto kScaleByThree = [](std::span<Index>, std::span<double> values) {
  for (double& value : values) value *= 3;
};

}  // namespace

TEST_CASE("rows of ones take their columns alone") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("ones");
  const FeatureRows rows = DrawnRows();
  ConvertedWriter writer({path}, kLabelsVary);
  Write(rows, &writer);
  CheckSameRows(*writer.Rows(), rows);
  Finish(&writer);
  const auto kinds = CheckFile(path, rows);
  CHECK(std::count(kinds.begin(), kinds.end(), ConvertedRows::kOnes) == 4);
  // 4 bytes per value, and per row the numbers of values and label bytes, and 2 label bytes.
  const auto values = static_cast<std::uint64_t>(kRows) * 99 / 2;
  CHECK(std::filesystem::file_size(path) < 4 * values + 10 * kRows + 10000);
  const ConvertedValues values_read = ReadBack({path}).values;
  CHECK(OptionOf(&values_read, "scale", "auto") == "none");
  CHECK(OptionOf(nullptr, "scale", "auto") == "auto");
}

TEST_CASE("another value gives all rows of its block values") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("ones");
  const FeatureRows rows = DrawnRows(kRows / 2 + 1);
  ConvertedWriter writer({path}, kLabelsVary);
  Write(rows, &writer);
  Finish(&writer);
  const auto kinds = CheckFile(path, rows);
  CHECK(std::count(kinds.begin(), kinds.end(), ConvertedRows::kOnes) == 3);
  CHECK(std::count(kinds.begin(), kinds.end(), ConvertedRows::kSparse) == 1);
}

TEST_CASE("changes give ones their values, and take them away") {
  for (const Index special : {-1, 7, kRows - 1}) {
    const TemporaryFolder folder;
    const std::string path = folder.Path("ones");
    const FeatureRows rows = DrawnRows(special);
    ConvertedWriter writer({path}, kLabelsVary);
    Write(rows, &writer);
    const std::uint64_t before = writer.bytes();
    writer.Change(kScaleByThree);
    CHECK(writer.bytes() > before + 4 * before / 5);
    CheckSameRows(*writer.Rows(), rows, 3);
    writer.Change([](std::span<Index>, std::span<double> values) {
      for (double& value : values) value /= 3;
    });
    CHECK(writer.bytes() == before);
    CheckSameRows(*writer.Rows(), rows);
    CHECK(folder.NumFiles() == 1);
    Finish(&writer);
    CHECK(folder.NumFiles() == 1);
    CheckFile(path, rows);
    // The same bytes as without changes.
    const std::string other = folder.Path("other");
    ConvertedWriter plain({other}, kLabelsVary);
    Write(rows, &plain);
    Finish(&plain);
    CHECK(ReadBytes(other) == ReadBytes(path));
  }
}

TEST_CASE("changes of some rows move those behind them") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("ones");
  const FeatureRows rows = DrawnRows();
  ConvertedWriter writer({path}, kLabelsVary);
  Write(rows, &writer);
  Index row = 0;
  writer.Change([&](std::span<Index>, std::span<double> values) {
    if (row++ == kRows / 2 + 1) values.back() = 2;
  });
  Finish(&writer);
  CheckFile(path, DrawnRows(kRows / 2 + 1));
  CHECK(folder.NumFiles() == 1);
}

TEST_CASE("changed columns of ones stay in their place, in parts") {
  const TemporaryFolder folder;
  const FeatureRows rows = DrawnRows();
  ConvertedWriter writer({folder.Path("parts"), 3}, kLabelsVary);
  Write(rows, &writer);
  const std::uint64_t before = writer.bytes();
  writer.Change([](std::span<Index> columns, std::span<double>) {
    if (!columns.empty()) columns.back() = kColumns - 1;
  });
  CHECK(writer.bytes() == before);
  writer.Change(kScaleByThree);
  Finish(&writer);
  CHECK(writer.num_files() == 3);
  const Contents read = ReadBack({folder.Path("parts/part-00000"), folder.Path("parts/part-00001"),
                                  folder.Path("parts/part-00002")});
  REQUIRE(read.rows->size() == kRows);
  const FeatureRow last = read.rows->row(kRows - 1);
  CHECK(last.columns[last.count - 1] == kColumns - 1);
  CHECK(last.values[0] == 3);
  for (Index r = 0; r < kRows; ++r) CHECK(read.labels[Size(r)] == LabelsOf(r));
}

TEST_CASE("an interrupted change leaves nothing") {
  const TemporaryFolder folder;
  struct Stop {};
  {
    ConvertedWriter writer({folder.Path("ones")}, kLabelsVary);
    Write(DrawnRows(), &writer);
    Index row = 0;
    CHECK_THROWS_AS(writer.Change([&](std::span<Index>, std::span<double> values) {
      for (double& value : values) value = 2;
      if (++row == kRows - 1) throw Stop{};
    }),
                    Stop);
  }
  CHECK(folder.NumFiles() == 0);
}

TEST_CASE("labels of equal lengths are checked") {
  const TemporaryFolder folder;
  ConvertedWriter writer({folder.Path("ones")}, 2);
  const FeatureRows rows = DrawnRows();
  CHECK_THROWS_AS(writer.Add(rows.row(1), "a"), std::invalid_argument);
}
