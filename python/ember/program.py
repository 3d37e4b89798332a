# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `ember.export` returns: an emb-level module with its parameters."""

import dataclasses
import pathlib
from typing import Any

import torch

from .types import shape_text, short


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """An argument or result. A size is a number, or the name of a size that differs from call to
    call; equal names are equal sizes."""

    name: str
    dtype: torch.dtype
    sizes: tuple[int | str, ...]

    @property
    def shape(self):
        """Sizes with None for those known at run time only."""
        return tuple(s if isinstance(s, int) else None for s in self.sizes)

    def __str__(self):
        return f"{self.name}: {short(self.dtype)} {shape_text(self.shape)}"


@dataclasses.dataclass(frozen=True)
class ConstantSpec:
    """An input that is no tensor (None, a number, a string): fixed at export."""

    name: str
    value: Any


@dataclasses.dataclass(frozen=True)
class SizeRule:
    """What the module's own Python asked about sizes on the way to this program, as in
    `if x.shape[0] > 3`: the program stands for calls with the same answer only."""

    expression: Any  # a sympy relation over the names of sizes
    text: str
    place: tuple[str, int]

    def holds(self, sizes):
        names = {s: sizes[s.name] for s in self.expression.free_symbols}
        return bool(self.expression.subs(names))


@dataclasses.dataclass(frozen=True)
class Program:
    """An embedding program at the emb level.

    `str(program)` is its MLIR text. `parameters` maps the names of the leading arguments to
    their tensors; `inputs` are what a caller passes, `results` what comes back.
    """

    text: str
    parameters: dict[str, torch.Tensor]
    inputs: tuple[TensorSpec | ConstantSpec, ...]
    results: tuple[TensorSpec, ...]
    # How the flat inputs and results are nested in the module's own signature.
    in_spec: Any = dataclasses.field(repr=False)
    out_spec: Any = dataclasses.field(repr=False)
    # The names of forward's parameters, to accept an argument by position or by name.
    signature: Any = dataclasses.field(repr=False, default=None)
    rules: tuple[SizeRule, ...] = ()

    def __str__(self):
        return self.text

    def __repr__(self):
        arguments = ", ".join(str(i) for i in self.inputs if isinstance(i, TensorSpec))
        results = ", ".join(str(r) for r in self.results)
        return f"<ember.Program ({arguments}) -> ({results})>"

    def save(self, path):
        """Writes the MLIR text to `path` and the parameters beside it, as `.safetensors`."""
        from safetensors.torch import save_file

        path = pathlib.Path(path)
        path.write_text(self.text)
        # Copies: a tensor may be a view, or one parameter under two names.
        tensors = {k: v.detach().clone().contiguous() for k, v in self.parameters.items()}
        save_file(tensors, path.with_suffix(".safetensors"))
