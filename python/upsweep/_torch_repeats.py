"""Operators of PyTorch (torch_operators.py) for repeated elements, and for sums of each one's results, which are each other's transposes.

There are as many counts as elements along the axis.
"""
from __future__ import annotations

from typing import Any, Sequence, Tuple

import torch

from . import _tensor_repeats
from ._torch_library import derive, library_with, operator, placed

_ops = torch.ops.upsweep


@operator("repeat", "(Tensor a, Tensor counts, int axis, SymInt output_size) -> Tensor")
def _repeat(a: Any, counts: Any, axis: int, output_size: int) -> Any:
    return _tensor_repeats.repeat(library_with(a), a, counts, None, axis, output_size)


@operator("sum_repeats", "(Tensor a, Tensor counts, int axis) -> Tensor")
def _sum_repeats(a: Any, counts: Any, axis: int) -> Any:
    return _tensor_repeats.sum_repeats(library_with(a), a, counts, axis, counts.shape[0])


def _with_extent(a: Any, axis: int, extent: int) -> Any:
    return a.new_empty((*a.shape[:axis], extent, *a.shape[axis + 1:]))


@_repeat.register_fake
def _(a: Any, counts: Any, axis: int, output_size: int) -> Any:
    return _with_extent(a, axis, output_size)


@_sum_repeats.register_fake
def _(a: Any, counts: Any, axis: int) -> Any:
    return _with_extent(a, axis, counts.shape[0])


def _of_each(function: Any, info: Any, places: Any, a: Any, counts: Any, axis: int, *how: Any) -> Tuple[Any, int]:
    if places[1] is None:
        return function.apply(a, counts, axis + (places[0] <= axis), *how), places[0]
    return torch.stack([function.apply(placed(a, places[0], k), placed(counts, places[1], k), axis, *how)
                        for k in range(info.batch_size)]), 0


class RepeatFunction(torch.autograd.Function):
    @staticmethod
    def forward(a: Any, counts: Any, axis: int, output_size: int) -> Any:
        return _ops.repeat(a, counts, axis, output_size)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        _, counts, ctx.axis, ctx.output_size = inputs
        ctx.save_for_backward(counts)
        ctx.save_for_forward(counts)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        return RepeatSumsFunction.apply(gradient, ctx.saved_tensors[0], ctx.axis), None, None, None

    @staticmethod
    def jvp(ctx: Any, to_a: Any, *_: Any) -> Any:
        return RepeatFunction.apply(to_a, ctx.saved_tensors[0], ctx.axis, ctx.output_size)

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, counts: Any, axis: int, output_size: int) -> Tuple[Any, int]:
        return _of_each(RepeatFunction, info, places, a, counts, axis, output_size)


class RepeatSumsFunction(torch.autograd.Function):
    @staticmethod
    def forward(a: Any, counts: Any, axis: int) -> Any:
        return _ops.sum_repeats(a, counts, axis)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        a, counts, ctx.axis = inputs
        ctx.extent = a.shape[ctx.axis]
        ctx.save_for_backward(counts)
        ctx.save_for_forward(counts)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        return RepeatFunction.apply(gradient, ctx.saved_tensors[0], ctx.axis, ctx.extent), None, None

    @staticmethod
    def jvp(ctx: Any, to_a: Any, *_: Any) -> Any:
        return RepeatSumsFunction.apply(to_a, ctx.saved_tensors[0], ctx.axis)

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, counts: Any, axis: int) -> Tuple[Any, int]:
        return _of_each(RepeatSumsFunction, info, places, a, counts, axis)


derive(_repeat, RepeatFunction)
derive(_sum_repeats, RepeatSumsFunction)
