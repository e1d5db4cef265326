// SPDX-License-Identifier: BSD-3-Clause
//
// One dual point of every example, as far as objectives see it: the coordinates of ψ_m(μ_m) =
// φ_m(y^m) − φ_m(μ_m) (core/structure.h) and the loss Δ_m·μ_m. Both are linear in μ, so mixtures of
// points are mixtures of these numbers.
#pragma once

#include <span>
#include <vector>

#include <slackline/learning/problem.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

class DualPoints {
 public:
  /// The ground truth: all numbers are 0.
  explicit DualPoints(const Problem& problem);

  Index size() const { return static_cast<Index>(losses_.size()); }
  /// num_coordinates numbers of example m.
  std::span<double> coordinates(Index m) { return {coordinates_.data() + Begin(m), Count(m)}; }
  std::span<const double> coordinates(Index m) const {
    return {coordinates_.data() + Begin(m), Count(m)};
  }
  /// Coordinates of all examples, one example after the other.
  std::span<double> coordinates() { return coordinates_; }
  std::span<const double> coordinates() const { return coordinates_; }
  double loss(Index m) const { return losses_[m]; }
  void set_loss(Index m, double loss) { losses_[m] = loss; }
  std::span<double> losses() { return losses_; }
  std::span<const double> losses() const { return losses_; }
  /// Sets the point of example m. Different examples may be set by different threads.
  void Set(Index m, std::span<const double> coordinates, double loss);

  /// The same, from the num_coordinates numbers φ_m(μ_m).
  void SetFeatures(const ExampleView& example, Index m, std::span<const double> features,
                   double loss);

  /// Σ_m Δ_m·μ_m.
  double TotalLoss() const;
  /// (1/M) Σ_m Δ_m·μ_m.
  double MeanLoss() const { return TotalLoss() / static_cast<double>(losses_.size()); }
  /// Ψμ = (1/(λM)) Σ_m ψ_m(μ_m), from scratch. O(non-zeros of the inputs · rows).
  void Weights(const Problem& problem, std::vector<double>* weights) const;
  /// weights += scale · Σ_m ψ_m(μ_m); `weights` has num_weights entries.
  void AddFeatures(const Problem& problem, double scale, std::span<double> weights) const;

  /// Sets this to (1 − share) · this + share · other.
  void Mix(double share, const DualPoints& other);
  /// Multiplies all points by `factor`. With a factor ≤ 1 this mixes each point with the ground
  /// truth.
  void Scale(double factor);
  /// Scale for example m alone.
  void Scale(Index m, double factor);
  /// Adds scale · (coordinates, loss) to the point of example m.
  void Add(Index m, double scale, std::span<const double> coordinates, double loss);

  /// *direction = target − the coordinates of example m, where `target` is another point of the
  /// example. target and *direction may be the same.
  void Towards(Index m, std::span<const double> target, std::vector<double>* direction) const;
  /// Moves the point of example m by step · direction (Towards); target_loss: that of the target.
  void Move(Index m, double step, std::span<const double> direction, double target_loss);

  /// Writes φ_m(μ_m), and returns Δ_m·μ_m, of the mixture share · μ_m + (1 − share) · y^m, as
  /// DualPointSource::DualPoint needs.
  double Read(const ExampleView& example, Index m, double share,
              std::vector<double>* coordinates) const;

  void Archive(StateArchive* archive);

 private:
  std::size_t Begin(Index m) const { return begin_[m]; }
  std::size_t Count(Index m) const { return Begin(m + 1) - Begin(m); }

  std::vector<Offset> begin_;
  std::vector<double> coordinates_;
  std::vector<double> losses_;
};

}  // namespace slackline::internal
