"""Sorting of segments against Python's stable sort of each."""
import numpy as np
import pytest
from conftest import COMPLEX, FLOATS, INTEGERS
from reference import assert_same
from test_segments import segments
from test_sort import draw, order

import upsweep


def places_of(x, starts, descending=False):
    """The stable order of every segment, as indices into the whole."""
    ends = [*starts[1:], x.size]
    return np.concatenate([np.zeros(0, np.int64), *(b + order(x[b:e], descending) for b, e in zip(starts, ends))])


def check(x, expected, descending=False, **how):
    """expected: places."""
    assert_same(upsweep.segmented_argsort(x, descending=descending, **how), expected)
    found = upsweep.segmented_sort(x, descending=descending, **how)
    assert found.dtype == x.dtype
    assert found.tobytes() == x[expected].tobytes()  # NaNs too are copied as they are


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value)")
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("name", INTEGERS + FLOATS)
def test_order_is_stable(name, descending, numbers):
    for size in (0, 1, 2, 33, 300, 5000):
        x = draw(numbers, name, size)
        heads, keys, offsets = segments(numbers, size)
        expected = places_of(x, np.flatnonzero(heads), descending)
        for how in ({"heads": heads}, {"heads": heads.astype(np.int32) * -256}, {"keys": keys}, {"offsets": offsets},
                    {"offsets": offsets.astype(np.int32)}):
            check(x, expected, descending, **how)


@pytest.mark.parametrize("length", [1, 2, 31, 32, 33, 700, 6_000, 12_000, 50_000])
@pytest.mark.parametrize("name", ["uint8", "int16", "float32", "uint64"])
def test_segments_of_one_length(name, length, numbers):
    x = numbers(name, 5 * length)
    rows = x.reshape(5, length)
    offsets = np.arange(6) * length
    assert_same(upsweep.segmented_sort(x, offsets=offsets), np.sort(rows).reshape(-1))
    places = np.argsort(rows, kind="stable") + offsets[:-1, None]
    assert_same(upsweep.segmented_argsort(x, offsets=offsets), places.reshape(-1))


@pytest.mark.parametrize("name", ["int16", "uint64", "float32", "float64"])
def test_large(name, numbers, threads):
    x = numbers(name, 300_000)
    for shift in (0, 2, 9, 17, 30):  # segments of 1 to all elements, most of them short
        heads = numbers("uint64", x.size) >> np.uint64(64 - shift) == 0 if shift else np.ones(x.size, bool)
        heads[0] = False  # the first element starts one whatever it says
        expected = np.lexsort((x, np.cumsum(heads)))
        assert_same(upsweep.segmented_argsort(x, heads=heads), expected)
        assert_same(upsweep.segmented_sort(x, heads=heads), x[expected])


@pytest.mark.parametrize("descending", [False, True])
def test_bfloat16(descending, numbers):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = numbers("float32", 3000).astype(ml_dtypes.bfloat16)
    x[::7], x[::11], x[::13] = np.nan, 0.0, -0.0
    heads, _, _ = segments(numbers, x.size)
    places = places_of(x.astype(np.float32), np.flatnonzero(heads), descending)
    assert_same(upsweep.segmented_argsort(x, heads=heads, descending=descending), places)
    found = upsweep.segmented_sort(x, heads=heads, descending=descending)
    assert found.dtype == x.dtype and found.tobytes() == x[places].tobytes()


def test_zeros_and_nans():
    x = np.array([np.nan, 0.0, -0.0, -1, -0.0, 0.0, np.inf, np.nan, 1, np.nan], np.float32)
    starts = {"offsets": np.array([0, 4, 4, 7, 10])}
    check(x, np.array([3, 1, 2, 0, 4, 5, 6, 8, 7, 9]), **starts)
    check(x, np.array([0, 1, 2, 3, 6, 4, 5, 7, 9, 8]), descending=True, **starts)


def test_empty_segments():
    x = np.array([3, 1, 2, 9, 8], np.int8)
    for offsets in ([0, 0, 3, 3, 3, 5, 5], [0, 3, 5]):
        check(x, np.array([1, 2, 0, 4, 3]), offsets=np.array(offsets))
    for offsets in ([0], [0, 0, 0]):
        check(x[:0], np.zeros(0, np.int64), offsets=np.array(offsets))
    check(x[:1], np.zeros(1, np.int64), heads=np.array([False]))


@pytest.mark.numpy_only
def test_keys_of_other_types():
    x = np.array([5, 4, 3, 2, 1])
    records = np.array([(1, "a"), (1, "a"), (1, "b"), (2, "b"), (2, "b")], "i4,U3")
    for keys in (["a", "a", "b", "c", "c"], np.array([1, 1, 2, 3, 3], "M8[D]"), [0.0, -0.0, 1.0, 2.0, 2.0], records):
        check(x, np.array([1, 0, 2, 4, 3]), keys=keys)
    check(x[:2], np.array([0, 1]), keys=[np.nan, np.nan])
    assert_same(upsweep.segmented_sort([2, 1, 4, 3], heads=[0, 0, 1, 0]), np.array([1, 2, 3, 4]))
    for how in ({"heads": []}, {"keys": []}, {"offsets": [0]}):
        assert_same(upsweep.segmented_argsort(np.zeros(0), **how), np.zeros(0, np.int64))


def test_arrays_as_they_come(numbers):
    x = numbers("int32", 4000)
    heads, _, _ = segments(numbers, 2000)
    unaligned = np.frombuffer(b"x" + x[:2000].tobytes(), np.int32, offset=1)
    for y in (x[::2], x[:2000][::-1], x[:2000].astype(">i4"), unaligned, x.reshape(20, 200).T[:, :20].reshape(-1)[:2000]):
        flags = heads[:y.size]
        check(np.ascontiguousarray(y.astype(np.int32)), places_of(y, np.flatnonzero(flags)), heads=flags)
        assert_same(upsweep.segmented_argsort(y, heads=flags), places_of(y, np.flatnonzero(flags)))
        assert_same(upsweep.segmented_sort(y, heads=flags[::-1][::-1]), y.astype(np.int32)[places_of(y, np.flatnonzero(flags))])


@pytest.mark.parametrize("name", ["uint8", "float32", "int64"])
def test_out(name, numbers):
    x = numbers(name, 600)
    heads, keys, _ = segments(numbers, 600)
    places = places_of(x, np.flatnonzero(heads))
    for out in (np.empty_like(x), np.empty(1200, name)[::2], np.empty(600, name)[::-1], np.empty(600, x.dtype.newbyteorder("S"))):
        assert upsweep.segmented_sort(x, keys=keys, out=out) is out
        assert np.array_equal(out, x[places])
    for out in (np.empty(600, np.int64), np.empty(1200, np.int64)[::2], np.empty(600, ">i8")):
        assert upsweep.segmented_argsort(x, heads=heads, out=out) is out
        assert np.array_equal(out, places)
    own = x.copy()
    assert upsweep.segmented_sort(own, heads=heads, out=own) is own
    assert_same(own, x[places])


def test_out_that_overlaps_what_is_read(numbers):
    buffer = numbers("int64", 1000)
    heads, _, _ = segments(numbers, 999)
    places = places_of(buffer[:-1], np.flatnonzero(heads))
    expected = buffer[:-1][places]
    upsweep.segmented_sort(buffer[:-1], heads=heads, out=buffer[1:])
    assert_same(buffer[1:], expected)
    own = expected[::-1].copy()
    expected = places_of(own, np.flatnonzero(heads))
    upsweep.segmented_argsort(own, heads=heads, out=own)
    assert_same(own, expected)
    x, flags = numbers("bool", 999), heads.copy()
    upsweep.segmented_sort(x, heads=flags, out=flags)
    assert_same(flags, x[places_of(x, np.flatnonzero(heads))])
    x, offsets = np.array([3, 1, 2]), np.array([0, 1, 3])
    upsweep.segmented_argsort(x, offsets=offsets, out=offsets)
    assert_same(offsets, np.array([0, 1, 2]))


def test_what_is_refused():
    x = np.ones(6)
    for call in (upsweep.segmented_sort, upsweep.segmented_argsort):
        for offsets in ([], [1, 6], [0, 5], [0, 7], [0, 4, 3, 6], [0, -1, 6]):
            with pytest.raises(ValueError, match="^offsets: "):
                call(x, offsets=np.array(offsets, np.int64))
        with pytest.raises(TypeError, match="^offsets: "):
            call(x, offsets=[0.0, 6.0])
        with pytest.raises(ValueError, match="^heads: "):
            call(x, heads=[True])
        with pytest.raises(TypeError, match="^heads: "):
            call(x, heads=x)
        with pytest.raises(ValueError, match="^keys: "):
            call(x, keys=[1])
        for wrong in (np.ones((2, 3)), np.array(1.0)):
            with pytest.raises(ValueError, match="^a: expected one dimension"):
                call(wrong, keys=[1])
        for name in COMPLEX:
            with pytest.raises(TypeError, match="^a: .* has no order"):
                call(x.astype(name), keys=x)
        for how in ({}, {"keys": x, "heads": x}, {"keys": x, "offsets": np.array([0, 6])}):
            with pytest.raises(TypeError, match="keys, offsets and heads"):
                call(x, **how)
        with pytest.raises(TypeError, match="^out: "):
            call(x, keys=x, out=np.zeros(6, np.int32))
        with pytest.raises(ValueError, match="^out: "):
            call(x, keys=x, out=np.zeros(5, np.int64 if call is upsweep.segmented_argsort else np.float64))
    with pytest.raises(TypeError, match="^out: "):
        upsweep.segmented_sort(x, keys=x, out=np.zeros(6, np.int64))
    with pytest.raises(TypeError, match="^out: "):
        upsweep.segmented_argsort(x, keys=x, out=np.zeros(6))
