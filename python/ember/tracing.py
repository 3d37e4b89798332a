# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs torch.export on a module, and tells where in the user's Python something stands."""

import inspect
import logging
import os
import re
import sys
import traceback

import torch
from torch.utils import _pytree as pytree

from .checks import check_bag, check_table
from .errors import EmberError, EmberValueError, UnsupportedError

_TORCH = os.path.dirname(torch.__file__) + os.sep
_EMBER = os.path.dirname(__file__) + os.sep


def trace(module, args, kwargs, dynamic_shapes):
    """torch.export of `module`; without dynamic_shapes every size of every input may vary."""
    args, kwargs = _examples(module, args, kwargs, every_size=dynamic_shapes is None)
    if dynamic_shapes is None:
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
        _diagnose(error)
        raise UnsupportedError(f"torch.export cannot export the module: {error}") from error
    finally:
        log.setLevel(level)


def _examples(module, args, kwargs, every_size):
    """The example inputs made safe for torch.export.

    It merges a tensor given for two inputs into one, silently: each input gets its own. And it
    takes sizes 0 and 1 of an example for constants; where every size may vary, larger ones stand
    for them (the values are not read).
    """
    seen = {id(t) for t in (*module.parameters(), *module.buffers())}

    def example(leaf):
        if not isinstance(leaf, torch.Tensor):
            return leaf
        if every_size and leaf.layout == torch.strided and any(s < 2 for s in leaf.shape):
            # Equal sizes stay equal: per-sample weights have the shape of the indices.
            sizes = [{0: 11, 1: 13}.get(s, s) for s in leaf.shape]
            return torch.zeros(sizes, dtype=leaf.dtype, device=leaf.device)
        if id(leaf) in seen:
            return leaf.detach().clone()
        seen.add(id(leaf))
        return leaf

    return pytree.tree_map(example, (tuple(args), dict(kwargs or {})))


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


def _diagnose(error):
    """Raises Ember's own error when torch refused the arguments of an embedding."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        code, found = frame.f_code, frame.f_locals
        if not code.co_filename.startswith(_TORCH + "nn" + os.sep + "functional"):
            continue
        line = code.co_name in ("embedding_bag", "embedding") and _user_frame(error)
        try:
            if code.co_name == "embedding_bag":
                check_bag(
                    found["weight"],
                    found["input"],
                    found["offsets"],
                    found["per_sample_weights"],
                    found["mode"],
                    found["padding_idx"],
                )
            elif code.co_name == "embedding":
                check_table("weight", found["weight"])
        except EmberError as ours:
            raise at_line(ours, line) from error


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
