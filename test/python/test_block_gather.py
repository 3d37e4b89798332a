# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""emb.block_gather at every level and on the coupled core, bit for bit."""

import itertools

import pytest
import torch
from conftest import MACHINES, run_text

import ember

TYPES = {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.float64: "f64"}


def module(block, length, rank=1, *, dtype=torch.float32, index="i64", oob="error"):
    element = TYPES[dtype]
    shape = "?x" * rank
    sizes = [f"%n{i} = tensor.dim %blocks, %c{i} : tensor<{shape}{index}>" for i in range(rank)]
    constants = [f"%c{i} = arith.constant {i} : index" for i in range(rank)]
    operands = ", ".join(f"%n{i}" for i in range(rank))
    out = f"tensor<{shape}{block}x{length}x{element}>"
    table = f"tensor<?x{length}x{element}>"
    lines = "\n".join(constants + sizes)
    return f"""
func.func @main(%table: {table} {{ember.name = "table"}},
                %blocks: tensor<{shape}{index}> {{ember.name = "blocks"}}) -> {out} {{
  {lines}
  %out = tensor.empty({operands}) : {out}
  %r = emb.block_gather {block} ins(%table, %blocks : {table}, tensor<{shape}{index}>)
      outs(%out : {out}) {{oob = #emb.oob<{oob}>}} -> {out}
  return %r : {out}
}}
"""


def gather(table, indices, block):
    return table.view(-1, block, table.shape[1])[indices.long()]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("block", "length"),
    [*itertools.product((1, 2, 4, 8), (1, 3, 16, 100)), (64, 32), (3, 17), (2, 512)],
)
def test_blocks(block, length, machine):
    values = torch.Generator().manual_seed(length)
    table = torch.randn(9 * block, length, generator=values)
    for count in (0, 1, 5):
        indices = torch.randint(9, (count,), generator=values)
        (result,), _ = run_text(module(block, length), (table, indices), machine)
        assert torch.equal(result, gather(table, indices, block))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", TYPES)
def test_types(dtype, machine):
    table = torch.randn(12, 20, dtype=torch.float64).to(dtype)
    indices = torch.tensor([2, 0, 2], dtype=torch.int32)
    text = module(4, 20, dtype=dtype, index="i32")
    (result,), _ = run_text(text, (table, indices), machine)
    assert torch.equal(result, gather(table, indices, 4))


@pytest.mark.parametrize("machine", MACHINES)
def test_indices_of_any_rank(machine):
    table = torch.randn(8, 5)
    for rank, indices in ((0, torch.tensor(3)), (2, torch.tensor([[0, 1, 2], [3, 3, 0]]))):
        (result,), _ = run_text(module(2, 5, rank), (table, indices), machine)
        assert torch.equal(result, gather(table, indices, 2))


@pytest.mark.parametrize("machine", MACHINES)
def test_indices_outside(machine):
    table = torch.randn(8, 20)
    indices = torch.tensor([-1, 1, 7, -(2**63), 2**62])
    (result,), _ = run_text(module(4, 20, oob="clamp"), (table, indices), machine)
    assert torch.equal(result, gather(table, indices.clamp(0, 1), 4))
    indices = torch.tensor([1, -1, 0, -(2**63)])
    (result,), _ = run_text(module(4, 20, oob="skip_negative"), (table, indices), machine)
    expected = gather(table, indices.clamp(0), 4) * (indices >= 0)[:, None, None]
    assert torch.equal(result, expected)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("bad", [-1, 2, 2**31, 2**58, 2**61, -(2**63)])
@pytest.mark.parametrize("length", [0, 20])
def test_a_bad_index_is_named(length, bad, machine):
    table, indices = torch.randn(8, length), torch.tensor([1, 0, bad, bad])
    with pytest.raises(ember.EmberIndexError) as error:
        run_text(module(4, length), (table, indices), machine)
    fault = error.value
    assert (fault.argument, fault.position, fault.value, fault.limit) == ("blocks", 2, bad, 2)


@pytest.mark.parametrize("machine", MACHINES)
def test_rows_that_are_no_whole_blocks(machine):
    inputs = torch.randn(10, 16), torch.tensor([0])
    with pytest.raises(ember.EmberValueError, match="dimension 0 of argument 'table' is 10"):
        run_text(module(4, 16), inputs, machine)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_table_that_is_a_view(machine):
    table = torch.randn(8, 40)[:, 3:23]
    indices = torch.tensor([1, 0, 1])
    (result,), _ = run_text(module(4, 20), (table, indices), machine)
    assert torch.equal(result, gather(table.contiguous(), indices, 4))


@pytest.mark.parametrize("machine", MACHINES)
def test_no_rows(machine):
    none = torch.zeros(0, dtype=torch.int64)
    (result,), _ = run_text(module(4, 16), (torch.randn(0, 16), none), machine)
    assert result.shape == (0, 4, 16)
