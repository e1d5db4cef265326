// SPDX-License-Identifier: BSD-3-Clause
//
// An array that grows at its end, in memory or in a file, or that is a view of other elements. The
// pages of a file are mapped: they are read like memory, and the system writes and drops them when
// memory is short. An array can thus be larger than the memory of the machine.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// A file without a name that is mapped as a whole. It disappears with the object or with the
/// process.
class MappedFile {
 public:
  /// Makes the file in an existing folder. Throws DataError with the folder and the system's reason
  /// when that fails.
  explicit MappedFile(const std::string& folder);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Makes room for at least `bytes` on the disk. The contents stay, but may move. Throws DataError
  /// when the disk is full; the file is then as it was.
  void Reserve(std::size_t bytes);

  const void* data() const { return data_; }

  /// Writes into the reserved room. Throws DataError when the disk refuses.
  void Write(std::size_t first_byte, std::string_view bytes);

  /// Has the system begin to read these bytes from the disk. Otherwise it reads them page by page
  /// when they are needed.
  void WillNeed(std::size_t first_byte, std::size_t bytes) const;

 private:
  std::string folder_;
  int descriptor_ = -1;
  void* data_ = nullptr;
  std::size_t capacity_ = 0;
};

/// Reading costs what it costs in a std::vector: one pointer to the first element.
template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Makes an empty array in memory.
  GrowingArray() = default;
  /// Makes an empty array in a file in this folder; "": in memory.
  explicit GrowingArray(const std::string& folder) {
    if (!folder.empty()) file_ = std::make_unique<MappedFile>(folder);
  }
  /// A view: these elements are read in place. `owner` keeps them alive and is released with the
  /// array; without one, the caller does. Viewed elements must not change.
  GrowingArray(std::span<const T> elements, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), viewed_(true), data_(elements.data()), size_(elements.size()) {}
  /// A copy lies in memory, wherever the original lies.
  GrowingArray(const GrowingArray& other) : memory_(other.begin(), other.end()) { Refresh(); }
  GrowingArray(GrowingArray&& other) noexcept { Swap(other); }
  GrowingArray& operator=(GrowingArray other) noexcept {
    Swap(other);
    return *this;
  }
  ~GrowingArray() = default;

  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& operator[](std::size_t k) const { return data_[k]; }

  bool in_file() const { return file_ != nullptr; }
  bool is_view() const { return viewed_; }

  /// The first append to a view copies its elements into memory, where the array then lies.
  void Append(std::span<const T> values) {
    if (values.empty()) return;
    if (viewed_) TakeIn(size_ + values.size());
    if (file_ == nullptr) {
      memory_.insert(memory_.end(), values.begin(), values.end());
    } else {
      file_->Reserve((size_ + values.size()) * sizeof(T));
      file_->Write(size_ * sizeof(T),
                   {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
      size_ += values.size();
    }
    Refresh();
  }
  void Append(const T& value) { Append(std::span<const T>(&value, 1)); }

  /// Makes room for `count` elements in all, so that appending moves no element. Copies the
  /// elements of a view that has fewer.
  void Reserve(std::size_t count) {
    if (viewed_ && count > size_) TakeIn(count);
    if (viewed_) return;
    if (file_ == nullptr) {
      memory_.reserve(count);
    } else if (count > size_) {
      file_->Reserve(count * sizeof(T));
    }
    Refresh();
  }

  /// In a file: has the system begin to read these elements (MappedFile::WillNeed).
  void WillNeed(std::size_t first, std::size_t count) const {
    if (file_ != nullptr && count > 0) file_->WillNeed(first * sizeof(T), count * sizeof(T));
  }

  /// Gives back memory reserved for further elements; a file keeps its room.
  void ShrinkToFit() {
    memory_.shrink_to_fit();
    Refresh();
  }

 private:
  void Refresh() {
    if (viewed_) return;
    if (file_ == nullptr) size_ = memory_.size();
    data_ = file_ == nullptr ? memory_.data() : static_cast<const T*>(file_->data());
  }
  /// Copies the elements of a view into memory, with room for `count` in all.
  void TakeIn(std::size_t count) {
    memory_.reserve(count);
    memory_.assign(begin(), end());
    viewed_ = false;
    owner_.reset();
    Refresh();
  }
  void Swap(GrowingArray& other) {
    std::swap(memory_, other.memory_);
    std::swap(file_, other.file_);
    std::swap(owner_, other.owner_);
    std::swap(viewed_, other.viewed_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::vector<T> memory_;
  std::unique_ptr<MappedFile> file_;
  std::shared_ptr<const void> owner_;
  bool viewed_ = false;
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace slackline::internal
