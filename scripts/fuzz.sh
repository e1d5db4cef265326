#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: fuzz.sh BUILD_FOLDER OUT SECONDS JOBS
# Runs each target of tests/fuzz for SECONDS, JOBS at a time, and prints a table. Fails when an input
# fails.
set -euo pipefail
FUZZ=$1
out=$2
seconds=$3
replay=$FUZZ/tests/fuzz/slackline_fuzz_replay

# fuzz_target NAME LENGTH: runs one target. New inputs are kept in $FUZZ/corpus/NAME, failing inputs
# go to $out/NAME-….
fuzz_target() {
  local name=$1 length=$2 sources=tests/fuzz folder folders=() options=()
  mkdir -p "$FUZZ/corpus/$name" "$FUZZ/seeds/$name"
  rm -f "$out/$name"-*
  "$replay" --seeds "$FUZZ/seeds/$name" "$name"
  for folder in "$FUZZ/corpus/$name" "$FUZZ/seeds/$name" "$sources/seeds/$name" "$sources/failures/$name"; do
    [ ! -d "$folder" ] || folders+=("$folder")
  done
  [ ! -f "$sources/dictionaries/$name.dict" ] || options=(-dict="$sources/dictionaries/$name.dict")
  "$FUZZ/tests/fuzz/slackline_fuzz" --target="$name" -max_total_time="$seconds" -max_len="$length" -timeout=10 \
    -rss_limit_mb=1024 -entropic=0 -print_final_stats=1 -artifact_prefix="$out/$name-" "${options[@]}" "${folders[@]}" \
    > "$out/$name.log" 2>&1 || echo "$name failed: see $out/$name.log"
}

# fuzz_figures NAME: a line for the table: name, executions, executions a second, inputs of the
# corpus, failing inputs.
fuzz_figures() {
  local name=$1 log=$out/$1.log
  echo "$name" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
    "$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")" \
    "$(find "$FUZZ/corpus/$name" -type f | wc -l)" "$(find "$out" -name "$name-*" | wc -l)"
}

# print_fuzz_table: fails when there are failing inputs, or a target that did not run.
print_fuzz_table() {
  awk -v out="$out" '
    BEGIN { printf "\n%-18s %12s %10s %8s %9s\n", "target", "executions", "a second", "corpus", "failures" }
    NF < 5 { print $1 ": did not run"; failures++; next }
    { printf "%-18s %12d %10d %8d %9d\n", $1, $2, $3, $4, $5; sum += $2; failures += $5 }
    END {
      printf "%-18s %12d\n", "all", sum
      if (failures > 0) print "failing inputs are in " out "/; what failed stands at the end of " out "/TARGET.log"
      exit failures > 0
    }'
}

mkdir -p "$out"
export FUZZ out seconds replay
export -f fuzz_target
printf '\n== Fuzzing: %s targets, %s s each, %s at a time\n' "$("$replay" --list | wc -l)" "$seconds" "$4"
"$replay" --list | xargs -P "$4" -L 1 bash -c 'fuzz_target "$@"' fuzz
"$replay" --list | while read -r target _; do fuzz_figures "$target"; done | print_fuzz_table
