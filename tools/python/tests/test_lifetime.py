# SPDX-License-Identifier: Apache-2.0
"""What is open stays as long as a lookup or something that was made of it reads it, whoever closes it."""

import gc
import threading

import numpy as np
import pytest

import crivo

WORDS = [f"word {i}" for i in range(20_000)]
NUMBERS = np.arange(len(WORDS), dtype=np.uint64)


def contents(kind):
    if kind == "mphf":
        return crivo.build_mphf(WORDS, signature_bits=8).data
    if kind == "filter":
        return crivo.build_filter(WORDS).data
    if kind == "map":
        return crivo.build_map(WORDS, values=list(range(len(WORDS))), signature_bits=8).data
    if kind == "dictionary":
        return crivo.build_dictionary(WORDS, values=list(range(len(WORDS))), hashed=True).data
    return crivo.build_exact(WORDS[:1000], WORDS).data


KINDS = {"mphf": crivo.Mphf, "filter": crivo.Filter, "map": crivo.Map, "dictionary": crivo.Dictionary, "exact": crivo.Exact}
ALL = [lambda o: o.get_many(WORDS), lambda o: o.verify(), lambda o: "word 1" in o, len]
OWN = {
    "map": [lambda o: list(o.pairs(WORDS[:2000]))],
    "dictionary": [
        lambda o: o.value_many(NUMBERS), lambda o: o.key_many(NUMBERS), lambda o: o.hashed_many(WORDS), list,
        lambda o: o.fuzzy("word 12", 2), lambda o: o.prefixes("word 12"), lambda o: list(o.pairs(WORDS[:2000])),
    ],
    "exact": [lambda o: o.get_many(WORDS, groups=WORDS), lambda o: o.group(b"").get_many(WORDS)],
    "unordered": [lambda o: sorted(o.items()), lambda o: len(set(o))],
    "store": [lambda o: list(o.items()), lambda o: o.get_many(WORDS), lambda o: o["word 7"], lambda o: o.refresh()],
}


def same(some, others):
    return repr(some) == repr(others) if isinstance(some, (tuple, np.ndarray)) else some == others


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    for kind in KINDS:
        (folder / kind).write_bytes(contents(kind))
    crivo.build_store(WORDS, folder / "store", records=WORDS, ordered=True, backend="flat")
    crivo.build_store(WORDS, folder / "unordered", records=WORDS)
    return folder


@pytest.mark.parametrize("kind", [*KINDS, "store", "unordered"])
def test_closed_beside_lookups(paths, kind):
    """Each call answers, or raises ValueError as one that begins later does."""
    for use in ALL + OWN.get(kind, []):
        opened = crivo.open(paths / kind)
        right = use(opened)
        inside = threading.Semaphore(0)
        wrong = []

        def look_up():
            try:
                while True:
                    inside.release()
                    answer = use(opened)
                    if not same(answer, right):
                        wrong.append(answer)
            except ValueError as error:
                if "is closed" not in str(error):
                    wrong.append(error)
            except BaseException as error:  # pylint: disable=broad-except
                wrong.append(error)

        threads = [threading.Thread(target=look_up) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(6):
            inside.acquire()
        opened.close()
        for thread in threads:
            thread.join()
        assert not wrong


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_are_kept_as_long_as_they_are_read(kind):
    """A bytearray can change its size again when nothing reads it any more."""
    data = bytearray(contents(kind))
    opened = KINDS[kind](data)
    made = [opened.group(b"")] if kind == "exact" else [opened.pairs(WORDS)]
    made += [iter(opened), iter(opened.items())] if kind == "dictionary" else []
    if kind != "exact":
        for each in made:
            next(each)
        del each
    del opened
    gc.collect()
    while made:
        with pytest.raises(BufferError):
            data.append(0)
        if isinstance(made[-1], crivo.ExactGroup):
            assert made[-1].get("word 1") == "member" and made[-1].get_many(["word 1", "word 1000"]).tolist() == [1, 0]
        else:
            list(made[-1])
        made.pop()
    gc.collect()
    data.append(0)
    data.pop()
    with KINDS[kind](data) as opened:
        opened.get_many(WORDS)
        with pytest.raises(BufferError):
            data.append(0)
    data.append(0)
    with pytest.raises(ValueError, match="is closed"):
        opened.get_many(WORDS)


def test_records_outlive_their_store(paths):
    store = crivo.open(paths / "store")
    rows = store.range("word 1")
    assert next(rows) == (b"word 1", b"word 1")
    record = store["word 7"]
    store.close()
    del store
    gc.collect()
    assert record == b"word 7" and len(list(rows)) == sum(word > "word 1" for word in WORDS)
