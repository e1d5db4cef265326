// SPDX-License-Identifier: BSD-3-Clause
//
// Damaged files of converted data end with a message.
#include <slackline/apps/multilabel/data/converted_data.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/apps/converted/converted_layout.h>
#include <slackline/apps/converted/converted_reader.h>
#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/dealt.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

MultiLabelData About(double divisor = 0) {
  MultiLabelData about;
  about.label_names = {"a", "b"};
  about.num_features = 3;
  about.has_constant = true;
  ConvertedValues values;
  if (divisor > 0)
    values.scaling =
        FeatureScaling::FromNumbers(ScaleKind::kMaxAbs, {}, std::vector<double>(3, divisor));
  about.converted = std::make_shared<const ConvertedValues>(values);
  return about;
}

/// Two dense examples and a sparse one.
std::string Write(const std::string& path, const MultiLabelData& about) {
  FeatureRows rows;
  rows.AddDense(std::vector<double>{1, 2, 3, 1});
  rows.AddDense(std::vector<double>{4, 5, 6, 1});
  rows.AddSparse(std::vector<Index>{1, 3}, std::vector<double>{7, 1});
  ConvertedWriter writer({path}, 2);
  for (Index r = 0; r < rows.size(); ++r)
    writer.Add(rows.row(r),
               LabelBytes(std::vector<std::int8_t>{1, static_cast<std::int8_t>(r - 1)}));
  writer.EndExamples();
  FinishConverted(about, {}, &writer);
  return path;
}

MultiLabelReadOptions WithConstant() {
  MultiLabelReadOptions options;
  options.constant = true;
  return options;
}

std::string ConvertedError(const std::string& path, Ranks* ranks = nullptr) {
  MultiLabelReadOptions options = WithConstant();
  options.ranks = ranks;
  return MessageOf<DataError>([&] { ReadConverted(path, options); });
}

/// The bytes with checksums that match the header and the blocks. Requires a readable directory.
void SealHeader(std::string* bytes) {
  ConvertedHeader header;
  std::memcpy(&header, bytes->data(), sizeof(header));
  header.checksum = header.CorrectChecksum();
  std::memcpy(bytes->data(), &header, sizeof(header));
}

}  // namespace

TEST_CASE("examples come back") {
  const TemporaryFolder folder;
  const std::string path = Write(folder.Path("a"), About(2));
  CHECK(IsConverted(OneRank(), path));
  CHECK(!IsConverted(OneRank(), folder.Write("b", "SLACKSE")));
  CHECK(!IsConverted(OneRank(), folder.Path("none")));
  CHECK(!IsConverted(OneRank(), "-"));
  CHECK(!IsConverted(OneRank(), folder.Path("")));
  const MultiLabelData data = ReadConverted(path, WithConstant());
  CHECK(data.labels == std::vector<std::int8_t>{1, -1, 1, 0, 1, 1});
  CHECK(data.lines == std::vector<long>{1, 2, 3});
  CHECK(data.rows->row(1).values[2] == 6);
  CHECK(data.rows->row(2).columns[1] == 3);
  CHECK(data.converted->scaling.divisor() == std::vector<double>(3, 2.0));
  CHECK(data.converted->window_bytes == 0);
  CHECK(data.rows->window_ends().empty());
}

TEST_CASE("truncated and prolonged files are named, with both lengths") {
  const TemporaryFolder folder;
  const std::string bytes = ReadBytes(Write(folder.Path("a"), About()));
  for (std::size_t length = 8; length < bytes.size(); length += 5) {
    const std::string path = folder.Write("b", bytes.substr(0, length));
    CHECK(ConvertedError(path) == path + ": the converted data are truncated: expected " +
                                      (length < 64 ? "at least 64" : std::to_string(bytes.size())) +
                                      " bytes, found " + std::to_string(length));
  }
  const std::string longer = folder.Write("b", bytes + "x");
  CHECK(ConvertedError(longer) == longer + ": the converted data are too long: expected " +
                                      std::to_string(bytes.size()) + " bytes, found " +
                                      std::to_string(bytes.size() + 1));
  CHECK(ConvertedError(folder.Write("b", "SLACK")) == folder.Path("b") + ": not converted data");
}

TEST_CASE("every changed bit is found") {
  const TemporaryFolder folder;
  const std::string bytes = ReadBytes(Write(folder.Path("a"), About(2)));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    CAPTURE(at);
    CHECK(ConvertedError(folder.Write("b", changed)) != "accepted");
  }
}

TEST_CASE("other versions and orders of bytes are named") {
  const TemporaryFolder folder;
  std::string bytes = ReadBytes(Write(folder.Path("a"), About()));
  bytes[8] = 4;
  SealHeader(&bytes);
  CHECK(
      Contains(ConvertedError(folder.Write("b", bytes)),
               "written by a newer version: its format is 4, this program reads formats up to 3"));
  for (const char version : {1, 2}) {
    bytes[8] = version;
    SealHeader(&bytes);
    CHECK(Contains(ConvertedError(folder.Write("b", bytes)),
                   "by an earlier version: convert the data again"));
  }
  bytes[8] = 3;
  std::swap(bytes[12], bytes[15]);
  std::swap(bytes[13], bytes[14]);
  CHECK(Contains(ConvertedError(folder.Write("b", bytes)), "another order of bytes"));
}

TEST_CASE("parts must agree, on all ranks") {
  const TemporaryFolder folder;
  Write(folder.Path("part-0"), About(2));
  Write(folder.Path("part-1"), About(2));
  CHECK(IsConverted(OneRank(), folder.Path("")));
  const MultiLabelData data = ReadConverted(folder.Path(""), WithConstant());
  CHECK(data.num_examples() == 6);
  CHECK(data.lines == std::vector<long>{1, 2, 3, 1, 2, 3});
  CHECK(data.FileOf(3) == folder.Path("part-1"));
  Write(folder.Path("part-2"), About(3));
  const std::string error = ErrorOnRanks(2, [&](ThreadRanks& ranks) {
    MultiLabelReadOptions options = WithConstant();
    options.ranks = &ranks;
    ReadMultiLabelData(folder.Path(""), options);
  });
  CHECK(Contains(error, "part-2: has other scales than "));
}

TEST_CASE("a fault in the rows of one rank is the error of all ranks") {
  const TemporaryFolder folder;
  std::string bytes = ReadBytes(Write(folder.Path("a"), About()));
  bytes[170] = static_cast<char>(bytes[170] ^ 1);  // in the sparse block
  const std::string path = folder.Write("b", bytes);
  const std::string error = ErrorOnRanks(3, [&](ThreadRanks& ranks) {
    MultiLabelReadOptions options = WithConstant();
    options.ranks = &ranks;
    ReadConverted(path, options);
  });
  CHECK(error == path +
                     ": the converted data are damaged: the checksum of the rows from "
                     "number 3 on does not match");
}
