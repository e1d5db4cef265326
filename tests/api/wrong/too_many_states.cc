// SPDX-License-Identifier: BSD-3-Clause
// A table over variables with these numbers of states has another number of entries.
#include <slackline/slackline.h>

slackline::Factor MakeTable() { return slackline::FixedTable<2, 3>({0, 1, 1, 0}); }
