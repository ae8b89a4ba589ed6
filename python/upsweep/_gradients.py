"""Gradients of sums and of linear recurrences, for PyTorch: they are such sums and recurrences, backwards.

    y[i] = x[0] + ... + x[i]            dx[i] = dy[i] + ... + dy[n-1]
    x[i] = a[i] x[i-1] + b[i]           db[i] = dx[i] + a[i+1] db[i+1],  da[i] = db[i] x[i-1]

A reversed recurrence has the same with i-1 and i+1 changed.
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
        def forward(ctx: Any, a: Any, b: Any, x0: float, axis: int, reverse: bool, run: Callable[..., Any],
                    run_back: Callable[..., Any]) -> Any:
            x = run(a, b)
            ctx.save_for_backward(a, x)
            ctx.b_like, ctx.x0, ctx.axis, ctx.reverse, ctx.run_back = (b.shape, b.dtype), x0, axis, reverse, run_back
            return x

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, gradient: Any) -> Any:
            a, x = ctx.saved_tensors
            axis, rest = ctx.axis, max(x.shape[ctx.axis] - 1, 0)
            # Where all elements but the first of the recurrence are, and all but its last.
            later, earlier = (0, 1) if ctx.reverse else (1, 0)
            later, earlier = min(later, rest), min(earlier, rest)
            factors = torch.zeros_like(x)
            factors.narrow(axis, earlier, rest).copy_(a.broadcast_to(x.shape).narrow(axis, later, rest))
            by_b = ctx.run_back(factors, gradient)
            to_a = to_b = None
            if ctx.needs_input_grad[0]:
                before = torch.full_like(x, ctx.x0)
                before.narrow(axis, later, rest).copy_(x.narrow(axis, earlier, rest))
                to_a = (by_b * before).sum_to_size(a.shape).to(a.dtype)
            if ctx.needs_input_grad[1]:
                shape, dtype = ctx.b_like
                to_b = by_b.sum_to_size(shape).to(dtype)
            return to_a, to_b, None, None, None, None, None

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


def recurrence_of(a: Any, b: Any, x0: float, axis: int, reverse: bool, run: Callable[..., Any],
                  run_back: Callable[..., Any]) -> Any:
    """run(a, b), with run_back(a, b) for the same from the other end, from 0."""
    return _functions()[1].apply(a, b, x0, axis, reverse, run, run_back)
