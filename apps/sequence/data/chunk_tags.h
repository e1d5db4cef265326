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

/// What a label says about chunks. The prefix is what stands before the first dash. Without a dash
/// the letters B, I, E, S, L and U alone are prefixes of the empty type; any other label is
/// outside.
struct ChunkTag {
  enum class Role {
    kOutside,
    kBegin,   ///< B: begins a chunk
    kInside,  ///< I, and any prefix not listed: goes on with a chunk of its type, else begins one
    kEnd,     ///< E, L: as I, and the chunk ends here
    kSingle,  ///< S, U: a chunk of its own
  };
  Role role = Role::kOutside;
  std::string_view type;  ///< part of the label's text

  friend bool operator==(const ChunkTag&, const ChunkTag&) = default;
};

ChunkTag ParseChunkTag(std::string_view label);

/// Whether a chunk begins at `tag` when `previous` is the label before it (outside, at the start of
/// a sequence). A chunk ends before a label that is outside or begins another, and at the end of a
/// sequence. For labels with B, I and O this is the definition of the conlleval script of the CoNLL
/// tasks (IOB1 and IOB2 alike).
bool BeginsChunk(const ChunkTag& previous, const ChunkTag& tag);

/// Whether labels mark chunks: each is O, or one of the prefixes above, a dash and a type, and
/// there are some of the latter.
bool LooksLikeChunks(std::span<const std::string> label_names);

/// Whether labels are of the kind that IOB2 (BIO) uses: O, B-X and I-X only, at least one B-X, and
/// B-X for every I-X.
bool LooksLikeBio(std::span<const std::string> label_names);
/// Why they are not, for messages, with the first label at fault; empty when they are.
std::string WhyNotBio(std::span<const std::string> label_names);

/// What IOB2 allows: I-X follows B-X or I-X only. Any label may end a sequence.
struct BioRules {
  Index num_labels = 0;
  std::vector<bool> start;       ///< num_labels: may begin a sequence
  std::vector<bool> transition;  ///< num_labels × num_labels by rows: [from · num_labels + to]

  bool Allows(Index from, Index to) const {
    return transition[static_cast<std::size_t>(from) * static_cast<std::size_t>(num_labels) +
                      static_cast<std::size_t>(to)];
  }
};
/// Labels other than I-X are allowed everywhere.
BioRules BioAllowed(std::span<const std::string> label_names);

}  // namespace slackline::internal
