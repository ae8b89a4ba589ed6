"""The first elements of an order against NumPy's stable sort."""
import numpy as np
import pytest
from conftest import FLOATS, INTEGERS
from reference import assert_same
from test_sort import draw, order

import upsweep


def expect(x, k, axis=-1, smallest=False):
    """That they are the first of a sort, in every bit, beside NumPy's."""
    found = upsweep.top_k(x, k, axis, smallest=smallest)
    values, indices = found
    at = (slice(None),) * (0 if axis is None else axis % x.ndim) + (slice(0, k),)
    assert_same(indices, upsweep.argsort(x, axis, descending=not smallest)[at])
    assert values.tobytes() == upsweep.sort(x, axis, descending=not smallest)[at].tobytes()
    return found


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value)")
@pytest.mark.parametrize("smallest", [False, True])
@pytest.mark.parametrize("name", INTEGERS + FLOATS)
def test_first_of_the_stable_order(name, smallest, numbers):
    for size in (0, 1, 2, 33, 300, 5000):
        x = draw(numbers, name, size)
        places = order(x, not smallest)
        for k in {0, 1, size // 40, size // 2, size}:
            if k > size:
                continue
            values, indices = upsweep.top_k(x, k, smallest=smallest)
            assert_same(indices, places[:k])
            assert values.tobytes() == x[places[:k]].tobytes()


def test_the_greatest_and_the_smallest():
    values, indices = upsweep.top_k([3, 1, 4, 1, 5], 2)
    assert_same(values, np.array([5, 4]))
    assert_same(indices, np.array([4, 2]))
    assert_same(upsweep.top_k([3, 1, 4, 1, 5], 2, smallest=True)[1], np.array([1, 3]))
    assert_same(upsweep.top_k(np.float32(7), 1, None)[0], np.float32([7]))


@pytest.mark.numpy_only
def test_a_named_tuple():
    found = upsweep.top_k([3, 1, 4], np.int64(1))
    assert_same(found.values, np.array([4]))
    assert_same(found.indices, np.array([2]))


@pytest.mark.parametrize("axis", [-3, -1, 0, 1, 2, None])
@pytest.mark.parametrize("layout", [
    lambda x: x, np.asfortranarray, lambda x: x[::-1, ::2, ::-1], lambda x: x.astype(x.dtype.newbyteorder("S"))])
def test_axes(layout, axis, numbers, threads):
    x = layout(numbers("int32", (7, 40, 11)))
    native = x.astype(np.int32)
    for k in (0, 1, 3, 7):
        for smallest in (False, True):
            values, indices = upsweep.top_k(x, k, axis, smallest=smallest)
            flat = native.reshape(-1) if axis is None else native
            along = 0 if axis is None else axis
            placed = np.argsort(flat if smallest else ~flat, along, kind="stable").take(range(k), along)
            assert_same(indices, placed)
            assert_same(values, np.take_along_axis(flat, placed, along))


@pytest.mark.parametrize("name", ["uint8", "float16", "int32", "float64"])
def test_rows(name, numbers):
    for shape in ((9, 512), (5, 3001), (3, 12_001), (700, 40), (2, 3, 1500), (9, 256), (9, 257), (3000, 1), (0, 5), (5, 0)):
        x = draw(numbers, name, shape) if np.dtype(name).kind == "i" else numbers(name, shape)
        for k in {0, 1, shape[-1] // 9, shape[-1]}:
            if k <= shape[-1]:
                expect(x, k, smallest=k % 2 == 0)


def test_large(numbers, threads):
    x = numbers("float32", 900_001)
    for k in (1, 100, 50_000):
        expect(x, k)
        expect(x, k, smallest=True)


def test_refusals():
    x = np.arange(6.0).reshape(2, 3)
    with pytest.raises(ValueError, match="^k: expected 0 to 3, the number of elements along the axis, but it is 4"):
        upsweep.top_k(x, 4)
    with pytest.raises(ValueError, match="^k: expected 0 to 6, .* but it is -1"):
        upsweep.top_k(x, -1, None)
    with pytest.raises(TypeError, match="^k: "):
        upsweep.top_k(x, 1.5)
    with pytest.raises(ValueError, match="^axis: "):
        upsweep.top_k(x, 1, 2)
    with pytest.raises(ValueError, match="^axis: "):
        upsweep.top_k(np.float64(1), 1)
    with pytest.raises(TypeError, match="^a: complex128 has no order"):
        upsweep.top_k(x + 1j, 1)
