// SPDX-License-Identifier: BSD-3-Clause
//
// Text files line by line, plain or compressed with gzip (recognised by the content, not by the
// name): one file, or parts of files one after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

class GzipInput;

/// Longer lines (in bytes) are refused: files that have them, /dev/zero for example, are not text.
/// A row of ten million numbers still fits.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 28;

/// The lines of a file that begin at the bytes [first_byte, end_byte). Bytes of a gzip file are
/// bytes of its text; text before first_byte is decompressed there, and otherwise not read.
struct FilePart {
  std::string path;
  Offset first_byte = 0;
  Offset end_byte = std::numeric_limits<Offset>::max();
  long lines_before = 0;  ///< the number of lines that begin before first_byte
};

/// Reads lines; memory is bounded by the longest line. Not for use by several threads at once.
class LineReader {
 public:
  /// Opens the file; "-" is the standard input. Throws DataError when the file does not exist, is a
  /// directory or may not be read.
  explicit LineReader(const std::string& path, std::size_t longest_line = kLongestLine);
  /// Parts of files, one after the other. Between two parts there is an empty line, which has the
  /// line number of the line before it. `source` names all parts in messages. A file is opened when
  /// its first line is wanted, and Next throws DataError if that fails.
  LineReader(std::string source, std::vector<FilePart> parts,
             std::size_t longest_line = kLongestLine);
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

  /// From now on the file ends when *interrupt is not 0 and more text is wanted, even from a silent
  /// pipe. A line whose end has not come by then is left out. `interrupt` must outlive this object.
  /// Requires one file, not parts.
  void EndAtInterrupt(const std::atomic<int>* interrupt);

  /// Number of the line that Next returned last in its file, from 1; 0 before the first.
  long line_number() const { return line_number_; }
  /// Whether the line that Next returned last is the empty line between two parts.
  bool between_parts() const { return between_parts_; }
  /// Where the line that Next returned last begins, and where the next line begins, in bytes of the
  /// file's text.
  Offset line_begin() const { return line_begin_; }
  Offset next_begin() const { return next_begin_; }
  std::size_t longest_line() const { return longest_line_; }
  /// The path of the file that is being read, or "<stdin>".
  const std::string& name() const { return name_; }
  /// The name of the whole input: the path, or "<stdin>", or the source of the parts.
  const std::string& source() const { return source_.empty() ? name_ : source_; }

 private:
  void Open(const std::string& path);
  void OpenPart(const FilePart& part);
  void SkipTo(Offset first_byte);
  bool NextPart(std::string_view* line);
  bool Fill();

  std::string source_;  // empty: the name
  std::vector<FilePart> parts_;
  std::size_t next_part_ = 0;
  std::string name_;
  std::size_t longest_line_;
  std::unique_ptr<GzipInput> input_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // text that is not yet handed out: [begin_, end_) of the buffer
  std::size_t end_ = 0;
  bool ended_ = false;  // do not read again: a terminal would wait for more input
  bool between_parts_ = false;
  Offset line_begin_ = 0;
  Offset next_begin_ = 0;  // the place of begin_ in the text of the file
  Offset end_byte_ = std::numeric_limits<Offset>::max();
  long line_number_ = 0;
};

/// The rest of the file, its lines joined with \n. Throws DataError when it has more bytes than the
/// longest line may have.
std::string ReadAll(LineReader* reader);

}  // namespace slackline::internal
