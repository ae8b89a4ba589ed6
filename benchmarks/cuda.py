#!/usr/bin/env python3
"""Runs the benchmark of CUDA scans on this machine's GPU, and prints or files its figures.

    benchmarks/cuda.py [--program PATH] [--json FILE] [--docs docs/performance-h200.md] [--plot docs/images/cuda-h200.svg]
    benchmarks/cuda.py --use FILE --docs docs/performance-h200.md          # from an earlier run: JSON lines of the program

The program is `cuda_scan_bench`, built by the preset `cuda` with -DUPSWEEP_BUILD_BENCHMARKS=ON. With --docs the parts of the
page between `begin cuda` and `end cuda`, and the like of the other names of PARTS that were measured, are replaced."""

import argparse
import json
import math
import pathlib
import subprocess
import sys

import plot
from report import replace_part

PROGRAM = pathlib.Path("build/cuda/benchmarks/cuda/cuda_scan_bench")
ALGORITHMS = ("automatic", "look-ahead", "look-back", "reduce-then-scan")
STYLES = [
    ("copy of the same bytes", "#222222", 2, "5 4"),
    ("upsweep", "#0b57d0", 3.2, ""),
    ("upsweep, look-back", "#6aa1f4", 1.6, ""),
    ("upsweep, reduce-then-scan", "#b5489b", 1.6, ""),
    ("CUB", "#1b7f5c", 2, ""),
]


def power_of_two(n):
    power = n.bit_length() - 1 if n & (n - 1) == 0 else n.bit_length()
    rest = (1 << power) - n
    return f"2^{power}" + (f" - {rest}" if rest else "")


def by_length(rows, type_name):
    """n -> algorithm -> row, of the sums that were measured over the length."""
    table = {}
    for row in rows:
        if (row["work"], row["type"]) == ("inclusive/plus", type_name):
            table.setdefault(row["n"], {})[row["algorithm"]] = row
    return table


def part_of(row):
    """The table that a row is in."""
    work = row["work"]
    if work == "empty kernel":
        return "any"
    if work.startswith("in blocks"):
        return "none"  # scans whose blocks continue one another, which CUB does not do; docs/cuda-design.md has them
    if work.endswith("scan_by_key"):
        return "cuda segments"
    beginnings = {"compact": "choosing", "partition": "choosing", "axis ": "axes", "histogram": "bins", "bin_totals": "bin totals", "bins": "bins", "sort": "sorts",
                  "segmented_sort": "sorts", "segmented_reduce": "offsets", "reduce_by_key": "keyed totals", "unique": "runs", "run_length_encode": "runs",
                  "reduce (": "axis totals", "reduce": "totals", "repeat": "repeats", "top_k": "top k"}
    for beginning, part in beginnings.items():
        if work.startswith(beginning):
            return "cuda " + part
    return "cuda"


def microseconds(seconds):
    return f"{1e6 * seconds:.{0 if seconds >= 100e-6 else 1}f}"


def beside_cub(row):
    """Four cells: microseconds, percent of a copy, CUB's percent, and how many times as long CUB takes."""
    cub = f"{row['cub_percent_of_copy']:.0f} % | {row['cub_seconds'] / row['seconds']:.2f} |" if row["cub_seconds"] else "| |"
    return f"{microseconds(row['seconds'])} | **{row['percent_of_copy']:.0f} %** | {cub}"


def table(*columns):
    yield "| " + " | ".join(columns) + " |"
    yield "|---" * len(columns) + "|"


BESIDE_CUB = ("us", "of copy", "CUB, of copy", "CUB, times as long")


def sorting_table(rows):
    yield from table("what", "keys", "type", "n", "us", "reads and writes in a copy's time", "CUB, us", "CUB, times as long")
    for row in rows:
        what, keys = row["work"].split("/")
        yield (f"| `{what}` | {keys} | {row['type']} | {power_of_two(row['n'])} | **{microseconds(row['seconds'])}** | "
               f"{row['seconds'] / row['copy_seconds']:.1f} | {microseconds(row['cub_seconds'])} | {row['cub_seconds'] / row['seconds']:.2f} |")


def divided_table(second, divider):
    """Of works that name what was called and, behind the divider, what it was called with."""
    def lines(rows):
        yield from table("what", second, "type", "n", *BESIDE_CUB)
        for row in rows:
            what, how = row["work"].split(divider, 1)
            yield f"| `{what}` | {how} | {row['type']} | {power_of_two(row['n'])} | {beside_cub(row)}"
    return lines


def undivided_table(rows):
    yield from table("what", "type", "n", *BESIDE_CUB)
    for row in rows:
        what, *how = row["work"].split(", ", 1)
        yield f"| `{what}`{''.join(', ' + each for each in how)} | {row['type']} | {power_of_two(row['n'])} | {beside_cub(row)}"


def repeats_table(rows):
    yield from table("counts", "given as", "about so many results", *BESIDE_CUB)
    for row in rows:
        counts = row["work"].removeprefix("repeat, ")
        mean = int(counts) if counts.isdigit() else 0
        counts = (f"0 to {2 * mean}" if mean else f"{counts.removeprefix('each ')}" if counts.startswith("each") else
                  "all 1, one half of all results" if counts == "one large" else counts)
        given = ("one for all" if row["work"].startswith("repeat, each") else
                 {"float": "counts", "by offsets": "offsets", "indices": "counts, indices"}[row["type"]])
        yield f"| {counts} | {given} | 2^{round(math.log2(row['n']))} | {beside_cub(row)}"


def axis_totals_table(rows):
    yield from table("shape", "axis 0", "axis 1")
    cells = {}
    for row in rows:
        shape, axis = row["work"].removeprefix("reduce ").rsplit(", axis ", 1)
        cells.setdefault(shape, {})[axis] = f"{microseconds(row['seconds'])} us, {row['percent_of_copy']:.0f} %"
    for shape, times in cells.items():
        yield f"| {shape} | {times.get('0', '')} | {times.get('1', '')} |"


def axes_table(rows):
    torch = {(row["work"], row["type"]): row for row in rows if row["algorithm"] == "torch.cumsum"}
    yield from table("array", "type", "axis", "way", "us", "of copy", *(("`torch.cumsum`, of copy", "times as long") if torch else ()))
    for row in rows:
        if row["algorithm"] == "torch.cumsum":
            continue
        axis, shape = row["work"].removeprefix("axis ").split("/")
        peer = torch.get((row["work"], row["type"]))
        beside = " | |" if torch else ""
        if peer:
            percent, ratio = peer["percent_of_copy"], peer["seconds"] / row["seconds"]
            beside = f" {percent:.{0 if percent >= 10 else 1 if percent >= 1 else 3}f} % | {ratio:.{0 if ratio >= 10 else 1}f} |"
        yield (f"| {shape} | {row['type'].replace('>', ' to ')} | {axis} | {row['algorithm']} | {microseconds(row['seconds'])} | "
               f"**{row['percent_of_copy']:.0f} %** |{beside}")


def large_table(rows):
    yield from table("work", "type", "n", "us", "of copy", "CUB, of copy")
    lengths = {name: by_length(rows, name) for name in ("float", "int32")}
    seen = {}  # a cell that two groups have is told once
    for row in rows:
        over_length = row["work"] == "inclusive/plus" and row["n"] in lengths.get(row["type"], {})
        if row["algorithm"] != "automatic" or (over_length and row["n"] != 1 << 28) or row["n"] in seen.get(row["work"] + row["type"], ()):
            continue
        seen.setdefault(row["work"] + row["type"], set()).add(row["n"])
        how, operation = row["work"].split("/")
        cub = f"{row['cub_percent_of_copy']:.0f} %" if row["cub_seconds"] else ""
        yield (f"| {operation}, {how.replace('_', ' ')} | {row['type']} | {power_of_two(row['n'])} | {1e6 * row['seconds']:.0f} | "
               f"**{row['percent_of_copy']:.0f} %** | {cub} |")


def length_table(rows):
    yield from table("n", "copy, us", "Upsweep", "look-ahead", "look-back", "reduce-then-scan", "CUB")
    for n, cells in sorted(by_length(rows, "float").items()):
        times = [f"{1e6 * cells[name]['seconds']:.1f}" if name in cells else "" for name in ALGORITHMS]
        first = cells["automatic"]
        yield (f"| {power_of_two(n)} | {1e6 * first['copy_seconds']:.1f} | **{times[0]}** | " + " | ".join(times[1:]) +
               f" | {1e6 * first['cub_seconds']:.1f} |")


def scans(rows):
    yield from large_table(rows)
    yield from ("", "Float sums over the length, microseconds:", "")
    yield from length_table(rows)


PARTS = {
    "cuda": scans,
    "cuda choosing": divided_table("kept", "/"),
    "cuda axes": axes_table,
    "cuda segments": undivided_table,
    "cuda keyed totals": divided_table("runs of", ", "),
    "cuda runs": divided_table("runs of", ", "),
    "cuda offsets": divided_table("segments of about", ", "),
    "cuda totals": undivided_table,
    "cuda axis totals": axis_totals_table,
    "cuda repeats": repeats_table,
    "cuda bins": divided_table("bins", "/"),
    "cuda bin totals": divided_table("bins", "/"),
    "cuda sorts": sorting_table,
    "cuda top k": divided_table("k", "/"),
}


def report(rows):
    """Part -> its text, of the parts that were measured."""
    of_part = {}
    for row in rows:
        of_part.setdefault(part_of(row), []).append(row)
    texts = {part: "\n".join(lines(of_part[part])) for part, lines in PARTS.items() if part in of_part}
    for empty in of_part.get("any", [])[:1]:
        if "cuda" in texts:
            texts["cuda"] = f"An empty kernel took {1e6 * empty['seconds']:.1f} us, measured the same way.\n\n" + texts["cuda"]
    return texts


def draw(rows, path):
    panels = []
    for type_name in ("float", "int32"):
        points = {}
        for n, cells in by_length(rows, type_name).items():
            rate = lambda seconds, n=n: 8e-9 * n / seconds  # 4 bytes read and 4 written an element
            for name, label in (("automatic", "upsweep"), ("look-back", "upsweep, look-back"),
                                ("reduce-then-scan", "upsweep, reduce-then-scan")):
                if name in cells:
                    points.setdefault(label, []).append((n, rate(cells[name]["seconds"])))
            first = cells["automatic"]
            points.setdefault("copy of the same bytes", []).append((n, rate(first["copy_seconds"])))
            if first["cub_seconds"]:
                points.setdefault("CUB", []).append((n, rate(first["cub_seconds"])))
        if points:
            panels.append((f"inclusive sums, {type_name}", points))
    plot.write(path, panels, STYLES)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=PROGRAM)
    parser.add_argument("--json", type=pathlib.Path, help="keep the records here, JSON lines")
    parser.add_argument("--use", type=pathlib.Path, help="report on these records instead of measuring")
    parser.add_argument("--docs", type=pathlib.Path, help="the page to write the tables into")
    parser.add_argument("--plot", type=pathlib.Path, help="the picture to draw, SVG")
    chosen = parser.parse_args()
    if chosen.use:
        words = chosen.use.read_text(encoding="utf-8")
    else:
        words = subprocess.run([chosen.program.resolve()], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [json.loads(line) for line in words.splitlines() if line.startswith("{")]
    if not rows:
        sys.exit("cuda.py: nothing was measured")
    if chosen.json:
        chosen.json.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    parts = report(rows)
    print("\n\n".join(parts.values()))
    if chosen.plot:
        draw(rows, chosen.plot)
    if chosen.docs:
        for name, text in parts.items():
            replace_part(chosen.docs, name, text)


if __name__ == "__main__":
    main()
