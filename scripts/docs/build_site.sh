#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: build_site.sh OUT
# Builds the site from docs/ into the folder OUT, without network access; every warning is an error.
# Exit code 77 where Sphinx, MyST or the theme is missing. Without Doxygen and Breathe the pages of
# the C++ API contain only their introductions.
set -euo pipefail
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Debian's packages belong to Debian's Python.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
has_modules() { "$python" -c "import $1" 2> /dev/null; }
if ! has_modules 'sphinx, myst_parser, furo'; then
  echo "skipped: python3-sphinx, python3-myst-parser and furo are needed"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset SLACKLINE_API_XML
if command -v doxygen > /dev/null && has_modules breathe; then
  { cat docs/Doxyfile && echo "OUTPUT_DIRECTORY = $work"; } | doxygen - > "$work/doxygen.log" 2>&1 || {
    cat "$work/doxygen.log"
    exit 1
  }
  export SLACKLINE_API_XML=$work/xml
else
  echo "note: without doxygen and python3-breathe the pages of the C++ API stay empty"
fi
"$python" -m sphinx -q -W --keep-going -b html -d "$work/doctrees" docs "$out"
