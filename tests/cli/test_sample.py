# SPDX-License-Identifier: Apache-2.0
"""crivo-sample builds partitions as they are in the whole set: what they take agrees with whole builds, and with each other."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

from harness import BIN, CrivoTest

SCALE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "scale"
SAMPLE = os.path.join(BIN, "crivo-sample")
KEYS = 1_000_000
BUILDS = {
    "mphf fast": ("mphf",),
    "mphf compact": ("mphf", "--algorithm", "compact"),
    "mphf tiny": ("mphf", "--algorithm", "tiny"),
    "filter ribbon": ("filter", "--type", "ribbon"),
    "filter fuse": ("filter", "--type", "fuse"),
    "filter split-block-bloom": ("filter", "--type", "split-block-bloom"),
}


class Sample(CrivoTest):
    def sample(self, *arguments, code=0):
        """{structure: (partitions, keys built, bits a key, bytes of notes a key)}, and what is said on standard error."""
        done = subprocess.run([SAMPLE, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]
        found = {
            name: (int(partitions.replace(",", "")), int(keys.replace(",", "")), float(bits), float(notes))
            for name, partitions, keys, bits, notes, _ in rows
        }
        return found, done.stderr

    def test_beside_whole_builds(self):
        """All partitions of a set are what its builds write, but for what the join makes of the notes."""
        numbers = self.crivo("gen", "ints", "-n", KEYS, "--binary").out
        self.write("ints", numbers)
        found, _ = self.sample(KEYS, 1)
        self.assertEqual(found.keys(), BUILDS.keys())
        for name, (partitions, keys, bits, notes) in found.items():
            with self.subTest(name):
                self.crivo("build", *BUILDS[name], "ints", "--fixed", "8", "-o", "whole", "-f")
                whole = 8 * (self.dir / "whole").stat().st_size / KEYS
                self.assertEqual(keys, KEYS)
                self.assertGreater(partitions, 1)
                self.assertLessEqual(bits, whole)
                self.assertLess(whole - bits, 0.2 if name.startswith("mphf") else 0.01 * whole)
                if name.startswith("filter"):
                    self.assertLess(notes, 0.01)

    def test_some_partitions(self):
        """Fewer of more keys, made or drawn, take as much a key."""
        some, _ = self.sample(4 * KEYS, 8)
        drawn, _ = self.sample(4 * KEYS, 8, "--drawn")
        (keys,) = {row[1] for row in some.values()}  # the same for all
        self.assertLess(abs(keys - 4 * KEYS / 8), 0.01 * KEYS)
        for name in BUILDS:
            self.assertEqual(some[name][0], drawn[name][0])
            self.assertAlmostEqual(some[name][2] / drawn[name][2], 1, delta=0.01)

    def test_what_has_no_room(self):
        found, said = self.sample(10**12, 10**6, "--drawn")
        self.assertEqual(BUILDS.keys() - found.keys(), {"filter split-block-bloom"})
        self.assertRegex(said, "^crivo-sample: .*\n$")

    def test_refusals(self):
        for arguments in ((), ("1000000",), ("x", "1"), ("1000000", "0"), ("1e6", "1"), (KEYS, 1, "--made"), (KEYS, 1, 1, 1)):
            self.assertEqual(self.sample(*arguments, code=2)[1], "usage: crivo-sample N SHARE [--drawn]\n", arguments)
        self.assertIn("have one partition", self.sample(1000, 1, code=2)[1])


class Costs(unittest.TestCase):
    def costs(self, *arguments):
        return subprocess.run([sys.executable, SCALE / "costs", *arguments], capture_output=True, text=True)

    def test_the_page_shows_what_it_prints(self):
        (session,) = re.findall(r"(?ms)^```text\n(.*?)^```$", (SCALE / "README.md").read_text(encoding="utf-8"))
        parts = re.split(r"(?m)^\$ tools/scale/costs (.*)\n", session)[1:]
        self.assertGreaterEqual(len(parts), 8)
        for arguments, printed in zip(parts[::2], parts[1::2]):
            with self.subTest(arguments):
                self.assertEqual(self.costs(*arguments.split()).stdout, printed)

    def test_one_shard_is_one_machine(self):
        self.assertEqual(len(self.costs("1e9", "--shards", "1").stdout.splitlines()), 2)

    def test_wrong_numbers_are_refused(self):
        for arguments in (("0",), ("many",), ("1e9", "--shards", "0"), ("1e9", "--key-bytes", "-1")):
            with self.subTest(arguments):
                self.assertEqual(self.costs(*arguments).returncode, 2)


if __name__ == "__main__":
    unittest.main()
