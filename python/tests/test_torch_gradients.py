"""What PyTorch's autograd does around calls on its tensors: counts of writes, several gradients at once, derivatives of totals."""
import functools
import subprocess
import sys

import of_library
import pytest

import upsweep as as_numpy

torch = as_numpy.library.module
upsweep = of_library.package
DEVICE = as_numpy.library.device
tensor = functools.partial(torch.tensor, device=DEVICE)
HEADS = tensor([0, 1, 0, 1])

# Functions that write to a tensor of four elements.
WRITES = {
    "scan": lambda y: upsweep.cumsum(y, 0, out=y),
    "offsets of counts": lambda y: upsweep.cumulative_sum(y[:3], include_initial=True, out=y),
    "segments": lambda y: upsweep.inclusive_segmented_scan(y, heads=HEADS, out=y),
    "segments, every second": lambda y: upsweep.inclusive_segmented_scan(y[:2], heads=HEADS[:2], out=y[::2]),
    "recurrence": lambda y: upsweep.linear_recurrence(0.5, y, out=y),
    "recurrence of coefficients": lambda y: upsweep.linear_recurrence(y, y, out=y),
    "sort": lambda y: upsweep.sort(y, out=y),
    "sort of columns": lambda y: upsweep.sort(y.reshape(2, 2), 0, out=y.reshape(2, 2)),
    "segmented sort": lambda y: upsweep.segmented_sort(y, heads=HEADS, out=y),
}


@pytest.mark.parametrize("name", WRITES)
def test_what_is_written_is_not_what_autograd_has_kept(name):
    x = torch.ones(4, device=DEVICE, requires_grad=True)
    y = x * 2
    loss = (y**2).sum()
    with torch.no_grad():
        WRITES[name](y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_program_may_end_with_a_graph():
    program = f"import torch, upsweep; y = upsweep.cumsum(torch.ones(3, device='{DEVICE}', requires_grad=True)).sum(); y.backward()"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_tensors_of_inference_are_written_to():
    with torch.inference_mode():
        x = torch.ones(4, device=DEVICE)
        upsweep.cumsum(x, out=x)
    upsweep.cumsum(x, out=x)
    assert x.tolist() == [1, 3, 6, 10]


# Functions of one tensor of four elements whose derivatives are calls themselves.
CALLS = {
    "sums": lambda x: upsweep.exclusive_scan(x, reverse=True),
    "rows": lambda x: upsweep.cumsum(x.reshape(2, 2), 0),
    "products": lambda x: upsweep.inclusive_scan(x, "multiplies", axis=0, initial=2),
    "maxima": lambda x: upsweep.exclusive_scan(x.reshape(2, 2), "maximum", axis=1, initial=0.1),
    "offsets of counts": lambda x: upsweep.cumulative_sum(x, include_initial=True),
    "segments": lambda x: upsweep.inclusive_segmented_scan(x, heads=HEADS),
    "products of segments": lambda x: upsweep.exclusive_segmented_scan(x, "multiplies", heads=HEADS),
    "minima of segments": lambda x: upsweep.inclusive_segmented_scan(x, "minimum", heads=HEADS),
    "totals": lambda x: upsweep.segmented_reduce(x, offsets=tensor([0, 2, 2, 4])),
    "totals of rows": lambda x: upsweep.sum(x.reshape(2, 2), 1),
    "a product": lambda x: upsweep.prod(x),
    "largest of columns": lambda x: upsweep.reduce(x.reshape(2, 2), "maximum", axis=0, initial=0.6, keepdims=True),
    "a number": lambda x: upsweep.linear_recurrence(0.5, x, 2.0),
    "recurrences": lambda x: upsweep.linear_recurrence(x, x.reshape(2, 2, 1).sum(2)[1].repeat(2), axis=0),
    "repeated coefficients": lambda x: upsweep.linear_recurrence(x[:2, None], x.reshape(2, 2)),
    "sort": lambda x: upsweep.sort(x),
    "greatest": lambda x: upsweep.top_k(x, 2)[0],
    "segmented sort": lambda x: upsweep.segmented_sort(x, heads=HEADS),
    "chosen": lambda x: upsweep.compact(x, (">", 0)),
}


@pytest.mark.parametrize("name", CALLS)
def test_several_gradients_at_once(name):
    call, x = CALLS[name], tensor([0.5, 0.25, 2.0, 0.75], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(call, x, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(call, x, check_batched_grad=True)
    y = call(x)
    each = [torch.autograd.grad(y, x, row.reshape(y.shape), retain_graph=True)[0] for row in torch.eye(y.numel()).to(y)]
    found = torch.autograd.functional.jacobian(call, x.detach(), vectorize=True)
    torch.testing.assert_close(found.reshape(y.numel(), 4), torch.stack(each), rtol=0, atol=0)


@pytest.mark.parametrize("op", ["plus", "multiplies", "minimum", "maximum"])
def test_derivatives_of_totals(op):
    def equal(found, expected):
        torch.testing.assert_close(found, expected, rtol=0, atol=0)

    x = torch.randn(5, 7, dtype=torch.float64, device=DEVICE, requires_grad=True)
    if op == "multiplies":
        with torch.no_grad():
            x[1, 2] = x[3, 2] = x[2, 4] = 0
    for axis in (0, -1, None):
        def call(y, axis=axis):
            return upsweep.reduce(y, op, axis=axis, initial=0.25, keepdims=axis == 0)

        assert torch.autograd.gradcheck(call, x, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(call, x)
        equal(call(x), call(x.detach()))
        gradient = torch.func.grad(lambda z: (call(z) ** 2).sum())
        equal(gradient(x.detach()), torch.autograd.grad((call(x) ** 2).sum(), x)[0])
        several = torch.stack((x.detach(), x.detach().flip(-1)))
        torch.testing.assert_close(torch.func.vmap(gradient)(several), torch.stack([gradient(z) for z in several]))
        torch.testing.assert_close(torch.func.jacrev(call)(x.detach()), torch.func.jacfwd(call)(x.detach()))
    for shape, axis in (((0,), 0), ((0, 3), 0), ((0, 3), 1), ((3, 0), None), ((1,), 0), ((), None)):
        y = torch.full(shape, 2.0, device=DEVICE, requires_grad=True)
        found = upsweep.reduce(y, op, axis=axis)
        equal(found, upsweep.reduce(y.detach(), op, axis=axis))
        found.sum().backward()
        assert y.grad.shape == shape and bool((y.grad == 1).all())
        tangent = torch.func.jvp(lambda z: upsweep.reduce(z, op, axis=axis), (y.detach(),), (torch.ones_like(y),))[1]
        assert tangent.shape == found.shape and tangent.sum() == y.numel()
    half = torch.randn(1000, dtype=torch.float16, device=DEVICE, requires_grad=True)
    upsweep.reduce(half, op, dtype=torch.float32).backward()
    assert half.grad.dtype == torch.float16


@pytest.mark.filterwarnings("error")
def test_gradients_of_real_numbers_that_are_summed_as_complex_ones():
    x, weights = torch.ones(4, device=DEVICE, requires_grad=True), tensor([1, 2j, 3, 4])
    found, = torch.autograd.grad(upsweep.cumsum(x, dtype=torch.complex64), x, weights)
    assert found.tolist() == [8, 7, 7, 4]
    total, = torch.autograd.grad(upsweep.sum(x, dtype=torch.complex64), x, tensor(1 + 2j))
    assert total.tolist() == [1, 1, 1, 1]
    by_functions = torch.func.vjp(lambda y: upsweep.cumsum(y, dtype=torch.complex64), x.detach())[1](weights)[0]
    assert torch.equal(by_functions, found)


@pytest.mark.parametrize("constant", [lambda: upsweep.cumsum(HEADS), lambda: upsweep.argsort(HEADS),
                                      lambda: upsweep.exclusive_segmented_scan(HEADS, heads=HEADS)])
def test_constants_within_functions_that_are_transformed(constant):
    x = torch.ones(4, device=DEVICE)
    expected = x * constant()
    for function in (lambda x: torch.func.grad(lambda y: (y * constant()).sum())(x),
                     lambda x: torch.func.vmap(lambda y: y * constant())(x[None])[0],
                     lambda x: torch.func.jvp(lambda y: y * constant(), (x,), (x,))[1]):
        assert torch.equal(function(x), expected)
