#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: spdx.sh SOURCE_DIR
# Every source file names its licence once, in one of its first two lines.
set -euo pipefail
cd "$1"
. tests/house/sources.sh

line='SPDX-License-''Identifier: BSD-3-Clause'
failures=0
count=0
while IFS= read -r file; do
  count=$((count + 1))
  found=$(grep -cE "^(//|#) $line\$" "$file" || true)
  if [ "$found" -ne 1 ] || ! head -n 2 "$file" | grep -q "$line"; then
    echo "$file: wanted one line '$line', the first (after #!), found $found"
    failures=$((failures + 1))
  fi
done < <(source_files)
echo "$count files"
[ "$count" -gt 0 ] && [ "$failures" -eq 0 ]
