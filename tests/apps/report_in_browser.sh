#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: report_in_browser.sh PROGRAM
# Opens pages of `slackline report` in headless Chromium: a page must draw, react to clicks and to the
# mouse, and print nothing to the console. Exit code 77 (skipped) without Chromium.
set -euo pipefail
program=$1
source "$(dirname "${BASH_SOURCE[0]}")/../support/browser.sh"

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
wanted '"tooltip":\["[a-z]'
wanted '"png":[0-9]{4}'
wanted '"points":[0-9]{2}'
wanted '"changed":\{"log":true,"learner":true,"box":true,"ordinate":true\}'
echo "drawn by $("$browser" --version 2> /dev/null || echo "$browser"); $result" | head -c 400
