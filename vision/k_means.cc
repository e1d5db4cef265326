// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/k_means.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include <Eigen/Core>

#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/core/random.h>
#include <slackline/vision/dense_kernels.h>

namespace slackline::internal {
namespace {

constexpr int kChunks = 16;  // pieces of the points of a task
constexpr int kMostIterations = 40;
// The fraction of points that change their centre in the last iteration.
constexpr double kFewChanges = 0.001;
// An iteration of fewer multiply-adds runs on one thread: handing it to others would take longer.
constexpr double kLeastParallelCost = 1e7;

class Clustering {
 public:
  explicit Clustering(const ClusterTask& task)
      : points_(task.points),
        size_(task.size),
        count_(static_cast<Index>(points_.size() / size_)),
        num_centres_(task.num_centres),
        random_(task.seed),
        centres_(num_centres_ * size_),
        words_(count_, -1),
        parts_(kChunks) {}

  /// Multiply-adds of an iteration.
  double cost() const {
    return static_cast<double>(points_.size()) * static_cast<double>(num_centres_);
  }
  bool finished() const { return finished_; }
  std::vector<float> TakeCentres() { return std::move(centres_); }

  /// k-means++: every centre is a point, drawn with probability proportional to its squared
  /// distance to the nearest centre so far.
  void Seed(const StepCheck& check) {
    std::vector<float> distance(count_, std::numeric_limits<float>::infinity());
    auto next = static_cast<Index>(random_.Below(static_cast<std::uint64_t>(count_)));
    for (std::size_t k = 0; k < num_centres_; ++k) {
      CheckStep(check);
      float* centre = centres_.data() + k * size_;
      std::copy_n(point(next), size_, centre);
      UpdateDistances(centre, &distance);
      next = Draw(distance);
    }
    packed_ = PackedColumns::ForNearest(centres_, static_cast<Index>(size_));
  }

  /// The first half of an iteration, for one of kChunks pieces of the points: assigns each point to
  /// a centre and sums the points of each centre.
  void Assign(int chunk) {
    const auto part_of = [&](int k) { return static_cast<Index>(Offset{count_} * k / kChunks); };
    const Index begin = part_of(chunk);
    const Index end = part_of(chunk + 1);
    Part& part = parts_[chunk];
    part.changes = 0;
    part.sums.assign(num_centres_ * (size_ + 1), 0);
    std::vector<Index> words(end - begin);
    NearestColumns(packed_, point(begin), end - begin, words.data());
    for (Index p = begin; p < end; ++p) {
      Index& word = words_[p];
      const Index nearest = words[p - begin];
      part.changes += word != nearest;
      word = nearest;
      double* to = part.sums.data() + word * (size_ + 1);
      for (std::size_t d = 0; d < size_; ++d) to[d] += point(p)[d];
      to[size_] += 1;
    }
  }

  /// The second half: moves the centres to the means of their points, or finishes if few points
  /// have changed their centre.
  void Advance() {
    Index changes = 0;
    for (const Part& part : parts_) changes += part.changes;
    finished_ = changes <= kFewChanges * count_;
    if (finished_) return;
    MoveCentres();
    packed_ = PackedColumns::ForNearest(centres_, static_cast<Index>(size_));
  }

 private:
  struct Part {
    Index changes = 0;
    std::vector<double> sums;  // num_centres × (size + 1): sum and number of the points
  };

  const float* point(Index p) const { return points_.data() + p * size_; }

  void UpdateDistances(const float* centre, std::vector<float>* distance) const {
    const auto columns = static_cast<Eigen::Index>(size_);
    const Eigen::Map<const Eigen::RowVectorXf> to(centre, columns);
    for (Index p = 0; p < count_; ++p) {
      const Eigen::Map<const Eigen::RowVectorXf> from(point(p), columns);
      float& best = (*distance)[p];
      best = std::min(best, (from - to).squaredNorm());
    }
  }

  Index Draw(const std::vector<float>& distance) {
    double sum = 0;
    for (const float value : distance) sum += value;
    double rest = random_.Uniform() * sum;
    for (Index p = 0; p < count_; ++p) {
      rest -= distance[p];
      if (rest < 0) return p;
    }
    return count_ - 1;
  }

  /// Moves each centre to the mean of its points; a centre without points stays.
  void MoveCentres() {
    std::vector<double>& sums = parts_[0].sums;
    for (std::size_t c = 1; c < parts_.size(); ++c) {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += parts_[c].sums[k];
    }
    for (std::size_t k = 0; k < num_centres_; ++k) {
      const double* from = sums.data() + k * (size_ + 1);
      if (from[size_] == 0) continue;
      for (std::size_t d = 0; d < size_; ++d)
        centres_[k * size_ + d] = static_cast<float>(from[d] / from[size_]);
    }
  }

  const std::vector<float>& points_;
  std::size_t size_;
  Index count_;
  std::size_t num_centres_;
  Random random_;
  std::vector<float> centres_;
  PackedColumns packed_;  // the centres
  std::vector<Index> words_;
  std::vector<Part> parts_;
  bool finished_ = false;
};

/// Calls work(k) for k = 0 … count − 1, on all threads if the cost is high enough.
template <class Work>
void RunOnThreads(std::size_t count, double cost, int threads, const Work& work) {
  const auto pieces = static_cast<Index>(count);
  ParallelChunks(pieces, pieces, cost < kLeastParallelCost ? 1 : threads,
                 [&](const Chunk& chunk) { work(chunk.begin); });
}

double CostOf(const std::vector<Clustering*>& some) {
  return std::accumulate(some.begin(), some.end(), 0.0,
                         [](double sum, const Clustering* one) { return sum + one->cost(); });
}

}  // namespace

std::vector<std::vector<float>> KMeans(const std::vector<ClusterTask>& tasks, int threads,
                                       const StepCheck& check) {
  std::vector<Clustering> all;
  all.reserve(tasks.size());
  for (const ClusterTask& task : tasks) {
    SLACKLINE_CHECK(task.size >= 1 && task.num_centres >= 1 && std::ssize(task.points) >= task.size,
                    "k-means needs a point and a centre");
    all.emplace_back(task);
  }
  if (all.empty()) return {};
  std::vector<Clustering*> active;
  for (Clustering& one : all) active.push_back(&one);
  // The most expensive tasks come first, so that no thread starts one when the others are done.
  std::stable_sort(active.begin(), active.end(),
                   [](const Clustering* a, const Clustering* b) { return a->cost() > b->cost(); });
  RunOnThreads(active.size(), CostOf(active), threads,
               [&](std::size_t k) { active[k]->Seed(check); });
  for (int iteration = 0; iteration < kMostIterations && !active.empty(); ++iteration) {
    RunOnThreads(active.size() * kChunks, CostOf(active), threads, [&](std::size_t k) {
      CheckStep(check);
      active[k / kChunks]->Assign(static_cast<int>(k % kChunks));
    });
    for (Clustering* one : active) one->Advance();
    std::erase_if(active, [](const Clustering* one) { return one->finished(); });
  }
  std::vector<std::vector<float>> centres;
  for (Clustering& one : all) centres.push_back(one.TakeCentres());
  return centres;
}

}  // namespace slackline::internal
