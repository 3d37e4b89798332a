# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: how torch, numpy and MLIR name the same thing."""

import torch

# torch type -> MLIR element type, for everything a func argument may carry.
MLIR_NAME = {
    torch.float32: "f32",
    torch.bfloat16: "bf16",
    torch.float16: "f16",
    torch.float64: "f64",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "ui8",
    torch.bool: "i1",
}

# What the emb operations take today.
TABLE_TYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
INDEX_TYPES = (torch.int32, torch.int64)


def short(dtype):
    """`torch.int64` -> `int64`."""
    return str(dtype).removeprefix("torch.")


def expected(types):
    """`float32, float16 or float64`."""
    *names, last = (short(t) for t in types)
    return ", ".join(names) + " or " + last


def shape_text(shape):
    """A shape for a message: `(?, 64)`; `?` is a size known only at run time."""
    sizes = ["?" if s is None else str(s) for s in shape]
    return "(" + ", ".join(sizes) + ("," if len(sizes) == 1 else "") + ")"
