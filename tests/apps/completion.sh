#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: completion.sh SLACKLINE COMPLETION
# Completes command lines as bash would, and compares the results.
set -euo pipefail
slackline=$1
. "$2"
failures=0

# completes WANTED WORD...: checks the completions of the last word (possibly empty) of a command
# line.
completes() {
  local wanted=$1
  shift
  COMP_WORDS=("$slackline" "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _slackline "$slackline"
  if [ "${COMPREPLY[*]}" != "$wanted" ]; then
    printf '"%s" completes to "%s", not "%s"\n' "$*" "${COMPREPLY[*]}" "$wanted"
    failures=$((failures + 1))
  fi
}

completes 'multilabel multiclass' mult
completes multilabel multil
completes 'train predict evaluate cv' multiclass ''
completes 'train predict evaluate cv convert online' multilabel ''
completes 'train' multilabel tr
completes '--label-columns' multilabel train --label-c
completes '--label-counts' multilabel predict data.csv --model m.slk --lab
completes '--lambda-path --lambda' sequence train text.txt --lambda
completes '' multilabel train data
completes '' multilabel train --labels x
completes '--help' --h
completes '' nothing ''
[ "$failures" -eq 0 ]
