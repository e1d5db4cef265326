// SPDX-License-Identifier: BSD-3-Clause
//
// The cluster-tightened relaxation of multi-label models. Triples of labels whose pair marginals
// contradict each other get one table over the three labels (8 states) in place of their three pair
// tables.
//
// The relaxed problem of the pairs allows marginals that no distribution has, for example μ_i = μ_j
// = μ_k = ½ and μ_ij = μ_ik = μ_jk = 0. The marginals of distributions over three labels are those
// that satisfy the triangle inequalities
//   μ_i + μ_j + μ_k − μ_ij − μ_ik − μ_jk ≤ 1,   μ_ij + μ_ik − μ_i − μ_jk ≤ 0   (the latter also
//     with j or k in the role of i).
// Triples whose inequalities the solution of the relaxed problem violates (Sontag, Meltzer,
// Globerson, Jaakkola, Weiss, "Tightening LP relaxations for MAP using message passing", 2008)
// become clusters.
//
// A table over three labels without weights would tighten nothing if it were added to their pair
// tables: in the local polytope factors agree only on single labels, and a table exists for any
// three single marginals. The cluster therefore replaces its pairs. It has their features [y_i =
// y_j = 1] and their weights but none of its own, so trained weights fit the model. Every
// point of the polytope with clusters gives one of the polytope without them, hence min P ≤ G* with
// clusters ≤ G* without; for three labels min P = G*. A pair in several clusters is divided among
// them in equal parts. Adding a cluster that shares no pair with another one never raises G*;
// adding one that shares a pair may. PickClusters therefore picks disjoint clusters.
#pragma once

#include <compare>
#include <memory>
#include <span>
#include <vector>

#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/core/dataset.h>
#include <slackline/core/ranks.h>
#include <slackline/learning/learner.h>

namespace slackline::internal {

/// Three labels by number, a < b < c.
struct LabelTriple {
  Index a = 0;
  Index b = 0;
  Index c = 0;
  friend auto operator<=>(const LabelTriple&, const LabelTriple&) = default;
};

/// The largest violation of the triangle inequalities; 0 when all hold. `singles`: μ_a, μ_b, μ_c;
/// `pairs`: μ_ab, μ_ac, μ_bc.
double TriangleViolation(std::span<const double, 3> singles, std::span<const double, 3> pairs);

struct ViolatedTriple {
  LabelTriple labels;
  double violation = 0;  ///< sum over the examples
};

/// The triples whose three pairs are in the model and whose violation in the dual point of the
/// learner exceeds 1e-6 per example, the most violated first (among equals, the lowest numbers
/// first). Requires a learner for num_examples examples whose structure is the model's, or one made
/// by MakeClusteredStructure; its DualPoint must exist (after an evaluation). O(num_examples ·
/// triples).
///
/// exactly: null, or the ranks that train together, each with num_examples examples of its own. All
/// of these ranks must call the function. They get the triples of all examples, with sums whose
/// bits do not depend on which rank has which example.
std::vector<ViolatedTriple> FindViolatedTriples(const MultiLabelModel& model, Index num_examples,
                                                const DualPointSource& point,
                                                Ranks* exactly = nullptr);

/// Returns `taken` followed by up to `count` triples of `found`, in order, without those that share
/// a pair with an earlier triple.
std::vector<LabelTriple> PickClusters(std::span<const ViolatedTriple> found, Index count,
                                      std::vector<LabelTriple> taken);

/// The model's structure with these clusters, and with the model's weights and coordinates. Its
/// factors are the pairs that are in no cluster, in order, then the clusters. Requires different
/// triples of labels whose three pairs the model has; else throws std::invalid_argument.
std::shared_ptr<const Structure> MakeClusteredStructure(const MultiLabelModel& model,
                                                        std::span<const LabelTriple> clusters);

/// The examples with another structure. Requires that all examples have the model's structure and
/// that all labels are known.
Dataset WithStructure(const Dataset& data, const std::shared_ptr<const Structure>& structure);

}  // namespace slackline::internal
