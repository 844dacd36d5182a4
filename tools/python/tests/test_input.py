# SPDX-License-Identifier: Apache-2.0
"""What is given wrongly is refused, with what to do instead; and mappings."""

import errno
import os
import pathlib
import re
import sys

import numpy as np
import pytest

import crivo

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests" / "readers"))
from key_forms import KEY_FORMS  # pylint: disable=wrong-import-position


@pytest.mark.parametrize("text", ["keys", b"abc", bytearray(b"abc"), memoryview(b"abc")])
def test_one_text_is_not_many_keys(text):
    """Its letters would be taken for the keys."""
    with crivo.Filter(crivo.build_filter(["a"]).data) as seen:
        for call in (crivo.build_filter, crivo.build_mphf, crivo.build_map, seen.get_many, lambda keys: list(seen.pairs(keys)),
                     lambda keys: crivo.build_map(["a"], values=keys), lambda keys: crivo.estimate("mphf", keys),
                     lambda keys: crivo.build_store(["a"], "none", records=keys)):
            with pytest.raises(TypeError, match=r"pass a list, as \[\w+\], or crivo.Files"):
                call(text)


def test_a_path_is_not_keys(tmp_path):
    with pytest.raises(TypeError, match="crivo.Files"):
        crivo.build_mphf(tmp_path / "keys")
    with pytest.raises(TypeError):
        crivo.Files([tmp_path / "keys"])


def test_what_is_no_key():
    for key in (5.0, None, True, ["a"], 2**64, -2**63 - 1):
        with crivo.Map(crivo.build_map(["a"]).data) as lines, pytest.raises((TypeError, OverflowError)):
            lines.get(key)
        for keys in ([key], iter([key]), ["a", key], [1, key]):
            with pytest.raises((TypeError, OverflowError)):
                crivo.build_mphf(keys)
    for array in (np.array([1.5]), np.array([True]), np.array(["2020-01-01"], "M8[ns]"), np.zeros((2, 2), np.int64)):
        with pytest.raises((TypeError, ValueError)):
            crivo.build_mphf(array)
    with pytest.raises(TypeError, match=re.escape("keys[1] is 'b'")):
        crivo.build_mphf([1, "b"])


def test_mappings(tmp_path):
    counts = {"a": 7, b"b": 2**63, "c": 0}
    for given in (crivo.build_map(counts), crivo.build_map(list(counts), values=list(counts.values()))):
        with crivo.Map(given.data) as numbers:
            assert [numbers[key] for key in counts] == list(counts.values())
    with crivo.Map(crivo.build_map({"a": -1}).data) as numbers:
        assert numbers["a"] == -1
    assert crivo.build_map({}).keys == 0 and crivo.build_map([], values=[]).keys == 0
    pages = {"a": "1", b"b": b"2"}
    crivo.build_store(pages, tmp_path / "pages")
    assert crivo.set_records(tmp_path / "pages", {"a": "new"}).given == 1
    with crivo.open(tmp_path / "pages") as store:
        assert store["a"] == b"new" and store["b"] == b"2"
    assert crivo.build_mphf(counts).keys == crivo.estimate("map", counts).keys == 3
    for call in (lambda: crivo.build_map(counts, values=[1, 2, 3]), lambda: crivo.build_map(["a"], values=counts),
                 lambda: crivo.build_store(pages, tmp_path / "none", records=["1", "2"]),
                 lambda: crivo.partition_keys(counts, tmp_path / "dealt")):
        with pytest.raises(TypeError, match="mapping"):
            call()
    crivo.partition_keys(counts, tmp_path / "dealt", values=True)
    crivo.finish_partition(tmp_path / "dealt")
    crivo.build_part("map", tmp_path / "dealt", (0, 1), tmp_path / "part", values=True)
    crivo.merge_parts([tmp_path / "part"], tmp_path / "merged")
    assert (tmp_path / "merged").read_bytes() == crivo.build_map(counts).data


def test_values_and_records_that_do_not_fit(tmp_path):
    files = crivo.Files(tmp_path / "keys")
    for call in (lambda: crivo.build_map(files, values=[1]), lambda: crivo.build_map(["a"], values=True),
                 lambda: crivo.build_store(files, tmp_path / "out", records=["1"]),
                 lambda: crivo.build_store(["a"], tmp_path / "out"), lambda: crivo.build_map(["a"], values=["1"]),
                 lambda: crivo.build_map(iter(["a"]), values=["1"]), lambda: crivo.build_map(iter(["a"]), values=[1.5]),
                 lambda: crivo.build_store(["a"], tmp_path / "out", records=[1]),
                 lambda: crivo.build_store(iter(["a"]), tmp_path / "out", records=[1])):
        with pytest.raises(TypeError):
            call()
    for keys, values, value_type in ((["a", "b"], [1], None), (iter(["a", "b"]), [1], None), (iter(["a"]), [1, 2], None),
                                     (["a"], [-1], "unsigned"), (iter(["a"]), [-1], None), (["a"], [2**63], "signed"),
                                     (iter(["a"]), [2**64], None)):
        with pytest.raises(ValueError):
            crivo.build_map(keys, values=values, value_type=value_type)
    assert not list(tmp_path.iterdir())


def test_without_signatures_there_is_no_in():
    """Any key gets some number there: True would mean nothing."""
    for index in (crivo.Mphf(crivo.build_mphf(["a"]).data), crivo.Map(crivo.build_map(["a"]).data)):
        assert index["a"] == index.get("a") == 0
        with pytest.raises(crivo.UsageError, match="signature_bits"):
            _ = "a" in index


def test_nothing_is_iterated_over_that_has_no_keys():
    """Python would ask what has [] for the keys 0, 1, 2, ..."""
    for index in (crivo.Mphf(crivo.build_mphf(["a"]).data), crivo.Map(crivo.build_map(["a"]).data)):
        with pytest.raises(TypeError):
            list(index)


def test_errors_of_the_system(tmp_path):
    for call in (crivo.open, crivo.inspect, crivo.verify, lambda path: crivo.build_mphf(crivo.Files(path)), crivo.Writer,
                 lambda path: crivo.set_records(path, {"a": "1"}), lambda path: crivo.add_to_filter(path, ["a"])):
        with pytest.raises(FileNotFoundError) as raised:
            call(tmp_path / "none")
        error = raised.value
        assert isinstance(error, crivo.ResourceError) and error.errno == errno.ENOENT
        assert error.strerror == os.strerror(errno.ENOENT) and "none" in str(error) and error.filename == error.file
    with pytest.raises(OSError) as raised:
        crivo.build_mphf(["a"], tmp_path / "none" / "out")
    assert raised.value.errno == errno.ENOENT


def test_messages():
    """Subject and verb, and where in Python the fault is."""
    ranks = crivo.Mphf(crivo.build_mphf(["a"]).data)
    ranks.close()
    with pytest.raises(ValueError, match="^the Mphf is closed$"):
        ranks.get("a")
    with pytest.raises(crivo.BadInputError, match=r'^<keys>\[2\]: duplicate key "a"'):
        crivo.build_mphf(["a", "b", "a"])


def test_columns(tmp_path):
    """As the program takes them: by number and by name, quoted, in JSON, in hexadecimal digits."""
    (tmp_path / "csv").write_text('name,count\n"a,b",5\nc,7\n')
    (tmp_path / "tsv").write_text("5\ta,b\n7\tc\n")
    (tmp_path / "json").write_text('{"k": "a,b", "v": 5}\n{"k": "c", "v": 7}\n')
    (tmp_path / "hex").write_text("612c62|5\n63|7\n")
    expected = crivo.build_map({"a,b": 5, "c": 7}).data
    for files in (
        crivo.Files(tmp_path / "csv", csv=True, header=True, column="name", value_column="count"),
        crivo.Files(tmp_path / "csv", csv=True, header=True),
        crivo.Files(tmp_path / "tsv", column=2, value_column=1),
        crivo.Files(tmp_path / "json", json_key="k", json_value="v"),
        crivo.Files(tmp_path / "hex", delimiter="|", hex=True),
    ):
        assert crivo.build_map(files, values=True).data == expected
    with pytest.raises(ValueError, match="one byte"):
        crivo.Files(tmp_path / "tsv", delimiter="ab")
    with pytest.raises(ValueError, match="header=True"):
        crivo.Files(tmp_path / "csv", column="name")
    with pytest.raises(crivo.UsageError):
        crivo.build_map(crivo.Files(tmp_path / "tsv", json_value="v"), values=True)


def test_texts_become_keys(tmp_path):
    for form, text, key in KEY_FORMS:
        assert crivo.keys.key_of(form, text) == key, (form, text)
    assert crivo.keys.surt("http://www.Example.com/A") == "com,example)/a"
    assert crivo.keys.url(b"<http://a/ b>") == b"http://a/%20b" and crivo.keys.fold("ÄB") == "Äb"
    assert crivo.keys.kmer("ACG") == crivo.keys.kmer("cgt") == 6
    assert crivo.keys.kmer("ANG") is crivo.keys.kmer("A" * 32) is None
    for form in ("", "url", "kmers", "kmers 0", "kmers 32", "terms  fold"):
        with pytest.raises(crivo.UsageError):
            crivo.keys.key_of(form, "text")
    crivo.build_mphf(["a"], tmp_path / "a.crv", notes={"crivo.with.keys": "terms fold"})
    assert crivo.notes(tmp_path / "a.crv") == {"crivo.with.keys": "terms fold"}


ORDERS = ["=i8", ">i8", "<u8", ">u8", "O"]


@pytest.mark.parametrize("order", ORDERS)
def test_the_byte_order_of_arrays(order):
    """An array is its numbers, however its bytes lie."""
    numbers = np.array([1, 2, 3, 2**40 + 5], order)
    with crivo.Mphf(crivo.build_mphf(numbers, signature_bits=32).data) as ranks:
        assert sorted(ranks.get_many([1, 2, 3, 2**40 + 5])) == sorted(ranks.get_many(numbers)) == [0, 1, 2, 3]
        assert (ranks.get_many(np.array([4, 2**56], order)) == crivo.ABSENT).all()
    with crivo.Map(crivo.build_map(["a", "b", "c", "d"], values=numbers).data) as values:
        assert values.get_many(np.array(["a", "b", "c", "d"], ">U1"))[0].tolist() == numbers.tolist()
    with crivo.Dictionary(crivo.build_dictionary(["a", "b", "c", "d"], values=numbers).data) as words:
        ids = np.array([3, 1], order)
        assert words.key_many(ids) == [b"d", b"b"] and words.value_many(ids)[0].tolist() == [2**40 + 5, 2]
    with crivo.Filter(crivo.build_filter(numbers, type="range", fpr=0.001, longest_range=100).data) as ranges:
        assert ranges.contains_ranges(numbers, numbers).all() and ranges.get_many(numbers).all()


def test_masked_arrays():
    """What is masked is no key, value or id."""
    masked = np.ma.masked_array(np.array([1, 2, 3]), mask=[0, 1, 0])
    words = crivo.Dictionary(crivo.build_dictionary(["a", "b", "c", "d"], values=[1, 2, 3, 4]).data)
    ranges = crivo.Filter(crivo.build_filter([1, 2, 3], type="range", fpr=0.01, longest_range=100).data)
    exact = crivo.Exact(crivo.build_exact([1], [1, 2, 3]).data)
    for call in (crivo.build_mphf, lambda some: crivo.build_map(["a", "b", "c"], values=some), words.key_many, words.value_many,
                 ranges.get_many, lambda some: ranges.contains_ranges(some, some), lambda some: exact.get_many(some, groups=["a"] * 3)):
        with pytest.raises(TypeError, match="masked"):
            call(masked)


@pytest.mark.parametrize("wrong", [np.array([1.9, 0.0]), [2**60 + 1.0], [1.0], [np.float32(1)], ["a"], [True], np.array([True]), np.array([1e30])])
def test_numbers_are_not_rounded(wrong):
    words = crivo.Dictionary(crivo.build_dictionary(["a", "b", "c", "d"], values=[1, 2, 3, 4]).data)
    ranges = crivo.Filter(crivo.build_filter([1, 2, 3], type="range", fpr=0.01, longest_range=100).data)
    for call in (words.key_many, words.value_many, lambda some: ranges.contains_ranges(some, some), lambda some: crivo.build_map(["a"], values=some),
                 lambda some: words.key(some[0]), lambda some: words.value(some[0]), lambda some: ranges.contains_range(some[0], some[0]),
                 lambda some: ranges.contains_range(0, some[0])):
        with pytest.raises(TypeError):
            call(wrong)


def test_one_number_is_one_key():
    """Asked for alone, in a batch, counted, and built of an iterable or of an array."""
    for keys in ([5, 2**40], np.array([5, 2**40]), iter([5, 2**40]), {5: 0, 2**40: 0}.keys()):
        with crivo.Filter(crivo.build_filter(keys, type="range", fpr=1e-6, longest_range=10).data) as ranges:
            assert 5 in ranges and ranges.get_many([5, 2**40]).all() and ranges.count(5) == 1 and ranges.count(2**40) == 1
            assert ranges.contains_range(4, 6) and (5).to_bytes(8, "big") in ranges
    with pytest.raises(TypeError, match=re.escape("keys[1] is 'b'")):
        crivo.build_mphf(iter([1, "b"]))
    with pytest.raises(TypeError, match=re.escape("keys[1] is 2")):
        crivo.build_mphf(iter(["a", 2]))


def test_bytes_of_one_width():
    """Of type V all bytes count; of type S, as in numpy, NULs at the end do not."""
    digests = [bytes([i, 7, i % 3, 0]) for i in range(200)]
    array = np.frombuffer(b"".join(digests), "V4")
    with crivo.Mphf(crivo.build_mphf(array, signature_bits=32).data) as ranks:
        assert sorted(ranks.get_many(array)) == sorted(ranks[digest] for digest in digests) == list(range(200))
        assert sorted(ranks.get_many(np.array(digests[::-1], object))) == list(range(200))
    assert crivo.build_mphf(array.view("S4")).keys == 200
    with pytest.raises(TypeError):
        crivo.build_mphf(np.zeros(2, "i4,i4"))
    assert crivo.build_mphf(np.array([])).keys == 0


def test_texts_arrive_whole(tmp_path):
    """A NUL would end them in C."""
    crivo.build_mphf(["a"], tmp_path / "m")
    name = str(tmp_path / "m")
    for call in (crivo.open, crivo.inspect, crivo.notes, crivo.verify, crivo.Mphf, crivo.Files, crivo.Writer, crivo.compact_store,
                 lambda path: crivo.build_mphf(["b"], path), lambda path: crivo.build_mphf(["b"], temp_dir=path),
                 lambda path: crivo.sign(path, name), lambda path: crivo.sign(name, path), lambda path: crivo.merge_parts([path], name + "2"),
                 lambda path: crivo.set_records(path, {"a": "b"}), lambda path: crivo.apply_deltas(path, [name]), crivo.finish_partition):
        with pytest.raises(ValueError, match="NUL"):
            call(name + "\0more")
    for given in ({"a\0b": "c"}, {"a": "b\0c"}):
        with pytest.raises(ValueError, match="NUL"):
            crivo.build_mphf(["a"], notes=given)
    with pytest.raises(TypeError, match="notes are str"):
        crivo.build_mphf(["a"], notes={"a": 1})
    with pytest.raises(UnicodeEncodeError):
        crivo.build_mphf(["a", "b\udc80"])
    for paths in (name, tmp_path, name.encode()):
        with pytest.raises(TypeError, match="one path"):
            crivo.merge_parts(paths, name + "2")
        with pytest.raises(TypeError, match="one path"):
            crivo.squash_deltas(paths, name + "2")
    assert crivo.open(name.encode()).get("a") == 0 and crivo.inspect(name.encode()).keys == 1


def test_formats_that_contradict_themselves(tmp_path):
    """Are refused by the library, as by the program."""
    (tmp_path / "keys").write_bytes(b"name\0abcdefg")
    for options in ({"null": True, "header": True}, {"null": True, "csv": True}, {"null": True, "column": 2}, {"null": True, "delimiter": ";"},
                    {"null": True, "width": 4}, {"width": 4, "header": True}, {"width": 4, "csv": True}, {"width": 4, "hex": True},
                    {"null": True, "json_key": "k"}, {"width": 4, "strip_cr": True}):
        with pytest.raises(crivo.UsageError):
            crivo.build_mphf(crivo.Files(tmp_path / "keys", **options))
