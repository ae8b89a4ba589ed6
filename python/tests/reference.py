"""The tree of docs/numerics.md in NumPy, and comparison of bits."""
import numpy as np

LEVELS = (32, 32, 32, 4)  # tiles of a super, rows of a tile, runs of a row, elements of a run
SUPER = int(np.prod(LEVELS))


def tree(parts, combine, identity, initial=None):
    """Inclusive scan of elements that are tuples, given as a tuple of arrays. Absent parts are `identity`, which must change
    no bit. `combine` takes and returns tuples."""
    n = parts[0].shape[0]
    supers = -(-n // SUPER)
    folded = []
    for part, neutral in zip(parts, identity):
        whole = np.full(supers * SUPER, neutral, part.dtype)
        whole[:n] = part
        folded.append(whole.reshape(supers, *LEVELS))

    def fold(children):
        """Left folds along the last axis: before each child, and of all."""
        before = [np.empty_like(c) for c in children]
        so_far = tuple(np.full(c.shape[:-1], neutral, c.dtype) for c, neutral in zip(children, identity))
        for k in range(children[0].shape[-1]):
            for b, value in zip(before, so_far):
                b[..., k] = value
            so_far = combine(so_far, tuple(c[..., k] for c in children))
        return before, so_far

    before, total = fold(folded)
    value = combine(tuple(before), tuple(folded))  # L
    for _ in LEVELS[:-1]:  # V, R, T
        before, total = fold(total)
        depth = value[0].ndim - before[0].ndim
        value = combine(tuple(b.reshape(b.shape + (1,) * depth) for b in before), value)
    so_far = initial if initial is not None else identity
    rows = []
    for k in range(supers):  # S
        rows.append(combine(tuple(v.dtype.type(s) for s, v in zip(so_far, value)), tuple(v[k] for v in value)))
        so_far = combine(tuple(v.dtype.type(s) for s, v in zip(so_far, value)), tuple(t[k] for t in total))
    return tuple(np.concatenate([row[p].reshape(-1) for row in rows])[:n] if rows else parts[p] for p in range(len(parts)))


def tree_sum(x, initial=None):
    """Inclusive sums of floating-point numbers, float16 in float32."""
    total = np.float32 if x.dtype == np.float16 else x.dtype
    neutral = -0.0 if x.dtype.kind == "f" else complex(-0.0, -0.0)
    with np.errstate(all="ignore"):
        sums, = tree((x.astype(total),), lambda a, b: (a[0] + b[0],), (neutral,), None if initial is None else (initial,))
        return sums.astype(x.dtype)


def tree_sums_along(x, axis):
    """tree_sum of every line along an axis: all lines at once, element after element."""
    lines = np.moveaxis(x, axis, 0).astype(np.float32 if x.dtype == np.float16 else x.dtype)
    sums = np.empty_like(lines)
    neutral = np.full(lines.shape[1:], -0.0 if x.dtype.kind == "f" else complex(-0.0, -0.0), lines.dtype)
    levels = [neutral] * (len(LEVELS) + 1)  # L, V, R, T, S
    with np.errstate(all="ignore"):
        for i, line in enumerate(lines):
            size = 1
            for k, count in enumerate(reversed(LEVELS)):
                size *= count
                if i == 0 or i % size != 0:
                    break
                levels[k + 1] = levels[k + 1] + levels[k]
                levels[k] = neutral
            levels[0] = levels[0] + line
            sums[i] = levels[0]
            for left in levels[1:]:
                sums[i] = left + sums[i]
        return np.moveaxis(sums.astype(x.dtype), 0, axis)


def exclusive(sums, first):
    return np.concatenate([np.array([first], sums.dtype), sums[:-1]]) if sums.size else sums


def segmented_tree_sum(x, heads):
    """Sums that start afresh where heads is not zero."""
    def combine(a, b):
        return a[0] | b[0], np.where(b[0], b[1], a[1] + b[1])

    return tree((np.asarray(heads, bool), x), combine, (False, x.dtype.type(-0.0)))[1]


def affine(a, b, x0):
    def combine(f, g):
        return f[0] * g[0], g[0] * f[1] + g[1]

    with np.errstate(all="ignore"):
        return tree((a, b), combine, (a.dtype.type(1), b.dtype.type(-0.0)), (0.0, x0))[1]


def assert_same(found, expected):
    """Equal types, shapes and bits; any NaN is any other."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if found.dtype.kind not in "biu":
        nan = found != found
        assert np.array_equal(nan, expected != expected)
        found, expected = np.where(nan, 0, found).astype(found.dtype), np.where(nan, 0, expected).astype(found.dtype)
    assert np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(expected).tobytes()
