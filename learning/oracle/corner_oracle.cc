// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/corner_oracle.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/graph_topology.h>
#include <slackline/inference/message_passing.h>
#include <slackline/inference/rounding.h>
#include <slackline/learning/oracle/shared_tables.h>
#include <slackline/learning/problem_scales.h>

namespace slackline::internal {
namespace {

/// From so many pairs on it is cheaper to keep their row sums up to date with the weights than to
/// sum them in every call.
constexpr std::size_t kPairsWorthSums = 400;

/// Between two calls sums follow so many changes of weights, as a share of the pairs; beyond that
/// it is cheaper to sum again.
constexpr Index kPairsPerChange = 4;

/// Iterations of message passing in a call. A pass over grids of 20 × 20 variables with 10 states
/// took as many passes to a certified gap with 8 as with 100.
constexpr Index kTrainingIterations = 5;
constexpr Index kCheckingIterations = 30;

/// The single state of the map that has a feature, or −1 when there are none or several.
Index OnlyState(const StateMap& map) {
  Index only = -1;
  for (std::size_t s = 0; s < map.rows.size(); ++s) {
    if (map.rows[s] == kAbsent) continue;
    if (only >= 0) return -1;
    only = static_cast<Index>(s);
  }
  return only;
}

/// Iterations where more is asked for than these, and after how many of them there is a labelling.
constexpr Index kLongIterations = 30;
constexpr Index kDecodeEvery = 10;
constexpr double kMessageTolerance = 1e-5;  // of the value: what an iteration has to gain
constexpr double kReached = 1e-9;           // of max(1, |value|): a gap that is not worth a search

Index MostChanges(const MultiLabelForm& form) {
  return static_cast<Index>(form.pairs().size()) / kPairsPerChange;
}

Offset WeightPosition(const Structure& structure, const FeatureTerm& term, const StateMap& map,
                      Index state) {
  return structure.layout().block(term.block).offset + term.base + map.rows[state];
}

}  // namespace

std::optional<MultiLabelForm> MultiLabelForm::Make(const Structure& structure) {
  const FactorGraph& graph = structure.graph();
  if (structure.has_forbidden_states()) return std::nullopt;
  MultiLabelForm form;
  form.slot_coordinate_.assign(graph.num_variables(), -1);
  form.later_.resize(graph.num_variables());
  for (Index i = 0; i < graph.num_variables(); ++i) {
    if (graph.cardinality(i) != 2) return std::nullopt;
    for (const FeatureTerm& term : structure.terms(i)) {
      const StateMap& map = structure.map(term.map);
      if (OnlyState(map) != 1 || term.kind == FeatureKind::kPotential) return std::nullopt;
      if (term.kind == FeatureKind::kLinear) {
        form.slot_coordinate_[i] = term.coordinate + map.rows[1];
      } else {
        form.constants_.push_back({i, static_cast<Index>(WeightPosition(structure, term, map, 1)),
                                   map.values.empty() ? 1.0 : map.values[1]});
      }
    }
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const std::span<const Index> scope = graph.scope(c);
    const auto terms = structure.terms(graph.num_variables() + c);
    if (scope.size() != 2 || terms.size() != 1 || terms[0].kind != FeatureKind::kConstant)
      return std::nullopt;
    const StateMap& map = structure.map(terms[0].map);
    if (OnlyState(map) != 3 || !(map.values.empty() || map.values[3] == 1)) return std::nullopt;
    form.later_[std::min(scope[0], scope[1])].emplace_back(std::max(scope[0], scope[1]), c);
    form.pairs_.push_back({scope[0], scope[1]});
    form.pair_weight_.push_back(static_cast<Index>(WeightPosition(structure, terms[0], map, 3)));
  }
  // Two pairs with one weight would have one entry with value 2 in a corner.
  std::vector<Index> sorted = form.pair_weight_;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return std::nullopt;
  for (const Constant& constant : form.constants_) {
    if (std::binary_search(sorted.begin(), sorted.end(), constant.weight)) return std::nullopt;
  }
  form.contiguous_ = true;
  for (std::size_t e = 0; e < sorted.size(); ++e) {
    form.contiguous_ =
        form.contiguous_ && form.pair_weight_[e] == form.pair_weight_[0] + static_cast<Index>(e);
  }
  return form;
}

void MultiLabelForm::UnaryCoefficients(std::span<const double> loss,
                                       std::span<const double> slot_scores,
                                       std::span<const double> weights, std::span<double> u) const {
  for (std::size_t i = 0; i < slot_coordinate_.size(); ++i) {
    const Index k = slot_coordinate_[i];
    u[i] = loss[2 * i + 1] - loss[2 * i] + (k >= 0 ? slot_scores[k] : 0.0);
  }
  for (const Constant& constant : constants_) {
    u[constant.variable] += constant.value * weights[constant.weight];
  }
}

std::span<const double> MultiLabelForm::PairCoefficients(std::span<const double> weights,
                                                         std::vector<double>* buffer) const {
  if (pairs_.empty()) return {};
  if (contiguous_) return weights.subspan(pair_weight_[0], pairs_.size());
  buffer->resize(pairs_.size());
  for (std::size_t e = 0; e < pairs_.size(); ++e) (*buffer)[e] = weights[pair_weight_[e]];
  return *buffer;
}

void MultiLabelForm::ReadCorner(const RoofDuality& roof, std::span<const double> t,
                                std::span<const double> loss, SparseCorner* corner) const {
  corner->Clear();
  const std::span<const std::uint8_t> doubled = roof.doubled();
  const auto add = [](Index position, int twice, std::vector<Index>* ones,
                      std::vector<Index>* index, std::vector<double>* value) {
    if (twice == 2) {
      ones->push_back(position);
    } else if (twice == 1) {
      index->push_back(position);
      value->push_back(0.5);
    }
  };
  for (std::size_t i = 0; i < slot_coordinate_.size(); ++i) {
    const int p = doubled[i];
    corner->loss += 0.5 * (p * loss[2 * i + 1] + (2 - p) * loss[2 * i]);
    if (p == 0) continue;
    if (slot_coordinate_[i] >= 0) {
      add(slot_coordinate_[i], p, &corner->slot_ones, &corner->slot_index, &corner->slot_value);
    }
    for (const auto& [j, pair] : later_[i]) {
      const int q = doubled[j];
      if (q == 0) continue;
      add(pair_weight_[pair], t[pair] > 0 ? std::min(p, q) : std::max(0, p + q - 2),
          &corner->scalar_ones, &corner->scalar_index, &corner->scalar_value);
    }
  }
  for (const Constant& constant : constants_) {
    const int p = doubled[constant.variable];
    if (p == 0) continue;
    corner->scalar_index.push_back(constant.weight);
    corner->scalar_value.push_back(0.5 * p * constant.value);
  }
}

CornerOracle::CornerOracle(const Problem& problem, SolverKind kind, Effort effort,
                           Rescaling rescaling, Searches searches)
    : problem_(problem), effort_(effort), rescaling_(rescaling), searches_(searches) {
  if (rescaling == Rescaling::kSlack) {
    for (const auto& structure : problem.data().structures())
      SlackOracle::RequireEnumerable(*structure);
    return;
  }
  if (problem.training().form == LossForm::kF1) {
    counts_ = std::make_unique<CountLossOracle>(problem);
    return;
  }
  for (const auto& structure : problem.data().structures())
    entries_.push_back(MakeEntry(structure, kind));
  keeps_sums_ = entries_.size() == 1 && entries_[0].form && entries_[0].form->contiguous() &&
                entries_[0].form->pairs().size() >= kPairsWorthSums;
}

CornerOracle::Entry CornerOracle::MakeEntry(const std::shared_ptr<const Structure>& structure,
                                            SolverKind kind) {
  RequireSolverFor(*structure, kind);
  Entry entry;
  const std::shared_ptr<const FactorGraph>& graph = structure->shared_graph();
  if (graph->num_global_factors() > 0) {
    entry.solver = MakeStructureSolver(kind, structure);
    entry.relaxed = entry.solver->relaxed();
    return entry;
  }
  if (kind == SolverKind::kAuto || kind == SolverKind::kRoof)
    entry.form = MultiLabelForm::Make(*structure);
  if (entry.form && (kind == SolverKind::kRoof || !entry.form->pairs().empty())) {
    entry.roof = std::make_unique<RoofDuality>(entry.form->num_variables(), entry.form->pairs());
    entry.relaxed = !IsForest(*graph);
    return entry;
  }
  entry.form.reset();
  if (kind == SolverKind::kAuto) kind = AutomaticSolver(*graph);
  const bool search = kind == SolverKind::kMessagesBranchAndBound;
  const bool forest =
      (kind == SolverKind::kTree || (search && IsForest(*graph))) && PairForest::Fits(*graph);
  if (forest || search || kind == SolverKind::kMessages) {
    const std::vector<Index> table_of = SharedTables(*structure);
    for (Index c = 0; c < graph->num_factors(); ++c) {
      if (table_of[c] == static_cast<Index>(entry.table_factor.size()))
        entry.table_factor.push_back(c);
    }
    if (forest) {
      entry.forest = std::make_unique<PairForest>(graph, table_of);
    } else {
      entry.passing = std::make_unique<MessagePassing>(graph, table_of);
      if (search && MessageBranchAndBound::Fits(*graph))
        entry.search = std::make_unique<MessageBranchAndBound>(graph);
      // Corners are labellings, and bounds hold for labellings, by searches for nothing else.
      entry.relaxed = !search;
    }
    return entry;
  }
  entry.solver = MakeStructureSolver(kind, structure);
  entry.relaxed = entry.solver->relaxed();
  return entry;
}

void CornerOracle::Refresh(std::span<const double> weights) {
  if (!keeps_sums_) return;
  entries_[0].roof->ComputeRowSums(entries_[0].form->PairCoefficients(weights, &t_), &sums_);
  spare_changes_ = MostChanges(*entries_[0].form);
}

void CornerOracle::ChangeSums(Index position, double before, double after) {
  const MultiLabelForm& form = *entries_[0].form;
  const Index pair = position - form.pair_weight()[0];
  if (pair < 0 || pair >= static_cast<Index>(form.pairs().size())) return;
  --spare_changes_;
  const double positive = std::max(after, 0.0) - std::max(before, 0.0);
  const double negative = std::min(after, 0.0) - std::min(before, 0.0);
  for (const Index i : {form.pairs()[pair].first, form.pairs()[pair].second}) {
    sums_.positive[i] += positive;
    sums_.negative[i] += negative;
  }
}

double CornerOracle::Maximise(Index m, std::span<const double> slot_scores,
                              std::span<const double> weights, WarmStart* warm, bool bound,
                              SparseCorner* corner) {
  if (rescaling_ == Rescaling::kSlack) return MaximiseSlack(m, slot_scores, weights, corner);
  if (counts_) return MaximiseCounts(m, slot_scores, weights, corner);
  Entry& entry = entries_[problem_.data().structure_of(m)];
  if (entry.form) return MaximiseForm(&entry, m, slot_scores, weights, bound, corner);
  if (entry.forest) return MaximiseForest(&entry, m, slot_scores, weights, bound, corner);
  if (entry.passing)
    return MaximiseByMessages(&entry, m, slot_scores, weights, warm, bound, corner);
  return MaximiseGeneral(&entry, m, slot_scores, weights, warm, corner);
}

double CornerOracle::MaximiseSlack(Index m, std::span<const double> slot_scores,
                                   std::span<const double> weights, SparseCorner* corner) {
  const ExampleView example = problem_.data().example(m);
  ReadCoordinates(example.structure(), slot_scores, weights);
  table_work_ += 2 * example.graph().total_states();
  return slack_.Maximise(example, problem_.loss(m), coordinates_, corner);
}

double CornerOracle::MaximiseCounts(Index m, std::span<const double> slot_scores,
                                    std::span<const double> weights, SparseCorner* corner) {
  const ExampleView example = problem_.data().example(m);
  ReadCoordinates(example.structure(), slot_scores, weights);
  table_work_ += 2 * example.graph().total_states();
  labels_.resize(example.graph().num_variables());
  const double value = counts_->Maximise(m, coordinates_, labels_);
  ReadLabelling(m, corner);
  return value;
}

double CornerOracle::score_factor(Index m) const {
  return rescaling_ == Rescaling::kMargin ? 1 : 1 + LargestLoss(problem_, m);
}

double CornerOracle::MaximiseForm(Entry* entry, Index m, std::span<const double> slot_scores,
                                  std::span<const double> weights, bool bound,
                                  SparseCorner* corner) {
  const MultiLabelForm& form = *entry->form;
  const std::span<const double> loss = problem_.loss(m);
  u_.resize(form.num_variables());
  form.UnaryCoefficients(loss, slot_scores, weights, u_);
  const std::span<const double> t = form.PairCoefficients(weights, &t_);
  if (keeps_sums_ && spare_changes_ == 0) entry->roof->ComputeRowSums(t, &sums_);
  if (keeps_sums_) spare_changes_ = MostChanges(form);
  entry->roof->Solve(u_, t, keeps_sums_ ? &sums_ : nullptr);
  form.ReadCorner(*entry->roof, t, loss, corner);
  if (!bound) return -kInfinity;
  // The dual objective at the flows, whatever they are (inference/binary_pairs.h), plus the losses
  // of state 0.
  flows_.resize(t.size());
  entry->roof->DualFlows(flows_);
  double sum = 0;
  for (std::size_t e = 0; e < t.size(); ++e) {
    const VariablePair& pair = form.pairs()[e];
    if (t[e] > 0) {
      u_[pair.first] += flows_[e];
      u_[pair.second] += t[e] - flows_[e];
    } else {
      u_[pair.first] -= flows_[e];
      u_[pair.second] -= flows_[e];
      sum += flows_[e];
    }
  }
  for (std::size_t i = 0; i < u_.size(); ++i) sum += std::max(0.0, u_[i]) + loss[2 * i];
  return sum;
}

void CornerOracle::ReadCoordinates(const Structure& structure, std::span<const double> slot_scores,
                                   std::span<const double> weights) {
  coordinates_.resize(structure.num_coordinates());
  // Scores have room for the largest structure; this one's coordinates of slots come first.
  std::copy_n(slot_scores.begin(), SlotCoordinates(structure), coordinates_.begin());
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    std::copy_n(weights.begin() + structure.layout().block(scalar.block).offset, scalar.rows,
                coordinates_.begin() + scalar.coordinate);
  }
}

template <class Solver>
void CornerOracle::FillScores(const Entry& entry, Index m, std::span<const double> slot_scores,
                              std::span<const double> weights, Solver* solver) {
  const ExampleView example = problem_.data().example(m);
  const FactorGraph& graph = example.graph();
  ReadCoordinates(example.structure(), slot_scores, weights);
  const std::span<const double> loss = problem_.loss(m);
  const std::span<double> scores = solver->variable_scores();
  std::copy(loss.begin(), loss.end(), scores.begin());
  for (Index i = 0; i < graph.num_variables(); ++i) {
    AddPartScores(example, i, coordinates_,
                  scores.subspan(graph.state_offset(i), graph.cardinality(i)));
  }
  for (std::size_t t = 0; t < entry.table_factor.size(); ++t) {
    const Index c = entry.table_factor[t];
    scores_.assign(graph.factor_states(c), 0.0);
    AddPartScores(example, graph.num_variables() + c, coordinates_, scores_);
    solver->SetTable(static_cast<Index>(t), scores_);
  }
  labels_.resize(graph.num_variables());
}

void CornerOracle::ReadLabelling(Index m, SparseCorner* corner) {
  const ExampleView example = problem_.data().example(m);
  std::fill(coordinates_.begin(), coordinates_.end(), 0.0);
  AddLabellingFeatures(example, labels_, 1, coordinates_);
  SparsifyCorner(example.structure(), coordinates_, corner);
  corner->loss += problem_.training().LossOf(m, labels_);
}

double CornerOracle::MaximiseForest(Entry* entry, Index m, std::span<const double> slot_scores,
                                    std::span<const double> weights, bool bound,
                                    SparseCorner* corner) {
  FillScores(*entry, m, slot_scores, weights, entry->forest.get());
  const double value = entry->forest->Maximise(labels_);
  table_work_ += entry->forest->work();
  if (!bound) ReadLabelling(m, corner);
  return value;
}

/// A few iterations and a labelling for training; for checks the bound alone.
double CornerOracle::MaximiseByMessages(Entry* entry, Index m, std::span<const double> slot_scores,
                                        std::span<const double> weights, WarmStart* warm,
                                        bool bound, SparseCorner* corner) {
  const FactorGraph& graph = problem_.data().example(m).graph();
  MessagePassing& passing = *entry->passing;
  FillScores(*entry, m, slot_scores, weights, &passing);
  ReadMessages(graph, warm, &messages_);
  const Index iterations = effort_ == Effort::kTraining ? kTrainingIterations : kCheckingIterations;
  double reached = kInfinity;
  for (Index k = 0; k < iterations; ++k) {
    const double before = reached;
    reached = std::min(reached, passing.Iterate(messages_));
    table_work_ += passing.iteration_work();
    if (before - reached <= kMessageTolerance * std::abs(reached)) break;
  }
  WriteMessages(messages_, warm);
  const bool searches = entry->search && searches_ == Searches::kAlways;
  if (bound && !searches) return passing.Bound(messages_);

  passing.Decode(messages_, labels_);
  passing.Improve(labels_);
  if (searches) {
    const double certified = passing.Bound(messages_);
    FillAllScores(m, slot_scores, weights);
    const double value = LabellingScore(graph, scores_, labels_);
    reached = std::max(value, certified);
    if (reached - value > kReached * std::max(1.0, std::abs(value))) {
      BranchAndBoundPlan plan = BranchAndBoundPlan::Read(graph, warm);
      entry->search->Solve(scores_, messages_, &result_, plan.next_doublings());
      plan.Record(result_.exact);
      plan.Write(graph, warm);
      if (result_.value > value) labels_ = result_.labels;
      reached = std::max({value, result_.value, std::min(certified, result_.upper_bound)});
    }
    if (bound) return reached;
  }
  ReadLabelling(m, corner);
  return reached;
}

bool CornerOracle::SearchesOnDemand(Index m) const {
  return searches_ == Searches::kOnDemand && !entries_.empty() &&
         entries_[problem_.data().structure_of(m)].passing;
}

double CornerOracle::Search(Index m, std::span<const double> slot_scores,
                            std::span<const double> weights, Index doublings, WarmStart* warm,
                            SparseCorner* corner, bool* complete) {
  Entry& entry = entries_[problem_.data().structure_of(m)];
  const FactorGraph& graph = problem_.data().example(m).graph();
  ReadMessages(graph, warm, &messages_);
  double bound = kInfinity;
  if (entry.search) {
    FillAllScores(m, slot_scores, weights);
    entry.search->Solve(scores_, messages_, &result_, doublings);
    bound = result_.upper_bound;
    *complete = result_.exact;
  } else {
    bound = PassLonger(&entry, m, slot_scores, weights);
    WriteMessages(messages_, warm);
    *complete = false;
  }
  if (corner != nullptr) {
    labels_ = result_.labels;
    ReadLabelling(m, corner);
  }
  return bound;
}

/// Many iterations from messages_, and the best of several labellings on the way, into result_.
double CornerOracle::PassLonger(Entry* entry, Index m, std::span<const double> slot_scores,
                                std::span<const double> weights) {
  MessagePassing& passing = *entry->passing;
  FillScores(*entry, m, slot_scores, weights, &passing);
  result_.value = -kInfinity;
  for (Index k = 0; k < kLongIterations; ++k) {
    passing.Iterate(messages_);
    table_work_ += passing.iteration_work();
    if ((k + 1) % kDecodeEvery != 0) continue;
    passing.Decode(messages_, labels_);
    passing.Improve(labels_);
    table_work_ += passing.iteration_work();
    const double value = passing.Score(labels_);
    if (value <= result_.value) continue;
    result_.value = value;
    result_.labels = labels_;
  }
  return passing.Bound(messages_);
}

void CornerOracle::FillAllScores(Index m, std::span<const double> slot_scores,
                                 std::span<const double> weights) {
  const ExampleView example = problem_.data().example(m);
  ReadCoordinates(example.structure(), slot_scores, weights);
  scores_.assign(example.graph().total_states(), 0.0);
  std::copy(problem_.loss(m).begin(), problem_.loss(m).end(), scores_.begin());
  AddScores(example, coordinates_, scores_);
  table_work_ += 2 * example.graph().total_states();
}

double CornerOracle::MaximiseGeneral(Entry* entry, Index m, std::span<const double> slot_scores,
                                     std::span<const double> weights, WarmStart* warm,
                                     SparseCorner* corner) {
  const ExampleView example = problem_.data().example(m);
  const Structure& structure = example.structure();
  const FactorGraph& graph = example.graph();
  const std::span<const double> loss = problem_.loss(m);
  FillAllScores(m, slot_scores, weights);
  entry->solver->SetWeights(weights);
  entry->solver->Solve(scores_, warm, &result_);

  if (result_.integral) {
    labels_ = result_.labels;
    ReadLabelling(m, corner);
    return result_.upper_bound;
  }
  std::fill(coordinates_.begin(), coordinates_.end(), 0.0);
  double corner_loss = 0;
  for (Index a = 0; a < graph.num_parts(); ++a) {
    AddMarginalFeatures(example, a,
                        std::span<const double>(result_.marginals)
                            .subspan(graph.state_offset(a), graph.num_states(a)),
                        1, coordinates_);
  }
  for (std::size_t s = 0; s < loss.size(); ++s) corner_loss += loss[s] * result_.marginals[s];
  SparsifyCorner(structure, coordinates_, corner);
  corner->loss = corner_loss;
  return result_.upper_bound;
}

bool CornerOracle::relaxed() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& entry) { return entry.relaxed; });
}

std::int64_t CornerOracle::work() const {
  std::int64_t work = table_work_ + (counts_ ? counts_->work() : 0);
  for (const Entry& entry : entries_) {
    if (entry.form) work += 2 * entry.roof->work();
    if (entry.solver) work += entry.solver->work();
    if (entry.search) work += entry.search->work();
  }
  return work;
}

void CornerOracle::Archive(StateArchive* archive) {
  archive->Tag("oracle");
  bool keeps_sums = keeps_sums_;
  archive->Flag(&keeps_sums);
  archive->Require(keeps_sums == keeps_sums_, "the oracle is another one");
  if (!keeps_sums_) return;
  sums_.positive.resize(entries_[0].form->num_variables());
  sums_.negative.resize(sums_.positive.size());
  archive->FiniteReals(sums_.positive);
  archive->FiniteReals(sums_.negative);
  archive->Integer(&spare_changes_, 0, MostChanges(*entries_[0].form));
}

}  // namespace slackline::internal
