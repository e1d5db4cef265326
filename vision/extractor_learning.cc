// SPDX-License-Identifier: BSD-3-Clause
//
// FeatureExtractor::Learn makes two passes over the images: one for the vocabularies, one for the
// principal components.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/core/random.h>
#include <slackline/vision/extractor_state.h>
#include <slackline/vision/principal_components.h>

namespace slackline::internal {
namespace {

constexpr Index kMostWideSamples = 60'000;  // of descriptors of more than kWide numbers
constexpr Index kMostNarrowSamples = 100'000;
constexpr Index kWide = 64;
constexpr Index kMostSuperpixels = 20'000;  // sample for the principal components
constexpr Index kBatch = 32;                // images whose histograms are in memory at once
constexpr double kLeastVariance = 1e-6;     // of a block; a smaller variance is rounding noise
constexpr double kLeastDeviation = 1e-3;    // relative, of a shape value, likewise

/// The limits on the number of histogram features, and the share of each block's variance to keep
/// within them.
struct Budget {
  Index total;
  Index most;  ///< features of one block
  double share;
};
Budget BudgetFor(FeatureSet features) {
  return features == FeatureSet::kSmall ? Budget{100, 12, 0.9} : Budget{1185, 130, 0.95};
}

Index SampleSize(const DescriptorSpec& spec) {
  return spec.size > kWide ? kMostWideSamples : kMostNarrowSamples;
}

/// `wanted` different random numbers of 0 … count − 1 (all if there are fewer), in ascending order.
std::vector<Index> RandomSubset(Index count, Index wanted, Random* random) {
  std::vector<Index> all(count);
  std::iota(all.begin(), all.end(), 0);
  if (wanted >= count) return all;
  for (Index k = 0; k < wanted; ++k) {
    std::swap(all[k], all[k + random->Below(all.size() - k)]);
  }
  all.resize(wanted);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<float> TakeRows(const std::vector<float>& rows, Index size,
                            const std::vector<Index>& chosen) {
  std::vector<float> taken;
  taken.reserve(chosen.size() * size);
  for (const Index row : chosen) {
    const auto from = rows.begin() + static_cast<std::ptrdiff_t>(row) * size;
    taken.insert(taken.end(), from, from + size);
  }
  return taken;
}

/// Centres the shape values and scales them to deviation 1; constant values become 0.
BlockMap ShapeMap(const Moments& moments) {
  BlockMap map;
  const std::size_t size = kShapeValues;
  map.axes.assign(size * size, 0);
  for (std::size_t d = 0; d < size; ++d) {
    const double deviation = std::sqrt(moments.Covariance(d, d));
    const bool noise = deviation <= kLeastDeviation * (std::abs(moments.Mean(d)) + kLeastDeviation);
    map.mean.push_back(static_cast<float>(moments.Mean(d)));
    map.axes[d * size + d] = noise ? 0 : static_cast<float>(1 / deviation);
  }
  map.scale = 1 / std::sqrt(static_cast<float>(size));
  map.Pack();
  return map;
}

/// The first principal components, scaled so that the mean squared norm of the features is 1.
BlockMap ComponentMap(const Moments& moments, const Spectrum& spectrum, Index count) {
  BlockMap map;
  const std::size_t size = moments.size();
  for (std::size_t d = 0; d < size; ++d) map.mean.push_back(static_cast<float>(moments.Mean(d)));
  for (std::size_t k = 0; k < count * size; ++k) {
    map.axes.push_back(static_cast<float>(spectrum.vectors[k]));
  }
  const double variance =
      std::accumulate(spectrum.values.begin(), spectrum.values.begin() + count, 0.0);
  map.scale = variance > kLeastVariance ? static_cast<float>(1 / std::sqrt(variance)) : 0;
  map.Pack();
  return map;
}

/// The number of components of each block. All blocks keep the same share of their variance, the
/// largest one that the budget allows.
std::vector<Index> CountComponents(const std::vector<Spectrum>& spectra, const Budget& budget) {
  const auto counts = [&](double share) {
    std::vector<Index> result;
    for (const Spectrum& spectrum : spectra)
      result.push_back(std::min(budget.most, CountFor(spectrum, share)));
    return result;
  };
  const auto fits = [&](const std::vector<Index>& result) {
    return std::accumulate(result.begin(), result.end(), 0) <= budget.total;
  };
  if (fits(counts(budget.share))) return counts(budget.share);
  double low = 0;
  double high = budget.share;
  for (int step = 0; step < 30; ++step) {
    const double middle = (low + high) / 2;
    (fits(counts(middle)) ? low : high) = middle;
  }
  return counts(low);
}

}  // namespace

/// Learns an ExtractorState step by step.
class ExtractorLearner {
 public:
  ExtractorLearner(Index num_images, const ImageSource& image, ExtractorState* state, int threads,
                   const LearnProgress& progress)
      : image_(image),
        state_(*state),
        specs_(state->specs()),
        threads_(threads),
        progress_(progress),
        num_images_(num_images) {}

  void Learn() {
    LearnVocabularies();
    LearnMaps();
    state_.NameBlocks();
  }

 private:
  /// The sampled histograms of one image, by block as in ExtractorState::maps.
  using ImageRows = std::vector<std::vector<float>>;

  Random RandomFor(Index image, std::uint64_t pass) const {
    Random random(state_.options.seed * 0x9e3779b97f4a7c15ULL +
                  2 * static_cast<std::uint64_t>(image) + pass);
    return random;
  }

  /// Calls work(image number) for the images [begin, end) on all threads, until a call throws.
  template <class Work>
  void ForImages(Index begin, Index end, const Work& work) {
    ParallelChunks(end - begin, end - begin, threads_, [&](const Chunk& chunk) {
      work(begin + chunk.begin);
      const std::lock_guard<std::mutex> lock(mutex_);
      ++done_;
      if (progress_.image) progress_.image(done_, 2 * num_images_);
    });
  }

  void LearnVocabularies() {
    std::vector<ImageRows> samples(num_images_);
    ForImages(0, num_images_, [&](Index i) { samples[i] = SampleDescriptors(i); });
    std::vector<std::vector<float>> by_kind(specs_.size());
    for (std::size_t k = 0; k < specs_.size(); ++k) {
      for (ImageRows& image : samples) {
        by_kind[k].insert(by_kind[k].end(), image[k].begin(), image[k].end());
        image[k] = {};
      }
    }
    state_.vocabularies = Vocabulary::Learn(specs_, std::move(by_kind), state_.options.seed,
                                            threads_, progress_.check);
  }

  ImageRows SampleDescriptors(Index i) const {
    const Image image = image_(i);
    const WorkingImage working(image);
    Random random = RandomFor(i, 0);
    ImageRows samples;
    for (const DescriptorSpec& spec : specs_) {
      CheckStep(progress_.check);
      samples.emplace_back();
      if (spec.size == 0) continue;
      const Descriptors found = Describe(working.described(), spec);
      const Index wanted = (SampleSize(spec) - 1) / num_images_ + 1;
      samples.back() =
          TakeRows(found.values, spec.size,
                   RandomSubset(static_cast<Index>(found.pixels.size()), wanted, &random));
    }
    return samples;
  }

  void LearnMaps() {
    std::vector<Moments> moments;
    for (std::size_t m = 0; m + 1 < state_.num_maps(); ++m)
      moments.emplace_back(specs_[m % specs_.size()].words);
    moments.emplace_back(kShapeValues);
    std::vector<ImageRows> batch(kBatch);
    for (Index begin = 0; begin < num_images_; begin += kBatch) {
      const Index end = std::min(begin + kBatch, num_images_);
      ForImages(begin, end, [&](Index i) { batch[i - begin] = SampleRows(i); });
      const auto blocks = static_cast<Index>(moments.size());
      ParallelChunks(blocks, blocks, threads_, [&](const Chunk& chunk) {
        CheckStep(progress_.check);
        const std::size_t m = chunk.begin;
        std::vector<float> rows;
        for (Index i = begin; i < end; ++i) {
          const std::vector<float>& image = batch[i - begin][m];
          rows.insert(rows.end(), image.begin(), image.end());
        }
        moments[m].Add(rows.data(), static_cast<Index>(rows.size()) / moments[m].size());
      });
    }
    MakeMaps(moments);
  }

  ImageRows SampleRows(Index i) const {
    const Image image = image_(i);
    const WorkingImage working(image);
    const Superpixels fine = Slic(image, state_.options.fine);
    CheckStep(progress_.check);
    const LayerRows rows = ExtractorState::MakeRows(working, fine, Neighbours(image, fine),
                                                    state_.FindWords(working, progress_.check));
    Random random = RandomFor(i, 1);
    const std::vector<Index> chosen =
        RandomSubset(fine.count, (kMostSuperpixels - 1) / num_images_ + 1, &random);
    // All superpixels share the image's own histogram. It is repeated for each chosen superpixel,
    // so that it has the same weight as theirs.
    const std::vector<Index> first(chosen.size(), 0);
    ImageRows sampled;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t k = 0; k < specs_.size(); ++k) {
        const bool whole = r == static_cast<std::size_t>(Region::kImage);
        sampled.push_back(TakeRows(rows[r][k], specs_[k].words, whole ? first : chosen));
      }
    }
    sampled.push_back(TakeRows(ShapeValues(image, working.lab(), fine), kShapeValues, chosen));
    return sampled;
  }

  void MakeMaps(const std::vector<Moments>& moments) {
    const auto blocks = static_cast<Index>(moments.size()) - 1;
    std::vector<Spectrum> spectra(blocks);
    ParallelChunks(blocks, blocks, threads_, [&](const Chunk& chunk) {
      CheckStep(progress_.check);
      const std::size_t m = chunk.begin;
      spectra[m] = Decompose(moments[m]);
    });
    const std::vector<Index> counts = CountComponents(spectra, BudgetFor(state_.options.features));
    for (std::size_t m = 0; m < spectra.size(); ++m) {
      state_.maps.push_back(ComponentMap(moments[m], spectra[m], counts[m]));
    }
    state_.maps.push_back(ShapeMap(moments.back()));
  }

  const ImageSource& image_;
  ExtractorState& state_;
  const std::vector<DescriptorSpec>& specs_;
  int threads_;
  const LearnProgress& progress_;
  Index num_images_;
  std::mutex mutex_;
  Index done_ = 0;
};

FeatureExtractor FeatureExtractor::Learn(const std::vector<std::string>& image_paths,
                                         const ExtractorOptions& options, int threads,
                                         const LearnProgress& progress) {
  const auto read = [&](Index i) { return ReadImage(image_paths[i], kLargestImage); };
  return Learn(static_cast<Index>(image_paths.size()), read, options, threads, progress);
}

FeatureExtractor FeatureExtractor::Learn(Index num_images, const ImageSource& image,
                                         const ExtractorOptions& options, int threads,
                                         const LearnProgress& progress) {
  SLACKLINE_CHECK(num_images >= 1, "an extractor is learned from at least one image");
  SLACKLINE_CHECK(options.fine >= 1 && options.coarse >= 1,
                  "at least one superpixel must be wanted");
  auto state = std::make_unique<State>();
  state->options = options;
  ExtractorLearner(num_images, image, state.get(), threads, progress).Learn();
  return FeatureExtractor(std::move(state));
}

}  // namespace slackline::internal
