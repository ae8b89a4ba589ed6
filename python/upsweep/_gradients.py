"""Gradients of sums and of linear recurrences, for PyTorch: they are such sums and recurrences, backwards.

    y[i] = x[0] + ... + x[i]            dx[i] = dy[i] + ... + dy[n-1]
    x[i] = a[i] x[i-1] + b[i]           db[i] = dx[i] + a[i+1] db[i+1],  da[i] = db[i] x[i-1]
"""
from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Tuple


@functools.lru_cache(maxsize=None)
def _functions() -> Tuple[Any, Any]:
    import torch

    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, run: Callable[[Any], Any], back: Callable[[Any], Any]) -> Any:
            ctx.back, ctx.dtype = back, x.dtype
            return run(x)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:  # by calls that have gradients themselves
            return ctx.back(gradient).to(ctx.dtype), None, None

    class Recurrence(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any, x0: float, axis: int, run: Callable[..., Any],
                    run_back: Callable[..., Any]) -> Any:
            x = run(a, b)
            ctx.save_for_backward(a, x)
            ctx.b_like, ctx.x0, ctx.axis, ctx.run_back = (b.shape, b.dtype), x0, axis, run_back
            return x

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, gradient: Any) -> Any:
            a, x = ctx.saved_tensors
            axis, length = ctx.axis, x.shape[ctx.axis]
            factors = torch.zeros_like(x)
            if length > 1:
                coefficients = a.broadcast_to(x.shape)
                factors.narrow(axis, 0, length - 1).copy_(coefficients.narrow(axis, 1, length - 1))
            by_b = ctx.run_back(factors, gradient)
            to_a = to_b = None
            if ctx.needs_input_grad[0]:
                before = torch.full_like(x, ctx.x0)
                if length > 1:
                    before.narrow(axis, 1, length - 1).copy_(x.narrow(axis, 0, length - 1))
                to_a = (by_b * before).sum_to_size(a.shape).to(a.dtype)
            if ctx.needs_input_grad[1]:
                shape, dtype = ctx.b_like
                to_b = by_b.sum_to_size(shape).to(dtype)
            return to_a, to_b, None, None, None, None

    return Sum, Recurrence


def wanted(*arrays: Any) -> bool:
    """Whether PyTorch asks for the gradient of what is computed from the arrays."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.is_grad_enabled() and any(
        isinstance(a, torch.Tensor) and a.requires_grad for a in arrays)


def refuse(what: str) -> None:
    raise TypeError(f"{what}: gradients are computed of sums and of linear recurrences, into new tensors alone; pass tensors that "
                    "want none (a.detach()), or call under torch.no_grad()")


def sum_of(x: Any, run: Callable[[Any], Any], back: Callable[[Any], Any]) -> Any:
    """run(x), whose gradient is back(that of the result)."""
    return _functions()[0].apply(x, run, back)


def recurrence_of(a: Any, b: Any, x0: float, axis: int, run: Callable[..., Any], run_back: Callable[..., Any]) -> Any:
    """run(a, b), with run_back(a, b) for the same from the end on, from 0."""
    return _functions()[1].apply(a, b, x0, axis, run, run_back)
