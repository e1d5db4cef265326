// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands that convert data share. Part of the program only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/training/cmd_scale_flag.h>
#include <slackline/apps/converted/converted_values.h>
#include <slackline/apps/converted/converted_writer.h>

namespace slackline::internal::program {

/// Where converted data go, and how.
struct ConversionFlags {
  std::string out;
  std::string parts;
  std::string window = "auto";
  std::string model;  ///< --for; empty: for training
  ScaleFlag scale;
  bool quiet = false;

  /// for_text: what --for gives the data; empty: without --for.
  void Register(Command* app, const std::string& for_text);
  /// Does all checks that need no data. Throws DataError.
  ConvertedTarget Target(const std::vector<std::string>& inputs) const;
  WindowChoice Windows() const;

  /// Calls convert(progress), and then summarise() unless quiet. Returns the exit code, which is
  /// that of the signal when one interrupts the conversion.
  int Run(const std::function<void(const ConversionProgress&)>& convert,
          const std::function<void()>& summarise) const;
};

/// What a conversion wrote.
struct ConversionCounts {
  std::string text;  ///< what the data have: "300 examples, …"
  std::uint64_t bytes = 0;
  Index files = 1;
};
/// Prints to the standard error what was written, and how its features were scaled.
void SummariseConversion(const ConversionFlags& flags, const ConversionCounts& counts,
                         const ConvertedValues& values);

}  // namespace slackline::internal::program
