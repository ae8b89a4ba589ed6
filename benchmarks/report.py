"""What the measured records say: targets met or missed, tables for the terminal, docs/performance.md and README.md."""

import json
import re

PLAIN_TYPES = ["int8", "int32", "int64", "float", "double"]
WIDE_TYPES = ["int32", "int64", "float", "double"]
SCANS = ["inclusive", "exclusive", "maximum"]


def replace_part(path, name, text):
    """Puts `text` between `begin NAME` and `end NAME` of a page."""
    page = path.read_text(encoding="utf-8")
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    if begin not in page or end not in page:
        raise SystemExit(f"{path}: it has no place for the part, `{begin.strip()}` and `{end}`")
    head, rest = page.split(begin, 1)
    path.write_text(head + begin + text + "\n" + end + rest.split(end, 1)[1], encoding="utf-8")


def load(path):
    """The machine's description and the records of a run."""
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    machine = next((row["machine"] for row in rows if "machine" in row), {})
    return machine, [row for row in rows if "work" in row]


def cells(records):
    """Records by cell, in the order measured: {(work, type, n, shape): {contender: record}}."""
    result = {}
    for record in records:
        key = (record["work"], record["type"], record["n"], record.get("shape"))
        result.setdefault(key, {})[record["contender"]] = record
    return result


def pace(record):
    """Seconds, of NumPy brought to the pace of the machine at the time of the other contenders (see numpy_peer.py)."""
    return record.get("paced_seconds", record["seconds"])


def fastest(cell, role):
    chosen = [record for record in cell.values() if record["role"] == role]
    return min(chosen, key=pace, default=None)


def speedup(cell):
    """Speed of Upsweep over that of the best peer; NumPy, timed in another process, joins by its paced median."""
    ratio, numpy = cell["upsweep"].get("ratio_to_best_peer"), cell.get("NumPy")
    if numpy is None:
        return ratio
    against_numpy = pace(numpy) / cell["upsweep"]["seconds"]
    return against_numpy if ratio is None else min(ratio, against_numpy)


def _of_copy(cell):
    return cell["upsweep"].get("ratio_to_copy")


def _nanoseconds_behind(cell):
    behind = cell["upsweep"].get("seconds_behind_best_peer")
    return None if behind is None else behind * 1e9


def _busy(of_one):
    """The 90th percentile of calls, in times of what `of_one` names of one thread's."""
    def value(cell):
        one = cell.get("upsweep, 1 thread")
        return one and cell["upsweep"]["p90"] / one[of_one]
    return value


class Target:
    """One sentence of the speed goals: the cells it speaks of, what is measured there, and the bound."""

    def __init__(self, title, applies, value, bound, at_least=True, form="{:.0%}"):
        self.title, self.applies, self.value = title, applies, value
        self.bound, self.at_least, self.form = bound, at_least, form

    def judge(self, by_cell):
        """(met, judged, worst value, worst cell), or None when no cell was measured."""
        values = [(self.value(cell), key) for key, cell in by_cell.items() if "upsweep" in cell and self.applies(*key)]
        values = [(value, key) for value, key in values if value is not None]
        if not values:
            return None
        met = sum(value >= self.bound if self.at_least else value <= self.bound for value, _ in values)
        worst = (min if self.at_least else max)(values, key=lambda pair: pair[0])
        return met, len(values), worst[0], worst[1]


def _wide_at(size):
    return lambda work, type_name, n, shape: work in SCANS and type_name in WIDE_TYPES and n == size


TARGETS = [
    Target("4 and 8 bytes, n = 1e8: of copy", _wide_at(10**8), _of_copy, 0.90),
    Target("4 and 8 bytes, n = 1e7: of copy", _wide_at(10**7), _of_copy, 0.85),
    Target("4 and 8 bytes, n = 1e6: of copy", _wide_at(10**6), _of_copy, 0.70),
    Target("in place, n = 1e8: of read-modify-write",
           lambda work, type_name, n, shape: work == "in place" and n == 10**8, _of_copy, 0.80),
    Target("n >= 1e6: times the best peer",
           lambda work, type_name, n, shape: work in SCANS and type_name in PLAIN_TYPES and n >= 10**6,
           speedup, 1.3, form="{:.2f} x"),
    Target("256 <= n < 1e6: times the best peer",
           lambda work, type_name, n, shape: work in SCANS and type_name in PLAIN_TYPES and 256 <= n < 10**6,
           speedup, 0.95, form="{:.2f} x"),
    Target("n < 256: behind the best peer",
           lambda work, type_name, n, shape: work in SCANS and type_name in PLAIN_TYPES and n < 256,
           _nanoseconds_behind, 50, at_least=False, form="{:.0f} ns"),
    Target("reverse: speed of forward", lambda work, type_name, n, shape: work == "reverse", speedup, 1 / 1.5),
    Target("float16: speed of float", lambda work, type_name, n, shape: type_name == "float16", speedup, 1 / 1.5),
    Target("8- and 16-bit sums, n >= 1e7: of copy",
           lambda work, type_name, n, shape: work in SCANS[:2] and type_name in ("int8", "int16") and n >= 10**7,
           _of_copy, 0.85),
    Target("along either axis of 2^22x16, 4096x4096, 16x2^22: of copy",
           lambda work, type_name, n, shape: work.startswith("axis") and shape in ("4194304x16", "4096x4096", "16x4194304"),
           _of_copy, 0.70),
    Target("busy core: 90th percentile in times of one thread",
           lambda work, type_name, n, shape: work == "busy core", _busy("seconds"), 1.5, at_least=False, form="{:.2f} x"),
    Target("busy core: the same in times of one thread's 90th percentile",
           lambda work, type_name, n, shape: work == "busy core", _busy("p90"), 1.5, at_least=False, form="{:.2f} x"),
]


def size_name(key):
    n, shape = key[2], key[3]
    if shape:
        return shape
    return f"{n:.3g}".replace("e+0", "e") if n >= 10**4 else str(n)


def cell_name(key):
    return f"{key[0]} {key[1]} {size_name(key)}"


def target_rows(by_cell):
    rows = []
    for target in TARGETS:
        verdict = target.judge(by_cell)
        bound = ("at least " if target.at_least else "at most ") + target.form.format(target.bound)
        if verdict is None:
            rows.append([target.title, bound, "not measured", "", ""])
            continue
        met, judged, worst, key = verdict
        rows.append([target.title, bound, "pass" if met == judged else "MISS", f"{met} of {judged}",
                     f"{target.form.format(worst)} ({cell_name(key)})"])
    return ["target", "bound", "verdict", "cells", "worst"], rows


def scan_rows(by_cell, applies):
    """One row a cell: nanoseconds per element of copy, best peer and Upsweep, and the two ratios that the targets use."""
    rows = []
    for key, cell in by_cell.items():
        if "upsweep" not in cell or not applies(key):
            continue
        per_element = lambda record: f"{pace(record) * 1e9 / key[2]:.3f}" if record else ""
        peer, copy = fastest(cell, "peer"), fastest(cell, "copy")
        percent, times = _of_copy(cell), speedup(cell)
        rows.append([key[0], key[1], size_name(key), per_element(copy), per_element(peer),
                     peer["contender"] if peer else "", per_element(cell.get("upsweep, 1 thread")),
                     per_element(cell["upsweep"]), "" if percent is None else f"{percent:.0%}",
                     "" if times is None else f"{times:.2f}"])
    return ["work", "type", "n", "copy", "best peer", "which", "1 thread", "all", "of copy", "x peer"], rows


def busy_rows(by_cell):
    rows = []
    for key, cell in by_cell.items():
        if key[0] != "busy core":
            continue
        for record in cell.values():
            rows.append([size_name(key), record["contender"], f"{record['seconds'] * 1e6:.0f}", f"{record['p90'] * 1e6:.0f}"])
    return ["n", "contender", "median, us", "90th percentile, us"], rows


def contender_rows(by_cell, work, type_name):
    """One row a contender, one column a size, nanoseconds per element."""
    chosen = {key: cell for key, cell in by_cell.items() if key[:2] == (work, type_name)}
    order = ["copy", "upsweep", "orientation", "peer"]
    records = sorted((record for cell in chosen.values() for record in cell.values()),
                     key=lambda record: order.index(record["role"]))
    names = list(dict.fromkeys(record["contender"] for record in records))
    rows = [[name] + [f"{pace(cell[name]) * 1e9 / key[2]:.3f}" if name in cell else ""
                      for key, cell in chosen.items()] for name in names]
    return ["contender"] + [size_name(key) for key in chosen], rows


# The README's short table: what it calls a line, and the line's record in a cell.
SHORT_LINES = [
    ("copy", lambda cell: fastest(cell, "copy")),
    ("**Upsweep**", lambda cell: cell.get("upsweep")),
    ("Upsweep, 1 thread", lambda cell: cell.get("upsweep, 1 thread")),
    ("plain loop, `-O3 -march=native`", lambda cell: cell.get("plain loop")),
    ("`std::inclusive_scan`, `par_unseq`", lambda cell: cell.get("std par_unseq")),
    ("oneTBB `parallel_scan`, vectors by hand", lambda cell: cell.get("oneTBB, hand SIMD body")),
    ("OpenMP `simd` with `inscan`", lambda cell: cell.get("OpenMP simd inscan")),
    ("NumPy `cumsum`", lambda cell: cell.get("NumPy")),
]
SHORT_SIZES = [10**3, 10**5, 10**6, 10**7, 10**8]


def short_rows(by_cell, work, lines):
    """One work on floats against its peers, nanoseconds per element, one column a size."""
    chosen = {n: by_cell[key] for n in SHORT_SIZES if (key := (work, "float", n, None)) in by_cell}
    rows = []
    for label, find in lines:
        records = {n: find(cell) for n, cell in chosen.items()}
        if any(records.values()):
            rows.append([label] + [f"{pace(record) * 1e9 / n:.3f}" if record else "" for n, record in records.items()])
    return ["n"] + [size_name(("", "", n, None)) for n in chosen], rows


def axis_rows(by_cell):
    """Sums along axis 0 against the peers, nanoseconds per element, one row an array."""
    rows = []
    for key, cell in by_cell.items():
        if key[0] != "axis 0" or "upsweep" not in cell:
            continue
        records = [fastest(cell, "copy")] + [cell.get(name) for name in ("upsweep", "plain loop", "NumPy")]
        rows.append([f"{key[1]}, ({key[3].replace('x', ', ')})"] +
                    [f"{pace(record) * 1e9 / key[2]:.3f}" if record else "" for record in records])
    return ["array", "copy", "Upsweep", "plain loop", "NumPy `cumsum`"], rows


COMPACTION_LINES = [
    ("copy of as many bytes", lambda cell: fastest(cell, "copy")),
    ("**Upsweep**, `less_than(0.5f)`", lambda cell: cell.get("upsweep")),
    ("Upsweep, 1 thread", lambda cell: cell.get("upsweep, 1 thread")),
    ("plain loop without branches", lambda cell: cell.get("plain loop")),
    ("`std::copy_if`", lambda cell: cell.get("std")),
    ("`std::copy_if`, `par_unseq`", lambda cell: cell.get("std par_unseq")),
]


def as_text(header, rows):
    widths = [max(len(row[i]) for row in [header] + rows) for i in range(len(header))]
    lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in [header] + rows]
    return "\n".join(lines)


def as_markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def summary(records):
    by_cell = cells(records)
    is_scan = lambda key: key[0] != "busy core"
    parts = ["Nanoseconds per element:", as_text(*scan_rows(by_cell, is_scan))]
    busy = busy_rows(by_cell)
    if busy[1]:
        parts += ["", "With one core busy:", as_text(*busy)]
    return "\n".join(parts + ["", as_text(*target_rows(by_cell))])


def write_docs(path, machine, records, suffix=""):
    """Replaces what stands between `<!-- begin NAME -->` and `<!-- end NAME -->` in the page, for every NAME it has.

    With a suffix those parts alone whose names end in `_SUFFIX`, and without one those that have none: a page can show
    several machines."""
    by_cell = cells(records)
    words = [machine.get("cpu", "unknown processor"), f"{machine.get('cores', '?')} cores", machine.get("memory", ""),
             machine.get("compiler", ""), machine.get("date", ""), "quick run" if machine.get("quick") else "full run"]
    described = ", ".join(word for word in words if word) + "."
    sections = {
        "machine": described,
        "figures": as_markdown(*short_rows(by_cell, "inclusive", SHORT_LINES)) + f"\n\n{described}",
        "compaction": as_markdown(*short_rows(by_cell, "compact", COMPACTION_LINES)),
        "axes": as_markdown(*axis_rows(by_cell)),
        "targets": as_markdown(*target_rows(by_cell)),
        "contenders": as_markdown(*contender_rows(by_cell, "inclusive", "float")),
        "scans": as_markdown(*scan_rows(by_cell, lambda key: key[0] in SCANS and key[2] >= 10**6)),
        "small": as_markdown(*scan_rows(by_cell, lambda key: key[0] in SCANS and key[2] < 10**6)),
        "others": as_markdown(*scan_rows(by_cell, lambda key: key[0] not in SCANS + ["busy core"])),
        "busy": as_markdown(*busy_rows(by_cell)),
    }
    with open(path, encoding="utf-8") as file:
        text = file.read()
    present = re.findall(r"<!-- begin (\w+) -->", text)
    if not present:
        raise SystemExit(f"{path}: no part between begin and end markers")
    for part in present:
        name, _, owner = part.partition("_")
        if part in ("shaders", "cuda") or owner != suffix:  # shaders.py and cuda.py write those
            continue
        pattern = re.compile(f"(<!-- begin {part} -->\n).*?(<!-- end {part} -->)", re.DOTALL)
        if name not in sections or not pattern.search(text):
            raise SystemExit(f"{path}: nothing is generated for a part '{part}', or it has no end")
        text = pattern.sub(lambda match, content=sections[name]: f"{match[1]}{content}\n{match[2]}", text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
