# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""emb.segment_bag: TensorFlow's segments and sparse lookups, at every level and coupled."""

import random

import pytest
import reference
import torch
from cases import check_place, check_result, parameters, tensor
from conftest import MACHINES, run_text

import ember
from ember.types import MLIR_NAME, TABLE_TYPES

LENGTHS = (1, 2, 3, 15, 16, 17, 33, 64, 100, 512)
COMBINERS = ("sum", "mean", "sqrtn")

WITHOUT_COUNT = """
  %length = tensor.dim %ids, %c0 : tensor<?x{ids}>
  %any = arith.cmpi sgt, %length, %c0 : index
  %size = scf.if %any -> index {{
    %last = arith.subi %length, %c1 : index
    %id = tensor.extract %ids[%last] : tensor<?x{ids}>
    %segment = arith.index_cast %id : {ids} to index
    %next = arith.addi %segment, %c1 : index
    %count = arith.maxsi %next, %c0 : index
    scf.yield %count : index
  }} else {{
    scf.yield %c0 : index
  }}"""
WITH_COUNT = """
  %n = tensor.extract %number[] : tensor<i64>
  %wanted = arith.index_cast %n : i64 to index
  %size = arith.maxsi %wanted, %c0 : index"""
SEGMENT_BAG = """
func.func @main(%table: tensor<?x{columns}x{table}> {{ember.name = "table"}},
                %indices: tensor<?x{indices}> {{ember.name = "indices"}},
                %ids: tensor<?x{ids}> {{ember.name = "segment_ids"}}{arguments})
    -> tensor<?x{columns}x{table}> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index{size}
  %out = tensor.empty(%size) : tensor<?x{columns}x{table}>
  %result = emb.segment_bag {mode}
      ins(%table, %indices, %ids
          : tensor<?x{columns}x{table}>, tensor<?x{indices}>, tensor<?x{ids}>) {clauses}
      outs(%out : tensor<?x{columns}x{table}>) {{oob = #emb.oob<{oob}>}}
      -> tensor<?x{columns}x{table}>
  return %result : tensor<?x{columns}x{table}>
}}
"""


def segment_bag(machine, mode, table, indices, ids, weights=None, num_segments=None, oob="error"):
    """The result of one emb.segment_bag."""
    types = {
        n: MLIR_NAME[t.dtype] for n, t in (("table", table), ("indices", indices), ("ids", ids))
    }
    inputs, arguments, clauses, size = [table, indices, ids], "", "", WITHOUT_COUNT
    if weights is not None:
        inputs.append(weights)
        arguments += f', %weights: tensor<?x{types["table"]}> {{ember.name = "weights"}}'
        clauses += f"weights(%weights : tensor<?x{types['table']}>) "
    if num_segments is not None:
        inputs.append(torch.tensor(num_segments))
        arguments += ', %number: tensor<i64> {ember.name = "num_segments"}'
        clauses += "num_segments(%n : i64)"
        size = WITH_COUNT
    text = SEGMENT_BAG.format(
        **types, columns=table.shape[1], mode=mode, oob=oob, arguments=arguments, clauses=clauses,
        size=size.format(**types),
    )  # fmt: skip
    (result,), _ = run_text(text, tuple(inputs), machine)
    return result


# What an importer of TensorFlow does before emb.segment_bag.


def sparse_segment(machine, case):
    """tf.math.segment_* of gathered rows: a table of rank 1 has one column."""
    table = tensor(case["table"])
    flat = table.dim() == 1
    result = segment_bag(
        machine, case["combiner"], table[:, None] if flat else table, tensor(case["indices"]),
        tensor(case["segment_ids"]), num_segments=case["num_segments"],
    )  # fmt: skip
    return result[:, 0] if flat else result


def embedding_lookup_sparse(machine, case):
    """tf.nn.embedding_lookup_sparse: weights take the table's type, dense_shape is not read."""
    table, weights = tensor(case["table"]), tensor(case["weights"])
    return segment_bag(
        machine, case["combiner"], table, tensor(case["indices"]), tensor(case["segment_ids"]),
        None if weights is None else weights.to(table.dtype),
    )  # fmt: skip


def safe_embedding_lookup_sparse(machine, case):
    """tf.nn.safe_embedding_lookup_sparse: drops what is not valid, keeps every row."""
    table, weights = tensor(case["table"]), tensor(case["weights"])
    indices, rows = tensor(case["indices"]), tensor(case["segment_ids"])
    kept = indices >= 0
    if weights is not None and case["combiner"] != "sum":
        kept &= weights > 0
    indices, rows = indices[kept], rows[kept]
    weights = None if weights is None else weights[kept].to(table.dtype)
    if (default := case.get("default_id")) is not None:
        empty = torch.tensor([r for r in range(case["rows"]) if r not in rows.tolist()])
        order = torch.cat([rows, empty]).argsort(stable=True)
        indices = torch.cat([indices, torch.full_like(empty, default)])[order]
        rows = torch.cat([rows, empty])[order]
        if weights is not None:
            weights = torch.cat([weights, torch.ones(len(empty), dtype=table.dtype)])[order]
    return segment_bag(machine, case["combiner"], table, indices, rows, weights, case["rows"])


IMPORTERS = {
    f.__name__: f for f in (sparse_segment, embedding_lookup_sparse, safe_embedding_lookup_sparse)
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("case", parameters("segments.json"))
def test_case(case, machine):
    run = IMPORTERS[case["op"]]
    if not tensor(case["table"]).is_floating_point():
        with pytest.raises(ember.CompileError, match=r"table of f16, bf16, f32 or f64.* got 'i32'"):
            run(machine, case)
    elif "error" in case:
        index = case["error"] == "index out of range"
        with pytest.raises(ember.EmberIndexError if index else ember.EmberValueError) as error:
            run(machine, case)
        check_place(error.value, case.get("at"))
    else:
        check_result(run(machine, case), tensor(case["expect"]))


def random_segments(seed):
    """(arguments of segment_bag, bounds); every choice follows from the seed."""
    pick, values = random.Random(seed), torch.Generator().manual_seed(seed)
    rows, length = pick.choice((1, 2, 7, 50, 300)), LENGTHS[seed % len(LENGTHS)]
    dtype = pick.choice(TABLE_TYPES)
    sizes = [pick.choice((0, 0, 1, 2, 3, 5, 20, 70)) for _ in range(pick.choice((0, 1, 2, 9)))]
    number = None
    if pick.random() < 0.5:
        number = len(sizes)
    else:
        while sizes and not sizes[-1]:
            sizes.pop()
    ids = torch.repeat_interleave(torch.tensor(sizes, dtype=torch.int64))
    low, oob = (-2, "skip_negative") if pick.random() < 0.3 else (0, "error")
    indices = torch.randint(low, rows, (sum(sizes),), generator=values)
    weights = None
    if pick.random() < 0.6:
        # A sum of weights far from 0, so that the mean is not all rounding.
        weights = (torch.rand(indices.shape, generator=values) + 0.5) * pick.choice((1, -1))
    return {
        "mode": COMBINERS[seed % 3],
        "table": torch.randn(rows, length, generator=values).to(dtype),
        "indices": indices.to(pick.choice((torch.int32, torch.int64))),
        "ids": ids.to(pick.choice((torch.int32, torch.int64))),
        "weights": None if weights is None else weights.to(dtype),
        "num_segments": number,
        "oob": oob,
    }, [sum(sizes[:s]) for s in range(len(sizes) + 1)]


def divisor(mode, weights):
    if mode == "sum":
        return None
    kinds = ("rows", "root of rows") if weights is None else ("weights", "root of squares")
    return kinds[mode == "sqrtn"]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("seed", range(30))
def test_random(seed, machine):
    given, bounds = random_segments(seed)
    result = segment_bag(machine, **given)
    exact, tolerance = reference.segments(
        given["table"], given["indices"], bounds, given["weights"],
        divisor=divisor(given["mode"], given["weights"]),
    )  # fmt: skip
    assert result.dtype == given["table"].dtype
    assert result.shape == exact.shape
    difference = (result.double() - exact).abs()
    assert (difference <= tolerance).all(), f"off by {(difference - tolerance).max()}"


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("ids", "number", "message"),
    [
        (
            [0, 0, -5],
            None,
            "must not decrease: argument 'segment_ids' holds -5 at position 2, after 0",
        ),
        ([-(2**63), 0, 1], 2, f"must not be negative: argument 'segment_ids' holds {-(2**63)} at"),
        ([0, 2**62, 2**63 - 1], 4, f"holds {2**62} at position 1, but there are 4 segments"),
        ([0, 1], None, "dimension 0 of argument 'segment_ids' is 2; expected 3"),
        ([0, 1, 1], -(2**63), f"argument 'num_segments' is {-(2**63)}"),
    ],
)
def test_hostile_ids(ids, number, message, machine):
    table, indices = torch.ones(4, 20), torch.tensor([0, 1, 2])
    with pytest.raises(ember.EmberValueError) as error:
        segment_bag(machine, "mean", table, indices, torch.tensor(ids), num_segments=number)
    assert message in str(error.value)


@pytest.mark.parametrize("machine", MACHINES)
def test_weights_of_another_length(machine):
    table, indices = torch.ones(4, 20), torch.tensor([0, 1, 2])
    with pytest.raises(ember.EmberValueError, match="of argument 'weights' is 2; expected 3"):
        segment_bag(machine, "sum", table, indices, indices, torch.ones(2))


@pytest.mark.parametrize("machine", MACHINES)
def test_many_segments(machine):
    values = torch.Generator().manual_seed(1)
    table = torch.randn(1000, 32, generator=values)
    indices = torch.randint(1000, (9_000,), generator=values)
    ids = torch.randint(12_000, (9_000,), generator=values).sort().values
    result = segment_bag(machine, "mean", table, indices, ids)
    bounds = torch.searchsorted(ids, torch.arange(int(ids[-1]) + 2)).tolist()
    exact, tolerance = reference.segments(table, indices, bounds, divisor="rows")
    assert ((result.double() - exact).abs() <= tolerance).all()
