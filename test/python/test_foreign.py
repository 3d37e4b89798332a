# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""Loop nests that know nothing of Ember: what other compilers write, and written by hand."""

import pathlib

import pytest
import torch
import torch.nn.functional as F
from conftest import MACHINES, run_text

import ember

NESTS = pathlib.Path(__file__).parent / "foreign"


def nest(name):
    return (NESTS / f"{name}.mlir").read_text()


def function(arguments, shape, body):
    """A function that fills %out; %n is the length of its first argument."""
    first, kind = arguments.split(",")[0].split(":")
    return f"""
func.func @nest({arguments}) -> {shape} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim {first}, %c0 : {kind}
  %out = memref.alloc(%n) : {shape}
  {body}
  return %out : {shape}
}}"""


@pytest.fixture
def values():
    return torch.Generator().manual_seed(0)


def check(text, inputs, expected, machine, **tolerance):
    (result,), statistics = run_text(text, inputs, machine)
    torch.testing.assert_close(result, expected, **tolerance)
    return statistics


@pytest.mark.parametrize("machine", MACHINES)
def test_csr_loops_of_the_sparsifier(machine, values):
    matrix = torch.randn(40, 60, generator=values)
    matrix[torch.rand(40, 60, generator=values) > 0.1] = 0
    matrix[3] = 0
    rows, columns = torch.nonzero(matrix, as_tuple=True)
    positions = torch.cat([torch.zeros(1), torch.bincount(rows, minlength=40).cumsum(0)]).long()
    csr = positions, columns, matrix[rows, columns]
    dense, vector = torch.randn(60, 32, generator=values), torch.randn(60, generator=values)
    check(nest("sparsifier_spmm"), [*csr, dense], matrix @ dense, machine)
    check(nest("sparsifier_spmv"), [*csr, vector], matrix @ vector, machine)


@pytest.mark.parametrize("machine", MACHINES)
def test_embedding_of_torch_mlir(machine, values):
    table = torch.randn(50, 16, generator=values)
    indices = torch.randint(50, (7, 5), generator=values)
    check(nest("torch_embedding"), [table, indices], table[indices], machine, rtol=0, atol=0)
    indices[4, 2] = 50
    with pytest.raises(ember.EmberError, match="'1' holds 50 at position 22; allowed are 0 to 49"):
        run_text(nest("torch_embedding"), [table, indices], machine)


@pytest.mark.parametrize("machine", MACHINES)
def test_embedding_bag_of_torch_mlir(machine, values):
    table = torch.randn(50, 16, generator=values)
    indices = torch.randint(50, (30,), generator=values)
    offsets = torch.tensor([0, 3, 3, 10, 22])
    expected = F.embedding_bag(indices, table, offsets, mode="sum")
    check(nest("torch_embedding_bag"), [table, indices, offsets], expected, machine)


LOADS_OF_LOADS = function(
    "%p: memref<?xi32>, %q: memref<?xi64>, %t: memref<?x16xf32>",
    "memref<?x16xf32>",
    """
  scf.for %i = %c0 to %n step %c1 {
    scf.for %d = %c0 to %c16 step %c1 {
      %a = memref.load %p[%i] : memref<?xi32>
      %b = arith.index_cast %a : i32 to index
      %c = memref.load %q[%b] : memref<?xi64>
      %row = arith.index_cast %c : i64 to index
      %x = memref.load %t[%row, %d] : memref<?x16xf32>
      memref.store %x, %out[%i, %d] : memref<?x16xf32>
    }
  }""",
)


@pytest.mark.parametrize("machine", MACHINES)
def test_loads_that_feed_loads(machine, values):
    p = torch.randint(9, (20,), dtype=torch.int32, generator=values)
    q, t = torch.randint(30, (9,), generator=values), torch.randn(30, 16, generator=values)
    check(LOADS_OF_LOADS, [p, q, t], t[q[p.long()]], machine, rtol=0, atol=0)


CHOICE = function(
    "%i: memref<?xi64>, %t: memref<?x16xf32>, %u: memref<?x16xf32>",
    "memref<?x16xf32>",
    """
  %zero_i64 = arith.constant 0 : i64
  scf.for %p = %c0 to %n step %c1 {
    %a = memref.load %i[%p] : memref<?xi64>
    %negative = arith.cmpi slt, %a, %zero_i64 : i64
    scf.if %negative {
      %b = arith.subi %zero_i64, %a : i64
      %row = arith.index_cast %b : i64 to index
      scf.for %d = %c0 to %c16 step %c1 {
        %x = memref.load %u[%row, %d] : memref<?x16xf32>
        memref.store %x, %out[%p, %d] : memref<?x16xf32>
      }
    } else {
      %row = arith.index_cast %a : i64 to index
      scf.for %d = %c0 to %c16 step %c1 {
        %x = memref.load %t[%row, %d] : memref<?x16xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %out[%p, %d] : memref<?x16xf32>
      }
    }
  }""",
)


@pytest.mark.parametrize("machine", MACHINES)
def test_one_of_two_tables(machine, values):
    i = torch.randint(-9, 10, (40,), generator=values)
    t, u = torch.randn(2, 10, 16, generator=values)
    expected = torch.where((i < 0)[:, None], u[i.abs()], 2 * t[i.abs()])
    check(CHOICE, [i, t, u], expected, machine, rtol=0, atol=0)


TWO_HOPS = function(
    "%x: memref<?xf32>, %rows: memref<?xi64>, %cols: memref<?xi64>",
    "memref<?xf32>",
    """
  scf.for %u = %c0 to %n step %c1 {
    %u1 = arith.addi %u, %c1 : index
    %b0 = memref.load %rows[%u] : memref<?xi64>
    %e0 = memref.load %rows[%u1] : memref<?xi64>
    %b = arith.index_cast %b0 : i64 to index
    %e = arith.index_cast %e0 : i64 to index
    %sum = scf.for %p = %b to %e step %c1 iter_args(%s = %zero) -> (f32) {
      %v0 = memref.load %cols[%p] : memref<?xi64>
      %v = arith.index_cast %v0 : i64 to index
      %v1 = arith.addi %v, %c1 : index
      %bb0 = memref.load %rows[%v] : memref<?xi64>
      %ee0 = memref.load %rows[%v1] : memref<?xi64>
      %bb = arith.index_cast %bb0 : i64 to index
      %ee = arith.index_cast %ee0 : i64 to index
      %inner = scf.for %q = %bb to %ee step %c1 iter_args(%r = %s) -> (f32) {
        %w0 = memref.load %cols[%q] : memref<?xi64>
        %w = arith.index_cast %w0 : i64 to index
        %y = memref.load %x[%w] : memref<?xf32>
        %z = arith.addf %r, %y : f32
        scf.yield %z : f32
      }
      scf.yield %inner : f32
    }
    memref.store %sum, %out[%u] : memref<?xf32>
  }""",
)


@pytest.mark.parametrize("machine", MACHINES)
def test_neighbours_of_neighbours(machine, values):
    edges = (torch.rand(20, 20, generator=values) < 0.15).float()
    x = torch.randint(-8, 8, (20,), generator=values).float()
    counts = edges.sum(1).long().cumsum(0)
    rows = torch.cat([torch.zeros(1, dtype=torch.long), counts])
    cols = torch.nonzero(edges)[:, 1]
    check(TWO_HOPS, [x, rows, cols], edges @ (edges @ x), machine, rtol=0, atol=0)


SIBLINGS = function(
    "%i: memref<?xi64>, %j: memref<?xi64>, %t: memref<?x16xf32>",
    "memref<?x16xf32>",
    """
  %m = memref.dim %j, %c0 : memref<?xi64>
  scf.for %p = %c0 to %n step %c1 {
    %a = memref.load %i[%p] : memref<?xi64>
    %row = arith.index_cast %a : i64 to index
    scf.for %d = %c0 to %c16 step %c1 {
      %x = memref.load %t[%row, %d] : memref<?x16xf32>
      memref.store %x, %out[%p, %d] : memref<?x16xf32>
    }
    // Every second of the other rows from the row's own number on.
    scf.for %q = %p to %m step %c2 {
      %b = memref.load %j[%q] : memref<?xi64>
      %other = arith.index_cast %b : i64 to index
      scf.for %d = %c0 to %c16 step %c1 {
        %y = memref.load %t[%other, %d] : memref<?x16xf32>
        %z = memref.load %out[%p, %d] : memref<?x16xf32>
        %s = arith.subf %z, %y : f32
        memref.store %s, %out[%p, %d] : memref<?x16xf32>
      }
    }
    scf.for %d = %c1 to %c16 step %c2 {
      %x = memref.load %t[%row, %d] : memref<?x16xf32>
      memref.store %x, %out[%p, %d] : memref<?x16xf32>
    }
  }""",
)


@pytest.mark.parametrize("machine", MACHINES)
def test_siblings_steps_and_bounds(machine, values):
    t = torch.randint(-8, 8, (30, 16), generator=values).float()
    i, j = torch.randint(30, (6,), generator=values), torch.randint(30, (9,), generator=values)
    expected = torch.stack([t[a] - t[j[p::2]].sum(0) for p, a in enumerate(i)])
    expected[:, 1::2] = t[i][:, 1::2]
    check(SIBLINGS, [i, j, t], expected, machine, rtol=0, atol=0)


CORE_POSITION = function(
    "%i: memref<?xindex>, %t: memref<?xf32>",
    "memref<?xf32>",
    """
  %rows = memref.dim %t, %c0 : memref<?xf32>
  scf.for %p = %c0 to %n step %c1 {
    %a = memref.load %i[%p] : memref<?xindex>
    %bucket = arith.remui %a, %rows : index
    %x = memref.load %t[%bucket] : memref<?xf32>
    %y = memref.load %t[%p] : memref<?xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %out[%p] : memref<?xf32>
  } {ember.kernel = "hashed"}""",
)


@pytest.mark.parametrize("machine", MACHINES)
def test_positions_that_the_core_computes(machine, values):
    t = torch.randint(-8, 8, (30,), generator=values).float()
    i = torch.randint(1000, (25,), generator=values)
    check(CORE_POSITION, [i, t], t[i % 30] + t[:25], machine, rtol=0, atol=0)
