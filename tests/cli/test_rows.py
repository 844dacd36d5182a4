# SPDX-License-Identifier: Apache-2.0
"""Indexes of rows: key -> file, row group, row."""

import json
import random
import unittest

from harness import CrivoTest, lines


def row(key, file, number):
    return b"\t".join((key, file, b"%d" % number))


class Rows(CrivoTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(7)
        self.files = [b"data/part-%d.parquet" % i for i in range(20)] + [b"it's;a \"name\"", b"z\xff"]
        places = {(rng.randrange(len(self.files)), rng.randrange(1_000)) for _ in range(3_000)}
        self.rows = {b"key %d" % i: (self.files[file], number) for i, (file, number) in enumerate(sorted(places))}
        self.write("rows.tsv", lines(row(key, *place) for key, place in self.rows.items()))
        self.keys = lines(self.rows)

    def answers(self, name, keys):
        return self.crivo("query", name, "-", stdin=keys).out

    def bytes_of(self, name):
        return (self.dir / name).read_bytes()

    def test_each_key_has_its_row(self):
        self.crivo("build", "rows", "rows.tsv", "-o", "r")
        self.assertEqual(self.answers("r", self.keys), lines(row(key, *place) for key, place in self.rows.items()))
        self.assertEqual(self.answers("r", b"nothing\n"), b"nothing\t-\n")
        self.crivo("verify", "r", "--keys", "rows.tsv")
        info = json.loads(self.crivo("info", "r", "--json").out)
        self.assertEqual((info["kind"], info["keys"], info["files"]), ("rows", len(self.rows), len(self.files)))
        self.assertNotIn("row_groups", info)

    def test_another_row_is_found_by_verify(self):
        self.crivo("build", "rows", "rows.tsv", "-o", "r")
        key, (file, number) = next(iter(self.rows.items()))
        wrong = {**self.rows, key: (file, number + 1)}
        self.write("wrong.tsv", lines(row(key, *place) for key, place in wrong.items()))
        self.assertIn(key, self.crivo("verify", "r", "--keys", "wrong.tsv", code=1).err)
        self.write("fewer.tsv", lines(row(key, *place) for key, place in list(self.rows.items())[1:]))
        self.crivo("verify", "r", "--keys", "fewer.tsv", code=1)

    def test_the_same_bytes_from_any_input(self):
        self.crivo("build", "rows", "rows.tsv", "-o", "r")
        shuffled = [row(key, *place) for key, place in self.rows.items()]
        random.Random(1).shuffle(shuffled)
        csv = ["row,key,file"] + [
            '%d,%s,"%s"' % (number, key.decode(), file.decode("latin-1").replace('"', '""')) for key, (file, number) in self.rows.items()
        ]
        self.write("rows.csv", "\n".join(csv).encode("latin-1"))
        for name, given, options in (
            ("piped", lines(shuffled), ["-", "--threads", "3"]),
            ("split", b"", ["rows.tsv", "--memory", "9M", "--threads", "1"]),
            ("csv", b"", ["rows.csv", "--csv", "--header", "--column", "key,file,row"]),
            ("numbered", b"", ["rows.csv", "--csv", "--header", "--column", "2,3,1"]),
        ):
            with self.subTest(name):
                self.crivo("build", "rows", *options, "-o", name, stdin=given)
                self.assertEqual(self.bytes_of(name), self.bytes_of("r"))
        self.assertEqual(self.crivo("reproduce", "r", "rows.tsv").code, 0)

    def test_members_of_objects(self):
        objects = [{"id": "a", "file": "x\ty", "row": 3}, {"file": "b", "row": 4, "id": 17}]
        self.write("rows.json", "\n".join(map(json.dumps, objects)).encode())
        self.crivo("build", "rows", "rows.json", "--json-key", "id", "--json-value", "file", "--json-row", "row", "-o", "r")
        self.assertEqual(self.answers("r", b"a\n17\n"), b"a\tx\ty\t3\n17\tb\t4\n")

    def test_row_groups(self):
        groups = [b"%s\t%d\t%d" % (file, group, 100) for file in self.files for group in range(10) for _column in range(2)]
        random.Random(2).shuffle(groups)
        self.write("groups", lines(groups))
        self.crivo("build", "rows", "rows.tsv", "--row-groups", "groups", "-o", "r")
        expected = [b"%s\t%s\t%d\t%d" % (key, file, number // 100, number) for key, (file, number) in self.rows.items()]
        self.assertEqual(self.answers("r", self.keys), lines(expected))
        info = json.loads(self.crivo("info", "r", "--json").out)
        self.crivo("reproduce", "r", "rows.tsv", "--row-groups", "groups")
        self.crivo("verify", "r", "--keys", "rows.tsv")
        self.assertEqual((info["row_groups"], info["rows"]), (10 * len(self.files), 1_000 * len(self.files)))
        for line, said in ((row(b"k", self.files[0], 1_000), b"has 1000 rows"), (row(b"k", b"other", 0), b"none of the files")):
            self.write("one.tsv", line)
            error = self.crivo("build", "rows", "one.tsv", "--row-groups", "groups", "-o", "new", code=3).err
            self.assertIn(b"one.tsv:1: ", error)
            self.assertIn(said, error)
        self.write("few", b"a\t0\t5\na\t2\t5\n")
        self.assertIn(b"no row group 1", self.crivo("build", "rows", "one.tsv", "--row-groups", "few", "-o", "new", code=3).err)
        self.crivo("build", "rows", "one.tsv", "--row-groups", "missing", "-o", "new", code=5)

    def test_what_is_refused(self):
        for line in (b"k", b"k\tf", b"k\tf\tx", b"k\tf\t-1", b"k\tf\t1099511627776", b"k\t\t1"):
            with self.subTest(line):
                self.write("bad.tsv", b"a\tf\t0\n" + line + b"\n")
                self.assertIn(b"bad.tsv:2: ", self.crivo("build", "rows", "bad.tsv", "-o", "new", code=3).err)
        self.write("twice.tsv", b"k\tf\t0\nk\tf\t1\n")
        self.assertIn(b"twice.tsv:2", self.crivo("build", "rows", "twice.tsv", "-o", "new", code=3).err)
        self.crivo("build", "rows", "twice.tsv", "--duplicates", "ignore", "-o", "first")
        self.assertEqual(self.answers("first", b"k\n"), b"k\tf\t0\n")
        self.crivo("build", "rows", "rows.tsv", "-o", "new", "--resume", "kept", code=2)
        self.assertFalse((self.dir / "new").exists())

    def test_keys_of_other_kinds_have_one_value(self):
        """A third column is put behind the record of a store, and is no number."""
        self.write("three.csv", b"a,b,7\n")
        self.crivo("build", "store", "three.csv", "--csv", "--column", "1,2,3", "-o", "s")
        self.assertEqual(self.crivo("get", "s", "a").out, b"b\t7")
        self.crivo("build", "map", "three.csv", "--values", "--csv", "--column", "1,2,3", "-o", "m", code=3)
        self.crivo("build", "rows", "three.csv", "--csv", "--column", "1,2,3,4", "-o", "m", code=2)

    def test_an_estimate(self):
        estimate = json.loads(self.crivo("build", "rows", "rows.tsv", "-o", "r", "--dry-run", "--json").out)
        self.crivo("build", "rows", "rows.tsv", "-o", "r")
        self.assertLess(abs(estimate["output_bytes"] / len(self.bytes_of("r")) - 1), 0.3)


if __name__ == "__main__":
    unittest.main()
