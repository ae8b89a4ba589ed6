"""Elements repeated, each as often as a count says."""
from __future__ import annotations

import math
from typing import Any, Optional, SupportsIndex, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _module
from ._arrays import along, in_host_memory, readable, type_name
from ._engines import engine_of
from ._parameters import about_repeats, expected_repeats, known_size, wrong_size
from ._types import Axis, of_any_library

Repeats = Union[SupportsIndex, ArrayLike]


def _movable(a: Any) -> np.ndarray:
    """Elements that are nothing but their bytes, in C order without gaps."""
    x = in_host_memory(a, "a")
    if x.dtype.hasobject or x.dtype.itemsize == 0:
        raise TypeError(f"a: expected elements that are nothing but their bytes, but they are {x.dtype}")
    return x


def _integers(repeats: Any) -> np.ndarray:
    x = in_host_memory(repeats, "repeats")
    if x.size == 0 and isinstance(repeats, (list, tuple)):
        x = x.astype(np.int64)
    if x.dtype.kind not in "biu":
        raise TypeError(f"repeats: expected integers, but it is {x.dtype}")
    return np.asarray(readable(x, "repeats"))


def _counts(repeats: Any, n: int) -> np.ndarray:
    """One count, or one an element."""
    x = _integers(repeats)
    if x.ndim > 1 or x.size not in (1, n):
        raise expected_repeats(n, x.shape)
    return np.ascontiguousarray(x).reshape(-1)


def _size(counts: np.ndarray, n: int, output_size: Any) -> int:
    """How many results there are, or are said to be."""
    if output_size is not None:
        return known_size(output_size)
    try:
        return _module.count_repeats(counts, type_name(counts.dtype), n)
    except ValueError as problem:
        raise about_repeats(problem) from None


def _repeated(x: np.ndarray, axis: int, counts: np.ndarray, output_size: Any) -> np.ndarray:
    n, shape = x.shape[axis], x.shape
    size = _size(counts, n, output_size)
    out = np.empty((*shape[:axis], size, *shape[axis + 1:]), x.dtype)
    name = type_name(counts.dtype)
    try:
        if x.size == 0 or out.size == 0:
            made = _module.count_repeats(counts, name, n)
        else:
            elements = np.ascontiguousarray(x).reshape(-1).view(np.uint8)
            made = _module.repeat(elements, math.prod(shape[:axis]), n, counts, name, out.reshape(-1).view(np.uint8))
    except ValueError as problem:
        raise about_repeats(problem) from None
    if made != size:
        raise wrong_size(made, size)
    return out


@of_any_library
def repeat(a: ArrayLike, repeats: Repeats, axis: Axis = None, *, output_size: Optional[SupportsIndex] = None) -> NDArray[Any]:
    """Each element as often as a count says, one result after the other: ``numpy.repeat``, ``torch.repeat_interleave``.

    a: array of any shape, and of any type whose elements are nothing but their bytes. repeats: how often; an integer, or an array of
    integers with one for each element along the axis, or with one for all. axis: the dimension along which elements are repeated,
    which are whole rows then, planes and so on; None takes all elements in C order, and the result has one dimension. output_size:
    how many results there are along the axis, if that is known: it spares one way through the counts, and of arrays on a GPU the wait
    for it.

    Returns a new array of the type of ``a``. Raises TypeError for types that do not fit and ValueError for shapes, axes, counts that
    are negative, and for another ``output_size`` than theirs. Elements are moved bit for bit. O(size + results) work.
    """
    engine = engine_of(a, beside=(repeats,))
    if engine is not None:
        return engine.repeat(a, repeats, axis, output_size)
    x, position = along(_movable(a), axis)
    return _repeated(np.asarray(x), position, _counts(repeats, x.shape[position]), output_size)


@of_any_library
def repeat_indices(repeats: ArrayLike, *, output_size: Optional[SupportsIndex] = None) -> NDArray[np.int64]:
    """0 repeats[0] times, 1 repeats[1] times, ..., int64: of counts of items whose item each is.

    repeats: integers of one dimension. So ``numpy.repeat(numpy.arange(n), repeats)``, which reads no array of indices. All else is as
    in repeat.
    """
    engine = engine_of(repeats)
    if engine is not None:
        return engine.repeat_indices(repeats, output_size)
    counts = _integers(repeats)
    if counts.ndim != 1:
        raise ValueError(f"repeats: expected one dimension, but its shape is {counts.shape}")
    counts = np.ascontiguousarray(counts)
    size = _size(counts, counts.size, output_size)
    out = np.empty(size, np.int64)
    try:
        made = _module.repeat_indices(counts, type_name(counts.dtype), out)
    except ValueError as problem:
        raise about_repeats(problem) from None
    if made != size:
        raise wrong_size(made, size)
    return out
