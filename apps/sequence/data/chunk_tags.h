// SPDX-License-Identifier: BSD-3-Clause
//
// Labels that mark chunks: O outside, else a prefix, a dash and the type of the chunk (B-NP, I-NP,
// …).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// The role of a label in chunks. The prefix is the text before the first dash. A label without a
/// dash is a prefix of the empty type if it is one of B, I, E, S, L and U, and otherwise outside.
struct ChunkTag {
  enum class Role {
    kOutside,
    kBegin,   ///< B: begins a chunk
    kInside,  ///< I and any unlisted prefix: continues a chunk of its type, else begins one
    kEnd,     ///< E, L: as I, and ends the chunk
    kSingle,  ///< S, U: a chunk of one token
  };
  Role role = Role::kOutside;
  std::string_view type;  ///< view of the label's text

  friend bool operator==(const ChunkTag&, const ChunkTag&) = default;
};

ChunkTag ParseChunkTag(std::string_view label);

/// Whether a chunk begins at `tag` after the label `previous` (outside at the start of a sequence).
/// A chunk ends before a label that is outside or begins another chunk, and at the end of a
/// sequence. For labels with B, I and O this is the definition of the conlleval script of the CoNLL
/// tasks (IOB1 and IOB2 alike).
bool BeginsChunk(const ChunkTag& previous, const ChunkTag& tag);

/// Whether labels mark chunks: each is O or one of the prefixes above, a dash and a type, and at
/// least one has a type.
bool LooksLikeChunks(std::span<const std::string> label_names);

/// Whether labels are an IOB2 (BIO) set: only O, B-X and I-X, at least one B-X, and B-X for every
/// I-X.
bool LooksLikeBio(std::span<const std::string> label_names);
/// The reason why labels are not an IOB2 set, with the first wrong label, for messages; empty if
/// they are one.
std::string WhyNotBio(std::span<const std::string> label_names);

/// The rules of IOB2: I-X only follows B-X or I-X. Any label may end a sequence.
struct BioRules {
  Index num_labels = 0;
  std::vector<bool> start;       ///< num_labels: whether a label may begin a sequence
  std::vector<bool> transition;  ///< num_labels × num_labels by rows: [from · num_labels + to]

  bool Allows(Index from, Index to) const { return transition[Offset{from} * num_labels + to]; }
};
/// Labels other than I-X are allowed everywhere.
BioRules BioAllowed(std::span<const std::string> label_names);

}  // namespace slackline::internal
