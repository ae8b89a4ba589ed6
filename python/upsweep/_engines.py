"""Which part of the package computes with an array that is not NumPy's."""
from __future__ import annotations

import functools
import sys
import types
from typing import Any, Optional, Tuple

import numpy as np

from . import _tensor_bins, _tensor_repeats, _tensor_runs, _tensor_sorts, _tensor_totals, _tensors
from ._gradients import is_traced
from ._libraries import Library, library_of

_FUNCTIONS = (_tensors.scan, _tensors.scan_with_identity, _tensors.segmented_scan, _tensors.linear_recurrence, _tensors.choose,
              _tensors.packed, _tensor_sorts.sort, _tensor_sorts.segmented_sort, _tensor_sorts.top_k, _tensor_bins.histogram, _tensor_bins.extract,
              _tensor_bins.numbers_and_edges, _tensor_bins.bin_sums, _tensor_bins.of_bins,
              _tensor_runs.segmented_reduce, _tensor_runs.reduce_by_key, _tensor_runs.encode_runs, _tensor_repeats.repeat,
              _tensor_repeats.sum_repeats, _tensor_repeats.repeat_indices, _tensor_totals.reduce)


@functools.lru_cache(maxsize=None)
def of_library(library: Library) -> Any:
    """The engine of a library's arrays. Raises TypeError where this build cannot compute with them."""
    assert library.back_end
    return types.SimpleNamespace(**{each.__name__: functools.partial(each, library) for each in _FUNCTIONS})


def engine_of(*arrays: Any, beside: Tuple[Any, ...] = ()) -> Optional[Any]:
    """The engine of the first of the arrays that is one of PyTorch, CuPy or JAX; None where NumPy's is the one for all.

    `beside` are arguments that do not decide. An engine has the functions of _FUNCTIONS. Imports no library: an array's is imported. Raises TypeError
    where this build cannot compute with the array. PyTorch's compiler traces it too.
    """
    for a in arrays:
        if type(a) is not np.ndarray:
            break
    else:
        return None
    torch = sys.modules.get("torch")
    tensor = getattr(torch, "Tensor", None)  # it may be in the middle of its import
    if tensor is not None:
        for a in arrays + beside:
            if isinstance(a, tensor) and (torch.compiler.is_compiling() or is_traced(a)):
                from . import _torch
                return _torch
    for a in arrays:
        library = library_of(a)
        if library is not None:
            return of_library(library)
        jax = sys.modules.get("jax")
        if jax is not None and isinstance(a, getattr(jax, "Array", ())):
            from . import _jax
            return _jax
    return None
