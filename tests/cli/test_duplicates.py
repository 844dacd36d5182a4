# SPDX-License-Identifier: Apache-2.0
"""Equal keys: refused with their text and lines, or counted once."""

import random

from harness import CrivoTest, files_of, gzipped, lines, pairs, urls

DUPLICATE = b"https://twice.example/"

# The first 8 bytes of each 64 of two keys of 1000 bytes, all others "k", which have one hash: see
# tests/input/colliding_keys.hpp. The two differ in the top bit of each.
UNDER_0_AND_A_SECOND_SEED = (
    "a15cbce96b6b6b6b 4af110e56b6b6b6b 3a5147886b6b6beb dafc83c56b6b6beb 121e91826b6b6beb 7d9e57b56b6b6beb "
    "e84ec6086b6b6beb 7ffe3b086b6b6b6b c24f10a56b6b6beb 540f592a6b6b6b6b 28b1f7666b6b6beb 01b6d91c6b6b6b6b"
)
UNDER_0_TO_3 = (
    "6c53f9346b6b6b6b 69cb166d6b6b6b6b 023aec1b6b6b6b6b f3e681076b6b6beb 06b8160e6b6b6beb 0e8b9e1b6b6b6beb "
    "965af4106b6b6b6b c45c01d96b6b6beb f83a259c6b6b6beb a04b3ee56b6b6beb e040397b6b6b6b6b 8e13f4936b6b6b6b"
)


def twins(words):
    keys = []
    for flip in (0, 0x80):
        key = bytearray(b"k" * 1000)
        for i, word in enumerate(map(bytes.fromhex, words.split())):
            key[64 * i : 64 * i + 8] = word[:7] + bytes([word[7] ^ flip])
        keys.append(bytes(key))
    return keys


class Duplicates(CrivoTest):
    def setUp(self):
        super().setUp()
        self.keys = urls(200)
        self.doubled = self.keys[:30] + [DUPLICATE] + self.keys[30:150] + [DUPLICATE] + self.keys[150:]

    def refused(self, kind, *args, **options):
        result = self.crivo("build", kind, *args, "-o", "x", code=3, **options)
        self.assertNotIn("x", self.listing())
        self.assertIn(DUPLICATE, result.err)
        return result.err

    def test_named_with_their_lines(self):
        self.write_keys(self.doubled, "k")
        for options in ((), ("--duplicates", "error"), ("--threads", "1"), ("--threads", "2")):
            error = self.refused("mphf", "k", *options)
            self.assertRegex(error, rb"\b31\b")
            self.assertRegex(error, rb"\b152\b")
            self.assertRegex(error, rb"^crivo: k:(31|152): ")

    def test_named_from_a_pipe(self):
        error = self.refused("mphf", "-", stdin=lines(self.doubled))
        self.assertRegex(error, rb"\b31\b")
        self.assertRegex(error, rb"\b152\b")

    def test_named_from_packed_files(self):
        error = self.refused("mphf", self.write("k", gzipped(lines(self.doubled))))
        self.assertRegex(error, rb"\b152\b")

    def test_across_files(self):
        self.write_keys(self.doubled[:100], "a")
        self.write_keys(self.doubled[100:], "b")
        error = self.refused("mphf", "a", "b")
        self.assertIn(b"a:31", error)
        self.assertIn(b"b:52", error)

    def test_the_first_of_many(self):
        keys = [b"%d" % i for i in range(5_000)]
        self.write_keys(keys + keys, "k")
        error = self.crivo("build", "mphf", "k", "-o", "x", code=3).err
        self.assertLess(len(error), 4_000)

    def test_one_key_a_great_many_times(self):
        self.write("k", b"same\n" * 200_000)
        self.crivo("build", "mphf", "k", "-o", "x", code=3)
        self.crivo("build", "mphf", "k", "-o", "x", "--duplicates", "ignore")
        self.assertEqual(self.info("x")["keys"], 1)

    def test_of_records(self):
        self.write("r", pairs(self.doubled, [b"%d" % i for i in range(len(self.doubled))]))
        error = self.refused("store", "r")
        self.assertRegex(error, rb"\b31\b")
        self.assertRegex(error, rb"\b152\b")

    def test_ignored(self):
        single = self.keys + [DUPLICATE]
        for kind in ("mphf", "filter"):
            with self.subTest(kind=kind):
                self.write_keys(self.doubled, "k")
                self.crivo("build", kind, "k", "-o", f"d.{kind}", "--duplicates", "ignore")
                expected = self.build(kind, single)
                self.assertEqual(files_of(self.dir / f"d.{kind}"), files_of(self.dir / expected))

    def test_ignored_among_records(self):
        self.write("r", pairs(self.doubled, [b"%d" % i for i in range(len(self.doubled))]))
        self.crivo("build", "store", "r", "-o", "s", "--duplicates", "ignore")
        self.assertEqual(self.info("s")["keys"], 201)
        self.assertIn(self.crivo("get", "s", DUPLICATE).out, (b"30", b"151"))
        self.assertEqual(self.crivo("get", "s", self.keys[0]).out, b"0")

    def test_a_key_made_to_collide_is_not_dropped(self):
        keys = twins(UNDER_0_AND_A_SECOND_SEED)
        self.write("r", pairs(keys + keys, [b"1", b"2", b"3", b"4"]))
        for kind in ("mphf", "filter"):
            for source, stdin in ((self.write_keys(keys + keys, "k"), b""), ("-", lines(keys + keys))):
                self.crivo("build", kind, source, "-o", kind, "-f", "--duplicates", "ignore", stdin=stdin)
                self.assertEqual(self.info(kind)["keys"], 2)
                self.assertEqual(self.info(kind)["seed"], 1)
        self.crivo("build", "store", "r", "-o", "s", "--duplicates", "ignore")
        self.assertEqual([self.crivo("get", "s", key).out for key in keys], [b"1", b"2"])

    def test_a_random_seed(self):
        keys = twins(UNDER_0_TO_3)
        self.write_keys(keys, "k")
        for options in ((), ("--duplicates", "ignore")):
            error = self.crivo("build", "mphf", "k", "-o", "x", *options, code=3).err
            self.assertIn(b"build with another seed", error)
            self.assertTrue(error.endswith(b" (--seed random)\n"), error)
        seeds = set()
        for i in range(5):
            for options in ((), ("--duplicates", "ignore")):
                out = self.crivo("build", "mphf", "k", "-o", "r", "-f", "--seed", "random", "--json", *options).json()
                self.assertEqual(out["keys"], 2)
                self.assertEqual(self.info("r")["seed"], out["seed"])
                self.assert_bijection("r", keys)
                seeds.add(out["seed"])
        self.assertEqual(len(seeds), 10)
        for kind in ("filter", "map", "store"):
            seeds.add(self.info(self.build(kind, [b"a", b"b"], "--seed", "random"))["seed"])
        self.assertEqual(len(seeds), 13)

    def test_a_random_seed_hashes_by_another_function_than_any_that_is_given(self):
        keys = [*twins(UNDER_0_TO_3), *urls(8_190)]
        self.write_keys(keys, "k")
        self.crivo("build", "mphf", "k", "-o", "x", "--seed", 0, code=3)
        for kind in ("mphf", "filter", "map"):
            out = self.crivo("build", kind, "k", "-o", kind, "--seed", "random", "--json").json()
            self.assertEqual(out["keys"], len(keys))
            self.crivo("verify", kind, "--keys", "k")
            info = self.info(kind)
            self.assertEqual(info["hash"], "siphash")
            # The first seed did, and with it the same is built again.
            self.crivo("build", kind, "k", "-o", "again", "-f", "--seed", f"random:{info['seed']}")
            self.assertEqual(files_of(self.dir / kind), files_of(self.dir / "again"))
        self.write("r", pairs(keys, [b"%d" % i for i in range(len(keys))]))
        self.crivo("build", "store", "r", "-o", "s", "--seed", "random")
        self.crivo("verify", "s", "--keys", "r")
        self.assertEqual(self.crivo("get", "s", keys[5]).out, b"5")
        self.assertEqual(self.crivo("query", "s", "-", stdin=lines(keys[:9])).out.count(b"\n"), 9)

    def test_a_random_seed_where_it_cannot_help(self):
        self.write_keys([b"a"], "k")
        for options in (("filter", "--type", "split-block-bloom"), ("mphf", "--algorithm", "bdz", "--hash", "jenkins")):
            for more in ((), ("--dry-run",)):
                error = self.crivo("build", *options, "k", "-o", "x", "--seed", "random", *more, code=2).err
                self.assertIn(b"--seed random", error)
        self.assertNotIn("x", self.listing())
        for seed in ("random:", "random:x", "random:-1", "Random", "random7"):
            self.crivo("build", "mphf", "k", "-o", "x", "--seed", seed, code=2)

    def test_seeds_that_are_none(self):
        self.write_keys([b"a"], "k")
        for seed in ("99999999999999999999999", "18446744073709551616", "-1", "", "rand", "0x10"):
            self.crivo("build", "mphf", "k", "-o", "x", f"--seed={seed}", code=2)
        self.crivo("build", "mphf", "k", "-o", "x", "--seed", 2**64 - 1)
        self.assertEqual(self.info("x")["seed"], 2**64 - 1)

    def test_what_a_pipe_takes_of_the_disk(self):
        data = lines(self.keys)
        for options, bytes_of_a_key in ((), 8), (("--duplicates", "ignore"), 16):
            asked = self.crivo("build", "mphf", "-", "-o", "x", "-f", "--dry-run", "--json", *options, stdin=data).json()
            self.assertEqual(asked["temp_bytes"], bytes_of_a_key * len(self.keys))
            built = self.crivo("build", "mphf", "-", "-o", "x", "-f", "--json", *options, stdin=data).json()
            self.assertEqual(built["temp_bytes"], asked["temp_bytes"] + len(data))

    def test_counted(self):
        """A multiset: what `filter count` tells of a key is how often it was there, however it was read."""
        rng = random.Random(5)
        times = {key: rng.choice((1, 1, 2, 3, 7, 14, 15, 18)) for key in self.keys}
        stream = [key for key, count in times.items() for _ in range(count)]
        rng.shuffle(stream)
        self.write_keys(stream, "stream")
        options = ("--type", "counting-bloom", "--fpr", "1e-6", "--duplicates", "count")
        built = self.crivo("build", "filter", "stream", "-o", "whole.crv", "--json", *options).json()
        self.assertEqual((built["keys"], built["duplicates"]), (len(stream), 0))
        for name, *more in (("threads.crv", "--threads", "3"), ("memory.crv", "--memory", "20M"), ("resumed.crv", "--resume", "r")):
            self.crivo("build", "filter", "stream", "-o", name, *options, *more)
            self.assertEqual((self.dir / name).read_bytes(), (self.dir / "whole.crv").read_bytes(), name)
        self.crivo("build", "filter", "-", "-o", "piped.crv", *options, stdin=lines(stream))
        self.assertEqual((self.dir / "piped.crv").read_bytes(), (self.dir / "whole.crv").read_bytes())
        self.write_keys(self.keys, "keys")
        expected = lines(key + b"\t%d" % min(times[key], 15) for key in self.keys)
        self.assertEqual(self.crivo("filter", "count", "whole.crv", "keys").out, expected)
        self.crivo("verify", "whole.crv", "--keys", "stream")
        # The same as adding them to a filter of that room, in parts without equal keys.
        self.crivo("build", "filter", self.write("none", b""), "-o", "added.crv", "--type", "counting-bloom", "--fpr", "1e-6",
                   "--capacity", len(stream))
        for least in range(max(times.values())):
            self.write_keys([key for key, count in times.items() if count > least], "part")
            self.crivo("filter", "add", "added.crv", "part")
        self.assertEqual(self.crivo("filter", "count", "added.crv", "keys").out, expected)

    def test_counted_by_nothing_else(self):
        self.write_keys([b"a", b"a"], "k")
        for kind, *options in (("filter",), ("filter", "--type", "bloom"), ("filter", "--type", "cuckoo")):
            error = self.crivo("build", kind, "k", "-o", "x", "--duplicates", "count", *options, code=2).err
            self.assertIn(b"--duplicates count: not an option of", error)
        for kind in ("mphf", "map", "store"):
            self.crivo("build", kind, "k", "-o", "x", "--duplicates", "count", code=2)
        self.assertEqual(self.listing(), ["k"])

    def test_unknown_way(self):
        self.crivo("build", "mphf", self.write_keys([b"a"]), "-o", "x", "--duplicates", "maybe", code=2)
