"""Sorting against NumPy's stable sort, with its own order of zeros and NaNs."""
import numpy as np
import pytest
from conftest import FLOATS, INTEGERS
from reference import assert_same

import upsweep


def order(x, descending):
    """The stable order of one dimension: zeros are equal, NaNs are equal and above all else."""
    number = np.where(x != x, np.inf, x) if x.dtype.kind == "f" else x.astype(object)
    keys = list(zip((x != x).tolist(), number.tolist()))
    return np.array(sorted(range(x.size), key=keys.__getitem__, reverse=descending), np.int64)


def draw(numbers, name, shape):
    """Few values, so that many are equal; zeros of both signs, infinities and NaNs."""
    if np.dtype(name).kind == "f":
        return np.asarray(numbers("uint8", shape) % 9 - 4.0).astype(name) / np.where(numbers("bool", shape), 1, -0.0).astype(name)
    return numbers(name, shape)


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value)")
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("name", INTEGERS + FLOATS)
def test_order_is_stable(name, descending, numbers):
    for size in (0, 1, 2, 33, 300, 5000):
        x = draw(numbers, name, size)
        places = order(x, descending)
        assert_same(upsweep.argsort(x, descending=descending), places)
        found = upsweep.sort(x, descending=descending)
        assert found.tobytes() == x[places].tobytes()  # NaNs too are copied as they are


def test_a_reversed_stable_order_is_not_an_order_reversed():
    assert_same(upsweep.argsort([1, 0, 1, 0], descending=True), np.array([0, 2, 1, 3]))


@pytest.mark.parametrize("name", ["int16", "uint64", "float32", "float64"])
def test_large(name, numbers, threads):
    x = numbers(name, 300_000)
    assert_same(upsweep.sort(x), np.sort(x))
    assert_same(upsweep.argsort(x), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("axis", [-3, -1, 0, 1, 2, None])
@pytest.mark.parametrize("layout", [
    lambda x: x, np.asfortranarray, lambda x: x[::-1, ::2, ::-1], lambda x: x.astype(x.dtype.newbyteorder("S"))])
def test_axes(layout, axis, numbers, threads):
    x = layout(numbers("int32", (7, 40, 11)))
    native = x.astype(np.int32)
    assert_same(upsweep.sort(x, axis), np.sort(native, axis))
    assert_same(upsweep.argsort(x, axis), np.argsort(native, axis, kind="stable"))


@pytest.mark.parametrize("name", ["uint8", "float16", "int32", "float64"])
def test_rows(name, numbers):
    for shape in ((9, 512), (5, 3001), (3, 6656), (3, 12_001), (3, 3700), (3, 7400), (700, 40), (2, 3, 1500), (9, 256), (9, 257), (3000, 1),
                  (0, 5), (5, 0)):
        x = draw(numbers, name, shape) if np.dtype(name).kind == "i" else numbers(name, shape)
        assert_same(upsweep.sort(x), np.sort(x))
        assert_same(upsweep.argsort(x), np.argsort(x, kind="stable"))


def test_many_short_rows(numbers, threads):
    x = numbers("int16", (180_001, 7))
    assert_same(upsweep.sort(x), np.sort(x))
    assert_same(upsweep.argsort(x), np.argsort(x, kind="stable"))
    assert_same(upsweep.argsort(x.T, 0), np.argsort(x.T, 0, kind="stable"))


def test_out(numbers):
    x = numbers("float32", (50, 60))
    for axis in (0, 1):
        expected = np.sort(x, axis)
        for out in (np.empty_like(x), np.empty((60, 50), np.float32).T, np.empty((100, 60), np.float32)[::-2]):
            assert upsweep.sort(x, axis, out=out) is out
            assert_same(out, expected)
        own = x.copy()
        assert upsweep.sort(own, axis, out=own) is own
        assert_same(own, expected)
    buffer = numbers("int64", 1000)
    expected = np.sort(buffer[:-1])
    upsweep.sort(buffer[:-1], out=buffer[1:])
    assert_same(buffer[1:], expected)
    places = np.empty(60, np.int64)
    assert upsweep.argsort(x[0], out=places) is places
    assert_same(places, np.argsort(x[0], kind="stable"))


@pytest.mark.numpy_only
def test_a_matrix_takes_results():
    x = np.array([[3, 1, 2], [4, 6, 5]])
    for axis in (0, 1):
        for call, expected in ((upsweep.sort, np.sort(x, axis)), (upsweep.argsort, np.argsort(x, axis, kind="stable"))):
            out = np.zeros_like(x).view(np.matrix)
            assert call(x, axis, out=out) is out
            assert_same(np.asarray(out), expected)


def test_shapes_without_elements():
    assert upsweep.sort(np.empty((0, 3)), 0).shape == (0, 3)
    assert upsweep.argsort(np.empty((3, 0))).shape == (3, 0)
    assert_same(upsweep.sort(np.float32(7), None), np.float32([7]))
    with pytest.raises(ValueError, match="^axis: "):
        upsweep.sort(7)
