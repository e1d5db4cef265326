#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: report_in_browser.sh PROGRAM
# Opens a page of `slackline report` in headless Chromium: it must draw, react to clicks and to the mouse, and say nothing on the
# console. Exit code 77 (skipped) where there is no Chromium.
set -euo pipefail
program=$1

browser=
for name in chromium chromium-browser google-chrome chrome; do
  if command -v "$name" > /dev/null; then browser=$name && break; fi
done
if [ -z "$browser" ]; then
  echo "skipped: there is no chromium"
  exit 77
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" bench --problems toy,toy@20.1,toy@30.1,toy@40.1 --learners auto,bcfw-away,soft:rho=0.1,soft:rho=1,soft:rho=10 --runs 2 \
  --time-limit 2 --quiet --out "$folder/runs.json" > /dev/null
# Texts that would be elements of the page if they were not escaped.
sed -i 's|"synthetic, 60 examples|"</script><img src=x onerror=alert(1)> synthetic, 60 examples|' "$folder/runs.json"
"$program" report "$folder/runs.json" --out "$folder/page.html" --title 'a <i>title</i>'
"$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" --enable-logging=stderr \
  --virtual-time-budget=5000 --window-size=1200,900 --dump-dom "file://$folder/page.html#selftest" \
  > "$folder/dom.html" 2> "$folder/err.txt"

fail() {
  echo "$1"
  grep -o '<pre id="selftest">.*' "$folder/dom.html" || tail -n 20 "$folder/err.txt"
  exit 1
}
result=$(grep -o '<pre id="selftest">.*</pre>' "$folder/dom.html") || fail "the page did not get to its self-test"
wanted() { grep -qE "$1" <<< "$result" || fail "wanted in the self-test: $1"; }
wanted '"errors":\[\]'
# Against ρ, against the number of examples, and the curves of the whole problem; those of samples wait in folded sections.
wanted '"charts":3,'
wanted '"changed":\{"log":true,"learner":true,"box":true,"ordinate":true\}'
wanted '"tooltip":\["[a-z]'
wanted '"png":[0-9]{4}'
wanted '"points":[0-9]{2}'
# 1 header and 5 learners with 2 runs in the table of final figures, among other rows.
[ "$(grep -o '<tr>' "$folder/dom.html" | wc -l)" -ge 17 ] || fail "rows of tables are missing"
grep -q '<option value="primal_suboptimality">' "$folder/dom.html" || fail "choices of figures are missing"
[ "$(grep -o '<details><summary>toy@' "$folder/dom.html" | wc -l)" -eq 3 ] || fail "sections of samples are missing"
if grep -qE '<img|<i>title' "$folder/dom.html"; then fail "a text of the data has become an element"; fi
if grep -q 'CONSOLE' "$folder/err.txt"; then fail "messages on the console: $(grep CONSOLE "$folder/err.txt")"; fi
echo "drawn by $("$browser" --version 2> /dev/null || echo "$browser"); $result" | head -c 400
