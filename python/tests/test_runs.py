"""Totals of segments, and runs of equal neighbours."""
import numpy as np
import pytest
from conftest import COMPLEX, FLOATS, INTEGERS
from reference import SUPER, assert_same, segmented_tree_sum

import upsweep

SIZES = [0, 1, 2, 129, 5000]


def runs_of(numbers, name, n, longest):
    """Elements in runs of up to so many equal ones."""
    lengths = np.abs(numbers("int32", n).astype(np.int64)) % longest + 1
    count = np.searchsorted(np.cumsum(lengths), n) + 1
    return np.repeat(numbers(name, n)[:count], lengths[:count])[:n]


def starts_of(x):
    """Where runs begin."""
    return np.flatnonzero(np.concatenate([np.ones(min(x.size, 1), bool), x[1:] != x[:-1]]))


def last_ones(scanned, starts):
    return scanned[np.concatenate([starts[1:], [scanned.size]]) - 1] if starts.size else scanned[:0]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", INTEGERS + FLOATS + COMPLEX)
def test_runs(name, size, numbers):
    x = runs_of(numbers, name, size, 7)
    starts = starts_of(x)
    lengths = np.diff(np.concatenate([starts, [size]]))
    inverse = np.repeat(np.arange(starts.size), lengths)
    assert_same(upsweep.unique_consecutive(x), x[starts])
    elements, counts = upsweep.run_length_encode(x)
    assert_same(elements, x[starts])
    assert_same(counts, lengths)
    for found, expected in zip(upsweep.unique_consecutive(x, return_inverse=True, return_counts=True), (x[starts], inverse, lengths)):
        assert_same(found, expected)
    found = upsweep.unique_consecutive(x, True)
    assert len(found) == 2
    assert_same(found[1], inverse)


@pytest.mark.parametrize("size", [70_001, SUPER + 77])
def test_long_arrays_of_runs(size, numbers, threads):
    for longest in (1, 3, 50_000):
        x = runs_of(numbers, "int32", size, longest)
        starts = starts_of(x)
        elements, counts = upsweep.run_length_encode(x)
        assert_same(elements, x[starts])
        assert_same(counts, np.diff(np.concatenate([starts, [size]])))


def test_what_is_equal():
    x = np.array([0.0, -0.0, np.nan, np.nan, 1, 1], np.float32)
    elements, counts = upsweep.run_length_encode(x)
    assert_same(elements, np.array([0, np.nan, np.nan, 1], np.float32))
    assert_same(counts, np.array([2, 1, 1, 2]))
    assert not np.signbit(elements[0])
    assert np.signbit(upsweep.unique_consecutive(x[1:])[0])
    same_bits = upsweep.unique_consecutive(np.array([np.nan], np.float64).view(np.int64) + np.arange(3))
    assert same_bits.size == 3


def test_runs_of_arrays_as_they_come(numbers):
    x = runs_of(numbers, "int16", 1200, 5).reshape(30, 40)
    for y in (x, np.asfortranarray(x), x[::-1, ::3], x.astype(">i2")):
        flat = np.ascontiguousarray(y.astype(np.int16)).reshape(-1)
        starts = starts_of(flat)
        elements, inverse, counts = upsweep.unique_consecutive(y, True, True)
        assert_same(elements, flat[starts])
        assert_same(elements[inverse], np.ascontiguousarray(y.astype(np.int16)))
        assert_same(np.repeat(elements, counts), flat)


@pytest.mark.parametrize("op", ["plus", "multiplies", "minimum", "maximum", "bit_and", "bit_or", "bit_xor", "logical_and", "logical_or"])
@pytest.mark.parametrize("name", INTEGERS)
def test_totals_of_integers(name, op, numbers):
    for size in SIZES:
        x, keys = numbers(name, size), runs_of(numbers, "int64", size, 9)
        starts = starts_of(keys)
        heads = np.zeros(size, bool)
        heads[starts] = True
        for how in ({}, {"initial": 1}):
            expected = last_ones(upsweep.inclusive_segmented_scan(x, op, keys=keys, **how), starts)
            assert_same(upsweep.segmented_reduce(x, op, keys=keys, **how), expected)
            assert_same(upsweep.segmented_reduce(x, op, heads=heads, **how), expected)
            first, totals = upsweep.reduce_by_key(keys, x, op, **how)
            assert_same(first, keys[starts])
            assert_same(totals, expected)


@pytest.mark.parametrize("name", FLOATS + COMPLEX)
def test_totals_of_floating_point(name, numbers):
    for op in ("plus", "multiplies", *([] if name in COMPLEX else ["minimum", "maximum"])):
        for size in SIZES:
            x, keys = numbers(name, size), runs_of(numbers, "uint8", size, 9)
            starts = starts_of(keys)
            first, totals = upsweep.reduce_by_key(keys, x, op)
            assert_same(first, keys[starts])
            assert_same(totals, last_ones(upsweep.inclusive_segmented_scan(x, op, keys=keys), starts))


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("size", [70_001, SUPER + 77])
def test_bits_of_sums(name, size, numbers, threads):
    x = numbers(name, size)
    for longest in (1, 40, 30_000):
        keys = runs_of(numbers, "int32", size, longest)
        starts = starts_of(keys)
        heads = np.zeros(size, bool)
        heads[starts] = True
        expected = last_ones(segmented_tree_sum(x, heads), starts)
        assert_same(upsweep.segmented_reduce(x, keys=keys), expected)
        assert_same(upsweep.segmented_reduce(x, heads=heads), expected)
        assert_same(upsweep.reduce_by_key(keys, x)[1], expected)
        assert_same(upsweep.segmented_reduce(x, offsets=np.append(starts, size)), expected)


@pytest.mark.parametrize("name", INTEGERS + FLOATS + COMPLEX)
def test_keys_of_every_type(name, numbers):
    keys, x = runs_of(numbers, name, 700, 7), numbers("int32", 700)
    starts = starts_of(keys)
    first, totals = upsweep.reduce_by_key(keys, x)
    assert_same(first, keys[starts])
    assert_same(totals, np.add.reduceat(x.astype(np.int64), starts))


def test_empty_segments():
    x = np.array([3.0, 1.0, 4.0], np.float32)
    offsets = np.array([0, 0, 2, 2, 3, 3], np.int32)
    assert_same(upsweep.segmented_reduce(x, offsets=offsets), np.array([-0.0, 4, -0.0, 4, -0.0], np.float32))
    assert_same(upsweep.segmented_reduce(x, "maximum", offsets=offsets), np.array([-np.inf, 3, -np.inf, 4, -np.inf], np.float32))
    assert_same(upsweep.segmented_reduce(x, offsets=offsets, initial=1), np.array([1, 5, 1, 5, 1], np.float32))
    assert_same(upsweep.segmented_reduce(x.astype(np.int8), "minimum", offsets=offsets), np.array([127, 1, 127, 4, 127], np.int8))
    assert_same(upsweep.segmented_reduce(x[:0], offsets=np.zeros(3, np.int64)), np.full(2, -0.0, np.float32))
    assert_same(upsweep.segmented_reduce(x[:0], offsets=np.zeros(1, np.int64)), np.zeros(0, np.float32))


def test_types_of_totals():
    x, heads = np.array([100, 100, 100], np.int8), np.array([True, False, True])
    assert_same(upsweep.segmented_reduce(x, heads=heads), np.array([200, 100]))
    assert_same(upsweep.segmented_reduce(x, heads=heads, dtype=np.int8), np.array([-56, 100], np.int8))
    assert_same(upsweep.segmented_reduce(x, heads=heads, dtype=np.float16), np.array([200, 100], np.float16))
    assert_same(upsweep.segmented_reduce(x, np.maximum, heads=heads, initial=120), np.array([120, 120], np.int8))
    assert_same(upsweep.reduce_by_key(heads, x, dtype=np.float64)[1], np.array([100, 100, 100.0]))
    halves = np.array([2048, 1, 1, 1], np.float16)
    assert_same(upsweep.segmented_reduce(halves, heads=[1, 0, 0, 1]), np.array([2050, 1], np.float16))


@pytest.mark.numpy_only
def test_keys_that_numpy_alone_compares():
    x = np.arange(5)
    for keys in (["a", "a", "b", "c", "c"], np.array([1, 1, 2, 3, 3], "M8[D]"), np.array([1, 1, 2, 3, 3], ">i4")):
        first, totals = upsweep.reduce_by_key(keys, x)
        assert np.array_equal(first, np.asarray(keys)[[0, 2, 3]])
        assert_same(totals, np.array([1, 2, 7]))
        assert_same(upsweep.segmented_reduce(x, keys=keys), np.array([1, 2, 7]))
    if hasattr(getattr(np, "dtypes", None), "StringDType"):  # text of any length, from NumPy 2.0 on
        keys = np.array(["a", "a", "b", "c", "c"], np.dtypes.StringDType())
        first, totals = upsweep.reduce_by_key(keys, x)
        assert first.tolist() == ["a", "b", "c"] and first.dtype == keys.dtype
        assert_same(totals, np.array([1, 2, 7]))
        assert_same(upsweep.segmented_reduce(x, keys=keys), np.array([1, 2, 7]))
        with pytest.raises(TypeError, match="^a: expected one of"):
            upsweep.cumsum(keys)


def test_what_has_no_totals():
    x = np.ones(6)
    with pytest.raises(ValueError, match="^keys: expected shape"):
        upsweep.reduce_by_key(np.ones(5), x)
    with pytest.raises(ValueError, match="^a: expected one dimension"):
        upsweep.reduce_by_key(np.ones((2, 3)), np.ones((2, 3)))
    for wrong in ([0, 5], [0, 7], [1, 6], [0, 4, 3, 6], [0, 3, 9, 6], [0, 0, 9, 9], [-1, 6], [0, -1, 6], [6], [1, 2, 3, 4, 5, 5]):
        for values in (x, x.astype(bool), x.astype(complex)):  # by totals alone, and by scans
            with pytest.raises(ValueError, match="^offsets: "):
                upsweep.segmented_reduce(values, offsets=np.array(wrong))
    with pytest.raises(ValueError, match="^offsets: "):
        upsweep.segmented_reduce(x[:0], offsets=np.array([0, 1]))
    with pytest.raises(TypeError, match="^initial: "):
        upsweep.segmented_reduce(np.ones(6, np.int32), keys=x, initial=0.5)
    with pytest.raises((TypeError, ValueError), match="^(a|dtype|op): "):
        upsweep.segmented_reduce(x, "bit_and", keys=x)
    for how in ({}, {"keys": x, "heads": x}, {"keys": x, "offsets": np.array([0, 6])}):
        with pytest.raises(TypeError, match="keys, offsets and heads"):
            upsweep.segmented_reduce(x, **how)
