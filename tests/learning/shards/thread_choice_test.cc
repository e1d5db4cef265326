// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/thread_choice.h>

#include <doctest/doctest.h>

using namespace slackline::internal;

namespace {

/// The elapsed seconds of parts that take cpu seconds on one thread, and `together` on several.
double Elapsed(ThreadChoice* choice, int parts, double together, double cpu) {
  double sum = 0;
  for (int part = 0; part < parts; ++part) {
    const double elapsed = choice->threads() > 1 ? together : cpu;
    choice->Add(elapsed, cpu);
    sum += elapsed;
  }
  return sum;
}

}  // namespace

TEST_CASE("threads that save time are kept") {
  ThreadChoice choice(2);
  CHECK(choice.threads() == 2);
  CHECK(Elapsed(&choice, 10'000, 0.6e-3, 1e-3) == doctest::Approx(6));
  CHECK(choice.threads() == 2);
}

TEST_CASE("threads that lose little are kept") {
  ThreadChoice choice(2);
  CHECK(Elapsed(&choice, 10'000, 1.02e-3, 1e-3) == doctest::Approx(10.2));
  CHECK(choice.threads() == 2);
}

TEST_CASE("threads that wait long cost a twentieth of the time, and some milliseconds") {
  for (const double wait : {1e-3, 4e-3, 20e-3}) {
    ThreadChoice choice(4);
    const double one_thread = 10'000 * 0.2e-3;
    const double elapsed = Elapsed(&choice, 10'000, wait, 0.2e-3);
    CHECK(elapsed > one_thread);
    CHECK(elapsed < 1.06 * one_thread + 0.01 + wait);
  }
}

TEST_CASE("threads that save time again are used again") {
  ThreadChoice choice(2);
  Elapsed(&choice, 1000, 5e-3, 1e-3);
  const double elapsed = Elapsed(&choice, 10'000, 0.5e-3, 1e-3);
  CHECK(choice.threads() == 2);
  CHECK(elapsed < 5.2);
  SUBCASE("and rest at once when they lose again") {
    choice.Add(20e-3, 1e-3);
    CHECK(choice.threads() == 1);
  }
}

TEST_CASE("one thread stays one") {
  ThreadChoice choice(1);
  CHECK(Elapsed(&choice, 1000, 5.0, 1.0) == doctest::Approx(1000));
  CHECK(choice.threads() == 1);
}
