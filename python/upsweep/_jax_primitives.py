"""Scans, segmented scans, linear recurrences and sorts as primitives of JAX: what XLA calls for them, what they become under
vmap, and their derivatives.

Tangents are those of _derivatives.py, linear in what is transposed: sums, sums that start afresh and recurrences in b. Each is
itself backwards, from the other end. As these rules are made of the primitives themselves, derivatives have derivatives, in both
modes.
"""
from __future__ import annotations

import functools
from typing import Any, Callable, Dict, Sequence, Tuple

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _back_ends, _module
from ._derivatives import Along, ArrayOps, Scan, of_rows, recurrence_by_b, recurrence_tangent

_CUDA_HANDLERS = getattr(_back_ends._cuda, "jax_handlers", None)


def _register(platform: str, handlers: Dict[str, Any]) -> None:
    for name, handler in handlers.items():
        try:
            jax.ffi.register_ffi_target(name, handler, platform=platform)
        except Exception as problem:  # XLA's, or of a version that has another interface
            raise RuntimeError(f"JAX {jax.__version__} does not take the handlers of upsweep, which was built with the headers of another "
                               f"jaxlib, probably a newer one; build it again with those of this one (docs/python.md): {problem}") from None


_register("cpu", _module.jax_handlers)
_register("CUDA", _CUDA_HANDLERS or {})


def _refuse(platform: str) -> Callable[..., Any]:
    def lower(*_: Any, **__: Any) -> Any:
        if platform == "cuda":
            raise TypeError("a: JAX computes with it on a GPU, and this build of upsweep has no CUDA for JAX (docs/python.md tells "
                            "how to make one); jax.default_device(jax.devices('cpu')[0]) has it computed with on the CPU")
        raise TypeError(f"a: expected an array of JAX on a CPU or a CUDA GPU, but JAX computes with it on {platform}")

    return lower


def _primitive(name: str, result: Callable[..., Any], attributes: Callable[..., Dict[str, Any]]) -> Primitive:
    """A primitive with a handler of that name, which gets attributes(**parameters). `result` makes the abstract result."""
    made = Primitive(name)
    made.def_abstract_eval(result)

    @functools.lru_cache(maxsize=4096)
    def compiled(parameters: Tuple[Tuple[str, Any], ...]) -> Callable[..., Any]:
        return jax.jit(functools.partial(made.bind, **dict(parameters)))

    @made.def_impl
    def run(*arrays: Any, **parameters: Any) -> Any:
        with jax.disable_jit(False):
            return compiled(tuple(parameters.items()))(*arrays)

    def lower(context: Any, *arrays: Any, **parameters: Any) -> Any:
        return jax.ffi.ffi_lowering(name)(context, *arrays, **attributes(**parameters))

    mlir.register_lowering(made, lower, platform="cpu")
    mlir.register_lowering(made, lower if _CUDA_HANDLERS else _refuse("cuda"), platform="cuda")
    for other in ("rocm", "tpu"):
        mlir.register_lowering(made, _refuse(other), platform=other)
    return made


def _zero_of(result: Any) -> Any:
    return ad.Zero(jax.typeof(result).to_tangent_aval())


def _is_zero(tangent: Any) -> bool:
    return type(tangent) is ad.Zero


def _is_real_or_complex(result: Any) -> bool:
    return bool(jnp.issubdtype(result.dtype, np.inexact))


def _as_type(x: Any, dtype: Any) -> Any:
    """Of a complex number that shall be real the real part, as the transpose of the other way has it."""
    if jnp.issubdtype(x.dtype, np.complexfloating) and not jnp.issubdtype(dtype, np.complexfloating):
        x = lax.real(x)
    return lax.convert_element_type(x, dtype)


def _moved(x: Any, axis: int, towards_end: bool, number: Any) -> Any:
    """Every element one place further along the axis, or back; the one that comes in is `number`."""
    if x.shape[axis] == 0:
        return x
    steps = [(0, 0, 0)] * x.ndim
    steps[axis] = (1, -1, 0) if towards_end else (-1, 1, 0)
    return lax.pad(x, np.asarray(number, x.dtype), steps)


_OPS = ArrayOps(jnp.where, jnp.moveaxis, _moved)


# --- scans

def _scan_attributes(*, op: str, totals: str, exclusive: bool, reverse: bool, initial: str, **_: Any) -> Dict[str, Any]:
    return {"op": op, "totals": totals, "exclusive": np.bool_(exclusive), "reverse": np.bool_(reverse), "initial": initial}


def _typed(x: Any, result: Any) -> Any:
    return x.update(dtype=np.dtype(result), weak_type=False)


scan_p = _primitive("upsweep_scan", lambda x, *, result, **_: _typed(x, result),
                    lambda *, axis, **parameters: {**_scan_attributes(**parameters), "axis": np.int64(axis)})
segmented_scan_p = _primitive("upsweep_segmented_scan", lambda x, heads, *, result, **_: _typed(x, result), _scan_attributes)


def _sum_parameters(dtype: Any) -> Dict[str, Any]:
    """Those of sums whose elements, totals and results are of a type."""
    dtype = np.dtype(dtype)
    return {"op": "plus", "result": dtype, "totals": "float32" if dtype.itemsize == 2 else dtype.name, "initial": ""}


def _scan_tangent(primitive: Primitive, primals: Sequence[Any], tangents: Sequence[Any], **parameters: Any) -> Tuple[Any, Any]:
    result = primitive.bind(*primals, **parameters)
    if _is_zero(tangents[0]) or not _is_real_or_complex(result):
        return result, _zero_of(result)
    if parameters["op"] == "plus":
        return result, primitive.bind(tangents[0], *primals[1:], **{**parameters, "initial": ""})
    scan = _scan_of(result, *primals[1:], **parameters)
    x, change = (_as_type(each, result.dtype) for each in (primals[0], tangents[0]))
    return result, scan.tangent(x, result, change)


def _scan_of(y: Any, *heads: Any, op: str, totals: str, exclusive: bool, reverse: bool, initial: str, axis: int = 0, **_: Any) -> Scan:
    """A scan with the result y, as its derivatives see it."""
    if op not in ("multiplies", "minimum", "maximum") or jnp.issubdtype(y.dtype, np.complexfloating):
        raise TypeError("op: derivatives are computed of sums, of products, minima and maxima of real numbers, and of linear recurrences, "
                        f"but it is {op} of {y.dtype}; jax.lax.stop_gradient(a) has none")
    first = float(np.frombuffer(bytes.fromhex(initial), np.dtype(totals))[0]) if initial else 1.0

    def recur(a: Any, b: Any, backwards: bool) -> Any:
        return recurrence_p.bind(a, b, axis=axis, x0=0.0, in_double=y.dtype == np.float64, reverse=backwards, result=y.dtype)

    def region_sums(x: Any, starts: Any, backwards: bool) -> Any:
        return region_sums_p.bind(x, starts, axis=axis, reverse=backwards)

    return Scan(op, Along(_OPS, axis, reverse), exclusive, first, heads[0] if heads else None, recur, region_sums)


def _scan_transpose(primitive: Primitive, cotangent: Any, x: Any, *heads: Any, reverse: bool, **parameters: Any) -> Any:
    if _is_zero(cotangent):
        return (ad.Zero(x.aval), *(None for _ in heads))
    parameters.update(_sum_parameters(cotangent.dtype), reverse=not reverse)
    return (_as_type(primitive.bind(cotangent, *heads, **parameters), x.aval.dtype), *(None for _ in heads))


for _each in (scan_p, segmented_scan_p):
    ad.primitive_jvps[_each] = functools.partial(_scan_tangent, _each)
    ad.primitive_transposes[_each] = functools.partial(_scan_transpose, _each)


def _scan_batch(arrays: Any, places: Any, *, axis: int, **parameters: Any) -> Any:
    """One more dimension, where it is."""
    place, = places
    return scan_p.bind(*arrays, axis=axis + (place <= axis), **parameters), place


def _segmented_scan_batch(arrays: Any, places: Any, **parameters: Any) -> Any:
    """One after the other: bits depend on where in the array a segment begins."""
    mapped = [jnp.moveaxis(x, place, 0) for x, place in zip(arrays, places) if place is not None]

    def each(own: Any) -> Any:
        own = iter(own)
        return segmented_scan_p.bind(*(x if place is None else next(own) for x, place in zip(arrays, places)), **parameters)

    return lax.map(each, mapped), 0


batching.primitive_batchers[scan_p] = _scan_batch
batching.primitive_batchers[segmented_scan_p] = _segmented_scan_batch


# --- sums along an axis that start afresh at heads, of derivatives

def _region_sums(x: Any, heads: Any, *, axis: int, reverse: bool) -> Any:
    parameters = {**_sum_parameters(x.dtype), "exclusive": False, "reverse": reverse}
    return of_rows(_OPS, x, heads, axis, lambda flat, each: segmented_scan_p.bind(flat, each, **parameters))


region_sums_p = Primitive("upsweep_region_sums")
region_sums_p.def_abstract_eval(lambda x, heads, **_: x)
region_sums_p.def_impl(jax.jit(_region_sums, static_argnames=("axis", "reverse")))
mlir.register_lowering(region_sums_p, mlir.lower_fun(_region_sums, multiple_results=False))


def _region_sums_tangent(primals: Any, tangents: Any, **parameters: Any) -> Tuple[Any, Any]:
    x, heads = primals
    result = region_sums_p.bind(x, heads, **parameters)
    return result, _zero_of(result) if _is_zero(tangents[0]) else region_sums_p.bind(tangents[0], heads, **parameters)


def _region_sums_transpose(cotangent: Any, x: Any, heads: Any, *, axis: int, reverse: bool) -> Any:
    if _is_zero(cotangent):
        return ad.Zero(x.aval), None
    return region_sums_p.bind(cotangent, heads, axis=axis, reverse=not reverse), None


def _region_sums_batch(arrays: Any, places: Any, *, axis: int, **parameters: Any) -> Any:
    extent = next(x.shape[place] for x, place in zip(arrays, places) if place is not None)
    x, heads = (jnp.repeat(jnp.expand_dims(z, 0), extent, 0) if place is None else jnp.moveaxis(z, place, 0)
                for z, place in zip(arrays, places))
    return region_sums_p.bind(x, heads, axis=axis + 1, **parameters), 0


ad.primitive_jvps[region_sums_p] = _region_sums_tangent
ad.primitive_transposes[region_sums_p] = _region_sums_transpose
batching.primitive_batchers[region_sums_p] = _region_sums_batch


# --- linear recurrences: a and b have as many dimensions, and broadcast

def _recurrence_result(a: Any, b: Any, *, result: Any, **_: Any) -> Any:
    shape = np.broadcast_shapes(a.shape, b.shape)
    like = next((x for x in (b, a) if x.shape == shape), None)
    return jax.core.ShapedArray(shape, np.dtype(result)) if like is None else _typed(like, result)


recurrence_p = _primitive(
    "upsweep_linear_recurrence", _recurrence_result,
    lambda *, axis, x0, in_double, reverse, result: {
        "axis": np.int64(axis), "x0": np.float64(x0), "in_double": np.bool_(in_double), "reverse": np.bool_(reverse)})


def _recurrence_tangent(primals: Any, tangents: Any, **parameters: Any) -> Tuple[Any, Any]:
    (a, b), (to_a, to_b) = primals, tangents
    x = recurrence_p.bind(a, b, **parameters)
    if _is_zero(to_a) and _is_zero(to_b):
        return x, _zero_of(x)
    changes = (None if _is_zero(change) else _as_type(change, x.dtype) for change in tangents)
    x0, axis, reverse = (parameters[name] for name in ("x0", "axis", "reverse"))
    return x, recurrence_tangent(Along(_OPS, axis, reverse), a, x, *changes, x0, lambda a, b, _: recurrence_p.bind(
        a, b, **{**parameters, "x0": 0.0}))


def _recurrence_transpose(cotangent: Any, a: Any, b: Any, **parameters: Any) -> Any:
    if _is_zero(cotangent):
        return None, ad.Zero(b.aval)
    axis, reverse = parameters["axis"], parameters["reverse"]
    a = jnp.broadcast_to(a, a.shape[:axis] + cotangent.shape[axis:axis + 1] + a.shape[axis + 1:])
    by_b = recurrence_by_b(Along(_OPS, axis, reverse), a, cotangent, lambda a, b, backwards: recurrence_p.bind(
        a, b, **{**parameters, "x0": 0.0, "reverse": backwards}))
    repeated = tuple(k for k in range(by_b.ndim) if b.aval.shape[k] != by_b.shape[k])
    if repeated:
        by_b = jnp.sum(by_b, repeated, keepdims=True)
    return None, _as_type(by_b, b.aval.dtype)


def _recurrence_batch(arrays: Any, places: Any, *, axis: int, **parameters: Any) -> Any:
    """One more dimension for both, in which one that is not mapped repeats its elements."""
    place = next(p for p in reversed(places) if p is not None)
    a, b = (jnp.expand_dims(x, place) if p is None else jnp.moveaxis(x, p, place) for x, p in zip(arrays, places))
    return recurrence_p.bind(a, b, axis=axis + (place <= axis), **parameters), place


ad.primitive_jvps[recurrence_p] = _recurrence_tangent
ad.primitive_transposes[recurrence_p] = _recurrence_transpose
batching.primitive_batchers[recurrence_p] = _recurrence_batch


# --- sorts of rows, along the last dimension

def _sort_result(x: Any, *, descending: bool, indices: bool) -> Any:
    """Indices are of 64 bits. Where JAX has no such integers, they are pairs of words, the lower one first."""
    if not indices:
        return _typed(x, x.dtype)
    if jax.config.jax_enable_x64:
        return _typed(x, np.int64)
    return jax.core.ShapedArray((*x.shape, 2), np.dtype(np.uint32))


sort_p = _primitive("upsweep_sort", _sort_result, lambda *, descending, indices: {
    "descending": np.bool_(descending), "indices": np.bool_(indices)})


def sorted_indices(x: Any, descending: bool) -> Any:
    found = sort_p.bind(x, descending=descending, indices=True)
    return found if found.shape == x.shape else lax.convert_element_type(found[..., 0], np.int32)


def _sort_tangent(primals: Any, tangents: Any, *, descending: bool, indices: bool) -> Tuple[Any, Any]:
    x, = primals
    result = sort_p.bind(x, descending=descending, indices=indices)
    if indices or _is_zero(tangents[0]):
        return result, _zero_of(result)
    return result, jnp.take_along_axis(tangents[0], sorted_indices(x, descending), -1)


def _sort_batch(arrays: Any, places: Any, **parameters: Any) -> Any:
    return sort_p.bind(jnp.moveaxis(arrays[0], places[0], 0), **parameters), 0


ad.primitive_jvps[sort_p] = _sort_tangent
batching.primitive_batchers[sort_p] = _sort_batch
