"""What is wrong is said, with the argument's name first, and nothing is written."""
import numpy as np
import pytest
from conftest import COMPLEX

import upsweep

X = np.arange(6, dtype=np.int32)
GRID = X.reshape(2, 3)
TAKES_ONE = {
    "inclusive_scan": upsweep.inclusive_scan,
    "exclusive_scan": upsweep.exclusive_scan,
    "cumsum": upsweep.cumsum,
    "cumprod": upsweep.cumprod,
    "cummax": upsweep.cummax,
    "cummin": upsweep.cummin,
    "cumulative_sum": upsweep.cumulative_sum,
    "reduce": upsweep.reduce,
    "sum": upsweep.sum,
    "offsets": lambda a: upsweep.cumulative_sum(a, include_initial=True),
    "segmented": lambda a: upsweep.inclusive_segmented_scan(a, offsets=[0, 3]),
    "sort": upsweep.sort,
    "argsort": upsweep.argsort,
    "segmented sort": lambda a: upsweep.segmented_sort(a, offsets=[0, 3]),
    "segmented argsort": lambda a: upsweep.segmented_argsort(a, offsets=[0, 3]),
    "compact": lambda a: upsweep.compact(a, ("<", 1)),
    "compact_indices": lambda a: upsweep.compact_indices(a, ("<", 1)),
    "partition": lambda a: upsweep.partition(a, ("<", 1)),
    "partition_indices": lambda a: upsweep.partition_indices(a, ("<", 1)),
    "histogram": upsweep.histogram,
    "bins": upsweep.bins,
    "bin_indices": upsweep.bin_indices,
    "recurrence": lambda a: upsweep.linear_recurrence(a, 1.0),
}
WITH_OUT = {
    "inclusive_scan": lambda out: upsweep.inclusive_scan(GRID, axis=1, out=out),
    "exclusive_scan": lambda out: upsweep.exclusive_scan(GRID, axis=1, out=out),
    "cumsum": lambda out: upsweep.cumsum(GRID, 0, out=out),
    "cumulative_prod": lambda out: upsweep.cumulative_prod(GRID, axis=0, out=out),
    "sort": lambda out: upsweep.sort(GRID, out=out),
    "argsort": lambda out: upsweep.argsort(GRID, out=out),
    "recurrence": lambda out: upsweep.linear_recurrence(GRID, 1.0, out=out),
}


class OnDevice:
    """An array that another library keeps on a device."""

    def __init__(self, kind):
        self.kind = kind

    def __dlpack_device__(self):
        return self.kind, 0

    def __array__(self, dtype=None, copy=None):
        return np.arange(3.0)


class Nowhere:
    """An array that a library keeps where DLPack has no name for, such as PyTorch's of the device `meta`."""

    def __dlpack_device__(self):
        raise ValueError("Unknown device")


class OldCuda:
    __cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (0, False), "version": 3}


def raises(kind, argument):
    return pytest.raises(kind, match=f"^{argument}: ")


@pytest.mark.parametrize("function", list(TAKES_ONE))
def test_arrays_that_are_none_for_the_library(function):
    call = TAKES_ONE[function]
    for a in (np.array(["2020", "2021", "2022"], "M8[Y]"), np.ones(3, "m8[s]"), np.array([1, "a", None], object),
              np.array(["a", "b", "c"]), np.array([b"a", b"b", b"c"]), np.zeros(3, "i4,f4"), np.ones(3, np.longdouble)):
        with raises(TypeError, "a"):
            call(a)
    with raises(TypeError, "a"):
        call(np.ma.masked_array([1, 2, 3], [0, 1, 0]))
    with raises(TypeError, "a"):
        call(OnDevice(2))
    with raises(TypeError, "a"):
        call(OldCuda())
    with raises(TypeError, "a"):
        call(Nowhere())
    call(OnDevice(1))
    call(OnDevice(3))


@pytest.mark.parametrize("function", list(WITH_OUT))
def test_out(function):
    call = WITH_OUT[function]
    good = np.int64 if function == "argsort" else np.float32 if function == "recurrence" else np.int32
    call(np.zeros((2, 3), good))
    for shape in ((3, 2), (6,), (2, 3, 1), (0,), ()):
        with raises(ValueError, "out"):
            call(np.zeros(shape, good))
    for wrong in ([[0] * 3] * 2, 5, np.ma.zeros((2, 3), good), np.zeros((2, 3), object), np.zeros((2, 3), "M8[s]")):
        with raises(TypeError, "out"):
            call(wrong)
    fixed = np.zeros((2, 3), good)
    fixed.flags.writeable = False
    with raises(ValueError, "out"):
        call(fixed)
    with raises(ValueError, "out"):
        call(np.broadcast_to(good(0), (2, 3)))
    one = np.zeros(3, good)
    for strides in ((0, one.itemsize), (one.itemsize, 0), (0, 0)):
        with raises(ValueError, "out"):
            call(np.lib.stride_tricks.as_strided(one, (2, 3), strides))
    assert not np.any(fixed) and not np.any(one)


def test_out_of_another_type():
    for function, name in ((upsweep.sort, np.int64), (upsweep.sort, np.uint32), (upsweep.argsort, np.int32),
                           (upsweep.argsort, np.uint64), (upsweep.argsort, np.float64)):
        with raises(TypeError, "out"):
            function(X, out=np.zeros(6, name))
    for name in ("bool", "int32", "uint64", *COMPLEX):
        with raises(TypeError, "out"):
            upsweep.linear_recurrence(X, X, out=np.zeros(6, name))
    with raises(TypeError, "out"):
        upsweep.cumsum(X / 2, out=np.zeros(6, np.int32))
    with raises(TypeError, "out"):
        upsweep.inclusive_segmented_scan(X + 1j, heads=X, out=np.zeros(6))
    with raises(TypeError, "dtype"):
        upsweep.cumsum(X / 2, dtype=np.int32, out=np.zeros(6, np.int32))


def test_operators():
    def segmented(a, op):
        return upsweep.inclusive_segmented_scan(a, op, heads=a)

    for scan in (upsweep.inclusive_scan, upsweep.exclusive_scan, segmented):
        for op in ("sum", "", "Plus", "argmax"):
            with raises(ValueError, "op"):
                scan(X, op)
        for op in (np.subtract, np.hypot, None, 5, max):
            with raises(TypeError, "op"):
                scan(X, op)


@pytest.mark.parametrize("op", ["bit_and", "bit_or", "bit_xor"])
def test_operators_that_a_type_has_not(op):
    for name in ("float16", "float32", "float64", *COMPLEX):
        with raises(TypeError, "a"):
            upsweep.inclusive_scan(np.ones(3, name), op)
        with raises(TypeError, "a"):
            upsweep.inclusive_scan(np.ones(3, name), op, out=np.zeros(3, name))
    with raises(TypeError, "dtype"):
        upsweep.inclusive_scan(X, op, dtype=np.float32)


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers_have_no_order(name):
    x = np.ones(3, name)
    for call in (upsweep.cummax, upsweep.cummin, lambda a: upsweep.reduce(a, "maximum")):
        with raises(TypeError, "a"):
            call(x)
    for call in (upsweep.sort, upsweep.argsort, upsweep.histogram, upsweep.bins, upsweep.bin_indices):
        with raises(TypeError, "a"):
            call(x)
    with raises(TypeError, "a"):
        upsweep.linear_recurrence(x, 1.0)
    with raises(TypeError, "b"):
        upsweep.linear_recurrence(1.0, x)
    for sign in ("<", "<=", ">", ">="):
        with pytest.raises(ValueError):
            upsweep.compact(x, (sign, 1))


def test_types():
    for dtype in ("M8[s]", object, "U3", "S2", np.longdouble, "i4,i4"):
        with raises(TypeError, "dtype"):
            upsweep.cumsum(X, dtype=dtype)
        with raises(TypeError, "dtype"):
            upsweep.inclusive_segmented_scan(X, heads=X, dtype=dtype)
        with raises(TypeError, "dtype"):
            upsweep.linear_recurrence(X, X, dtype=dtype)
    for dtype in ("no such type", "i4,,", "5i4,", [("a", "i4"), ("a", "i4")]):
        with raises(TypeError, "dtype"):
            upsweep.cumsum(X, dtype=dtype)
    for dtype in ("int32", "bool", "complex64"):
        with raises(TypeError, "dtype"):
            upsweep.linear_recurrence(X, X, dtype=dtype)


def test_flags():
    for wrong in (X, np.zeros(0), np.ones((2, 2), bool)):
        for argument, call in (
                ("reverse", lambda flag: upsweep.inclusive_scan(X, reverse=flag)),
                ("reverse", lambda flag: upsweep.exclusive_segmented_scan(X, heads=X, reverse=flag)),
                ("reverse", lambda flag: upsweep.linear_recurrence(X, X, reverse=flag)),
                ("include_initial", lambda flag: upsweep.cumulative_sum(X, include_initial=flag)),
                ("keepdims", lambda flag: upsweep.sum(X, keepdims=flag)),
                ("descending", lambda flag: upsweep.argsort(X, descending=flag)),
                ("descending", lambda flag: upsweep.segmented_sort(X, heads=X, descending=flag)),
                ("smallest", lambda flag: upsweep.top_k(X, 2, smallest=flag)),
                ("clamp", lambda flag: upsweep.histogram(X, 2, (0, 4), clamp=flag)),
                ("return_inverse", lambda flag: upsweep.unique_consecutive(X, flag)),
                ("return_counts", lambda flag: upsweep.unique_consecutive(X, return_counts=flag))):
            with raises(TypeError, argument):
                call(wrong)
    assert upsweep.sort(X, descending=np.bool_(True))[0] == upsweep.sort(X, descending=np.array([1]))[0] == 5


def test_axes():
    for axis in (2, -3, 100, -(2**70)):
        for call in (lambda a, n: upsweep.cumsum(a, n), lambda a, n: upsweep.inclusive_scan(a, axis=n), upsweep.sort,
                     upsweep.argsort, lambda a, n: upsweep.linear_recurrence(a, 1.0, axis=n)):
            with raises(ValueError, "axis"):
                call(GRID, axis)
    with raises(ValueError, "axis"):
        upsweep.cumsum(np.float32(1), 1)
    for also in (False, True):
        with raises(ValueError, "axis"):
            upsweep.cumulative_sum(GRID, include_initial=also)
        with raises(ValueError, "axis"):
            upsweep.cumulative_prod(GRID, axis=2, include_initial=also)
        with raises(ValueError, "out"):
            upsweep.cumulative_sum(GRID, axis=1, out=np.zeros((2, 4 - also), np.int64), include_initial=also)
    for axis in (1.0, "0", (0, 1)):
        for call in (lambda n: upsweep.cumsum(GRID, n), lambda n: upsweep.argsort(GRID, n),
                     lambda n: upsweep.linear_recurrence(GRID, 1.0, axis=n)):
            with raises(TypeError, "axis"):
                call(axis)
    with raises(TypeError, "axis"):
        upsweep.linear_recurrence(GRID, 1.0, axis=None)


def test_initial_values():
    scan = upsweep.inclusive_scan
    for x, initial in ((np.int8([1]), 2**63), (np.int8([1]), -(2**63) - 1), (np.uint8([1]), -1), (np.uint64([1]), 2**64)):
        with raises(ValueError, "initial"):
            scan(x, initial=initial)
    with raises(ValueError, "initial"):
        scan(np.int8([1]), "maximum", initial=128)
    with raises(ValueError, "initial"):
        scan(np.array([True]), "logical_or", initial=2)
    for x, initial in ((X, 1.5), (X, 1j), (X, "1"), (X, [1]), (X, np.array([1, 2])), (X.astype(float), 1j), (X, object())):
        with raises(TypeError, "initial"):
            scan(x, initial=initial)
        with raises(TypeError, "initial"):
            upsweep.exclusive_segmented_scan(x, heads=X, initial=initial)


def test_conditions():
    for call in (upsweep.compact, upsweep.compact_indices, upsweep.partition, upsweep.partition_indices):
        for wrong in (np.ones(5, bool), np.ones((6, 1), bool), np.ones((), bool), np.ones(0, bool)):
            with raises(ValueError, "condition"):
                call(X, wrong)
        for wrong in (X, X.astype(np.uint8), X.astype(float), X.astype(object), [1, 0, 1, 0, 1, 0], ("<", "5"), ("<", None),
                      ("<", [1, 2]), np.ma.masked_array(X > 1, X > 2), OnDevice(2)):
            with raises(TypeError, "condition"):
                call(X, wrong)
        for wrong in (("=", 5), ("", 5), ("<>", 5), ("less", 5)):
            with raises(ValueError, "condition"):
                call(X, wrong)


def test_segments():
    for scan in (upsweep.inclusive_segmented_scan, upsweep.exclusive_segmented_scan):
        for wrong in ([0, 4, 3, 6], [1, 6], [0, 5], [0, 7], [], [0, 3, 9, 6], [-1, 6], [0, -1, 6]):
            with raises(ValueError, "offsets"):
                scan(X, offsets=np.array(wrong, int))
        with raises(ValueError, "offsets"):
            scan(X, offsets=[[0, 6]])
        with raises(ValueError, "offsets"):
            scan(X, offsets=[])
        for wrong in ([0.0, 6.0], [False, True], ["0", "6"]):
            with raises(TypeError, "offsets"):
                scan(X, offsets=wrong)
        for name in ("heads", "keys"):
            for wrong in (np.zeros(5, bool), np.zeros(7, int), np.zeros((6, 1), int), np.zeros((2, 3), int), 0):
                with raises(ValueError, name):
                    scan(X, **{name: wrong})
            for wrong in (np.ma.masked_array(X, X > 2), OnDevice(2)):
                with raises(TypeError, name):
                    scan(X, **{name: wrong})
        for wrong in (X.astype(float), X.astype(str), X.astype(object)):
            with raises(TypeError, "heads"):
                scan(X, heads=wrong)
        with raises(ValueError, "a"):
            scan(GRID, heads=GRID)
        for given in ({}, {"heads": X, "keys": X}, {"keys": X, "offsets": [0, 6]}):
            with pytest.raises(TypeError, match="keys, offsets and heads"):
                scan(X, **given)
        with raises(ValueError, "out"):
            scan(X, heads=X, out=np.zeros(5, np.int64))


def test_recurrences():
    with raises(ValueError, "b"):
        upsweep.linear_recurrence(np.ones(3), np.ones(4))
    for wrong in (np.ones(3, "M8[s]"), np.ones(3, object), np.ma.ones(3), OnDevice(2)):
        with raises(TypeError, "a"):
            upsweep.linear_recurrence(wrong, 1.0)
        with raises(TypeError, "b"):
            upsweep.linear_recurrence(1.0, wrong)
    with pytest.raises(TypeError):
        upsweep.linear_recurrence(np.ones(3), np.ones(3), 1j)


def test_ranges():
    for call in (upsweep.histogram, upsweep.bins, upsweep.bin_indices):
        for limits in ((3, 3), (4, 3)):
            with raises(ValueError, "range"):
                call(X, 4, limits)
        with raises(TypeError, "range"):
            call(X, 4, (1,))
        for wrong in (1.5, "auto", None, np.array(1.5)):
            with raises(TypeError, "bins" if call is upsweep.histogram else "count"):
                call(X, wrong)


def test_threads():
    for wrong in (-1, 4097):
        with raises(ValueError, "threads"):
            upsweep.set_threads(wrong)
    for wrong in (1.5, "2", None):
        with raises(TypeError, "threads"):
            upsweep.set_threads(wrong)


MISFITS = {
    "1j is not real": (lambda: upsweep.compact_indices(X.astype(float), ("==", 1j)), "condition"),
    "complex without order": (lambda: upsweep.partition_indices(X.astype(complex), ("<", 1)), "condition"),
    "hi beyond int64": (lambda: upsweep.histogram(X, 4, (0, 2**63)), "range"),
    "lo is no integer": (lambda: upsweep.bins(X, 4, (0.5, 3)), "range"),
    "lo below uint64": (lambda: upsweep.bin_indices(X.astype(np.uint64), 4, (-1, 3)), "range"),
    "hi beyond float32": (lambda: upsweep.histogram(np.float32([1]), 4, (0, 1e39)), "range"),
    "only NaNs": (lambda: upsweep.bins([np.nan]), "a"),
    "infinite": (lambda: upsweep.bin_indices([np.inf, 1.0]), "a"),
    "no room around it": (lambda: upsweep.histogram([1e30]), "a"),
}


@pytest.mark.parametrize("case", list(MISFITS))
def test_values_that_do_not_fit_are_named(case):
    call, argument = MISFITS[case]
    with raises(ValueError, argument):
        call()


class OfGradients:
    """An array that its library does not give away, such as a tensor that wants a gradient, and lists of such."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no array of it can be had")


class Symbol:
    """What has every attribute, such as a value that stands for arrays to come."""

    def __getattr__(self, name):
        return Symbol()

    def __call__(self, *_):
        return Symbol()

    __getitem__ = __call__


ARRAYS = np.array([None, None])
ARRAYS[0] = ARRAYS[1] = X
NAMELESS = {
    "ragged": (lambda: upsweep.cumsum([[1], [2, 3]]), ValueError, "a"),
    "another library's": (lambda: upsweep.cumsum(OfGradients()), TypeError, "a"),
    "another library's keys": (lambda: upsweep.inclusive_segmented_scan(X, keys=OfGradients()), TypeError, "keys"),
    "another library's number": (lambda: upsweep.inclusive_scan(X, initial=OfGradients()), TypeError, "initial"),
    "another library's first value": (lambda: upsweep.linear_recurrence(X, X, OfGradients()), TypeError, "x0"),
    "another library's limit": (lambda: upsweep.histogram(X, 3, (0, OfGradients())), TypeError, "range"),
    "another library's weights": (lambda: upsweep.histogram(X, 3, (0, 4), weights=OfGradients()), TypeError, "weights"),
    "another library's comparison": (lambda: upsweep.compact(X, ("<", OfGradients())), TypeError, "condition"),
    "a symbol": (lambda: upsweep.cumsum(Symbol()), TypeError, "a"),
    "keys that are arrays": (lambda: upsweep.reduce_by_key(ARRAYS, X[:2]), ValueError, "keys"),
}


@pytest.mark.parametrize("case", list(NAMELESS))
def test_what_others_raise_has_the_name_of_the_argument(case):
    call, kind, argument = NAMELESS[case]
    with raises(kind, argument):
        call()


def test_types_that_have_none_in_common():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    with raises(TypeError, "b"):
        upsweep.linear_recurrence(np.ones(3, np.float16), np.ones(3, bfloat16))
    assert upsweep.linear_recurrence(np.ones(3, np.float16), np.ones(3, bfloat16), dtype=np.float32).tolist() == [1, 2, 3]


def test_first_values_of_a_recurrence():
    for wrong in ("1", 1j, [0.5], None):
        with raises(TypeError, "x0"):
            upsweep.linear_recurrence(X, X, wrong)
