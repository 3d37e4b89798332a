# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""emb.spmm against exact results and torch.sparse.mm, at every level and coupled."""

import random
import warnings

import pytest
import reference
import torch
from conftest import MACHINES, run_text

import ember
from ember.types import MLIR_NAME, TABLE_TYPES

LENGTHS = (1, 2, 3, 15, 16, 17, 33, 64, 100, 512)
MODES = ("sum", "mean", "max", "min")
INDICES = (torch.int32, torch.int64)

SPMM = """
func.func @main(%table: tensor<?x{columns}x{table}> {{ember.name = "features"}},
                %columns: tensor<?x{indices}> {{ember.name = "columns"}},
                %rowptr: tensor<?x{rowptr}> {{ember.name = "rowptr"}}{argument})
    -> tensor<?x{columns}x{table}> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pointers = tensor.dim %rowptr, %c0 : tensor<?x{rowptr}>
  %less = arith.subi %pointers, %c1 : index
  %rows = arith.maxsi %less, %c0 : index
  %out = tensor.empty(%rows) : tensor<?x{columns}x{table}>
  %result = emb.spmm {mode}
      ins(%table, %columns, %rowptr
          : tensor<?x{columns}x{table}>, tensor<?x{indices}>, tensor<?x{rowptr}>) {clause}
      outs(%out : tensor<?x{columns}x{table}>) {{oob = #emb.oob<{oob}>}}
      -> tensor<?x{columns}x{table}>
  return %result : tensor<?x{columns}x{table}>
}}
"""


def spmm(machine, mode, table, columns, rowptr, values=None, oob="error"):
    """The result of one emb.spmm."""
    element, inputs, argument, clause = MLIR_NAME[table.dtype], [table, columns, rowptr], "", ""
    if values is not None:
        inputs.append(values)
        argument = f', %values: tensor<?x{element}> {{ember.name = "values"}}'
        clause = f"values(%values : tensor<?x{element}>)"
    text = SPMM.format(
        columns=table.shape[1], table=element, indices=MLIR_NAME[columns.dtype],
        rowptr=MLIR_NAME[rowptr.dtype], mode=mode, oob=oob, argument=argument, clause=clause,
    )  # fmt: skip
    (result,), _ = run_text(text, tuple(inputs), machine)
    return result


def random_product(seed):
    """Arguments of spmm; every choice follows from the seed."""
    pick, values = random.Random(seed), torch.Generator().manual_seed(seed)
    nodes, length = pick.choice((1, 2, 7, 50, 300)), LENGTHS[seed % len(LENGTHS)]
    dtype = TABLE_TYPES[seed // 4 % 4]
    # More edges than columns in some rows, and so columns that occur twice.
    degrees = [pick.choice((0, 0, 1, 2, 3, 5, 20, 70)) for _ in range(pick.choice((0, 1, 2, 9)))]
    low, oob = (-2, "skip_negative") if pick.random() < 0.2 else (0, "error")
    columns = torch.randint(low, nodes, (sum(degrees),), generator=values)
    rowptr = torch.tensor([sum(degrees[:r]) for r in range(len(degrees) + 1)])
    edges = torch.randn(columns.shape, generator=values).to(dtype) if pick.random() < 0.6 else None
    table = torch.randn(nodes, length, generator=values).to(dtype)
    if pick.random() < 0.3:
        table = -table.abs()
    return {
        "mode": MODES[seed % 4], "table": table, "columns": columns.to(pick.choice(INDICES)),
        "rowptr": rowptr.to(pick.choice(INDICES)), "values": edges, "oob": oob,
    }  # fmt: skip


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("seed", range(40))
def test_random(seed, machine):
    given = random_product(seed)
    result = spmm(machine, **given)
    mode = given["mode"]
    exact, tolerance = reference.segments(
        given["table"], given["columns"], given["rowptr"].tolist(), given["values"],
        combiner=mode if mode in ("max", "min") else "sum",
        divisor="rows" if mode == "mean" else None,
    )  # fmt: skip
    assert result.dtype == given["table"].dtype
    assert result.shape == exact.shape
    difference = (result.double() - exact).abs()
    assert (difference <= tolerance).all(), f"off by {(difference - tolerance).max()}"


def torchs(mode, table, columns, rowptr, values):
    shape = len(rowptr) - 1, len(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the CSR layout, which is in beta state
        matrix = torch.sparse_csr_tensor(rowptr, columns, values, shape)
    return torch.sparse.mm(matrix, table, {"max": "amax", "min": "amin"}.get(mode, mode))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", TABLE_TYPES)
@pytest.mark.parametrize("mode", MODES)
def test_as_torch(mode, dtype, machine):
    """Small integers, so that any order of summation is exact; NaN, infinities and zeros."""
    values = torch.Generator().manual_seed(MODES.index(mode))
    table = torch.randint(-8, 9, (12, 21), generator=values).to(dtype)
    special = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0]).to(dtype)
    table[:4, ::3] = special[:, None]
    rowptr = torch.tensor([0, 3, 3, 4, 12, 28, 28])
    columns = torch.randint(12, (28,), generator=values)
    edges = torch.randint(-4, 5, (28,), generator=values).to(dtype)
    result = spmm(machine, mode, table, columns, rowptr, edges)
    expect = torchs(mode, table, columns, rowptr, edges)
    if mode == "mean":
        # torch rounds the sum to the table's type, then the quotient.
        exact = torchs(mode, table.double(), columns, rowptr, edges.double())
        expect = exact.to(dtype)
        torch.testing.assert_close(result, expect, equal_nan=True)
    else:
        torch.testing.assert_close(result, expect, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("place", range(3))
def test_any_nan_wins(place, machine):
    """Whichever neighbour has it, unlike the maximum of a bag."""
    table = torch.arange(60.0).reshape(3, 20)
    table[place, 7] = float("nan")
    columns, rowptr = torch.tensor([0, 1, 2]), torch.tensor([0, 3])
    for mode, expect in (("max", table[2]), ("min", table[0])):
        result = spmm(machine, mode, table, columns, rowptr)[0]
        assert result[7].isnan()
        rest = torch.arange(20) != 7
        assert torch.equal(result[rest], expect[rest])


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("rowptr", "columns", "message"),
    [
        ([], [0, 1], "argument 'rowptr' is empty; at least 1 is needed"),
        ([1, 2], [0, 1], "must start at 0: argument 'rowptr' holds 1 at position 0"),
        (
            [0, 2, 1, 2],
            [0, 1],
            "must not decrease: argument 'rowptr' holds 1 at position 2, after 2",
        ),
        ([0, -(2**63), 2], [0, 1], f"must not decrease: argument 'rowptr' holds {-(2**63)} at"),
        ([0, 2**62], [0, 1], f"argument 'rowptr' holds {2**62} at position 1, but there are 2"),
        ([0, 1, 1], [0, 1], "argument 'rowptr' ends with 1 at position 2, but there are 2"),
        ([0], [0, 1], "argument 'rowptr' ends with 0 at position 0, but there are 2"),
        ([0, 2], [0, 4], "argument 'columns' holds 4 at position 1; allowed are 0 to 3"),
        ([0, 1, 2], [2**55, 0], f"argument 'columns' holds {2**55} at position 0; allowed are"),
        ([0, 2], [-(2**63), 0], f"argument 'columns' holds {-(2**63)} at position 0; allowed"),
    ],
)
def test_hostile_graphs(rowptr, columns, message, machine):
    table = torch.ones(4, 20)
    columns, rowptr = (torch.tensor(t, dtype=torch.int64) for t in (columns, rowptr))
    for mode in ("sum", "max"):
        with pytest.raises(ember.EmberError) as error:
            spmm(machine, mode, table, columns, rowptr)
        assert message in str(error.value)


@pytest.mark.parametrize("machine", MACHINES)
def test_values_of_another_length(machine):
    table, columns, rowptr = torch.ones(4, 20), torch.tensor([0, 1]), torch.tensor([0, 2])
    with pytest.raises(ember.EmberValueError, match="of argument 'values' is 3; expected 2"):
        spmm(machine, "sum", table, columns, rowptr, torch.ones(3))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("mode", MODES)
def test_nothing(mode, machine):
    """No edges, no rows, no nodes, no columns."""
    none = torch.zeros(0, dtype=torch.int64)
    result = spmm(machine, mode, torch.ones(0, 5), none, torch.zeros(4, dtype=torch.int64))
    assert torch.equal(result, torch.zeros(3, 5))
    assert not result.signbit().any()
    assert spmm(machine, mode, torch.ones(3, 5), none, torch.tensor([0])).shape == (0, 5)
    edge = torch.tensor([2])
    assert spmm(machine, mode, torch.ones(3, 0), edge, torch.tensor([0, 1])).shape == (1, 0)
    with pytest.raises(ember.EmberIndexError, match="holds 2 at position 0"):
        spmm(machine, mode, torch.ones(2, 0), edge, torch.tensor([0, 1]))
