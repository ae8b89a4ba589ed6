"""Repeated elements of arrays of PyTorch and CuPy (_tensors.py). Calls wait for a GPU's stream unless they are told how many results
there are."""
from __future__ import annotations

import math
from typing import Any, Union

import numpy as np

from . import _gradients
from ._arrays import along
from ._libraries import Library
from ._parameters import count_for_all, expected_repeats, kind_of, known_size, wrong_size
from ._tensor_runs import segmented_reduce
from ._tensors import engine_for, one_dimension, scan_with_identity

Counts = Union[int, Any]  # for all elements, or an array with one for each


def _integers(library: Library, repeats: Any) -> Any:
    given = library.array(repeats, "repeats")
    name = library.type_of(given)
    if kind_of(name) not in "biu":
        raise TypeError(f"repeats: expected integers, but it is {name}")
    return given


def _counts(library: Library, repeats: Any, n: int) -> Counts:
    if isinstance(repeats, (int, np.integer)):
        return count_for_all(repeats)
    given = _integers(library, repeats)
    if given.ndim > 1 or math.prod(given.shape) not in (1, n):
        raise expected_repeats(n, tuple(given.shape))
    if tuple(given.shape) != (n,):
        spread = library.filled(given, (n,), library.type_of(given))
        library.assign(spread, given)
        given = spread
    return library.back_end.countable(library, library.contiguous(given))


def _size(library: Library, counts: Counts, n: int, output_size: Any) -> int:
    """How many results there are, or are said to be."""
    if isinstance(counts, int):
        if output_size is not None and known_size(output_size) != counts * n:
            raise wrong_size(counts * n, output_size)
        return counts * n
    return library.back_end.count_repeats(library, counts) if output_size is None else known_size(output_size)


def size_of(library: Library, repeats: Any, n: int) -> int:
    """How many results n elements have, whose counts are an array's."""
    return _size(library, _counts(library, repeats, n), n, None)


def repeat(library: Library, a: Any, repeats: Any, axis: Any, output_size: Any) -> Any:
    x, position = along(library.own(a), axis)
    n = x.shape[position]
    counts = _counts(library, repeats, n)
    size = _size(library, counts, n, output_size)
    if _gradients.wanted(x):
        return _gradients.sum_of(x, lambda y: engine_for(y).repeat(y, counts, position, size),
                                 lambda gradient: engine_for(gradient).sum_repeats(gradient, counts, position, n))
    shape = tuple(x.shape)
    out = library.filled(x, (*shape[:position], size, *shape[position + 1:]), library.type_of(x))
    library.back_end.repeat(library, library.contiguous(x), position, counts, out)
    return out


def sum_repeats(library: Library, a: Any, repeats: Any, axis: int, n: int) -> Any:
    """The sum of each element's results, of which `a` has one each along the axis: what brings gradients back."""
    x = library.own(a)
    if _gradients.wanted(x):
        size = x.shape[axis]
        return _gradients.sum_of(x, lambda y: engine_for(y).sum_repeats(y, repeats, axis, n),
                                 lambda gradient: engine_for(gradient).repeat(gradient, repeats, axis, size))
    lines = library.contiguous(library.move_axis(x, axis, -1))
    shape = (*tuple(lines.shape)[:-1], n)
    counts = library.filled(x, shape, "int64")
    library.assign(counts, _counts(library, repeats, n))
    offsets = scan_with_identity(library, counts.reshape(-1), "plus", 0, "int64", None)
    totals = segmented_reduce(library, lines.reshape(-1), "plus", None, offsets, None, None, 0)
    return library.contiguous(library.move_axis(totals.reshape(shape), -1, axis))


def repeat_indices(library: Library, repeats: Any, output_size: Any) -> Any:
    _integers(library, repeats)
    given = one_dimension(library, repeats, "repeats")
    counts = library.back_end.countable(library, library.contiguous(given))
    size = _size(library, counts, counts.shape[0], output_size)
    out = library.filled(given, (size,), "int64")
    library.back_end.repeat_indices(library, counts, out)
    return out
