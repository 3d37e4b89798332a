# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules an embedding bag or lookup must meet when it is imported (see docs/semantics).

Tensors are anything with `dtype` and `shape`. Each rule raises with the argument's name as
torch's functional form has it, what it is and what is expected.
"""

from .errors import EmberTypeError, EmberValueError
from .types import INDEX_TYPES, TABLE_TYPES, expected, shape_text, short


def _sizes(tensor):
    return shape_text([s if isinstance(s, int) else None for s in tensor.shape])


def check_type(name, tensor, types):
    if tensor.dtype not in types:
        raise EmberTypeError(
            f"{name}: element type is {short(tensor.dtype)}, expected {expected(types)}"
        )


def check_table(name, table):
    if len(table.shape) != 2:
        raise EmberValueError(
            f"{name}: a table of shape {_sizes(table)}, expected 2 dimensions (rows, row length)"
        )
    check_type(name, table, TABLE_TYPES)


def check_lookup(table, indices):
    check_table("weight", table)
    check_type("input", indices, INDEX_TYPES)


def check_bag(table, indices, offsets, weights, mode, padding_idx):
    check_table("weight", table)
    check_type("input", indices, INDEX_TYPES)
    rank = len(indices.shape)
    if rank not in (1, 2):
        raise EmberValueError(f"input: indices of shape {_sizes(indices)}, expected 1-D or 2-D")
    if rank == 2 and offsets is not None:
        raise EmberValueError(
            "offsets: given with 2-D indices, where each row is a bag; expected None"
        )
    if rank == 1 and offsets is None:
        raise EmberValueError("offsets: missing; 1-D indices need the offset of each bag")
    if offsets is not None:
        check_type("offsets", offsets, INDEX_TYPES)
        if len(offsets.shape) != 1:
            raise EmberValueError(f"offsets: of shape {_sizes(offsets)}, expected 1-D")
    if mode not in ("sum", "mean", "max"):
        raise EmberValueError(f"mode: is {mode!r}, expected 'sum', 'mean' or 'max'")
    if weights is not None:
        check_weights(table, indices, weights, mode)
    rows = table.shape[0]
    if padding_idx is not None and isinstance(rows, int) and not -rows <= padding_idx < rows:
        raise EmberValueError(
            f"padding_idx: is {padding_idx}, expected {-rows} to {rows - 1} for {rows} rows"
        )


def check_weights(table, indices, weights, mode):
    if mode != "sum":
        raise EmberValueError(f"per_sample_weights: given with mode {mode!r}; only 'sum' has them")
    if weights.dtype != table.dtype:
        raise EmberTypeError(
            f"per_sample_weights: element type is {short(weights.dtype)}, "
            f"expected {short(table.dtype)} as the table"
        )
    if _differ(weights.shape, indices.shape):
        raise EmberValueError(
            f"per_sample_weights: of shape {_sizes(weights)}, "
            f"expected {_sizes(indices)} as the indices"
        )


def _differ(left, right):
    """Whether two shapes cannot be equal; sizes known only at run time are left to the call."""
    if len(left) != len(right):
        return True
    pairs = zip(left, right, strict=True)
    return any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs)
