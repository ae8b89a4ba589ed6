"""The package's functions on arrays of JAX, on a CPU or a CUDA GPU, traced ones too (jit, grad, vmap).

Arguments are settled here, when a function is traced; _jax_primitives.py has what is computed then.
"""
from __future__ import annotations

import functools
from typing import Any, NoReturn, Optional, Tuple

import jax
import numpy as np
from jax import numpy as jnp

from . import _module
from ._arrays import along, axis_of, common_shape, edge_shape, known_type, total_shape, type_name
from ._parameters import IDENTITIES, Operator, count_along, element, first_value, kind_of, name_of, no_offsets, totals_type
from ._scans import head_bytes

if not hasattr(_module, "jax_handlers"):
    raise TypeError("a: it is an array of JAX, and this build of upsweep has no part for those: build it where jaxlib is installed "
                    "(docs/python.md tells how), or pass numpy.asarray(a)")

from . import _jax_primitives as primitives  # noqa: E402

_SUPPORTED = "scans, segmented scans, totals along an axis and of segments by offsets, linear recurrences, sorts, segmented sorts and top_k take them"


def _array(a: Any, argument: str) -> jax.Array:
    """An array of JAX of a known type, of one of JAX or of NumPy."""
    if not isinstance(a, (jax.Array, np.ndarray, np.generic)):
        raise TypeError(f"{argument}: expected an array of JAX or NumPy, as another argument is one of JAX, but it is of type "
                        f"{type(a).__module__}.{type(a).__name__}")
    if not isinstance(a.dtype, np.dtype):
        raise TypeError(f"{argument}: expected numbers, but it is of {a.dtype}")
    if type_name(a.dtype) is None:
        known_type(a.dtype, argument)  # which says what is known
    return a if isinstance(a, jax.Array) else jnp.asarray(a)


def _refuse_out(out: Any) -> None:
    if out is not None:
        raise TypeError("out: arrays of JAX cannot be written to; leave it out")


def _available(dtype: np.dtype) -> np.dtype:
    """The type, or the one of 32 bits that JAX has in its place."""
    return np.dtype(jax.dtypes.canonicalize_dtype(dtype))


def _wanted(dtype: Any) -> Optional[str]:
    if dtype is None:
        return None
    known = known_type(dtype, "dtype")
    if _available(known) != known:
        raise TypeError(f"dtype: JAX has no {known} unless jax_enable_x64 is set")
    return type_name(known)


@functools.lru_cache(maxsize=None)
def _types(op: str, source: str, result: Optional[str], totals: Optional[str]) -> Tuple[str, str]:
    plan = _module.make_plan(op, source, result, totals)
    return plan.output, plan.accumulator


def _number(given: Any, argument: str) -> Any:
    """What must be known when a function is traced."""
    if isinstance(given, jax.core.Tracer):
        raise TypeError(f"{argument}: expected a number that is known when the function is traced, but it is a traced value")
    return given


def _scan_parameters(x: Any, op: Operator, dtype: Any, initial: Any, reverse: bool, exclusive: bool) -> dict:
    name, source, wanted = name_of(op), type_name(x.dtype), _wanted(dtype)
    result, totals = _types(name, source, wanted, totals_type(name, wanted))
    if wanted is None and result != source:  # widened, as far as JAX has such types
        wanted = _available(np.dtype(result)).name
        result, totals = _types(name, source, wanted, totals_type(name, wanted))
    start = element(_number(initial, "initial"), totals)
    return {"op": name, "totals": totals, "result": np.dtype(result),
            "exclusive": bool(exclusive), "reverse": bool(reverse), "initial": "" if start is None else start.hex()}


def scan(a: Any, op: Operator, axis: Any, dtype: Any, initial: Any, reverse: bool, out: Any, exclusive: bool) -> Any:
    _refuse_out(out)
    x, position = along(_array(a, "a"), axis)
    return primitives.scan_p.bind(x, axis=position, **_scan_parameters(x, op, dtype, initial, reverse, exclusive))


def scan_with_identity(a: Any, op: str, axis: Any, dtype: Any, out: Any) -> Any:
    _refuse_out(out)
    x, position = along(_array(a, "a"), axis)
    y = scan(x, op, position, dtype, None, False, None, False)
    edge = jnp.full(edge_shape(y.shape, position), IDENTITIES[op], y.dtype)
    return jnp.concatenate((edge, y), position)


def _total_of_nothing(like: Any, op: Operator, dtype: Any, initial: Any) -> Any:
    """Of one dimension."""
    return scan(jnp.zeros(1, like.dtype), op, 0, dtype, initial, False, None, True)


def reduce(a: Any, op: Operator, axis: Any, dtype: Any, initial: Any, keepdims: bool) -> Any:
    given = _array(a, "a")
    x, position = along(given, axis)
    if x.shape[position] == 0:
        found = jnp.broadcast_to(_total_of_nothing(x, op, dtype, initial), edge_shape(x.shape, position))
    else:
        found = jax.lax.index_in_dim(scan(x, op, position, dtype, initial, False, None, False), -1, position)
    return found.reshape(total_shape(given.shape, axis, keepdims))


def _one_dimension(a: Any, argument: str, n: Optional[int] = None) -> Any:
    x = _array(a, argument)
    if x.ndim != 1 or (n is not None and x.shape[0] != n):
        expected = "one dimension" if n is None else f"shape ({n},), one an element"
        raise ValueError(f"{argument}: expected {expected}, but its shape is {x.shape}")
    return x


def _heads(n: int, keys: Any, offsets: Any, heads: Any) -> Any:
    """A bool for each element that is true where a segment starts."""
    given = [each for each in (keys, offsets, heads) if each is not None]
    if len(given) != 1 or not isinstance(given[0], jax.Array):
        return jnp.asarray(head_bytes(n, keys, offsets, heads).view(bool))
    if heads is not None:
        flags = _one_dimension(heads, "heads", n)
        if kind_of(type_name(flags.dtype)) not in "biu":
            raise TypeError(f"heads: expected bool or integers, but it is {flags.dtype}")
        return flags if flags.dtype == bool else flags != 0
    if keys is not None:
        key = _one_dimension(keys, "keys", n)
        return jnp.concatenate([jnp.zeros(min(n, 1), bool), key[1:] != key[:-1]])
    at = _one_dimension(offsets, "offsets")
    if kind_of(type_name(at.dtype)) not in "iu":
        raise TypeError(f"offsets: expected integers, but it is {at.dtype}")
    if not isinstance(at, jax.core.Tracer):  # what a traced one has in it cannot be looked at
        numbers = np.asarray(at)
        if numbers.size == 0 or numbers[0] != 0 or numbers[-1] != n or np.any(numbers[1:] < numbers[:-1]):
            raise no_offsets(n)
    return jnp.zeros(n, bool).at[at].set(True, mode="drop")


def segmented_scan(a: Any, op: Operator, keys: Any, offsets: Any, heads: Any, dtype: Any, initial: Any, reverse: bool, out: Any,
                   exclusive: bool) -> Any:
    _refuse_out(out)
    x = _one_dimension(a, "a")
    starts = _heads(x.shape[0], keys, offsets, heads)
    return primitives.segmented_scan_p.bind(x, starts, **_scan_parameters(x, op, dtype, initial, reverse, exclusive))


def segmented_reduce(a: Any, op: Operator, keys: Any, offsets: Any, heads: Any, dtype: Any, initial: Any) -> Any:
    if offsets is None:
        _refuse_array("segmented_reduce, by keys or heads, whose result's size depends on these,")
    scanned = segmented_scan(a, op, keys, offsets, heads, dtype, initial, False, None, False)
    at = jnp.asarray(offsets)
    empty = _total_of_nothing(a, op, dtype, initial)
    if scanned.shape[0] == 0:
        return jnp.broadcast_to(empty, (at.shape[0] - 1,))
    return jnp.where(at[1:] > at[:-1], scanned[at[1:] - 1], empty)


def linear_recurrence(a: Any, b: Any, x0: float, axis: Any, reverse: bool, dtype: Any, out: Any) -> Any:
    _refuse_out(out)
    x0 = first_value(_number(x0, "x0"))
    numbers = [isinstance(given, (int, float)) for given in (a, b)]  # which by themselves have no type of their own
    arrays = [given if is_number else _array(given, argument)
              for given, argument, is_number in zip((a, b), ("a", "b"), numbers)]
    typed = [x for x, is_number in zip(arrays, numbers) if not is_number]
    for x, argument, is_number in zip(arrays, ("a", "b"), numbers):
        if not is_number and kind_of(type_name(x.dtype)) == "c":
            raise TypeError(f"{argument}: expected real numbers, but it is {x.dtype}")
    arithmetic = _wanted(dtype)
    if arithmetic is None:
        common = jnp.result_type(*typed)
        arithmetic = type_name(_available(np.dtype(np.float64)) if kind_of(type_name(common)) in "biu" else common)
    if arithmetic not in ("float16", "bfloat16", "float32", "float64"):
        raise TypeError(f"dtype: expected floating-point numbers, but it is {arithmetic}")
    in_double = arithmetic == "float64"
    first, second = (jnp.asarray(x, np.float64 if in_double else np.float32) if is_number else x
                     for x, is_number in zip(arrays, numbers))
    shape = common_shape(first.shape, second.shape)
    first, second = (jnp.reshape(x, (1,) * (len(shape) - x.ndim) + x.shape) for x in (first, second))
    position = axis_of(len(shape), axis)
    return primitives.recurrence_p.bind(first, second, axis=position, x0=x0, in_double=in_double, reverse=bool(reverse),
                                        result=np.dtype(arithmetic))


def _check_order(x: jax.Array) -> None:
    if kind_of(type_name(x.dtype)) == "c":
        raise TypeError(f"a: {x.dtype} has no order to sort its elements in")


def sort(a: Any, axis: Any, descending: bool, out: Any, indices: bool) -> Any:
    _refuse_out(out)
    x = _array(a, "a")
    _check_order(x)
    if x.ndim == 0 and axis is not None:
        raise ValueError("axis: an array of 0 dimensions has none to sort along")
    x, position = along(x, axis)
    rows = jnp.moveaxis(x, position, -1)
    if indices:
        found = primitives.sorted_indices(rows, bool(descending))
    else:
        found = primitives.sort_p.bind(rows, descending=bool(descending), indices=False)
    return jnp.moveaxis(found, -1, position)


def top_k(a: Any, k: Any, axis: Any, smallest: bool) -> Tuple[jax.Array, jax.Array]:
    """By a sort of all: XLA may put what follows it into one kernel."""
    x = _array(a, "a")
    _check_order(x)
    if x.ndim == 0 and axis is not None:
        raise ValueError("axis: an array of 0 dimensions has none to sort along")
    x, position = along(x, axis)
    count = count_along(k, x.shape[position])
    rows = jnp.moveaxis(x, position, -1)
    places = primitives.sorted_indices(rows, not smallest)[..., :count]
    values = jnp.take_along_axis(rows, places, -1)
    return jnp.moveaxis(values, -1, position), jnp.moveaxis(places, -1, position)


def segmented_sort(a: Any, keys: Any, offsets: Any, heads: Any, descending: bool, out: Any, indices: bool) -> Any:
    """By two sorts: of all elements, and then of these, stably, by their segments."""
    _refuse_out(out)
    x = _one_dimension(a, "a")
    _check_order(x)
    segments = scan(_heads(x.shape[0], keys, offsets, heads), "plus", 0, None, None, False, None, False)
    order = primitives.sorted_indices(x, bool(descending))
    order = order[primitives.sorted_indices(segments[order], False)]
    return order if indices else x[order]


def _refuse_array(what: str, argument: str = "a") -> NoReturn:
    raise TypeError(f"{argument}: {what} takes no arrays of JAX ({_SUPPORTED}); pass numpy.asarray({argument})")


def choose(a: Any, condition: Any, packed: bool, indices: bool) -> NoReturn:
    _refuse_array("partition")


def packed(a: Any, condition: Any, indices: bool) -> NoReturn:
    _refuse_array("compact, whose result's size depends on the elements,")


def reduce_by_key(keys: Any, a: Any, op: Operator, dtype: Any, initial: Any) -> NoReturn:
    _refuse_array("reduce_by_key, whose result's size depends on the keys,")


def encode_runs(a: Any, inverse: bool, lengths: bool) -> NoReturn:
    _refuse_array("unique_consecutive and run_length_encode, whose result's size depends on the elements,")


def histogram(a: Any, asked: Any, weights: Any) -> NoReturn:
    _refuse_array("histogram")


def extract(a: Any, asked: Any, indices: bool) -> NoReturn:
    _refuse_array("bins, whose result's size depends on the elements,")


def repeat(a: Any, repeats: Any, offsets: Any, axis: Any, output_size: Any) -> NoReturn:
    _refuse_array("repeat, whose result's size depends on the counts,")


def repeat_indices(repeats: Any, offsets: Any, output_size: Any) -> NoReturn:
    _refuse_array("repeat_indices, whose result's size depends on the counts,", "repeats" if offsets is None else "offsets")
