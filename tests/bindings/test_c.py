# SPDX-License-Identifier: Apache-2.0
"""crivo.h: every call made by a program in C, every golden file read through it, and the example."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "readers"))
import golden  # noqa: E402  pylint: disable=wrong-import-position

BIN = pathlib.Path(os.environ["CRIVO"]).resolve().parent  # where all that was built lies
CALLS = BIN / "c_calls"
ANSWERS = BIN / "c_answers"
LOOKUP = BIN / "crivo-example-c-lookup"
BUILD = BIN / "crivo-example-c-build"
FAILING_MEMORY = BIN / "failing_memory"
#: Calls that are tried by no failing allocation: they need a key of minisign, or are made of others that are.
FOR_OTHERS = {"crivo_sign", "crivo_verify_signed", "crivo_build_delta_part"}


def run(*command):
    return subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False
    )


class CTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="crivo-test-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def test_every_call(self):
        made = run(CALLS, self.dir)
        self.assertEqual((made.stdout.decode(), made.returncode), ("", 0))

    @unittest.skipUnless(FAILING_MEMORY.exists(), "a sanitizer's allocator")
    def test_too_little_memory(self):
        """Each allocation of calls fails once (CRIVO_LONG; otherwise some of many): no exception leaves one."""
        made = run(FAILING_MEMORY, self.dir)
        self.assertEqual((made.stdout.decode(), made.returncode), ("", 0))
        header = (SOURCE / "include" / "crivo.h").read_text()
        tried = "".join((SOURCE / "tests" / "bindings" / name).read_text() for name in ("failing_memory.cpp", "failing_calls.cpp", "failing_lookups.cpp"))
        for name in re.findall(r"^CRIVO_API crivo_status (crivo_\w+)\(", header, re.MULTILINE):
            with self.subTest(call=name):
                self.assertTrue(name in tried or name.endswith(("_hashed", "_hashed_many", "_info")) or name in FOR_OTHERS)

    def test_no_call_is_left_out(self):
        """Of the functions that the header declares."""
        header = (SOURCE / "include" / "crivo.h").read_text()
        calls = (SOURCE / "tests" / "bindings" / "calls.c").read_text()
        for name in re.findall(r"^(?:CRIVO_API|static inline) [^(]*?\b(crivo_\w+)\(", header, re.MULTILINE):
            with self.subTest(call=name):
                self.assertTrue(name in calls)

    def test_golden_files(self):
        keys = self.dir / "keys"
        for name, entry, asked, answers in golden.files():
            with self.subTest(name):
                keys.write_bytes(b"".join(key + b"\n" for key in asked))
                answered = run(ANSWERS, golden.GOLDEN / name, keys, *golden.forms(entry))
                self.assertEqual(answered.returncode, 0, answered.stdout[-500:])
                wrong = [i for i, line in enumerate(answered.stdout.splitlines()) if line != answers[i]]
                self.assertEqual((wrong[:5], answered.stdout.count(b"\n")), ([], len(answers)))

    def test_golden_files_by_ranges(self):
        """All but those that cannot be read so: in several files, of lmdb, or without a hash tree; and ranges, which are no keys."""
        keys, asked_of = self.dir / "keys", 0
        for name, entry, asked, answers in golden.files():
            if any(b"\t" in key for key in asked) and "range" in name:
                continue
            with self.subTest(name):
                keys.write_bytes(b"".join(key + b"\n" for key in asked))
                answered = run(ANSWERS, golden.GOLDEN / name, keys, "remote", *golden.forms(entry))
                if answered.returncode != 0:
                    self.assertRegex(answered.stdout[-300:], rb"is a manifest|has no hash tree|backend flat")
                    continue
                asked_of += 1
                wrong = [i for i, line in enumerate(answered.stdout.splitlines()) if line != answers[i]]
                self.assertEqual((wrong[:5], answered.stdout.count(b"\n")), ([], len(answers)))
        self.assertGreater(asked_of, 50)

    @unittest.skipUnless(LOOKUP.exists(), "no shared library")
    def test_example_of_a_lookup(self):
        keys = (golden.GOLDEN / "urls.txt").read_text().splitlines()
        values = run(LOOKUP, golden.GOLDEN / "map-1000-signature.crv", keys[7], "nowhere", keys[999])
        self.assertEqual(values.stdout.decode(), f"{keys[7]}\t7\nnowhere\tabsent\n{keys[999]}\t999\n")
        refused = run(LOOKUP, self.dir / "none.crv", "key")
        self.assertEqual(refused.returncode, 1)
        self.assertIn(b"none.crv: cannot open", refused.stdout)

    @unittest.skipUnless(BUILD.exists(), "no shared library")
    def test_example_of_a_build(self):
        ranks = run(BUILD, "one", "two", "three")
        self.assertEqual(ranks.returncode, 0, ranks.stdout)
        self.assertEqual(sorted(line.split(b"\t")[1] for line in ranks.stdout.splitlines()), [b"0", b"1", b"2"])
