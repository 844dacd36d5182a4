# SPDX-License-Identifier: Apache-2.0
"""Filter sets in shards: the file of one build, byte for byte; all else is refused."""

import random
import unittest

from harness import InShards, lines

TYPES = ("ribbon", "fuse", "split-block-bloom", "bloom")


class FilterSetsInShards(InShards):
    KIND, FLAG, INPUT = "filterset", "--filterset", "pairs.tsv"

    def setUp(self):
        super().setUp()
        rng = random.Random(12)
        self.groups = {b"group %d" % i: rng.sample(range(9_000), rng.choice((1, 30, 600))) for i in range(80)}
        pairs = [b"%s\tkey %d" % (name, key) for name, keys in self.groups.items() for key in keys]
        pairs += pairs[::50]  # equal keys of a group are one, whichever tasks have them
        rng.shuffle(pairs)
        self.write("pairs.tsv", lines(pairs))

    def test_the_same_bytes(self):
        for tasks, shards in ((1, 1), (3, 4), (2, 21)):
            of = "dealt-%d" % tasks
            self.deal_out(tasks=tasks, of=of)
            for options in [("--type", kind) for kind in TYPES] + [("--fpr", "1e-4", "--no-tree")]:
                with self.subTest(tasks=tasks, shards=shards, options=options):
                    self.assertEqual(self.merged(shards, *options, of=of), self.whole(*options))
        self.crivo("verify", "merged", "--keys", "pairs.tsv")
        self.assertEqual(self.crivo("info", "part-0", "--json").json()["kind"], "part")

    def test_other_inputs(self):
        """Columns, keyed hashes, and files each of which is a group, some without a key."""
        (self.dir / "in").mkdir()
        names = [self.write("in/%d" % i, lines(b"key %d" % key for key in keys)) for i, keys in enumerate(self.groups.values())]
        names += [self.write("none %d" % i, b"") for i in range(9)]
        self.write("pairs.csv", lines(b"%d,%s" % (key, name) for name, keys in self.groups.items() for key in keys))
        for i, (inputs, options) in enumerate((
            (names, ["--group-by-file"]),
            (["pairs.csv"], ["--delimiter", ",", "--group", "2"]),
            (["pairs.tsv"], ["--seed", "random:8"]),
        )):
            whole = self.whole(*options, inputs=inputs)
            for tasks, shards in ((1, 2), (3, 3)):
                of = "dealt-%d-%d" % (i, tasks)
                self.deal_out(*options, tasks=tasks, of=of, inputs=inputs)
                with self.subTest(options=options, tasks=tasks):
                    self.assertEqual(self.merged(shards, of=of), whole)
        self.crivo("reproduce", "merged", "pairs.tsv")

    def test_an_empty_share(self):
        self.write("one.tsv", b"group\tkey\n")
        for inputs, options in ((["one.tsv"], []), (["one.tsv", self.write("none", b"")], ["--group-by-file"])):
            of = "dealt%d" % len(inputs)
            self.deal_out(*options, tasks=3, of=of, inputs=inputs)
            self.assertEqual(self.merged(2, of=of), self.whole(*options, inputs=inputs))
        empty = [self.write("none %d" % i, b"") for i in range(5)]
        self.deal_out("--group-by-file", "--allow-empty-set", tasks=2, of="empty", inputs=empty)
        self.assertEqual(self.merged(2, of="empty"), self.whole("--group-by-file", "--allow-empty-set", inputs=empty))

    def test_within_memory(self):
        rng = random.Random(8)
        self.write("many.tsv", lines(b"group %d\tkey %d" % (rng.randrange(500), rng.randrange(10**9)) for _ in range(400_000)))
        self.deal_out("--memory", "9M", tasks=2, inputs=["many.tsv"])
        self.assertEqual(self.merged(3, "--memory", "9M", "--threads", "2"), self.whole(inputs=["many.tsv"]))

    def test_what_is_refused(self):
        self.deal_out()
        failed = self.crivo("build", "filterset", "dealt", "--shard", "0/2", "-o", "p", "--type", "bloom", "--layout", "blocks", code=2)
        self.assertIn(b"the sizes of all groups", failed.err)
        self.assertIn(b"--layout", failed.err)
        for kind in ("mphf", "filter"):
            self.assertIn(b"its keys are in groups", self.crivo("build", kind, "dealt", "--shard", "0/2", "-o", "p", code=2).err)
        self.crivo("build", "map", "dealt", "--shard", "0/2", "-o", "p", code=2)
        self.crivo("partition", "pairs.tsv", "--shards", "2", "-o", "keys", "--duplicates", "ignore", "--quiet")
        failed = self.crivo("build", "filterset", "keys", "--shard", "0/2", "-o", "p", code=2)
        self.assertIn(b"(--filterset)", failed.err)
        for options in (["--values"], ["--records"], ["--rows"], ["--texts"], ["--hash", "xxh64"]):
            self.crivo("partition", "pairs.tsv", "--filterset", "--shards", "2", "-o", "bad", *options, code=2)
        self.assertIn(b"--filterset", self.crivo("partition", "pairs.tsv", "--group-by-file", "--shards", "2", "-o", "bad", code=2).err)
        self.write("bad.tsv", b"group\tkey\nkey\n")
        self.assertIn(b"bad.tsv:2", self.crivo("partition", "bad.tsv", "--filterset", "--shards", "2", "-o", "bad", code=3).err)
        self.merged(2)
        failed = self.crivo("manifest", "part-0", "part-1", "-o", "m", code=2)
        self.assertIn(b"whose parts are merged and not served", failed.err)
        self.crivo("build", "filterset", "dealt", "--shard", "0/2", "-o", "part-0", "-f", "--fpr", "1%", "--quiet")
        self.crivo("merge", "part-0", "part-1", "-o", "merged", "-f", code=2)
        self.write("one.tsv", lines(b"g\t%d" % i for i in range(300_000)))
        self.deal_out(of="one", inputs=["one.tsv"])
        told = [self.crivo("build", "filterset", "one", "--shard", "%d/2" % i, "-o", "p%d" % i, "--memory", "9M", code=(0, 5)).err for i in (0, 1)]
        self.assertEqual(sum(b"has 300000 keys" in err for err in told), 1)

    def test_damage(self):
        """A file of keys that was damaged, or a part: an error, and never another file."""
        self.deal_out(tasks=2)
        whole = self.whole()
        self.merged(2)
        rng = random.Random(3)
        for name in ["dealt/keys-1-of-2.crv"] * 40 + ["part-0"] * 40:
            good = (self.dir / name).read_bytes()
            bad = bytearray(good)
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
            self.write(name, bad)
            parts = ["part-0", "part-1"]
            if name not in parts:
                parts = ["new-0", "new-1"]
                for i, part in enumerate(parts):
                    done = self.crivo("build", "filterset", "dealt", "--shard", "%d/2" % i, "-o", part, "-f", "--quiet", code=(0, 2, 4))
                    if done.code != 0:
                        parts = []
                        break
            if parts and self.crivo("merge", *parts, "-o", "new", "-f", "--quiet", code=(0, 2, 4)).code == 0:  # of nothing that is read
                self.assertEqual((self.dir / "new").read_bytes(), whole)
            self.write(name, good)


if __name__ == "__main__":
    unittest.main()
