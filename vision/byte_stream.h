// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers and texts as little-endian bytes, for saved extractors and the directory of feature
// files.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace slackline::internal {

static_assert(std::endian::native == std::endian::little,
              "feature files are little-endian, and used as they are");

/// Thrown on damaged bytes. Callers turn it into a DataError, which names the file.
struct BadBytes {};

class ByteWriter {
 public:
  template <class T>
  void Number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void Text(std::string_view text) {
    Number<std::uint64_t>(text.size());
    bytes_.append(text);
  }
  void Floats(const std::vector<float>& values) {
    Number<std::uint64_t>(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads values from the front of the bytes. Every length is checked against the bytes that are
/// left. Throws BadBytes.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  std::size_t size() const { return rest_.size(); }
  template <class T>
  T Number() {
    static_assert(std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, Take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view Text() { return Take(Number<std::uint64_t>()); }
  std::vector<float> Floats() {
    const auto count = Number<std::uint64_t>();
    if (count > rest_.size() / sizeof(float)) throw BadBytes{};
    std::vector<float> values(count);
    const std::string_view bytes = Take(count * sizeof(float));
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

 private:
  std::string_view Take(std::uint64_t count) {
    if (count > rest_.size()) throw BadBytes{};
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::string_view rest_;
};

}  // namespace slackline::internal
