"""Prefix sums (scans) of arrays of NumPy, PyTorch, CuPy and JAX, and what is built on them: at the speed of a copy, with the same bits everywhere.

    >>> import upsweep
    >>> upsweep.cumsum([3, 1, 4, 1, 5])
    array([ 3,  4,  8,  9, 14])

Results depend on the elements alone: not on the number of threads, the processor or the timing. Running sums of
non-negative numbers never decrease. Calls run on several threads, give the interpreter's lock away while they do, and may
come from several Python threads at once. Arrays of any shape, strides and byte order are taken, of bool, integers of 8 to
64 bits, float16, bfloat16 (of ml_dtypes), float32, float64, complex64 and complex128.
"""
from ._back_ends import empty_cache
from ._bins import bin_indices, bins, histogram
from ._choices import compact, compact_indices, partition, partition_indices
from ._module import version as __version__
from ._repeats import repeat, repeat_indices
from ._runs import reduce_by_key, run_length_encode, segmented_reduce, unique_consecutive
from ._scans import (cummax, cummin, cumprod, cumsum, cumulative_prod, cumulative_sum, exclusive_scan, exclusive_segmented_scan, inclusive_scan,
                     inclusive_segmented_scan, linear_recurrence)
from ._sorting import argsort, segmented_argsort, segmented_sort, sort, top_k
from ._threads import get_threads, set_threads, simd
from ._totals import prod, reduce, sum

__all__ = [
    "__version__", "argsort", "bin_indices", "bins", "compact", "compact_indices", "cummax", "cummin", "cumprod", "cumsum",
    "cumulative_prod", "cumulative_sum", "empty_cache", "exclusive_scan", "exclusive_segmented_scan", "get_threads", "histogram",
    "inclusive_scan", "inclusive_segmented_scan", "linear_recurrence", "partition", "partition_indices", "prod", "reduce", "reduce_by_key",
    "repeat", "repeat_indices", "run_length_encode", "segmented_argsort", "segmented_reduce", "segmented_sort", "set_threads", "simd",
    "sort", "sum", "top_k", "unique_consecutive",
]
