"""Streams and graphs of PyTorch on a GPU."""
import of_library
import pytest
from conftest import LIBRARY

import upsweep as as_numpy

torch = as_numpy.library.module
upsweep = of_library.package
gpu_only = pytest.mark.skipif(LIBRARY != "torch", reason="of a GPU")


@gpu_only
def test_the_current_stream_is_used():
    side = torch.cuda.Stream()
    x = torch.ones(1 << 20, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        for _ in range(20):
            x = upsweep.cumsum(x) / torch.arange(1, x.numel() + 1, device="cuda")
    side.synchronize()
    assert bool((x == 1).all())


@gpu_only
def test_graphs_capture_calls():
    x = torch.arange(100_000, dtype=torch.float32, device="cuda")
    out = torch.empty_like(x)
    upsweep.cumsum(x, out=out)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        upsweep.cumsum(x, out=out)
        halves = upsweep.inclusive_scan(x.to(torch.float16), "maximum")
        total = upsweep.sum(x)
        counts, edges = upsweep.histogram(x, 4, (0, 8))
        weighed, _ = upsweep.histogram(x, 4, (0, 8), weights=x)
        ordered = upsweep.sort(-out)
        largest = upsweep.top_k(out, 3)
        repeated = upsweep.repeat(x, x.to(torch.int64), output_size=x.numel())
    x.fill_(1)
    edges.zero_()
    graph.replay()
    assert out[-1].item() == total.item() == 100_000
    assert halves.max().item() == 1
    assert counts.tolist() == weighed.tolist() == [100_000, 0, 0, 0] and edges.tolist() == [0, 2, 4, 6, 8]
    assert bool((ordered == -out.flip(0)).all())
    assert largest.values.tolist() == [100_000, 99_999, 99_998] and largest.indices.tolist() == [99_999, 99_998, 99_997]
    assert bool((repeated == 1).all())
