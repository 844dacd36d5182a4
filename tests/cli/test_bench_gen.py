# SPDX-License-Identifier: Apache-2.0
"""`bench` and `gen`."""

import statistics

from harness import KINDS, CrivoTest, urls

TIMES = ("lookup_ns", "batch_ns")
ABSENT = ("absent_lookup_ns", "absent_batch_ns")


class Bench(CrivoTest):
    def test_fields(self):
        keys = urls(2_000)
        self.write_keys(keys, "k")
        self.write_keys(urls(3_000, salt=1), "absent")
        for kind in KINDS:
            with self.subTest(kind=kind):
                options = ("--signature", "8") if kind == "mphf" else ()
                path = self.build(kind, keys, *options)
                report = self.crivo("bench", path, "--keys", "k", "--json").json()
                self.assertEqual(report["keys"], 2_000)
                self.assertTrue(all(report[name] > 0 for name in TIMES))
                report = self.crivo("bench", path, "--keys", "k", "--absent", "absent", "--json").json()
                self.assertEqual(report["absent_keys"], 3_000)
                self.assertTrue(all(report[name] > 0 for name in TIMES + ABSENT))
                passed = self.query(path, urls(3_000, salt=1))
                measured = sum(answer != b"-" for answer in passed) / 3_000
                self.assertAlmostEqual(report["false_positive_rate"], measured, places=9)

    def test_how_far_rounds_are_apart(self):
        path = self.build("mphf", urls(500))
        report = self.crivo("bench", path, "--keys", f"{path}.in", "--json").json()
        for name in ("lookup", "batch"):
            self.assertLessEqual(report[f"{name}_ns"], report[f"{name}_median_ns"])
            self.assertGreaterEqual(report[f"{name}_spread_ns"], 0)
        self.assertNotIn("first_touch_median_ns", report)

    def test_first_touch(self):
        self.write_keys(urls(1_500), "k")
        for kind in KINDS:
            with self.subTest(kind=kind):
                path = self.build(kind, urls(1_500))
                report = self.crivo("bench", path, "--keys", "k", "--cold", "--json").json()
                self.assertEqual(report["first_touch_lookups"], 1_000)
                self.assertGreater(report["first_touch_most_ns"], 0)
                self.assertLessEqual(report["first_touch_median_ns"], report["first_touch_most_ns"])
                self.assertEqual(report["keys_found"], 1)

    def test_every_key_is_looked_up(self):
        """Of many keys some are timed; what is found is told of all."""
        keys = [b"%d" % i for i in range(1_100_000)]
        path = self.build("filter", keys[:1000], "--fpr", "0.0001")
        self.write_keys(keys, "all")
        report = self.crivo("bench", path, "--keys", "all", "--json").json()
        self.assertEqual(report["keys"], len(keys))
        self.assertAlmostEqual(report["keys_found"] * len(keys), 1000, delta=400)

    def test_text(self):
        path = self.build("mphf", urls(100))
        out = self.crivo("bench", path, "--keys", f"{path}.in", "--cold").out.decode()
        self.assertRegex(out, r"first touch +\d+ ns \(median of 100 lookups, ")
        self.assertRegex(out, r"one at a time +[\d.]+ ns \(median [\d.]+, quartiles [\d.]+ apart, \d+ rounds\)")


class Gen(CrivoTest):
    def gen(self, *args):
        return self.crivo("gen", *args).out

    def lines_of(self, what, count, *args):
        out = self.gen(what, "-n", count, *args)
        keys = out.split(b"\n")
        self.assertEqual(keys.pop(), b"")
        self.assertEqual(len(keys), count)
        self.assertEqual(len(set(keys)), count, "not distinct")
        return keys

    def test_deterministic(self):
        for what in ("urls", "words", "ints"):
            with self.subTest(what):
                plain = self.gen(what, "-n", "3000")
                self.assertEqual(self.gen(what, "-n", "3000"), plain)
                seeded = self.gen(what, "-n", "3000", "--seed", "7")
                self.assertEqual(self.gen(what, "-n", "3000", "--seed", "7"), seeded)
                self.assertNotEqual(plain, seeded)

    def test_urls(self):
        keys = self.lines_of("urls", 100_000)
        lengths = [len(key) for key in keys]
        self.assertGreaterEqual(min(lengths), 7)
        self.assertLessEqual(max(lengths), 493)
        self.assertTrue(50 < statistics.fmean(lengths) < 64, statistics.fmean(lengths))
        hosts = {key.split(b"/")[2] if b"//" in key else key.split(b"/")[0] for key in keys}
        self.assertLess(len(hosts), 50_000, "many URLs stand on one host")
        self.assertGreater(len(hosts), 100)

    def test_words(self):
        keys = self.lines_of("words", 100_000)
        lengths = [len(key) for key in keys]
        self.assertGreaterEqual(min(lengths), 1)
        self.assertLessEqual(max(lengths), 25)
        self.assertTrue(7.5 < statistics.fmean(lengths) < 9.5, statistics.fmean(lengths))

    def test_ints(self):
        self.lines_of("ints", 50_000)

    def test_few(self):
        for what in ("urls", "words", "ints"):
            self.assertEqual(self.gen(what, "-n", "0"), b"")
            self.lines_of(what, 1)

    def test_what_it_prints_builds(self):
        for what in ("urls", "words", "ints"):
            data = self.gen(what, "-n", "5000", "--seed", "3")
            self.crivo("build", "mphf", "-", "-o", what, stdin=data)
            self.crivo("verify", what, "--keys", "-", stdin=data)
