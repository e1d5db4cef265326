// SPDX-License-Identifier: BSD-3-Clause
//
// Visual words: descriptors are projected to fewer numbers, and belong to the nearest of the centres that k-means found.
#pragma once

#include <cstdint>
#include <vector>

#include <slackline/core/random.h>
#include <slackline/vision/byte_stream.h>
#include <slackline/vision/dense_kernels.h>
#include <slackline/vision/descriptors.h>

namespace slackline {

/// Lloyd's algorithm from centres drawn by k-means++ (Arthur and Vassilvitskii 2007): num_centres × size. Among fewer different
/// points than centres some centres are equal. Does not depend on `threads`. Requires a point.
std::vector<float> KMeans(const std::vector<float>& points, Index size, Index num_centres, Random* random,
                          int threads);

/// Empty for kinds whose descriptors are words already.
class Vocabulary {
 public:
  Vocabulary() = default;
  /// sample: descriptors of this kind, one after the other.
  static Vocabulary Learn(const DescriptorSpec& spec, const std::vector<float>& sample, std::uint64_t seed,
                          int threads);

  void Write(ByteWriter* out) const;
  /// Throws BadBytes.
  static Vocabulary Read(const DescriptorSpec& spec, ByteReader* in);

  /// Of descriptors one after the other.
  std::vector<Index> Words(const std::vector<float>& descriptors) const;
  /// What distances are measured of: the descriptors themselves where there is no projection.
  std::vector<float> Project(const std::vector<float>& descriptors) const;
  const std::vector<float>& centres() const { return centres_; }

 private:
  void Pack(const DescriptorSpec& spec);

  std::vector<float> axes_;   // kept × size
  std::vector<float> shift_;  // kept: the projection is axes · descriptor + shift
  std::vector<float> centres_;
  Index size_ = 0;
  PackedColumns projection_;
  PackedColumns packed_centres_;
};

}  // namespace slackline
