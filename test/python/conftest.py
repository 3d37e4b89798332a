# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""What several test files share: the tools and the modules they export."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.dlpack import to_dlpack

import ember
from ember import _core

ROOT = pathlib.Path(__file__).parents[2]

# (machine, level, values of the machine replaced): every level with an access unit, the coupled
# core, and three cores of each.
MACHINES = [
    ("dae-hbm2", 0),
    ("dae-hbm2", 1),
    ("dae-hbm2", 2),
    ("dae-hbm2", 3),
    ("dae-hbm2", 4),
    ("core-hbm2", 3),
    ("core-hbm2", 4),
    ("dae-hbm2", 4, "cores=3"),
    ("core-hbm2", 4, "cores=3"),
]

_kernels = {}


def compiled(module, inputs, machine, **options):
    """A kernel of `module`; programs that are the same share one."""
    program = ember.export(module, inputs, **options)
    key = program.text, machine, str(program.in_spec)
    if key not in _kernels:
        name, level, *overrides = machine
        _kernels[key] = ember.compile(program, machine=name, level=level, overrides=overrides)
    return _kernels[key]


def run_text(text, inputs, machine):
    """The results of a module given as MLIR text on torch tensors, and its statistics.

    Modules of the same text share one kernel.
    """
    key = text, machine
    if key not in _kernels:
        name, level, *overrides = machine
        _kernels[key] = _core.compile(text, name, overrides, level, 16)
    buffers, statistics = _kernels[key].run([to_dlpack(t) for t in inputs])
    return [torch.from_dlpack(b) for b in buffers], json.loads(statistics)


class Bag(nn.Module):
    """F.embedding_bag with everything an input, so that one module serves many cases."""

    def __init__(self, **options):
        super().__init__()
        self.options = options

    def forward(self, table, indices, offsets=None, weights=None):
        return F.embedding_bag(indices, table, offsets, per_sample_weights=weights, **self.options)


class Lookup(nn.Module):
    def forward(self, table, indices):
        return F.embedding(indices, table)


@pytest.fixture(scope="session")
def ember_opt():
    """Runs ember-opt on a text and returns what it prints; fails the test on an error."""
    built = pathlib.Path(os.environ.get("EMBER_BIN", ROOT / "build/bin")) / "ember-opt"
    tool = built if built.exists() else shutil.which("ember-opt")
    if tool is None:
        pytest.skip("no ember-opt in build/bin, $EMBER_BIN or the path")

    def run(text, *options):
        done = subprocess.run(
            [tool, *options], input=str(text), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
