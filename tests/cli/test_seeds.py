# SPDX-License-Identifier: Apache-2.0
"""The seeds' algorithms and key hashes from the command line."""

from harness import CrivoTest, urls

ALGORITHMS = ("mwhc2", "mwhc3", "fch", "bmz", "bdz")
HASHES = ("xxh3", "universal", "zobrist", "jenkins")


class Seeds(CrivoTest):
    def test_every_algorithm_with_every_hash(self):
        keys = urls(2_000)
        digests = set()
        for algorithm in ALGORITHMS:
            for name in HASHES:
                with self.subTest(algorithm=algorithm, hash=name):
                    options = ("--algorithm", algorithm, "--hash", name, "--force")
                    path = self.build("mphf", keys, *options, out="m")
                    self.assert_bijection(path, keys)
                    info = self.info(path)
                    self.assertEqual((info["algorithm"], info["hash"]), (algorithm, name))
                    parameters = info["parameters"]
                    self.assertGreaterEqual(parameters["attempts"], 1)
                    self.assertIs(parameters["unbiased"], False)
                    self.assertEqual("patterns" in parameters, algorithm == "fch")
                    digests.add(info["digest"])
                    self.crivo("verify", path, "--keys", "m.in")
        self.assertEqual(len(digests), len(ALGORITHMS) * len(HASHES))

    def test_unbiased(self):
        keys = urls(1_000)
        for algorithm in ALGORITHMS:
            options = ("--algorithm", algorithm, "--hash", "jenkins", "--unbiased", "--force")
            self.assert_bijection(self.build("mphf", keys, *options, out="m"), keys)

    def test_keys_longer_than_the_tables_are_refused_by_line(self):
        keys = [b"short", b"x" * 4096, b"y" * 4097]
        for name in ("universal", "zobrist"):
            options = ("--algorithm", "bdz", "--hash", name)
            self.build("mphf", keys[:2], *options, out=name)
            self.assert_bijection(name, keys[:2])
            keys_file = self.write_keys(keys)
            result = self.crivo("build", "mphf", keys_file, "-o", "m", *options, code=3)
            self.assertIn(b"keys.txt:3: the key is longer than the limit of 4096 bytes", result.err)
            self.assertNotIn("m", self.listing())
            # To ask for one is no error: it is not of the set.
            self.assertTrue(self.query(name, keys)[2].isdigit())
            self.build("mphf", keys[:2], *options, "--signature", 32, out=name + "-signed")
            self.assertEqual(self.query(name + "-signed", keys)[2], b"-")
        self.assert_bijection(
            self.build("mphf", keys, "--algorithm", "bdz", "--hash", "jenkins", out="j"), keys
        )

    def test_keys_that_one_hash_cannot_tell_apart(self):
        keys = b"a\nb\na\0\n"
        self.write("keys.txt", keys)
        options = ("build", "mphf", "keys.txt", "-o", "m", "--algorithm", "mwhc3", "--hash")
        result = self.crivo(*options, "universal", code=3)
        self.assertIn(b"keys.txt:3: the key", result.err)
        self.crivo(*options, "zobrist")

    def test_other_algorithms_have_no_choice(self):
        keys = self.write_keys(urls(10))
        for options in (
            ("--hash", "jenkins"),
            ("--algorithm", "compact", "--hash", "universal"),
            ("--algorithm", "tiny", "--unbiased"),
            ("--hash", "md5"),
        ):
            for dry_run in ((), ("--dry-run",)):
                self.crivo("build", "mphf", keys, "-o", "m", *options, *dry_run, code=2)
        self.assertEqual(self.listing(), ["keys.txt"])
        self.crivo("build", "mphf", keys, "-o", "m", "--hash", "xxh3")

    def test_same_bytes_for_any_order_and_threads(self):
        keys = urls(3_000)
        for algorithm in ALGORITHMS:
            digests = set()
            again = keys if algorithm.startswith("mwhc") else keys[::-1]
            for threads, order in ((1, keys), (2, again), (3, keys)):
                options = ("--algorithm", algorithm, "--hash", "zobrist", "--threads", threads)
                path = self.build("mphf", order, *options, "--force", out="m")
                digests.add(self.info(path)["digest"])
            self.assertEqual(len(digests), 1, algorithm)

    def test_mwhc_preserves_the_order(self):
        keys = urls(3_000)
        repeated = keys[:5] + keys[2:] + keys[:100]
        for algorithm in ("mwhc2", "mwhc3"):
            with self.subTest(algorithm=algorithm):
                path = self.build("mphf", keys, "--algorithm", algorithm, "--force", out="m")
                self.assertEqual(self.query(path, keys), [b"%d" % i for i in range(len(keys))])
                self.crivo("verify", path, "--keys", "m.in")
                options = ("--algorithm", algorithm, "--duplicates", "ignore", "--force")
                path = self.build("mphf", repeated, *options, out="r")
                self.assertEqual(self.query(path, keys), [b"%d" % i for i in range(len(keys))])
                self.crivo("verify", path, "--keys", "r.in")
                self.write_keys(keys[1::-1] + keys[2:], "other.txt")
                result = self.crivo("verify", path, "--keys", "other.txt", code=1)
                self.assertIn(b"does not have its place in the input as rank", result.err)

    def test_mwhc_maps(self):
        keys = urls(3_000)
        for algorithm in ("mwhc2", "mwhc3"):
            with self.subTest(algorithm=algorithm):
                path = self.build("map", keys, "--algorithm", algorithm, "--force", out="m")
                self.assertEqual(self.query(path, keys), [b"%d" % i for i in range(len(keys))])
                self.crivo("verify", path, "--keys", "m.in")
                info = self.info(path)
                self.assertEqual((info["algorithm"], info["value_bits"]), (algorithm, 12))
                self.assertGreaterEqual(info["parameters"]["attempts"], 1)

    def test_estimate(self):
        keys = self.write_keys(urls(60_000))
        for algorithm in ALGORITHMS:
            options = ("build", "mphf", keys, "-o", "m", "--algorithm", algorithm, "--force")
            estimate = self.crivo(*options, "--dry-run", "--json").json()
            built = self.crivo(*options, "--json").json()
            self.assertLess(abs(estimate["output_bytes"] / built["bytes"] - 1), 0.5, algorithm)
