# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""emb.fused_mm at every level and on the coupled core, against float64 results."""

import itertools
import random

import pytest
import torch
from conftest import MACHINES, run_text

from ember import EmberError

NAMES = {
    torch.float32: "f32",
    torch.float64: "f64",
    torch.bfloat16: "bf16",
    torch.int32: "i32",
    torch.int64: "i64",
}
# Unit roundoff of the sums and of what is stored.
SUM_EPS = {torch.float32: 2.0**-24, torch.bfloat16: 2.0**-24, torch.float64: 2.0**-53}
STORE_EPS = {torch.float32: 0, torch.bfloat16: 2.0**-8, torch.float64: 0}
FUNCTIONS = ("identity", "dot", "sigmoid_dot", "gat", "gat_three_pass")
LENGTHS = (1, 2, 3, 15, 16, 17, 33, 64, 100, 512)
SLOPE = 0.2


def module(function, table, columns, rowptr):
    """The text of a module whose arguments are those of `operands` below."""
    element, length = NAMES[table.dtype], table.shape[1]
    matrix, vector = f"tensor<?x{length}x{element}>", f"tensor<?x{element}>"
    arguments = [
        f"%table: {matrix}",
        f"%columns: tensor<?x{NAMES[columns.dtype]}>",
        f"%rowptr: tensor<?x{NAMES[rowptr.dtype]}>",
    ]
    clause, attributes = "", ""
    if "dot" in function:
        arguments.append(f"%rows: {matrix}")
        clause = f"rows(%rows : {matrix})"
    elif "gat" in function:
        arguments += [f"%a: {vector}", f"%b: {vector}"]
        clause = f"scores(%a, %b : {vector}, {vector})"
        three_pass = ", three_pass" if function == "gat_three_pass" else ""
        attributes = f"{{slope = {SLOPE} : f64{three_pass}}}"
    named = (f'{a} {{ember.name = "{a[1 : a.index(":")]}"}}' for a in arguments)
    return f"""
    func.func @main({", ".join(named)}) -> {matrix} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %pointers = tensor.dim %rowptr, %c0 : tensor<?x{NAMES[rowptr.dtype]}>
      %count = arith.subi %pointers, %c1 : index
      %zero = arith.constant 0 : index
      %u = arith.maxsi %count, %zero : index
      %out = tensor.empty(%u) : {matrix}
      %result = emb.fused_mm {function.removesuffix("_three_pass")}
        ins(%table, %columns, %rowptr : {matrix}, tensor<?x{NAMES[columns.dtype]}>,
            tensor<?x{NAMES[rowptr.dtype]}>)
        {clause} outs(%out : {matrix}) {attributes} -> {matrix}
      return %result : {matrix}
    }}"""


def operands(function, table, columns, rowptr, rows, a, b):
    more = {"dot": (rows,), "sigmoid_dot": (rows,), "gat": (a, b), "gat_three_pass": (a, b)}
    return table, columns, rowptr, *more.get(function, ())


def run(function, graph, machine):
    inputs = operands(function, *graph)
    (result,), _ = run_text(module(function, *graph[:3]), inputs, machine)
    return result


def reference(function, table, columns, rowptr, rows, a, b):
    """(float64 result, tolerance) of finite inputs."""
    eps = SUM_EPS[table.dtype]
    x, q, a, b = table.double(), rows.double(), a.double(), b.double()
    result = torch.zeros(len(rowptr) - 1, table.shape[1], dtype=torch.float64)
    error = torch.zeros_like(result)
    for u, (start, end) in enumerate(itertools.pairwise(rowptr.tolist())):
        picked = x[columns[start:end].long()]
        count = len(picked)
        if count == 0:
            continue
        if function == "identity":
            weights = torch.ones(count, dtype=torch.float64)
            errors = torch.zeros_like(weights)
        elif function in ("dot", "sigmoid_dot"):
            weights = picked @ q[u]
            errors = (table.shape[1] + 2) * eps * (picked.abs() @ q[u].abs())
            if function == "sigmoid_dot":
                weights = torch.sigmoid(weights)
                errors = weights * ((1 - weights) * errors + 6 * eps)
        else:
            scores = a[u] + b[columns[start:end].long()]
            scores = torch.where(scores > 0, scores, SLOPE * scores)
            weights = torch.softmax(scores, 0)
            # Of each score, of its difference from the greatest, of exp and of what the sums
            # are scaled by.
            size = a[u].abs() + b[columns[start:end].long()].abs().max()
            span = scores.max() - scores.min()
            errors = weights * (12 * size + 4 * span + 10 * count + 10) * eps
        result[u] = weights @ picked
        error[u] = errors @ picked.abs() + 2 * count * eps * (weights.abs() @ picked.abs())
    return result, error + STORE_EPS[table.dtype] * result.abs()


def random_graph(seed, length=None, dtype=None):
    pick, values = random.Random(seed), torch.Generator().manual_seed(seed)
    length = length or pick.choice(LENGTHS)
    dtype = dtype or pick.choice((torch.float32, torch.float32, torch.bfloat16, torch.float64))
    nodes = pick.choice((1, 2, 7, 50))
    degrees = [pick.choice((0, 0, 1, 2, 3, 5, 20)) for _ in range(pick.choice((0, 1, 2, 9)))]
    types = (torch.int32, torch.int64)
    # Scores of several sizes, so that sigmoid and softmax are not flat.
    size = pick.choice((0.1, 1.0, 10.0)) / length**0.5
    return (
        torch.randn(nodes, length, generator=values).to(dtype),
        torch.randint(nodes, (sum(degrees),), generator=values).to(pick.choice(types)),
        torch.tensor([0, *itertools.accumulate(degrees)]).to(pick.choice(types)),
        (size * torch.randn(len(degrees), length, generator=values)).to(dtype),
        (size * torch.randn(len(degrees), generator=values)).to(dtype),
        (4 * torch.randn(nodes, generator=values)).to(dtype),
    )


def check(result, exact, tolerance):
    assert result.shape == exact.shape
    difference = (result.double() - exact).abs()
    assert (difference <= tolerance).all(), f"off by {(difference - tolerance).max()}"


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_random_graphs(seed, function, machine):
    graph = random_graph(seed)
    result = run(function, graph, machine)
    assert result.dtype == graph[0].dtype
    check(result, *reference(function, *graph))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("length", [1, 16, 17, 512])
def test_lengths(length, function, machine):
    graph = random_graph(7, length, torch.float32)
    check(run(function, graph, machine), *reference(function, *graph))


@pytest.mark.parametrize("machine", [("dae-hbm2", 2), ("dae-hbm2", 4), ("core-hbm2", 4)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_rows_longer_than_half_the_queue(function, machine):
    graph = random_graph(7, 5000, torch.float32)
    check(run(function, graph, machine), *reference(function, *graph))


def graph_of(scores, dtype=torch.float32):
    """One row with an edge to each of several nodes, whose scores these are."""
    b = torch.tensor(scores, dtype=dtype)
    table = torch.arange(1.0, 2 * len(b) + 1).reshape(len(b), 2).to(dtype)
    columns, rowptr = torch.arange(len(b)), torch.tensor([0, len(b)])
    return table, columns, rowptr, torch.zeros(1, 2), torch.zeros(1, dtype=dtype), b


inf, nan = float("inf"), float("nan")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("function", ["gat", "gat_three_pass"])
@pytest.mark.parametrize(
    "scores",
    [
        [3e38, 1e38, -3e38],
        [-3e38, 3e38],
        [-1e4, 200.0, -1e4, 200.0],
        [-inf, 1.0],
        [1.0, -inf],
        [-inf, -3e38],
        [-inf, -inf],
        [inf, 1.0],
        [1.0, inf],
        [inf, inf],
        [nan, 1.0],
        [1.0, nan, 2.0],
        [-inf, nan],
    ],
)
def test_softmax_of_extreme_scores(scores, function, machine):
    table, _, _, _, _, b = graph = graph_of(scores)
    leaky = torch.nn.functional.leaky_relu(b, SLOPE)
    expected = torch.softmax(leaky, 0) @ table
    torch.testing.assert_close(run(function, graph, machine)[0], expected, equal_nan=True)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("product", [100.0, -100.0, 3e38, -3e38, inf, -inf, nan])
def test_sigmoid_of_extreme_products(product, machine):
    table = torch.tensor([[1.0, 2.0]])
    rows = torch.tensor([[product, 0.0]])
    graph = table, torch.tensor([0]), torch.tensor([0, 1]), rows, None, None
    expected = torch.sigmoid(torch.tensor(product)) * table
    result = run("sigmoid_dot", graph, machine)
    torch.testing.assert_close(result, expected, equal_nan=True, atol=1e-43, rtol=1e-6)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_same_edge_counts_each_time(machine):
    graph = (
        torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]),
        torch.tensor([1, 0, 1, 1]),
        torch.tensor([0, 0, 3, 4, 4]),
        *(None,) * 3,
    )
    result = run("identity", graph, machine)
    assert result.tolist() == [[0, 0, 0], [21, 42, 63], [10, 20, 30], [0, 0, 0]]


def test_a_row_is_sent_once_an_edge():
    values = torch.Generator().manual_seed(0)
    degrees, length = 8, 64
    rowptr = torch.arange(0, 20 * degrees + 1, degrees)
    columns = torch.randint(100, (20 * degrees,), generator=values)
    table = torch.randn(100, length, generator=values)
    inputs = table, columns, rowptr, torch.randn(20, length, generator=values)
    text = module("sigmoid_dot", *inputs[:3])
    _, two_loops = run_text(text, inputs, ("dae-hbm2", 1))
    _, shared = run_text(text, inputs, ("dae-hbm2", 3))
    row = 4 * length
    assert shared["queues"]["data"]["bytes"] == (20 + 20 * degrees) * row
    assert two_loops["queues"]["data"]["bytes"] >= (20 + 2 * 20 * degrees) * row


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_runs_are_identical(function, machine):
    graph = random_graph(3)
    assert torch.equal(run(function, graph, machine), run(function, graph, machine))


BAD = {
    "columns": ([0, 5], [0, 1, 2], "argument 'columns' holds 5 at position 1"),
    "negative": ([0, -1], [0, 1, 2], "argument 'columns' holds -1 at position 1"),
    "no_pointers": ([], [], "argument 'rowptr' is empty"),
    "start": ([0, 1], [1, 2], "argument 'rowptr' holds 1 at position 0"),
    "order": ([0, 1], [0, 2, 1, 2], "argument 'rowptr' holds 1 at position 2, after 2"),
    "beyond": ([0, 1], [0, 1, 3], "argument 'rowptr' holds 3 at position 2"),
    "rest": ([0, 1], [0, 1], "dimension 0 of argument 'columns' is 2; expected 1"),
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("length", [0, 3])
@pytest.mark.parametrize("case", BAD)
def test_bad_graphs(case, length, function, machine):
    columns, rowptr, message = BAD[case]
    count = max(len(rowptr) - 1, 0)
    graph = (
        torch.ones(5, length),
        torch.tensor(columns, dtype=torch.int64),
        torch.tensor(rowptr, dtype=torch.int64),
        torch.ones(count, length),
        torch.ones(count),
        torch.ones(5),
    )
    with pytest.raises(EmberError, match=message):
        run(function, graph, machine)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("function", "place", "shape", "message"),
    [
        ("dot", 3, (4, 3), "dimension 0 of argument 'rows' is 4; expected 2"),
        ("gat", 4, (1,), "dimension 0 of argument 'a' is 1; expected 2"),
        ("gat", 5, (3,), "dimension 0 of argument 'b' is 3; expected 5"),
    ],
)
def test_sizes_that_do_not_fit(function, place, shape, message, machine):
    graph = [
        torch.ones(5, 3),
        torch.tensor([0, 1]),
        torch.tensor([0, 1, 2]),
        torch.ones(2, 3),
        torch.ones(2),
        torch.ones(5),
    ]
    graph[place] = torch.ones(shape)
    with pytest.raises(EmberError, match=message):
        run(function, graph, machine)
