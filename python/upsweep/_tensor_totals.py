"""Totals of whole arrays and along an axis, of arrays of PyTorch and CuPy (_tensors.py)."""
from __future__ import annotations

from typing import Any

from . import _gradients
from ._arrays import along, edge_shape, total_shape
from ._libraries import Library
from ._parameters import Operator, element, name_of
from ._tensors import plan_of, scan


def reduce_target(library: Library, x: Any, op: str, axis: int, dtype: Any) -> Any:
    """A new array for totals along an axis, of which it has one element; in the order of x's dimensions in memory."""
    result = plan_of(library, op, library.type_of(x), dtype, None)[1]
    if x.shape[axis] == 0:
        return library.filled(x, edge_shape(tuple(x.shape), axis), result)
    return library.empty_like(x[(slice(None),) * axis + (slice(0, 1),)], result)


def totals(library: Library, a: Any, op: str, axis: int, dtype: Any, initial: Any) -> Any:
    """Along an axis, of which there is one element in the result."""
    x = library.own(a)
    plan, _, accumulator = plan_of(library, op, library.type_of(x), dtype, None)
    target = reduce_target(library, x, op, axis, dtype)
    library.back_end.reduce(library, plan, x, target, axis, element(initial, accumulator))
    return target


def _totals_with_gradients(library: Library, x: Any, op: str, axis: int, dtype: Any, initial: Any) -> Any:
    shape = x.shape
    if op == "plus" or shape[axis] == 0:
        return _gradients.sum_of(x, lambda y: totals(library, y, op, axis, dtype, initial), lambda gradient: gradient.expand(shape))
    scanned = scan(library, x, op, axis, dtype, initial, False, None, False)
    return scanned.narrow(axis, shape[axis] - 1, 1)


def reduce(library: Library, a: Any, op: Operator, axis: Any, dtype: Any, initial: Any, keepdims: bool) -> Any:
    given = library.own(a)
    x, position = along(given, axis)
    name, shape = name_of(op), total_shape(tuple(given.shape), axis, keepdims)
    if _gradients.wanted(x):
        return _totals_with_gradients(library, x, name, position, dtype, initial).reshape(shape)
    if not library.is_contiguous(x):
        return totals(library, x, name, position, dtype, initial).reshape(shape)
    plan, result, accumulator = plan_of(library, name, library.type_of(x), dtype, None)
    target = library.filled(x, shape, result)
    library.back_end.reduce(library, plan, x, target, position, element(initial, accumulator))
    return target
