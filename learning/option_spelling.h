// SPDX-License-Identifier: BSD-3-Clause
//
// Messages name options as on the command line: "--order cyclic needs --learner bcfw". Programs
// that set options in another language show the same messages in its words.
#pragma once

#include <string>
#include <string_view>

namespace slackline::internal {

enum class OptionLanguage {
  kPython,  ///< order="cyclic" needs learner="bcfw"
  kCpp,     ///< learner_options {"order", "cyclic"} needs TrainOptions::learner = "bcfw"
};

/// The message with all options in the words of the language. A word behind an option's name is its
/// value if SetOption (options.h) accepts it.
std::string SpellOptions(std::string_view message, OptionLanguage language);

}  // namespace slackline::internal
