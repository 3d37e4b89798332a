# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""What the documentation shows is what the tools print."""

import re
import subprocess

import doc_examples
import pytest

PAGES = [
    page
    for page in sorted((doc_examples.ROOT / "docs").rglob("*.md"))
    if "```console" in page.read_text()
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_print_what_the_page_says(page):
    problems = doc_examples.check(page)
    assert not problems, "\n\n".join(problems)


def test_dots_stand_for_any_lines():
    assert doc_examples.matches(["a", "...", "c"], ["a", "b", "b", "c"])
    assert not doc_examples.matches(["a", "...", "c"], ["a", "b"])
    assert not doc_examples.matches(["a"], ["a", "b"])


def test_reference_pages_are_those_of_the_sources():
    done = subprocess.run(
        [doc_examples.ROOT / "tools/docs.sh", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_pass_shows_ir_before_and_after():
    page = (doc_examples.ROOT / "docs/reference/passes.md").read_text()
    _, *sections = re.split(r"^### `-([a-z-]+)`$", page, flags=re.MULTILINE)
    without = [
        name
        for name, text in zip(sections[::2], sections[1::2], strict=True)
        if "```mlir file=" not in text or not re.search(rf"^\$ ember-opt .*--{name}\b", text, re.M)
    ]
    assert not without, "add an example to the description in Passes.td: " + ", ".join(without)
