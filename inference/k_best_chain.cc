// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/k_best_chain.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

/// A part of the remaining labellings: those that agree with the found labelling `parent` before
/// variable `at` and do not have a state in `excluded` there. The best labelling of the part has
/// score `value` and `state` at variable `at`.
struct Candidate {
  double value = -kInfinity;
  std::size_t parent = 0;
  Index at = 0;
  Index state = -1;
  std::vector<Index> excluded;
};

/// Orders candidates by falling score, then lexicographically. Because parts are disjoint, two
/// candidates differ at the earlier of their variables `at`, or before it.
struct Before {
  const std::vector<RankedLabelling>* found;

  bool operator()(const Candidate& a, const Candidate& b) const {
    if (a.value != b.value) return a.value > b.value;
    const Index nearer = std::min(a.at, b.at);
    const Index* x = (*found)[a.parent].labels.data();
    const Index* y = (*found)[b.parent].labels.data();
    const auto [p, q] = std::mismatch(x, x + nearer, y);
    if (p != x + nearer) return *p < *q;
    return (a.at == nearer ? a.state : *p) < (b.at == nearer ? b.state : *q);
  }
};

class KBestSearch {
 public:
  KBestSearch(ChainDp* chain, std::span<const double> unary, Index count)
      : chain_(*chain), unary_(unary), count_(count), states_(chain->states()), barred_(states_) {}

  std::vector<RankedLabelling> Run() {
    RankedLabelling first;
    first.labels.resize(unary_.size() / states_);
    first.value = chain_.Maximise(unary_, first.labels);
    if (first.value == -kInfinity) return {};
    found_.push_back(std::move(first));
    Candidate last;  // the part of the last labelling; at first all labellings
    while (found_.size() < count_) {
      Branch(last.at, std::move(last.excluded));
      if (open_.empty()) break;
      last = std::move(open_.extract(open_.begin()).value());
      found_.push_back(Complete(last));
    }
    return std::move(found_);
  }

 private:
  /// Divides the part of the labelling that was found last into parts without that labelling.
  void Branch(Index from, std::vector<Index> excluded) {
    const std::size_t parent = found_.size() - 1;
    const std::size_t length = found_.back().labels.size();
    double prefix = 0;  // score of the earlier variables
    for (std::size_t i = 0; i < length; ++i) {
      const auto at = static_cast<Index>(i);
      const Index label = found_[parent].labels[i];
      const double* table =
          i > 0 ? chain_.row(at - 1, found_[parent].labels[i - 1]).data() : nullptr;
      if (at >= from) {
        excluded.push_back(label);
        Add(parent, at, prefix, table, std::move(excluded));
        excluded.clear();
      }
      prefix += unary_[i * states_ + label] + (table == nullptr ? 0 : table[label]);
    }
  }

  void Add(std::size_t parent, Index at, double prefix, const double* table,
           std::vector<Index> excluded) {
    Candidate candidate{-kInfinity, parent, at, -1, std::move(excluded)};
    for (const Index state : candidate.excluded) barred_[state] = 1;
    const std::span<const double> behind = chain_.behind(at);
    for (std::size_t s = 0; s < states_; ++s) {
      const double value = prefix + ((table == nullptr ? 0 : table[s]) + behind[s]);
      if (barred_[s] != 0 || !(value > candidate.value)) continue;
      candidate.value = value;
      candidate.state = static_cast<Index>(s);
    }
    for (const Index state : candidate.excluded) barred_[state] = 0;
    if (candidate.state < 0) return;
    // Because sums are in another order, rounding could make a candidate better than its parent.
    candidate.value = std::min(candidate.value, found_[parent].value);
    const std::size_t wanted = count_ - found_.size();
    if (open_.size() == wanted) {
      if (wanted == 0 || !Before{&found_}(candidate, *open_.rbegin())) return;
      open_.erase(std::prev(open_.end()));
    }
    open_.insert(std::move(candidate));
  }

  RankedLabelling Complete(const Candidate& candidate) const {
    RankedLabelling result{candidate.value, found_[candidate.parent].labels};
    result.labels[candidate.at] = candidate.state;
    chain_.Complete(candidate.at, result.labels);
    return result;
  }

  ChainDp& chain_;
  std::span<const double> unary_;
  std::size_t count_;
  std::size_t states_;
  std::vector<char> barred_;  // per state: whether it is excluded; all 0 between calls of Add
  std::vector<RankedLabelling> found_;
  std::multiset<Candidate, Before> open_{Before{&found_}};  // at most as many as are still wanted
};

}  // namespace

std::vector<RankedLabelling> KBestLabellings(ChainDp* chain, std::span<const double> unary,
                                             Index count) {
  SLACKLINE_CHECK(count >= 1, "at least one labelling must be asked for");
  return KBestSearch(chain, unary, count).Run();
}

}  // namespace slackline::internal
