// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/evaluated_point.h>

#include <utility>

#include <slackline/core/feature_map.h>
#include <slackline/learning/step/dual_mixture.h>

namespace slackline::internal {

void EvaluatedPoint::Forget() {
  share_ = 1;
  value_ = -kInfinity;
  loaded_ = false;
}

double EvaluatedPoint::Evaluate(const Dataset& data, double loss, double regulariser,
                                double kappa) {
  share_ = kappa > 0 ? BestShare(loss, regulariser) : 1;
  const double value = share_ * loss - share_ * share_ * regulariser;
  if (!keeps_ || !(value > value_)) return value;
  value_ = value;
  std::vector<double> coordinates;
  for (std::size_t m = 0; m < points_.size(); ++m) {
    SparsePoint& point = points_[m];
    point.loss = ReadNewest(data, static_cast<Index>(m), &coordinates);
    point.index.clear();
    point.value.clear();
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      if (coordinates[k] == 0) continue;
      point.index.push_back(static_cast<Index>(k));
      point.value.push_back(coordinates[k]);
    }
  }
  return value;
}

double EvaluatedPoint::ReadNewest(const Dataset& data, Index m,
                                  std::vector<double>* coordinates) const {
  const double loss = newest_(m, coordinates);
  if (share_ < 1) {
    const ExampleView example = data.example(m);
    for (double& coordinate : *coordinates) coordinate *= share_;
    AddLabellingFeatures(example, example.labels(), 1 - share_, *coordinates);
  }
  return share_ * loss;
}

double EvaluatedPoint::Read(const Dataset& data, Index m, std::vector<double>* coordinates) const {
  if (!keeps_ || value_ == -kInfinity) return ReadNewest(data, m, coordinates);
  const SparsePoint& point = points_[m];
  coordinates->assign(data.example(m).structure().num_coordinates(), 0.0);
  for (std::size_t e = 0; e < point.index.size(); ++e)
    (*coordinates)[point.index[e]] = point.value[e];
  return point.loss;
}

void EvaluatedPoint::Archive(const Dataset& data, StateArchive* archive) {
  Loading loading = ArchiveHead(data.size(), archive);
  for (Index m = 0; m < data.size(); ++m) ArchiveExample(data, m, archive, &loading);
  if (archive->loading()) EndLoading(std::move(loading));
}

EvaluatedPoint::Loading EvaluatedPoint::ArchiveHead(Index examples, StateArchive* archive) {
  Loading loading;
  loading.known = keeps_ && !loaded_;
  archive->Flag(&loading.known);
  if (archive->loading()) {
    loaded_ = !loading.known;
    share_ = 1;
  }
  if (!loading.known) return loading;
  loading.value = value_;
  archive->Real(&loading.value);
  if (archive->loading()) loading.points.resize(examples);
  return loading;
}

void EvaluatedPoint::ArchiveExample(const Dataset& data, Index m, StateArchive* archive,
                                    Loading* loading) {
  if (!loading->known) return;
  SparsePoint& point = archive->loading() ? loading->points[m] : points_[m];
  archive->Indices(&point.index, 0, data.example(m).structure().num_coordinates() - 1);
  archive->FiniteList(&point.value);
  archive->FiniteReal(&point.loss);
  archive->Require(point.index.size() == point.value.size(), "a dual point does not add up");
}

void EvaluatedPoint::EndLoading(Loading loading) {
  // Keep the current point if best points are not wanted, or if the current one is better: an
  // evaluation during the pass that is being undone may have found it.
  if (!loading.known || !keeps_ || value_ > loading.value) return;
  points_ = std::move(loading.points);
  value_ = loading.value;
}

}  // namespace slackline::internal
