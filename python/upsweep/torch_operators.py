"""The package's functions on tensors that PyTorch traces: by torch.compile, torch.export and torch.func.

Each is an operator, torch.ops.upsweep.NAME, that says what its result looks like, and a function of autograd with derivatives
and one more dimension, both of which the operator has too, but for derivatives forwards. The compiler takes the operator, as it
traces no such function; torch.func takes the function, as it takes no such operator. The functions of _engines.py below settle
arguments. Importing this makes the operators.
"""
from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import torch

from . import _gradients, _tensors
from ._arrays import along, integer
from ._libraries import Library, library_of
from ._parameters import Operator, name_of

if not hasattr(torch.library, "custom_op"):
    raise TypeError("a: compiled functions and torch.func need PyTorch 2.4 or later, but it is "
                    f"{torch.__version__}")

_ops = torch.ops.upsweep


def _library(a: Any) -> Library:
    library = library_of(a)
    if library is None:
        raise TypeError(f"a: expected a tensor in host memory or on a CUDA GPU, but it is on {a.device}")
    return library


def _operator(name: str, schema: str) -> Any:
    return torch.library.custom_op(f"upsweep::{name}", mutates_args=(), schema=schema)


def _derive(operator: Any, function: Any) -> None:
    """The operator's derivatives, where it is compiled, are those of the function."""
    operator.register_autograd(function.backward, setup_context=function.setup_context)
    if hasattr(operator, "register_vmap"):  # not before PyTorch 2.5
        operator.register_vmap(function.vmap)


@torch.compiler.disable
def _apply(function: Any, *arguments: Any) -> Any:
    return function.apply(*arguments)


def _call(operator: Any, function: Any, *arguments: Any) -> Any:
    # Neither an operator nor a function that is compiled has derivatives forwards: the compiler takes them for zero.
    goes_forwards = getattr(torch.autograd.forward_ad, "_current_level", -1) >= 0
    return operator(*arguments) if torch.compiler.is_compiling() and not goes_forwards else _apply(function, *arguments)


def _placed(x: Any, place: Optional[int], k: int) -> Any:
    return x if place is None else x.select(place, k)


# --- scans

@_operator("scan", "(Tensor a, str op, int axis, ScalarType? dtype, Scalar? initial, bool reverse, bool exclusive) -> Tensor")
def _scan(a: Any, op: str, axis: int, dtype: Any, initial: Any, reverse: bool, exclusive: bool) -> Any:
    return _tensors.scan(_library(a), a, op, axis, dtype, initial, reverse, None, exclusive)


@_scan.register_fake
def _(a: Any, op: str, axis: int, dtype: Any, initial: Any, reverse: bool, exclusive: bool) -> Any:
    return _tensors.scan_target(_library(a), a, op, dtype)


class _Scan(torch.autograd.Function):
    @staticmethod
    def forward(a: Any, op: str, axis: int, dtype: Any, initial: Any, reverse: bool, exclusive: bool) -> Any:
        return _ops.scan(a, op, axis, dtype, initial, reverse, exclusive)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        a, ctx.op, ctx.axis, _, _, ctx.reverse, ctx.exclusive = inputs
        ctx.dtype, ctx.result = a.dtype, output.dtype

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        _only_sums(ctx.op)
        back = _Scan.apply(gradient, "plus", ctx.axis, None, None, not ctx.reverse, ctx.exclusive)
        return back.to(ctx.dtype), None, None, None, None, None, None

    @staticmethod
    def jvp(ctx: Any, to_a: Any, *_: Any) -> Any:
        _only_sums(ctx.op)
        return _Scan.apply(to_a.to(ctx.result), "plus", ctx.axis, None, None, ctx.reverse, ctx.exclusive)

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, op: str, axis: int, *how: Any) -> Tuple[Any, int]:
        return _Scan.apply(a, op, axis + (places[0] <= axis), *how), places[0]


_derive(_scan, _Scan)


def _only_sums(op: str) -> None:
    if op != "plus":
        _gradients.refuse("a")


# --- segmented scans; `heads` are bool, a true one where a segment starts

@_operator("segmented_scan", "(Tensor a, Tensor heads, str op, ScalarType? dtype, Scalar? initial, bool reverse, "
                             "bool exclusive) -> Tensor")
def _segmented_scan(a: Any, heads: Any, op: str, dtype: Any, initial: Any, reverse: bool, exclusive: bool) -> Any:
    return _tensors.segmented_scan(_library(a), a, op, None, None, heads, dtype, initial, reverse, None, exclusive)


@_segmented_scan.register_fake
def _(a: Any, heads: Any, op: str, dtype: Any, initial: Any, reverse: bool, exclusive: bool) -> Any:
    return _tensors.scan_target(_library(a), a.contiguous(), op, dtype)


class _SegmentedScan(torch.autograd.Function):
    @staticmethod
    def forward(a: Any, heads: Any, op: str, dtype: Any, initial: Any, reverse: bool, exclusive: bool) -> Any:
        return _ops.segmented_scan(a, heads, op, dtype, initial, reverse, exclusive)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        a, heads, ctx.op, _, _, ctx.reverse, ctx.exclusive = inputs
        ctx.dtype, ctx.result = a.dtype, output.dtype
        ctx.save_for_backward(heads)
        ctx.save_for_forward(heads)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        _only_sums(ctx.op)
        heads, = ctx.saved_tensors
        back = _SegmentedScan.apply(gradient, heads, "plus", None, None, not ctx.reverse, ctx.exclusive)
        return back.to(ctx.dtype), None, None, None, None, None, None

    @staticmethod
    def jvp(ctx: Any, to_a: Any, *_: Any) -> Any:
        _only_sums(ctx.op)
        heads, = ctx.saved_tensors
        return _SegmentedScan.apply(to_a.to(ctx.result), heads, "plus", None, None, ctx.reverse, ctx.exclusive)

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, heads: Any, *how: Any) -> Tuple[Any, int]:
        """One after the other, because bits depend on where in the whole a segment begins."""
        return torch.stack([_SegmentedScan.apply(_placed(a, places[0], k), _placed(heads, places[1], k), *how)
                            for k in range(info.batch_size)]), 0


_derive(_segmented_scan, _SegmentedScan)


# --- linear recurrences; a and b have as many dimensions, and broadcast

@_operator("linear_recurrence", "(Tensor a, Tensor b, float x0, int axis, bool reverse, ScalarType dtype) -> Tensor")
def _linear_recurrence(a: Any, b: Any, x0: float, axis: int, reverse: bool, dtype: Any) -> Any:
    return _tensors.linear_recurrence(_library(a), a, b, x0, axis, reverse, dtype, None)


@_linear_recurrence.register_fake
def _(a: Any, b: Any, x0: float, axis: int, reverse: bool, dtype: Any) -> Any:
    library = _library(a)
    return _tensors.recurrence_target(library, torch.broadcast_shapes(a.shape, b.shape), library.type_named(dtype), a, b)


class _LinearRecurrence(torch.autograd.Function):
    @staticmethod
    def forward(a: Any, b: Any, x0: float, axis: int, reverse: bool, dtype: Any) -> Any:
        return _ops.linear_recurrence(a, b, x0, axis, reverse, dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        a, b, x0, axis, reverse, ctx.dtype = inputs
        ctx.save_for_backward(a, output)
        ctx.save_for_forward(a, output)
        ctx.b_like, ctx.how = (b.shape, b.dtype), (x0, axis, reverse)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        a, x = ctx.saved_tensors
        _, axis, reverse = ctx.how
        gradients = _gradients.recurrence_gradients(
            a, ctx.b_like, x, gradient, *ctx.how,
            lambda a, b: _LinearRecurrence.apply(a, b, 0.0, axis, not reverse, ctx.dtype), ctx.needs_input_grad)
        return (*gradients, None, None, None, None)

    @staticmethod
    def jvp(ctx: Any, to_a: Any, to_b: Any, *_: Any) -> Any:
        a, x = ctx.saved_tensors
        return _gradients.recurrence_tangent(a, x, to_a, to_b, *ctx.how, lambda a, b, *how: _LinearRecurrence.apply(
            a, b, 0.0, *how, ctx.dtype))

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, b: Any, x0: float, axis: int, *how: Any) -> Tuple[Any, int]:
        """One more dimension for both, in which one that is not mapped repeats its elements."""
        place = places[1] if places[0] is None else places[0]
        a, b = (x.unsqueeze(place) if p is None else x.movedim(p, place) for x, p in zip((a, b), places))
        return _LinearRecurrence.apply(a, b, x0, axis + (place <= axis), *how), place


_derive(_linear_recurrence, _LinearRecurrence)


# --- sorting

@_operator("sort", "(Tensor a, int axis, bool descending) -> Tensor")
def _sort(a: Any, axis: int, descending: bool) -> Any:
    return _tensors.sort(_library(a), a, axis, descending, None, False)


@_operator("argsort", "(Tensor a, int axis, bool descending) -> Tensor")
def _argsort(a: Any, axis: int, descending: bool) -> Any:
    return _tensors.sort(_library(a), a, axis, descending, None, True)


@_sort.register_fake
def _(a: Any, axis: int, descending: bool) -> Any:
    return _tensors.sort_target(_library(a), a, axis, None)


@_argsort.register_fake
def _(a: Any, axis: int, descending: bool) -> Any:
    return _tensors.sort_target(_library(a), a, axis, "int64")


class _Argsort(torch.autograd.Function):
    @staticmethod
    def forward(a: Any, axis: int, descending: bool) -> Any:
        return _ops.argsort(a, axis, descending)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        ctx.mark_non_differentiable(output)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        return None, None, None

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, axis: int, descending: bool) -> Tuple[Any, int]:
        return _Argsort.apply(a, axis + (places[0] <= axis), descending), places[0]


class _Sort(torch.autograd.Function):
    @staticmethod
    def forward(a: Any, axis: int, descending: bool) -> Any:
        return _ops.sort(a, axis, descending)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        a, ctx.axis, ctx.descending = inputs
        ctx.save_for_backward(a)
        ctx.save_for_forward(a)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        order = _Argsort.apply(ctx.saved_tensors[0].detach(), ctx.axis, ctx.descending)
        return torch.zeros_like(gradient).scatter(ctx.axis, order, gradient), None, None

    @staticmethod
    def jvp(ctx: Any, to_a: Any, *_: Any) -> Any:
        return torch.take_along_dim(to_a, _Argsort.apply(ctx.saved_tensors[0].detach(), ctx.axis, ctx.descending), ctx.axis)

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, axis: int, descending: bool) -> Tuple[Any, int]:
        return _Sort.apply(a, axis + (places[0] <= axis), descending), places[0]


_derive(_argsort, _Argsort)
_derive(_sort, _Sort)


# --- the functions of _engines.py

def _type(dtype: Any) -> Any:
    """PyTorch's name of a type that has another's name, or NumPy's."""
    if dtype is None or isinstance(dtype, torch.dtype):
        return dtype
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None) or getattr(dtype, "__name__", "")
    found = getattr(torch, name, None)
    if not isinstance(found, torch.dtype):
        raise TypeError(f"dtype: expected a type of PyTorch, but it is {dtype!r}")
    return found


def _result_type(a: Any, b: Any) -> Any:
    """torch.result_type of real tensors, which the compiler does not trace: one without dimensions decides by its kind alone."""
    def kind(x: Any) -> int:
        return 2 if x.is_floating_point() else x.dtype != torch.bool

    if (a.ndim == 0) != (b.ndim == 0):
        number, other = (a, b) if a.ndim == 0 else (b, a)
        if kind(number) <= kind(other):
            return other.dtype
    return torch.promote_types(a.dtype, b.dtype)


def _without_out(out: Any) -> None:
    if out is not None:
        raise TypeError("out: tensors that PyTorch traces are not written to; leave it out")


def scan(a: Any, op: Operator, axis: Any, dtype: Any, initial: Any, reverse: bool, out: Any, exclusive: bool) -> Any:
    _without_out(out)
    x, position = along(a, axis)
    return _call(_ops.scan, _Scan, x, name_of(op), position, _type(dtype), initial, bool(reverse), exclusive)


def segmented_scan(a: Any, op: Operator, keys: Any, offsets: Any, heads: Any, dtype: Any, initial: Any, reverse: bool, out: Any,
                   exclusive: bool) -> Any:
    _without_out(out)
    if sum(given is not None for given in (keys, offsets, heads)) != 1:
        raise TypeError("expected one of keys, offsets and heads")
    for given, argument in ((a, "a"), (keys, "keys"), (offsets, "offsets"), (heads, "heads")):
        if given is None:
            continue
        if not isinstance(given, torch.Tensor):
            raise TypeError(f"{argument}: expected a tensor, as another argument is one")
        if given.ndim != 1 or (argument in ("keys", "heads") and given.shape != a.shape):
            expected = f"shape ({a.shape[0]},), one an element" if argument in ("keys", "heads") else "one dimension"
            raise ValueError(f"{argument}: expected {expected}, but its shape is {tuple(given.shape)}")
    if heads is not None:
        if heads.is_floating_point() or heads.is_complex():
            raise TypeError(f"heads: expected bool or integers, but it is {heads.dtype}")
        starts = heads if heads.dtype == torch.bool else heads != 0
    elif keys is not None:
        starts = torch.cat((torch.zeros_like(keys[:1], dtype=torch.bool), keys[1:] != keys[:-1]))
    else:
        if offsets.is_floating_point() or offsets.is_complex():
            raise TypeError(f"offsets: expected integers, but it is {offsets.dtype}")
        # Which are not looked at, as they are not known yet: what is past the end starts nothing.
        n = a.shape[0]
        none = torch.zeros(n + 1, dtype=torch.bool, device=a.device)
        starts = none.scatter(0, offsets.clamp(0, n).to(torch.int64), True)[:n]
    return _call(_ops.segmented_scan, _SegmentedScan, a, starts, name_of(op), _type(dtype), initial, bool(reverse), exclusive)


def linear_recurrence(a: Any, b: Any, x0: float, axis: Any, reverse: bool, dtype: Any, out: Any) -> Any:
    _without_out(out)
    like = a if isinstance(a, torch.Tensor) else b
    arrays, typed = [], []
    for given, argument in ((a, "a"), (b, "b")):
        if isinstance(given, (int, float)):  # a number by itself has no type of its own
            arrays.append(torch.full((), given, dtype=torch.float64, device=like.device))
        elif not isinstance(given, torch.Tensor):
            raise TypeError(f"{argument}: expected a tensor or a number, as another argument is a tensor")
        elif given.is_complex():
            raise TypeError(f"{argument}: expected real numbers, but it is {given.dtype}")
        else:
            arrays.append(given)
            typed.append(given)
    arithmetic = _type(dtype) or _result_type(typed[0], typed[-1])
    if dtype is None and not arithmetic.is_floating_point:
        arithmetic = torch.float64
    if arithmetic not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        raise TypeError(f"dtype: expected floating-point numbers, but it is {arithmetic}")
    rank = max(1, *(x.ndim for x in arrays))
    a, b = (x.reshape((1,) * (rank - x.ndim) + tuple(x.shape)) for x in arrays)
    number = integer(axis, "axis")
    if not -rank <= number < rank:
        raise ValueError(f"axis: expected {-rank} to {rank - 1} for {rank} dimensions, but it is {number}")
    return _call(_ops.linear_recurrence, _LinearRecurrence, a, b, float(x0), number % rank, bool(reverse), arithmetic)


def sort(a: Any, axis: Any, descending: bool, out: Any, indices: bool) -> Any:
    _without_out(out)
    if a.ndim == 0 and axis is not None:
        raise ValueError("axis: an array of 0 dimensions has none to sort along")
    x, position = along(a, axis)
    call = (_ops.argsort, _Argsort) if indices else (_ops.sort, _Sort)
    return _call(*call, x, position, bool(descending))


def _plain(name: str) -> Any:
    """What has results of a size that depends on the elements: where a function is compiled it is called as it is, between
    what is compiled."""
    @torch.compiler.disable
    def call(a: Any, *how: Any) -> Any:
        if _gradients.has_no_memory(a):
            raise TypeError("a: expected a tensor in memory: compaction, partition, bins and histograms take none of torch.func, nor "
                            "subclasses that say what operators do")
        return getattr(_tensors.engine_of(_library(a)), name)(a, *how)

    return call


choose, packed, histogram, extract = (_plain(name) for name in ("choose", "packed", "histogram", "extract"))
