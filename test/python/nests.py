# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""Random loop nests over memrefs: as hypothesis draws them, as MLIR text, and as Python runs them.

A nest goes over the rows of its result. Each row starts at zero; inner loops, whose bounds may
come from memory, add to it, store to it or go deeper, under conditions on integers. Every index is
in range by construction, and all numbers are small whole ones, so that sums are exact in any order.
"""

import dataclasses
import random

import torch
from hypothesis import strategies as st

INDEX_TYPES = {"i32": torch.int32, "i64": torch.int64}
ROW_LENGTHS = (1, 2, 3, 8, 15, 16, 17, 32, 33, 64, 100)


# --- What a nest is made of ------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Index:
    """A whole number from 0 up to but not including `bound`, or equal to it for a loop bound."""

    kind: str  # "variable", "constant", "load", "sum", "smaller"
    operands: tuple = ()

    def evaluate(self, env):
        if self.kind == "variable":
            return env[self.operands[0]]
        if self.kind == "constant":
            return self.operands[0]
        if self.kind == "load":
            array, at = self.operands
            return int(env[array][at.evaluate(env)])
        a, b = (operand.evaluate(env) for operand in self.operands)
        return a + b if self.kind == "sum" else min(a, b)


@dataclasses.dataclass(frozen=True)
class Loop:
    variable: str
    lower: Index
    upper: Index
    step: int
    body: tuple

    def run(self, env):
        lower, upper = self.lower.evaluate(env), self.upper.evaluate(env)
        for value in range(lower, upper, self.step):
            env[self.variable] = value
            for statement in self.body:
                statement.run(env)


@dataclasses.dataclass(frozen=True)
class Choice:
    predicate: str  # of arith.cmpi
    left: Index
    right: Index
    body: tuple
    otherwise: tuple

    def run(self, env):
        left, right = self.left.evaluate(env), self.right.evaluate(env)
        holds = {"eq": left == right, "ne": left != right, "slt": left < right}[self.predicate]
        for statement in self.body if holds else self.otherwise:
            statement.run(env)


@dataclasses.dataclass(frozen=True)
class Row:
    """result[row, :] op= weight * table[index, :]"""

    operation: str  # "add", "max", "store"
    table: str
    index: Index
    weight: tuple | None  # an array and an index into it

    def run(self, env):
        value = env[self.table][self.index.evaluate(env)].clone()
        if self.weight:
            value *= env[self.weight[0]][self.weight[1].evaluate(env)]
        row = env["result"][env["row"]]
        if self.operation == "add":
            value += row
        elif self.operation == "max":
            value = torch.maximum(row, value)
        row.copy_(value)


@dataclasses.dataclass(frozen=True)
class Nest:
    rows: int
    length: int
    arrays: tuple  # (name, element type, shape, bound of its values)
    body: tuple
    seed: int

    def inputs(self):
        """The arrays, filled from the seed."""
        pick = random.Random(self.seed)
        tensors = []
        for _, element, shape, bound in self.arrays:
            count = int(torch.Size(shape).numel())
            if element == "f32":
                values = [float(pick.randrange(-4, 5)) for _ in range(count)]
                tensors.append(torch.tensor(values).reshape(shape))
            else:
                values = [pick.randrange(bound) for _ in range(count)]
                tensors.append(torch.tensor(values, dtype=INDEX_TYPES[element]).reshape(shape))
        return tensors

    def run(self, tensors):
        env = {array[0]: tensor for array, tensor in zip(self.arrays, tensors, strict=True)}
        env["result"] = torch.zeros(self.rows, self.length)
        for row in range(self.rows):
            env["row"] = row
            for statement in self.body:
                statement.run(env)
        return env["result"]

    def __str__(self):
        return Printer(self).text()


# --- As hypothesis draws them ----------------------------------------------------------------


class Drawer:
    """Draws a nest, adding the arrays that it reads as it goes."""

    def __init__(self, draw):
        self.draw, self.arrays, self.counter = draw, [], 0
        self.length = draw(st.sampled_from(ROW_LENGTHS))

    def nest(self):
        rows = self.draw(st.integers(0, 4))
        body = self.statements([("row", max(rows, 1))], depth=0)
        seed = self.draw(st.integers(0, 2**16))
        return Nest(rows, self.length, tuple(self.arrays), body, seed)

    def pick(self, choices):
        return self.draw(st.sampled_from(choices))

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def array(self, stem, element, shape, bound=0):
        name = self.fresh(stem)
        self.arrays.append((name, element, shape, bound))
        return name

    def table(self):
        """The name and number of rows of a table, which may serve several statements."""
        known = [(name, shape[0]) for name, _, shape, _ in self.arrays if len(shape) == 2]
        if known and self.draw(st.booleans()):
            return self.pick(known)
        size = self.draw(st.integers(1, 9))
        return self.array("table", "f32", (size, self.length)), size

    def index(self, scope, bound, depth=0):
        """An index below `bound`. `scope` are variables with their own bounds."""
        fitting = [name for name, limit in scope if limit <= bound]
        kinds = ["constant", "load", "load"] if depth < 2 else ["constant"]
        if fitting:
            kinds += ["variable", "variable"]
        if depth < 2 and bound > 1:
            kinds += ["sum", "smaller"]
        kind = self.pick(kinds)
        if kind == "variable":
            return Index(kind, (self.pick(fitting),))
        if kind == "constant":
            return Index(kind, (self.draw(st.integers(0, bound - 1)),))
        if kind == "load":
            size = self.draw(st.integers(1, 9))
            array = self.array("index", self.pick(list(INDEX_TYPES)), (size,), bound)
            return Index(kind, (array, self.index(scope, size, depth + 1)))
        if kind == "sum":
            part = self.draw(st.integers(1, bound - 1))
            return Index(kind, tuple(self.index(scope, p, depth + 1) for p in (part, bound - part)))
        return Index(
            kind, (self.index(scope, bound, depth + 1), self.index(scope, bound, depth + 1))
        )

    def statements(self, scope, depth):
        count = self.draw(st.integers(1, 2 if depth else 3))
        return tuple(self.statement(scope, depth) for _ in range(count))

    def statement(self, scope, depth):
        kinds = ["row", "row"]
        if depth < 3:
            kinds.append("choice")
        # With the loops over rows and columns four deep, as an access unit has layers.
        if len(scope) < 3:
            kinds += ["loop", "loop"]
        kind = self.pick(kinds)
        if kind == "row":
            table, size = self.table()
            index = self.index(scope, size)
            weight = None
            if self.draw(st.booleans()):
                count = self.draw(st.integers(1, 9))
                weights = self.array("weights", "f32", (count,))
                weight = (weights, self.index(scope, count))
            return Row(self.pick(["add", "add", "max", "store"]), table, index, weight)
        if kind == "loop":
            limit = self.draw(st.integers(1, 6))
            variable = self.fresh("i")
            lower, upper = self.index(scope, limit, 1), self.index(scope, limit + 1, 1)
            step = self.draw(st.integers(1, 3))
            return Loop(
                variable,
                lower,
                upper,
                step,
                self.statements([*scope, (variable, limit)], depth + 1),
            )
        left, right = self.index(scope, 4, 1), self.index(scope, 4, 1)
        otherwise = self.statements(scope, depth + 1) if self.draw(st.booleans()) else ()
        return Choice(
            self.pick(["eq", "ne", "slt"]),
            left,
            right,
            self.statements(scope, depth + 1),
            otherwise,
        )


@st.composite
def nests(draw):
    return Drawer(draw).nest()


# --- As MLIR ---------------------------------------------------------------------------------


class Printer:
    def __init__(self, nest):
        self.nest, self.lines, self.counter = nest, [], 0
        self.constants = {}
        self.types = {name: self.memref(shape, element) for name, element, shape, _ in nest.arrays}
        self.elements = {name: element for name, element, _, _ in nest.arrays}
        self.types["result"] = f"memref<{nest.rows}x{nest.length}xf32>"

    @staticmethod
    def memref(shape, element):
        # The first size is left to run time, as a caller's batch is.
        return "memref<?" + "".join(f"x{size}" for size in shape[1:]) + f"x{element}>"

    def text(self):
        nest = self.nest
        self.lines.append(f"%result = memref.alloc() : {self.types['result']}")
        zero, end, one = (self.constant(value) for value in (0, nest.rows, 1))
        self.lines.append(f"scf.for %row = {zero} to {end} step {one} {{")
        zero = self.fresh("arith.constant 0.0 : f32")
        self.columns(
            lambda d: self.lines.append(
                f"memref.store {zero}, %result[%row, {d}] : {self.types['result']}"
            )
        )
        for statement in nest.body:
            self.statement(statement)
        self.lines.append("}")
        arguments = ", ".join(
            f'%{name}: {self.types[name]} {{ember.name = "{name}"}}' for name, *_ in nest.arrays
        )
        constants = [
            f"{name} = arith.constant {value} : index" for value, name in self.constants.items()
        ]
        body = "\n  ".join([*constants, *self.lines, f"return %result : {self.types['result']}"])
        return f"func.func @nest({arguments}) -> {self.types['result']} {{\n  {body}\n}}\n"

    def constant(self, value):
        return self.constants.setdefault(value, f"%c{value}")

    def fresh(self, operation):
        self.counter += 1
        self.lines.append(f"%v{self.counter} = {operation}")
        return f"%v{self.counter}"

    def index(self, index):
        if index.kind == "variable":
            return f"%{index.operands[0]}"
        if index.kind == "constant":
            return self.constant(index.operands[0])
        if index.kind == "load":
            array, at = index.operands
            element = self.elements[array]
            loaded = self.fresh(f"memref.load %{array}[{self.index(at)}] : {self.types[array]}")
            return self.fresh(f"arith.index_cast {loaded} : {element} to index")
        a, b = (self.index(operand) for operand in index.operands)
        return self.fresh(f"arith.{'addi' if index.kind == 'sum' else 'minsi'} {a}, {b} : index")

    def columns(self, body):
        self.counter += 1
        counter = f"%d{self.counter}"
        zero, end, one = (self.constant(value) for value in (0, self.nest.length, 1))
        self.lines.append(f"scf.for {counter} = {zero} to {end} step {one} {{")
        body(counter)
        self.lines.append("}")

    def statement(self, statement):
        {Loop: self.loop, Choice: self.choice, Row: self.row}[type(statement)](statement)

    def loop(self, loop):
        lower, upper = self.index(loop.lower), self.index(loop.upper)
        self.lines.append(
            f"scf.for %{loop.variable} = {lower} to {upper} step {self.constant(loop.step)} {{"
        )
        for statement in loop.body:
            self.statement(statement)
        self.lines.append("}")

    def choice(self, choice):
        left, right = self.index(choice.left), self.index(choice.right)
        holds = self.fresh(f"arith.cmpi {choice.predicate}, {left}, {right} : index")
        self.lines.append(f"scf.if {holds} {{")
        for statement in choice.body:
            self.statement(statement)
        if choice.otherwise:
            self.lines.append("} else {")
            for statement in choice.otherwise:
                self.statement(statement)
        self.lines.append("}")

    def row(self, row):
        index = self.index(row.index)
        weight = None
        if row.weight:
            array, at = row.weight
            weight = self.fresh(f"memref.load %{array}[{self.index(at)}] : {self.types[array]}")

        def column(d):
            value = self.fresh(f"memref.load %{row.table}[{index}, {d}] : {self.types[row.table]}")
            if weight:
                value = self.fresh(f"arith.mulf {weight}, {value} : f32")
            place = f"%result[%row, {d}] : {self.types['result']}"
            if row.operation != "store":
                old = self.fresh(f"memref.load {place}")
                operation = {"add": "addf", "max": "maximumf"}[row.operation]
                value = self.fresh(f"arith.{operation} {old}, {value} : f32")
            self.lines.append(f"memref.store {value}, {place}")

        self.columns(column)
