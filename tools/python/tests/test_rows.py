# SPDX-License-Identifier: Apache-2.0
"""Indexes of rows."""

import os
import pickle
import subprocess

import numpy as np
import pytest

import crivo

PLACES = {f"key {i}": (f"part-{i % 7}.parquet", i // 7) for i in range(1000)}


@pytest.fixture(name="table")
def table_of_keys(tmp_path):
    path = tmp_path / "rows.tsv"
    path.write_text("".join(f"{key}\t{file}\t{row}\n" for key, (file, row) in PLACES.items()), encoding="utf-8")
    return path


def test_each_key_has_its_row(table, tmp_path):
    summary = crivo.build_rows(crivo.Files(table), tmp_path / "r")
    assert summary.keys == len(PLACES)
    with crivo.open(tmp_path / "r") as rows:
        assert isinstance(rows, crivo.Rows) and len(rows) == len(PLACES)
        assert rows.files() == [f"part-{i}.parquet" for i in range(7)]
        assert {key: (rows[key].file, rows[key].row) for key in PLACES} == PLACES
        assert rows.get("absent") is None and "absent" not in rows and "key 1" in rows
        with pytest.raises(KeyError):
            _ = rows["absent"]
        found, present = rows.get_many([*PLACES, "absent"])
        assert present.tolist() == [True] * len(PLACES) + [False]
        names = rows.files()
        assert [(names[file], row) for file, row in zip(found["file"][:-1], found["row"])] == list(PLACES.values())
        assert set(found["group"][:-1].tolist()) == {int(crivo.ABSENT)} and found[-1].tolist() == (0, 0, 0)
        assert pickle.loads(pickle.dumps(rows))["key 7"] == ("part-0.parquet", None, 1)


def test_layers_of_a_chain(table, tmp_path):
    """The newest layer answers, and all() has what each says."""
    crivo.build_rows(crivo.Files(table), tmp_path / "base")
    (tmp_path / "new.tsv").write_text("key 3\tnew.parquet\t8\nother\tnew.parquet\t9\n", encoding="utf-8")
    subprocess.run([os.environ["CRIVO"], "rows", "add", tmp_path / "base", tmp_path / "new.tsv", "-o", tmp_path / "chain", "--quiet"], check=True)
    with crivo.open(tmp_path / "chain") as rows:
        assert isinstance(rows, crivo.Rows) and rows["other"] == ("new.parquet", None, 9)
        assert rows.all("key 3") == [("new.parquet", None, 8), ("part-3.parquet", None, 0)] and rows["key 3"].row == 8
        assert rows.all("absent") == []


def test_row_groups(table, tmp_path):
    (tmp_path / "groups").write_text("".join(f"part-{i}.parquet\t{g}\t50\n" for i in range(7) for g in range(3)), encoding="utf-8")
    rows = crivo.Rows(crivo.build_rows(crivo.Files(table), row_groups=str(tmp_path / "groups")).data)
    assert rows["key 999"] == crivo.Row("part-5.parquet", 2, 142)
    assert rows.get_many(["key 999"])[0]["group"].tolist() == [2]
    with pytest.raises(crivo.BadInputError):
        (tmp_path / "groups").write_text("part-0.parquet\t0\t5\n", encoding="utf-8")
        crivo.build_rows(crivo.Files(table), row_groups=str(tmp_path / "groups"))


def test_numbers_and_odd_names(tmp_path):
    (tmp_path / "rows").write_bytes(b"\0".join(b"%d\0caf\xe9 %d\t%d" % (i, i % 2, i) for i in range(10)))
    with pytest.raises(crivo.UsageError):
        crivo.build_rows(crivo.Files(tmp_path / "rows", width=8))
    rows = crivo.Rows(crivo.build_rows(crivo.Files(tmp_path / "rows", null=True), signature_bits=32).data)
    assert rows["3"].file.encode("utf-8", "surrogateescape") == b"caf\xe9 1" and rows["3"].row == 3
    assert not rows.get_many(np.arange(3))[1].any()


def test_keys_in_several_rows(tmp_path):
    places = {f"key {i}": [("f", i * 1000 + j) for j in range(1 + i % 3)] for i in range(100)}
    places["many"] = [("g", j) for j in range(300)]
    path = tmp_path / "rows.tsv"
    path.write_text("".join(f"{key}\t{file}\t{row}\n" for key, rows in places.items() for file, row in rows), encoding="utf-8")
    built = crivo.build_rows(crivo.Files(path), many=True)
    rows = crivo.Rows(built.data)
    assert built.keys == len(rows) == len(places)
    assert {key: [(row.file, row.row) for row in rows.all(key)] for key in places} == places
    assert rows["many"].row == 0 and rows.all("absent") == []
    for asked in ([*places, "absent", "many"], ["absent"], []):
        found, ends = rows.all_many(asked)
        begins = [0, *ends.tolist()]
        numbers = [found["row"][begin:end].tolist() for begin, end in zip(begins, begins[1:])]
        assert numbers == [[row for _, row in places.get(key, [])] for key in asked]
    with pytest.raises(crivo.UsageError):
        crivo.build_rows(crivo.Files(path), many=True, signature_bits=0)


def test_null_keys_and_keys_of_several_columns(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,file,row,b\nx,f,1,y\n,f,2,y\nx,f,3,\n", encoding="utf-8")
    for column in (["a", "b"], [1, 4]):
        files = crivo.Files(path, csv=True, header=True, column=column, value_column="file", row_column="row")
        rows = crivo.Rows(crivo.build_rows(files).data)
        assert len(rows) == 1 and rows["x\ty"] == ("f", None, 1)
    path.write_text('{"a": "x", "b": 7, "file": "f", "row": 1}\n{"a": null, "b": 7, "file": "f", "row": 2}\n', encoding="utf-8")
    rows = crivo.Rows(crivo.build_rows(crivo.Files(path, json_key=["a", "b"], json_value="file", json_row="row")).data)
    assert len(rows) == 1 and rows["x\t7"].row == 1
    path.write_text("x\tf\t1\nNULL\tf\t2\n", encoding="utf-8")
    assert len(crivo.Rows(crivo.build_rows(crivo.Files(path), null_text="NULL").data)) == 1
    for wrong in ([], [b"a"], ["a", "b"]):
        with pytest.raises((TypeError, ValueError)):
            crivo.Files(path, column=wrong)


def pairs(tmp_path, name, lines):
    (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return crivo.Files(tmp_path / name)


def test_files_come_and_go(tmp_path):
    """add_rows, remove_rows and compact_rows: chains of layers."""
    old, new = pairs(tmp_path, "old", ["ape\told\t1", "bee\tolder\t2"]), pairs(tmp_path, "new", ["ape\tnew\t5"])
    crivo.build_rows(old, tmp_path / "base")
    with pytest.raises(crivo.UsageError):  # no chain yet
        crivo.add_rows(tmp_path / "base", new)
    change = crivo.add_rows(tmp_path / "base", new, tmp_path / "chain", removed=["old"], snapshot="today")
    assert (change.layers, change.keys, change.added, change.files, change.removed_files) == (2, 3, 1, 2, 1)
    assert len(change.state) == 64 and change.bytes > 0
    with crivo.open(tmp_path / "chain") as rows:
        assert rows.all("ape") == [("new", None, 5)] and rows["bee"].row == 2
    with pytest.raises(crivo.BadInputError, match="already"):
        crivo.add_rows(tmp_path / "chain", new)
    assert crivo.remove_rows(tmp_path / "chain", ["older"]).files == 1
    with pytest.raises(crivo.BadInputError, match="no file"):
        crivo.remove_rows(tmp_path / "chain", ["older"])
    with pytest.raises(crivo.BadInputError, match="is no file of"):
        crivo.compact_rows(tmp_path / "chain", old)
    assert crivo.compact_rows(tmp_path / "chain", new, notes={"who": "me"}).layers == 1
    assert crivo.open(tmp_path / "chain")["ape"] == ("new", None, 5)
    for wrong in (None, 7, [None]):
        with pytest.raises((TypeError, ValueError)):
            crivo.remove_rows(tmp_path / "chain", wrong)


def test_numbers(tmp_path):
    """`fixed`: keys are numbers, which are found as such."""
    table = pairs(tmp_path, "rows", [f"{7 * i}\tpart-{i % 3}\t{i}" for i in range(500)])
    rows = crivo.Rows(crivo.build_rows(table, fixed=8).data)
    assert rows[7 * 42] == ("part-0", None, 42) and rows.get(8) is None and rows.get("7") is None
    with pytest.raises(crivo.BadInputError, match="is not a 64-bit number"):
        crivo.build_rows(pairs(tmp_path, "bad", ["ape\tf\t0"]), fixed=8)
    with pytest.raises(crivo.UsageError):
        crivo.build_rows(table, fixed=4)


def test_shards(table, tmp_path):
    """The same bytes by partition_keys and build_part."""
    crivo.build_rows(crivo.Files(table), tmp_path / "whole", many=True)
    for task in range(2):
        crivo.partition_keys(crivo.Files(table), tmp_path / "dealt", rows=True, many=True, shards=2, part=(task, 2))
    assert crivo.finish_partition(tmp_path / "dealt").keys == len(PLACES)
    parts = [tmp_path / f"part-{shard}" for shard in range(2)]
    for shard, part in enumerate(parts):
        crivo.build_part("rows", tmp_path / "dealt", (shard, 2), part, many=True)
    crivo.merge_parts(parts, tmp_path / "merged")
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "whole").read_bytes()
    with pytest.raises(crivo.UsageError):
        crivo.partition_keys(crivo.Files(table), tmp_path / "no", many=True)
