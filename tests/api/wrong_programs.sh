#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: wrong_programs.sh CXX INCLUDE_DIR FOLDER Every program of the folder must be refused by the
# compiler, with the sentence of its second line; the lessons' first one must be taken.
set -euo pipefail
compiler=$1
include=$2
folder=$3

compile() { "$compiler" -std=c++20 -fsyntax-only -I "$include" "$1" 2>&1; }

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
