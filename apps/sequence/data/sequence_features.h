// SPDX-License-Identifier: BSD-3-Clause
//
// Feature rows of sequences, from templates or attributes, and a dictionary.
#pragma once

#include <cstdint>
#include <string>

#include <slackline/apps/common/feature_dictionary.h>
#include <slackline/apps/sequence/data/feature_template.h>
#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

struct SequenceFeatureOptions {
  /// Features with fewer occurrences in the training data are dropped; not allowed with hash_bits.
  std::int64_t min_count = 1;
  int hash_bits = 0;  ///< > 0: 2^hash_bits columns instead of a dictionary
};

/// For training: makes data->rows and num_features, and returns the dictionary. All values are 1;
/// features of a token that share a hashed column add up. Throws DataError when no feature is left,
/// std::invalid_argument on min_count < 1, on hash_bits outside 0 …
/// FeatureDictionary::kMaxHashBits, and when both are given. About 0.3 µs per feature. Several
/// ranks must call the function together: they count the features of all ranks and get the same
/// dictionary.
FeatureDictionary LearnSequenceFeatures(const FeatureTemplates& templates,
                                        const SequenceFeatureOptions& options, SequenceData* data,
                                        Ranks& ranks = OneRank());

/// For prediction: makes data->rows and num_features = dictionary.size(). Returns the number of
/// features that are not in the dictionary, counted once per token; they are left out.
std::int64_t MakeSequenceFeatures(const FeatureTemplates& templates,
                                  const FeatureDictionary& dictionary, SequenceData* data);

/// The same for data whose attributes are the features. Attributes keep their values; values of a
/// token that share a column add up. Each function releases data->attributes.
FeatureDictionary LearnAttributeFeatures(const SequenceFeatureOptions& options, SequenceData* data,
                                         Ranks& ranks = OneRank());
std::int64_t MakeAttributeFeatures(const FeatureDictionary& dictionary, SequenceData* data);

/// For a dictionary of data that are read piece by piece: counts the features of a piece, which are
/// its attributes if it has any, …
void CountSequenceFeatures(const FeatureTemplates& templates, const SequenceData& data,
                           FeatureCounter* counter);
/// … and keeps the features that were counted at least min_count ≥ 1 times. Throws DataError about
/// `source` if none is left.
FeatureDictionary FinishSequenceDictionary(const FeatureCounter& counter, std::int64_t min_count,
                                           const std::string& source);

}  // namespace slackline::internal
