# SPDX-License-Identifier: Apache-2.0
"""Damaged files of exact kinds: an answer is right, or CorruptError."""

import os
import random

import numpy as np
import pytest

import crivo

WORDS = sorted(f"{random.Random(i).getrandbits(64):016x}" for i in range(16_000))
TURNS = 40


def damaged(sound, turn):
    data = bytearray(sound)
    rng = random.Random(turn)
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def asked(tell, right):
    """Whether it could be told; then it must be right."""
    try:
        said = tell()
    except crivo.CorruptError:
        return 0
    assert np.array_equal(said, right)
    return 1


def test_dictionary():
    sound = crivo.build_dictionary(WORDS, hashed=True).data
    right = np.arange(len(WORDS), dtype=np.uint64)
    told = 0
    for turn in range(TURNS):
        try:
            dictionary = crivo.Dictionary(damaged(sound, turn))
        except crivo.CorruptError:
            continue
        told += asked(lambda: dictionary.get_many(WORDS), right)  # pylint: disable=cell-var-from-loop
        told += asked(lambda: dictionary.hashed_many(WORDS), right)  # pylint: disable=cell-var-from-loop
        for i in range(0, len(WORDS), 501):
            asked(lambda: dictionary[WORDS[i]], i)  # pylint: disable=cell-var-from-loop
            asked(lambda: dictionary.key(i), np.array(WORDS[i].encode()))  # pylint: disable=cell-var-from-loop
            asked(lambda: dictionary.lower_bound(WORDS[i]), i)  # pylint: disable=cell-var-from-loop
    assert 0 < told < 2 * TURNS


def test_map():
    right = np.arange(len(WORDS), dtype=np.uint64) * 2**40
    sound = crivo.build_map(dict(zip(WORDS, right.tolist()))).data
    told = 0
    for turn in range(TURNS):
        try:
            opened = crivo.Map(damaged(sound, turn))
        except crivo.CorruptError:
            continue
        told += asked(lambda: opened.get_many(WORDS)[0], right)  # pylint: disable=cell-var-from-loop
        for i in range(0, len(WORDS), 501):
            asked(lambda: opened[WORDS[i]], right[i])  # pylint: disable=cell-var-from-loop
    assert told < TURNS


def test_exact():
    universe = [str(i) for i in range(600_000)]
    right = np.array([i % 3 == 0 or i % 7 == 0 for i in range(len(universe))], np.uint8)
    sound = crivo.build_exact([key for key, is_member in zip(universe, right) if is_member], universe).data
    some = range(0, len(universe), 200)
    told = 0
    for turn in range(TURNS):
        try:
            opened = crivo.Exact(damaged(sound, turn))
        except crivo.CorruptError:
            continue
        told += asked(lambda: opened.get_many([universe[i] for i in some]), right[some])  # pylint: disable=cell-var-from-loop
        for i in some[::100]:
            asked(lambda: opened.get(universe[i]), crivo.ANSWERS[right[i]])  # pylint: disable=cell-var-from-loop
    assert told < TURNS


def test_cut_short(tmp_path):
    crivo.guard_reads()
    path = tmp_path / "map"
    crivo.build_map({word: i << 40 for i, word in enumerate(WORDS)}, path)
    with crivo.Map(path) as opened:
        assert opened[WORDS[1]] == 1 << 40
        os.truncate(path, path.stat().st_size // 8192 * 4096)
        with pytest.raises(crivo.CorruptError):
            opened.get_many(WORDS)
        with pytest.raises(crivo.CorruptError):
            opened.get(WORDS[1])


@pytest.mark.parametrize("ordered", [False, True])
def test_store(tmp_path, ordered):
    crivo.build_store(WORDS, tmp_path / "store", records=WORDS, ordered=ordered, backend="flat")
    file = tmp_path / "store" / "index.crv"
    sound = file.read_bytes()
    right = [word.encode() for word in WORDS]
    told = 0
    for turn in range(TURNS):
        file.unlink()
        file.write_bytes(damaged(sound, turn))
        try:
            with crivo.Store(tmp_path / "store") as store:
                asked(lambda: store.get_many(WORDS), right)  # pylint: disable=cell-var-from-loop
                some = range(turn, len(WORDS), 800)  # of which seldom all rest on the same page
                told += asked(lambda: store.get_many([WORDS[i] for i in some]), [right[i] for i in some])  # pylint: disable=cell-var-from-loop
        except crivo.CorruptError:
            continue
    assert 0 < told < TURNS
