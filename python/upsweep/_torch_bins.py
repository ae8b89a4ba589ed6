"""Operators of PyTorch (torch_operators.py) for sums by bin, and for what each element's bin has, which are each other's transposes.

For each element there is the number of its bin, an integer of 32 or 64 bits; of one in no bin it is how many bins there are.
"""
from __future__ import annotations

from typing import Any, Sequence, Tuple

import torch

from . import _tensor_bins
from ._torch_library import derive, library_with, operator

_ops = torch.ops.upsweep


@operator("bin_sums", "(Tensor a, Tensor bins, SymInt count) -> Tensor")
def _bin_sums(a: Any, bins: Any, count: int) -> Any:
    return _tensor_bins.bin_sums(library_with(a), a, bins, count)


@operator("of_bins", "(Tensor a, Tensor bins) -> Tensor")
def _of_bins(a: Any, bins: Any) -> Any:
    return _tensor_bins.of_bins(library_with(a), a, bins)


@_bin_sums.register_fake
def _(a: Any, bins: Any, count: int) -> Any:
    return _tensor_bins.sums_target(library_with(a), a, count)


@_of_bins.register_fake
def _(a: Any, bins: Any) -> Any:
    return a.new_empty(bins.shape)


def _rows(info: Any, places: Any, a: Any, bins: Any) -> Tuple[Any, Any]:
    """Both with one row for each of what is mapped."""
    a, bins = (x.unsqueeze(0).expand(info.batch_size, *x.shape) if place is None else x.movedim(place, 0)
               for x, place in zip((a, bins), places))
    return a, bins


def _in_one(info: Any, bins: Any, count: int) -> Any:
    """The numbers of bins of rows one behind the other, each of which has as many bins of its own."""
    firsts = count * torch.arange(info.batch_size, device=bins.device).unsqueeze(1)
    return torch.where(bins < count, bins + firsts, info.batch_size * count).reshape(-1)


class BinSumsFunction(torch.autograd.Function):
    @staticmethod
    def forward(a: Any, bins: Any, count: int) -> Any:
        return _ops.bin_sums(a, bins, count)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        _, bins, ctx.count = inputs
        ctx.save_for_backward(bins)
        ctx.save_for_forward(bins)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        return OfBinsFunction.apply(gradient, ctx.saved_tensors[0]), None, None

    @staticmethod
    def jvp(ctx: Any, to_a: Any, *_: Any) -> Any:
        return BinSumsFunction.apply(to_a, ctx.saved_tensors[0], ctx.count)

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, bins: Any, count: int) -> Tuple[Any, int]:
        """All at once, as the bits of a bin's sum are those of its elements alone."""
        a, bins = _rows(info, places, a, bins)
        sums = BinSumsFunction.apply(a.reshape(-1), _in_one(info, bins, count), info.batch_size * count)
        return sums.reshape(info.batch_size, count), 0


class OfBinsFunction(torch.autograd.Function):
    @staticmethod
    def forward(a: Any, bins: Any) -> Any:
        return _ops.of_bins(a, bins)

    @staticmethod
    def setup_context(ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        a, bins = inputs
        ctx.count = a.shape[0]
        ctx.save_for_backward(bins)
        ctx.save_for_forward(bins)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
        return BinSumsFunction.apply(gradient, ctx.saved_tensors[0], ctx.count), None

    @staticmethod
    def jvp(ctx: Any, to_a: Any, *_: Any) -> Any:
        return OfBinsFunction.apply(to_a, ctx.saved_tensors[0])

    @staticmethod
    def vmap(info: Any, places: Any, a: Any, bins: Any) -> Tuple[Any, int]:
        a, bins = _rows(info, places, a, bins)
        return OfBinsFunction.apply(a.reshape(-1), _in_one(info, bins, a.shape[1])).reshape(bins.shape), 0


derive(_bin_sums, BinSumsFunction)
derive(_of_bins, OfBinsFunction)
