# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""A higher level is not slower, and the statistics say what it saved."""

import itertools
import random

import pytest
import torch
from conftest import Bag

import ember

LEVELS = range(5)
TYPES = torch.float32, torch.bfloat16, torch.float16, torch.float64
# The first touch of another queue's counters, which only a tiny kernel shows.
FIRST_TOUCH_CYCLES = 25


def random_bag(seed):
    """(module, inputs) with at least 32 columns; every choice follows from the seed."""
    pick, values = random.Random(seed), torch.Generator().manual_seed(seed)
    length = pick.choice((32, 33, 40, 48, 64, 65, 96, 100, 128, 200, 256, 300, 384, 512))
    rows, bags = pick.choice((64, 2000, 50000)), pick.choice((1, 8, 64))
    mean_size = pick.choice((0, 1, 2, 5, 20, 80))
    while bags * mean_size * length > 300_000:
        mean_size //= 4
    mode, dtype = pick.choice(("sum", "mean", "max")), pick.choice(TYPES)
    sizes = torch.randint(0, 2 * mean_size + 1, (bags,), generator=values)
    indices = torch.randint(rows, (int(sizes.sum()),), generator=values)
    offsets = sizes.cumsum(0) - sizes
    table = torch.randn(rows, length, generator=values).to(dtype)
    weights = None
    if mode == "sum" and pick.random() < 0.4:
        weights = torch.randn(indices.shape, generator=values).to(dtype)
    options = {"mode": mode}
    if pick.random() < 0.5:
        options["padding_idx"] = 3
    return Bag(**options), (table, indices, offsets, weights)


def statistics(module, inputs):
    program = ember.export(module, inputs)
    for level in LEVELS:
        kernel = ember.compile(program, level=level)
        kernel(*inputs)
        yield kernel.stats


@pytest.mark.parametrize("seed", range(30))
def test_cycles_do_not_rise_with_the_level(seed):
    cycles = [stats["cycles"] for stats in statistics(*random_bag(seed))]
    for lower, higher in itertools.pairwise(cycles):
        assert higher <= 1.01 * lower + FIRST_TOUCH_CYCLES, cycles


def test_what_each_level_saves():
    values = torch.Generator().manual_seed(0)
    table = torch.randn(500, 64, generator=values)
    indices = torch.randint(500, (200,), generator=values)
    inputs = table, indices, torch.arange(0, 200, 10), torch.randn(200, generator=values)
    scalar, vectors, rows, aligned, promoted = statistics(Bag(mode="sum"), inputs)

    def pushed(stats, queue):
        return stats["queues"][queue]["bytes"], stats["queues"][queue]["pushes"]

    # 1: a push a vector instead of a push an element, and so fewer tokens.
    assert pushed(vectors, "data")[1] * 8 < pushed(scalar, "data")[1]
    assert pushed(vectors, "token")[1] * 8 < pushed(scalar, "token")[1]
    # 2: a push a row, one token a row and one a bag.
    assert pushed(rows, "token")[1] == 200 + 20 < pushed(vectors, "token")[1]
    assert pushed(rows, "data")[1] < pushed(vectors, "data")[1]
    # 3: the data queue holds rows alone; weights take the scalar queue.
    assert pushed(aligned, "data") == (200 * 256, 200)
    assert pushed(aligned, "scalar") == (200 * 8, 200)
    # 4: a count a bag instead of tokens; sums stay in registers.
    assert pushed(promoted, "token") == (0, 0)
    assert pushed(promoted, "scalar") == (200 * 8 + 20 * 8, 220)
    # Each makes the core's work less.
    work = [stats["core"]["micro_ops"] for stats in (scalar, vectors, rows, aligned, promoted)]
    assert work == sorted(work, reverse=True)
    assert work[4] * 1.4 < work[3]
