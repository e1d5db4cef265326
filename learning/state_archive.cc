// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/state_archive.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

void RequireEntries(std::span<const double> values) {
  const bool good = std::all_of(values.begin(), values.end(), [](double value) {
    return std::abs(value) <= StateReader::kLargestEntry;
  });
  StateReader::Require(good, "a number is not finite, or too large");
}

}  // namespace

void StateWriter::Reverse(std::size_t begin, std::size_t width) {
  for (std::size_t k = begin; k < bytes_.size(); k += width) {
    std::reverse(bytes_.begin() + static_cast<std::ptrdiff_t>(k),
                 bytes_.begin() + static_cast<std::ptrdiff_t>(k + width));
  }
}

void StateReader::Fail(std::string_view what) {
  throw DataError("the saved state of training is damaged, or belongs to another problem: " +
                  std::string(what));
}

template <class T>
void StateReader::Fill(std::span<T> values) {
  Require(values.size_bytes() <= rest_.size(), "it ends too early");
  if (values.empty()) return;
  std::memcpy(values.data(), rest_.data(), values.size_bytes());
  rest_.remove_prefix(values.size_bytes());
  if constexpr (std::endian::native == std::endian::big) {
    for (T& value : values) {
      char* bytes = reinterpret_cast<char*>(&value);
      std::reverse(bytes, bytes + sizeof(T));
    }
  }
}

template <class T>
T StateReader::Number() {
  T value{};
  Fill(std::span<T>(&value, 1));
  return value;
}

/// Reads a count of items of item_bytes each, all of which must still follow.
std::size_t StateReader::Count(std::size_t item_bytes) {
  const auto count = Number<std::uint64_t>();
  Require(count <= rest_.size() / item_bytes, "a list is longer than what is left");
  return count;
}

void StateReader::Tag(std::string_view name) {
  Require(Text() == name, "the part '" + std::string(name) + "' is not where it should be");
}

std::int64_t StateReader::Integer(std::int64_t low, std::int64_t high) {
  const auto value = static_cast<std::int64_t>(Number<std::uint64_t>());
  Require(value >= low && value <= high, "a number is out of its range");
  return value;
}

Index StateReader::Passes() {
  return static_cast<Index>(Integer(0, std::numeric_limits<Index>::max() / 4));
}

std::uint64_t StateReader::Bits() { return Number<std::uint64_t>(); }

double StateReader::Real() { return Number<double>(); }

double StateReader::FiniteReal() {
  const double value = Real();
  Require(std::abs(value) <= kLargestNumber, "a number is not finite, or too large");
  return value;
}

double StateReader::PositiveReal() {
  const double value = FiniteReal();
  Require(value >= 1 / kLargestNumber, "a number is not positive");
  return value;
}

double StateReader::NonNegativeReal() {
  const double value = FiniteReal();
  Require(value >= 0, "a number is negative");
  return value;
}

std::string StateReader::Text() {
  const std::size_t count = Count(1);
  std::string text(rest_.substr(0, count));
  rest_.remove_prefix(count);
  return text;
}

void StateReader::Reals(std::span<double> values) {
  Require(Count(sizeof(double)) == values.size(), "a list of numbers has another length");
  Fill(values);
}

void StateReader::FiniteReals(std::span<double> values) {
  Reals(values);
  RequireEntries(values);
}

void StateReader::Shares(std::span<double> values) {
  Reals(values);
  RequireShares(values.data(), values.size());
}

void StateReader::RequireShares(const double* values, std::size_t count, std::size_t stride) {
  double sum = 0;
  bool good = true;
  for (std::size_t k = 0; k < count; ++k) {
    const double value = values[k * stride];
    good = good && value >= -kShareTolerance;
    sum += value;
  }
  Require(good && std::abs(sum - 1) <= kShareTolerance, "shares do not add up to one");
}

void StateReader::Offsets(std::span<Offset> values) {
  Require(Count(sizeof(Offset)) == values.size(), "a list of counts has another length");
  Fill(values);
}

std::vector<double> StateReader::FiniteReals() {
  std::vector<double> values(Count(sizeof(double)));
  Fill(std::span<double>(values));
  RequireEntries(values);
  return values;
}

std::vector<Index> StateReader::Indices(Index low, Index high) {
  std::vector<Index> values(Count(sizeof(Index)));
  Fill(std::span<Index>(values));
  Require(std::all_of(values.begin(), values.end(), [&](Index v) { return v >= low && v <= high; }),
          "an index is out of its range");
  return values;
}

std::vector<std::uint8_t> StateReader::Bytes() {
  std::vector<std::uint8_t> values(Count(1));
  Fill(std::span<std::uint8_t>(values));
  return values;
}

void StateArchive::Offsets(std::span<Offset> values, Offset limit) {
  if (!loading()) return writer_->Offsets(values);
  reader_->Offsets(values);
  for (const Offset value : values)
    StateReader::Require(value >= 0 && value < limit, "a count is out of range");
}

std::size_t StateArchive::Length(std::size_t size, std::int64_t low, std::int64_t high,
                                 std::int64_t least_bytes) {
  auto length = static_cast<std::int64_t>(size);
  Integer(&length, low, loading() ? std::min(high, reader_->left() / least_bytes) : high);
  return length;
}

}  // namespace slackline::internal
