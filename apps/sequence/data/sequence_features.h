// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of features for sequences, from templates and a dictionary.
#pragma once

#include <cstdint>

#include <slackline/apps/common/feature_dictionary.h>
#include <slackline/apps/sequence/data/feature_template.h>
#include <slackline/apps/sequence/data/sequence_data.h>

namespace slackline::internal {

struct SequenceFeatureOptions {
  /// features that occur fewer times in the training data are dropped; not with hash_bits
  std::int64_t min_count = 1;
  int hash_bits = 0;  ///< > 0: no dictionary but 2^hash_bits columns
};

/// For training: makes data->rows and num_features, and returns the dictionary. All values are 1;
/// where features of one token share a hashed column they add up. Throws DataError when no feature
/// is left, std::invalid_argument on min_count < 1, hash_bits outside 0 …
/// FeatureDictionary::kMaxHashBits, or both at once. About 0.3 µs a feature.
FeatureDictionary LearnSequenceFeatures(const FeatureTemplates& templates,
                                        const SequenceFeatureOptions& options, SequenceData* data);

/// For prediction: makes data->rows and num_features = dictionary.size(). Returns how many
/// features, counted once for every token, are not in the dictionary; they are left out.
std::int64_t MakeSequenceFeatures(const FeatureTemplates& templates,
                                  const FeatureDictionary& dictionary, SequenceData* data);

}  // namespace slackline::internal
