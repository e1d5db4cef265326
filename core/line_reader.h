// SPDX-License-Identifier: BSD-3-Clause
//
// Text files line by line, plain or compressed with gzip (recognised by the content, not by the
// name).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slackline::internal {

class GzipInput;

/// Longer lines (in bytes) are refused: files that have them, /dev/zero for example, are not text.
/// A row of ten million numbers still fits.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 28;

/// Reads lines; memory is bounded by the longest line. Not for use by several threads at once.
class LineReader {
 public:
  /// Opens the file; "-" is the standard input. Throws DataError when the file does not exist, is a
  /// directory or may not be read.
  explicit LineReader(const std::string& path, std::size_t longest_line = kLongestLine);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Sets *line to the next line without its line end (\n or \r\n) and returns true, or returns
  /// false at the end of the file. The text is valid until the next call. A byte order mark (UTF-8)
  /// before the first line is skipped; a last line without line end counts as a line. Throws
  /// DataError when a line is longer than the longest one, when reading fails, or when its gzip
  /// data are truncated, damaged or followed by something else: a short read is never taken for the
  /// end of the file. All complete lines before the fault are handed out first.
  bool Next(std::string_view* line);

  /// Number of the line that Next returned last, from 1; 0 before the first.
  long line_number() const { return line_number_; }
  std::size_t longest_line() const { return longest_line_; }
  /// The path, or "<stdin>".
  const std::string& name() const { return name_; }

 private:
  bool Fill();

  std::string name_;
  std::size_t longest_line_;
  std::unique_ptr<GzipInput> input_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // text that is not yet handed out: [begin_, end_) of the buffer
  std::size_t end_ = 0;
  bool ended_ = false;  // do not read again: a terminal would wait for more input
  long line_number_ = 0;
};

/// The rest of the file, its lines joined with \n. Throws DataError when these are more bytes than
/// the longest line may have.
std::string ReadAll(LineReader* reader);

}  // namespace slackline::internal
