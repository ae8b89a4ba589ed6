"""The threads that work on calls."""
from __future__ import annotations

import os

from . import _module
from ._arrays import integer


def set_threads(threads: int) -> None:
    """How many threads work on one call at most, the caller's included; 0: as many as there are processors.

    Holds for the whole process and for calls from now on. Changes no bit of any result.
    """
    number = integer(threads, "threads")
    if not 0 <= number <= 4096:
        raise ValueError(f"threads: expected 0 to 4096, but it is {number}")
    _module.set_threads(number)


def get_threads() -> int:
    """How many threads work on one call at most: all processors that the process may use, unless set_threads was called."""
    return _module.get_threads()


def simd() -> str:
    """The instruction set in use, such as "avx2". The environment variable UPSWEEP_SIMD forces one."""
    return _module.simd()


if hasattr(os, "register_at_fork"):  # a child process has none of its parent's threads, and makes its own
    os.register_at_fork(after_in_child=_module.forget_after_fork)
