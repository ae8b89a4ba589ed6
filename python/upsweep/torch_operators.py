"""Operators of PyTorch, for what it traces: by torch.compile, torch.export and torch.func.

Each is an operator, torch.ops.upsweep.NAME, that says what its result looks like, and a function of autograd with derivatives
and one more dimension, both of which the operator has too, but for derivatives forwards. The compiler takes the operator, as it
traces no such function; torch.func takes the function, as it takes no such operator (_torch.py). Importing this makes the
operators.
"""
from __future__ import annotations

from typing import Any, Sequence, Tuple

import torch

from . import _gradients, _tensor_sorts, _tensor_totals, _tensors, _torch_bins, _torch_repeats  # noqa: F401  (whose operators are made too)
from ._derivatives import recurrence_tangent
from ._torch_library import derive, library_with, operator, placed

_ops = torch.ops.upsweep


# --- scans; with `heads`, bool, of which a true one starts a segment, of one dimension

@operator("scan", "(Tensor a, Tensor? heads, str op, int axis, ScalarType? dtype, Scalar? initial, bool reverse, "
                  "bool exclusive) -> Tensor")
def _scan(a: Any, heads: Any, op: str, axis: int, dtype: Any, initial: Any, reverse: bool, exclusive: bool) -> Any:
    if heads is None:
        return _tensors.scan(library_with(a), a, op, axis, dtype, initial, reverse, None, exclusive)
    return _tensors.segmented_scan(library_with(a), a, op, None, None, heads, dtype, initial, reverse, None, exclusive)


@_scan.register_fake
def _(a: Any, heads: Any, op: str, axis: int, dtype: Any, initial: Any, reverse: bool, exclusive: bool) -> Any:
    return _tensors.scan_target(library_with(a), a if heads is None else a.contiguous(), op, dtype)


class ScanFunction(torch.autograd.Function):
    @staticmethod
    def forward(a: Any, heads: Any, op: str, axis: int, dtype: Any, initial: Any, reverse: bool, exclusive: bool) -> Any:
        return _ops.scan(a, heads, op, axis, dtype, initial, reverse, exclusive)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        a, heads, ctx.op, ctx.axis, _, ctx.initial, ctx.reverse, ctx.exclusive = inputs
        ctx.dtype, ctx.result = a.dtype, output.dtype
        kept = (heads,) if ctx.op == "plus" else (heads, a, output)
        ctx.save_for_backward(*kept)
        ctx.save_for_forward(*kept)

    # What is saved is asked for once, as checkpoints give it once.

    @staticmethod
    def _sum(ctx: Any, change: Any, reverse: bool) -> Any:
        heads, = ctx.saved_tensors
        return ScanFunction.apply(change, heads, "plus", ctx.axis, None, None, reverse, ctx.exclusive)

    @staticmethod
    def _product_or_extreme(ctx: Any, heads: Any, y: Any) -> Any:
        return _gradients.scan_with(
            ctx.op, y, ctx.axis, ctx.reverse, ctx.exclusive, ctx.initial, heads,
            lambda a, b, reverse: LinearRecurrenceFunction.apply(a, b, 0.0, ctx.axis, reverse, y.dtype),
            lambda z, starts, reverse: RegionSumsFunction.apply(z, starts, ctx.axis, reverse))

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        if ctx.op == "plus":
            back = _gradients.as_type(ScanFunction._sum(ctx, gradient, not ctx.reverse), ctx.dtype)
        else:
            heads, x, y = ctx.saved_tensors
            back = _gradients.scan_gradient(x, y, gradient, lambda _, y: ScanFunction._product_or_extreme(ctx, heads, y))
        return back, None, None, None, None, None, None, None

    @staticmethod
    def jvp(ctx: Any, to_a: Any, *_: Any) -> Any:
        if ctx.op == "plus":
            return ScanFunction._sum(ctx, to_a.to(ctx.result), ctx.reverse)
        heads, x, y = ctx.saved_tensors
        return ScanFunction._product_or_extreme(ctx, heads, y).tangent(x.to(y.dtype), y, to_a.to(y.dtype))

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, heads: Any, op: str, axis: int, *how: Any) -> Tuple[Any, int]:
        if heads is None:
            return ScanFunction.apply(a, None, op, axis + (places[0] <= axis), *how), places[0]
        if info.batch_size == 0:  # of which the elements, none, are those of any other scan
            none = a.unsqueeze(0).expand(0, *a.shape) if places[0] is None else a.movedim(places[0], 0)
            return ScanFunction.apply(none, None, op, 1, *how), 0
        # One after the other, because bits depend on where in the whole a segment begins.
        return torch.stack([ScanFunction.apply(placed(a, places[0], k), placed(heads, places[1], k), op, axis, *how)
                            for k in range(info.batch_size)]), 0


class RegionSumsFunction(torch.autograd.Function):
    """Of derivatives: sums along an axis that start afresh at heads."""

    @staticmethod
    def forward(x: Any, heads: Any, axis: int, reverse: bool) -> Any:
        return _gradients.of_rows(x, heads, axis, lambda flat, each: _ops.scan(flat, each, "plus", 0, None, None, reverse, False))

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        _, heads, ctx.axis, ctx.reverse = inputs
        ctx.save_for_backward(heads)
        ctx.save_for_forward(heads)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        return RegionSumsFunction.apply(gradient, ctx.saved_tensors[0], ctx.axis, not ctx.reverse), None, None, None

    @staticmethod
    def jvp(ctx: Any, to_x: Any, *_: Any) -> Any:
        return RegionSumsFunction.apply(to_x, ctx.saved_tensors[0], ctx.axis, ctx.reverse)

    @staticmethod
    def vmap(info: Any, places: Any, x: Any, heads: Any, axis: int, reverse: bool) -> Tuple[Any, int]:
        place = places[1] if places[0] is None else places[0]
        x, heads = (z.unsqueeze(place).expand(*z.shape[:place], info.batch_size, *z.shape[place:]) if p is None else z.movedim(p, place)
                    for z, p in zip((x, heads), places))
        return RegionSumsFunction.apply(x, heads, axis + (place <= axis), reverse), place


derive(_scan, ScanFunction)


# --- totals along an axis, of which there is one element in the result

@operator("reduce", "(Tensor a, str op, int axis, ScalarType? dtype, Scalar? initial) -> Tensor")
def _reduce(a: Any, op: str, axis: int, dtype: Any, initial: Any) -> Any:
    return _tensor_totals.totals(library_with(a), a, op, axis, dtype, initial)


@_reduce.register_fake
def _(a: Any, op: str, axis: int, dtype: Any, initial: Any) -> Any:
    library = library_with(a)
    return _tensor_totals.reduce_target(library, library.own(a), op, axis, dtype)


class ReduceFunction(torch.autograd.Function):
    """Whose derivatives are those of a scan's last results, but for sums and where there are no elements."""

    @staticmethod
    def forward(a: Any, op: str, axis: int, dtype: Any, initial: Any) -> Any:
        return _ops.reduce(a, op, axis, dtype, initial)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        a, ctx.op, ctx.axis, ctx.dtype, ctx.initial = inputs
        ctx.reverse = ctx.exclusive = False
        ctx.shape, ctx.of_a, ctx.result = a.shape, a.dtype, output.dtype
        ctx.is_sum = ctx.op == "plus" or a.shape[ctx.axis] == 0
        kept = () if ctx.is_sum else (a,)
        ctx.save_for_backward(*kept)
        ctx.save_for_forward(*kept)

    @staticmethod
    def _scanned(ctx: Any) -> Tuple[Any, Any]:
        x, = ctx.saved_tensors
        return x, ScanFunction.apply(x, None, ctx.op, ctx.axis, ctx.dtype, ctx.initial, False, False)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        if ctx.is_sum:
            back = _gradients.as_type(gradient.expand(ctx.shape), ctx.of_a)
        else:
            x, y = ReduceFunction._scanned(ctx)
            before = torch.zeros_like(y.narrow(ctx.axis, 0, ctx.shape[ctx.axis] - 1))
            back = _gradients.scan_gradient(x, y, torch.cat((before, gradient), ctx.axis),
                                            lambda _, y: ScanFunction._product_or_extreme(ctx, None, y))
        return back, None, None, None, None

    @staticmethod
    def jvp(ctx: Any, to_a: Any, *_: Any) -> Any:
        if ctx.is_sum:
            return ReduceFunction.apply(to_a.to(ctx.result), "plus", ctx.axis, None, None)
        x, y = ReduceFunction._scanned(ctx)
        tangent = ScanFunction._product_or_extreme(ctx, None, y).tangent(x.to(y.dtype), y, to_a.to(y.dtype))
        return tangent.narrow(ctx.axis, ctx.shape[ctx.axis] - 1, 1)

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, op: str, axis: int, *how: Any) -> Tuple[Any, int]:
        return ReduceFunction.apply(a, op, axis + (places[0] <= axis), *how), places[0]


derive(_reduce, ReduceFunction)


# --- linear recurrences; a and b have as many dimensions, and broadcast

@operator("linear_recurrence", "(Tensor a, Tensor b, float x0, int axis, bool reverse, ScalarType dtype) -> Tensor")
def _linear_recurrence(a: Any, b: Any, x0: float, axis: int, reverse: bool, dtype: Any) -> Any:
    return _tensors.linear_recurrence(library_with(a), a, b, x0, axis, reverse, dtype, None)


@_linear_recurrence.register_fake
def _(a: Any, b: Any, x0: float, axis: int, reverse: bool, dtype: Any) -> Any:
    library = library_with(a)
    return _tensors.recurrence_target(library, torch.broadcast_shapes(a.shape, b.shape), library.type_named(dtype), a, b)


class LinearRecurrenceFunction(torch.autograd.Function):
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
        axis = ctx.how[1]
        gradients = _gradients.recurrence_gradients(
            a, ctx.b_like, x, gradient, *ctx.how,
            lambda a, b, reverse: LinearRecurrenceFunction.apply(a, b, 0.0, axis, reverse, ctx.dtype), ctx.needs_input_grad)
        return (*gradients, None, None, None, None)

    @staticmethod
    def jvp(ctx: Any, to_a: Any, to_b: Any, *_: Any) -> Any:
        a, x = ctx.saved_tensors
        x0, axis, reverse = ctx.how
        changes = (None if change is None else change.to(x.dtype) for change in (to_a, to_b))
        return recurrence_tangent(_gradients.along(axis, reverse), a, x, *changes, x0, lambda a, b, reverse:
                                  LinearRecurrenceFunction.apply(a, b, 0.0, axis, reverse, ctx.dtype))

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, b: Any, x0: float, axis: int, *how: Any) -> Tuple[Any, int]:
        """One more dimension for both, in which one that is not mapped repeats its elements."""
        place = places[1] if places[0] is None else places[0]
        a, b = (x.unsqueeze(place) if p is None else x.movedim(p, place) for x, p in zip((a, b), places))
        return LinearRecurrenceFunction.apply(a, b, x0, axis + (place <= axis), *how), place


derive(_linear_recurrence, LinearRecurrenceFunction)


# --- the same with one coefficient, a number

@operator("smoothing", "(float a, Tensor b, float x0, int axis, bool reverse, ScalarType dtype) -> Tensor")
def _smoothing(a: float, b: Any, x0: float, axis: int, reverse: bool, dtype: Any) -> Any:
    return _tensors.linear_recurrence(library_with(b), a, b, x0, axis, reverse, dtype, None)


@_smoothing.register_fake
def _(a: float, b: Any, x0: float, axis: int, reverse: bool, dtype: Any) -> Any:
    library = library_with(b)
    return _tensors.recurrence_target(library, b.shape, library.type_named(dtype), a, b)


class SmoothingFunction(torch.autograd.Function):
    @staticmethod
    def forward(a: float, b: Any, x0: float, axis: int, reverse: bool, dtype: Any) -> Any:
        return _ops.smoothing(a, b, x0, axis, reverse, dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        ctx.a, b, _, ctx.axis, ctx.reverse, ctx.dtype = inputs
        ctx.of_b = b.dtype

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        to_b = SmoothingFunction.apply(ctx.a, gradient, 0.0, ctx.axis, not ctx.reverse, ctx.dtype).to(ctx.of_b)
        return None, to_b, None, None, None, None

    @staticmethod
    def jvp(ctx: Any, _: Any, to_b: Any, *__: Any) -> Any:
        return SmoothingFunction.apply(ctx.a, to_b.to(ctx.dtype), 0.0, ctx.axis, ctx.reverse, ctx.dtype)

    @staticmethod
    def vmap(info: Any, places: Any, a: float, b: Any, x0: float, axis: int, *how: Any) -> Tuple[Any, int]:
        return SmoothingFunction.apply(a, b, x0, axis + (places[1] <= axis), *how), places[1]


derive(_smoothing, SmoothingFunction)


# --- sorting

# With `heads`, bool, of which a true one starts a segment that is sorted by itself, of one dimension.

@operator("sort", "(Tensor a, Tensor? heads, int axis, bool descending) -> Tensor")
def _sort(a: Any, heads: Any, axis: int, descending: bool) -> Any:
    return _ordered(a, heads, axis, descending, False)


@operator("argsort", "(Tensor a, Tensor? heads, int axis, bool descending) -> Tensor")
def _argsort(a: Any, heads: Any, axis: int, descending: bool) -> Any:
    return _ordered(a, heads, axis, descending, True)


def _ordered(a: Any, heads: Any, axis: int, descending: bool, indices: bool) -> Any:
    if heads is None:
        return _tensor_sorts.sort(library_with(a), a, axis, descending, None, indices)
    return _tensor_sorts.segmented_sort(library_with(a), a, None, None, heads, descending, None, indices)


@_sort.register_fake
def _(a: Any, heads: Any, axis: int, descending: bool) -> Any:
    return _tensor_sorts.sort_target(library_with(a), a, axis, None)


@_argsort.register_fake
def _(a: Any, heads: Any, axis: int, descending: bool) -> Any:
    return _tensor_sorts.sort_target(library_with(a), a, axis, "int64")


def _in_one(function: Any, info: Any, places: Any, a: Any, heads: Any, descending: bool) -> Any:
    """function's results of the segments of several, as rows: of all at once, as those of one are not of the others."""
    rows, starts = (x.unsqueeze(0).expand(info.batch_size, *x.shape) if place is None else x.movedim(place, 0)
                    for x, place in zip((a, heads), places))
    return _gradients.of_rows(rows, starts, 1, lambda flat, each: function.apply(flat, each, 0, descending))


@operator("top_k_indices", "(Tensor a, SymInt k, int axis, bool smallest) -> Tensor")
def _top_k_indices(a: Any, k: int, axis: int, smallest: bool) -> Any:
    return _tensor_sorts.top_k_places(library_with(a), a, k, axis, smallest)


@_top_k_indices.register_fake
def _(a: Any, k: int, axis: int, smallest: bool) -> Any:
    return _tensor_sorts.top_k_target(library_with(a), a, k, axis, "int64")


class _IndicesFunction(torch.autograd.Function):
    """Of four arguments. Elements are taken by its results, which have no derivatives."""

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        ctx.mark_non_differentiable(output)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        return None, None, None, None


class TopKFunction(_IndicesFunction):
    @staticmethod
    def forward(a: Any, k: int, axis: int, smallest: bool) -> Any:
        return _ops.top_k_indices(a, k, axis, smallest)

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, k: int, axis: int, smallest: bool) -> Tuple[Any, int]:
        return TopKFunction.apply(a, k, axis + (places[0] <= axis), smallest), places[0]


class ArgsortFunction(_IndicesFunction):
    @staticmethod
    def forward(a: Any, heads: Any, axis: int, descending: bool) -> Any:
        return _ops.argsort(a, heads, axis, descending)

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, heads: Any, axis: int, descending: bool) -> Tuple[Any, int]:
        if heads is None:
            return ArgsortFunction.apply(a, None, axis + (places[0] <= axis), descending), places[0]
        found = _in_one(ArgsortFunction, info, places, a, heads, descending)
        count, n = found.shape
        return found - n * torch.arange(count, device=found.device).unsqueeze(1), 0


class SortFunction(torch.autograd.Function):
    @staticmethod
    def forward(a: Any, heads: Any, axis: int, descending: bool) -> Any:
        return _ops.sort(a, heads, axis, descending)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        a, heads, ctx.axis, ctx.descending = inputs
        ctx.save_for_backward(a, heads)
        ctx.save_for_forward(a, heads)

    @staticmethod
    def _order(ctx: Any) -> Any:
        a, heads = ctx.saved_tensors
        return ArgsortFunction.apply(a.detach(), heads, ctx.axis, ctx.descending)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        return torch.zeros_like(gradient).scatter(ctx.axis, SortFunction._order(ctx), gradient), None, None, None

    @staticmethod
    def jvp(ctx: Any, to_a: Any, *_: Any) -> Any:
        return torch.take_along_dim(to_a, SortFunction._order(ctx), ctx.axis)

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, heads: Any, axis: int, descending: bool) -> Tuple[Any, int]:
        if heads is None:
            return SortFunction.apply(a, None, axis + (places[0] <= axis), descending), places[0]
        return _in_one(SortFunction, info, places, a, heads, descending), 0


derive(_argsort, ArgsortFunction)
derive(_sort, SortFunction)
derive(_top_k_indices, TopKFunction)
