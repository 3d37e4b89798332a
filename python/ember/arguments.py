# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Binds the arguments of a kernel's call to the program's inputs and checks each of them."""

import warnings

import numpy
import torch
from torch.utils import _pytree as pytree

from .errors import EmberTypeError, EmberValueError
from .program import ConstantSpec
from .types import INDEX_TYPES, expected, shape_text, short


def bind(program, args, kwargs):
    """(tensors in the order of the program's tensor inputs, whether all came from numpy)."""
    leaves, sizes, tensors, numpy_only = _flatten(program, args, kwargs), {}, [], True
    for spec, given in zip(program.inputs, leaves, strict=True):
        if isinstance(spec, ConstantSpec):
            _check_constant(spec, given)
            continue
        numpy_only &= isinstance(given, numpy.ndarray)
        tensor = _check_type(spec, as_tensor(spec.name, given))
        _check_shape(spec, tensor, sizes)
        tensors.append(tensor)
    for rule in program.rules:
        if not rule.holds({name: size for name, (size, _) in sizes.items()}):
            file, line = rule.place
            raise EmberValueError(
                f"the module was exported with {rule.text}, which {file}:{line} depends on; "
                "the sizes of this call differ in that"
            )
    return tensors, numpy_only and bool(tensors)


def _flatten(program, args, kwargs):
    """The call's inputs as a flat list, nested as at the export."""
    leaves, spec = pytree.tree_flatten((args, kwargs))
    if spec == program.in_spec:
        return leaves
    # The same arguments, but by name where the export had positions, or the reverse.
    if program.signature is not None:
        try:
            bound = program.signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise EmberTypeError(str(error)) from None
        count = len(program.in_spec.child(0).children())
        names = list(bound)
        again = tuple(bound[n] for n in names[:count]), {n: bound[n] for n in names[count:]}
        leaves, spec = pytree.tree_flatten(again)
        if spec == program.in_spec:
            return leaves
        _check_leaves(program, again)
    wanted = ", ".join(i.name for i in program.inputs)
    raise EmberTypeError(
        f"called with {len(leaves)} inputs that do not fit the {len(program.inputs)} of the export:"
        f" ({wanted})"
    )


def _check_leaves(program, inputs):
    """Names the first input that is a list, say, where a tensor is expected."""
    position = 0
    args, kwargs = program.in_spec.children()
    for spec, given in zip(
        (*args.children(), *kwargs.children()), (*inputs[0], *inputs[1].values()), strict=False
    ):
        if spec.is_leaf() and not pytree.tree_structure(given).is_leaf():
            name, kind = program.inputs[position].name, type(given).__name__
            raise EmberTypeError(f"{name}: is a {kind}, expected a torch tensor or numpy array")
        position += spec.num_leaves


def _check_constant(spec, given):
    same = given is spec.value
    if not same and type(given) is type(spec.value):
        same = given == spec.value
    if not same:
        shown = "a tensor" if isinstance(given, (torch.Tensor, numpy.ndarray)) else repr(given)
        raise EmberValueError(
            f"{spec.name}: is {shown}, expected {spec.value!r}; it was fixed at the export"
        )


def as_tensor(name, given):
    """`given` as a dense torch tensor in host memory, sharing memory where it can."""
    if isinstance(given, numpy.ndarray):
        return _from_numpy(name, given)
    if not isinstance(given, torch.Tensor):
        kind = type(given).__name__
        raise EmberTypeError(f"{name}: is a {kind}, expected a torch tensor or numpy array")
    if given.layout != torch.strided:
        raise EmberTypeError(f"{name}: has layout {given.layout}, expected a dense tensor")
    if given.device.type != "cpu":
        raise EmberTypeError(f"{name}: is on {given.device}, expected a tensor in host memory")
    return given.detach().resolve_conj().resolve_neg()


def _from_numpy(name, array):
    if any(s < 0 for s in array.strides):
        array = numpy.ascontiguousarray(array)
    try:
        with warnings.catch_warnings():
            # Of read-only arrays; a kernel never writes its inputs.
            warnings.simplefilter("ignore")
            return torch.from_numpy(array)
    except (TypeError, ValueError) as error:
        # Structured, big-endian and other types torch has no name for.
        raise EmberTypeError(
            f"{name}: a numpy array of type {array.dtype}, which is not supported"
        ) from error


def _check_type(spec, tensor):
    if tensor.dtype == spec.dtype:
        return tensor
    if spec.dtype == torch.int64 and tensor.dtype == torch.int32:
        return tensor.to(torch.int64)
    note = ""
    if spec.dtype in INDEX_TYPES and tensor.dtype in INDEX_TYPES:
        note = ", as at the export"
    elif spec.dtype in INDEX_TYPES:
        note = f"; indices and offsets are {expected(INDEX_TYPES)}"
    raise EmberTypeError(
        f"{spec.name}: element type is {short(tensor.dtype)}, expected {short(spec.dtype)}{note}"
    )


def _check_shape(spec, tensor, sizes):
    """`sizes`: what the sizes known at run time only were in earlier inputs."""
    shape = tuple(tensor.shape)
    if len(shape) != len(spec.sizes):
        raise EmberValueError(
            f"{spec.name}: of shape {shape_text(shape)}, expected {shape_text(spec.shape)}"
        )
    for dimension, (size, wanted) in enumerate(zip(shape, spec.sizes, strict=True)):
        reason = ""
        if isinstance(wanted, str):
            wanted, other = sizes.setdefault(wanted, (size, spec.name))
            reason = f", the size of {other}"
        if size != wanted:
            raise EmberValueError(
                f"{spec.name}: of shape {shape_text(shape)}, "
                f"expected size {wanted} in dimension {dimension}{reason}"
            )
