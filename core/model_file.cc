// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/model_file.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/memory_limit.h>
#include <slackline/core/read_file.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kMagicBytes = 8;
constexpr FileKind kKinds[] = {kModelKind, kCheckpointKind};
static_assert(kModelKind.magic.size() == kMagicBytes &&
              kCheckpointKind.magic.size() == kMagicBytes);
constexpr std::size_t kHeaderBytes = 8 + 4 + 8 + 4;
constexpr std::size_t kLengthPlace = 8 + 4;
constexpr std::size_t kChecksumBytes = 4;
constexpr std::size_t kSmallFile = std::size_t{1} << 26;

constexpr const char* kTypeNames[] = {"string", "strings", "integers", "doubles"};

template <class T>
void AppendNumber(T value, std::string* out) {
  for (std::size_t b = 0; b < sizeof(T); ++b)
    out->push_back(static_cast<char>((value >> (8 * b)) & 0xff));
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

/// Types of entries.
constexpr char kString = 0, kStrings = 1, kIntegers = 2, kDoubles = 3, kPacked = 4,
               kPackedSingle = 5;

/// Whether the bytes begin like a file of this kind, as far as they go.
bool BeginsAs(FileKind kind, std::string_view bytes) {
  const std::size_t known = std::min(bytes.size(), kMagicBytes);
  return bytes.substr(0, known) == kind.magic.substr(0, known);
}

/// The whole file, or only its beginning when it is of another kind or longer than it claims.
std::string ReadFramed(const std::string& path, FileKind kind) {
  return ReadFileUpTo(path, [&](std::string_view bytes) -> std::uint64_t {
    if (!BeginsAs(kind, bytes)) return 0;
    if (bytes.size() < kHeaderBytes) return kHeaderBytes;
    const auto length = NumberAt<std::uint64_t>(bytes.data() + kLengthPlace);
    // A damaged length is detected at the end of the file. A file without an end would exhaust the
    // memory first, so large lengths are compared with the memory.
    if (bytes.size() < kSmallFile || static_cast<double>(length) <= UsableMemory()) return length;
    throw DataError(path, 0,
                    "the " + std::string(kind.noun) + " claims to have " + std::to_string(length) +
                        " bytes, but there are only " + BytesText(UsableMemory()) + " of memory");
  });
}

/// Throws DataError unless the bytes are an undamaged file of this kind and version.
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
  const auto length = NumberAt<std::uint64_t>(bytes.data() + kLengthPlace);
  if (bytes.size() != length) {
    throw DataError(path, 0,
                    "the " + noun + " is " + (bytes.size() < length ? "truncated" : "too long") +
                        ": expected " + std::to_string(length) + " bytes, found " +
                        (bytes.size() < length ? actual : "more"));
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (version == 0 || Crc32(body) != NumberAt<std::uint32_t>(bytes.data() + body.size())) {
    throw DataError(path, 0, "the " + noun + " is damaged: its checksum does not match");
  }
}

/// Takes values off the front of the entries; every length is checked against what is left before
/// it is used.
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
    return count;
  }
  /// A count of items that take a bit each.
  std::size_t PackedCount() {
    const auto count = Number<std::uint64_t>();
    if (count / 8 > rest_.size()) Fail();
    return count;
  }
  [[noreturn]] void Fail() const {
    throw DataError(path_, 0,
                    "the " + std::string(kind_.noun) + " is damaged: its entries do not add up");
  }

 private:
  std::string_view Take(std::uint64_t length) {
    if (length > rest_.size()) Fail();
    const std::string_view taken = rest_.substr(0, length);
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

/// Bits: the unsigned integer type of the size of Number, 4 or 8 bytes.
template <class Number, class Bits>
std::vector<double> TakePacked(EntryCursor* cursor) {
  const std::size_t count = cursor->PackedCount();
  const std::string bitmap = cursor->String((count + 7) / 8);
  std::vector<double> values(count, 0.0);
  for (std::size_t k = 0; k < bitmap.size() * 8; ++k) {
    if ((static_cast<unsigned char>(bitmap[k / 8]) >> (k % 8) & 1) == 0) continue;
    if (k >= count) cursor->Fail();
    values[k] = std::bit_cast<Number>(cursor->template Number<Bits>());
  }
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
  BeginEntry(name, kString);
  AppendString(value, &entries_);
}

void ModelWriter::Add(std::string_view name, const std::vector<std::string>& values) {
  BeginEntry(name, kStrings);
  AppendNumber<std::uint64_t>(values.size(), &entries_);
  for (const std::string& value : values) AppendString(value, &entries_);
}

void ModelWriter::Add(std::string_view name, std::span<const std::int64_t> values) {
  BeginEntry(name, kIntegers);
  AppendNumber<std::uint64_t>(values.size(), &entries_);
  for (const std::int64_t value : values)
    AppendNumber(std::bit_cast<std::uint64_t>(value), &entries_);
}

void ModelWriter::Add(std::string_view name, std::span<const double> values) {
  BeginEntry(name, kDoubles);
  AppendNumber<std::uint64_t>(values.size(), &entries_);
  for (const double value : values) AppendNumber(std::bit_cast<std::uint64_t>(value), &entries_);
}

void ModelWriter::AddWeights(std::string_view name, std::span<const double> values,
                             bool single_precision) {
  const auto fits = [](double value) {
    return std::abs(value) <= std::numeric_limits<float>::max();
  };
  const bool single = single_precision && std::all_of(values.begin(), values.end(), fits);
  // Numbers whose bits are all 0, also after rounding to single precision, are not stored.
  const auto bits = [single](double value) -> std::uint64_t {
    return single ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                  : std::bit_cast<std::uint64_t>(value);
  };
  std::string bitmap((values.size() + 7) / 8, '\0');
  std::size_t kept = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (bits(values[k]) == 0) continue;
    bitmap[k / 8] = static_cast<char>(static_cast<unsigned char>(bitmap[k / 8]) | 1U << (k % 8));
    ++kept;
  }
  if (!single && bitmap.size() + 8 * kept >= 8 * values.size()) {
    Add(name, values);
    return;
  }
  BeginEntry(name, single ? kPackedSingle : kPacked);
  AppendNumber<std::uint64_t>(values.size(), &entries_);
  entries_ += bitmap;
  for (const double value : values) {
    if (bits(value) == 0) continue;
    if (single) {
      AppendNumber(static_cast<std::uint32_t>(bits(value)), &entries_);
    } else {
      AppendNumber(bits(value), &entries_);
    }
  }
  packed_ = true;
}

std::string ModelWriter::Bytes(FileKind kind) const {
  std::string bytes;
  bytes.reserve(kHeaderBytes + entries_.size() + kChecksumBytes);
  bytes += kind.magic;
  AppendNumber<std::uint32_t>(packed_ ? 2 : 1, &bytes);
  AppendNumber<std::uint64_t>(kHeaderBytes + entries_.size() + kChecksumBytes, &bytes);
  AppendNumber<std::uint32_t>(static_cast<std::uint32_t>(names_.size()), &bytes);
  bytes += entries_;
  AppendNumber<std::uint32_t>(Crc32(bytes), &bytes);
  return bytes;
}

void ModelWriter::Save(const std::string& path, FileKind kind) const {
  WriteFileAtomically(path, Bytes(kind));
}

ModelReader::ModelReader(const std::string& path, FileKind kind)
    : ModelReader(path, ReadFramed(path, kind), kind) {}

ModelReader ModelReader::FromBytes(std::string_view bytes, const std::string& name, FileKind kind) {
  return {name, bytes, kind};
}

ModelReader::ModelReader(std::string name, std::string_view bytes, FileKind kind)
    : path_(std::move(name)), kind_(kind) {
  CheckFrame(path_, kind, bytes);
  ParseEntries(bytes.substr(kHeaderBytes, bytes.size() - kHeaderBytes - kChecksumBytes),
               NumberAt<std::uint32_t>(bytes.data() + 20));
}

void ModelReader::ParseEntries(std::string_view entries, std::uint32_t count) {
  EntryCursor cursor(path_, kind_, entries);
  for (std::uint32_t e = 0; e < count; ++e) {
    const auto type = cursor.Number<std::uint8_t>();
    std::string name = cursor.String(cursor.Number<std::uint32_t>());
    Value value;
    switch (type) {
      case kString:
        value = cursor.String(cursor.Number<std::uint64_t>());
        break;
      case kStrings:
        value = TakeStrings(&cursor);
        break;
      case kIntegers:
        value = TakeNumbers<std::int64_t>(&cursor);
        break;
      case kDoubles:
        value = TakeNumbers<double>(&cursor);
        break;
      case kPacked:
        value = TakePacked<double, std::uint64_t>(&cursor);
        break;
      case kPackedSingle:
        value = TakePacked<float, std::uint32_t>(&cursor);
        single_.insert(name);
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
                      kTypeNames[found->second.index()] + ", not " +
                      kTypeNames[Value(T()).index()]);
}

const std::string& ModelReader::String(std::string_view name) const {
  return Get<std::string>(name);
}
const std::vector<std::string>& ModelReader::Strings(std::string_view name) const {
  return Get<std::vector<std::string>>(name);
}
std::span<const std::int64_t> ModelReader::Integers(std::string_view name) const {
  return Get<std::vector<std::int64_t>>(name);
}
std::span<const double> ModelReader::Doubles(std::string_view name) const {
  return Get<std::vector<double>>(name);
}
std::vector<double> ModelReader::TakeDoubles(std::string_view name) {
  Get<std::vector<double>>(name);  // throws when there is none
  std::vector<double> values =
      std::get<std::vector<double>>(std::move(values_.extract(std::string(name)).mapped()));
  names_.erase(std::find(names_.begin(), names_.end(), name));
  return values;
}

}  // namespace slackline::internal
