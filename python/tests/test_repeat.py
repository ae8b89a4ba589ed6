"""Repeated elements against numpy.repeat."""
import numpy as np
import pytest
from conftest import COMPLEX, FLOATS, INTEGERS
from reference import assert_same

import upsweep

SIZES = [0, 1, 2, 129, 5000]
COUNTS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def counts_of(numbers, name, n, most):
    """Of up to `most`, many of them 0."""
    return np.maximum(np.abs(numbers("int32", n).astype(np.int64)) % (2 * most + 1) - most, 0).astype(name)


def expected_of(x, counts, axis=None):
    return np.repeat(x, counts.astype(np.int64), axis)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", INTEGERS + FLOATS + COMPLEX)
def test_elements(name, size, numbers):
    x = numbers(name, size)
    for most in (1, 5, 40):
        counts = counts_of(numbers, "int64", size, most)
        assert_same(upsweep.repeat(x, counts), expected_of(x, counts))
        assert_same(upsweep.repeat(x, counts, output_size=int(counts.sum())), expected_of(x, counts))
    for count in (0, 1, 3, 100):
        assert_same(upsweep.repeat(x, np.int32(count)), np.repeat(x, count))


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_every_type(name, numbers):
    x, counts = numbers("float32", 3000), counts_of(numbers, name, 3000, 100)
    assert_same(upsweep.repeat(x, counts), expected_of(x, counts))
    assert_same(upsweep.repeat_indices(counts), expected_of(np.arange(3000), counts))
    assert_same(upsweep.repeat(x[::2], counts[::-2]), expected_of(x[::2], counts[::-2]))
    assert_same(upsweep.repeat(x, counts[7:8]), np.repeat(x, int(counts[7])))
    grid = x.reshape(3, 1000)
    assert_same(upsweep.repeat(grid, counts[:1000], 1), expected_of(grid, counts[:1000], 1))
    flags = counts > 20
    assert_same(upsweep.repeat(x, flags), x[flags])


@pytest.mark.parametrize("size", SIZES)
def test_indices(size, numbers):
    for most in (1, 5, 300):
        counts = counts_of(numbers, "int32", size, most)
        expected = expected_of(np.arange(size), counts)
        assert_same(upsweep.repeat_indices(counts), expected)
        assert_same(upsweep.repeat_indices(counts, output_size=expected.size), expected)


@pytest.mark.parametrize("name", ["int8", "uint8", "int32", "uint32", "int64", "uint64"])
def test_offsets(name, numbers):
    for size in (0, 1, 100, 3000):
        x, counts = numbers("float32", size), counts_of(numbers, "int64", size, 1 if name.endswith("8") else 50)
        counts[100:] = 0 if name.endswith("8") else counts[100:]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(name)
        for how in ({}, {"output_size": int(offsets[-1])}):
            assert_same(upsweep.repeat(x, offsets=offsets, **how), expected_of(x, counts))
            assert_same(upsweep.repeat_indices(offsets=offsets, **how), expected_of(np.arange(size), counts))
        rows = numbers("int16", (3, size, 2))
        assert_same(upsweep.repeat(rows, axis=1, offsets=offsets), expected_of(rows, counts, 1))


@pytest.mark.parametrize("name", ["uint8", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(300, 7), (7, 300), (2, 3, 4, 5), (1, 2000), (2000, 1), (40, 0, 3), (0, 5), (3, 600, 2), (5, 1, 3)])
def test_axes(name, shape, numbers):
    x = numbers(name, shape)
    for axis in range(-x.ndim, x.ndim):
        counts = counts_of(numbers, "int64", shape[axis], 6)
        expected = expected_of(x, counts, axis)
        assert_same(upsweep.repeat(x, counts, axis), expected)
        assert_same(upsweep.repeat(x, counts, axis=axis, output_size=expected.shape[axis]), expected)
        for count in (0, 1, 4):
            assert_same(upsweep.repeat(x, count, axis), np.repeat(x, count, axis))
            assert_same(upsweep.repeat(x, np.array([count]), axis), np.repeat(x, count, axis))
    counts = counts_of(numbers, "int64", x.size, 3)
    assert_same(upsweep.repeat(x, counts), expected_of(x, counts))


def test_arrays_as_they_come(numbers):
    x = numbers("int16", (30, 40))
    counts = counts_of(numbers, "int32", 40, 4)
    for y in (np.asfortranarray(x), x[::-1, ::-1], x[::3], x.T[:, ::2], np.broadcast_to(x[0], (3, 40))):
        for axis in (0, 1):
            own = counts[:y.shape[axis]]
            assert_same(upsweep.repeat(y, own, axis), expected_of(y, own, axis))
        assert_same(upsweep.repeat(y, 2), np.repeat(y, 2))
    assert_same(upsweep.repeat(np.float32(5), 3), np.repeat(np.float32(5), 3))
    assert_same(upsweep.repeat(np.float32(5), np.array(3), 0), np.repeat(np.float32(5), 3))
    assert_same(upsweep.repeat([3, 1], [2, 1]), np.array([3, 3, 1]))


@pytest.mark.parametrize("length", [3, 5, 16, 24, 33, 64, 1000, 70_000])
def test_rows_of_bytes(length, numbers):
    n = 3 * 10**6 // length // 7 + 3
    x = numbers("uint8", (n, length))
    for most in (1, 9):
        counts = counts_of(numbers, "int64", n, most)
        assert_same(upsweep.repeat(x, counts, 0), expected_of(x, counts, 0))
    counts = np.zeros(n, np.int64)
    counts[n // 2] = 5_000_000 // length
    assert_same(upsweep.repeat(x, counts, 0), expected_of(x, counts, 0))


@pytest.mark.parametrize("size", [70_001, 1_500_007])
def test_long_arrays(size, numbers, threads):
    for name, most in (("float32", 1), ("uint8", 30), ("complex128", 4)):
        x = numbers(name, size)
        counts = counts_of(numbers, "int32", size, most)
        assert_same(upsweep.repeat(x, counts), expected_of(x, counts))
        assert_same(upsweep.repeat(x, 3), np.repeat(x, 3))
        indices, offsets = expected_of(np.arange(size), counts), np.concatenate([[0], np.cumsum(counts)])
        assert_same(upsweep.repeat_indices(counts), indices)
        assert_same(upsweep.repeat_indices(offsets=offsets), indices)
    for columns in (7, 3000):
        grid = numbers("float32", (size // columns, columns))
        for axis in (0, 1):
            counts = counts_of(numbers, "int64", grid.shape[axis], 3)
            assert_same(upsweep.repeat(grid, counts, axis), expected_of(grid, counts, axis))
    counts = np.zeros(size, np.int32)
    counts[size // 3] = 4_000_000  # of one element
    assert_same(upsweep.repeat_indices(counts), np.full(4_000_000, size // 3))


def test_runs_and_back(numbers):
    x = np.repeat(numbers("int8", 500), 3)
    assert_same(upsweep.repeat(*upsweep.run_length_encode(x)), x)


@pytest.mark.numpy_only
def test_more_results_than_memory_can_hold():
    x = np.arange(6.0)
    for call in (lambda: upsweep.repeat(x, 2**60), lambda: upsweep.repeat(x[:1], 2**63 - 1), lambda: upsweep.repeat_indices([2**61]),
                 lambda: upsweep.repeat(x.reshape(2, 3), 2**60, 0), lambda: upsweep.repeat(np.zeros((3, 0)), 2**62, 0)):
        with pytest.raises(MemoryError, match="^repeats: "):
            call()
    with pytest.raises(TypeError, match="^repeats: expected integers of up to 64 bits"):
        upsweep.repeat(x, 2**64)
    for wrong in (2**63, -1):
        with pytest.raises(ValueError, match="^output_size: expected 0 to"):
            upsweep.repeat(x, 1, output_size=wrong)


@pytest.mark.numpy_only
def test_types_that_numpy_alone_has():
    counts = np.array([2, 0, 3])
    for x in (np.array(["2020", "2021", "2022"], "M8[Y]"), np.array(["a", "bc", "def"]), np.array([b"a", b"bc", b""]),
              np.array([(1, 2.5), (3, 4.5), (5, 6.5)], "i2,f8"), np.arange(3, dtype=np.longdouble), np.arange(3, dtype=">f8"),
              np.array([(0, 1), (0, 2), (0, 3)], "u1,u8")["f1"]):
        found = upsweep.repeat(x, counts)
        assert found.dtype == x.dtype and found.tobytes() == np.repeat(x, counts).tobytes()
    assert_same(upsweep.repeat(np.arange(3), counts.astype(">u2")), np.repeat(np.arange(3), counts))
    assert upsweep.repeat([], []).size == 0 and upsweep.repeat_indices([]).dtype == np.int64
    kinds = [np.array([1, "a", None], object), np.zeros(3, "V0")]
    if hasattr(getattr(np, "dtypes", None), "StringDType"):
        kinds.append(np.array(["a", "b", "c"], np.dtypes.StringDType()))
    for x in kinds:
        with pytest.raises(TypeError, match="^a: expected elements that are nothing but their bytes"):
            upsweep.repeat(x, 2)
    with pytest.raises(TypeError, match="^a: masked"):
        upsweep.repeat(np.ma.masked_array([1, 2], [0, 1]), 2)


def test_what_is_refused():
    x = np.arange(6.0)
    for wrong in (np.array([1, 2]), np.ones((6, 1), int), np.ones(0, int), np.ones(7, int)):
        with pytest.raises(ValueError, match="^repeats: expected "):
            upsweep.repeat(x, wrong)
    for wrong in (1.5, np.ones(6), np.ones(6, complex)):
        with pytest.raises(TypeError, match="^repeats: expected "):
            upsweep.repeat(x, wrong)
    for wrong in (-1, np.array([-1]), np.array([1, 0, 2, -5, 1, 1], np.int8)):
        with pytest.raises(ValueError, match="^repeats: .*negative"):
            upsweep.repeat(x, wrong)
        with pytest.raises(ValueError, match="^repeats: .*negative"):
            upsweep.repeat(x.reshape(1, 6), wrong, 1)
    with pytest.raises(ValueError, match="^repeats: .*negative"):
        upsweep.repeat_indices(np.array([1, -1]))
    with pytest.raises(ValueError, match="^repeats: expected one dimension"):
        upsweep.repeat_indices(np.ones((2, 2), int))
    with pytest.raises(TypeError, match="^repeats: expected integers"):
        upsweep.repeat_indices(np.ones(2))
    for wrong in (np.arange(6), np.arange(8), np.arange(1, 8), np.array([0, 1, 2, 3, 2, 4, 5]), np.zeros((7, 1), int)):
        with pytest.raises(ValueError, match="^offsets: expected 7 integers that ascend from 0"):
            upsweep.repeat(x, offsets=wrong)
    for wrong in (np.zeros(0, int), np.array([1]), np.array([0, 2, 1])):
        with pytest.raises(ValueError, match="^offsets: expected . integers that ascend from 0"):
            upsweep.repeat_indices(offsets=wrong)
    with pytest.raises(TypeError, match="^offsets: expected integers"):
        upsweep.repeat(x, offsets=np.zeros(7))
    for how in ({}, {"repeats": np.ones(6, int), "offsets": np.arange(7)}):
        with pytest.raises(TypeError, match="^expected one of repeats and offsets"):
            upsweep.repeat(x, **how)
    with pytest.raises(TypeError, match="^expected one of repeats and offsets"):
        upsweep.repeat_indices(np.ones(6, int), offsets=np.arange(7))
    for axis in (1, -2):
        with pytest.raises(ValueError, match="^axis: "):
            upsweep.repeat(x, 2, axis)
    with pytest.raises(TypeError, match="^axis: "):
        upsweep.repeat(x, 2, 0.5)
    with pytest.raises(ValueError, match="^output_size: "):
        upsweep.repeat(x, 2, output_size=-1)
    with pytest.raises(TypeError, match="^output_size: "):
        upsweep.repeat(x, 2, output_size=12.0)


@pytest.mark.numpy_only
def test_wrong_sizes():
    x, counts = np.arange(6), np.array([0, 1, 2, 3, 4, 5])
    for size in (0, 14, 16, 1000):
        for call in (lambda: upsweep.repeat(x, counts, output_size=size), lambda: upsweep.repeat(x, 5, output_size=size),
                     lambda: upsweep.repeat(x.reshape(2, 3), np.array([1, 4, 2]), 1, output_size=size),
                     lambda: upsweep.repeat_indices(counts, output_size=size)):
            with pytest.raises(ValueError, match="^output_size: expected "):
                call()
    for counts in (np.full(3, 2**63, np.uint64), np.full(3, 2**63 - 1), np.uint64(2**63)):
        with pytest.raises(ValueError, match="^repeats: their sum must be less than"):
            upsweep.repeat(np.arange(3), counts)
