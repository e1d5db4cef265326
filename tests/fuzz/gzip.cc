// SPDX-License-Identifier: BSD-3-Clause
//
// Compressed input, line by line.
#include <zlib.h>

#include <slackline/core/line_reader.h>

#include "tests/fuzz/target.h"

namespace slackline::internal::fuzz {
namespace {

std::string Compressed(std::string_view text) {
  z_stream stream{};
  std::string bytes(1000, '\0');
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

std::vector<std::string> GzipSeeds() {
  const std::string one = Compressed("one line\nanother\r\n\nand the last");
  const std::string two = Compressed(
                              "\xef\xbb\xbf"
                              "after a mark\n") +
                          one + std::string(5, '\0');
  return {one, two, one.substr(0, one.size() / 2), Compressed(""), "plain\ntext"};
}

void ReadLines(std::string_view bytes) {
  LineReader reader(PathOf(bytes));
  std::string_view line;
  while (reader.Next(&line)) {
  }
}

const FuzzTarget kGzip({"gzip", ReadLines, GzipSeeds, 1024});

}  // namespace
}  // namespace slackline::internal::fuzz
