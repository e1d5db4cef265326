// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/program_version.h>

#include <slackline/version.h>

namespace slackline::internal {

std::string ProgramVersion() { return "slackline " SLACKLINE_VERSION_STRING; }

}  // namespace slackline::internal
