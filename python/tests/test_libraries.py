"""What only arrays of other libraries have: devices, streams, and results that are theirs. test_torch.py has what PyTorch alone has."""
import numpy as np
import of_library
import pytest
from conftest import LIBRARY
from reference import tree_sum, tree_sums_along

import upsweep as as_numpy

upsweep = of_library.package
library = as_numpy.library
module = library.module
xp = module


def there(x):
    return library.view(library.upload(np.ascontiguousarray(x).view(np.uint8).reshape(-1)), 0, np.ascontiguousarray(x))


def here(a):
    return library.download(a)


def same(found, expected):
    assert isinstance(found, library.kind)
    found = here(found)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


cupy_only = pytest.mark.skipif(LIBRARY != "cupy", reason="of CuPy")


def test_results_are_arrays_of_the_library(numbers):
    x = numbers("float32", (300, 40))
    for axis in (0, 1):
        same(upsweep.cumsum(there(x), axis), tree_sums_along(x, axis))
    out = there(np.zeros_like(x))
    assert upsweep.cumsum(there(x), 0, out=out) is out
    same(out, tree_sums_along(x, 0))


def test_scratch_is_kept_and_given_back(numbers):
    x = numbers("float32", 3_000_001)
    same(upsweep.argsort(there(x)), np.argsort(x, kind="stable"))
    if LIBRARY == "torch":
        module.cuda.synchronize()
        free, _ = module.cuda.mem_get_info()
    assert upsweep.empty_cache() is None
    if LIBRARY == "torch":
        assert module.cuda.mem_get_info()[0] > free
    same(upsweep.argsort(there(x)), np.argsort(x, kind="stable"))


def test_everything_on_more_elements_than_one_launch_takes(numbers):
    x = numbers("float32", 5_000_011)
    y = there(x)
    assert np.array_equal(here(upsweep.sort(y)), np.sort(x))
    assert np.array_equal(here(upsweep.argsort(y)), np.argsort(x, kind="stable"))
    assert np.array_equal(here(upsweep.compact(y, (">", 0.5))), x[x > 0.5])
    front, count = upsweep.partition(y, ("<=", 0))
    assert count == np.count_nonzero(x <= 0)
    assert np.array_equal(here(front), np.concatenate([x[x <= 0], x[~(x <= 0)]]))
    assert int(upsweep.histogram(y, 100)[0].sum()) == x.size
    same(upsweep.cumsum(y), tree_sum(x))


@cupy_only
def test_the_current_stream_is_used_by_cupy():
    x = module.ones(1 << 20, "f4")
    module.cuda.Device().synchronize()
    with module.cuda.Stream(non_blocking=True) as side:
        for _ in range(20):
            x = upsweep.cumsum(x) / module.arange(1, x.size + 1, dtype="f4")
    side.synchronize()
    assert bool((x == 1).all())


def test_what_is_refused():
    x, n = there(np.ones(4, np.float32)), np.ones(4, np.float32)
    with pytest.raises(TypeError, match="^out: expected an array of"):
        upsweep.cumsum(x, out=n)
    if not LIBRARY.startswith("stand_in"):  # whose arrays are NumPy's too
        with pytest.raises(TypeError, match="^out: expected a numpy.ndarray"):
            upsweep.cumsum(n, out=x)
    with pytest.raises(ValueError, match="^out: expected shape"):
        upsweep.cumsum(x, out=there(np.ones(5, np.float32)))
    with pytest.raises(ValueError, match="^axis: "):
        upsweep.cumsum(x, 1)
    with pytest.raises(ValueError, match="^op: "):
        upsweep.inclusive_scan(x, "minus")
    with pytest.raises(TypeError, match="^a: "):
        upsweep.inclusive_scan(x, "bit_and")
    with pytest.raises(TypeError, match="^initial: "):
        upsweep.inclusive_scan(there(np.ones(4, np.int32)), initial=0.5)
    if LIBRARY != "torch_host":  # which takes arrays of NumPy beside tensors
        with pytest.raises(TypeError, match="^condition: expected an array of"):
            upsweep.compact(x, n > 0)
        with pytest.raises(TypeError, match="^keys: "):
            upsweep.inclusive_segmented_scan(x, keys=n)
        with pytest.raises(TypeError, match="^b: "):
            upsweep.linear_recurrence(x, n)
        with pytest.raises(TypeError, match="^weights: expected an array of"):
            upsweep.histogram(x, 3, (0, 1), weights=n)
    with pytest.raises(TypeError, match="^condition: "):
        upsweep.compact(x, ("<", "five"))
    with pytest.raises(TypeError, match="no order"):
        upsweep.sort(there(np.ones(4, np.complex64)))
    with pytest.raises(ValueError, match="condition: complex64 has no order"):
        upsweep.compact(there(np.ones(4, np.complex64)), ("<", 5))
    with pytest.raises(ValueError, match="range"):
        upsweep.histogram(x, 3, (1, 1))


def test_a_number_beside_an_array(numbers):
    y = numbers("float32", (5, 1000))
    smooth = upsweep.linear_recurrence(0.9, there(np.float32(0.1) * y))
    same(smooth, as_numpy.linear_recurrence(np.full_like(y, 0.9), np.float32(0.1) * y))
