// SPDX-License-Identifier: BSD-3-Clause
//
// A small binary archive for the state of learners. Values follow each other, lists begin with
// their length, and tags separate the parts, so that a reader that is out of step stops at once.
// Bytes are little-endian on every machine. The archive has no checksum; the checkpoint file has
// one (checkpoint.h).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

class StateWriter {
 public:
  /// Begins a part. The reader must ask for the same name.
  void Tag(std::string_view name) { Text(name); }
  void Integer(std::int64_t value) { Number(static_cast<std::uint64_t>(value)); }
  void Bits(std::uint64_t value) { Number(value); }
  void Real(double value) { Number(std::bit_cast<std::uint64_t>(value)); }
  void Flag(bool value) { Integer(value ? 1 : 0); }
  void Text(std::string_view text) {
    Integer(static_cast<std::int64_t>(text.size()));
    bytes_.append(text);
  }
  void Reals(std::span<const double> values) { Numbers(values); }
  void Indices(std::span<const Index> values) { Numbers(values); }
  void Offsets(std::span<const Offset> values) { Numbers(values); }
  void Bytes(std::span<const std::uint8_t> values) { Numbers(values); }

  /// Begins a part that can be moved into another archive: everything before the first part, then
  /// one part after the other, is a state again.
  void Part() { parts_.push_back(bytes_.size()); }

  /// Forgets everything that was written, but keeps the memory.
  void Clear() {
    bytes_.clear();
    parts_.clear();
  }
  const std::string& bytes() const { return bytes_; }
  /// The places where parts begin.
  std::span<const std::size_t> parts() const { return parts_; }

 private:
  template <class T>
  void Number(T value) {
    Numbers<const T, false>(std::span<const T>(&value, 1));
  }
  template <class T, bool kCounted = true>
  void Numbers(std::span<T> values) {
    if (kCounted) Integer(static_cast<std::int64_t>(values.size()));
    const std::size_t begin = bytes_.size();
    if (values.empty()) return;
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    if constexpr (std::endian::native == std::endian::big) Reverse(begin, sizeof(T));
  }
  void Reverse(std::size_t begin, std::size_t width);

  std::string bytes_;
  std::vector<std::size_t> parts_;
};

/// Reads what a StateWriter wrote, in the same order. Everything is checked before it is used: all
/// methods throw DataError on bytes that do not fit, and no method allocates more than the archive
/// is long.
///
/// A valid checksum proves little: every number is also checked for the properties that the code
/// relies on. No sound run has a weight, a coordinate or a message beyond kLargestEntry; squares
/// and products of such numbers are still finite.
class StateReader {
 public:
  /// The bytes must outlive the reader.
  explicit StateReader(std::string_view bytes) : rest_(bytes) {}

  void Tag(std::string_view name);
  /// A number within [low, high].
  std::int64_t Integer(std::int64_t low, std::int64_t high);
  /// A count of calls, steps or work: ≥ 0, and so small that the sum of four does not overflow.
  static constexpr std::int64_t kMostCount = std::numeric_limits<std::int64_t>::max() / 4;
  std::int64_t Count() { return Integer(0, kMostCount); }
  /// The number of a pass or of a check: so small that twice the number is still an Index.
  Index Passes();
  std::uint64_t Bits();
  /// Any number, infinite and NaN included.
  double Real();
  /// A number of magnitude at most kLargestNumber.
  double FiniteReal();
  /// A number within [1 / kLargestNumber, kLargestNumber].
  double PositiveReal();
  /// A number within [0, kLargestNumber].
  double NonNegativeReal();
  bool Flag() { return Integer(0, 1) == 1; }
  std::string Text();

  /// A list of known length, values.size().
  void Reals(std::span<double> values);
  /// The same; no magnitude may exceed kLargestEntry.
  void FiniteReals(std::span<double> values);
  /// The same, for shares of a whole: ≥ 0 with the sum 1, within kShareTolerance (RequireShares).
  void Shares(std::span<double> values);
  void Offsets(std::span<Offset> values);
  /// Lists of any length: no magnitude beyond kLargestEntry, indices within [low, high].
  std::vector<double> FiniteReals();
  std::vector<Index> Indices(Index low, Index high);
  std::vector<std::uint8_t> Bytes();

  /// Bytes that have not been read.
  std::int64_t left() const { return static_cast<std::int64_t>(rest_.size()); }
  /// Throws DataError unless everything has been read.
  void Finish() const { Require(left() == 0, "bytes are left over"); }
  /// Throws DataError unless these `count` numbers, `stride` apart, are ≥ 0 with the sum 1, within
  /// kShareTolerance. A step on shares leaves a rounding error of about 1e-16, so that the errors
  /// of millions of steps stay far within the tolerance.
  static void RequireShares(const double* values, std::size_t count, std::size_t stride = 1);
  /// Throws DataError with the text `what` unless `good`.
  static void Require(bool good, std::string_view what) {
    if (!good) Fail(what);
  }

  static constexpr double kLargestEntry = 1e100;
  static constexpr double kLargestNumber = 1e200;
  static constexpr double kShareTolerance = 1e-6;

 private:
  [[noreturn]] static void Fail(std::string_view what);
  template <class T>
  T Number();
  std::size_t Count(std::size_t item_bytes);
  template <class T>
  void Fill(std::span<T> values);

  std::string_view rest_;
};

/// One description of a state for both directions: an object names the parts of its state one after
/// the other, and the archive writes or reads them. Parts are checked only when they are read, as
/// StateReader says; the writer trusts the running program.
class StateArchive {
 public:
  /// The writer or reader must outlive the archive.
  explicit StateArchive(StateWriter* writer) : writer_(writer) {}
  explicit StateArchive(StateReader* reader) : reader_(reader) {}

  bool loading() const { return reader_ != nullptr; }

  void Tag(std::string_view name) {
    if (loading()) return reader_->Tag(name);
    writer_->Tag(name);
  }
  /// Begins a part (StateWriter::Part).
  void Part() {
    if (!loading()) writer_->Part();
  }
  /// A number within [low, high].
  template <class T>
  void Integer(T* value, std::int64_t low, std::int64_t high) {
    if (loading()) {
      *value = static_cast<T>(reader_->Integer(low, high));
    } else {
      writer_->Integer(static_cast<std::int64_t>(*value));
    }
  }
  void Count(std::int64_t* value) { Integer(value, 0, StateReader::kMostCount); }
  void Passes(Index* value) {
    if (loading()) {
      *value = reader_->Passes();
    } else {
      writer_->Integer(*value);
    }
  }
  void Bits(std::uint64_t* value) {
    if (loading()) {
      *value = reader_->Bits();
    } else {
      writer_->Bits(*value);
    }
  }
  void Real(double* value) { Number(value, &StateReader::Real); }
  void FiniteReal(double* value) { Number(value, &StateReader::FiniteReal); }
  void PositiveReal(double* value) { Number(value, &StateReader::PositiveReal); }
  void NonNegativeReal(double* value) { Number(value, &StateReader::NonNegativeReal); }
  void Flag(bool* value) {
    if (loading()) {
      *value = reader_->Flag();
    } else {
      writer_->Flag(*value);
    }
  }
  void Text(std::string* text) {
    if (loading()) {
      *text = reader_->Text();
    } else {
      writer_->Text(*text);
    }
  }

  /// Lists of known length.
  void FiniteReals(std::span<double> values) {
    if (loading()) return reader_->FiniteReals(values);
    writer_->Reals(values);
  }
  /// Infinite numbers and NaN are allowed.
  void AnyReals(std::span<double> values) {
    if (loading()) return reader_->Reals(values);
    writer_->Reals(values);
  }
  void Shares(std::span<double> values) {
    if (loading()) return reader_->Shares(values);
    writer_->Reals(values);
  }
  /// A list of known length whose values lie within [0, limit).
  void Offsets(std::span<Offset> values, Offset limit = std::numeric_limits<Offset>::max());
  /// Lists of any length: no magnitude beyond kLargestEntry, indices within [low, high].
  void FiniteList(std::vector<double>* values) {
    if (loading()) {
      *values = reader_->FiniteReals();
    } else {
      writer_->Reals(*values);
    }
  }
  void Indices(std::vector<Index>* values, Index low, Index high) {
    if (loading()) {
      *values = reader_->Indices(low, high);
    } else {
      writer_->Indices(*values);
    }
  }
  void Bytes(std::vector<std::uint8_t>* values) {
    if (loading()) {
      *values = reader_->Bytes();
    } else {
      writer_->Bytes(*values);
    }
  }

  /// Writes `size`, or reads the number of parts that follow; returns the number, within [low,
  /// high]. least_bytes: the smallest size of one part, so that a damaged archive cannot ask for
  /// more memory than its own length allows.
  std::size_t Length(std::size_t size, std::int64_t low, std::int64_t high,
                     std::int64_t least_bytes = 1);

  /// When reading: throws DataError with the text `what` unless `good`.
  void Require(bool good, std::string_view what) const {
    if (loading()) StateReader::Require(good, what);
  }

 private:
  void Number(double* value, double (StateReader::*read)()) {
    if (loading()) {
      *value = (reader_->*read)();
    } else {
      writer_->Real(*value);
    }
  }

  StateWriter* writer_ = nullptr;
  StateReader* reader_ = nullptr;
};

}  // namespace slackline::internal
