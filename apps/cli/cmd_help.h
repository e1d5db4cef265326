// SPDX-License-Identifier: BSD-3-Clause
//
// The help of the commands that train, which have some sixty options: --help shows those that
// people need first, --help-all every one, both in groups. Part of the program only.
#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace slackline::internal::program {

/// To be called when all options of `app` are registered. Options that this file does not know by
/// name, and that are not of training, count as data options that are needed first.
void GroupHelp(CLI::App* app);

}  // namespace slackline::internal::program
