"""Scans, segmented scans and linear recurrences."""
from __future__ import annotations

import functools
from typing import Any, Optional, SupportsFloat, SupportsIndex, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _module
from ._arrays import (Target, about, along, apart, axis_of, check_out, common_shape, edge_and_rest, flags_in_host_memory, in_host_memory,
                      integers_in_host_memory, known_type, memory, readable, truth, type_name, with_one_more)
from ._engines import engine_of
from ._parameters import IDENTITIES, Operator, element, first_value, name_of, nearest, no_offsets, of_given, totals_type
from ._types import Axis, DType, of_any_library


@functools.lru_cache(maxsize=None)
def _make_plan(op: str, source: str, result: Optional[str], accumulator: Optional[str]) -> Tuple[Any, str, str]:
    """An operator with its types, and the names of those of results and of totals."""
    plan = _module.make_plan(op, source, result, accumulator)
    return plan, plan.output, plan.accumulator


def plan_of(op: str, x: np.ndarray, dtype: DType, out: Optional[np.ndarray]) -> Tuple[Any, np.dtype, str]:
    """The types of a scan, the NumPy type of its results, and the name of that of totals."""
    source = type_name(x.dtype)
    if dtype is None and out is None:
        plan, name, totals = _make_plan(op, source, None, None)
        return plan, x.dtype if name == source else np.dtype(name), totals
    wanted = None if dtype is None else known_type(dtype, "dtype")
    result = wanted if out is None else known_type(out.dtype, "out")
    accumulator = totals_type(op, None if wanted is None else type_name(wanted))
    try:
        plan, _, totals = _make_plan(op, source, type_name(result), accumulator)
    except TypeError as problem:
        raise of_given(problem, dtype, out) from None
    return plan, result, totals


def _scan(a: Any, op: Operator, axis: Any, dtype: DType, initial: Any, reverse: bool, out: Optional[np.ndarray],
          exclusive: bool) -> np.ndarray:
    reverse = truth(reverse, "reverse")
    engine = engine_of(a)
    if engine is not None:
        return engine.scan(a, op, axis, dtype, initial, reverse, out, exclusive)
    x, position = along(readable(a), axis)
    if out is not None:
        check_out(out, x.shape)
    plan, result, totals = plan_of(name_of(op), x, dtype, out)
    target = Target(x, result, out)
    if out is not None:
        x = apart(x, target.array)
    plan.scan(memory(x), memory(target.array), position, exclusive, reverse, element(initial, totals))
    return target.result()


@of_any_library
def inclusive_scan(a: ArrayLike, op: Operator = "plus", *, axis: Axis = None, dtype: DType = None,
                   initial: Any = None, reverse: bool = False, out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
    """Running totals: ``out[i] = a[0] (+) a[1] (+) ... (+) a[i]``.

    a: array of any shape. axis: the dimension to scan along; None takes all elements in C order, and the result has one
    dimension. op: ``plus``, ``multiplies``, ``minimum``, ``maximum``, ``bit_and``, ``bit_or``, ``bit_xor``, ``logical_and``,
    ``logical_or``, or the ufunc of one. dtype: the type in which totals are computed, and of the results unless there is
    ``out``; None is NumPy's choice (integers narrower than 64 bits widen for sums and products). initial: stands before the
    first element. reverse: from the end to the beginning. out: takes the results and is returned; it may be ``a``, and where
    it overlaps ``a`` otherwise the results are those of a copy of ``a``.

    Raises TypeError for types that do not fit, ValueError for shapes, axes and values. Bits: docs/numerics.md; they depend
    on nothing but the elements. O(size) work.
    """
    return _scan(a, op, axis, dtype, initial, reverse, out, False)


@of_any_library
def exclusive_scan(a: ArrayLike, op: Operator = "plus", *, axis: Axis = None, dtype: DType = None,
                   initial: Any = None, reverse: bool = False, out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
    """Running totals without the element's own: ``out[i] = a[0] (+) ... (+) a[i-1]``.

    ``out[0]`` is ``initial``, or else the operator's identity; of floating-point sums that is -0.0, which changes no bit of
    what it is added to. All else is as in inclusive_scan.
    """
    return _scan(a, op, axis, dtype, initial, reverse, out, True)


@of_any_library
def cumsum(a: ArrayLike, axis: Axis = None, dtype: DType = None,
           out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
    """Running sums; numpy.cumsum with the bits of inclusive_scan."""
    return _scan(a, "plus", axis, dtype, None, False, out, False)


@of_any_library
def cumprod(a: ArrayLike, axis: Axis = None, dtype: DType = None,
            out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
    """Running products; numpy.cumprod with the bits of inclusive_scan."""
    return _scan(a, "multiplies", axis, dtype, None, False, out, False)


@of_any_library
def cummax(a: ArrayLike, axis: Axis = None, dtype: DType = None,
           out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
    """Running maxima; a NaN wins and stays, as in numpy.maximum.accumulate, and -0.0 is below 0.0."""
    return _scan(a, "maximum", axis, dtype, None, False, out, False)


@of_any_library
def cummin(a: ArrayLike, axis: Axis = None, dtype: DType = None,
           out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
    """Running minima; a NaN wins and stays, as in numpy.minimum.accumulate, and -0.0 is below 0.0."""
    return _scan(a, "minimum", axis, dtype, None, False, out, False)


def _cumulative(a: Any, op: str, axis: Axis, dtype: DType, out: Optional[np.ndarray], include_initial: bool) -> Any:
    include_initial = truth(include_initial, "include_initial")
    engine = engine_of(a)
    x = readable(a) if engine is None else a
    if axis is None and x.ndim > 1:
        raise ValueError(f"axis: expected a number, as the array has {x.ndim} dimensions")
    if engine is not None and include_initial:
        return engine.scan_with_identity(x, op, axis, dtype, out)
    if not include_initial:
        return (_scan if engine is None else engine.scan)(x, op, axis, dtype, None, False, out, False)
    x, position = along(x, axis)
    shape = with_one_more(x.shape, position)
    if out is None:
        target = np.empty(shape, plan_of(op, x, dtype, None)[1])
    else:
        check_out(out, shape)
        target = out
    edge, rest = edge_and_rest(target, position)
    _scan(x, op, position, dtype, None, False, rest, False)
    edge[...] = IDENTITIES[op]
    return target


@of_any_library
def cumulative_sum(a: ArrayLike, *, axis: Axis = None, dtype: DType = None, out: Optional[NDArray[Any]] = None,
                   include_initial: bool = False) -> NDArray[Any]:
    """Running sums, as the Python array API standard has them; the bits of inclusive_scan.

    axis: needed unless the array has one dimension. include_initial: the results begin with 0, and are one more than the
    elements along the axis, so that of counts they are offsets: n + 1 of them, the last of which is the total. All else is as
    in cumsum.
    """
    return _cumulative(a, "plus", axis, dtype, out, include_initial)


@of_any_library
def cumulative_prod(a: ArrayLike, *, axis: Axis = None, dtype: DType = None, out: Optional[NDArray[Any]] = None,
                    include_initial: bool = False) -> NDArray[Any]:
    """Running products, as the Python array API standard has them; with include_initial they begin with 1. See cumulative_sum."""
    return _cumulative(a, "multiplies", axis, dtype, out, include_initial)


def one_dimension(a: Any, argument: str, n: Optional[int] = None) -> np.ndarray:
    x = in_host_memory(a, argument)
    if x.ndim != 1 or (n is not None and x.shape[0] != n):
        expected = "one dimension" if n is None else f"shape ({n},), one an element"
        raise ValueError(f"{argument}: expected {expected}, but its shape is {x.shape}")
    return x


def readable_offsets(offsets: Any, n: int) -> np.ndarray:
    """One offset at least, of int32 or int64."""
    at = one_dimension(integers_in_host_memory(offsets, "offsets"), "offsets")
    if at.dtype.kind not in "iu":
        raise TypeError(f"offsets: expected integers, but it is {at.dtype}")
    if at.size == 0:
        raise no_offsets(n)
    return np.ascontiguousarray(at, at.dtype if type_name(at.dtype) == "int32" else np.int64)


def head_bytes(n: int, keys: Any, offsets: Any, heads: Any) -> np.ndarray:
    """A byte for each of n elements that is not zero where a segment starts."""
    if sum(given is not None for given in (keys, offsets, heads)) != 1:
        raise TypeError("expected one of keys, offsets and heads")
    if heads is not None:
        flags = one_dimension(flags_in_host_memory(heads, "heads"), "heads", n)
        if flags.dtype.kind not in "biu":
            raise TypeError(f"heads: expected bool or integers, but it is {flags.dtype}")
        return np.ascontiguousarray(flags if flags.dtype == bool else flags != 0).view(np.uint8)
    starts = np.zeros(n, np.uint8)
    if keys is not None:
        key = one_dimension(keys, "keys", n)
        try:
            if key.dtype.kind in "SUV":  # records have no ufunc for it, nor had text before NumPy 1.23
                starts[1:] = key[1:] != key[:-1]
            else:
                np.not_equal(key[1:], key[:-1], out=starts[1:].view(bool))
        except ValueError as problem:  # of objects that do not say whether they are equal
            raise about("keys", problem) from None
        return starts
    at = readable_offsets(offsets, n)
    if at[0] != 0 or at[-1] != n or np.any(at[1:] < at[:-1]):
        raise no_offsets(n)
    starts[at[at < n]] = 1
    return starts


def _segmented(a: Any, op: Operator, keys: Any, offsets: Any, heads: Any, dtype: DType, initial: Any, reverse: bool,
               out: Optional[np.ndarray], exclusive: bool) -> np.ndarray:
    reverse = truth(reverse, "reverse")
    engine = engine_of(a, beside=(keys, offsets, heads))
    if engine is not None:
        return engine.segmented_scan(a, op, keys, offsets, heads, dtype, initial, reverse, out, exclusive)
    x = np.ascontiguousarray(one_dimension(readable(a), "a"))
    starts = head_bytes(x.size, keys, offsets, heads)
    if out is not None:
        check_out(out, x.shape)
    plan, result, totals = plan_of(name_of(op), x, dtype, out)
    target = Target(x, result, out, contiguous=True)
    if out is not None:
        x, starts = apart(x, target.array), (starts.copy() if np.may_share_memory(starts, target.array) else starts)
    plan.scan_segments(memory(x), starts, memory(target.array), exclusive, reverse, element(initial, totals))
    return target.result()


@of_any_library
def inclusive_segmented_scan(a: ArrayLike, op: Operator = "plus", *, keys: Optional[ArrayLike] = None,
                             offsets: Optional[ArrayLike] = None, heads: Optional[ArrayLike] = None,
                             dtype: DType = None, initial: Any = None, reverse: bool = False,
                             out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
    """Running totals that start afresh in every segment of a one-dimensional array.

    Segments are given by one of: keys, as many as elements, where a segment is a run of equal neighbours (of any type that
    ``!=`` compares); offsets, m + 1 integers that ascend from 0 to the number of elements, where segment k is
    ``a[offsets[k]:offsets[k + 1]]``; heads, bool or integers, as many as elements, of which one that is not zero starts a
    segment. Every segment starts from ``initial``, if there is one. All else is as in inclusive_scan. O(n) work.

    Bits: of floating-point sums they depend on where in the array a segment begins, and on nothing else but the elements
    (docs/numerics.md).
    """
    return _segmented(a, op, keys, offsets, heads, dtype, initial, reverse, out, False)


@of_any_library
def exclusive_segmented_scan(a: ArrayLike, op: Operator = "plus", *, keys: Optional[ArrayLike] = None,
                             offsets: Optional[ArrayLike] = None, heads: Optional[ArrayLike] = None,
                             dtype: DType = None, initial: Any = None, reverse: bool = False,
                             out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
    """Totals of the elements before each in its segment; the first one receives ``initial`` or the operator's identity.

    All else is as in inclusive_segmented_scan.
    """
    return _segmented(a, op, keys, offsets, heads, dtype, initial, reverse, out, True)


@of_any_library
def linear_recurrence(a: ArrayLike, b: ArrayLike, x0: SupportsFloat = 0.0, *, axis: SupportsIndex = -1, reverse: bool = False,
                      dtype: DType = None, out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
    """``x[i] = a[i] * x[i-1] + b[i]``, with ``x[-1] = x0``, along an axis.

    a and b: real numbers of shapes that broadcast, so that ``linear_recurrence(0.9, 0.1 * y)`` is exponential smoothing of y.
    reverse: ``x[i] = a[i] * x[i+1] + b[i]``, with ``x[n] = x0``, so that ``linear_recurrence(0.99, rewards, reverse=True)`` has
    every discounted return.
    dtype: float32 or float64, in which the arithmetic is done (float16 and bfloat16 do it in float32); None is what a and b
    have in common, float64 where that is of integers. out: as in inclusive_scan, of the broadcast shape.

    Raises TypeError for complex numbers and other types, ValueError for shapes and axes. Products of up to 131072
    coefficients are formed: where one overflows, a result may be infinite or NaN although a loop's is finite
    (docs/numerics.md). O(size) work.
    """
    reverse = truth(reverse, "reverse")
    engine = engine_of(a, b)
    if engine is not None:
        return engine.linear_recurrence(a, b, x0, axis, reverse, dtype, out)
    x0 = first_value(x0)
    first, second = readable(a, "a"), readable(b, "b")
    for x, argument in ((first, "a"), (second, "b")):
        if x.dtype.kind == "c":
            raise TypeError(f"{argument}: expected real numbers, but it is {x.dtype}")
    shape = common_shape(first.shape, second.shape)
    if out is not None:
        check_out(out, shape)
        if out.dtype.kind in "biu":
            raise TypeError(f"out: expected floating-point numbers, but it is {out.dtype}")

    if dtype is not None:
        arithmetic = known_type(dtype, "dtype")
    elif out is not None:
        arithmetic = known_type(out.dtype, "out")
    else:  # a number by itself has no type of its own, as in NumPy's arithmetic
        try:
            arithmetic = np.result_type(*(y if isinstance(y, (int, float)) else x for x, y in ((first, a), (second, b))))
        except TypeError:
            raise TypeError(f"b: {second.dtype} has no type in common with a, {first.dtype}; give a dtype") from None
    if dtype is None and arithmetic.kind in "biu":
        arithmetic = np.dtype(np.float64)
    if type_name(arithmetic) not in ("float16", "bfloat16", "float32", "float64"):
        argument = "dtype" if dtype is not None or out is None else "out"
        raise TypeError(f"{argument}: expected floating-point numbers, but it is {arithmetic}")

    position = axis_of(len(shape), axis)
    like = second if second.shape == shape else first if first.shape == shape else np.empty(shape, bool)
    target = Target(like, arithmetic if out is None else out.dtype.newbyteorder("="), out)
    if out is not None:
        first, second = apart(first, target.array), apart(second, target.array)
    by = (nearest(a), "") if isinstance(a, (int, float)) else (memory(first), type_name(first.dtype))
    _module.linear_recurrence(*by, memory(second), type_name(second.dtype), x0, memory(target.array),
                              type_name(target.array.dtype), arithmetic == np.float64, position, reverse)
    return target.result()
