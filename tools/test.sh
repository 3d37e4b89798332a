#!/usr/bin/env bash
# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
#
# Installs what is missing, builds, and runs every test: lit, GoogleTest, pytest. The last line
# says how many passed and failed; the exit status is non-zero if any failed.
#
#   tools/test.sh             every test
#   tools/test.sh --sanitize  the same on a build with assertions and the address and
#                             undefined-behaviour sanitizers, in build-sanitize
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8
build=build
python=(.venv/bin/python)
case ${1:-} in
  '') tools/setup.sh ;;
  --sanitize)
    tools/setup.sh --sanitize
    build=build-sanitize
    # LLVM's allocators poison memory in code that is sanitized, but not in the shared LLVM.
    export ASAN_OPTIONS=allow_user_poisoning=0
    # Python is not sanitized and frees little at its end; the package is used where it was built.
    mkdir -p $build/package/ember
    ln -sf "$PWD"/python/ember/*.py "$PWD"/$build/python/_core*.so $build/package/ember
    python=(env LD_PRELOAD="$(c++ -print-file-name=libasan.so) $(c++ -print-file-name=libstdc++.so)"
      ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 EMBER_BIN="$PWD/$build/bin"
      PYTHONPATH="$PWD/$build/package" .venv/bin/python)
    ;;
  *) sed -n '4,9s/^# \?//p' "$0"; exit 2 ;;
esac
results=$build/test-results
rm -rf $results
mkdir -p $results
step() { printf '\n== %s\n' "$*"; }
status=0

step "lit"
/usr/lib/llvm-22/bin/lit -v --xunit-xml-output=$results/lit.xml $build/test || status=1

step "GoogleTest"
for test in $build/bin/unit/*; do
  "$test" --gtest_brief=1 --gtest_output="xml:$results/$(basename "$test").xml" || status=1
done

step "pytest"
"${python[@]}" -m pytest -q -n auto test/python --junitxml=$results/pytest.xml || status=1

.venv/bin/python tools/sum-results.py $results/*.xml || status=1
exit $status
