"""upsweep beside NumPy, on arrays of this machine: nanoseconds an element, and a copy of the same bytes.

usage: python benchmarks/python_bench.py [--rounds N]

Contenders of a row are timed in turn within a round; a figure is the median of the rounds.
"""
import argparse
import statistics
import time

import numpy as np

import upsweep

ROWS = [
    ("cumsum", np.cumsum, upsweep.cumsum, ("float32", "float64", "int32", "int64")),
    ("maximum", np.maximum.accumulate, upsweep.cummax, ("float32", "int32")),
    ("sort", lambda x: np.sort(x, kind="stable"), upsweep.sort, ("float32", "float64", "int64")),
    ("compact", lambda x: x[x < 0], lambda x: upsweep.compact(x, ("<", 0)), ("float32", "int32")),
]
SHAPES = [((4096, 4096), 0), ((4096, 4096), 1), ((2**20, 16), 0), ((2**20, 16), 1)]


def numbers(name, shape):
    generator = np.random.default_rng(1)
    return (generator.standard_normal(shape) * 1000).astype(name)


def seconds(call, calls):
    began = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - began) / calls


def measure(what, x, contenders, rounds):
    calls = max(1, 200_000 // x.size)
    times = [[] for _ in contenders]
    for _ in range(rounds + 1):
        for own, call in zip(times, contenders):
            own.append(seconds(call, calls))
    copy, numpy, ours = (statistics.median(own[1:]) for own in times)
    each = 1e9 / x.size
    print(f"| {what} | {x.dtype} | {copy * each:.3f} | {numpy * each:.3f} | {ours * each:.3f} | {copy / ours:.0%} | {numpy / ours:.2f} |",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    print(f"{upsweep.get_threads()} threads, {upsweep.simd()}, NumPy {np.__version__}\n")
    print("| what | type | copy | NumPy | upsweep | of copy | NumPy, times as long |\n|---|---|---|---|---|---|---|")
    for name, theirs, ours, types in ROWS:
        for size in (10**3, 10**5, 10**7):
            for dtype in types:
                x = numbers(dtype, size)
                to = np.empty_like(x)
                measure(f"{name}, {size:.0e}", x,
                        (lambda: np.copyto(to, x), lambda: theirs(x), lambda: ours(x)), rounds)
    for shape, axis in SHAPES:
        x = numbers("float32", shape)
        to = np.empty_like(x)
        measure(f"cumsum, {shape}, axis {axis}", x,
                (lambda: np.copyto(to, x), lambda: np.cumsum(x, axis), lambda: upsweep.cumsum(x, axis)), rounds)


main()
