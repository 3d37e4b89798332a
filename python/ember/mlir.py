# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes one emb-level function as MLIR text."""

import contextlib
import json
import re

import torch

from .types import MLIR_NAME


def tensor_type(shape, dtype):
    """`tensor<?x64xf32>`; None is a size known at run time only."""
    sizes = "".join("?x" if s is None else f"{s}x" for s in shape)
    return f"tensor<{sizes}{MLIR_NAME[dtype]}>"


class Value:
    """An SSA value: its text name, shape (None: dynamic size) and torch element type."""

    def __init__(self, ssa, shape, dtype):
        self.ssa, self.shape, self.dtype = ssa, tuple(shape), dtype

    @property
    def type(self):
        return tensor_type(self.shape, self.dtype)


class Function:
    """Builds `func.func @main`. Operations carry the location set by `at`."""

    def __init__(self):
        self._arguments = []
        self._lines = []
        self._names = set()
        self._constants = {}  # value -> ssa; written at the function's start
        self._dims = {}  # (ssa, dimension) -> ssa
        self._locations = {}  # loc text -> alias
        self._alias = "loc(unknown)"

    # Names and locations

    def _fresh(self, hint):
        """An SSA name like `hint` that no other value has."""
        base = re.sub(r"[^A-Za-z0-9_]", "_", hint) or "v"
        if base[0].isdigit():
            base = "_" + base
        name, n = base, 0
        while name in self._names:
            n += 1
            name = f"{base}_{n}"
        self._names.add(name)
        return "%" + name

    @contextlib.contextmanager
    def at(self, file, line):
        """Operations written inside are located at this line of the user's Python."""
        before, self._alias = self._alias, self._location(file, line)
        yield
        self._alias = before

    def _location(self, file, line):
        # JSON and MLIR escape the characters that occur in file names alike.
        text = f"loc({json.dumps(file, ensure_ascii=False)}:{line}:0)"
        alias = self._locations.setdefault(text, f"#loc{len(self._locations) + 1}")
        return f"loc({alias})"

    def _op(self, text):
        self._lines.append(f"    {text} {self._alias}")

    # Signature

    def argument(self, name, shape, dtype, parameter=False, location=None):
        value = Value(self._fresh(name), shape, dtype)
        attributes = f"ember.name = {json.dumps(name)}" + (", ember.parameter" if parameter else "")
        place = " " + self._location(*location) if location else ""
        self._arguments.append(f"{value.ssa}: {value.type} {{{attributes}}}{place}")
        return value

    # Shape code

    def constant(self, number):
        if number not in self._constants:
            hint = f"c{number}" if number >= 0 else f"cm{-number}"
            self._constants[number] = self._fresh(hint)
        return self._constants[number]

    def dim(self, value, index):
        """The size of a dimension, as an index value."""
        if value.shape[index] is not None:
            return self.constant(value.shape[index])
        key = value.ssa, index
        if key not in self._dims:
            position = self.constant(index)
            self._dims[key] = self._fresh(f"{value.ssa[1:]}_dim{index}")
            self._op(f"{self._dims[key]} = tensor.dim {value.ssa}, {position} : {value.type}")
        return self._dims[key]

    def bags(self, offsets, include_last_offset):
        """(ssa, static size or None) of the number of bags."""
        size = offsets.shape[0]
        if not include_last_offset:
            return self.dim(offsets, 0), size
        if size is not None:
            return self.constant(size - 1), size - 1
        # No offsets at all is a fault of the launch; the shape must not be negative before it.
        count, one, zero = self.dim(offsets, 0), self.constant(1), self.constant(0)
        less, bags = self._fresh("less"), self._fresh("bags")
        self._op(f"{less} = arith.subi {count}, {one} : index")
        self._op(f"{bags} = arith.maxsi {less}, {zero} : index")
        return bags, None

    def empty(self, hint, sizes, shape, dtype):
        """An uninitialised tensor; `sizes` are the index values of the dynamic ones."""
        out = Value(self._fresh(hint), shape, dtype)
        self._op(f"{out.ssa} = tensor.empty({', '.join(sizes)}) : {out.type}")
        return out

    def flatten(self, value):
        """All dimensions as one."""
        if len(value.shape) == 1:
            return value
        size = 1
        for s in value.shape:
            size = None if s is None or size is None else size * s
        flat = Value(self._fresh(f"{value.ssa[1:]}_flat"), (size,), value.dtype)
        group = ", ".join(str(i) for i in range(len(value.shape)))
        self._op(
            f"{flat.ssa} = tensor.collapse_shape {value.ssa} [[{group}]]"
            f" : {value.type} into {flat.type}"
        )
        return flat

    def row_offsets(self, value):
        """The offsets at which the rows of a 2-D tensor start once it is flattened."""
        count, length = self.dim(value, 0), self.dim(value, 1)
        zero, one = self.constant(0), self.constant(1)
        shape = (value.shape[0],)
        # i64 whatever the indices are: their number may be beyond i32.
        sizes = [] if shape[0] is not None else [count]
        init = self.empty("starts", sizes, shape, torch.int64)
        out = Value(self._fresh("offsets"), shape, torch.int64)
        row, acc = self._fresh("row"), self._fresh("acc")
        start, cast, next_ = self._fresh("start"), self._fresh("cast"), self._fresh("next")
        self._lines.append(
            f"    {out.ssa} = scf.for {row} = {zero} to {count} step {one}"
            f" iter_args({acc} = {init.ssa}) -> ({out.type}) {{"
        )
        for text in (
            f"{start} = arith.muli {row}, {length} : index",
            f"{cast} = arith.index_cast {start} : index to i64",
            f"{next_} = tensor.insert {cast} into {acc}[{row}] : {out.type}",
            f"scf.yield {next_} : {out.type}",
        ):
            self._op("  " + text)
        self._op("}")
        return out

    # emb

    def bag(self, mode, table, indices, offsets, weights, out, attributes, hint):
        operands = f"{table.ssa}, {indices.ssa}, {offsets.ssa}"
        types = f"{table.type}, {indices.type}, {offsets.type}"
        text = f"emb.bag {mode} ins({operands} : {types})"
        if weights is not None:
            text += f" weights({weights.ssa} : {weights.type})"
        return self._emb(text, out, attributes, hint)

    def lookup(self, table, indices, out, attributes, hint):
        operands = f"ins({table.ssa}, {indices.ssa} : {table.type}, {indices.type})"
        return self._emb(f"emb.lookup {operands}", out, attributes, hint)

    def _emb(self, text, out, attributes, hint):
        result = Value(self._fresh(hint), out.shape, out.dtype)
        text += f" outs({out.ssa} : {out.type})"
        if attributes:
            text += " {" + ", ".join(attributes) + "}"
        self._op(f"{result.ssa} = {text} -> {result.type}")
        return result

    # The whole

    def text(self, results):
        """The module; `results` are (name, Value) pairs."""
        lines = ["module {", "  func.func @main(" + ",\n      ".join(self._arguments) + ")"]
        types = ", ".join(f"{v.type} {{ember.name = {json.dumps(n)}}}" for n, v in results)
        lines[-1] += f"\n      -> ({types}) {{"
        for number, ssa in sorted(self._constants.items()):
            lines.append(f"    {ssa} = arith.constant {number} : index")
        lines += self._lines
        values = ", ".join(v.ssa for _, v in results)
        types = ", ".join(v.type for _, v in results)
        lines += [f"    return {values} : {types}" if results else "    return", "  }", "}"]
        lines += [f"{alias} = {text}" for text, alias in self._locations.items()]
        return "\n".join(lines) + "\n"
