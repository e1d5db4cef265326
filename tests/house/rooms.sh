#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: rooms.sh SOURCE_DIR
# Every folder of sources has a README.md that states its question and the folders that it may
# include. Every include follows these lists, and the lists for headers have no cycles.
set -euo pipefail
cd "$1"
failures=0
edges=""
count=0

# allowed FOLDER ENTRY: the folders behind "- ENTRY:" in the README.md of FOLDER, one per line.
allowed() {
  awk -v entry="- $2:" '
    /^- / || /^$/ { inside = 0 }
    index($0, entry) == 1 { inside = 1; sub(/^[^:]*:/, "") }
    inside { print }' "$1/README.md" | tr -d '.\n' | tr ',' '\n' | sed -E 's/^ +| +$//g' | grep . || true
}

# check FOLDER ALLOWED FILE...: fails for includes of folders other than the allowed ones.
check() {
  local folder=$1 allowed=$2 file other
  shift 2
  while read -r file other; do
    [ -n "$file" ] || continue
    count=$((count + 1))
    [ "$other" != "$folder" ] || continue
    if ! grep -qxF "$other" <<< "$allowed"; then
      echo "$file includes $other, which $folder/README.md does not allow"
      failures=$((failures + 1))
    fi
  done < <(grep -HoE '^[[:space:]]*#[[:space:]]*include <slackline/[^>]+/' "$@" |
             sed -E 's#:[[:space:]]*\#[[:space:]]*include <slackline/(.*)/$# \1#')
}

shopt -s nullglob
while IFS= read -r folder; do
  if [ ! -f "$folder/README.md" ]; then
    echo "$folder has no README.md that says what it is for"
    failures=$((failures + 1))
    continue
  fi
  headers=$(allowed "$folder" Includes)
  sources=$headers
  grep -q "^- Sources (.cc) also include: every room of $folder" "$folder/README.md" &&
    sources+=$'\n'$(find "$folder" -mindepth 1 -type d)
  for other in $headers; do
    if [ "$other" = none ]; then continue; fi
    if [ ! -d "$other" ]; then
      echo "$folder/README.md allows $other, which does not exist"
      failures=$((failures + 1))
    fi
    edges+="$folder $other"$'\n'
  done
  files=("$folder"/*.h)
  [ ${#files[@]} -eq 0 ] || check "$folder" "$headers" "${files[@]}"
  files=("$folder"/*.cc)
  [ ${#files[@]} -eq 0 ] || check "$folder" "$sources" "${files[@]}"
done < <(find core factors inference learning api apps vision -name '*.h' -o -name '*.cc' |
           grep -v '^apps/examples/' | xargs -n1 dirname | sort -u)

if ! cycles=$(tsort <<< "$edges" 2>&1 > /dev/null); then
  printf 'the folders that READMEs allow have a cycle:\n%s\n' "$cycles"
  failures=$((failures + 1))
fi
if [ "$count" -lt 1000 ]; then
  echo "found $count includes only: is $1 the source folder?"
  failures=$((failures + 1))
fi
echo "$count includes"
[ "$failures" -eq 0 ]
