# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""Exact results of bags and how far a float result may be from them (docs/semantics.md)."""

import itertools
import math

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
        bounds = list(range(0, indices.numel() + 1, indices.shape[1]))
        indices = indices.reshape(-1)
        weights = None if weights is None else weights.reshape(-1)
    else:
        bounds = offsets.tolist() + ([] if include_last_offset else [indices.numel()])
    padding = padding_idx
    if padding is not None and padding < 0:
        padding += table.shape[0]
    divisor = "rows" if mode == "mean" else None
    combiner = "max" if mode == "max" else "sum"
    return segments(
        table, indices, bounds, weights, combiner=combiner, divisor=divisor, padding=padding
    )


def segments(table, indices, bounds, weights=None, *, combiner="sum", divisor=None, padding=None):
    """(float64 result, tolerance) of the segments from each of `bounds` to the next.

    combiner: "sum", "max" or "min". divisor: None, "rows", "root of rows", "weights" or "root of
    squares". padding: the row that takes no part; negative indices take none either.
    """
    # Narrow tables are accumulated in float32, with one rounding to the table's type.
    eps = EPS[table.dtype if table.dtype == torch.float64 else torch.float32]
    result = torch.zeros(len(bounds) - 1, table.shape[1], dtype=torch.float64)
    error = torch.zeros_like(result)
    for s, (start, end) in enumerate(itertools.pairwise(bounds)):
        rows = indices[start:end].long()
        kept = (rows >= 0) & (rows != padding) if padding is not None else rows >= 0
        count = int(kept.sum())
        if not count:
            continue
        terms, part = table[rows[kept]].double(), None
        if weights is not None:
            part = weights[start:end][kept].double()
            terms = terms * part[:, None]
        if combiner != "sum":
            result[s] = terms.amax(0) if combiner == "max" else terms.amin(0)
            # Of the product; without weights the result is an element of the table.
            error[s] = 0 if part is None else eps * result[s].abs()
            continue
        value, slack = divisor_of(divisor, count, part, eps)
        if value == 0:
            continue
        result[s] = terms.sum(0) / value
        error[s] = 2 * count * eps * terms.abs().sum(0) / abs(value) + slack * result[s].abs()
    if combiner == "sum" or weights is not None:
        error += rounding(result, table.dtype)
    return result, error


def divisor_of(kind, count, weights, eps):
    """(what a sum is divided by, how far the computed one may be from it, relatively)."""
    if kind is None:
        return 1, 0
    if kind == "rows":
        return count, 0
    if kind == "root of rows":
        return math.sqrt(count), eps
    if kind == "weights":
        total = float(weights.sum())
        return total, 2 * count * eps * float(weights.abs().sum()) / abs(total) if total else 0
    return float(weights.square().sum().sqrt()), (count + 2) * eps


def rounding(exact, dtype):
    """What one rounding to `dtype` may change; subnormal numbers are all equally far apart."""
    return EPS[dtype] * exact.abs().clamp(min=torch.finfo(dtype).smallest_normal)


def lookup(table, indices):
    return F.embedding(indices, table)
