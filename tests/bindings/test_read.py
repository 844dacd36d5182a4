# SPDX-License-Identifier: Apache-2.0
"""libcrivo-read: what it needs and weighs, and that it answers and refuses as the whole library does."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "readers"))
from beside_writers import opened_beside_writers  # noqa: E402  pylint: disable=wrong-import-position
import golden  # noqa: E402  pylint: disable=wrong-import-position

BIN = pathlib.Path(os.environ["CRIVO"]).resolve().parent  # where all that was built lies
LIBRARY = BIN.parent / "libcrivo-read.so"
READ = BIN / "read_program"  # linked with the static library
ANSWERS = BIN / "read_answers"  # of C, linked with the shared one
CRIVO = os.environ["CRIVO"]
# Of minisign's form, without a password, for tests alone.
SECRET_KEY = """untrusted comment: minisign secret key
RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAARyc/orBNS+aiXKc8cYniospazyCItX4oPUzUWu91SRhcLDsopL7x3lRMroU845vhmL/ENdfnHq2SFKJlGsDZdMuTwT6zPX7pF2WyXDOd1eg9C363m1THUw/L2cU2jGsAavCsMNSwcPw=
"""
PUBLIC_KEY = "RWRHJz+isE1L5lRMroU845vhmL/ENdfnHq2SFKJlGsDZdMuTwT6zPX7p"
MOST_BYTES = 1_850_000
NEEDED = {"libc.so.6", "libstdc++.so.6", "libm.so.6", "libgcc_s.so.1"}
# What makes or changes files, or reads files of keys.
BUILDER = re.compile(
    r"(?:\b|crivo_)(?:build|estimate|merge|partition|sign|sort|read_keys|for_each_chunk|write|edit|combine|plan)(?:_\w+)?[(@]"
)


def run(*command, **options):
    return subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False, **options
    )


class ReadTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="crivo-test-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def test_size(self):
        run("strip", "--strip-unneeded", "-o", self.dir / "stripped", LIBRARY)
        self.assertLessEqual((self.dir / "stripped").stat().st_size, MOST_BYTES)

    def test_needs_no_library_but_those_of_the_compiler(self):
        for linked in (LIBRARY, READ):
            dynamic = run("readelf", "-d", linked).stdout.decode()
            needed = set(re.findall(r"NEEDED.*\[(.*)\]", dynamic))
            self.assertEqual({name for name in needed if not name.startswith("ld-linux")} - NEEDED, set())

    def test_shows_readers_alone(self):
        shown = run("nm", "-DC", "--defined-only", LIBRARY).stdout.decode().splitlines()
        calls = [line.split(maxsplit=2)[2] for line in shown if " T " in line]
        self.assertIn("crivo_mphf_open@@CRIVO_1", calls)
        self.assertEqual([call for call in calls if BUILDER.search(call)], [])
        self.assertEqual([call for call in calls if not call.startswith("crivo")], [])

    def test_golden_files(self):
        keys = self.dir / "keys"
        for name, entry, asked, answers in golden.files():
            keys.write_bytes(b"".join(key + b"\n" for key in asked))
            for command, forms in (([READ, "answers"], []), ([ANSWERS], golden.forms(entry))):
                with self.subTest(name, program=command[0]):
                    answered = run(*command, golden.GOLDEN / name, keys, *forms)
                    self.assertEqual(answered.returncode, 0, answered.stdout[-500:])
                    self.assertTrue(answered.stdout.splitlines() == answers, "other answers")

    def test_opens_beside_writers(self):
        opened_beside_writers(self, self.dir, [READ, "opens"])

    def test_served_parts(self):
        keys = self.dir / "keys"
        words = (golden.GOLDEN / "words.txt").read_bytes().splitlines()[: 2000 + golden.ABSENT]
        keys.write_bytes(b"".join(key + b"\n" for key in words))
        records = [b"no. %d" % (i + 1) for i in range(2000)] + [b"-"] * golden.ABSENT
        for codec in ("tokens12", "zstd"):
            answered = run(READ, "answers", golden.GOLDEN / "served" / f"{codec}.crv", keys)
            self.assertEqual(answered.stdout.splitlines(), records)

    def test_damaged_files(self):
        """Refused as the program refuses them."""
        tried = 0
        for name, entry in golden.manifest(golden.GOLDEN / "bad" / "manifest.txt"):
            command = entry["command"].split()[1]
            if command in ("info", "verify"):
                with self.subTest(name, what=entry["what"]):
                    refused = run(READ, command, name, cwd=golden.GOLDEN / "bad")
                    self.assertEqual((refused.stdout.decode(), refused.returncode),
                                     (entry["error"] + "\n", int(entry["exit"])))
                tried += 1
        self.assertGreater(tried, 40)

    def test_libraries_that_are_not_there(self):
        """A sentence names the library, whatever it is needed for; what needs none is read."""
        keys = self.dir / "keys"
        keys.write_bytes(b"a\n")
        for library, files, arguments in (
            ("liblmdb", ("liblmdb.so.0", "liblmdb.so"), ("answers", golden.GOLDEN / "store-500", keys)),
            ("libzstd", ("libzstd.so.1",), ("answers", golden.GOLDEN / "store-500-flat-zstd", keys)),
            ("libcrypto", ("libcrypto.so.3",), ("signed", golden.GOLDEN / "mphf-300.crv", PUBLIC_KEY)),
        ):
            with self.subTest(library):
                hidden = self.dir / library
                hidden.mkdir()
                for file in files:
                    (hidden / file).write_bytes(b"")  # the loader takes it, and finds no library
                environment = dict(os.environ, LD_LIBRARY_PATH=str(hidden))
                refused = run(READ, *arguments, env=environment)
                self.assertEqual(refused.returncode, 5, refused.stdout)
                self.assertRegex(refused.stdout.decode(), rf"^crivo: .* needs {library}, which cannot be loaded: .*\n$")
                read = run(READ, "answers", golden.GOLDEN / "mphf-300.crv", keys, env=environment)
                self.assertEqual(read.returncode, 0, read.stdout)

    def test_signatures(self):
        """Checked as the program made them."""
        signed = self.dir / "signed.crv"
        shutil.copy(golden.GOLDEN / "mphf-300.crv", signed)
        (self.dir / "secret").write_text(SECRET_KEY)
        made = run(CRIVO, "sign", signed, "--secret-key", self.dir / "secret", "--sequence", "1")
        self.assertEqual(made.returncode, 0, made.stdout)
        checked = run(READ, "signed", signed, PUBLIC_KEY)
        self.assertEqual((checked.stdout, checked.returncode), (b"", 0))
        shutil.copy(golden.GOLDEN / "mphf-3000.crv", signed)
        refused = run(READ, "signed", signed, PUBLIC_KEY)
        self.assertEqual(refused.returncode, 4, refused.stdout)

    def test_takes_ids_and_no_files_of_them(self):
        dictionary = golden.GOLDEN / "dictionary-1000.crv"
        self.assertEqual(run(READ, "ids", dictionary, "0").returncode, 0)
        refused = run(READ, "ids", dictionary, "ids.txt")
        self.assertEqual((refused.stdout.decode(), refused.returncode),
                         ("crivo: \"ids.txt\" is not an id, a whole number\n", 3))
