"""Histograms, and the elements of every bin."""
from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _module
from ._arrays import about, integer, memory, readable, truth, type_name
from ._engines import engine_of
from ._libraries import library_of
from ._parameters import Bins, Limits, edge_limits
from ._scans import plan_of
from ._types import Bounds, Range, of_any_library

_MOST_BINS = 2**32 - 2


def _elements(a: Any) -> Tuple[np.ndarray, str]:
    x = readable(a)
    if x.dtype.kind == "c":
        raise TypeError(f"a: {x.dtype} has no order, and so no bins")
    return np.ascontiguousarray(x).reshape(-1), type_name(x.dtype)


def _asked(bins: Any, argument: str, range: Range, clamp: bool) -> Bins:
    edges, clamp = bins, truth(clamp, "clamp")
    if type(bins) is not int and library_of(bins) is not None and bins.ndim != 0:  # wherever it is: there are few of them
        bins = np.asarray(bins.tolist())
    if isinstance(bins, (str, bytes)) or not hasattr(bins, "__len__") or getattr(bins, "ndim", 1) == 0:
        number = integer(bins, argument)
        if not 1 <= number <= _MOST_BINS:
            raise ValueError(f"{argument}: expected 1 to {_MOST_BINS}, but it is {number}")
        return Bins(number, range, clamp)
    if range is not None:
        raise ValueError(f"range: expected none beside edges, but it is {range!r}")
    count, limits = edge_limits(bins, argument, clamp)
    return Bins(count, None, clamp, np.array(bins) if edges is bins else edges, limits, argument)


def _limits(x: np.ndarray, name: str, asked: Bins) -> Limits:
    limits = asked.limits()
    if limits is not None:
        return limits
    if x.size == 0:
        return "0", "1", True
    try:
        return _module.extent_of(memory(x), name)
    except ValueError as problem:
        raise about("a", problem) from None


def _sums(a: Any, x: np.ndarray, name: str, limits: Limits, count: int, weights: Any) -> np.ndarray:
    beside = readable(weights, "weights")
    if beside.shape != np.shape(a):
        raise ValueError(f"weights: expected shape {np.shape(a)}, that of a, but it is {beside.shape}")
    beside = np.ascontiguousarray(beside).reshape(-1)
    plan, result, _ = plan_of("plus", beside, None, None)
    totals = np.empty(count, result)
    _module.weighted_histogram(memory(x), name, limits, plan, memory(beside), memory(totals))
    return totals


@of_any_library
def histogram(a: ArrayLike, bins: Bounds = 10, range: Range = None, *,
              clamp: bool = False, weights: Optional[ArrayLike] = None) -> Tuple[NDArray[Any], NDArray[Any]]:
    """How many elements are in each of ``bins`` equal intervals of ``range``, or what their weights come to, and the edges of these.

    bins: their number; or edges, two ascending real numbers or more, and no range: bin b holds the elements x with
    ``bins[b] <= x < bins[b + 1]``, compared as the numbers that they are whatever their types, and the last its upper edge too, as
    numpy.histogram has them. With ``clamp`` the first bin has what is below it, and the last what is above. The edges are returned
    as they are. O(size * log(bins)) work.

    range: a pair (lo, hi); bin b holds the elements x with ``floor((x - lo) * bins / (hi - lo)) == b``, exactly for integers
    and in the type's own arithmetic for floating point, so hi itself is in no bin. This formula alone decides: one that is
    within a rounding error of an edge may be in the bin on the edge's other side, where numpy.histogram moves it (0.3 is in the
    first of 3 bins of (0, 0.9), though the edge is 0.3, too). With ``clamp`` what is below lo is counted
    in the first bin and what is not below hi in the last. None: from the smallest to the largest element, which the last bin
    has too (from 0 to 1 if there are none). NaNs are counted nowhere. Results: int64 counts, and bins + 1 edges of int64, uint64, float32 or float64, the type
    that elements are looked at as. Raises TypeError for complex numbers, ValueError for a range without extent or of numbers
    that the type has not. O(size + bins) work.

    weights: a number of any type for each element, in an array of a's shape. The first result is then their sums, of the type that
    sum has for them: integers and bool are summed in 64 bits, float16 and bfloat16 in float32, and rounded once. A bin's sum has the
    bits of sum over its weights alone, in C order, whatever the number of threads; of a bin without elements it is -0.0 in
    floating point, which equals 0. ``histogram(a, n, (0, n), weights=w)`` is numpy.bincount of integers a.
    """
    asked = _asked(bins, "bins", range, clamp)
    engine = engine_of(a) if weights is None else engine_of(a, weights)
    if engine is not None:
        return engine.histogram(a, asked, weights)
    x, name = _elements(a)
    limits = _limits(x, name, asked)
    edges = asked.edge_numbers(name, limits) if asked.edges is None else asked.edges
    counts = np.zeros(asked.count, np.uint64)
    try:
        if weights is not None:
            return _sums(a, x, name, limits, asked.count, weights), edges
        _module.histogram(memory(x), name, limits, counts)
    except ValueError as problem:
        raise about(asked.argument, problem) from None
    return counts.view(np.int64), edges


def _extract(a: Any, count: Any, range: Range, clamp: bool, indices: bool) -> Tuple[np.ndarray, np.ndarray]:
    asked = _asked(count, "count", range, clamp)
    engine = engine_of(a)
    if engine is not None:
        return engine.extract(a, asked, indices)
    x, name = _elements(a)
    limits = _limits(x, name, asked)
    out = np.empty(x.size, np.int64 if indices else x.dtype)
    offsets = np.zeros(asked.count + 1, np.uint64)
    try:
        placed = _module.bins(memory(x), name, limits, memory(out), offsets, indices)
    except ValueError as problem:
        raise about(asked.argument, problem) from None
    out.resize(placed, refcheck=False)
    return out, offsets.view(np.int64)


@of_any_library
def bins(a: ArrayLike, count: Bounds = 10, range: Range = None, *,
         clamp: bool = False) -> Tuple[NDArray[Any], NDArray[np.int64]]:
    """The elements of bin 0, in C order, then those of bin 1, and so on; and where each begins.

    count: the number of bins, or edges. Bins, range and clamp are those of histogram. Returns (elements, offsets): bin b is
    ``elements[offsets[b]:offsets[b + 1]]``. Elements in no bin are left out. O(size + count) work.
    """
    return _extract(a, count, range, clamp, False)


@of_any_library
def bin_indices(a: ArrayLike, count: Bounds = 10, range: Range = None, *,
                clamp: bool = False) -> Tuple[NDArray[np.int64], NDArray[np.int64]]:
    """As bins, with indices in C order in place of elements."""
    return _extract(a, count, range, clamp, True)
