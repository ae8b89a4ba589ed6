"""Threads: the library's own, Python's, and what a fork leaves of them."""
import os
import threading

import numpy as np
import pytest
from reference import assert_same

import upsweep

SIZE = 40_000


def calls(numbers):
    """A call of every kind, without arguments."""
    x, y, z = numbers("float32", SIZE), numbers("int32", SIZE), numbers("float64", (40, 50))
    heads = numbers("uint8", SIZE) < 3
    return {
        "cumsum": lambda: upsweep.cumsum(x),
        "cumsum of an axis": lambda: upsweep.cumsum(z, 0),
        "cummax": lambda: upsweep.cummax(y),
        "exclusive": lambda: upsweep.exclusive_scan(x, "multiplies", reverse=True),
        "segments": lambda: upsweep.inclusive_segmented_scan(x, heads=heads),
        "recurrence": lambda: upsweep.linear_recurrence(0.9, x),
        "sort": lambda: upsweep.sort(x),
        "argsort": lambda: upsweep.argsort(y),
        "segmented sort": lambda: upsweep.segmented_sort(x, heads=heads),
        "segmented argsort": lambda: upsweep.segmented_argsort(y, offsets=[0, 9, SIZE]),
        "compact": lambda: upsweep.compact(x, ("<", 0.5)),
        "partition": lambda: upsweep.partition_indices(y, heads)[0],
        "histogram": lambda: upsweep.histogram(x, 50, (-2, 2))[0],
        "bins": lambda: upsweep.bins(y, 100)[0],
    }


@pytest.fixture
def restored():
    yield
    upsweep.set_threads(0)


def test_the_number_of_threads_changes_no_bit(numbers, restored):
    work = calls(numbers)
    upsweep.set_threads(1)
    expected = {name: call() for name, call in work.items()}
    for threads in (2, 3, 7):
        upsweep.set_threads(threads)
        for name, call in work.items():
            assert_same(call(), expected[name])


def run_at_once(tasks):
    """Runs the tasks in threads of their own that start together; raises what the first of them raised."""
    problems, ready = [], threading.Barrier(len(tasks))

    def run(task):
        try:
            ready.wait(10)
            task()
        except BaseException as problem:  # an assertion, too, must reach the test
            problems.append(problem)

    workers = [threading.Thread(target=run, args=(task,), daemon=True) for task in tasks]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
        assert not worker.is_alive()
    if problems:
        raise problems[0]


def test_many_python_threads_at_once(numbers, threads):
    work = calls(numbers)
    expected = {name: call() for name, call in work.items()}

    def task(first):
        def run():
            names = list(work)
            for name in names[first:] + names[:first]:
                assert_same(work[name](), expected[name])

        return run

    run_at_once([task(first) for first in range(len(work))])


def test_the_number_of_threads_may_change_while_calls_run(numbers, restored):
    work = calls(numbers)
    expected = {name: call() for name, call in work.items()}

    def change():
        for k in range(20):
            upsweep.set_threads((1, 2, 3, 0)[k % 4])

    def task(name):
        def run():
            for _ in range(5):
                assert_same(work[name](), expected[name])

        return run

    run_at_once([change, change] + [task(name) for name in work])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_process_computes(numbers, threads):
    work = calls(numbers)
    expected = {name: call() for name, call in work.items()}  # threads are there
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for name, call in work.items():
                assert_same(call(), expected[name])
            upsweep.set_threads(2)
            assert_same(work["cumsum"](), expected["cumsum"])
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for name, call in work.items():  # and the parent still has its own
        assert_same(call(), expected[name])


def test_get_and_set(restored):
    upsweep.set_threads(0)
    assert upsweep.get_threads() >= 1
    upsweep.set_threads(np.int64(3))
    assert upsweep.get_threads() == 3
    for wrong in (-1, 4097, -(2**70)):
        with pytest.raises(ValueError, match="^threads: "):
            upsweep.set_threads(wrong)
    for wrong in (1.5, "2", None):
        with pytest.raises(TypeError):
            upsweep.set_threads(wrong)
    assert upsweep.get_threads() == 3
    assert upsweep.simd()
