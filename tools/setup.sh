#!/usr/bin/env bash
# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
#
# Installs what is missing, then builds: the C++ tools in build/bin, and in .venv a Python with
# the ember package. For Debian 12, as root or with sudo; elsewhere install the packages listed
# below by hand first. Safe to run again: what is up to date is left alone.
#
#   tools/setup.sh             everything, tests included
#   tools/setup.sh --no-tests  without the C++ unit tests
#   tools/setup.sh --sanitize  with sanitizers, in build-sanitize; the package is not installed
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8 PIP_DISABLE_PIP_VERSION_CHECK=1
step() { printf '\n== %s\n' "$*"; }

build=build tests=ON sanitize=OFF
case ${1:-} in
  '') ;;
  --no-tests) tests=OFF ;;
  --sanitize) build=build-sanitize sanitize=ON ;;
  *) sed -n '4,11s/^# \?//p' "$0"; exit 2 ;;
esac

# LLVM 22 comes with Debian's security updates; it includes lit and FileCheck.
packages=(g++ cmake ninja-build libmlir-22-dev llvm-22-dev mlir-22-tools llvm-22-tools
  libgtest-dev clang-format-22 python3-dev python3-venv)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  step "Installing ${missing[*]}"
  command -v apt-get >/dev/null || { echo "no apt-get here: install these by hand"; exit 1; }
  sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
  log=$(mktemp)
  { $sudo apt-get update -qq &&
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
  } >"$log" 2>&1 || { tail -n 20 "$log"; exit 1; }
  rm -f "$log"
fi

# The virtual environment, made anew when its Python is gone.
python=.venv/bin/python
if ! $python -c '' 2>/dev/null; then
  step "Making .venv"
  rm -rf .venv
  "${PYTHON:-python3}" -m venv .venv
fi
stamp=.venv/requirements.txt
if ! cmp -s tools/requirements.txt $stamp; then
  step "Installing Python packages (PyTorch is the large one)"
  .venv/bin/pip install -q -r tools/requirements.txt
  cp tools/requirements.txt $stamp
fi

step "Building ($build/)"
cmake -G Ninja -S . -B $build --log-level=WARNING -DCMAKE_BUILD_TYPE=Release \
  -DEMBER_PYTHON=ON -DEMBER_TESTS=$tests -DEMBER_SANITIZE=$sanitize \
  -DPython_EXECUTABLE="$PWD/$python" >/dev/null
ninja -C $build
[ $sanitize = OFF ] || exit 0

step "Installing the ember package into .venv"
.venv/bin/pip install -q --no-build-isolation --no-deps --force-reinstall ./python \
  --config-settings=build-dir="$PWD/build" \
  --config-settings=cmake.define.EMBER_TESTS=$tests \
  --config-settings=cmake.define.Python_EXECUTABLE="$PWD/$python"
