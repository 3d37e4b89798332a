# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""What ember.export makes of the forms torch has for bags and lookups."""

import re

import pytest
import torch
import torch.nn.functional as F
from conftest import Bag, Lookup
from safetensors.torch import load_file
from torch import nn
from torch.export import Dim

import ember
from ember.arguments import bind
from ember.types import TABLE_TYPES

TABLE = torch.randn(10, 4)
INDICES = torch.tensor([1, 2, 3, 9])
OFFSETS = torch.tensor([0, 2, 2])


def bag_of(program):
    """The text of the one emb operation of a program."""
    (line,) = [t for t in str(program).splitlines() if " = emb." in t]
    return line


class Wrapped(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, indices, offsets):
        return self.inner(indices, offsets)


def test_signature_names_parameters_first(ember_opt):
    program = ember.export(Wrapped(nn.EmbeddingBag(10, 4)), (INDICES, OFFSETS))
    text = ember_opt(program)
    assert re.search(r"%arg0: tensor<10x4xf32> {ember.name = \"inner.weight\", ember.param", text)
    assert '%arg1: tensor<?xi64> {ember.name = "indices"}' in text
    assert '%arg2: tensor<?xi64> {ember.name = "offsets"}' in text
    assert '-> (tensor<?x4xf32> {ember.name = "result"})' in text


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_modes(mode, ember_opt):
    program = ember.export(nn.EmbeddingBag(10, 4, mode=mode), (INDICES, OFFSETS))
    assert f"emb.bag {mode} " in bag_of(program)
    ember_opt(program)


def test_mode_default_is_mean_in_torch_nn_and_sum_in_aten():
    assert "emb.bag mean" in bag_of(ember.export(Bag(), (TABLE, INDICES, OFFSETS)))

    class Aten(nn.Module):
        def forward(self, table, indices, offsets):
            return torch.embedding_bag(table, indices, offsets)[0]

    assert "emb.bag sum" in bag_of(ember.export(Aten(), (TABLE, INDICES, OFFSETS)))


@pytest.mark.parametrize("op", ["_embedding_bag", "_embedding_bag_forward_only"])
@pytest.mark.parametrize(
    ("arguments", "padding"),
    [
        ((), None),
        ((False, 1, False, None, False, -1), None),
        ((False, 1, False, None, False, 3), 3),
    ],
)
def test_private_forms_take_a_negative_padding_idx_for_none(op, arguments, padding):
    class Private(nn.Module):
        def forward(self, table, indices, offsets):
            return getattr(torch.ops.aten, op)(table, indices, offsets, *arguments)[0]

    text = bag_of(ember.export(Private(), (TABLE, INDICES, OFFSETS)))
    assert ("padding_idx" in text) == (padding is not None)
    assert padding is None or f"padding_idx = {padding} : i64" in text


@pytest.mark.parametrize("trainable", [True, False])
def test_decomposed_programs_are_the_same(trainable):
    module = nn.EmbeddingBag(10, 4, mode="mean", padding_idx=-1)
    module.weight.requires_grad_(trainable)
    shapes = {"input": {0: Dim.AUTO}, "offsets": {0: Dim.AUTO}}
    plain = torch.export.export(module, (INDICES, OFFSETS), dynamic_shapes=shapes)
    kinds = {str(n.target) for n in plain.run_decompositions().graph.nodes}
    assert any("_embedding_bag" in kind for kind in kinds)
    texts = [bag_of(ember.export(p)) for p in (plain, plain.run_decompositions())]
    assert texts[0] == texts[1]
    assert "padding_idx = 9 : i64" in texts[0]


def test_public_padding_idx_keeps_its_sign():
    program = ember.export(Bag(padding_idx=-1), (TABLE, INDICES, OFFSETS))
    assert re.search(r"padding_idx = (-1|9) : i64", bag_of(program))


def test_per_sample_weights(ember_opt):
    inputs = TABLE, INDICES, OFFSETS, torch.rand(4)
    program = ember.export(Bag(mode="sum"), inputs)
    assert "weights(%weights : tensor<?xf32>)" in bag_of(program)
    ember_opt(program)


def test_include_last_offset(ember_opt):
    program = ember.export(Bag(include_last_offset=True), (TABLE, INDICES, OFFSETS))
    assert "{include_last_offset}" in bag_of(program)
    ember_opt(program)


@pytest.mark.parametrize("weights", [False, True])
def test_rows_of_2d_indices_are_bags(weights, ember_opt):
    inputs = TABLE, torch.ones(3, 2, dtype=torch.int32), None, torch.rand(3, 2) if weights else None
    program = ember.export(Bag(mode="sum"), inputs)
    assert "%indices: tensor<?x?xi32>" in str(program)
    assert "tensor.collapse_shape %indices [[0, 1]]" in str(program)
    assert "tensor<?xi32>, tensor<?xi64>)" in bag_of(program)
    ember_opt(program)


def test_2d_indices_of_fixed_size(ember_opt):
    module = nn.EmbeddingBag(10, 4, include_last_offset=True)
    program = ember.export(module, (torch.ones(3, 2, dtype=torch.int64),), dynamic_shapes=({},))
    assert program.results[0].shape == (3, 4)
    assert "include_last_offset" not in str(program)
    ember_opt(program)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (2, 3, 4)])
def test_lookup_takes_any_rank(shape, ember_opt):
    program = ember.export(Lookup(), (TABLE, torch.zeros(shape, dtype=torch.int64)))
    assert program.results[0].shape == (None,) * len(shape) + (4,)
    ember_opt(program)


def test_lookup_ignores_padding_idx():
    program = ember.export(nn.Embedding(10, 4, padding_idx=2), (INDICES,))
    assert "padding_idx" not in str(program)


@pytest.mark.parametrize("policy", ["clamp", "skip_negative"])
def test_out_of_range_policy(policy, ember_opt):
    program = ember.export(nn.EmbeddingBag(10, 4), (INDICES, OFFSETS), oob=policy)
    assert f"oob = #emb.oob<{policy}>" in bag_of(program)
    ember_opt(program)


@pytest.mark.parametrize("indices", [torch.int32, torch.int64])
@pytest.mark.parametrize("offsets", [torch.int32, torch.int64])
@pytest.mark.parametrize("table", TABLE_TYPES)
def test_element_types(table, indices, offsets, ember_opt):
    program = ember.export(
        Bag(mode="sum"), (TABLE.to(table), INDICES.to(indices), OFFSETS.to(offsets))
    )
    assert [i.dtype for i in program.inputs[:3]] == [table, indices, offsets]
    ember_opt(program)


def test_one_tensor_for_two_inputs_stays_two_inputs():
    class Two(nn.Module):
        def forward(self, table, a, b, offsets):
            first = F.embedding_bag(a, table, offsets)
            return first, F.embedding_bag(b, table, offsets)

    text = str(ember.export(Two(), (TABLE, INDICES, INDICES, OFFSETS)))
    assert "ins(%table, %a, %offsets" in text
    assert "ins(%table, %b, %offsets" in text


def test_every_size_of_the_inputs_may_vary_but_the_row_length():
    program = ember.export(Bag(), (TABLE[:1, :1], INDICES[:1], OFFSETS[:0]))
    assert [i.shape for i in program.inputs[:3]] == [(None, 1), (None,), (None,)]


def test_dynamic_shapes_are_as_in_torch_export():
    shapes = {"indices": {0: Dim("n")}, "offsets": None}
    program = ember.export(
        Wrapped(nn.EmbeddingBag(10, 4)), (INDICES, OFFSETS), dynamic_shapes=shapes
    )
    assert [i.shape for i in program.inputs] == [(None,), (3,)]
    assert program.results[0].shape == (3, 4)


def test_a_branch_on_a_size_binds_the_program():
    class Branch(nn.Module):
        def forward(self, table, indices, offsets):
            mode = "mean" if indices.shape[0] > 3 else "sum"
            return F.embedding_bag(indices, table, offsets, mode=mode)

    program = ember.export(Branch(), (TABLE, INDICES, OFFSETS))
    (rule,) = program.rules
    assert rule.text == "indices.shape[0] > 3"
    assert rule.place == (__file__, Branch.forward.__code__.co_firstlineno + 1)
    bind(program, (TABLE, torch.zeros(9, dtype=torch.int64), OFFSETS), {})
    with pytest.raises(ember.EmberValueError, match=r"with indices\.shape\[0\] > 3"):
        bind(program, (TABLE, INDICES[:3], OFFSETS), {})


@pytest.mark.parametrize("rows", [1, 2, 10])
def test_a_size_the_module_needs_is_the_examples(rows):
    # Torch compares padding_idx with the number of rows.
    program = ember.export(Bag(padding_idx=-1), (TABLE[:rows], INDICES, OFFSETS[:1]))
    assert program.inputs[0].shape == (rows, 4)
    assert program.inputs[2].shape == (None,)


def test_results_of_any_nesting(ember_opt):
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.bag = nn.EmbeddingBag(10, 4)
            self.row = nn.Embedding(10, 3)

        def forward(self, indices, offsets):
            return {"pooled": self.bag(indices, offsets), "rows": [self.row(indices)]}

    program = ember.export(Both(), (INDICES,), {"offsets": OFFSETS})
    assert [r.name for r in program.results] == ["result0", "result1"]
    ember_opt(program)


def test_buffers_and_constants_are_parameters():
    class Buffered(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("table", TABLE)
            self.bounds = OFFSETS

        def forward(self, indices):
            return F.embedding_bag(indices, self.table, self.bounds)

    program = ember.export(Buffered(), (INDICES,))
    assert list(program.parameters) == ["table", "bounds"]


def test_locations_are_the_users_lines(ember_opt):
    program = ember.export(Wrapped(nn.EmbeddingBag(10, 4)), (INDICES, OFFSETS))
    text = ember_opt(program, "--mlir-print-debuginfo")
    line = Wrapped.forward.__code__.co_firstlineno + 1
    assert f'loc("{__file__}":{line}:0)' in text


def test_without_python_of_the_users_locations_are_the_export():
    program = ember.export(nn.EmbeddingBag(10, 4), (INDICES, OFFSETS))
    assert f'loc("{__file__}":' in str(program)
    assert "torch/nn" not in str(program)


def test_save_writes_the_parameters_beside_the_text(tmp_path):
    module = nn.EmbeddingBag(10, 4)
    program = ember.export(module, (INDICES, OFFSETS))
    program.save(tmp_path / "bag.mlir")
    assert (tmp_path / "bag.mlir").read_text() == str(program)
    assert torch.equal(load_file(tmp_path / "bag.safetensors")["weight"], module.weight)
