# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""The sources are formatted; `tools/format.sh` does it."""

import subprocess

from conftest import ROOT


def test_sources_are_formatted():
    done = subprocess.run(
        [ROOT / "tools/format.sh", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
