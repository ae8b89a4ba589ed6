"""Values of scans: every type and operator, against NumPy where it computes the same bits and the tree where it does not."""
import numpy as np
import pytest
from conftest import COMPLEX, FLOATS, INTEGERS
from reference import SUPER, assert_same, exclusive, tree_sum

import upsweep

SIZES = [0, 1, 3, 4, 5, 127, 129, 4096, 4097, 100_003, SUPER + 4099]
WIDE = {"b": np.int64, "i": np.int64, "u": np.uint64}
BITWISE = {"bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor}
LOGICAL = {"logical_and": np.logical_and, "logical_or": np.logical_or}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", INTEGERS)
def test_sums_and_products_of_integers(name, size, numbers):
    x = numbers(name, size)
    wide = WIDE[x.dtype.kind]
    assert_same(upsweep.cumsum(x), np.cumsum(x, dtype=wide))
    assert_same(upsweep.cumprod(x), np.cumprod(x, dtype=wide))
    if name != "bool":
        assert_same(upsweep.cumsum(x, dtype=x.dtype), np.cumsum(x, dtype=x.dtype))
        assert_same(upsweep.inclusive_scan(x, reverse=True), np.cumsum(x[::-1], dtype=wide)[::-1])
    assert_same(upsweep.exclusive_scan(x), exclusive(np.cumsum(x, dtype=wide), 0))
    assert_same(upsweep.exclusive_scan(x, initial=3), exclusive(np.cumsum(x, dtype=wide) + wide(3), 3))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FLOATS + COMPLEX)
def test_floating_point_sums_are_those_of_the_tree(name, size, numbers, threads):
    x = numbers(name, size)
    sums = tree_sum(x)
    assert_same(upsweep.cumsum(x), sums)
    neutral = -0.0 if x.dtype.kind == "f" else complex(-0.0, -0.0)
    assert_same(upsweep.exclusive_scan(x), exclusive(sums, neutral))
    assert_same(upsweep.inclusive_scan(x, reverse=True), tree_sum(x[::-1])[::-1])
    assert_same(upsweep.inclusive_scan(x, initial=0.1),
                tree_sum(x, np.float32(0.1) if name in ("float16", "float32", "complex64") else 0.1))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", INTEGERS + FLOATS)
def test_minima_and_maxima(name, size, numbers):
    x = numbers(name, size)
    if x.dtype.kind == "f" and size > 100:
        x[size // 2] = np.nan
    assert_same(upsweep.cummax(x), np.maximum.accumulate(x))
    assert_same(upsweep.cummin(x), np.minimum.accumulate(x))
    assert_same(upsweep.inclusive_scan(x, "minimum", reverse=True), np.minimum.accumulate(x[::-1])[::-1])


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("op", list(BITWISE))
def test_bitwise(op, name, numbers):
    x = numbers(name, 5000)
    assert_same(upsweep.inclusive_scan(x, op), BITWISE[op].accumulate(x))
    assert_same(upsweep.inclusive_scan(x, BITWISE[op]), BITWISE[op].accumulate(x))


@pytest.mark.parametrize("name", INTEGERS + FLOATS + COMPLEX)
@pytest.mark.parametrize("op", list(LOGICAL))
def test_logical(op, name, numbers):
    x = numbers(name, 5000)
    x[:1000] = op == "logical_and"
    x[3000] = op != "logical_and"
    expected = LOGICAL[op].accumulate(x.astype(bool))
    assert expected[0] != expected[-1]
    assert_same(upsweep.inclusive_scan(x, op), expected)
    assert_same(upsweep.inclusive_scan(x, op, dtype=np.int8), expected.astype(np.int8))


def test_complex_products(numbers):
    x = np.array([1, 1j, -1, -1j], np.complex64)[numbers("uint8", 5000) % 4]  # exact in every grouping
    found, expected = upsweep.cumprod(x), np.cumprod(x)
    assert found.dtype == np.complex64
    assert np.array_equal(found, expected)


def test_bfloat16(numbers):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = numbers("float32", (300, 7)).astype(ml_dtypes.bfloat16)
    expected = np.stack([tree_sum(column.astype(np.float32)) for column in x.T], 1).astype(ml_dtypes.bfloat16)
    found = upsweep.cumsum(x, axis=0)
    assert found.dtype == x.dtype
    assert np.array_equal(found.view(np.uint16), expected.view(np.uint16))
    assert upsweep.cumsum(np.arange(9), dtype=ml_dtypes.bfloat16).dtype == x.dtype
    assert np.array_equal(upsweep.sort(x[:, 0]), np.sort(x[:, 0].astype(np.float32)))
    assert np.array_equal(upsweep.compact(x, ("<", 0)), x[x < 0])
    largest = upsweep.inclusive_scan(x, "maximum", initial=ml_dtypes.bfloat16(1000))
    assert np.all(largest == ml_dtypes.bfloat16(1000))


def test_dtype_is_that_of_totals_and_out_that_of_results():
    x = np.array([60000, 60000, -60000], np.float16)
    assert_same(upsweep.cumsum(x), np.array([60000, np.inf, 60000], np.float16))
    narrow = np.full(2**23 + 3, 1, np.float32)
    narrow[0] = 2**24
    out = np.empty_like(narrow)
    assert upsweep.cumsum(narrow, dtype=np.float64, out=out) is out
    assert_same(out, np.cumsum(narrow, dtype=np.float64).astype(np.float32))
    wide = np.empty(3, np.float64)
    assert_same(upsweep.cumsum(np.int8([100, 100, 100]), out=wide), np.array([100.0, 200.0, 300.0]))
    small = np.empty(3, np.int8)
    assert_same(upsweep.cumsum(np.int8([100, 100, 100]), out=small), np.array([100, -56, 44], np.int8))
    assert_same(upsweep.inclusive_scan(np.uint8([9, 3]), "minimum", out=np.empty(2)), np.array([9.0, 3.0]))


def test_nan_and_signed_zeros():
    x = np.array([-0.0, 0.0, np.inf, -np.inf, 1.0], np.float32)
    assert_same(upsweep.cumsum(x), np.array([-0.0, 0.0, np.inf, np.nan, np.nan], np.float32))
    assert_same(upsweep.cummin(np.array([0.0, -0.0, 0.0])), np.array([0.0, -0.0, -0.0]))
    assert_same(upsweep.cummax(np.array([-0.0, 0.0, np.nan, 9.0])), np.array([-0.0, 0.0, np.nan, np.nan]))


@pytest.mark.parametrize("name", FLOATS)
def test_sums_of_numbers_that_are_not_negative_never_decrease(name, numbers):
    with np.errstate(over="ignore"):  # some are infinite in float16
        x = np.abs(numbers(name, 2 * SUPER)) ** 8
    sums = upsweep.cumsum(x)
    assert np.all(sums[1:] >= sums[:-1])


def test_ones_are_counted_beyond_what_a_loop_of_floats_counts():
    ones = np.ones(2**24 + 2**20, np.float32)
    assert upsweep.cumsum(ones)[-1] == ones.size
    assert np.cumsum(ones)[-1] == 2**24


def test_initial_values():
    x = np.int32([5, 6])
    assert_same(upsweep.inclusive_scan(x, initial=-(2**63)), np.int64([5, 11]) + np.int64(-(2**63)))
    assert_same(upsweep.inclusive_scan(x, "maximum", initial=np.int8(6)), np.int32([6, 6]))
    assert_same(upsweep.inclusive_scan(np.uint64([1]), initial=2**64 - 2), np.uint64([2**64 - 1]))
    assert_same(upsweep.inclusive_scan(np.float32([1]), initial=1e300), np.float32([np.inf]))
    assert_same(upsweep.inclusive_scan(np.float32([1]), initial=-(10**400)), np.float32([-np.inf]))
    assert_same(upsweep.inclusive_scan(np.complex128([1]), initial=2**70), np.complex128([2**70 + 1]))
    assert_same(upsweep.inclusive_scan(np.complex64([1]), initial=2j), np.complex64([1 + 2j]))
    assert_same(upsweep.inclusive_scan([True], "logical_and", initial=False), np.array([False]))


@pytest.mark.parametrize("name", INTEGERS + FLOATS)
@pytest.mark.parametrize("call, scan, first", [("cumulative_sum", "cumsum", 0), ("cumulative_prod", "cumprod", 1)])
def test_of_the_array_api(call, scan, first, name, numbers):
    call, scan = getattr(upsweep, call), getattr(upsweep, scan)
    for shape, axis in (((0,), None), ((1,), 0), ((5000,), -1), ((0, 3), 0), ((3, 0), 0), ((5, 7), 0), ((5, 7), -1), ((3, 300, 5), 1)):
        x = numbers(name, shape)
        scanned = scan(x, axis)
        assert_same(call(x, axis=axis), scanned)
        edge = np.full_like(scanned.take([], 0 if axis is None else axis), first, shape=tuple(
            1 if k == (axis or 0) % x.ndim else extent for k, extent in enumerate(shape)))
        expected = np.concatenate((edge, scanned), axis or 0)
        assert_same(call(x, axis=axis, include_initial=True), expected)
        out = np.zeros(tuple(2 * extent for extent in expected.shape), expected.dtype)[tuple(slice(None, None, 2) for _ in shape)]
        assert call(x, axis=axis, out=out, include_initial=True) is out
        assert_same(out, expected)


def test_results_of_the_array_api_over_their_own_elements(numbers):
    memory = numbers("float32", 5001)
    expected = np.concatenate((np.float32([0]), upsweep.cumsum(memory[:5000])))
    upsweep.cumulative_sum(memory[:5000], out=memory, include_initial=True)
    assert_same(memory, expected)
    counts = np.uint8([3, 0, 2])
    assert_same(upsweep.cumulative_sum(counts, include_initial=True), np.uint64([0, 3, 3, 5]))
    assert_same(upsweep.cumulative_sum(counts, dtype="int32", include_initial=True), np.int32([0, 3, 3, 5]))
    assert_same(upsweep.cumulative_sum(np.float32(3), include_initial=True), np.float32([0, 3]))
