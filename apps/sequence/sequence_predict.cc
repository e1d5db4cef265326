// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_predict.h>

#include <algorithm>
#include <memory>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>

namespace slackline::internal {
namespace {

constexpr int kChunks = 64;

/// Sets the scores of disallowed states to −∞.
void Exclude(const std::vector<bool>& allowed, std::span<double> scores) {
  for (std::size_t s = 0; s < scores.size(); ++s) {
    if (!allowed[s]) scores[s] = -kInfinity;
  }
}

}  // namespace

SequenceDecoder::SequenceDecoder(const SequenceModel& model)
    : model_(model), chain_(model.num_labels()) {
  const BioRules* rules = model.rules();
  if (rules == nullptr) {
    chain_.SetSharedTable(model.transition_weights());
    return;
  }
  const std::span<const double> weights = model.transition_weights();
  std::vector<double> table(weights.begin(), weights.end());
  Exclude(rules->transition, table);
  chain_.SetSharedTable(table);
}

void SequenceDecoder::Decode(const FeatureRows& rows, Index first,
                             const SequencePredictOptions& options, const Output& out) {
  Scores(rows, first, static_cast<Index>(out.labels.size()));
  if (options.scores) {
    chain_.MaxMarginals(scores_, out.labels, out.scores);
  } else if (options.best == 0) {
    chain_.Maximise(scores_, out.labels);
  }
  if (options.best == 0) return;
  *out.best = KBestLabellings(&chain_, scores_, options.best);
  SLACKLINE_DCHECK(!out.best->empty());
  std::copy(out.best->front().labels.begin(), out.best->front().labels.end(), out.labels.begin());
}

void SequenceDecoder::Decode(const SequenceData& data, Index m,
                             const SequencePredictOptions& options, SequencePredictions* out) {
  SLACKLINE_CHECK(data.rows != nullptr && data.num_features == model_.num_features(),
                  "the sequences do not have the features of the model");
  SLACKLINE_CHECK(m >= 0 && m < data.num_sequences(), "there is no such sequence");
  out->labels.resize(data.length(m));
  out->scores.resize(options.scores ? out->labels.size() * model_.num_labels() : 0);
  out->best.resize(options.best > 0 ? 1 : 0);
  Decode(*data.rows, static_cast<Index>(data.begin[m]), options,
         {out->labels, out->scores, out->best.data()});
}

void SequenceDecoder::Scores(const FeatureRows& rows, Index first, Index length) {
  const std::size_t k = model_.num_labels();
  scores_.resize(length * k);
  const auto add = [&](std::span<const double> block, double* scores) {
    for (std::size_t s = 0; s < k; ++s) scores[s] += block[s];
  };
  for (Index i = 0; i < length; ++i) {
    double* scores = scores_.data() + i * k;
    model_.TokenScores(rows.row(first + i), {scores, k});
    add(model_.bias_weights(), scores);
  }
  add(model_.start_weights(), scores_.data());
  add(model_.end_weights(), scores_.data() + (length - 1) * k);
  // Finite weights of a manipulated model file may have infinite sums.
  if (!AllFinite(scores_)) throw DataError("the model's weights are too large for these sequences");
  if (model_.rules() != nullptr)
    Exclude(model_.rules()->start, std::span<double>(scores_).first(k));
}

SequencePredictions PredictSequences(const SequenceModel& model, const SequenceData& data,
                                     std::span<const Index> sequences,
                                     const SequencePredictOptions& options) {
  SLACKLINE_CHECK(data.rows != nullptr && data.num_features == model.num_features(),
                  "the sequences do not have the features of the model");
  SLACKLINE_CHECK(options.best >= 0 && options.threads >= 0,
                  "a negative number of labellings or threads");
  std::vector<Offset> begin = {0};
  for (const Index m : sequences) {
    SLACKLINE_CHECK(m >= 0 && m < data.num_sequences(), "there is no such sequence");
    begin.push_back(begin.back() + data.length(m));
  }
  SequencePredictions out;
  out.labels.resize(begin.back());
  if (options.scores) out.scores.resize(out.labels.size() * model.num_labels());
  if (options.best > 0) out.best.resize(sequences.size());

  const std::size_t k = model.num_labels();
  const int threads = NumThreads(options.threads);
  std::vector<std::unique_ptr<SequenceDecoder>> decoders(std::clamp(threads, 1, kChunks));
  ParallelChunks(static_cast<Index>(sequences.size()), kChunks, threads, [&](const Chunk& chunk) {
    auto& decoder = decoders[chunk.thread];
    if (decoder == nullptr) decoder = std::make_unique<SequenceDecoder>(model);
    for (Index j = chunk.begin; j < chunk.end; ++j) {
      const Index m = sequences[j];
      const std::size_t token = begin[j];
      const std::size_t length = data.length(m);
      SequenceDecoder::Output of_sequence;
      of_sequence.labels = std::span<Index>(out.labels).subspan(token, length);
      if (options.scores)
        of_sequence.scores = std::span<double>(out.scores).subspan(token * k, length * k);
      if (options.best > 0) of_sequence.best = &out.best[j];
      decoder->Decode(*data.rows, static_cast<Index>(data.begin[m]), options, of_sequence);
    }
  });
  return out;
}

SequenceMetrics EvaluateSequences(const SequenceData& data, std::span<const Index> sequences,
                                  std::span<const Index> labels) {
  std::vector<Offset> begin = {0};
  std::vector<Index> truth;
  for (const Index m : sequences) {
    const auto first = data.labels.begin() + data.begin[m];
    truth.insert(truth.end(), first, first + data.length(m));
    begin.push_back(static_cast<Offset>(truth.size()));
  }
  return ComputeSequenceMetrics(begin, truth, labels, data.label_names);
}

}  // namespace slackline::internal
