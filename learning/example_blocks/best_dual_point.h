// SPDX-License-Identifier: BSD-3-Clause
//
// The dual point of the largest value among all evaluations, for learners whose newest point may
// have a smaller one. Kept only when a run asks for it (DualPointSource::KeepDualPoint).
#pragma once

#include <functional>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

class BestDualPoint {
 public:
  /// Writes the coordinates of φ_m(μ_m), and returns the loss Δ_m·μ_m, of example m.
  using Reader = std::function<double(Index m, std::vector<double>* coordinates)>;

  /// From now on points are kept.
  void Begin(Index examples) { points_.resize(examples); }
  bool begun() const { return !points_.empty(); }
  /// Whether a point is known.
  bool known() const { return begun() && value_ > -kInfinity; }
  /// Whether no evaluation was left out: points were kept since the beginning of the run.
  bool complete() const { return begun() && !loaded_; }
  /// Forgets the points of a problem with another λ.
  void Forget() {
    value_ = -kInfinity;
    loaded_ = false;
  }

  /// Keeps a point, read example by example, if it has a larger value than all others.
  void Offer(double value, const Reader& read);
  /// As Reader, of the best point. Requires known().
  double Read(const Dataset& data, Index m, std::vector<double>* coordinates) const;

  void Archive(const Dataset& data, StateArchive* archive);

 private:
  struct SparsePoint {
    std::vector<Index> index;
    std::vector<double> value;
    double loss = 0;
  };
  std::vector<SparsePoint> points_;  // empty until Begin
  double value_ = -kInfinity;        // of points_
  bool loaded_ = false;              // points of earlier evaluations were not kept
};

/// Mixes a point of an example, given by its coordinates and loss, with its ground truth; `share`:
/// of the point. Returns the loss of the mixture.
double MixWithGroundTruth(const ExampleView& example, double share, double loss,
                          std::vector<double>* coordinates);

}  // namespace slackline::internal
