"""What only tensors of PyTorch have, on a GPU or in host memory: derivatives, compiled functions, transforms."""
import functools

import numpy as np
import of_library
import pytest
from conftest import LIBRARY
from reference import tree_sum

import upsweep as as_numpy

torch = as_numpy.library.module
upsweep = of_library.package
DEVICE = as_numpy.library.device
gpu_only = pytest.mark.skipif(LIBRARY != "torch", reason="of a GPU")
host_only = pytest.mark.skipif(LIBRARY != "torch_host", reason="of host memory")

tensor = functools.partial(torch.tensor, device=DEVICE)
KEYS = [0, 0, 1, 1, 1, 2, 3]


def variable(*shape, dtype=torch.float64):
    return torch.randn(shape, dtype=dtype, device=DEVICE, requires_grad=True)


def same(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape and found.device == expected.device
    assert torch.equal(found, expected)


# Functions of one tensor of shape (5, 7), of every kind that is an operator of PyTorch.
CALLS = {
    "sums": lambda x: upsweep.cumsum(x * 2, 0) + 1,
    "all sums": lambda x: upsweep.cumsum(x),
    "offsets of counts": lambda x: upsweep.cumulative_sum(x, axis=1, include_initial=True),
    "maxima": lambda x: upsweep.cummax(x, -1),
    "products": lambda x: upsweep.exclusive_scan(x, "multiplies", axis=0, initial=2),
    "options": lambda x: upsweep.exclusive_scan(x, "maximum", axis=-1, initial=0.5, reverse=True),
    "NumPy's name of a type": lambda x: upsweep.inclusive_scan(x, axis=0, dtype="float64"),
    "another type": lambda x: upsweep.inclusive_scan(x, axis=1, dtype=torch.float16),
    "bytes": lambda x: upsweep.cumsum((x * 10).to(torch.uint8), 1),
    "totals": lambda x: upsweep.sum(x, axis=0) + 1,
    "total products": lambda x: upsweep.prod(x * 2, -1, keepdims=True),
    "largest of all": lambda x: upsweep.reduce(x, "maximum", initial=0.5),
    "totals of another type": lambda x: upsweep.sum(x, 1, dtype=torch.float16),
    "a number": lambda x: upsweep.linear_recurrence(0.9, x),
    "recurrences": lambda x: upsweep.linear_recurrence(x, x[0], 2, axis=0, reverse=True),
    "sort": lambda x: upsweep.sort(x, 0),
    "sort all": lambda x: upsweep.sort(x, None, descending=True),
    "argsort": lambda x: upsweep.argsort(x, descending=True),
    "greatest": lambda x: upsweep.top_k(x, 3)[0],
    "where the smallest are": lambda x: upsweep.top_k(x, 2, 0, smallest=True).indices,
    "segmented sort": lambda x: upsweep.segmented_sort(x[0], heads=(x[1] * 3).int(), descending=True),
    "segmented argsort": lambda x: upsweep.segmented_argsort(x[:, 0], keys=(x[:, 1] * 3).int()),
    "keys": lambda x: upsweep.inclusive_segmented_scan(x[0], keys=(x[0] * 3).int()),
    "offsets": lambda x: upsweep.inclusive_segmented_scan(x[:, 0], offsets=torch.tensor([0, 2, 2, 5], device=DEVICE)),
    "heads": lambda x: upsweep.exclusive_segmented_scan(x[0], heads=(x[0] * 3).int(), reverse=True),
}


def test_sums_of_unsigned_integers_are_int64_as_torchs():
    x = tensor([1] * 5, dtype=torch.uint8)
    assert upsweep.cumsum(x).dtype == torch.int64
    assert upsweep.cumprod(x).dtype == torch.int64
    assert upsweep.cummax(x).dtype == torch.uint8
    assert upsweep.cumsum(x, dtype=torch.uint8).dtype == torch.uint8
    assert upsweep.cumsum(x, dtype="float32").dtype == torch.float32
    same(upsweep.cumsum(x.to(torch.bfloat16)), tensor([1, 2, 3, 4, 5], dtype=torch.bfloat16))
    with pytest.raises(TypeError, match="^dtype: "):
        upsweep.cumsum(x, dtype=torch.float8_e4m3fn)


@host_only
def test_numpy_beside_tensors_in_host_memory(numbers):
    x = numbers("float32", 7)
    y = torch.from_numpy(x)
    expected = upsweep.inclusive_segmented_scan(y, keys=tensor(KEYS))
    same(upsweep.inclusive_segmented_scan(y, keys=KEYS), expected)
    same(upsweep.inclusive_segmented_scan(y, keys=np.array(KEYS, ">i4")), expected)
    same(upsweep.compact(y, x[::-1] > 0), y[torch.from_numpy((x[::-1] > 0).copy())])
    same(upsweep.linear_recurrence(np.float32(0.5), y), upsweep.linear_recurrence(0.5, y))
    assert upsweep.cumsum(y).numpy().tobytes() == tree_sum(x).tobytes()
    with pytest.raises(TypeError, match="^out: expected an array of PyTorch in host memory"):
        upsweep.cumsum(y, out=x)


@gpu_only
def test_tensors_in_host_memory_beside_those_on_a_gpu():
    x = tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="^b: expected an array of PyTorch on a GPU, .* a tensor on cpu"):
        upsweep.linear_recurrence(x, x.cpu())
    with pytest.raises(TypeError, match="^out: expected an array of PyTorch in host memory, but it is a tensor on cuda"):
        upsweep.cumsum(x.cpu(), out=x)


def test_gradients_of_sums_and_recurrences():
    check = torch.autograd.gradcheck
    x, keys = variable(5, 7), tensor(KEYS)
    for reverse in (False, True):
        for call in (upsweep.inclusive_scan, upsweep.exclusive_scan):
            for axis in (0, 1, None):
                assert check(lambda y: call(y, axis=axis, reverse=reverse, initial=0.5), x)
        for call in (upsweep.inclusive_segmented_scan, upsweep.exclusive_segmented_scan):
            assert check(lambda y: call(y[0], keys=keys, reverse=reverse), x)
    assert torch.autograd.gradgradcheck(lambda y: upsweep.cumsum(y, 0) ** 2, x)
    assert check(lambda y: upsweep.cumulative_sum(y, axis=1, include_initial=True), x, check_forward_ad=True)
    assert check(lambda y: upsweep.cumulative_prod(y, axis=0, include_initial=True), x, check_forward_ad=True)
    half = variable(1000, dtype=torch.float16)
    upsweep.cumsum(half, dtype=torch.float32).sum().backward()
    assert half.grad.dtype == torch.float16 and half.grad.tolist() == list(range(1000, 0, -1))


@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_of_recurrences(reverse):
    for *arrays, axis in ((variable(5, 7), variable(5, 7), 0), (variable(5, 1), variable(7), 1), (variable(1, 7), variable(7), 0),
                          (variable(1, 3), variable(1, 3), 0), (variable(0, 3), variable(0, 3), 0),
                          (variable(3, 7), 0), (variable(3, 7), 1), (variable(0, 3), 0), (variable(), 0)):  # of one coefficient
        linear = functools.partial(upsweep.linear_recurrence, *[0.9][:2 - len(arrays)], x0=0.25, axis=axis, reverse=reverse)
        assert torch.autograd.gradcheck(linear, arrays)
        assert torch.autograd.gradgradcheck(linear, arrays)
    y, weights = variable(1000, dtype=torch.bfloat16), torch.randn(1000, device=DEVICE)
    found, = torch.autograd.grad(upsweep.linear_recurrence(0.9, y, 2, reverse=reverse, dtype=torch.float32), y, weights)
    same(found, upsweep.linear_recurrence(0.9, weights, reverse=not reverse).to(torch.bfloat16))


PRODUCTS_AND_EXTREMES = [(op, reverse) for op in ("multiplies", "minimum", "maximum") for reverse in (False, True)]


@pytest.mark.parametrize("op, reverse", PRODUCTS_AND_EXTREMES)
def test_derivatives_of_products_and_extremes(op, reverse):
    x, row, heads = variable(5, 7), variable(10), tensor([0, 0, 1, 0, 1, 0, 0, 1, 0, 0])
    with torch.no_grad():
        if op == "multiplies":
            x[1, 2] = x[3, 2] = x[2, 4] = 0
    calls = [(lambda y, call=call, axis=axis: call(y, op, axis=axis, reverse=reverse, initial=0.25), x)
             for call in (upsweep.inclusive_scan, upsweep.exclusive_scan) for axis in (0, 1, None)]
    calls += [(lambda y, call=call: call(y, op, heads=heads, reverse=reverse, initial=0.25), row)
              for call in (upsweep.inclusive_segmented_scan, upsweep.exclusive_segmented_scan)]
    for call, y in calls:
        assert torch.autograd.gradcheck(call, y, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(call, y)
        gradient = torch.func.grad(lambda z: (call(z) ** 2).sum())
        same(gradient(y.detach()), torch.autograd.grad((call(y) ** 2).sum(), y)[0])
        several = torch.stack((y.detach(), y.detach().flip(-1)))
        torch.testing.assert_close(torch.func.vmap(gradient)(several), torch.stack([gradient(z) for z in several]))
        torch.testing.assert_close(torch.func.jacrev(call)(y.detach()), torch.func.jacfwd(call)(y.detach()))


def test_gradients_are_those_of_torch():
    x = torch.randint(-3, 4, (50, 40), dtype=torch.float64, device=DEVICE)  # many are equal
    weights = torch.randint(-5, 6, x.shape, device=DEVICE).double()
    for ours, theirs in ((upsweep.cummax, lambda y, axis: torch.cummax(y, axis).values), (upsweep.cumprod, torch.cumprod),
                         (upsweep.cummin, lambda y, axis: torch.cummin(y, axis).values)):
        if ours is not upsweep.cumprod:
            x[3, 7] = torch.nan  # which is the extreme from there on
        else:
            x[3, 7] = 1
        for axis in (0, 1):
            found = []
            for call in (ours, theirs):
                y = x.clone().requires_grad_()
                call(y, axis).backward(weights)
                found.append(y.grad)
            same(*found)


def test_gradients_of_extremes_stay_in_their_regions():
    x = tensor([1.0, 3.0, 2.0, 5.0, 4.0]).requires_grad_()
    upsweep.cummax(x).backward(tensor([1.0, torch.inf, 2.0, torch.nan, 4.0]))
    assert str(x.grad.tolist()) == "[1.0, inf, 0.0, nan, 0.0]"


def test_types_of_gradients():
    x = torch.tensor([2.0, 4.0, 4.0, 1.0], dtype=torch.bfloat16, device=DEVICE, requires_grad=True)
    for call, expected in ((upsweep.cumprod, [37.0, 18.0, 16.0, 32.0]), (upsweep.cummax, [1.0, 1.0, 2.0, 0.0])):
        for dtype in (None, torch.float32, torch.float64):
            found = call(x, dtype=dtype)
            assert found.dtype == (dtype or torch.bfloat16)
            gradient, = torch.autograd.grad(found.sum(), x)
            assert gradient.dtype == torch.bfloat16 and gradient.tolist() == expected


def test_gradients_of_arrays_of_nothing_and_of_one():
    for shape in ((0,), (0, 3), (3, 0), (1,), ()):
        for op in ("plus", "multiplies", "maximum"):
            x = torch.full(shape, 2.0, device=DEVICE, requires_grad=True)
            upsweep.inclusive_scan(x, op, axis=0 if shape else None).sum().backward()
            assert x.grad.shape == shape and bool((x.grad == 1).all())


def test_gradients_of_what_moves_elements():
    x = variable(5, 7)
    for call in (lambda y: upsweep.sort(y, 0), lambda y: upsweep.sort(y, None, descending=True),
                 lambda y: upsweep.top_k(y, 2, 0)[0], lambda y: upsweep.top_k(y, 9, None, smallest=True)[0],
                 lambda y: upsweep.segmented_sort(y[0], keys=tensor(KEYS)), lambda y: upsweep.compact(y, (">", 0)),
                 lambda y: upsweep.partition(y, (">", 0))[0], lambda y: upsweep.bins(y, 3)[0]):
        assert torch.autograd.gradcheck(call, x)
        assert torch.equal(call(x), call(x.detach()))
    for call in (upsweep.argsort, lambda y: upsweep.top_k(y, 2)[1], lambda y: upsweep.segmented_argsort(y[0], keys=tensor(KEYS)),
                 lambda y: upsweep.compact_indices(y, (">", 0)), lambda y: upsweep.histogram(y)[0]):
        assert not call(x).requires_grad


def test_gradients_of_weights():
    a, weights = tensor([[0, 3, 1], [1, 7, 3]]), variable(2, 3)
    call = lambda w: upsweep.histogram(a, 4, (0, 4), weights=w)[0]
    assert torch.autograd.gradcheck(call, weights)
    assert torch.autograd.gradgradcheck(call, weights)
    call(weights).backward(tensor([10.0, 20, 30, 40]).double())
    assert weights.grad.tolist() == [[10, 40, 20], [20, 0, 40]]
    assert torch.equal(call(weights), call(weights.detach()))
    if LIBRARY == "torch_host":
        found = upsweep.histogram(a.numpy(), 4, (0, 4), weights=weights.detach())[0]  # an array of NumPy beside a tensor
        assert torch.equal(found, call(weights.detach()))


def test_derivatives_forwards():
    x, y = variable(5, 7), variable(5, 7)
    check = functools.partial(torch.autograd.gradcheck, check_forward_ad=True, check_backward_ad=False)
    for reverse in (False, True):
        assert check(lambda z: upsweep.exclusive_scan(z, axis=0, initial=0.5, reverse=reverse), x)
        assert check(lambda z: upsweep.inclusive_segmented_scan(z[0], keys=tensor(KEYS), reverse=reverse), x)
        assert check(lambda a, b: upsweep.linear_recurrence(a, b, 0.5, axis=0, reverse=reverse), (x, y))
    assert check(lambda b: upsweep.linear_recurrence(0.9, b), y)
    assert check(lambda z: upsweep.sort(z, 0), x)
    assert check(lambda z: upsweep.top_k(z, 3)[0], x)
    assert check(lambda z: upsweep.segmented_sort(z[0], keys=tensor(KEYS), descending=True), x)
    assert check(lambda z: upsweep.compact(z, (">", 0)), x)
    tangent = torch.ones_like(x)
    found = torch.func.jvp(lambda z: upsweep.cumsum(z, 1), (x.detach(),), (tangent,))
    same(found[1], upsweep.cumsum(tangent, 1))
    with pytest.raises(TypeError, match="^a: gradients are computed of"):
        torch.func.jvp(lambda z: upsweep.inclusive_scan(z, "logical_or"), (x.detach(),), (tangent,))


def test_what_has_no_gradients():
    x = torch.ones(5, device=DEVICE, requires_grad=True)
    out = torch.empty(5, device=DEVICE)
    complex_ones = x.to(torch.complex64)
    for call in (lambda: upsweep.inclusive_scan(x, "logical_or"), lambda: upsweep.cumsum(x, out=out), lambda: upsweep.cummax(x, out=out),
                 lambda: upsweep.sort(x, out=out), lambda: upsweep.segmented_sort(x, heads=x > 0, out=out),
                 lambda: upsweep.linear_recurrence(x, x, out=out), lambda: upsweep.reduce(x, "logical_or")):
        with pytest.raises(TypeError, match="^(a|out): gradients are computed of"):
            call()
        with torch.no_grad():
            call()
    with pytest.raises(TypeError, match="^a: gradients of products of complex numbers"):
        upsweep.cumprod(complex_ones)
    assert not upsweep.cumsum(x.detach()).requires_grad


@pytest.mark.parametrize("name", CALLS)
def test_compiled_functions(name):
    call = CALLS[name]
    torch.compiler.reset()
    compiled = torch.compile(call, fullgraph=True, backend="aot_eager")
    for x in (torch.rand(5, 7, device=DEVICE), torch.rand(7, 5, device=DEVICE).t()):
        expected = call(x)
        same(compiled(x), expected)
        assert compiled(x).stride() == expected.stride()


@pytest.mark.parametrize("name", ["sums", "all sums", "offsets of counts", "maxima", "products", "totals", "total products",
                                  "largest of all", "a number", "recurrences", "sort", "segmented sort",
                                  "keys", "heads"])
def test_gradients_of_compiled_functions(name):
    torch.compiler.reset()
    found = []
    for call in (CALLS[name], torch.compile(CALLS[name], fullgraph=True, backend="aot_eager")):
        x = (torch.arange(35, dtype=torch.float64, device=DEVICE).reshape(5, 7) * 7 % 11 / 11).requires_grad_()
        (call(x) * torch.arange(call(x).numel(), device=DEVICE).reshape(call(x).shape)).sum().backward()
        found.append(x.grad)
    torch.testing.assert_close(*found)


def test_results_whose_size_is_not_known_are_between_compiled_parts():
    x = torch.rand(5, 7, device=DEVICE)
    for call in (lambda x: upsweep.compact(x * 2, (">", 0.5)) + 1, lambda x: upsweep.histogram(x, 3, (0, 1))[0] + 1,
                 lambda x: upsweep.partition(x, x > 0.5)[0]):
        torch.compiler.reset()
        same(torch.compile(call, backend="aot_eager")(x), call(x))


def test_a_compiled_function_takes_any_number():
    torch.compiler.reset()
    compiled = torch.compile(lambda x: upsweep.cumsum(x, 0) * 2, fullgraph=True, backend="aot_eager", dynamic=True)
    for n in (3, 4, 9, 1000):
        x = torch.rand(n, 3, device=DEVICE)
        same(compiled(x), upsweep.cumsum(x, 0) * 2)


def test_derivatives_forwards_of_compiled_functions():
    x, tangent = torch.rand(5, device=DEVICE), torch.rand(5, device=DEVICE)
    expected = upsweep.cumsum(tangent)
    torch.compiler.reset()
    compile_it = functools.partial(torch.compile, backend="aot_eager")
    same(torch.func.jvp(compile_it(CALLS["all sums"]), (x,), (tangent,))[1], expected)
    same(compile_it(lambda x: torch.func.jvp(upsweep.cumsum, (x,), (tangent,))[1])(x), expected)


def test_export():
    class Module(torch.nn.Module):
        def forward(self, x):
            return upsweep.linear_recurrence(0.9, x)

    x = torch.rand(5, 7, device=DEVICE)
    exported = torch.export.export(Module(), (x,))
    assert "torch.ops.upsweep.smoothing.default" in str(exported.graph)
    same(exported.module()(x), Module()(x))


def test_operators_are_what_pytorch_expects():
    x = torch.rand(5, 7, device=DEVICE)
    y, heads = x.clone().requires_grad_(), x[0] > 0.5
    torch.compile(CALLS["sums"], backend="eager")(x)  # the operators are made when one is needed
    ops = torch.ops.upsweep
    for op, arguments in ((ops.scan, (y, None, "plus", 0, None, 0.5, True, True)), (ops.scan, (y, None, "maximum", 1, None, None, False, False)),
                          (ops.scan, (y, None, "multiplies", 0, None, 2, True, True)),
                          (ops.scan, (y[0], heads, "plus", 0, None, None, False, True)),
                          (ops.reduce, (y, "plus", 0, None, 0.5)), (ops.reduce, (y, "maximum", 1, torch.float64, None)),
                          (ops.reduce, (y.t(), "multiplies", 1, None, 2)), (ops.reduce, (x[:, :0], "minimum", 1, None, None)),
                          (ops.linear_recurrence, (y, y, 0.5, 1, True, torch.float32)),
                          (ops.smoothing, (0.9, y, 0.5, 0, True, torch.float64)), (ops.sort, (y, None, 0, True)),
                          (ops.argsort, (x, None, 1, False)), (ops.sort, (y[0], heads, 0, True)), (ops.argsort, (x[0], heads, 0, False)),
                          (ops.bin_sums, (y[:, 0], tensor([2, 0, 4, 2, 4]), 4)), (ops.bin_sums, (x[0, :0].half(), tensor([]).long(), 3)),
                          (ops.of_bins, (y[0], tensor([7, 1, 0]))),
                          (ops.top_k_indices, (x, 2, 0, False)), (ops.top_k_indices, (x.t(), 3, 1, True))):
        torch.library.opcheck(op.default, arguments)


def test_vmap_has_the_bits_of_the_slices(numbers):
    x = torch.from_numpy(numbers("float32", (3, 4, 5))).to(DEVICE)
    y = torch.from_numpy(numbers("float32", (1, 1))).to(DEVICE)
    for call in (lambda z: upsweep.cumsum(z, 1), lambda z: upsweep.cumulative_sum(z, axis=1, include_initial=True),
                 upsweep.inclusive_scan, lambda z: upsweep.sort(z, 0), lambda z: upsweep.argsort(z, 1),
                 lambda z: upsweep.top_k(z, 2, 0)[0], lambda z: upsweep.top_k(z, 3, None)[1],
                 lambda z: upsweep.exclusive_scan(z, initial=np.float32(0.5), axis=0), upsweep.sum, lambda z: upsweep.sum(z, 0),
                 lambda z: upsweep.reduce(z, "minimum", axis=-1, keepdims=True),
                 lambda z: upsweep.linear_recurrence(z, y, axis=0), lambda z: upsweep.linear_recurrence(0.5, z),
                 lambda z: upsweep.segmented_sort(z.reshape(-1), heads=torch.arange(z.numel(), device=DEVICE) % 3 == 0),
                 lambda z: upsweep.segmented_argsort(z.reshape(-1), keys=(z.reshape(-1) * 2).int(), descending=True),
                 lambda z: upsweep.inclusive_segmented_scan(z.reshape(-1), heads=torch.arange(z.numel(), device=DEVICE) % 3 == 0)):
        for place in range(3):
            expected = torch.stack([call(z) for z in x.unbind(place)])
            same(torch.func.vmap(call, in_dims=place)(x), expected)
    a, b = x[0], x[1, 0]
    same(torch.func.vmap(upsweep.linear_recurrence, (0, None))(a, b), torch.stack([upsweep.linear_recurrence(r, b) for r in a]))
    same(torch.func.vmap(upsweep.linear_recurrence, (None, 0))(b, a), torch.stack([upsweep.linear_recurrence(b, r) for r in a]))


def test_gradients_by_torch_func():
    x, b = torch.rand(3, 6, device=DEVICE, dtype=torch.float64), torch.rand(6, device=DEVICE, dtype=torch.float64)
    y = x.clone().requires_grad_()
    (upsweep.cumsum(y, 0) ** 2).sum().backward()
    same(torch.func.grad(lambda z: (upsweep.cumsum(z, 0) ** 2).sum())(x), y.grad)
    same(torch.func.jacrev(upsweep.cumsum)(b), torch.tril(torch.ones(6, 6, device=DEVICE, dtype=torch.float64)))

    def loss(a, b):
        return (upsweep.linear_recurrence(a, b) ** 2).sum()

    each = [torch.func.grad(loss)(row, b) for row in x]
    torch.testing.assert_close(torch.func.vmap(torch.func.grad(loss), (0, None))(x, b), torch.stack(each))
    hessian = torch.func.jacrev(torch.func.grad(loss))(x[0], b)
    torch.testing.assert_close(hessian, torch.func.jacfwd(torch.func.grad(loss))(x[0], b))
    torch.testing.assert_close(hessian, hessian.T)


def test_what_is_refused_of_traced_tensors():
    x, out = torch.rand(5, 7, device=DEVICE), torch.empty(7, device=DEVICE)
    for call, message in ((lambda z: upsweep.compact(z, (">", 0.5)), "^a: expected a tensor in memory"),
                          (lambda z: upsweep.cumsum(z, out=out), "^out: tensors that PyTorch traces"),
                          (lambda z: upsweep.inclusive_segmented_scan(z, keys="a"), "^keys: expected a tensor"),
                          (lambda z: upsweep.inclusive_segmented_scan(z), "^expected one of keys"),
                          (lambda z: upsweep.linear_recurrence(z, None), "^b: expected a tensor"),
                          (lambda z: upsweep.linear_recurrence(z, z, "a"), "^x0: expected a number"),
                          (lambda z: upsweep.inclusive_scan(z, initial="a"), "^initial: expected a number")):
        with pytest.raises(TypeError, match=message):
            torch.func.vmap(call)(x)
    for call, message in ((lambda z: upsweep.cumsum(z, 1), "^axis: "), (lambda z: upsweep.sort(z, 3), "^axis: "),
                          (lambda z: upsweep.linear_recurrence(z, z, axis=1), "^axis: "),
                          (lambda z: upsweep.inclusive_scan(z, "minus"), "^op: "),
                          (lambda z: upsweep.inclusive_segmented_scan(z, heads=z[:3] > 0), "^heads: expected shape")):
        with pytest.raises(ValueError, match=message):
            torch.func.vmap(call)(x)
