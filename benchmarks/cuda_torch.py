#!/usr/bin/env python3
"""Times torch.cumsum along the axes that cuda_scan_bench measures, on the same GPU: one line of JSON a cell, to be
put beside those of cuda_scan_bench for benchmarks/cuda.py --use.

    cuda_scan_bench > rows.jsonl
    python3 benchmarks/cuda_torch.py rows.jsonl >> rows.jsonl

Medians of 15 event times, of one where a call takes more than a tenth of a second."""

import json
import pathlib
import statistics
import sys

import torch

TYPES = {"float": (torch.float32, None), "double": (torch.float64, None), "float16": (torch.float16, None),
         "uint8>uint32": (torch.uint8, torch.int32)}  # torch has no sums of uint32


def seconds(call):
    times = []
    call()
    torch.cuda.synchronize()
    while len(times) < (15 if not times or times[0] < 0.1 else 1):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        stop.record()
        stop.synchronize()
        times.append(1e-3 * start.elapsed_time(stop))
    return statistics.median(times)


def main():
    rows = [json.loads(line) for line in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines() if line.startswith("{")]
    done = set()
    for row in rows:
        cell = row["work"], row["type"]
        if not row["work"].startswith("axis ") or cell in done or row["type"] not in TYPES:
            continue
        done.add(cell)
        axis, shape = row["work"].removeprefix("axis ").split("/")
        dtype, result = TYPES[row["type"]]
        x = torch.ones(json.loads(shape.replace("(", "[").replace(")", "]")), device="cuda", dtype=dtype)
        out = torch.empty_like(x, dtype=result or dtype)
        taken = seconds(lambda: torch.cumsum(x, int(axis), dtype=result or dtype, out=out))
        print(json.dumps({"work": row["work"], "type": row["type"], "algorithm": "torch.cumsum", "n": row["n"], "bytes": row["bytes"],
                          "seconds": taken, "copy_seconds": row["copy_seconds"], "cub_seconds": 0,
                          "percent_of_copy": 100 * row["copy_seconds"] / taken, "version": torch.__version__}), flush=True)
        del x, out


if __name__ == "__main__":
    main()
