#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: train_models.sh SLACKLINE FOLDER
# Trains the two small models that lesson 8 reads.
set -euo pipefail
slackline=$1
cd "$2"

printf '%s\n' 'Mary NNP PER' 'sees VBZ O' 'Paris NNP LOC' '' 'John NNP PER' 'lives VBZ O' 'in IN O' \
  'London NNP LOC' '' 'the DT O' 'river NN O' 'runs VBZ O' 'in IN O' 'Paris NNP LOC' > names.txt
"$slackline" sequence train names.txt --min-count 1 --lambda 0.01 --model names.slk > names.log

printf '%s\n' 'goals,votes,sports,politics' '1,0,1,0' '0,1,0,1' '1,1,1,1' '0,0,0,0' > topics.csv
"$slackline" multilabel train topics.csv --label-columns sports,politics --lambda 0.01 --model topics.slk \
  > topics.log
