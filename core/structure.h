// SPDX-License-Identifier: BSD-3-Clause
//
// A Structure is a factor graph together with the feature map of every part: everything about an
// example except its data (inputs, potentials, labels). Examples with the same shape share one
// Structure; examples of different shapes have their own, over one common WeightLayout.
//
// Feature maps are applied, never formed. φ_a(x, y_a) is a sum of *terms*, each of which reads one
// entry per state:
//   linear     row `rows[s] + base` of a weight block, times an input vector x of the example
//   potential  weight `rows[s] + base` of a block, times a scalar x_s that the example gives for
//              state s
//   constant   weight `rows[s] + base` of a block, times values[s] (1 when no values are given)
// A state whose row is kAbsent has no feature in the term and costs nothing; states with the same
// row share its weights (tied).
//
// States of a part may be *forbidden*: no labelling may use them, whatever its features are (a
// transition that labels must not make). Forbidden states are kept in lists beside the features, so
// that parts without any only pay for a test.
//
// *Coordinates.* The score of a labelling y depends on y only through a short vector q over the
// coordinates of the structure: one coordinate per row of every (block, input) pair that occurs — a
// *slot* — and one per row of every block of scalar features. With u = the scores of the
// coordinates (a slot's u is W_block·x, a scalar's u is its weight), w·φ(y) = u·q(y). Learners keep
// q (105 numbers on Yeast) where they would otherwise keep a copy of w (1533).
#pragma once

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <slackline/core/factor_graph.h>
#include <slackline/core/global_factor.h>
#include <slackline/core/weights.h>

namespace slackline::internal {

/// Which row each state of a part reads, and for constant features with which value. Shared by many
/// parts.
struct StateMap {
  std::vector<Index> rows;     ///< per state: a row ≥ 0, or kAbsent
  std::vector<double> values;  ///< per state (constant features only); empty = all 1
};

/// State s reads row s.
StateMap IdentityMap(Index states);

enum class FeatureKind { kLinear, kPotential, kConstant };

struct FeatureTerm {
  FeatureKind kind = FeatureKind::kConstant;
  Index block = 0;
  /// linear: number of the slot; potential: position of the scalar of state 0; constant: unused
  Index source = 0;
  Index map = 0;         ///< number of the StateMap
  Index base = 0;        ///< added to every present row
  Index coordinate = 0;  ///< coordinate of row 0 of the term (`base` included)
};

/// A (weight block, input vector) pair: its scores W_block·x are coordinates [coordinate,
/// coordinate + rows).
struct Slot {
  Index block = 0;
  Index input = 0;
  Index coordinate = 0;
  Index rows = 0;
};

/// A block of scalar features that the structure uses: coordinates [coordinate, coordinate + rows).
struct ScalarBlock {
  Index block = 0;
  Index coordinate = 0;
  Index rows = 0;
};

/// A global factor of the graph: the object that describes it, and the place of its local weights.
struct GlobalPart {
  std::shared_ptr<const GlobalFactor> factor;
  Index block = -1;      ///< weight block (one column); −1 when the factor has no weights
  Index base = 0;        ///< row of its weight 0
  Index coordinate = 0;  ///< coordinate of its weight 0
};

class Structure {
 public:
  const FactorGraph& graph() const { return *graph_; }
  const std::shared_ptr<const FactorGraph>& shared_graph() const { return graph_; }
  const WeightLayout& layout() const { return *layout_; }
  const std::shared_ptr<const WeightLayout>& shared_layout() const { return layout_; }

  std::span<const FeatureTerm> terms(Index part) const {
    return std::span(terms_.data() + term_begin_[part], term_begin_[part + 1] - term_begin_[part]);
  }
  const StateMap& map(Index m) const { return maps_[m]; }

  /// Whether any part has forbidden states.
  bool has_forbidden_states() const { return !forbidden_of_.empty(); }
  /// The forbidden states of a part, in increasing order; never all of them.
  std::span<const Index> forbidden_states(Index part) const {
    const Index list = forbidden_list(part);
    return list < 0 ? std::span<const Index>() : forbidden_lists_[list];
  }
  /// The number of the part's list of forbidden states, −1 when it has none; equal lists have one
  /// number.
  Index forbidden_list(Index part) const {
    return forbidden_of_.empty() ? -1 : forbidden_of_[part];
  }

  /// One entry per global factor of the graph.
  std::span<const GlobalPart> globals() const { return globals_; }

  std::span<const Slot> slots() const { return slots_; }
  std::span<const ScalarBlock> scalar_blocks() const { return scalar_blocks_; }
  /// Length of q and u. Slots come first.
  Index num_coordinates() const { return num_coordinates_; }

  /// How many input vectors, and how many potentials, an example must have.
  Index num_inputs() const { return num_inputs_; }
  Index num_potentials() const { return num_potentials_; }

  /// True when no weight block is used with two different inputs: the norm of a feature vector is
  /// then a sum over coordinates, and no inner products of inputs are needed.
  bool slots_are_orthogonal() const { return slots_are_orthogonal_; }

 private:
  friend class StructureBuilder;
  friend std::shared_ptr<const Structure> WithLayout(const Structure&,
                                                     std::shared_ptr<const WeightLayout>);
  Structure() = default;

  std::shared_ptr<const FactorGraph> graph_;
  std::shared_ptr<const WeightLayout> layout_;
  std::vector<Offset> term_begin_;
  std::vector<FeatureTerm> terms_;
  std::vector<StateMap> maps_;
  std::vector<std::vector<Index>> forbidden_lists_;
  // Per part the number of its list, or −1; empty when no part has a list.
  std::vector<Index> forbidden_of_;
  std::vector<GlobalPart> globals_;
  std::vector<Slot> slots_;
  std::vector<ScalarBlock> scalar_blocks_;
  Index num_coordinates_ = 0;
  Index num_inputs_ = 0;
  Index num_potentials_ = 0;
  bool slots_are_orthogonal_ = true;
};

/// Makes a Structure. All methods throw std::invalid_argument on arguments out of range.
class StructureBuilder {
 public:
  StructureBuilder(std::shared_ptr<const FactorGraph> graph,
                   std::shared_ptr<const WeightLayout> layout);

  /// Registers a map and returns its number; an equal map that is already there is reused.
  Index AddStateMap(StateMap map);

  /// φ += x_input in row `map[s] + base` of `block`. At most one linear term per part.
  void AddLinear(Index part, Index block, Index input, Index map, Index base = 0);
  /// φ += potentials[first_potential + s] at weight `map[s] + base` of `block` (one column).
  void AddPotential(Index part, Index block, Index first_potential, Index map, Index base = 0);
  /// φ += values[s] at weight `map[s] + base` of `block` (one column).
  void AddConstant(Index part, Index block, Index map, Index base = 0);

  /// Forbids the states with forbidden[s] = true, one flag per state of the part, in addition to
  /// those of earlier calls. Every part must keep a state.
  void ForbidStates(Index part, const std::vector<bool>& forbidden);

  /// Sets the object of global factor g of the graph. The factor's weight k is row k + base of
  /// `block`, which must have one column; `block` is ignored when the factor has no weights.
  void SetGlobalFactor(Index g, std::shared_ptr<const GlobalFactor> factor, Index block,
                       Index base = 0);

  /// The finished structure. All global factors must be set. A block must be used either with
  /// linear or with scalar features, not with both.
  std::shared_ptr<const Structure> Build() const;

 private:
  struct PartTerm {
    Index part;
    Index input;  // linear terms
    FeatureTerm term;
  };
  void Add(Index part, Index input, FeatureTerm term);

  std::shared_ptr<const FactorGraph> graph_;
  std::shared_ptr<const WeightLayout> layout_;
  std::vector<StateMap> maps_;
  std::map<std::pair<std::vector<Index>, std::vector<double>>, Index> map_number_;
  std::vector<PartTerm> terms_;
  std::vector<std::vector<Index>> forbidden_lists_;
  std::map<std::vector<Index>, Index> forbidden_number_;
  std::vector<Index> forbidden_of_;
  std::vector<GlobalPart> globals_;
};

/// The first part (variables before factors) whose state in this labelling is forbidden, or −1.
/// Parts with an unlabelled variable are passed over; global factors are ignored. Requires
/// one label per variable, in its range or kUnlabelled.
Index FirstForbiddenPart(const Structure& structure, std::span<const Index> labels);

/// The same structure over another layout, for inputs of another length. The layout's blocks must
/// have the same numbers of rows, and blocks that are used with scalar features one column (else
/// std::invalid_argument).
std::shared_ptr<const Structure> WithLayout(const Structure& structure,
                                            std::shared_ptr<const WeightLayout> layout);

}  // namespace slackline::internal
