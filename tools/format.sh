#!/usr/bin/env bash
# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
#
# Formats the sources: clang-format for C++ (LLVM style), ruff for Python. With --check nothing is
# changed and the exit status says whether something would be.
set -euo pipefail
cd "$(dirname "$0")/.."
ruff=.venv/bin/ruff
python=(--config python/pyproject.toml python test/python tools)
cpp() { git ls-files -z '*.cpp' '*.h' | xargs -0 clang-format-22 "$@"; }
if [ "${1:-}" = --check ]; then
  cpp --dry-run -Werror
  $ruff format --quiet --check "${python[@]}"
  $ruff check --quiet "${python[@]}"
else
  cpp -i
  $ruff format --quiet "${python[@]}"
  $ruff check --quiet --fix "${python[@]}"
fi
