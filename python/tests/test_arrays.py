"""Arrays as they come: shapes, strides, byte orders, other kinds of arrays, results in place and elsewhere."""
import itertools

import numpy as np
import pytest
from conftest import COMPLEX, FLOATS, INTEGERS
from reference import assert_same, tree_sum, tree_sums_along

import upsweep

LAYOUTS = {
    "c": lambda x: x,
    "fortran": np.asfortranarray,
    "reversed": lambda x: x[::-1, :, ::-1],
    "sliced": lambda x: np.repeat(np.repeat(x, 2, 0), 3, 2)[::2, :, ::3],
    "turned": lambda x: np.moveaxis(np.moveaxis(x, 0, 2).copy(), 2, 0),
    "swapped": lambda x: x.astype(x.dtype.newbyteorder("S")),
    "field": lambda x: _as_field(x),
    "unaligned": lambda x: _unaligned(x),
}


def _as_field(x):
    records = np.empty(x.shape, [("before", "i1"), ("x", x.dtype), ("behind", "i1", 2)])
    records["x"] = x
    return records["x"]


def _unaligned(x):
    view = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


def sums_along(x, axis):
    """cumsum, of floating-point numbers by the tree."""
    x = np.ascontiguousarray(x.astype(x.dtype.newbyteorder("=")))
    if x.dtype.kind in "biu":
        return np.cumsum(x, axis)
    return tree_sums_along(x, axis)


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("name", ["bool", "int16", "uint64", "float16", "float32", "complex64", "complex128"])
def test_every_axis_of_every_layout(name, layout, numbers, threads):
    x = LAYOUTS[layout](numbers(name, (5, 130, 6)))
    for axis in range(-3, 3):
        expected = sums_along(x, axis)
        assert_same(upsweep.cumsum(x, axis), expected)
        out = np.zeros(expected.shape[::-1], expected.dtype).T[::-1]
        assert upsweep.cumsum(x, axis, out=out) is out
        assert_same(out, expected)
    assert_same(upsweep.cumsum(x), sums_along(np.ascontiguousarray(x).reshape(-1), 0))


@pytest.mark.parametrize("name", INTEGERS + FLOATS + COMPLEX)
def test_every_type_swapped_and_strided(name, numbers):
    x = numbers(name, (40, 9))
    for layout in ("swapped", "field", "unaligned"):
        y = np.asfortranarray(x)[::-2]
        z = LAYOUTS[layout](y) if layout != "swapped" else y.astype(y.dtype.newbyteorder("S"), order="K")
        assert_same(upsweep.cumsum(z, 0), sums_along(y, 0))


@pytest.mark.numpy_only
def test_results_have_the_order_of_the_input():
    x = np.zeros((30, 40), np.float32)
    assert upsweep.cumsum(x, 0).flags.c_contiguous
    columns = np.asfortranarray(x)
    assert upsweep.cumsum(columns, 0).flags.f_contiguous
    assert upsweep.sort(columns, 0).flags.f_contiguous
    for rows in (upsweep.sort(columns), upsweep.argsort(columns), upsweep.cumulative_sum(columns, axis=0, include_initial=True)):
        assert rows.flags.c_contiguous


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0), (1, 1, 1), (2, 0, 5)])
def test_small_and_empty_shapes(shape):
    x = np.ones(shape, np.int32)
    assert_same(upsweep.cumsum(x), np.cumsum(x))
    for axis in range(-max(x.ndim, 1), max(x.ndim, 1)):
        assert_same(upsweep.cumsum(x, axis), np.cumsum(x, axis))
    assert upsweep.compact(x, x > 0).size == x.size


def test_many_dimensions(numbers):
    x = numbers("int32", (2,) * 9 + (3,))
    for axis in (0, 4, 9):
        assert_same(upsweep.cumsum(x.T, axis), np.cumsum(x.T, axis))


def test_input_that_repeats_elements():
    x = np.broadcast_to(np.arange(5), (3, 5))
    assert_same(upsweep.cumsum(x, 0), np.cumsum(x, 0))


@pytest.mark.numpy_only
def test_lists_and_other_arrays():
    assert_same(upsweep.cumsum([1, 2]), np.array([1, 3]))
    assert_same(upsweep.cumsum(memoryview(np.float32([1, 2]))), np.float32([1, 3]))
    assert type(upsweep.cumsum(np.ones((2, 2)).view(np.matrix), 0)) is np.ndarray

    class Series:  # as pandas has them
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0], dtype)

    assert_same(upsweep.cumsum(Series()), np.array([1.0, 3.0]))


@pytest.mark.parametrize("name", INTEGERS[1:] + FLOATS + COMPLEX)
def test_in_place(name, numbers, threads):
    x = numbers(name, 200_000)
    expected = upsweep.cumsum(x, dtype=x.dtype)
    assert upsweep.cumsum(x, dtype=x.dtype, out=x) is x
    assert_same(x, expected)


@pytest.mark.parametrize("shift", [-3, -1, 1, 2])
def test_an_overlapping_out_gets_what_a_copy_would_give(shift, numbers):
    buffer = numbers("float32", 50_000)
    a, out = (buffer[-shift:], buffer[:shift]) if shift < 0 else (buffer[:-shift], buffer[shift:])
    expected = tree_sum(a.copy())
    upsweep.cumsum(a, out=out)
    assert_same(out, expected)


def test_out_among_the_input():
    both = np.arange(60, dtype=np.int64).reshape(10, 6)
    expected = np.cumsum(both[:, ::2], 0)
    upsweep.cumsum(both[:, ::2], 0, out=both[:, 1::2])
    assert_same(both[:, 1::2], expected)
    assert_same(both[:, ::2], np.arange(60).reshape(10, 6)[:, ::2])  # nothing beside it is written
    turned = np.arange(9.0).reshape(3, 3)
    expected = np.cumsum(turned, 0)
    upsweep.cumsum(turned, 0, out=turned.T)
    assert_same(turned.T, expected)


@pytest.mark.numpy_only
@pytest.mark.parametrize("layout", ["swapped", "field", "unaligned"])
def test_out_that_cannot_be_written_directly(layout):
    x = np.arange(60, dtype=np.int64).reshape(3, 4, 5)
    out = LAYOUTS[layout](np.zeros_like(x))
    assert upsweep.cumsum(x, 1, out=out) is out
    assert_same(out.astype(np.int64), np.cumsum(x, 1))


@pytest.mark.numpy_only
def test_read_only_input():
    x = np.arange(5)
    x.flags.writeable = False
    assert_same(upsweep.cumsum(x), np.cumsum(x))
    with pytest.raises(ValueError, match="out: the array is read-only"):
        upsweep.cumsum(x, out=x)


def test_nothing_is_written_beside_out():
    for size, start in itertools.product([1, 5, 127, 5000, 100_001], [1, 2, 3]):
        buffer = np.full(size + 8, -7, np.int32)
        upsweep.cumsum(np.ones(size, np.int32), out=buffer[start:start + size])
        assert np.all(buffer[:start] == -7)
        assert np.all(buffer[start + size:] == -7)


def test_huge_strides_and_more_than_four_gibibytes_of_addresses():
    buffer = np.lib.stride_tricks.as_strided(np.zeros(3, np.int8), (3,), (1,))
    assert_same(upsweep.cumsum(buffer), np.zeros(3, np.int64))
