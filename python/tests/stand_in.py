"""What stands for a GPU where there is none: arrays of a subclass of NumPy's for those of a library, and for upsweep._cuda
functions of the same meaning, by the CPU's engine. So the package's own part of calls on a GPU is tested everywhere. And such
arrays in host memory, for tensors of PyTorch there.
"""
import ctypes
import types

import numpy as np

from upsweep import _back_ends, _engines, _libraries, _module


class Array(np.ndarray):
    """In "device" memory."""


class Library(_libraries._CuPy):
    name = "the stand-in"

    def __init__(self):
        super().__init__(np)

    def owns(self, a):
        return isinstance(a, Array)

    def device(self, a):
        return 0

    def stream(self, a):
        return 0, 0

    def layout(self, a):
        return a.ctypes.data, a.shape, [stride // a.itemsize for stride in a.strides]

    def empty_like(self, a, name):
        return np.empty_like(a, dtype=name)

    def filled(self, like, shape, name, number=None):
        return (np.empty(shape, name) if number is None else np.full(shape, number, name)).view(Array)

    def numbers(self, like, values):
        return values.view(Array)

    def to_host(self, a):
        return np.asarray(a)

    def contiguous(self, a):
        return np.ascontiguousarray(a).view(Array)


class HostLibrary(Library):
    place = "in host memory"

    @property
    def back_end(self):
        return _back_ends.host()


def at(described, name):
    """The array that a tuple describes."""
    address, shape, strides = described
    dtype = np.dtype(name)
    if 0 in shape:
        return np.empty(tuple(shape), dtype)
    steps = [(extent - 1) * stride * dtype.itemsize for extent, stride in zip(shape, strides)]
    before, behind = sum(s for s in steps if s < 0), sum(s for s in steps if s > 0)
    memory = (ctypes.c_ubyte * (behind - before + dtype.itemsize)).from_address(address + before)
    return np.ndarray(tuple(shape), dtype, memory, -before, tuple(s * dtype.itemsize for s in strides))


class Plan:
    def __init__(self, op, source, result, totals):
        self._plan, self._input = _module.make_plan(op, source, result, totals), source
        self.output, self.accumulator = self._plan.output, self._plan.accumulator
        # Totals are held in a type of 8 bytes where that of results is narrower, as some are on a GPU.
        self.held_bytes = 8 if np.dtype(self.output).itemsize < 4 else 0

    def scan(self, stream, a, out, axis, exclusive, reverse, initial):
        self._plan.scan(at(a, self._input), at(out, self.output), axis, exclusive, reverse, initial)

    def scan_segments(self, stream, a, heads, out, exclusive, reverse, initial):
        self._plan.scan_segments(at(a, self._input), at(heads, "u1"), at(out, self.output), exclusive, reverse, initial)

    def reduce(self, stream, a, out, axis, initial):
        self._plan.reduce(at(a, self._input), at(out, self.output), axis, initial)

    def reduce_segments(self, stream, a, heads, out, initial):
        x, n = at(a, self._input), int(np.prod(a[1]))
        totals = np.empty(n, self.output)
        number = self._plan.reduce_segments(x, "flags", "uint8", at(heads, "u1"), None, totals, initial)
        to = at(out, self.output) if not self.held_bytes else at(out, "u1").reshape(n, self.held_bytes)
        to[:number] = totals[:number] if not self.held_bytes else widened(totals[:number])
        return number

    def reduce_by_keys(self, stream, a, keys, name, keys_out, out, initial):
        flags = np.empty(int(np.prod(a[1])), np.uint8)
        mark_runs(stream, keys, name, (flags.ctypes.data, flags.shape, [1]))
        if keys_out is not None:
            encode_runs(stream, keys, name, keys_out, None, None)
        return self.reduce_segments(stream, a, (flags.ctypes.data, flags.shape, [1]), out, initial)

    def reduce_by_offsets(self, stream, a, offsets, out, initial):
        is_good = are_good(at(offsets, "i8"), int(np.prod(a[1])))
        if is_good:
            self._plan.reduce_segments(at(a, self._input), "offsets", "int64", at(offsets, "i8"), None, at(out, self.output), initial)
        return is_good

    def store_totals(self, stream, held, out):
        to = at(out, self.output)
        rows = at(held, "u1").reshape(-1, self.held_bytes)[:to.size]
        to[...] = rows[:, :to.itemsize].copy().view(self.output)[:, 0]


def widened(x):
    """Rows of eight bytes of which the first are the elements."""
    rows = np.full((x.size, 8), 0xff, np.uint8)
    rows[:, :x.itemsize] = x.view(np.uint8).reshape(x.size, x.itemsize)
    return rows


def linear_recurrence(stream, a, a_type, b, b_type, x0, out, out_type, in_double, axis, reverse):
    _module.linear_recurrence(a if isinstance(a, float) else at(a, a_type), a_type, at(b, b_type), b_type, x0, at(out, out_type), out_type, in_double, axis,
                              reverse)


def choose_compared(stream, a, name, sign, number, out, packed, indices):
    return _module.choose_compared(at(a, name), name, sign, number, at(out, "i8" if indices else name), packed, indices)


WORDS = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}


def choose(stream, flags, a, element_bytes, out, packed):
    marks, word = at(flags, "?"), WORDS[element_bytes]
    if a is None:
        return _module.choose_flagged_indices(marks, at(out, "i8"), packed)
    return _module.choose_flagged(at(a, word), np.dtype(word).name, marks, at(out, word), packed)


def mark_runs(stream, a, name, flags):
    x, marks = at(a, name), at(flags, "u1")
    marks[:1] = 1
    marks[1:] = x[1:] != x[:-1]


def are_good(offsets, n):
    return bool(offsets[0] == 0 and offsets[-1] == n and np.all(offsets[1:] >= offsets[:-1]))


def mark_offsets(stream, offsets, flags):
    ends, marks = at(offsets, "i8"), at(flags, "u1")
    is_good = are_good(ends, marks.size)
    if is_good:
        marks[:] = 0
        marks[ends[ends < marks.size]] = 1
    return is_good


def encode_runs(stream, a, name, out, lengths, numbers):
    if numbers is not None:
        _module.number_runs(at(a, name), name, at(numbers, "i8"))
    return _module.encode_runs(at(a, name), name, at(out, name), None if lengths is None else at(lengths, "i8"))


def count_repeats(stream, counts, counts_name, offsets, n):
    return _module.count_repeats(at(counts, counts_name), counts_name, offsets, n)


def store_numbers(stream, numbers, number_bytes, out):
    at(out, f"V{number_bytes}")[:] = np.frombuffer(numbers, f"V{number_bytes}")


def repeat(stream, a, element_bytes, counts, counts_name, offsets, out):
    x, word = at(a, WORDS[element_bytes]), WORDS[element_bytes]
    _module.repeat(x.view("u1"), 1, x.size, at(counts, counts_name), counts_name, offsets, at(out, word).view("u1"))


def repeat_all(stream, a, element_bytes, count, out):
    at(out, WORDS[element_bytes])[:] = np.repeat(at(a, WORDS[element_bytes]), count)


def repeat_indices(stream, counts, counts_name, offsets, out):
    _module.repeat_indices(at(counts, counts_name), counts_name, offsets, at(out, "i8"))


def find_extremes(stream, a, name, found):
    to = at(found, {"float16": "f4", "float32": "f4", "float64": "f8", "uint64": "u8"}.get(name, "i8"))
    x = at(a, name).astype(to.dtype)
    numbers = x[x == x]
    to[0::2], to[1::2] = (numbers.min(), numbers.max()) if numbers.size else (np.nan, np.nan)


def bins(stream, a, name, limits, out, offsets, indices):
    _module.bins(at(a, name), name, limits, at(out, "i8" if indices else name), at(offsets, "u8"), indices)


def weighted_histogram(stream, a, name, limits, plan, weights, totals):
    _module.weighted_histogram(at(a, name), name, limits, plan._plan, at(weights, plan._input), at(totals, plan.output))


def sort_rows(stream, a, name, out, length, descending, indices):
    sort = _module.sort_row_indices if indices else _module.sort_rows
    sort(at(a, name), name, at(out, "i8" if indices else name), length, descending)


def top_k_rows(stream, a, name, values, indices, length, k, smallest):
    _module.top_k_rows(at(a, name), name, at(values, name), at(indices, "i8"), length, k, smallest)


def sort_segments(stream, a, name, heads, out, descending, indices):
    _module.sort_segments(at(a, name), name, at(heads, "u1"), at(out, "i8" if indices else name), descending, indices)


def install(in_host_memory):
    """Makes the package compute with it."""
    library = HostLibrary() if in_host_memory else Library()
    _engines.library_of = lambda a: library if library.owns(a) else None
    _back_ends._cuda = types.SimpleNamespace(
        Stream=lambda device, handle: (device, handle), make_plan=Plan, linear_recurrence=linear_recurrence,
        choose_compared=choose_compared, choose=choose, mark_runs=mark_runs, mark_offsets=mark_offsets, encode_runs=encode_runs,
        extremes_of=lambda n: 2 * min((n + 255) // 256, 1024), find_extremes=find_extremes,
        histogram=lambda stream, a, name, limits, counts: _module.histogram(at(a, name), name, limits, at(counts, "u8")),
        weighted_histogram=weighted_histogram, bins=bins, sort_rows=sort_rows, sort_segments=sort_segments, top_k_rows=top_k_rows, repeat=repeat, repeat_all=repeat_all, repeat_indices=repeat_indices,
        count_repeats=count_repeats, passed_bytes=3072, store_numbers=store_numbers, empty_cache=lambda: None)
