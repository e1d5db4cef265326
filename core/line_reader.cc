// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/line_reader.h>

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <slackline/core/check.h>

namespace slackline {
namespace {

constexpr std::size_t kInitialBuffer = std::size_t{1} << 18;
constexpr std::size_t kLargestRead = std::size_t{1} << 26;

std::string SystemMessage(int error) { return error != 0 ? std::strerror(error) : "not enough memory"; }

}  // namespace

struct LineReader::Input {
  gzFile file = nullptr;
  ~Input() {
    if (file != nullptr) gzclose(file);
  }
};

LineReader::LineReader(const std::string& path)
    : name_(path == "-" ? "<stdin>" : path), input_(std::make_unique<Input>()), buffer_(kInitialBuffer) {
  errno = 0;
  if (path == "-") {
    const int descriptor = dup(STDIN_FILENO);
    if (descriptor >= 0) {
      input_->file = gzdopen(descriptor, "rb");
      if (input_->file == nullptr) close(descriptor);
    }
  } else {
    // Directories can be opened, and only fail when they are read: say it now, and plainly.
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) throw DataError(name_, 0, "is a directory, not a file");
    errno = 0;
    input_->file = gzopen(path.c_str(), "rb");
  }
  if (input_->file == nullptr) throw DataError(name_, 0, "cannot open the file: " + SystemMessage(errno));
  gzbuffer(input_->file, 1u << 17);
}

LineReader::~LineReader() = default;

/// Appends more text to the buffer; false at the end of the file.
bool LineReader::Fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const auto room = static_cast<unsigned>(std::min(buffer_.size() - end_, kLargestRead));
  errno = 0;
  const int count = gzread(input_->file, buffer_.data() + end_, room);
  const int system_error = errno;
  int code = Z_OK;
  const char* message = gzerror(input_->file, &code);
  // zlib tells a truncated stream by Z_BUF_ERROR next to a good count.
  if (count < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    const std::string place = " (after line " + std::to_string(line_number_) + ")";
    if (code == Z_ERRNO)
      throw DataError(name_, 0, "cannot read on" + place + ": " + SystemMessage(system_error));
    throw DataError(name_, 0, "the gzip data are truncated or damaged" + place + ": " + message);
  }
  end_ += static_cast<std::size_t>(count);
  return count > 0;
}

bool LineReader::Next(std::string_view* line) {
  std::size_t searched = 0;  // characters after begin_ without a line end
  std::size_t length = 0;
  std::size_t next = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_ + searched;
    const void* found = std::memchr(from, '\n', end_ - begin_ - searched);
    if (found != nullptr) {
      length = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) - begin_;
      next = begin_ + length + 1;
      break;
    }
    searched = end_ - begin_;
    if (!Fill()) {
      if (begin_ == end_) return false;
      length = end_ - begin_;
      next = end_;
      break;
    }
  }
  std::string_view text(buffer_.data() + begin_, length);
  begin_ = next;
  if (++line_number_ == 1 && text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  while (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  *line = text;
  return true;
}

std::string ReadAll(LineReader* reader) {
  std::string text;
  std::string_view line;
  while (reader->Next(&line)) text.append(line).push_back('\n');
  return text;
}

}  // namespace slackline
