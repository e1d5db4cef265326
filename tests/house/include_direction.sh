#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: include_direction.sh SOURCE_DIR
# Folders may only include folders below them (core ← factors ← inference ← learning ← api ← apps),
# and some libraries may be included by one file only.
set -euo pipefail
cd "$1"
failures=0

# search PATTERN FOLDER...: the lines of sources that match an extended regular expression, as
# file:line:text.
search() {
  grep -rnE --include='*.h' --include='*.cc' -e "$@" || true
}

# includes PATTERN FOLDER...: the lines that include a matching file.
includes() {
  local pattern=$1
  shift
  search "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($pattern)" "$@"
}

# forbid MESSAGE LINES [ALLOWED_FILE]: fails when there are such lines outside the allowed file.
forbid() {
  local lines=$2
  if [ $# -eq 3 ]; then lines=$(grep -v "^$3:" <<< "$lines" || true); fi
  if [ -n "$lines" ]; then
    printf '%s:\n%s\n' "$1" "$lines"
    failures=$((failures + 1))
  fi
}

folders=(core factors inference learning api apps)
for folder in "${folders[@]}"; do
  forbid "$folder must not include vision" "$(includes "(slackline/)?vision/" "$folder" | grep -vE '^apps/segmentation/(commands|images)/' || true)"
done
for other in factors inference learning apps tests bench; do
  forbid "vision must not include $other" "$(includes "(slackline/)?$other/" vision)"
done
above=("${folders[@]}")
for folder in "${folders[@]}"; do
  above=("${above[@]:1}")
  for other in "${above[@]}" tests bench; do
    forbid "$folder must not include $other" "$(includes "(slackline/)?$other/" "$folder")"
  done
done
forbid 'write <slackline/…>, as users do' \
  "$(search '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' core vision factors inference learning)"

# Public headers include only each other and the standard library.
public=$(find api -name '*.h' ! -name '*_impl.h')
names=$(for header in $public version.h; do basename "$header" .h; done | paste -sd '|')
# shellcheck disable=SC2086
forbid 'a public header may include public headers and the standard library only' \
  "$(grep -nE '^[[:space:]]*#[[:space:]]*include' $public |
       grep -vE "<slackline/($names)\.h>|<[a-z_]+>" || true)"
forbid 'what lies below api must not include public headers' \
  "$(includes "slackline/($names)\.h" core factors inference learning)"

everywhere=("${folders[@]}" tests bench)
forbid 'GLPK belongs to one file' "$(includes 'glpk\.h' "${everywhere[@]}")" inference/glpk_lp.cc
forbid 'MPI belongs to one file' "$(includes 'mpi\.h' "${everywhere[@]}")" core/mpi_ranks.cc
forbid 'Boost belongs to one file of the library' "$(includes 'boost/' "${folders[@]}" tests)" core/graph_topology.cc
forbid 'OpenMP belongs to one file' "$(includes 'omp\.h' "${everywhere[@]}")" core/parallel.cc
forbid 'OpenMP belongs to one file' \
  "$(search '#[[:space:]]*pragma[[:space:]]+omp' "${everywhere[@]}")" core/parallel.cc
forbid 'command line and JSON belong to apps' "$(includes 'CLI/|nlohmann/' core vision factors inference learning)"

if [ "$(includes 'slackline/core/' core | wc -l)" -lt 10 ]; then
  echo "found hardly any includes: is $1 the source folder?"
  failures=$((failures + 1))
fi
[ "$failures" -eq 0 ]
