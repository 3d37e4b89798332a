# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""Files of worked cases: small inputs with exact results, or the error that is in the data."""

import json
import os
import pathlib

import pytest
import torch
from conftest import ROOT

FOLDER = pathlib.Path(os.environ.get("EMBER_CASES", ROOT.parent / "shared/cases"))
TYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "u8": torch.uint8, "bool": torch.bool,
}  # fmt: skip


def parameters(name):
    """The cases of a file, as test parameters; without the file, one that is skipped."""
    path = FOLDER / name
    if path.exists():
        return [pytest.param(c, id=c["name"]) for c in json.loads(path.read_text())["cases"]]
    why = f"the worked cases are not at {path}; $EMBER_CASES may say where"
    return [pytest.param(None, id="absent", marks=pytest.mark.skip(why))]


def tensor(given):
    """A tensor of a file; one with strides is a view of the storage given as data."""
    if given is None:
        return None
    dtype = TYPES[given["dtype"]]
    data = [float(v) if isinstance(v, str) else v for v in given["data"]]
    if "strides" in given:
        storage = torch.tensor(data, dtype=dtype)
        return storage.as_strided(given["shape"], given["strides"], given["offset"])
    return torch.tensor(data, dtype=dtype).reshape(given["shape"])


def check_result(result, expect):
    """Type, shape and every value are those of the case; NaN equals NaN, and -0 is not +0."""
    assert result.dtype == expect.dtype
    assert result.shape == expect.shape
    torch.testing.assert_close(result, expect, rtol=0, atol=0, equal_nan=True)
    zero = expect == 0
    assert torch.equal(result[zero].signbit(), expect[zero].signbit())


def check_place(error, at):
    """An error in the data carries the place the case names, and says where and what it is.

    What was wrong already in the call has no position.
    """
    at = at or {}
    if hasattr(error, "position"):
        assert {key: getattr(error, key) for key in at} == at
    for key in at.keys() - {"limit"}:
        assert str(at[key]) in str(error), f"{key} is not in: {error}"
