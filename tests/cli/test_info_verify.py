# SPDX-License-Identifier: Apache-2.0
"""`info` and `verify`, and the JSON of `build`."""

from harness import KINDS, CrivoTest, files_of, lines, pairs, records_of, urls

HEX = r"^[0-9a-f]{16,64}$"


class Info(CrivoTest):
    def setUp(self):
        super().setUp()
        self.keys = urls(2_000)

    def build_json(self, kind, *options):
        data = pairs(self.keys, records_of(self.keys)) if kind == "store" else lines(self.keys)
        self.write("in", data)
        return self.crivo("build", kind, "in", "-o", kind, "--force", "--json", *options).json()

    def size(self, path):
        path = self.dir / path
        return sum(f.stat().st_size for f in path.iterdir()) if path.is_dir() else path.stat().st_size

    def check_common(self, kind, report):
        self.assertEqual(report["schema"], 1)
        self.assertEqual(report["kind"], kind)
        self.assertEqual(report["keys"], len(self.keys))
        self.assertEqual(report["bytes"], self.size(kind))
        self.assertAlmostEqual(report["bits_per_key"], 8 * report["bytes"] / len(self.keys), places=2)
        self.assertRegex(report["digest"], HEX)
        self.assertEqual(report["format_version"], "0.1")
        self.assertEqual(report["seed"], 0)
        if kind == "filter":
            self.assertEqual(report["type"], "ribbon")
            self.assertTrue(0 < report["fpr"] < 1)
        else:
            self.assertIsInstance(report["algorithm"], str)
            self.assertIn("signature_bits", report)
        if kind == "map":
            self.assertEqual(report["value_bits"], 11)

    def test_fields_of_info(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.build_json(kind)
                self.check_common(kind, self.info(kind))

    def test_fields_of_build(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                report = self.build_json(kind, "--threads", "2")
                self.check_common(kind, report)
                self.assertEqual(report["threads"], 2)
                seconds = report["seconds"]
                self.assertEqual(set(seconds), {"read", "build", "write", "total"})
                self.assertTrue(all(value >= 0 for value in seconds.values()))
                self.assertGreaterEqual(seconds["total"] * 1.01 + 0.01, max(seconds.values()))
                self.assertGreater(report["peak_rss_bytes"], 100_000)
                self.assertGreaterEqual(report["temp_bytes"], 0)
                for field in ("digest", "bytes", "keys"):
                    self.assertEqual(self.info(kind)[field], report[field])

    def test_text(self):
        for kind in KINDS:
            self.build_json(kind)
            out = self.crivo("info", kind).out
            self.assertIn(b"2000", out.replace(b",", b""))
            self.assertIn(kind.encode(), out)

    def test_signature_bits(self):
        for bits in (0, 8, 16, 32):
            self.assertEqual(self.build_json("mphf", "--signature", bits)["signature_bits"], bits)
            self.assertEqual(self.info("mphf")["signature_bits"], bits)

    def test_filter_rate(self):
        for bits in (1, 8, 13, 32):
            self.assertLessEqual(self.build_json("filter", "--bits", bits)["fpr"], 2.0**-bits * 1.01)
        for fpr in ("0.5", "0.01", "1e-6"):
            self.assertLessEqual(self.build_json("filter", "--fpr", fpr)["fpr"], float(fpr) * 1.01)

    def test_seed(self):
        digests = set()
        for seed in (0, 1, 2**64 - 1):
            self.assertEqual(self.build_json("mphf", "--seed", seed)["seed"], seed)
            self.assert_bijection("mphf", self.keys)
            digests.add(self.info("mphf")["digest"])
        self.assertEqual(len(digests), 3)

    def test_digest(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                first = self.build_json(kind)["digest"]
                self.assertEqual(self.build_json(kind)["digest"], first)
                whole = self.keys
                self.keys = whole[:-1] + [b"another"]
                self.assertNotEqual(self.build_json(kind)["digest"], first)
                self.keys = whole
        self.assertNotEqual(
            self.build_json("filter", "--bits", "9")["digest"], self.build_json("filter")["digest"]
        )
        self.assertNotEqual(
            self.build_json("mphf", "--signature", "8")["digest"], self.build_json("mphf")["digest"]
        )

    def test_digest_of_other_records(self):
        first = self.build_json("store")["digest"]
        self.write("in", pairs(self.keys, records_of(self.keys, salt=1)))
        other = self.crivo("build", "store", "in", "-o", "other", "--json").json()["digest"]
        self.assertNotEqual(first, other)


class Verify(CrivoTest):
    def setUp(self):
        super().setUp()
        self.keys = urls(5_000)
        self.write_keys(self.keys, "all")
        self.write_keys(self.keys[:-1], "missing")
        self.write_keys(self.keys + [b"extra"], "extra")
        self.write_keys(self.keys[:-1] + [b"other"], "other")

    def test_sound(self):
        for kind in KINDS:
            path = self.build(kind, self.keys)
            before = files_of(self.dir / path)
            self.crivo("verify", path)
            self.crivo("verify", path, "--keys", "all")
            self.crivo("verify", path, "--keys", "-", stdin=lines(self.keys))
            self.assertEqual(files_of(self.dir / path), before)

    def test_several_key_files(self):
        path = self.build("mphf", self.keys)
        self.write_keys(self.keys[:70], "a")
        self.write_keys(self.keys[70:], "b")
        self.crivo("verify", path, "--keys", "a", "b")
        self.crivo("verify", path, "--keys", "a", code=1)

    def mismatch(self, path, *key_sets):
        for name in key_sets:
            with self.subTest(path=path, keys=name):
                result = self.crivo("verify", path, "--keys", name, code=1)
                self.assertNotEqual(result.err + result.out, b"")
                self.crivo("verify", path, "--keys", "-", stdin=(self.dir / name).read_bytes(), code=1)

    def test_mphf_of_other_keys(self):
        self.mismatch(self.build("mphf", self.keys), "missing", "extra")
        path = self.build("mphf", self.keys, "--signature", "32", out="signed")
        self.mismatch(path, "missing", "extra", "other")

    def test_mphf_of_wholly_other_keys(self):
        path = self.build("mphf", self.keys)
        self.write_keys(urls(5_000, salt=9), "foreign")
        self.mismatch(path, "foreign")

    def test_repeated_key_is_no_bijection(self):
        self.write_keys(self.keys[:-1] + self.keys[:1], "twice")
        self.mismatch(self.build("mphf", self.keys), "twice")

    def test_keys_that_are_there_again(self):
        """A bit a rank, or the numbers of lines, tell nothing of those."""
        again = self.keys + self.keys[:7]
        self.write_keys(again, "again")
        self.write_keys(self.keys[:9] + self.keys, "earlier")
        for kind in ("mphf", "map"):
            path = self.build(kind, self.keys)
            for more in ((), ("--memory", "1M")):
                checked = self.crivo("verify", path, "--keys", "again", "--json", *more).json()["keys_checked"]
                self.assertEqual(checked, len(self.keys))
                self.crivo("verify", path, "--keys", "-", *more, stdin=lines(again))
            self.crivo("verify", path, "--keys", "earlier", code=1 if kind == "map" else 0)
        path = self.build("filter", self.keys)
        checked = self.crivo("verify", path, "--keys", "again", "--json").json()["keys_checked"]
        self.assertEqual(checked, len(again))

    def test_numbers_of_lines_over_several_files(self):
        parts = [self.keys[:70], [], self.keys[70:3000], self.keys[3000:]]
        names = [self.write_keys(part, f"part{i}") for i, part in enumerate(parts)]
        path = self.build("map", self.keys)
        self.crivo("verify", path, "--keys", *names)
        result = self.crivo("verify", path, "--keys", names[1], names[2], names[0], names[3], code=1)
        self.assertIn(b"does not have its line number as value", result.err)

    def test_store_beyond_the_budget(self):
        path = self.build("store", self.keys)
        result = self.crivo("verify", path, "--keys", f"{path}.in", "--memory", "50K", code=5)
        self.assertIn(b"crivo: --memory: ", result.err)

    def test_filter_of_other_keys(self):
        self.mismatch(self.build("filter", self.keys, "--bits", "32"), "extra", "other")

    def test_map_of_other_keys(self):
        self.mismatch(self.build("map", self.keys), "missing", "extra", "other")
        self.write_keys(self.keys[1:] + self.keys[:1], "turned")
        self.mismatch(self.build("map", self.keys, "--signature", "32", out="signed"), "extra", "turned")

    def test_store_of_other_keys(self):
        self.mismatch(self.build("store", self.keys), "missing", "extra", "other")

    def test_every_kind_when_empty(self):
        self.write("none", b"")
        for kind in KINDS:
            path = self.build(kind, [], out=f"empty.{kind}")
            self.crivo("verify", path, "--keys", "none")
            self.crivo("verify", path, "--keys", "all", code=1)
