"""NumPy's side of the benchmarks: it runs after the programs, so a work that it does not know must not end it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "benchmarks"))
import numpy_peer

CELLS = [("inclusive", "float", 12, None), ("maximum", "int8", 12, None), ("axis 0", "double", 12, "4x3"),
         ("axis 1, congruent", "float", 12, "4x3"), ("axis 0", "uint8 to uint32", 12, "4x3"),
         ("linear recurrence, axis 0", "float", 12, "4x3"), ("exclusive", "float16", 12, None)]


def test_cells_are_timed_or_left_out():
    records = list(numpy_peer.measure(CELLS, 1e-4))
    assert [(record["work"], record["type"]) for record in records] == [cell[:2] for cell in CELLS[:5]]
    assert all(record["contender"] == "NumPy" and record["seconds"] > 0 for record in records)
