// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence_predict.h>

#include <algorithm>
#include <memory>

#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>

namespace slackline {
namespace {

std::size_t Size(Offset n) { return static_cast<std::size_t>(n); }

constexpr int kChunks = 64;

/// What is not allowed gets the score −∞.
void Exclude(const std::vector<bool>& allowed, std::span<double> scores) {
  for (std::size_t s = 0; s < scores.size(); ++s) {
    if (!allowed[s]) scores[s] = -kInfinity;
  }
}

/// What one thread works with.
class Worker {
 public:
  explicit Worker(const SequenceModel& model) : model_(model), chain_(model.num_labels()) {
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

  /// tokens: where the results of the sequence begin.
  void Run(const SequenceData& data, Index m, Offset token, const SequencePredictOptions& options,
           SequencePredictions* out, std::vector<RankedLabelling>* best) {
    const std::size_t k = Size(model_.num_labels());
    const std::size_t length = Size(data.length(m));
    Scores(data, m);
    const std::span<Index> labels = std::span<Index>(out->labels).subspan(Size(token), length);
    if (options.scores) {
      chain_.MaxMarginals(scores_, labels,
                          std::span<double>(out->scores).subspan(Size(token) * k, length * k));
    } else if (options.best == 0) {
      chain_.Maximise(scores_, labels);
    }
    if (options.best == 0) return;
    *best = KBestLabellings(&chain_, scores_, options.best);
    SLACKLINE_DCHECK(!best->empty());
    std::copy(best->front().labels.begin(), best->front().labels.end(), labels.begin());
  }

 private:
  /// Scores of the tokens by themselves.
  void Scores(const SequenceData& data, Index m) {
    const Index k = model_.num_labels();
    const Index length = data.length(m);
    scores_.resize(Size(length) * Size(k));
    const auto first = static_cast<Index>(data.begin[Size(m)]);
    const auto add = [&](std::span<const double> block, double* scores) {
      for (std::size_t s = 0; s < Size(k); ++s) scores[s] += block[s];
    };
    for (Index i = 0; i < length; ++i) {
      double* scores = scores_.data() + Size(i) * Size(k);
      model_.TokenScores(data.rows->row(first + i), {scores, Size(k)});
      add(model_.bias_weights(), scores);
    }
    add(model_.start_weights(), scores_.data());
    add(model_.end_weights(), scores_.data() + Size(length - 1) * Size(k));
    // Of a model that was made up: weights are finite, but their sums need not be.
    if (!AllFinite(scores_)) throw DataError("the model's weights are too large for these sequences");
    if (model_.rules() != nullptr) Exclude(model_.rules()->start, std::span<double>(scores_).first(Size(k)));
  }

  const SequenceModel& model_;
  ChainDp chain_;
  std::vector<double> scores_;
};

}  // namespace

SequencePredictions PredictSequences(const SequenceModel& model, const SequenceData& data,
                                     std::span<const Index> sequences,
                                     const SequencePredictOptions& options) {
  SLACKLINE_CHECK(data.rows != nullptr && data.num_features == model.num_features(),
                  "the sequences do not have the features of the model");
  SLACKLINE_CHECK(options.best >= 0 && options.threads >= 0, "a negative number of labellings or threads");
  std::vector<Offset> begin = {0};
  for (const Index m : sequences) {
    SLACKLINE_CHECK(m >= 0 && m < data.num_sequences(), "there is no such sequence");
    begin.push_back(begin.back() + data.length(m));
  }
  SequencePredictions out;
  out.labels.resize(Size(begin.back()));
  if (options.scores) out.scores.resize(out.labels.size() * Size(model.num_labels()));
  if (options.best > 0) out.best.resize(sequences.size());

  const int threads = NumThreads(options.threads);
  std::vector<std::unique_ptr<Worker>> workers(Size(std::clamp(threads, 1, kChunks)));
  ParallelChunks(static_cast<Index>(sequences.size()), kChunks, threads, [&](const Chunk& chunk) {
    auto& worker = workers[Size(chunk.thread)];
    if (worker == nullptr) worker = std::make_unique<Worker>(model);
    for (Index j = chunk.begin; j < chunk.end; ++j) {
      worker->Run(data, sequences[Size(j)], begin[Size(j)], options, &out,
                  options.best > 0 ? &out.best[Size(j)] : nullptr);
    }
  });
  return out;
}

SequenceMetrics EvaluateSequences(const SequenceData& data, std::span<const Index> sequences,
                                  std::span<const Index> labels) {
  std::vector<Offset> begin = {0};
  std::vector<Index> given;
  for (const Index m : sequences) {
    const auto first = data.labels.begin() + data.begin[Size(m)];
    given.insert(given.end(), first, first + data.length(m));
    begin.push_back(static_cast<Offset>(given.size()));
  }
  return ComputeSequenceMetrics(begin, given, labels, data.label_names);
}

}  // namespace slackline
