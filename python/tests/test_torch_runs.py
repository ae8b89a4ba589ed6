"""Totals of segments and runs of tensors of PyTorch: derivatives, compiled functions, transforms."""
import of_library
import pytest

import upsweep as as_numpy

torch = as_numpy.library.module
upsweep = of_library.package
DEVICE = as_numpy.library.device


def tensor(*values):
    return torch.tensor(values, device=DEVICE)


KEYS, OFFSETS, HEADS = tensor(0, 0, 1, 1, 1, 2, 3), tensor(0, 0, 2, 5, 5, 6, 7, 7), tensor(0, 0, 1, 0, 0, 1, 1)
# Totals of segments of a tensor of seven elements.
CALLS = {
    "keys": lambda x: upsweep.segmented_reduce(x, keys=KEYS),
    "heads": lambda x: upsweep.segmented_reduce(x, "maximum", heads=HEADS, initial=0.5),
    "offsets": lambda x: upsweep.segmented_reduce(x, offsets=OFFSETS),
    "products": lambda x: upsweep.segmented_reduce(x, "multiplies", offsets=OFFSETS, initial=2),
    "by key": lambda x: upsweep.reduce_by_key(KEYS, x)[1],
    "no elements": lambda x: upsweep.segmented_reduce(x[:0], "maximum", offsets=OFFSETS[:1].repeat(3), initial=1) + x[:2],
}


def same(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape and found.device == expected.device
    assert torch.equal(found, expected)


def some(dtype=torch.float64):
    return (torch.arange(7, dtype=dtype, device=DEVICE) * 5 % 7 + 1) / 8


@pytest.mark.parametrize("name", CALLS)
def test_gradients_of_totals(name):
    x = some().requires_grad_()
    same(CALLS[name](x).detach(), CALLS[name](x.detach()))
    assert torch.autograd.gradcheck(CALLS[name], x, check_forward_ad=True)


def test_gradients_of_runs():
    x = tensor(1.0, 1, 2, 3, 3).requires_grad_()
    elements, inverse, counts = upsweep.unique_consecutive(x, True, True)
    same(elements.detach(), tensor(1.0, 2, 3))
    same(inverse, tensor(0, 0, 1, 2, 2))
    same(counts, tensor(2, 1, 2))
    gradient, = torch.autograd.grad(elements @ tensor(1.0, 10, 100), x)
    same(gradient, tensor(1.0, 0, 10, 100, 0))
    keys, totals = upsweep.reduce_by_key(x, some()[:5])
    gradient, = torch.autograd.grad(keys.sum(), x)
    same(gradient, tensor(1.0, 0, 1, 1, 0))


@pytest.mark.parametrize("name", ["offsets", "products", "no elements"])
def test_compiled_totals_by_offsets(name):
    torch.compiler.reset()
    x = some(torch.float32)
    same(torch.compile(CALLS[name], fullgraph=True, backend="aot_eager")(x), CALLS[name](x))
    same(torch.func.vmap(CALLS[name])(torch.stack((x, 2 * x))), torch.stack((CALLS[name](x), CALLS[name](2 * x))))


def test_what_is_between_compiled_parts():
    x = some(torch.float32)
    for call in (CALLS["keys"], CALLS["heads"], CALLS["by key"], lambda x: upsweep.run_length_encode(x > 0.5)[1],
                 lambda x: upsweep.unique_consecutive(x)):
        torch.compiler.reset()
        same(torch.compile(lambda x: call(x * 2) + 1, backend="aot_eager")(x), call(x * 2) + 1)


def test_derivatives_by_functions():
    x, weights = some(), tensor(1, 2, 3, 4)
    gradient = torch.func.grad(lambda x: (upsweep.segmented_reduce(x, keys=KEYS) * weights).sum())(x)
    same(gradient, torch.repeat_interleave(weights, tensor(2, 3, 1, 1)).to(x.dtype))
    with pytest.raises(TypeError, match="^a: expected a tensor in memory"):
        torch.func.grad(lambda x: upsweep.unique_consecutive(x).sum())(x)


def test_against_pytorch():
    x = torch.randint(0, 3, (4, 5000), device=DEVICE, generator=torch.Generator(DEVICE).manual_seed(3))
    for found, expected in zip(upsweep.unique_consecutive(x, True, True), torch.unique_consecutive(x, True, True)):
        same(found, expected)
    keys, counts = upsweep.run_length_encode(x)
    ones = torch.ones(x.numel(), dtype=torch.int64, device=DEVICE)
    for found, expected in zip(upsweep.reduce_by_key(x.reshape(-1), ones), (keys, counts)):
        same(found, expected)
