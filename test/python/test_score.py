# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""emb.score at every level and on the coupled core, against float64 results."""

import random

import pytest
import torch
from conftest import MACHINES, run_text

from ember import EmberError

NAMES = {
    torch.float32: "f32",
    torch.float64: "f64",
    torch.bfloat16: "bf16",
    torch.int32: "i32",
    torch.int64: "i64",
}
# Unit roundoff of the sums and of what is stored.
SUM_EPS = {torch.float32: 2.0**-24, torch.bfloat16: 2.0**-24, torch.float64: 2.0**-53}
STORE_EPS = {torch.float32: 0, torch.bfloat16: 2.0**-8, torch.float64: 0}
FUNCTIONS = ("transe1", "transe2", "distmult", "complex", "rotate")
# Which of heads and tails are lists, or all entities.
FORMS = ("triples", "heads", "tails", "all_heads", "all_tails")
GAMMA = 9.0


def module(function, form, entities, relations, ids, heads, tails):
    """The text of a module whose arguments are those below that are not None."""

    def type_of(tensor):
        sizes = ["?"] * tensor.dim()
        if tensor.is_floating_point():
            sizes[1] = str(tensor.shape[1])
        return f"tensor<{'x'.join([*sizes, NAMES[tensor.dtype]])}>"

    arguments = {"entities": entities, "relations": relations, "ids": ids}
    clauses = ""
    for name, tensor in (("heads", heads), ("tails", tails)):
        if tensor is not None:
            arguments[name] = tensor
            clauses += f" {name}(%{name} : {type_of(tensor)})"
    signature = ", ".join(
        f'%{name}: {type_of(tensor)} {{ember.name = "{name}"}}'
        for name, tensor in arguments.items()
    )
    out = f"tensor<{'?' if form == 'triples' else '?x?'}x{NAMES[entities.dtype]}>"
    sizes = [f"%triples = tensor.dim %ids, %c0 : {type_of(ids)}"]
    if form in ("heads", "tails"):
        sizes.append(f"%candidates = tensor.dim %{form}, %c1 : {type_of(arguments[form])}")
    elif form != "triples":
        sizes.append(f"%candidates = tensor.dim %entities, %c0 : {type_of(entities)}")
    empty = "%triples" if form == "triples" else "%triples, %candidates"
    attributes = [f"gamma = {GAMMA} : f64"] if function[:-1] == "transe" else []
    if function == "rotate":
        attributes.append(f"gamma = {GAMMA} : f64")
    if function[:-1] == "transe":
        attributes.append(f"p = {function[-1]} : i64")
    ins = ", ".join(type_of(t) for t in (entities, relations, ids))
    return f"""
    func.func @main({signature}) -> {out} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      {" ".join(sizes)}
      %out = tensor.empty({empty}) : {out}
      %result = emb.score {function.rstrip("12")}
        ins(%entities, %relations, %ids : {ins}) {clauses}
        outs(%out : {out}) {{{", ".join(attributes)}}} -> {out}
      return %result : {out}
    }}"""


def run(function, form, inputs, machine):
    present = [t for t in inputs if t is not None]
    (result,), _ = run_text(module(function, form, *inputs), present, machine)
    return result


def halves(rows):
    return torch.complex(*rows.chunk(2, -1))


def reference(function, entities, relations, ids, heads, tails):
    """(float64 result, tolerance) of finite inputs."""
    eps = SUM_EPS[entities.dtype]
    every = torch.arange(len(entities)).expand(len(ids), -1)
    ends = [every if t is None else t.long() for t in (heads, tails)]
    candidates = max(t.dim() for t in ends) == 2
    ends = [t[:, None] if candidates and t.dim() == 1 else t for t in ends]
    h, t = (entities.double()[e] for e in ends)
    r = relations.double()[ids.long()]
    r = r[:, None] if candidates else r
    width = entities.shape[1]
    if function in ("transe1", "transe2"):
        difference = h + r - t
        size = 3 * eps * (h.abs() + r.abs() + t.abs())
        p = int(function[-1])
        norm = difference.norm(p, -1)
        result = GAMMA - norm
        error = size.norm(p, -1) + (width + 4) * eps * norm + eps * (GAMMA + norm)
    elif function == "distmult":
        products = h * r * t
        result = products.sum(-1)
        error = (width + 4) * eps * products.abs().sum(-1)
    elif function == "complex":
        result = (halves(h) * halves(r) * halves(t).conj()).real.sum(-1)
        sizes = [x.abs().view(*x.shape[:-1], 2, x.shape[-1] // 2).sum(-2) for x in (h, r, t)]
        error = (width + 8) * eps * (sizes[0] * sizes[1] * sizes[2]).sum(-1)
    else:
        turned = halves(h) * torch.polar(torch.ones_like(r), r)
        terms = (turned - halves(t)).abs()
        result = GAMMA - terms.sum(-1)
        size = 12 * eps * (h.abs().sum(-1) + t.abs().sum(-1))
        # sin and cos of f64 are within 2^-51, and so is what this is compared with.
        size = size * (3 if entities.dtype == torch.float64 else 1)
        error = size + (width + 4) * eps * terms.sum(-1) + eps * (GAMMA + terms.sum(-1))
    return result, error + STORE_EPS[entities.dtype] * result.abs()


def random_triples(seed, function, form, width=None, dtype=None):
    pick, values = random.Random(seed), torch.Generator().manual_seed(seed)
    width = width or pick.choice((2, 4, 6, 16, 30, 32, 34, 64, 100, 512))
    dtype = dtype or pick.choice((torch.float32, torch.float32, torch.bfloat16, torch.float64))
    count, kinds = pick.choice((1, 2, 20)), pick.choice((1, 5))
    triples, candidates = pick.choice((0, 1, 2, 9)), pick.choice((0, 1, 3, 17))
    types = (torch.int32, torch.int64)

    def draw(limit, *shape):
        return torch.randint(limit, shape, generator=values).to(pick.choice(types))

    relations = torch.randn(kinds, width // 2 if function == "rotate" else width, generator=values)
    ends = []
    for name in ("heads", "tails"):
        if form == f"all_{name}":
            ends.append(None)
        elif form == name:
            ends.append(draw(count, triples, candidates))
        else:
            ends.append(draw(count, triples))
    return (
        torch.randn(count, width, generator=values).to(dtype),
        (3 * relations if function == "rotate" else relations).to(dtype),
        draw(kinds, triples),
        *ends,
    )


def check(result, exact, tolerance):
    assert result.shape == exact.shape
    difference = (result.double() - exact).abs()
    assert (difference <= tolerance).all(), f"off by {(difference - tolerance).max()}"


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_random_triples(seed, function, form, machine):
    inputs = random_triples(seed, function, form)
    result = run(function, form, inputs, machine)
    assert result.dtype == inputs[0].dtype
    check(result, *reference(function, *inputs))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("width", [2, 34, 1024])
def test_widths(width, function, machine):
    inputs = random_triples(5, function, "tails", width, torch.float32)
    check(run(function, "tails", inputs, machine), *reference(function, *inputs))


@pytest.mark.parametrize("machine", MACHINES)
def test_one_column(machine):
    for function in ("transe1", "transe2", "distmult"):
        inputs = random_triples(5, function, "triples", 1, torch.float32)
        check(run(function, "triples", inputs, machine), *reference(function, *inputs))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_columns(function, form, machine):
    shape = {"heads": [(2, 3), (2,)], "tails": [(2,), (2, 3)]}.get(form, [(2,), (2,)])
    ends = [torch.zeros(s, dtype=torch.int64) for s in shape]
    if form.startswith("all"):
        ends[form == "all_tails"] = None
    inputs = torch.ones(4, 0), torch.ones(1, 0), torch.zeros(2, dtype=torch.int64), *ends
    result = run(function, form, inputs, machine)
    assert (result == (GAMMA if function in ("transe1", "transe2", "rotate") else 0)).all()


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("phase", [0.0, 1e-30, 1e3, -1e6, 1e10, 3e38, float("inf"), float("nan")])
def test_phases(phase, machine):
    """Also of a size at which the phase has to be reduced with many bits of pi."""
    entities = torch.tensor([[1.0, 2.0, 0.5, -1.0], [0.0, 0.0, 0.0, 0.0]])
    relations = torch.tensor([[phase, -phase]])
    ids, heads, tails = torch.tensor([0]), torch.tensor([0]), torch.tensor([[0, 1]])
    inputs = entities, relations, ids, heads, tails
    exact, tolerance = reference("rotate", *inputs)
    result = run("rotate", "tails", inputs, machine)
    assert torch.equal(result.isnan(), exact.isnan())
    if not exact.isnan().any():
        check(result, exact, tolerance)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("form", ["triples", "heads", "tails"])
@pytest.mark.parametrize("width", [0, 2])
@pytest.mark.parametrize(("bad", "value"), [("ids", -1), ("heads", 4), ("tails", 2**40)])
def test_bad_indices(bad, value, width, form, machine):
    indices = {name: torch.zeros(3, dtype=torch.int64) for name in ("ids", "heads", "tails")}
    if form != "triples":
        indices[form] = torch.zeros(3, 2, dtype=torch.int64)
    indices[bad].view(-1)[2] = value
    inputs = torch.ones(4, width), torch.ones(1, width), *indices.values()
    with pytest.raises(EmberError, match=f"argument '{bad}' holds {value} at position"):
        run("distmult", form, inputs, machine)


@pytest.mark.parametrize("machine", MACHINES)
def test_sizes_that_do_not_fit(machine):
    inputs = torch.ones(4, 2), torch.ones(1, 2), *torch.zeros(2, 3, dtype=torch.int64)
    with pytest.raises(EmberError, match="dimension 0 of argument 'tails' is 2; expected 3"):
        run("distmult", "triples", (*inputs, torch.zeros(2, dtype=torch.int64)), machine)
