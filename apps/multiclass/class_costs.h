// SPDX-License-Identifier: BSD-3-Clause
//
// Files with the costs of errors: tables (CSV, TSV) with a row for every true class and a column
// for every predicted class.
//
//   true\predicted,cat,dog,wolf
//   cat,0,1,1
//   dog,1,0,0.2
//   wolf,5,3,0
#pragma once

#include <string>
#include <vector>

namespace slackline::internal {

/// The costs of [true class, predicted class] by rows, in the order of these classes. Rows and
/// columns of the file may have any order, and the text of its first cell does not matter. Throws
/// DataError with file, line and text unless every class has one row and one column, all costs are
/// numbers from 0 to 1e50, the costs on the diagonal are 0, and some cost is not.
std::vector<double> ReadClassCosts(const std::string& path,
                                   const std::vector<std::string>& class_names);

}  // namespace slackline::internal
