"""What the tests share: every number of threads, and numbers to compute with."""
import numpy as np
import pytest

import upsweep

INTEGERS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]


@pytest.fixture(params=[1, 2, 3, 7])
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
