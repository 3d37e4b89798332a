"""lit configuration of Ember's tests."""
import os
import sys

import lit.formats

config.name = "ember"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["lit.cfg.py", "unit", "python"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join(
    [config.ember_bin_dir, config.llvm_tools_dir, os.environ["PATH"]]
)
# Writes and shows .npy files.
config.substitutions.append(
    ("%npy", f"{sys.executable} {config.test_source_root}/Integration/npy.py")
)
