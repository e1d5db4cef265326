// SPDX-License-Identifier: BSD-3-Clause
//
// Named sets of feature templates (apps/sequence/data/feature_template.h):
//   spelling           words at -2 … 2, pairs of words, and for the word itself: lower case, shape,
//                      the first and the last one to three characters. 15 features a token, of
//                      column 0
//   chunking           words and parts of speech (column 1) at -2 … 2, pairs of neighbours,
//                      triples of parts of speech: 19 features, the usual set for chunking
//   chunking+spelling  chunking, and for the word itself: lower case, shape, and its last two and
//                      three characters. 23 features
//   auto               spelling with one column; else chunking+spelling where column 0 holds
//                      words, and chunking where it does not
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <slackline/apps/sequence/data/feature_template.h>
#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// The names listed above.
std::span<const std::string_view> TemplateSetNames();
bool IsTemplateSet(std::string_view name);

/// Whether at least half of the distinct texts of a column look like words: two or more characters,
/// including an ASCII letter or a character beyond ASCII. Numbers and single characters are not
/// words. Linear in the cells. Several ranks must call this function and the ones below together;
/// the result covers the tokens of all ranks.
bool HoldsWords(const TokenTable& tokens, Index column, Ranks& ranks = OneRank());

/// The set that auto chooses for these tokens. Requires a column.
std::string_view ChooseTemplateSet(const TokenTable& tokens, Ranks& ranks = OneRank());

/// The templates of a set, with comments; auto: the set for data whose column 0 holds words. Throws
/// DataError on an unknown set, and when the data have fewer columns than the set needs.
std::string TemplateSetText(std::string_view name, Index num_columns);

/// The templates for tokens from the name of a set or of a file; empty: auto. Throws DataError,
/// also when neither a set nor a file has this name.
FeatureTemplates ReadTemplates(const std::string& name, const TokenTable& tokens,
                               Ranks& ranks = OneRank());

/// The name of the set with exactly these templates; empty if there is none.
std::string_view TemplateSetOf(const FeatureTemplates& templates);

}  // namespace slackline::internal
