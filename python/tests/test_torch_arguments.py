"""Arguments beside tensors of PyTorch, in calls that it traces too: types by any name, arrays of NumPy, lists, devices."""
import functools

import numpy as np
import of_library
import pytest

import upsweep as as_numpy

torch = as_numpy.library.module
upsweep = of_library.package
DEVICE = as_numpy.library.device
tensor = functools.partial(torch.tensor, device=DEVICE)


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
