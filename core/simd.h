// SPDX-License-Identifier: BSD-3-Clause
//
// One build, several instruction sets: a function marked SLACKLINE_MULTIVERSION is compiled for the baseline and for
// AVX2 with fused multiply-add, and the loader picks the one that the processor has. Elsewhere the mark is empty.
//
// Results may differ in the last bits between machines of different kind (fused multiply-add rounds once), never
// between runs on one machine.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(SLACKLINE_NO_MULTIVERSION)
#define SLACKLINE_MULTIVERSION __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define SLACKLINE_MULTIVERSION
#endif
