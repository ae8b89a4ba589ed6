"""Totals of whole arrays and along an axis: the last results of scans."""
import numpy as np
import pytest
from conftest import COMPLEX, FLOATS, INTEGERS
from reference import SUPER, assert_same, tree_sum, tree_sums_along
from test_arrays import LAYOUTS

import upsweep

SIZES = [1, 3, 4, 5, 127, 128, 129, 4096, 4097, 100_003, SUPER, SUPER + 4099]
WIDE = {"b": np.int64, "i": np.int64, "u": np.uint64}
SHAPES = [(5, 7), (300, 40), (2, 5000), (5000, 3), (3, 130, 9), (40, 2, 3, 8)]


def operators_of(name):
    if name in COMPLEX:
        return ["plus", "multiplies"]
    bitwise = ["bit_and", "bit_or", "bit_xor"] if name in INTEGERS else []
    return ["plus", "multiplies", "minimum", "maximum", *bitwise, "logical_and", "logical_or"]


def last_of(x, op="plus", axis=None, **how):
    """The last results of a scan."""
    scanned = upsweep.inclusive_scan(x, op, axis=axis, **how)
    return scanned.take(-1, 0 if axis is None else axis)


@pytest.mark.parametrize("size", [0, *SIZES])
@pytest.mark.parametrize("name", INTEGERS)
def test_totals_of_integers_are_numpys(name, size, numbers):
    x = numbers(name, size)
    wide = WIDE[x.dtype.kind]
    assert_same(upsweep.sum(x), np.sum(x, dtype=wide))
    assert_same(upsweep.prod(x), np.prod(x, dtype=wide))
    assert_same(upsweep.reduce(x, initial=3), np.sum(x, dtype=wide) + wide(3))
    if name != "bool":
        assert_same(upsweep.sum(x, dtype=x.dtype), np.sum(x, dtype=x.dtype))
    if size:
        assert_same(upsweep.reduce(x, "maximum"), np.max(x))
        assert_same(upsweep.reduce(x, np.minimum), np.min(x))
        assert_same(upsweep.reduce(x, "bit_xor"), np.bitwise_xor.reduce(x))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FLOATS + COMPLEX)
def test_floating_point_sums_are_those_of_the_tree(name, size, numbers, threads):
    x = numbers(name, size)
    assert_same(upsweep.sum(x), tree_sum(x)[-1])
    assert_same(upsweep.sum(x[::-1]), tree_sum(x[::-1])[-1])
    start = np.float32(0.1) if name in ("float16", "float32", "complex64") else 0.1
    assert_same(upsweep.reduce(x, initial=0.1), tree_sum(x, start)[-1])


@pytest.mark.parametrize("name", INTEGERS + FLOATS + COMPLEX)
def test_every_operator_along_every_axis(name, numbers):
    for shape in SHAPES:
        x = numbers(name, shape)
        for op in operators_of(name):
            for axis in (*range(-len(shape), len(shape)), None):
                expected = last_of(x, op, axis)
                assert_same(upsweep.reduce(x, op, axis=axis), expected)
                kept = upsweep.reduce(x, op, axis=axis, keepdims=True)
                assert_same(kept, expected.reshape([1 if axis is None or k == axis % len(shape) else n for k, n in enumerate(shape)]))


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("name", ["bool", "int16", "float16", "float32", "complex64"])
def test_every_layout(name, layout, numbers, threads):
    x = LAYOUTS[layout](numbers(name, (5, 300, 6)))
    plain = np.ascontiguousarray(x.astype(x.dtype.newbyteorder("=")))
    for axis in range(-3, 3):
        sums = np.cumsum(plain, axis) if name in INTEGERS else tree_sums_along(plain, axis)
        assert_same(upsweep.sum(x, axis), sums.take(-1, axis))
        assert_same(upsweep.reduce(x, "logical_or", axis=axis, initial=False), last_of(plain, "logical_or", axis))
    assert_same(upsweep.sum(x), last_of(plain))


@pytest.mark.parametrize("shape, axis", [((300_001, 2), 0), ((2, 300_001), 1), ((40_000, 33), 0), ((33, 40_000), -1), ((5000, 4, 5), 0),
                                         ((20_000, 9), 1)])
def test_large_arrays(shape, axis, numbers, threads):
    for name in ("float32", "int8", "float64"):
        x = numbers(name, shape)
        for op in ("plus", "maximum"):
            assert_same(upsweep.reduce(x, op, axis=axis), last_of(x, op, axis))


def test_bfloat16(numbers):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = numbers("float32", (300, 7)).astype(ml_dtypes.bfloat16)
    for axis in (0, 1, None):
        for op, initial in (("plus", None), ("maximum", 0.5)):
            found, expected = upsweep.reduce(x, op, axis=axis, initial=initial), last_of(x, op, axis, initial=initial)
            assert found.dtype == x.dtype and found.shape == expected.shape
            assert np.array_equal(np.asarray(found).view(np.uint16), np.asarray(expected).view(np.uint16))
    assert upsweep.sum(np.arange(9), dtype=ml_dtypes.bfloat16).dtype == x.dtype


def test_totals_of_no_elements():
    identities = {"plus": -0.0, "multiplies": 1, "minimum": np.inf, "maximum": -np.inf}
    for op, identity in identities.items():
        for shape, axis in (((0,), 0), ((0,), None), ((0, 3), 0), ((4, 0, 2), 1), ((4, 0, 2), None), ((0, 3), 1)):
            x = np.zeros(shape, np.float32)
            left = () if axis is None else tuple(np.delete(shape, axis))
            assert_same(upsweep.reduce(x, op, axis=axis), np.full(left, identity, np.float32))
            assert_same(upsweep.reduce(x, op, axis=axis, initial=2.5), np.full(left, 2.5, np.float32))
    assert_same(upsweep.sum(np.zeros((3, 0), np.uint8), 1, keepdims=True), np.zeros((3, 1), np.uint64))
    assert_same(upsweep.reduce(np.zeros(0, np.int16), "maximum"), np.int16(-(2**15)))
    assert_same(upsweep.reduce(np.zeros((0, 2)), "logical_and", axis=0), np.ones(2, bool))
    assert_same(upsweep.reduce(np.zeros(0, np.complex64), initial=2j), np.complex64(2j))
    assert_same(upsweep.prod(np.zeros((2, 0), np.float16), 1), np.ones(2, np.float16))


def test_an_array_without_dimensions():
    for axis in (None, 0, -1):
        for keepdims in (False, True):
            assert_same(upsweep.sum(np.array(3, np.int8), axis, keepdims=keepdims), np.int64(3))
    assert_same(upsweep.reduce(np.array(3, np.float32), "maximum", initial=5), np.float32(5))


def test_types_of_totals_and_results(numbers):
    x = numbers("float16", 5000)
    assert_same(upsweep.sum(x, dtype=np.float64), tree_sum(x.astype(np.float64))[-1])
    assert_same(upsweep.sum(np.int8([100, 100, 100]), dtype="int8"), np.int8(44))
    assert_same(upsweep.sum(np.array([60000, 60000, -60000], np.float16)), np.float16(60000))
    assert_same(upsweep.reduce(np.int32([5, 6]), initial=-(2**63)), np.int64(11) + np.int64(-(2**63)))
    assert_same(upsweep.reduce(np.int32([5, 6]), "maximum", initial=np.int8(7)), np.int32(7))
    assert_same(upsweep.reduce(np.float32([1]), initial=1e300), np.float32(np.inf))
    assert_same(upsweep.reduce(np.float32([0, 2, 0]), "logical_or", dtype=np.int8), np.int8(1))


def test_ones_are_counted_beyond_what_a_loop_of_floats_counts():
    ones = np.ones(2**24 + 2**20, np.float32)
    assert upsweep.sum(ones) == ones.size
    assert upsweep.sum(ones.reshape(-1, 2), axis=0).tolist() == [ones.size / 2] * 2


def test_nan_and_signed_zeros():
    assert_same(upsweep.sum(np.float32([-0.0, -0.0])), np.float32(-0.0))
    assert_same(upsweep.sum(np.float32([-0.0, 0.0])), np.float32(0.0))
    assert_same(upsweep.sum(np.float32([np.inf, -np.inf, 1])), np.float32(np.nan))
    assert_same(upsweep.reduce([0.0, -0.0, 0.0], "minimum"), np.float64(-0.0))
    assert_same(upsweep.reduce([0.0, np.nan, 9.0], "maximum"), np.float64(np.nan))


def test_input_that_repeats_elements():
    x = np.broadcast_to(np.arange(5), (3, 5))
    assert_same(upsweep.sum(x, 0), np.sum(x, 0))
    assert_same(upsweep.sum(x), np.sum(x))


def test_many_dimensions(numbers):
    x = numbers("int32", (2,) * 9 + (3,))
    for axis in (0, 4, 9):
        assert_same(upsweep.sum(x.T, axis), np.sum(x.T, axis, dtype=np.int64))


@pytest.mark.numpy_only
def test_what_kind_of_object_a_result_is():
    for x, axis in ((np.ones(3, np.float32), None), (np.ones(3, np.int8), 0), (np.ones((2, 3)), None), (3, None), ([1.0, 2.0], -1)):
        assert type(upsweep.sum(x, axis)) is type(np.sum(x, axis))
    assert type(upsweep.sum(np.ones((2, 3)), 0)) is np.ndarray
    assert type(upsweep.sum(np.ones(3), keepdims=True)) is np.ndarray
    assert type(upsweep.sum(np.ones((2, 2)).view(np.matrix), 0)) is np.ndarray
    x = np.zeros((30, 4, 50), np.float32)
    assert upsweep.sum(x, 1).flags.c_contiguous
    assert upsweep.sum(np.asfortranarray(x), 1).flags.f_contiguous


def test_what_is_wrong():
    x = np.ones((2, 3), np.float32)
    for call in (upsweep.sum, upsweep.prod, lambda a, axis: upsweep.reduce(a, axis=axis)):
        for axis in (2, -3):
            with pytest.raises(ValueError, match="^axis: expected -2 to 1"):
                call(x, axis)
        for axis in ((0, 1), 0.5, "0"):
            with pytest.raises(TypeError, match="^axis: "):
                call(x, axis)
    with pytest.raises(ValueError, match="^axis: "):
        upsweep.sum(np.array(1.0), 1)
    with pytest.raises(ValueError, match="^op: "):
        upsweep.reduce(x, "minus")
    with pytest.raises(TypeError, match="^op: "):
        upsweep.reduce(x, np.subtract)
    with pytest.raises(TypeError, match="^a: "):
        upsweep.reduce(x, "bit_and")
    with pytest.raises(TypeError, match="^dtype: "):
        upsweep.sum(x, dtype=int)
    with pytest.raises(TypeError, match="^initial: "):
        upsweep.reduce(np.ones(4, np.int32), initial=0.5)
