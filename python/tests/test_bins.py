"""Histograms and bins, against the definition of a bin."""
import bisect

import numpy as np
import pytest
from conftest import FLOATS, INTEGERS
from reference import assert_same

import upsweep


def check(x, places, count, range, clamp, edges=None):
    """places: the bin of each element in C order, -1 for none."""
    flat = x.reshape(-1)
    indices = np.flatnonzero(places >= 0)
    indices = indices[np.argsort(places[indices], kind="stable")].astype(np.int64)
    counts = np.bincount(places[places >= 0], minlength=count).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    bins = count if edges is None else edges
    assert_same(upsweep.histogram(x, bins, range, clamp=clamp)[0], counts)
    for call, expected in ((upsweep.bins, flat[indices]), (upsweep.bin_indices, indices)):
        found, begins = call(x, bins, range, clamp=clamp)
        assert_same(found, expected)
        assert_same(begins, offsets)


@pytest.mark.parametrize("clamp", [False, True])
@pytest.mark.parametrize("count", [1, 3, 7, 100, 1000])
@pytest.mark.parametrize("name", INTEGERS)
def test_integers_are_binned_exactly(name, count, clamp, numbers):
    x = numbers(name, (40, 50))
    lo, hi = {"bool": (0, 2), "int8": (-5, 100), "uint8": (0, 256)}.get(name, (-(2**20) if name.startswith("i") else 7, 2**40))
    if x.dtype.itemsize > 1:
        x[:20] %= 5000
    places = [(int(v) - lo) * count // (hi - lo) for v in x.reshape(-1)]
    places = [min(max(p, 0), count - 1) if clamp else p if 0 <= p < count else -1 for p in places]
    check(x, np.array(places), count, (lo, hi), clamp)


@pytest.mark.parametrize("clamp", [False, True])
@pytest.mark.parametrize("name", FLOATS)
def test_floating_point_is_binned_in_its_own_arithmetic(name, clamp, numbers, threads):
    x = numbers(name, 30_000)
    x[::100] = np.nan
    x[5] = np.inf
    wide = np.float64 if name == "float64" else np.float32
    lo, hi, count = wide(-1.5), wide(1.25), 37
    with np.errstate(invalid="ignore"):
        places = np.floor((x.astype(wide) - lo) * wide(count) / (hi - lo))
        inside = (x >= lo) & (x < hi)
        places = np.where(inside, np.minimum(places, count - 1), np.where(x < lo, 0, count - 1) if clamp else -1)
    places = np.where(np.isnan(x), -1, places).astype(int)
    check(x, places, count, (float(lo), float(hi)), clamp)


def test_without_a_range_the_last_bin_has_the_largest():
    counts, edges = upsweep.histogram([0.0, 1.0, 2.0, 4.0, np.nan], 4)
    assert_same(counts, np.array([1, 1, 1, 1]))
    assert_same(edges, np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    counts, edges = upsweep.histogram(np.uint8([3, 3]))
    assert counts.sum() == 2
    assert edges.dtype == np.int64
    counts, _ = upsweep.histogram(np.empty(0), 3)
    assert_same(counts, np.zeros(3, np.int64))


def test_edges_are_the_callers_own(numbers):
    x = numbers("float32", 100)
    edges = upsweep.histogram(x, 4, (0, 1))[1]
    edges[...] = 7
    assert_same(upsweep.histogram(x, 4, (0, 1))[1], np.array([0, 0.25, 0.5, 0.75, 1], np.float32))


def place(x, edges, clamp):
    """The bin of a number, by Python's comparisons, which are exact."""
    if x != x:
        return -1
    last = len(edges) - 2
    if clamp:
        return min(max(bisect.bisect_right(edges, x) - 1, 0), last)
    return min(bisect.bisect_right(edges, x) - 1, last) if edges[0] <= x <= edges[-1] else -1


@pytest.mark.parametrize("clamp", [False, True])
@pytest.mark.parametrize("edges", [
    [0.5, 1.5, 2.5, 40], [-3, 0, 7, 7, 60], list(np.arange(0, 3, 0.25)), [0, 0.2, 0.8], [0.2, 0.4, 0.8], [5, 5], [-1e300, 0.1, 1e300],
    [-np.inf, 1, np.inf], [2**53, 2**53 + 1, 2**63 - 1], list(np.linspace(-2, 99, 1000))])
@pytest.mark.parametrize("name", INTEGERS + FLOATS)
def test_edges_compare_as_the_numbers_that_they_are(name, edges, clamp, numbers):
    x = numbers(name, (30, 40))
    if x.dtype.kind in "iu":
        x[:10] %= 60
    if x.dtype.itemsize == 8 and x.dtype.kind != "c":
        x[20, :8] = [2**53, 2**53 + 1, 2**53 + 2, 2**62, 2**63 - 1024, 0, 1, 2**53 - 1]
    given = np.asarray(edges)
    places = [place(v, given.tolist(), clamp) for v in x.reshape(-1).tolist()]
    check(x, np.array(places), len(edges) - 1, None, clamp, edges)
    assert_same(upsweep.histogram(x, given)[1], given)


def test_edges_of_other_types():
    x = np.array([0.0, 1.0, 2.0, 3.0], np.float32)
    for edges in (np.array([0, 2, 3], np.uint8), np.array([0, 2, 3], np.float16), np.array([0, 2, 3], ">i4"), range(0, 4, 1)):
        theirs = np.histogram(x, np.asarray(edges))
        assert_same(upsweep.histogram(x, edges)[0], theirs[0])
    for edges, error in (([1], ValueError), ([2, 1], ValueError), ([0, np.nan], ValueError), ([[0, 1]], ValueError), ([], ValueError),
                         ("auto", TypeError), ([0, 1j], TypeError), (["a", "b"], TypeError), ([[1], [1, 2]], ValueError), (np.zeros(2, np.longdouble), TypeError)):
        with pytest.raises(error, match="^bins: "):
            upsweep.histogram(x, edges)
    with pytest.raises(ValueError, match="^count: expected ascending"):
        upsweep.bins(x, [0, 2, 1])
    with pytest.raises(ValueError, match="^range: "):
        upsweep.histogram(x, [0, 1], (0, 1))


def test_edges_that_are_kept_are_the_callers_own():
    x, given = np.zeros(3), np.array([0.0, 1.0])
    edges = upsweep.histogram(x, given)[1]
    given[:] = 7
    assert_same(edges, np.array([0.0, 1.0]))


def test_a_histogram_of_numpy():
    x = np.random.default_rng(4).random(10_000)
    counts, edges = upsweep.histogram(x, 64, (0, 1))
    theirs, their_edges = np.histogram(x, 64, (0, 1))
    assert_same(counts, theirs)
    assert_same(edges, their_edges)


def test_the_formula_decides_and_not_the_edges():
    counts, edges = upsweep.histogram(np.array([0.3]), 3, (0, 0.9))
    assert_same(counts, np.array([1, 0, 0]))
    assert edges[1] == 0.3
    assert_same(np.histogram([0.3], edges)[0], np.array([0, 1, 0]))


@pytest.mark.parametrize("call", [upsweep.histogram, upsweep.bins, upsweep.bin_indices])
def test_what_is_refused(call):
    for count in (0, -1, 2**32):
        with pytest.raises(ValueError, match="^(bins|count): "):
            call([1.0], count, (0, 1))
    for limits in ((1, 1), (2, 1), (0, float("nan")), (0, float("inf"))):
        with pytest.raises(ValueError, match="range"):
            call([1.0], 3, limits)
    with pytest.raises(TypeError, match="^range: "):
        call([1.0], 3, 5)
    with pytest.raises(TypeError, match="^a: "):
        call([1j], 3, (0, 1))
    for a in ([np.inf, 1.0], [np.nan]):
        with pytest.raises(ValueError, match="^a: "):
            call(a, 3)
