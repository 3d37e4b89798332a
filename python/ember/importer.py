# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ember.export`: from a PyTorch module to an emb-level program.

torch.export records the module; its graph holds one of three forms of the bag (which one depends
on decompositions and on whether the table is trainable), `aten.embedding`, and, for 2-D indices,
a small pattern that makes offsets. Everything else is refused, all at once.
"""

import inspect
import linecache
import operator

import sympy
import torch
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, TensorArgument
from torch.utils import _pytree as pytree

from . import mlir
from .checks import check_bag, check_lookup
from .errors import EmberError, EmberTypeError, EmberValueError, UnsupportedError
from .program import ConstantSpec, Program, SizeRule, TensorSpec
from .tracing import at_line, caller, node_line, size_guards, trace
from .types import MLIR_NAME

aten = torch.ops.aten

# The argument lists of the bag's forms. In the first, no padding is None and -1 is the last row;
# in the private ones any negative padding_idx is none. Trailing defaults are dropped in graphs.
_PUBLIC_BAG = {
    "weight": None, "indices": None, "offsets": None, "scale_grad_by_freq": False, "mode": 0,
    "sparse": False, "per_sample_weights": None, "include_last_offset": False, "padding_idx": None,
}  # fmt: skip
_PRIVATE_BAG = _PUBLIC_BAG | {"padding_idx": -1}
_BAGS = {
    aten.embedding_bag.default: _PUBLIC_BAG,
    aten.embedding_bag.padding_idx: _PUBLIC_BAG,
    aten._embedding_bag.default: _PRIVATE_BAG,
    aten._embedding_bag_forward_only.default: _PRIVATE_BAG,
}
_LOOKUP = {
    "weight": None, "indices": None, "padding_idx": -1, "scale_grad_by_freq": False,
    "sparse": False,
}  # fmt: skip
_MODES = ("sum", "mean", "max")
_RESHAPES = {aten.reshape.default, aten.view.default, aten._unsafe_view.default}
_SAME = {
    aten.alias.default, aten.detach.default, aten.clone.default, aten.contiguous.default,
    aten.lift_fresh_copy.default,
}  # fmt: skip
# Arithmetic on sizes: used by the offsets of 2-D indices and by torch's own shape assertions.
_SIZES = {
    aten.sym_size.int, aten.sym_numel.default, aten._assert_scalar.default,
    operator.mul, operator.add, operator.sub, operator.floordiv, operator.eq, operator.ne,
    operator.ge, operator.le, operator.gt, operator.lt,
}  # fmt: skip
_WHY = {
    "embedding_renorm": "max_norm rescales the table in place; do that with torch before the export"
}
_OOB = ("error", "clamp", "skip_negative")


def export(module, args=(), kwargs=None, dynamic_shapes=None, oob="error"):
    """Exports a module made of embedding bags and lookups.

    module: a torch.nn.Module, or what torch.export.export returned for one.
    args, kwargs: example inputs; only types and shapes count.
    dynamic_shapes: as for torch.export. Left out, every size of every input may differ from call
      to call, but a table's row length.
    oob: what an index out of range does: "error", "clamp" to the nearest row, or
      "skip_negative" (negative ones are left out, others are errors).

    Returns an `ember.Program`. Raises `ember.UnsupportedError` listing every operation that is
    not imported with its source line.
    """
    if oob not in _OOB:
        raise EmberValueError(f"oob: is {oob!r}, expected 'error', 'clamp' or 'skip_negative'")
    place = caller()
    if isinstance(module, torch.export.ExportedProgram):
        return _Importer(module, None, oob, place).run()
    if not isinstance(module, torch.nn.Module):
        kind = type(module).__name__
        raise EmberTypeError(
            f"module: is a {kind}, expected a torch.nn.Module or torch.export.ExportedProgram"
        )
    if not isinstance(args, (tuple, list)):
        raise EmberTypeError(f"args: is a {type(args).__name__}, expected a tuple of inputs")
    exported = trace(module, args, kwargs, dynamic_shapes)
    examples = None
    if dynamic_shapes is None:
        examples = pytree.tree_leaves((tuple(args), dict(kwargs or {})))
    signature = inspect.signature(module.forward)
    return _Importer(exported, examples, oob, place, signature).run()


class _Flat:
    """A tensor seen as one dimension; what `reshape(-1)` gives."""

    def __init__(self, value):
        self.value = value


class _Starts:
    """`arange(0, end, step)`: the offsets of a 2-D tensor's rows, if the sizes agree."""

    def __init__(self, end, step):
        self.end, self.step = end, step


class _Importer:
    """`examples`: the flat example inputs, if every size of them may vary."""

    def __init__(self, exported, examples, oob, place, signature=None):
        self.exported, self.examples, self.oob = exported, examples, oob
        self.place, self.signature = place, signature
        self.graph_signature = exported.graph_signature
        self.function = mlir.Function()
        self.values = {}  # node -> Value, _Flat, _Starts, None (a refused operation's result)
        self.bags = {}  # node of a bag -> its first result
        self.fakes = {}  # ssa name of an argument -> torch's own tensor, with symbolic sizes
        self.parameters, self.inputs, self.names = {}, [], set()
        self.refused = []  # (node, reason or None)

    def run(self):
        self._arguments()
        for node in self.exported.graph.nodes:
            if node.op == "call_function":
                self._call(node)
            elif node.op not in ("placeholder", "output"):
                self.refused.append((node, None))
        if self.refused:
            raise UnsupportedError(self._refusal())
        results = self._results()
        specs = [TensorSpec(n, v.dtype, _sizes(v)) for n, v in results]
        spec = self.exported.call_spec
        return Program(
            self.function.text(results), self.parameters, tuple(self.inputs), tuple(specs),
            spec.in_spec, spec.out_spec, self.signature, tuple(self._rules()),
        )  # fmt: skip

    # Arguments

    def _arguments(self):
        """Parameters, buffers and constants lead; the caller's inputs follow in their order."""
        nodes = {n.name: n for n in self.exported.graph.nodes if n.op == "placeholder"}
        user = []
        for spec in self.graph_signature.input_specs:
            node = nodes.get(spec.arg.name)
            if spec.kind == InputKind.USER_INPUT:
                user.append((spec.arg, node))
            elif isinstance(spec.arg, TensorArgument) and node.users:
                self._parameter(node, spec.target)
        for position, (argument, node) in enumerate(user):
            self._input(argument, node, position)

    def _parameter(self, node, target):
        stored = self.exported.state_dict.get(target)
        tensor = self.exported.constants.get(target) if stored is None else stored
        name = self._name(target)
        self.parameters[name] = tensor.detach()
        value = self.function.argument(
            name, tensor.shape, tensor.dtype, parameter=True, location=self.place
        )
        self.values[node], self.fakes[value.ssa] = value, node.meta["val"]

    def _input(self, argument, node, position):
        if isinstance(argument, ConstantArgument):
            self.inputs.append(ConstantSpec(argument.name, argument.value))
            return
        if not isinstance(argument, TensorArgument):
            raise EmberTypeError(
                f"{argument.name}: is no tensor and its value is not fixed; "
                "expected a tensor or a constant"
            )
        fake, name = node.meta["val"], self._name(argument.name)
        if fake.dtype not in MLIR_NAME or fake.layout != torch.strided:
            kind = f"{fake.dtype} tensor, {fake.layout}"
            raise EmberTypeError(f"{name}: is a {kind}; expected a dense real tensor")
        sizes = [_size(s) for s in fake.shape]
        if self._is_table(node) and len(sizes) == 2:
            sizes[1] = self._row_length(name, sizes[1], position)
        spec = TensorSpec(name, fake.dtype, tuple(sizes))
        self.inputs.append(spec)
        value = self.function.argument(name, spec.shape, fake.dtype, location=self.place)
        self.values[node], self.fakes[value.ssa] = value, fake

    def _row_length(self, name, size, position):
        """A table's row length is compiled in: the example's where Ember chose what may vary."""
        if isinstance(size, int):
            return size
        if self.examples is None:
            raise EmberValueError(f"{name}: the row length of a table must not be dynamic")
        return self.examples[position].shape[1]

    def _rules(self):
        """Torch's own code asks about sizes too; what it asks does not matter to Ember."""
        names = {}
        for spec in self.inputs:
            for dimension, size in enumerate(getattr(spec, "sizes", ())):
                names.setdefault(size, f"{spec.name}.shape[{dimension}]")
        for expression, place in size_guards(self.exported):
            symbols = {s: sympy.Symbol(names.get(s.name, "?")) for s in expression.free_symbols}
            text = str(expression.subs(symbols))
            if any(s.name not in names for s in symbols):
                raise at_line(UnsupportedError(f"depends on sizes that vary: {text}"), place)
            yield SizeRule(expression, text, place)

    def _is_table(self, node):
        tables = (*_BAGS, aten.embedding.default)
        return any(u.target in tables and u.args[0] is node for u in node.users)

    def _name(self, wanted):
        name, n = wanted, 0
        while name in self.names:
            n += 1
            name = f"{wanted}_{n}"
        self.names.add(name)
        return name

    # Operations

    def _call(self, node):
        target, place = node.target, node_line(node, self.place)
        if target in _SIZES and not isinstance(node.meta.get("val"), torch.Tensor):
            return
        arguments = [self.values.get(a) for a in node.args if isinstance(a, torch.fx.Node)]
        self.values[node] = None
        try:
            with self.function.at(*place):
                if target is operator.getitem and node.args[0] in self.bags:
                    self._first_result(node)
                elif target in _BAGS:
                    self._bag(node)
                elif target == aten.embedding.default:
                    self._lookup(node)
                elif target in _SAME and arguments[0] is not None:
                    self.values[node] = arguments[0]
                elif target in _RESHAPES and self._is_flat(node):
                    self.values[node] = _Flat(self.values[node.args[0]])
                elif target == aten.arange.start_step and node.args[0] == 0:
                    self.values[node] = _Starts(*(*node.args, 1)[1:3])
                else:
                    self.refused.append((node, None))
        except EmberError as error:
            raise at_line(error, place) from None

    def _is_flat(self, node):
        value = self.values.get(node.args[0])
        argument = isinstance(value, mlir.Value) and value.ssa in self.fakes
        return argument and len(node.meta["val"].shape) == 1

    def _first_result(self, node):
        if node.args[1] == 0:
            self.values[node] = self.bags[node.args[0]]
        elif node.users:
            self.refused.append((node, "only the first result of a bag is computed"))

    def _bag(self, node):
        a = _named(node, _BAGS[node.target])
        self.bags[node] = None
        padding = a["padding_idx"]
        if node.target in (aten._embedding_bag.default, aten._embedding_bag_forward_only.default):
            padding = None if padding < 0 else padding
        mode = _MODES[a["mode"]] if a["mode"] in range(3) else a["mode"]
        if mode == "max" and (a["scale_grad_by_freq"] or a["sparse"]):
            raise EmberValueError("mode: 'max' takes neither scale_grad_by_freq nor sparse")
        table, weights = self.values.get(a["weight"]), self._tensor(a["per_sample_weights"])
        indices, offsets = self.values.get(a["indices"]), self.values.get(a["offsets"])
        if isinstance(offsets, _Starts):
            indices, offsets = self._rows_as_bags(indices, offsets)
        indices, offsets = self._tensor(indices), self._tensor(offsets)
        given = (table, indices, offsets) + ((weights,) if a["per_sample_weights"] else ())
        if not self._known(node, given):
            return
        check_bag(table, indices, offsets, weights, mode, padding)
        bags, static = self.function.bags(offsets, a["include_last_offset"])
        if static is not None and static < 0:
            raise EmberValueError("offsets: empty; include_last_offset needs at least 1")
        out = self.function.empty(
            "out", [] if static is not None else [bags], (static, table.shape[1]), table.dtype
        )
        attributes = self._oob_attribute()
        if a["include_last_offset"]:
            attributes.append("include_last_offset")
        if padding is not None:
            attributes.append(f"padding_idx = {padding} : i64")
        self.bags[node] = self.function.bag(
            mode, table, indices, offsets, weights, out, attributes, "pooled"
        )

    def _rows_as_bags(self, indices, starts):
        """2-D indices: torch made them flat and their row starts an arange."""
        if not isinstance(indices, _Flat) or len(indices.value.shape) != 2:
            return indices, starts
        rows, length = self.fakes[indices.value.ssa].shape
        if not (_equal(starts.end, rows * length) and _equal(starts.step, length)):
            return indices, starts
        return indices, self.function.row_offsets(indices.value)

    def _lookup(self, node):
        a = _named(node, _LOOKUP)
        table, indices = self.values.get(a["weight"]), self._tensor(self.values.get(a["indices"]))
        if not self._known(node, (table, indices)):
            return
        check_lookup(table, indices)
        sizes = [self.function.dim(indices, i) for i, s in enumerate(indices.shape) if s is None]
        shape = (*indices.shape, table.shape[1])
        out = self.function.empty("out", sizes, shape, table.dtype)
        self.values[node] = self.function.lookup(table, indices, out, self._oob_attribute(), "rows")

    def _known(self, node, operands):
        """Whether all operands are tensors the program has; else the operation is refused."""
        if all(isinstance(v, mlir.Value) for v in operands):
            return True
        if all(v is not None for v in operands):  # None: what makes it was refused already
            self.refused.append((node, "its operands must be inputs or parameters"))
        return False

    def _tensor(self, value):
        """An operand as a Value, flattened in the program where torch did so."""
        if isinstance(value, torch.fx.Node):
            value = self.values.get(value)
        return self.function.flatten(value.value) if isinstance(value, _Flat) else value

    def _oob_attribute(self):
        return [] if self.oob == "error" else [f"oob = #emb.oob<{self.oob}>"]

    # Results

    def _results(self):
        output = next(n for n in self.exported.graph.nodes if n.op == "output")
        nodes = output.args[0]
        results = []
        for node, spec in zip(nodes, self.graph_signature.output_specs, strict=True):
            value = self.values.get(node) if isinstance(node, torch.fx.Node) else None
            if spec.kind != OutputKind.USER_OUTPUT:
                raise UnsupportedError(
                    f"the module changes {spec.target}; Ember leaves inputs alone"
                )
            if not isinstance(value, mlir.Value) or value.ssa in self.fakes:
                raise UnsupportedError(
                    f"result {len(results)} is not what an embedding bag or lookup returns"
                )
            results.append(value)
        if len(results) == 1:
            return [("result", results[0])]
        return [(f"result{i}", v) for i, v in enumerate(results)]

    def _refusal(self):
        count = len(self.refused)
        lines = [f"{count} operation{'s are' if count > 1 else ' is'} not imported:"]
        for node, why in self.refused:
            file, line = node_line(node, self.place)
            name = str(node.target)
            why = why or next((text for op, text in _WHY.items() if op in name), None)
            lines.append(f"  {file}:{line}: {name}" + (f" ({why})" if why else ""))
            source = linecache.getline(file, line).strip()
            if source:
                lines.append(f"      {source}")
        lines.append(
            "Ember imports nn.EmbeddingBag, F.embedding_bag, nn.Embedding and F.embedding; "
            "leave the rest to torch."
        )
        return "\n".join(lines)


def _named(node, defaults):
    """A node's arguments by name, with the defaults the graph dropped."""
    given = dict(zip(defaults, node.args, strict=False))
    return defaults | given | node.kwargs


def _sizes(value):
    return tuple("?" if s is None else s for s in value.shape)


def _size(size):
    """A size of an input: a number where torch knows it, else its symbol's name."""
    expression = _expression(size)
    return int(expression) if expression.is_number else str(expression)


def _expression(size):
    """A size as an expression: torch's symbol for one that varies, from a node or a shape."""
    if isinstance(size, torch.fx.Node):
        size = size.meta["val"]
    return size.node.expr if isinstance(size, torch.SymInt) else sympy.Integer(size)


def _equal(left, right):
    return sympy.expand(_expression(left) - _expression(right)) == 0
