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
