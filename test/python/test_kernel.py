# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""Calling a compiled kernel: arguments, what comes back, what it tells of itself."""

import re
import threading

import numpy
import pytest
import torch
from conftest import Bag, compiled
from torch import nn

import ember

TABLE = torch.arange(40.0).reshape(10, 4)
INDICES = torch.tensor([1, 2, 3, 9])
OFFSETS = torch.tensor([0, 2, 2])
EXPECTED = nn.functional.embedding_bag(INDICES, TABLE, OFFSETS, mode="sum")


@pytest.fixture(scope="module")
def kernel():
    inputs = TABLE, INDICES, OFFSETS
    return compiled(Bag(mode="sum"), inputs, ("dae-hbm2", 3))


@pytest.fixture(scope="module")
def module_kernel():
    module = nn.EmbeddingBag.from_pretrained(TABLE, mode="sum")
    return ember.compile(ember.export(module, (INDICES, OFFSETS)))


def test_numpy_in_numpy_out(module_kernel):
    result = module_kernel(INDICES.numpy(), OFFSETS.numpy())
    assert isinstance(result, numpy.ndarray)
    assert numpy.array_equal(result, EXPECTED.numpy())


def test_by_position_and_by_name(module_kernel):
    assert torch.equal(module_kernel(INDICES, OFFSETS), EXPECTED)
    assert torch.equal(module_kernel(INDICES, offsets=OFFSETS), EXPECTED)
    assert torch.equal(module_kernel(offsets=OFFSETS, input=INDICES), EXPECTED)


def test_results_nest_as_the_modules(module_kernel):
    class Pair(nn.Module):
        def __init__(self):
            super().__init__()
            self.bag = nn.EmbeddingBag.from_pretrained(TABLE, mode="sum")
            self.row = nn.Embedding.from_pretrained(TABLE)

        def forward(self, indices, offsets):
            return {"pooled": self.bag(indices, offsets), "rows": [self.row(indices)]}

    inputs = INDICES, OFFSETS
    result = ember.compile(ember.export(Pair(), inputs))(*inputs)
    assert torch.equal(result["pooled"], EXPECTED)
    assert torch.equal(result["rows"][0], TABLE[INDICES])


@pytest.mark.parametrize(
    "table",
    [
        torch.cat([TABLE, -TABLE], 1)[:, :4],
        TABLE.t().contiguous().t(),
        torch.cat([torch.zeros(1, 4), TABLE])[1:],
        TABLE.clone().requires_grad_(),
    ],
    ids=["row stride", "transposed", "offset", "trainable"],
)
def test_any_layout_of_the_table(kernel, table):
    assert torch.equal(kernel(table, INDICES, OFFSETS), EXPECTED)


def test_strided_indices_and_offsets(kernel):
    spread = torch.stack([INDICES, torch.full_like(INDICES, 99)], 1)[:, 0]
    assert torch.equal(kernel(TABLE, spread, OFFSETS), EXPECTED)
    backwards = INDICES.numpy()[::-1].copy()[::-1]
    assert numpy.array_equal(kernel(TABLE.numpy(), backwards, OFFSETS.numpy()), EXPECTED.numpy())


def test_read_only_numpy_arrays(kernel):
    table = TABLE.numpy().copy()
    table.flags.writeable = False
    assert numpy.array_equal(kernel(table, INDICES.numpy(), OFFSETS.numpy()), EXPECTED.numpy())


def test_i32_where_i64_was_exported(kernel):
    assert torch.equal(kernel(TABLE, INDICES.int(), OFFSETS), EXPECTED)
    assert torch.equal(kernel(TABLE, INDICES, OFFSETS.int()), EXPECTED)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({0: TABLE.double()}, TypeError, "table: element type is float64, expected float32"),
        ({1: INDICES.float()}, TypeError, "indices: element type is float32, expected int64"),
        ({1: INDICES.to(torch.int8)}, TypeError, "indices: element type is int8"),
        ({2: torch.tensor([])}, TypeError, "offsets: element type is float32"),
        ({2: OFFSETS.bool()}, TypeError, "indices and offsets are int32 or int64"),
        ({1: INDICES.tolist()}, TypeError, "indices: is a list, expected a torch tensor"),
        ({1: None}, TypeError, "indices: is a NoneType, expected a torch tensor"),
        ({1: INDICES[None]}, ValueError, "indices: of shape (1, 4), expected (?,)"),
        ({0: TABLE[0]}, ValueError, "table: of shape (4,), expected (?, 4)"),
        ({0: TABLE[:, :3]}, ValueError, "table: of shape (10, 3), expected size 4 in dimension 1"),
        ({0: TABLE.to_sparse()}, TypeError, "table: has layout torch.sparse_coo"),
        ({0: TABLE.to("meta")}, TypeError, "table: is on meta"),
        ({1: INDICES + 7}, IndexError, "indices"),
        ({2: OFFSETS + 1}, ValueError, "offsets"),
    ],
)
def test_a_wrong_argument_is_named(kernel, change, kind, message):
    arguments = [change.get(i, a) for i, a in enumerate((TABLE, INDICES, OFFSETS))]
    with pytest.raises(ember.EmberError) as error:
        kernel(*arguments)
    assert isinstance(error.value, kind)
    assert message in str(error.value)


def test_weights_have_the_size_of_the_indices():
    inputs = TABLE, INDICES, OFFSETS, torch.rand(4)
    kernel = compiled(Bag(mode="sum"), inputs, ("dae-hbm2", 3))
    with pytest.raises(ember.EmberValueError, match=r"weights: of shape \(5,\), expected size 4"):
        kernel(*inputs[:3], torch.rand(5))


def test_a_constant_of_the_export_is_fixed(kernel):
    with pytest.raises(ember.EmberValueError, match="weights: is a tensor, expected None"):
        ember.compile(ember.export(Bag(mode="sum"), (TABLE, INDICES, OFFSETS, None)))(
            TABLE, INDICES, OFFSETS, torch.rand(4)
        )
    with pytest.raises(ember.EmberTypeError):
        kernel(TABLE, INDICES)


def test_a_fault_says_where():
    inputs = TABLE, torch.tensor([1, 2, 10, 3]), OFFSETS
    with pytest.raises(ember.EmberIndexError) as error:
        compiled(Bag(mode="sum"), inputs, ("dae-hbm2", 3))(*inputs)
    fault = error.value
    assert (fault.argument, fault.position, fault.value, fault.limit) == ("indices", 2, 10, 10)


def test_an_error_leaves_the_kernel_usable(kernel):
    with pytest.raises(ember.EmberIndexError):
        kernel(TABLE, INDICES + 7, OFFSETS)
    assert torch.equal(kernel(TABLE, INDICES, OFFSETS), EXPECTED)


def test_statistics(kernel):
    kernel(TABLE, INDICES, OFFSETS)
    assert kernel.stats["cycles"] > 0
    fresh = ember.compile(ember.export(nn.Embedding(2, 2), (INDICES,)))
    with pytest.raises(ember.EmberError, match="no statistics before its first call"):
        _ = fresh.stats


def test_every_stage_and_part_can_be_read(kernel):
    assert [s for s in ("emb", "scf", "slc", "dlc") if s in kernel.stages] == [
        "emb",
        "scf",
        "slc",
        "dlc",
    ]
    for stage in kernel.stages:
        assert "func.func @main" in kernel.ir(stage) or "module" in kernel.ir(stage)
    for part in kernel.parts:
        assert "define" in kernel.llvm(part)
    with pytest.raises(ember.EmberValueError, match="llir"):
        kernel.ir("llir")


def test_remarks_name_the_line_of_the_module(kernel):
    moved = [line for line in kernel.remarks if "this load moves to the access unit" in line]
    assert moved and all(re.match(r".*\.py:\d+:\d+: remark: ", line) for line in moved)


def test_seconds_of_every_step(kernel):
    seconds = kernel.seconds_by_stage
    assert list(seconds) == ["parse", *kernel.stages, "llvm"]
    assert all(value > 0 for value in seconds.values())


def test_options_that_are_not_valid():
    program = ember.export(nn.Embedding(2, 2), (INDICES,))
    with pytest.raises(ember.EmberValueError, match="0 to 4"):
        ember.compile(program, level=5)
    with pytest.raises(ember.EmberValueError, match="no-such-machine"):
        ember.compile(program, machine="no-such-machine")
    with pytest.raises(ember.EmberValueError, match="target: is 'gpu'"):
        ember.compile(program, target="gpu")
    with pytest.raises(ember.EmberTypeError, match="level: is a str"):
        ember.compile(program, level="3")
    with pytest.raises(ember.EmberTypeError, match="program: is a str"):
        ember.compile("module {}")


def test_threads_may_share_a_kernel(kernel):
    results = [None] * 4

    def run(slot):
        results[slot] = kernel(TABLE, INDICES, OFFSETS)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(torch.equal(r, EXPECTED) for r in results)


def test_results_outlive_the_kernel():
    inputs = TABLE, INDICES, OFFSETS
    kernel = ember.compile(ember.export(Bag(mode="sum"), inputs))
    result = kernel(*inputs)
    del kernel
    assert torch.equal(result, EXPECTED)
