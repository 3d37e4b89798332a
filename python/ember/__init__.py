# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ember compiles the embedding operations of a model for decoupled access-execute hardware.

    program = ember.export(module, (indices, offsets))
    kernel = ember.compile(program, machine="dae-hbm2", level=4)
    result = kernel(indices, offsets)
    kernel.stats["cycles"]

Everything it refuses is an `ember.EmberError`.
"""

from .errors import (
    CompileError,
    EmberError,
    EmberIndexError,
    EmberTypeError,
    EmberValueError,
    UnsupportedError,
)
from .importer import export
from .kernel import Kernel, compile
from .program import ConstantSpec, Program, TensorSpec

__all__ = [
    "CompileError",
    "ConstantSpec",
    "EmberError",
    "EmberIndexError",
    "EmberTypeError",
    "EmberValueError",
    "Kernel",
    "Program",
    "TensorSpec",
    "UnsupportedError",
    "compile",
    "export",
]
