# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
"""Adds up JUnit results (lit, GoogleTest and pytest all write them) and prints one line."""

import sys
import xml.etree.ElementTree as ElementTree

passed = failed = skipped = 0
for path in sys.argv[1:]:
    for case in ElementTree.parse(path).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            skipped += 1
        else:
            passed += 1
print(f"\n{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(failed > 0)
