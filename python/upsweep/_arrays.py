"""Arrays as the extension module takes them: in host memory, of a type that it knows, in this machine's byte order."""
from __future__ import annotations

import operator
from typing import Any, Optional, Tuple

import numpy as np

TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
         "complex64", "complex128")
_NAMES = {np.dtype(name): name for name in TYPES}
_HOST_DEVICES = (1, 3, 11)  # of DLPack: the CPU, and host memory that is pinned for CUDA or ROCm


def type_name(dtype: np.dtype) -> Optional[str]:
    """The name of a type in this machine's byte order; None for one that the library has not."""
    name = _NAMES.get(dtype)
    # bfloat16 is a type of the package ml_dtypes, which need not be there.
    return "bfloat16" if name is None and dtype.name == "bfloat16" else name


def native(dtype: np.dtype) -> np.dtype:
    """A type in this machine's byte order, which NumPy does not ask of types such as that of its text of any length."""
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def dtype_of(given: Any, argument: str) -> np.dtype:
    """What the caller has given as a type. Raises TypeError where it is none."""
    try:
        return np.dtype(given)
    except (TypeError, ValueError, SyntaxError) as problem:  # of text that is neither a name nor a list of fields
        raise TypeError(f"{argument}: {problem}") from None


def known_type(dtype: Any, argument: str) -> np.dtype:
    """The dtype in this machine's byte order. Raises TypeError where the library has no such type."""
    if isinstance(dtype, np.dtype) and dtype in _NAMES:  # most are, and what follows takes longer
        return dtype
    known = native(dtype_of(dtype, argument))
    if type_name(known) is None:
        raise TypeError(f"{argument}: expected one of {', '.join(TYPES)} and bfloat16, but it is {known}")
    return known


def in_host_memory(a: Any, argument: str) -> np.ndarray:
    """`a` as a NumPy array, copied only where it is not in an array's form yet."""
    if type(a) is np.ndarray:
        return a
    if isinstance(a, np.ma.MaskedArray):
        raise TypeError(f"{argument}: masked arrays are not supported; fill the masked elements first")
    if not isinstance(a, np.ndarray):
        device = getattr(a, "__dlpack_device__", None)
        if device is not None:
            try:
                kind = int(device()[0])
            except (TypeError, ValueError, RuntimeError, BufferError) as problem:  # of memory that DLPack has no name for, or of none
                raise TypeError(f"{argument}: expected an array in host memory, but it is of type {type(a).__module__}."
                                f"{type(a).__name__}: {problem}") from None
            if kind not in _HOST_DEVICES:
                raise TypeError(f"{argument}: expected an array in host memory, but it is on a device (DLPack's type {kind})")
        elif hasattr(a, "__cuda_array_interface__"):
            raise TypeError(f"{argument}: expected an array in host memory, but it is on a CUDA device")
    try:
        return np.asarray(a)
    except ValueError as problem:  # of lists that are not of one length
        raise about(argument, problem) from None
    except (TypeError, RuntimeError) as problem:  # of what another library does not give away, such as what wants a gradient
        raise TypeError(f"{argument}: {problem}") from None


def flags_in_host_memory(a: Any, argument: str) -> np.ndarray:
    """The same of flags: bool where `a` is a list without any, of which NumPy makes float64."""
    x = in_host_memory(a, argument)
    return x.astype(bool) if x.size == 0 and isinstance(a, (list, tuple)) else x


def integers_in_host_memory(a: Any, argument: str) -> np.ndarray:
    """The same of integers: int64 where `a` is a list without any."""
    x = in_host_memory(a, argument)
    return x.astype(np.int64) if x.size == 0 and isinstance(a, (list, tuple)) else x


def is_direct(a: np.ndarray) -> bool:
    """Whether the module can read and write where the elements are."""
    flags = a.flags
    if not flags.aligned or type_name(a.dtype) is None:
        return False
    return flags.c_contiguous or all(stride % a.itemsize == 0 for stride in a.strides)


def readable(a: Any, argument: str = "a") -> np.ndarray:
    """An array for the module to read: `a` itself, unless its elements are swapped or not aligned."""
    x = in_host_memory(a, argument)
    if is_direct(x):
        return x
    return x.astype(known_type(x.dtype, argument), order="K", subok=False)


def memory(a: np.ndarray) -> np.ndarray:
    """What has the buffer protocol for these elements, which ml_dtypes' bfloat16 has not."""
    return a if a.dtype in _NAMES else a.view(np.uint16)


def truth(given: Any, argument: str) -> bool:
    """A flag. Raises TypeError for what is neither true nor false, such as an array."""
    if given is True or given is False:
        return given
    try:
        return bool(given)
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(f"{argument}: expected True or False, but it is of type {type(given).__name__}") from None


def integer(number: Any, argument: str) -> int:
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{argument}: expected an integer, but it is {number!r}") from None


def axis_of(rank: int, axis: Any, argument: str = "axis") -> int:
    """The number of an axis from 0 on."""
    number = integer(axis, argument)
    if not -rank <= number < rank:
        raise ValueError(f"{argument}: expected {-rank} to {rank - 1} for {rank} dimensions, but it is {number}")
    return number % rank


def along(x: np.ndarray, axis: Any, argument: str = "axis") -> Tuple[np.ndarray, int]:
    """The array with an axis, and its number from 0 on; without one the elements in C order, as numpy.cumsum has them."""
    if axis is None:
        return (x if x.ndim == 1 else x.reshape(-1)), 0
    if x.ndim == 0:
        x = x.reshape(1)
    return x, axis_of(x.ndim, axis, argument)


def common_shape(a: Tuple[int, ...], b: Tuple[int, ...]) -> Tuple[int, ...]:
    """The shape that two of arrays broadcast to, of one dimension at least."""
    if a != b and a and b:
        rank = max(len(a), len(b))  # which numpy.broadcast_shapes knows up to 32
        extents = [(1,) * (rank - len(shape)) + shape for shape in (a, b)]
        if any(m != n and m != 1 and n != 1 for m, n in zip(*extents)):
            raise ValueError(f"b: its shape {b} does not broadcast with that of a, {a}")
        return tuple(n if m == 1 else m for m, n in zip(*extents))
    return a or b or (1,)


def with_one_more(shape: Tuple[int, ...], axis: int) -> Tuple[int, ...]:
    return (*shape[:axis], shape[axis] + 1, *shape[axis + 1:])


def edge_shape(shape: Tuple[int, ...], axis: int) -> Tuple[int, ...]:
    return (*shape[:axis], 1, *shape[axis + 1:])


def total_shape(shape: Tuple[int, ...], axis: Any, keepdims: bool) -> Tuple[int, ...]:
    """That of totals along an axis, or of the total of all elements; with keepdims there is one element along what they are of."""
    if axis is None or not shape:
        return (1,) * len(shape) if keepdims else ()
    position = axis_of(len(shape), axis)
    return edge_shape(shape, position) if keepdims else (*shape[:position], *shape[position + 1:])


def edge_and_rest(array: Any, axis: int) -> Tuple[Any, Any]:
    """The first element along an axis, as an array, and the others."""
    before = (slice(None),) * axis
    return array[(*before, slice(0, 1))], array[(*before, slice(1, None))]


def check_out(out: Any, shape: Tuple[int, ...]) -> None:
    """Raises unless `out` is an array of that shape that can be written."""
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"out: expected a numpy.ndarray, but it is of type {type(out).__name__}")
    known_type(out.dtype, "out")
    if out.shape != shape:
        raise ValueError(f"out: expected shape {shape}, but it is {out.shape}")
    if not out.flags.writeable:
        raise ValueError("out: the array is read-only")
    if 0 in out.strides and out.size != 0:
        for dimension, (stride, extent) in enumerate(zip(out.strides, shape)):
            if stride == 0 and extent > 1:
                raise ValueError(f"out: stride 0 in dimension {dimension} would store many results in one element")


def apart(x: np.ndarray, out: np.ndarray) -> np.ndarray:
    """`x`, or a copy of it where writing `out` would change elements before they are read."""
    if not np.may_share_memory(x, out):
        return x
    same = (x.__array_interface__["data"][0] == out.__array_interface__["data"][0] and x.shape == out.shape
            and x.strides == out.strides and x.itemsize == out.itemsize)
    return x if same else x.copy()


class Target:
    """Where the module writes: the caller's array where it can, else one whose elements go there in the end.

    `like` is an array whose shape and order in memory a new one has. `dtype` is out's, if there is one.
    """

    def __init__(self, like: np.ndarray, dtype: np.dtype, out: Optional[np.ndarray], contiguous: bool = False) -> None:
        self._out = out
        is_usable = out is not None and is_direct(out) and (out.flags.c_contiguous or not contiguous)
        self.array = out if is_usable else np.empty_like(like, dtype=dtype, subok=False)

    def result(self) -> np.ndarray:
        if self._out is None:
            return self.array
        if self._out is not self.array:
            self._out[...] = self.array
        return self._out


def about(argument: str, problem: ValueError) -> ValueError:
    """What the registry has to say of an argument's value, with the argument's name before it; edges are part of one here."""
    return ValueError(f"{argument}: {str(problem).removeprefix(f'{argument}: ').removeprefix('edges: ')}")


def scalar_text(number: Any, argument: str) -> str:
    """A number as the registry reads it, with all of its bits."""
    if isinstance(number, int):
        return str(int(number))
    if not isinstance(number, float):
        dtype = in_host_memory(number, argument).dtype
        kind = "f" if type_name(dtype) == "bfloat16" else dtype.kind
        if np.ndim(number) != 0 or kind not in "biufc":
            raise TypeError(f"{argument}: expected a number, but it is {number!r}")
        if kind in "biu":
            return str(int(number))
        if kind == "c":
            return repr(complex(number)).strip("()")
    value = float(number)
    return str(int(value)) if value.is_integer() and abs(value) < 2.0**63 else repr(value)
