"""Linear recurrences, against the tree and against a loop."""
import numpy as np
import pytest
from conftest import FLOATS, INTEGERS
from reference import SUPER, affine, assert_same

import upsweep

SIZES = [0, 1, 3, 4, 5, 129, 4097, 30_001]


def coefficients(name, size, numbers):
    """Two arrays that stay finite."""
    return np.tanh(numbers("float64", size)).astype(name), numbers(name, size)


def expected_of(a, b, x0=0.0):
    """By the tree, of float16 in float32."""
    number = np.dtype(np.float32) if a.dtype == np.float16 else a.dtype
    return affine(a.astype(number), b.astype(number), number.type(x0)).astype(a.dtype)


def loop(a, b, x0=0.0):
    out = []
    for k in range(len(a)):
        x0 = a[k] * x0 + b[k]
        out.append(x0)
    return np.array(out)


@pytest.mark.parametrize("name", FLOATS)
def test_values_are_those_of_the_tree(name, numbers):
    for size in SIZES:
        a, b = coefficients(name, size, numbers)
        assert_same(upsweep.linear_recurrence(a, b), expected_of(a, b))
        assert_same(upsweep.linear_recurrence(a, b, 0.1), expected_of(a, b, 0.1))


def test_more_than_a_super(numbers, threads):
    a, b = coefficients("float32", SUPER + 4099, numbers)
    assert_same(upsweep.linear_recurrence(a, b, 2.5), expected_of(a, b, 2.5))


def test_small_ones_are_those_of_a_loop():
    a, b = np.array([2.0, 3, -1, 0, 5, 2, 1]), np.array([1.0, -1, 4, 7, 0, 3, 2])  # exact in every grouping
    for x0 in (0, 1, -3):
        assert_same(upsweep.linear_recurrence(a, b, x0), loop(a, b, float(x0)))
    assert_same(upsweep.linear_recurrence(a[:1], b[:1], 4), np.array([9.0]))


def test_first_values_of_any_size_and_type():
    a, b = np.array([0.5]), np.array([1.0])
    assert_same(upsweep.linear_recurrence(a, b, 2**70), np.array([2.0**69 + 1]))
    assert_same(upsweep.linear_recurrence(a, b, -(10**400)), np.array([-np.inf]))
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert_same(upsweep.linear_recurrence(a, b, ml_dtypes.bfloat16(3)), np.array([2.5]))  # a state carried on


def test_close_to_a_loop(numbers):  # which groups otherwise; the tests above have the bits
    a, b = coefficients("float64", 2000, numbers)
    assert np.allclose(upsweep.linear_recurrence(a, b, 1.5), loop(a, b, 1.5), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", FLOATS)
def test_every_axis(name, order, numbers):
    a, b = (x.copy(order) for x in coefficients(name, (3, 70, 4), numbers))
    for axis in range(-3, 3):
        rows = zip(np.moveaxis(a, axis, -1).reshape(-1, a.shape[axis]), np.moveaxis(b, axis, -1).reshape(-1, a.shape[axis]))
        moved = np.moveaxis(b, axis, -1).shape
        expected = np.moveaxis(np.stack([upsweep.linear_recurrence(*row, 0.5) for row in rows]).reshape(moved), -1, axis)
        assert_same(upsweep.linear_recurrence(a, b, 0.5, axis=axis), expected)
        out = np.zeros(expected.shape[::-1], expected.dtype).T[::-1]
        assert upsweep.linear_recurrence(a, b, 0.5, axis=axis, out=out) is out
        assert_same(out, expected)
        back = upsweep.linear_recurrence(np.flip(np.flip(a).copy()), np.flip(np.flip(b).copy()), 0.5, axis=axis)
        assert_same(back, expected)
        flipped = [np.flip(x, axis) for x in (a, b)]
        assert_same(np.flip(upsweep.linear_recurrence(*flipped, 0.5, axis=axis, reverse=True), axis), expected)
    assert_same(upsweep.linear_recurrence(a, b), upsweep.linear_recurrence(a, b, axis=2))


def test_broadcasting(numbers):
    y = numbers("float32", (6, 200))
    smooth = upsweep.linear_recurrence(0.9, np.float32(0.1) * y)
    full = upsweep.linear_recurrence(np.full_like(y, 0.9), np.float32(0.1) * y)
    assert_same(smooth, full)
    a = np.tanh(numbers("float64", (6, 1)))
    b = numbers("float64", 200)
    expected = np.stack([expected_of(np.full(200, c), b) for c in a[:, 0]])
    assert_same(upsweep.linear_recurrence(a, b), expected)
    down = upsweep.linear_recurrence(a, b, axis=0)
    assert_same(down, np.stack([upsweep.linear_recurrence(a[:, 0], np.full(6, c)) for c in b], 1))
    assert_same(upsweep.linear_recurrence(y / 9, 1.0), upsweep.linear_recurrence(y / 9, np.ones_like(y)))
    assert_same(upsweep.linear_recurrence(2, 3, 1), np.array([5.0]))


@pytest.mark.numpy_only
def test_more_dimensions_than_numpy_broadcasts(numbers):
    x = numbers("float64", 24)
    shape = (1,) * 25 + (4, 6)  # 32 are the most before NumPy 2
    assert_same(upsweep.linear_recurrence(0.5, x.reshape(shape)), upsweep.linear_recurrence(0.5, x.reshape(4, 6)).reshape(shape))
    try:
        wide = x.reshape((1,) * 40 + (4, 6))
    except ValueError:
        return
    assert_same(upsweep.linear_recurrence(np.full(6, 0.5), wide).reshape(4, 6), upsweep.linear_recurrence(0.5, x.reshape(4, 6)))


def test_types():
    half, single, double = (np.ones(5, t) for t in FLOATS)
    linear = upsweep.linear_recurrence
    assert linear(half, half).dtype == np.float16
    assert linear(single, half).dtype == np.float32
    assert linear(double, single).dtype == np.float64
    assert linear(single, 2).dtype == np.float32
    for name in INTEGERS:
        assert_same(linear(np.ones(5, name), np.ones(5, name)), np.arange(1.0, 6))
    assert linear(np.ones(5, int), np.ones(5, int), dtype=np.float32).dtype == np.float32
    assert linear(single, single, dtype=np.float64).dtype == np.float64


def test_dtype_is_that_of_the_arithmetic(numbers):
    a, b = coefficients("float32", 5000, numbers)
    wide = expected_of(a.astype(np.float64), b.astype(np.float64), 0.1)
    assert_same(upsweep.linear_recurrence(a, b, 0.1, dtype=np.float64), wide)
    out = np.empty_like(a)
    assert upsweep.linear_recurrence(a, b, 0.1, dtype=np.float64, out=out) is out
    assert_same(out, wide.astype(np.float32))
    double = np.empty(5000)
    assert_same(upsweep.linear_recurrence(a, b, 0.1, dtype=np.float32, out=double), expected_of(a, b, 0.1).astype(float))
    x = a.astype(np.float16), b.astype(np.float16)
    assert_same(upsweep.linear_recurrence(*x), expected_of(*x))  # in float32


def test_in_place_and_overlapping(numbers):
    a, b = coefficients("float64", 9000, numbers)
    expected = expected_of(a, b, 0.25)
    for which in (0, 1):
        both = [a.copy(), b.copy()]
        assert upsweep.linear_recurrence(*both, 0.25, out=both[which]) is both[which]
        assert_same(both[which], expected)
    buffer = np.concatenate([[0], b])
    upsweep.linear_recurrence(a, buffer[1:], 0.25, out=buffer[:-1])
    assert_same(buffer[:-1], expected)
    buffer = np.concatenate([b, [0]])
    upsweep.linear_recurrence(a, buffer[:-1], 0.25, out=buffer[1:])
    assert_same(buffer[1:], expected)
    one = np.array([[0.5], [0.25]]) * np.ones(3)
    expected = np.stack([expected_of(np.full(3, c), np.full(3, c)) for c in (0.5, 0.25)])
    upsweep.linear_recurrence(one[:, :1], one[:, :1] * np.ones(3), out=one)  # a repeats what is written
    assert_same(one, expected)


def test_empty_and_small_shapes():
    for shape in [(0,), (0, 3), (3, 0), (1, 1)]:
        x = np.ones(shape)
        for axis in range(-len(shape), len(shape)):
            assert_same(upsweep.linear_recurrence(x, x, axis=axis), np.ones(shape))


@pytest.mark.parametrize("part", [np.s_[:1], np.s_[:, :1], np.s_[2], np.s_[:1, :1]])
def test_coefficients_that_repeat_may_lie_in_out(part, numbers):
    out, b = np.abs(numbers("float32", (4, 300))), numbers("float32", (4, 300))
    for axis in (0, 1):
        expected = upsweep.linear_recurrence(out[part].copy(), b, axis=axis)
        found = out.copy()
        upsweep.linear_recurrence(found[part], b, axis=axis, out=found)
        assert_same(found, expected)


@pytest.mark.parametrize("name", FLOATS)
def test_a_number_is_a_coefficient_for_all(name, numbers, threads):
    for shape in ((3, 700), (300, 65), (140_000,)):
        b = numbers(name, shape)
        for number in (0.875, -1, True, 1.5):
            every = np.full(shape, number, b.dtype)
            for axis in range(len(shape)):
                for reverse in (False, True):
                    expected = upsweep.linear_recurrence(every, b, 0.5, axis=axis, reverse=reverse)
                    assert_same(upsweep.linear_recurrence(number, b, 0.5, axis=axis, reverse=reverse), expected)
            out = b.copy()
            upsweep.linear_recurrence(number, out, out=out)
            assert_same(out, upsweep.linear_recurrence(every, b))


@pytest.mark.parametrize("layout", ["swapped", "sliced"])
def test_other_layouts(layout, numbers):
    a, b = coefficients("float32", 500, numbers)
    turn = {"swapped": lambda x: x.astype(x.dtype.newbyteorder("S")), "sliced": lambda x: np.repeat(x, 2)[::2]}[layout]
    assert_same(upsweep.linear_recurrence(turn(a), turn(b)), expected_of(a, b))
    out = turn(np.zeros(500, np.float32))
    upsweep.linear_recurrence(a, b, out=out)
    assert_same(out.astype(np.float32), expected_of(a, b))
