"""Sorts of rows and of segments of arrays of PyTorch and CuPy (_tensors.py)."""
from __future__ import annotations

from typing import Any, Optional, Tuple

from . import _gradients
from ._arrays import along
from ._libraries import Library
from ._parameters import count_along, kind_of
from ._tensors import check_out, heads_of, one_dimension, refuse_out


def sort_target(library: Library, a: Any, position: int, result: Optional[str]) -> Any:
    """A new array for sorted elements, or what else there is of each."""
    x = library.own(a)
    name = result or library.type_of(x)
    return library.filled(x, tuple(x.shape), name) if position == x.ndim - 1 else library.empty_like(x, name)


def _sorted_type(library: Library, x: Any, indices: bool) -> str:
    """That of elements in order, or of their indices."""
    name = library.type_of(x)
    if kind_of(name) == "c":
        raise TypeError(f"a: {name} has no order to sort its elements in")
    return "int64" if indices else name


def _check_sorted_out(library: Library, out: Any, x: Any, result: str) -> None:
    if out is not None:
        check_out(library, out, x, tuple(x.shape))
        if library.type_of(out) != result:
            raise TypeError(f"out: expected {result}, but it is {library.type_of(out)}")
        if any(stride == 0 and extent > 1 for extent, stride in zip(*library.layout(out)[1:])):
            raise ValueError("out: a stride of 0 would store many elements in one")


def sort(library: Library, a: Any, axis: Any, descending: bool, out: Any, indices: bool) -> Any:
    x = library.own(a)
    result = _sorted_type(library, x, indices)
    if x.ndim == 0 and axis is not None:
        raise ValueError("axis: an array of 0 dimensions has none to sort along")
    x, position = along(x, axis)
    _check_sorted_out(library, out, x, result)
    if not indices and _gradients.wanted(x, out):
        refuse_out(out)
        return library.module.take_along_dim(x, sort(library, x, position, descending, None, True), position)
    # Rows that lie one behind the other are sorted. Others are laid out so, and go back when they are sorted.
    is_last = position == x.ndim - 1
    rows = library.contiguous(x if is_last else library.move_axis(x, position, -1))
    target = library.filled(x, tuple(rows.shape), result)
    library.back_end.sort_rows(library, rows, target, x.shape[position], bool(descending), indices)
    sorted_rows = target if is_last else library.move_axis(target, -1, position)
    if out is not None:
        library.assign(out, sorted_rows)
        return out
    if is_last:
        return target
    ordered = sort_target(library, x, position, result)
    library.assign(ordered, sorted_rows)
    return ordered


def top_k_places(library: Library, a: Any, k: int, position: int, smallest: bool) -> Any:
    """The indices alone."""
    return _top_k(library, library.own(a), k, position, smallest)[1]


def top_k_target(library: Library, a: Any, k: int, position: int, result: str) -> Any:
    """A new array for what there is of the first k elements."""
    x = library.own(a)
    return library.filled(x, (*x.shape[:position], k, *x.shape[position + 1:]), result)


def _top_k(library: Library, x: Any, k: int, position: int, smallest: bool) -> Tuple[Any, Any]:
    is_last = position == x.ndim - 1
    rows = library.contiguous(x if is_last else library.move_axis(x, position, -1))
    shape = (*tuple(rows.shape)[:-1], k)
    found = [library.filled(x, shape, name) for name in (library.type_of(x), "int64")]
    library.back_end.top_k_rows(library, rows, *found, x.shape[position], k, smallest)
    if not is_last:
        for i, each in enumerate(found):
            found[i] = top_k_target(library, x, k, position, library.type_of(each))
            library.assign(found[i], library.move_axis(each, -1, position))
    return found[0], found[1]


def top_k(library: Library, a: Any, k: Any, axis: Any, smallest: bool) -> Tuple[Any, Any]:
    x = library.own(a)
    _sorted_type(library, x, True)
    if x.ndim == 0 and axis is not None:
        raise ValueError("axis: an array of 0 dimensions has none to sort along")
    x, position = along(x, axis)
    count = count_along(k, x.shape[position])
    if _gradients.wanted(x, None):
        places = top_k_places(library, x, count, position, bool(smallest))
        return library.module.take_along_dim(x, places, position), places
    return _top_k(library, x, count, position, bool(smallest))


def segmented_sort(library: Library, a: Any, keys: Any, offsets: Any, heads: Any, descending: bool, out: Any, indices: bool) -> Any:
    x = library.contiguous(one_dimension(library, a, "a"))
    result = _sorted_type(library, x, indices)
    starts = heads_of(library, x, keys, offsets, heads)
    _check_sorted_out(library, out, x, result)
    if not indices and _gradients.wanted(x, out):
        refuse_out(out)
        return library.module.take_along_dim(x, segmented_sort(library, x, None, None, starts, descending, None, True), 0)
    target = library.filled(x, tuple(x.shape), result)
    library.back_end.sort_segments(library, x, starts, target, bool(descending), indices)
    if out is None:
        return target
    library.assign(out, target)
    return out
