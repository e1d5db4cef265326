// SPDX-License-Identifier: BSD-3-Clause
//
// Visual words: descriptors are projected to fewer numbers; the word is the nearest of the centres
// that k-means found.
#pragma once

#include <cstdint>
#include <vector>

#include <slackline/vision/byte_stream.h>
#include <slackline/vision/dense_kernels.h>
#include <slackline/vision/descriptors.h>
#include <slackline/vision/step_check.h>

namespace slackline::internal {

/// Empty for kinds of descriptors that are words themselves.
class Vocabulary {
 public:
  Vocabulary() = default;
  /// Learns one vocabulary for each kind. `samples`: for each kind its descriptors one after the
  /// other, at least one where the kind has a vocabulary. Kind k uses seed + k, independently of
  /// the other kinds; the result does not depend on `threads`.
  static std::vector<Vocabulary> Learn(const std::vector<DescriptorSpec>& specs,
                                       std::vector<std::vector<float>> samples, std::uint64_t seed,
                                       int threads, const StepCheck& check);

  void Write(ByteWriter* out) const;
  /// Reads a vocabulary. Throws BadBytes when the bytes are damaged.
  static Vocabulary Read(const DescriptorSpec& spec, ByteReader* in);

  /// The words of descriptors that lie one after the other.
  std::vector<Index> Words(const std::vector<float>& descriptors) const;
  /// The vectors between which distances are measured: projections, or the descriptors themselves
  /// where there is no projection.
  std::vector<float> Project(const std::vector<float>& descriptors) const;
  const std::vector<float>& centres() const { return centres_; }

 private:
  void LearnProjection(const DescriptorSpec& spec, const std::vector<float>& sample,
                       const StepCheck& check);
  void Pack(const DescriptorSpec& spec);

  std::vector<float> axes_;   // kept × size
  std::vector<float> shift_;  // kept numbers: the projection is axes · descriptor + shift
  std::vector<float> centres_;
  Index size_ = 0;
  PackedColumns projection_;
  PackedColumns packed_centres_;
};

}  // namespace slackline::internal
