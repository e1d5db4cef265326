// SPDX-License-Identifier: BSD-3-Clause
//
// The cluster-tightened relaxation of multi-label models: triples of labels on which the pairs'
// marginals contradict each other get one table over the three (8 states) in place of their three
// pair tables.
//
// The relaxed problem of the pairs allows marginals that no distribution has: all of μ_i = μ_j =
// μ_k = ½ and μ_ij = μ_ik = μ_jk = 0, for example. The points that a distribution over three labels
// has are those that fulfil the triangle inequalities
//   μ_i + μ_j + μ_k − μ_ij − μ_ik − μ_jk ≤ 1,   μ_ij + μ_ik − μ_i − μ_jk ≤ 0   (and the last for j
//     and k in place of i).
// Triples whose inequalities the solution of the relaxed problem violates (Sontag, Meltzer,
// Globerson, Jaakkola, Weiss, "Tightening LP relaxations for MAP using message passing", 2008)
// become clusters.
//
// A table over three labels with features of its own, all zero, would change nothing: the local
// polytope joins factors by their single labels only, and there is a table for any three of these.
// So the cluster takes over the features [y_i = y_j = 1] of its pairs, with their weights; it has
// none of its own, and the trained weights are those of the model, as ever. Every point of the
// polytope with clusters gives one without, hence min P ≤ G* with clusters ≤ G* without, and for
// three labels min P = G*. A pair in several clusters is shared out among them in equal parts; to
// disjoint ones (no two with a common pair) others can be added without raising G*, which with
// shared pairs is not so. PickClusters therefore takes disjoint ones.
#pragma once

#include <compare>
#include <memory>
#include <span>
#include <vector>

#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/core/dataset.h>
#include <slackline/learning/learner.h>

namespace slackline::internal {

/// Three labels by number, a < b < c.
struct LabelTriple {
  Index a = 0;
  Index b = 0;
  Index c = 0;
  friend auto operator<=>(const LabelTriple&, const LabelTriple&) = default;
};

/// The largest violation of the four triangle inequalities; 0 when they hold. singles: μ_a, μ_b,
/// μ_c; pairs: μ_ab, μ_ac, μ_bc.
double TriangleViolation(std::span<const double, 3> singles, std::span<const double, 3> pairs);

struct ViolatedTriple {
  LabelTriple labels;
  double violation = 0;  ///< sum over the examples
};

/// The triples whose three pairs the model has, with a violation above 1e-6 per example in the dual
/// point of the learner, the most violated first (of equals the lowest numbers). Requires a learner
/// for num_examples examples with the model's structure or one made of it below, whose DualPoint is
/// there (after an evaluation). O(num_examples · triples).
std::vector<ViolatedTriple> FindViolatedTriples(const MultiLabelModel& model, Index num_examples,
                                                const DualPointSource& point);

/// `taken` and up to `count` further triples in the order of `found`, without those that share a
/// pair with one before.
std::vector<LabelTriple> PickClusters(std::span<const ViolatedTriple> found, Index count,
                                      std::vector<LabelTriple> taken);

/// The model's structure with these clusters: factors are the pairs that are in none, in their
/// order, then the clusters. Weights and coordinates are the model's. Requires different triples of
/// labels whose three pairs the model has; else std::invalid_argument.
std::shared_ptr<const Structure> MakeClusteredStructure(const MultiLabelModel& model,
                                                        std::span<const LabelTriple> clusters);

/// The examples with another structure. Requires data whose examples all have the model's
/// structure, with all labels known.
Dataset WithStructure(const Dataset& data, const std::shared_ptr<const Structure>& structure);

}  // namespace slackline::internal
