# SPDX-License-Identifier: Apache-2.0
"""crivo-experiments: what theory fixes of the thesis's and the slides' experiments, in a small run."""

import hashlib
import json
import math
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from harness import BIN, ENVIRONMENT
from test_experiments import COUNTS, digest

PROGRAM = os.path.join(BIN, "crivo-experiments")
EXPERIMENTS = ("dictionaries", "hyphenation", "exceptions", "bloom-rate")
LISTS = ("hyphen/hyph_en_US.dic", "hyphen/hyph_pt_PT.dic", "hyphen/hyph_pt_BR.dic", "dict/american-english-insane", "dict/brazilian")
FILTERS = ("bloom", "cuckoo", "ribbon", "fuse", "split-block-bloom")


def digest_of_lists():
    """Of Debian's words and patterns of hyphenation, which differ between its releases."""
    return hashlib.sha256(b"".join(pathlib.Path("/usr/share", name).read_bytes() for name in LISTS)).hexdigest()[:16]


class SmallRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.out = pathlib.Path(tempfile.mkdtemp(prefix="crivo-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.out, ignore_errors=True)
        command = [PROGRAM, "-q", "--repeat", "10", "-o", str(cls.out)]
        for name in EXPERIMENTS:
            command += ["--only", name]
        cls.ran = subprocess.run(command, env=ENVIRONMENT, capture_output=True, timeout=500, check=False)

    def setUp(self):
        self.assertEqual(self.ran.returncode, 0, self.ran.stderr[-2000:])
        self.report = (self.out / "report.md").read_text()
        self.steps = {
            name: json.loads((self.out / "results" / f"{name}.json").read_text())["steps"] for name in EXPERIMENTS
        }

    def near(self, value, expected, part):
        self.assertLess(abs(value - expected), part * expected, (value, expected))

    def test_reports_no_fault(self):
        for fault in ("KEYS ARE LOST", "KEYS OF A SET", "DIFFERS FROM", "FILTERS DIFFER"):
            self.assertNotIn(fault, self.report)
        portuguese = (self.out / "report.pt.md").read_text()
        for number in range(1, 7):
            self.assertIn(f"### Figure 5.{number}:", self.report)
            self.assertIn(f"### Figura 5.{number}:", portuguese)

    def test_counts_are_those_of_every_machine(self):
        """And, of hyphenation, of the same lists: those of Debian 12 and 13 are known."""
        kept = json.loads(COUNTS.read_text())
        for name in EXPERIMENTS:
            expected = kept[name]
            if isinstance(expected, dict):
                expected = expected.get(digest_of_lists())
            if expected is not None:
                with self.subTest(name):
                    self.assertEqual(digest(self.out, name), expected)

    def test_draws_every_plot(self):
        plots = [f"thesis-5-{number}" for number in range(1, 7)] + ["slides-rate-by-k", "slides-rate-by-space"]
        for plot in plots:
            self.assertIn(f"({plot}.svg)", self.report)
            xml.etree.ElementTree.parse(self.out / f"{plot}.svg")

    def test_bloom_filters_have_the_rate_of_the_formula(self):
        steps = self.steps["bloom-rate"]
        for cells in (4, 8):
            for k in range(1, 17):
                step = steps[f"bloom/{cells} cells/k {k}"]
                self.near(step["rate"], (1 - math.exp(-k / cells)) ** k, 0.1)
                self.assertEqual(step["found"], 1)
                self.assertEqual(step["rate"], steps[f"counting-bloom/{cells} cells/k {k}"]["rate"])
        best = min(range(1, 17), key=lambda k: steps[f"bloom/8 cells/k {k}"]["rate"])
        self.assertIn(best, (5, 6))
        self.near(steps["bloom/8 cells/k 1"]["rate"], 0.1175, 0.05)
        self.near(steps["ribbon/8 bits"]["rate"], 1 / 256, 0.25)

    def test_the_formula_is_low_in_few_cells(self):
        self.assertGreater(self.steps["bloom-rate"]["picture"]["rate"], 1.05 * (1 - math.exp(-1 / 2)) ** 3)

    def test_dictionaries_have_the_collisions_of_theory(self):
        for key_set in ("words", "urls"):
            self.check_dictionaries(
                {name.removeprefix(f"{key_set}/"): step for name, step in self.steps["dictionaries"].items() if name.startswith(key_set)}
            )

    def check_dictionaries(self, steps):
        for load, part in ((0.5, 0.05), (0.7, 0.05), (0.9, 0.3)):
            step = steps[f"linear probing/{round(100 * load)} %"]
            self.near(step["present_collisions"], (1 / (1 - load) - 1) / 2, part)
            self.near(step["absent_collisions"], (1 / (1 - load) ** 2 - 1) / 2, 1.5 * part)
            self.near(step["bytes_per_key"], 4 / load, 0.001)
        self.near(steps["chained"]["present_collisions"], 0.5, 0.05)
        self.assertEqual(steps["chained"]["bytes_per_key"], 12)
        self.near(steps["cuckoo hash table/4 entries"]["bytes_per_key"], 4 / 0.95, 0.001)
        self.near(steps["cuckoo hash table/4 entries"]["absent_collisions"], 8 * 0.95, 0.02)
        for name, step in steps.items():
            if name == "keys":
                continue
            self.assertEqual(step["present_found"], 1, name)
            errs = name.startswith("filter/") or name == "hash compaction"
            self.assertLess(step["absent_found"], 1.3 / 256 if errs else 1e-9, name)
        keys, bits = steps["keys"]["keys"], steps["keys"]["bits"]
        self.near(steps["hash compaction"]["absent_found"], keys / 2**bits, 0.25)

    def test_no_filter_changes_a_hyphen(self):
        for name, step in self.steps["hyphenation"].items():
            if name == "language":
                continue
            words = step["no filter"]["lookups"]
            for filter_type in FILTERS:
                self.assertEqual(len(step[filter_type]), 20)
                for percent, one in enumerate(step[filter_type], start=1):
                    self.assertEqual(one["hyphens"], step["no filter"]["hyphens"])
                    self.assertEqual(one["found"], step["no filter"]["found"])
                    self.assertLess(one["lookups"] - one["found"], words * (1.2 * percent / 100 + 0.01))
                    self.assertGreater(one["seconds"], 0)
                    self.assertGreater(one["initialisation_seconds"], 0)
            self.assertGreater(step["no filter"]["found"], 0)
            self.assertNotEqual(step["patterns alone"]["hyphens"], 0)


if __name__ == "__main__":
    unittest.main()
