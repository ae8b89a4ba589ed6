"""Calls whose types test_types.py has checked; lines that end in `# refused` are errors."""
from typing import Any

import numpy as np
import torch
import upsweep
from numpy.typing import NDArray
from typing_extensions import assert_type

x = np.ones(5)
assert_type(upsweep.cumsum(x), NDArray[Any])
assert_type(upsweep.sort([3, 1], None), NDArray[Any])
assert_type(upsweep.linear_recurrence(0.9, x, np.float32(1), axis=np.int64(0)), NDArray[Any])
assert_type(upsweep.segmented_sort(x, keys=["a", "a", "b", "c", "c"]), NDArray[Any])
assert_type(upsweep.segmented_argsort([3, 1], offsets=[0, 2], descending=True), NDArray[np.int64])
assert_type(upsweep.repeat(x, [1, 0, 2, 1, 3], output_size=7), NDArray[Any])
assert_type(upsweep.repeat_indices([2, 0, 1]), NDArray[np.int64])
assert_type(upsweep.top_k(x, 2).indices.mean(), Any)
upsweep.repeat(x, axis=0, offsets=[0, 1, 1, 3, 4, 5])
upsweep.repeat([[3, 1]], np.int64(2), 0)
upsweep.inclusive_scan(x, np.maximum, dtype=float)
upsweep.reduce(x, np.maximum, axis=np.int64(0), initial=2)
upsweep.sum([[3, 1]], 0, dtype=float, keepdims=True).mean()
upsweep.cumsum(x, np.int64(0), None)
upsweep.histogram([1, 2], 2, [0, 4])
upsweep.histogram(x, np.int64(2), np.array([0, 4]))
upsweep.histogram(x, [0, 0.5, 2], clamp=True)
upsweep.histogram(x, 2, weights=[0.5, 1, 2])
upsweep.bins(x, np.array([0, 4]))
upsweep.compact(x, (">", 0.5)).mean()
upsweep.reduce_by_key(["a", "a", "b", "c", "c"], x)[1].mean()

t = torch.rand(5)
upsweep.cumsum(t, 0).backward()
upsweep.cumsum(a=t, dtype=torch.float64, out=torch.empty(5)).backward()
upsweep.compact(t, t > 0.5).backward()
upsweep.sum(t).backward()
upsweep.top_k(t, 2)[0].backward()
upsweep.reduce(t, "maximum", axis=0).backward()
upsweep.segmented_reduce(t, offsets=torch.tensor([0, 5])).backward()
upsweep.segmented_sort(t, offsets=torch.tensor([0, 5])).backward()
upsweep.repeat(t, torch.tensor([0, 2, 1, 0, 3]), 0).backward()
upsweep.linear_recurrence(0.9, t).backward()
upsweep.linear_recurrence(x, t, axis=0).backward()
upsweep.reduce_by_key([0, 0, 1, 1, 1], t)[1].backward()
upsweep.reduce_by_key(keys=t, a=t)[1].backward()

upsweep.cumsum(x, "0")  # refused
upsweep.cumsum(x, axes=0)  # refused
upsweep.sum(x, "0")  # refused
upsweep.prod(x, 0, float)  # refused
upsweep.sort(x, descending="yes")  # refused
upsweep.segmented_sort(x, x)  # refused
upsweep.histogram(x, 2, 4)  # refused
upsweep.repeat(x, 2, "0")  # refused
