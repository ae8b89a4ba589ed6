"""Compaction and partition, against indexing with a mask."""
import operator

import numpy as np
import pytest
from conftest import COMPLEX, FLOATS, INTEGERS
from reference import assert_same

import upsweep

COMPARE = {"<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">=": operator.ge, ">": operator.gt}


def check(x, condition, mask):
    flat, flags = x.reshape(-1), mask.reshape(-1)
    kept, others = np.flatnonzero(flags), np.flatnonzero(~flags)
    both = np.concatenate([kept, others])
    assert_same(upsweep.compact(x, condition), flat[kept])
    assert_same(upsweep.compact_indices(x, condition), kept)
    for call, expected in ((upsweep.partition, flat[both]), (upsweep.partition_indices, both)):
        found, count = call(x, condition)
        assert_same(found, expected)
        assert count == kept.size


@pytest.mark.parametrize("size", [0, 1, 7, 64, 1000, 100_003])
@pytest.mark.parametrize("name", INTEGERS + FLOATS + COMPLEX)
def test_masks(name, size, numbers):
    x = numbers(name, size)
    mask = numbers("bool", size)
    for flags in (mask, np.zeros(size, bool), np.ones(size, bool), mask[::-1]):
        check(x, flags, flags)


@pytest.mark.parametrize("op", list(COMPARE))
@pytest.mark.parametrize("name", INTEGERS + FLOATS)
def test_comparisons(name, op, numbers, threads):
    x = numbers(name, 5000)
    if x.dtype.kind == "f":
        x[7::10] = np.nan
        x[::9] = 0.25
        values = [0.25, -1.0, 0]
    elif name == "bool":
        values = [0, 1]
    else:
        x[::9] = 5
        values = [5, 0]
    for value in values:
        check(x, (op, value), COMPARE[op](x, value))


@pytest.mark.parametrize("name", [name for name in INTEGERS + FLOATS if name != "bool"])
def test_numbers_at_the_ends_of_a_type(name):
    if name in FLOATS:
        limits = np.finfo(name)
        ends = [-np.inf, limits.min, -limits.smallest_subnormal, -0.0, 0.0, limits.smallest_subnormal, limits.max, np.inf, np.nan]
    else:
        ends = [np.iinfo(name).min, np.iinfo(name).min + 1, np.iinfo(name).max - 1, np.iinfo(name).max]
    x = np.array(ends * 3 + [1], name)
    for op in COMPARE:
        for number in ends:
            value = x.dtype.type(number)
            check(x, (op, float(value) if name in FLOATS else int(value)), COMPARE[op](x, value))


def test_numbers_that_the_type_does_not_hold(numbers):
    x = numbers("uint8", 1000)
    check(x, ("<", 300), np.ones(1000, bool))
    check(x, (">", -1), np.ones(1000, bool))
    for number in (2.5, -0.5, 300.0, 1e30, -1e30, np.inf, -np.inf, np.nan, np.float32(7), 2**70, -2**70):
        for op in COMPARE:
            check(x, (op, number), COMPARE[op](x.astype(np.float64), float(number)))
    check(np.int64([2**53, 2**53 + 1]), (">", 2**53), np.array([False, True]))
    check(np.float32([1, np.nan]), ("!=", np.nan), np.array([True, True]))


@pytest.mark.numpy_only
def test_lists_without_elements():
    x = np.zeros(0, np.int32)
    assert_same(upsweep.compact(x, []), x)
    assert_same(upsweep.partition_indices(x, [])[0], np.zeros(0, np.int64))
    assert_same(upsweep.compact(np.zeros((2, 0)), [[], []]), np.zeros(0))
    for condition in (np.zeros(0), [1.0]):
        with pytest.raises(TypeError, match="^condition: expected bool"):
            upsweep.compact(x, condition)


def test_arrays_as_they_come(numbers):
    x = numbers("int32", (30, 40))
    for y in (np.asfortranarray(x), x[::-1, ::3], x.astype(">i4")):
        native = np.ascontiguousarray(y.astype(np.int32))
        check(native, native % 2 == 0, native % 2 == 0)
        assert_same(upsweep.compact(y, y < 0), native[native < 0])
        assert_same(upsweep.compact(y, ("<", 0)), native[native < 0])
