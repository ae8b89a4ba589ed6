"""One total a segment, and runs of equal neighbours as one element each."""
from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _module
from ._arrays import memory, native, readable, truth, type_name
from ._engines import engine_of
from ._parameters import Operator, element, name_of
from ._scans import head_bytes, one_dimension, plan_of, readable_offsets
from ._types import DType, of_any_library


def _first(out: np.ndarray, count: int) -> np.ndarray:
    out.resize(count, refcheck=False)  # gives back what it does not need, and copies nothing
    return out


def _reduced(x: np.ndarray, op: str, by: str, described: np.ndarray, keys_out: Optional[np.ndarray], size: int, dtype: DType,
             initial: Any) -> np.ndarray:
    """The totals of segments, `size` of them at most, that flags (bytes), keys or offsets describe."""
    plan, result, totals = plan_of(op, x, dtype, None)
    out = np.empty(size, result)
    to = None if keys_out is None else memory(keys_out)
    return _first(out, plan.reduce_segments(memory(x), by, type_name(described.dtype), memory(described), to, memory(out),
                                            element(initial, totals)))


def _readable_keys(keys: Any, n: int) -> Tuple[np.ndarray, bool]:
    """Keys, and whether the module can compare them."""
    given = one_dimension(keys, "keys", n)
    is_known = type_name(native(given.dtype)) is not None
    return np.ascontiguousarray(readable(given, "keys")) if is_known else given, is_known


@of_any_library
def segmented_reduce(a: ArrayLike, op: Operator = "plus", *, keys: Optional[ArrayLike] = None, offsets: Optional[ArrayLike] = None,
                     heads: Optional[ArrayLike] = None, dtype: DType = None, initial: Any = None) -> NDArray[Any]:
    """One total a segment of a one-dimensional array: ``out[k] = a[b] (+) ... (+) a[e - 1]`` of the segment from b to e.

    Segments are given by keys, offsets or heads, as in inclusive_segmented_scan. By keys and heads none is empty, and there are as
    many results as segments. By offsets there is one for each segment, and that of an empty one is ``initial`` or else the operator's
    identity (of floating-point sums -0.0, of maxima the least value). Every segment starts from ``initial``, if there is one.
    op, dtype and errors are those of inclusive_scan.

    Bits: out[k] is what inclusive_segmented_scan gives for the segment's last element. O(n) work.
    """
    engine = engine_of(a, beside=(keys, offsets, heads))
    if engine is not None:
        return engine.segmented_reduce(a, op, keys, offsets, heads, dtype, initial)
    x = np.ascontiguousarray(one_dimension(readable(a), "a"))
    by, described, size = "flags", None, x.size
    if keys is not None and offsets is None and heads is None:
        key, is_known = _readable_keys(keys, x.size)
        if is_known:
            by, described = "keys", key
    elif offsets is not None and keys is None and heads is None:
        by, described = "offsets", readable_offsets(offsets, x.size)
        size = described.size - 1
    if described is None:
        described = head_bytes(x.size, keys, offsets, heads)
    return _reduced(x, name_of(op), by, described, None, size, dtype, initial)


@of_any_library
def reduce_by_key(keys: ArrayLike, a: ArrayLike, op: Operator = "plus", *, dtype: DType = None,
                  initial: Any = None) -> Tuple[NDArray[Any], NDArray[Any]]:
    """The first key of every run of equal keys, and the total of the elements beside the run.

    Keys are compared with their neighbours only: to have one total for each key, sort by it first
    (``order = argsort(keys)``; ``reduce_by_key(keys[order], a[order])``). All else is as in segmented_reduce.
    """
    engine = engine_of(a, beside=(keys,))
    if engine is not None:
        return engine.reduce_by_key(keys, a, op, dtype, initial)
    x = np.ascontiguousarray(one_dimension(readable(a), "a"))
    key, is_known = _readable_keys(keys, x.size)
    if not is_known:
        starts = head_bytes(x.size, key, None, None)
        starts[:1] = 1
        return key[starts.view(bool)], _reduced(x, name_of(op), "flags", starts, None, x.size, dtype, initial)
    first = np.empty(x.size, key.dtype)
    found = _reduced(x, name_of(op), "keys", key, first, x.size, dtype, initial)
    return _first(first, found.size), found


def _encoded(a: Any, inverse: bool, lengths: bool) -> Tuple[Any, Any, Any]:
    engine = engine_of(a)
    if engine is not None:
        return engine.encode_runs(a, inverse, lengths)
    x = readable(a)
    elements = np.ascontiguousarray(x).reshape(-1)
    out = np.empty(elements.size, x.dtype)
    counts = np.empty(elements.size, np.int64) if lengths else None
    count = _module.encode_runs(memory(elements), type_name(x.dtype), memory(out), counts)
    place = None
    if inverse:
        place = np.empty(x.shape, np.int64)
        _module.number_runs(memory(elements), type_name(x.dtype), place.reshape(-1))
    return _first(out, count), place, None if counts is None else _first(counts, count)


@of_any_library
def unique_consecutive(a: ArrayLike, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The first element of every run of equal neighbours, in C order: ``torch.unique_consecutive``.

    return_inverse: also where each element's run is among them, int64 of the shape of ``a``. return_counts: also how many elements
    each has, int64. NaNs equal nothing; -0.0 equals 0.0. Returns the elements, or a tuple of them and what else is asked for.
    Raises TypeError for types that the library has not. O(size) work; memory for all elements while it runs.
    """
    found = _encoded(a, truth(return_inverse, "return_inverse"), truth(return_counts, "return_counts"))
    wanted = tuple(part for part in found if part is not None)
    return wanted if len(wanted) > 1 else wanted[0]


@of_any_library
def run_length_encode(a: ArrayLike) -> Tuple[NDArray[Any], NDArray[np.int64]]:
    """The first element of every run of equal neighbours, in C order, and how many elements it has, int64.

    ``numpy.repeat`` of the two is the array again, but for what equals and has other bits. See unique_consecutive.
    """
    elements, _, lengths = _encoded(a, False, True)
    return elements, lengths
