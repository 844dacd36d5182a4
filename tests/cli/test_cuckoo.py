# SPDX-License-Identifier: Apache-2.0
"""Cuckoo filters: options, changes of a built file, and what a full one says."""

from harness import CrivoTest, lines, urls


class Cuckoo(CrivoTest):
    def build_filter(self, keys, *options, out="f"):
        return self.build("filter", keys, "--type", "cuckoo", *options, "--force", out=out)

    def maybes(self, path, keys):
        return sum(answer == b"maybe" for answer in self.query(path, keys))

    def test_options(self):
        keys = urls(20_000)
        plain = self.info(self.build_filter(keys, "--bits", 12, out="plain"))
        semi = self.info(self.build_filter(keys, "--bits", 12, "--semi-sorted", out="semi"))
        self.assertAlmostEqual(plain["fpr"], semi["fpr"], delta=plain["fpr"] / 100)
        self.assertAlmostEqual(plain["bits_per_key"] - semi["bits_per_key"], 1 / 0.96, delta=0.1)
        self.assertEqual(self.maybes("semi", keys), len(keys))
        for options in (["--bits", 1], ["--bits", 33], ["--bits", 3, "--semi-sorted"], ["--hashes", 3]):
            self.crivo("build", "filter", "plain.in", "-o", "x", "--type", "cuckoo", *options, code=2)

    def test_keys_come_and_go(self):
        keys = urls(6000)
        first, second = keys[:3000], keys[3000:]
        for options in ([], ["--semi-sorted"]):
            with self.subTest(options=options):
                path = self.build_filter(first, "--fpr", "0.001", "--capacity", 6000, *options)
                self.crivo("filter", "add", path, self.write_keys(second))
                self.assertEqual(self.info(path)["keys"], 6000)
                self.assertEqual(self.maybes(path, keys), 6000)
                self.assertLessEqual(self.info(path)["fpr"], 0.0011)
                self.crivo("filter", "remove", path, self.write_keys(first))
                self.assertEqual(self.info(path)["keys"], 3000)
                self.assertEqual(self.maybes(path, second), 3000)
                self.assertLess(self.maybes(path, first), 20)
                self.crivo("verify", path, "--keys", self.write_keys(second))

    def test_what_is_lacking_is_not_removed(self):
        keys = urls(1000)
        path = self.build_filter(keys, "--fpr", "0.0001")
        before = (self.dir / path).read_bytes()
        result = self.crivo("filter", "remove", path, self.write_keys([keys[0], b"absent", keys[1]]), code=3)
        self.assertIn(b'keys.txt:2: the key "absent" is not in', result.err)
        self.assertEqual((self.dir / path).read_bytes(), before)

    def test_full_is_said_and_changes_nothing(self):
        keys = urls(3000)
        path = self.build_filter(keys[:1000], "--fpr", "0.001")
        before = (self.dir / path).read_bytes()
        result = self.crivo("filter", "add", path, "-", stdin=lines(keys[1000:]), code=5)
        self.assertIn(b"full", result.err)
        self.assertEqual((self.dir / path).read_bytes(), before)

    def test_json_says_its_shape(self):
        path = self.build_filter(urls(1000), "--fpr", "0.01", "--capacity", 5000)
        shape = self.info(path)["parameters"]
        self.assertGreaterEqual(shape["capacity"], 5000)
        self.assertAlmostEqual(shape["load"], 1000 / (4 * shape["buckets"]))
        self.assertFalse(shape["semi_sorted"])
