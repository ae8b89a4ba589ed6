"""The libraries whose arrays are taken: what is asked of PyTorch and of CuPy, in words that both understand."""
from __future__ import annotations

import ctypes
import functools
import mmap
import sys
from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np

from . import _back_ends, _gradients
from ._arrays import TYPES, dtype_of, flags_in_host_memory, in_host_memory, known_type, memory, type_name

_advise = None
if hasattr(mmap, "MADV_HUGEPAGE"):  # on Linux
    _advise = ctypes.CDLL(None).madvise
    _advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_HUGE = 1 << 22  # bytes of arrays that are worth it


def _ask_for_huge_pages(address: int, size: int) -> None:
    """As NumPy does for its arrays: mapping small pages takes longer than a scan into them."""
    if _advise is not None:
        first = -address % mmap.PAGESIZE
        _advise(address + first, size - first, mmap.MADV_HUGEPAGE)  # does nothing where there are none


_KNOWN = frozenset(TYPES) | {"bfloat16"}


class Library:
    """PyTorch or CuPy, and the place where its arrays are: on a GPU, unless a class says otherwise."""

    name: str
    place = "on a GPU"

    def __init__(self, module: Any) -> None:
        self.module = module
        self._names: Dict[Any, str] = {}  # of the types that were seen

    @functools.cached_property
    def back_end(self) -> Any:
        """What computes with the arrays. Raises TypeError where this build has none."""
        return _back_ends.cuda()

    def owns(self, a: Any) -> bool:
        """Whether it is an array of this library at this place."""
        raise NotImplementedError

    def what_is(self, a: Any) -> str:
        return f"of type {type(a).__module__}.{type(a).__name__}"

    def array(self, a: Any, argument: str) -> Any:
        """An argument beside one of this library. Raises TypeError for what is not taken."""
        if not self.owns(a):
            raise TypeError(f"{argument}: expected an array of {self.name} {self.place}, as another argument is one, but it is "
                            f"{self.what_is(a)}")
        return self.own(a, argument)

    def own(self, a: Any, argument: str = "a") -> Any:
        """An array of this library, of a known type, as elements in memory. Raises TypeError for what is not taken."""
        self.type_of(a, argument)
        return a

    def type_of(self, a: Any, argument: str = "a") -> str:
        """NumPy's name of the elements' type."""
        dtype = a.dtype
        name = self._names.get(dtype)
        if name is None:
            name = self._names[dtype] = self._known(self._type_name(dtype), argument)
        return name

    def type_named(self, dtype: Any, argument: str = "dtype") -> str:
        """The name of a type that the caller has given, in the library's way or in NumPy's."""
        try:
            name = np.dtype(dtype).name
        except (TypeError, ValueError, SyntaxError):
            name = self._type_name(dtype)
        return self._known(name, argument)

    def _known(self, name: str, argument: str) -> str:
        if name not in _KNOWN:
            raise TypeError(f"{argument}: expected one of {', '.join(TYPES)} and bfloat16, but it is {name}")
        return name

    def _type_name(self, dtype: Any) -> str:
        raise NotImplementedError

    def sum_type(self, op: str, source: str) -> Optional[str]:
        """The type of sums and products where the library has a rule of its own; None where it has NumPy's."""
        return None

    def device(self, a: Any) -> int:
        raise NotImplementedError

    def stream(self, a: Any) -> Tuple[int, int]:
        """The device of an array, and the handle of the stream that is current there."""
        raise NotImplementedError

    def layout(self, a: Any) -> Tuple[int, Sequence[int], Sequence[int]]:
        """The address of its first element, its shape, and its strides in elements."""
        raise NotImplementedError

    def address(self, a: Any) -> int:
        """That of its first element."""
        return self.layout(a)[0]

    def empty_like(self, a: Any, name: str) -> Any:
        """A new array of that type, on a's device, with its shape and the order of its dimensions in memory."""
        raise NotImplementedError

    def filled(self, like: Any, shape: Tuple[int, ...], name: str, number: Any = None) -> Any:
        """A new array on the device of `like`, of equal numbers or of anything."""
        raise NotImplementedError

    def numbers(self, like: Any, values: np.ndarray) -> Any:
        """A copy of an array in host memory on the device of `like`."""
        raise NotImplementedError

    def to_host(self, a: Any) -> np.ndarray:
        raise NotImplementedError

    def contiguous(self, a: Any) -> Any:
        """The elements in C order without gaps: `a` itself, if it is so."""
        raise NotImplementedError

    def is_contiguous(self, a: Any) -> bool:
        raise NotImplementedError

    def copy(self, a: Any) -> Any:
        raise NotImplementedError

    def assign(self, out: Any, a: Any) -> None:
        out[...] = a

    def note_write(self, out: Any) -> None:
        """Tells the library of elements that it has not written itself."""

    def shortened(self, a: Any, count: int) -> Any:
        """The first elements of a new array of one dimension, which nobody else has and which gives it up."""
        return a[:count]

    def converted(self, a: Any, name: str) -> Any:
        """The elements in C order without gaps, of that type: `a` itself, if it is so."""
        if self.type_of(a) == name:
            return self.contiguous(a)
        made = self.filled(a, tuple(a.shape), name)
        self.assign(made, a)
        return made

    def move_axis(self, a: Any, source: int, destination: int) -> Any:
        return self.module.moveaxis(a, source, destination)

    def rows_at(self, a: Any, indices: Any, axis: int, out: Any) -> None:
        """out = what of `a` the indices name along the axis."""
        self.module.take(a, indices, axis, out)

    def result_type(self, a: Any, b: Any) -> str:
        return self._type_name(self.module.result_type(a, b))


class _Torch(Library):
    name = "PyTorch"

    def __init__(self, module: Any) -> None:
        super().__init__(module)
        self._tensor, self._strided = module.Tensor, module.strided
        self._empty_like, self._empty_strided = module.empty_like, module.empty_strided
        self._increment_version = module.autograd.graph.increment_version
        self._dtype = module.dtype
        # Where it exists it spares the making of an object for each call.
        self._raw_stream = getattr(module._C, "_cuda_getCurrentRawStream",
                                   lambda device: module.cuda.current_stream(device).cuda_stream)

    def owns(self, a: Any) -> bool:
        return isinstance(a, self._tensor) and a.is_cuda

    def what_is(self, a: Any) -> str:
        return f"a tensor on {a.device}" if isinstance(a, self.module.Tensor) else super().what_is(a)

    def own(self, a: Any, argument: str = "a") -> Any:
        self.type_of(a, argument)
        if a.layout is not self._strided or a.is_nested:
            raise TypeError(f"{argument}: expected a dense tensor, but {'it is nested' if a.is_nested else f'its layout is {a.layout}'}")
        if a._is_zerotensor():  # one of derivatives, without memory
            return self.module.zeros_like(a)
        return a.resolve_conj().resolve_neg() if a.is_conj() or a.is_neg() else a

    def type_named(self, dtype: Any, argument: str = "dtype") -> str:
        if isinstance(dtype, self._dtype):  # which NumPy would take its time to refuse
            return self._known(self._type_name(dtype), argument)
        return super().type_named(dtype, argument)

    def _type_name(self, dtype: Any) -> str:
        return str(dtype).rpartition(".")[2]  # "torch.float32"

    def sum_type(self, op: str, source: str) -> Optional[str]:
        # PyTorch computes little with unsigned types of more than 8 bits, and sums in int64 itself.
        return "int64" if op in ("plus", "multiplies") and source in ("uint8", "uint16", "uint32") else None

    def device(self, a: Any) -> int:
        return a.get_device()

    def stream(self, a: Any) -> Tuple[int, int]:
        device = a.get_device()
        return device, self._raw_stream(device)

    def layout(self, a: Any) -> Tuple[int, Sequence[int], Sequence[int]]:
        return a.data_ptr(), a.shape, a.stride()

    def address(self, a: Any) -> int:
        return a.data_ptr()

    def empty_like(self, a: Any, name: str) -> Any:
        is_same = self._names.get(a.dtype) == name
        return self._empty_like(a) if is_same else self._empty_like(a, dtype=getattr(self.module, name))

    def note_write(self, out: Any) -> None:
        if not out.is_inference():  # whose writes are not counted
            self._increment_version(out)

    def filled(self, like: Any, shape: Tuple[int, ...], name: str, number: Any = None) -> Any:
        if number is None and len(shape) < 2:  # where it takes two thirds of the time that empty does
            return self._empty_strided(shape, (1,) * len(shape), dtype=getattr(self.module, name), device=like.device)
        if number is None:
            return self.module.empty(shape, dtype=getattr(self.module, name), device=like.device)
        return self.module.full(shape, number, dtype=getattr(self.module, name), device=like.device)

    def numbers(self, like: Any, values: np.ndarray) -> Any:
        # The values are taken before the call returns, though the copy may still be on its way.
        return self.module.from_numpy(values).to(like.device, non_blocking=True)

    def to_host(self, a: Any) -> np.ndarray:
        if _gradients.are_watched():  # within torch.func the few numbers that are asked for have no memory
            return np.array([number.item() for number in a.reshape(-1)]).reshape(tuple(a.shape))
        return a.cpu().numpy()

    def contiguous(self, a: Any) -> Any:
        return a.contiguous()

    def is_contiguous(self, a: Any) -> bool:
        return a.is_contiguous()

    def shortened(self, a: Any, count: int) -> Any:
        return a.resize_(count)  # which keeps the memory, and takes a quarter of the time of a view

    def copy(self, a: Any) -> Any:
        return a.clone()

    def rows_at(self, a: Any, indices: Any, axis: int, out: Any) -> None:
        name = self.type_of(a)
        if name in ("uint16", "uint32", "uint64"):  # which PyTorch does not index everywhere
            a, out = (x.view(getattr(self.module, name[1:])) for x in (a, out))
        self.module.index_select(a, axis, indices, out=out)


class TorchOnHost(_Torch):
    """Tensors in host memory, pinned ones too. Beside them stand arrays of NumPy, and lists, for what is only read."""

    place = "in host memory"

    @functools.cached_property
    def back_end(self) -> Any:
        return _back_ends.host()

    def owns(self, a: Any) -> bool:
        return isinstance(a, self._tensor) and a.is_cpu

    def array(self, a: Any, argument: str) -> Any:
        if not isinstance(a, self._tensor) and isinstance(a, (np.ndarray, np.generic, list, tuple)):
            a = self._of_numpy(a, argument)
        return super().array(a, argument)

    def _of_numpy(self, a: Any, argument: str) -> Any:
        read = flags_in_host_memory if argument in ("heads", "condition") else in_host_memory
        x = read(a, argument)
        dtype = known_type(x.dtype, argument)
        # PyTorch has no negative strides, of an extent of 1 neither, nor what cannot be written, nor swapped bytes.
        is_usable = x.flags.c_contiguous and x.flags.writeable and x.dtype == dtype and min(x.strides, default=0) >= 0
        made = self.numbers(None, memory(x if is_usable else x.astype(dtype, order="C")))
        return made.view(self.module.bfloat16) if type_name(dtype) == "bfloat16" else made

    def empty_like(self, a: Any, name: str) -> Any:
        made = super().empty_like(a, name)
        if type(made) is self._tensor and made.nbytes >= _HUGE:  # another may be without memory
            _ask_for_huge_pages(made.data_ptr(), made.nbytes)
        return made

    def filled(self, like: Any, shape: Tuple[int, ...], name: str, number: Any = None) -> Any:
        made = super().filled(like, shape, name, number)
        if number is None and type(made) is self._tensor and made.nbytes >= _HUGE:
            _ask_for_huge_pages(made.data_ptr(), made.nbytes)
        return made

    def numbers(self, like: Any, values: np.ndarray) -> Any:
        return self.module.from_numpy(values)  # in host memory wherever new tensors go


class _CuPy(Library):
    name = "CuPy"

    def owns(self, a: Any) -> bool:
        return isinstance(a, self.module.ndarray)

    def type_named(self, dtype: Any, argument: str = "dtype") -> str:
        return self._known(dtype_of(dtype, argument).name, argument)

    def _type_name(self, dtype: Any) -> str:
        return np.dtype(dtype).name

    def device(self, a: Any) -> int:
        return a.device.id

    def stream(self, a: Any) -> Tuple[int, int]:
        device = a.device
        with device:
            return device.id, self.module.cuda.get_current_stream().ptr

    def layout(self, a: Any) -> Tuple[int, Sequence[int], Sequence[int]]:
        return a.data.ptr, a.shape, [stride // a.itemsize for stride in a.strides]

    def empty_like(self, a: Any, name: str) -> Any:
        with a.device:
            return self.module.empty_like(a, dtype=name)

    def filled(self, like: Any, shape: Tuple[int, ...], name: str, number: Any = None) -> Any:
        with like.device:
            return self.module.empty(shape, name) if number is None else self.module.full(shape, number, name)

    def numbers(self, like: Any, values: np.ndarray) -> Any:
        with like.device:
            return self.module.asarray(values)

    def to_host(self, a: Any) -> np.ndarray:
        return self.module.asnumpy(a)

    def contiguous(self, a: Any) -> Any:
        return self.module.ascontiguousarray(a)

    def is_contiguous(self, a: Any) -> bool:
        return a.flags.c_contiguous

    def copy(self, a: Any) -> Any:
        return a.copy()


_KINDS = {"torch": (_Torch, TorchOnHost), "cupy": (_CuPy,)}
_libraries: Dict[str, Tuple[Library, ...]] = {}


def library_of(a: Any) -> Optional[Library]:
    """The library of an array that is one's; None for everything else. Imports nothing: an array's library is imported."""
    for name, kinds in _KINDS.items():
        libraries = _libraries.get(name)
        if libraries is None:
            if name not in sys.modules:
                continue
            libraries = _libraries[name] = tuple(kind(sys.modules[name]) for kind in kinds)
        for library in libraries:
            if library.owns(a):
                return library
    return None
