// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/lambda_path.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>

#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/split.h>
#include <slackline/learning/options.h>

namespace slackline::internal {
namespace {

constexpr Index kMostValues = 1000;

double ParseLambda(std::string_view text) {
  double value = 0;
  if (!ParseNumber(text, &value) || value < kSmallestLambda) {
    throw DataError(
        Quoted(text) +
        " is not allowed as a value of lambda; it must be a number > 0, at least 1e-30");
  }
  return value;
}

double SixDigits(double value) {
  double rounded = value;
  ParseNumber(NumberText(value, 6), &rounded);
  return rounded;
}

std::vector<double> Geometric(const std::vector<std::string>& pieces) {
  const double from = ParseLambda(pieces[0]);
  const double to = ParseLambda(pieces[1]);
  Index count = 0;
  if (!ParseIndex(pieces[2], &count) || count < 2 || count > kMostValues) {
    throw DataError(Quoted(pieces[2]) +
                    " is not allowed as the number of values; it must be from 2 to " +
                    std::to_string(kMostValues));
  }
  std::vector<double> values = {from};
  for (Index k = 1; k + 1 < count; ++k) {
    values.push_back(
        SixDigits(std::exp(std::log(from) + (std::log(to) - std::log(from)) * k / (count - 1))));
  }
  values.push_back(to);
  return values;
}

}  // namespace

std::vector<double> ParseLambdaPath(std::string_view text) {
  const std::vector<std::string> ends = Split(text, ':');
  std::vector<double> values;
  if (ends.size() == 1) {
    for (const std::string& piece : Split(text, ',')) values.push_back(ParseLambda(piece));
  } else if (ends.size() == 3) {
    values = Geometric(ends);
  } else {
    throw DataError(Quoted(text) + " is not allowed; it must be L1,L2,... or FROM:TO:COUNT");
  }
  if (std::ssize(values) > kMostValues) {
    throw DataError("at most " + std::to_string(kMostValues) + " values are allowed");
  }
  std::sort(values.begin(), values.end(), std::greater<>());
  const auto twice = std::adjacent_find(values.begin(), values.end());
  if (twice != values.end()) throw DataError("the value " + LambdaText(*twice) + " occurs twice");
  return values;
}

std::string LambdaText(double lambda) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), lambda,
                                 std::chars_format::general)
                       .ptr;
  return {buffer.data(), end};
}

}  // namespace slackline::internal
