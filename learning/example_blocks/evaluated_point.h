// SPDX-License-Identifier: BSD-3-Clause
//
// The dual point of an evaluation, for learners with active sets. With a proximal centre the newest
// point may be a poor one: its mixture with the ground truth is better, and that of an earlier
// evaluation may be better still. The best one is kept when a run asks for it
// (DualPointSource::KeepDualPoint).
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

class EvaluatedPoint {
 public:
  /// Writes the coordinates of φ_m(μ_m), and returns the loss Δ_m·μ_m, of example m.
  using Reader = std::function<double(Index m, std::vector<double>* coordinates)>;

  /// proximal: whether the learner may have a centre. newest: reads the learner's newest point.
  EvaluatedPoint(bool proximal, Reader newest) : proximal_(proximal), newest_(std::move(newest)) {}

  /// From now on the best point is kept.
  void Keep(Index examples) {
    keeps_ = true;
    points_.resize(examples);
  }
  /// Whether Read gives the best point of all evaluations of the run.
  bool is_best() const { return !proximal_ || (keeps_ && !loaded_); }
  /// For a problem with another λ, of which no point is known.
  void Forget();

  /// Evaluates the newest point, which has this loss and regulariser; with a centre (kappa > 0) its
  /// best mixture with the ground truth. Returns the value. data: of the learner's problem.
  double Evaluate(const Dataset& data, double loss, double regulariser, double kappa);
  /// As Reader: the best point if it is kept, else the newest one, mixed with the ground truth as
  /// in the last evaluation.
  double Read(const Dataset& data, Index m, std::vector<double>* coordinates) const;

  void Archive(const Dataset& data, StateArchive* archive);

  struct SparsePoint {
    std::vector<Index> index;
    std::vector<double> value;
    double loss = 0;
  };
  /// The best point in an archive that is being read.
  struct Loading {
    bool known = false;
    double value = 0;
    std::vector<SparsePoint> points;
  };
  /// The parts of Archive: a head, then one part per example, then the end when loading.
  Loading ArchiveHead(Index examples, StateArchive* archive);
  void ArchiveExample(const Dataset& data, Index m, StateArchive* archive, Loading* loading);
  void EndLoading(Loading loading);

 private:
  double ReadNewest(const Dataset& data, Index m, std::vector<double>* coordinates) const;

  bool proximal_;
  bool keeps_ = false;
  Reader newest_;
  double share_ = 1;                 // of the newest point in the mixture last evaluated
  std::vector<SparsePoint> points_;  // the best point; empty until Keep
  double value_ = -kInfinity;        // of points_
  bool loaded_ = false;              // points of earlier evaluations were not kept
};

}  // namespace slackline::internal
