// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_predict.h>

#include <algorithm>
#include <memory>
#include <utility>

#include <slackline/apps/common/joined_results.h>
#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>

namespace slackline::internal {
namespace {

constexpr int kSequenceChunks = 64;

/// Sets the scores of disallowed states to −∞.
void Exclude(const std::vector<bool>& allowed, std::span<double> scores) {
  for (std::size_t s = 0; s < scores.size(); ++s) {
    if (!allowed[s]) scores[s] = -kInfinity;
  }
}

void CheckData(const SequenceModel& model, const SequenceData& data,
               std::span<const Index> sequences, Index threads) {
  SLACKLINE_CHECK(data.rows != nullptr && data.num_features == model.num_features(),
                  "the sequences do not have the features of the model");
  SLACKLINE_CHECK(threads >= 0, "a negative number of threads");
  for (const Index m : sequences)
    SLACKLINE_CHECK(m >= 0 && m < data.num_sequences(), "there is no such sequence");
}

/// Where each of these sequences begins in the results.
std::vector<Offset> Begins(const SequenceData& data, std::span<const Index> sequences) {
  std::vector<Offset> begin = {0};
  for (const Index m : sequences) begin.push_back(begin.back() + data.length(m));
  return begin;
}

/// Calls visit(decoder, j) for every position j in `sequences`, in parallel.
template <class Visit>
void ForSequences(const SequenceModel& model, std::span<const Index> sequences, Index threads,
                  const Visit& visit) {
  const int workers = NumThreads(threads);
  std::vector<std::unique_ptr<SequenceDecoder>> decoders(std::clamp(workers, 1, kSequenceChunks));
  ParallelChunks(static_cast<Index>(sequences.size()), kSequenceChunks, workers,
                 [&](const Chunk& chunk) {
                   auto& decoder = decoders[chunk.thread];
                   if (decoder == nullptr) decoder = std::make_unique<SequenceDecoder>(model);
                   for (Index j = chunk.begin; j < chunk.end; ++j) visit(decoder.get(), j);
                 });
}

}  // namespace

SequenceDecoder::SequenceDecoder(const SequenceModel& model)
    : model_(model), chain_(model.num_labels()) {
  const std::span<const double> weights = model.transition_weights();
  transitions_.assign(weights.begin(), weights.end());
  if (const BioRules* rules = model.rules()) Exclude(rules->transition, transitions_);
  chain_.SetSharedTable(transitions_);
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

void SequenceDecoder::Marginals(const FeatureRows& rows, Index first, Index length,
                                double temperature, std::span<double> out) {
  Scores(rows, first, length);
  if (length_ != length) {
    const auto graph = model_.MakeStructure(length)->shared_graph();
    sum_product_ = std::make_unique<SumProduct>(graph);
    length_ = length;
    states_.resize(graph->total_states());
    marginals_.resize(states_.size());
  }
  // The graph has the states of all tokens, then those of all pairs.
  auto pair = std::copy(scores_.begin(), scores_.end(), states_.begin());
  while (pair != states_.end()) pair = std::copy(transitions_.begin(), transitions_.end(), pair);
  sum_product_->Marginals(states_, temperature, marginals_);
  std::copy_n(marginals_.begin(), out.size(), out.begin());
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
    add(model_.constant_weights(), scores);
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
  CheckData(model, data, sequences, options.threads);
  SLACKLINE_CHECK(options.best >= 0, "a negative number of labellings");
  const std::vector<Offset> begin = Begins(data, sequences);
  SequencePredictions out;
  out.labels.resize(begin.back());
  if (options.scores) out.scores.resize(out.labels.size() * model.num_labels());
  if (options.best > 0) out.best.resize(sequences.size());

  const std::size_t k = model.num_labels();
  ForSequences(model, sequences, options.threads, [&](SequenceDecoder* decoder, Index j) {
    const Index m = sequences[j];
    const std::size_t token = begin[j];
    const std::size_t length = data.length(m);
    SequenceDecoder::Output of_sequence;
    of_sequence.labels = std::span<Index>(out.labels).subspan(token, length);
    if (options.scores)
      of_sequence.scores = std::span<double>(out.scores).subspan(token * k, length * k);
    if (options.best > 0) of_sequence.best = &out.best[j];
    decoder->Decode(*data.rows, static_cast<Index>(data.begin[m]), options, of_sequence);
  });
  return out;
}

std::vector<double> SequenceMarginals(const SequenceModel& model, const SequenceData& data,
                                      std::span<const Index> sequences, double temperature,
                                      Index threads) {
  CheckData(model, data, sequences, threads);
  const std::vector<Offset> begin = Begins(data, sequences);
  const std::size_t k = model.num_labels();
  std::vector<double> marginals(begin.back() * k);
  ForSequences(model, sequences, threads, [&](SequenceDecoder* decoder, Index j) {
    const Index m = sequences[j];
    const Index length = data.length(m);
    decoder->Marginals(*data.rows, static_cast<Index>(data.begin[m]), length, temperature,
                       std::span<double>(marginals).subspan(begin[j] * k, length * k));
  });
  return marginals;
}

SequenceMetrics EvaluateSequences(const SequenceData& data, std::span<const Index> sequences,
                                  std::span<const Index> labels, Ranks& ranks) {
  std::vector<Index> lengths;
  std::vector<Index> truth;
  for (const Index m : sequences) {
    const auto first = data.labels.begin() + data.begin[m];
    truth.insert(truth.end(), first, first + data.length(m));
    lengths.push_back(data.length(m));
  }
  lengths = JoinOnFirst(ranks, std::move(lengths));
  truth = JoinOnFirst(ranks, std::move(truth));
  const std::vector<Index> predicted =
      JoinOnFirst(ranks, std::vector<Index>(labels.begin(), labels.end()));
  std::vector<Offset> begin = {0};
  for (const Index length : lengths) begin.push_back(begin.back() + length);
  return ComputeSequenceMetrics(begin, truth, predicted, data.label_names);
}

}  // namespace slackline::internal
