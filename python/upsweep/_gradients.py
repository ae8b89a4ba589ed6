"""Gradients of sums and of linear recurrences, for PyTorch: they are such sums and recurrences, backwards.

    y[i] = x[0] + ... + x[i]            dx[i] = dy[i] + ... + dy[n-1]
    x[i] = a[i] x[i-1] + b[i]           db[i] = dx[i] + a[i+1] db[i+1],  da[i] = db[i] x[i-1]

and forwards x'[i] = a[i] x'[i-1] + (a'[i] x[i-1] + b'[i]). A reversed recurrence has the same with i-1 and i+1 changed.
"""
from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Sequence, Tuple


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
            ctx.b_like, ctx.how, ctx.run_back = (b.shape, b.dtype), (x0, axis, reverse), run_back
            return x

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            a, x = ctx.saved_tensors
            return (*recurrence_gradients(a, ctx.b_like, x, gradient, *ctx.how, ctx.run_back, ctx.needs_input_grad),
                    None, None, None, None, None)

    return Sum, Recurrence


def _completed(like: Any, part: Any, number: float, axis: int, at_end: bool) -> Any:
    """The part with the number beside it, in the place of the element that it lacks."""
    import torch

    edge = torch.full_like(like.narrow(axis, 0, like.shape[axis] - part.shape[axis]), number)
    return torch.cat((part, edge) if at_end else (edge, part), axis)


def _before(x: Any, x0: float, axis: int, reverse: bool) -> Any:
    """The result that each element was computed from."""
    rest = max(x.shape[axis] - 1, 0)
    return _completed(x, x.narrow(axis, min(1, rest) if reverse else 0, rest), x0, axis, reverse)


def recurrence_gradients(a: Any, b_like: Tuple[Any, Any], x: Any, gradient: Any, x0: float, axis: int, reverse: bool,
                         run_back: Callable[..., Any], needed: Sequence[bool]) -> Tuple[Any, Any]:
    """Those of a, and of b, of which the shape and type are given, of a recurrence with the result x.

    run_back(a, b) is the recurrence from the other end, from 0.
    """
    rest = max(x.shape[axis] - 1, 0)
    behind = a.broadcast_to(x.shape).narrow(axis, 0 if reverse else min(1, rest), rest).to(x.dtype)
    by_b = run_back(_completed(x, behind, 0.0, axis, not reverse), gradient)
    to_a = to_b = None
    if needed[0]:
        to_a = (by_b * _before(x, x0, axis, reverse)).sum_to_size(a.shape).to(a.dtype)
    if needed[1]:
        shape, dtype = b_like
        to_b = by_b.sum_to_size(shape).to(dtype)
    return to_a, to_b


def recurrence_tangent(a: Any, x: Any, to_a: Any, to_b: Any, x0: float, axis: int, reverse: bool,
                       run: Callable[..., Any]) -> Any:
    """That of x, of those of a and b, one of which may be None. run(a, b, axis, reverse) is the recurrence from 0."""
    change = None if to_b is None else to_b.to(x.dtype)
    if to_a is not None:
        by_a = to_a.to(x.dtype) * _before(x, x0, axis, reverse)
        change = by_a if change is None else by_a + change
    return run(a, change, axis, reverse)


def has_no_memory(a: Any) -> bool:
    """Whether a tensor is not one of memory itself: of torch.func, or of a subclass that says what operators do."""
    torch = sys.modules["torch"]
    if type(a) is not torch.Tensor and type(a).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        return True
    functorch = getattr(torch._C, "_functorch", None)
    return functorch is not None and functorch.is_functorch_wrapped_tensor(a)


def has_tangent(a: Any) -> bool:
    """Whether PyTorch takes derivatives of a tensor forwards."""
    forward = sys.modules["torch"].autograd.forward_ad
    return getattr(forward, "_current_level", -1) >= 0 and forward.unpack_dual(a).tangent is not None


def wanted(*arrays: Any) -> bool:
    """Whether PyTorch asks for gradients of what is computed from the arrays."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.is_grad_enabled():
        for a in arrays:
            if isinstance(a, torch.Tensor) and a.requires_grad:
                return True
    return False


def are_kept_by_indexing(a: Any) -> bool:
    """Whether elements that are moved must be taken out of a by PyTorch, which then has derivatives of either kind."""
    return wanted(a) or (isinstance(a, getattr(sys.modules.get("torch"), "Tensor", ())) and has_tangent(a))


def refuse(what: str) -> None:
    raise TypeError(f"{what}: gradients are computed of sums, of linear recurrences and of what moves elements, into new tensors "
                    "alone; pass tensors that want none (a.detach()), or call under torch.no_grad()")


def sum_of(x: Any, run: Callable[[Any], Any], back: Callable[[Any], Any]) -> Any:
    """run(x), whose gradient is back(that of the result)."""
    return _functions()[0].apply(x, run, back)


def recurrence_of(a: Any, b: Any, x0: float, axis: int, reverse: bool, run: Callable[..., Any],
                  run_back: Callable[..., Any]) -> Any:
    """run(a, b), with run_back(a, b) for the same from the other end, from 0."""
    return _functions()[1].apply(a, b, x0, axis, reverse, run, run_back)
