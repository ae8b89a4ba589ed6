"""Totals of whole arrays and along an axis."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import along, edge_shape, memory, readable, total_shape, truth
from ._engines import engine_of
from ._parameters import Operator, element, name_of
from ._scans import plan_of
from ._types import Axis, DType, of_any_library


def _reduce(a: Any, op: Operator, axis: Axis, dtype: DType, initial: Any, keepdims: bool) -> Any:
    keepdims = truth(keepdims, "keepdims")
    engine = engine_of(a)
    if engine is not None:
        return engine.reduce(a, op, axis, dtype, initial, keepdims)
    given = readable(a)
    x, position = along(given, axis)
    plan, result, totals = plan_of(name_of(op), x, dtype, None)
    out = np.empty_like(x, dtype=result, subok=False, shape=edge_shape(x.shape, position))
    plan.reduce(memory(x), memory(out), position, element(initial, totals))
    return out.reshape(total_shape(given.shape, axis, keepdims))[()]  # a NumPy scalar where there are no dimensions


@of_any_library
def reduce(a: ArrayLike, op: Operator = "plus", *, axis: Axis = None, dtype: DType = None, initial: Any = None,
           keepdims: bool = False) -> Any:
    """The total of all elements, in C order, or of those along an axis: ``initial (+) a[0] (+) ... (+) a[n - 1]``.

    axis: the dimension that results lack; None takes all elements. keepdims: results have one element along it, or along every
    dimension, so that they broadcast with ``a``. Of no elements a total is ``initial`` or else the operator's identity (of
    floating-point sums -0.0, of maxima the least value). A result without dimensions is a NumPy scalar, as numpy.sum has it. op,
    dtype, initial and errors are those of inclusive_scan.

    Bits: those of the last result of inclusive_scan along the axis, on any number of threads. O(size) work.
    """
    return _reduce(a, op, axis, dtype, initial, keepdims)


@of_any_library
def sum(a: ArrayLike, axis: Axis = None, *, dtype: DType = None, keepdims: bool = False) -> Any:
    """Sums, as the Python array API standard has them, but along one axis or all; with the bits of the last result of cumsum.

    All else is as in reduce; of no elements a sum in floating point is -0.0, which equals 0.
    """
    return _reduce(a, "plus", axis, dtype, None, keepdims)


@of_any_library
def prod(a: ArrayLike, axis: Axis = None, *, dtype: DType = None, keepdims: bool = False) -> Any:
    """Products, as the Python array API standard has them; with the bits of the last result of cumprod. See sum."""
    return _reduce(a, "multiplies", axis, dtype, None, keepdims)
