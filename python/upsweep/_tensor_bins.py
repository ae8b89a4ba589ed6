"""Histograms and the elements of every bin, of arrays of PyTorch and CuPy (_tensors.py)."""
from __future__ import annotations

from typing import Any, Tuple

from . import _gradients
from ._arrays import about
from ._libraries import Library
from ._parameters import edge_numbers, kind_of, text_limits
from ._tensors import elements_of


def _limits(library: Library, elements: Any, range: Any, clamp: bool) -> Tuple[str, str, bool]:
    if range is not None:
        return text_limits(range, clamp)
    if elements.shape[0] == 0:
        return "0", "1", True
    try:
        return library.back_end.extent(library, elements)
    except ValueError as problem:
        raise about("a", problem) from None


def _binned(library: Library, a: Any) -> Tuple[Any, str]:
    elements = elements_of(library, a)
    name = library.type_of(elements)
    if kind_of(name) == "c":
        raise TypeError(f"a: {name} has no order, and so no bins")
    return elements, name


def histogram(library: Library, a: Any, count: int, range: Any, clamp: bool) -> Tuple[Any, Any]:
    elements, name = _binned(library, a)
    limits = _limits(library, elements, range, clamp)
    edges = edge_numbers(name, limits, count)
    counts = library.filled(elements, (count,), "int64")
    library.back_end.histogram(library, elements, limits, counts)
    return counts, library.numbers(elements, edges)


def extract(library: Library, a: Any, count: int, range: Any, clamp: bool, indices: bool) -> Tuple[Any, Any]:
    elements, name = _binned(library, a)
    if not indices and _gradients.are_kept_by_indexing(elements):
        order, offsets = extract(library, a, count, range, clamp, True)
        return elements[order], offsets
    limits = _limits(library, elements, range, clamp)
    out = library.empty_like(elements, "int64" if indices else name)
    offsets = library.filled(elements, (count + 1,), "int64")
    try:
        library.back_end.bins(library, elements, limits, out, offsets, indices)
    except ValueError as problem:
        raise about("range", problem) from None
    return out[:int(offsets[-1])], offsets
