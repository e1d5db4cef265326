// SPDX-License-Identifier: BSD-3-Clause
//
// The feature map Ψ, applied without being formed: from weights to coordinate scores u, from u to
// the score table of a part, and back from marginals to coordinates q and from q to weights. See
// core/structure.h for coordinates.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/dataset.h>

namespace slackline::internal {

/// u[k] for all coordinates: W_block·x for slots, the weight itself for scalar features. `u` has
/// num_coordinates entries.
void CoordinateScores(const ExampleView& example, std::span<const double> weights,
                      std::span<double> u);

/// out[s] += w·φ_part(s) for all states s of the part; forbidden states become −∞.
void AddPartScores(const ExampleView& example, Index part, std::span<const double> u,
                   std::span<double> out);

/// AddPartScores for all parts, in the flat order of the graph (total_states entries).
void AddScores(const ExampleView& example, std::span<const double> u, std::span<double> out);

/// Score tables w·φ_a(y_a) of all parts in the flat order of the graph (total_states entries); −∞
/// for forbidden states.
void ScoreTables(const ExampleView& example, std::span<const double> weights,
                 std::span<double> scores);

/// q += scale · (coordinates of φ_part(state)).
void AddStateFeatures(const ExampleView& example, Index part, Index state, double scale,
                      std::span<double> q);

/// q += scale · Σ_s mu[s] · (coordinates of φ_part(s)). Zero entries of mu cost no more than a
/// test.
void AddMarginalFeatures(const ExampleView& example, Index part, std::span<const double> mu,
                         double scale, std::span<double> q);

/// q += scale · (coordinates of the features of global factor g). states: of the factor's scope.
void AddGlobalFeatures(const Structure& structure, Index g, std::span<const Index> states,
                       double scale, std::span<double> q);

/// q += scale · φ(labels), over all parts and over the global factors that allow the labelling.
/// Every label must be known.
void AddLabellingFeatures(const ExampleView& example, std::span<const Index> labels, double scale,
                          std::span<double> q);

/// weights += scale · (the feature vector with coordinates q).
void ScatterFeatures(const ExampleView& example, std::span<const double> q, double scale,
                     std::span<double> weights);

}  // namespace slackline::internal
