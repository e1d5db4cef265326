#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: file_length.sh SOURCE_DIR
# No source file is longer than 600 lines, no example longer than 50.
set -euo pipefail
cd "$1"
. tests/house/sources.sh

failures=0
count=0
while IFS= read -r file; do
  count=$((count + 1))
  limit=600
  case $file in apps/examples/*.cc) limit=50 ;; esac
  lines=$(wc -l < "$file")
  if [ "$lines" -gt "$limit" ]; then
    echo "$file: $lines lines; at most $limit are allowed"
    failures=$((failures + 1))
  fi
done < <(source_files)
echo "$count files"
[ "$count" -gt 0 ] && [ "$failures" -eq 0 ]
