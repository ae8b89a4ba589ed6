"""upsweep beside PyTorch, on tensors of a GPU: microseconds, and a copy of as many bytes as are read and written.

usage: python benchmarks/python_gpu_bench.py [--rounds N] [--filter REGEX] [--docs docs/performance-h200.md]

Times are the GPU's own, between events; contenders of a row are timed in turn within a round, and a figure is the median of
the rounds. Calls whose results' sizes depend on the elements wait for the GPU, theirs and ours. PyTorch is timed once where a
call takes more than a tenth of a second. --docs puts the table into a page, between `begin python gpu` and `end python gpu`.
"""
import argparse
import pathlib
import re
import statistics
import sys
import time

import numpy as np
import torch

import report
import upsweep

TABLE = []
FILTER = re.compile("")


def row(text):
    TABLE.append(text)
    print(text, flush=True)


def numbers(dtype, shape):
    if dtype == torch.bool:
        return torch.rand(shape, device="cuda") < 0.5
    if dtype.is_floating_point:
        return torch.randn(shape, device="cuda").to(dtype)
    limits = torch.iinfo(dtype)
    return torch.randint(limits.min, limits.max, shape if isinstance(shape, tuple) else (shape,), device="cuda", dtype=dtype)


def seconds(call, calls):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(calls):
        call()
    stop.record()
    stop.synchronize()
    return 1e-3 * start.elapsed_time(stop) / calls


def copy_of(size):
    """A copy that reads half of so many bytes and writes the other half."""
    source = torch.zeros(max(1, size // 2), device="cuda", dtype=torch.uint8)
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def measure(what, dtype, moved, theirs, ours, rounds):
    if not FILTER.search(what):
        return
    contenders = [copy_of(moved), theirs, ours]
    for call in contenders:
        if call is not None:
            call()  # which loads its kernels
    torch.cuda.synchronize()
    calls = [max(1, int(2e-3 / max(seconds(call, 1), 1e-6))) if call else 0 for call in contenders]
    slow = [call is not None and seconds(call, 1) > 0.1 for call in contenders]
    times = [[] for _ in contenders]
    for k in range(rounds):
        for own, call, count, is_slow in zip(times, contenders, calls, slow):
            if call is not None and not (is_slow and k > 0):
                own.append(seconds(call, min(count, 200)))
    copy, torchs, own = (statistics.median(each) if each else None for each in times)
    ratio = f"{torchs * 1e6:.1f} | {torchs / own:.2f}" if torchs else "- | -"
    row(f"| {what} | {str(dtype).rpartition('.')[2]} | {copy * 1e6:.1f} | {own * 1e6:.1f} | {copy / own:.0%} | {ratio} |")


def with_gradient(call, x, weights):
    """The call and, of its results times weights, the gradient of x."""
    return lambda: torch.autograd.grad(call(x), x, weights)


def recurrence_of_torch(a, b, axis):
    """What PyTorch has for it, a prototype: an associative scan of pairs, compiled. None where that fails."""
    def compose(first, then):
        return first[0] * then[0], then[0] * first[1] + then[1]

    try:
        from torch._higher_order_ops.associative_scan import associative_scan
        torch.compiler.reset()  # else it stops to compile when it has done so a few times
        run = torch.compile(lambda a, b: associative_scan(compose, (a, b), dim=axis)[1])
        run(a, b)
    except Exception as problem:  # of a compiler, a kernel, or memory
        print(f"no associative_scan of {tuple(b.shape)} {b.dtype} along {axis}: {str(problem).splitlines()[0][:150]}", file=sys.stderr)
        return None
    return lambda: run(a, b)


def in_runs(size, average):
    """Keys in runs of 1 to twice the average, and the offsets of these."""
    lengths = torch.randint(1, 2 * average, (2 * size // average + 64,), device="cuda")
    ends = torch.cumsum(lengths, 0)
    count = int((ends < size).sum()) + 1
    lengths, ends = lengths[:count], ends[:count].clamp(max=size)
    keys = torch.repeat_interleave(torch.arange(count, device="cuda", dtype=torch.int32), lengths)[:size]
    return keys.contiguous(), torch.cat((ends.new_zeros(1), ends))


def measure_runs(size, average, rounds):
    if not FILTER.search("runs"):
        return
    keys, offsets = in_runs(size, average)
    x, count = numbers(torch.float32, size), offsets.shape[0] - 1
    where = f"{size} in runs of {average}"

    def sums_of_torch():
        found, place = torch.unique_consecutive(keys, return_inverse=True)
        return found, x.new_zeros(found.shape[0]).index_add_(0, place, x)

    for kind, added, how in (("", 0, {}), (" with counts", 8 * count, {"return_counts": True}),
                             (" with inverse", 8 * size, {"return_inverse": True})):
        measure(f"unique_consecutive{kind}, {where}", keys.dtype, 4 * size + 4 * count + added,
                lambda: torch.unique_consecutive(keys, **how), lambda: upsweep.unique_consecutive(keys, **how), rounds)
    measure(f"reduce_by_key, {where}", x.dtype, 8 * (size + count), sums_of_torch, lambda: upsweep.reduce_by_key(keys, x), rounds)
    measure(f"segmented_reduce by offsets, {where}", x.dtype, 4 * size + 12 * count, lambda: torch.segment_reduce(x, "sum", offsets=offsets),
            lambda: upsweep.segmented_reduce(x, offsets=offsets), rounds)
    counts, values = offsets[1:] - offsets[:-1], x[:count]
    for known, how in (("", {}), (" of a known size", {"output_size": size})):
        measure(f"repeat{known}, {where}", x.dtype, 4 * size + 12 * count, lambda: torch.repeat_interleave(values, counts, **how),
                lambda: upsweep.repeat(values, counts, **how), rounds)
        measure(f"repeat_indices{known}, {where}", torch.int64, 8 * size + 8 * count, lambda: torch.repeat_interleave(counts, **how),
                lambda: upsweep.repeat_indices(counts, **how), rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--filter", default="", help="rows whose name it is found in")
    parser.add_argument("--docs", type=pathlib.Path, help="a page whose table is replaced")
    arguments = parser.parse_args()
    rounds = arguments.rounds
    global FILTER
    FILTER = re.compile(arguments.filter)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, NumPy {np.__version__}, upsweep {upsweep.__version__}\n")
    row("| what | type | copy, us | upsweep, us | of copy | PyTorch, us | times as long |\n|---|---|---:|---:|---:|---:|---:|")
    for size in (10**3, 2**20, 2**28):
        for dtype in (torch.float32, torch.float16, torch.float64, torch.int64, torch.int32, torch.bool):
            x = numbers(dtype, size)
            width = x.element_size() + (x if dtype.is_floating_point else x.new_empty(0, dtype=torch.int64)).element_size()
            measure(f"cumsum, {size}", dtype, size * width, lambda: torch.cumsum(x, 0), lambda: upsweep.cumsum(x), rounds)
    for shape, axis in (((2**24, 16), 0), ((2**24, 16), 1), ((2**14, 2**14), 0), ((2**14, 2**14), 1), ((64, 4096, 1024), 1)):
        for dtype in (torch.float32, torch.float16):
            x = numbers(dtype, shape)
            measure(f"cumsum, {shape}, axis {axis}", dtype, 2 * x.nbytes, lambda: torch.cumsum(x, axis),
                    lambda: upsweep.cumsum(x, axis), rounds)
    for size in (10**3, 2**20, 2**28):
        for dtype in (torch.float32, torch.float16, torch.float64, torch.int64, torch.int32, torch.uint8):
            x = numbers(dtype, size)
            measure(f"sum, {size}", dtype, x.nbytes, lambda: torch.sum(x, 0), lambda: upsweep.sum(x), rounds)
    for shape in ((2**24, 16), (2**14, 2**14), (2**18, 1024), (89478485, 3)):
        x = numbers(torch.float32, shape)
        for axis in (0, 1):
            measure(f"sum, {shape}, axis {axis}", x.dtype, x.nbytes, lambda: torch.sum(x, axis), lambda: upsweep.sum(x, axis=axis), rounds)
    x = numbers(torch.float32, (2**14, 2**14))
    for axis in (0, 1):
        measure(f"cummax, (16384, 16384), axis {axis}", x.dtype, 2 * x.nbytes, lambda: torch.cummax(x, axis),
                lambda: upsweep.cummax(x, axis), rounds)
    for shape, axis in (((2**26,), 0), ((2**13, 2**13), 0), ((2**13, 2**13), 1)):
        y = (1 + 0.01 * numbers(torch.float32, shape)).requires_grad_()
        weights = numbers(torch.float32, shape)
        for name in ("cumsum", "cumprod", "cummax"):
            theirs = getattr(torch, name)
            torchs = (lambda y, f=theirs: f(y, axis).values) if name == "cummax" else (lambda y, f=theirs: f(y, axis))
            ours = getattr(upsweep, name)
            measure(f"{name} and its gradient, {shape}, axis {axis}", y.dtype, 4 * y.nbytes, with_gradient(torchs, y, weights),
                    with_gradient(lambda y, f=ours: f(y, axis), y, weights), rounds)
    for shape, axis in (((2**14, 2**14), 0), ((2**14, 2**14), 1), ((64, 4096, 1024), 1)):
        if not FILTER.search("linear_recurrence"):
            break
        for dtype in (torch.float32, torch.bfloat16):
            y = x.reshape(shape).to(dtype)
            decay = torch.rand_like(y)
            measure(f"linear_recurrence, {shape}, axis {axis}", dtype, 3 * y.nbytes, recurrence_of_torch(decay, y, axis),
                    lambda: upsweep.linear_recurrence(decay, y, axis=axis), rounds)
            measure(f"linear_recurrence of one coefficient, {shape}, axis {axis}", dtype, 2 * y.nbytes,
                    recurrence_of_torch(y.new_full((), 0.9).expand(shape), y, axis),
                    lambda: upsweep.linear_recurrence(0.9, y, axis=axis), rounds)
    decay = y = None
    x = x.reshape(-1)
    for size in (1000, 2**28):
        y = x[:size]
        measure(f"linear_recurrence of one coefficient, {size}", y.dtype, 2 * y.nbytes, None, lambda: upsweep.linear_recurrence(0.9, y), rounds)
    for size in (2**20, 2**28):
        y = x[:size]
        measure(f"y[y > 0], {size}", y.dtype, y.nbytes * 3 // 2, lambda: y[y > 0], lambda: upsweep.compact(y, (">", 0)), rounds)
        mask = y > 0
        measure(f"y[mask], {size}", y.dtype, y.nbytes * 3 // 2 + size, lambda: y[mask], lambda: upsweep.compact(y, mask), rounds)
        measure(f"nonzero(mask), {size}", torch.bool, size * 5, lambda: torch.nonzero(mask), lambda: upsweep.compact_indices(mask, mask),
                rounds)
        measure(f"histc, 256 bins, {size}", y.dtype, y.nbytes, lambda: torch.histc(y, 256, -4, 4),
                lambda: upsweep.histogram(y, 256, (-4, 4)), rounds)
        for dtype in (torch.float32, torch.int32, torch.int64):
            z = numbers(dtype, size)
            measure(f"sort, {size}", dtype, 2 * z.nbytes, lambda: torch.sort(z, stable=True), lambda: upsweep.sort(z), rounds)
            measure(f"argsort, {size}", dtype, z.nbytes + 8 * size, lambda: torch.argsort(z, stable=True), lambda: upsweep.argsort(z),
                    rounds)
    for size in (2**20, 2**28):
        for average in (2, 10, 1000):
            measure_runs(size, average, rounds)
    for rows, length in ((2**25, 2), (2**22, 16), (2**20, 64), (2**18, 256), (2**16, 1024), (2**14, 2**12), (2**10, 2**16)):
        z = numbers(torch.float32, (rows, length))
        measure(f"sort, {(rows, length)}", z.dtype, 2 * z.nbytes, lambda: torch.sort(z, stable=True), lambda: upsweep.sort(z), rounds)
    for shape, k in (((2**20,), 10), ((2**20,), 1000), ((2**28,), 10), ((2**28,), 1000), ((2**28,), 10**5), ((2**20, 64), 8), ((2**14, 1000), 10),
                     ((1024, 2**17), 50), ((16, 2**24), 100)):
        z = numbers(torch.float32, shape)
        measure(f"top {k}, {shape if len(shape) > 1 else shape[0]}", z.dtype, z.nbytes, lambda: torch.topk(z, k), lambda: upsweep.top_k(z, k), rounds)
    began = time.perf_counter()
    small = numbers(torch.float32, 1000)
    for call, name in ((lambda: torch.cumsum(small, 0), "torch.cumsum"), (lambda: upsweep.cumsum(small), "upsweep.cumsum")):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(1000):
            call()
        print(f"\n{name} of 1000 elements: the caller is busy for {(time.perf_counter() - began) * 1e3:.2f} us a call", end="")
        torch.cuda.synchronize()
    print()
    if arguments.docs:
        report.replace_part(arguments.docs, "python gpu", "\n".join(TABLE))


main()
