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
PLACES = tensor([2, 7, 0, 2])

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
    "partition": lambda x: upsweep.partition(x, HEADS > 0)[0],
    "elements of bins": lambda x: upsweep.bins(x, 3, (0, 1))[0],
    "sums by bin": lambda x: upsweep.histogram(PLACES, 3, (0, 3), weights=x)[0],
    "sums of functions by bin": lambda x: upsweep.histogram(x.reshape(2, 2), [0, 0.3, 1], clamp=True, weights=(x * x).reshape(2, 2).t())[0],
    "runs": lambda x: upsweep.unique_consecutive(x),
    "totals by key": lambda x: upsweep.reduce_by_key(HEADS, x, "maximum")[1],
    "repeated": lambda x: upsweep.repeat(x, PLACES.clamp(0, 2)),
}


@pytest.mark.parametrize("name", CALLS)
def test_several_gradients_at_once(name):
    call, x = CALLS[name], tensor([0.5, 0.25, 2.0, 0.75], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(call, x, check_batched_grad=True, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(call, x, check_batched_grad=True, check_fwd_over_rev=True)
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


# In bins of equal width, clamped ones, those from the smallest to the largest, and edges.
BINS = [{"bins": 4, "range": (0, 4)}, {"bins": 2, "range": (1, 3), "clamp": True}, {"bins": 3}, {"bins": [0, 1, 2.5, 7]}]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64, torch.complex128])
@pytest.mark.parametrize("how", BINS, ids=str)
def test_derivatives_of_sums_by_bin(how, dtype):
    a, generator = tensor([[0, 3, 1], [9, 7, 3]]), torch.Generator().manual_seed(0)
    x, tangent, other = (torch.randn(2, 3, dtype=dtype, generator=generator).to(DEVICE) for _ in range(3))

    def call(w):
        return upsweep.histogram(a, weights=w, **how)[0]

    def same(found, expected):
        assert found.dtype == expected.dtype
        torch.testing.assert_close(found, expected, rtol=0, atol=0)

    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, tangent)
        found = torch.autograd.forward_ad.unpack_dual(call(dual))
        same(found.primal, call(x))
        same(found.tangent, call(tangent))
    for w, to_w in ((x, tangent), (x.t().contiguous().t(), tangent.t().contiguous().t().conj())):
        found = torch.func.jvp(call, (w,), (to_w,))
        same(found[0], call(x))
        same(found[1], call(to_w))
    several = torch.stack((x, tangent, other), 1)
    same(torch.func.vmap(call, 1)(several), torch.stack([call(x), call(tangent), call(other)]))
    same(torch.func.vmap(call)(several[:, :0].movedim(1, 0)), torch.empty(0, call(x).numel(), dtype=dtype, device=DEVICE))
    back = torch.func.vjp(call, x)[1]
    w = x.clone().requires_grad_()
    for gradient in (call(tangent), call(other)):
        same(back(gradient)[0], torch.autograd.grad(call(w), w, gradient)[0])
    same(torch.func.jvp(lambda g: back(g)[0], (call(x),), (call(other),))[1], back(call(other))[0])
    same(torch.func.vjp(lambda g: back(g)[0], call(x))[1](tangent)[0], call(tangent))
    gradient = call(other).requires_grad_()
    found, = torch.autograd.grad(call(w), w, gradient, create_graph=True)
    same(torch.autograd.grad(found, gradient, tangent)[0], call(tangent))
    if dtype != torch.float16:
        w = x.clone().requires_grad_()
        assert torch.autograd.gradcheck(call, w, check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
        assert torch.autograd.gradgradcheck(call, w, check_fwd_over_rev=True)
    if dtype == torch.float64:
        jacobian = torch.func.jacrev(call)(x)
        same(jacobian, torch.func.jacfwd(call)(x))
        same(torch.func.hessian(lambda z: (call(z) ** 2).sum())(x).flatten(2).flatten(0, 1), 2 * jacobian.flatten(1).t() @ jacobian.flatten(1))


def test_weights_of_functions_that_are_transformed():
    a, x = PLACES.float(), tensor([0.5, 0.25, 2.0, 0.75])
    places = PLACES.cpu().numpy()

    def call(w, at=PLACES):
        return upsweep.histogram(at, 3, (0, 3), weights=w)[0]

    for whole in (HEADS, HEADS > 0):  # which have no derivatives
        assert torch.equal(call(whole), torch.func.vmap(call)(whole[None])[0])
        assert not call(whole).requires_grad and torch.equal(torch.func.jvp(lambda z: call(whole) * z.sum(), (x,), (x,))[1], call(whole) * x.sum())
    counts = upsweep.histogram(PLACES, 3, (0, 3))[0]
    ways = [lambda z: call(z, (z * 0 + a).int()), lambda z: call(z, (z * 0 + a).reshape(4))]  # bins of what the function computes
    if DEVICE == "cpu":
        ways.append(lambda z: call(z, places))
    for way in ways:
        assert torch.equal(torch.func.jvp(way, (x,), (x + 1,))[1], call(x + 1))
        assert torch.equal(torch.func.grad(lambda z, way=way: way(z).sum())(x), tensor([1.0, 0, 1, 1]))
    assert torch.equal(torch.func.jvp(lambda z: upsweep.histogram((z * 0 + a), 3, (0, 3))[0] * z[:3], (x,), (x,))[1], counts * x[:3])
    none = torch.empty(0, device=DEVICE)
    found = torch.func.jvp(lambda z: upsweep.histogram(none, 3, (0, 3), weights=z)[0], (none,), (none,))
    assert found[0].tolist() == found[1].tolist() == [0, 0, 0]
    again, at = x.clone().requires_grad_(), PLACES.clone()
    sums = call(again, at)
    at.zero_()  # which is not looked at again
    assert torch.equal(torch.autograd.grad(sums, again, x[:3])[0], tensor([2.0, 0, 0.5, 2]))
    again = none.clone().requires_grad_()
    upsweep.histogram(none, 3, (0, 3), weights=again)[0].sum().backward()
    assert again.grad.shape == (0,)
    with pytest.raises(ValueError, match=r"^weights: expected shape \(4,\), that of a, but it is \(3,\)"):
        torch.func.jvp(call, (x[:3],), (x[:3],))
    with pytest.raises(TypeError, match="^a: expected a tensor in memory"):
        torch.func.vmap(lambda at: call(x, at))(PLACES[None])


def test_tangents_are_not_lost():
    x = torch.ones(4, device=DEVICE)
    with torch.autograd.forward_ad.dual_level():
        number = torch.autograd.forward_ad.make_dual(torch.tensor(0.5), torch.tensor(1.0))
        for call, argument in ((lambda: upsweep.exclusive_scan(x, initial=number), "initial"),
                               (lambda: upsweep.reduce(x, initial=number), "initial"),
                               (lambda: upsweep.linear_recurrence(0.5, x, number), "x0")):
            with pytest.raises(TypeError, match=f"^{argument}: gradients are computed of"):
                call()
        for write in WRITES.values():
            y = torch.autograd.forward_ad.make_dual(torch.ones(4, device=DEVICE), x)
            with pytest.raises(TypeError, match="^out: (gradients are computed of|tensors that PyTorch traces)"):
                write(y)


@pytest.mark.parametrize("constant", [lambda: upsweep.cumsum(HEADS), lambda: upsweep.argsort(HEADS),
                                      lambda: upsweep.exclusive_segmented_scan(HEADS, heads=HEADS),
                                      lambda: upsweep.compact_indices(PLACES, HEADS < 5), lambda: upsweep.partition(PLACES, (">", 2))[0],
                                      lambda: upsweep.bins(PLACES, 3, clamp=True)[0], lambda: upsweep.histogram(PLACES, 4)[0],
                                      lambda: upsweep.histogram(PLACES, 4, weights=HEADS.double())[0].float(),
                                      lambda: upsweep.unique_consecutive(HEADS), lambda: upsweep.repeat(HEADS, HEADS)[:1].expand(4)])
def test_constants_within_functions_that_are_transformed(constant):
    x = torch.ones(4, device=DEVICE)
    expected = x * constant()
    for function in (lambda x: torch.func.grad(lambda y: (y * constant()).sum())(x),
                     lambda x: torch.func.vmap(lambda y: y * constant())(x[None])[0],
                     lambda x: torch.func.jvp(lambda y: y * constant(), (x,), (x,))[1]):
        assert torch.equal(function(x), expected)
