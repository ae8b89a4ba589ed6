#!/usr/bin/env python3
"""Runs the benchmarks of the OpenGL and Vulkan back ends and the particle system, and prints or files the figures.

    benchmarks/shaders.py [--build build/release] [--largest 28] [--json FILE] [--docs docs/performance.md]
    benchmarks/shaders.py --use FILE --docs docs/performance.md       # from an earlier run

The programs are built beforehand and time by the GPU's own clock; what is missing in the build is left out, and said. With
--docs the part of the page between `begin shaders` and `end shaders` is replaced."""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys

from report import replace_part

PROGRAMS = {"Vulkan": "benchmarks/vulkan/vulkan_scan_bench", "OpenGL": "benchmarks/gl/gl_scan_bench"}
PARTICLES = "examples/particles/upsweep-particles"
FRAMES = ["--headless", "--frames", "300", "--skip", "600", "--size", "1920x1080", "--particles", "10000000"]


def run(words):
    print("running", " ".join(str(word) for word in words), file=sys.stderr)
    return subprocess.run(words, capture_output=True, text=True, check=True)


def measure_scans(build, largest):
    for api, path in PROGRAMS.items():
        if not (build / path).is_file():
            print(f"{api}: there is no {path} in {build}", file=sys.stderr)
            continue
        for line in run([build / path, "--json", str(largest)]).stdout.splitlines():
            yield {"api": api, **json.loads(line)}


def measure_particles(build):
    """Medians of a frame's stages in milliseconds, drawn in both ways."""
    if not (build / PARTICLES).is_file():
        print(f"particles: there is no {PARTICLES} in {build}", file=sys.stderr)
        return
    for how in ("points", "splats"):
        words = run([build / PARTICLES, *FRAMES, "--draw", how]).stderr
        stages = {name: float(value) for name, value in re.findall(r"^(\w+) +([0-9.]+) +[0-9.]+(?: |$)", words, re.MULTILINE)}
        alive = re.search(r"(\d+) to (\d+) particles alive", words)
        clock = re.search(r"([0-9.]+) ms a frame by the clock", words)
        yield {"device": words.splitlines()[0], "draw": how, "alive": int(alive[2]), "clock_ms": float(clock[1]), "stages_ms": stages}


def read_cub(file):
    """Microseconds of CUB's sums by type and n, from records of benchmarks/cuda. Signed and unsigned sums are the same work."""
    if not file:
        return {}
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return {(record["type"].replace("int32", "uint32"), record["n"]): 1e6 * record["cub_seconds"]
            for record in records if record["work"] == "inclusive/plus" and record["cub_seconds"] and record["type"] in ("float", "int32")}


def scan_table(rows, cub):
    yield "| API | type | n | scan | GB/s | copy | of copy | CUB, in CUDA | empty sequence | scan / empty |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        peer = cub.get((row["type"], row["n"]))
        speed = 8e-9 * row["n"] / row["scan_s"]  # elements of 4 bytes, read once and written once
        yield (f"| {row['api']} | {row['type']} | 2^{row['n'].bit_length() - 1} | {1e6 * row['scan_s']:.1f} us | {speed:.0f} | "
               f"{1e6 * row['copy_s']:.1f} us ({row['copy_by']}) | {100 * row['copy_over_scan']:.1f} % | "
               f"{f'{peer:.1f} us' if peer else ''} | {1e6 * row['empty_s']:.1f} us | "
               f"{row['scan_over_empty']:.2f} |")


def particle_table(rows):
    names = [name for name in rows[0]["stages_ms"] if name != "frame"]
    yield "| drawn by | alive | " + " | ".join(names) + " | frame | by the clock | frames/s | share of the scan |"
    yield "|---|" + "---:|" * (len(names) + 5)
    for row in rows:
        stages = row["stages_ms"]
        yield (f"| {row['draw']} | {row['alive']} | " + " | ".join(f"{stages[name]:.3f} ms" for name in names) +
               f" | {stages['frame']:.3f} ms | {row['clock_ms']:.3f} ms | {1e3 / row['clock_ms']:.0f} | "
               f"{100 * stages['scan'] / stages['frame']:.1f} % |")


def report(results, cub):
    lines = []
    if results["scans"]:
        devices = sorted({f"{row['api']}: {row['device']}" for row in results["scans"]})
        lines += [f"{'; '.join(devices)}; {results['date']}. Inclusive sums, medians of 15 rounds. A scan in one pass moves 2 n "
                  "elements, as a copy does; reduce-then-scan 3 n, so that 67 % of a copy is its ceiling where nothing stays in a "
                  "cache.", ""]
        lines += scan_table(results["scans"], cub)
    if results["particles"]:
        lines += ["", f"The particle system with room for 10 million, 1920 x 1080, {results['particles'][0]['device']}; medians of 300 "
                  "frames:", ""]
        lines += particle_table(results["particles"])
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--largest", type=int, default=28, help="exponent of the longest sequence [28]")
    parser.add_argument("--no-particles", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, help="keep the records here")
    parser.add_argument("--use", type=pathlib.Path, help="report on these records instead of measuring")
    parser.add_argument("--cub", type=pathlib.Path, help="records of benchmarks/cuda on the same GPU, for a column of CUB's times")
    parser.add_argument("--docs", type=pathlib.Path, help="the page to write the tables into")
    chosen = parser.parse_args()
    if chosen.use:
        results = json.loads(chosen.use.read_text(encoding="utf-8"))
    else:
        build = chosen.build.resolve()
        results = {"date": datetime.date.today().isoformat(), "scans": list(measure_scans(build, chosen.largest)),
                   "particles": [] if chosen.no_particles else list(measure_particles(build))}
    if not results["scans"] and not results["particles"]:
        sys.exit("shaders.py: nothing was measured")
    if chosen.json:
        chosen.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    text = report(results, read_cub(chosen.cub))
    print(text)
    if chosen.docs:
        replace_part(chosen.docs, "shaders", text)


if __name__ == "__main__":
    main()
