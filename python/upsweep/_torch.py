"""The package's functions on tensors that PyTorch traces: by torch.compile, torch.export, torch.func, make_fx and torch.jit.trace.

Arguments are settled here, which PyTorch's compiler traces; torch_operators.py has what is computed then.
"""
from __future__ import annotations

from typing import Any, Tuple

import numpy as np
import torch

from . import _gradients, _tensor_bins, _tensor_repeats
from ._arrays import along, axis_of, edge_shape, total_shape
from ._engines import of_library
from ._libraries import TorchOnHost
from ._parameters import (IDENTITIES, Bins, Operator, check_one_of_repeats, count_along, count_for_all, expected_repeat_offsets, expected_repeats, known_size,
                          name_of, wrong_size)
from ._torch_bins import BinSumsFunction, OfBinsFunction
from ._torch_library import library_with
from ._torch_repeats import RepeatFunction, RepeatSumsFunction
from .torch_operators import (ArgsortFunction, LinearRecurrenceFunction, ReduceFunction, ScanFunction, SmoothingFunction, SortFunction,
                              TopKFunction)

_ops = torch.ops.upsweep
_host = TorchOnHost(torch)


@torch.compiler.disable
def _apply(function: Any, *arguments: Any) -> Any:
    return function.apply(*arguments)


def _call(operator: Any, function: Any, *arguments: Any) -> Any:
    # Neither an operator nor a function that is compiled has derivatives forwards: the compiler takes them for zero.
    goes_forwards = getattr(torch.autograd.forward_ad, "_current_level", -1) >= 0
    takes_operator = (torch.compiler.is_compiling() or torch.jit.is_tracing()) and not goes_forwards
    return operator(*arguments) if takes_operator else _apply(function, *arguments)


@torch.compiler.assume_constant_result
def _named(dtype: Any) -> Any:
    return getattr(torch, _host.type_named(dtype))


def _type(dtype: Any) -> Any:
    """PyTorch's name of a type: that of a call that is not traced, so that int and "float" have 64 bits, as NumPy's."""
    return dtype if dtype is None or isinstance(dtype, torch.dtype) else _named(dtype)


def _beside(given: Any, argument: str, like: Any) -> Any:
    """An argument beside a tensor. Beside one in host memory arrays of NumPy and lists are constants of what is traced."""
    if isinstance(given, torch.Tensor):
        return given
    if not like.is_cpu or not isinstance(given, (np.ndarray, np.generic, list, tuple)):
        raise TypeError(f"{argument}: expected a tensor, as another argument is one")
    if torch.compiler.is_compiling():
        return torch.as_tensor(np.asarray(given))
    return _host.array(given, argument)


def _result_type(a: Any, b: Any) -> Any:
    """torch.result_type of real tensors, which the compiler does not trace: one without dimensions decides by its kind alone."""
    def kind(x: Any) -> int:
        return 2 if x.is_floating_point() else x.dtype != torch.bool

    if (a.ndim == 0) != (b.ndim == 0):
        number, other = (a, b) if a.ndim == 0 else (b, a)
        if kind(number) <= kind(other):
            return other.dtype
    return torch.promote_types(a.dtype, b.dtype)


def _number(given: Any, argument: str, kinds: Tuple[type, ...]) -> Any:
    found = given.item() if isinstance(given, np.generic) else given
    if not isinstance(found, kinds):
        raise TypeError(f"{argument}: expected a number, but it is {given!r}")
    return found


def _initial(given: Any) -> Any:
    return None if given is None else _number(given, "initial", (int, float, complex))


def _without_out(out: Any) -> None:
    if out is not None:
        raise TypeError("out: tensors that PyTorch traces, or that one of its modes watches, are not written to; leave it out")


def scan(a: Any, op: Operator, axis: Any, dtype: Any, initial: Any, reverse: bool, out: Any, exclusive: bool) -> Any:
    _without_out(out)
    x, position = along(a, axis)
    return _call(_ops.scan, ScanFunction, x, None, name_of(op), position, _type(dtype), _initial(initial), bool(reverse), exclusive)


def scan_with_identity(a: Any, op: str, axis: Any, dtype: Any, out: Any) -> Any:
    _without_out(out)
    x, position = along(a, axis)
    y = scan(x, op, position, dtype, None, False, None, False)
    edge = y.new_full(edge_shape(tuple(y.shape), position), IDENTITIES[op])
    return torch.cat((edge, y), position)


def reduce(a: Any, op: Operator, axis: Any, dtype: Any, initial: Any, keepdims: bool) -> Any:
    x, position = along(a, axis)
    found = _call(_ops.reduce, ReduceFunction, x, name_of(op), position, _type(dtype), _initial(initial))
    return found.reshape(total_shape(tuple(a.shape), axis, keepdims))


def _starts(a: Any, keys: Any, offsets: Any, heads: Any) -> Tuple[Any, Any]:
    """A bool for each element that is true where a segment starts; the first one starts one whatever it says. And what says so, as a
    tensor."""
    described = [(given, argument) for given, argument in ((keys, "keys"), (offsets, "offsets"), (heads, "heads")) if given is not None]
    if len(described) != 1:
        raise TypeError("expected one of keys, offsets and heads")
    if not isinstance(a, torch.Tensor):
        raise TypeError("a: expected a tensor, as another argument is one")
    given, argument = described[0]
    by = _beside(given, argument, a)
    for x, name in ((a, "a"), (by, argument)):
        if x.ndim != 1 or (name in ("keys", "heads") and x.shape != a.shape):
            expected = f"shape ({a.shape[0]},), one an element" if name in ("keys", "heads") else "one dimension"
            raise ValueError(f"{name}: expected {expected}, but its shape is {tuple(x.shape)}")
    if argument == "keys":
        return torch.cat((torch.ones_like(by[:1], dtype=torch.bool), by[1:] != by[:-1])), by
    if by.is_floating_point() or by.is_complex():
        expected = "bool or integers" if argument == "heads" else "integers"
        raise TypeError(f"{argument}: expected {expected}, but it is {by.dtype}")
    if argument == "heads":
        return by if by.dtype == torch.bool else by != 0, by
    # Which are not looked at, as they are not known yet: what is past the end starts nothing.
    n = a.shape[0]
    none = torch.zeros(n + 1, dtype=torch.bool, device=a.device)
    return none.scatter(0, by.clamp(0, n).to(torch.int64), 1)[:n], by


def _scan_segments(a: Any, starts: Any, op: Operator, dtype: Any, initial: Any, reverse: bool, exclusive: bool) -> Any:
    how = _type(dtype), _initial(initial), bool(reverse), exclusive
    return _call(_ops.scan, ScanFunction, a, starts, name_of(op), 0, *how)


def segmented_scan(a: Any, op: Operator, keys: Any, offsets: Any, heads: Any, dtype: Any, initial: Any, reverse: bool, out: Any,
                   exclusive: bool) -> Any:
    _without_out(out)
    return _scan_segments(a, _starts(a, keys, offsets, heads)[0], op, dtype, initial, reverse, exclusive)


def _totals(a: Any, starts: Any, op: Operator, dtype: Any, initial: Any) -> Any:
    """Of as many segments as start, which is known when they are looked at."""
    scanned = _scan_segments(a, starts, op, dtype, initial, False, False)
    return scanned[torch.cat((starts[1:], torch.ones_like(starts[:1])))]


def segmented_reduce(a: Any, op: Operator, keys: Any, offsets: Any, heads: Any, dtype: Any, initial: Any) -> Any:
    starts, described = _starts(a, keys, offsets, heads)
    if offsets is None:
        return _totals(a, starts, op, dtype, initial)
    begin, end = described[:-1], described[1:]
    empty = scan(a.new_zeros(1), op, 0, dtype, initial, False, None, True)
    if a.shape[0] == 0:
        return empty.repeat(begin.shape[0])
    scanned = _scan_segments(a, starts, op, dtype, initial, False, False)
    return torch.where(end > begin, scanned[(end - 1).clamp(0, a.shape[0] - 1)], empty)


def reduce_by_key(keys: Any, a: Any, op: Operator, dtype: Any, initial: Any) -> Tuple[Any, Any]:
    starts, keys = _starts(a, keys, None, None)
    return keys[starts], _totals(a, starts, op, dtype, initial)


def linear_recurrence(a: Any, b: Any, x0: float, axis: Any, reverse: bool, dtype: Any, out: Any) -> Any:
    _without_out(out)
    like = a if isinstance(a, torch.Tensor) else b
    arrays, typed = [], []
    for given, argument in ((a, "a"), (b, "b")):
        if isinstance(given, (int, float)):  # a number by itself has no type of its own
            if argument == "a":  # nor needs it memory
                continue
            arrays.append(torch.full((), given, dtype=torch.float64, device=like.device))
            continue
        x = _beside(given, argument, like)
        if x.is_complex():
            raise TypeError(f"{argument}: expected real numbers, but it is {x.dtype}")
        arrays.append(x)
        typed.append(x)
    arithmetic = _type(dtype) or _result_type(typed[0], typed[-1])
    if dtype is None and not arithmetic.is_floating_point:
        arithmetic = torch.float64
    if arithmetic not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        raise TypeError(f"dtype: expected floating-point numbers, but it is {arithmetic}")
    rank = max(1, *(x.ndim for x in arrays))
    arrays = [x.reshape((1,) * (rank - x.ndim) + tuple(x.shape)) for x in arrays]
    position = axis_of(rank, axis)
    how = float(_number(x0, "x0", (int, float))), position, bool(reverse), arithmetic
    if isinstance(a, (int, float)):
        return _call(_ops.smoothing, SmoothingFunction, float(a), *arrays, *how)
    return _call(_ops.linear_recurrence, LinearRecurrenceFunction, *arrays, *how)


def _ordered(a: Any, starts: Any, axis: int, descending: bool, indices: bool) -> Any:
    call = (_ops.argsort, ArgsortFunction) if indices else (_ops.sort, SortFunction)
    return _call(*call, a, starts, axis, bool(descending))


def sort(a: Any, axis: Any, descending: bool, out: Any, indices: bool) -> Any:
    _without_out(out)
    if a.ndim == 0 and axis is not None:
        raise ValueError("axis: an array of 0 dimensions has none to sort along")
    x, position = along(a, axis)
    return _ordered(x, None, position, descending, indices)


def top_k(a: Any, k: Any, axis: Any, smallest: bool) -> Tuple[Any, Any]:
    if a.ndim == 0 and axis is not None:
        raise ValueError("axis: an array of 0 dimensions has none to sort along")
    x, position = along(a, axis)
    places = _call(_ops.top_k_indices, TopKFunction, x.detach(), count_along(k, x.shape[position]), position, bool(smallest))
    return torch.take_along_dim(x, places, position), places


def segmented_sort(a: Any, keys: Any, offsets: Any, heads: Any, descending: bool, out: Any, indices: bool) -> Any:
    _without_out(out)
    return _ordered(a, _starts(a, keys, offsets, heads)[0], 0, descending, indices)


def _plain(name: str) -> Any:
    """What has results of a size that depends on the elements: where a function is compiled it is called as it is, between
    what is compiled."""
    @torch.compiler.disable
    def call(a: Any, *how: Any) -> Any:
        if _gradients.has_no_memory(a) or _gradients.are_recorded():
            raise TypeError("a: expected a tensor in memory: compaction, partition, bins, histograms, runs and repeats without "
                            "output_size take none of torch.func, torch.jit.trace, make_fx or FakeTensorMode, nor subclasses that "
                            "say what operators do")
        with _gradients.untransformed():
            return getattr(of_library(library_with(a)), name)(a, *(_gradients.constant(x) if isinstance(x, torch.Tensor) else x for x in how))

    return call


choose, packed, extract, encode_runs, _histogram, _numbers_and_edges = (
    _plain(name) for name in ("choose", "packed", "extract", "encode_runs", "histogram", "numbers_and_edges"))
_between_repeats = _plain("repeat")


@torch.compiler.disable
def histogram(a: Any, asked: Bins, weights: Any) -> Tuple[Any, Any]:
    if isinstance(a, torch.Tensor):
        a = _gradients.constant(a)
    else:
        with _gradients.untransformed():
            a = _beside(a, "a", weights)
    if not isinstance(weights, torch.Tensor) or not (_gradients.has_no_memory(weights) or _gradients.has_tangent(weights)):
        return _histogram(a, asked, weights)
    beside = _tensor_bins.weights_of(library_with(a), a, weights)
    bins, edges = _numbers_and_edges(a, asked)
    return bin_sums(beside.flatten(), bins, asked.count), edges


def bin_sums(a: Any, bins: Any, count: int) -> Any:
    return _call(_ops.bin_sums, BinSumsFunction, a, bins, count)


def of_bins(a: Any, bins: Any) -> Any:
    return _call(_ops.of_bins, OfBinsFunction, a, bins)


def _counts(repeats: Any, offsets: Any, x: Any, n: int) -> Tuple[Any, Any]:
    """One an element of n along an axis of x; and what says so, as a tensor or an integer."""
    check_one_of_repeats(repeats, offsets)
    if isinstance(repeats, (int, np.integer)):
        return torch.full((n,), count_for_all(repeats), dtype=torch.int64, device=x.device), int(repeats)
    argument = "repeats" if offsets is None else "offsets"
    given = _beside(repeats if offsets is None else offsets, argument, x)
    if given.is_floating_point() or given.is_complex() or (offsets is not None and given.dtype == torch.bool):
        raise TypeError(f"{argument}: expected integers, but it is {given.dtype}")
    if offsets is not None:
        if tuple(given.shape) != (n + 1,):
            raise expected_repeat_offsets(n)
        at = given.to(torch.int64)
        return at[1:] - at[:-1], given
    if given.ndim > 1 or (given.numel() != n and given.numel() != 1):
        raise expected_repeats(n, tuple(given.shape))
    return given.expand(n), given


def _has_unknown_size() -> bool:
    """Whether counts cannot be looked at: not before what is compiled so far has run, or not at all."""
    return torch.compiler.is_compiling() or _gradients.are_recorded()


def _size_of(counts: Any, are_offsets: bool, n: int) -> int:
    given = _gradients.constant(counts)
    if _gradients.has_no_memory(given):
        raise TypeError(f"{'offsets' if are_offsets else 'repeats'}: expected a tensor in memory, unless there is output_size")
    with _gradients.untransformed():
        return _tensor_repeats.size_of(library_with(given), *((None, given) if are_offsets else (given, None)), n)


def repeat(a: Any, repeats: Any, offsets: Any, axis: Any, output_size: Any) -> Any:
    if not isinstance(a, torch.Tensor):
        raise TypeError("a: expected a tensor, as another argument is one")
    x, position = along(a, axis)
    n = x.shape[position]
    counts, given = _counts(repeats, offsets, x, n)
    if isinstance(given, int):
        size = given * n
        if output_size is not None and output_size != size:
            raise wrong_size(size, output_size)
    elif output_size is not None:
        size = known_size(output_size)
    elif _has_unknown_size():
        return _between_repeats(x, counts, None, position, None)
    else:
        size = _size_of(given, offsets is not None, n)
    return _call(_ops.repeat, RepeatFunction, x, counts, position, size)


def sum_repeats(a: Any, repeats: Any, axis: int, n: int) -> Any:
    return _call(_ops.sum_repeats, RepeatSumsFunction, a, _counts(repeats, None, a, n)[0], axis)


def repeat_indices(repeats: Any, offsets: Any, output_size: Any) -> Any:
    check_one_of_repeats(repeats, offsets)
    given = repeats if offsets is None else offsets
    if given.ndim != 1:
        argument = "repeats" if offsets is None else "offsets"
        raise ValueError(f"{argument}: expected one dimension, but its shape is {tuple(given.shape)}")
    if offsets is not None and given.shape[0] == 0:
        raise expected_repeat_offsets(0)
    elements = torch.arange((given if offsets is None else given[1:]).shape[0], device=given.device)
    return repeat(elements, repeats, offsets, 0, output_size)
