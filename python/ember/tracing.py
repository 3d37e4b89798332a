# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs torch.export on a module, and tells where in the user's Python something stands."""

import inspect
import itertools
import logging
import os
import re
import sys
import traceback

import torch
from torch.utils import _pytree as pytree

from .checks import check_bag, check_lookup
from .errors import EmberError, EmberValueError, UnsupportedError

_TORCH = os.path.dirname(torch.__file__) + os.sep
_EMBER = os.path.dirname(__file__) + os.sep


def trace(module, args, kwargs, dynamic_shapes):
    """torch.export of `module`; without dynamic_shapes every size of every input may vary."""
    args, kwargs = _own_tensors(module, (tuple(args), dict(kwargs or {})))
    stand_ins = {}
    if dynamic_shapes is None:
        (args, kwargs), stand_ins = _ample_sizes((args, kwargs))
        dynamic_shapes = _every_size(module, args, kwargs)
    # Ember reports what torch refuses; torch need not log the traceback of it too.
    log = logging.getLogger("torch._subclasses.fake_tensor")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        return torch.export.export(
            module, args, kwargs, dynamic_shapes=dynamic_shapes, strict=False
        )
    except Exception as error:
        _diagnose(error, {ample: small for small, ample in stand_ins.items()})
        raise UnsupportedError(f"torch.export cannot export the module: {error}") from error
    finally:
        log.setLevel(level)


def _own_tensors(module, inputs):
    """torch.export merges a tensor given for two inputs into one, silently: each gets its own."""
    seen = {id(t) for t in (*module.parameters(), *module.buffers())}

    def own(leaf):
        if isinstance(leaf, torch.Tensor) and id(leaf) in seen:
            return leaf.detach().clone()
        seen.add(id(leaf))
        return leaf

    return pytree.tree_map(own, inputs)


def _ample_sizes(inputs):
    """Examples without the sizes 0 and 1, which torch.export takes for constants.

    Returns the inputs and which other size stands for 0 and for 1: equal sizes stay equal, as
    per-sample weights have the shape of the indices. The new tensors' values are not read.
    """
    tensors = [t for t in pytree.tree_leaves(inputs) if isinstance(t, torch.Tensor)]
    used = {s for t in tensors for s in t.shape}
    free = (n for n in itertools.count(2) if n not in used)
    stand_ins = {0: next(free), 1: next(free)}

    def ample(leaf):
        dense = isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided
        if not dense or all(s > 1 for s in leaf.shape):
            return leaf
        sizes = [stand_ins.get(s, s) for s in leaf.shape]
        return torch.zeros(sizes, dtype=leaf.dtype, device=leaf.device)

    return pytree.tree_map(ample, inputs), stand_ins


def _every_size(module, args, kwargs):
    def sizes(leaf):
        if isinstance(leaf, torch.Tensor):
            return dict.fromkeys(range(leaf.dim()), torch.export.Dim.AUTO)
        return None

    shapes = pytree.tree_map(sizes, args)
    if not kwargs:
        return shapes
    try:
        bound = inspect.signature(module.forward).bind(*args, **kwargs).arguments
    except TypeError as error:
        raise EmberValueError(f"args: do not fit the module's forward: {error}") from error
    return pytree.tree_map(sizes, dict(bound))


class _Example:
    """A tensor of the trace with the example's own sizes."""

    def __init__(self, tensor, small):
        sizes = [s.node.hint if isinstance(s, torch.SymInt) else s for s in tensor.shape]
        self.dtype, self.shape = tensor.dtype, [small.get(s, s) for s in sizes]


def _diagnose(error, small):
    """Raises Ember's own error when torch refused the arguments of an embedding.

    `small`: of which size 0 or 1 a size of the trace is the stand-in.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        if not code.co_filename.startswith(_TORCH + "nn" + os.sep + "functional"):
            continue
        found = {
            k: _Example(v, small) if isinstance(v, torch.Tensor) else v
            for k, v in frame.f_locals.items()
        }
        try:
            if code.co_name == "embedding_bag":
                names = "weight input offsets per_sample_weights mode padding_idx"
                check_bag(*(found[n] for n in names.split()))
            elif code.co_name == "embedding":
                check_lookup(found["weight"], found["input"])
        except EmberError as ours:
            raise at_line(ours, _user_frame(error)) from error


def _user_frame(error):
    frames = [(f.filename, f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    return user_line(frames)


def user_line(frames):
    """The innermost (file, line) that is neither torch's nor Ember's."""
    own = [f for f in frames if not f[0].startswith((_TORCH, _EMBER)) and f[0][0] != "<"]
    return own[-1] if own else None


def caller():
    """Where the user called Ember: stands in where a module has no Python of the user's."""
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(_EMBER):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame else ("<unknown>", 0)


def node_line(node, fallback):
    """The user's (file, line) of a graph node."""
    trace = node.meta.get("stack_trace") or ""
    frames = re.findall(r'File "([^"]+)", line (\d+)', trace)
    return user_line([(file, int(line)) for file, line in frames]) or fallback


def at_line(error, place):
    """The same error with `file:line: ` before its message."""
    return type(error)(f"{place[0]}:{place[1]}: {error}") if place else error
