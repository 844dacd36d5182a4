# SPDX-License-Identifier: Apache-2.0
"""The same keys and parameters give the same bytes, however they are read and on however many threads."""

import random

from harness import CrivoTest, files_of, gzipped, lines, pairs, records_of, urls


class SameBytes(CrivoTest):
    def check(self, kind, data_lines, *options):
        shuffled = list(data_lines)
        random.Random(5).shuffle(shuffled)
        half = len(data_lines) // 2
        given, other = lines(data_lines), lines(shuffled)
        for name, data in (
            ("given", given),
            ("shuffled", other),
            ("packed", gzipped(other)),
            ("half", lines(data_lines[:half])),
            ("rest", lines(data_lines[half:])),
        ):
            self.write(name, data)
        self.crivo("build", kind, "given", "-o", "first", "--force", "--threads", "1", *options)
        expected = files_of(self.dir / "first")
        for args, run_options in (
            (("given", "--threads", "1"), {}),
            (("given", "--threads", "2"), {}),
            (("given", "--threads", "3"), {}),
            (("given",), {}),
            (("-", "--threads", "1"), {"stdin": given}),
            (("-", "--threads", "2"), {"stdin": other}),
            (("shuffled", "--threads", "1"), {}),
            (("shuffled", "--threads", "2"), {}),
            (("packed", "--threads", "2"), {}),
            (("rest", "half", "--threads", "2"), {}),
            (("given", "--threads", "3"), {}),
        ):
            if "tsan" in self.program and "1" in args:
                continue  # no threads: compared by this test without ThreadSanitizer
            with self.subTest(kind=kind, args=args):
                self.crivo("build", kind, *args, *options, "-o", "again", "--force", **run_options)
                got = files_of(self.dir / "again")
                for name, data in expected.items():
                    self.assertTrue(got[name] == data, f"{kind} {name}: other bytes")
        self.crivo("build", kind, "given", *options, "--seed", "1", "-o", "again", "--force")
        self.assertNotEqual(files_of(self.dir / "again"), expected, "the seed changes nothing")

    def test_mphf(self):
        self.check("mphf", urls(150_000))

    def test_mphf_with_a_signature(self):
        self.check("mphf", urls(30_000), "--signature", "16")

    def test_filter(self):
        self.check("filter", urls(150_000))

    def test_small_filter(self):
        self.check("filter", urls(5_000), "--fpr", "0.001")

    def test_map_of_values(self):
        keys = urls(60_000)
        numbers = [b"%d" % (i * 2654435761 % 2**44) for i in range(len(keys))]
        data = pairs(keys, numbers).split(b"\n")[:-1]
        for options in ((), ("--signature", "8"), ("--algorithm", "fuse"), ("--compress",)):
            self.check("map", data, "--values", *options)

    def test_small_map_of_values(self):
        data = [b"%d\t%d" % (i, i % 7) for i in range(500)]
        for options in ((), ("--algorithm", "fuse", "--arity", "3"), ("--compress",)):
            self.check("map", data, "--values", *options)

    def test_store(self):
        for count, *options in ((20_000, "--codec", "zstd"), (2_000,)):
            keys = urls(count)
            self.check("store", pairs(keys, records_of(keys)).split(b"\n")[:-1], *options)

    def test_small_sets(self):
        for kind in ("mphf", "filter"):
            for count in (2, 65):
                self.check(kind, [b"%d" % i for i in range(count)])
