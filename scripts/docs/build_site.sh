#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: build_site.sh OUT [WORK]
# Builds the site from docs/ into the folder OUT, without network; every warning is an error. WORK
# keeps what the next build can use. Exit code 77 where Sphinx, MyST or the theme is missing.
# Without Doxygen and Breathe the pages of the C++ API have no content but their introductions.
set -euo pipefail
mkdir -p "$1"
out=$(realpath "$1")
work=${2:-$out.work}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p "$work"
work=$(realpath "$work")

python=/usr/bin/python3
[ -x "$python" ] || python=python3
has_modules() { "$python" -c "import $1" 2> /dev/null; }
if ! has_modules 'sphinx, myst_parser, furo'; then
  echo "skipped: python3-sphinx, python3-myst-parser and furo are needed"
  exit 77
fi

unset SLACKLINE_API_XML
if command -v doxygen > /dev/null && has_modules breathe; then
  rm -rf "$work/xml"
  { cat docs/Doxyfile && echo "OUTPUT_DIRECTORY = $work"; } | doxygen - > "$work/doxygen.log" 2>&1 || {
    cat "$work/doxygen.log"
    exit 1
  }
  export SLACKLINE_API_XML=$work/xml
else
  echo "note: without doxygen and python3-breathe the pages of the C++ API stay empty"
fi
"$python" -m sphinx -q -W --keep-going -b html -d "$work/doctrees" docs "$out"
