"""Segmented scans."""
import numpy as np
import pytest
from conftest import INTEGERS
from reference import SUPER, assert_same, exclusive, segmented_tree_sum

import upsweep


def segments(numbers, n):
    """Heads, and the same as keys and as offsets, some segments of which are empty."""
    heads = numbers("bool", n) & numbers("bool", n)
    heads[:1] = True
    starts = np.flatnonzero(heads)
    offsets = np.sort(np.concatenate([starts, starts[::7], [n]])) if n else np.array([0, 0])
    return heads, np.cumsum(heads), offsets


def by_segment(x, heads, scan):
    ends = [*np.flatnonzero(heads)[1:], x.size] if x.size else []
    begins = np.flatnonzero(heads)
    return np.concatenate([scan(x[b:e]) for b, e in zip(begins, ends)] or [scan(x)])


@pytest.mark.parametrize("size", [0, 1, 5, 129, 5000])
@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name, size, numbers):
    x = numbers(name, size)
    heads, keys, offsets = segments(numbers, size)
    wide = np.uint64 if x.dtype.kind == "u" else np.int64
    sums = by_segment(x, heads, lambda part: np.cumsum(part, dtype=wide))
    before = by_segment(x, heads, lambda part: exclusive(np.cumsum(part, dtype=wide) + wide(5), 5))
    backwards = by_segment(x, heads, lambda part: np.cumsum(part[::-1], dtype=wide)[::-1])
    for how in ({"heads": heads}, {"heads": heads.astype(np.int32) * -256}, {"keys": keys}, {"offsets": offsets}):
        assert_same(upsweep.inclusive_segmented_scan(x, **how), sums)
        assert_same(upsweep.exclusive_segmented_scan(x, initial=5, **how), before)
        assert_same(upsweep.inclusive_segmented_scan(x, reverse=True, **how), backwards)


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("size", [1, 300, 70_001, SUPER + 77])
def test_floating_point_sums(name, size, numbers, threads):
    x = numbers(name, size)
    heads, keys, _ = segments(numbers, size)
    expected = segmented_tree_sum(x, heads)
    assert_same(upsweep.inclusive_segmented_scan(x, keys=keys), expected)
    out = np.empty(2 * size, name)[::2]
    assert upsweep.inclusive_segmented_scan(x, heads=heads, out=out) is out
    assert_same(out, expected)
    assert upsweep.inclusive_segmented_scan(x, heads=heads, out=x) is x
    assert_same(x, expected)


@pytest.mark.numpy_only
def test_keys_of_other_types():
    x = np.ones(5, np.int64)
    expected = np.array([1, 2, 1, 1, 2])
    records = np.array([(1, "a"), (1, "a"), (1, "b"), (2, "b"), (2, "b")], "i4,U3")
    for keys in (["a", "a", "b", "c", "c"], np.array([1, 1, 2, 3, 3], "M8[D]"), [0.0, -0.0, 1.0, 2.0, 2.0], records):
        assert_same(upsweep.inclusive_segmented_scan(x, keys=keys), expected)
    assert_same(upsweep.inclusive_segmented_scan(x[:2], keys=[np.nan, np.nan]), np.array([1, 1]))


@pytest.mark.numpy_only
def test_lists_without_elements():
    x = np.zeros(0, np.int32)
    for how in ({"heads": []}, {"keys": []}, {"offsets": [0]}):
        assert_same(upsweep.inclusive_segmented_scan(x, **how), np.zeros(0, np.int64))
    with pytest.raises(TypeError, match="^heads: expected bool or integers"):
        upsweep.inclusive_segmented_scan(x, heads=np.zeros(0))


def test_what_describes_no_segments():
    x = np.ones(6)
    for offsets in ([], [1, 6], [0, 5], [0, 7], [0, 4, 3, 6], [0, -1, 6]):
        with pytest.raises(ValueError, match="^offsets: "):
            upsweep.inclusive_segmented_scan(x, offsets=np.array(offsets, np.int64))
    with pytest.raises(TypeError, match="^offsets: "):
        upsweep.inclusive_segmented_scan(x, offsets=[0.0, 6.0])
    with pytest.raises(ValueError, match="^heads: "):
        upsweep.inclusive_segmented_scan(x, heads=[True])
    with pytest.raises(TypeError, match="^heads: "):
        upsweep.inclusive_segmented_scan(x, heads=x)
    with pytest.raises(ValueError, match="^keys: "):
        upsweep.inclusive_segmented_scan(x, keys=[1])
    with pytest.raises(ValueError, match="^a: "):
        upsweep.inclusive_segmented_scan(np.ones((2, 3)), keys=[1])
    for how in ({}, {"keys": x, "heads": x}):
        with pytest.raises(TypeError, match="keys, offsets and heads"):
            upsweep.inclusive_segmented_scan(x, **how)
