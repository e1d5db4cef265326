// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/vocabulary.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/vision/k_means.h>
#include <slackline/vision/principal_components.h>

namespace slackline::internal {
namespace {

constexpr Index kSlice = 8192;  // rows of a sample between two step checks
constexpr float kSmallestDeviation = 1e-6f;

/// Projections to `kept` numbers: principal components, or, where no number is dropped, each number
/// divided by its deviation.
void LearnAxes(const DescriptorSpec& spec, const std::vector<float>& sample, const StepCheck& check,
               std::vector<float>* axes, std::vector<float>* shift) {
  Moments moments(spec.size);
  const std::size_t size = spec.size;
  const auto count = static_cast<Index>(sample.size() / size);
  for (Index begin = 0; begin < count; begin += kSlice) {
    CheckStep(check);
    moments.Add(sample.data() + begin * size, std::min(kSlice, count - begin));
  }
  if (spec.kept < spec.size) {
    const Spectrum spectrum = Decompose(moments);
    axes->assign(spectrum.vectors.begin(), spectrum.vectors.begin() + spec.kept * spec.size);
  } else {
    axes->assign(size * size, 0);
    for (std::size_t d = 0; d < size; ++d) {
      const auto deviation = static_cast<float>(std::sqrt(moments.Covariance(d, d)));
      (*axes)[d * size + d] = 1 / std::max(deviation, kSmallestDeviation);
    }
  }
  shift->assign(spec.kept, 0);
  for (std::size_t k = 0; k < shift->size(); ++k) {
    double dot = 0;
    for (std::size_t d = 0; d < size; ++d) dot += (*axes)[k * size + d] * moments.Mean(d);
    (*shift)[k] = static_cast<float>(-dot);
  }
}

bool AllFinite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

}  // namespace

void Vocabulary::Pack(const DescriptorSpec& spec) {
  size_ = spec.size;
  if (spec.kept > 0) projection_ = PackedColumns(axes_, shift_, spec.size);
  packed_centres_ = PackedColumns::ForNearest(centres_, spec.kept > 0 ? spec.kept : spec.size);
}

std::vector<Vocabulary> Vocabulary::Learn(const std::vector<DescriptorSpec>& specs,
                                          std::vector<std::vector<float>> samples,
                                          std::uint64_t seed, int threads, const StepCheck& check) {
  SLACKLINE_CHECK(samples.size() == specs.size(), "a sample of each kind is needed");
  std::vector<Vocabulary> vocabularies(specs.size());
  std::vector<std::size_t> kinds;
  for (std::size_t k = 0; k < specs.size(); ++k) {
    if (specs[k].size > 0) kinds.push_back(k);
  }
  if (kinds.empty()) return vocabularies;
  std::vector<ClusterTask> tasks(kinds.size());
  const auto count = static_cast<Index>(kinds.size());
  ParallelChunks(count, count, threads, [&](const Chunk& chunk) {
    const std::size_t t = chunk.begin;
    const std::size_t k = kinds[t];
    const DescriptorSpec& spec = specs[k];
    vocabularies[k].LearnProjection(spec, samples[k], check);
    tasks[t] = {vocabularies[k].Project(samples[k]), spec.kept > 0 ? spec.kept : spec.size,
                spec.words, seed + k};
    samples[k] = {};
  });
  std::vector<std::vector<float>> centres = KMeans(tasks, threads, check);
  for (std::size_t t = 0; t < kinds.size(); ++t) {
    vocabularies[kinds[t]].centres_ = std::move(centres[t]);
    vocabularies[kinds[t]].Pack(specs[kinds[t]]);
  }
  return vocabularies;
}

void Vocabulary::LearnProjection(const DescriptorSpec& spec, const std::vector<float>& sample,
                                 const StepCheck& check) {
  size_ = spec.size;
  if (spec.kept == 0) return;
  LearnAxes(spec, sample, check, &axes_, &shift_);
  projection_ = PackedColumns(axes_, shift_, spec.size);
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
  const std::size_t size = spec.size;
  const std::size_t kept = spec.kept;
  const bool good = vocabulary.axes_.size() == kept * size && vocabulary.shift_.size() == kept &&
                    vocabulary.centres_.size() == spec.words * (kept > 0 ? kept : size) &&
                    AllFinite(vocabulary.axes_) && AllFinite(vocabulary.shift_) &&
                    AllFinite(vocabulary.centres_);
  if (!good) throw BadBytes{};
  if (spec.size > 0) vocabulary.Pack(spec);
  return vocabulary;
}

std::vector<float> Vocabulary::Project(const std::vector<float>& descriptors) const {
  if (axes_.empty()) return descriptors;
  const auto count = static_cast<Index>(descriptors.size() / size_);
  std::vector<float> projected(count * shift_.size());
  Multiply(projection_, descriptors.data(), count, projected.data());
  return projected;
}

std::vector<Index> Vocabulary::Words(const std::vector<float>& descriptors) const {
  std::vector<Index> words(descriptors.size() / size_);
  const auto count = static_cast<Index>(words.size());
  if (axes_.empty()) {
    NearestColumns(packed_centres_, descriptors.data(), count, words.data());
  } else {
    NearestColumns(packed_centres_, Project(descriptors).data(), count, words.data());
  }
  return words;
}

}  // namespace slackline::internal
