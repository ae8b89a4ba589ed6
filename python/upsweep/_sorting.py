"""Stable sorting, of rows and of segments, and the first elements of rows."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, SupportsIndex, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _module
from ._arrays import Target, along, apart, check_out, memory, readable, truth, type_name
from ._engines import engine_of
from ._parameters import count_along
from ._scans import head_bytes, one_dimension
from ._types import Axis, of_any_library


def _with_order(a: Any) -> np.ndarray:
    x = readable(a)
    if x.dtype.kind == "c":
        raise TypeError(f"a: {x.dtype} has no order to sort its elements in")
    return x


def _check_out(out: Optional[np.ndarray], shape: Tuple[int, ...], dtype: np.dtype) -> None:
    if out is not None:
        check_out(out, shape)
        if out.dtype.newbyteorder("=") != dtype:
            raise TypeError(f"out: expected {dtype}, but it is {out.dtype}")


def _rows(a: Any, axis: Axis) -> Tuple[np.ndarray, int]:
    x = _with_order(a)
    if x.ndim == 0 and axis is not None:
        raise ValueError("axis: an array of 0 dimensions has none to sort along")
    return along(x, axis)


def _run(a: Any, axis: Axis, descending: bool, out: Optional[np.ndarray], indices: bool) -> np.ndarray:
    descending = truth(descending, "descending")
    engine = engine_of(a)
    if engine is not None:
        return engine.sort(a, axis, descending, out, indices)
    x, position = _rows(a, axis)
    dtype = np.dtype(np.int64) if indices else x.dtype
    _check_out(out, x.shape, dtype)
    # The module sorts rows that lie one behind the other. Others are laid out so, and go back when they are sorted.
    is_last = position == x.ndim - 1
    rows = np.ascontiguousarray(x if is_last else np.moveaxis(x, position, -1))
    target = Target(rows, dtype, out if is_last else None, contiguous=True)
    if out is not None and np.may_share_memory(rows, target.array):
        rows = rows.copy()
    sort = _module.sort_row_indices if indices else _module.sort_rows
    sort(memory(rows), type_name(x.dtype), memory(target.array), x.shape[position], descending)
    sorted_rows = target.result()
    if is_last:
        return sorted_rows
    result = np.empty_like(x, dtype=dtype, subok=False) if out is None else out
    result[...] = np.moveaxis(sorted_rows, -1, position)
    return result


@of_any_library
def sort(a: ArrayLike, axis: Axis = -1, *, descending: bool = False,
         out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
    """The elements in order along an axis; None sorts all of them.

    Stable in both directions: elements that are equal keep their order. -0.0 and 0.0 are equal, NaNs are equal to each other
    and above all else, so that they come last, or first with ``descending``. out: an array of the same shape and type that
    takes the elements, and is returned; it may be ``a``. Raises TypeError for types without order and ValueError for shapes
    and axes. O(size) moves for every byte in which elements differ. Scratch: as much memory as one row takes for each
    thread, of rows of up to 256 elements up to 32 MiB in all, and as much as ``a`` unless its rows are contiguous.
    """
    return _run(a, axis, descending, out, False)


@of_any_library
def argsort(a: ArrayLike, axis: Axis = -1, *, descending: bool = False,
            out: Optional[NDArray[np.int64]] = None) -> NDArray[np.int64]:
    """The indices, int64, that put the elements in order along an axis: of equal ones the earlier index comes first.

    All else is as in sort.
    """
    return _run(a, axis, descending, out, True)


class TopK(NamedTuple):
    """What top_k returns."""

    values: Any
    indices: Any


@of_any_library
def top_k(a: ArrayLike, k: SupportsIndex, axis: Axis = -1, *, smallest: bool = False) -> TopK:
    """The k greatest elements along an axis, the greatest first, and their indices, int64; None takes all elements.

    With ``smallest`` the smallest, the smallest first. They are the first k of ``sort(a, axis, descending=not smallest)`` and
    of ``argsort``, in every bit: of equal elements that with the lower index comes first, and NaNs are above all else. Raises
    TypeError for types without order and ValueError for axes and other k than from 0 to the number of elements along the axis.
    One read of the elements, and a sort of little more than k of them. Scratch: as much memory as ``a`` unless its rows are
    contiguous, and 8 bytes or so for each of k elements of a row and thread.
    """
    smallest = truth(smallest, "smallest")
    engine = engine_of(a)
    if engine is not None:
        return TopK(*engine.top_k(a, k, axis, smallest))
    x, position = _rows(a, axis)
    length = x.shape[position]
    count = count_along(k, length)
    is_last = position == x.ndim - 1
    rows = np.ascontiguousarray(x if is_last else np.moveaxis(x, position, -1))
    shape = (*rows.shape[:-1], count)
    values, indices = np.empty(shape, x.dtype), np.empty(shape, np.int64)
    _module.top_k_rows(memory(rows), type_name(x.dtype), memory(values), indices, length, count, smallest)
    if is_last:
        return TopK(values, indices)
    return TopK(*(np.ascontiguousarray(np.moveaxis(found, -1, position)) for found in (values, indices)))


def _run_segments(a: Any, keys: Any, offsets: Any, heads: Any, descending: bool, out: Optional[np.ndarray],
                  indices: bool) -> np.ndarray:
    descending = truth(descending, "descending")
    engine = engine_of(a, beside=(keys, offsets, heads))
    if engine is not None:
        return engine.segmented_sort(a, keys, offsets, heads, descending, out, indices)
    x = np.ascontiguousarray(one_dimension(_with_order(a), "a"))
    starts = head_bytes(x.size, keys, offsets, heads)
    dtype = np.dtype(np.int64) if indices else x.dtype
    _check_out(out, x.shape, dtype)
    target = Target(x, dtype, out, contiguous=True)
    if out is not None:
        x, starts = apart(x, target.array), (starts.copy() if np.may_share_memory(starts, target.array) else starts)
        if indices and np.may_share_memory(x, target.array):  # which is where elements may be, but indices may not
            x = x.copy()
    _module.sort_segments(memory(x), type_name(x.dtype), starts, memory(target.array), descending, indices)
    return target.result()


@of_any_library
def segmented_sort(a: ArrayLike, *, keys: Optional[ArrayLike] = None, offsets: Optional[ArrayLike] = None,
                   heads: Optional[ArrayLike] = None, descending: bool = False, out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
    """The elements of every segment of a one-dimensional array in order, each segment by itself.

    Segments are given by keys, offsets or heads, as in inclusive_segmented_scan. Order, stability, ``out`` and errors are those
    of sort; ``out`` may be what the segments are given by, too. O(n) moves for segments of up to some 32 elements, and for longer
    ones for every byte in which elements differ. Scratch: as much memory as ``a``.
    """
    return _run_segments(a, keys, offsets, heads, descending, out, False)


@of_any_library
def segmented_argsort(a: ArrayLike, *, keys: Optional[ArrayLike] = None, offsets: Optional[ArrayLike] = None,
                      heads: Optional[ArrayLike] = None, descending: bool = False,
                      out: Optional[NDArray[np.int64]] = None) -> NDArray[np.int64]:
    """The indices, int64, into the whole array that put every segment in order: ``a[segmented_argsort(a, ...)]`` is
    ``segmented_sort(a, ...)``, and those of the segment from b to e are the numbers from b to e - 1.

    All else is as in segmented_sort.
    """
    return _run_segments(a, keys, offsets, heads, descending, out, True)
