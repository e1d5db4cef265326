// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/thread_choice.h>

#include <doctest/doctest.h>

using namespace slackline::internal;

namespace {

/// Adds parts until the number of threads changes; returns their number, at most `most`.
int PartsUntilChange(ThreadChoice* choice, double elapsed, double cpu, int most) {
  const int threads = choice->threads();
  for (int part = 1; part <= most; ++part) {
    choice->Add(elapsed, cpu);
    if (choice->threads() != threads) return part;
  }
  return most;
}

}  // namespace

TEST_CASE("threads that save time are kept") {
  ThreadChoice choice(2);
  CHECK(choice.threads() == 2);
  CHECK(PartsUntilChange(&choice, 0.6, 1.0, 10'000) == 10'000);
  CHECK(choice.threads() == 2);
}

TEST_CASE("threads that save nothing rest, each time twice as long") {
  ThreadChoice choice(4);
  const int window = PartsUntilChange(&choice, 3.0, 1.0, 1000);
  CHECK(choice.threads() == 1);
  for (const int windows : {1, 2, 4, 8}) {
    CHECK(PartsUntilChange(&choice, 1.0, 1.0, 10'000) == windows * window);
    CHECK(choice.threads() == 4);
    CHECK(PartsUntilChange(&choice, 3.0, 1.0, 10'000) == window);
    CHECK(choice.threads() == 1);
  }
}

TEST_CASE("threads that save time again rest shortly the next time") {
  ThreadChoice choice(2);
  const int window = PartsUntilChange(&choice, 2.0, 1.0, 1000);
  PartsUntilChange(&choice, 1.0, 1.0, 1000);
  PartsUntilChange(&choice, 2.0, 1.0, 1000);
  PartsUntilChange(&choice, 1.0, 1.0, 1000);
  CHECK(choice.threads() == 2);
  for (int part = 0; part < window; ++part) choice.Add(0.5, 1.0);
  CHECK(PartsUntilChange(&choice, 2.0, 1.0, 1000) == window);
  CHECK(PartsUntilChange(&choice, 1.0, 1.0, 1000) == window);
}

TEST_CASE("one thread stays one") {
  ThreadChoice choice(1);
  CHECK(PartsUntilChange(&choice, 5.0, 1.0, 1000) == 1000);
  CHECK(choice.threads() == 1);
}
