# SPDX-License-Identifier: Apache-2.0
"""crivo filter advise: which filter to build."""

import shlex

from harness import CrivoTest, urls


class Advise(CrivoTest):
    def advise(self, *args):
        return self.crivo("filter", "advise", *args, "--json").json()

    def test_fixed_set(self):
        advice = self.advise("-n", 10_000_000, "--fpr", 1 / 256)
        self.assertEqual(advice["type"], "ribbon")
        self.assertEqual(advice["candidates"][0]["type"], "ribbon")
        self.assertEqual(advice["candidates"][0]["lookup_cost"], 1)
        names = {candidate["type"] for candidate in advice["candidates"]}
        self.assertLessEqual({"ribbon", "split-block-bloom", "bloom", "counting-bloom", "cuckoo"}, names)
        bits = [candidate["bits_per_key"] for candidate in advice["candidates"]]
        self.assertEqual(bits, sorted(bits))
        for candidate in advice["candidates"]:
            self.assertLessEqual(candidate["fpr"], 1 / 256)
            self.assertGreater(candidate["build_cost"], 0)
            self.assertAlmostEqual(candidate["bytes"] / 1.25e6, candidate["bits_per_key"], delta=1e-3)

    def test_exact_sets(self):
        """They have some log2(universe / keys) + 2 bits a key; a filter has as many as its rate asks."""
        for universe, smaller in ((2_000_000, True), (64_000_000, True), (100_000_000_000, False)):
            advice = self.advise("-n", 1_000_000, "--fpr", 0.001, "--universe", universe)
            self.assertEqual(advice["exact"]["smaller"], smaller)
            self.assertEqual("which is less" in advice["reason"], smaller)
        self.write("all", b"".join(b"%d\n" % i for i in range(400_000)))
        self.write("some", b"".join(b"%d\n" % i for i in range(0, 400_000, 20)))
        self.crivo("build", "exact", "--members", "some", "--universe", "all", "-o", "set.crv")
        shown = self.crivo("filter", "advise", "-n", 1_000_000, "--universe", 50_000_000).out.decode()
        self.assertRegex(shown, r"(?m)^exact set +7\.\d\d +\d+\.\d+ KiB +0 ")
        size = self.advise("-n", 20_000, "--universe", 400_000)["exact"]["bytes"]
        self.assertAlmostEqual(size / (self.dir / "set.crv").stat().st_size, 1, delta=0.2)
        self.crivo("filter", "advise", "-n", 1000, "--universe", 999, code=2)

    def test_needs_are_kept(self):
        for needs, able in (
            (["--mutable"], {"add", "remove"}),
            (["--union"], {"union"}),
        ):
            advice = self.advise("-n", 1000, "--fpr", 0.01, *needs)
            chosen = advice["candidates"][0]
            self.assertEqual(chosen["type"], advice["type"])
            for candidate in advice["candidates"]:
                self.assertEqual(able <= set(candidate["can"]), "problem" not in candidate, candidate)
        self.assertEqual(self.advise("-n", 1000, "--fpr", 0.01, "--union")["type"], "bloom")
        needs = ("-n", 1000, "--mutable", "--union")
        for form in ((), ("--json",)):
            result = self.crivo("filter", "advise", *needs, *form, code=2)
            self.assertIn(b"no type", result.err)
            self.assertIn(b"split-block-bloom", result.out)
        self.assertNotIn("type", result.json())
        self.assertIn("no type", result.json()["reason"])

    def test_the_command_builds_what_was_said(self):
        self.write_keys(urls(30_000), "KEYS")
        for needs in ([], ["--mutable"], ["--union"]):
            advice = self.advise("-n", 30_000, "--fpr", 0.001, *needs)
            program, *args = shlex.split(advice["command"])
            self.assertEqual(program, "crivo")
            self.crivo(*args, "--force")
            info = self.info("FILE")
            self.assertEqual(info["type"], advice["type"])
            self.assertLessEqual(info["fpr"], 0.0011)
            self.assertAlmostEqual(info["bits_per_key"], advice["candidates"][0]["bits_per_key"], delta=0.4)

    def test_every_candidate_can_be_built(self):
        self.write_keys(urls(20_000), "KEYS")
        for candidate in self.advise("-n", 20_000, "--fpr", 0.02)["candidates"]:
            with self.subTest(candidate["arguments"]):
                self.crivo("build", "filter", "KEYS", "-o", "FILE", "--force", *candidate["arguments"].split())
                self.assertAlmostEqual(
                    self.info("FILE")["bits_per_key"], candidate["bits_per_key"], delta=0.7
                )

    def test_text(self):
        text = self.crivo("filter", "advise", "-n", 10_000_000, "--mutable").out.decode()
        self.assertIn("crivo build filter KEYS -o FILE --type cuckoo --semi-sorted", text)
        self.assertIn("cannot be changed", text)
        self.assertRegex(text, r"(?m)^cuckoo, semi-sorted\s+10\.4\d ")
        self.assertLessEqual(max(len(line) for line in text.split("\n\n")[0].split("\n")), 120)

    def test_rates_that_a_type_cannot_have(self):
        advice = self.advise("-n", 1000, "--fpr", 1e-9)
        (split,) = [c for c in advice["candidates"] if c["type"] == "split-block-bloom"]
        self.assertIn("2^-24", split["problem"])
        self.assertNotIn("bits_per_key", split)
        for fpr in ("0", "1", "2", "nan", "1e-10"):
            self.crivo("filter", "advise", "-n", 1000, "--fpr", fpr, code=2)
        self.crivo("filter", "advise", "--fpr", 0.01, code=2)

    def test_no_keys(self):
        self.assertEqual(self.advise("-n", 0)["type"], "ribbon")
