"""Histograms and the elements of every bin, of arrays of PyTorch and CuPy (_tensors.py)."""
from __future__ import annotations

from typing import Any, Tuple

from . import _gradients
from ._arrays import about
from ._libraries import Library
from ._parameters import Bins, Limits, kind_of
from ._tensors import elements_of


def _limits(library: Library, elements: Any, asked: Bins) -> Limits:
    limits = asked.limits()
    if limits is not None:
        return limits
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


def histogram(library: Library, a: Any, asked: Bins) -> Tuple[Any, Any]:
    elements, name = _binned(library, a)
    limits = _limits(library, elements, asked)
    edges = asked.edges
    if not library.owns(edges):
        edges = library.back_end.numbers(library, elements, asked.edge_numbers(name, limits))
    counts = library.filled(elements, (asked.count,), "int64")
    try:
        library.back_end.histogram(library, elements, limits, counts)
    except ValueError as problem:
        raise about(asked.argument, problem) from None
    return counts, edges


def extract(library: Library, a: Any, asked: Bins, indices: bool) -> Tuple[Any, Any]:
    elements, name = _binned(library, a)
    if not indices and _gradients.are_kept_by_indexing(elements):
        order, offsets = extract(library, a, asked, True)
        return elements[order], offsets
    limits = _limits(library, elements, asked)
    out = library.empty_like(elements, "int64" if indices else name)
    offsets = library.filled(elements, (asked.count + 1,), "int64")
    try:
        library.back_end.bins(library, elements, limits, out, offsets, indices)
    except ValueError as problem:
        raise about(asked.argument, problem) from None
    return out[:int(offsets[-1])], offsets
