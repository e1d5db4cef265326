// SPDX-License-Identifier: BSD-3-Clause
//
// Structures made from others: with fewer variables, or with factors joined.
#pragma once

#include <memory>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/structure.h>

namespace slackline::internal {

/// What remains of a structure without some variables and without all factors that contain one of
/// these variables.
struct RestrictedStructure {
  std::shared_ptr<const Structure> structure;
  std::vector<Index> variables;  ///< per remaining variable: its number in the original
  std::vector<Index> factors;    ///< per remaining factor: its number in the original
  std::vector<Index> globals;    ///< per remaining global factor: its number in the original
};

/// Keeps the variables with keep[i] true, and the forbidden states of all parts that remain. Inputs
/// and potentials keep their numbers.
RestrictedStructure Restrict(const Structure& structure, const std::vector<bool>& keep);

/// A structure without the states that it forbids.
struct ReducedStructure {
  std::shared_ptr<const Structure> structure;
  std::vector<std::vector<Index>> states;  ///< per variable: the states that remain, increasing
  std::vector<Index> potentials;           ///< per potential: its number in the original
};

/// Leaves out forbidden states of variables, joint states that contain one, and states of variables
/// whose joint states in one factor are all forbidden, until no such state is left. Other forbidden
/// joint states stay forbidden. Requires a labelling without forbidden states, and no global
/// factors where states are forbidden.
ReducedStructure LeaveOutForbidden(const std::shared_ptr<const Structure>& structure);

/// Whether LeaveOutForbidden would leave forbidden states; for a data set: in some example's
/// structure.
bool ForbidsJointStates(const Structure& structure);
bool ForbidsJointStates(const Dataset& data);

/// The same structure with one factor in place of the factors with the same variables, in any
/// order. The local polytope, and so an LP relaxation, then does not depend on how many factors a
/// table was written in. Factors with an input each, and potentials of another order, stay apart.
/// Returns the object itself where nothing can be joined, or where factors together forbid all
/// their states.
std::shared_ptr<const Structure> JoinFactors(std::shared_ptr<const Structure> structure);

/// The same structure with a tighter LP relaxation: one factor over three or four variables
/// replaces the pairs along and across a cycle of these variables. Each pair joins one factor at
/// most. Cycles are found in the order of the pairs: the cycle with the most remaining pairs, if
/// its factor has at most max_states joint states. Pairs with potentials or an input stay as they
/// are. Returns the object itself where nothing can be joined.
std::shared_ptr<const Structure> JoinShortCycles(std::shared_ptr<const Structure> structure,
                                                 Index max_states);

}  // namespace slackline::internal
