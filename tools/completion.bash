# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
#
# Completes options and pass names of Ember's tools in bash, and file names after them:
#
#   source tools/completion.bash
#
# The names are what the tool itself lists, so they are those of its version.

_ember_complete() {
  local tool=$1 word=$2
  COMPREPLY=()
  if [[ $word == -* ]]; then
    local names
    names=$("$tool" --help-list-hidden 2>/dev/null | sed -nE 's/^ *(--?[[:alnum:]_-]+).*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
  fi
}

complete -o default -F _ember_complete \
  ember-opt ember-reduce ember-sim ember-translate ember-lsp-server
