# SPDX-License-Identifier: Apache-2.0
"""The package, against what it builds itself."""

import base64
import datetime
import gc
import inspect
import itertools
import os
import pathlib
import pickle
import re
import subprocess
import sys
import threading
import typing

import numpy as np
import pytest

import crivo
from crivo._options import CHOICES

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests" / "cli"))
import forged  # pylint: disable=wrong-import-position
import minisign  # pylint: disable=wrong-import-position

KEYS = [f"key {i}" for i in range(5000)]
TEXTS = [key.encode() for key in KEYS]


def as_inputs():
    """One key set in every form."""
    yield KEYS
    yield TEXTS
    yield tuple(TEXTS)
    yield np.array(TEXTS)
    yield np.array(KEYS, dtype=object)
    yield (key for key in TEXTS)
    yield {key: 1 for key in KEYS}


def test_every_form_of_keys_builds_one_file(tmp_path):
    path = tmp_path / "keys"
    path.write_bytes(b"".join(key + b"\n" for key in TEXTS))
    expected = crivo.build_mphf(crivo.Files(path)).data
    for keys in as_inputs():
        assert crivo.build_mphf(keys).data == expected
    path.write_bytes(b"\0".join(TEXTS))
    assert crivo.build_mphf(crivo.Files(path, null=True)).data == expected


def test_every_form_of_keys_is_looked_up():
    with crivo.Mphf(crivo.build_mphf(TEXTS, signature_bits=32).data) as ranks:
        expected = ranks.get_many(TEXTS)
        assert expected.dtype == np.uint64 and sorted(expected.tolist()) == list(range(5000))
        for keys in (KEYS, tuple(KEYS), np.array(TEXTS), np.array(KEYS, dtype=object)):
            assert (ranks.get_many(keys) == expected).all()
        assert [rank for _, rank in ranks.pairs(iter(KEYS))] == expected.tolist()
        assert ranks.get("key 7") == ranks.get(b"key 7") == expected[7]
        assert ranks.get("another") is None and ranks.get("another", 5) == 5 and "another" not in ranks
        assert ranks["key 7"] == expected[7] and "key 7" in ranks
        with pytest.raises(KeyError):
            _ = ranks["another"]
        assert ranks.get_many([b"another"])[0] == crivo.ABSENT
        assert len(ranks) == 5000 and ranks.info.algorithm == "fast" and ranks.info.signature_bits == 32
        ranks.verify()


def test_many_blocks_of_keys():
    """Lists are looked up some thousand keys at a time."""
    keys = [b"%d" % i for i in range(20000)]
    with crivo.Map(crivo.build_map(keys).data) as lines, crivo.Filter(crivo.build_filter(keys, bits=32).data) as seen:
        values, present = lines.get_many(keys)
        assert values.tolist() == list(range(20000)) and present.all()
        assert seen.get_many(keys).all()
        for empty in ([], (), np.array([], dtype="S3"), iter([])):
            assert lines.get_many(empty)[0].size == seen.get_many(empty).size == 0
        with pytest.raises(TypeError, match=r"keys\[12345\] is None"):
            lines.get_many(keys[:12345] + [None] + keys)
    long = [bytes([byte]) * size for byte in b"abc" for size in (1, 600000, 1000000, 2)]  # of more bytes than a block
    with crivo.Map(crivo.build_map(long, signature_bits=32).data) as lines:
        for given in (long, tuple(long[::-1]), iter(long), [key.decode() for key in long]):
            values, present = lines.get_many(given)
            assert sorted(values.tolist()) == list(range(12)) and present.all()


def test_few_long_records_at_a_time():
    """However many they are: what is handed over at a time has about 256 KiB."""
    taken = []

    def records():
        for number in range(50):
            taken.append(number)
            yield b"%d" % number, bytes(200_000)

    source = object.__new__(crivo._input.OpenInput)  # pylint: disable=protected-access
    source.units = records()
    source.write = lambda writer, unit: len(unit[0]) + len(unit[1])
    assert source.feed(None) == 1 and len(taken) == 2
    while source.feed(None) == 1:
        pass
    assert len(taken) == 50 and source.feed(None) == 0


def test_a_list_that_becomes_shorter():
    """Another thread may do so between two blocks: what is gone is not read."""
    keys = [b"%d" % i for i in range(20000)]
    count, some = crivo._keys.batches(keys)  # pylint: disable=protected-access
    begin, block = next(some)
    assert (count, begin) == (20000, 0) and 0 < block.count < 20000
    keys.clear()
    with pytest.raises(RuntimeError):
        next(some)


def test_records_of_many_blocks(tmp_path):
    numbers = np.arange(3000, dtype=np.uint64)
    texts = np.array([b"%d" % i for i in range(3000)])
    records = [b"<%d>" % i for i in range(3000)]
    for keys in (numbers, texts, texts.tolist(), [key.decode() for key in texts.tolist()]):
        crivo.build_store(keys, tmp_path / "store", records=records, codec="none", backend="flat", replace=True)
        with crivo.open(tmp_path / "store") as store:
            assert store.get_many(keys) == records and store.get_many(keys[::-1]) == records[::-1]
            assert store.get_many(keys[:0]) == []
    (data,) = [path for path in (tmp_path / "store").iterdir() if b"<2345>" in path.read_bytes()]
    data.write_bytes(data.read_bytes().replace(b"<2345>", b"<2354>"))
    with crivo.open(tmp_path / "store") as store, pytest.raises(crivo.CorruptError, match=r"keys\[2345\]"):
        store.get_many(texts)


@pytest.mark.parametrize("width", [1, 7, 8, 9, 63, 64, 65, 128, 200])
def test_padded_arrays(width):
    """NULs at the end of a numpy text are none of it; others are."""
    keys = sorted({(bytes([byte]) * size)[:width] for byte in (1, 255) for size in range(1, width + 1)}
                  | {b"a" + b"\0" * (size - 2) + b"b" for size in range(2, width + 1)})
    padded = np.array(keys, dtype=f"S{width}")
    assert padded.tolist() == keys
    with crivo.Map(crivo.build_map(padded, signature_bits=32).data) as lines:
        for given in (padded, keys, np.stack([padded, padded], axis=1)[:, 0]):
            values, present = lines.get_many(given)
            assert values.tolist() == list(range(len(keys))) and present.all()


@pytest.mark.parametrize("kind", [np.uint64, np.int64])
def test_numbers(kind):
    numbers = (np.arange(3000, dtype=np.int64) * 7919).astype(kind)
    data = crivo.build_mphf(numbers).data
    assert crivo.build_mphf(numbers.tolist()).data == data
    assert crivo.build_mphf([int(n).to_bytes(8, "little") for n in numbers]).data == data
    with crivo.Mphf(data) as ranks:
        many = ranks.get_many(numbers)
        assert sorted(many.tolist()) == list(range(3000))
        assert many[5] == ranks.get(int(numbers[5])) == ranks.get_many(numbers[5:6])[0]
        assert (ranks.get_many(numbers[::2]) == many[::2]).all()  # not contiguous
    with pytest.raises(TypeError):
        crivo.build_mphf(np.arange(10, dtype=np.int32))


def test_filters(tmp_path):
    path = tmp_path / "seen.crv"
    summary = crivo.build_filter(KEYS, path, fpr=0.01)
    assert summary.keys == 5000 and summary.data == b"" and summary.bytes == path.stat().st_size
    with crivo.open(path) as seen:
        assert isinstance(seen, crivo.Filter)
        assert seen.get_many(TEXTS).all() and seen.get_many(TEXTS).dtype == np.bool_
        assert "key 1" in seen and b"key 1" in seen
        others = seen.get_many([f"other {i}" for i in range(10000)])
        assert 0 < others.sum() < 300
        assert 0.005 < seen.fpr <= 0.01
        assert all(answer for _, answer in seen.pairs(KEYS))
    counting = tmp_path / "counting.crv"
    crivo.build_filter(KEYS[:100], counting, type="counting-bloom", capacity=1000)
    crivo.add_to_filter(counting, KEYS[100:200])
    crivo.remove_from_filter(counting, KEYS[:50])
    with crivo.open(counting) as seen:
        assert len(seen) == 150 and seen.count("key 120") >= 1 and seen.get_many(KEYS[50:200]).all()


def test_suffixes(tmp_path):
    filter_of_domains = crivo.Filter(crivo.build_filter(["ads.example", "tracker"], bits=32).data)
    for host, suffix in {"a.b.ads.example": "ads.example", "tracker": "tracker", "bads.example": None, "x.": None, "": None}.items():
        assert filter_of_domains.longest_suffix(host) == suffix
        assert filter_of_domains.longest_suffix(host.encode()) == (suffix and suffix.encode())
    assert filter_of_domains.longest_suffix("x/tracker", "/") == "tracker"
    with pytest.raises(crivo.UsageError):
        crivo.Mphf(crivo.build_mphf(["a"]).data).longest_suffix("a")


def test_exact_sets(tmp_path):
    members = TEXTS[::50]
    path = tmp_path / "set"
    built = crivo.build_exact(members, TEXTS, path, covers="day=1:9")
    assert built.keys == len(members) and not built.warnings
    with crivo.open(path) as exact:
        assert isinstance(exact, crivo.Exact) and len(exact) == len(members) and exact.universe_size == 5000
        assert exact.get_many(TEXTS).tolist() == [int(i % 50 == 0) for i in range(5000)]
        assert exact.get("key 50") == "member" and exact.get("key 51") == "other" and "key 50" in exact
        assert exact.covers("day", 9) and not exact.covers("day", 10) and exact.groups == 0
    groups = [f"group {i % 7}" for i in range(5000)]
    data = crivo.build_exact(members, iter(TEXTS), groups=groups[::50], universe_groups=iter(groups)).data
    assert crivo.build_exact(members, TEXTS, groups=groups[::50], universe_groups=groups).data == data
    (tmp_path / "some").write_text("".join(f"{g}\t{k}\n" for g, k in zip(groups[::50], KEYS[::50])))
    (tmp_path / "all").write_text("".join(f"{g}\t{k}\n" for g, k in zip(groups, KEYS)))
    files = crivo.Files(tmp_path / "some"), crivo.Files(tmp_path / "all")
    assert crivo.build_exact(*files, groups=True, universe_groups=True).data == data
    with crivo.Exact(data) as exact:
        assert exact.groups == 7
        for i, (key, group) in enumerate(zip(KEYS, groups)):
            assert exact.get(key, group) == ("other" if i % 50 else "member")
        assert exact.get("key 50") == exact.get("key 50", "no such") == "outside"
        assert ("group 1", "key 50") in exact and ("group 2", "key 50") not in exact
        assert exact.longest_suffix(("group 1", "key 51.key 50")) == "key 50" or ("group 1", "key 51.key 50") in exact
        assert exact.get_many(KEYS[::7], "group 0").tolist() == [int(i % 50 == 0) for i in range(0, 5000, 7)]
        assert exact.get_many(KEYS, groups=groups).tolist() == [int(i % 50 == 0) for i in range(5000)]
        with pytest.raises(ValueError):
            exact.get_many(KEYS, groups=groups[1:])
        group = exact.group("group 0")
    assert group.get_many(KEYS[::7]).tolist() == [int(i % 50 == 0) for i in range(0, 5000, 7)]
    assert group.get(KEYS[0]) == "member" and KEYS[7] not in group
    with pytest.raises(crivo.UsageError):
        crivo.build_exact(members, TEXTS, groups=groups[::50])


def test_deltas(tmp_path):
    base, chain = tmp_path / "base", tmp_path / "chain"
    deltas = [tmp_path / "one", tmp_path / "two"]
    groups = [f"group {i % 7}" for i in range(5000)]

    def of(step):
        return [key for i, key in enumerate(TEXTS) if i % 50 == step], [group for i, group in enumerate(groups) if i % 50 == step]

    members, names = of(0)
    crivo.build_exact(members, TEXTS, base, groups=names, universe_groups=groups, covers="day=1:9")
    for step, delta in enumerate(deltas, 1):
        members, names = of(step)
        before = base if step == 1 else chain
        built = crivo.build_delta(before, members, TEXTS, delta, groups=names, universe_groups=groups, covers="day=10:19")
        assert built.keys == 100
        applied = crivo.apply_deltas(before, delta, chain if step == 1 else None)
        assert (applied.deltas, applied.flips, applied.members) == (step, 200 * step, 100)
        if step == 1:
            followed = crivo.open(chain)
            assert not followed.refresh()
    assert followed.get(TEXTS[1], groups[1]) == "member"
    assert followed.refresh() and not followed.refresh()
    assert followed.get(TEXTS[1], groups[1]) == "other"
    followed.close()
    joined = crivo.squash_deltas(deltas, tmp_path / "joined")
    assert joined.state == applied.state and joined.flips == 400
    crivo.apply_deltas(base, [tmp_path / "joined"], tmp_path / "other")
    for path in (chain, tmp_path / "other"):
        with crivo.open(path) as exact:
            assert isinstance(exact, crivo.Exact) and len(exact) == 100
            for i, (key, group) in enumerate(zip(TEXTS, groups)):
                assert exact.get(key, group) == ("member" if i % 50 == 2 else "other")
            assert exact.get(TEXTS[2], groups[2], ("day", 12)) == "member"
            assert exact.get(TEXTS[2], groups[2], ("day", 20)) == "outside"
    with pytest.raises(crivo.CorruptError):
        crivo.apply_deltas(chain, deltas)
    with pytest.raises(crivo.UsageError):
        crivo.squash_deltas(deltas, tmp_path / "joined")
    with pytest.raises(crivo.UsageError, match="apply it"):
        crivo.open(deltas[0])


def test_deltas_of_filters(tmp_path):
    base, chain, one, two = (tmp_path / name for name in ("base", "chain", "one", "two"))
    crivo.build_filter(TEXTS[:1000], base, fpr=0.01)
    built = crivo.build_filter_delta(base, TEXTS[:2000], one)
    assert built.keys == 2000 and 950 < crivo.inspect(one).keys <= 1000
    crivo.apply_deltas(base, one, chain)
    with crivo.open(chain) as held:
        assert crivo.build_filter_delta(chain, TEXTS[2000:3000], two, fpr=2**-12).keys == 1000
        applied = crivo.apply_deltas(chain, [two])
        assert isinstance(held, crivo.Filter) and held.get_many(TEXTS[:2000]).all()
    assert applied.fpr < 0.02 and applied.rebase and applied.flips == 0
    joined = crivo.squash_deltas([one, two], tmp_path / "joined")
    crivo.apply_deltas(base, [tmp_path / "joined"], tmp_path / "other")
    assert joined.state == applied.state
    for path in (chain, tmp_path / "other"):
        with crivo.open(path) as held:
            assert held.get_many(TEXTS[:3000]).all() and held.get_many(TEXTS[3000:]).sum() < 80
            assert len(held) == applied.members and held.fpr == applied.fpr
            held.verify()
    with pytest.raises(crivo.UsageError):
        crivo.build_filter_delta(base, TEXTS, tmp_path / "three", fpr=2.0)


def test_maps():
    values = [i * 3 for i in range(5000)]
    for given in (values, np.array(values), np.array(values, dtype=np.uint64)):
        with crivo.Map(crivo.build_map(KEYS, values=given, signature_bits=32).data) as counts:
            found, present = counts.get_many(TEXTS)
            assert found.tolist() == values and present.all()
            assert counts["key 9"] == 27 and counts.get("another", -1) == -1 and "another" not in counts
            with pytest.raises(KeyError):
                _ = counts["another"]
            assert dict(counts.pairs(KEYS)) == dict(zip(KEYS, values))
    with crivo.Map(crivo.build_map(iter(KEYS), values=iter(values)).data) as counts:
        assert counts.get_many(KEYS)[0].tolist() == values
    with crivo.Map(crivo.build_map(KEYS).data) as numbers:
        assert numbers.get_many(KEYS)[0].tolist() == list(range(5000))
    with pytest.raises(ValueError):
        crivo.build_map(KEYS, values=[1])
    for given in ([-i for i in range(5000)], np.arange(0, -5000, -1)):
        with crivo.Map(crivo.build_map(KEYS, values=given).data) as signed:
            assert signed.get_many(KEYS)[0].tolist() == list(given) and signed["key 4000"] == -4000
            assert signed.info.value_type == "signed"
    with crivo.Map(crivo.build_map(["a"], values=[-1250], value_type="decimal", scale=2).data) as prices:
        assert prices["a"] == -1250 and prices.info.scale == 2
    with pytest.raises(TypeError):
        crivo.build_map(["a"], values=[1.5])


def test_ordered_stores(tmp_path):
    records = {text: b"record of " + text for text in (key.encode() for key in KEYS)}
    crivo.build_store(records, tmp_path / "pages", backend="flat", ordered=True)
    with crivo.open(tmp_path / "pages") as pages:
        assert pages.is_ordered and pages["key 12"] == b"record of key 12" and "another" not in pages
        assert list(pages.items()) == sorted(records.items())
        assert list(pages) == list(pages.keys()) == sorted(records) and dict(pages) == records
        assert [key for key, _ in pages.prefix("key 12")] == sorted(key for key in records if key.startswith(b"key 12"))
        assert list(pages.range("key 12", "key 13")) == sorted(item for item in records.items() if b"key 12" <= item[0] < b"key 13")
        assert list(pages.prefix("none")) == [] and next(pages.range("key 3"))[0] == b"key 3"
        assert pages.get_many(["key 7", "none"]) == [b"record of key 7", None]
        pages.verify()
    crivo.build_store(records, tmp_path / "other", backend="flat")
    with crivo.open(tmp_path / "other") as other:
        assert not other.is_ordered
        with pytest.raises(crivo.UsageError, match="not in the order of their keys .*ordered=True"):
            other.prefix("key")
        assert dict(other) == records


def test_stores(tmp_path):
    path = tmp_path / "pages"
    records = [(f"record of {i} " * (i % 7)).encode() for i in range(5000)]
    crivo.build_store(KEYS, path, records=records)
    with crivo.open(path) as pages:
        assert pages["key 12"] == records[12] and "another" not in pages and pages.get("another") is None
        assert pages.get_many(TEXTS) == records
        assert pages.get_many(["another", "key 3"]) == [None, records[3]]
        assert list(pages.pairs(iter(KEYS))) == list(zip(KEYS, records))
        pages.verify()
        wrong = []

        def read():
            for _ in range(5):
                if pages.get_many(KEYS) != records or pages["key 3"] != records[3]:
                    wrong.append(1)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong
        assert not pages.refresh()
        crivo.build_store(iter(KEYS), path, records=reversed(records), replace=True)
        assert pages["key 3"] == records[3]
        assert pages.refresh() and pages["key 3"] == records[-4]
    with crivo.Store(path, verify=True) as pages:
        assert pages.get_many(KEYS) == records[::-1]
    for codec in ("none", "tokens12", "zstd"):
        crivo.build_store(KEYS, path, records=records, codec=codec, replace=True)
        with crivo.Store(path) as pages:
            assert pages.get_many(KEYS) == records


@pytest.mark.parametrize("repeated,kept", [("first", b"1"), ("last", b"3"), ("all", b"1\n3")])
def test_repeated_records(tmp_path, repeated, kept):
    made = crivo.build_store(
        ["a", "b", "a"], tmp_path / "store", records=["1", "2", "3"], ignore_duplicates=True, repeated=repeated)
    with crivo.open(tmp_path / "store") as store:
        assert made.duplicates == 1 and store.get_many(["a", "b"]) == [kept, b"2"]
    with pytest.raises(crivo.UsageError):
        crivo.build_store(["a"], tmp_path / "other", records=["1"], repeated="some")


def test_refresh_beside_lookups(tmp_path):
    path = tmp_path / "pages"
    some = KEYS[:50]
    crivo.build_store(some, path, records=["0"] * 50)
    seen = []
    with crivo.open(path) as pages:

        def read():
            versions = []
            while versions[-1:] != [b"9"]:
                versions += [pages["key 7"], *pages.get_many(some)]
            seen.append(versions == sorted(versions))

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for version in range(1, 10):
            crivo.set_records(path, some, [str(version)] * 50)
            assert pages.refresh()
        for thread in threads:
            thread.join()
    assert seen == [True] * 3


def test_all_threads_see_one_commit(tmp_path):
    """No lookup answers from before what another has answered from, whatever readers the threads have."""
    path = tmp_path / "pages"
    crivo.build_store(KEYS[:50], path, records=["old"] * 50)

    def answers(pages):
        return {pages["key 7"], *pages.get_many(["key 7"])}

    with crivo.open(path) as pages:
        readers = pages._readers
        older = readers.take()  # another thread's, in the midst of a lookup
        crivo.set_records(path, KEYS[:50], ["new"] * 50)
        assert answers(pages) == {b"old"}  # by a reader that is made now
        readers.give_back(older)
        assert answers(pages) == {b"old"}
        older = readers.take()
        assert pages.refresh() and answers(pages) == {b"new"}
        readers.give_back(older)
        assert answers(pages) == {b"new"}
    with pytest.raises(ValueError, match="closed"):
        pages.get("key 7")


def test_notes(tmp_path):
    path = tmp_path / "noted"
    crivo.build_filter(KEYS, path, notes={"source": "a = b", "by": "Zé"})
    assert crivo.notes(path) == {"source": "a = b", "by": "Zé"}
    assert crivo.build_filter(KEYS).data == crivo.build_filter(KEYS, notes={}).data != path.read_bytes()
    for wrong in ({"crivo.x": "1"}, {"": "1"}):
        with pytest.raises(crivo.UsageError):
            crivo.build_mphf(KEYS, notes=wrong)
    with pytest.raises(ValueError):
        crivo.build_mphf(KEYS, notes={"a=b": "1"})


def test_updates_of_stores(tmp_path):
    path = tmp_path / "pages"
    crivo.build_store(KEYS, path, records=TEXTS)
    with crivo.open(path) as pages:
        done = crivo.set_records(path, KEYS[:3], ["a", b"b", "c"])
        assert (done.given, done.absent, done.records) == (3, 0, 5000)
        assert pages["key 1"] == b"key 1" and pages.refresh() and pages["key 1"] == b"b"
        done = crivo.remove_records(path, (key for key in ["key 1", "another"]))
        assert (done.given, done.absent, done.records) == (2, 1, 4999)
        changes = tmp_path / "changes"
        changes.write_bytes(b"key 2\tof a file\n")
        assert crivo.set_records(path, crivo.Files(changes)).given == 1
        assert pages.refresh() and "key 1" not in pages and pages["key 2"] == b"of a file"
        compacted = crivo.compact_store(path, above=1e6)
        assert (compacted.is_compacted, compacted.records) == (False, 4999)

        with crivo.Writer(path) as writer:
            writer["key 3"] = "new"
            with pytest.raises(crivo.BadInputError):
                writer.set(b"k" * (2**20 + 1), b"")
            writer["another"] = "new, too"
            assert not writer.remove("key 1")
            del writer["key 4"]
            writer.commit()
            writer.set("key 1", "again")
        with pytest.raises(ValueError):
            writer.commit()
        with pytest.raises(RuntimeError):
            with crivo.Writer(path) as writer:
                writer["key 3"] = "never"
                raise RuntimeError
        assert pages.refresh() and pages.get_many(KEYS[:5]) == [b"a", b"again", b"of a file", b"new", None]
        assert pages["another"] == b"new, too"
        done = crivo.set_records(path, {"another": "new, too", "key 0": "b", "more": ""})
        assert (done.given, done.added, done.replaced, done.unchanged) == (3, 1, 1, 1)
    with pytest.raises(TypeError):
        crivo.set_records(path, KEYS)
    with pytest.raises(crivo.BadInputError):
        crivo.set_records(path, ["key 1", b"k" * (2**20 + 1)], ["1", "2"])
    crivo.build_store(KEYS, tmp_path / "flat", records=TEXTS, backend="flat")
    assert crivo.set_records(tmp_path / "flat", {"key 1": "b", "more": ""}).added == 1
    assert crivo.remove_records(tmp_path / "flat", ["key 2"]).given == 1
    with crivo.open(tmp_path / "flat") as flat:
        assert flat["key 1"] == b"b" and flat["more"] == b"" and "key 2" not in flat and flat["key 3"] == TEXTS[3]


def test_estimates():
    small = crivo.estimate("mphf", KEYS, algorithm="tiny")
    large = crivo.estimate("mphf", iter(KEYS), signature_bits=32)
    assert small.keys == large.keys == 5000 and small.output_bytes < large.output_bytes
    assert small.minimum_memory_bytes > 0 and small.memory_bytes > 0 and small.partitions > 0 and not small.would_be_refused
    assert crivo.estimate("filter", KEYS, bits=32).output_bytes > crivo.estimate("filter", KEYS).output_bytes
    assert crivo.estimate("map", KEYS, values=[-i for i in range(5000)]).keys == 5000
    assert crivo.estimate("map", KEYS, memory=1).would_be_refused
    assert crivo.estimate("store", KEYS, records=TEXTS, codec="none").output_bytes > 5000 * 7
    with pytest.raises(ValueError):
        crivo.estimate("index", KEYS)
    with pytest.raises(TypeError):
        crivo.estimate("mphf", KEYS, fpr=0.1)


def test_shards(tmp_path):
    """By tasks that read files, and by tasks that have keys: the file of one build."""
    kinds = {"mphf": dict(signature_bits=8), "filter": dict(type="bloom", capacity=8000), "map": {}}
    expected = {kind: getattr(crivo, f"build_{kind}")(KEYS, **options).data for kind, options in kinds.items()}
    for task, some in enumerate((TEXTS[:3000], TEXTS[3000:])):
        (tmp_path / f"keys{task}").write_bytes(b"".join(key + b"\n" for key in some))
        crivo.partition_keys(iter(some), tmp_path / "own", shards=3, part=(task, 2))
    files = crivo.Files(tmp_path / "keys0", tmp_path / "keys1")
    for task in (1, 0, 1):
        done = crivo.partition_keys(files, tmp_path / "read", shards=3, part=(task, 2), threads=1)
    assert done.was_done and 0 < done.keys < 5000 and done.duplicates == 0 and done.bytes > 0
    for dealt in ("own", "read"):
        totals = crivo.finish_partition(tmp_path / dealt)
        assert (totals.keys, totals.duplicates, totals.tasks) == (5000, 0, 2)
        for kind, options in kinds.items():
            parts = [tmp_path / f"part{i}" for i in range(3)]
            for i, part in enumerate(parts):
                crivo.build_part(kind, tmp_path / dealt, (i, 3), part, replace=True, **options)
            made = crivo.merge_parts(reversed(parts), tmp_path / "merged", replace=True)
            assert made.keys == 5000 and (tmp_path / "merged").read_bytes() == expected[kind]
    assert crivo.write_manifest(parts, tmp_path / "served").keys == 5000
    with crivo.open(tmp_path / "served") as lines:
        assert lines.get_many(KEYS)[0].tolist() == list(range(5000))
    with pytest.raises(crivo.UsageError):
        crivo.merge_parts(parts[:2], tmp_path / "merged", replace=True)
    with pytest.raises(ValueError):
        crivo.build_part("words", tmp_path / "own", (0, 1), tmp_path / "part")

    signed = np.arange(0, -5000, -1)
    with pytest.raises(ValueError):
        crivo.partition_keys(KEYS, tmp_path / "pairs", values=signed)
    crivo.partition_keys(KEYS, tmp_path / "pairs", values=signed, value_type="signed")
    crivo.finish_partition(tmp_path / "pairs")
    crivo.build_part("map", tmp_path / "pairs", (0, 1), tmp_path / "only", values=True, value_type="signed")
    crivo.merge_parts([tmp_path / "only"], tmp_path / "merged", replace=True)
    assert (tmp_path / "merged").read_bytes() == crivo.build_map(KEYS, values=signed).data


def test_dictionaries_in_shards(tmp_path):
    """With values and without: the file of one build."""
    for name, values in (("keys", None), ("pairs", np.arange(5000))):
        for task, some in enumerate((slice(0, 3000), slice(3000, 5000))):
            own = None if values is None else values[some]
            crivo.partition_keys(KEYS[some], tmp_path / name, shards=2, part=(task, 2), texts=True, values=own)
        crivo.finish_partition(tmp_path / name)
        parts = [tmp_path / f"{name}{i}" for i in range(3)]
        for i, part in enumerate(parts):
            crivo.build_part("dictionary", tmp_path / name, (i, 3), part, values=values is not None)
        assert crivo.merge_parts(parts, tmp_path / "merged", replace=True).keys == 5000
        assert (tmp_path / "merged").read_bytes() == crivo.build_dictionary(KEYS, values=values).data


def test_stores_in_shards(tmp_path):
    """Of records that tasks have, and of those in a file."""
    records = [b"record of " + key for key in TEXTS]
    crivo.build_store(KEYS, tmp_path / "whole", records=records, codec="none", backend="flat")
    pairs = tmp_path / "pairs"
    pairs.write_bytes(b"".join(key + b"\t" + record + b"\n" for key, record in zip(TEXTS, records)))
    for task, begin in enumerate((0, 2000)):
        end = begin + 2000 if task == 0 else 5000
        crivo.partition_keys(KEYS[begin:end], tmp_path / "own", shards=2, records=records[begin:end], part=(task, 2))
    crivo.partition_keys(crivo.Files(pairs), tmp_path / "read", shards=2, records=True)
    for dealt in ("own", "read"):
        crivo.finish_partition(tmp_path / dealt)
        parts = [tmp_path / f"part{i}" for i in range(2)]
        for i, part in enumerate(parts):
            crivo.build_part("store", tmp_path / dealt, (i, 2), part, codec="none", backend="flat", replace=True)
        crivo.merge_parts(parts, tmp_path / "merged", replace=True)
        with crivo.open(tmp_path / "merged") as store:
            assert store.get_many(TEXTS) == records and store.info.digest == crivo.inspect(tmp_path / "whole").digest
            store.verify()
        crivo.write_manifest(parts, tmp_path / "served", replace=True)
        with crivo.open(tmp_path / "served") as store:
            assert store.get_many(TEXTS) == records and store.get(KEYS[7]) == records[7]
            store.verify()


def test_exact_sets_in_shards(tmp_path):
    """Sets and deltas, with groups and without: the files of one build."""
    groups = [f"group {i % 7}" for i in range(5000)]
    for names in (None, groups):
        parts = [tmp_path / f"part{i}" for i in range(3)]
        base = tmp_path / f"base {names is None}"

        def of(step, names=names):
            return TEXTS[step::50], names and names[step::50]

        for step in (0, 1):
            members, some = of(step)
            dealt = tmp_path / f"dealt {names is None} {step}"
            crivo.partition_keys(members, dealt, shards=3, universe=TEXTS, groups=some, universe_groups=names)
            crivo.finish_partition(dealt)
            for i, part in enumerate(parts):
                if step == 0:
                    crivo.build_part("exact", dealt, (i, 3), part, replace=True)
                else:
                    crivo.build_delta_part(base, dealt, (i, 3), part, replace=True)
            crivo.merge_parts(parts, tmp_path / "merged", replace=True)
            whole = tmp_path / "whole"
            if step == 0:
                crivo.build_exact(members, TEXTS, whole, groups=some, universe_groups=names, replace=True)
            else:
                crivo.build_delta(base, members, TEXTS, whole, groups=some, universe_groups=names, replace=True)
            assert (tmp_path / "merged").read_bytes() == whole.read_bytes()
            if step == 0:
                base.write_bytes(whole.read_bytes())


def test_bytes_stay_alive():
    ranks = crivo.Mphf(bytes(crivo.build_mphf(KEYS).data))
    expected = ranks.get_many(KEYS)
    gc.collect()
    junk = [bytes(10000) for _ in range(100)]
    assert (ranks.get_many(KEYS) == expected).all() and junk
    ranks.close()
    with pytest.raises(ValueError):
        ranks.get("a")
    ranks.close()


def test_choices():
    """The keywords of builds are the rows of the library's table."""
    for kind in ("mphf", "filter", "map", "store"):
        build = getattr(crivo, f"build_{kind}")
        for choice in CHOICES[kind]:
            parameter = inspect.signature(build).parameters[choice.name]
            if choice.name != "values":
                assert parameter.default == choice.default
                assert parameter.annotation in (str, bool, int, typing.Optional[float])
                assert build.__annotations__[choice.name] == parameter.annotation
                assert f"`{choice.name}`: {choice.help}" in build.__doc__
        with pytest.raises(TypeError, match="unexpected keyword argument 'none'"):
            build({text: 1 for text in TEXTS} if kind != "store" else dict(zip(TEXTS, TEXTS)), "out", none=1)
    rows = {choice.name: choice for choice in CHOICES["filter"]}
    assert rows["type"].values[0] == "ribbon" and rows["count_duplicates"].takers == ("counting-bloom",)
    made = crivo.build_filter(TEXTS, type="cuckoo", semi_sorted=True, fpr=np.float32(0.01), capacity=np.int64(6000)).data
    assert b"crivo.semi_sorted1" in made and b"crivo.capacity6000" in made


def test_errors(tmp_path):
    with pytest.raises(crivo.BadInputError) as raised:
        crivo.build_mphf(["a", "b", "a"])
    assert raised.value.line == 3 and raised.value.file is None
    path = tmp_path / "keys"
    path.write_bytes(b"a\n\n")
    with pytest.raises(crivo.BadInputError) as raised:
        crivo.build_mphf(crivo.Files(path))
    assert (raised.value.file, raised.value.line) == (str(path), 2)
    with pytest.raises(crivo.UsageError):
        crivo.build_mphf(["a"], algorithm="quickest")
    with pytest.raises(crivo.CorruptError):
        crivo.Mphf(b"nothing of the kind")
    with pytest.raises(crivo.Error):
        crivo.open(tmp_path / "none")
    with pytest.raises(TypeError, match=r"keys\[1\] is 5.0"):
        crivo.build_mphf(["a", 5.0])
    data = bytearray(crivo.build_mphf(range_of_texts(50000)).data)
    data[len(data) // 2] ^= 1
    with pytest.raises(crivo.CorruptError) as raised:
        crivo.Mphf(data, verify=True)
    assert raised.value.section == "phast" and raised.value.byte is not None


def range_of_texts(count):
    return [str(i) for i in range(count)]


def test_progress_and_cancelling():
    reports = []
    crivo.build_mphf(range_of_texts(1000), progress=reports.append)
    assert reports and reports[-1].fraction == 1
    with pytest.raises(crivo.CancelledError):
        crivo.build_mphf((str(i) for i in itertools.count()), progress=lambda state: True, threads=1)

    def fails(state):
        raise RuntimeError(state.phase)

    with pytest.raises(RuntimeError):
        crivo.build_mphf((str(i) for i in itertools.count()), progress=fails, threads=1)

    def keys():
        yield "a"
        raise LookupError("no more")

    with pytest.raises(LookupError):
        crivo.build_mphf(keys())


def test_what_builds_share(tmp_path):
    path = tmp_path / "out.crv"
    first = crivo.build_mphf(KEYS, path, seed=5, threads=1)
    assert first.seed == 5
    with pytest.raises(crivo.UsageError) as raised:
        crivo.build_mphf(KEYS, path)
    assert raised.value.remedy == "replace"
    second = crivo.build_mphf(KEYS, path, seed=5, threads=3, memory=64 << 20, replace=True)
    assert first.digest == second.digest == crivo.inspect(path).digest
    crivo.verify(path)
    assert crivo.build_mphf(["a", "b", "a"], ignore_duplicates=True).duplicates == 1
    assert crivo.build_mphf(["a", ""], allow_empty=True).keys == 2
    assert crivo.build_mphf([]).warnings == ("<keys>: the input has no keys",)
    keyed = crivo.build_mphf(KEYS, path, seed=crivo.random_seed(), keyed_hash=True, replace=True)
    with crivo.open(path, mode="copy") as ranks:
        assert ranks.info.hash == "siphash" and ranks.info.seed == keyed.seed
    assert crivo.__version__.count(".") == 2


def test_other_threads_run_meanwhile():
    """While a build waits for its keys in one thread, another takes its steps."""
    begun, go_on = threading.Event(), threading.Event()

    def keys():
        begun.set()
        assert go_on.wait(60)
        yield "a"

    made = []
    thread = threading.Thread(target=lambda: made.append(crivo.build_mphf(keys())))
    thread.start()
    assert begun.wait(60)
    go_on.set()
    thread.join(60)
    assert made and made[0].keys == 1


def sign(path, comment):
    """A signature of minisign's of a file, and the public key."""
    key = minisign.Key(1)
    data = path.read_bytes()
    path.with_name(path.name + ".minisig").write_bytes(key.signature(data, comment.format(bytes=len(data)).encode()))
    return key


def test_signed_files(tmp_path):
    path = tmp_path / "keys.crv"
    crivo.build_mphf(KEYS, path)
    with pytest.raises(crivo.CorruptError, match="minisig: is missing"):
        crivo.open(path, trust=crivo.Trust([minisign.Key(1).line]))
    digest = crivo.inspect(path).digest
    key = sign(path, f"crivo 1 root={digest} bytes={{bytes}} sequence=7 expires=2999-12-07T04:40Z")
    expires = datetime.datetime(2999, 12, 7, 4, 40, tzinfo=datetime.timezone.utc)
    trust = crivo.Trust([key.line], minimum_sequence=7, state=tmp_path / "state")
    assert crivo.verify(path, trust=trust) == crivo.Signature(key.id_text, 7, expires)
    assert crivo.verify(path) is None
    for mode in ("mapped", "preload", "copy"):
        with crivo.open(path, mode=mode, trust=trust) as opened, crivo.open(path) as plain:
            assert (opened.get_many(KEYS) == plain.get_many(KEYS)).all()
            assert len(pickle.loads(pickle.dumps(opened))) == len(KEYS)
    (tmp_path / "key.pub").write_bytes(key.public_file)
    crivo.open(path, trust=crivo.Trust([minisign.Key(2).line, str(tmp_path / "key.pub")])).close()
    for problem, refused in (
        ("is not trusted", crivo.Trust([minisign.Key(2).line])),
        ("too old", crivo.Trust([key.line], minimum_sequence=8)),
        ("expired", crivo.Trust([key.line], now=expires)),
    ):
        with pytest.raises(crivo.CorruptError, match=problem):
            crivo.open(path, trust=refused)
    sign(path, f"crivo 1 root={digest} bytes={{bytes}} sequence=6")
    with pytest.raises(crivo.CorruptError, match="older than one that was seen"):
        crivo.open(path, trust=crivo.Trust([key.line], state=tmp_path / "state"))
    with pytest.raises(crivo.UsageError):
        crivo.Mphf(path.read_bytes(), trust=trust)
    with pytest.raises(TypeError):
        crivo.open(path, trust=crivo.Trust(key.line))


def test_each_signature_is_refused_with_a_sentence(tmp_path):
    path, key = tmp_path / "file.crv", minisign.Key(1)
    crivo.build_mphf(KEYS, path)
    data, signature_path = path.read_bytes(), tmp_path / "file.crv.minisig"
    root = crivo.inspect(path).digest.encode()
    for signature in forged.accepted_signatures(key, data, root):
        signature_path.write_bytes(signature)
        crivo.open(path, trust=crivo.Trust([key.line])).close()
    for because, signature in forged.refused_signatures(key, data, root):
        signature_path.write_bytes(signature)
        with pytest.raises(crivo.Error, match=re.escape(because)):
            crivo.open(path, trust=crivo.Trust([key.line]))
    for y in (0, 1, 2**255 - 20):
        weak = base64.b64encode(b"Ed" + bytes(8) + y.to_bytes(32, "little")).decode()
        with pytest.raises(crivo.UsageError, match="weak"):
            crivo.open(path, trust=crivo.Trust([weak]))


@pytest.mark.skipif("CRIVO" not in os.environ, reason="the program builds what is forged")
def test_no_forgery_is_opened(tmp_path):
    def run(*words):
        subprocess.run([os.environ["CRIVO"], *map(str, words)], check=True)

    maker = forged.Maker(tmp_path / "signed", run)
    specimens, trust = list(maker.specimens()), crivo.Trust([maker.key.line])
    for path in ("filter-40/file.crv", "filter-20500/file.crv", "store-30/store", "chain-20/chain.crv", "manifest-60/manifest.crv"):
        crivo.open(tmp_path / "signed" / path, trust=trust).close()
    count = 100_000 if os.environ.get("CRIVO_LONG") == "1" else 500
    for what, path in forged.Forger(specimens).forgeries(tmp_path / "forged", count):
        try:
            crivo.open(path, trust=trust)
        except crivo.Error:
            pass
        else:
            pytest.fail(what)


def test_signing(tmp_path):
    path, key = tmp_path / "keys.crv", minisign.Key(1)
    crivo.build_filter(KEYS, path)
    (tmp_path / "key").write_bytes(key.secret_file())
    (tmp_path / "locked").write_bytes(key.secret_file("hush é".encode(), 32768, 1 << 20))
    expires = datetime.datetime(2999, 12, 7, 4, 40, tzinfo=datetime.timezone.utc)
    signed = crivo.sign(path, tmp_path / "key", sequence=9, expires=expires)
    assert signed == crivo.Signature(key.id_text, 9, expires)
    trust = crivo.Trust([key.line])
    assert crivo.verify(path, trust=trust) == signed
    with pytest.raises(crivo.UsageError, match="already exists; replace=True replaces it$"):
        crivo.sign(path, tmp_path / "key")
    for password in (None, "hush"):
        with pytest.raises(crivo.UsageError):
            crivo.sign(path, tmp_path / "locked", password=password, replace=True)
    crivo.sign(path, tmp_path / "locked", password="hush é", replace=True)
    assert crivo.verify(path, trust=trust) == crivo.Signature(key.id_text, 0, None)
    damaged = bytearray(path.read_bytes())
    damaged[250] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(crivo.CorruptError):
        crivo.sign(path, tmp_path / "key", replace=True)


def test_values_of_dictionaries():
    values = [i * i - 40 for i in range(len(TEXTS))]
    with crivo.Dictionary(crivo.build_dictionary(TEXTS, values=values).data) as words:
        assert words.info.value_type == "signed" and words.value(words[TEXTS[7]]) == -40 + 49
        found, present = words.value_many(words.get_many([*KEYS, "another"]))
        assert found.dtype == np.int64 and found.tolist() == [*values, 0] and present.tolist() == [True] * len(KEYS) + [False]
        with pytest.raises(IndexError):
            words.value(5000)
    with crivo.Dictionary(crivo.build_dictionary({"a": 2**64 - 1, "b": 3}).data) as words:
        assert [words.value(i) for i in range(2)] == [2**64 - 1, 3]
    with crivo.Dictionary(crivo.build_dictionary(["a"]).data) as words:
        assert words.value(0) is None and words.value_many(np.array([0]))[1].tolist() == [False]


def test_hashed_ids():
    others = [f"other {i}" for i in range(20_000)]
    with crivo.Dictionary(crivo.build_dictionary(KEYS, hashed=True).data) as words:
        assert words.has_hashed and words.hashed_many(KEYS).tolist() == words.get_many(KEYS).tolist()
        assert words.hashed("key 7") == words["key 7"]
        found = words.hashed_many(others)
        assert 30 < np.count_nonzero(found != crivo.ABSENT) < 130 and words.hashed(others[int(np.argmax(found == crivo.ABSENT))]) is None
    with crivo.Dictionary(crivo.build_dictionary(KEYS).data) as words:
        assert not words.has_hashed
        for call in (lambda: words.hashed("key 7"), lambda: words.hashed_many(KEYS)):
            with pytest.raises(crivo.UsageError, match="has no hashed ids"):
                call()


def test_dictionaries():
    ordered = sorted(TEXTS)
    with crivo.Dictionary(crivo.build_dictionary(KEYS).data) as words:
        assert len(words) == 5000 and list(words) == ordered and dict(words.items()) == {key: i for i, key in enumerate(ordered)}
        assert words.get_many(KEYS).tolist() == [ordered.index(key) for key in TEXTS]
        assert words["key 7"] == words.get(b"key 7") == ordered.index(b"key 7") and "key 7" in words
        assert words.get("another") is None and "another" not in words and words.get_many(["another"])[0] == crivo.ABSENT
        with pytest.raises(KeyError):
            _ = words["another"]
        assert words.key(17) == ordered[17]
        for number in (-1, 5000):
            with pytest.raises(IndexError):
                words.key(number)
        numbers = np.array([4999, 0, 17, 17, 3], np.int64)
        assert words.key_many(numbers) == [ordered[i] for i in numbers] and words.key_many([]) == []
        assert words.key_many(range(5000)) == ordered and words.key_many(words.get_many(KEYS)) == TEXTS
        for numbers in ([3, 5000], np.array([-1])):
            with pytest.raises(IndexError):
                words.key_many(numbers)
        with pytest.raises(TypeError, match="integers"):
            words.key_many(np.array([1.5]))
        found = words.prefix("key 12")
        assert [words.key(i) for i in found] == [key for key in ordered if key.startswith(b"key 12")]
        assert words.lower_bound("key 12") == found.start and words.lower_bound("z") == 5000
        assert words.longest_prefix("key 4999 and more") == b"key 4999" and words.longest_prefix("none") is None
        assert words.prefixes("key 4999 and more") == [b"key 4999", b"key 499", b"key 49", b"key 4"]
        assert words.prefixes("none") == [] and words.prefixes("") == []
        near = [(words.key(i), edits) for i, edits in words.fuzzy("key 499", 1)]
        assert (b"key 499", 0) in near and (b"key 4999", 1) in near and (b"key 49", 1) in near and len(near) == 60
        assert words.fuzzy("nothing like it", 2) == []
        with pytest.raises(crivo.UsageError, match="edits"):
            words.fuzzy("key", 3)
        assert words.info.kind == "dictionary"
        words.verify()
    assert crivo.build_dictionary(TEXTS, block_keys=128, token_bits="12").data != crivo.build_dictionary(TEXTS).data
