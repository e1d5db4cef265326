# SPDX-License-Identifier: BSD-3-Clause
#
# To be sourced by tests that open pages in headless Chromium. Ends the test with exit code 77 (skipped) without one. $folder is a
# temporary folder.
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

wanted() { grep -qE "$1" <<< "$result" || fail "wanted in the self-test: $1"; }
