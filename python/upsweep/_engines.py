"""Which part of the package computes with an array that is not NumPy's."""
from __future__ import annotations

import sys
from typing import Any, Optional, Tuple

import numpy as np

from . import _tensors
from ._gradients import has_no_memory, has_tangent
from ._libraries import library_of


def _is_traced(a: Any) -> bool:
    """Whether PyTorch keeps a record of its own of what becomes of a: what it compiles, transforms (torch.func) or pretends.

    This, and what leads to it, is itself traced by PyTorch's compiler.
    """
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(a, getattr(torch, "Tensor", ())):
        return False
    return torch.compiler.is_compiling() or has_no_memory(a) or has_tangent(a)


def engine_of(*arrays: Any, beside: Tuple[Any, ...] = ()) -> Optional[Any]:
    """The engine of the first of the arrays that is one of PyTorch, CuPy or JAX; None where NumPy's is the one for all.

    `beside` are arguments that do not decide. An engine has the functions scan, scan_with_identity, segmented_scan,
    linear_recurrence, choose, packed, sort, histogram and extract. Imports no library: an array's is imported. Raises TypeError
    where this build cannot compute with the array.
    """
    for a in arrays:
        if type(a) is np.ndarray:
            continue
        jax = sys.modules.get("jax")
        if jax is not None and isinstance(a, getattr(jax, "Array", ())):
            from . import _jax
            return _jax
        if _is_traced(a) or (len(arrays) + len(beside) > 1 and any(map(_is_traced, (*arrays, *beside)))):
            from . import _torch
            return _torch
        library = library_of(a)
        if library is not None:
            return _tensors.engine_of(library)
    return None
