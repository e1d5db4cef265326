// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of columns in option values, such as --label-columns 'sky,tag_*,-3:'.
#pragma once

#include <string>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// The columns that a list denotes, in ascending order without duplicates. Commas separate its
/// items (an item with a comma stands in double quotes). An item is the first of these that
/// applies:
///   - the name of a column;
///   - a pattern with `*` for any characters, which must match at least one name;
///   - a position: 3 counts from the left, from 1; -2 from the right, -1 is the last column;
///   - a range of positions, both ends included: 2:5, -3: (the last three), :4 (the first four).
/// Throws DataError, which begins with the option's name, if an item denotes no column.
std::vector<Index> SelectColumns(const std::string& option, const std::string& list,
                                 const std::vector<std::string>& names);

}  // namespace slackline::internal
