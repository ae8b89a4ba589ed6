"""Elements repeated, each as often as a count says."""
from __future__ import annotations

import math
from typing import Any, Callable, Optional, SupportsIndex, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _module
from ._arrays import along, in_host_memory, integers_in_host_memory, readable, type_name
from ._engines import engine_of
from ._parameters import (about_repeats, check_one_of_repeats, expected_repeat_offsets, expected_repeats, known_size,
                          more_than_memory, wrong_size)
from ._types import Axis, of_any_library

Repeats = Union[SupportsIndex, ArrayLike]


def _movable(a: Any) -> np.ndarray:
    """Elements that are nothing but their bytes."""
    x = in_host_memory(a, "a")
    if x.dtype.hasobject or x.dtype.itemsize == 0:
        raise TypeError(f"a: expected elements that are nothing but their bytes, but they are {x.dtype}")
    return x


def _integers(given: Any, argument: str) -> np.ndarray:
    x = integers_in_host_memory(given, argument)
    if x.dtype.kind not in ("iu" if argument == "offsets" else "biu"):
        raise TypeError(f"{argument}: expected integers of up to 64 bits, but it is {x.dtype}")
    return np.asarray(readable(x, argument))


def _room(shape: Tuple[int, ...], dtype: Any) -> np.ndarray:
    try:
        return np.empty(shape, dtype)
    except ValueError:  # of more elements than have addresses
        raise more_than_memory(shape) from None


class _Counts:
    """How often each of n elements is repeated: one count, or one an element, or offsets."""

    def __init__(self, repeats: Any, offsets: Any, n: Optional[int]) -> None:
        check_one_of_repeats(repeats, offsets)
        self._are_offsets = offsets is not None
        x = _integers(offsets, "offsets") if self._are_offsets else _integers(repeats, "repeats")
        if n is None and x.ndim != 1:
            raise ValueError(f"{'offsets' if self._are_offsets else 'repeats'}: expected one dimension, but its shape is {x.shape}")
        self.n = n if n is not None else max(x.size - 1, 0) if self._are_offsets else x.size
        if self._are_offsets and x.shape != (self.n + 1,):
            raise expected_repeat_offsets(self.n)
        if not self._are_offsets and (x.ndim > 1 or x.size not in (1, self.n)):
            raise expected_repeats(self.n, x.shape)
        x = np.ascontiguousarray(x).reshape(-1)
        self._how = x, type_name(x.dtype), self._are_offsets

    def call(self, function: Callable[..., int], before: Tuple[Any, ...], behind: Tuple[Any, ...]) -> int:
        try:
            return function(*before, *self._how, *behind)
        except ValueError as problem:
            raise about_repeats(problem, self._are_offsets, self.n) from None

    def size(self, output_size: Any) -> int:
        """How many results there are, or are said to be."""
        return self.call(_module.count_repeats, (), (self.n,)) if output_size is None else known_size(output_size)


@of_any_library
def repeat(a: ArrayLike, repeats: Optional[Repeats] = None, axis: Axis = None, *, offsets: Optional[ArrayLike] = None,
           output_size: Optional[SupportsIndex] = None) -> NDArray[Any]:
    """Each element as often as a count says, one result after the other: ``numpy.repeat``, ``torch.repeat_interleave``.

    a: array of any shape, and of any type whose elements are nothing but their bytes. repeats: how often; an integer, or an array of
    integers with one for each element along the axis, or with one for all. axis: the dimension along which elements are repeated,
    which are whole rows then, planes and so on; None takes all elements in C order, and the result has one dimension. offsets: in
    place of repeats, one more integer than elements, which ascend from 0: results ``offsets[i]`` to ``offsets[i + 1]`` are of element
    i, so that each segment's value comes to each of its elements. output_size: how many results there are along the axis, if that is
    known: it spares one way through the counts, and of arrays on a GPU the wait for it.

    Returns a new array of the type of ``a``. Raises TypeError for types that do not fit and ValueError for shapes, axes, counts that
    are negative, and for another ``output_size`` than theirs. Elements are moved bit for bit. O(size + results) work.
    """
    engine = engine_of(a, beside=(repeats, offsets))
    if engine is not None:
        return engine.repeat(a, repeats, offsets, axis, output_size)
    x, position = along(_movable(a), axis)
    n, shape = x.shape[position], x.shape
    counts = _Counts(repeats, offsets, n)
    size = counts.size(output_size)
    out = _room((*shape[:position], size, *shape[position + 1:]), x.dtype)
    if x.size == 0 or out.size == 0:
        made = counts.size(None)
    else:
        elements = np.ascontiguousarray(x).reshape(-1).view(np.uint8)
        made = counts.call(_module.repeat, (elements, math.prod(shape[:position]), n), (out.reshape(-1).view(np.uint8),))
    if made != size:
        raise wrong_size(made, size)
    return out


@of_any_library
def repeat_indices(repeats: Optional[ArrayLike] = None, *, offsets: Optional[ArrayLike] = None,
                   output_size: Optional[SupportsIndex] = None) -> NDArray[np.int64]:
    """0 repeats[0] times, 1 repeats[1] times, ..., int64: of counts of items whose item each is.

    repeats: integers of one dimension. By offsets: the segment in which each element is. So ``numpy.repeat(numpy.arange(n), repeats)``,
    which reads no array of indices. All else is as in repeat.
    """
    engine = engine_of(repeats if offsets is None else offsets)
    if engine is not None:
        return engine.repeat_indices(repeats, offsets, output_size)
    counts = _Counts(repeats, offsets, None)
    size = counts.size(output_size)
    out = _room((size,), np.int64)
    made = counts.call(_module.repeat_indices, (), (out,))
    if made != size:
        raise wrong_size(made, size)
    return out
