# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, exceptions of the program's functions, threads, and pickling."""

import itertools
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import threading

import numpy as np
import pytest

import crivo


def forever():
    return (str(i) for i in itertools.count())


@pytest.mark.parametrize("progress", [None, lambda state: None])
@pytest.mark.parametrize("keys,options", [(forever, {}), (lambda: np.arange(2_000_000), {"algorithm": "fch"})])
def test_ctrl_c_ends_a_build(tmp_path, keys, options, progress):
    """One that would take for ever, or seconds."""
    given = keys()
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        crivo.build_mphf(given, tmp_path / "out", temp_dir=tmp_path, progress=progress, threads=1, **options)
    assert not list(tmp_path.iterdir())


def test_ctrl_c_while_the_keys_are_waited_for(tmp_path):
    def keys():
        yield "a"
        os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait(60)

    with pytest.raises(KeyboardInterrupt):
        crivo.build_store(keys(), tmp_path / "out", records=forever())
    assert not list(tmp_path.iterdir())


def test_an_exception_of_the_progress_function(tmp_path):
    """Ends what has an old output, which stays."""
    crivo.build_mphf(["a"], tmp_path / "out")
    before = (tmp_path / "out").read_bytes()

    def fails(state):
        raise LookupError(state.phase)

    with pytest.raises(LookupError):
        crivo.build_mphf(forever(), tmp_path / "out", replace=True, progress=fails)
    assert [path.name for path in tmp_path.iterdir()] == ["out"] and (tmp_path / "out").read_bytes() == before


def test_functions_of_the_program_run_on_its_thread():
    """A cursor of sqlite3 is for one thread alone."""
    table = sqlite3.connect(":memory:")
    table.execute("create table words (word text, times integer)")
    table.executemany("insert into words values (?, ?)", ((str(i), i) for i in range(3000)))
    seen = set()
    rows = table.execute("select word from words")
    made = crivo.build_mphf((row[0] for row in rows), progress=lambda state: seen.add(threading.get_ident()))
    assert made.keys == 3000 and seen == {threading.get_ident()}


def test_pickled_by_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    crivo.build_mphf(["a", "b"], "ranks")
    crivo.build_store({"a": "1"}, "store")
    for path in ("ranks", "store"):
        with crivo.open(path, mode="copy") as index:
            text = pickle.dumps(index)
            monkeypatch.chdir("/")
            with pickle.loads(text) as again:
                assert type(again) is type(index) and again["a"] == index["a"] and len(again) == len(index)
            monkeypatch.chdir(tmp_path)
        with pytest.raises(ValueError, match="is closed"):
            pickle.dumps(index)
    with pytest.raises(TypeError, match="opened from bytes"):
        pickle.dumps(crivo.Mphf(crivo.build_mphf(["a"]).data))
    with crivo.Writer("store") as writer, pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(writer)
    with pytest.raises(crivo.Error) as raised:
        crivo.open("none")
    assert type(pickle.loads(pickle.dumps(raised.value))) is type(raised.value)


class Raised(Exception):
    pass


def kinds(path):
    """A build of each shape of output, over an old one."""
    return [
        lambda progress: crivo.build_mphf(["a", "b"], path / "file", replace=True, progress=progress),
        lambda progress: crivo.build_mphf(iter(["a", "b"]), path / "new", progress=progress),
        lambda progress: crivo.build_store(["a"], path / "store", records=["2"], replace=True, progress=progress),
        lambda progress: crivo.set_records(path / "store", ["a"], ["2"], progress=progress),
        lambda progress: crivo.build_mphf(["a", "b"], progress=progress),
    ]


@pytest.mark.parametrize("how", ["progress", "signal"])
@pytest.mark.parametrize("which", range(5))
def test_an_exception_at_the_last_moment(tmp_path, which, how):
    """That of the last call of the progress function, after which the output takes its place: it does not. A handler of a
    signal may raise there, too."""
    crivo.build_mphf(["old"], tmp_path / "file")
    crivo.build_store(["a"], tmp_path / "store", records=["1"])

    def contents():
        return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and "updates" not in path.name}

    before, last = contents(), []

    def at_the_end(state):
        if state.fraction == 1:
            last.append(state)
            if how == "progress":
                raise Raised
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Raised if how == "progress" else KeyboardInterrupt):
        kinds(tmp_path)[which](at_the_end)
    assert len(last) == 1 and contents() == before and crivo.open(tmp_path / "store")["a"] == b"1"


def test_waiting_for_a_lock_is_interrupted(tmp_path):
    crivo.build_store(["a"], tmp_path / "store", records=["1"])
    with crivo.Writer(tmp_path / "store") as writer:
        for call in (lambda: crivo.Writer(tmp_path / "store"), lambda: crivo.set_records(tmp_path / "store", ["a"], ["2"]),
                     lambda: crivo.compact_store(tmp_path / "store"),
                     lambda: crivo.build_store(["a"], tmp_path / "store", records=["2"], replace=True)):
            timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                call()
        writer["a"] = "3"
    assert crivo.open(tmp_path / "store")["a"] == b"3"


ENDING = """
import itertools, sys, threading, time
import crivo
begun = threading.Semaphore(0)
def keys():
    begun.release()
    for i in itertools.count():
        yield str(i)
def blocked():
    begun.release()
    yield "a"
    threading.Event().wait()
def build(*arguments, **options):
    crivo.build_mphf(*arguments, **options)
for made, told in ((keys, None), (keys, lambda state: begun.release()), (blocked, None)):
    threading.Thread(target=build, args=(made(),), kwargs={"progress": told}, daemon=True).start()
for _ in range(4):
    begun.acquire()
time.sleep(float(sys.argv[1]))
"""


@pytest.mark.parametrize("seconds", [0, 0.02, 0.11])
def test_a_process_ends_while_threads_build(seconds):
    """Its daemon threads end with it."""
    done = subprocess.run([sys.executable, "-c", ENDING, str(seconds)], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_child_ends_while_threads_of_its_parent_build():
    """It has none of them."""
    code = ENDING + "import os\nchild = os.fork()\nif child:\n    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, "0"], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_long_records_of_an_iterable_are_handed_over_one_by_one(tmp_path):
    """What waits between two steps is bounded by bytes."""
    before = []

    def records():
        for i in range(200):
            yield bytes([i]) * (1 << 20)
            before.append(state_of_memory())

    def state_of_memory():
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("RssAnon:"))

    crivo.build_store((str(i) for i in range(200)), tmp_path / "store", records=records(), memory=64 << 20, threads=1)
    assert max(before) - before[0] < 150 << 10
