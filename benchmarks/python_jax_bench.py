"""upsweep beside JAX's own scans, under jit, on JAX's default device: microseconds, and a pass over the same bytes by XLA.

usage: python benchmarks/python_jax_bench.py [--rounds N] [--seconds S] [--docs docs/performance-h200.md]

A time is that of calls one after the other until the last one's result is there. Contenders of a row are timed in turn within
a round, and a figure is the median of the rounds. What takes more than a tenth of a second is timed once; what JAX cannot
compile or hold is left out, with its reason on standard error. No row is begun after S seconds. --docs puts the table into a
page, between `begin python jax` and `end python jax`.
"""
import argparse
import pathlib
import statistics
import sys
import time

import jax
import numpy as np
from jax import numpy as jnp

import report
import upsweep

TABLE = []
ON_GPU = jax.default_backend() == "gpu"


def row(text):
    TABLE.append(text)
    print(text, flush=True)


def numbers(dtype, shape):
    drawn = jax.random.normal(jax.random.key(1), shape)
    return (drawn if jnp.issubdtype(dtype, jnp.floating) else 1000 * drawn).astype(dtype)


def compiled(call, arrays):
    """The compiled call; None, and the reason on standard error, where XLA cannot compile or run it."""
    try:
        made = jax.jit(call).lower(*arrays).compile()
        made(*arrays).block_until_ready()
        return made
    except Exception as problem:  # of the compiler, or of memory
        print(f"{call.__name__} of {arrays[-1].shape}: {str(problem).splitlines()[0][:150]}", file=sys.stderr)
        return None


def seconds(call, arrays, calls):
    began = time.perf_counter()
    for _ in range(calls):
        result = call(*arrays)
    result.block_until_ready()
    return (time.perf_counter() - began) / calls


def measure(what, arrays, passed, theirs, ours, rounds):
    """passed: a call that reads the arrays and writes one."""
    contenders = [compiled(call, arrays) for call in (passed, theirs, ours)]
    first = [seconds(call, arrays, 1) if call else 0 for call in contenders]
    counts = [min(200, max(1, int(5e-3 / max(one, 1e-6)))) for one in first]
    times = [[] for _ in contenders]
    for k in range(rounds):
        for own, call, count, one in zip(times, contenders, counts, first):
            if call and not (one > 0.1 and k > 0):
                own.append(seconds(call, arrays, count))
    once, jaxs, own = (1e6 * statistics.median(each) if each else None for each in times)
    ratio = f"{jaxs:.1f} | {jaxs / own:.2f}" if jaxs else "- | -"
    row(f"| {what} | {arrays[-1].dtype} | {once:.1f} | {own:.1f} | {once / own:.0%} | {ratio} |")


def recurrence_of_jax(axis):
    def compose(first, then):
        return first[0] * then[0], then[0] * first[1] + then[1]

    def associative_scan(a, b):
        return jax.lax.associative_scan(compose, (a, b), axis=axis)[1]

    return associative_scan


def gradient_of(recur):
    """The gradient of a sum over a recurrence, by b."""
    def gradient(a, b):
        return jax.grad(lambda b: jnp.sum(recur(a, b) ** 2))(b)

    return gradient


def cells():
    """(name, arrays, one pass, JAX's, upsweep's) of every row, each made when it is its turn."""
    for size in (10**3, 2**20, 2**28 if ON_GPU else 2**23):
        for dtype in (jnp.float32, jnp.bfloat16, jnp.int32):
            yield (f"cumsum, {size}", [numbers(dtype, (size,))], lambda x: -x, lambda x: jnp.cumsum(x, dtype=x.dtype),
                   lambda x: upsweep.cumsum(x, dtype=x.dtype))
    large = [((2**14, 2**14), 0), ((2**14, 2**14), 1)] if ON_GPU else [((4096, 2048), 0), ((4096, 2048), 1)]
    for shape, axis in large:
        yield (f"cumsum, {shape}, axis {axis}", [numbers(jnp.float32, shape)], lambda x: -x, lambda x: jnp.cumsum(x, axis),
               lambda x: upsweep.cumsum(x, axis))
    for shape, axis in [*large, ((64, 4096, 1024) if ON_GPU else (4, 4096, 512), 1)]:
        for dtype in (jnp.float32, jnp.bfloat16) if ON_GPU else (jnp.float32,):
            b = numbers(dtype, shape)

            def ours(a, b):
                return upsweep.linear_recurrence(a, b, axis=axis)

            yield f"linear_recurrence, {shape}, axis {axis}", [jax.nn.sigmoid(b), b], lambda a, b: a + b, recurrence_of_jax(axis), ours
            if dtype == jnp.float32 and axis == 1 and len(shape) == 3:
                yield (f"its gradient, {shape}, axis {axis}", [jax.nn.sigmoid(b), b], lambda a, b: a + b,
                       gradient_of(recurrence_of_jax(axis)), gradient_of(ours))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--docs", type=pathlib.Path, help="a page whose table is replaced")
    arguments = parser.parse_args()
    began = time.perf_counter()
    print(f"{jax.devices()[0].device_kind}, JAX {jax.__version__}, NumPy {np.__version__}, upsweep {upsweep.__version__}, "
          f"{upsweep.get_threads()} threads on the CPU\n")
    row("| what | type | one pass, us | upsweep, us | of one pass | JAX, us | times as long |\n|---|---|---:|---:|---:|---:|---:|")
    for cell in cells():
        if time.perf_counter() - began > arguments.seconds:
            print("out of time: the rows that follow are left out", file=sys.stderr)
            break
        measure(*cell, arguments.rounds)
    if arguments.docs:
        report.replace_part(arguments.docs, "python jax", "\n".join(TABLE))


main()
