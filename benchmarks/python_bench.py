"""upsweep beside NumPy, or beside PyTorch on tensors in host memory: nanoseconds an element, and a copy of the same bytes.

usage: python benchmarks/python_bench.py [--library numpy|torch] [--rounds N] [--filter REGEX]

Contenders of a row are timed in turn within a round; a figure is the median of the rounds.
"""
import argparse
import re
import statistics
import time

import numpy as np

import upsweep


class NumPy:
    name, version = "NumPy", np.__version__
    cumsum = staticmethod(np.cumsum)
    array = staticmethod(lambda x: x)
    copy = staticmethod(np.copyto)
    repeat = staticmethod(np.repeat)
    peers = {"cumsum": np.cumsum, "maximum": np.maximum.accumulate, "sort": np.sort,
             "argsort": lambda x: np.argsort(x, kind="stable"), "compact": lambda x: x[x < 0]}

    @staticmethod
    def top_k(x, k):
        """As one writes it: NumPy has none."""
        chosen = np.argpartition(x, x.shape[-1] - k)[..., x.shape[-1] - k:]
        values = np.take_along_axis(x, chosen, -1)
        order = np.argsort(-values)
        return np.take_along_axis(values, order, -1), np.take_along_axis(chosen, order, -1)

    @staticmethod
    def _starts(keys):
        return np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))

    def run_length_encode(self, keys):
        starts = self._starts(keys)
        return keys[starts], np.diff(starts, append=keys.size)

    def reduce_by_key(self, keys, x):
        starts = self._starts(keys)
        return keys[starts], np.add.reduceat(x, starts)

    def sums_by_offsets(self, x, offsets):
        return np.add.reduceat(x, offsets[:-1])  # right where no segment is empty


class PyTorch:
    def __init__(self):
        import torch
        self.name, self.version = f"PyTorch, {torch.get_num_threads()} threads", torch.__version__
        self.cumsum, self.array = torch.cumsum, torch.from_numpy
        self.copy = lambda to, x: to.copy_(x)
        self.repeat, self.top_k = torch.repeat_interleave, torch.topk
        self.peers = {"cumsum": lambda x: torch.cumsum(x, 0), "maximum": lambda x: torch.cummax(x, 0)[0],
                      "sort": lambda x: torch.sort(x, stable=True)[0], "argsort": lambda x: torch.argsort(x, stable=True),
                      "compact": lambda x: x[x < 0]}
        self.run_length_encode = lambda keys: torch.unique_consecutive(keys, return_counts=True)
        self.sums_by_offsets = lambda x, offsets: torch.segment_reduce(x, "sum", offsets=offsets)
        self._torch = torch

    def reduce_by_key(self, keys, x):
        found, place = self._torch.unique_consecutive(keys, return_inverse=True)
        return found, x.new_zeros(found.shape[0]).index_add_(0, place, x)


ROWS = [
    ("cumsum", upsweep.cumsum, ("float32", "float64", "int32", "int64")),
    ("maximum", upsweep.cummax, ("float32", "int32")),
    ("sort", upsweep.sort, ("float32", "float64", "int64")),
    ("argsort", upsweep.argsort, ("float32",)),
    ("compact", lambda x: upsweep.compact(x, ("<", 0)), ("float32", "int32")),
]
FILTER = re.compile("")
SHAPES = [((4096, 4096), 0), ((4096, 4096), 1), ((2**20, 16), 0), ((2**20, 16), 1)]
TOP = [((10**3,), 10), ((10**5,), 10), ((10**5,), 1000), ((10**7,), 10), ((10**7,), 10**5), ((2**17, 64), 8), ((10**4, 1000), 10), ((128, 2**16), 50)]
SORTED_ROWS = [(2**18, 16), (2**16, 64), (41943, 100), (2**14, 256), (2**12, 1024), (419, 10000)]


def numbers(name, shape):
    generator = np.random.default_rng(1)
    return (generator.standard_normal(shape) * 1000).astype(name)


def sortable(name, shape):
    """Any integers, or floating-point numbers in [0, 1)."""
    generator = np.random.default_rng(3)
    if np.dtype(name).kind == "f":
        return generator.random(shape).astype(name)
    return generator.integers(np.iinfo(name).min, np.iinfo(name).max, shape, name)


def in_runs(size, average):
    """Keys in runs of 1 to twice the average, and the offsets of these."""
    lengths = np.random.default_rng(2).integers(1, 2 * average, 2 * size // average + 64)
    ends = np.cumsum(lengths)
    count = int(np.searchsorted(ends, size)) + 1
    return (np.repeat(np.arange(count, dtype=np.int32), lengths[:count])[:size],
            np.concatenate(([0], np.minimum(ends[:count], size))))


def seconds(call, calls):
    began = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - began) / calls


def measure(what, dtype, size, contenders, rounds):
    if not FILTER.search(what):
        return
    calls = max(1, 200_000 // size)
    times = [[] for _ in contenders]
    for _ in range(rounds + 1):
        for own, call in zip(times, contenders):
            own.append(seconds(call, calls))
    copy, peer, ours = (statistics.median(own[1:]) for own in times)
    each = 1e9 / size
    print(f"| {what} | {dtype} | {copy * each:.3f} | {peer * each:.3f} | {ours * each:.3f} | {copy / ours:.0%} | {peer / ours:.2f} |",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", choices=("numpy", "torch"), default="numpy")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--filter", default="", help="rows whose name it is found in")
    arguments = parser.parse_args()
    global FILTER
    FILTER = re.compile(arguments.filter)
    rounds, library = arguments.rounds, NumPy() if arguments.library == "numpy" else PyTorch()
    print(f"{upsweep.get_threads()} threads, {upsweep.simd()}, {library.name}, {library.version}\n")
    print(f"| what | type | copy | {library.name.split(',')[0]} | upsweep | of copy | peer, times as long |\n|---|---|---|---|---|---|---|")
    for name, ours, types in ROWS:
        for size in (10**3, 10**5, 10**7):
            for dtype in types:
                x, to = (library.array(numbers(dtype, size)) for _ in range(2))
                measure(f"{name}, {size:.0e}", dtype, size,
                        (lambda: library.copy(to, x), lambda: library.peers[name](x), lambda: ours(x)), rounds)
    for size in (10**3, 10**5, 10**7):
        for average in (2, 10, 1000):
            keys, offsets = (library.array(each) for each in in_runs(size, average))
            x, to = (library.array(numbers("float32", size)) for _ in range(2))
            where = f"{size:.0e} in runs of {average}"
            measure(f"run_length_encode, {where}", "int32", size, (lambda: library.copy(to, x), lambda: library.run_length_encode(keys),
                                                                   lambda: upsweep.run_length_encode(keys)), rounds)
            measure(f"reduce_by_key, {where}", "float32", size, (lambda: library.copy(to, x), lambda: library.reduce_by_key(keys, x),
                                                                 lambda: upsweep.reduce_by_key(keys, x)), rounds)
            counts = offsets[1:] - offsets[:-1]
            values = x[:counts.shape[0]]
            measure(f"repeat, {where}", "float32", size, (lambda: library.copy(to, x), lambda: library.repeat(values, counts),
                                                          lambda: upsweep.repeat(values, counts)), rounds)
            measure(f"segmented_reduce by offsets, {where}", "float32", size,
                    (lambda: library.copy(to, x), lambda: library.sums_by_offsets(x, offsets),
                     lambda: upsweep.segmented_reduce(x, offsets=offsets)), rounds)
    for shape, axis in SHAPES:
        x, to = (library.array(numbers("float32", shape)) for _ in range(2))
        measure(f"cumsum, {shape}, axis {axis}", "float32", shape[0] * shape[1],
                (lambda: library.copy(to, x), lambda: library.cumsum(x, axis), lambda: upsweep.cumsum(x, axis)), rounds)
    for shape, k in TOP:
        x, to = (library.array(sortable("float32", shape)) for _ in range(2))
        measure(f"top {k}, {shape}", "float32", int(np.prod(shape)),
                (lambda: library.copy(to, x), lambda: library.top_k(x, k), lambda: upsweep.top_k(x, k)), rounds)
    for shape in SORTED_ROWS:
        for dtype in ("float32", "int32", "int64"):
            x, to = (library.array(sortable(dtype, shape)) for _ in range(2))
            measure(f"sort, {shape}", dtype, shape[0] * shape[1],
                    (lambda: library.copy(to, x), lambda: library.peers["sort"](x), lambda: upsweep.sort(x)), rounds)


main()
