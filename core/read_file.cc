// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/read_file.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include <slackline/core/buffer_bytes.h>
#include <slackline/core/check.h>
#include <slackline/core/memory_limit.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kStep = BufferBytes(std::size_t{1} << 20);

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0)
      throw DataError(path, 0, std::string("cannot open the file: ") + std::strerror(errno));
  }
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

std::string ReadFileUpTo(const std::string& path, const LengthLimit& limit) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw DataError(path, 0, "is a directory, not a file");
  const Descriptor file(path);
  std::string bytes;
  std::vector<char> step(kStep);
  for (;;) {
    const ssize_t count = read(file.number(), step.data(), step.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw DataError(path, 0, std::string("cannot read the file: ") + std::strerror(errno));
    if (count == 0) return bytes;
    bytes.append(step.data(), count);
    if (bytes.size() > limit(bytes)) return bytes;
  }
}

std::string ReadFile(const std::string& path, std::uint64_t most_bytes) {
  std::string bytes = ReadFileUpTo(path, [most_bytes](std::string_view) { return most_bytes; });
  if (bytes.size() <= most_bytes) return bytes;
  throw DataError(path, 0,
                  "the file is too long; at most " + BytesText(static_cast<double>(most_bytes)) +
                      " are allowed");
}

}  // namespace slackline::internal
