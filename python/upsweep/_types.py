"""Types of arguments and results, for programs whose types are checked."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, SupportsIndex, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

Axis = Optional[SupportsIndex]
DType = Optional[DTypeLike]
Range = Optional[Union[Sequence[Any], np.ndarray]]
Bounds = Union[SupportsIndex, ArrayLike]  # of bins: how many there are, or their edges

if TYPE_CHECKING:
    from typing import Protocol, overload

    from typing_extensions import ParamSpec

    P = ParamSpec("P")
    R = TypeVar("R", covariant=True)

    class Tensor(Protocol):
        @property
        def requires_grad(self) -> bool: ...

    class JaxArray(Protocol):
        @property
        def sharding(self) -> Any: ...

    Other = Union[Tensor, JaxArray]

    class OfAnyLibrary(Protocol[P, R]):
        """What takes arrays of NumPy by its own signature, and beside those of other libraries what these have, such as their types."""

        @overload
        def __call__(self, a: Other, *args: Any, **kwargs: Any) -> Any: ...
        @overload
        def __call__(self, keys: Any, a: Other, *args: Any, **kwargs: Any) -> Any: ...
        @overload
        def __call__(self, a: Any, b: Other, *args: Any, **kwargs: Any) -> Any: ...
        @overload
        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def of_any_library(function: Callable[P, R]) -> OfAnyLibrary[P, R]: ...
else:
    def of_any_library(function):
        """The function. Its results are arrays of the library that its arguments are of, or of NumPy."""
        return function
