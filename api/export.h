// SPDX-License-Identifier: BSD-3-Clause
//
// SLACKLINE_EXPORT marks what a shared library shows; everything else is hidden in it.
#pragma once

#if defined(__GNUC__)
#define SLACKLINE_EXPORT __attribute__((visibility("default")))
#else
#define SLACKLINE_EXPORT
#endif
