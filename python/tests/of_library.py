"""The package as its tests know it, with every array of another library: calls upload NumPy's arrays, compute with those of
PyTorch or CuPy, and download results. Arrays that share memory share it there too, and what lies beside `out` comes back as
well.
"""
import ctypes
import functools
import inspect
import types

import numpy as np

import upsweep as package

ARRAYS = ("a", "b", "keys", "offsets", "heads", "condition", "repeats", "weights", "out")


def root_of(x):
    """The array that has the memory of x, of which x is a view."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    return x


def memory_of(x):
    """The bytes from the first to the last of an array, as an array that writes to them, and the address of the first."""
    first = last = x.__array_interface__["data"][0]
    if x.size:
        steps = [(extent - 1) * stride for extent, stride in zip(x.shape, x.strides)]
        first, last = first + sum(s for s in steps if s < 0), first + x.itemsize + sum(s for s in steps if s > 0)
    return np.frombuffer((ctypes.c_ubyte * (last - first)).from_address(first), np.uint8), first


class Torch:
    def __init__(self, device="cuda"):
        import torch
        self.module, self.kind, self.device = torch, torch.Tensor, device

    def upload(self, memory):
        return self.module.from_numpy(memory.copy()).to(self.device)

    def view(self, memory, offset, x):
        if any(stride < 0 for stride in x.strides):
            return None  # there are none
        dtype = getattr(self.module, x.dtype.name)
        if x.size == 0:
            return self.module.empty(x.shape, dtype=dtype, device=self.device)
        whole = memory[:memory.numel() // x.itemsize * x.itemsize].view(dtype)
        return whole.as_strided(x.shape, [s // x.itemsize for s in x.strides], offset // x.itemsize)

    def download(self, array):
        if array.dtype == self.module.bfloat16:
            import ml_dtypes
            return array.view(self.module.uint16).cpu().numpy().view(ml_dtypes.bfloat16)
        return array.cpu().numpy()


class CuPy:
    def __init__(self):
        import cupy
        self.module, self.kind = cupy, cupy.ndarray

    def upload(self, memory):
        return self.module.asarray(memory)

    def view(self, memory, offset, x):
        if x.dtype.name == "bfloat16":
            import pytest
            pytest.skip("CuPy has no bfloat16")
        return self.module.ndarray(x.shape, x.dtype, memory.data + offset, strides=x.strides)

    def download(self, array):
        return self.module.asnumpy(array)


class StandIn:
    """Of stand_in.py, where there is no GPU, or no library."""

    def __init__(self, in_host_memory=False):
        import stand_in
        self.module, self.kind = np, stand_in.Array
        stand_in.install(in_host_memory)

    def upload(self, memory):
        return memory.copy()

    def view(self, memory, offset, x):
        if x.dtype.name == "bfloat16":
            import pytest
            pytest.skip("the stand-in has no bfloat16")
        return np.ndarray(x.shape, x.dtype, memory, offset, x.strides).view(self.kind)

    def download(self, array):
        return np.array(array, subok=False)


class Uploads:
    """The arrays of one call, of the library."""

    def __init__(self, library):
        self.library, self.roots = library, {}

    def put(self, x):
        """x there, and whether it shares memory there with whatever it shares memory with here."""
        if x.dtype.isnative and x.flags.aligned and all(s % x.itemsize == 0 for s in x.strides):
            root = root_of(x)
            if id(root) not in self.roots:
                memory, first = memory_of(root)
                self.roots[id(root)] = self.library.upload(memory), memory, first, root  # which stays, and so its id
            there, _, first, _ = self.roots[id(root)]
            offset = x.__array_interface__["data"][0] - first
            found = self.library.view(there, offset, x) if offset % x.itemsize == 0 else None
            if found is not None:
                return found, True
        copy = np.empty(x.shape, x.dtype.newbyteorder("="))
        copy[...] = x
        return self.library.view(self.library.upload(memory_of(copy)[0]), 0, copy), False

    def back(self, x):
        """Brings what x is a view of back."""
        there, memory, _, _ = self.roots[id(root_of(x))]
        memory[...] = self.library.download(there)


def sums_are_unsigned(function, arguments, found):
    """Whether NumPy has uint64 where PyTorch's arrays have int64, which holds the same bits."""
    weights = arguments.get("weights")
    if weights is not None:
        function = "sum"  # of these
    given = np.asarray(arguments["a"] if weights is None else weights).dtype
    op = arguments.get("op", {"cumsum": "plus", "cumprod": "multiplies", "cumulative_sum": "plus", "cumulative_prod": "multiplies",
                              "sum": "plus", "prod": "multiplies"}.get(function))
    return (op in ("plus", "multiplies") and given.kind == "u" and given.itemsize < 8 and found.dtype == np.int64
            and arguments.get("dtype") is None and arguments.get("out") is None)


def through(library, function):
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*positional, **named):
        bound = signature.bind(*positional, **named)
        bound.apply_defaults()
        arguments, uploads, out_is_shared = bound.arguments, Uploads(library), False
        given = dict(arguments)
        is_recurrence = function is package.linear_recurrence
        for name in ARRAYS:
            value = arguments.get(name)
            if value is None or (name == "condition" and isinstance(value, tuple)):
                continue
            if name == "repeats" and isinstance(value, (int, float, np.generic)):
                continue  # a number
            if is_recurrence and np.ndim(value) == 0 and (name == "a" or np.ndim(given["a"]) != 0):
                if name == "b" or np.ndim(given["b"]) != 0:
                    continue  # a number
            arguments[name], is_shared = uploads.put(value if isinstance(value, np.ndarray) else np.asarray(value))
            if name == "out":
                out_is_shared = is_shared
        found = function(*bound.args, **bound.kwargs)
        parts = [library.download(part) if isinstance(part, library.kind) else part
                 for part in (found if isinstance(found, tuple) else (found,))]
        assert any(isinstance(part, library.kind) for part in (found if isinstance(found, tuple) else (found,)))
        if given.get("out") is not None:
            assert found is arguments["out"]
            if out_is_shared:
                uploads.back(given["out"])
            else:
                given["out"][...] = parts[0]
            return given["out"]
        if isinstance(library, Torch) and "a" in given:
            totals = 1 if function is package.reduce_by_key else 0
            if sums_are_unsigned(function.__name__, given, parts[totals]):
                parts[totals] = parts[totals].view(np.uint64)
        return tuple(parts) if isinstance(found, tuple) else parts[0]

    return call


LIBRARIES = {"torch": Torch, "torch_host": lambda: Torch("cpu"), "cupy": CuPy, "stand_in": StandIn,
             "stand_in_host": lambda: StandIn(in_host_memory=True)}


def package_of(name):
    """What stands for the module upsweep in the tests."""
    library = LIBRARIES[name]()
    module = types.ModuleType(package.__name__)
    module.library = library
    # Parts of the package that import others when they are needed find these by the package's name.
    module.__path__, module.__spec__ = package.__path__, package.__spec__
    for each in package.__all__:
        value = getattr(package, each)
        takes_arrays = inspect.isfunction(value) and not inspect.signature(value).parameters.keys().isdisjoint(("a", "repeats"))
        setattr(module, each, through(library, value) if takes_arrays else value)
    return module
