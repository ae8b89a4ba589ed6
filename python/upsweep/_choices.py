"""Compaction and partition."""
from __future__ import annotations

from typing import Any, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _module
from ._arrays import about, flags_in_host_memory, memory, readable, type_name
from ._engines import engine_of
from ._parameters import condition_text
from ._types import of_any_library

Condition = Union[ArrayLike, Tuple[str, Any]]


def _choose(a: Any, condition: Condition, packed: bool, indices: bool) -> Tuple[np.ndarray, int]:
    engine = engine_of(a)
    if engine is not None:
        return engine.choose(a, condition, packed, indices)
    x = readable(a)
    elements = np.ascontiguousarray(x).reshape(-1)
    out = np.empty(elements.size, np.int64 if indices else x.dtype)
    name = type_name(x.dtype)
    if isinstance(condition, tuple) and len(condition) == 2 and isinstance(condition[0], str):
        op, text = condition_text(condition, x.dtype.kind)
        try:
            return out, _module.choose_compared(memory(elements), name, op, text, memory(out), packed, indices)
        except ValueError as problem:
            raise about("condition", problem) from None
    mask = flags_in_host_memory(condition, "condition")
    if mask.dtype != bool:
        raise TypeError(f"condition: expected bool, or a pair such as ('<', 5), but it is {mask.dtype}")
    if mask.shape != x.shape:
        raise ValueError(f"condition: expected shape {x.shape}, that of a, but it is {mask.shape}")
    flags = np.ascontiguousarray(mask)
    if indices:
        return out, _module.choose_flagged_indices(flags, out, packed)
    return out, _module.choose_flagged(memory(elements), name, flags, memory(out), packed)


def _packed(a: Any, condition: Condition, indices: bool) -> np.ndarray:
    engine = engine_of(a)
    if engine is not None:
        return engine.packed(a, condition, indices)
    out, count = _choose(a, condition, True, indices)
    out.resize(count, refcheck=False)  # gives back what it does not need, and copies nothing
    return out


@of_any_library
def compact(a: ArrayLike, condition: Condition) -> NDArray[Any]:
    """The elements that satisfy the condition, in C order: ``a[condition]``.

    condition: bool, of the shape of ``a``; or a pair of one of ``<``, ``<=``, ``==``, ``!=``, ``>=``, ``>`` and a number, as
    in ``compact(a, ("<", 5))``, which makes no array of flags. Integers compare with a number as what it is: every uint8 is
    below 300. For floating-point elements it is first rounded to their type, as in NumPy, unless it is beyond the type's range,
    where it is above or below every finite element and no infinity. A NaN is different from everything. Elements are moved bit
    for bit. Raises TypeError and ValueError that name the argument. O(size) work; memory for all elements while it runs.
    """
    return _packed(a, condition, False)


@of_any_library
def compact_indices(a: ArrayLike, condition: Condition) -> NDArray[np.int64]:
    """The indices, in C order, of the elements that satisfy the condition: ``numpy.flatnonzero``. See compact."""
    return _packed(a, condition, True)


@of_any_library
def partition(a: ArrayLike, condition: Condition) -> Tuple[NDArray[Any], int]:
    """The elements that satisfy the condition, then the others, both in C order; and how many satisfy it. See compact."""
    return _choose(a, condition, False, False)


@of_any_library
def partition_indices(a: ArrayLike, condition: Condition) -> Tuple[NDArray[np.int64], int]:
    """The indices, in C order, of the elements that satisfy the condition, then of the others; and how many. See compact."""
    return _choose(a, condition, False, True)
