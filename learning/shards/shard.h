// SPDX-License-Identifier: BSD-3-Clause
//
// One shard: some of the examples with their part of the dual point, and a copy of the weights. In
// the shard makes visits, in one or several parts. Between parts it takes the changes that the
// other shards made to the frequent weights. At the end of the round the changes of all shards are
// combined (shard_exchange.h), and the shard keeps a share of its own changes.
//
// Derived classes decide what a shard keeps of its examples and how it visits them: ActiveSetShard
// keeps active sets, PointShard one point per example, and FactorShard factor blocks. Virtual
// functions are called once per part, round or check, never per visit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/shards/common_weights.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// The change of (1/M) Σ_m −φ_m*(μ_m), the part of the dual without the weights, along the changes
/// of one shard: with a share η of them it rises by slope · η − ½ curvature · η².
struct ShardChange {
  double slope = 0;
  double curvature = 0;  ///< ≥ 0; 0 unless hinges are smoothed
};

class Shard {
 public:
  /// problem: the shard's examples alone. total: M, the examples of all shards. common must outlive
  /// the shard.
  Shard(const Problem& problem, Index total, const CommonWeights* common)
      : problem_(problem),
        common_(common),
        total_(total),
        visited_in_(problem.size(), 0),
        taken_(common->runs.num_columns(), 0),
        noted_(has_columns() ? taken_.size() + 1 : 0),
        ranges_per_column_(static_cast<double>(kRanges) /
                           static_cast<double>(std::max<std::size_t>(1, taken_.size()))),
        changed_(kRanges) {}
  virtual ~Shard() = default;
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  /// Sets κ of the common centre and the caution σ: from now on steps allow for changes of the
  /// weights by other shards as if the step's own change were σ times as large, and move the copy
  /// of the weights by σ times their change.
  virtual void SetSteps(double kappa, double caution) = 0;

  virtual void BeginRound();
  /// Visits chosen examples until this part of the round has taken the work `most_work`.
  virtual void RunPart(std::int64_t most_work, const StopControl& stop) = 0;
  /// After RunPart: sorts the columns that it has changed into ranges.
  void EndPart();
  /// Whether any examples were chosen, and whether all of them have been visited.
  bool chose() const { return !chosen_.empty(); }
  bool done() const { return next_ == chosen_.size(); }
  /// The work of the round so far.
  std::int64_t round_work() const { return round_work_; }
  /// Visits of the last part.
  std::int64_t part_visits() const { return part_visits_; }
  /// The gain in the dual if the last part alone were made, as its steps with caution estimate it.
  double part_gain() const { return part_gain_ / total_; }
  /// The visits of the round so far, as a share of the chosen examples.
  double round_share() const { return round_share_; }

  /// What the round has changed besides the weights.
  virtual ShardChange Change() const = 0;
  /// The weights as the round has changed them: the frequent ones, and the changed columns.
  std::span<const double> weights() const { return copy_; }
  /// The columns in this one of kRanges ranges that the round may have changed.
  std::span<const Index> changed_columns(std::size_t range) const { return changed_[range]; }
  static constexpr std::size_t kRanges = 64;
  /// Takes the frequent weights as they are after a part of the round.
  virtual void TakeFrequent();
  /// Takes all common values, and counts rounds from 0 again, as CommonWeights::BeginAgain.
  virtual void TakeWeights();
  /// Ends the round: keeps this share, in [0, 1], of its changes of the dual point.
  virtual void KeepShare(double share) = 0;

  const Problem& problem() const { return problem_; }
  virtual bool relaxed() = 0;

  /// Counts since the beginning of the run.
  struct Counts {
    std::int64_t oracle_calls = 0;
    std::int64_t steps = 0;
    std::int64_t work = 0;    ///< of visits, in array entries
    std::int64_t checks = 0;  ///< work of the sums of hinges
  };
  virtual Counts counts() const = 0;

  /// The sum over the examples of certified bounds on max H_m, or on the smoothed maximum.
  virtual double SumOfHinges(std::span<const double> weights, int threads) = 0;
  /// Writes the shard's part of Ψμ to *weights and returns its part of the dual without the
  /// weights; both are divided by M, the examples of all shards.
  virtual double WeightsOfPoint(std::vector<double>* weights) const = 0;
  /// As DualPointSource::DualPoint, for the newest point.
  virtual double PointOfExample(Index m, std::vector<double>* coordinates) const = 0;

  /// Archives everything but the weights.
  virtual void Archive(StateArchive* archive) = 0;

 protected:
  /// Sets the copy of the weights: num_weights numbers that stay where they are.
  void SetCopy(std::span<double> copy) { copy_ = copy; }
  bool has_columns() const { return !taken_.empty(); }

  /// Calls visit(k) for the next chosen examples, chosen_[k], until work() has grown by most_work
  /// or an eighth of the chosen examples is done.
  template <class Work, class Visit>
  void VisitChosen(std::int64_t most_work, const StopControl& stop, const Work& work,
                   const Visit& visit) {
    part_gain_ = 0;
    const std::int64_t begin = work();
    const std::size_t first = next_;
    const std::size_t end = std::min(chosen_.size(), next_ + 1 + chosen_.size() / kLeastParts);
    while (next_ < end && work() - begin < most_work && !stop.ShouldStop()) visit(next_++);
    round_work_ += work() - begin;
    part_visits_ = static_cast<std::int64_t>(next_ - first);
    if (next_ > first)
      round_share_ += static_cast<double>(part_visits_) / static_cast<double>(chosen_.size());
  }
  /// Notes that the example is visited; returns whether that is the first time in the round.
  bool FirstVisit(Index m) {
    if (visited_in_[m] == round_) return false;
    visited_in_[m] = round_;
    return true;
  }
  /// Brings the columns that a visit of the example reads up to date.
  void TakeColumns(const ExampleView& example);
  /// The columns of the example of the last TakeColumns.
  std::span<const WeightRuns::ColumnList::Entry> listed_columns() const { return listed_.all(); }
  /// For the example of the last TakeColumns: notes that its visit has changed the columns of every
  /// slot s for which moved(s) is true.
  template <class Moved>
  void NoteChanges(const Moved& moved) {
    if (!has_columns()) return;
    std::size_t noted = num_noted_;
    for (std::size_t s = 0; s < listed_.ends.size(); ++s) {
      if (!moved(s)) continue;
      for (const WeightRuns::ColumnList::Entry& entry : listed_.OfSlot(s)) {
        // No branch: the next entry overwrites a column that has been noted before.
        noted_[noted] = entry.number;
        noted += taken_[entry.number] == kOwn ? 0 : 1;
        taken_[entry.number] = kOwn;
      }
    }
    num_noted_ = noted;
  }
  void NoteChanges() {
    NoteChanges([](std::size_t) { return true; });
  }

  Problem problem_;
  const CommonWeights* common_;
  Index total_;
  std::vector<Index> chosen_;  // examples that the next rounds visit
  std::size_t next_ = 0;       // of chosen_
  std::int64_t round_work_ = 0;
  double round_share_ = 0;
  std::int64_t part_visits_ = 0;
  double part_gain_ = 0;  // times M

 private:
  /// The chosen examples are visited in at least so many parts: passes over few examples gain
  /// little without exchanges in between.
  static constexpr std::size_t kLeastParts = 8;

  /// Marks a column that this round has changed: its value in the copy is the shard's own.
  static constexpr std::int32_t kOwn = std::numeric_limits<std::int32_t>::max();

  std::span<double> copy_;
  std::int32_t round_ = 0;                // of this shard, since TakeWeights
  std::vector<std::int32_t> visited_in_;  // per example: the last round that visited it
  std::vector<std::int32_t> taken_;       // per column: the common round of its value, or kOwn
  WeightRuns::ColumnList listed_;         // by the last TakeColumns
  std::vector<Index> noted_;  // the columns that the round has changed, and a free place
  std::size_t num_noted_ = 0;
  double ranges_per_column_;
  std::size_t num_dealt_ = 0;                // of noted_, into changed_
  std::vector<std::vector<Index>> changed_;  // columns, by range
};

/// The options of the run with a seed of the shard's own.
TrainOptions OptionsOfShard(TrainOptions options, Index number);

}  // namespace slackline::internal
