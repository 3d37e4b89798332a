"""Writes and shows .npy files with the standard library alone.

npy.py write FILE TYPE SHAPE VALUE...   SHAPE as 2x4, one VALUE fills all
npy.py show FILE                        the shape, then a line for each row
"""

import ast
import struct
import sys

# How numpy and struct call an element type.
TYPES = {
    "f32": ("<f4", "f"),
    "f64": ("<f8", "d"),
    "bf16": ("<u2", "H"),
    "i32": ("<i4", "i"),
    "i64": ("<i8", "q"),
}


def product(shape):
    result = 1
    for extent in shape:
        result *= extent
    return result


def write(path, type_name, shape_text, *values):
    descr, code = TYPES[type_name]
    shape = tuple(int(extent) for extent in shape_text.split("x"))
    read = float if code in "fd" else int
    numbers = [read(value) for value in values]
    if len(numbers) == 1:
        numbers *= product(shape)
    assert len(numbers) == product(shape), f"{len(numbers)} values for {shape}"
    if type_name == "bf16":  # the upper half of an f32
        numbers = [struct.unpack("<I", struct.pack("<f", x))[0] >> 16 for x in numbers]
    header = str({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.write(struct.pack(f"<{len(numbers)}{code}", *numbers))


def show(path):
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:start].decode())
    descr, shape = header["descr"], header["shape"]
    if descr.endswith("V2"):
        halves = struct.unpack(f"<{product(shape)}H", data[start:])
        numbers = [struct.unpack("<f", struct.pack("<I", x << 16))[0] for x in halves]
    else:
        code = next(code for name, code in TYPES.values() if name == descr)
        numbers = struct.unpack(f"<{product(shape)}{code}", data[start:])
    print(descr, "x".join(str(extent) for extent in shape))
    columns = shape[-1] if shape else 1
    for at in range(0, len(numbers), max(columns, 1)):
        print(*(f"{x:g}" for x in numbers[at : at + columns]))


if __name__ == "__main__":
    {"write": write, "show": show}[sys.argv[1]](*sys.argv[2:])
