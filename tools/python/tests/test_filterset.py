# SPDX-License-Identifier: Apache-2.0
"""Filter sets."""

import os
import subprocess

import numpy as np
import pytest

import crivo

GROUPS = {f"part-{i}": {f"key {i * 50 + j}" for j in range(100)} for i in range(70)}


@pytest.fixture(name="pairs")
def pairs_of_groups(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{group}\t{key}\n" for group, keys in GROUPS.items() for key in keys), encoding="utf-8")
    return crivo.Files(path, column=2, value_column=1)


def test_groups_have_their_keys(pairs, tmp_path):
    summary = crivo.build_filterset(pairs, tmp_path / "f", fpr=1e-6)
    assert summary.keys == sum(map(len, GROUPS.values()))
    with crivo.open(tmp_path / "f") as files:
        assert isinstance(files, crivo.FilterSet) and len(files) == summary.keys
        assert files.groups() == sorted(GROUPS) and files.info.kind == "filterset"
        assert files.number("part-7") == sorted(GROUPS).index("part-7") and files.number("part") is None
        for key in ("key 0", "key 77", "absent"):
            assert files.groups_of(key) == [group for group in sorted(GROUPS) if key in GROUPS[group]]
        assert files.contains("part-3", "key 151") and files.contains(files.number("part-3"), "key 151")
        assert not files.contains("part-3", "key 0") and not files.contains("no group", "key 0") and not files.contains(-1, "key 0")
        keys = [f"key {i}" for i in range(0, 4000, 31)]
        found = files.groups_of_many(keys)
        expected = [[key in GROUPS[group] for group in sorted(GROUPS)] for key in keys]
        assert found.dtype == np.bool_ and found.tolist() == expected
        assert files.count(keys).tolist() == np.sum(expected, axis=0).tolist()
        assert files.contains_many("part-3", keys).tolist() == [key in GROUPS["part-3"] for key in keys]
        assert not files.contains_many("no group", keys).any()


def test_each_file_is_a_group(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("a.csv", "n,key\n1,ape\n2,bee\n"), ("b.csv", "n,key\n1,bee\n"), ("none.csv", "n,key\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = crivo.Files("a.csv", "b.csv", "none.csv", csv=True, header=True, column="key", group_by_file=True)
    built = crivo.FilterSet(crivo.build_filterset(files, fpr=1e-6).data)
    assert built.groups() == ["a.csv", "b.csv", "none.csv"]
    assert [built.groups_of(key) for key in ("ape", "bee", "cat")] == [["a.csv"], ["a.csv", "b.csv"], []]
    with pytest.raises(crivo.UsageError, match='inputs 1 and 2 have one name, "a.csv"'):
        crivo.build_filterset(crivo.Files("a.csv", "a.csv", group_by_file=True))
    refused = "^groups: is for the kind filterset alone, and not for "
    with pytest.raises(crivo.UsageError, match=refused + "the kind mphf$"):
        crivo.build_mphf(files)
    with pytest.raises(crivo.UsageError, match=refused + "the kind exact$"):
        crivo.build_exact(files, ["ape", "bee"])
    with pytest.raises(crivo.UsageError, match=refused + "the kind filter$"):
        crivo.estimate("filter", files)
    with pytest.raises(crivo.UsageError, match=refused + "this partition$"):
        crivo.partition_keys(files, tmp_path / "dealt")
    with pytest.raises(crivo.UsageError, match="^universe: is for the kind exact alone, and not for this partition$"):
        crivo.partition_keys(["ape"], tmp_path / "dealt", universe=["ape"], filter_set=True)


def test_layers_are_one_set(pairs, tmp_path):
    """A chain has the groups that were not removed, in the order of their names."""
    crivo.build_filterset(pairs, tmp_path / "base", fpr=1e-6)
    (tmp_path / "new.tsv").write_text("new\tkey 5\npart-0\tother\n", encoding="utf-8")
    change = [os.environ["CRIVO"], "filterset", "add", tmp_path / "base", tmp_path / "new.tsv", "--remove", "part-0", "--remove", "part-1"]
    subprocess.run([*change, "-o", tmp_path / "chain", "--quiet"], check=True)
    with crivo.open(tmp_path / "chain") as files:
        assert isinstance(files, crivo.FilterSet) and files.info.kind == "chain"
        assert files.groups() == sorted({"new", *GROUPS} - {"part-1"})
        assert (files.groups_of("key 5"), files.groups_of("other"), files.groups_of("key 70")) == (["new"], ["part-0"], [])
        assert files.number("part-1") is None and files.contains("part-2", "key 100") and not files.contains("part-0", "key 5")
        files.verify()


def test_what_is_refused(tmp_path):
    (tmp_path / "bad.tsv").write_text("a\tb\nc\n", encoding="utf-8")
    with pytest.raises(crivo.BadInputError, match=":2"):
        crivo.build_filterset(crivo.Files(tmp_path / "bad.tsv", column=2, value_column=1))
    with pytest.raises(crivo.UsageError):
        crivo.build_filterset(crivo.Files(tmp_path / "bad.tsv", column=2, value_column=1), fpr=2)


def test_groups_come_and_go(pairs, tmp_path):
    """add_groups, remove_groups and compact_groups: chains of layers."""
    (tmp_path / "new.tsv").write_text("part-3\tnew key\nlast\tkey 0\n", encoding="utf-8")
    new = crivo.Files(tmp_path / "new.tsv", column=2, value_column=1)
    crivo.build_filterset(pairs, tmp_path / "f", fpr=1e-6)
    with pytest.raises(crivo.UsageError):  # no chain yet
        crivo.add_groups(tmp_path / "f", new, removed=["part-3"])
    with pytest.raises(crivo.BadInputError, match="already"):
        crivo.add_groups(tmp_path / "f", new, tmp_path / "chain")
    change = crivo.add_groups(tmp_path / "f", new, tmp_path / "chain", removed=["part-3"], snapshot="today")
    assert (change.layers, change.added, change.groups, change.removed_groups) == (2, 2, len(GROUPS) + 1, 1)
    assert len(change.state) == 64 and change.bytes > 0
    with crivo.open(tmp_path / "chain") as files:
        assert files.groups_of("new key") == ["part-3"] and files.groups_of("key 0") == ["last", "part-0"]
    with pytest.raises(crivo.UsageError, match='those to be added "urls"; make them alike, and say so in the note crivo.with.keys$'):
        crivo.add_groups(tmp_path / "chain", new, notes={"crivo.with.keys": "urls"})
    assert crivo.remove_groups(tmp_path / "chain", ["last"]).groups == len(GROUPS)
    with pytest.raises(crivo.BadInputError, match="no group"):
        crivo.remove_groups(tmp_path / "chain", ["last"])
    assert crivo.compact_groups(tmp_path / "chain", removed="part-0", notes={"who": "me"}).layers == 1
    with crivo.open(tmp_path / "chain") as files:
        assert files.groups_of("new key") == ["part-3"] and files.groups_of("key 0") == []
        for group in GROUPS.keys() - {"part-0", "part-3"}:
            assert files.contains_many(group, sorted(GROUPS[group])).all()
    for wrong in (None, 7, [None]):
        with pytest.raises((TypeError, ValueError)):
            crivo.remove_groups(tmp_path / "chain", wrong)
