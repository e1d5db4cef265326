// SPDX-License-Identifier: BSD-3-Clause
//
// The command slackline segment when memory runs out: in VLFeat, libpng, or anywhere else.
#include <doctest/doctest.h>

#include <tests/apps/drawn_images.h>

using namespace slackline::internal::test;

#ifndef SLACKLINE_SANITIZED  // sanitizers need an address space of terabytes
TEST_CASE("too little memory ends preparing and predicting with a message") {
  const Drawn& drawn = Shared();
  const Scratch scratch("memory");
  for (const Arguments& arguments :
       {drawn.Predict({drawn.Image(1), drawn.Image(2)}, "memory/out", {"--overlay", "--scores"}),
        drawn.Prepare("memory/new.fea", {}), drawn.Evaluate()}) {
    const Outcome outcome = RunInLeastMemory(arguments, 100);
    CHECK_MESSAGE(outcome.code == 0, arguments[1] << ": " << outcome.err);
  }
}
#endif
