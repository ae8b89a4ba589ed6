"""What only arrays on a GPU have: libraries, devices, streams, gradients, and results that are theirs."""
import functools

import on_gpu
import numpy as np
import pytest
from conftest import LIBRARY
from reference import tree_sum, tree_sums_along

import upsweep as as_numpy

upsweep = on_gpu.package
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


torch_only = pytest.mark.skipif(LIBRARY != "torch", reason="of PyTorch")
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


@torch_only
def test_sums_of_unsigned_integers_are_int64_as_torchs():
    x = module.ones(5, dtype=module.uint8, device="cuda")
    assert upsweep.cumsum(x).dtype == module.int64
    assert upsweep.cumprod(x).dtype == module.int64
    assert upsweep.cummax(x).dtype == module.uint8
    assert upsweep.cumsum(x, dtype=module.uint8).dtype == module.uint8
    assert upsweep.cumsum(x, dtype="float32").dtype == module.float32
    assert upsweep.cumsum(x.to(module.bfloat16)).dtype == module.bfloat16
    with pytest.raises(TypeError, match="^dtype: "):
        upsweep.cumsum(x, dtype=module.float8_e4m3fn)


@torch_only
def test_gradients_of_sums_and_recurrences():
    def variable(*shape):
        return module.randn(shape, dtype=module.float64, device="cuda", requires_grad=True)

    check = module.autograd.gradcheck
    x, keys = variable(5, 7), module.tensor([0, 0, 1, 1, 1, 2, 3], device="cuda")
    for reverse in (False, True):
        for call in (upsweep.inclusive_scan, upsweep.exclusive_scan):
            for axis in (0, 1, None):
                assert check(lambda y: call(y, axis=axis, reverse=reverse, initial=0.5), x)
        for call in (upsweep.inclusive_segmented_scan, upsweep.exclusive_segmented_scan):
            assert check(lambda y: call(y[0], keys=keys, reverse=reverse), x)
    assert module.autograd.gradgradcheck(lambda y: upsweep.cumsum(y, 0) ** 2, x)
    for reverse in (False, True):
        linear = functools.partial(upsweep.linear_recurrence, reverse=reverse)
        assert check(lambda a, b: linear(a, b, 0.25, axis=0), (variable(5, 7), variable(5, 7)))
        assert check(lambda a, b: linear(a, b, 0.25), (variable(5, 1), variable(7)))
        assert check(lambda a, b: linear(a, b, 0.25, axis=0), (variable(1, 7), variable(7)))
        assert check(lambda b: linear(0.9, b), variable(3, 7))
    half = module.randn(1000, dtype=module.float16, device="cuda", requires_grad=True)
    upsweep.cumsum(half, dtype=module.float32).sum().backward()
    assert half.grad.dtype == module.float16
    assert half.grad.tolist() == list(range(1000, 0, -1))


@torch_only
def test_what_has_no_gradients():
    x = module.ones(5, device="cuda", requires_grad=True)
    out = module.empty(5, device="cuda")
    for call in (lambda: upsweep.cummax(x), lambda: upsweep.cumprod(x), lambda: upsweep.cumsum(x, out=out), lambda: upsweep.sort(x),
                 lambda: upsweep.compact(x, (">", 0)), lambda: upsweep.histogram(x), lambda: upsweep.bins(x),
                 lambda: upsweep.linear_recurrence(x, x, out=out)):
        with pytest.raises(TypeError, match="^(a|out): gradients are computed of"):
            call()
        with module.no_grad():
            call()
    assert not upsweep.cumsum(x.detach()).requires_grad


@torch_only
def test_views_that_torch_keeps_lazily():
    x = module.tensor([1 + 2j, 3 - 1j], device="cuda")
    assert upsweep.cumsum(x.conj()).tolist() == [1 - 2j, 4 - 1j]
    assert upsweep.cumsum(x.conj().imag).tolist() == [-2, -1]
    with pytest.raises(ValueError, match="^out: "):
        upsweep.cumsum(x, out=x.conj())
    with pytest.raises(TypeError, match="^a: expected a dense"):
        upsweep.cumsum(module.eye(3, device="cuda").to_sparse())


@torch_only
def test_the_current_stream_is_used():
    side = module.cuda.Stream()
    x = module.ones(1 << 20, device="cuda")
    module.cuda.synchronize()
    with module.cuda.stream(side):
        for _ in range(20):
            x = upsweep.cumsum(x) / module.arange(1, x.numel() + 1, device="cuda")
    side.synchronize()
    assert bool((x == 1).all())


@torch_only
def test_graphs_capture_calls():
    x = module.arange(100_000, dtype=module.float32, device="cuda")
    out = module.empty_like(x)
    upsweep.cumsum(x, out=out)
    module.cuda.synchronize()
    graph = module.cuda.CUDAGraph()
    with module.cuda.graph(graph):
        upsweep.cumsum(x, out=out)
        halves = upsweep.inclusive_scan(x.to(module.float16), "maximum")
    x.fill_(1)
    graph.replay()
    assert out[-1].item() == 100_000
    assert halves.max().item() == 1


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
    if LIBRARY != "stand_in":  # whose arrays are NumPy's too
        with pytest.raises(TypeError, match="^out: expected a numpy.ndarray"):
            upsweep.cumsum(n, out=x)
    with pytest.raises(ValueError, match="^out: expected shape"):
        upsweep.cumsum(x, out=there(np.ones(5, np.float32)))
    with pytest.raises(ValueError, match="^axis: "):
        upsweep.cumsum(x, 1)
    with pytest.raises(ValueError, match="^op: "):
        upsweep.inclusive_scan(x, "minus")
    with pytest.raises(TypeError, match="^dtype: "):
        upsweep.inclusive_scan(x, "bit_and")
    with pytest.raises(TypeError, match="^initial: "):
        upsweep.inclusive_scan(there(np.ones(4, np.int32)), initial=0.5)
    with pytest.raises(TypeError, match="^condition: expected an array of"):
        upsweep.compact(x, n > 0)
    with pytest.raises(TypeError, match="^keys: "):
        upsweep.inclusive_segmented_scan(x, keys=n)
    with pytest.raises(TypeError, match="^b: "):
        upsweep.linear_recurrence(x, n)
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
