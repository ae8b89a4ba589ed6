"""One total a segment and runs of equal neighbours, of arrays of PyTorch and CuPy (_tensors.py). Calls wait for a GPU's stream, as
they tell how many there are."""
from __future__ import annotations

from typing import Any, Tuple

from . import _gradients
from ._libraries import Library
from ._parameters import Operator, element, name_of
from ._tensors import choose, elements_of, first, heads_of, offsets_of, one_dimension, plan_of, scan, segmented_scan


def _positions(library: Library, flags: Any) -> Any:
    found, count = choose(library, flags, flags, True, True)
    return first(library, found, count)


def _totals(library: Library, x: Any, by: str, described: Any, keys_out: Any, size: int, op: str, dtype: Any, initial: Any) -> Any:
    """Of segments, `size` of them at most, that flags, keys or offsets describe; first keys go to keys_out, unless None."""
    plan, result, totals = plan_of(library, op, library.type_of(x), dtype, None)
    out = library.filled(x, (size,), result)
    return first(library, out, library.back_end.reduce_segments(library, plan, x, by, described, keys_out, out,
                                                                element(initial, totals)))


def _totals_with_gradients(library: Library, x: Any, starts: Any, op: str, dtype: Any, initial: Any) -> Any:
    """The results of last elements, whose gradients PyTorch brings to where they belong."""
    ends = library.filled(starts, tuple(starts.shape), "bool", True)
    ends[:-1] = starts[1:]
    scanned = segmented_scan(library, x, op, None, None, starts, dtype, initial, False, None, False)
    return scanned[_positions(library, ends)]


def segmented_reduce(library: Library, a: Any, op: Operator, keys: Any, offsets: Any, heads: Any, dtype: Any, initial: Any) -> Any:
    x = library.contiguous(one_dimension(library, a, "a"))
    n, name = x.shape[0], name_of(op)
    only_keys = keys is not None and offsets is None and heads is None
    only_offsets = offsets is not None and keys is None and heads is None
    at = offsets_of(library, offsets, n) if only_offsets else None
    if _gradients.wanted(x):
        found = _totals_with_gradients(library, x, heads_of(library, x, keys, offsets, heads), name, dtype, initial)
    elif only_keys:
        key = library.contiguous(one_dimension(library, keys, "keys", n))
        found = _totals(library, x, "keys", key, None, n, name, dtype, initial)
    elif only_offsets:
        return _totals(library, x, "offsets", at, None, at.shape[0] - 1, name, dtype, initial)
    else:
        found = _totals(library, x, "flags", heads_of(library, x, keys, offsets, heads), None, n, name, dtype, initial)
    return found if at is None or found.shape[0] == at.shape[0] - 1 else _spread(library, x, at, found, name, dtype, initial)


def _spread(library: Library, x: Any, offsets: Any, found: Any, op: str, dtype: Any, initial: Any) -> Any:
    """The totals of all segments, of those of the ones that have elements."""
    out = library.filled(x, (offsets.shape[0] - 1,), library.type_of(found))
    out[...] = scan(library, library.filled(x, (1,), library.type_of(x), 0), op, 0, dtype, initial, False, None, True)
    out[offsets[1:] > offsets[:-1]] = found
    return out


def reduce_by_key(library: Library, keys: Any, a: Any, op: Operator, dtype: Any, initial: Any) -> Tuple[Any, Any]:
    x = library.contiguous(one_dimension(library, a, "a"))
    n = x.shape[0]
    key = library.contiguous(one_dimension(library, keys, "keys", n))
    if _gradients.wanted(x, key):
        starts = library.back_end.starts_of(library, key)
        return key[_positions(library, starts)], _totals_with_gradients(library, x, starts, name_of(op), dtype, initial)
    keys_out = library.filled(key, (n,), library.type_of(key))
    found = _totals(library, x, "keys", key, keys_out, n, name_of(op), dtype, initial)
    return first(library, keys_out, found.shape[0]), found


def encode_runs(library: Library, a: Any, inverse: bool, lengths: bool) -> Tuple[Any, Any, Any]:
    """First elements, where each element's run is among them, and how many elements it has; None for what is not wanted."""
    elements = elements_of(library, a)
    shape = tuple(elements.shape)
    out = library.empty_like(elements, library.type_of(elements))
    counts = library.filled(elements, shape, "int64") if lengths else None
    numbers = library.filled(elements, shape, "int64") if inverse else None
    count = library.back_end.encode_runs(library, elements, out, counts, numbers)
    if _gradients.are_kept_by_indexing(elements):
        found = elements[_positions(library, library.back_end.starts_of(library, elements))]
    else:
        found = first(library, out, count)
    return (found, numbers.reshape(tuple(a.shape)) if inverse else None, first(library, counts, count) if lengths else None)
