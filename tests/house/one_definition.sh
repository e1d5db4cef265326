#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: one_definition.sh SOURCE_DIR
# A name of a class, struct or enumeration is defined in one header only: the linker may silently
# mix up two definitions of one name.
set -euo pipefail
cd "$1"

# Definitions at the beginning of a line are those outside any class. Nested classes that are
# defined outside (A::B) do not count.
names=$(grep -rhoE --include='*.h' '^(class|struct|enum class|enum) [A-Za-z0-9_]+( final)?( : [^;]*)? ?\{' \
          core factors inference learning apps vision |
          sed -E 's/^(class|struct|enum class|enum) ([A-Za-z0-9_]+).*/\2/')
[ "$(wc -l <<< "$names")" -gt 100 ] || { echo "no definitions found in headers"; exit 1; }
twice=$(sort <<< "$names" | uniq -d)
[ -z "$twice" ] || { printf 'defined in several headers:\n%s\n' "$twice"; exit 1; }
