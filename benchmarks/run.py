#!/usr/bin/env python3
"""Runs the benchmark programs of a build and NumPy, prints a table and how the speed targets fare, and keeps every record.

The programs are built beforehand; this only runs them. Each interleaves its contenders by itself (support/measure.hpp)."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

import numpy_peer
import report

PROGRAMS = ["scan", "in_place", "variants", "axis_scan", "reduce", "segmented_scan", "segmented_reduce", "recurrence", "compact", "repeat", "histogram", "sort", "top_k", "busy_core"]
# How long libgomp's idle threads spin: 0.3 ms instead of several, so that they do not slow the next contender down.
ENVIRONMENT = {"GOMP_SPINCOUNT": "20000"}


def first_match(path, pattern):
    try:
        match = re.search(pattern, pathlib.Path(path).read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return ""
    return match[1].strip() if match else ""


def compiler(build):
    cache = build / "CMakeCache.txt"
    path = first_match(cache, r"^CMAKE_CXX_COMPILER:\w+=(.*)$")
    if not path:
        return ""
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return answer.stdout.splitlines()[0] if answer.stdout else ""


def describe_machine(build, quick):
    kibibytes = first_match("/proc/meminfo", r"^MemTotal:\s*(\d+)")
    flags = first_match("/proc/cpuinfo", r"^flags\s*:(.*)$").split()
    simd = next((name for flag, name in (("avx512bw", "AVX-512"), ("avx2", "AVX2")) if flag in flags), "")
    cpu = first_match("/proc/cpuinfo", r"^model name\s*:(.*)$") or platform.machine()
    family, model = (first_match("/proc/cpuinfo", rf"^{name}\s*:\s*(\d+)$") for name in ("cpu family", "model"))
    if family and model:  # virtual machines often keep the rest of the name to themselves
        cpu += f", family {family} model {model}"
    return {"cpu": f"{cpu} ({simd})" if simd else cpu, "cores": len(os.sched_getaffinity(0)),
            "memory": f"{int(kibibytes) / 2**20:.0f} GiB" if kibibytes else "", "compiler": compiler(build),
            "date": datetime.date.today().isoformat(), "quick": quick}


def find_program(build, name):
    for folder in (build / "benchmarks", build, build / "bin"):
        if (folder / f"{name}_bench").is_file():
            return folder / f"{name}_bench"
    return None


def run_programs(build, output, quick, pattern):
    """Runs every program; they append to `output`. Returns whether all went well."""
    fine = True
    for name in PROGRAMS:
        program = find_program(build, name)
        if program is None:
            print(f"{name}_bench: not in {build}", file=sys.stderr)
            fine = False
            continue
        print(f"running {name}_bench ...", file=sys.stderr, flush=True)
        command = [str(program), "--json", str(output), "--filter", pattern] + (["--quick"] if quick else [])
        fine &= subprocess.run(command, env={**os.environ, **ENVIRONMENT}, check=False).returncode == 0
    return fine


def add_numpy(output, quick):
    _, records = report.load(output)
    try:
        import numpy
    except ImportError:
        print("NumPy is not installed for this Python: left out", file=sys.stderr)
        return
    print(f"running NumPy {numpy.__version__} ...", file=sys.stderr, flush=True)
    by_cell = report.cells(records)
    with open(output, "a", encoding="utf-8") as file:
        for record in numpy_peer.measure(by_cell, 0.05 if quick else 0.2):
            key = (record["work"], record["type"], record["n"], record.get("shape"))
            # Above the caches memcpy's time in the other process stands for the machine's pace then; below, Python's
            # own cost of a call makes the comparison meaningless, and the time is taken as it is.
            cell = by_cell[key]
            if key[2] >= 10**6:
                record["paced_seconds"] = record["memcpys"] * cell["memcpy, 1 thread"]["seconds"]
            pace = record.get("paced_seconds", record["seconds"])
            record["ratio_to_copy"] = report.fastest(cell, "copy")["seconds"] / pace
            file.write(json.dumps(record) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"), help="folder of the build")
    parser.add_argument("--quick", action="store_true", help="fewer sizes and rounds: under two minutes")
    parser.add_argument("--filter", default="", help="regular expression on work/type/n, such as '^inclusive/float/'")
    parser.add_argument("--json", type=pathlib.Path, help="where the records go (default: BUILD/benchmarks.jsonl)")
    parser.add_argument("--use", type=pathlib.Path, help="run nothing: report on the records of an earlier run")
    parser.add_argument("--docs", type=pathlib.Path, nargs="+", default=[], metavar="PAGE",
                        help="pages whose generated parts are rewritten")
    parser.add_argument("--suffix", default="", help="rewrite those parts whose names end in _SUFFIX: of another machine")
    parser.add_argument("--plot", type=pathlib.Path, help="where a picture of throughput over n goes (SVG)")
    options = parser.parse_args()

    output, fine = options.use, True
    if output is None:
        output = options.json or options.build / "benchmarks.jsonl"
        machine = describe_machine(options.build, options.quick)
        output.write_text(json.dumps({"machine": machine}) + "\n", encoding="utf-8")
        fine = run_programs(options.build, output, options.quick, options.filter)
        add_numpy(output, options.quick)

    machine, records = report.load(output)
    print(report.summary(records))
    for page in options.docs:
        report.write_docs(page, machine, records, options.suffix)
    if options.plot:
        import plot
        plot.draw(records, options.plot)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
