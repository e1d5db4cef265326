// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sstream>
#include <string>

#include <slackline/core/check.h>
#include <slackline/learning/options.h>

namespace slackline::internal::test {

/// Sets options in the form of the command line, flags with "on" or "off": "--step away --tau 0.5
/// --fixed-step on".
inline void Set(TrainOptions* options, const std::string& text) {
  std::istringstream words(text);
  for (std::string name, value; words >> name;) {
    SLACKLINE_CHECK(name.starts_with("--") && words >> value, "a name and a value each");
    SetOption(OptionNamed(name.substr(2)), value, options);
  }
}

/// The options with these in place of theirs.
inline TrainOptions With(TrainOptions options, const std::string& text) {
  Set(&options, text);
  return options;
}

/// The options that a user gives.
inline TrainOptions Given(const std::string& text) { return With({}, text); }

}  // namespace slackline::internal::test
