"""Which part of the package computes with an array that is not NumPy's."""
from __future__ import annotations

import sys
from typing import Any, Optional

import numpy as np

from . import _gpu
from ._libraries import library_of


def engine_of(*arrays: Any) -> Optional[Any]:
    """The engine of the first of the arrays that PyTorch or CuPy has on a GPU, or that JAX has anywhere; None where NumPy's are.

    An engine has the functions scan, segmented_scan, linear_recurrence, choose, packed, sort, histogram and extract.
    Imports no library: an array's is imported. Raises TypeError where this build cannot compute with the array.
    """
    for a in arrays:
        if type(a) is np.ndarray:
            continue
        jax = sys.modules.get("jax")
        if jax is not None and isinstance(a, getattr(jax, "Array", ())):
            from . import _jax
            return _jax
        library = library_of(a)
        if library is not None:
            return _gpu.engine_of(library)
    return None
