// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/active_set_blocks.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/parallel.h>
#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/step.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {
namespace {

constexpr Index kIdleLimit = 10;     // visits without weight before a corner is dropped
constexpr double kLocalShare = 0.1;  // share of the gap that local steps may leave
constexpr Index kMaxLocalSteps = 20;
/// ExampleOracle::Search is called when the oracle's corner shows less than this share of the gap
/// that the oracle's bound leaves open, …
constexpr double kLeastShownShare = 0.25;
/// … at every fourth such visit in a row, since the kept messages often improve without a search.
constexpr Index kPatience = 3;
// Largest number of failures in a row that is counted: it leads to 255 visits without a search.
constexpr Index kMostFailures = MessageBranchAndBound::kMostDoublings;
// Largest number of stored inner products of inputs per stored value of the inputs.
constexpr Offset kGramShare = 4;

/// Curvatures are differences of inner products, so values below the rounding errors are
/// meaningless. A curvature of zero would lead to a full step when features have very different
/// sizes; with this lower bound steps are too short at worst.
constexpr double kCurvatureRounding = 1e-15;
double Curvature(double difference, double norms) {
  return std::max(difference, kCurvatureRounding * norms);
}

}  // namespace

ActiveSetBlocks::ActiveSetBlocks(const Problem& problem, ExampleOracle* oracle, StepKind step,
                                 const AverageRule& average, int threads, bool own_rows)
    : problem_(problem),
      oracle_(oracle),
      step_(step),
      threads_(threads),
      average_(average, problem.num_weights()),
      ahead_(problem_.data()),
      sets_(problem.size()),
      weights_(problem.num_weights(), 0.0),
      warm_(problem.size()) {
  scratch_ = MakeCornerScratch(problem.data());
  const std::size_t slots = scratch_.slot.size();
  slot_scores_.assign(slots, 0.0);
  slot_delta_.assign(slots, 0.0);
  MakeInputGrams(threads, own_rows);
  const Dataset& data = problem.data();
  Index large = 0;
  for (Index m = 0; m < data.size(); ++m)
    large += ThreadsShareSweeps(data.example(m), threads) ? 1 : 0;
  if (2 * large <= data.size()) threads_ = 1;  // visits of small examples then skip the test
  std::vector<double> coordinates;
  SparseCorner truth;
  for (Index m = 0; m < problem.size(); ++m) {
    StopRelay::Preparation::Poll();
    const ExampleView example = problem.data().example(m);
    if (!oracle_->ReadTruth(m, &truth)) {
      coordinates.assign(example.structure().num_coordinates(), 0.0);
      AddLabellingFeatures(example, example.labels(), 1, coordinates);
      SparsifyCorner(example.structure(), coordinates, &truth);
    }
    ActiveSet& set = sets_[m];
    scratch_.inputs = Inputs(m);
    set.Add(example, truth, &scratch_);
    set.alpha()[0] = 1;
    if (oracle_->SearchesOnDemand(m)) searches_.resize(problem.size(), {.rest = kPatience});
  }
  oracle_->Refresh();
}

void ActiveSetBlocks::Constrain(SignConstraints signs) {
  SLACKLINE_CHECK(!shard_ && steps_ == 0, "signs are constrained before the first step");
  signs_ = std::move(signs);
  signed_.assign(signs_.entries().size(), 0.0);
}

double ActiveSetBlocks::MoveWeight(Index position, double change) {
  double& weight = weights_[position];
  const double before = weight;
  const Index e = signs_.Find(position);
  if (e < 0) {
    weight += change;
  } else {
    signed_[e] += change;
    weight = SignConstraints::Clip(signed_[e], signs_.entries()[e].sign);
    change = weight - before;
  }
  oracle_->WeightChanged(position, before, weight);
  return change;
}

void ActiveSetBlocks::TakeSigned(std::vector<double>* v) {
  for (std::size_t e = 0; e < signed_.size(); ++e) {
    double& weight = (*v)[signs_.entries()[e].at];
    signed_[e] = weight;
    weight = SignConstraints::Clip(weight, signs_.entries()[e].sign);
  }
}

void ActiveSetBlocks::JoinShards(const ShardSteps& shard) {
  SLACKLINE_CHECK(!average_.active() && centre_.kappa() == 0 && signs_.empty() &&
                      shard.total >= problem_.size(),
                  "a shard has no averages, centre and constraints, and at most all examples");
  shard_ = shard;
}

void ActiveSetBlocks::DropIdle(Index m) { sets_[m].DropIdle(kIdleLimit); }

/// Keeps inner products of inputs if several inputs share a weight block, and if the products of
/// all examples need memory of the order of the inputs (kGramShare).
void ActiveSetBlocks::MakeInputGrams(int threads, bool own_rows) {
  const Dataset& data = problem_.data();
  Offset numbers = 0;
  bool shared = false;
  for (const auto& structure : data.structures()) {
    if (!InputGram::Applies(*structure)) return;
    shared = shared || !structure->slots_are_orthogonal();
  }
  if (!shared) return;
  for (Index m = 0; m < data.size(); ++m)
    numbers += InputGram::Numbers(data.example(m).structure());
  if (data.rows() == nullptr) return;
  Offset values = 0;
  if (own_rows) {
    for (Index m = 0; m < data.size(); ++m) {
      const ExampleView example = data.example(m);
      for (Index k = 0; k < example.structure().num_inputs(); ++k) values += example.input(k).count;
    }
  } else {
    for (Index r = 0; r < data.rows()->size(); ++r) values += data.rows()->row(r).count;
  }
  if (numbers > kGramShare * values) return;
  input_grams_.resize(data.size());
  ParallelChunks(data.size(), data.size(), threads, [&](const Chunk& chunk) {
    for (Index m = chunk.begin; m < chunk.end; ++m) {
      data.PrefetchSweep(chunk.begin, m, chunk.end);
      input_grams_[m] = InputGram(data.example(m));
    }
  });
}

const InputGram* ActiveSetBlocks::Inputs(Index m) const {
  return input_grams_.empty() ? nullptr : &input_grams_[m];
}

void ActiveSetBlocks::ScoreSlots(const ExampleView& example) {
  work_ += SlotScores(example, weights_, slot_scores_, threads_) / 4;
}

void ActiveSetBlocks::ScoreCorners(const ActiveSet& set) {
  scores_.resize(set.size());
  for (Index a = 0; a < set.size(); ++a) scores_[a] = set.Score(a, slot_scores_, weights_);
  alpha_before_.assign(set.alpha().begin(), set.alpha().end());
}

/// Steps on the active set until max H − min H over α > 0 is at most `tolerance` or, if `tolerance`
/// is negative, −tolerance times its first value; at most kMaxLocalSteps steps.
ActiveSetBlocks::Local ActiveSetBlocks::Improve(ActiveSet* set, double tolerance) {
  Local result;
  const std::size_t count = scores_.size();
  const std::span<const double> alpha = set->alpha();
  const double* const scores = scores_.data();
  for (Index step = 0;; ++step) {
    std::size_t best = 0;
    std::size_t worst = 0;
    double low = kInfinity;
    for (std::size_t a = 0; a < count; ++a) {
      if (scores[a] > scores[best]) best = a;
      if (alpha[a] > 0 && scores[a] < low) {
        low = scores[a];
        worst = a;
      }
    }
    const double gap = scores[best] - low;
    if (step == 0) {
      result.gap = gap;
      if (tolerance < 0) tolerance *= -gap;
    }
    if (gap <= tolerance || step == kMaxLocalSteps) break;
    const LocalStep done =
        step_ == StepKind::kAway ? AwayStep(set, best, worst) : PairwiseStep(set, best, worst);
    if (done.length == 0) break;
    result.gain += done.length * done.gap - 0.5 * done.length * done.length * done.curvature;
    ++steps_;
    work_ += 3 * static_cast<std::int64_t>(count);
  }
  return result;
}

/// Moves weight from `worst` to `best`, and updates the scores.
ActiveSetBlocks::LocalStep ActiveSetBlocks::PairwiseStep(ActiveSet* set, std::size_t best,
                                                         std::size_t worst) {
  const std::span<double> alpha = set->alpha();
  const double* to = set->gram_row(static_cast<Index>(best));
  const double* from = set->gram_row(static_cast<Index>(worst));
  const double inverse = StepScale();
  LocalStep step;
  step.gap = scores_[best] - scores_[worst];
  step.curvature =
      Curvature(to[best] + from[worst] - 2 * to[worst], to[best] + from[worst]) * inverse;
  const double limit = alpha[worst];
  step.length = LineSearch(step.gap, step.curvature, limit);
  alpha[worst] = step.length == limit ? 0 : limit - step.length;
  alpha[best] += step.length;
  const double scale = step.length * inverse;
  for (std::size_t a = 0; a < scores_.size(); ++a) scores_[a] += scale * (from[a] - to[a]);
  return step;
}

/// A step towards `best` (Frank-Wolfe) or away from `worst`, whichever has the larger directional
/// derivative (Guélat and Marcotte, 1986). If more than half of the weight is on `worst`, the
/// derivative away from `worst` is never the larger one; and the factor 1 + α/(1 − α) of such a
/// step would magnify rounding errors.
ActiveSetBlocks::LocalStep ActiveSetBlocks::AwayStep(ActiveSet* set, std::size_t best,
                                                     std::size_t worst) {
  const std::span<double> alpha = set->alpha();
  const std::size_t count = scores_.size();
  double towards = 0;
  double away = 0;
  for (std::size_t a = 0; a < count; ++a) {  // differences, since all scores share a constant
    towards += alpha[a] * (scores_[best] - scores_[a]);
    away += alpha[a] * (scores_[a] - scores_[worst]);
  }
  const bool forward = towards >= away || alpha[worst] > 0.5;
  const std::size_t corner = forward ? best : worst;
  const double sign = forward ? 1 : -1;
  LocalStep step;
  step.gap = forward ? towards : away;
  const double inverse = StepScale();
  // d = ±(e_corner − α); direction_ = G·d / (λM).
  direction_.resize(count);
  double dot = 0;
  double norms = set->gram_row(static_cast<Index>(corner))[corner];
  for (std::size_t a = 0; a < count; ++a) {
    const double* row = set->gram_row(static_cast<Index>(a));
    double sum = row[corner];
    for (std::size_t b = 0; b < count; ++b) sum -= row[b] * alpha[b];
    direction_[a] = sign * sum * inverse;
    dot -= sign * alpha[a] * direction_[a];
    norms += alpha[a] * row[a];
  }
  step.curvature = Curvature(dot + sign * direction_[corner], norms * inverse);
  const double limit = forward ? 1 : alpha[worst] / (1 - alpha[worst]);
  step.length = LineSearch(step.gap, step.curvature, limit);
  for (double& share : alpha) share *= 1 - sign * step.length;
  alpha[corner] += sign * step.length;
  if (!forward && step.length == limit) alpha[worst] = 0;
  double sum = 0;
  for (const double share : alpha) sum += share;
  for (double& share : alpha) share /= sum;
  for (std::size_t a = 0; a < count; ++a) scores_[a] -= step.length * direction_[a];
  work_ += static_cast<std::int64_t>(count * count);
  return step;
}

/// Updates w (scalar features) and slot_delta_ for the change of α since alpha_before_. With
/// `update_scores` also slot_scores_, for an example with one slot.
void ActiveSetBlocks::Apply(const ExampleView& example, const ActiveSet& set, bool update_scores) {
  const double inverse = StepScale();
  const std::span<const Slot> slots = example.structure().slots();
  const double norm =
      update_scores && !slots.empty() ? example.input(slots[0].input).squared_norm : 0;
  for (Index a = 0; a < set.size(); ++a) {
    const double change = alpha_before_[a] - set.alpha()[a];
    if (change == 0) continue;
    const double scale = change * inverse;  // λ Ψα = Σ α (φ(y^m) − φ(s)) / M
    set.ForEachSlotEntry(a, [&](Index k, double value) {
      slot_delta_[k] += scale * value;
      slot_scores_[k] += scale * value * norm;
    });
    set.ForEachScalarEntry(a, [&](Index position, double value) {
      const double moved = MoveWeight(position, scale * value);
      if (average_.active()) average_.lag()[position] += average_.scale() * moved;
    });
    work_ += set.entries(a);
  }
}

/// Updates slot_scores_ as if w had been moved by slot_delta_.
void ActiveSetBlocks::AddSlotChanges(const ExampleView& example) {
  const std::size_t count = SlotCoordinates(example.structure());
  slot_change_.resize(slot_scores_.size());
  scratch_.inputs->Apply(example.structure(), slot_delta_, slot_change_);
  for (std::size_t k = 0; k < count; ++k) slot_scores_[k] += slot_change_[k];
  work_ += static_cast<std::int64_t>(count) * example.structure().num_inputs() / 4;
}

void ActiveSetBlocks::NoteMovedSlots(const ExampleView& example) {
  const std::span<const Slot> slots = example.structure().slots();
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const auto begin = slot_delta_.begin() + slots[s].coordinate;
    moved_slots_[s] |= std::any_of(begin, begin + slots[s].rows, [](double q) { return q != 0; });
  }
}

void ActiveSetBlocks::FlushSlots(const ExampleView& example) {
  const std::span<double> delta =
      std::span<double>(slot_delta_).first(SlotCoordinates(example.structure()));
  if (watches_slots_) NoteMovedSlots(example);
  work_ += AddSlots(example, delta, weights_, threads_) / 4;
  if (average_.active()) {
    for (double& value : delta) value *= average_.scale();
    AddSlots(example, delta, average_.lag(), threads_);
  }
  std::fill(delta.begin(), delta.end(), 0.0);
}

ActiveSetBlocks::VisitResult ActiveSetBlocks::Visit(Index m, bool ask) {
  const ExampleView example = problem_.data().example(m);
  ActiveSet& set = sets_[m];
  VisitResult result;
  centre_.Leave();
  scratch_.inputs = Inputs(m);
  if (watches_slots_) moved_slots_.assign(example.structure().slots().size(), 0);
  ScoreSlots(example);
  work_ += kVisitWork;
  if (set.size() > 1) {
    ScoreCorners(set);
    const Local local = Improve(&set, -kLocalShare);
    result.spread = local.gap;
    result.gain += local.gain;
    if (local.gain > 0) {
      // With one slot the new scores follow from the norm of its input, and with kept inner
      // products of inputs from these. Otherwise w is moved and the slots are scored again.
      const bool one_slot = example.structure().slots().size() <= 1;
      Apply(example, set, ask && one_slot);
      if (ask && !one_slot) {
        if (scratch_.inputs != nullptr) {
          AddSlotChanges(example);
        } else {
          FlushSlots(example);
          ScoreSlots(example);
        }
      }
    }
  }
  if (ask) {
    AskOracle(m, &set, &result);
    if (result.gap > 0) {
      result.gain += Improve(&set, kLocalShare * result.gap).gain;
      Apply(example, set, false);
    }
    if (!shard_) set.DropIdle(kIdleLimit);
  }
  FlushSlots(example);
  average_.EndStep();
  return result;
}

void ActiveSetBlocks::AskOracle(Index m, ActiveSet* set, VisitResult* result) {
  const ExampleView example = problem_.data().example(m);
  const auto read = [&](double bound) {
    const Index found = set->Add(example, found_, &scratch_);
    ScoreCorners(*set);
    double value = 0;
    for (Index a = 0; a < set->size(); ++a) value += set->alpha()[a] * scores_[a];
    result->gap = std::max(0.0, scores_[found] - value);
    result->open = std::max(result->gap, bound - value);
  };
  const double bound = oracle_->Maximise(m, slot_scores_, weights_, &warm_[m], false, &found_);
  ++oracle_calls_;
  read(bound);
  if (searches_.empty() || !oracle_->SearchesOnDemand(m)) return;
  SearchRecord& record = searches_[m];
  if (!(result->gap < kLeastShownShare * result->open)) {
    record.rest = std::max(record.rest, kPatience);
    return;
  }
  if (record.rest > 0) {
    --record.rest;
    return;
  }
  const double shown = result->gap;
  bool complete = false;
  const double searched =
      oracle_->Search(m, slot_scores_, weights_, record.doublings, &warm_[m], &found_, &complete);
  read(std::min(bound, searched));
  result->gap = std::max(result->gap, shown);
  record.needed = complete;
  const bool helped = complete || result->gap >= kLeastShownShare * result->open;
  record.failures = helped ? 0 : std::min(record.failures + 1, kMostFailures);
  if (!helped)
    record.doublings = std::min(record.doublings + 1, MessageBranchAndBound::kMostDoublings);
  // A search that gave up at a higher node limit is followed by more visits without a search.
  const Index paid = complete ? 0 : std::max(record.failures, record.doublings);
  record.rest = std::max(helped ? kPatience : 0, (Index{1} << paid) - 1);
}

void ActiveSetBlocks::CopyForChecks(CheckCopy* copy) const {
  if (copy->given.empty()) {
    for (const ActiveSet& set : sets_) copy->given.push_back(set.First());
  }
  copy->warm = warm_;
  copy->searches = searches_;
}

double ActiveSetBlocks::HingeBound(Index m, std::span<const double> weights, ExampleOracle* oracle,
                                   CheckScratch* scratch, const CheckCopy* copy) const {
  const std::vector<SearchRecord>& searches = copy != nullptr ? copy->searches : searches_;
  std::optional<Index> doublings;
  if (!searches.empty() && searches[m].needed) doublings = searches[m].doublings;
  return CertifiedHinge(problem_, m, weights, copy != nullptr ? copy->given[m] : sets_[m],
                        copy != nullptr ? copy->warm[m] : warm_[m], doublings, oracle, scratch);
}

ActiveSetBlocks::VisitResult ActiveSetBlocks::Ask(Index m, Index idle_limit) {
  const ExampleView example = problem_.data().example(m);
  ActiveSet& set = sets_[m];
  scratch_.inputs = Inputs(m);
  ScoreSlots(example);
  work_ += kVisitWork;
  ScoreCorners(set);
  double most = -kInfinity;
  double value = 0;
  for (std::size_t a = 0; a < scores_.size(); ++a) {
    most = std::max(most, scores_[a]);
    value += set.alpha()[a] * scores_[a];
  }
  oracle_->Maximise(m, slot_scores_, weights_, &warm_[m], false, &found_);
  ++oracle_calls_;
  const Index found = set.Add(example, found_, &scratch_);
  const double score = set.Score(found, slot_scores_, weights_);
  if (idle_limit > 0) set.DropIdle(idle_limit);
  VisitResult result;
  result.gap = std::max({0.0, score - value, most - value});
  result.spread = std::max(0.0, score - most);
  return result;
}

ActiveSetBlocks::PointSum::PointSum(const ActiveSetBlocks& blocks, std::vector<double>* weights)
    : blocks_(blocks),
      weights_(*weights),
      inverse_(1 / (blocks.problem_.lambda() * blocks.total())),
      delta_(blocks.slot_delta_.size()) {
  weights_.assign(blocks.weights_.size(), 0.0);
}

void ActiveSetBlocks::PointSum::Add(Index m) {
  const ExampleView example = blocks_.problem_.data().example(m);
  const ActiveSet& set = blocks_.sets_[m];
  std::fill(delta_.begin(), delta_.end(), 0.0);
  double sum = 0;  // 1 up to rounding errors of the steps
  for (const double share : set.alpha()) sum += share;
  for (Index a = 0; a < set.size(); ++a) {
    const double alpha = set.alpha()[a] / sum;
    const double scale = ((a == 0 ? 1.0 : 0.0) - alpha) * inverse_;
    if (scale == 0) continue;
    loss_ += alpha * set.loss(a);
    set.ForEachSlotEntry(a, [&](Index k, double value) { delta_[k] += scale * value; });
    set.ForEachScalarEntry(a, [&](Index k, double value) { weights_[k] += scale * value; });
  }
  AddSlots(example, delta_, weights_, blocks_.threads_);
}

double ActiveSetBlocks::WeightsOfPoint(std::vector<double>* weights) const {
  const double loss = SumOfPoint(weights);
  signs_.Clip(*weights);
  return loss;
}

/// Writes Ψα, whatever the constraints.
double ActiveSetBlocks::SumOfPoint(std::vector<double>* weights) const {
  PointSum sum(*this, weights);
  for (Index m = 0; m < problem_.size(); ++m) {
    problem_.data().PrefetchSweep(0, m, problem_.size());
    sum.Add(m);
  }
  return sum.loss();
}

double ActiveSetBlocks::WeightsAndHinge(std::span<const double> at, int chunks,
                                        ExampleEvaluator* evaluator, std::vector<double>* weights,
                                        double* hinge) const {
  PointSum sum(*this, weights);
  *hinge = evaluator->MeanHinge({.chunks = chunks},
                                [&](Index m, ExampleOracle* oracle, HingeScratch* scratch) {
                                  sum.Add(m);
                                  return HingeBound(m, at, oracle, scratch);
                                });
  signs_.Clip(*weights);
  return sum.loss();
}

double ActiveSetBlocks::PointOfExample(Index m, std::vector<double>* coordinates) const {
  const Structure& structure = problem_.data().example(m).structure();
  coordinates->assign(structure.num_coordinates(), 0.0);
  const ActiveSet& set = sets_[m];
  double sum = 0;
  for (const double share : set.alpha()) sum += share;
  double loss = 0;
  for (Index a = 0; a < set.size(); ++a) {
    const double alpha = set.alpha()[a] / sum;
    if (alpha == 0) continue;
    loss += alpha * set.loss(a);
    set.AddCoordinates(structure, a, alpha, *coordinates);
  }
  return loss;
}

void ActiveSetBlocks::Rebuild() {
  SumOfPoint(&weights_);
  centre_.Blend(problem_.lambda(), weights_);
  TakeSigned(&weights_);
  oracle_->Refresh();
}

void ActiveSetBlocks::MoveCentre(double kappa) {
  if (kappa == 0 && centre_.kappa() == 0) return;
  const std::vector<double> before = average_.active() ? weights_ : std::vector<double>();
  for (std::size_t e = 0; e < signed_.size(); ++e) weights_[signs_.entries()[e].at] = signed_[e];
  centre_.Move(kappa, problem_.lambda(), &weights_, signs_);
  TakeSigned(&weights_);
  for (std::size_t k = 0; k < before.size(); ++k)
    average_.lag()[k] += average_.scale() * (weights_[k] - before[k]);
  work_ += static_cast<std::int64_t>(weights_.size());
  oracle_->Refresh();
}

void ActiveSetBlocks::ChangeLambda(const Problem& problem) {
  problem_ = problem;
  std::vector<double> weights;
  const double loss = WeightsOfPoint(&weights);
  ChangeLambda(problem, BestShare(loss, Regulariser(problem_.lambda(), weights)));
  centre_.Leave();
  Rebuild();
}

void ActiveSetBlocks::ChangeLambda(const Problem& problem, double share_of_point) {
  problem_ = problem;
  for (ActiveSet& set : sets_) {
    const std::span<double> alpha = set.alpha();
    for (double& share : alpha) share *= share_of_point;
    alpha[0] += 1 - share_of_point;
  }
  average_ = average_.Restarted();
  oracle_calls_ = 0;
  steps_ = 0;
}

void ActiveSetBlocks::Archive(StateArchive* archive) {
  archive->Tag("corner blocks");
  if (!shard_) {
    archive->FiniteReals(weights_);
    if (!signed_.empty()) {
      archive->FiniteReals(signed_);
      for (std::size_t e = 0; e < signed_.size(); ++e) {
        const SignConstraints::Entry& entry = signs_.entries()[e];
        archive->Require(weights_[entry.at] == SignConstraints::Clip(signed_[e], entry.sign),
                         "a weight contradicts its constraint");
      }
    }
    centre_.Archive(problem_.num_weights(), problem_.lambda(), archive);
  }
  for (Index m = 0; m < problem_.size(); ++m) {
    scratch_.inputs = Inputs(m);
    sets_[m].Archive(problem_.data().example(m), &scratch_, archive);
  }
  for (WarmStart& warm : warm_) archive->Bytes(&warm.bytes);
  for (SearchRecord& record : searches_) {
    archive->Flag(&record.needed);
    archive->Integer(&record.failures, 0, kMostFailures);
    archive->Integer(&record.doublings, 0, MessageBranchAndBound::kMostDoublings);
    archive->Integer(&record.rest, 0, (Index{1} << kMostFailures) - 1);
  }
  average_.Archive(archive);
  archive->Count(&oracle_calls_);
  archive->Count(&steps_);
  std::int64_t total = work();
  archive->Count(&total);
  if (archive->loading()) work_ = total - oracle_->work();
}

}  // namespace slackline::internal
