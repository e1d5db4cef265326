// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/state_archive.h>

#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>

using namespace slackline::internal;

namespace {

/// Whether `read` accepts what `write` has written.
template <class Write, class Read>
bool Accepts(const Write& write, const Read& read) {
  StateWriter writer;
  write(&writer);
  StateReader reader(writer.bytes());
  try {
    read(&reader);
    reader.Finish();
    return true;
  } catch (const DataError&) {
    return false;
  }
}

bool AcceptsShares(const std::vector<double>& shares) {
  return Accepts([&](StateWriter* writer) { writer->Reals(shares); },
                 [&](StateReader* reader) {
                   std::vector<double> values(shares.size());
                   reader->Shares(values);
                   CHECK(values == shares);
                 });
}

template <class Read>
bool AcceptsReal(double value, const Read& read) {
  return Accepts([&](StateWriter* writer) { writer->Real(value); }, read);
}

}  // namespace

TEST_CASE("shares must be non-negative and sum to one") {
  CHECK(AcceptsShares({1}));
  CHECK(AcceptsShares({0.25, 0, 0.75}));
  CHECK(AcceptsShares({1 + 1e-9, -1e-12}));  // rounding of many steps
  CHECK_FALSE(AcceptsShares({}));
  CHECK_FALSE(AcceptsShares({0.5, 0.25}));
  CHECK_FALSE(AcceptsShares({1.5, -0.5}));
  CHECK_FALSE(AcceptsShares({std::nan(""), 1}));
  CHECK_FALSE(AcceptsShares({kInfinity, -kInfinity}));
  const std::vector<double> planes = {0.5, 9, 0.5, 9};
  StateReader::RequireShares(planes.data(), 2, 2);
  CHECK_THROWS_AS(StateReader::RequireShares(planes.data() + 1, 2, 2), DataError);
}

TEST_CASE("numbers whose squares would overflow are refused") {
  const auto list = [](double value) {
    return Accepts(
        [&](StateWriter* writer) {
          writer->Reals(std::vector<double>{0, value});
        },
        [](StateReader* reader) {
          std::vector<double> values(2);
          reader->FiniteReals(values);
        });
  };
  const auto any = [](double value) {
    return Accepts([&](StateWriter* writer) { writer->Reals(std::vector<double>{value}); },
                   [](StateReader* reader) { reader->FiniteReals(); });
  };
  for (const double good : {0.0, -1e100, 1e100}) {
    CHECK(list(good));
    CHECK(any(good));
  }
  for (const double bad : {1.1e100, -1e308, kInfinity, -kInfinity, std::nan("")}) {
    CHECK_FALSE(list(bad));
    CHECK_FALSE(any(bad));
  }
}

TEST_CASE("single numbers must lie in the requested ranges") {
  const auto finite = [](StateReader* reader) { reader->FiniteReal(); };
  const auto positive = [](StateReader* reader) { reader->PositiveReal(); };
  const auto from_zero = [](StateReader* reader) { reader->NonNegativeReal(); };
  CHECK(AcceptsReal(-1e200, finite));
  CHECK_FALSE(AcceptsReal(1.1e200, finite));
  CHECK_FALSE(AcceptsReal(std::nan(""), finite));
  CHECK(AcceptsReal(1e-200, positive));
  CHECK_FALSE(AcceptsReal(0, positive));
  CHECK_FALSE(AcceptsReal(1e-310, positive));  // its inverse is infinite
  CHECK_FALSE(AcceptsReal(kInfinity, positive));
  CHECK(AcceptsReal(0, from_zero));
  CHECK_FALSE(AcceptsReal(-1e-300, from_zero));
  CHECK_FALSE(AcceptsReal(std::nan(""), from_zero));
}

TEST_CASE("numbers of passes that would overflow when doubled are refused") {
  const auto passes = [](std::int64_t count) {
    return Accepts([&](StateWriter* writer) { writer->Integer(count); },
                   [&](StateReader* reader) {
                     StateReader::Require(reader->Passes() == count, "another one");
                   });
  };
  CHECK(passes(0));
  CHECK(passes(100'000'000));
  CHECK_FALSE(passes(-1));
  CHECK_FALSE(passes(std::numeric_limits<Index>::max()));
}
