# SPDX-License-Identifier: BSD-3-Clause
#
# Completion for bash. Commands and options come from the program itself (--help); everywhere else
# files are completed. Installed as share/bash-completion/completions/slackline.
_slackline() {
  local word=${COMP_WORDS[COMP_CWORD]} commands=() help k candidate
  # The commands so far: each word before the cursor that the help of the previous ones lists.
  help=$("$1" --help 2> /dev/null)
  for ((k = 1; k < COMP_CWORD; ++k)); do
    candidate=${COMP_WORDS[k]}
    [[ $candidate == -* ]] && break
    _slackline_names subcommands <<< "$help" | grep -qxF -- "$candidate" || break
    commands+=("$candidate")
    help=$("$1" "${commands[@]}" --help 2> /dev/null)
  done
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_slackline_names options <<< "$help")" -- "$word")
  elif ((k == COMP_CWORD)); then
    mapfile -t COMPREPLY < <(compgen -W "$(_slackline_names subcommands <<< "$help")" -- "$word")
  else
    COMPREPLY=()
  fi
}

# _slackline_names options|subcommands < HELP prints their names, one per line.
_slackline_names() {
  if [ "$1" = options ]; then
    grep -oE '^  (-[A-Za-z],)?--[a-z0-9-]+' | sed -E 's/^ *(-[A-Za-z],)?//'
  else
    awk '/^Subcommands:/ { inside = 1; next } /^[^ ]/ { inside = 0 }
         inside && /^  [a-z]/ { print $1 }'
  fi
}

# File names are the default where there is no candidate.
complete -o bashdefault -o default -F _slackline slackline
