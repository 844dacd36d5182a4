# SPDX-License-Identifier: Apache-2.0
"""`crivo build store --ordered`: records in the order of their keys."""

import json
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "formats"))
import reader  # noqa: E402
from harness import LONG, CrivoTest, files_of, lines, records_of, urls


class Ordered(CrivoTest):
    def build(self, *args, out="store", **options):
        self.crivo("build", "store", *args, "--backend", "flat", "--ordered", "-o", out, "--force", "--quiet", **options)
        return files_of(self.dir / out)

    def write_pairs(self, count, name="pairs", seed=1):
        keys = urls(count)
        rows = [b"%s\t%s" % pair for pair in zip(keys, records_of(keys))]
        random.Random(seed).shuffle(rows)
        self.write(name, lines(rows))
        return sorted(rows, key=lambda row: row.split(b"\t")[0])

    def test_records_come_in_the_order_of_their_keys(self):
        rows = self.write_pairs(3000)
        self.build("pairs")
        self.assertEqual(self.crivo("dump", "store").out, lines(rows))
        keys = [row.split(b"\t")[0] for row in rows]
        for text in (keys[1500][:14], keys[7], b"http", keys[2999]):
            some = [row for row in rows if row.startswith(text)]
            self.assertEqual(self.crivo("dump", "store", "--prefix", text).out, lines(some))
            self.assertEqual(self.crivo("query", "store", "--prefix", text).out, lines(some))
            records = [row.split(b"\t", 1)[1] for row in some]
            self.assertEqual(self.crivo("get", "store", "--prefix", text).out, lines(records))
        self.assertEqual(self.crivo("dump", "store", "--range", keys[10], keys[20]).out, lines(rows[10:20]))
        self.assertEqual(self.crivo("dump", "store", "--lower-bound", keys[10], "--limit", "3").out, lines(rows[10:13]))
        self.assertEqual(self.crivo("get", "store", "--prefix", "", "--limit", "2", "--json").json_lines()[1]["key"], keys[1].decode())
        self.assertEqual(self.crivo("get", "store", "--prefix", "", "--limit", "0").out, b"")
        self.assertEqual(self.crivo("get", "store", keys[5]).out, rows[5].split(b"\t", 1)[1])
        self.crivo("get", "store", "--prefix", "zzz", code=1)
        self.crivo("get", "store", keys[5] + b"x", code=1)
        self.assertEqual(self.crivo("dump", "store", "--prefix", "zzz").out, b"")
        self.crivo("verify", "store", "--keys", "pairs")
        info = self.info("store")
        self.assertEqual((info["algorithm"], info["backend"], info["keys"]), ("dictionary", "flat", 3000))

    def test_is_the_same_however_the_records_come(self):
        self.write_pairs(20_000 if LONG else 4_000, "one", 1)
        self.write_pairs(20_000 if LONG else 4_000, "two", 2)
        for codec in ("auto", "zstd", "neighbours"):
            whole = self.build("one", "--codec", codec)
            for args in (("two",), ("one", "--threads", "1"), ("one", "--memory", "64M"), ("one", "--memory", "26M", "--threads", "3")):
                self.assertEqual(self.build(*args, "--codec", codec), whole, args)
            piped = self.build("-", "--codec", codec, stdin=(self.dir / "two").read_bytes())
            self.assertEqual(piped, whole)
            again = self.build("-", "--codec", codec, stdin=self.crivo("dump", "store").out)
            self.assertEqual(again, whole)

    def test_records_alike_take_what_differs(self):
        """`--goal size` orders the records, asked or not; each comes back, by whichever reader and in whichever order."""
        rows = self.write_pairs(6000)
        self.write("in order", lines(rows))
        self.crivo("build", "store", "pairs", "--backend", "flat", "--goal", "size", "-o", "small", "--quiet")
        info = self.info("small")
        self.assertEqual((info["codec"], info["algorithm"]), ("neighbours", "dictionary"))
        self.assertEqual(self.crivo("dump", "small").out, lines(rows))
        self.build("in order", "--codec", "neighbours", out="asked")
        self.assertEqual(self.info("asked")["codec"], "neighbours")
        self.build("pairs", out="balanced")
        size = {name: sum(path.stat().st_size for path in (self.dir / name).iterdir()) for name in ("small", "asked", "balanced")}
        self.assertLess(size["small"], 0.8 * size["balanced"])
        self.crivo("build", "store", "pairs", "--backend", "flat", "--goal", "smallest", "-o", "smallest", "--quiet")
        self.assertEqual(self.info("smallest")["codec"], "zstd")
        self.assertEqual(self.crivo("dump", "smallest").out, lines(rows))
        self.crivo("verify", "smallest", "--keys", "pairs")
        self.crivo("reproduce", "smallest", "pairs")
        bytes_of = {name: self.info(name)["bytes"] for name in ("small", "smallest")}
        self.assertLess(bytes_of["smallest"], bytes_of["small"])
        keys = [row.split(b"\t")[0] for row in rows]
        random.Random(5).shuffle(keys)
        records = dict(row.split(b"\t", 1) for row in rows)
        self.write("asked keys", lines(keys))
        self.assertEqual(
            self.crivo("query", "small", "asked keys").out, lines(b"%s\t%s" % (key, records[key]) for key in keys)
        )
        self.crivo("verify", "small", "--keys", "pairs")
        self.crivo("reproduce", "small", "pairs")
        read = reader.open(self.dir / "small")
        self.assertEqual([read.lookup(key) for key in keys[:20]], [records[key] for key in keys[:20]])

    def test_equal_keys(self):
        self.write("pairs", b"b\t1\na\t2\nb\t3\nb\t4\n")
        error = self.crivo("build", "store", "pairs", "--backend", "flat", "--ordered", "-o", "store", code=3).err
        self.assertIn(b"pairs:3: duplicate key", error)
        for kept, record in (("first", b"1"), ("last", b"4")):
            self.build("pairs", "--duplicates", kept if kept == "last" else "ignore")
            self.assertEqual(self.crivo("dump", "store").out, b"a\t2\nb\t%s\n" % record)
        self.build("pairs", "--duplicates", "all")
        self.assertEqual(self.crivo("get", "store", "--prefix", "b").out, b"1\n3\n4\n")

    def test_what_is_refused(self):
        self.write("pairs", b"b\t1\na\t2\n")
        error = self.crivo("build", "store", "pairs", "--ordered", "-o", "store", code=2).err
        self.assertIn(b"--ordered: needs the backend flat", error)
        self.build("pairs")
        self.crivo("get", "store", code=2)
        self.crivo("get", "store", "a", "--prefix", "b", code=2)
        self.crivo("build", "store", "pairs", "--backend", "flat", "-o", "other")
        for command in (("dump", "other"), ("get", "other"), ("query", "other")):
            error = self.crivo(*command, "--prefix", "a", code=2).err
            self.assertIn(b"not in the order of their keys", error)
        self.crivo("partition", "pairs", "--records", "--shards", "2", "-o", "dealt")
        error = self.crivo("build", "store", "dealt", "--shard", "0/2", "--backend", "flat", "--ordered", "-o", "part", code=2).err
        self.assertIn(b"--ordered: is not for shards", error)

    def test_resumes_and_says_what_it_takes(self):
        self.write_pairs(4000)
        whole = self.build("pairs")
        self.assertEqual(self.build("pairs", "--resume", "kept"), whole)
        plan = json.loads(self.crivo("build", "store", "pairs", "--backend", "flat", "--ordered", "-o", "plan", "--dry-run", "--json").out)
        size = sum(map(len, whole.values()))
        self.assertTrue(0.8 * size < plan["output_bytes"] < 1.3 * size, (plan, size))
        self.crivo("reproduce", "store", "pairs")


if __name__ == "__main__":
    unittest.main()
