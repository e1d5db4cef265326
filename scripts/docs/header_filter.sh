#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: header_filter.sh HEADER
# What Doxygen reads of a public header: names without their namespace, no private members, and none
# that are for the library itself. Code in comments gets the empty line before it that Markdown wants.
set -euo pipefail
awk '
  /^(inline )?namespace [a-z0-9]+ \{/ || /^\}  \/\/ namespace/ { print ""; next }
  # From "private:" to the end of the class, which stands one column to the left.
  /^ *private:/ { match($0, /^ */); end = substr($0, 1, RLENGTH - 1) "};"; print ""; next }
  end != "" && $0 != end { print ""; next }
  { end = "" }
  /^ *\/\/\/ Used by the library itself\./ { hidden = 1; print ""; next }
  hidden && !/^ *$/ && !/^ private:/ && !/^};/ { print ""; next }
  /^ *\/\/\/     / && !code { print "///" }
  { hidden = 0; code = $0 ~ /^ *\/\/\/     /; print }' "$1"
