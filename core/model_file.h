// SPDX-License-Identifier: BSD-3-Clause
//
// The file in which models are kept: a versioned container of named, typed entries, guarded by its
// length and a checksum. The bytes are the same on every machine (little-endian):
//   "SLACKLIN" (checkpoints: "SLACKCKP")   u32 format version   u64 length of the whole file
//   u32 number of entries
//   per entry:   u8 type   u32 length of the name   the name   the value
//   u32 CRC-32 (as zlib's) of everything before it
// Values: string = u64 length, bytes; strings = u64 count, strings; integers and doubles = u64
// count, 8 bytes each; packed doubles (format 2) = u64 count, one bit per number (the first in the
// lowest bit of the first byte) that is set unless the number is +0, and the numbers whose bits are
// set, in 8 bytes each or, in single precision, in 4. Files without packed numbers have format 1,
// which older versions read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <slackline/core/atomic_file.h>

namespace slackline::internal {

inline constexpr std::uint32_t kModelFileVersion = 2;

/// What a file of this format holds. Kinds differ in the first eight bytes.
struct FileKind {
  std::string_view magic;
  std::string_view noun;  ///< for messages
};
inline constexpr FileKind kModelKind{"SLACKLIN", "model"};
inline constexpr FileKind kCheckpointKind{"SLACKCKP", "checkpoint"};

/// Collects entries, then writes them at once.
class ModelWriter {
 public:
  /// Adds an entry. Throws std::invalid_argument when the name is empty or already used.
  void Add(std::string_view name, const std::string& value);
  void Add(std::string_view name, const std::vector<std::string>& values);
  void Add(std::string_view name, std::span<const std::int64_t> values);
  void Add(std::string_view name, std::span<const double> values);
  /// Adds doubles of which many may be 0, packed where that is smaller. With `single_precision`
  /// they are always packed and rounded to single precision (by at most 6e-8 of the number, for
  /// numbers above 1e-38), unless one exceeds its range (3.4e38): then all remain doubles.
  void AddWeights(std::string_view name, std::span<const double> values,
                  bool single_precision = false);

  /// Writes the file through AtomicFile. On failure throws DataError and leaves the old file
  /// unchanged.
  void Save(const std::string& path, FileKind kind = kModelKind) const;
  /// The bytes of the file.
  std::string Bytes(FileKind kind = kModelKind) const;

 private:
  void BeginEntry(std::string_view name, char type);

  std::string entries_;
  std::vector<std::string> names_;
  bool packed_ = false;
};

/// Reads a whole file into memory. Throws DataError with different messages for: not a Slackline
/// model (or of another `kind`), written by a newer version (states both), truncated or too long
/// (states both lengths), damaged (the checksum does not match). Memory is bounded by the actual
/// size of the file (about 64 times the size if all numbers are packed zeros), whatever lengths it
/// claims, and by the claimed length when the file has no end.
class ModelReader {
 public:
  explicit ModelReader(const std::string& path, FileKind kind = kModelKind);
  /// The same for the bytes of a file; `name` is for messages.
  static ModelReader FromBytes(std::string_view bytes, const std::string& name,
                               FileKind kind = kModelKind);

  const std::string& path() const { return path_; }
  bool Has(std::string_view name) const;
  /// Names of all entries, in the order of the file.
  const std::vector<std::string>& names() const { return names_; }

  /// The value of an entry, valid while the reader lives. Throws DataError when there is no such
  /// entry or it has another type.
  const std::string& String(std::string_view name) const;
  const std::vector<std::string>& Strings(std::string_view name) const;
  std::span<const std::int64_t> Integers(std::string_view name) const;
  std::span<const double> Doubles(std::string_view name) const;
  /// Like Doubles, but moves the value out of the reader, which has no such entry afterwards.
  std::vector<double> TakeDoubles(std::string_view name);
  /// Whether the file has such an entry in single precision, even after TakeDoubles.
  bool HasSinglePrecision(std::string_view name) const {
    return single_.count(std::string(name)) > 0;
  }

 private:
  ModelReader(std::string name, std::string_view bytes, FileKind kind);
  using Value = std::variant<std::string, std::vector<std::string>, std::vector<std::int64_t>,
                             std::vector<double>>;
  template <class T>
  const T& Get(std::string_view name) const;
  void ParseEntries(std::string_view entries, std::uint32_t count);

  std::string path_;
  FileKind kind_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Value> values_;
  std::unordered_set<std::string> single_;  // entries in single precision
};

}  // namespace slackline::internal
