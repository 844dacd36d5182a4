# SPDX-License-Identifier: Apache-2.0
"""Indexes of rows in shards: the file of one build, byte for byte; all else is refused."""

import random
import unittest

from harness import InShards, lines


class RowsInShards(InShards):
    KIND, FLAG, INPUT = "rows", "--rows", "rows.tsv"

    def setUp(self):
        super().setUp()
        rng = random.Random(11)
        self.names = ["data/part-%d.parquet" % i for i in range(30)]
        rng.shuffle(self.names)
        places = rng.sample([(name, number) for name in self.names for number in range(400)], 9_000)
        self.pairs = ["key %d\t%s\t%d" % (i, *place) for i, place in enumerate(places)]
        rows = lines(pair.encode() for pair in self.pairs)
        self.write("rows.tsv", rows)
        middle = rows.index(b"\n", len(rows) // 3) + 1
        self.write("first.tsv", rows[:middle])
        self.write("second.tsv", rows[middle:])
        # Three groups each, and a file that has no row.
        groups = [
            "%s\t%d\t%d" % (name, group, count)
            for name in [*self.names, "empty.parquet"]
            for group, count in enumerate((100, 250, 50))
        ]
        self.write("groups.tsv", lines(line.encode() for line in groups))

    def test_the_same_bytes(self):
        for i, (dealt, built) in enumerate(
            (([], []), (["--row-groups", "groups.tsv"], ["--signature", "8"]), ([], ["--signature", "0", "--no-tree"]))
        ):
            whole = self.whole(*dealt, *built)
            for tasks, shards in ((1, 1), (3, 4), (2, 3)):
                of = "dealt-%d-%d" % (i, tasks)
                self.deal_out(*dealt, tasks=tasks, of=of)
                with self.subTest(dealt=dealt, built=built, tasks=tasks, shards=shards):
                    self.assertEqual(self.merged(shards, *built, of=of), whole)
        self.crivo("verify", "merged", "--keys", "rows.tsv")

    def test_keys_in_several_rows(self):
        """Also one that is in several tasks' shares, and one row that comes twice."""
        more = ["key %d\t%s\t%d" % (i % 900, self.names[i % 7], 399 - i % 350) for i in range(3_000)]
        pairs = [*self.pairs[:3_000], *more, *self.pairs[2_500:]]
        self.write("many.tsv", lines(pair.encode() for pair in pairs))
        for groups in ([], ["--row-groups", "groups.tsv"]):
            whole = self.whole("--many", *groups, inputs=["many.tsv"])
            for tasks, shards in ((1, 2), (4, 3)):
                of = "dealt-%d-%d" % (len(groups), tasks)
                self.deal_out("--many", *groups, tasks=tasks, of=of, inputs=["many.tsv"])
                with self.subTest(groups=groups, tasks=tasks, shards=shards):
                    self.assertEqual(self.merged(shards, "--many", of=of), whole)

    def test_nulls_and_repeats(self):
        rows = ['"k%d",%s,%d' % (i % 500, self.names[i % 20], i) for i in range(800)]
        rows[100:100] = [",%s,7" % self.names[0], "NIL,%s,8" % self.names[1]]
        files = ["rows-%d.csv" % i for i in range(3)]
        for i, name in enumerate(files):
            self.write(name, lines(line.encode() for line in ["key,file,row", *rows[i * 300 : i * 300 + 300]]))
        form = ["--csv", "--header", "--column", "key,file,row"]
        for keys in (["--duplicates", "ignore"], ["--many"]):
            for null, nulls in (([], b"1"), (["--null-text", "NIL"], b"1")):
                choices = [*(keys if keys == ["--many"] else []), *null]
                if null and keys == ["--duplicates", "ignore"]:
                    continue  # the empty key is one, then, and refused
                whole = self.whole(*form, *keys, *null, *(["--allow-empty"] if null else []), inputs=files)
                of = "dealt%d%d" % (len(keys), len(null))
                self.deal_out(*form, *keys, *null, *(["--allow-empty"] if null else []), tasks=3, of=of, inputs=files)
                with self.subTest(keys=keys, null=null):
                    self.assertEqual(self.merged(3, *choices, of=of), whole)
                    self.assertIn(b'"null_keys":' + nulls, self.crivo("info", "merged", "--json").out.replace(b" ", b""))

    def test_an_empty_share(self):
        self.write("one.tsv", b"key\tfile\t3\n")
        whole = self.whole(inputs=["one.tsv"])
        self.deal_out(tasks=3, inputs=["one.tsv"])
        self.assertEqual(self.merged(2), whole)

    def test_the_files_are_looked_at(self):
        for name in self.names[:2]:
            (self.dir / name).parent.mkdir(exist_ok=True)
            self.write(name, name.encode())
        self.write("few.tsv", lines(b"k%d\t%s\t%d" % (i, self.names[i % 2].encode(), i) for i in range(50)))
        whole = self.whole("--check-files", inputs=["few.tsv"])
        self.deal_out(inputs=["few.tsv"])
        self.assertEqual(self.merged(2, "--check-files"), whole)
        self.write(self.names[1], b"rewritten")
        self.crivo("build", "rows", "dealt", "--shard", "1/2", "-o", "part-1", "-f", "--check-files", "--quiet")
        failed = self.crivo("merge", "part-0", "part-1", "-o", "merged", "-f", code=2)
        self.assertIn(b"part-1: found a file of the table otherwise than part-0", failed.err)

    def test_what_is_refused(self):
        self.write("twice.tsv", b"key\ta\t1\nother\ta\t2\nkey\ta\t3\n")
        self.crivo("partition", "twice.tsv", "--rows", "--shards", "2", "-o", "twice", code=3)
        self.write("wide.tsv", lines(b"key %d\ta\t%d" % (i % 600, i) for i in range(1_000)))
        for task in (0, 1):
            self.crivo("partition", "wide.tsv", "--rows", "--shards", "2", "-o", "wide", "--part", "%d/2" % task, "--quiet")
        failed = self.crivo("partition", "--finish", "wide", code=3)
        self.assertIn(b"400 keys are there more than once", failed.err)
        self.deal_out()
        for options in (["--many"], ["--row-groups", "groups.tsv"], ["--null-text", "NIL"]):
            failed = self.crivo("build", "rows", "dealt", "--shard", "0/2", "-o", "p", *options, code=2)
            self.assertIn(b"are chosen there", failed.err)
        self.crivo("partition", "rows.tsv", "--shards", "2", "-o", "keys", "--quiet")
        failed = self.crivo("build", "rows", "keys", "--shard", "0/2", "-o", "p", code=2)
        self.assertIn(b"its keys have no rows", failed.err)
        for kind in ("map", "mphf"):
            self.crivo("build", kind, "dealt", "--shard", "0/1", "-o", "p", "-f", code=2 if kind == "map" else 0)
        self.crivo("partition", "rows.tsv", "--rows", "--many", "--shards", "2", "-o", "many", "--quiet")
        self.assertIn(b"in several rows", self.crivo("build", "mphf", "many", "--shard", "0/1", "-o", "p", "-f", code=2).err)
        self.crivo("partition", "rows.tsv", "--rows", "--values", "--shards", "2", "-o", "bad", code=2)
        self.crivo("partition", "rows.tsv", "--many", "--shards", "2", "-o", "bad", code=2)
        self.merged(2)
        failed = self.crivo("manifest", "part-0", "part-1", "-o", "m", code=2)
        self.assertIn(b"whose parts are merged and not served", failed.err)
        # Tasks that know other row groups than others.
        common = ["partition", "rows.tsv", "--rows", "--shards", "2", "-o", "other", "--quiet"]
        self.crivo(*common, "--part", "0/2", "--row-groups", "groups.tsv")
        self.write("groups.tsv", (self.dir / "groups.tsv").read_bytes() + b"another.parquet\t0\t5\n")
        failed = self.crivo(*common, "--part", "1/2", "--row-groups", "groups.tsv", code=2)
        self.assertIn(b"belongs to another partition", failed.err)

    def test_damage(self):
        """A file of keys that was damaged: an error, and never another file."""
        self.deal_out(tasks=2)
        whole = self.whole()
        name = self.dir / "dealt" / "keys-1-of-2.crv"
        good = name.read_bytes()
        rng = random.Random(3)
        for _ in range(60):
            bad = bytearray(good)
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
            name.write_bytes(bad)
            done = [
                self.crivo("build", "rows", "dealt", "--shard", "%d/2" % i, "-o", "part-%d" % i, "-f", "--quiet", code=(0, 2, 4))
                for i in (0, 1)
            ]
            if all(one.code == 0 for one in done):  # of nothing that a shard reads
                self.crivo("merge", "part-0", "part-1", "-o", "merged", "-f", "--quiet")
                self.assertEqual((self.dir / "merged").read_bytes(), whole)
            else:
                self.assertTrue(all(one.code in (0, 2, 4) for one in done))


if __name__ == "__main__":
    unittest.main()
