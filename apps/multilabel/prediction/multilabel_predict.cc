// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>

#include <algorithm>
#include <memory>
#include <span>

#include <slackline/core/graph_topology.h>
#include <slackline/core/parallel.h>

namespace slackline::internal {
namespace {

constexpr int kPredictionChunks = 64;

/// The work space of one thread.
class Worker {
 public:
  Worker(const MultiLabelModel& model, const PredictOptions& options, bool separate_lp)
      : model_(model), options_(options), decoder_(model.MakeDecoder(options.decode)) {
    const FactorGraph& graph = model.structure()->graph();
    scores_.resize(graph.total_states());
    if (separate_lp) lp_ = MakeMapSolver(SolverKind::kRoof, model.structure()->shared_graph());
  }

  void Run(const Dataset& data, Index m, MultiLabelPredictions* out) {
    model_.Scores(data.example(m), scores_);
    const std::size_t n = model_.label_names().size();
    if (options_.labels) {
      decoder_.Decode(scores_, &result_);
      std::copy(result_.labels.begin(), result_.labels.end(),
                out->labels.begin() + static_cast<std::ptrdiff_t>(m * n));
    }
    if (options_.scores)
      decoder_.MaxMarginals(scores_, std::span<double>(out->scores).subspan(m * n, n));
    if (lp_ != nullptr) {
      lp_->Solve(scores_, nullptr, &result_);
      num_fractional_ += result_.integral ? 0 : 1;
    }
  }

  const Decoder& decoder() const { return decoder_; }
  Offset num_fractional() const {
    return lp_ != nullptr ? num_fractional_ : decoder_.num_fractional();
  }

 private:
  const MultiLabelModel& model_;
  const PredictOptions& options_;
  Decoder decoder_;
  std::unique_ptr<MapSolver> lp_;
  std::vector<double> scores_;
  MapResult result_;
  Offset num_fractional_ = 0;
};

/// Whether counting fractional solutions needs an LP besides the decoder.
bool NeedsSeparateLp(const MultiLabelModel& model, const PredictOptions& options,
                     const Decoder& decoder) {
  return options.fractional && !IsForest(model.structure()->graph()) &&
         !(options.labels && decoder.solves_lp());
}

/// Predicts the examples of this rank. Adds the counts of decoding to *total; returns the number of
/// fractional solutions.
Offset PredictExamples(const MultiLabelModel& model, const MultiLabelData& data,
                       const PredictOptions& options, Decoder* total, MultiLabelPredictions* out) {
  const Dataset dataset = model.MakeDataset(data);
  const bool separate_lp = NeedsSeparateLp(model, options, *total);
  if (options.labels) out->labels.resize(data.labels.size());
  if (options.scores) out->scores.resize(data.labels.size());

  const int threads = NumThreads(options.threads);
  std::vector<std::unique_ptr<Worker>> workers(std::clamp(threads, 1, kPredictionChunks));
  ParallelChunks(dataset.size(), kPredictionChunks, threads, [&](const Chunk& chunk) {
    auto& worker = workers[chunk.thread];
    if (worker == nullptr) worker = std::make_unique<Worker>(model, options, separate_lp);
    for (Index m = chunk.begin; m < chunk.end; ++m) worker->Run(dataset, m, out);
  });

  Offset fractional = 0;
  for (const auto& worker : workers) {
    if (worker == nullptr) continue;
    total->AddCounts(worker->decoder());
    fractional += worker->num_fractional();
  }
  return fractional;
}

}  // namespace

MultiLabelPredictions Predict(const MultiLabelModel& model, const MultiLabelData& data,
                              const PredictOptions& options) {
  Ranks& ranks = RanksOrOne(options.ranks);
  Decoder total = model.MakeDecoder(options.decode);
  MultiLabelPredictions out;
  Offset fractional = 0;
  OnAllRanks(ranks, [&] { fractional = PredictExamples(model, data, options, &total, &out); });
  total.AddUpCounts(ranks);
  out.decoder = total.description();
  if (options.fractional) {
    const Offset examples = ranks.SumOf(data.num_examples());
    out.fractional =
        examples > 0 ? static_cast<double>(ranks.SumOf(fractional)) / static_cast<double>(examples)
                     : 0.0;
  }
  return out;
}

}  // namespace slackline::internal
