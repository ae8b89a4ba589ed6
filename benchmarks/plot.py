#!/usr/bin/env python3
"""Draws throughput over n, one panel a type, from the records of run.py, as an SVG file without any dependency."""

import argparse
import math
import pathlib
from xml.sax.saxutils import escape

import report

PANEL_WIDTH, PANEL_HEIGHT = 400, 330            # of the plotting area, pixels
LEFT, RIGHT, TOP, BOTTOM = 58, 172, 44, 44      # around it; the labels of the lines stand on the right
LABEL_HEIGHT = 14

# label, how to find its record in a cell, colour, width, dashes
COPY = ("copy of the same bytes", lambda cell: report.fastest(cell, "copy"), "#222222", 2, "5 4")
LINES = [
    COPY,
    ("upsweep, all threads", lambda cell: cell.get("upsweep"), "#0b57d0", 3.2, ""),
    ("upsweep, 1 thread", lambda cell: cell.get("upsweep, 1 thread"), "#6aa1f4", 2, ""),
    ("oneTBB, hand SIMD", lambda cell: cell.get("oneTBB, hand SIMD body"), "#1b7f5c", 1.6, ""),
    ("oneTBB, omp simd", lambda cell: cell.get("oneTBB, omp simd body"), "#7cc4a6", 1.6, ""),
    ("OpenMP simd inscan", lambda cell: cell.get("OpenMP simd inscan"), "#b5489b", 1.6, ""),
    ("OpenMP parallel inscan", lambda cell: cell.get("OpenMP parallel inscan"), "#dd9fcf", 1.6, ""),
    ("std par_unseq", lambda cell: cell.get("std par_unseq"), "#c0811f", 1.6, ""),
    ("plain loop", lambda cell: cell.get("plain loop"), "#8a8a8a", 1.6, ""),
    ("NumPy", lambda cell: cell.get("NumPy"), "#c7432b", 1.6, ""),
]


def spread(positions, gap):
    """Moves label positions apart to at least `gap`, keeping their order and staying close."""
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    placed = list(positions)
    for _ in range(200):
        for a, b in zip(order, order[1:]):
            overlap = gap - (placed[b] - placed[a])
            if overlap > 1e-6:
                placed[a] -= overlap / 2
                placed[b] += overlap / 2
    return placed


def measured(by_cell, work, type_name):
    """The points of a panel: by label, (n, GB/s)."""
    points = {}
    for key, cell in by_cell.items():
        if key[:2] == (work, type_name):
            for line in LINES:
                record = line[1](cell)
                if record:
                    points.setdefault(line[0], []).append((key[2], record["bytes_per_second"] / 1e9))
    return points


def panel(title, points, styles, left, top):
    """One plot. `points`: by label, (n, GB/s); `styles`: (label, colour, width, dashes), the first on top."""
    sizes = [n for line in points.values() for n, _ in line]
    rates = [rate for line in points.values() for _, rate in line]
    x_low, x_high = math.log10(min(sizes)), max(math.log10(max(sizes)), math.log10(min(sizes)) + 1)
    # Waking threads for 16 elements runs at a hundredth of a GB/s; that tail is cut to keep the rest legible.
    y_low, y_high = math.floor(math.log10(max(min(rates), 0.5))), math.log10(max(rates)) + 0.08
    x = lambda n: left + (math.log10(n) - x_low) / (x_high - x_low) * PANEL_WIDTH
    y = lambda rate: top + PANEL_HEIGHT - (math.log10(rate) - y_low) / (y_high - y_low) * PANEL_HEIGHT

    right, bottom = left + PANEL_WIDTH, top + PANEL_HEIGHT
    out = [f'<text x="{left}" y="{top - 14}" class="title">{escape(title)}</text>',
           f'<text x="{left - 46}" y="{top - 14}" class="axis">GB/s</text>',
           f'<text x="{right}" y="{bottom + 36}" class="axis" text-anchor="end">n, elements</text>']
    for power in range(math.ceil(x_low), math.floor(x_high) + 1):
        at = x(10**power)
        out.append(f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{bottom}" class="grid"/>')
        out.append(f'<text x="{at:.1f}" y="{bottom + 18}" class="axis" text-anchor="middle">10'
                   f'<tspan dy="-5" font-size="9">{power}</tspan></text>')
    for power in range(y_low, math.ceil(y_high)):
        for step in (1, 2, 5):
            if power + math.log10(step) > y_high:
                break
            at = y(step * 10**power)
            out.append(f'<line x1="{left}" y1="{at:.1f}" x2="{right}" y2="{at:.1f}" class="grid"/>')
            out.append(f'<text x="{left - 6}" y="{at + 4:.1f}" class="axis" text-anchor="end">{step * 10**power:g}</text>')
    out.append(f'<clipPath id="clip-{left}-{top}"><rect x="{left}" y="{top}" width="{PANEL_WIDTH}" '
               f'height="{PANEL_HEIGHT}"/></clipPath>')
    shown = [style for style in styles if style[0] in points]
    for label, colour, width, dashes in reversed(shown):
        path = " ".join(f"{x(n):.1f},{y(rate):.1f}" for n, rate in sorted(points[label]))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" '
                   f'stroke-linejoin="round" stroke-dasharray="{dashes}" clip-path="url(#clip-{left}-{top})"/>')
    ends = [y(max(points[line[0]])[1]) for line in shown]
    for (label, colour, width, _), end, at in zip(shown, ends, spread(ends, LABEL_HEIGHT)):
        last = x(max(points[label])[0])
        out.append(f'<path d="M{last + 2:.1f} {end:.1f} L{right + 12} {at:.1f}" stroke="{colour}" stroke-width="0.8" '
                   'fill="none"/>')
        weight = ' font-weight="bold"' if width > 3 else ""
        out.append(f'<text x="{right + 15}" y="{at + 4:.1f}" fill="{colour}" class="label"{weight}>{escape(label)}</text>')
    return out


def write(path, panels, styles):
    """A picture of (title, points) side by side, two in a row."""
    columns = min(2, len(panels))
    width = columns * (LEFT + PANEL_WIDTH + RIGHT)
    height = -(-len(panels) // columns) * (TOP + PANEL_HEIGHT + BOTTOM)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="system-ui, sans-serif" role="img">',
           "<title>Throughput of scans over the number of elements</title>",
           "<style>.grid{stroke:#e4e4e4}.axis{font-size:11px;fill:#555}.title{font-size:14px;font-weight:bold;fill:#222}"
           ".label{font-size:12px}</style>",
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for i, (title, points) in enumerate(panels):
        left = LEFT + i % columns * (LEFT + PANEL_WIDTH + RIGHT)
        top = TOP + i // columns * (TOP + PANEL_HEIGHT + BOTTOM)
        out += panel(title, points, styles, left, top)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(out + ["</svg>", ""]), encoding="utf-8")


def draw(records, path, work="inclusive", types=("float", "double", "int32", "int8")):
    by_cell = report.cells(records)
    panels = [(f"{work} scan, {name}", measured(by_cell, work, name)) for name in types]
    panels = [one for one in panels if one[1]]
    if not panels:
        raise SystemExit(f"no records of {work} scans to draw")
    write(path, panels, [(label, colour, width, dashes) for label, _, colour, width, dashes in LINES])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", type=pathlib.Path, help="JSON lines written by run.py")
    parser.add_argument("picture", type=pathlib.Path, help="SVG file to write")
    parser.add_argument("--work", default="inclusive", help="inclusive, exclusive or maximum")
    parser.add_argument("--types", default="float,double,int32,int8", help="comma-separated")
    options = parser.parse_args()
    draw(report.load(options.records)[1], options.picture, options.work, options.types.split(","))


if __name__ == "__main__":
    main()
