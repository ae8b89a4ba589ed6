"""Types of arguments and results, as mypy sees them, where it is installed."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

import upsweep

CALLS = pathlib.Path(__file__).with_name("typed_calls.py")


def test_calls_that_are_documented_have_types(tmp_path):
    pytest.importorskip("mypy")
    package = pathlib.Path(upsweep.__file__).parent.parent
    run = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent", f"--cache-dir={tmp_path}", CALLS],
                         env={**os.environ, "MYPYPATH": str(package)}, capture_output=True, text=True, check=False)
    found = {int(line) for line in re.findall(r"typed_calls\.py:(\d+): error", run.stdout)}
    refused = {number for number, line in enumerate(CALLS.read_text().splitlines(), 1) if line.endswith("# refused")}
    assert found == refused, run.stdout + run.stderr
