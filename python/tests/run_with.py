"""usage: run_with.py torch|torch_host|cupy|jax RESULTS.xml

The tests of values with every array of a library, or those of JAX, by CTest. Exits 77 and says why where the library, a GPU or
the package's part for the library is not there.
"""
import importlib
import os
import pathlib
import subprocess
import sys


def missing(name):
    """Why the library cannot be used; None if it can."""
    module = name.split("_")[0]
    try:
        library = importlib.import_module(module)
    except ImportError as problem:
        return f"{module} is not installed ({problem})"
    if name == "torch_host":
        return None
    if name == "jax":  # which has a CPU everywhere
        has_part = hasattr(importlib.import_module("upsweep._module"), "jax_handlers")
        return None if has_part else "this build has no part for JAX, whose headers it did not find"
    try:
        library.zeros(1, **({"device": "cuda"} if name == "torch" else {}))
    except Exception as problem:  # each library has its own
        return f"{name} finds no GPU ({' '.join(str(problem).split())[:120]})"
    return None


def main():
    name, results = sys.argv[1:]
    reason = missing(name)
    if reason:
        print(f"skipped: {reason}")
        return 77
    tests = pathlib.Path(__file__).parent
    return subprocess.run([sys.executable, "-m", "pytest", "-q", tests, f"--junitxml={results}"],
                          env={**os.environ, "UPSWEEP_TEST_LIBRARY": name}, check=False).returncode


sys.exit(main())
