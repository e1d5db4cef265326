#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: man_pages.sh SLACKLINE FOLDER VERSION
# Writes a man page for the program and one for each of its commands, made from their --help output:
# slackline.1, slackline-multilabel-train.1, …
set -euo pipefail
program=$1
folder=$2
version=$3

# page NAME < HELP writes the page of a command.
page() {
  awk -v name="$1" -v version="$version" '
    function escape(text) {
      gsub(/\\/, "\\e", text)
      gsub(/-/, "\\-", text)
      return text ~ /^[.'\'']/ ? "\\&" text : text
    }
    # Lines, including examples and tables, are kept as they are.
    function lines_begin() { if (!verbatim) print ".nf"; verbatim = 1 }
    function lines_end() { if (verbatim) print ".fi"; verbatim = 0 }
    function section(title) { lines_end(); print ".SH " toupper(title) }
    NR == 1 {
      printf ".TH \"%s\" 1 \"\" \"slackline %s\" \"User Commands\"\n", toupper(name), version
      print ".SH NAME"
      title = $0
      sub(/\.( .*)?$/, "", title)
      print escape(name) " \\- " escape(title)
    }
    # Text before the usage is moved behind it.
    !usage && !/^Usage: / {
      description[++lines] = $0
      next
    }
    /^Usage: / {
      usage = $0
      sub(/^Usage: /, "", usage)
      section("synopsis")
      print escape(usage)
      section("description")
      lines_begin()
      for (k = 1; k <= lines; ++k) print escape(description[k])
      next
    }
    /^[A-Z][A-Za-z ,]*:$/ {
      section(substr($0, 1, length($0) - 1))
      listed = $0 !~ /^Examples/
      next
    }
    # Two columns: an option or a subcommand, and its description.
    listed && /^  [^ ]/ {
      lines_end()
      print ".TP"
      entry = substr($0, 3)
      text = ""
      if (match(entry, /  +/)) {
        text = substr(entry, RSTART + RLENGTH)
        entry = substr(entry, 1, RSTART - 1)
      }
      print ".B " escape(entry)
      lines_begin()
      if (text != "") print escape(text)
      next
    }
    { if (listed) sub(/^ +/, ""); lines_begin(); print escape($0) }
    END { lines_end() }'
}

# pages COMMAND... writes the page of a command and those of its subcommands.
pages() {
  local name=slackline help subcommand
  [ $# -eq 0 ] || name+=$(printf -- '-%s' "$@")
  help=$("$program" "$@" --help)
  page "$name" <<< "$help" > "$folder/$name.1"
  while read -r subcommand; do
    pages "$@" "$subcommand"
  done < <(awk '/^Subcommands:/ { inside = 1; next } /^[^ ]/ { inside = 0 }
                inside && /^  [a-z]/ { print $1 }' <<< "$help")
}

rm -rf "$folder"
mkdir -p "$folder"
pages
