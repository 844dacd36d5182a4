# SPDX-License-Identifier: Apache-2.0
"""Filters of type range: keys are numbers of at most 8 bytes, and queries ask for ranges of them too."""

import bisect
import random

import harness
from harness import CrivoTest, in_parallel, lines

RANGE = ("--type", "range")


def texts(numbers):
    return [b"%016x" % number for number in numbers]


def some_numbers(count, seed=0):
    """Dense, in clusters and far apart."""
    rng = random.Random(seed)
    numbers = set(range(2**40, 2**40 + count // 3))
    while len(numbers) < 2 * count // 3:
        begin = rng.randrange(2**64 - 1000)
        numbers.update(range(begin, begin + rng.randrange(100), 1 + rng.randrange(3)))
    while len(numbers) < count:
        numbers.add(rng.randrange(2**64))
    return sorted(numbers)[:count]


class RangeTest(CrivoTest):
    def setUp(self):
        super().setUp()
        self.numbers = some_numbers(6000)
        self.write("keys", lines(texts(self.numbers)))

    def has_key(self, low, high):
        at = bisect.bisect_left(self.numbers, low)
        return at != len(self.numbers) and self.numbers[at] <= high

    def test_answers(self):
        self.crivo("build", "filter", "keys", "-o", "r.crv", *RANGE, "--longest-range", 100, "--fpr", "1%", "--hex")
        self.assertEqual(self.query("r.crv", texts(self.numbers), "--hex"), [b"maybe"] * len(self.numbers))
        rng = random.Random(1)
        asked = []
        for _ in range(4000):
            low = max(0, rng.choice(self.numbers) + rng.randrange(-200, 200)) if rng.randrange(2) else rng.randrange(2**64 - 99)
            asked.append((low, min(2**64 - 1, low + rng.randrange(100))))
        asked += [(5, 4), (0, 2**64 - 1), (2**40 - 10, 2**40 + 9000)]
        answers = self.query("r.crv", [b"%016x\t%016x" % ends for ends in asked], "--hex")
        empty = wrong = 0
        for (low, high), answer in zip(asked, answers):
            if self.has_key(low, high):
                self.assertEqual(answer, b"maybe", (low, high))
            else:
                empty += 1
                wrong += answer != b"-"
        self.assertEqual(answers[-3:], [b"-", b"maybe", b"maybe"])
        self.assertLess(wrong, 0.01 * empty + 4 * (0.01 * empty) ** 0.5 + 1)
        parameters = self.info("r.crv")["parameters"]
        self.assertEqual(parameters["longest_range"], 100)
        self.assertLess(self.info("r.crv")["bits_per_key"], 17)

    def test_ways_to_ask(self):
        """Keys are numbers of their bytes, the highest first; a line is a key or a range."""
        self.write("words", lines([b"ab", b"ad", b"zzzzzzzz"]))
        self.crivo("build", "filter", "words", "-o", "w.crv", *RANGE, "--longest-range", 300, "--fpr", "1e-6")
        asked = [b"ab", b"aa\tab", b"aa", b"ad\tad", b"ae\tzz", b"zzzzzzzz\tzzzzzzzz", b"", b"longer than that"]
        expected = [b"maybe", b"maybe", b"-", b"maybe", b"-", b"maybe", b"-", b"-"]
        self.assertEqual(self.query("w.crv", asked), expected)
        found = self.crivo("query", "w.crv", "-k", "aa\tab", "-k", "ac\tac", "--json").json_lines()
        self.assertEqual([(row["key"], row["found"]) for row in found], [("aa\tab", True), ("ac\tac", False)])
        self.assertEqual(self.crivo("query", "w.crv", "-", "--present", stdin=lines(asked)).out.count(b"\n"), 4)
        said = self.crivo("query", "w.crv", "-k", "a\tlonger than that", code=3).err
        self.assertIn(b"ends of a range are numbers of at most 8 bytes", said)
        # Keys of a width are no ranges, whatever their bytes are.
        fixed = b"a\tb" + b"c\td"
        self.write("fixed", fixed)
        self.crivo("build", "filter", "fixed", "-o", "f.crv", *RANGE, "--fixed", 3)
        out = self.crivo("query", "f.crv", "-", "--fixed", 3, "--null-output", stdin=fixed).out
        self.assertEqual(out, b"a\tb\x001maybe\0c\td\x001maybe\0")
        self.crivo("verify", "f.crv", "--keys", "fixed", "--fixed", 3)

    def test_lines_before_one_that_is_no_range_are_answered(self):
        self.crivo("build", "filter", "keys", "-o", "r.crv", *RANGE, "--hex", "--longest-range", 9)
        good = texts(self.numbers[:70])
        for bad in (b"123", b"00\t1x", b"%032x\t00" % 5):
            for before in (0, 1, 8, 70):
                self.write("asked", lines([*good[:before], bad, *good]))
                ran = self.crivo("query", "r.crv", "asked", "--hex", code=3)
                self.assertEqual(ran.out, b"".join(key + b"\tmaybe\n" for key in good[:before]))
                self.assertIn(b"crivo: asked:%d: " % (before + 1), ran.err)
        self.write("asked", b"\0".join([*good[:3], b"123"]))
        ran = self.crivo("query", "r.crv", "asked", "--hex", "--null", code=3)
        self.assertEqual(ran.out.count(b"maybe"), 3)
        self.assertIn(b"asked: key 4: ", ran.err)

    def test_refusals(self):
        self.write("long", b"12345678\n123456789\n")
        self.assertIn(b"long:2: ", self.crivo("build", "filter", "long", "-o", "x", *RANGE, code=3).err)
        self.assertIn(b"longest-range", self.crivo("build", "filter", "keys", "-o", "x", "--longest-range", 2, code=2).err)
        for wrong in (0, 2**24 + 1):
            self.crivo("build", "filter", "long", "-o", "x", *RANGE, "--longest-range", wrong, code=2)
        self.crivo("build", "filter", "keys", "-o", "f.crv", "--hex")
        self.assertEqual(self.query("f.crv", [b"00"], "--hex"), [b"-"])
        self.crivo("build", "filter", "keys", "-o", "r.crv", "--hex", *RANGE)
        self.assertIn(b"range", self.crivo("diff", "r.crv", "--added", "keys", "--hex", "-o", "d.crv", code=2).err)

    def bytes_of(self, *args, out="out.crv"):
        self.crivo("build", "filter", *args, "-o", out, "-f", "--quiet", *RANGE, "--longest-range", 64, "--hex")
        return (self.dir / out).read_bytes()

    def test_same_bytes(self):
        expected = self.bytes_of("keys")
        shuffled = texts(self.numbers)
        random.Random(5).shuffle(shuffled)
        self.write("shuffled", lines(shuffled))
        self.assertTrue(self.bytes_of("shuffled", "--threads", 3) == expected)
        self.assertTrue(self.bytes_of("shuffled", "--memory", "16M", "--threads", 1, "--resume", "go") == expected)
        self.crivo("reproduce", "out.crv", "shuffled", "--hex")

    def test_shards(self):
        """Also of a dense set, whose hashes come in runs."""
        count = 400_000 if harness.LONG else 120_000
        dense = texts(range(2**33 + 5, 2**33 + 5 + count))
        random.Random(6).shuffle(dense)
        self.write("dense", lines(dense))
        expected = self.bytes_of("dense")
        self.assertTrue(self.bytes_of("dense", "--memory", "16M", "--threads", 1) == expected)
        self.crivo("partition", "dense", "--shards", 3, "--hash", "range", "--hex", "-o", "dealt", "--quiet")
        for shards in (1, 3, 7):
            parts = [f"part-{shard}" for shard in range(shards)]
            in_parallel(
                lambda shard: self.crivo(
                    "build", "filter", "dealt", "--shard", f"{shard}/{shards}", "-o", parts[shard], "-f", "--quiet",
                    *RANGE, "--longest-range", 64,
                ),
                range(shards),
            )
            self.crivo("merge", *parts, "-o", "merged", "-f", "--quiet")
            self.assertTrue((self.dir / "merged").read_bytes() == expected, shards)
        self.crivo("manifest", *parts, "-o", "served", "--quiet")
        self.crivo("verify", "served", "--quiet")
        asked = [b"%016x\t%016x" % (2**33 + at, 2**33 + at + 40) for at in range(-2000, count + 2000, 997)]
        self.assertEqual(self.query("served", asked, "--hex"), self.query("merged", asked, "--hex"))
        refused = self.crivo("build", "filter", "dealt", "--shard", "0/3", "-o", "x", code=2).err
        self.assertIn(b"partition the keys with that hash", refused)

    def test_damage(self):
        path = "r.crv"
        self.bytes_of("keys", out=path)
        asked = lines([b"%016x\t%016x" % (number, number + 50) for number in self.numbers[::100]])
        for _ in self.damaged(".", [path], 70 if harness.LONG else 25, 9):
            self.crivo("query", path, "-", "--hex", stdin=asked, code=(0, 4))
            self.crivo("verify", path, code=4)
