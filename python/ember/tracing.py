# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs torch.export on a module, and tells where in the user's Python something stands."""

import contextlib
import inspect
import itertools
import logging
import os
import re
import sys
import traceback

import torch
from torch._subclasses import FakeTensor
from torch.utils import _pytree as pytree

from .checks import check_bag, check_lookup
from .errors import EmberError, EmberValueError, UnsupportedError

_TORCH = os.path.dirname(torch.__file__) + os.sep
_EMBER = os.path.dirname(__file__) + os.sep


def trace(module, args, kwargs, dynamic_shapes):
    """torch.export of `module`; without dynamic_shapes every size of every input may vary."""
    inputs = _own_tensors(module, (tuple(args), dict(kwargs or {})))
    if dynamic_shapes is not None:
        return _export(module, inputs, dynamic_shapes, {})
    needed = set()
    while True:
        ample, stand_ins = _ample_sizes(inputs, needed)
        exported = _export(module, ample, _every_size(module, *ample), stand_ins)
        fixed = _fixed(exported, inputs, ample)
        if not fixed:
            return exported
        needed |= fixed


def _export(module, inputs, dynamic_shapes, stand_ins):
    try:
        with _quiet():
            return torch.export.export(module, *inputs, dynamic_shapes=dynamic_shapes, strict=False)
    except Exception as error:
        _diagnose(error, {ample: small for small, ample in stand_ins.items()})
        raise UnsupportedError(f"torch.export cannot export the module: {error}") from error


@contextlib.contextmanager
def _quiet():
    """Ember reports what torch refuses; torch need not log it too."""
    names = "torch._subclasses.fake_tensor", "torch._export.non_strict_utils"
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _fixed(exported, inputs, ample):
    """Positions of the inputs of which the trace made a stand-in for 0 or 1 a number."""
    names = exported.graph_signature.user_inputs
    nodes = {n.name: n for n in exported.graph.nodes if n.op == "placeholder"}
    leaves = zip(names, pytree.tree_leaves(inputs), pytree.tree_leaves(ample), strict=True)
    fixed = set()
    for position, (name, given, traced) in enumerate(leaves):
        if given is not traced and name in nodes:
            sizes = zip(given.shape, traced.shape, nodes[name].meta["val"].shape, strict=True)
            if any(a != b and not _varies(size) for a, b, size in sizes):
                fixed.add(position)
    return fixed


def _varies(size):
    return isinstance(size, torch.SymInt) and not size.node.expr.is_number


def _own_tensors(module, inputs):
    """torch.export merges a tensor given for two inputs into one, silently: each gets its own."""
    seen = {id(t) for t in (*module.parameters(), *module.buffers())}

    def own(leaf):
        if isinstance(leaf, torch.Tensor) and id(leaf) in seen:
            return leaf.detach().clone()
        seen.add(id(leaf))
        return leaf

    return pytree.tree_map(own, inputs)


def _ample_sizes(inputs, needed):
    """Examples without the sizes 0 and 1, which torch.export takes for constants.

    The inputs at the positions `needed` keep theirs: the module needs them as numbers.

    Returns the inputs and which other size stands for 0 and for 1: equal sizes stay equal, as
    per-sample weights have the shape of the indices. The new tensors' values are not read.
    """
    tensors = [t for t in pytree.tree_leaves(inputs) if isinstance(t, torch.Tensor)]
    used = {s for t in tensors for s in t.shape}
    free = (n for n in itertools.count(2) if n not in used)
    stand_ins = {0: next(free), 1: next(free)}

    def ample(position, leaf):
        dense = isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided
        if position in needed or not dense or all(s > 1 for s in leaf.shape):
            return leaf
        sizes = [stand_ins.get(s, s) for s in leaf.shape]
        return torch.zeros(sizes, dtype=leaf.dtype, device=leaf.device)

    leaves, spec = pytree.tree_flatten(inputs)
    leaves = [ample(position, leaf) for position, leaf in enumerate(leaves)]
    return pytree.tree_unflatten(leaves, spec), stand_ins


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


def size_guards(exported):
    """(relation over size symbols, place) that the user's Python made the trace depend on.

    Equal sizes are not among them: torch gives them one symbol. Nor is what torch takes for
    granted: that a size which varies is neither 0 nor 1.
    """
    tensors = [n.meta.get("val") for n in exported.graph.nodes if n.op == "placeholder"]
    modes = [t.fake_mode for t in tensors if isinstance(t, FakeTensor)]
    environment = modes[0].shape_env if modes else None
    for guard in environment.guards if environment else ():
        frame = guard.sloc.framework_loc
        place = user_line([(frame.filename, frame.lineno)]) if hasattr(frame, "lineno") else None
        expression = environment.replace(guard.expr)
        if place and expression.free_symbols:
            yield expression, place


def node_line(node, fallback):
    """The user's (file, line) of a graph node."""
    trace = node.meta.get("stack_trace") or ""
    frames = re.findall(r'File "([^"]+)", line (\d+)', trace)
    return user_line([(file, int(line)) for file, line in frames]) or fallback


def at_line(error, place):
    """The same error with `file:line: ` before its message."""
    return type(error)(f"{place[0]}:{place[1]}: {error}") if place else error
