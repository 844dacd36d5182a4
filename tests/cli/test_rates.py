# SPDX-License-Identifier: Apache-2.0
"""How many absent keys pass. Every seed is fixed, so a test that passes once passes always."""

import math

from harness import CrivoTest, urls


class Rates(CrivoTest):
    def passed(self, path, absent):
        return sum(answer != b"-" for answer in self.query(path, absent))

    def assert_rate(self, passed, trials, rate, sigmas=4):
        sigma = math.sqrt(trials * rate * (1 - rate))
        self.assertLessEqual(abs(passed - trials * rate), sigmas * sigma + 1, f"{passed} of {trials}")

    def test_signature(self):
        keys, absent = urls(20_000), urls(20_000, salt=1)
        for bits in (8, 16, 32):
            path = self.build("mphf", keys, "--signature", bits, out=f"s{bits}")
            self.assert_rate(self.passed(path, absent), len(absent), 2.0**-bits)
            self.assert_bijection(path, keys)

    def test_filter(self):
        for count in (3_000, 60_000):
            keys, absent = urls(count), urls(100_000, salt=1)
            for options in (("--bits", 4), ("--bits", 9), ("--fpr", "0.01"), ("--bits", 1)):
                with self.subTest(count=count, options=options):
                    path = self.build("filter", keys, *options, "--force", out="f")
                    self.assert_answers("filter", path, keys)
                    rate = self.info(path)["fpr"]
                    self.assert_rate(self.passed(path, absent), len(absent), rate)

    def test_wide_filter(self):
        keys, absent = urls(20_000), urls(100_000, salt=1)
        for bits in (24, 32):
            path = self.build("filter", keys, "--bits", bits, out=f"b{bits}")
            self.assert_answers("filter", path, keys)
            self.assertLessEqual(self.passed(path, absent), 1)

    def test_fpr_that_is_no_power_of_two(self):
        """The rate asked for is a bound."""
        for fpr in ("0.3", "0.05", "0.0001"):
            path = self.build("filter", urls(1_000), "--fpr", fpr, out=f"p{fpr}")
            self.assertLessEqual(self.info(path)["fpr"], float(fpr))

    def test_store_refuses_absent_keys_exactly(self):
        keys, absent = urls(20_000), urls(50_000, salt=1)
        self.assertEqual(self.passed(self.build("store", keys), absent), 0)
