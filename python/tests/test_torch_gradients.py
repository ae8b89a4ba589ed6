"""What PyTorch's autograd does around calls on its tensors: counts of writes, several gradients at once."""
import functools

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


def test_tensors_of_inference_are_written_to():
    with torch.inference_mode():
        x = torch.ones(4, device=DEVICE)
        upsweep.cumsum(x, out=x)
    upsweep.cumsum(x, out=x)
    assert x.tolist() == [1, 3, 6, 10]
