# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ember.compile`: from a program to a kernel that runs on a modelled machine."""

import json

import torch
from torch.utils import _pytree as pytree
from torch.utils.dlpack import to_dlpack

from .arguments import as_tensor, bind
from .errors import EmberError, EmberTypeError, EmberValueError
from .program import Program


def compile(
    program,
    target="dae",
    machine="dae-hbm2",
    level=4,
    overrides=(),
    prefetch_distance=16,
):
    """Compiles a program for a modelled machine.

    program: what `ember.export` returned.
    target: "dae", the only one yet.
    machine: a shipped machine's name (dae-hbm2, core-hbm2, ...) or the path of a machine file.
    level: optimisation level, 0 to 4.
    overrides: "caches.l2.mshr=64" and the like, replacing values of the machine file.
    prefetch_distance: on a machine without access units, lookups ahead that rows are
      prefetched; 0 is off.

    Returns an `ember.Kernel`. Raises `ember.EmberValueError` for an option that is not valid and
    `ember.CompileError` with the compiler's diagnostics when a pass fails.
    """
    if not isinstance(program, Program):
        kind = type(program).__name__
        raise EmberTypeError(f"program: is a {kind}, expected what ember.export returns")
    if target != "dae":
        raise EmberValueError(f"target: is {target!r}, expected 'dae'")
    _check_int("level", level)
    _check_int("prefetch_distance", prefetch_distance)
    from . import _core  # loads MLIR and LLVM: not needed to export

    compiled = _core.compile(program.text, str(machine), list(overrides), level, prefetch_distance)
    return Kernel(program, compiled, str(machine), level)


def _check_int(name, value):
    if not isinstance(value, int) or isinstance(value, bool):
        raise EmberTypeError(f"{name}: is a {type(value).__name__}, expected an int")


class Kernel:
    """A compiled program. Call it as the module it came from; the parameters are the module's.

    torch tensors in give torch tensors out, numpy arrays in numpy arrays. `stats` are the
    counters of the last call.
    """

    def __init__(self, program, compiled, machine, level):
        self.program, self.machine, self.level = program, machine, level
        self._compiled, self._stats = compiled, None
        self._parameters = [as_tensor(n, t) for n, t in program.parameters.items()]

    def __call__(self, *args, **kwargs):
        inputs, from_numpy = bind(self.program, args, kwargs)
        capsules = [to_dlpack(t) for t in (*self._parameters, *inputs)]
        buffers, statistics = self._compiled.run(capsules)
        self._stats = json.loads(statistics)
        results = [torch.from_dlpack(b) for b in buffers]
        if from_numpy:
            results = [_to_numpy(s, r) for s, r in zip(self.program.results, results, strict=True)]
        return pytree.tree_unflatten(results, self.program.out_spec)

    @property
    def stats(self):
        """Statistics of the last call (docs/simulator.md names them); `stats["cycles"]`."""
        if self._stats is None:
            raise EmberError("the kernel has no statistics before its first call")
        return self._stats

    @property
    def stages(self):
        """What `ir` takes for this kernel, in the compiler's order."""
        return self._compiled.stages()

    def ir(self, stage):
        """The module's text after a stage: "emb", "scf", "slc", "dlc", ..."""
        return self._compiled.ir(stage)

    @property
    def seconds_by_stage(self):
        """Wall-clock seconds of each step of the compilation, in order: "parse", the stages, and
        "llvm", which makes the parts' optimised LLVM IR.
        """
        return self._compiled.seconds_by_stage()

    @property
    def remarks(self):
        """What the compiler says of its choices, a line each: for each load of a loop nest that
        looks data up, whether it moved to the access unit or why not, at the line it comes from.
        """
        return self._compiled.remarks()

    @property
    def parts(self):
        """What `llvm` takes: a machine without an access unit has the host part alone."""
        return ("host", "access", "execute") if "split" in self.stages else ("host",)

    def llvm(self, part):
        """The optimised LLVM IR of a part: "host", "access" or "execute"."""
        return self._compiled.llvm(part)

    def __repr__(self):
        return f"<ember.Kernel for {self.machine}, level {self.level}: {self.program!r}>"


def _to_numpy(spec, result):
    if result.dtype == torch.bfloat16:
        raise EmberTypeError(f"{spec.name}: numpy has no bfloat16; pass torch tensors instead")
    return result.numpy()
