"""How operators of PyTorch are made (torch_operators.py)."""
from __future__ import annotations

from typing import Any, Optional

import torch

from ._libraries import Library, library_of

if not hasattr(torch.library, "custom_op"):
    raise TypeError(f"a: compiled functions and torch.func need PyTorch 2.4 or later, but it is {torch.__version__}")


def library_with(a: Any) -> Library:
    library = library_of(a)
    if library is None:
        raise TypeError(f"a: expected a tensor in host memory or on a CUDA GPU, but it is on {a.device}")
    return library


def operator(name: str, schema: str) -> Any:
    return torch.library.custom_op(f"upsweep::{name}", mutates_args=(), schema=schema)


def derive(made: Any, function: Any) -> None:
    """The operator's derivatives, where it is compiled, are those of the function."""
    made.register_autograd(function.backward, setup_context=function.setup_context)
    if hasattr(made, "register_vmap"):  # not before PyTorch 2.5
        made.register_vmap(function.vmap)


def placed(x: Any, place: Optional[int], k: int) -> Any:
    return x if place is None else x.select(place, k)
