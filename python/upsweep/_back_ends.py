"""What computes with the arrays of a library: the extension module of CUDA, or that of the CPU, with the same methods.

Methods take the library and its arrays, whose types and shapes are settled. `elements`, `rows` and what they give are
contiguous. `initial` is the bytes of a value, or None.
"""
from __future__ import annotations

import functools
import math
from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np

from . import _module
from ._arrays import type_name
from ._parameters import Limits, about_repeats, no_offsets, number_type, wrong_size

try:
    from . import _cuda
except ImportError:  # a build without CUDA
    _cuda = None

Comparison = Tuple[str, str]


def _plans_of(module: Any) -> Callable[..., Tuple[Any, str, str]]:
    """make_plan(op, input, output, totals): an operator with its types, and the names of those of results and of totals."""
    @functools.lru_cache(maxsize=None)
    def make_plan(*types: Optional[str]) -> Tuple[Any, str, str]:
        plan = module.make_plan(*types)
        return plan, plan.output, plan.accumulator

    return make_plan


def _coefficients(library: Any, a: Any) -> Tuple[Any, str]:
    """A number, or an array and the name of its type."""
    return (a, "") if isinstance(a, float) else (library.layout(a), library.type_of(a))


def _bytes_of(library: Any, a: Any) -> Tuple[int, Tuple[int], Tuple[int]]:
    """The layout of the bytes of what is contiguous."""
    return library.address(a), (math.prod(a.shape) * a.dtype.itemsize,), (1,)


class Cuda:
    """Of arrays in the memory of a GPU. Work goes to the stream that the library has current there."""

    def __init__(self) -> None:
        if _cuda is None:
            raise TypeError("a: it is on a GPU, and this build of upsweep has no CUDA (docs/python.md tells how to make one)")
        self._streams: Dict[Tuple[int, int], Any] = {}
        self.make_plan = _plans_of(_cuda)

    def _stream(self, library: Any, a: Any) -> Any:
        """The stream to work in, with its scratch; one for each that has been seen."""
        key = library.stream(a)
        found = self._streams.get(key)
        if found is None:
            found = self._streams[key] = _cuda.Stream(*key)
        return found

    def scan(self, library: Any, plan: Any, x: Any, out: Any, axis: int, exclusive: bool, reverse: bool,
             initial: Optional[bytes]) -> None:
        plan.scan(self._stream(library, x), library.layout(x), library.layout(out), axis, exclusive, reverse, initial)

    def reduce(self, library: Any, plan: Any, x: Any, out: Any, axis: int, initial: Optional[bytes]) -> None:
        """`out`: one element along the axis, or totals in C order."""
        plan.reduce(self._stream(library, x), library.layout(x), library.layout(out), axis, initial)

    def scan_segments(self, library: Any, plan: Any, x: Any, heads: Any, out: Any, exclusive: bool, reverse: bool,
                      initial: Optional[bytes]) -> None:
        plan.scan_segments(self._stream(library, x), library.layout(x), library.layout(heads), library.layout(out), exclusive,
                           reverse, initial)

    def starts_of(self, library: Any, keys: Any) -> Any:
        """A bool for each key that is true where it differs from the one before; the first is."""
        starts = library.filled(keys, tuple(keys.shape), "bool")
        _cuda.mark_runs(self._stream(library, keys), library.layout(keys), library.type_of(keys), library.layout(starts))
        return starts

    def starts_of_offsets(self, library: Any, x: Any, offsets: Any) -> Any:
        """A bool for each element of x that is true where a segment begins; waits, as it tells whether offsets are good: else None."""
        starts, at = library.filled(x, tuple(x.shape), "bool"), library.converted(offsets, "int64")
        return starts if _cuda.mark_offsets(self._stream(library, x), library.layout(at), library.layout(starts)) else None

    def reduce_segments(self, library: Any, plan: Any, x: Any, by: str, described: Any, keys_out: Any, out: Any,
                        initial: Optional[bytes]) -> int:
        """How many segments there are, when their totals and, unless None, their first keys are written; waits for that. They are
        described by flags, keys or offsets; raises ValueError for offsets that are none."""
        stream, n = self._stream(library, x), x.shape[0]
        if by == "offsets":
            at = library.converted(described, "int64")
            if not plan.reduce_by_offsets(stream, library.layout(x), library.layout(at), library.layout(out), initial):
                raise no_offsets(n)
            return out.shape[0]
        held = out
        if plan.held_bytes:  # a total is not an element of the results yet
            held = library.filled(x, (n * plan.held_bytes,), "uint8")
        if by == "keys":
            count = plan.reduce_by_keys(stream, library.layout(x), library.layout(described), library.type_of(described),
                                        None if keys_out is None else library.layout(keys_out), library.layout(held), initial)
        else:
            count = plan.reduce_segments(stream, library.layout(x), library.layout(described), library.layout(held), initial)
        if held is not out:
            plan.store_totals(stream, library.layout(held), library.layout(out[:count]))
        return count

    def encode_runs(self, library: Any, elements: Any, out: Any, lengths: Any, numbers: Any) -> int:
        """How many runs there are, when their first elements and, unless None, their lengths and for each element the number of its
        run are written; waits for that."""
        return _cuda.encode_runs(self._stream(library, elements), library.layout(elements), library.type_of(elements),
                                 library.layout(out), None if lengths is None else library.layout(lengths),
                                 None if numbers is None else library.layout(numbers))

    def linear_recurrence(self, library: Any, a: Any, b: Any, x0: float, out: Any, in_double: bool, axis: int,
                          reverse: bool) -> None:
        _cuda.linear_recurrence(self._stream(library, out), *_coefficients(library, a), library.layout(b), library.type_of(b), x0,
                                library.layout(out), library.type_of(out), in_double, axis, reverse)

    def choose(self, library: Any, elements: Any, condition: Union[Comparison, Any], out: Any, packed: bool,
               indices: bool) -> int:
        """How many satisfy the condition, a comparison or flags, when they or their indices are in `out`; waits for that."""
        stream, x, to = self._stream(library, elements), library.layout(elements), library.layout(out)
        if isinstance(condition, tuple):
            return _cuda.choose_compared(stream, x, library.type_of(elements), *condition, to, packed, indices)
        return _cuda.choose(stream, library.layout(condition), None if indices else x, elements.dtype.itemsize, to, packed)

    def extent(self, library: Any, elements: Any) -> Limits:
        name = library.type_of(elements)
        numbers = number_type(name).name
        found = library.filled(elements, (_cuda.extremes_of(elements.shape[0]),), numbers)
        _cuda.find_extremes(self._stream(library, elements), library.layout(elements), name, library.layout(found))
        return _module.extent_of(library.to_host(found), numbers)

    def numbers(self, library: Any, like: Any, values: np.ndarray) -> Any:
        """A copy on the device of `like` of numbers of 4 or 8 bytes in host memory."""
        if values.nbytes > _cuda.passed_bytes:
            return library.numbers(like, values)
        made = library.filled(like, values.shape, type_name(values.dtype))
        _cuda.store_numbers(self._stream(library, like), values.tobytes(), values.itemsize, library.layout(made))
        return made

    def histogram(self, library: Any, elements: Any, limits: Limits, counts: Any) -> None:
        _cuda.histogram(self._stream(library, elements), library.layout(elements), library.type_of(elements), limits,
                        library.layout(counts))

    def weighted_histogram(self, library: Any, elements: Any, limits: Limits, plan: Any, weights: Any, totals: Any) -> None:
        _cuda.weighted_histogram(self._stream(library, elements), library.layout(elements), library.type_of(elements), limits, plan,
                                 library.layout(weights), library.layout(totals))

    def bins(self, library: Any, elements: Any, limits: Limits, out: Any, offsets: Any, indices: bool) -> None:
        _cuda.bins(self._stream(library, elements), library.layout(elements), library.type_of(elements), limits,
                   library.layout(out), library.layout(offsets), indices)

    def sort_rows(self, library: Any, rows: Any, out: Any, length: int, descending: bool, indices: bool) -> None:
        _cuda.sort_rows(self._stream(library, rows), library.layout(rows), library.type_of(rows), library.layout(out), length,
                        descending, indices)

    def top_k_rows(self, library: Any, rows: Any, values: Any, indices: Any, length: int, k: int, smallest: bool) -> None:
        _cuda.top_k_rows(self._stream(library, rows), library.layout(rows), library.type_of(rows), library.layout(values),
                         library.layout(indices), length, k, smallest)

    def sort_segments(self, library: Any, x: Any, heads: Any, out: Any, descending: bool, indices: bool) -> None:
        _cuda.sort_segments(self._stream(library, x), library.layout(x), library.type_of(x), library.layout(heads),
                            library.layout(out), descending, indices)

    def countable(self, library: Any, counts: Any) -> Any:
        """Counts of a type that the methods below read."""
        return counts if library.type_of(counts) in ("int32", "int64") else library.converted(counts, "int64")

    def count_repeats(self, library: Any, counts: Any) -> int:
        """Waits. Raises ValueError where a count is negative, and for offsets that are none."""
        each = counts.each
        try:
            return _cuda.count_repeats(self._stream(library, each), library.layout(each), library.type_of(each), counts.are_offsets,
                                       counts.n)
        except ValueError as problem:
            raise about_repeats(problem, counts.are_offsets, counts.n) from None

    def repeat(self, library: Any, x: Any, axis: int, counts: Any, out: Any) -> None:
        """As many results along the axis as `out` has room for."""
        shape, results = tuple(x.shape), out.shape[axis]
        if 0 in shape or results == 0:
            return
        row, sequences = math.prod(shape[axis + 1:]), math.prod(shape[:axis])
        row_bytes = row * x.dtype.itemsize
        is_word = row_bytes in (1, 2, 4, 8, 16) and library.address(x) % row_bytes == 0
        from_words = library.address(x), (sequences * shape[axis],), (1,)
        to_words = library.address(out), (sequences * results,), (1,)
        if isinstance(counts.each, int):  # of rows one behind the other, whatever the axis
            if is_word:
                _cuda.repeat_all(self._stream(library, x), from_words, row_bytes, counts.each, to_words)
            else:
                library.assign(out.reshape(-1, counts.each, row), x.reshape(-1, 1, row))
        elif is_word and sequences == 1:
            _cuda.repeat(self._stream(library, x), from_words, row_bytes, library.layout(counts.each), library.type_of(counts.each),
                         counts.are_offsets, to_words)
        else:
            order = library.filled(x, (results,), "int64", 0)  # which stays where the counts' sum is less
            self.repeat_indices(library, counts, order)
            library.rows_at(x, order, axis, out)

    def repeat_indices(self, library: Any, counts: Any, out: Any) -> None:
        if out.shape[0] != 0:
            _cuda.repeat_indices(self._stream(library, out), library.layout(counts.each), library.type_of(counts.each),
                                 counts.are_offsets, library.layout(out))


class Host:
    """Of arrays in host memory."""

    def __init__(self) -> None:
        self.make_plan = _plans_of(_module)

    def scan(self, library: Any, plan: Any, x: Any, out: Any, axis: int, exclusive: bool, reverse: bool,
             initial: Optional[bytes]) -> None:
        plan.scan(library.layout(x), library.layout(out), axis, exclusive, reverse, initial)

    def reduce(self, library: Any, plan: Any, x: Any, out: Any, axis: int, initial: Optional[bytes]) -> None:
        plan.reduce(library.layout(x), library.layout(out), axis, initial)

    def scan_segments(self, library: Any, plan: Any, x: Any, heads: Any, out: Any, exclusive: bool, reverse: bool,
                      initial: Optional[bytes]) -> None:
        plan.scan_segments(library.layout(x), library.layout(heads), library.layout(out), exclusive, reverse,
                           initial)

    def starts_of(self, library: Any, keys: Any) -> Any:
        """A bool for each key that is true where it differs from the one before; the first is."""
        starts = library.filled(keys, tuple(keys.shape), "bool", True)
        starts[1:] = keys[1:] != keys[:-1]
        return starts

    def starts_of_offsets(self, library: Any, x: Any, offsets: Any) -> Any:
        """A bool for each element of x that is true where a segment begins; None where the offsets are none."""
        n = x.shape[0]
        if int(offsets[0]) != 0 or int(offsets[-1]) != n or bool((offsets[1:] < offsets[:-1]).any()):
            return None
        starts = library.filled(x, (n,), "bool", False)
        starts[offsets[offsets < n]] = True
        return starts

    def reduce_segments(self, library: Any, plan: Any, x: Any, by: str, described: Any, keys_out: Any, out: Any,
                        initial: Optional[bytes]) -> int:
        """How many segments there are, when their totals and, unless None, their first keys are written. They are described by flags,
        keys or offsets; raises ValueError for offsets that are none."""
        return plan.reduce_segments(library.layout(x), by, library.type_of(described), library.layout(described),
                                    None if keys_out is None else library.layout(keys_out), library.layout(out), initial)

    def encode_runs(self, library: Any, elements: Any, out: Any, lengths: Any, numbers: Any) -> int:
        """How many runs there are, when their first elements and, unless None, their lengths and for each element the number of its
        run are written."""
        x, name = library.layout(elements), library.type_of(elements)
        if numbers is not None:
            _module.number_runs(x, name, library.layout(numbers))
        return _module.encode_runs(x, name, library.layout(out), None if lengths is None else library.layout(lengths))

    def linear_recurrence(self, library: Any, a: Any, b: Any, x0: float, out: Any, in_double: bool, axis: int,
                          reverse: bool) -> None:
        _module.linear_recurrence(*_coefficients(library, a), library.layout(b), library.type_of(b), x0, library.layout(out),
                                  library.type_of(out), in_double, axis, reverse)

    def choose(self, library: Any, elements: Any, condition: Union[Comparison, Any], out: Any, packed: bool,
               indices: bool) -> int:
        x, to, name = library.layout(elements), library.layout(out), library.type_of(elements)
        if isinstance(condition, tuple):
            return _module.choose_compared(x, name, *condition, to, packed, indices)
        if indices:
            return _module.choose_flagged_indices(library.layout(condition), to, packed)
        return _module.choose_flagged(x, name, library.layout(condition), to, packed)

    def extent(self, library: Any, elements: Any) -> Limits:
        return _module.extent_of(library.layout(elements), library.type_of(elements))

    def numbers(self, library: Any, like: Any, values: np.ndarray) -> Any:
        return library.numbers(like, values)

    def histogram(self, library: Any, elements: Any, limits: Limits, counts: Any) -> None:
        _module.histogram(library.layout(elements), library.type_of(elements), limits, library.layout(counts))

    def weighted_histogram(self, library: Any, elements: Any, limits: Limits, plan: Any, weights: Any, totals: Any) -> None:
        _module.weighted_histogram(library.layout(elements), library.type_of(elements), limits, plan, library.layout(weights),
                                   library.layout(totals))

    def bins(self, library: Any, elements: Any, limits: Limits, out: Any, offsets: Any, indices: bool) -> None:
        _module.bins(library.layout(elements), library.type_of(elements), limits, library.layout(out),
                     library.layout(offsets), indices)

    def sort_rows(self, library: Any, rows: Any, out: Any, length: int, descending: bool, indices: bool) -> None:
        sort = _module.sort_row_indices if indices else _module.sort_rows
        sort(library.layout(rows), library.type_of(rows), library.layout(out), length, descending)

    def top_k_rows(self, library: Any, rows: Any, values: Any, indices: Any, length: int, k: int, smallest: bool) -> None:
        _module.top_k_rows(library.layout(rows), library.type_of(rows), library.layout(values), library.layout(indices), length, k,
                           smallest)

    def sort_segments(self, library: Any, x: Any, heads: Any, out: Any, descending: bool, indices: bool) -> None:
        _module.sort_segments(library.layout(x), library.type_of(x), library.layout(heads), library.layout(out), descending, indices)

    def countable(self, library: Any, counts: Any) -> Any:
        """Counts of a type that the methods below read."""
        return counts

    def _call(self, library: Any, function: Callable[..., int], before: Tuple[Any, ...], counts: Any, behind: Tuple[Any, ...]) -> int:
        if isinstance(counts.each, int):
            one = np.array([counts.each])
            how: Tuple[Any, ...] = one, type_name(one.dtype), False
        else:
            how = library.layout(counts.each), library.type_of(counts.each), counts.are_offsets
        try:
            return function(*before, *how, *behind)
        except ValueError as problem:
            raise about_repeats(problem, counts.are_offsets, counts.n) from None

    def count_repeats(self, library: Any, counts: Any) -> int:
        """Raises ValueError where a count is negative, and for offsets that are none."""
        return self._call(library, _module.count_repeats, (), counts, (counts.n,))

    def repeat(self, library: Any, x: Any, axis: int, counts: Any, out: Any) -> None:
        """As many results along the axis as `out` has room for. Raises ValueError where there are others."""
        if 0 in x.shape or 0 in out.shape:
            made = self.count_repeats(library, counts)
        else:
            made = self._call(library, _module.repeat, (_bytes_of(library, x), math.prod(x.shape[:axis]), counts.n), counts,
                              (_bytes_of(library, out),))
        if made != out.shape[axis]:
            raise wrong_size(made, out.shape[axis])

    def repeat_indices(self, library: Any, counts: Any, out: Any) -> None:
        made = self._call(library, _module.repeat_indices, (), counts, (library.layout(out),))
        if made != out.shape[0]:
            raise wrong_size(made, out.shape[0])


cuda = functools.lru_cache(maxsize=None)(Cuda)
host = functools.lru_cache(maxsize=None)(Host)


def empty_cache() -> None:
    """Gives the scratch that is kept for calls to come, up to a sixteenth of a GPU's memory, back to the GPU, for other
    libraries to have. What calls under way use stays with them."""
    if _cuda is not None:
        _cuda.empty_cache()
