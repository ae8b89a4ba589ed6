"""Histograms with weights: the sums of values by bin, against upsweep.sum of those of each bin."""
import numpy as np
import pytest
from conftest import COMPLEX, FLOATS, INTEGERS
from reference import assert_same

import upsweep


@pytest.mark.parametrize("count", [1, 8, 40, 3000])
@pytest.mark.parametrize("name", INTEGERS + FLOATS + COMPLEX)
def test_weights_of_a_bin_are_summed_as_if_they_were_alone(name, count, numbers, threads):
    rng = np.random.default_rng(count)
    places = rng.integers(-1, count + 1, (150, 60))
    weights = numbers(name, places.shape)
    totals, edges = upsweep.histogram(places, count, (0, count), weights=weights)
    assert_same(totals, np.array([upsweep.sum(weights[places == b]) for b in range(count)]))
    assert_same(edges, np.arange(count + 1))


def test_weights_beside_other_ways_to_say_where_bins_are(numbers):
    x, weights = numbers("float32", 5000), numbers("float64", 5000)
    totals, edges = upsweep.histogram(x, 7, weights=weights)
    assert_same(totals, upsweep.histogram(x, edges, weights=weights)[0])
    whole = np.rint(weights * 1000)  # sums of integers are the same in any order
    assert np.array_equal(upsweep.histogram(x, edges, weights=whole)[0], np.histogram(x, edges, weights=whole)[0])
    outside = upsweep.histogram(x, [1e30, 2e30], clamp=True, weights=weights)[0]
    assert_same(outside, np.array([upsweep.sum(weights)]))
    assert_same(upsweep.histogram([1, 2], [0.25, 0.5, 0.75], weights=[1.5, 2])[0], np.array([-0.0, -0.0]))
    assert_same(upsweep.histogram([], 2, (0, 1), weights=np.empty(0, np.int32))[0], np.zeros(2, np.int64))
    counted = np.bincount([3, 1, 3], weights=[0.5, 1, 2], minlength=4)
    assert np.array_equal(upsweep.histogram([3, 1, 3], 4, (0, 4), weights=[0.5, 1, 2])[0], counted)


def test_weights_that_do_not_fit():
    with pytest.raises(ValueError, match=r"weights: expected shape \(3,\), that of a, but it is \(2,\)"):
        upsweep.histogram([1, 2, 3], 2, (0, 2), weights=[1, 2])
