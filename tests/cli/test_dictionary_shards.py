# SPDX-License-Identifier: Apache-2.0
"""Dictionaries in shards, and resumed: the file of one build, byte for byte; all else is refused."""

import random
import unittest

from harness import SANITIZED, in_parallel, lines, urls
from test_shards import Shards

COUNTS = (0, 1, 2, 63, 64, 65, 1000 if SANITIZED else 11_500)


def any_keys(count, salt=0):
    """Some are prefixes of others; they have any bytes but LF."""
    rng = random.Random(count + salt)
    keys = set(urls(count // 2, salt))
    while len(keys) < count:
        keys.add(bytes(rng.choices(b"\0\x01\t\xffab", k=rng.randrange(1, 12))))
    return rng.sample(sorted(keys), count)


class DictionaryShards(Shards):
    def dealt(self, files, *options, tasks=1, out="dealt"):
        in_parallel(
            lambda task: self.crivo(
                "partition", *files, "--texts", "--shards", "3", "-o", out, "--part", f"{task}/{tasks}", "--quiet", *options
            ),
            range(tasks),
        )
        self.crivo("partition", "--finish", out, "--quiet", "--allow-empty-set")

    def refused(self, *args, said, code=2):
        before = self.listing()
        self.assertIn(said, self.crivo(*args, code=code).err.decode())
        self.assertEqual(self.listing(), before)


class Bytes(DictionaryShards):
    def test_any_split(self):
        for count in COUNTS:
            keys = any_keys(count)
            self.write("keys", lines(keys))
            expected = self.whole("dictionary", ["keys"], "--allow-empty-set")
            tasks = 3 if count > 2 else 1
            self.dealt(["keys"], tasks=tasks, out=f"dealt-{count}")
            for shards in (1, 2, 3, 7, 64) if count == COUNTS[-1] else (2,):
                with self.subTest(count=count, shards=shards):
                    self.assertTrue(self.merged(f"dealt-{count}", shards, "dictionary") == expected)

    def test_values(self):
        rng = random.Random(5)
        pairs = [b"%s\t%d" % (key, rng.randrange(-(1 << rng.randrange(63)), 1 << rng.randrange(63))) for key in urls(4000)]
        self.write("pairs", lines(pairs))
        values = ("--values", "--value-type", "signed")
        expected = self.whole("dictionary", ["pairs"], *values, "--block-keys", "16")
        self.dealt(["pairs"], *values, tasks=2)
        for shards in (1, 5):
            self.assertTrue(self.merged("dealt", shards, "dictionary", *values, "--block-keys", "16") == expected)
        self.assertTrue(self.merged("dealt", 2, "map", *values) == self.whole("map", ["pairs"], *values))
        self.refused("build", "dictionary", "dealt", "--shard", "0/1", "-o", "x", said="its keys have values; build with")
        self.refused("build", "dictionary", "dealt", "--shard", "0/1", "--values", "-o", "x", said="its values are signed")

    def test_hashed(self):
        self.write("keys", lines(any_keys(5000)))
        expected = self.whole("dictionary", ["keys"], "--hashed")
        self.dealt(["keys"])
        for shards in (1, 3):
            self.assertTrue(self.merged("dealt", shards, "dictionary", "--hashed") == expected)

    def test_memory_threads_and_long_keys(self):
        rng = random.Random(6)
        keys = [rng.randbytes(1 << 20).replace(b"\0", b"\1"), b"x" * (1 << 20), b"x" * ((1 << 20) - 1), *urls(30_000)]
        self.write("keys", b"".join(key + b"\0" for key in keys))
        expected = self.whole("dictionary", ["keys"], "--null")
        for memory, threads in (("24M", 1), ("1G", 3)):
            self.dealt(["keys"], "--null", "--memory", memory, "--threads", threads, out=f"dealt-{memory}")
            got = self.merged(f"dealt-{memory}", 3, "dictionary", "--memory", memory, "--threads", threads)
            self.assertTrue(got == expected, memory)

    def test_repeats(self):
        """Equal keys of two tasks are refused by name, or the first one has its value."""
        keys = any_keys(3000)
        self.write("a", lines(b"%s\t%d" % (key, i) for i, key in enumerate(keys) if b"\t" not in key))
        self.write("b", lines(b"%s\t7" % key for key in keys[:1000:2] if b"\t" not in key))
        self.dealt(["a", "b"], "--values", tasks=2)
        self.refused("build", "dictionary", "dealt", "--shard", "0/1", "--values", "-o", "x", code=3,
                     said=" keys are there more than once, as a key of dealt/keys-0-of-2.crv and a key of dealt/keys-1-of-2.crv")
        expected = self.whole("dictionary", ["a", "b"], "--values", "--duplicates", "ignore")
        for tasks in (1, 2):
            out = f"first-{tasks}"
            self.dealt(["a", "b"], "--values", "--duplicates", "ignore", tasks=tasks, out=out)
            self.assertTrue(self.merged(out, 3, "dictionary", "--values") == expected, tasks)

    def test_keyed_hashes_and_another_seed(self):
        self.write("keys", lines(any_keys(700)))
        for number, seed in enumerate(("random:5", "9")):
            self.dealt(["keys"], "--seed", seed, out=f"dealt-{number}")
            expected = self.whole("dictionary", ["keys"], "--seed", seed)
            self.assertEqual(self.merged(f"dealt-{number}", 2, "dictionary"), expected)

    def test_a_partition_that_goes_on(self):
        self.write("keys", lines(any_keys(2000)))
        self.dealt(["keys"], "--resume", "go")
        self.assertNotIn("go", self.listing())
        self.assertEqual(self.merged("dealt", 2, "dictionary"), self.whole("dictionary", ["keys"]))

    def test_exchange(self):
        """Tasks that share no directory put and get what they make."""
        self.write("keys", lines(any_keys(2000)))
        expected = self.whole("dictionary", ["keys"])
        (self.dir / "bucket").mkdir()
        exchange = ("--put", "cat > bucket/$CRIVO_NAME", "--get", "cat bucket/$CRIVO_NAME")
        for task in range(2):
            self.crivo("partition", "keys", "--texts", "--shards", "3", "-o", f"own-{task}", "--part", f"{task}/2", "--quiet", *exchange)
        self.crivo("partition", "--finish", "total", "--quiet", *exchange)
        parts = [f"part-{shard}" for shard in range(3)]
        for shard, part in enumerate(parts):
            self.crivo("build", "dictionary", f"shard-{shard}", "--shard", f"{shard}/3", "-o", part, "--quiet", *exchange)
            (self.dir / part).unlink()
        self.crivo("merge", *parts, "-o", "merged", "--quiet", *exchange)
        self.assertEqual((self.dir / "merged").read_bytes(), expected)


class Refusals(DictionaryShards):
    def setUp(self):
        super().setUp()
        self.write("keys", lines(any_keys(2000)))
        self.dealt(["keys"])
        self.parts = self.build_parts("dealt", 3, "dictionary")

    def test_parts_that_do_not_belong(self):
        a, b, c = self.parts
        for parts, said in (((a, c), "the parts of these are missing: 1"), ((a, b, b, c), f"{b}: is shard 1, as is {b}")):
            self.refused("merge", *parts, "-o", "merged", said=said)
        other = self.build_parts("dealt", 3, "dictionary", "--block-keys", "32", out="other")
        self.refused("merge", a, other[1], c, "-o", "merged", said="other-1: belongs to a different build than part-0")
        self.refused("manifest", a, b, c, "-o", "served", said="whose parts are merged and not served")
        self.assertEqual(self.info(a)["kind"], "part")

    def test_directories(self):
        self.crivo("partition", "keys", "--shards", "3", "-o", "hashes", "--quiet")
        self.refused("build", "dictionary", "hashes", "--shard", "0/1", "-o", "x", said="and not the keys; use texts when partitioning (--texts)")
        self.refused("build", "store", "dealt", "--shard", "0/1", "-o", "x", said="its keys have no records")
        self.refused("build", "dictionary", "dealt", "--shard", "0/1", "--values", "-o", "x", said="its keys have no values")
        self.refused("partition", "keys", "--texts", "--records", "--shards", "3", "-o", "x", said="texts can be kept of keys")
        expected = self.whole("mphf", ["keys"])
        self.assertEqual(self.merged("dealt", 2, "mphf"), expected)

    def test_damage(self):
        expected = self.whole("dictionary", ["keys"])
        for case in self.damaged(".", self.parts, 20, 1):
            result = self.crivo("merge", *self.parts, "-o", "merged", "-f", code=(0, 2, 4))
            if result.code == 0:
                self.assertEqual((self.dir / "merged").read_bytes(), expected, case)

    def test_a_full_disk(self):
        self.crivo("build", "dictionary", "dealt", "--shard", "0/1", "-o", "full-part", code=5, file_limit=1000)
        self.crivo("merge", *self.parts, "-o", "merged", code=5, file_limit=600)
        self.assertEqual([name for name in self.listing() if name in ("full-part", "merged")], [])


if __name__ == "__main__":
    unittest.main()
