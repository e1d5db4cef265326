#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: page_in_browser.sh SOURCE_DIR SLACKLINE_BENCH
# Opens a page of scripts/reproduce/page.py in headless Chromium: it must draw, react to clicks and to
# the mouse, and print nothing to the console. Exit code 77 (skipped) without Chromium.
set -euo pipefail
source "$1/tests/support/browser.sh"

"$2" --problems toy,toy@20.1,toy@30.1,toy@40.1 --learners auto,bcfw-away,soft:rho=0.1,soft:rho=1,soft:rho=10 --runs 2 \
  --time-limit 2 --quiet --out "$folder/runs.json" > /dev/null
# Texts that would be elements of the page if they were not escaped.
sed -i 's|"drawn multi-label|"</script><img src=x onerror=alert(1)> drawn multi-label|' "$folder/runs.json"
python3 "$1/scripts/reproduce/page.py" "$folder/runs.json" --out "$folder/page.html" --title 'a <i>title</i>'

open "$folder/page.html"
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
echo "drawn by $("$browser" --version 2> /dev/null || echo "$browser"); $result" | head -c 400
