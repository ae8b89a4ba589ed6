"""Histograms and the elements of every bin, of arrays of PyTorch and CuPy (_tensors.py)."""
from __future__ import annotations

from typing import Any, Tuple

from . import _gradients
from ._arrays import about
from ._libraries import Library
from ._parameters import Bins, Limits, kind_of
from ._tensors import check_device, elements_of, plan_of


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


def _weights_of(library: Library, a: Any, weights: Any) -> Any:
    """Those of the elements in C order."""
    given = library.own(library.array(weights, "weights"), "weights")
    check_device(library, given, a, "weights")
    if tuple(given.shape) != tuple(a.shape):
        raise ValueError(f"weights: expected shape {tuple(a.shape)}, that of a, but it is {tuple(given.shape)}")
    return elements_of(library, given)


def _weighted(library: Library, elements: Any, limits: Limits, asked: Bins, weights: Any) -> Any:
    def sums(beside: Any) -> Any:
        plan, result, _ = plan_of(library, "plus", library.type_of(beside, "weights"), None, None)
        totals = library.filled(beside, (asked.count,), result)
        library.back_end.weighted_histogram(library, elements, limits, plan, beside, totals)
        return totals

    def of_elements(gradient: Any) -> Any:  # that of an element's bin, or 0
        order, offsets = library.empty_like(elements, "int64"), library.filled(elements, (asked.count + 1,), "int64")
        library.back_end.bins(library, elements, limits, order, offsets, True)
        each = gradient.repeat_interleave(offsets[1:] - offsets[:-1])
        return gradient.new_zeros(elements.shape[0]).index_copy(0, order[:each.shape[0]], each)

    return _gradients.sum_of(weights, sums, of_elements) if _gradients.wanted(weights) else sums(weights)


def histogram(library: Library, a: Any, asked: Bins, weights: Any) -> Tuple[Any, Any]:
    beside = None
    if weights is not None:
        a = library.array(a, "a")
        beside = _weights_of(library, a, weights)
    elements, name = _binned(library, a)
    limits = _limits(library, elements, asked)
    edges = asked.edges
    if not library.owns(edges):
        edges = library.back_end.numbers(library, elements, asked.edge_numbers(name, limits))
    try:
        if beside is not None:
            return _weighted(library, elements, limits, asked, beside), edges
        counts = library.filled(elements, (asked.count,), "int64")
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
