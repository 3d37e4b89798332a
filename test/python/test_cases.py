# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""The worked cases of embedding bags (torch_bag.json): exact results, and errors in the data."""

import json
import os
import pathlib

import pytest
import torch
from conftest import MACHINES, ROOT, Bag, compiled

import ember

PATH = pathlib.Path(os.environ.get("EMBER_CASES", ROOT.parent / "shared/cases")) / "torch_bag.json"
TYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "u8": torch.uint8, "bool": torch.bool,
}  # fmt: skip

if PATH.exists():
    CASES = json.loads(PATH.read_text())["cases"]
else:
    pytestmark = pytest.mark.skip(f"the worked cases are not at {PATH}; $EMBER_CASES may say where")
    CASES = [{"name": "absent", "table": {"dtype": "f32"}}]

# The class of the error for each kind; every other kind is a ValueError.
CLASSES = {
    "index out of range": ember.EmberIndexError,
    "table type": ember.EmberTypeError,
    "indices type": ember.EmberTypeError,
    "offsets type": ember.EmberTypeError,
    "weights type": ember.EmberTypeError,
}


def tensor(given):
    """A tensor of the file; one with strides is a view of the storage given as data."""
    if given is None:
        return None
    dtype = TYPES[given["dtype"]]
    data = [float(v) if isinstance(v, str) else v for v in given["data"]]
    if "strides" in given:
        storage = torch.tensor(data, dtype=dtype)
        return storage.as_strided(given["shape"], given["strides"], given["offset"])
    return torch.tensor(data, dtype=dtype).reshape(given["shape"])


def ids(case):
    return case["name"]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("case", CASES, ids=ids)
def test_case(case, machine):
    options = {k: case[k] for k in ("mode", "include_last_offset", "padding_idx")}
    names = "table", "indices", "offsets", "per_sample_weights"
    inputs = tuple(tensor(case[n]) for n in names)
    oob = case.get("oob", "error")

    def run():
        return compiled(Bag(**options), inputs, machine, oob=oob)(*inputs)

    if case["table"]["dtype"] in ("f16", "f64"):
        with pytest.raises(ember.EmberTypeError, match="weight: element type is float"):
            run()
        return
    if "error" in case:
        with pytest.raises(ember.EmberError) as error:
            run()
        assert isinstance(error.value, CLASSES.get(case["error"], ember.EmberValueError))
        check_place(error.value, case.get("at"))
        return
    result, expect = run(), tensor(case["expect"])
    assert result.dtype == expect.dtype
    assert result.shape == expect.shape
    torch.testing.assert_close(result, expect, rtol=0, atol=0, equal_nan=True)
    zero = expect == 0
    assert torch.equal(result[zero].signbit(), expect[zero].signbit())


def check_place(error, at):
    """The message names the argument, position, value and limit that the case does."""
    if at is None:
        return
    for key, value in at.items():
        assert str(value) in str(error), f"{key} is not in: {error}"
        if key == "argument" or hasattr(error, "argument"):
            assert getattr(error, key, value) == value
