"""Arguments of PyTorch and beside its tensors, in calls that it traces too: subclasses, types by any name, arrays of NumPy, lists, devices."""
import functools
import warnings

import numpy as np
import of_library
import pytest
from conftest import LIBRARY

import upsweep as as_numpy

torch = as_numpy.library.module
upsweep = of_library.package
DEVICE = as_numpy.library.device
tensor = functools.partial(torch.tensor, device=DEVICE)
host_only = pytest.mark.skipif(LIBRARY != "torch_host", reason="of host memory")


def same(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape and found.device == expected.device
    assert torch.equal(found, expected)


def ways(call, x):
    """A function's results where it is compiled and where it is transformed."""
    torch.compiler.reset()
    yield torch.compile(call, fullgraph=True, backend="aot_eager")(x)
    yield torch.func.vmap(call)(x[None])[0]
    if x.is_floating_point():
        yield torch.func.jvp(call, (x,), (torch.ones_like(x),))[0]


@pytest.mark.parametrize("dtype", [int, "int", "i8", np.intp, "l", float, "float", ">f8", "single", np.dtype(">f4"), complex, "c8", "double"],
                         ids=repr)
def test_a_type_is_the_same_one_in_every_way(dtype):
    wanted = np.dtype(dtype).name
    x = tensor([2**31 - 1, 1, 1]) if wanted == "int64" else tensor([2.0**24, 1.0, 1.0])
    expected = upsweep.cumsum(x, 0, dtype)
    assert str(expected.dtype) == f"torch.{wanted}"
    for found in ways(lambda y: upsweep.cumsum(y, 0, dtype), x):
        same(found, expected)


# Functions of a tensor of three elements and what is beside it, by the name of that argument.
BESIDE = {
    "b": lambda x, b: upsweep.linear_recurrence(x, b),
    "keys": lambda x, keys: upsweep.inclusive_segmented_scan(x, keys=keys),
    "heads": lambda x, heads: upsweep.segmented_reduce(x, heads=heads),
    "condition": lambda x, condition: upsweep.compact(x, condition),
}


@host_only
@pytest.mark.parametrize("argument", BESIDE)
def test_arrays_beside_a_tensor_that_have_no_meaning_there(argument):
    x, call = torch.ones(3), BESIDE[argument]
    for wrong in (np.ma.masked_array([True, False, True], [0, 1, 0]), np.array(["a", "b", "c"]), np.array([1, None, 2]),
                  np.array([1, 2, 3], "M8[s]")):
        with pytest.raises(TypeError, match=f"^{argument}: "):
            call(x, wrong)


@host_only
@pytest.mark.parametrize("argument", BESIDE)
def test_strides_and_types_that_pytorch_has_not(argument):
    call, given = BESIDE[argument], np.array([True, True, False])
    for beside in (given[::-1], given[:1][::-1], given[:0], np.broadcast_to(given[:1], 3)):
        x = torch.arange(float(len(beside))) + 1
        same(call(x, beside), call(x, torch.tensor(np.array(beside))))
    if argument != "b":  # of which the type is part of the result's
        same(call(x[:0], []), x[:0])


@host_only
def test_numpys_bfloat16_beside_a_tensor():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = torch.tensor([1.0, 2.0, 4.0], dtype=torch.bfloat16)
    same(upsweep.linear_recurrence(np.array([0.5, 0.5, 2], bfloat16), x), upsweep.linear_recurrence(tensor([0.5, 0.5, 2]).to(x), x))


@host_only
def test_where_new_tensors_go_by_default():
    x, keys = torch.arange(3.0), [0, 0, 1]
    expected = upsweep.inclusive_segmented_scan(x, keys=keys), *upsweep.histogram(x, 2, (0, 3))
    with torch.device("meta"):
        found = upsweep.inclusive_segmented_scan(x, keys=np.array(keys)), *upsweep.histogram(x, 2, (0, 3))
    for each, other in zip(found, expected):
        same(each, other)


# Functions of a tensor of three elements, and of constants of other kinds beside it.
CONSTANTS = {
    "keys": lambda x: upsweep.inclusive_segmented_scan(x, keys=[0, 0, 1]),
    "keys of an array": lambda x: upsweep.exclusive_segmented_scan(x, "maximum", keys=np.array([2.5, 2.5, 1])),
    "heads": lambda x: upsweep.inclusive_segmented_scan(x, heads=(True, False, True)),
    "offsets": lambda x: upsweep.segmented_reduce(x, offsets=[0, 2, 2, 3]),
    "sorts": lambda x: upsweep.segmented_sort(-x, keys=[0, 0, 1]),
    "coefficients": lambda x: upsweep.linear_recurrence([0.5, 0.25, 2.0], x),
    "a coefficient": lambda x: upsweep.linear_recurrence(np.float32(0.5), x),
    "results": lambda x: upsweep.linear_recurrence(x, np.array([0.5, 0.25, 2.0], "f4")),
}


@host_only
@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_beside_traced_tensors(name):
    call, x = CONSTANTS[name], tensor([1.0, 2.0, 4.0])
    expected = call(x)
    for found in ways(call, x):
        same(found, expected)
    y = x.clone().requires_grad_()
    call(y).sum().backward()
    same(torch.func.grad(lambda z: call(z).sum())(x), y.grad)


@host_only
def test_totals_by_keys_that_are_constants():
    x = tensor([1.0, 2.0, 4.0])
    for by in ({"keys": [0, 0, 1]}, {"heads": np.array([True, False, True])}):
        same(torch.func.grad(lambda z: (upsweep.segmented_reduce(z, **by) * tensor([1.0, 10])).sum())(x), tensor([1.0, 1, 10]))
    same(torch.func.grad(lambda z: (upsweep.reduce_by_key([0, 0, 1], z)[1] * tensor([1.0, 10])).sum())(x), tensor([1.0, 1, 10]))


def test_a_batch_of_nothing():
    x, heads = torch.ones(0, 3, device=DEVICE), tensor([True, False, True])
    for call, dtype in ((lambda z: upsweep.inclusive_segmented_scan(z, heads=heads), torch.float32),
                        (lambda z: upsweep.inclusive_segmented_scan(z, heads=heads, dtype=float), torch.float64),
                        (lambda z: upsweep.inclusive_segmented_scan(tensor([1, 2, 3]), heads=z > 0), torch.int64),
                        (lambda z: upsweep.segmented_sort(z, heads=heads), torch.float32),
                        (lambda z: upsweep.segmented_argsort(z, heads=heads), torch.int64),
                        (upsweep.cumsum, torch.float32), (upsweep.argsort, torch.int64)):
        same(torch.func.vmap(call)(x), torch.ones(0, 3, device=DEVICE, dtype=dtype))
        if dtype.is_floating_point:
            same(torch.func.vmap(torch.func.grad(lambda z: call(z).sum()))(x), x)


@host_only
def test_what_pytorch_raises_has_the_name_of_the_argument():
    x, variable = torch.ones(3), torch.ones(3, requires_grad=True)
    for call, argument in ((lambda: upsweep.inclusive_scan(x, initial=variable[0]), "initial"),
                           (lambda: upsweep.linear_recurrence(0.5, x, variable[0]), "x0"),
                           (lambda: upsweep.linear_recurrence(0.5, x, tensor(2, dtype=torch.bfloat16)), "x0"),
                           (lambda: upsweep.compact(x, ("<", variable[0])), "condition"),
                           (lambda: upsweep.cumsum([variable[0]]), "a"),
                           (lambda: upsweep.inclusive_segmented_scan(np.ones(3), keys=variable), "keys"),
                           (lambda: torch.func.vmap(lambda y: upsweep.inclusive_scan(x, initial=y))(x), "initial"),
                           (lambda: torch.fx.symbolic_trace(lambda y: upsweep.cumsum(y, 0)), "a")):
        with pytest.raises(TypeError, match=f"^{argument}: "):
            call()
    for call in (upsweep.sort, lambda y, out: upsweep.segmented_sort(y, heads=[1, 0, 1], out=out), lambda y, out: upsweep.cumsum(y, out=out)):
        with pytest.raises(ValueError, match="^out: "):
            call(x, out=torch.zeros(1).expand(3))


def test_subclasses():
    class Plain(torch.Tensor):
        pass

    x = torch.rand(5, 7, device=DEVICE)
    for y in (x.as_subclass(Plain), torch.nn.Parameter(x)):
        same(torch.Tensor(upsweep.cumsum(y, 0).detach()), upsweep.cumsum(x, 0))
        same(torch.Tensor(upsweep.compact(y, (">", 0.5)).detach()), x[x > 0.5])
    with torch._subclasses.FakeTensorMode() as mode:
        y = mode.from_tensor(x)
        found = upsweep.linear_recurrence(0.9, y.to(torch.float16))
        assert type(found) is type(y) and found.shape == y.shape and found.dtype == torch.float16
        with pytest.raises(TypeError, match="^a: expected a tensor in memory"):
            upsweep.compact(y, (">", 0.5))


def test_views_that_torch_keeps_lazily():
    x = tensor([1 + 2j, 3 - 1j])
    assert upsweep.cumsum(x.conj()).tolist() == [1 - 2j, 4 - 1j]
    assert upsweep.cumsum(x.conj().imag).tolist() == [-2, -1]
    with pytest.raises(ValueError, match="^out: "):
        upsweep.cumsum(x, out=x.conj())
    with pytest.raises(TypeError, match="^a: expected a dense"):
        upsweep.cumsum(torch.eye(3, device=DEVICE).to_sparse())
    with warnings.catch_warnings(), pytest.raises(TypeError, match="^a: expected a dense tensor, but it is nested"):
        warnings.simplefilter("ignore")  # that such tensors are a prototype
        upsweep.cumsum(torch.nested.nested_tensor([x, x[:1]]), 0)
    with pytest.raises(TypeError, match="^a: expected an array in host memory"):
        upsweep.cumsum(torch.empty(3, device="meta"))
