# SPDX-License-Identifier: Apache-2.0
"""Stores and dictionaries as Python's mappings, dictionaries as its sequences, and what notebooks show."""

import gc
import io
import os
import sys
import threading
import time
from collections.abc import ItemsView, KeysView, Mapping, Sequence, ValuesView

import pytest

import crivo

RECORDS = {f"key {i}".encode(): f"record {i}".encode() * (i % 7) for i in range(5000)}


@pytest.fixture(scope="module", params=["lmdb", "flat", "ordered"])
def store(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "store"
    crivo.build_store(RECORDS, path, backend="lmdb" if request.param == "lmdb" else "flat", ordered=request.param == "ordered")
    with crivo.open(path) as opened:
        yield opened


def test_stores(store):
    """In the order of the ranks, where they are not ordered: any one, the same each time."""
    assert isinstance(store, Mapping) and dict(store) == dict(store.items()) == RECORDS and len(store) == 5000
    assert list(store) == list(store.keys()) and list(store) == [key for key, _ in store.items()]
    assert sorted(store.values()) == sorted(RECORDS.values())
    assert (list(store) == sorted(RECORDS)) == store.is_ordered
    for view, kind in ((store.keys(), KeysView), (store.items(), ItemsView), (store.values(), ValuesView)):
        assert isinstance(view, kind) and len(view) == 5000
    assert b"key 7" in store.keys() and "key 7" in store.keys() and b"none" not in store.keys()
    assert (b"key 7", b"") in store.items() and (b"key 7", b"x") not in store.items() and b"record 8" in store.values()
    assert store.keys() & {b"key 7", b"none"} == {b"key 7"}
    assert store == store and store != dict(RECORDS) and hash(store) and store  # not a comparison of all records
    assert crivo.build_map({key: 1 for key in store}).keys == 5000


def test_an_iteration_sees_one_state(tmp_path):
    """That of all that is committed when it begins, whatever is committed, refreshed or closed meanwhile."""
    crivo.build_store(RECORDS, tmp_path / "store")
    store = crivo.open(tmp_path / "store")
    crivo.set_records(tmp_path / "store", {"key 7": "changed"})
    rows = iter(store.items())
    next(rows)
    assert store.refresh() and store["key 7"] == b"changed"
    crivo.remove_records(tmp_path / "store", ["key 8"])
    others = iter(store.items())
    next(others)
    store.close()
    assert len(list(rows)) == 4999 and len(list(others)) == 4998
    with pytest.raises(ValueError, match="is closed"):
        iter(store).__next__()


def test_an_iteration_that_is_left_ends(store):
    """And with it its thread."""
    threads = threading.active_count()
    for _ in range(3):
        rows = iter(store)
        next(rows)
    del rows
    gc.collect()
    for _ in range(100):
        if threading.active_count() <= threads:
            return
        time.sleep(0.1)
    raise AssertionError(threading.enumerate())


def test_damage_is_said(tmp_path):
    crivo.build_store(RECORDS, tmp_path / "store", codec="none")
    (data,) = (tmp_path / "store").glob("data-*")
    content = bytearray(data.read_bytes())
    at = content.index(b"record 4999")
    content[at] ^= 1
    data.write_bytes(content)
    with crivo.open(tmp_path / "store") as damaged, pytest.raises(crivo.CorruptError):
        list(damaged)


def test_a_child_begins_anew(store):
    rows = iter(store)
    next(rows)
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if len(list(rows)) == 4999 and store.is_ordered else 1)
        except RuntimeError:
            os._exit(0 if dict(store) == RECORDS else 2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_dictionaries():
    ordered = sorted(RECORDS)
    with crivo.Dictionary(crivo.build_dictionary(RECORDS.keys()).data) as words:
        keys = words.keys()
        assert isinstance(words, Mapping) and isinstance(keys, KeysView) and isinstance(keys, Sequence)
        assert dict(words) == dict(words.items()) == {key: i for i, key in enumerate(ordered)} and list(words.values()) == list(range(5000))
        assert keys[0] == ordered[0] and keys[-1] == ordered[-1] and list(reversed(keys)) == ordered[::-1]
        for part in (slice(10, 20), slice(-5, None), slice(None, None, -1), slice(4990, 6000), slice(3, 3)):
            assert keys[part] == ordered[part]
        for place in (5000, -5001):
            with pytest.raises(IndexError):
                keys[place]
        assert keys.index(ordered[7]) == 7 and keys.count(b"none") == 0 and keys.count(ordered[7]) == 1
        for key, part in ((b"none", ()), (ordered[7], (8,)), (ordered[7], (0, 7))):
            with pytest.raises(ValueError):
                keys.index(key, *part)
        assert words == words and words != {} and hash(words)


def test_what_notebooks_show(tmp_path):
    summary = crivo.build_filter(["<a>", "b"], tmp_path / "<filter>")
    assert "<th" in summary._repr_html_() and "bits/key" in summary._repr_html_()
    for made in (tmp_path / "<filter>", tmp_path / "store"):
        if made.name == "store":
            crivo.build_store(["a"], made, records=["b"])
        opened = crivo.open(made)
        shown = opened._repr_html_()
        assert shown.count("<tr>") == shown.count("</tr>") > 2 and f"{len(opened)}</td>" in shown
        opened.close()
        assert "closed" in opened._repr_html_()


def test_progress_bar(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, is_shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        crivo.build_mphf(range(10000), progress=crivo.ProgressBar())
        assert ("[####" in stream.getvalue()) == is_shown
    shown = []

    class Display:
        def update(self, what, raw):
            shown.append(what["text/html"])

    bar = crivo.ProgressBar()
    bar._shell = lambda what, raw, display_id: Display()
    for fraction in (None, 0.5, 1.0):
        bar(crivo.Progress("reading", fraction, 5, None, 0.1))
    assert shown == ["<code>[###############...............]  50% reading</code>", "<code>[##############################] 100% reading</code>"]
