"""Arrays of JAX, on the CPU and, where JAX has one, on a CUDA GPU: the bits of NumPy's arrays, jit, vmap, refusals."""
import importlib

import jax
import ml_dtypes
import numpy as np
import pytest
from conftest import COMPLEX, FLOATS, INTEGERS
from jax import numpy as jnp
from jax_platform import SCANS, SEGMENTED, WHY_NO_GPU, Platform
from reference import assert_same, tree_sum

import upsweep
from upsweep import _back_ends, _jax, _module

EVERY_TYPE = INTEGERS + FLOATS + ["bfloat16"] + COMPLEX


def all_same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        assert_same(one, other)


if _back_ends._cuda is not None:  # a build without CUDA has nothing to test there
    def test_a_gpu_is_used():
        if WHY_NO_GPU:
            pytest.skip(WHY_NO_GPU)
        assert upsweep.cumsum(jnp.ones(5)).devices() == {jax.devices("cuda")[0]}


# --- scans

def operators_of(name):
    if name in COMPLEX:
        return ["plus", "multiplies"]
    arithmetic = ["plus", "multiplies", "minimum", "maximum"]
    return arithmetic + (["bit_and", "bit_or", "bit_xor", "logical_and", "logical_or"] if name in INTEGERS else [])


@pytest.mark.parametrize("name", EVERY_TYPE)
def test_scans_have_numpys_bits(platform, numbers, name):
    x = numbers(name, (3, 70, 5))

    def scans(x):
        return [call(x, op, axis=axis, reverse=reverse, initial=initial)
                for op in operators_of(name)
                for call, axis, reverse, initial in (
                    (SCANS[0], 0, False, None), (SCANS[0], 1, True, None), (SCANS[0], -1, False, 1), (SCANS[0], None, False, None),
                    (SCANS[1], 1, False, None), (SCANS[1], None, True, 1))]

    all_same(platform.run(scans, x), scans(x))


@pytest.mark.parametrize("name", ["float32", "float16", "complex64", "int32"])
@pytest.mark.parametrize("n", [0, 1, 129, 4097, 300_000])
def test_sequences_of_any_length(platform, numbers, name, n):
    x = numbers(name, n)

    def scans(x):
        return [upsweep.cumsum(x), upsweep.inclusive_scan(x, reverse=True), upsweep.exclusive_scan(x, initial=2)]

    all_same(platform.run(scans, x, handlers=("upsweep_scan",) if n else ()), scans(x))


def test_the_shared_names(platform, numbers):
    x = numbers("float32", (40, 30))

    def scans(x):
        return ([call(x, 0) for call in (upsweep.cumsum, upsweep.cumprod, upsweep.cummax, upsweep.cummin)]
                + [call(x, axis=axis, include_initial=also) for call in (upsweep.cumulative_sum, upsweep.cumulative_prod)
                   for axis in (0, -1) for also in (False, True)])

    all_same(platform.run(scans, x), scans(x))
    assert_same(platform.run(upsweep.cumsum, x[0]), tree_sum(x[0]))


def test_types_of_totals_and_results(platform, numbers):
    for source, wanted in (("float16", "float32"), ("float32", "bfloat16"), ("int8", "int16"), ("int32", "float64"),
                           ("bool", "uint8"), ("bfloat16", "float64"), ("float64", "complex128")):
        x = numbers(source, 3000)
        assert_same(platform.run(lambda y: upsweep.cumsum(y, dtype=wanted), x), upsweep.cumsum(x, dtype=wanted))
    assert upsweep.cumsum(jnp.ones(3, jnp.float16), dtype=jnp.bfloat16).dtype == jnp.bfloat16


def test_where_jax_has_32_bits_alone(platform, numbers):
    with jax.enable_x64(False):
        for source, result in (("int32", "int32"), ("int8", "int32"), ("bool", "int32"), ("uint8", "uint32"), ("float32", "float32")):
            x = numbers(source, 5000)
            assert_same(platform.run(upsweep.cumsum, x), upsweep.cumsum(x, dtype=result))
        x = numbers("float32", (6, 700))
        assert_same(platform.run(upsweep.argsort, x), upsweep.argsort(x).astype(np.int32))
        assert_same(platform.run(lambda y: upsweep.linear_recurrence(0.9, y), x), upsweep.linear_recurrence(0.9, x))
        assert upsweep.linear_recurrence(jnp.ones(3, jnp.int32), 1).dtype == jnp.float32
        with pytest.raises(TypeError, match="^dtype: JAX has no float64 unless jax_enable_x64 is set"):
            upsweep.cumsum(jnp.ones(3), dtype="float64")


def test_subnormal_numbers_are_kept(platform):
    for n in (1000, 1_000_000):
        x = np.full(n, 1e-42, np.float32)
        assert_same(platform.run(upsweep.cumsum, x), upsweep.cumsum(x))
        assert upsweep.cumsum(x)[-1] > 0


def test_calls_without_jit_and_within_control_flow(platform, numbers):
    x = numbers("float32", (4, 900))
    y = platform.put(x)
    for found in (upsweep.cumsum(y, 1), jax.lax.map(upsweep.cumsum, y), jax.checkpoint(lambda z: upsweep.cumsum(z, 1))(y),
                  jax.lax.scan(lambda state, row: (state, upsweep.cumsum(row)), 0, y)[1]):
        assert isinstance(found, jax.Array)
        assert found.devices() == {platform.device}
        assert_same(found, upsweep.cumsum(x, 1))
    with jax.disable_jit():
        assert_same(upsweep.cumsum(y, 1), upsweep.cumsum(x, 1))
    assert isinstance(upsweep.cumsum(x, 1), np.ndarray)


def test_the_number_of_threads_changes_no_bit(numbers):
    cpu, x = Platform("cpu"), numbers("float32", 1_000_000)
    expected = upsweep.cumsum(x)
    for threads in (1, 2, 3):
        upsweep.set_threads(threads)
        assert_same(cpu.run(upsweep.cumsum, x), expected)
    upsweep.set_threads(0)


@pytest.mark.parametrize("name", EVERY_TYPE)
def test_totals_have_numpys_bits(platform, numbers, name):
    x = numbers(name, (3, 700, 5))

    def totals(x):
        return [upsweep.reduce(x, op, axis=axis, initial=initial, keepdims=keepdims) for op in operators_of(name)
                for axis, initial, keepdims in ((0, None, False), (1, 1, True), (-1, None, False), (None, 1, False), (None, None, True))]

    all_same(platform.run(totals, x), totals(x))
    assert_same(platform.run(lambda y: upsweep.sum(y, 1), x), upsweep.sum(x, 1))
    assert_same(platform.run(upsweep.prod, x[0, 0]), upsweep.prod(x[0, 0]))


def test_totals_of_no_elements_and_of_one(platform):
    for shape, axis in (((0,), None), ((0,), 0), ((0, 3), 0), ((4, 0), -1), ((4, 0), None), ((4, 0), 0), ((), None), ((), 0), ((1, 1), None)):
        x = np.full(shape, 3, np.float32)

        def totals(x):
            return [upsweep.reduce(x, op, axis=axis, initial=initial, keepdims=keepdims, dtype=dtype) for op in ("plus", "maximum")
                    for initial, keepdims, dtype in ((None, False, None), (2, True, None), (None, False, "float64"))]

        all_same(platform.run(totals, x, handlers=()), totals(x))
        for found in totals(platform.put(x)):
            assert isinstance(found, jax.Array)


# --- segments, recurrences, sorts

@pytest.mark.parametrize("name", ["float32", "int16", "bfloat16"])
def test_segmented_scans(platform, numbers, name):
    x = numbers(name, 5000)
    generator = np.random.default_rng(3)
    heads = generator.random(5000) < 0.01
    keys = np.cumsum(heads).astype(np.int32)
    offsets = np.append(0, np.append(np.flatnonzero(heads[1:]) + 1, 5000))

    def scans(x, keys, offsets, heads):
        return [call(x, op, reverse=reverse, **given) for op in ("plus", "maximum") for call in SEGMENTED for reverse in (False, True)
                for given in ({"keys": keys}, {"offsets": offsets}, {"heads": heads})]

    expected = scans(x, keys, offsets, heads)
    all_same(platform.run(scans, x, keys, offsets, heads, handlers=("upsweep_segmented_scan",)), expected)
    all_same(platform.run(lambda y: scans(y, keys, offsets, heads.astype(int)), x), expected)
    assert_same(upsweep.inclusive_segmented_scan(platform.put(x[:3]), keys=["a", "a", "b"], initial=1),
                upsweep.inclusive_segmented_scan(x[:3], keys=["a", "a", "b"], initial=1))


def test_totals_of_segments_by_offsets(platform, numbers):
    x, offsets = numbers("float32", 5000), np.array([0, 0, 3, 3, 4000, 4999, 5000, 5000])
    for op, how in (("plus", {}), ("maximum", {}), ("plus", {"initial": 0.5}), ("minimum", {"dtype": "float64"})):
        expected = upsweep.segmented_reduce(x, op, offsets=offsets, **how)
        for given in (offsets, jnp.asarray(offsets)):
            assert_same(platform.run(lambda y: upsweep.segmented_reduce(y, op, offsets=given, **how), x), expected)
    none = jax.jit(lambda y: upsweep.segmented_reduce(y, offsets=np.zeros(3, int)))(platform.put(x[:0]))
    assert_same(np.asarray(none), np.full(2, -0.0, np.float32))
    gradient = jax.grad(lambda y: upsweep.segmented_reduce(y, offsets=offsets) @ jnp.arange(7.0, dtype=y.dtype))(platform.put(x))
    assert_same(np.asarray(gradient), np.repeat(np.arange(7, dtype=np.float32), np.diff(offsets)))


@pytest.mark.parametrize("names", [("float32", "float32"), ("float64", "float64"), ("float16", "float16"), ("bfloat16", "bfloat16"),
                                   ("float32", "float64"), ("bfloat16", "float32"), ("float16", "int32"), ("int8", "int64")])
def test_linear_recurrences_have_numpys_bits(platform, numbers, names):
    for shapes in (((4, 600, 3), (4, 600, 3)), ((600, 1), (4, 600, 3)), ((4, 1, 3), (600, 3)), ((), (4, 600, 3)), ((4, 1, 1), (1, 600, 3)),
                   ((4, 600, 3), ())):
        a, b = (numbers(name, shape) for name, shape in zip(names, shapes))
        a = (0.9 * np.tanh(a.astype(np.float32))).astype(a.dtype)
        b = b % 100 if b.dtype.kind == "i" else b

        def recur(a, b):
            return [upsweep.linear_recurrence(a, b, x0, axis=axis, reverse=reverse, dtype=dtype)
                    for axis in (0, 1, 2) for reverse, x0 in ((False, 0), (True, 0.25)) for dtype in (None, "float32")]

        # JAX has float16 beside an integer, where NumPy has float64.
        expected = recur(a, b.astype(np.float16) if names == ("float16", "int32") else b)
        all_same(platform.run(recur, a, b, handlers=("upsweep_linear_recurrence",)), expected)


def test_a_number_beside_an_array(platform, numbers):
    for name in ("float32", "bfloat16", "float64"):
        y = numbers(name, (5, 1000))
        assert_same(platform.run(lambda y: upsweep.linear_recurrence(0.9, y), y), upsweep.linear_recurrence(0.9, y, dtype=name))
        assert_same(platform.run(lambda y: upsweep.linear_recurrence(y, 1, 2), y), upsweep.linear_recurrence(y, 1, 2, dtype=name))


@pytest.mark.parametrize("name", INTEGERS + FLOATS + ["bfloat16"])
def test_sorts(platform, numbers, name):
    x = numbers(name, (7, 300, 2))
    x[:, ::3] = x[:, :1]  # equal ones

    def sorts(x):
        return [call(x, axis, descending=descending) for call in (upsweep.sort, upsweep.argsort)
                for axis, descending in ((1, False), (-1, True), (None, True))]

    all_same(platform.run(sorts, x, handlers=("upsweep_sort",)), sorts(x))


@pytest.mark.parametrize("name", ["int8", "uint32", "float32", "bfloat16"])
def test_first_elements(platform, numbers, name):
    x = numbers(name, (7, 300, 2))
    x[:, ::3] = x[:, :1]

    def first(x):
        return [*upsweep.top_k(x, 3, 1), *upsweep.top_k(x, 2, smallest=True), *upsweep.top_k(x, 50, None)]

    all_same(platform.run(first, x, handlers=("upsweep_sort",)), first(x))


@pytest.mark.parametrize("name", ["bool", "uint8", "int32", "float32", "bfloat16", "float64"])
def test_segmented_sorts(platform, numbers, name):
    x = numbers(name, 3000)
    x[::3] = x[0]  # equal ones
    heads = np.random.default_rng(4).random(3000) < 0.02
    keys = np.cumsum(heads).astype(np.int32)
    offsets = np.append(0, np.append(np.flatnonzero(heads[1:]) + 1, 3000))

    def sorts(x, keys, offsets, heads):
        return [call(x, descending=descending, **given) for call in (upsweep.segmented_sort, upsweep.segmented_argsort)
                for descending in (False, True) for given in ({"keys": keys}, {"offsets": offsets}, {"heads": heads})]

    expected = sorts(x, keys, offsets, heads)
    all_same(platform.run(sorts, x, keys, offsets, heads, handlers=("upsweep_sort",)), expected)
    all_same(platform.run(lambda y: sorts(y, keys, offsets, heads), x), expected)
    none = x[:0], keys[:0], offsets[:1], heads[:0]
    all_same(platform.run(sorts, *none, handlers=()), sorts(*none))


# --- vmap

def slices(function, arrays, axes, n):
    """What vmap should make, one slice after the other, by NumPy's arrays."""
    return np.stack([function(*(x if axis is None else np.take(x, k, axis) for x, axis in zip(arrays, axes))) for k in range(n)])


def test_vmap_has_the_bits_of_slices(platform, numbers):
    x = numbers("float32", (6, 200, 4))
    for place, n in enumerate(x.shape):
        for axis in (0, 1, None):
            def scan(y):
                return upsweep.exclusive_scan(y, axis=axis, reverse=True, initial=0.5)

            def total(y):
                return upsweep.reduce(y, axis=axis, initial=0.5, keepdims=True)

            for call in (scan, total) if n < 100 else ():
                assert_same(platform.run(jax.vmap(call, in_axes=place), x), slices(call, [x], [place], n))
    twice = platform.run(jax.vmap(jax.vmap(upsweep.cumsum, in_axes=1), in_axes=2, out_axes=2), x)
    assert_same(twice, np.stack([np.stack([upsweep.cumsum(x[:, k, m]) for k in range(200)]) for m in range(4)], axis=2))


@pytest.mark.parametrize("axes", [(0, 0), (2, 0), (None, 1), (0, None)])
def test_vmap_of_recurrences(platform, numbers, axes):
    shapes = [(5, 300) if axis is None else tuple(np.insert((5, 300), axis, 4)) for axis in axes]
    a, b = (0.5 * numbers("float32", shape) for shape in shapes)
    for axis in (0, 1):
        def recur(a, b):
            return upsweep.linear_recurrence(a, b, 0.25, axis=axis)

        assert_same(platform.run(jax.vmap(recur, in_axes=axes), a, b), slices(recur, [a, b], axes, 4))


def test_vmap_of_segmented_scans_and_sorts(platform, numbers):
    x = numbers("float32", (300, 3))
    heads = np.random.default_rng(5).random((3, 300)) < 0.05
    for axes, given in (((1, 0), heads), ((1, None), heads[0])):
        def scan(y, heads):
            return upsweep.inclusive_segmented_scan(y, heads=heads)

        assert_same(platform.run(jax.vmap(scan, in_axes=axes), x, given), slices(scan, [x, given], axes, 3))
        for call in (upsweep.segmented_sort, upsweep.segmented_argsort):
            def sort(y, heads):
                return call(y, heads=heads, descending=True)

            assert_same(platform.run(jax.vmap(sort, in_axes=axes), x, given), slices(sort, [x, given], axes, 3))
    for call in (upsweep.sort, upsweep.argsort):
        assert_same(platform.run(jax.vmap(call, in_axes=1), x), slices(call, [x], [1], 3))


# --- refusals

def test_what_is_refused(platform):
    x = platform.put(np.ones(4, np.float32))
    for call, message in (
            (lambda: upsweep.cumsum(x, out=np.ones(4)), "out: arrays of JAX"),
            (lambda: upsweep.sort(x, out=np.ones(4)), "out: arrays of JAX"),
            (lambda: upsweep.segmented_sort(x, keys=x, out=np.ones(4)), "out: arrays of JAX"),
            (lambda: upsweep.segmented_sort(1j * x, keys=x), "a: complex64 has no order"),
            (lambda: upsweep.compact(x, ("<", 5)), "a: compact"),
            (lambda: upsweep.partition(x, ("<", 5)), "a: partition"),
            (lambda: upsweep.histogram(x), "a: histogram"),
            (lambda: upsweep.segmented_reduce(x, keys=x), "a: segmented_reduce, by keys"),
            (lambda: upsweep.reduce_by_key(x, x), "a: reduce_by_key"),
            (lambda: upsweep.run_length_encode(x), "a: unique_consecutive and run_length_encode"),
            (lambda: upsweep.bins(x), "a: bins"),
            (lambda: upsweep.repeat(x, 2), "a: repeat"),
            (lambda: upsweep.repeat_indices(x), "repeats: repeat_indices"),
            (lambda: upsweep.inclusive_scan(x, "bit_and"), "a: bit_and is not defined"),
            (lambda: upsweep.cumsum(jnp.ones(3, jnp.float8_e4m3fn)), "a: expected one of"),
            (lambda: upsweep.cumsum(jax.random.key(1)), "a: expected numbers"),
            (lambda: upsweep.inclusive_scan(jnp.ones(4, int), initial=0.5), "initial: "),
            (lambda: jax.jit(lambda y: upsweep.inclusive_scan(y, initial=y[0]))(x), "initial: .* known when"),
            (lambda: jax.jit(lambda y: upsweep.linear_recurrence(y, y, y[0]))(x), "x0: .* known when"),
            (lambda: upsweep.linear_recurrence(x, [1, 2, 3, 4]), "b: expected an array of JAX"),
            (lambda: upsweep.linear_recurrence(x, 1j * x), "b: expected real numbers"),
            (lambda: upsweep.linear_recurrence(x, x, dtype=int), "dtype: "),
            (lambda: upsweep.inclusive_segmented_scan(x, heads=x), "heads: "),
            (lambda: upsweep.inclusive_segmented_scan(x, heads=x > 0, keys=x), "expected one of"),
            (lambda: upsweep.sort(1j * x), "a: complex64 has no order"),
            (lambda: jax.jvp(lambda y: upsweep.inclusive_scan(y, "logical_or", dtype="float32"), (x,), (x,)), "op: derivatives are"),
            (lambda: jax.grad(lambda y: upsweep.cumprod(y * 1j).sum().real)(x), "op: derivatives are computed of")):
        with pytest.raises(TypeError, match=f"^{message}"):
            call()
    for call, message in (
            (lambda: upsweep.cumsum(x, 1), "axis: "),
            (lambda: upsweep.sum(x, 1), "axis: "),
            (lambda: upsweep.sort(x[0]), "axis: "),
            (lambda: upsweep.inclusive_scan(x, "minus"), "op: "),
            (lambda: upsweep.linear_recurrence(x, x[:3]), "b: its shape"),
            (lambda: upsweep.inclusive_segmented_scan(x, keys=x[:3]), "keys: "),
            (lambda: upsweep.segmented_sort(x.reshape(2, 2), keys=x), "a: expected one dimension"),
            (lambda: upsweep.inclusive_segmented_scan(x.reshape(2, 2), keys=x), "a: "),
            (lambda: upsweep.inclusive_segmented_scan(x, offsets=jnp.asarray([0, 3])), "offsets: ")):
        with pytest.raises(ValueError, match=f"^{message}"):
            call()


def test_what_has_no_derivative_can_be_left_out_of_them(platform):
    x = platform.put(np.float32([1, 3, 2]))
    found = jax.grad(lambda y: (y * upsweep.cummax(jax.lax.stop_gradient(y)) + upsweep.argsort(y)).sum())(x)
    assert found.tolist() == [1, 3, 3]


def test_a_build_without_it(monkeypatch):
    monkeypatch.delattr(_module, "jax_handlers")
    with pytest.raises(TypeError, match="^a: it is an array of JAX, and this build of upsweep"):
        importlib.reload(_jax)
