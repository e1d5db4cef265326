// SPDX-License-Identifier: BSD-3-Clause
//
// SLACKLINE_EXPORT marks the symbols that a shared library exports; all others are hidden.
#pragma once

#if defined(__GNUC__)
#define SLACKLINE_EXPORT __attribute__((visibility("default")))
#else
#define SLACKLINE_EXPORT
#endif
