// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_metrics.h>

#include <map>
#include <string_view>

#include <slackline/apps/common/ratio.h>
#include <slackline/apps/sequence/data/chunk_tags.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

void Finish(ChunkMetrics* m) {
  const auto truth = static_cast<double>(m->truth);
  const auto predicted = static_cast<double>(m->predicted);
  const auto right = static_cast<double>(m->right);
  m->precision = Ratio(right, predicted);
  m->recall = Ratio(right, truth);
  m->f1 = Ratio(2 * right, truth + predicted);
}

struct LabelChunk {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view type;
  friend bool operator==(const LabelChunk&, const LabelChunk&) = default;
};

/// Appends the chunks of labels [begin, end), all of which are known, in order.
void FindChunks(std::span<const Index> labels, std::size_t begin, std::size_t end,
                std::span<const ChunkTag> tags, std::vector<LabelChunk>* chunks) {
  chunks->clear();
  ChunkTag previous;
  for (std::size_t t = begin; t < end; ++t) {
    const ChunkTag& tag = tags[labels[t]];
    if (BeginsChunk(previous, tag)) {
      chunks->push_back({t, t + 1, tag.type});
    } else if (tag.role != ChunkTag::Role::kOutside) {
      chunks->back().end = t + 1;
    }
    previous = tag;
  }
}

/// Counts chunks in each run of known labels.
class ChunkCounter {
 public:
  explicit ChunkCounter(std::span<const std::string> label_names) {
    for (const std::string& label : label_names) tags_.push_back(ParseChunkTag(label));
  }

  void Count(std::span<const Index> truth, std::span<const Index> predicted, std::size_t begin,
             std::size_t end) {
    FindChunks(truth, begin, end, tags_, &truth_);
    FindChunks(predicted, begin, end, tags_, &predicted_);
    for (const LabelChunk& chunk : truth_) ++types_[chunk.type].truth;
    for (const LabelChunk& chunk : predicted_) ++types_[chunk.type].predicted;
    auto candidate = predicted_.begin();
    for (const LabelChunk& chunk : truth_) {
      while (candidate != predicted_.end() && candidate->begin < chunk.begin) ++candidate;
      if (candidate != predicted_.end() && *candidate == chunk) ++types_[chunk.type].right;
    }
  }

  void Finish(SequenceMetrics* metrics) {
    ChunkMetrics& all = metrics->chunks;
    for (auto& [type, counts] : types_) {
      counts.type = type;
      slackline::internal::Finish(&counts);
      all.truth += counts.truth;
      all.predicted += counts.predicted;
      all.right += counts.right;
      metrics->chunk_types.push_back(counts);
    }
    slackline::internal::Finish(&all);
  }

 private:
  std::vector<ChunkTag> tags_;
  std::vector<LabelChunk> truth_;
  std::vector<LabelChunk> predicted_;
  std::map<std::string_view, ChunkMetrics> types_;
};

void CheckArguments(std::span<const Offset> begin, std::span<const Index> truth,
                    std::span<const Index> predicted, std::size_t num_labels) {
  SLACKLINE_CHECK(!begin.empty() && begin.front() == 0 && truth.size() == predicted.size() &&
                      begin.back() == static_cast<Offset>(truth.size()),
                  "labels do not fit the sequences");
  for (std::size_t m = 1; m < begin.size(); ++m)
    SLACKLINE_CHECK(begin[m - 1] <= begin[m], "sequences must be in order");
  for (std::size_t t = 0; t < truth.size(); ++t) {
    SLACKLINE_CHECK(
        truth[t] == kUnlabelled || (truth[t] >= 0 && Offset{truth[t]} < Offset(num_labels)),
        "a true label without a name");
    SLACKLINE_CHECK(predicted[t] >= 0 && Offset{predicted[t]} < Offset(num_labels),
                    "a predicted label without a name");
  }
}

}  // namespace

SequenceMetrics ComputeSequenceMetrics(std::span<const Offset> begin, std::span<const Index> truth,
                                       std::span<const Index> predicted,
                                       std::span<const std::string> label_names) {
  CheckArguments(begin, truth, predicted, label_names.size());
  SequenceMetrics metrics;
  ChunkCounter chunks(label_names);
  std::int64_t right_tokens = 0;
  Index right_sequences = 0;
  for (std::size_t m = 0; m + 1 < begin.size(); ++m) {
    const std::size_t end = begin[m + 1];
    std::int64_t known = 0;
    std::int64_t wrong = 0;
    std::size_t stretch = begin[m];
    for (std::size_t t = stretch; t <= end; ++t) {
      if (t == end || truth[t] == kUnlabelled) {
        chunks.Count(truth, predicted, stretch, t);
        stretch = t + 1;
        continue;
      }
      ++known;
      if (truth[t] != predicted[t]) ++wrong;
    }
    if (known == 0) continue;
    ++metrics.sequences;
    metrics.tokens += known;
    right_tokens += known - wrong;
    if (wrong == 0) ++right_sequences;
    metrics.hamming_loss += static_cast<double>(wrong) / static_cast<double>(known);
  }
  metrics.token_accuracy =
      Ratio(static_cast<double>(right_tokens), static_cast<double>(metrics.tokens));
  metrics.sequence_accuracy = Ratio(right_sequences, metrics.sequences);
  metrics.hamming_loss = Ratio<double>(metrics.hamming_loss, metrics.sequences);
  chunks.Finish(&metrics);
  return metrics;
}

}  // namespace slackline::internal
