"""The package's functions on arrays of PyTorch and CuPy, on a GPU or, of PyTorch, in host memory.

On a GPU work goes to the stream that the array's library has current there, and calls return before it is done, but for those
whose results' sizes depend on it. New arrays come from that library.
"""
from __future__ import annotations

import functools
from typing import Any, Callable, Optional, Tuple

import numpy as np

from . import _gradients
from ._arrays import about, along, axis_of, common_shape, edge_and_rest, edge_shape, with_one_more
from ._libraries import Library
from ._parameters import (IDENTITIES, Operator, condition_text, element, first_value, kind_of, name_of, nearest, no_offsets, of_given,
                          totals_type)


@functools.lru_cache(maxsize=None)
def _usual_plan(library: Library, op: str, source: str) -> Tuple[Any, str, str]:
    wanted = library.sum_type(op, source)
    return library.back_end.make_plan(op, source, wanted, totals_type(op, wanted))


def plan_of(library: Library, op: str, source: str, dtype: Any, out: Any) -> Tuple[Any, str, str]:
    """An operator with its types, and the names of those of results and of totals."""
    if dtype is None and out is None:
        return _usual_plan(library, op, source)
    wanted = None if dtype is None else library.type_named(dtype)
    result = wanted if out is None else library.type_of(out, "out")
    try:
        return library.back_end.make_plan(op, source, result, totals_type(op, wanted))
    except TypeError as problem:
        raise of_given(problem, dtype, out) from None


def check_device(library: Library, x: Any, like: Any, argument: str) -> None:
    if library.device(x) != library.device(like):
        raise ValueError(f"{argument}: expected an array on device {library.device(like)}, but it is on device {library.device(x)}")


def check_out(library: Library, out: Any, like: Any, shape: Tuple[int, ...]) -> None:
    if not library.owns(out):
        raise TypeError(f"out: expected an array of {library.name} {library.place}, but it is {library.what_is(out)}")
    if library.own(out, "out") is not out:
        raise ValueError("out: expected a tensor in memory that is not conjugated or negated when it is read")
    check_device(library, out, like, "out")
    if tuple(out.shape) != shape:
        raise ValueError(f"out: expected shape {shape}, but it is {tuple(out.shape)}")
    if _gradients.is_dual(out):
        refuse_out(out)


def _reach(library: Library, a: Any) -> Tuple[int, int]:
    """The addresses of the first byte of an array, and of the one past its last."""
    address, shape, strides = library.layout(a)
    if 0 in shape:
        return address, address
    before, behind = 0, 1
    for extent, stride in zip(shape, strides):
        if stride < 0:
            before += (extent - 1) * stride
        else:
            behind += (extent - 1) * stride
    size = a.dtype.itemsize
    return address + size * before, address + size * behind


def _overlap(library: Library, x: Any, out: Any) -> bool:
    first, last = _reach(library, x)
    out_first, out_last = _reach(library, out)
    return first < out_last and out_first < last


def _apart(library: Library, x: Any, out: Any) -> Any:
    """`x`, or a copy of it where writing `out` would change elements before they are read."""
    if not _overlap(library, x, out):
        return x
    (at, shape, strides), (out_at, out_shape, out_strides) = library.layout(x), library.layout(out)
    same = (at == out_at and tuple(shape) == tuple(out_shape) and tuple(strides) == tuple(out_strides)
            and x.dtype.itemsize == out.dtype.itemsize)
    return x if same else library.copy(x)


def refuse_out(out: Any) -> None:
    """Results with a gradient are new arrays."""
    if out is not None:
        _gradients.refuse("out")


def engine_for(*arrays: Any) -> Any:
    """What computes with gradients, which PyTorch may trace where it has not traced what they are of: several of them at once."""
    from ._engines import engine_of

    return engine_of(*arrays)


def _with_gradient(library: Library, op: str, x: Any, heads: Any, axis: int, initial: Any, reverse: bool, exclusive: bool,
                   call: Callable[..., Any]) -> Any:
    """call(x, initial, reverse), a scan, of segments if there are heads, with its gradient."""
    if op == "plus":  # a sum from the other end
        return _gradients.sum_of(x, lambda y: call(y, initial, reverse), lambda gradient: call(gradient, None, not reverse))

    def region_sums(y: Any, starts: Any, backwards: bool) -> Any:
        return _gradients.of_rows(y, starts, axis, lambda flat, each: engine_for(flat, each).segmented_scan(
            flat, "plus", None, None, each, None, None, backwards, None, False))

    def recur(a: Any, b: Any, backwards: bool) -> Any:
        return engine_for(a, b).linear_recurrence(a, b, 0.0, axis, backwards, None, None)

    return _gradients.product_or_extreme_of(x, lambda y: call(y, initial, reverse), lambda x, y: _gradients.scan_with(
        op, y, axis, reverse, exclusive, initial, heads, recur, region_sums))


def scan_target(library: Library, a: Any, op: str, dtype: Any) -> Any:
    """A new array for a scan's results."""
    x = library.own(a)
    return library.empty_like(x, plan_of(library, op, library.type_of(x), dtype, None)[1])


def scan(library: Library, a: Any, op: Operator, axis: Any, dtype: Any, initial: Any, reverse: bool, out: Any,
         exclusive: bool) -> Any:
    x, position = along(library.own(a), axis)
    name = name_of(op)
    if out is not None:
        check_out(library, out, x, tuple(x.shape))
    if _gradients.wanted(x, out):
        refuse_out(out)
        return _with_gradient(library, name, x, None, position, initial, bool(reverse), exclusive, lambda y, *how: engine_for(y).scan(
            y, name, position, dtype, *how, None, exclusive))
    plan, result, totals = plan_of(library, name, library.type_of(x), dtype, out)
    target = library.empty_like(x, result) if out is None else out
    if out is not None:
        x = _apart(library, x, out)
    library.back_end.scan(library, plan, x, target, position, exclusive, bool(reverse), element(initial, totals))
    if out is not None:
        library.note_write(out)
    return target


def scan_with_identity(library: Library, a: Any, op: str, axis: Any, dtype: Any, out: Any) -> Any:
    """An inclusive scan whose results begin with the operator's identity."""
    x, position = along(library.own(a), axis)
    shape = with_one_more(tuple(x.shape), position)
    if out is not None:
        check_out(library, out, x, shape)
    if _gradients.wanted(x, out):
        refuse_out(out)
        y = scan(library, x, op, position, dtype, None, False, None, False)
        number = library.filled(y, edge_shape(tuple(y.shape), position), library.type_of(y), IDENTITIES[op])
        return library.module.cat((number, y), position)
    target = library.filled(x, shape, plan_of(library, op, library.type_of(x), dtype, None)[1]) if out is None else out
    edge, rest = edge_and_rest(target, position)
    scan(library, x, op, position, dtype, None, False, rest, False)
    edge[...] = IDENTITIES[op]
    return target


def one_dimension(library: Library, a: Any, argument: str, n: Optional[int] = None) -> Any:
    x = library.array(a, argument)
    if x.ndim != 1 or (n is not None and x.shape[0] != n):
        expected = "one dimension" if n is None else f"shape ({n},), one an element"
        raise ValueError(f"{argument}: expected {expected}, but its shape is {tuple(x.shape)}")
    return x


def heads_of(library: Library, x: Any, keys: Any, offsets: Any, heads: Any) -> Any:
    """A bool for each element that is true where a segment starts; the first one starts one whatever it says."""
    n = x.shape[0]
    if sum(given is not None for given in (keys, offsets, heads)) != 1:
        raise TypeError("expected one of keys, offsets and heads")
    if heads is not None:
        flags = one_dimension(library, heads, "heads", n)
        if kind_of(library.type_of(flags)) not in "biu":
            raise TypeError(f"heads: expected bool or integers, but it is {library.type_of(flags)}")
        return library.contiguous(flags if library.type_of(flags) == "bool" else flags != 0)
    if keys is not None:
        return library.back_end.starts_of(library, library.contiguous(one_dimension(library, keys, "keys", n)))
    starts = library.back_end.starts_of_offsets(library, x, offsets_of(library, offsets, n))
    if starts is None:
        raise no_offsets(n)
    return starts


def offsets_of(library: Library, offsets: Any, n: int) -> Any:
    """One offset at least, of int32 or int64."""
    at = one_dimension(library, offsets, "offsets")
    name = library.type_of(at)
    if kind_of(name) not in "iu":
        raise TypeError(f"offsets: expected integers, but it is {name}")
    if at.shape[0] == 0:
        raise no_offsets(n)
    return library.contiguous(at) if name == "int32" else library.converted(at, "int64")


def segmented_scan(library: Library, a: Any, op: Operator, keys: Any, offsets: Any, heads: Any, dtype: Any, initial: Any,
                   reverse: bool, out: Any, exclusive: bool) -> Any:
    x = library.contiguous(one_dimension(library, a, "a"))
    starts = heads_of(library, x, keys, offsets, heads)
    name = name_of(op)
    if out is not None:
        check_out(library, out, x, tuple(x.shape))
    if _gradients.wanted(x, out):
        refuse_out(out)
        return _with_gradient(library, name, x, starts, 0, initial, bool(reverse), exclusive, lambda y, *how: engine_for(
            y, starts).segmented_scan(y, name, None, None, starts, dtype, *how, None, exclusive))
    plan, result, totals = plan_of(library, name, library.type_of(x), dtype, out)
    is_usable = out is not None and library.is_contiguous(out)
    target = out if is_usable else library.empty_like(x, result)
    if is_usable:
        x = _apart(library, x, out)
        if _overlap(library, starts, out):
            starts = library.copy(starts)
    library.back_end.scan_segments(library, plan, x, starts, target, exclusive, bool(reverse), element(initial, totals))
    if out is None:
        return target
    if is_usable:
        library.note_write(out)
    else:
        library.assign(out, target)
    return out


def linear_recurrence(library: Library, a: Any, b: Any, x0: float, axis: Any, reverse: bool, dtype: Any,
                      out: Any) -> Any:
    x0 = first_value(x0)
    like = a if library.owns(a) else b
    arrays = []
    for given, argument in ((a, "a"), (b, "b")):
        if isinstance(given, (int, float)):  # a number by itself has no type of its own
            if argument == "a":  # one coefficient, which needs no memory
                arrays.append(nearest(given))
                continue
            given = library.filled(like, (), "float64", nearest(given))
        x = library.array(given, argument)
        if kind_of(library.type_of(x)) == "c":
            raise TypeError(f"{argument}: expected real numbers, but it is {library.type_of(x)}")
        if x is not like:
            check_device(library, x, like, argument)
        arrays.append(x)
    shape = common_shape(() if isinstance(arrays[0], float) else tuple(arrays[0].shape), tuple(arrays[1].shape))
    if out is not None:
        check_out(library, out, like, shape)

    if dtype is not None:
        arithmetic = library.type_named(dtype)
    elif out is not None:
        arithmetic = library.type_of(out, "out")
    else:
        typed = [x for x, given in zip(arrays, (a, b)) if not isinstance(given, (int, float))]
        arithmetic = library.type_of(typed[0]) if len(typed) == 1 else library.result_type(*typed)
        if kind_of(arithmetic) in "biu":
            arithmetic = "float64"
    if arithmetic not in ("float16", "bfloat16", "float32", "float64"):
        argument = "dtype" if dtype is not None or out is None else "out"
        raise TypeError(f"{argument}: expected floating-point numbers, but it is {arithmetic}")

    position = axis_of(len(shape), axis)
    run = functools.partial(_recur, library, shape, arithmetic, position, x0, bool(reverse), out)
    if not _gradients.wanted(*arrays, out):
        return run(*arrays)
    refuse_out(out)

    def recur(a: Any, b: Any, backwards: bool) -> Any:
        return engine_for(a, b).linear_recurrence(a, b, 0.0, position, backwards, arithmetic, None)

    first, second = arrays
    if isinstance(first, float):  # transposed it is the same from the other end
        own = second.shape
        return _gradients.sum_of(second, lambda b: run(first, b), lambda gradient: recur(first, gradient, not reverse).reshape(own))
    return _gradients.recurrence_of(first, second, x0, position, bool(reverse), run, recur)


def recurrence_target(library: Library, shape: Tuple[int, ...], arithmetic: str, a: Any, b: Any) -> Any:
    """A new array for a recurrence's results, in the order in memory of the coefficients that have its shape; a may be a number."""
    for x in (b, a):
        if not isinstance(x, float) and tuple(x.shape) == tuple(shape):
            return library.empty_like(x, arithmetic)
    return library.filled(b, tuple(shape), arithmetic)


def _recur(library: Library, shape: Tuple[int, ...], arithmetic: str, position: int, x0: float, reverse: bool, out: Any, a: Any,
           b: Any) -> Any:
    """The recurrence of arrays that broadcast to a shape, or with one number for a."""
    target = recurrence_target(library, shape, arithmetic, a, b) if out is None else out
    if out is not None:
        a, b = a if isinstance(a, float) else _apart(library, a, out), _apart(library, b, out)
    library.back_end.linear_recurrence(library, a, b, x0, target, arithmetic == "float64", position, reverse)
    if out is not None:
        library.note_write(out)
    return target


def elements_of(library: Library, a: Any) -> Any:
    """All elements in C order, one after the other."""
    x = library.own(a)
    return x if x.ndim == 1 and library.is_contiguous(x) else library.contiguous(x).reshape(-1)


def choose(library: Library, a: Any, condition: Any, packed: bool, indices: bool) -> Tuple[Any, int]:
    """Waits for the stream of a GPU, as it tells how many elements satisfy the condition."""
    elements = elements_of(library, a)
    if not indices and _gradients.are_kept_by_indexing(elements):
        order, count = choose(library, a, condition, packed, True)
        return elements[order[:count] if packed else order], count
    name = library.type_of(elements)
    if isinstance(condition, tuple) and len(condition) == 2 and isinstance(condition[0], str):
        chosen = condition_text(condition, kind_of(name))
    else:
        mask = library.array(condition, "condition")
        if library.type_of(mask) != "bool":
            raise TypeError(f"condition: expected bool, or a pair such as ('<', 5), but it is {library.type_of(mask)}")
        if mask.shape != a.shape:
            raise ValueError(f"condition: expected shape {tuple(a.shape)}, that of a, but it is {tuple(mask.shape)}")
        chosen = library.contiguous(mask)
    out = library.empty_like(elements, "int64" if indices else name)
    try:
        return out, library.back_end.choose(library, elements, chosen, out, packed, indices)
    except ValueError as problem:
        raise about("condition", problem) from None


def packed(library: Library, a: Any, condition: Any, indices: bool) -> Any:
    return first(library, *choose(library, a, condition, True, indices))


def first(library: Library, out: Any, count: int) -> Any:
    """So many of the elements; a copy, where it gives back most of the memory and more than a few dozen mebibytes."""
    room = out.shape[0]
    if count == room:
        return out
    is_worth_it = 4 * count < room and room * out.dtype.itemsize > 1 << 25
    return library.copy(out[:count]) if is_worth_it else library.shortened(out, count)
