#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: header_filter.sh HEADER  What Doxygen reads of a public header: names without the inline
# namespace, and without members that are for the library itself.
set -euo pipefail
awk '
  /^inline namespace v1 \{/ || /^\}  \/\/ namespace v1/ { print ""; next }
  /^ *\/\/\/ Used by the library itself\./ { hidden = 1; print ""; next }
  hidden && !/^ *$/ && !/^ private:/ && !/^};/ { print ""; next }
  { hidden = 0; print }' "$1"
