#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: report_in_browser.sh PROGRAM
# Opens a page of `slackline report` in headless Chromium: the page must draw, react to clicks and
# to the mouse, and print nothing to the console. Exit code 77 (skipped) without Chromium.
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

# open PAGE [WIDTH]: loads a page with its self-test, and stores the text of the test in $result.
open() {
  "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" --enable-logging=stderr \
    --virtual-time-budget=5000 --window-size="${2:-1200},900" --dump-dom "file://$1#selftest" \
    > "$folder/dom.html" 2> "$folder/err.txt"
  result=$(grep -o '<pre id="selftest">.*</pre>' "$folder/dom.html") || fail "the page did not get to its self-test"
  if grep -q 'CONSOLE' "$folder/err.txt"; then fail "messages on the console: $(grep CONSOLE "$folder/err.txt")"; fi
}
fail() {
  echo "$1"
  grep -o '<pre id="selftest">.*' "$folder/dom.html" || tail -n 20 "$folder/err.txt"
  exit 1
}

open "$folder/page.html"
wanted() { grep -qE "$1" <<< "$result" || fail "wanted in the self-test: $1"; }
wanted '"errors":\[\]'
# Charts against ρ and against the number of examples, and the curves of the whole problem. Those of
# samples are in folded sections.
wanted '"charts":3,'
wanted '"changed":\{"log":true,"learner":true,"box":true,"medians":true,"ordinate":true\}'
wanted '"tooltip":\["[a-z]'
wanted '"png":[0-9]{4}'
wanted '"points":[0-9]{2}'
# 1 header and 5 learners with 2 runs in the table of final figures, among other rows.
[ "$(grep -o '<tr>' "$folder/dom.html" | wc -l)" -ge 17 ] || fail "rows of tables are missing"
grep -q '<option value="primal_suboptimality">' "$folder/dom.html" || fail "choices of figures are missing"
[ "$(grep -o '<details><summary>toy@' "$folder/dom.html" | wc -l)" -eq 3 ] || fail "sections of samples are missing"
if grep -qE '<img|<i>title' "$folder/dom.html"; then fail "a text of the data has become an element"; fi

# A model chosen by cross-validation, with names of labels and features that would be elements of
# the page.
awk 'BEGIN {
  print "@relation r"
  for (f = 0; f < 6; ++f) printf "@attribute \"</script><img src=x onerror=alert(%d)>\" numeric\n", f
  for (l = 0; l < 4; ++l) printf "@attribute \"<i>label, Größe %d</i>\" {0,1}\n", l
  print "@data"
  for (m = 0; m < 80; ++m) {
    for (f = 0; f < 6; ++f) printf "%d,", (m * (f + 3)) % 7
    for (l = 0; l < 4; ++l) printf "%d%s", ((m * (l + 3)) % 7 > 3), l < 3 ? "," : "\n"
  }
}' > "$folder/data.arff"
{
  echo '<labels xmlns="http://mulan.sourceforge.net/labels">'
  for l in 0 1 2 3; do echo "<label name=\"&lt;i&gt;label, Größe $l&lt;/i&gt;\"></label>"; done
  echo '</labels>'
} > "$folder/labels.xml"
"$program" multilabel cv "$folder/data.arff" --labels "$folder/labels.xml" --graph full --lambda-path 0.1,0.01 --folds 2 \
  --model "$folder/model.slk" --quiet > /dev/null
"$program" report "$folder/model.slk" --out "$folder/model.html"
for width in 1280 500; do
  open "$folder/model.html" "$width"
  wanted '"errors":\[\]'
  wanted '"charts":2,'
  wanted '"points":[0-9]+'
  wanted '"bars":[1-9]'
  wanted '"squares":[1-9]'
  wanted '"wide":\[\]'
  wanted '"changed":\{"label":true\}'
  if grep -qE '<img|<i>' "$folder/dom.html"; then fail "a name has become an element"; fi
done

"$program" multilabel train "$folder/data.arff" --labels "$folder/labels.xml" --lambda 0.01 --model "$folder/model.slk" \
  --log "$folder/run.jsonl" --quiet
"$program" report "$folder/run.jsonl" "$folder/run.jsonl" --out "$folder/log.html"
open "$folder/log.html"
wanted '"errors":\[\]'
wanted '"charts":1,'
wanted '"changed":\{"log":true,"learner":true,"box":true,"ordinate":true\}'
echo "drawn by $("$browser" --version 2> /dev/null || echo "$browser"); $result" | head -c 400
