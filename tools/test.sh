#!/usr/bin/env bash
# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
#
# Installs what is missing, builds, and runs every test: lit, GoogleTest, pytest. The last line
# says how many passed and failed; the exit status is non-zero if any failed.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8
tools/setup.sh
results=build/test-results
rm -rf $results
mkdir -p $results
step() { printf '\n== %s\n' "$*"; }
status=0

step "lit"
/usr/lib/llvm-22/bin/lit -v --xunit-xml-output=$results/lit.xml build/test || status=1

step "GoogleTest"
for test in build/bin/unit/*; do
  "$test" --gtest_brief=1 --gtest_output="xml:$results/$(basename "$test").xml" || status=1
done

step "pytest"
.venv/bin/python -m pytest -q test/python --junitxml=$results/pytest.xml || status=1

.venv/bin/python tools/sum-results.py $results/*.xml || status=1
exit $status
