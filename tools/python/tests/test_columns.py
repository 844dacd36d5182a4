# SPDX-License-Identifier: Apache-2.0
"""Columns of Arrow and series of pandas, as keys, records and values."""

import gc
import struct

import numpy as np
import pytest

import crivo

from arrow_producer import HELD, ManyArrays, OneArray

WORDS = ["one", "two", "three", "", "żółw", "six"]
BYTES = [word.encode() for word in WORDS]


def texts_of(words, wide=False, before=0, validity=None):
    """A chunk of texts, of which `before` stand before its offset."""
    ends = np.cumsum([0] + [len(word) for word in words]).tolist()
    buffers = [struct.pack(f"<{len(ends)}{'q' if wide else 'i'}", *ends), b"".join(words)]
    return validity, buffers, len(words) - before, before


def numbers_of(numbers, letter="q", before=0):
    return None, [struct.pack(f"<{len(numbers)}{letter}", *numbers)], len(numbers) - before, before


@pytest.fixture(autouse=True)
def all_is_released():
    yield
    gc.collect()
    assert not HELD


COLUMNS = [
    OneArray("u", texts_of(BYTES)), OneArray("Z", texts_of(BYTES, wide=True)), OneArray("U", texts_of([b"x", b"yy"] + BYTES, True, 2)),
    ManyArrays("z", texts_of(BYTES)), ManyArrays("u", texts_of(BYTES[:2]), texts_of([]), texts_of([b"?"] + BYTES[2:], before=1)),
    OneArray("u", texts_of(BYTES, validity=b"\x3f")),
]  # fmt: skip


@pytest.mark.parametrize("column", COLUMNS)
def test_texts(column, tmp_path):
    """Each as the list; lookups and builds; beside values and records."""
    expected = crivo.build_map(WORDS, values=[7, 8, 9, 1, 2, 3], signature_bits=32, allow_empty=True).data
    values = OneArray("l", numbers_of([7, 8, 9, 1, 2, 3]))
    assert crivo.build_map(column, values=values, signature_bits=32, allow_empty=True).data == expected
    with crivo.Map(expected) as numbers:
        assert numbers.get_many(column)[0].tolist() == [7, 8, 9, 1, 2, 3]
    with crivo.Filter(crivo.build_filter(column, allow_empty=True).data) as seen:
        assert seen.get_many(column).all() and not seen.get_many(["another"]).any()
    crivo.build_store(column, tmp_path / "store", records=column, allow_empty=True)
    with crivo.open(tmp_path / "store") as store:
        assert store.get_many(column) == BYTES
    exact = crivo.build_exact(WORDS[:2], column, allow_empty=True).data
    with crivo.Exact(exact) as some:
        assert some.get_many(column).tolist() == [1, 1, 0, 0, 0, 0] == some.get_many(column, groups=column).tolist()


def test_numbers_and_fixed_widths():
    numbers = [1, 5, 2**40]
    expected = crivo.build_mphf(numbers).data
    for column in (OneArray("l", numbers_of(numbers)), OneArray("L", numbers_of([9, *numbers], before=1)), ManyArrays("l", numbers_of(numbers[:1]), numbers_of(numbers[1:]))):
        assert crivo.build_mphf(column).data == expected
        with crivo.Mphf(expected) as ranks:
            assert ranks.get_many(column).tolist() == ranks.get_many(numbers).tolist()
    digests = [bytes([i] * 31 + [0]) for i in range(4)]
    column = OneArray("w:32", (None, [b"".join(digests)], 4, 0))
    assert crivo.build_mphf(column).data == crivo.build_mphf(digests).data
    with crivo.Filter(crivo.build_filter(numbers, type="range").data) as found:
        assert found.contains_ranges(OneArray("l", numbers_of(numbers)), numbers).all()


def test_nothing_of_the_texts_is_copied():
    """What the producer changes under an open input is what is read."""
    column = OneArray("u", texts_of(BYTES))
    kept = crivo._keys.KeyArray(column)  # pylint: disable=protected-access
    (buffers,) = [held for held in HELD.values() if len(held) == 3]
    buffers[2][0] = b"O"
    assert crivo._native.ffi.buffer(crivo._native.ffi.cast("char*", int(kept._kept.places[0, 0])), 3)[:] == b"One"  # pylint: disable=protected-access
    del kept, buffers


def test_what_is_refused():
    for column, words in (
        (OneArray("u", texts_of(BYTES, validity=b"\x3b")), r"keys\[2\] is null"),
        (ManyArrays("u", texts_of(BYTES[:3]), texts_of(BYTES[3:], validity=b"\xfe")), r"keys\[3\] is null"),
        (OneArray("g", numbers_of([1])), "type 'g'"), (OneArray("+s", (None, [], 0, 0)), r"type '\+s'"),
        (OneArray("u", texts_of(BYTES), dictionary=1), "dictionary-encoded"), (OneArray("i", numbers_of([1], "i")), "int32"),
    ):
        for call in (crivo.build_mphf, crivo.Filter(crivo.build_filter(["a"]).data).get_many):
            with pytest.raises(TypeError, match=words):
                call(column)
    with pytest.raises(ValueError, match="the disk is gone"):
        crivo.build_mphf(ManyArrays("u", texts_of(BYTES), "fails"))
    with pytest.raises(TypeError, match="values is a column of texts"):
        crivo.build_map(["a"], values=OneArray("u", texts_of([b"a"])))
    ends = struct.pack("<3i", 0, 5, 2)
    with pytest.raises(ValueError, match="end before they begin"):
        crivo.build_mphf(OneArray("u", (None, [ends, b"abcde"], 2, 0)))


def test_pandas():
    pandas = pytest.importorskip("pandas")
    numbers = pandas.Series([5, 2**40])
    assert crivo.build_mphf(numbers).data == crivo.build_mphf([5, 2**40]).data
    for words in (pandas.Series(["a", "b"]), pandas.Series(["a", "b"], dtype="string"), pandas.Index(["a", "b"]), pandas.Categorical(["a", "b"])):
        assert crivo.build_map(words, values=numbers).data == crivo.build_map(["a", "b"], values=[5, 2**40]).data
        with crivo.Filter(crivo.build_filter(words).data) as seen:
            assert seen.get_many(words).all()
    for wrong in (pandas.Series(["a", None]), pandas.Series(["a", pandas.NA], dtype="string"), pandas.Series([1.5]), pandas.DataFrame({"a": ["x"]})):
        with pytest.raises((TypeError, ValueError)):
            crivo.build_mphf(wrong)
