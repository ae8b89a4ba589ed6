"""Derivatives of arrays of JAX, in both modes, on the CPU and, where JAX has one, on a CUDA GPU."""
import jax
import ml_dtypes
import numpy as np
import pytest
from jax import numpy as jnp
from jax.test_util import check_grads
from jax_platform import SCANS, SEGMENTED
from reference import assert_same

import upsweep


def test_derivatives_in_both_modes(platform, numbers):
    def check(function, *shapes, order=1):
        check_grads(jax.jit(function), tuple(platform.put(numbers("float64", shape)) for shape in shapes), order)

    both, keys = (False, True), np.int32([0, 0, 1, 1, 1])
    check(lambda x, row: (
        [call(x, axis=axis, reverse=reverse, initial=0.5) for call in SCANS for axis in (0, 1, None) for reverse in both],
        [call(row, keys=keys, reverse=reverse) for call in SEGMENTED for reverse in both],
        [upsweep.reduce(x, op, axis=axis, initial=0.5) for op in ("plus", "multiplies", "maximum") for axis in (0, 1, None)],
        upsweep.cumsum(x * (1 + 2j), 0), upsweep.cumulative_sum(x, axis=1, include_initial=True), upsweep.sort(x, 0, descending=True), upsweep.sort(x),
        upsweep.segmented_sort(row, keys=keys, descending=True)), (3, 5), (5,))
    check(lambda whole, column, row, one, b: [
        upsweep.linear_recurrence(a, b, 0.25, axis=axis, reverse=reverse)
        for a in (whole, column, row, one) for axis in (0, 1) for reverse in both], (3, 5), (3, 1), (5,), (), (3, 5))
    check(lambda x, row: (upsweep.linear_recurrence(x, row), jnp.sin(jax.vmap(upsweep.cumsum)(x))), (3, 5), (5,), order=2)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("op", ["multiplies", "minimum", "maximum"])
def test_derivatives_of_products_and_extremes(platform, op, reverse):
    rng, heads = np.random.default_rng(3), np.array([0, 0, 1, 0, 1, 0, 0, 1, 0, 0], bool)
    x = rng.permutation(35).reshape(5, 7) - 10.0  # far enough apart, and exact in every sum
    if op == "multiplies":
        x[[1, 3, 2], [2, 2, 4]] = 0
    x, row = platform.put(x / 8), platform.put(rng.permutation(10) - 4.0)

    def whole(y):
        return [call(y, op, axis=axis, reverse=reverse, initial=0.3125) for call, axis in zip(SCANS, (0, 1))]

    def segments(y):
        return [call(y, op, heads=heads, reverse=reverse, initial=0.3125) for call in SEGMENTED]

    for function, y in ((whole, x), (segments, row)):
        check_grads(jax.jit(function), (y,), 2 if op == "multiplies" else 1)
        gradient = jax.jit(jax.grad(lambda z: sum(jnp.sum(part ** 2) for part in function(z))))
        several = jnp.stack((y, y[::-1]))
        assert_same(np.asarray(jax.jit(jax.vmap(gradient))(several)), np.stack([gradient(z) for z in several]))


def test_gradients_of_extremes_go_to_the_last_of_equals(platform):
    x, weights = platform.put(np.float32([1, 5, 2, 5, 7, np.nan, 3])), np.arange(7, dtype=np.float32)
    found = jax.grad(lambda y: jnp.sum(upsweep.cummax(y) * weights))(x)
    assert found.tolist() == [0, 1 + 2, 0, 3, 4, 5 + 6, 0]
    for shape in ((0,), (0, 3), (3, 0), (1,)):
        for op in ("plus", "multiplies", "maximum"):
            assert np.all(jax.grad(lambda y: jnp.sum(upsweep.inclusive_scan(y, op, axis=0)))(jnp.full(shape, 2.0)) == 1)
            assert np.all(jax.grad(lambda y: jnp.sum(upsweep.reduce(y, op, axis=0)))(jnp.full(shape, 2.0)) == 1)


def test_gradients_are_scans_from_the_other_end(platform, numbers):
    x, weights = numbers("float32", (3, 5000)), numbers("float32", (3, 5000))
    for reverse in (False, True):
        found = platform.run(jax.grad(lambda y: jnp.vdot(upsweep.inclusive_scan(y, axis=1, reverse=reverse), weights)), x)
        assert_same(found, upsweep.inclusive_scan(weights, axis=1, reverse=not reverse))
        a = np.float32(0.9) * np.tanh(numbers("float32", (3, 5000)))
        by_a, by_b = platform.run(jax.grad(lambda a, b: jnp.vdot(upsweep.linear_recurrence(a, b, reverse=reverse), weights), (0, 1)), a, x)
        factors, before = np.zeros_like(a), np.zeros_like(a)
        later, earlier = (slice(0, -1), slice(1, None)) if reverse else (slice(1, None), slice(0, -1))
        factors[:, earlier] = a[:, later]
        before[:, later] = upsweep.linear_recurrence(a, x, reverse=reverse)[:, earlier]
        expected = upsweep.linear_recurrence(factors, weights, reverse=not reverse)
        assert_same(by_b, expected)
        assert_same(by_a, expected * before)


def test_types_of_gradients(platform):
    half = platform.put(np.linspace(-1, 1, 1000).astype(np.float16))
    found = jax.grad(lambda y: upsweep.cumsum(y, dtype="float32").sum())(half)
    assert found.dtype == np.float16
    assert found.tolist() == list(range(1000, 0, -1))
    found = jax.grad(lambda y: upsweep.linear_recurrence(y, jnp.ones(1000, jnp.float32)).sum())(half.astype(ml_dtypes.bfloat16))
    assert found.dtype == ml_dtypes.bfloat16
    assert jax.grad(lambda y: jnp.float32(upsweep.cumsum(y.astype(int)).sum()))(half).tolist() == [0] * 1000


def test_a_layer_of_a_state_space_model(platform, numbers):
    """jit, grad and vmap together."""
    def layer(parameters, u):
        decay = jax.nn.sigmoid(parameters["decay"])  # one a channel and state
        states = upsweep.linear_recurrence(decay, u[:, :, None] * parameters["into"], axis=0)
        return jnp.einsum("tcs,cs->tc", states, parameters["out"])

    def loss(parameters, batch):
        return jnp.mean(jax.vmap(layer, in_axes=(None, 0))(parameters, batch) ** 2)

    parameters = {name: numbers("float32", (3, 4)) for name in ("decay", "into", "out")}
    batch = numbers("float32", (2, 100, 3))
    found = platform.run(jax.grad(loss), parameters, batch, handlers=("upsweep_linear_recurrence",))

    def by_scan(parameters, batch):
        def layer(u):
            decay = jax.nn.sigmoid(parameters["decay"])
            states = jax.lax.scan(lambda x, row: (decay * x + row[:, None] * parameters["into"],) * 2, jnp.zeros((3, 4), u.dtype), u)[1]
            return jnp.einsum("tcs,cs->tc", states, parameters["out"])

        return jnp.mean(jax.vmap(layer)(batch) ** 2)

    expected = platform.run(jax.grad(by_scan), parameters, batch, handlers=())
    for name, gradient in found.items():  # by_scan groups from left to right; the bits of gradients are asserted above
        assert np.allclose(gradient, expected[name], rtol=1e-3, atol=1e-5)
