// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a file, decompressed when its content is gzip, and turned into UTF-8 when it is
// UTF-16 with a byte order mark, which Excel writes as "Unicode text". Stricter than zlib's gzread,
// which treats anything after the last member as the end of the file.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include <slackline/core/types.h>

namespace slackline::internal {

class GzipInput {
 public:
  /// Takes over an open file descriptor (and closes it).
  explicit GzipInput(int descriptor);
  ~GzipInput();
  GzipInput(const GzipInput&) = delete;
  GzipInput& operator=(const GzipInput&) = delete;

  /// Fills `out` with up to `room` > 0 bytes and returns their number. 0: the end of the file, or
  /// an error; see error().
  std::size_t Read(char* out, std::size_t room);

  /// Skips up to `bytes` ≥ 0 bytes of a plain file without reading them. Returns their number,
  /// which may reach beyond the end of the file. 0 where the file is gzip or UTF-16, or cannot be
  /// entered in the middle.
  Offset SkipPlain(Offset bytes);

  /// From now on the file ends within a fifth of a second when *interrupt is not 0 and more bytes
  /// are wanted, however long a pipe is silent. `interrupt` must outlive this object.
  void EndAtInterrupt(const std::atomic<int>* interrupt) { interrupt_ = interrupt; }
  /// Whether an interrupt has ended the file.
  bool interrupted() const { return interrupted_; }

  /// Whether the file is gzip or UTF-16, which its first bytes tell.
  bool compressed();

  /// "" while no error has occurred, else the error: the file cannot be read, or its gzip data are
  /// truncated, damaged or followed by something that is not gzip. (Several members one after the
  /// other, and zeros after the last one, are gzip.)
  const std::string& error() const { return error_; }

 private:
  struct Stream;
  enum class Mode { kUnknown, kPlain, kUtf16, kMember, kBetween, kPadding, kEnd };

  bool WaitForBytes();
  bool Refill();
  bool BeginMember();
  void Recognise();
  std::size_t ReadPlain(char* out, std::size_t room);
  std::size_t ReadMember(char* out, std::size_t room);
  bool BeginUtf16();
  bool ConvertMore();
  std::size_t Fail(const std::string& error);

  int descriptor_;
  Mode mode_ = Mode::kUnknown;
  std::unique_ptr<Stream> stream_;
  std::string error_;
  const std::atomic<int>* interrupt_ = nullptr;
  bool interrupted_ = false;
};

}  // namespace slackline::internal
