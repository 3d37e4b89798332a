# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""Random bags and lookups at every level and on the coupled core, against exact results."""

import random

import pytest
import reference
import torch
from conftest import MACHINES, Bag, Lookup, compiled

LENGTHS = (1, 2, 3, 15, 16, 17, 31, 32, 48, 64, 100, 127, 128, 200, 384, 512)
MODES = ("sum", "mean", "max")
TYPES = (torch.int32, torch.int64)


def random_bag(seed):
    """(inputs, options) of a bag; every choice follows from the seed."""
    pick, values = random.Random(seed), torch.Generator().manual_seed(seed)
    rows, length = pick.choice((1, 2, 7, 50, 300)), LENGTHS[seed % len(LENGTHS)]
    mode = MODES[seed % 3]
    dtype = pick.choice((torch.float32, torch.bfloat16, torch.float16, torch.float64))
    table = torch.randn(rows, length, generator=values).to(dtype)
    index_type, offset_type = pick.choice(TYPES), pick.choice(TYPES)
    options = {"mode": mode}
    if pick.random() < 0.4:
        options["padding_idx"] = pick.randrange(-rows, rows)
    if pick.random() < 0.25:
        shape = pick.randrange(0, 9), pick.randrange(1, 9)
        indices, offsets = torch.randint(rows, shape, generator=values), None
    else:
        sizes = [pick.choice((0, 0, 1, 2, 3, 5, 20, 70)) for _ in range(pick.choice((0, 1, 2, 9)))]
        indices = torch.randint(rows, (sum(sizes),), generator=values)
        starts = [sum(sizes[:b]) for b in range(len(sizes) + 1)]
        if pick.random() < 0.4:
            options["include_last_offset"] = True
        elif sizes:
            starts.pop()
        else:
            starts = []
        offsets = torch.tensor(starts, dtype=offset_type)
    weights = None
    if mode == "sum" and pick.random() < 0.5:
        weights = torch.randn(indices.shape, generator=values).to(dtype)
    return (table, indices.to(index_type), offsets, weights), options


@pytest.mark.parametrize("seed", range(48))
def test_the_reference_is_torchs(seed):
    inputs, options = random_bag(seed)
    if inputs[0].dtype == torch.float32:
        exact, tolerance = reference.bag(*inputs, **options)
        assert ((Bag(**options)(*inputs).double() - exact).abs() <= tolerance).all()


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("seed", range(48))
def test_bag(seed, machine):
    inputs, options = random_bag(seed)
    result = compiled(Bag(**options), inputs, machine)(*inputs)
    exact, tolerance = reference.bag(*inputs, **options)
    assert result.dtype == inputs[0].dtype
    assert result.shape == exact.shape
    difference = (result.double() - exact).abs()
    assert (difference <= tolerance).all(), f"off by {(difference - tolerance).max()}"


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("length", [1, 3, 16, 33, 512])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (3, 4), (2, 0, 3), (2, 3, 2)])
def test_lookup(shape, length, machine):
    check_lookup(torch.float32, shape, length, machine)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_lookup_of_any_type(dtype, machine):
    check_lookup(dtype, (5,), 37, machine)


def check_lookup(dtype, shape, length, machine):
    values = torch.Generator().manual_seed(length)
    table = torch.randn(20, length, generator=values).to(dtype)
    inputs = table, torch.randint(20, shape, generator=values)
    result = compiled(Lookup(), inputs, machine)(*inputs)
    assert torch.equal(result, reference.lookup(*inputs))


@pytest.mark.parametrize("machine", MACHINES)
def test_many_bags(machine):
    values = torch.Generator().manual_seed(1)
    table = torch.randn(1000, 32, generator=values)
    offsets = torch.arange(0, 20_000, 2)
    inputs = table, torch.randint(1000, (20_000,), generator=values), offsets
    result = compiled(Bag(mode="sum"), inputs, machine)(*inputs)
    exact, tolerance = reference.bag(*inputs, mode="sum")
    assert ((result.double() - exact).abs() <= tolerance).all()


@pytest.mark.parametrize("machine", MACHINES)
def test_runs_are_identical(machine):
    inputs, options = random_bag(11)
    kernel = compiled(Bag(**options), inputs, machine)
    first, cycles = kernel(*inputs), kernel.stats["cycles"]
    copies = [t.clone() if t is not None else None for t in inputs]
    assert torch.equal(kernel(*copies), first)
    assert kernel.stats["cycles"] == cycles
