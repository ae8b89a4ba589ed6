#!/usr/bin/env python3
"""Runs the benchmark of CUDA scans on this machine's GPU, and prints or files its figures.

    benchmarks/cuda.py [--program PATH] [--json FILE] [--docs docs/performance.md] [--plot docs/images/cuda.svg]
    benchmarks/cuda.py --use FILE --docs docs/performance.md          # from an earlier run: JSON lines of the program

The program is `cuda_scan_bench`, built by the preset `cuda` with -DUPSWEEP_BUILD_BENCHMARKS=ON. With --docs the parts of the
page between `begin cuda` and `end cuda`, and the like of `cuda choosing`, `cuda axes`, `cuda segments` and `cuda bins`, are replaced."""

import argparse
import json
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


def chooses(row):
    return row["work"].startswith(("compact", "partition"))


def is_axis(row):
    return row["work"].startswith("axis ")


def segments(row):
    return row["work"].endswith("_by_key")


def bins(row):
    return row["work"].startswith(("histogram", "bins"))


def in_blocks(row):
    """Scans whose blocks continue one another, which CUB does not do; docs/cuda.md has them."""
    return row["work"].startswith("in blocks")


def sorts(row):
    return row["work"].startswith(("sort", "segmented_sort"))


def sorting_table(rows):
    yield "| what | keys | type | n | us | reads and writes in a copy's time | CUB, us | CUB, times as long |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in filter(sorts, rows):
        what, keys = row["work"].split("/")
        time, cub = 1e6 * row["seconds"], 1e6 * row["cub_seconds"]
        yield (f"| `{what}` | {keys} | {row['type']} | {power_of_two(row['n'])} | **{time:.{0 if time >= 100 else 1}f}** | "
               f"{row['seconds'] / row['copy_seconds']:.1f} | {cub:.{0 if cub >= 100 else 1}f} | {cub / time:.2f} |")


def binning_table(rows):
    yield "| what | bins | type | n | us | of copy | CUB, of copy | CUB, times as long |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in filter(bins, rows):
        what, number = row["work"].split("/")
        time, cub = 1e6 * row["seconds"], row["cub_seconds"]
        beside = f"{row['cub_percent_of_copy']:.0f} % | {cub / row['seconds']:.2f} |" if cub else "| |"
        yield (f"| `{what}` | {number} | {row['type']} | {power_of_two(row['n'])} | {time:.{0 if time >= 100 else 1}f} | "
               f"**{row['percent_of_copy']:.0f} %** | {beside}")


def segments_table(rows):
    yield "| what | values | n | us | of copy | CUB, of copy | CUB, times as long |"
    yield "|---|---|---|---|---|---|---|"
    for row in filter(segments, rows):
        time = 1e6 * row["seconds"]
        yield (f"| `{row['work']}` | {row['type']} | {power_of_two(row['n'])} | {time:.{0 if time >= 100 else 1}f} | **{row['percent_of_copy']:.0f} %** | "
               f"{row['cub_percent_of_copy']:.0f} % | {row['cub_seconds'] / row['seconds']:.2f} |")


def axes_table(rows):
    torch = {(row["work"], row["type"]): row for row in rows if row["algorithm"] == "torch.cumsum"}
    beside = " `torch.cumsum`, of copy | times as long |" if torch else ""
    yield f"| array | type | axis | way | us | of copy |{beside}"
    yield "|---" * (8 if torch else 6) + "|"
    for row in filter(is_axis, rows):
        if row["algorithm"] == "torch.cumsum":
            continue
        axis, shape = row["work"].removeprefix("axis ").split("/")
        time, peer = 1e6 * row["seconds"], torch.get((row["work"], row["type"]))
        beside = " | |" if torch else ""
        if peer:
            percent, ratio = peer["percent_of_copy"], peer["seconds"] / row["seconds"]
            beside = f" {percent:.{0 if percent >= 10 else 1 if percent >= 1 else 3}f} % | {ratio:.{0 if ratio >= 10 else 1}f} |"
        yield (f"| {shape} | {row['type'].replace('>', ' to ')} | {axis} | {row['algorithm']} | {time:.{0 if time >= 100 else 1}f} | "
               f"**{row['percent_of_copy']:.0f} %** |{beside}")


def choosing_table(rows):
    yield "| what | kept | type | n | us | of copy | CUB, of copy | CUB, times as long |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in filter(chooses, rows):
        what, kept = row["work"].split("/")
        time = 1e6 * row["seconds"]
        yield (f"| `{what}` | {kept} | {row['type']} | {power_of_two(row['n'])} | {time:.{0 if time >= 100 else 1}f} | **{row['percent_of_copy']:.0f} %** | "
               f"{row['cub_percent_of_copy']:.0f} % | {row['cub_seconds'] / row['seconds']:.2f} |")


def large_table(rows):
    yield "| work | type | n | us | of copy | CUB, of copy |"
    yield "|---|---|---|---|---|---|"
    lengths = {name: by_length(rows, name) for name in ("float", "int32")}
    seen = {}  # a cell that two groups have is told once
    for row in rows:
        if chooses(row) or is_axis(row) or bins(row) or segments(row) or in_blocks(row):
            continue
        over_length = row["work"] == "inclusive/plus" and row["n"] in lengths.get(row["type"], {})
        if row["algorithm"] != "automatic" or (over_length and row["n"] != 1 << 28) or row["n"] in seen.get(row["work"] + row["type"], ()):
            continue
        seen.setdefault(row["work"] + row["type"], set()).add(row["n"])
        how, operation = row["work"].split("/")
        cub = f"{row['cub_percent_of_copy']:.0f} %" if row["cub_seconds"] else ""
        yield (f"| {operation}, {how.replace('_', ' ')} | {row['type']} | {power_of_two(row['n'])} | {1e6 * row['seconds']:.0f} | "
               f"**{row['percent_of_copy']:.0f} %** | {cub} |")


def length_table(rows):
    yield "| n | copy, us | Upsweep | look-ahead | look-back | reduce-then-scan | CUB |"
    yield "|---|---|---|---|---|---|---|"
    for n, cells in sorted(by_length(rows, "float").items()):
        times = [f"{1e6 * cells[name]['seconds']:.1f}" if name in cells else "" for name in ALGORITHMS]
        first = cells["automatic"]
        yield (f"| {power_of_two(n)} | {1e6 * first['copy_seconds']:.1f} | **{times[0]}** | " + " | ".join(times[1:]) +
               f" | {1e6 * first['cub_seconds']:.1f} |")


def report(rows):
    empty = next((row["seconds"] for row in rows if row["work"] == "empty kernel"), None)
    lines = [] if empty is None else [f"An empty kernel took {1e6 * empty:.1f} us, measured the same way.", ""]
    lines += large_table(rows)
    lines += ["", "Float sums over the length, microseconds:", ""]
    lines += length_table(rows)
    return "\n".join(lines)


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
    parts = {}
    if not all(chooses(row) or is_axis(row) or bins(row) or segments(row) or sorts(row) or row["work"] == "empty kernel" for row in rows):
        parts["cuda"] = report(rows)
    if any(map(chooses, rows)):
        parts["cuda choosing"] = "\n".join(choosing_table(rows))
    if any(map(is_axis, rows)):
        parts["cuda axes"] = "\n".join(axes_table(rows))
    if any(map(segments, rows)):
        parts["cuda segments"] = "\n".join(segments_table(rows))
    if any(map(bins, rows)):
        parts["cuda bins"] = "\n".join(binning_table(rows))
    if any(map(sorts, rows)):
        parts["cuda sorts"] = "\n".join(sorting_table(rows))
    print("\n\n".join(parts.values()))
    if chosen.plot:
        draw(rows, chosen.plot)
    if chosen.docs:
        for name, text in parts.items():
            replace_part(chosen.docs, name, text)


if __name__ == "__main__":
    main()
