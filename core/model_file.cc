// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/model_file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <slackline/core/check.h>

namespace slackline {
namespace {

constexpr std::size_t kMagicBytes = 8;
constexpr FileKind kKinds[] = {kModelKind, kCheckpointKind};
static_assert(kModelKind.magic.size() == kMagicBytes && kCheckpointKind.magic.size() == kMagicBytes);
constexpr std::size_t kHeaderBytes = 8 + 4 + 8 + 4;
constexpr std::size_t kChecksumBytes = 4;
constexpr std::size_t kLargestStep = std::size_t{1} << 20;  // of reading, writing and the checksum

constexpr const char* kTypeNames[] = {"string", "strings", "integers", "doubles"};

template <class T>
void AppendNumber(T value, std::string* out) {
  for (std::size_t b = 0; b < sizeof(T); ++b) out->push_back(static_cast<char>((value >> (8 * b)) & 0xff));
}

void AppendString(std::string_view text, std::string* out) {
  AppendNumber<std::uint64_t>(text.size(), out);
  out->append(text);
}

template <class T>
T NumberAt(const char* bytes) {
  std::uint64_t value = 0;
  for (std::size_t b = 0; b < sizeof(T); ++b) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[b])) << (8 * b);
  }
  return static_cast<T>(value);
}

std::uint32_t Checksum(std::string_view bytes) {
  uLong sum = crc32(0, nullptr, 0);
  while (!bytes.empty()) {
    const std::string_view step = bytes.substr(0, kLargestStep);
    sum = crc32(sum, reinterpret_cast<const Bytef*>(step.data()), static_cast<uInt>(step.size()));
    bytes.remove_prefix(step.size());
  }
  return static_cast<std::uint32_t>(sum);
}

/// A file descriptor that is closed at the end, and a file that is removed unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target)
      : target_(target), path_(target + ".tmp-" + std::to_string(getpid())) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno == EEXIST) {  // left by a process that had this number before
      unlink(path_.c_str());
      descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (descriptor_ < 0)
      throw DataError(target_, 0, std::string("cannot write here: ") + std::strerror(errno));
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!path_.empty()) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = write(descriptor_, bytes.data(), std::min(bytes.size(), kLargestStep));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) Fail();
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  /// Makes the file the target.
  void Commit() {
    if (fsync(descriptor_) != 0) Fail();
    if (close(std::exchange(descriptor_, -1)) != 0) Fail();
    if (std::rename(path_.c_str(), target_.c_str()) != 0) Fail();
    path_.clear();
  }

 private:
  [[noreturn]] void Fail() const {
    throw DataError(target_, 0, std::string("writing failed: ") + std::strerror(errno));
  }
  std::string target_;
  std::string path_;
  int descriptor_ = -1;
};

/// The file that a save to `path` replaces; throws where that must not be done.
std::string ResolveTarget(const std::string& path) {
  if (path.empty()) throw DataError("the name of the model file is empty");
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const fs::path target =
      fs::is_symlink(fs::symlink_status(path, error)) ? fs::weakly_canonical(path, error) : fs::path(path);
  if (fs::is_directory(status)) throw DataError(path, 0, "is a directory, not a file");
  // Renaming over a device or a pipe would replace it.
  if (fs::exists(status) && !fs::is_regular_file(status)) throw DataError(path, 0, "is not a regular file");
  if (fs::exists(status) && access(path.c_str(), W_OK) != 0) {
    throw DataError(path, 0, std::string("cannot write here: ") + std::strerror(errno));
  }
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error))
    throw DataError(path, 0, "there is no folder '" + folder.string() + "'");
  return target.string();
}

/// Makes a rename durable. Not all file systems can do it, and the file itself is safe: failures are ignored.
void SyncFolder(const std::string& target) {
  const std::filesystem::path folder = std::filesystem::path(target).parent_path();
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

/// Whether the bytes begin like a file of this kind, as far as they go.
bool BeginsAs(FileKind kind, std::string_view bytes) {
  const std::size_t known = std::min(bytes.size(), kMagicBytes);
  return bytes.substr(0, known) == kind.magic.substr(0, known);
}

std::string ReadFile(const std::string& path, FileKind kind) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw DataError(path, 0, "is a directory, not a file");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw DataError(path, 0, std::string("cannot open the file: ") + std::strerror(errno));
  std::string bytes;
  std::vector<char> step(kLargestStep);
  ssize_t count = 0;
  while ((count = read(descriptor, step.data(), step.size())) > 0 || (count < 0 && errno == EINTR)) {
    if (count > 0) bytes.append(step.data(), static_cast<std::size_t>(count));
    if (!BeginsAs(kind, bytes)) break;  // some other, perhaps huge or endless, file
  }
  const int error = errno;
  close(descriptor);
  if (count < 0) throw DataError(path, 0, std::string("cannot read the file: ") + std::strerror(error));
  return bytes;
}

/// Throws unless the bytes are an undamaged file of this kind and version.
void CheckFrame(const std::string& path, FileKind kind, std::string_view bytes) {
  const std::string noun(kind.noun);
  if (bytes.empty() || !BeginsAs(kind, bytes)) {
    for (const FileKind other : kKinds) {
      if (bytes.size() < kMagicBytes || !BeginsAs(other, bytes)) continue;
      throw DataError(path, 0, "a Slackline " + std::string(other.noun) + ", not a " + noun);
    }
    throw DataError(path, 0, "not a Slackline " + noun);
  }
  const std::string actual = std::to_string(bytes.size());
  if (bytes.size() < kHeaderBytes + kChecksumBytes) {
    throw DataError(path, 0,
                    "the " + noun + " is truncated: expected at least " +
                        std::to_string(kHeaderBytes + kChecksumBytes) + " bytes, found " + actual);
  }
  const auto version = NumberAt<std::uint32_t>(bytes.data() + 8);
  if (version > kModelFileVersion) {
    throw DataError(path, 0,
                    "written by a newer version: its format is " + std::to_string(version) +
                        ", this program reads formats up to " + std::to_string(kModelFileVersion));
  }
  const auto length = NumberAt<std::uint64_t>(bytes.data() + 12);
  if (bytes.size() != length) {
    throw DataError(path, 0,
                    "the " + noun + " is " + (bytes.size() < length ? "truncated" : "too long") +
                        ": expected " + std::to_string(length) + " bytes, found " + actual);
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (version == 0 || Checksum(body) != NumberAt<std::uint32_t>(bytes.data() + body.size())) {
    throw DataError(path, 0, "the " + noun + " is damaged: its checksum does not match");
  }
}

/// Takes values off the front of the entries; every length is checked against what is left before it is used.
class EntryCursor {
 public:
  EntryCursor(const std::string& path, FileKind kind, std::string_view rest)
      : path_(path), kind_(kind), rest_(rest) {}

  bool empty() const { return rest_.empty(); }
  template <class T>
  T Number() {
    return NumberAt<T>(Take(sizeof(T)).data());
  }
  std::string String(std::uint64_t length) { return std::string(Take(length)); }
  /// A count of items that take at least `item_bytes` each.
  std::size_t Count(std::size_t item_bytes) {
    const auto count = Number<std::uint64_t>();
    if (count > rest_.size() / item_bytes) Fail();
    return static_cast<std::size_t>(count);
  }
  [[noreturn]] void Fail() const {
    throw DataError(path_, 0, "the " + std::string(kind_.noun) + " is damaged: its entries do not add up");
  }

 private:
  std::string_view Take(std::uint64_t length) {
    if (length > rest_.size()) Fail();
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(length));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  const std::string& path_;
  FileKind kind_;
  std::string_view rest_;
};

std::vector<std::string> TakeStrings(EntryCursor* cursor) {
  std::vector<std::string> values(cursor->Count(8));
  for (std::string& value : values) value = cursor->String(cursor->Number<std::uint64_t>());
  return values;
}

template <class T>
std::vector<T> TakeNumbers(EntryCursor* cursor) {
  std::vector<T> values(cursor->Count(8));
  for (T& value : values) value = std::bit_cast<T>(cursor->Number<std::uint64_t>());
  return values;
}

}  // namespace

void ModelWriter::BeginEntry(std::string_view name, char type) {
  SLACKLINE_CHECK(!name.empty(), "an entry of a model needs a name");
  SLACKLINE_CHECK(std::find(names_.begin(), names_.end(), name) == names_.end(),
                  "the model already has an entry named '" + std::string(name) + "'");
  names_.emplace_back(name);
  entries_.push_back(type);
  AppendNumber<std::uint32_t>(static_cast<std::uint32_t>(name.size()), &entries_);
  entries_.append(name);
}

void ModelWriter::Add(std::string_view name, const std::string& value) {
  BeginEntry(name, 0);
  AppendString(value, &entries_);
}

void ModelWriter::Add(std::string_view name, const std::vector<std::string>& values) {
  BeginEntry(name, 1);
  AppendNumber<std::uint64_t>(values.size(), &entries_);
  for (const std::string& value : values) AppendString(value, &entries_);
}

void ModelWriter::Add(std::string_view name, std::span<const std::int64_t> values) {
  BeginEntry(name, 2);
  AppendNumber<std::uint64_t>(values.size(), &entries_);
  for (const std::int64_t value : values) AppendNumber(std::bit_cast<std::uint64_t>(value), &entries_);
}

void ModelWriter::Add(std::string_view name, std::span<const double> values) {
  BeginEntry(name, 3);
  AppendNumber<std::uint64_t>(values.size(), &entries_);
  for (const double value : values) AppendNumber(std::bit_cast<std::uint64_t>(value), &entries_);
}

void ModelWriter::Save(const std::string& path, FileKind kind) const {
  std::string bytes;
  bytes.reserve(kHeaderBytes + entries_.size() + kChecksumBytes);
  bytes += kind.magic;
  AppendNumber<std::uint32_t>(kModelFileVersion, &bytes);
  AppendNumber<std::uint64_t>(kHeaderBytes + entries_.size() + kChecksumBytes, &bytes);
  AppendNumber<std::uint32_t>(static_cast<std::uint32_t>(names_.size()), &bytes);
  bytes += entries_;
  AppendNumber<std::uint32_t>(Checksum(bytes), &bytes);
  WriteFileAtomically(path, bytes);
}

ModelReader::ModelReader(const std::string& path, FileKind kind) : path_(path), kind_(kind) {
  const std::string bytes = ReadFile(path, kind);
  CheckFrame(path, kind, bytes);
  ParseEntries(std::string_view(bytes).substr(kHeaderBytes, bytes.size() - kHeaderBytes - kChecksumBytes),
               NumberAt<std::uint32_t>(bytes.data() + 20));
}

void ModelReader::ParseEntries(std::string_view entries, std::uint32_t count) {
  EntryCursor cursor(path_, kind_, entries);
  for (std::uint32_t e = 0; e < count; ++e) {
    const auto type = cursor.Number<std::uint8_t>();
    std::string name = cursor.String(cursor.Number<std::uint32_t>());
    Value value;
    switch (type) {
      case 0:
        value = cursor.String(cursor.Number<std::uint64_t>());
        break;
      case 1:
        value = TakeStrings(&cursor);
        break;
      case 2:
        value = TakeNumbers<std::int64_t>(&cursor);
        break;
      case 3:
        value = TakeNumbers<double>(&cursor);
        break;
      default:
        cursor.Fail();
    }
    if (!values_.emplace(name, std::move(value)).second) cursor.Fail();
    names_.push_back(std::move(name));
  }
  if (!cursor.empty()) cursor.Fail();
}

bool ModelReader::Has(std::string_view name) const { return values_.count(std::string(name)) > 0; }

template <class T>
const T& ModelReader::Get(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  const std::string noun(kind_.noun);
  if (found == values_.end())
    throw DataError(path_, 0, "the " + noun + " has no entry '" + std::string(name) + "'");
  if (const T* value = std::get_if<T>(&found->second)) return *value;
  throw DataError(path_, 0,
                  "entry '" + std::string(name) + "' of the " + noun + " holds " +
                      kTypeNames[found->second.index()] + ", not " + kTypeNames[Value(T()).index()]);
}

const std::string& ModelReader::String(std::string_view name) const { return Get<std::string>(name); }
const std::vector<std::string>& ModelReader::Strings(std::string_view name) const {
  return Get<std::vector<std::string>>(name);
}
std::span<const std::int64_t> ModelReader::Integers(std::string_view name) const {
  return Get<std::vector<std::int64_t>>(name);
}
std::span<const double> ModelReader::Doubles(std::string_view name) const {
  return Get<std::vector<double>>(name);
}

void WriteFileAtomically(const std::string& path, std::string_view bytes) {
  const std::string target = ResolveTarget(path);
  TemporaryFile file(target);
  file.Write(bytes);
  file.Commit();
  SyncFolder(target);
}

void CheckWritable(const std::string& path) { TemporaryFile probe(ResolveTarget(path)); }

}  // namespace slackline
