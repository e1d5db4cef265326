// SPDX-License-Identifier: BSD-3-Clause
//
// How every command is added to the command line. Part of the program only.
#pragma once

#include <memory>

#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {

struct CommandText {
  const char* name;
  const char* description;
  const char* examples;  ///< shown below the options
};

template <class Flags>
struct AddedCommand {
  Command* app;
  Flags* flags;  ///< lives as long as `app`
};

/// Adds a command to `parent`. The caller registers options for the command's flags. Parsing fills
/// the flags and sets *action to call `run` with them.
template <class Flags>
AddedCommand<Flags> AddCommand(Command* parent, Action* action, const CommandText& text,
                               int (*run)(const Flags& flags)) {
  const auto flags = std::make_shared<Flags>();
  Command* app = parent->AddCommand(text.name, text.description);
  app->SetFooter(text.examples);
  app->OnParsed([flags, action, run] { *action = [flags, run] { return run(*flags); }; });
  return {app, flags.get()};
}

/// Why a task lacks commands that others have.
inline constexpr const char* kNoConversion =
    "files larger than the memory are for multi-label data, sequences and images; these data are "
    "read whole";
inline constexpr const char* kNoOnlineTraining =
    "the program trains on examples that are not kept for multi-label data only; in C++, "
    "<slackline/online.h> does so for any model";

}  // namespace slackline::internal::program
