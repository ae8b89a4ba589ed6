"""Gradients of scans and of linear recurrences, for PyTorch: the formulas of _derivatives.py as functions of autograd."""
from __future__ import annotations

import contextlib
import functools
import sys
import types
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

from . import _derivatives
from ._derivatives import Along, ArrayOps, Scan, recurrence_by_b


@functools.lru_cache(maxsize=None)
def _ops() -> ArrayOps:
    import torch

    def moved(x: Any, axis: int, towards_end: bool, number: Any) -> Any:
        extent = x.shape[axis]
        if extent == 0:
            return x
        part, edge = x.narrow(axis, 0 if towards_end else 1, extent - 1), torch.full_like(x.narrow(axis, 0, 1), number)
        return torch.cat((edge, part) if towards_end else (part, edge), axis)

    return ArrayOps(torch.where, torch.movedim, moved)


def along(axis: int, reverse: bool) -> Along:
    return Along(_ops(), axis, reverse)


def of_rows(x: Any, heads: Any, axis: int, sums: Callable[[Any, Any], Any]) -> Any:
    return _derivatives.of_rows(_ops(), x, heads, axis, sums)


def scan_with(op: str, y: Any, axis: int, reverse: bool, exclusive: bool, initial: Any, heads: Optional[Any],
              recur: Callable[..., Any], region_sums: Callable[..., Any]) -> Scan:
    """A scan with the result y. Raises TypeError where it has no derivatives."""
    if op not in ("multiplies", "minimum", "maximum"):
        refuse("a")
    if op == "multiplies" and y.is_complex():
        raise TypeError("a: gradients of products of complex numbers are not computed; pass a tensor that wants none (a.detach())")
    return Scan(op, along(axis, reverse), exclusive, 1 if initial is None else initial, heads, recur, region_sums)


@functools.lru_cache(maxsize=None)
def _functions() -> Tuple[Any, Any, Any]:
    import torch

    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, run: Callable[[Any], Any], back: Callable[[Any], Any]) -> Any:
            ctx.back, ctx.dtype = back, x.dtype
            return run(x)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:  # by calls that have gradients themselves
            return as_type(ctx.back(gradient), ctx.dtype), None, None

    class ProductOrExtreme(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, run: Callable[[Any], Any], scan_of: Callable[[Any, Any], Scan]) -> Any:
            y = run(x)
            scan_of(x, y)  # which refuses some
            ctx.scan_of = scan_of
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return scan_gradient(*ctx.saved_tensors, gradient, ctx.scan_of), None, None

    class Recurrence(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any, x0: float, axis: int, reverse: bool, run: Callable[..., Any],
                    recur: Callable[..., Any]) -> Any:
            x = run(a, b)
            ctx.save_for_backward(a, x)
            ctx.b_like, ctx.how, ctx.recur = (b.shape, b.dtype), (x0, axis, reverse), recur
            return x

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            a, x = ctx.saved_tensors
            return (*recurrence_gradients(a, ctx.b_like, x, gradient, *ctx.how, ctx.recur, ctx.needs_input_grad),
                    None, None, None, None, None)

    return Sum, ProductOrExtreme, Recurrence


def as_type(gradient: Any, dtype: Any) -> Any:
    """A gradient of the type of what it is of: of real numbers the real part."""
    return (gradient.real if gradient.is_complex() and not dtype.is_complex else gradient).to(dtype)


def scan_gradient(x: Any, y: Any, gradient: Any, scan_of: Callable[[Any, Any], Scan]) -> Any:
    return scan_of(x, y).gradient(x.to(y.dtype), y, gradient).to(x.dtype)


def recurrence_gradients(a: Any, b_like: Tuple[Any, Any], x: Any, gradient: Any, x0: float, axis: int, reverse: bool,
                         recur: Callable[..., Any], needed: Sequence[bool]) -> Tuple[Any, Any]:
    """Those of a, and of b, of which the shape and type are given, of a recurrence with the result x.

    recur(a, b, reverse) is a recurrence along the axis from 0.
    """
    way = along(axis, reverse)
    factors = a.reshape((1,) * (x.ndim - a.ndim) + tuple(a.shape))  # which repeat along other axes still
    factors = factors.expand(*factors.shape[:axis], x.shape[axis], *factors.shape[axis + 1:]).to(x.dtype)
    by_b = recurrence_by_b(way, factors, gradient, recur)
    to_a = to_b = None
    if needed[0]:
        to_a = (by_b * way.previous(x, x0)).sum_to_size(a.shape).to(a.dtype)
    if needed[1]:
        shape, dtype = b_like
        to_b = by_b.sum_to_size(shape).to(dtype)
    return to_a, to_b


@functools.lru_cache(maxsize=None)
def _torch() -> Any:
    """What every call asks PyTorch."""
    import torch

    functorch, modes = getattr(torch._C, "_functorch", None), getattr(torch._C, "_TorchDispatchModeKey", None)
    return types.SimpleNamespace(
        tensor=torch.Tensor, forward=torch.autograd.forward_ad, has_gradients=torch.is_grad_enabled,
        is_of_functions=(lambda a: False) if functorch is None else functorch.is_functorch_wrapped_tensor,
        transform=getattr(functorch, "peek_interpreter_stack", lambda: None),
        is_of_derivatives=getattr(functorch, "is_gradtrackingtensor", None), inner=getattr(functorch, "get_unwrapped", None),
        leave=getattr(functorch, "pop_dynamic_layer_stack", None), enter=getattr(functorch, "push_dynamic_layer_stack", None),
        is_of_several=getattr(functorch, "is_legacy_batchedtensor", lambda a: False),
        is_tracing=torch._C._is_tracing, count_modes=getattr(torch._C, "_len_torch_dispatch_stack", lambda: 0),
        own_modes=() if modes is None else tuple(functools.partial(torch._C._get_dispatch_mode, mode) for mode in modes.__members__.values()))


def has_no_memory(a: Any) -> bool:
    """Whether a tensor is not one of memory itself: of torch.func, of several gradients at once, or of a subclass that says what
    operators do."""
    torch = _torch()
    return torch.is_of_functions(a) or torch.is_of_several(a) or (
        type(a) is not torch.tensor and type(a).__torch_dispatch__ is not torch.tensor.__torch_dispatch__)


def constant(a: Any) -> Any:
    """The elements of a tensor, in memory where torch.func has it for derivatives alone."""
    torch = _torch()
    while torch.is_of_functions(a) and torch.is_of_derivatives(a):
        a = torch.inner(a)
    return a


def are_watched() -> bool:
    """Whether operators that are called are recorded (torch.jit.trace, make_fx), a mode says what they do (FakeTensorMode), or a
    function is transformed (torch.func), within which new tensors, of constants too, are without memory."""
    torch = _torch()
    return torch.is_tracing() or torch.count_modes() > 0 or torch.transform() is not None


def are_recorded() -> bool:
    """Whether they are by PyTorch itself, for other tensors or for none, so that what is done beside them would be left out."""
    torch = _torch()
    return torch.is_tracing() or any(mode() is not None for mode in torch.own_modes)


@contextlib.contextmanager
def untransformed() -> Iterator[None]:
    """What is done outside of all functions that are transformed, of tensors in memory: new ones are then, too."""
    torch = _torch()
    layers: List[Any] = []
    try:
        while torch.transform() is not None:
            layers.append(torch.leave())
        yield
    finally:
        while layers:
            torch.enter(layers.pop())


def has_tangent(a: Any) -> bool:
    """Whether PyTorch takes derivatives of a tensor forwards."""
    forward = _torch().forward
    return getattr(forward, "_current_level", -1) >= 0 and forward.unpack_dual(a).tangent is not None


def is_traced(a: Any) -> bool:
    """Whether PyTorch keeps a record of its own of what becomes of a tensor: what it traces, transforms (torch.func) or pretends."""
    return are_watched() or has_no_memory(a) or has_tangent(a)


def wanted(*arrays: Any) -> bool:
    """Whether PyTorch asks for gradients of what is computed from the arrays."""
    for a in arrays:
        if getattr(a, "requires_grad", False) and _torch().has_gradients():
            return True
    return False


def is_dual(a: Any) -> bool:
    """Whether anything at all is a tensor of PyTorch with a tangent."""
    return isinstance(a, getattr(sys.modules.get("torch"), "Tensor", ())) and has_tangent(a)


def are_kept_by_indexing(a: Any) -> bool:
    """Whether elements that are moved must be taken out of a by PyTorch, which then has derivatives of either kind."""
    return wanted(a) or is_dual(a)


def refuse(what: str) -> None:
    raise TypeError(f"{what}: gradients are computed of sums, products, minima, maxima, linear recurrences and what moves elements, "
                    "into new tensors alone; pass tensors that want none (a.detach()), or call under torch.no_grad()")


def sum_of(x: Any, run: Callable[[Any], Any], back: Callable[[Any], Any]) -> Any:
    """run(x), which is linear but for a constant, and whose gradient is back(that of the result)."""
    return _functions()[0].apply(x, run, back)


def product_or_extreme_of(x: Any, run: Callable[[Any], Any], scan_of: Callable[[Any, Any], Scan]) -> Any:
    """run(x), whose gradient is that of scan_of(x, result)."""
    return _functions()[1].apply(x, run, scan_of)


def recurrence_of(a: Any, b: Any, x0: float, axis: int, reverse: bool, run: Callable[..., Any],
                  recur: Callable[..., Any]) -> Any:
    """run(a, b), with recur(a, b, reverse) for recurrences along the axis from 0."""
    return _functions()[2].apply(a, b, x0, axis, reverse, run, recur)
