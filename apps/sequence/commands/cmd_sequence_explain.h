// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence predict --explain. Part of the program only.
#pragma once

#include <string>

#include <slackline/apps/cli/cmd_explain_flags.h>
#include <slackline/apps/sequence/commands/cmd_sequence_common.h>

namespace slackline::internal::program {

/// What to explain and where to write it.
struct SequenceExplainTask {
  SequenceDataFlags data;
  std::string model, out;
  Index threads = 1;
  bool quiet = false;
  ExplainFlags flags;
};

/// Returns the exit code. Throws DataError.
int ExplainSequences(const SequenceExplainTask& task);

}  // namespace slackline::internal::program
