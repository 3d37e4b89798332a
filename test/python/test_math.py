# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""Functions of the math dialect in kernels: as accurate as lib/Target/ExpandMath.cpp says."""

import math

import numpy as np
import pytest
import torch
from conftest import run_text

# Scalars, and vectors with and without an access unit.
MACHINES = [("dae-hbm2", 0), ("dae-hbm2", 3), ("core-hbm2", 3)]
NAMES = {torch.float32: "f32", torch.float64: "f64"}
FRACTION = {torch.float32: 24, torch.float64: 53}


def apply(function, x, machine):
    """math.`function` of each element of `x`, of a multiple of 16 elements."""
    row = f"16x{NAMES[x.dtype]}"
    text = f"""
    func.func @main(%table: memref<?x{row}>, %rows: memref<?xi64>) -> memref<?x{row}> {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %n = memref.dim %rows, %c0 : memref<?xi64>
      %out = memref.alloc(%n) : memref<?x{row}>
      scf.for %p = %c0 to %n step %c1 {{
        %r = memref.load %rows[%p] : memref<?xi64>
        %i = arith.index_cast %r : i64 to index
        scf.for %d = %c0 to %c16 step %c1 {{
          %x = memref.load %table[%i, %d] : memref<?x{row}>
          %y = math.{function} %x : {NAMES[x.dtype]}
          memref.store %y, %out[%p, %d] : memref<?x{row}>
        }}
      }}
      return %out : memref<?x{row}>
    }}"""
    table = x.reshape(-1, 16)
    (result,), _ = run_text(text, (table, torch.arange(len(table))), machine)
    return result.reshape(-1)


def ulp(value, dtype):
    """The distance of neighbouring numbers of `dtype` at `value`."""
    _, exponent = torch.frexp(value)
    smallest = math.log2(torch.finfo(dtype).smallest_normal) + 1
    return power_of_2(exponent.clamp(min=smallest) - FRACTION[dtype])


def power_of_2(exponents):
    # torch.ldexp takes the power in f32.
    return torch.from_numpy(np.ldexp(1.0, exponents.int().numpy()))


def samples(dtype, *ranges):
    values = torch.Generator().manual_seed(0)
    parts = [
        low + (high - low) * torch.rand(1024, generator=values, dtype=torch.float64)
        for low, high in ranges
    ]
    return torch.cat(parts).to(dtype)


@pytest.mark.parametrize("machine", MACHINES)
def test_exp_f32(machine):
    x = samples(torch.float32, (-104, 88.72), (-1, 1), (-1e-4, 1e-4), (-104, -86), (88, 88.72))
    exact = x.double().exp()
    difference = (apply("exp", x, machine).double() - exact).abs()
    assert (difference <= ulp(exact, x.dtype)).all()


@pytest.mark.parametrize("machine", MACHINES)
def test_exp_f64(machine):
    x = samples(torch.float64, (-740, 709), (-1, 1), (-1e-4, 1e-4))
    exact = torch.tensor([math.exp(v) for v in x.tolist()], dtype=x.dtype)
    difference = (apply("exp", x, machine) - exact).abs()
    # The C library's own result may be off by half a unit and more.
    assert (difference <= 2 * ulp(exact, x.dtype)).all()


SPECIAL = [0.0, -0.0, 1e-40, -1e-40, 1e5, -1e5, 3e38, -3e38, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", NAMES)
def test_exp_of_special_numbers(dtype, machine):
    x = torch.tensor(SPECIAL + [1.0] * 5, dtype=dtype)
    result = apply("exp", x, machine)
    torch.testing.assert_close(result, x.exp(), equal_nan=True)
    # Beyond the least and greatest numbers, exactly.
    assert torch.equal(result[4:10], x.exp()[4:10])


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("function", ["sin", "cos"])
@pytest.mark.parametrize(
    ("dtype", "error"), [(torch.float32, 1.25 * 2.0**-24), (torch.float64, 1.25 * 2.0**-51)]
)
def test_sin_and_cos(dtype, error, function, machine):
    x = samples(dtype, (-4, 4), (-1000, 1000), (-1e6, 1e6), (-1e12, 1e12), (1e15, 1e19))
    # Of each large power of two: every word of 2/pi is used.
    powers = 1.3 * power_of_2(torch.arange(0, 1008, 4))
    powers = powers.clamp(max=torch.finfo(dtype).max).to(dtype)
    x = torch.cat([x, powers, -powers, powers[:8]])
    exact = getattr(torch, function)(x.double())
    difference = (apply(function, x, machine).double() - exact).abs()
    assert difference.max() <= error


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("function", ["sin", "cos"])
@pytest.mark.parametrize("dtype", NAMES)
def test_sin_and_cos_of_special_numbers(dtype, function, machine):
    x = torch.tensor(SPECIAL + [1.0] * 5, dtype=dtype)
    exact = getattr(torch, function)(x.double())
    result = apply(function, x, machine).double()
    torch.testing.assert_close(result, exact, equal_nan=True, rtol=0, atol=2.0**-24)


@pytest.mark.parametrize("machine", MACHINES)
def test_sqrt(machine):
    x = torch.cat([samples(torch.float32, (0, 1), (0, 1e30)), torch.tensor(SPECIAL + [-1.0] * 5)])
    with np.errstate(invalid="ignore"):
        exact = torch.from_numpy(np.sqrt(x.numpy()))  # torch's may be off by a unit
    torch.testing.assert_close(apply("sqrt", x, machine), exact, equal_nan=True, rtol=0, atol=0)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("function", ["tanh", "log"])
def test_other_functions_take_approximations(function, machine):
    x = samples(torch.float32, (0.01, 4))
    exact = getattr(torch, function)(x.double())
    difference = (apply(function, x, machine).double() - exact).abs()
    assert difference.max() <= 1e-6
