# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""Random loop nests at every level and on the coupled core, against Python.

CI draws the same few each time. `EMBER_NESTS=20000 pytest test/python/test_nests.py` draws that
many others, goes on with those that failed before, and shrinks what fails to a small nest, whose
text belongs into test/Integration then.
"""

import os

import hypothesis
import torch
from conftest import MACHINES, run_text
from nests import nests

COUNT = os.environ.get("EMBER_NESTS")


@hypothesis.settings(
    max_examples=int(COUNT or 25),
    derandomize=COUNT is None,
    deadline=None,
    print_blob=False,
    suppress_health_check=list(hypothesis.HealthCheck),
)
@hypothesis.given(nests())
def test_nest(nest):
    inputs = nest.inputs()
    expected = nest.run(inputs)
    hypothesis.note(str(nest))
    for machine in MACHINES:
        (result,), _ = run_text(str(nest), inputs, machine)
        assert torch.equal(result, expected), machine
