"""Parameters of calls as the extension modules take them, of arrays in host memory and on a GPU alike."""
from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _gradients, _module
from ._arrays import TYPES, about, in_host_memory, integer, scalar_text, type_name

Operator = Union[str, np.ufunc]

_UFUNCS = {
    np.add: "plus", np.multiply: "multiplies", np.minimum: "minimum", np.maximum: "maximum", np.bitwise_and: "bit_and",
    np.bitwise_or: "bit_or", np.bitwise_xor: "bit_xor", np.logical_and: "logical_and", np.logical_or: "logical_or",
}


_KINDS = {"bfloat16": "f", **{name: np.dtype(name).kind for name in TYPES}}


def name_of(op: Operator) -> str:
    if isinstance(op, str):
        return op
    name = _UFUNCS.get(op) if isinstance(op, np.ufunc) else None
    if name is None:
        raise TypeError(f"op: expected the name of an operator or a ufunc such as numpy.maximum, but it is {op!r}")
    return name


def kind_of(name: str) -> str:
    """NumPy's letter for the kind of a type: b, i, u, f or c; a question mark for a type that is not known."""
    return _KINDS.get(name, "?")


def totals_type(op: str, dtype: Optional[str]) -> Optional[str]:
    """The type of totals that `dtype` asks for; None: the usual one."""
    if dtype is None or op.startswith("logical_"):
        return None
    return "float32" if dtype in ("float16", "bfloat16") else dtype  # one rounding, at the end


def of_given(problem: TypeError, dtype: Any, out: Any) -> TypeError:
    """What the module has to say of types, of the argument that the caller has given."""
    is_out = dtype is None and out is not None and str(problem).startswith("dtype: ")
    return TypeError(str(problem).replace("dtype: ", "out: ", 1)) if is_out else problem


def no_offsets(n: int) -> ValueError:
    return ValueError(f"offsets: expected integers that ascend from 0 to {n}, the number of elements")


def expected_repeats(n: int, shape: Tuple[int, ...]) -> ValueError:
    return ValueError(f"repeats: expected an integer, or one dimension of 1 or {n}, one an element along the axis, but its shape is {shape}")


def count_for_all(repeats: Any) -> int:
    if repeats < 0:
        raise ValueError(f"repeats: must not be negative, but it is {repeats}")
    return int(repeats)


def expected_repeat_offsets(n: int) -> ValueError:
    return ValueError(f"offsets: expected {n + 1} integers that ascend from 0, one more than elements along the axis")


def check_one_of_repeats(repeats: Any, offsets: Any) -> None:
    if (repeats is None) == (offsets is None):
        raise TypeError("expected one of repeats and offsets")


def about_repeats(problem: ValueError, are_offsets: bool, n: int) -> ValueError:
    """What the registry has to say of counts."""
    return expected_repeat_offsets(n) if are_offsets else ValueError(str(problem).replace("counts: ", "repeats: ", 1))


def count_along(k: Any, n: int) -> int:
    """How many of n elements along an axis."""
    count = integer(k, "k")
    if not 0 <= count <= n:
        raise ValueError(f"k: expected 0 to {n}, the number of elements along the axis, but it is {count}")
    return count


def known_size(output_size: Any) -> int:
    size = integer(output_size, "output_size")
    if not 0 <= size < 2**63:
        raise ValueError(f"output_size: expected 0 to 2^63 - 1, but it is {size}")
    return size


def wrong_size(results: int, output_size: int) -> ValueError:
    return ValueError(f"output_size: expected {results}, the number of results, but it is {output_size}")


def more_than_memory(shape: Tuple[int, ...]) -> MemoryError:
    return MemoryError(f"repeats: results of shape {shape} are more than memory can hold")


# What results that include an initial value begin with.
IDENTITIES = {"plus": 0, "multiplies": 1}

_RANK = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def nearest(number: Any) -> float:
    """As float64; an integer beyond it is infinite, as results are."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _constant(number: Any, argument: str) -> np.ndarray:
    """A number that no derivatives are computed of."""
    if _gradients.is_dual(number):
        _gradients.refuse(argument)
    return in_host_memory(number, argument)


def first_value(x0: Any) -> float:
    """What a recurrence begins with."""
    if isinstance(x0, (int, float)):
        return nearest(x0)
    dtype = _constant(x0, "x0").dtype
    is_real = dtype.kind in "biuf" or type_name(dtype) == "bfloat16"
    if np.ndim(x0) != 0 or not is_real:
        raise TypeError(f"x0: expected a real number, but it is {x0!r}")
    return nearest(x0)


def element(initial: Any, accumulator: str) -> Optional[bytes]:
    """The initial value as an element of the accumulator's type."""
    if initial is None:
        return None
    given = _constant(initial, "initial")
    dtype = np.dtype(accumulator)
    is_integer = isinstance(initial, int)  # of any size
    kind = "f" if type_name(given.dtype) == "bfloat16" else given.dtype.kind
    if given.ndim != 0 or not (is_integer or _RANK.get(kind, 4) <= _RANK[dtype.kind]):
        raise TypeError(f"initial: expected a number that {accumulator} can hold, but it is {initial!r}")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        number = int(initial)
        if not limits.min <= number <= limits.max:
            raise ValueError(f"initial: expected {limits.min} to {limits.max} for {accumulator}, but it is {number}")
        return np.array(number, dtype).tobytes()
    if dtype.kind == "b" and given not in (0, 1):
        raise ValueError(f"initial: expected False or True, but it is {initial!r}")
    if given.dtype == object:
        given = np.asarray(nearest(initial))
    with np.errstate(over="ignore"):  # beyond the largest value it is infinite, as results are
        return np.asarray(given).astype(dtype).tobytes()


_COMPARISONS = ("<", "<=", "==", "!=", ">=", ">")
_EVERYTHING, _NOTHING = (">=", -2**64), ("<", -2**64)  # of integers


def _of_integers(op: str, number: float) -> Tuple[str, int]:
    """The comparison with an integer that chooses the integers that this one chooses."""
    if math.isfinite(number) and number == math.floor(number):
        return op, int(number)
    if op in ("==", "!=") or math.isnan(number):
        return _EVERYTHING if op == "!=" else _NOTHING
    if math.isinf(number):
        return _EVERYTHING if (number > 0) == (op in ("<", "<=")) else _NOTHING
    return ("<=", math.floor(number)) if op in ("<", "<=") else (">=", math.ceil(number))


def condition_text(condition: Tuple[str, Any], kind: str) -> Tuple[str, str]:
    """A comparison's sign and its number as text, for elements of a kind of types (NumPy's letter)."""
    op, number = condition
    if op not in _COMPARISONS:
        raise ValueError(f"condition: expected one of {', '.join(_COMPARISONS)}, but it is {op}")
    if kind in "biu" and not isinstance(number, int):
        given = in_host_memory(number, "condition")
        if given.ndim == 0 and given.dtype.kind == "f":
            op, number = _of_integers(op, float(number))
    return op, scalar_text(number, "condition")


# lo, hi and clamp; or edges' type, their bytes and clamp.
Limits = Tuple[str, Union[str, bytes], bool]


class Bins(NamedTuple):
    """Which bins a caller asks for."""
    count: int
    range: Any
    clamp: bool
    edges: Any = None  # as given; None: equal bins of the range
    edge_limits: Optional[Limits] = None
    argument: str = "range"  # what is wrong where the bins are

    def limits(self) -> Optional[Limits]:
        """None: from the smallest element to the largest."""
        return self.edge_limits if self.range is None else text_limits(self.range, self.clamp)

    def edge_numbers(self, name: str, limits: Limits) -> np.ndarray:
        """Where bins of these limits begin, and where the last one ends: the edges that were given, as int64, uint64 or float64."""
        if isinstance(limits[1], bytes):
            return np.frombuffer(bytearray(limits[1]), limits[0])
        return edge_numbers(name, limits, self.count)


def edge_limits(edges: Any, argument: str, clamp: bool) -> Tuple[int, Limits]:
    """How many bins lie between edges, and these as the registry reads them."""
    given = in_host_memory(edges, argument)
    if given.ndim != 1:
        raise ValueError(f"{argument}: expected a number of bins or edges of one dimension, but they have {given.ndim}")
    kind = "f" if type_name(given.dtype) == "bfloat16" else given.dtype.kind
    if kind not in "biuf" or given.dtype.itemsize > 8:
        raise TypeError(f"{argument}: expected edges that are real numbers of up to 64 bits, but they are {given.dtype}")
    if given.size < 2:
        raise ValueError(f"{argument}: expected two edges or more, but there are {given.size}")
    is_wide = kind == "u" and given.max() > np.iinfo(np.int64).max
    numbers = given.astype(np.float64 if kind == "f" else np.uint64 if is_wide else np.int64)
    return given.size - 1, (numbers.dtype.name, numbers.tobytes(), clamp)


def text_limits(range: Any, clamp: bool) -> Limits:
    """The caller's limits as the registry reads them."""
    try:
        lo, hi = range
    except (TypeError, ValueError):
        raise TypeError(f"range: expected a pair of numbers, but it is {range!r}") from None
    return scalar_text(lo, "range"), scalar_text(hi, "range"), clamp


def number_type(name: str) -> np.dtype:
    """The type of edges: the one that elements are looked at as."""
    if name in ("uint64", "float64"):
        return np.dtype(name)
    return np.dtype(np.float32 if name in ("float16", "bfloat16", "float32") else np.int64)


def _edges(name: str, limits: Limits, count: int) -> np.ndarray:
    return np.frombuffer(_module.edges(name, limits, count), number_type(name))


_cached_edges = functools.lru_cache(maxsize=32)(_edges)


def edge_numbers(name: str, limits: Limits, count: int) -> np.ndarray:
    """Where bins begin, and where the last one ends."""
    try:
        return (_cached_edges if count <= 4096 else _edges)(name, limits, count).copy()  # which can be written
    except ValueError as problem:
        raise about("range", problem) from None
