#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: check_output.sh PROGRAM EXPECTED [SCRIPT SLACKLINE]
# Runs the program and compares its output with the file, word by word. Numbers may differ by a
# relative 1e-3, because processors round differently. If a script is given, it first makes the
# model files that are the program's arguments.
set -euo pipefail

arguments=()
if [ $# -gt 2 ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  bash "$3" "$4" "$folder"
  arguments=("$folder"/*.slk)
fi
output=$("$1" "${arguments[@]}")
printf '%s\n' "$output"
awk -v tolerance=1e-3 '
  function is_number(word) { return word ~ /^-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$/ }
  function same(a, b, scale) {
    if (!is_number(a) || !is_number(b)) return a == b
    scale = a < 0 ? -a : +a
    return a - b <= tolerance * scale && b - a <= tolerance * scale
  }
  NR == FNR { expected[FNR] = $0; expected_lines = FNR; next }
  {
    lines = FNR
    count = split(expected[FNR], words)
    differs = count != NF
    for (k = 1; k <= NF && !differs; ++k) differs = !same(words[k], $k)
    if (differs) { printf "line %d: wanted \"%s\", got \"%s\"\n", FNR, expected[FNR], $0; failed = 1 }
  }
  END {
    if (lines != expected_lines) { printf "wanted %d lines, got %d\n", expected_lines, lines; failed = 1 }
    exit failed
  }' "$2" - <<< "$output"
