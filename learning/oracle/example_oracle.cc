// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/example_oracle.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/graph_topology.h>
#include <slackline/inference/alpha_expansion.h>
#include <slackline/inference/glpk_lp.h>
#include <slackline/inference/presolve.h>
#include <slackline/inference/rounding.h>
#include <slackline/learning/oracle/oracle_check.h>
#include <slackline/learning/oracle/shared_tables.h>
#include <slackline/learning/problem_scales.h>

namespace slackline::internal {
namespace {

/// Least number of pairs from which on it is cheaper to update row sums at every change of a weight
/// than to sum the pairs in every call.
constexpr std::size_t kLeastPairsForSums = 400;

/// Between two calls the row sums follow at most (number of pairs) / kPairsPerChange changes of
/// weights; after more changes it is cheaper to sum again.
constexpr Index kPairsPerChange = 4;

/// max_k |x_k|. Computes several maxima side by side, so that none waits for another.
double LargestSize(std::span<const double> x) {
  double largest[8] = {};
  const std::size_t whole = x.size() / 8 * 8;
  for (std::size_t k = 0; k < whole; k += 8) {
    for (std::size_t l = 0; l < 8; ++l) largest[l] = std::max(largest[l], std::abs(x[k + l]));
  }
  for (std::size_t k = whole; k < x.size(); ++k) largest[0] = std::max(largest[0], std::abs(x[k]));
  return *std::max_element(largest, largest + 8);
}

Index MostChanges(const MultiLabelForm& form) {
  return static_cast<Index>(form.pairs().size()) / kPairsPerChange;
}

}  // namespace

ExampleOracle::ExampleOracle(const Problem& problem, const Options& options)
    : problem_(problem), options_(options) {
  const bool solvers = options.ways == Ways::kSolvers;
  SLACKLINE_CHECK(
      options.lp_tolerance == 0 || (solvers && (options.solver == SolverKind::kLp ||
                                                options.solver == SolverKind::kLpPolytope)),
      "only linear programs have a tolerance");
  SLACKLINE_CHECK(
      options.message_iterations == 0 || (solvers && options.solver == SolverKind::kMessages),
      "only message passing has iterations");
  if (options.rescaling == Rescaling::kSlack) {
    slack_ = std::make_unique<SlackOracle>(problem, options.solver);
    entries_.resize(problem.data().structures().size());
    return;
  }
  if (problem.training().form == LossForm::kF1) {
    counts_ = std::make_unique<CountLossOracle>(problem);
    entries_.resize(problem.data().structures().size());
    return;
  }
  for (const auto& structure : problem.data().structures()) {
    entries_.push_back(solvers ? MakeSolverEntry(structure, options)
                               : MakeEntry(structure, options));
  }
  const FormMethod* form = entries_.size() == 1 ? entries_[0].by_form() : nullptr;
  keeps_sums_ =
      form != nullptr && form->form.contiguous() && form->form.pairs().size() >= kLeastPairsForSums;
}

ExampleOracle::Entry ExampleOracle::MakeSolverEntry(
    const std::shared_ptr<const Structure>& structure, const Options& options) {
  std::unique_ptr<MapSolver> solver;
  if (options.lp_tolerance > 0) {
    const GlpkFormulation formulation = options.solver == SolverKind::kLpPolytope
                                            ? GlpkFormulation::kGeneral
                                            : GlpkFormulation::kAuto;
    solver = MakePresolvedSolver(structure->shared_graph(),
                                 [formulation, tolerance = options.lp_tolerance](auto graph) {
                                   return MakeGlpkSolver(std::move(graph), formulation, tolerance);
                                 });
  } else if (options.message_iterations > 0) {
    solver = MakePresolvedSolver(
        structure->shared_graph(), [iterations = options.message_iterations](auto graph) {
          return MakeMessagePassingSolver(std::move(graph), {.max_iterations = iterations});
        });
  } else if (options.solver == SolverKind::kExpansion && options.effort == Effort::kChecking) {
    solver = MakePresolvedSolver(structure->shared_graph(), MakeBoundedExpansionSolver);
  } else {
    solver = MakeStructureSolver(options.solver, structure);
  }
  solver->SetStop(options.stop);
  Entry entry;
  entry.relaxed = solver->relaxed();
  entry.method = SolverMethod{std::move(solver)};
  return entry;
}

ExampleOracle::Entry ExampleOracle::MakeEntry(const std::shared_ptr<const Structure>& structure,
                                              const Options& options) {
  SolverKind kind = options.solver;
  Entry entry;
  const std::shared_ptr<const FactorGraph>& graph = structure->shared_graph();
  if (graph->num_global_factors() > 0 || (structure->has_forbidden_states() && !IsForest(*graph))) {
    return MakeSolverEntry(structure, options);
  }
  std::optional<MultiLabelForm> form;
  if (kind == SolverKind::kAuto || kind == SolverKind::kRoof)
    form = MultiLabelForm::Make(*structure);
  if (form && (kind == SolverKind::kRoof || !form->pairs().empty())) {
    auto roof = std::make_unique<RoofDuality>(form->num_variables(), form->pairs());
    entry.method = FormMethod{std::move(*form), std::move(roof)};
    entry.relaxed = !IsForest(*graph);
    return entry;
  }
  if (kind == SolverKind::kExpansion) return MakeSolverEntry(structure, options);
  if (kind == SolverKind::kAuto) kind = AutomaticSolver(*graph);
  const bool search = kind == SolverKind::kMessagesBranchAndBound;
  const bool forest =
      (kind == SolverKind::kTree || (search && IsForest(*graph))) && PairForest::Fits(*graph);
  if (forest || search || kind == SolverKind::kMessages) {
    const std::vector<Index> table_of = SharedTables(*structure);
    std::vector<Index> table_factor;
    for (Index c = 0; c < graph->num_factors(); ++c) {
      if (table_of[c] == static_cast<Index>(table_factor.size())) table_factor.push_back(c);
    }
    if (forest) {
      entry.method =
          ForestMethod{std::make_unique<PairForest>(graph, table_of), std::move(table_factor)};
    } else {
      MessageMethod method{std::make_unique<MessagePassing>(graph, table_of), nullptr,
                           std::move(table_factor)};
      if (search && MessageBranchAndBound::Fits(*graph)) {
        method.search = std::make_unique<MessageBranchAndBound>(graph);
        method.search->SetStop(options.stop);
      }
      entry.method = std::move(method);
      // Corners are labellings. With branch and bound the bounds hold for labellings only.
      entry.relaxed = !search;
    }
    return entry;
  }
  Options chosen = options;
  chosen.solver = kind;
  return MakeSolverEntry(structure, chosen);
}

void ExampleOracle::Refresh() { spare_changes_ = 0; }

void ExampleOracle::ChangeSums(Index position, double before, double after) {
  const MultiLabelForm& form = entries_[0].by_form()->form;
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

double ExampleOracle::Maximise(Index m, std::span<const double> slot_scores,
                               std::span<const double> weights, WarmStart* warm, bool bound,
                               SparseCorner* corner) {
  if (bound && EndsEarly(m)) return RoughBound(m, slot_scores, weights);
  if (slack_) return MaximiseSlack(m, slot_scores, weights, warm, corner);
  if (counts_) return MaximiseCounts(m, slot_scores, weights, corner);
  Entry& entry = entries_[problem_.data().structure_of(m)];
  if (FormMethod* form = entry.by_form())
    return MaximiseForm(form, m, slot_scores, weights, bound, corner);
  if (auto* forest = std::get_if<ForestMethod>(&entry.method))
    return MaximiseForest(forest, m, slot_scores, weights, bound, corner);
  if (auto* messages = std::get_if<MessageMethod>(&entry.method))
    return MaximiseByMessages(messages, m, slot_scores, weights, warm, bound, corner);
  MapSolver* const solver = std::get<SolverMethod>(entry.method).solver.get();
  return MaximiseBySolver(solver, m, slot_scores, weights, warm, corner);
}

double ExampleOracle::MaximiseSlack(Index m, std::span<const double> slot_scores,
                                    std::span<const double> weights, WarmStart* warm,
                                    SparseCorner* corner) {
  ReadCoordinates(problem_.data().example(m).structure(), slot_scores, weights);
  SolveSlack(m, coordinates_, weights, warm);
  ReadResult(m, corner);
  return result_.upper_bound;
}

void ExampleOracle::SolveSlack(Index m, std::span<const double> u, std::span<const double> weights,
                               WarmStart* warm) {
  MapSolver* solver = nullptr;
  if (slack_->MethodOf(m) == SlackMethod::kMultipliers) {
    const std::size_t k = problem_.data().structure_of(m);
    const auto& structure = problem_.data().structures()[k];
    if (!std::holds_alternative<SolverMethod>(entries_[k].method)) {
      Options options = options_;
      if (options.solver == SolverKind::kAuto)
        options.solver = AutomaticSlackSolver(structure->graph());
      entries_[k] = MakeSolverEntry(structure, options);
      entries_[k].relaxed = false;
    }
    solver = std::get<SolverMethod>(entries_[k].method).solver.get();
    if (!weights.empty()) solver->SetWeights(weights);
  }
  slack_->Maximise(m, u, solver, warm, &result_);
}

double ExampleOracle::MaximiseCounts(Index m, std::span<const double> slot_scores,
                                     std::span<const double> weights, SparseCorner* corner) {
  ReadCoordinates(problem_.data().example(m).structure(), slot_scores, weights);
  table_work_ += 2 * problem_.data().example(m).graph().total_states();
  SolveCounts(m, coordinates_);
  const double value = result_.value;
  ReadResult(m, corner);
  return value;
}

void ExampleOracle::SolveCounts(Index m, std::span<const double> u) {
  result_.labels.resize(problem_.data().example(m).graph().num_variables());
  result_.value = result_.upper_bound = counts_->Maximise(m, u, result_.labels);
  result_.integral = result_.exact = true;
}

double ExampleOracle::score_factor(Index m) const {
  return options_.rescaling == Rescaling::kMargin ? 1 : 1 + LargestLoss(problem_, m);
}

bool ExampleOracle::EndsEarly(Index m) const {
  return problem_.data().example(m).graph().num_global_factors() == 0 && MustEnd();
}

double ExampleOracle::RoughBound(Index m, std::span<const double> slot_scores,
                                 std::span<const double> weights) {
  options_.stop->CountRoughBound();
  const ExampleView example = problem_.data().example(m);
  if (options_.stop->Overdue()) {
    const auto slots = SlotCoordinates(example.structure());
    return CrudeBound(m, CrudeScore(m, slot_scores.first(slots), weights));
  }
  FormMethod* const method = entries_[problem_.data().structure_of(m)].by_form();
  if (method == nullptr) {
    ReadCoordinates(example.structure(), slot_scores, weights);
    RoughResult(m, coordinates_);
    return result_.upper_bound;
  }
  // x_i x_j is at most (x_i + x_j) / 2, and at least 0.
  const MultiLabelForm& form = method->form;
  const std::span<const double> loss = problem_.loss(m);
  u_.resize(form.num_variables());
  form.UnaryCoefficients(loss, slot_scores, weights, u_);
  const std::span<const double> t = form.PairCoefficients(weights, &t_);
  if (!keeps_sums_ || spare_changes_ == 0) method->roof->ComputeRowSums(t, &sums_);
  if (keeps_sums_) spare_changes_ = MostChanges(form);
  double sum = 0;
  for (std::size_t i = 0; i < u_.size(); ++i)
    sum += std::max(0.0, u_[i] + 0.5 * sums_.positive[i]) + loss[2 * i];
  return sum;
}

double ExampleOracle::CrudeScore(Index m, std::span<const double> u, std::span<const double> more) {
  const ExampleView example = problem_.data().example(m);
  FeatureCount& count = entries_[problem_.data().structure_of(m)].features;
  if (count.terms < 0) count = CountFeatures(example.structure());
  const double score = std::max(LargestSize(u), LargestSize(more));
  double feature = count.largest_constant;
  for (const double value : example.potentials()) feature = std::max(feature, std::abs(value));
  return count.terms * score * feature;
}

double ExampleOracle::CrudeBound(Index m, double score) const {
  const double loss = LargestLoss(problem_, m);
  return slack_ ? score + loss * (1 + 2 * score) : loss + score;
}

ExampleOracle::FeatureCount ExampleOracle::CountFeatures(const Structure& structure) {
  FeatureCount count{.terms = 0};
  for (Index a = 0; a < structure.graph().num_parts(); ++a) {
    for (const FeatureTerm& term : structure.terms(a)) {
      ++count.terms;
      if (term.kind != FeatureKind::kConstant) continue;
      for (const double value : structure.map(term.map).values)
        count.largest_constant = std::max(count.largest_constant, std::abs(value));
    }
  }
  return count;
}

double ExampleOracle::SumOfMaxima(const FactorGraph& graph) const {
  double sum = 0;
  for (Index a = 0; a < graph.num_parts(); ++a) {
    const auto begin = scores_.begin() + static_cast<std::ptrdiff_t>(graph.state_offset(a));
    sum += *std::max_element(begin, begin + graph.num_states(a));
  }
  return sum;
}

double ExampleOracle::MaximiseForm(FormMethod* method, Index m, std::span<const double> slot_scores,
                                   std::span<const double> weights, bool bound,
                                   SparseCorner* corner) {
  const MultiLabelForm& form = method->form;
  const std::span<const double> loss = problem_.loss(m);
  u_.resize(form.num_variables());
  form.UnaryCoefficients(loss, slot_scores, weights, u_);
  const std::span<const double> t = form.PairCoefficients(weights, &t_);
  if (keeps_sums_ && spare_changes_ == 0) method->roof->ComputeRowSums(t, &sums_);
  if (keeps_sums_) spare_changes_ = MostChanges(form);
  method->roof->Solve(u_, t, keeps_sums_ ? &sums_ : nullptr);
  form.ReadCorner(*method->roof, t, loss, corner);
  if (!bound) return -kInfinity;
  // The dual objective at the flows, which is a bound for any flows (inference/binary_pairs.h),
  // plus the losses of state 0.
  flows_.resize(t.size());
  method->roof->DualFlows(flows_);
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

bool ExampleOracle::ReadTruth(Index m, SparseCorner* corner) const {
  if (slack_ || counts_) return false;
  const FormMethod* const method = entries_[problem_.data().structure_of(m)].by_form();
  if (method == nullptr) return false;
  method->form.ReadLabelling(problem_.data().example(m).labels(), corner);
  return true;
}

void ExampleOracle::ReadCoordinates(const Structure& structure, std::span<const double> slot_scores,
                                    std::span<const double> weights) {
  coordinates_.resize(structure.num_coordinates());
  // slot_scores has room for the largest structure; the slots of this structure come first.
  std::copy_n(slot_scores.begin(), SlotCoordinates(structure), coordinates_.begin());
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    std::copy_n(weights.begin() + structure.layout().block(scalar.block).offset, scalar.rows,
                coordinates_.begin() + scalar.coordinate);
  }
}

void ExampleOracle::FillAllScores(Index m, std::span<const double> u,
                                  std::span<const double> offsets) {
  const ExampleView example = problem_.data().example(m);
  scores_.assign(example.graph().total_states(), 0.0);
  std::copy(problem_.loss(m).begin(), problem_.loss(m).end(), scores_.begin());
  for (std::size_t s = 0; s < offsets.size(); ++s) scores_[s] += offsets[s];
  AddScores(example, u, scores_);
  table_work_ += 2 * example.graph().total_states();
}

/// Solves for scores_. A solver that is cut short may have no allowed labelling yet; the ground
/// truth is one.
void ExampleOracle::SolveUnlessCut(Index m, MapSolver* solver, WarmStart* warm) {
  try {
    solver->Solve(scores_, warm, &result_);
  } catch (const DataError&) {
    if (!MustEnd()) throw;
    ResultOfTruth(m);
  }
  if (MustEnd()) options_.stop->CountRoughBound();
}

/// Fills result_ with the ground truth and a rough bound.
void ExampleOracle::RoughResult(Index m, std::span<const double> u,
                                std::span<const double> offsets) {
  if (!slack_ && !counts_) {
    FillAllScores(m, u, offsets);
    return ResultOfTruth(m);
  }
  const ExampleView example = problem_.data().example(m);
  scores_.assign(example.graph().total_states(), 0.0);
  AddScores(example, u, scores_);
  table_work_ += 2 * example.graph().total_states();
  ResultOfTruth(m);
  const double loss = LargestLoss(problem_, m);
  const double most = result_.upper_bound;
  result_.upper_bound =
      counts_ ? loss + most : result_.value + loss * std::max(0.0, 1 + most - result_.value);
}

/// The same at scores_, for the maximum of their sum.
void ExampleOracle::ResultOfTruth(Index m) {
  const ExampleView example = problem_.data().example(m);
  result_.labels.assign(example.labels().begin(), example.labels().end());
  result_.integral = true;
  result_.exact = false;
  result_.value = LabellingScore(example.graph(), scores_, result_.labels);
  result_.upper_bound = std::max(SumOfMaxima(example.graph()), result_.value);
}

double ExampleOracle::MaximiseBySolver(MapSolver* solver, Index m,
                                       std::span<const double> slot_scores,
                                       std::span<const double> weights, WarmStart* warm,
                                       SparseCorner* corner) {
  ReadCoordinates(problem_.data().example(m).structure(), slot_scores, weights);
  FillAllScores(m, coordinates_);
  solver->SetWeights(weights);
  SolveUnlessCut(m, solver, warm);
  ReadResult(m, corner);
  return result_.upper_bound;
}

double ExampleOracle::AddSlackResult(Index m, double scale, std::span<double> coordinates) {
  const ExampleView example = problem_.data().example(m);
  const double loss = problem_.training().LossOf(m, result_.labels);
  truth_.assign(coordinates.size(), 0.0);
  difference_.assign(coordinates.size(), 0.0);
  AddLabellingFeatures(example, example.labels(), 1, truth_);
  AddLabellingFeatures(example, result_.labels, 1, difference_);
  for (std::size_t k = 0; k < coordinates.size(); ++k)
    coordinates[k] += scale * (truth_[k] + loss * (difference_[k] - truth_[k]));
  return loss;
}

double ExampleOracle::AddResult(Index m, double scale, std::span<double> coordinates) {
  if (slack_) return AddSlackResult(m, scale, coordinates);
  const ExampleView example = problem_.data().example(m);
  if (result_.integral) {
    AddLabellingFeatures(example, result_.labels, scale, coordinates);
    return problem_.training().LossOf(m, result_.labels);
  }
  const FactorGraph& graph = example.graph();
  for (Index a = 0; a < graph.num_parts(); ++a) {
    AddMarginalFeatures(example, a,
                        std::span<const double>(result_.marginals)
                            .subspan(graph.state_offset(a), graph.num_states(a)),
                        scale, coordinates);
  }
  const std::span<const double> loss = problem_.loss(m);
  double sum = 0;
  for (std::size_t s = 0; s < loss.size(); ++s) sum += loss[s] * result_.marginals[s];
  return sum;
}

void ExampleOracle::ReadResult(Index m, SparseCorner* corner) {
  std::fill(coordinates_.begin(), coordinates_.end(), 0.0);
  const double loss = AddResult(m, 1, coordinates_);
  SparsifyCorner(problem_.data().example(m).structure(), coordinates_, corner);
  corner->loss = loss;
}

Corner ExampleOracle::Maximise(Index m, std::span<const double> weights, WarmStart* warm,
                               std::span<const double> offsets, double scale) {
  const ExampleView example = problem_.data().example(m);
  u_.resize(example.structure().num_coordinates());
  CoordinateScores(example, weights, u_);
  if (scale != 1) {
    for (double& score : u_) score *= scale;
  }
  if (example.graph().num_global_factors() == 0) return MaximiseAt(m, u_, warm, offsets);
  if (scale != 1) {
    scaled_.assign(weights.begin(), weights.end());
    for (double& weight : scaled_) weight *= scale;
  }
  return MaximiseAt(m, u_, warm, offsets, scale != 1 ? std::span<const double>(scaled_) : weights);
}

Corner ExampleOracle::MaximiseAt(Index m, std::span<const double> u, WarmStart* warm,
                                 std::span<const double> offsets, std::span<const double> weights) {
  SLACKLINE_CHECK(options_.ways == Ways::kSolvers, "dense corners come from solvers");
  const ExampleView example = problem_.data().example(m);
  SLACKLINE_CHECK(offsets.empty() || (!counts_ && !slack_), "offsets need losses that are sums");
  if (EndsEarly(m)) {
    options_.stop->CountRoughBound();
    if (options_.stop->Overdue()) return CornerOfTruth(m, u, offsets);
    RoughResult(m, u, offsets);
  } else if (slack_) {
    SolveSlack(m, u, weights, warm);
  } else if (counts_) {
    SolveCounts(m, u);
  } else {
    MapSolver& solver =
        *std::get<SolverMethod>(entries_[problem_.data().structure_of(m)].method).solver;
    if (!weights.empty()) solver.SetWeights(weights);
    FillAllScores(m, u, offsets);
    SolveUnlessCut(m, &solver, warm);
  }
  Corner corner;
  coordinates_.assign(u.size(), 0.0);
  AddLabellingFeatures(example, example.labels(), 1, coordinates_);
  double truth = 0;  // w·φ(y^m)
  for (std::size_t k = 0; k < u.size(); ++k) truth += u[k] * coordinates_[k];
  corner.loss = AddResult(m, -1, coordinates_);
  corner.coordinates = coordinates_;
  corner.value = result_.value - truth;
  double least = 0;
  if (!offsets.empty()) {
    for (Index i = 0; i < example.graph().num_variables(); ++i)
      least += offsets[example.graph().state_offset(i) + example.labels()[i]];
  }
  corner.upper_bound = CheckedHinge(m, {result_.upper_bound, truth, least}, [&] {
    return score_factor(m) * SizeOfScores(example, u, problem_.loss(m), offsets);
  });
  return corner;
}

Corner ExampleOracle::CornerOfTruth(Index m, std::span<const double> u,
                                    std::span<const double> offsets) {
  const ExampleView example = problem_.data().example(m);
  result_.labels.assign(example.labels().begin(), example.labels().end());
  result_.integral = true;
  result_.exact = false;
  coordinates_.assign(u.size(), 0.0);
  Corner corner;
  corner.coordinates = coordinates_;
  const double score = CrudeScore(m, u);
  corner.upper_bound = CrudeBound(m, score) + score;
  for (Index i = 0; i < example.graph().num_variables() && !offsets.empty(); ++i) {
    const auto begin =
        offsets.begin() + static_cast<std::ptrdiff_t>(example.graph().state_offset(i));
    corner.value += begin[example.labels()[i]];
    corner.upper_bound += *std::max_element(begin, begin + example.graph().cardinality(i));
  }
  return corner;
}

bool ExampleOracle::relaxed() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& entry) { return entry.relaxed; });
}

std::int64_t ExampleOracle::work() const {
  std::int64_t work = table_work_ + (counts_ ? counts_->work() : 0) + (slack_ ? slack_->work() : 0);
  for (const Entry& entry : entries_) {
    if (const FormMethod* form = entry.by_form()) work += 2 * form->roof->work();
    if (const auto* solver = std::get_if<SolverMethod>(&entry.method))
      work += solver->solver->work();
    if (const auto* messages = std::get_if<MessageMethod>(&entry.method))
      work += messages->search != nullptr ? messages->search->work() : 0;
  }
  return work;
}

void ExampleOracle::Archive(StateArchive* archive) {
  archive->Tag("oracle");
  bool keeps_sums = keeps_sums_;
  archive->Flag(&keeps_sums);
  archive->Require(keeps_sums == keeps_sums_, "the oracle is another one");
  if (!keeps_sums_) return;
  const MultiLabelForm& form = entries_[0].by_form()->form;
  sums_.positive.resize(form.num_variables());
  sums_.negative.resize(sums_.positive.size());
  archive->FiniteReals(sums_.positive);
  archive->FiniteReals(sums_.negative);
  archive->Integer(&spare_changes_, 0, MostChanges(form));
}

}  // namespace slackline::internal
