# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""Exact results of bags and how far a float result may be from them (docs/semantics.md)."""

import itertools

import torch
import torch.nn.functional as F

# Unit roundoff of a type.
EPS = {
    torch.float64: 2.0**-53, torch.float32: 2.0**-24, torch.bfloat16: 2.0**-8,
    torch.float16: 2.0**-11,
}  # fmt: skip


def bag(
    table, indices, offsets, weights=None, *, mode, padding_idx=None, include_last_offset=False
):
    """(float64 result, tolerance) of finite inputs; both have the result's shape.

    Written out bag by bag: torch's own float64 path differs between its modes where indices
    follow the last offset.
    """
    if offsets is None:
        bags = list(range(0, indices.numel() + 1, indices.shape[1]))
        indices = indices.reshape(-1)
        weights = None if weights is None else weights.reshape(-1)
    else:
        bags = offsets.tolist() + ([] if include_last_offset else [indices.numel()])
    rows, length = table.shape
    padding = padding_idx + rows if padding_idx is not None and padding_idx < 0 else padding_idx
    result = torch.zeros(len(bags) - 1, length, dtype=torch.float64)
    error = torch.zeros_like(result)
    for b, (start, end) in enumerate(itertools.pairwise(bags)):
        kept = indices[start:end] != padding if padding is not None else slice(None)
        picked = table[indices[start:end][kept].long()].double()
        if weights is not None:
            picked = picked * weights[start:end][kept].double()[:, None]
        count = len(picked)
        if count and mode == "max":
            result[b] = picked.amax(0)
        elif count:
            divisor = count if mode == "mean" else 1
            result[b] = picked.sum(0) / divisor
            # Narrow tables are accumulated in float32, with one rounding to the table's type.
            wide = table.dtype if table.dtype == torch.float64 else torch.float32
            error[b] = 2 * count * EPS[wide] * picked.abs().sum(0) / divisor
    if mode != "max":
        error += rounding(result, table.dtype)
    return result, error


def rounding(exact, dtype):
    """What one rounding to `dtype` may change; subnormal numbers are all equally far apart."""
    return EPS[dtype] * exact.abs().clamp(min=torch.finfo(dtype).smallest_normal)


def lookup(table, indices):
    return F.embedding(indices, table)
