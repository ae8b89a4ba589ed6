"""What the tests share: where arrays are, every number of threads, and numbers to compute with.

UPSWEEP_TEST_LIBRARY=torch or cupy runs the tests of values once more, with every array on a GPU, torch_host with tensors of
PyTorch in host memory; stand_in and stand_in_host with what stands for either (stand_in.py). jax runs the tests of JAX alone, in a process of their own, as it starts threads and sets modes.
"""
import os
import pathlib
import sys

import numpy as np
import pytest

import upsweep

LIBRARY = os.environ.get("UPSWEEP_TEST_LIBRARY", "")
INTEGERS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
THREADS = [1, 2, 3, 7]

OF_JAX = ["test_jax.py", "test_jax_derivatives.py"]
OF_TORCH = ["test_torch.py", "test_torch_arguments.py", "test_torch_gradients.py", "test_torch_repeat.py", "test_torch_runs.py", "test_torch_streams.py",
            "test_torch_traced.py"]

if LIBRARY == "jax":
    from jax_platform import platform  # noqa: F401

    collect_ignore = [each.name for each in pathlib.Path(__file__).parent.glob("test_*.py") if each.name not in OF_JAX]
elif LIBRARY:
    import of_library

    sys.modules["upsweep"] = of_library.package_of(LIBRARY)
    collect_ignore = ["test_benchmarks.py", "test_errors.py", "test_threads.py", "test_types.py", *OF_JAX]  # of NumPy's arrays alone
    if not LIBRARY.startswith("torch"):
        collect_ignore += OF_TORCH
    THREADS = [2]  # nothing depends on it there, or no more than of NumPy's arrays
else:
    collect_ignore = ["test_libraries.py", *OF_TORCH, *OF_JAX]


def pytest_configure(config):
    config.addinivalue_line("markers", "numpy_only: of arrays that NumPy alone has")


def pytest_collection_modifyitems(items):
    if LIBRARY:
        for item in items:
            if item.get_closest_marker("numpy_only"):
                item.add_marker(pytest.mark.skip(reason="of arrays that NumPy alone has"))


@pytest.fixture(params=THREADS)
def threads(request):
    """Runs a test with so many threads."""
    upsweep.set_threads(request.param)
    assert upsweep.get_threads() == request.param
    yield request.param
    upsweep.set_threads(0)


@pytest.fixture
def numbers():
    """numbers(type, shape): random elements, of integers all that there are."""
    generator = np.random.default_rng(20)

    def draw(name, shape):
        dtype = np.dtype(name)
        if dtype.kind == "b":
            return generator.random(shape) < 0.4
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            return generator.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        if dtype.kind == "c":
            return (generator.standard_normal(shape) + 1j * generator.standard_normal(shape)).astype(dtype)
        return generator.standard_normal(shape).astype(dtype)

    return draw
