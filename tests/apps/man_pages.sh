#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: man_pages.sh SLACKLINE SCRIPT
# Makes the man pages. Checks that every command has a page and, where groff is installed, that
# groff has no warnings.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bash "$2" "$1" "$folder" 1.2.3

for page in slackline slackline-multilabel slackline-multilabel-train slackline-sequence-predict slackline-report; do
  for text in '.SH NAME' '.SH SYNOPSIS' '.SH DESCRIPTION' 'slackline 1.2.3'; do
    grep -qF -- "$text" "$folder/$page.1" || { echo "$page.1 has no '$text'"; exit 1; }
  done
done
grep -qF -A 1 -- '.B \-\-label\-columns LIST' "$folder/slackline-multilabel-train.1" ||
  { echo "the page of training has no --label-columns"; exit 1; }
for page in "$folder"/*.1; do
  # Exactly one description.
  [ "$(grep -c '^.SH DESCRIPTION' "$page")" -eq 1 ] || { echo "$page has no one description"; exit 1; }
  if command -v groff > /dev/null; then
    warnings=$(groff -k -man -ww -z -Tutf8 "$page" 2>&1 || true)
    [ -z "$warnings" ] || { printf '%s:\n%s\n' "$page" "$warnings"; exit 1; }
  fi
done
echo "$(find "$folder" -name '*.1' | wc -l) pages"
