// SPDX-License-Identifier: BSD-3-Clause
//
// Visits allocate no memory: a global operator new counts allocations.
#include <atomic>
#include <cstdlib>
#include <new>

#include <doctest/doctest.h>

#include <slackline/learning/factor_blocks/factor_blocks.h>

#include "tests/support/multilabel_problems.h"
#include "tests/support/random_problems.h"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// Used by std::stable_sort. The version of the standard library need not call the operator above,
// and would not match the operators below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
// Not inlined: otherwise GCC warns about `free` beside a call of `operator new`.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

long AllocationsOfPasses(const Problem& problem, bool multipliers) {
  FactorBlocks blocks(problem, StepKind::kPairwise, multipliers);
  blocks.set_rho(0.5);
  const long before = allocations;
  for (int pass = 0; pass < 3; ++pass) {
    for (Index m = 0; m < problem.size(); ++m) {
      blocks.VisitExample(m, multipliers ? 1 : 0);
      for (Index a = 0; a < problem.data().example(m).graph().num_parts(); ++a)
        blocks.StepBlock(m, a);
      if (multipliers) blocks.UpdateMultipliers(m, 0.1);
    }
  }
  return allocations - before;
}

}  // namespace

TEST_CASE("the counter counts allocations") {
  const long before = allocations;
  ::operator delete(::operator new(16));  // a plain new expression may be optimised away
  CHECK(allocations > before);
}

TEST_CASE("block steps allocate nothing") {
  Random random(1);
  for (int trial = 0; trial < 10; ++trial) {
    const Problem problem(trial % 2 == 0 ? RandomMultiLabelProblem(random, 5, 6, 4, true)
                                         : RandomProblem(random, RandomOptions(random)),
                          0.1);
    CHECK(AllocationsOfPasses(problem, false) == 0);
    CHECK(AllocationsOfPasses(problem, true) == 0);
  }
}
