# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""Runs the examples of a documentation page and compares what they print.

A fenced block whose info string ends in `file=NAME` is written to NAME. A block of language
`console` is a shell session: each `$ ` line is a command, what follows is its output. A line
`...` in the page stands for any lines. All examples of a page share one empty folder.

    python test/python/doc_examples.py --update docs/tutorial.md    # write real output into it

The page may also be a TableGen file with indented examples. An update keeps blocks that still
match, and those with `...` it cannot refill are reported.
"""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(?P<indent> *)```(?P<info>.*)$")


@dataclass
class Block:
    """A fenced block: its info string, and its lines without the fences and their indentation."""

    info: str
    lines: list[str]
    first: int  # index of the first line between the fences
    indent: str


def blocks(lines: list[str]) -> list[Block]:
    found, start = [], None
    for number, line in enumerate(lines):
        match = FENCE.match(line)
        if not match:
            continue
        if start is None:
            start, info, indent = number + 1, match["info"].strip(), match["indent"]
        else:
            inner = [line.removeprefix(indent) for line in lines[start:number]]
            found.append(Block(info, inner, start, indent))
            start = None
    return found


def steps(block: Block) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with its expected output."""
    result: list[tuple[str, list[str]]] = []
    for line in block.lines:
        if line.startswith("$ "):
            result.append((line[2:], []))
        elif result and line.startswith("> ") and not result[-1][1]:
            result[-1] = (result[-1][0] + "\n" + line[2:], [])
        elif result:
            result[-1][1].append(line)
    return result


def run(command: str, folder: Path) -> list[str]:
    tools = os.environ.get("EMBER_BIN", str(ROOT / "build/bin"))
    llvm = "/usr/lib/llvm-22/bin"
    path = [tools, str(Path(sys.executable).parent), llvm, os.environ["PATH"]]
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": os.pathsep.join(path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return [line.rstrip() for line in done.stdout.rstrip().splitlines()]


def matches(expected: list[str], actual: list[str]) -> bool:
    """Whether `actual` is `expected`, with `...` lines standing for any lines."""
    parts = [r".*" if line.strip() == "..." else re.escape(line.rstrip()) for line in expected]
    pattern = r"\n".join(parts).rstrip()
    return re.fullmatch(pattern, "\n".join(actual), re.DOTALL) is not None


def check(page: Path, update: bool = False) -> list[str]:
    """Runs the page's examples; returns a message for each that differs."""
    lines = page.read_text().splitlines()
    problems: list[str] = []
    edits: list[tuple[Block, list[str]]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for block in blocks(lines):
            if "file=" in block.info:
                target = folder / block.info.split("file=")[1].split()[0]
                target.write_text("\n".join(block.lines) + "\n")
            if not block.info.startswith("console"):
                continue
            rewritten: list[str] = []
            for command, expected in steps(block):
                actual = run(command, folder)
                first, *rest = command.split("\n")
                rewritten += ["$ " + first, *("> " + line for line in rest)]
                if matches(expected, actual):
                    rewritten += expected
                    continue
                rewritten += actual
                problems.append(
                    f"{page.name}:{block.first + 1}: $ {command}\nexpected:\n"
                    + "\n".join(expected)
                    + "\nprinted:\n"
                    + "\n".join(actual)
                )
            edits.append((block, rewritten))
    if update:
        for block, rewritten in reversed(edits):
            indented = [(block.indent + line).rstrip() for line in rewritten]
            lines[block.first : block.first + len(block.lines)] = indented
        page.write_text("\n".join(lines) + "\n")
    return problems


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        if argument != "--update":
            for problem in check(Path(argument), update="--update" in sys.argv):
                print(problem.splitlines()[0])
