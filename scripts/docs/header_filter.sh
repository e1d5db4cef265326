#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: header_filter.sh HEADER
# What Doxygen reads of a public header: names without their namespace, and no members that are for
# the library itself.
set -euo pipefail
awk '
  /^(inline )?namespace [a-z0-9]+ \{/ || /^\}  \/\/ namespace/ { print ""; next }
  /^ *\/\/\/ Used by the library itself\./ { hidden = 1; print ""; next }
  hidden && !/^ *$/ && !/^ private:/ && !/^};/ { print ""; next }
  { hidden = 0; print }' "$1"
