// SPDX-License-Identifier: BSD-3-Clause
//
// Where the blocks of one structure live in the memory of an example, and which kernel runs them.
//
// Memory of one example (doubles): the marginals μ_i of its variables in the graph's flat order;
// then, for the *pair group*, four planes of μ_c and (with multipliers) two planes of η; then, for
// every *table block*, μ_c and per axis the marginal A_ci μ_c (updated by every step, so that no
// sweep over the table computes it) and η_ci; then, for every *global block*, all A_ci μ_c, all
// η_ci, and its features φ_c(μ_c). The active sets of global blocks are stored elsewhere
// (global_blocks.h).
#pragma once

#include <vector>

#include <slackline/core/structure.h>

namespace slackline::internal {

/// Factors over two binary variables with the single feature [both = 1] and a weight that no other
/// part uses. pair_kernel.h makes the steps on them.
struct PairGroup {
  Index count = 0;
  std::vector<Index> factor;
  std::vector<Index> first_state;  ///< state 1 of the two variables, in the flat order
  std::vector<Index> second_state;
  std::vector<Offset> weight;  ///< positions in w
  std::vector<Index> coordinate;
  std::vector<double> degree;  ///< per variable: number of pairs of the group that contain it
  bool contiguous = false;     ///< weight[k] = weight[0] + k
  Offset mu = 0;               ///< planes of `count` doubles each
  Offset eta = -1;             ///< −1 without multipliers

  /// The planes μ(00), μ(01), μ(10), μ(11), and with multipliers η_i, η_j.
  int num_planes() const { return eta >= 0 ? 6 : 4; }
  /// Where plane p begins in an example's memory.
  Offset plane(int p) const {
    return (p < 4 ? mu : eta) + static_cast<Offset>(p < 4 ? p : p - 4) * count;
  }
};

/// One axis of a table block: an edge (factor, variable).
struct TableAxis {
  Index variable = 0;
  Index cardinality = 0;
  Index stride = 0;     ///< distance of two neighbouring states of this axis in the table
  Offset state = 0;     ///< position of the variable's state 0 in the flat order
  Offset marginal = 0;  ///< A_ci μ_c
  Offset eta = -1;
};

struct TableBlock {
  Index factor = 0;
  Index states = 0;
  Offset mu = 0;
  Index slot = -1;  ///< slot of its linear term, or −1
  std::vector<TableAxis> axes;
};

/// A global factor (core/global_factor.h). The marginals, η and features of a block lie next to
/// each other in memory.
struct GlobalBlock {
  const GlobalFactor* factor = nullptr;
  std::vector<TableAxis> axes;  ///< stride: unused
  Index num_states = 0;         ///< Σ of the axes' cardinalities
  Offset marginals = 0;         ///< A_ci μ_c of all axes
  Offset eta = -1;              ///< η_ci of all axes; −1 without multipliers
  Offset features = 0;          ///< φ_c(μ_c), one entry per local weight
  Index num_weights = 0;
  Offset weight = 0;  ///< position in w of local weight 0
  Index coordinate = 0;
};

/// Variables whose linear features read the same slot, or (slot = −1) that have no linear features.
struct VariableGroup {
  Index slot = -1;
  std::vector<Index> variables;
};

/// The kind of a factor's block, and its number among the blocks of that kind.
struct FactorPlace {
  bool pair = false;
  Index index = 0;
};

struct BlockLayout {
  BlockLayout(const Structure& structure, bool multipliers);

  const Structure* structure = nullptr;
  std::vector<VariableGroup> variable_groups;
  std::vector<double> degree;  ///< N_i, global factors included
  /// Per variable: the weight row of a binary variable whose only feature is a linear one of state
  /// 1 (the fast case), or kAbsent.
  std::vector<Index> single_row;
  PairGroup pairs;
  std::vector<TableBlock> tables;
  std::vector<GlobalBlock> globals;
  Index largest_global = 0;  ///< max over the global blocks of num_states and num_weights
  std::vector<FactorPlace> places;
  /// Position in w of a scalar coordinate; −1 for coordinates of slots.
  std::vector<Offset> weight_of_coordinate;
  Offset size = 0;  ///< doubles per example
};

}  // namespace slackline::internal
