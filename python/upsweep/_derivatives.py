"""Derivatives of scans and of linear recurrences, of arrays of PyTorch and of JAX: such scans and recurrences themselves.

    y[i] = x[0] + ... + x[i]        y'[i] = x'[0] + ... + x'[i]
    x[i] = a[i] x[i-1] + b[i]       x'[i] = a[i] x'[i-1] + (a'[i] x[i-1] + b'[i])
    y[i] = x[0] * ... * x[i]        is the recurrence of a = x, b = 0 from 1
    y[i] = max(x[0], ..., x[i])     y'[i] = x'[j] of the last j up to i with x[j] = y[j]

Backwards each is transposed: a sum and a recurrence from the other end, and the x'[j] of a maximum is the sum of all
gradients of results that it is. Of equal elements the last one is the maximum, as with torch.cummax.
"""
from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional


class ArrayOps(NamedTuple):
    """What is used of a library."""

    where: Callable[[Any, Any, Any], Any]
    move_axis: Callable[[Any, int, int], Any]
    moved: Callable[[Any, int, bool, Any], Any]  # every element one place towards the axis's end, or its beginning; a number comes in


class Along(NamedTuple):
    """An axis in one of its directions: elements before and behind each, and a number where there is none."""

    ops: ArrayOps
    axis: int
    reverse: bool

    def previous(self, x: Any, number: Any) -> Any:
        return self.ops.moved(x, self.axis, not self.reverse, number)

    def following(self, x: Any, number: Any) -> Any:
        return self.ops.moved(x, self.axis, self.reverse, number)


def recurrence_tangent(along: Along, a: Any, x: Any, to_a: Optional[Any], to_b: Optional[Any], x0: float,
                       recur: Callable[[Any, Any, bool], Any]) -> Any:
    """That of x, of those of a and b, one of which may be None. recur(a, b, reverse) is a recurrence from 0."""
    change = to_b
    if to_a is not None:
        by_a = to_a * along.previous(x, x0)
        change = by_a if to_b is None else by_a + to_b
    return recur(a, change, along.reverse)


def recurrence_by_b(along: Along, a: Any, gradient: Any, recur: Callable[[Any, Any, bool], Any]) -> Any:
    """The gradient of b, of which that of a is a multiple: the result before each element. a has the whole extent of the axis."""
    return recur(along.following(a, 0.0), gradient, not along.reverse)


class Scan:
    """A scan of products, minima or maxima. Of segments, `heads` are true where one starts.

    recur(a, b, reverse) is a recurrence from 0, and region_sums(x, heads, reverse) sums that start afresh at heads along the
    axis; both along it.
    """

    def __init__(self, op: str, along: Along, exclusive: bool, initial: Any, heads: Optional[Any],
                 recur: Callable[[Any, Any, bool], Any], region_sums: Callable[[Any, Any, bool], Any]) -> None:
        self.is_product, self.along, self.exclusive, self.initial = op == "multiplies", along, exclusive, initial
        self.recur, self.region_sums = recur, region_sums
        # Where segments begin in the direction of the scan.
        self.firsts = along.ops.moved(heads, along.axis, False, True) if heads is not None and along.reverse else heads

    def tangent(self, x: Any, y: Any, to_x: Any) -> Any:
        """That of the result y."""
        if self.is_product:
            found = self.recur(self._at_firsts(x, 0), self._before(y) * to_x, self.along.reverse)
        else:
            winners, heads = self._regions(x, y)
            found = self.region_sums(self.along.ops.where(winners, to_x, 0), heads, self.along.reverse)
        return self._at_firsts(self.along.previous(found, 0), 0) if self.exclusive else found

    def gradient(self, x: Any, y: Any, to_y: Any) -> Any:
        """That of x: the tangent, transposed."""
        if self.exclusive:
            to_y = self.along.following(self._at_firsts(to_y, 0), 0)
        if self.is_product:
            return recurrence_by_b(self.along, self._at_firsts(x, 0), to_y, self.recur) * self._before(y)
        winners, heads = self._regions(x, y)
        return self.along.ops.where(winners, self.region_sums(to_y, heads, not self.along.reverse), 0)

    def _at_firsts(self, x: Any, number: Any) -> Any:
        return x if self.firsts is None else self.along.ops.where(self.firsts, number, x)

    def _before(self, y: Any) -> Any:
        """The product of what is before each element."""
        return y if self.exclusive else self._at_firsts(self.along.previous(y, self.initial), self.initial)

    def _regions(self, x: Any, y: Any) -> Any:
        """The elements that are the extreme so far, and, of the regions in which one of them or none is it, the first ones.

        Of an exclusive scan's last element, which is in no result, it does not matter what is said.
        """
        winners = (x == (self.along.following(y, 0) if self.exclusive else y)) | (x != x)  # a NaN wins
        begin = winners if self.firsts is None else winners | self.firsts
        return winners, self.along.ops.moved(begin, self.along.axis, True, True) if self.along.reverse else begin


def of_rows(ops: ArrayOps, x: Any, heads: Any, axis: int, sums: Callable[[Any, Any], Any]) -> Any:
    """sums(x, heads), of one dimension, of all rows along an axis, one behind the other, each of which starts afresh."""
    rows = ops.move_axis(x, axis, -1)
    starts = ops.move_axis(heads, axis, -1).reshape(-1)
    if rows.ndim > 1:  # the first of each row is one
        last = rows.ndim - 1
        starts = ops.moved(ops.moved(starts.reshape(rows.shape), last, False, True), last, True, True).reshape(-1)
    return ops.move_axis(sums(rows.reshape(-1), starts).reshape(rows.shape), -1, axis)
