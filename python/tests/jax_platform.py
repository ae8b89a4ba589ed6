"""Where the tests of JAX run: on its CPU and, where it has one and the package is built for it, on a CUDA GPU."""
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # others compute on the same GPU

import jax
import numpy as np
import pytest

import upsweep
from upsweep import _back_ends

jax.config.update("jax_enable_x64", True)
SCANS = (upsweep.inclusive_scan, upsweep.exclusive_scan)
SEGMENTED = (upsweep.inclusive_segmented_scan, upsweep.exclusive_segmented_scan)


def why_no_gpu():
    """Why JAX cannot call this build on a GPU; None if it can."""
    if not hasattr(_back_ends._cuda, "jax_handlers"):
        return "this build has no CUDA for JAX"
    try:
        return None if jax.devices("cuda") else "JAX finds no GPU"
    except RuntimeError as problem:
        return f"JAX finds no GPU ({' '.join(str(problem).split())[:120]})"


WHY_NO_GPU = why_no_gpu()


class Platform:
    def __init__(self, name):
        self.name, self.device = name, jax.devices(name)[0]

    def put(self, x):
        return jax.device_put(x, self.device)

    def run(self, function, *arrays, handlers=("upsweep_",)):
        """NumPy's arrays of the results of a function, compiled for the platform, which must call the handlers there."""
        compiled = jax.jit(function).lower(*(self.put(x) for x in arrays)).compile()
        text = compiled.as_text()
        for handler in handlers:
            assert f'custom_call_target="{handler}' in text
        results = compiled(*(self.put(x) for x in arrays))
        assert all(part.devices() == {self.device} for part in jax.tree.leaves(results))
        return jax.tree.map(np.asarray, results)


@pytest.fixture(params=["cpu"] if WHY_NO_GPU else ["cpu", "cuda"])
def platform(request):
    made = Platform(request.param)
    with jax.default_device(made.device):
        yield made
