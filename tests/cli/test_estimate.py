# SPDX-License-Identifier: Apache-2.0
"""What --dry-run says: of a store, near what it then takes, however its records compress; of a build, its plan."""

import random

from harness import LONG, SANITIZED, CrivoTest, gzipped, pairs, records_of, urls

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
        fast = self.plan("mphf")["seconds_estimate"]
        self.assertGreater(fast, 0)
        efforts = [self.plan("mphf", "--algorithm", "tiny", "--effort", e)["seconds_estimate"] for e in range(3)]
        self.assertEqual(sorted([fast, *efforts]), [fast, *efforts])
        self.assertGreater(efforts[2], 2 * efforts[0])
        self.assertLess(self.plan("mphf", threads=2)["seconds_estimate"], fast)
        ignoring = self.plan("mphf", "--duplicates", "ignore")["seconds_estimate"]
        self.assertGreater(ignoring, fast)
        for seconds in (fast, ignoring, *efforts):  # two digits
            self.assertEqual(float(f"{seconds:.1e}"), seconds)

    def test_is_for_people_too(self):
        args = ("build", "mphf", "keys", "-o", "x", "--dry-run", "--threads", 1)
        self.assertRegex(self.crivo(*args).out, rb"\nparts   32\ntime    less than a second\n$")
        if not LONG:
            return
        more = ("--algorithm", "tiny", "--effort", 2)
        self.write("keys", self.crivo("gen", "words", "-n", 3_000_000).out)
        self.assertRegex(self.crivo(*args, *more).out, rb"\ntime    about \d s\n$")
