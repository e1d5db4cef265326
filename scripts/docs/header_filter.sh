#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: header_filter.sh HEADER
# Prints a public header as Doxygen reads it: names without their namespace, no private members, and
# no members for internal use. Code in comments gets the empty line before it that Markdown
# requires.
set -euo pipefail
awk '
  /^(inline )?namespace [a-z0-9]+ \{/ || /^\}  \/\/ namespace/ { print ""; next }
  # From "private:" to the end of the class, which is indented one column less.
  /^ *private:/ { match($0, /^ */); end = substr($0, 1, RLENGTH - 1) "};"; print ""; next }
  end != "" && $0 != end { print ""; next }
  { end = "" }
  /^ *\/\/\/ Used by the library itself\./ { hidden = 1; print ""; next }
  hidden && !/^ *$/ && !/^ private:/ && !/^};/ { print ""; next }
  /^ *\/\/\/     / && !code { print "///" }
  { hidden = 0; code = $0 ~ /^ *\/\/\/     /; print }' "$1"
