// SPDX-License-Identifier: BSD-3-Clause
//
// Columns for features that are texts: by name or by hash.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/common/string_table.h>
#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// Immutable. By name: column i belongs to the i-th feature, and all other features are unknown.
/// Hashed: no feature is unknown, and several may share a column.
class FeatureDictionary {
 public:
  static constexpr int kMaxHashBits = 30;

  FeatureDictionary() = default;  ///< by name, without features
  /// 2^bits columns, 1 ≤ bits ≤ kMaxHashBits. The column of a feature is the low bits of HashText.
  static FeatureDictionary Hashed(int bits);
  /// Reads the output of Text(). Throws DataError about `source` on incomplete text and on repeated
  /// features.
  static FeatureDictionary FromText(std::string_view text, const std::string& source);

  /// The column of a feature, or kAbsent.
  Index Find(std::string_view feature) const {
    if (hash_bits_ == 0) return names_.Find(feature);
    return static_cast<Index>(HashText(feature) & ((std::uint64_t{1} << hash_bits_) - 1));
  }
  /// Number of columns.
  Index size() const { return hash_bits_ == 0 ? names_.size() : Index{1} << hash_bits_; }
  int hash_bits() const { return hash_bits_; }  ///< 0: by name
  /// Name of feature i < size(). Only by name.
  std::string_view name(Index i) const { return names_.text(i); }
  /// For files: the features in the order of their columns, each followed by \n. Empty when hashed.
  std::string Text() const;

 private:
  friend class FeatureCounter;

  StringTable names_;
  int hash_bits_ = 0;
};

/// Builds a dictionary by name from all features of the training data.
class FeatureCounter {
 public:
  /// Counts a feature (text without \n). Returns its number; numbers count from 0 in the order of
  /// first occurrence.
  Index Add(std::string_view feature);
  Index size() const { return names_.size(); }
  /// The dictionary of the features counted at least min_count ≥ 1 times, in the order of first
  /// occurrence. (*column)[i] becomes the column of feature number i, or kAbsent if it is dropped.
  FeatureDictionary Finish(std::int64_t min_count, std::vector<Index>* column) const;
  /// The same on all ranks, which must call this function together: the dictionary counts the
  /// features of all ranks, in the order of first occurrence over rank 0, rank 1, and so on. Every
  /// feature travels to one rank; only the kept features travel to all.
  FeatureDictionary Finish(Ranks& ranks, std::int64_t min_count, std::vector<Index>* column) const;

 private:
  StringTable names_;
  std::vector<std::int64_t> counts_;
};

}  // namespace slackline::internal
