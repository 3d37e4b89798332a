# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one error family. A subclass also derives from the built-in a caller would expect."""


class EmberError(Exception):
    """Anything Ember refuses or finds wrong."""


class EmberTypeError(EmberError, TypeError):
    """An argument has the wrong type: names the argument, what it is and what is expected."""


class EmberValueError(EmberError, ValueError):
    """An argument has the wrong shape or value."""


class EmberIndexError(EmberError, IndexError):
    """An index or offset in the data is out of range: names argument, position, value and limit."""


class UnsupportedError(EmberError, NotImplementedError):
    """A module holds operations Ember does not import; lists every one with its source line."""


class CompileError(EmberError, RuntimeError):
    """A compiler pass or the simulator failed; carries its diagnostics."""


_DRIVER_KINDS = {
    "compile": CompileError,
    "option": EmberValueError,
    "argument_type": EmberTypeError,
    "argument_value": EmberValueError,
    "index_out_of_range": EmberIndexError,
    "simulation": CompileError,
}


def from_driver(kind, stage, message, argument, position, value, limit):
    """The exception for an error of the C++ driver.

    `stage` is the step that failed; for a fault in the data, `argument`, `position`, `value` and
    `limit` say where, what stands there and what it was held against.
    """
    error = _DRIVER_KINDS[kind](message)
    error.stage = stage
    if argument:
        error.argument, error.position = argument, position
        error.value, error.limit = value, limit
    return error
