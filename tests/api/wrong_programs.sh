#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: wrong_programs.sh CXX INCLUDE_DIR FOLDER
# The compiler must refuse every program of the folder with the message in its second line, and
# accept the program of the first lesson.
set -euo pipefail
compiler=$1
include=$2
folder=$3

# The public headers are compiled once.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo '#include <slackline/slackline.h>' > "$work/all.h"
"$compiler" -std=c++20 -I "$include" -x c++-header "$work/all.h" -o "$work/all.h.gch"

compile() { "$compiler" -std=c++20 -fsyntax-only -I "$include" -include "$work/all.h" "$1" 2>&1; }

if ! output=$(compile "$folder/../../../apps/examples/01_first_model.cc"); then
  printf 'a right program was refused:\n%s\n' "$output"
  exit 1
fi
failures=0
count=0
for program in "$folder"/*.cc; do
  count=$((count + 1))
  sentence=$(sed -n '2s#^// ##p' "$program")
  if output=$(compile "$program"); then
    echo "$program was compiled"
    failures=$((failures + 1))
  elif ! grep -qF -- "$sentence" <<< "$output"; then
    printf '%s: "%s" is not in\n%s\n' "$program" "$sentence" "$output"
    failures=$((failures + 1))
  fi
done
echo "$count wrong programs"
[ "$count" -gt 0 ] && [ "$failures" -eq 0 ]
