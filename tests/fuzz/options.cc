// SPDX-License-Identifier: BSD-3-Clause
//
// Values of options.
#include <slackline/learning/options.h>

#include <stdexcept>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/split.h>
#include <slackline/learning/run/lambda_path.h>

#include "tests/fuzz/target.h"

namespace slackline::internal::fuzz {
namespace {

/// Calls `read` and ignores DataError, so that further readers are tried.
template <class Read>
void TryToRead(const Read& read) {
  try {
    read();
  } catch (const DataError&) {
  }
}

/// Sets every option to this value. An accepted value is written as text that must be read back as
/// the same value.
void SetEveryOption(std::string_view value) {
  for (const OptionRecord& record : OptionRecords()) {
    TryToRead([&] {
      TrainOptions options;
      SetOption(record, value, &options);
      const std::string text = OptionText(record, options);
      TrainOptions again;
      SetOption(record, text, &again);
      if (OptionText(record, again) != text) throw std::logic_error("an option changes: " + text);
      CheckOptions(options);
    });
  }
}

/// Sets options together, given as "name=value" separated by blanks.
void SetOptionsTogether(std::string_view text) {
  TrainOptions options;
  std::vector<std::string_view> pieces;
  SplitAtBlanks(text, &pieces);
  for (const std::string_view piece : pieces) {
    const std::size_t middle = piece.find('=');
    if (middle == std::string_view::npos) throw DataError("no value");
    for (const OptionRecord& record : OptionRecords()) {
      if (record.name == piece.substr(0, middle))
        SetOption(record, piece.substr(middle + 1), &options);
    }
  }
  CheckOptions(options);
}

void ReadValues(std::string_view value) {
  const std::string text(value);
  TryToRead([&] { SetEveryOption(value); });
  TryToRead([&] { ReadCount("count", value, 1); });
  TryToRead([&] { ReadReal("real", value, true); });
  TryToRead([&] { ReadLossScale(value); });
  TryToRead([&] { CheckChoice("choice", value, {"one", "two"}); });
  TryToRead([&] {
    program::ThreadFlag flag;
    flag.threads = text;
    flag.Read();
  });
}

void ReadFolds(std::string_view text) {
  SequenceData data;
  data.folds = {0, 1, 2, 3, 9, 1'000'000};
  data.lines.assign(data.folds.size(), 1);
  SelectFolds(text, data);
}

void ReadPath(std::string_view text) {
  for (const double lambda : ParseLambdaPath(text)) {
    if (!(lambda > 0)) throw std::logic_error("a lambda that is not positive");
  }
}

/// Accepted numbers are written as text that must be read back as the same number.
void ReadNumbers(std::string_view text) {
  double value = 0;
  Index index = 0;
  ParseIndex(text, &index);
  if (!ParseNumber(text, &value)) return;
  double again = 0;
  if (!ParseNumber(NumberText(value), &again))
    throw std::logic_error("a number is written as none");
  if (ParseNumber(NumberText(value, 17), &again) && again != value)
    throw std::logic_error("a number changes: " + NumberText(value, 17));
}

const FuzzTarget kValues({"option_values", ReadValues, {}, 64});
const FuzzTarget kTogether({"options", SetOptionsTogether, {}, 512});
const FuzzTarget kFolds({"folds", ReadFolds, {}, 256});
const FuzzTarget kPath({"lambda_path", ReadPath, {}, 256});
const FuzzTarget kNumbers({"numbers", ReadNumbers, {}, 64});

}  // namespace
}  // namespace slackline::internal::fuzz
