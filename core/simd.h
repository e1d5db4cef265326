// SPDX-License-Identifier: BSD-3-Clause
//
// One build, several instruction sets: a function marked SLACKLINE_MULTIVERSION is compiled for the
// baseline and for AVX2 with fused multiply-add, and the loader picks the one that the processor
// has. Elsewhere the macro is empty.
//
// Results may differ in the last bits between machines of different kind (fused multiply-add rounds
// once), never between runs on one machine.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(SLACKLINE_NO_MULTIVERSION)
#define SLACKLINE_MULTIVERSION __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define SLACKLINE_MULTIVERSION
#endif

// Before a loop whose iterations are independent of each other, which lets compilers vectorise it
// without checks.
#if defined(__clang__)
#define SLACKLINE_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define SLACKLINE_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define SLACKLINE_INDEPENDENT_ITERATIONS
#endif

namespace slackline::internal {

/// Vector types of the compilers, since neither GCC nor Clang turns inner loops over a row count
/// such as 14 into wide instructions. Unaligned; the baseline build splits Four into two halves.
using Four __attribute__((vector_size(32), aligned(8), may_alias)) = double;
using Two __attribute__((vector_size(16), aligned(8), may_alias)) = double;

/// The larger number, in a form that compilers turn into one instruction.
inline double Larger(double a, double b) { return a > b ? a : b; }

}  // namespace slackline::internal
