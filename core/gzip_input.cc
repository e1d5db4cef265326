// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/gzip_input.h>

#include <iconv.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include <slackline/core/buffer_bytes.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kBufferBytes = BufferBytes(std::size_t{1} << 17);
constexpr std::size_t kLargestInflation = std::size_t{1} << 26;
constexpr int kGzipWindow = 15 + 16;  // the largest window, and a gzip header
constexpr unsigned char kMagic[] = {0x1f, 0x8b};

}  // namespace

/// The input buffer is [next_in, next_in + avail_in).
struct GzipInput::Stream {
  z_stream z{};
  bool inflating = false;
  std::vector<unsigned char> buffer = std::vector<unsigned char>(kBufferBytes);
  iconv_t converter = NoConverter();  // of UTF-16
  std::vector<char> converted;        // UTF-8 that is not yet handed out
  std::size_t handed_out = 0;

  static iconv_t NoConverter() { return std::bit_cast<iconv_t>(std::intptr_t{-1}); }
  ~Stream() {
    if (inflating) inflateEnd(&z);
    if (converter != NoConverter()) iconv_close(converter);
  }
};

GzipInput::GzipInput(int descriptor)
    : descriptor_(descriptor), stream_(std::make_unique<Stream>()) {
  stream_->z.next_in = stream_->buffer.data();
}

GzipInput::~GzipInput() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::size_t GzipInput::Fail(const std::string& error) {
  error_ = error;
  mode_ = Mode::kEnd;
  return 0;
}

/// Returns when a read will not wait, or false after an interrupt.
bool GzipInput::WaitForBytes() {
  constexpr int kMilliseconds = 200;  // for a signal that comes just before the call of poll
  for (;;) {
    if (interrupt_->load() != 0) {
      interrupted_ = true;
      mode_ = Mode::kEnd;
      return false;
    }
    pollfd wanted = {descriptor_, POLLIN, 0};
    if (poll(&wanted, 1, kMilliseconds) > 0) return true;
  }
}

/// Appends more of the file to the input buffer; false at its end, on an error, or after an
/// interrupt.
bool GzipInput::Refill() {
  if (interrupt_ != nullptr && !WaitForBytes()) return false;
  z_stream& z = stream_->z;
  std::memmove(stream_->buffer.data(), z.next_in, z.avail_in);
  z.next_in = stream_->buffer.data();
  ssize_t count = 0;
  do {
    count = read(descriptor_, stream_->buffer.data() + z.avail_in, kBufferBytes - z.avail_in);
  } while (count < 0 && errno == EINTR);
  if (count < 0) Fail(std::string("cannot continue reading: ") + std::strerror(errno));
  if (count <= 0) return false;
  z.avail_in += static_cast<uInt>(count);
  return true;
}

/// Returns whether a gzip member comes next, and prepares for reading it.
bool GzipInput::BeginMember() {
  z_stream& z = stream_->z;
  while (z.avail_in < sizeof(kMagic) && Refill()) {
  }
  if (z.avail_in < sizeof(kMagic) || !std::equal(std::begin(kMagic), std::end(kMagic), z.next_in))
    return false;
  const int code = stream_->inflating ? inflateReset(&z) : inflateInit2(&z, kGzipWindow);
  if (code != Z_OK) throw std::bad_alloc();
  stream_->inflating = true;
  return true;
}

/// Returns whether a byte order mark of UTF-16 comes first, and prepares for reading what follows.
/// BeginMember has looked for the first two bytes.
bool GzipInput::BeginUtf16() {
  z_stream& z = stream_->z;
  if (z.avail_in < 2) return false;
  const bool little = z.next_in[0] == 0xff && z.next_in[1] == 0xfe;
  if (!little && !(z.next_in[0] == 0xfe && z.next_in[1] == 0xff)) return false;
  stream_->converter = iconv_open("UTF-8", little ? "UTF-16LE" : "UTF-16BE");
  if (stream_->converter == Stream::NoConverter()) return false;
  z.next_in += 2;
  z.avail_in -= 2;
  return true;
}

/// Determines from the first bytes whether the file is gzip or UTF-16.
void GzipInput::Recognise() {
  mode_ = BeginMember()     ? Mode::kMember
          : !error_.empty() ? Mode::kEnd
          : BeginUtf16()    ? Mode::kUtf16
                            : Mode::kPlain;
}

/// Converts some of the file; false at its end, and on an error.
bool GzipInput::ConvertMore() {
  z_stream& z = stream_->z;
  for (;;) {
    const bool more = z.avail_in >= 4 || Refill();
    if (!error_.empty() || interrupted_) return false;
    if (z.avail_in == 0) return false;
    char* in = reinterpret_cast<char*>(z.next_in);
    std::size_t in_bytes = z.avail_in;
    stream_->converted.resize(kBufferBytes);
    char* out = stream_->converted.data();
    std::size_t room = stream_->converted.size();
    const std::size_t result = iconv(stream_->converter, &in, &in_bytes, &out, &room);
    const bool cut = result == static_cast<std::size_t>(-1) && errno == EINVAL;
    if (result == static_cast<std::size_t>(-1) && errno != E2BIG && !cut) {
      Fail("the UTF-16 text is damaged");
      return false;
    }
    z.next_in = reinterpret_cast<Bytef*>(in);
    z.avail_in = static_cast<uInt>(in_bytes);
    stream_->converted.resize(stream_->converted.size() - room);
    stream_->handed_out = 0;
    if (!stream_->converted.empty()) return true;
    if (!more) {
      Fail("the UTF-16 text ends within a character");
      return false;
    }
  }
}

bool GzipInput::compressed() {
  if (mode_ == Mode::kUnknown) Recognise();
  return mode_ != Mode::kPlain && error_.empty();
}

Offset GzipInput::SkipPlain(Offset bytes) {
  if (mode_ == Mode::kUnknown) Recognise();
  if (mode_ != Mode::kPlain) return 0;
  z_stream& z = stream_->z;
  const Offset buffered = std::min<Offset>(bytes, z.avail_in);
  z.next_in += buffered;
  z.avail_in -= static_cast<uInt>(buffered);
  if (buffered == bytes || lseek(descriptor_, bytes - buffered, SEEK_CUR) < 0) return buffered;
  return bytes;
}

std::size_t GzipInput::ReadPlain(char* out, std::size_t room) {
  z_stream& z = stream_->z;
  if (z.avail_in == 0 && !Refill()) return 0;
  const std::size_t count = std::min<std::size_t>(room, z.avail_in);
  std::memcpy(out, z.next_in, count);
  z.next_in += count;
  z.avail_in -= static_cast<uInt>(count);
  return count;
}

/// Decompresses bytes of the current member; returns 0 at its end and on an error.
std::size_t GzipInput::ReadMember(char* out, std::size_t room) {
  z_stream& z = stream_->z;
  const auto wanted = static_cast<uInt>(std::min(room, kLargestInflation));
  z.next_out = reinterpret_cast<Bytef*>(out);
  z.avail_out = wanted;
  while (z.avail_out == wanted) {
    if (z.avail_in == 0 && !Refill()) {
      if (interrupted_ || !error_.empty()) return 0;
      return Fail("the gzip data are truncated or damaged: they end too early");
    }
    const int code = inflate(&z, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      mode_ = Mode::kBetween;
      break;
    }
    if (code != Z_OK && code != Z_BUF_ERROR) {
      if (code == Z_MEM_ERROR) throw std::bad_alloc();
      Fail(std::string("the gzip data are truncated or damaged: ") +
           (z.msg != nullptr ? z.msg : "bad data"));
      break;
    }
  }
  return wanted - z.avail_out;
}

std::size_t GzipInput::Read(char* out, std::size_t room) {
  z_stream& z = stream_->z;
  for (;;) {
    switch (mode_) {
      case Mode::kUnknown:
        Recognise();
        break;
      case Mode::kPlain:
        return ReadPlain(out, room);
      case Mode::kUtf16: {
        Stream& s = *stream_;
        if (s.handed_out == s.converted.size() && !ConvertMore()) return 0;
        const std::size_t count = std::min(room, s.converted.size() - s.handed_out);
        std::memcpy(out, s.converted.data() + s.handed_out, count);
        s.handed_out += count;
        return count;
      }
      case Mode::kMember:
        if (const std::size_t count = ReadMember(out, room); count > 0) return count;
        break;
      case Mode::kBetween:
        mode_ = BeginMember() ? Mode::kMember : error_.empty() ? Mode::kPadding : Mode::kEnd;
        break;
      case Mode::kPadding:
        if (std::any_of(z.next_in, z.next_in + z.avail_in,
                        [](unsigned char byte) { return byte != 0; })) {
          return Fail("the gzip data are followed by something that is not gzip");
        }
        z.avail_in = 0;
        if (!Refill()) mode_ = Mode::kEnd;
        break;
      case Mode::kEnd:
        return 0;
    }
  }
}

}  // namespace slackline::internal
