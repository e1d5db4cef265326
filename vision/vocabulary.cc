// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/vocabulary.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/vision/principal_components.h>

namespace slackline {
namespace {

constexpr int kChunks = 16;  // of the points
constexpr int kMostIterations = 40;
constexpr double kFewChanges = 0.001;  // share of points that change their centre in the last iteration
constexpr float kLeastDeviation = 1e-6f;

class Clustering {
 public:
  Clustering(const std::vector<float>& points, Index size, Index num_centres, int threads)
      : points_(points),
        size_(static_cast<std::size_t>(size)),
        count_(static_cast<Index>(points.size() / size_)),
        num_centres_(static_cast<std::size_t>(num_centres)),
        threads_(threads),
        centres_(num_centres_ * size_),
        words_(static_cast<std::size_t>(count_), -1) {}

  std::vector<float> Run(Random* random) {
    Seed(random);
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      const Index changes = Assign();
      if (changes <= kFewChanges * count_) break;
      MoveCentres();
    }
    return centres_;
  }

 private:
  const float* point(Index p) const { return points_.data() + static_cast<std::size_t>(p) * size_; }

  /// Every centre is a point, drawn by the square of its distance to those before.
  void Seed(Random* random) {
    std::vector<float> distance(static_cast<std::size_t>(count_), std::numeric_limits<float>::infinity());
    auto next = static_cast<Index>(random->Below(static_cast<std::uint64_t>(count_)));
    for (std::size_t k = 0; k < num_centres_; ++k) {
      float* centre = centres_.data() + k * size_;
      std::copy_n(point(next), size_, centre);
      UpdateDistances(centre, &distance);
      next = Draw(distance, random);
    }
  }

  void UpdateDistances(const float* centre, std::vector<float>* distance) const {
    const auto columns = static_cast<Eigen::Index>(size_);
    const Eigen::Map<const Eigen::RowVectorXf> to(centre, columns);
    ParallelChunks(count_, kChunks, threads_, [&](const Chunk& chunk) {
      for (Index p = chunk.begin; p < chunk.end; ++p) {
        const Eigen::Map<const Eigen::RowVectorXf> from(point(p), columns);
        float& best = (*distance)[static_cast<std::size_t>(p)];
        best = std::min(best, (from - to).squaredNorm());
      }
    });
  }

  Index Draw(const std::vector<float>& distance, Random* random) const {
    double sum = 0;
    for (const float value : distance) sum += value;
    double rest = random->Uniform() * sum;
    for (Index p = 0; p < count_; ++p) {
      rest -= distance[static_cast<std::size_t>(p)];
      if (rest < 0) return p;
    }
    return count_ - 1;
  }

  /// Returns how many points changed their centre.
  Index Assign() {
    const PackedColumns centres = PackedColumns::ForNearest(centres_, static_cast<Index>(size_));
    std::vector<Index> changes(kChunks);
    ParallelChunks(count_, kChunks, threads_, [&](const Chunk& chunk) {
      std::vector<Index> words(static_cast<std::size_t>(chunk.end - chunk.begin));
      NearestColumns(centres, point(chunk.begin), chunk.end - chunk.begin, words.data());
      for (std::size_t k = 0; k < words.size(); ++k) {
        Index& word = words_[static_cast<std::size_t>(chunk.begin) + k];
        changes[static_cast<std::size_t>(chunk.chunk)] += word != words[k];
        word = words[k];
      }
    });
    Index sum = 0;
    for (const Index part : changes) sum += part;
    return sum;
  }

  /// To the means of their points; those without points stay.
  void MoveCentres() {
    const std::size_t length = num_centres_ * (size_ + 1);
    std::vector<std::vector<double>> sums(kChunks);
    ParallelChunks(count_, kChunks, threads_, [&](const Chunk& chunk) {
      std::vector<double>& own = sums[static_cast<std::size_t>(chunk.chunk)];
      own.assign(length, 0);
      for (Index p = chunk.begin; p < chunk.end; ++p) {
        double* to = own.data() + static_cast<std::size_t>(words_[static_cast<std::size_t>(p)]) * (size_ + 1);
        for (std::size_t d = 0; d < size_; ++d) to[d] += point(p)[d];
        to[size_] += 1;
      }
    });
    for (std::size_t c = 1; c < sums.size(); ++c) {
      for (std::size_t k = 0; k < length; ++k) sums[0][k] += sums[c][k];
    }
    for (std::size_t k = 0; k < num_centres_; ++k) {
      const double* from = sums[0].data() + k * (size_ + 1);
      if (from[size_] == 0) continue;
      for (std::size_t d = 0; d < size_; ++d)
        centres_[k * size_ + d] = static_cast<float>(from[d] / from[size_]);
    }
  }

  const std::vector<float>& points_;
  std::size_t size_;
  Index count_;
  std::size_t num_centres_;
  int threads_;
  std::vector<float> centres_;
  std::vector<Index> words_;
};

/// Projections to kept numbers: principal components, or where none are dropped every number by its deviation.
void LearnAxes(const DescriptorSpec& spec, const std::vector<float>& sample, std::vector<float>* axes,
               std::vector<float>* shift) {
  Moments moments(spec.size);
  moments.Add(sample.data(), static_cast<Index>(sample.size() / static_cast<std::size_t>(spec.size)));
  const auto size = static_cast<std::size_t>(spec.size);
  if (spec.kept < spec.size) {
    const Spectrum spectrum = Decompose(moments);
    axes->assign(spectrum.vectors.begin(), spectrum.vectors.begin() + spec.kept * spec.size);
  } else {
    axes->assign(size * size, 0);
    for (std::size_t d = 0; d < size; ++d) {
      const auto deviation = static_cast<float>(std::sqrt(moments.Covariance(d, d)));
      (*axes)[d * size + d] = 1 / std::max(deviation, kLeastDeviation);
    }
  }
  shift->assign(static_cast<std::size_t>(spec.kept), 0);
  for (std::size_t k = 0; k < shift->size(); ++k) {
    double dot = 0;
    for (std::size_t d = 0; d < size; ++d) dot += (*axes)[k * size + d] * moments.Mean(d);
    (*shift)[k] = static_cast<float>(-dot);
  }
}

bool AllFinite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

}  // namespace

std::vector<float> KMeans(const std::vector<float>& points, Index size, Index num_centres, Random* random,
                          int threads) {
  SLACKLINE_CHECK(size >= 1 && num_centres >= 1 && points.size() >= static_cast<std::size_t>(size),
                  "k-means needs a point and a centre");
  return Clustering(points, size, num_centres, threads).Run(random);
}

void Vocabulary::Pack(const DescriptorSpec& spec) {
  size_ = spec.size;
  if (spec.kept > 0) projection_ = PackedColumns(axes_, shift_, spec.size);
  packed_centres_ = PackedColumns::ForNearest(centres_, spec.kept > 0 ? spec.kept : spec.size);
}

Vocabulary Vocabulary::Learn(const DescriptorSpec& spec, const std::vector<float>& sample, std::uint64_t seed,
                             int threads) {
  Vocabulary vocabulary;
  vocabulary.size_ = spec.size;
  if (spec.kept > 0) {
    LearnAxes(spec, sample, &vocabulary.axes_, &vocabulary.shift_);
    vocabulary.projection_ = PackedColumns(vocabulary.axes_, vocabulary.shift_, spec.size);
  }
  Random random(seed);
  const Index kept = spec.kept > 0 ? spec.kept : spec.size;
  vocabulary.centres_ = KMeans(vocabulary.Project(sample), kept, spec.words, &random, threads);
  vocabulary.Pack(spec);
  return vocabulary;
}

void Vocabulary::Write(ByteWriter* out) const {
  out->Floats(axes_);
  out->Floats(shift_);
  out->Floats(centres_);
}

Vocabulary Vocabulary::Read(const DescriptorSpec& spec, ByteReader* in) {
  Vocabulary vocabulary;
  vocabulary.axes_ = in->Floats();
  vocabulary.shift_ = in->Floats();
  vocabulary.centres_ = in->Floats();
  const auto size = static_cast<std::size_t>(spec.size);
  const auto kept = static_cast<std::size_t>(spec.kept);
  const bool good =
      vocabulary.axes_.size() == kept * size && vocabulary.shift_.size() == kept &&
      vocabulary.centres_.size() == static_cast<std::size_t>(spec.words) * (kept > 0 ? kept : size) &&
      AllFinite(vocabulary.axes_) && AllFinite(vocabulary.shift_) && AllFinite(vocabulary.centres_);
  if (!good) throw BadBytes{};
  if (spec.size > 0) vocabulary.Pack(spec);
  return vocabulary;
}

std::vector<float> Vocabulary::Project(const std::vector<float>& descriptors) const {
  if (axes_.empty()) return descriptors;
  const auto count = static_cast<Index>(descriptors.size() / static_cast<std::size_t>(size_));
  std::vector<float> projected(static_cast<std::size_t>(count) * shift_.size());
  Multiply(projection_, descriptors.data(), count, projected.data());
  return projected;
}

std::vector<Index> Vocabulary::Words(const std::vector<float>& descriptors) const {
  std::vector<Index> words(descriptors.size() / static_cast<std::size_t>(size_));
  const auto count = static_cast<Index>(words.size());
  if (axes_.empty()) {
    NearestColumns(packed_centres_, descriptors.data(), count, words.data());
  } else {
    NearestColumns(packed_centres_, Project(descriptors).data(), count, words.data());
  }
  return words;
}

}  // namespace slackline
