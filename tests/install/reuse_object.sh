#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: SLACKLINE_SOURCE=… SLACKLINE_BUILD=… reuse_object.sh COMPILER ARGUMENT...
# A compiler launcher. Where the build in SLACKLINE_BUILD has compiled a source of the library,
# copies the object, which takes three minutes less than to compile all again. Compiles
# api/train.cc, which includes public and internal headers, and everything else.
set -euo pipefail
source="" output="" dependencies=""
arguments=("$@")
for ((i = 0; i < $#; ++i)); do
  case ${arguments[i]} in
    -c) source=${arguments[i + 1]} ;;
    -o) output=${arguments[i + 1]} ;;
    -MF) dependencies=${arguments[i + 1]} ;;
  esac
done
reuse() {
  cp "$1" "$output"
  [ -z "$dependencies" ] || : > "$dependencies"
}
# A batch of sources (cmake/SlacklineTargets.cmake), if it has the same sources there.
if [[ $source == */Unity/unity_*.cxx ]]; then
  batch=$SLACKLINE_BUILD/${source##*/slackline/}
  if [[ $batch == */slackline_api.dir/* || ! -f $batch.o ]] || ! cmp -s "$source" "$batch"; then exec "$@"; fi
  reuse "$batch.o"
  exit
fi
name=${source#"$SLACKLINE_SOURCE"/}
folder=${name%%/*}
object=$SLACKLINE_BUILD/$folder/CMakeFiles/slackline_$folder.dir/${name#*/}.o
if [ "$name" = "$source" ] || [ "$name" = api/train.cc ] || [ ! "$object" -nt "$source" ]; then exec "$@"; fi
reuse "$object"
