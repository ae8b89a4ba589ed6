"""Repeated elements of arrays of PyTorch and CuPy (_tensors.py). Calls wait for a GPU's stream unless they are told how many results
there are."""
from __future__ import annotations

import math
from typing import Any, NamedTuple, Tuple

import numpy as np

from . import _gradients
from ._arrays import along
from ._libraries import Library
from ._parameters import (check_one_of_repeats, count_for_all, expected_repeat_offsets, expected_repeats, kind_of, known_size,
                          more_than_memory, wrong_size)
from ._tensor_runs import segmented_reduce
from ._tensors import engine_for, one_dimension, scan_with_identity


class Counts(NamedTuple):
    """How often each of n elements is repeated."""
    each: Any  # an integer for all, or an array with one for each element, or of offsets
    are_offsets: bool
    n: int

    def plain(self) -> Any:
        """An integer, or one for each element."""
        return self.each[1:] - self.each[:-1] if self.are_offsets else self.each


def _integers(library: Library, given: Any, argument: str) -> Any:
    x = library.array(given, argument)
    name = library.type_of(x)
    if kind_of(name) not in ("iu" if argument == "offsets" else "biu"):
        raise TypeError(f"{argument}: expected integers, but it is {name}")
    return x


def _of_array(library: Library, each: Any, are_offsets: bool, n: int) -> Counts:
    return Counts(library.back_end.countable(library, library.contiguous(each)), are_offsets, n)


def _counts(library: Library, repeats: Any, offsets: Any, n: int) -> Counts:
    check_one_of_repeats(repeats, offsets)
    if offsets is not None:
        at = _integers(library, offsets, "offsets")
        if tuple(at.shape) != (n + 1,):
            raise expected_repeat_offsets(n)
        return _of_array(library, at, True, n)
    if isinstance(repeats, (int, np.integer)):
        return Counts(count_for_all(repeats), False, n)
    given = _integers(library, repeats, "repeats")
    shape = tuple(given.shape)
    if len(shape) > 1 or math.prod(shape) not in (1, n):
        raise expected_repeats(n, shape)
    if shape != (n,):
        spread = library.filled(given, (n,), library.type_of(given))
        library.assign(spread, given)
        given = spread
    return _of_array(library, given, False, n)


def _size(library: Library, counts: Counts, output_size: Any) -> int:
    """How many results there are, or are said to be."""
    if not isinstance(counts.each, int):
        return library.back_end.count_repeats(library, counts) if output_size is None else known_size(output_size)
    size = counts.each * counts.n
    if output_size is not None and known_size(output_size) != size:
        raise wrong_size(size, output_size)
    return size


def size_of(library: Library, repeats: Any, offsets: Any, n: int) -> int:
    """How many results n elements have."""
    return _size(library, _counts(library, repeats, offsets, n), None)


def _check_room(shape: Tuple[int, ...]) -> None:
    if math.prod(shape) >= 2**60 or max(shape) >= 2**63:  # which the library would refuse in words of its own
        raise more_than_memory(shape)


def repeat(library: Library, a: Any, repeats: Any, offsets: Any, axis: Any, output_size: Any) -> Any:
    x, position = along(library.own(a), axis)
    n = x.shape[position]
    counts = _counts(library, repeats, offsets, n)
    size = _size(library, counts, output_size)
    shape = tuple(x.shape)
    shape = (*shape[:position], size, *shape[position + 1:])
    _check_room(shape)
    if _gradients.wanted(x):
        each = counts.plain()
        return _gradients.sum_of(x, lambda y: engine_for(y).repeat(y, each, None, position, size),
                                 lambda gradient: engine_for(gradient).sum_repeats(gradient, each, position, n))
    out = library.filled(x, shape, library.type_of(x))
    library.back_end.repeat(library, library.contiguous(x), position, counts, out)
    return out


def sum_repeats(library: Library, a: Any, repeats: Any, axis: int, n: int) -> Any:
    """The sum of each element's results, of which `a` has one each along the axis: what brings gradients back."""
    x = library.own(a)
    if _gradients.wanted(x):
        size = x.shape[axis]
        return _gradients.sum_of(x, lambda y: engine_for(y).sum_repeats(y, repeats, axis, n),
                                 lambda gradient: engine_for(gradient).repeat(gradient, repeats, None, axis, size))
    lines = library.contiguous(library.move_axis(x, axis, -1))
    shape = (*tuple(lines.shape)[:-1], n)
    counts = library.filled(x, shape, "int64")
    library.assign(counts, _counts(library, repeats, None, n).each)
    offsets = scan_with_identity(library, counts.reshape(-1), "plus", 0, "int64", None)
    totals = segmented_reduce(library, lines.reshape(-1), "plus", None, offsets, None, None, 0)
    return library.contiguous(library.move_axis(totals.reshape(shape), -1, axis))


def repeat_indices(library: Library, repeats: Any, offsets: Any, output_size: Any) -> Any:
    check_one_of_repeats(repeats, offsets)
    given, argument = (repeats, "repeats") if offsets is None else (offsets, "offsets")
    each = one_dimension(library, _integers(library, given, argument), argument)
    if offsets is not None and each.shape[0] == 0:
        raise expected_repeat_offsets(0)
    counts = _of_array(library, each, offsets is not None, each.shape[0] - (offsets is not None))
    shape = (_size(library, counts, output_size),)
    _check_room(shape)
    out = library.filled(each, shape, "int64")
    library.back_end.repeat_indices(library, counts, out)
    return out
