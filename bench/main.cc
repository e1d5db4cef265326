// SPDX-License-Identifier: BSD-3-Clause
//
// slackline-bench: work, seconds and memory of learners on training problems. Exit codes are those
// of slackline (apps/cli/main.cc).
#include <slackline/apps/cli/cmd_main.h>

#include "bench/bench_command.h"

int main(int argc, char** argv) {
  namespace internal = slackline::internal;
  return internal::program::RunMain(
      argc, argv,
      {"slackline-bench",
       "Compares learners on training problems: work, seconds and memory to certified gaps.\n"
       "The table goes to the standard output. Ctrl-C ends early and keeps the results so far.",
       internal::bench::AddComparison});
}
