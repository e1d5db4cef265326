// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of columns in options, such as --label-columns 'sky,tag_*,-3:'.
#pragma once

#include <string>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// The columns that a list means, increasing, without duplicates. Its items are separated by commas
/// (an item with a comma stands in double quotes); each is the first of these that applies:
///   - the name of a column;
///   - a pattern with `*` for any characters, which must fit at least one name;
///   - a position: 3 counts from the left, from 1; -2 from the right, -1 is the last column;
///   - a range of positions, both ends included: 2:5, -3: (the last three), :4 (the first four).
/// Throws DataError that begins with the option's name when an item means no column.
std::vector<Index> SelectColumns(const std::string& option, const std::string& list,
                                 const std::vector<std::string>& names);

}  // namespace slackline::internal
