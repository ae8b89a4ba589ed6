"""NumPy's running sums and maxima and its totals, timed in Python: the same sizes and bytes as the C++ programs, output allocated
and touched beforehand. NumPy runs on one thread and in a process of its own, so its times are not interleaved with the others'; instead
a copy by NumPy alternates with each, and what is compared is the time in copies times the C++ programs' memcpy."""

import re
import statistics
import time

SAMPLE_SECONDS = 200e-6  # shorter work is repeated within a sample


def _seconds(work, repeat):
    start = time.perf_counter()
    for _ in range(repeat):
        work()
    return (time.perf_counter() - start) / repeat


def _repetitions(work):
    repeat = 1
    while _seconds(work, repeat) * repeat < SAMPLE_SECONDS:
        repeat *= 2
    return repeat


def _samples(work, copy, budget):
    """Seconds per call of work and of copy, in turn: at least three pairs, and as many more as fit into `budget` seconds."""
    repeat, copies = _repetitions(work), _repetitions(copy)
    pairs, end = [], time.perf_counter() + budget
    while len(pairs) < 3 or (time.perf_counter() < end and len(pairs) < 41):
        pairs.append((_seconds(work, repeat), _seconds(copy, copies)))
    return pairs


def _record(work, type_name, n, shape, moved, pairs):
    seconds = sorted(pair[0] for pair in pairs)
    at = lambda fraction: seconds[round(fraction * (len(seconds) - 1))]
    record = {"work": work, "type": type_name, "n": n}
    if shape:
        record["shape"] = shape
    record.update(contender="NumPy", role="peer", threads=1, samples=len(pairs), bytes=moved, seconds=at(0.5),
                  p10=at(0.1), p90=at(0.9), bytes_per_second=moved / at(0.5),
                  memcpys=statistics.median(took / copied for took, copied in pairs))
    return record


def measure(cells, budget):
    """Times every (work, type, n, shape) of `cells` that NumPy can do; yields records like those of the C++ programs."""
    import numpy as np

    dtypes = {"int8": (np.int8,) * 2, "int32": (np.int32,) * 2, "int64": (np.int64,) * 2, "float": (np.float32,) * 2,
              "double": (np.float64,) * 2, "uint8 to uint32": (np.uint8, np.uint32)}
    for work, type_name, n, shape in cells:
        if type_name not in dtypes:
            continue
        source, dtype = dtypes[type_name]
        extents = tuple(int(part) for part in shape.split("x")) if shape else (n,)
        if work == "inclusive":
            run = lambda: np.cumsum(x, dtype=dtype, out=y)
        elif work == "maximum":
            run = lambda: np.maximum.accumulate(x, out=y)
        elif work.startswith("axis "):
            axis = int(re.match(r"axis (\d+)", work)[1])  # also of "axis 0, congruent"
            run = lambda: np.cumsum(x, axis=axis, dtype=dtype, out=y)
        elif work == "total":
            run = lambda: np.sum(x, dtype=dtype)
        elif work == "total maximum":
            run = lambda: np.max(x)
        elif work.startswith("totals along axis "):
            axis = int(work[-1])
            y = np.ones(extents[1 - axis], dtype)
            run = lambda: np.sum(x, axis=axis, out=y)
        else:
            continue
        x = (np.arange(n, dtype=np.uint32) % 97).astype(source).reshape(extents)
        if not work.startswith("total"):
            y = np.ones(extents, dtype)
        moved = x.nbytes + (0 if work in ("total", "total maximum") else y.nbytes)
        copied, copy = (x, y) if x.nbytes == moved - x.nbytes else (np.ones(moved // 2, np.uint8), np.ones(moved // 2, np.uint8))
        pairs = _samples(run, lambda: np.copyto(copy, copied), budget)
        yield _record(work, type_name, n, shape, moved, pairs)
