"""Tensors of which PyTorch records what becomes of them by other means than torch.compile: make_fx, torch.jit.trace, modes."""
import warnings

import of_library
import pytest
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

import upsweep as as_numpy

torch = as_numpy.library.module
upsweep = of_library.package
DEVICE = as_numpy.library.device

# Functions of one tensor of shape (5, 7), of every kind that is an operator of PyTorch.
CALLS = {
    "sums": lambda x: upsweep.cumsum(x * 2, 0) + 1,
    "another type": lambda x: upsweep.exclusive_scan(x, "multiplies", dtype=float, initial=2.5),
    "offsets of counts": lambda x: upsweep.cumulative_sum(x, axis=1, include_initial=True),
    "totals": lambda x: upsweep.sum(x, 0),
    "a product": lambda x: upsweep.prod(x, dtype=float),
    "a number": lambda x: upsweep.linear_recurrence(0.9, x),
    "recurrences": lambda x: upsweep.linear_recurrence(x, x[0], 2, axis=0, reverse=True),
    "sort": lambda x: upsweep.sort(x, 0, descending=True),
    "argsort": lambda x: upsweep.argsort(x),
    "greatest": lambda x: upsweep.top_k(x, 2, 0)[0],
    "where the greatest are": lambda x: upsweep.top_k(x, 3)[1],
    "segmented sort": lambda x: upsweep.segmented_sort(x[0], heads=x[1] > 0.5, descending=True),
    "segmented argsort": lambda x: upsweep.segmented_argsort(x[:, 0], offsets=torch.tensor([0, 2, 2, 5], device=DEVICE)),
    "heads": lambda x: upsweep.exclusive_segmented_scan(x[0], heads=x[1] > 0.5, reverse=True),
    "offsets": lambda x: upsweep.segmented_reduce(x[:, 0], "maximum", offsets=torch.tensor([0, 2, 2, 5], device=DEVICE)),
}
IN_MEMORY = {
    "compact": lambda x: upsweep.compact(x, (">", 0.5)),
    "partition": lambda x: upsweep.partition_indices(x, x > 0.5)[0],
    "bins": lambda x: upsweep.bins(x, 3)[0],
    "histogram": lambda x: upsweep.histogram(x, 3, (0, 1))[0],
    "runs": lambda x: upsweep.unique_consecutive(x),
}


def some(seed=0):
    return torch.rand(5, 7, generator=torch.Generator().manual_seed(seed)).to(DEVICE)


def same(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape and found.device == expected.device
    assert torch.equal(found, expected)


def trace(call, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch would have others used instead
        return torch.jit.trace(call, (x,), check_trace=False)


TRACERS = {"make_fx": lambda call, x: make_fx(call)(x), "make_fx, fake": lambda call, x: make_fx(call, tracing_mode="fake")(x),
           "jit": trace}


@pytest.mark.parametrize("tracer", TRACERS)
@pytest.mark.parametrize("name", CALLS)
def test_what_is_traced_is_the_call_and_not_its_result(name, tracer):
    traced = TRACERS[tracer](CALLS[name], some())
    for seed in (0, 1):
        same(traced(some(seed)), CALLS[name](some(seed)))


@pytest.mark.parametrize("tracer", TRACERS)
@pytest.mark.parametrize("name", IN_MEMORY)
def test_what_cannot_be_traced_says_so(name, tracer):
    with pytest.raises(TypeError, match="^a: expected a tensor in memory"):
        TRACERS[tracer](IN_MEMORY[name], some())


def test_gradients_of_what_is_traced():
    x, y = some(1).requires_grad_(), some(1).requires_grad_()
    trace(CALLS["recurrences"], some())(x).square().sum().backward()
    CALLS["recurrences"](y).square().sum().backward()
    same(x.grad, y.grad)


def test_tensors_in_memory_where_others_have_none():
    x = some()
    with FakeTensorMode(allow_non_fake_inputs=True):
        for call in CALLS.values():
            assert isinstance(call(x), FakeTensor)
        for call in IN_MEMORY.values():
            with pytest.raises(TypeError, match="^a: expected a tensor in memory"):
                call(x)
        with pytest.raises(TypeError, match="^out: tensors that PyTorch traces"):
            upsweep.cumsum(x, 0, out=x)


class Names(TorchDispatchMode):
    """Of the operators that are called."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", ["sums", "another type", "totals", "a product", "recurrences", "sort", "segmented sort", "heads", "offsets"])
def test_checkpoints_within_modes(name):
    call, found = CALLS[name], []
    for run in (call, lambda x: checkpoint(call, x, use_reentrant=False, context_fn=lambda: (Names(), Names()))):
        x = some().requires_grad_()
        run(x).square().sum().backward()
        found.append(x.grad)
    torch.testing.assert_close(*found)


def test_modes_see_operators():
    x = some()
    with Names() as names:
        found = upsweep.cumsum(x, 0)
        chosen = upsweep.compact(x, (">", 0.5))
    assert names.seen[0] == "upsweep.scan.default"
    same(found, upsweep.cumsum(x, 0))
    same(chosen, x[x > 0.5])


def test_zeros_without_memory():
    zeros = torch._efficientzerotensor((5,), device=DEVICE)
    same(upsweep.cumsum(zeros), torch.zeros(5, device=DEVICE))
    same(upsweep.linear_recurrence(0.5, zeros, 1.0), upsweep.linear_recurrence(0.5, torch.zeros(5, device=DEVICE), 1.0))
    same(upsweep.compact(zeros, (">", 0.5)), torch.zeros(0, device=DEVICE))
    same(upsweep.inclusive_segmented_scan(torch.ones(5, device=DEVICE), keys=zeros), torch.arange(1.0, 6, device=DEVICE))
    with pytest.raises(ValueError, match="^out: expected a tensor in memory"):
        upsweep.cumsum(torch.ones(5, device=DEVICE), out=zeros)
