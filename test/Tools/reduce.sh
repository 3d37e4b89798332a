#!/usr/bin/env bash
# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
#
# The test of reduce.mlir: exit status 1 says that the module in file $1 still
# fails in the same way.
ember-opt "$1" --convert-scf-to-slc 2>&1 |
  grep -q 'written under another name' && exit 1
exit 0
