# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""What ember.export refuses, and in which words."""

import pytest
import torch
from conftest import Bag, Lookup
from torch import nn

import ember

TABLE = torch.randn(10, 4)
INDICES = torch.tensor([1, 2, 3, 9])
OFFSETS = torch.tensor([0, 2, 2])


def test_every_unsupported_operation_is_listed_with_its_line():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.bag = nn.EmbeddingBag(10, 4)
            self.top = nn.Linear(4, 2)

        def forward(self, indices, offsets):
            pooled = torch.relu(self.bag(indices, offsets))
            return self.top(pooled)

    with pytest.raises(ember.UnsupportedError) as error:
        ember.export(Net(), (INDICES, OFFSETS))
    first = Net.forward.__code__.co_firstlineno
    message = str(error.value)
    assert "2 operations are not imported" in message
    assert f"{__file__}:{first + 1}: aten.relu.default" in message
    assert f"{__file__}:{first + 2}: aten.linear.default" in message
    assert "return self.top(pooled)" in message


def test_max_norm_is_refused_by_name():
    with pytest.raises(ember.UnsupportedError, match="max_norm rescales the table in place"):
        ember.export(nn.EmbeddingBag(10, 4, max_norm=1.0), (INDICES, OFFSETS))
    with pytest.raises(ember.UnsupportedError, match="max_norm rescales the table in place"):
        ember.export(nn.Embedding(10, 4, max_norm=1.0), (INDICES,))


def test_only_the_first_result_of_a_bag():
    class Sizes(nn.Module):
        def forward(self, table, indices, offsets):
            return torch.embedding_bag(table, indices, offsets)[1]

    with pytest.raises(ember.UnsupportedError, match="only the first result of a bag"):
        ember.export(Sizes(), (TABLE, INDICES, OFFSETS))


def test_offsets_computed_in_the_module():
    class Lengths(nn.Module):
        def forward(self, table, indices, lengths):
            return torch.embedding_bag(table, indices, torch.cumsum(lengths, 0))[0]

    with pytest.raises(ember.UnsupportedError, match=r"aten\.cumsum"):
        ember.export(Lengths(), (TABLE, INDICES, OFFSETS))


def test_an_input_returned():
    class Echo(nn.Module):
        def forward(self, table, indices):
            return torch.embedding(table, indices), indices

    with pytest.raises(ember.UnsupportedError, match="result 1 is not what an embedding"):
        ember.export(Echo(), (TABLE, INDICES))


BAG = {"table": TABLE, "indices": INDICES, "offsets": OFFSETS, "weights": None}
MODES = {"mode": "sum"}


@pytest.mark.parametrize(
    ("changes", "options", "kind", "message"),
    [
        ({"table": torch.tensor(1.0)}, MODES, ValueError, "weight: a table of shape ()"),
        ({"table": TABLE[None]}, MODES, ValueError, r"weight: a table of shape (1, 10, 4)"),
        ({"table": TABLE.int()}, MODES, TypeError, "weight: element type is int32"),
        ({"table": TABLE.cfloat()}, MODES, TypeError, "float16, bfloat16 or float64"),
        ({"indices": INDICES.float()}, MODES, TypeError, "input: element type is float32"),
        ({"indices": INDICES.short(), "offsets": OFFSETS.short()}, MODES, TypeError, "int16"),
        ({"offsets": OFFSETS.bool()}, MODES, TypeError, "offsets: element type is bool"),
        ({"offsets": OFFSETS.byte()}, MODES, TypeError, "expected int32 or int64"),
        ({"indices": INDICES[None, None], "offsets": None}, MODES, ValueError, "(1, 1, 4)"),
        ({"indices": INDICES[0], "offsets": None}, MODES, ValueError, "indices of shape ()"),
        ({"offsets": None}, MODES, ValueError, "offsets: missing"),
        ({"offsets": OFFSETS[None]}, MODES, ValueError, "offsets: of shape (1, 3)"),
        ({"indices": INDICES[None]}, MODES, ValueError, "offsets: given with 2-D indices"),
        ({"weights": torch.rand(4)}, {}, ValueError, "only 'sum' has them"),
        ({"weights": torch.rand(4)}, {"mode": "max"}, ValueError, "with mode 'max'"),
        ({"weights": torch.rand(5)}, MODES, ValueError, "per_sample_weights: of shape (5,)"),
        ({"weights": torch.rand(4).double()}, MODES, TypeError, "per_sample_weights: element"),
        ({}, {"padding_idx": 10}, ValueError, "padding_idx: is 10, expected -10 to 9"),
        ({}, {"padding_idx": -11}, ValueError, "padding_idx: is -11, expected -10 to 9"),
        ({}, {"mode": "min"}, ValueError, "mode: is 'min'"),
    ],
)
def test_arguments_of_a_bag(changes, options, kind, message):
    with pytest.raises(ember.EmberError) as error:
        ember.export(Bag(**options), tuple((BAG | changes).values()))
    assert isinstance(error.value, kind)
    assert message in str(error.value)
    assert "conftest.py:" in str(error.value)


def test_arguments_of_a_lookup():
    with pytest.raises(ember.EmberTypeError, match="input: element type is int8"):
        ember.export(Lookup(), (TABLE, INDICES.to(torch.int8)))
    with pytest.raises(ember.EmberValueError, match=r"weight: a table of shape \(10,\)"):
        ember.export(Lookup(), (TABLE[:, 0], INDICES))


def test_arguments_of_export():
    with pytest.raises(ember.EmberValueError, match="oob: is 'wrap'"):
        ember.export(nn.EmbeddingBag(10, 4), (INDICES, OFFSETS), oob="wrap")
    with pytest.raises(ember.EmberTypeError, match="module: is a builtin_function"):
        ember.export(torch.relu, (INDICES,))
    with pytest.raises(ember.EmberTypeError, match="args: is a Tensor"):
        ember.export(nn.Embedding(10, 4), INDICES)


def test_a_row_length_made_dynamic():
    shapes = {"table": {1: torch.export.Dim("d")}, "indices": None}
    with pytest.raises(ember.EmberValueError, match="table: the row length"):
        ember.export(Lookup(), (TABLE, INDICES), dynamic_shapes=shapes)
