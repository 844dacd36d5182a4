# SPDX-License-Identifier: Apache-2.0
"""`crivo sort`: keys in byte order, from any input, within any memory."""

import collections
import filecmp
import os
import random
import subprocess
import unittest

from harness import LONG, CrivoTest, GeneratedKeys, gzipped, lines, urls


class Sort(CrivoTest):
    def sorted(self, *args, stdin=b""):
        self.crivo("sort", *args, "-o", "sorted", "--force", "--quiet", stdin=stdin)
        return (self.dir / "sorted").read_bytes()

    def test_is_the_order_of_bytes(self):
        rng = random.Random(1)
        keys = [bytes(rng.choices(b"\0ab\xff", k=rng.randrange(1, 12))) for _ in range(3000)]
        self.write("keys", lines(keys))
        self.assertEqual(self.sorted("keys"), lines(sorted(keys)))
        self.assertEqual(self.sorted("keys", "--unique"), lines(sorted(set(keys))))
        counted = [b"%s\t%d" % (key, times) for key, times in sorted(collections.Counter(keys).items())]
        self.assertEqual(self.sorted("keys", "--count"), lines(counted))

    def test_of_edge_sizes(self):
        for count in (0, 1, 2, 63, 64, 65):
            keys = urls(count)
            self.write("keys", lines(keys))
            self.assertEqual(self.sorted("keys"), lines(sorted(keys)))

    def test_is_the_same_however_the_keys_come(self):
        keys = urls(40_000 if LONG else 4_000)
        self.write("keys", lines(keys))
        self.write("some", lines(keys[:1000]))
        self.write("others.gz", gzipped(lines(keys[1000:])))
        expected = lines(sorted(keys))
        self.assertEqual(self.sorted("keys", "--threads", "3"), expected)
        self.assertEqual(self.sorted("keys", "--memory", "1M", "--threads", "1"), expected)
        self.assertEqual(self.sorted("some", "others.gz"), expected)
        self.assertEqual(self.sorted("-", stdin=lines(keys)), expected)
        self.write("ascending", expected)
        self.assertEqual(self.sorted("ascending"), expected)

    def test_of_a_key_that_is_nearly_all(self):
        keys = [b"frequent"] * 20_000 + urls(1000)
        self.write("keys", lines(keys))
        for options in ((), ("--memory", "1M")):
            self.assertEqual(self.sorted("keys", *options), lines(sorted(keys)))
            self.assertEqual(self.sorted("keys", "--unique", *options), lines(sorted(set(keys))))

    def test_of_the_longest_keys(self):
        longest = [bytes([byte]) * (1 << 20) for byte in b"cab"]
        keys = [*longest, longest[0][:-1] + b"a", *urls(100)]
        self.write("keys", lines(keys))
        self.assertEqual(self.sorted("keys"), lines(sorted(keys)))

    def test_of_keys_in_other_forms(self):
        self.write("nul", b"b\nb\0a\0b\0")
        self.assertEqual(self.sorted("nul", "--null", "--null-output"), b"a\0b\0b\nb\0")
        self.write("fixed", b"ccaabb")
        self.assertEqual(self.sorted("fixed", "--fixed", "2"), b"aabbcc")
        self.write("columns", b"1\tz\n2\ty\n")
        self.assertEqual(self.sorted("columns", "--column", "2"), b"y\nz\n")
        self.write("hex", b"ff01\n0a\n")
        self.assertEqual(self.sorted("hex", "--hex", "--null-output"), b"\n\0\xff\x01\0")

    def test_says_what_it_did(self):
        self.write("keys", b"b\na\nb\n")
        summary = self.crivo("sort", "keys", "-o", "sorted", "--unique", "--json").json()
        self.assertEqual((summary["keys"], summary["written"], summary["bytes"]), (3, 2, 4))

    def expect_refusal(self, code, word, *args):
        result = self.crivo("sort", *args, "-o", "sorted", code=code)
        self.assertIn(word, result.err)

    def test_refuses(self):
        self.write("keys", b"b\n\na\n")
        self.expect_refusal(3, b"keys:2", "keys")
        self.write("nul", b"b\nb\0a\0")
        self.expect_refusal(3, b"--null-output", "nul", "--null")
        self.expect_refusal(2, b"fixed", "keys", "--fixed", "1", "--count")
        self.write("sorted", b"old\n")
        self.expect_refusal(2, b"sorted", "nul")
        self.expect_refusal(2, b"sorted", "sorted", "--force")
        self.assertEqual((self.dir / "sorted").read_bytes(), b"old\n")


@unittest.skipUnless(LONG, "`tools/test --full` sorts more than the memory holds")
class SortMuch(GeneratedKeys):
    KIND, COUNT = "urls", 3_000_000

    def test_is_what_sort_writes(self):
        subprocess.run(("sort", "keys", "-o", "expected"), env=dict(os.environ, LC_ALL="C"), cwd=self.dir, check=True)
        for options in ((), ("--memory", "64M"), ("--memory", "64M", "--threads", "1")):
            self.crivo("sort", "keys", "-o", "sorted", "--force", *options)
            self.assertTrue(filecmp.cmp(self.dir / "sorted", self.dir / "expected", shallow=False))
