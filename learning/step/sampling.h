// SPDX-License-Identifier: BSD-3-Clause
//
// The order in which blocks are visited.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/random.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/state_archive.h>
#include <slackline/learning/step/window_ahead.h>

namespace slackline::internal {

inline void ArchiveRandom(Random* random, StateArchive* archive) {
  Random::State state = random->state();
  for (std::uint64_t& word : state) archive->Bits(&word);
  // All zero is the one state that the generator never leaves.
  archive->Require(state != Random::State{}, "the random generator has no state");
  random->set_state(state);
}

/// A fresh random order of all examples for every pass, or always the order of the data (cyclic).
/// With windows (Dataset::WindowEnds) the order of the windows is random: the examples of the first
/// kWindowsTogether windows come first, in random order, then the examples of the next
/// kWindowsTogether windows, and so on.
class ExampleOrder {
 public:
  /// window_ends: ascending, up to size; fewer than two: one window.
  explicit ExampleOrder(Index size, std::vector<Index> window_ends = {}, bool cyclic = false)
      : order_(size),
        window_ends_(std::move(window_ends)),
        windows_(window_ends_.size()),
        cyclic_(cyclic) {
    std::iota(order_.begin(), order_.end(), Index{0});
  }
  std::span<const Index> Next(Random* random) {
    if (cyclic_) return order_;
    if (window_ends_.size() > 1) {
      ShuffleWindows(random);
    } else {
      random->Shuffle(std::span<Index>(order_));
    }
    return order_;
  }

  std::size_t size() const { return order_.size(); }

  void Archive(StateArchive* archive) {
    const std::size_t examples = order_.size();
    archive->Indices(&order_, 0, static_cast<Index>(examples) - 1);
    if (!archive->loading()) return;
    std::vector<bool> seen(examples);
    for (const Index m : order_) seen[m] = true;
    StateReader::Require(
        order_.size() == examples && std::find(seen.begin(), seen.end(), false) == seen.end(),
        "the order of the examples is not a permutation");
  }

 private:
  /// The new order does not depend on the previous one, so the generator alone is the state.
  void ShuffleWindows(Random* random) {
    std::iota(windows_.begin(), windows_.end(), std::size_t{0});
    random->Shuffle(std::span<std::size_t>(windows_));
    std::size_t begin = 0;  // of the windows that are together
    std::size_t end = 0;
    for (std::size_t k = 0; k < windows_.size(); ++k) {
      const std::size_t w = windows_[k];
      for (Index m = w == 0 ? 0 : window_ends_[w - 1]; m < window_ends_[w]; ++m) order_[end++] = m;
      if ((k + 1) % kWindowsTogether != 0 && k + 1 < windows_.size()) continue;
      random->Shuffle(std::span(order_).subspan(begin, end - begin));
      begin = end;
    }
  }

  std::vector<Index> order_;
  std::vector<Index> window_ends_;
  std::vector<std::size_t> windows_;  // in the order of the last pass
  bool cyclic_;
};

/// The visits of a pass, for learners that visit one example after the other, by TrainOptions::seed
/// and order: all examples in a fresh random order, in the order of the data (OrderKind::kCyclic),
/// or equally many drawn with replacement (OrderKind::kUniform). Where the rows of the data have
/// windows, a fresh random order visits the examples of a window together.
class ExampleVisits {
 public:
  /// The data must live as long as the visits.
  ExampleVisits(const TrainOptions& options, const Dataset& data)
      : uniform_(options.order == OrderKind::kUniform),
        random_(static_cast<std::uint64_t>(options.seed)),
        examples_(data.size(), data.WindowEnds(), options.order == OrderKind::kCyclic),
        ahead_(data) {}

  /// Calls visit(m) for the examples of a pass, until `stop` ends it. `visit` may draw from
  /// random().
  template <class Visit>
  void Pass(const StopControl& stop, const Visit& visit) {
    const std::span<const Index> order = Permutation();
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (!uniform_) Before(order, k);
      visit(uniform_ ? static_cast<Index>(random_.Below(examples_.size())) : order[k]);
      if (stop.ShouldStop()) break;
    }
  }

  /// All examples once, in a fresh random order or in the order of the data, by the option. For
  /// passes that do not call Pass, and call Before instead.
  std::span<const Index> Permutation() { return examples_.Next(&random_); }
  /// Before the visit of order[k]: reads rows of a file that will be wanted soon (WindowAhead).
  void Before(std::span<const Index> order, std::size_t k) { ahead_.Before(order, k); }

  /// The examples of a pass in their order, or drawn with replacement into *drawn, by the option.
  std::span<const Index> Examples(std::vector<Index>* drawn) {
    if (!uniform_) return Permutation();
    drawn->resize(examples_.size());
    for (Index& m : *drawn) m = static_cast<Index>(random_.Below(examples_.size()));
    return *drawn;
  }

  Random& random() { return random_; }
  const Random& random() const { return random_; }
  ExampleOrder& examples() { return examples_; }
  const ExampleOrder& examples() const { return examples_; }

  void Archive(StateArchive* archive) {
    ArchiveRandom(&random_, archive);
    examples_.Archive(archive);
  }

 private:
  bool uniform_;
  Random random_;
  ExampleOrder examples_;
  WindowAhead ahead_;
};

/// A block of an example: part < num_variables is a variable, < num_parts a factor, else a global
/// factor.
struct Block {
  Index example = 0;
  Index part = 0;
};

/// Blocks drawn uniformly from all parts and global factors of all examples, with replacement
/// (Meshi, Srebro, Hazan, AISTATS 2015, Algorithm 1, line 3).
class UniformBlocks {
 public:
  explicit UniformBlocks(const Problem& problem) {
    Offset total = 0;
    for (Index m = 0; m < problem.size(); ++m) {
      total += problem.data().example(m).graph().num_blocks();
      end_.push_back(total);
    }
  }
  Offset count() const { return end_.back(); }
  Block Next(Random* random) const {
    const auto drawn = static_cast<Offset>(random->Below(static_cast<std::uint64_t>(count())));
    const auto example = std::upper_bound(end_.begin(), end_.end(), drawn) - end_.begin();
    const Offset begin = example == 0 ? 0 : end_[example - 1];
    return {static_cast<Index>(example), static_cast<Index>(drawn - begin)};
  }

 private:
  std::vector<Offset> end_;
};

}  // namespace slackline::internal
