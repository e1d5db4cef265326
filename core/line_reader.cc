// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/line_reader.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <slackline/core/buffer_bytes.h>
#include <slackline/core/check.h>
#include <slackline/core/gzip_input.h>
#include <slackline/core/memory_limit.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kInitialBuffer = BufferBytes(std::size_t{1} << 18);
constexpr std::size_t kLargestRead = std::size_t{1} << 26;

/// Opens a file to read; "-" is the standard input. anew: from its beginning, whatever has been
/// read.
int OpenToRead(const std::string& path, bool anew) {
  if (path != "-") return open(path.c_str(), O_RDONLY | O_CLOEXEC);
  return anew ? open("/dev/stdin", O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
}

}  // namespace

LineReader::LineReader(const std::string& path, std::size_t longest_line)
    : longest_line_(longest_line), buffer_(kInitialBuffer) {
  Open(path);
}

LineReader::LineReader(std::string source, std::vector<FilePart> parts, std::size_t longest_line)
    : source_(std::move(source)),
      parts_(std::move(parts)),
      name_(source_),
      longest_line_(longest_line),
      buffer_(kInitialBuffer),
      ended_(true) {}

void LineReader::Open(const std::string& path) {
  name_ = path == "-" ? "<stdin>" : path;
  // A directory can be opened and fails only when it is read, with a less clear message.
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    throw DataError(name_, 0, "is a directory, not a file");
  }
  const int descriptor = OpenToRead(path, /*anew=*/!parts_.empty());
  if (descriptor < 0)
    throw DataError(name_, 0, std::string("cannot open the file: ") + std::strerror(errno));
  input_ = std::make_unique<GzipInput>(descriptor);
}

void LineReader::OpenPart(const FilePart& part) {
  Open(part.path);
  begin_ = end_ = 0;
  ended_ = false;
  next_begin_ = 0;
  end_byte_ = part.end_byte;
  line_number_ = part.lines_before;
  if (part.first_byte > 0) SkipTo(part.first_byte);
}

/// Moves on to the first line that begins at this byte or later.
void LineReader::SkipTo(Offset first_byte) {
  // Begins one byte earlier, since that byte may be a line end.
  next_begin_ = input_->SkipPlain(first_byte - 1);
  const auto drop = [&](Offset bytes) {
    begin_ += static_cast<std::size_t>(bytes);
    next_begin_ += bytes;
  };
  while (next_begin_ < first_byte - 1) {
    if (begin_ == end_ && !Fill()) return;
    drop(std::min(static_cast<Offset>(end_ - begin_), first_byte - 1 - next_begin_));
  }
  for (;;) {
    if (begin_ == end_ && !Fill()) return;
    const char* from = buffer_.data() + begin_;
    const void* found = std::memchr(from, '\n', end_ - begin_);
    if (found != nullptr) return drop(static_cast<const char*>(found) - from + 1);
    drop(static_cast<Offset>(end_ - begin_));
  }
}

LineReader::~LineReader() = default;

void LineReader::EndAtInterrupt(const std::atomic<int>* interrupt) {
  SLACKLINE_CHECK(input_ != nullptr && parts_.empty(), "parts of files cannot be interrupted");
  input_->EndAtInterrupt(interrupt);
}

/// Appends more text to the buffer; false at the end of the file.
bool LineReader::Fill() {
  if (ended_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t count =
      input_->Read(buffer_.data() + end_, std::min(buffer_.size() - end_, kLargestRead));
  if (!input_->error().empty() && count == 0) {
    const std::string place = line_number_ > 0
                                  ? " (after line " + std::to_string(line_number_) + ")"
                                  : " (before the end of line 1)";
    throw DataError(name_, 0, input_->error() + place);
  }
  end_ += count;
  ended_ = count == 0;
  return count > 0;
}

/// At the end of a part: returns the empty line before the next part, if there is one.
bool LineReader::NextPart(std::string_view* line) {
  if (next_part_ == parts_.size()) return false;
  if (next_part_ == 0 || between_parts_) {
    between_parts_ = false;
    OpenPart(parts_[next_part_++]);
    return Next(line);
  }
  between_parts_ = true;
  *line = {};
  return true;
}

bool LineReader::Next(std::string_view* line) {
  if (between_parts_ || next_begin_ >= end_byte_) return NextPart(line);
  std::size_t searched = 0;  // characters after begin_ without a line end
  std::size_t length = 0;
  std::size_t next = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_ + searched;
    const void* found = std::memchr(from, '\n', end_ - begin_ - searched);
    if (found != nullptr) {
      length = static_cast<const char*>(found) - buffer_.data() - begin_;
      next = begin_ + length + 1;
      break;
    }
    searched = end_ - begin_;
    if (searched > longest_line_) {
      throw DataError(name_, line_number_ + 1,
                      "the line is longer than " + BytesText(static_cast<double>(longest_line_)));
    }
    if (!Fill()) {
      if (begin_ == end_) return NextPart(line);
      if (input_->interrupted()) return false;
      length = end_ - begin_;
      next = end_;
      break;
    }
  }
  std::string_view text(buffer_.data() + begin_, length);
  line_begin_ = next_begin_;
  next_begin_ += static_cast<Offset>(next - begin_);
  begin_ = next;
  ++line_number_;
  if (line_begin_ == 0 && text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  while (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  *line = text;
  return true;
}

std::string ReadAll(LineReader* reader) {
  std::string text;
  std::string_view line;
  while (reader->Next(&line)) {
    text.append(line).push_back('\n');
    if (text.size() <= reader->longest_line()) continue;
    throw DataError(
        reader->name(), reader->line_number(),
        "the file is longer than " + BytesText(static_cast<double>(reader->longest_line())));
  }
  return text;
}

}  // namespace slackline::internal
