"""Histograms and the elements of every bin, of arrays of PyTorch and CuPy (_tensors.py)."""
from __future__ import annotations

from typing import Any, Tuple

from . import _gradients
from ._arrays import about
from ._libraries import Library
from ._parameters import Bins, Limits, kind_of
from ._tensor_repeats import repeat
from ._tensors import check_device, elements_of, engine_for, plan_of


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


def weights_of(library: Library, a: Any, weights: Any) -> Any:
    """One for each element, in a's shape."""
    given = library.own(library.array(weights, "weights"), "weights")
    check_device(library, given, a, "weights")
    if tuple(given.shape) != tuple(a.shape):
        raise ValueError(f"weights: expected shape {tuple(a.shape)}, that of a, but it is {tuple(given.shape)}")
    return given


def sums_target(library: Library, weights: Any, count: int) -> Any:
    """A new array for sums by bin."""
    return library.filled(weights, (count,), plan_of(library, "plus", library.type_of(weights, "weights"), None, None)[1])


def _sums(library: Library, elements: Any, limits: Limits, count: int, weights: Any) -> Any:
    plan = plan_of(library, "plus", library.type_of(weights, "weights"), None, None)[0]
    sums = sums_target(library, weights, count)
    library.back_end.weighted_histogram(library, elements, limits, plan, weights, sums)
    return sums


def _numbers(library: Library, elements: Any, limits: Limits, count: int) -> Any:
    """The number of each element's bin; of one in no bin how many bins there are. Does not wait for a GPU."""
    n, torch = elements.shape[0], library.module
    order, offsets = library.empty_like(elements, "int64"), library.filled(elements, (count + 2,), "int64")
    library.back_end.bins(library, elements, limits, order, offsets[:-1], True)
    offsets[-1] = n  # behind the last bin are what is in none, whose indices are not known
    name = "int32" if count < 2**31 - 1 else "int64"  # which takes twice the time
    each = torch.arange(count + 1, dtype=getattr(torch, name), device=elements.device)
    numbers = repeat(library, each, None, offsets, 0, n)
    order.masked_fill_(numbers == count, n)
    return library.filled(elements, (n + 1,), name, count).index_copy_(0, order, numbers)[:n]


def bin_sums(library: Library, a: Any, bins: Any, count: int) -> Any:
    """The sums of elements by the numbers of their bins: the bits of a histogram with these as weights."""
    x, bins = elements_of(library, a), elements_of(library, bins)
    if _gradients.wanted(x):
        return _gradients.sum_of(x, lambda y: engine_for(y).bin_sums(y, bins, count),
                                 lambda gradient: engine_for(gradient).of_bins(gradient, bins))
    return _sums(library, bins, ("0", str(count), False), count, x) if count else sums_target(library, x, 0)


def of_bins(library: Library, a: Any, bins: Any) -> Any:
    """What each element's bin has, of which there is one in `a`, or 0: what brings gradients back."""
    x = elements_of(library, a)
    if _gradients.wanted(x):
        count = x.shape[0]
        return _gradients.sum_of(x, lambda y: engine_for(y).of_bins(y, bins),
                                 lambda gradient: engine_for(gradient).bin_sums(gradient, bins, count))
    return library.module.cat((x, library.filled(x, (1,), library.type_of(x), 0))).index_select(0, bins)


def _edges_of(library: Library, elements: Any, limits: Limits, asked: Bins) -> Any:
    edges = asked.edges
    if library.owns(edges):
        return edges
    return library.back_end.numbers(library, elements, asked.edge_numbers(library.type_of(elements), limits))


def numbers_and_edges(library: Library, a: Any, asked: Bins) -> Tuple[Any, Any]:
    """The number of each element's bin, and the edges of bins."""
    elements, _ = _binned(library, a)
    limits = _limits(library, elements, asked)
    edges = _edges_of(library, elements, limits, asked)
    try:
        return _numbers(library, elements, limits, asked.count), edges
    except ValueError as problem:
        raise about(asked.argument, problem) from None


def histogram(library: Library, a: Any, asked: Bins, weights: Any) -> Tuple[Any, Any]:
    beside = None
    if weights is not None:
        a = library.array(a, "a")
        beside = elements_of(library, weights_of(library, a, weights))
        if _gradients.wanted(beside):
            bins, edges = numbers_and_edges(library, a, asked)
            return bin_sums(library, beside, bins, asked.count), edges
    elements, _ = _binned(library, a)
    limits = _limits(library, elements, asked)
    edges = _edges_of(library, elements, limits, asked)
    try:
        if beside is not None:
            return _sums(library, elements, limits, asked.count, beside), edges
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
