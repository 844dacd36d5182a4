# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, exceptions of the program's functions, threads, and pickling."""

import itertools
import os
import pickle
import signal
import sqlite3
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
