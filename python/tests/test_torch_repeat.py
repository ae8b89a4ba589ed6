"""Repeated elements of tensors of PyTorch: against its own, derivatives, compiled functions, transforms."""
import functools
import warnings

import numpy as np
import of_library
import pytest
from torch.fx.experimental.proxy_tensor import make_fx

import upsweep as as_numpy

torch = as_numpy.library.module
upsweep = of_library.package
DEVICE = as_numpy.library.device
tensor = functools.partial(torch.tensor, device=DEVICE)

COUNTS, OTHERS, OFFSETS = tensor([2, 0, 1, 3]), tensor([3, 0, 2]), tensor([0, 2, 2, 3, 6])
# Of a tensor of shape (4, 3), whose sizes are known.
CALLS = {
    "rows": lambda x: upsweep.repeat(x, COUNTS, 0, output_size=6),
    "columns": lambda x: upsweep.repeat(x, OTHERS, 1, output_size=5),
    "all": lambda x: upsweep.repeat(x, 3),
    "columns alike": lambda x: upsweep.repeat(x * 2, 2, -1) + 1,
    "elements": lambda x: upsweep.repeat(x[:, 0], COUNTS, output_size=6),
    "none": lambda x: upsweep.repeat(x, 0, 0),
    "offsets": lambda x: upsweep.repeat(x, axis=0, offsets=OFFSETS, output_size=6),
    "indices": lambda x: x[upsweep.repeat_indices(COUNTS, output_size=6)],
}
# Whose sizes the counts say.
IN_MEMORY = {
    "rows": lambda x: upsweep.repeat(x, COUNTS, 0),
    "columns": lambda x: upsweep.repeat(x, OTHERS, 1),
    "elements": lambda x: upsweep.repeat(x[:, 0], COUNTS),
    "offsets": lambda x: upsweep.repeat(x, axis=0, offsets=OFFSETS),
    "indices": lambda x: x[upsweep.repeat_indices(offsets=OFFSETS)],
}
EXPECTED = {
    "rows": lambda x: torch.repeat_interleave(x, COUNTS, 0),
    "columns": lambda x: torch.repeat_interleave(x, OTHERS, 1),
    "all": lambda x: torch.repeat_interleave(x, 3),
    "columns alike": lambda x: torch.repeat_interleave(x * 2, 2, 1) + 1,
    "elements": lambda x: torch.repeat_interleave(x[:, 0], COUNTS),
    "none": lambda x: x[:0],
    "offsets": lambda x: torch.repeat_interleave(x, COUNTS, 0),
    "indices": lambda x: torch.repeat_interleave(x, COUNTS, 0),
}
EVERY = {**CALLS, **{f"{name} of counts": call for name, call in IN_MEMORY.items()}}


def same(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape and found.device == expected.device
    assert torch.equal(found, expected)


def some(dtype=torch.float32):
    return (torch.arange(12, device=DEVICE) * 5 % 7 / 4).to(dtype).reshape(4, 3)


@pytest.mark.parametrize("name", EVERY)
def test_against_pytorch(name):
    expected = EXPECTED[name.replace(" of counts", "")]
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.complex64, torch.complex128):
        same(EVERY[name](some(dtype)), expected(some(dtype)))


@pytest.mark.parametrize("name", EVERY)
def test_gradients(name):
    call, expected = EVERY[name], EXPECTED[name.replace(" of counts", "")]
    found = []
    for function in (call, expected):
        x = some(torch.float64).requires_grad_()
        y = function(x)
        if y.numel():
            (y * torch.arange(y.numel(), device=DEVICE).reshape(y.shape)).sum().backward()
            found.append(x.grad)
    if found:
        torch.testing.assert_close(*found)
    x = some(torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(call, x, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(call, x, check_batched_grad=True)


def test_gradients_have_the_bits_of_sums():
    x = torch.zeros(1000, device=DEVICE, requires_grad=True)
    counts = torch.arange(1000, device=DEVICE) % 5
    weights = torch.rand(2000, generator=torch.Generator().manual_seed(1)).to(DEVICE)
    gradient, = torch.autograd.grad(upsweep.repeat(x, counts), x, weights)
    offsets = torch.cat((counts.new_zeros(1), counts.cumsum(0)))
    same(gradient, upsweep.segmented_reduce(weights, offsets=offsets, initial=0))
    assert not torch.signbit(gradient).any()


@pytest.mark.parametrize("name", CALLS)
def test_compiled(name):
    torch.compiler.reset()
    compiled = torch.compile(CALLS[name], fullgraph=True, backend="aot_eager")
    same(compiled(some()), CALLS[name](some()))
    found = []
    for call in (compiled, CALLS[name]):
        x = some(torch.float64).requires_grad_()
        call(x).square().sum().backward()
        found.append(x.grad)
    torch.testing.assert_close(*found, rtol=0, atol=0)


@pytest.mark.parametrize("name", IN_MEMORY)
def test_what_is_between_compiled_parts(name):
    torch.compiler.reset()
    same(torch.compile(lambda x: IN_MEMORY[name](x * 2) + 1, backend="aot_eager")(some()), IN_MEMORY[name](some() * 2) + 1)


@pytest.mark.parametrize("name", EVERY)
def test_transforms(name):
    call, x = EVERY[name], some(torch.float64)
    same(torch.func.vmap(call)(torch.stack((x, 2 * x))), torch.stack((call(x), call(2 * x))))
    same(torch.func.vmap(call, in_dims=2)(torch.stack((x, 2 * x), 2)), torch.stack((call(x), call(2 * x))))
    values, tangents = torch.func.jvp(call, (x,), (x + 1,))
    same(values, call(x))
    same(tangents, torch.func.jvp(EXPECTED[name.replace(" of counts", "")], (x,), (x + 1,))[1])
    gradient = torch.func.grad(lambda x: call(x).square().sum())(x)
    torch.testing.assert_close(gradient, torch.func.grad(lambda x: EXPECTED[name.replace(" of counts", "")](x).square().sum())(x))


def test_counts_that_are_mapped():
    x, counts = some(), torch.stack((COUNTS, COUNTS.flip(0)))
    found = torch.func.vmap(lambda counts: upsweep.repeat(x, counts, 0, output_size=6))(counts)
    same(found, torch.stack([torch.repeat_interleave(x, each, 0) for each in counts]))
    with pytest.raises(TypeError, match="^repeats: expected a tensor in memory"):
        torch.func.vmap(lambda counts: upsweep.repeat(x, counts, 0))(counts)


def test_traced():
    for call in CALLS.values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch would have others used instead
            traced = torch.jit.trace(call, (some(),), check_trace=False)
        for other in (traced, make_fx(call)(some())):
            same(other(2 * some()), call(2 * some()))
    for name in ("rows", "columns", "elements", "offsets"):
        with pytest.raises(TypeError, match="^a: expected a tensor in memory"):
            make_fx(IN_MEMORY[name])(some())


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool])
def test_types_of_counts(dtype):
    x, counts = some(), tensor([1, 0, 1, 1]).to(dtype)
    same(upsweep.repeat(x, counts, 0), x[[0, 2, 3]])
    same(upsweep.repeat_indices(counts), tensor([0, 2, 3]))
    same(upsweep.repeat(x, tensor(2).to(dtype), 0), torch.repeat_interleave(x, int(tensor(2).to(dtype)), 0))


def test_what_is_refused():
    x = some()
    for requires_grad in (False, True):
        x.requires_grad_(requires_grad)
        for call in (lambda: upsweep.repeat(x, tensor([1, -1, 1, 1]), 0), lambda: upsweep.repeat(x, -1)):
            with pytest.raises(ValueError, match="^repeats: .*negative"):
                call()
        with pytest.raises(ValueError, match="^repeats: expected an integer, or one dimension of 1 or 4"):
            upsweep.repeat(x, OTHERS, 0)
        with pytest.raises(TypeError, match="^repeats: expected integers"):
            upsweep.repeat(x, x[:, 0].detach(), 0)
        with pytest.raises(ValueError, match="^output_size: expected 8"):
            upsweep.repeat(x, 2, 0, output_size=9)
        with pytest.raises(ValueError, match="^offsets: expected 5 integers that ascend from 0"):
            upsweep.repeat(x, axis=0, offsets=tensor([0, 2, 1, 2, 3]))
    if DEVICE == "cpu":
        same(upsweep.repeat(x.detach(), [2, 0, 1, 3], 0), EXPECTED["rows"](x.detach()))
        same(upsweep.repeat(x.detach(), np.int8([2, 0, 1, 3]), 0), EXPECTED["rows"](x.detach()))
        with pytest.raises(ValueError, match="^output_size: expected 6"):
            upsweep.repeat(x.detach(), COUNTS, 0, output_size=7)


def test_large_ones():
    generator = torch.Generator().manual_seed(5)
    for shape, axis in (((1_000_003,), 0), ((3000, 40), 0), ((40, 3000), 1), ((300_000, 3), 0)):
        x = torch.rand(shape, generator=generator).to(DEVICE)
        counts = torch.randint(0, 5, (shape[axis],), generator=generator).to(DEVICE)
        same(upsweep.repeat(x, counts, axis), torch.repeat_interleave(x, counts, axis))
        same(upsweep.repeat(x.half(), counts.int(), axis), torch.repeat_interleave(x.half(), counts, axis))
        same(upsweep.repeat_indices(counts), torch.repeat_interleave(counts))


def test_more_results_than_memory_can_hold():
    x = some()
    for call in (lambda: upsweep.repeat(x, 2**62), lambda: upsweep.repeat(x[0], 2**63 - 1, 0), lambda: upsweep.repeat(x[:, :0], 2**62, 0),
                 lambda: upsweep.repeat(x, tensor([2**62, 2**62, 0, 0]), 0), lambda: upsweep.repeat_indices(tensor([2**61])),
                 lambda: upsweep.repeat(some().requires_grad_(), 2**62)):
        with pytest.raises(MemoryError, match="^repeats: "):
            call()
