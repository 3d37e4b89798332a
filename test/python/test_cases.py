# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""The worked cases of embedding bags (torch_bag.json): exact results, and errors in the data."""

import pytest
from cases import check_place, check_result, parameters, tensor
from conftest import MACHINES, Bag, compiled

import ember

# The class of the error for each kind; every other kind is a ValueError.
CLASSES = {
    "index out of range": ember.EmberIndexError,
    "table type": ember.EmberTypeError,
    "indices type": ember.EmberTypeError,
    "offsets type": ember.EmberTypeError,
    "weights type": ember.EmberTypeError,
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("case", parameters("torch_bag.json"))
def test_case(case, machine):
    options = {k: case[k] for k in ("mode", "include_last_offset", "padding_idx")}
    names = "table", "indices", "offsets", "per_sample_weights"
    inputs = tuple(tensor(case[n]) for n in names)
    oob = case.get("oob", "error")

    def run():
        return compiled(Bag(**options), inputs, machine, oob=oob)(*inputs)

    if "error" in case:
        with pytest.raises(ember.EmberError) as error:
            run()
        assert isinstance(error.value, CLASSES.get(case["error"], ember.EmberValueError))
        check_place(error.value, case.get("at"))
    else:
        check_result(run(), tensor(case["expect"]))
