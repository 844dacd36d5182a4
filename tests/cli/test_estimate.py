# SPDX-License-Identifier: Apache-2.0
"""What --dry-run says: of a store, near what it then takes, however its records compress; of a build, its plan."""

import random

from harness import LONG, SANITIZED, CrivoTest, gzipped, lines, pairs, records_of, urls

VOCABULARY = [b"%x" % random.Random(i).randrange(1 << 30) for i in range(3000)]

FEWER = 1 if LONG else 10 if SANITIZED else 5


def incompressible(count):
    """Records of 100 random bytes, none of which cuts a line."""
    rng = random.Random(1)
    cut = bytes.maketrans(b"\0\n\r", b"xyz")
    return [rng.randbytes(100).translate(cut) for _ in range(count)]


def numbers(count):
    rng = random.Random(2)
    return [b"%d" % rng.randrange(1000) for _ in range(count)]


def texts(count):
    """Records of 4 KB, of a few thousand words."""
    rng = random.Random(3)
    return [b" ".join(rng.choices(VOCABULARY, k=500))[:4096] for _ in range(count)]


class StoreEstimate(CrivoTest):
    def estimate(self, source, *options, stdin=b""):
        args = ("build", "store", source, "-o", "s", "--force", "--dry-run", "--json", *options)
        return self.crivo(*args, stdin=stdin).json()

    def expect_near(self, records):
        self.write("pairs", pairs(urls(len(records)), records))
        estimate = self.estimate("pairs")
        built = self.crivo("build", "store", "pairs", "-o", "s", "--force", "--json").json()
        self.assertEqual(estimate["keys"], built["keys"])
        error = abs(estimate["output_bytes"] - built["bytes"])
        self.assertLess(error, 0.15 * built["bytes"] + 2 * 4096, f"{estimate} {built}")

    def test_is_near_what_is_built(self):
        for name, records in (
            ("JSON", records_of(range(60_000 // FEWER))),
            ("few", records_of(range(1_000))),
            ("random", incompressible(20_000 // FEWER)),
            ("small", numbers(60_000 // FEWER)),
            ("text", texts(2_000 // FEWER)),
            *((("more than is kept", texts(5_000)),) if LONG else ()),
            ("long", [b"record " * 30_000, *incompressible(500)]),
            ("one", [b"record"]),
        ):
            with self.subTest(records=name):
                self.expect_near(records)

    def test_is_the_same_however_the_records_come(self):
        records = pairs(urls(5_000 // FEWER), texts(5_000 // FEWER))
        self.write("pairs", records)
        self.write("pairs.gz", gzipped(records))
        backwards = b"".join(line + b"\n" for line in reversed(records.splitlines()))
        estimate = self.estimate("pairs", "--threads", 1)["output_bytes"]
        ways = (
            ("pairs", 4, b""),
            ("pairs.gz", 4, b""),
            ("-", 1, records),
            ("-", 4, backwards),
        )
        for source, threads, stdin in ways[:: 3 if SANITIZED else 1]:
            again = self.estimate(source, "--threads", threads, stdin=stdin)
            self.assertEqual(again["output_bytes"], estimate, f"{source} {threads}")

    def test_of_no_keys(self):
        self.write("keys", b"")
        args = ("build", "mphf", "keys", "-o", "x", "--algorithm", "bdz", "--allow-empty-set", "--dry-run", "--json")
        self.assertIsInstance(self.crivo(*args).json()["seconds_estimate"], float)

    def test_equal_keys(self):
        self.write("pairs", pairs([b"key"] * (4_000 // FEWER), texts(4_000 // FEWER)))
        self.assertGreater(self.estimate("pairs", "--duplicates", "ignore")["output_bytes"], 0)


class Plan(CrivoTest):
    def setUp(self):
        super().setUp()
        self.write("keys", self.crivo("gen", "words", "-n", 300_000).out)

    def plan(self, kind, *options, threads=1):
        args = ("build", kind, "keys", "-o", "x", "--dry-run", "--threads", threads, *options)
        return self.crivo(*args, "--json").json()

    def test_partitions_depend_on_the_memory(self):
        self.assertEqual(self.plan("mphf")["partitions"], 32)
        self.assertEqual(self.plan("filter")["partitions"], 32)
        if not LONG:
            return
        self.write("keys", self.crivo("gen", "words", "-n", 3_000_000).out)
        self.assertEqual(self.plan("mphf")["partitions"], 256)
        self.assertEqual(self.plan("mphf", "--memory", "16M")["partitions"], 128)
        self.write("keys", b"one\n")
        self.assertEqual(self.plan("mphf")["partitions"], 1)

    def test_seconds(self):
        estimates = [self.plan("mphf"), self.plan("mphf", "--duplicates", "ignore"), self.plan("filter", threads=2)]
        for estimate in estimates:
            seconds = estimate["seconds_estimate"]
            self.assertGreater(seconds, 0)
            self.assertEqual(float(f"{seconds:.1e}"), seconds)  # two digits

    def test_is_for_people_too(self):
        args = ("build", "mphf", "keys", "-o", "x", "--dry-run", "--threads", 1)
        self.assertRegex(self.crivo(*args).out, rb"\nparts   32\ntime    less than a second\n$")
        if not LONG:
            return
        more = ("--algorithm", "tiny", "--effort", 2)
        self.write("keys", self.crivo("gen", "words", "-n", 3_000_000).out)
        self.assertRegex(self.crivo(*args, *more).out, rb"\ntime    about \d+ s\n$")


class BuildEstimate(CrivoTest):
    """Sizes and memory beside those of builds that are small: the program itself, headers and seldom full blocks count."""

    def expect_near(self, kind, *options, threads=1):
        args = ("build", *kind.split(), *options, "-o", "x", "--force", "--threads", threads)
        estimate = self.crivo(*args, "--dry-run", "--json").json()
        built = self.crivo(*args, "--json").json()
        self.assertEqual(estimate["keys"], built["keys"])
        self.assertLessEqual(abs(estimate["temp_bytes"] - built["temp_bytes"]), 0.15 * built["temp_bytes"], f"{estimate} {built}")
        error = abs(estimate["output_bytes"] - built["bytes"])
        self.assertLess(error, 0.15 * built["bytes"] + 4096, f"{estimate} {built}")
        if not SANITIZED:
            # How much of the program itself is in memory is the system's choice, and less of one that was forked: up to
            # 4 MiB more, or 8 less.
            error = estimate["memory_bytes"] - built["peak_rss_bytes"]
            self.assertLess(abs(error - (2 << 20)), 0.15 * built["peak_rss_bytes"] + (6 << 20), f"{estimate} {built}")

    def test_is_near_what_is_built(self):
        self.write("keys", self.crivo("gen", "words", "-n", 100_000 // FEWER).out)
        for kind in ("mphf", "mphf --algorithm tiny", "mphf --algorithm bdz", "filter", "filter --type bloom", "map",
                     "dictionary"):
            with self.subTest(kind=kind):
                self.expect_near(kind, "keys")

    def test_of_a_dictionary(self):
        """Of more keys than are tried, whose common beginnings are longer than those of a part of them."""
        for words in ((), ("--sorted",)) if LONG else ((),):
            keys = sorted({b"%07d" % (i * i % 9_999_991) for i in range(600_000 if LONG else 400_000)})
            self.write("keys", b"".join(key + b"\n" for key in keys))
            self.expect_near("dictionary", "keys", *words, "--memory", "40M")

    def test_of_an_exact_set(self):
        keys = urls(150_000 // FEWER)
        self.write("universe", lines(keys))
        for members in (keys[::10], keys[::3]):
            self.write("members", lines(members))
            self.expect_near("exact", "--members", "members", "--universe", "universe")

    def test_of_values_that_compress(self):
        self.write("pairs", pairs(urls(100_000 // FEWER), [b"%d" % (200 * (i % 64 == 0)) for i in range(100_000 // FEWER)]))
        self.expect_near("map --values --compress", "pairs")

    def test_of_records_whose_codec_is_trained(self):
        self.write("pairs", pairs(urls(90_000), records_of(range(90_000))))
        for codec in (("tokens12", "tokens16", "zstd") if LONG else ("tokens12",)):
            self.expect_near("store", "pairs", "--codec", codec)

    def test_of_long_records_that_stay_in_their_file(self):
        rows = (b"key %d\t%s\n" % (i, b"%08d" % i * (4000 if i % 20 == 0 else 40)) for i in range(20_000))
        self.write("mixed", b"".join(rows))
        for options in ((), ("--ordered",)):
            args = ("build", "store", "mixed", "-o", "x", "--backend", "flat", "--codec", "none", "--memory", "9M", "--force", "--json", *options)
            estimate, built = (self.crivo(*args, *more).json()["temp_bytes"] for more in (("--dry-run",), ()))
            self.assertGreater(built, 4_000_000)
            self.assertLess(abs(estimate - built), 0.3 * built, (options, estimate, built))

    def test_leaves_nothing(self):
        self.write("pairs", pairs(urls(2_000), records_of(range(2_000))))
        before = sorted(path.name for path in self.dir.iterdir())
        for kind in ("store", "map --compress"):
            args = ("build", *kind.split(), "pairs", "-o", "x", "--dry-run", "--temp-dir", self.dir)
            self.crivo(*args)
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()), before)

    def test_equal_keys(self):
        self.write("keys", b"key\n" * 1000)
        self.assertEqual(self.crivo("build", "mphf", "keys", "-o", "x", "--dry-run", "--json").json()["keys"], 1000)
