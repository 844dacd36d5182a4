# SPDX-License-Identifier: Apache-2.0
"""tools/java, the reader for Java: built as its users do, it answers as Crivo does, and refuses what it must.

Over the golden files and damaged ones crivo/GoldenTest.java has the tests.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import agreement
import golden
import larger

# Of a process that ends soon; for the compiler too.
ENVIRONMENT = dict(os.environ, JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
MUTANTS = 20_000 if os.environ.get("CRIVO_LONG") == "1" else 120
HERE = pathlib.Path(__file__).resolve().parent
JAVA = golden.FORMATS.parent / "tools" / "java"


@unittest.skipUnless(shutil.which("javac"), "no JDK: the Java reader is not tested (tools/setup installs one)")
class Jar(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        temporary = tempfile.TemporaryDirectory(prefix="crivo-test-")
        cls.addClassCleanup(temporary.cleanup)
        cls.dir = pathlib.Path(temporary.name)
        cls.jar = cls.dir / "crivo.jar"
        subprocess.run([JAVA / "build", cls.jar], env=ENVIRONMENT, check=True)

    def java(self, *arguments, stdin=b"", code=0):
        result = subprocess.run(["java", *arguments], env=ENVIRONMENT, input=stdin, capture_output=True)
        self.assertEqual(result.returncode, code, result.stderr.decode()[:2000])
        return result

    def test_golden_bad_and_damaged_files(self):
        command = ["javac", "-Xlint:all", "-Werror", "-cp", self.jar, "-d", self.dir, HERE / "crivo" / "GoldenTest.java"]
        subprocess.run(command, env=ENVIRONMENT, check=True)
        said = self.java("-ea", "-cp", f"{self.jar}:{self.dir}", "crivo.GoldenTest", golden.FORMATS).stdout.decode()
        self.assertIn("10000 damaged files", said)
        self.assertIn("4000 damaged stores", said)
        self.assertIn("a manifest", said)
        self.assertIn("chains", said)

    def test_larger_files(self):
        for what, path, asked, answers in larger.files():
            with self.subTest(what):
                self.assertTrue(self.java("-jar", self.jar, path, "-", stdin=asked).stdout == answers, "other answers")

    def test_files_of_a_sharded_build(self):
        for path in larger.sharded_files(self.dir):
            self.java("-jar", self.jar, path)

    def test_agreement(self):
        """Of files that were changed and whose checksums fit, Crivo, reader.py and this reader say the same: why they are
        refused, or what they answer."""
        command = ["javac", "-cp", self.jar, "-d", self.dir, HERE / "crivo" / "Answers.java"]
        subprocess.run(command, env=ENVIRONMENT, check=True)
        directory = self.dir / "mutants"
        directory.mkdir()
        made, keys = agreement.make_mutants(directory, MUTANTS)
        named = "".join(mutant.line() + "\n" for mutant in made).encode()
        said = self.java("-cp", f"{self.jar}:{self.dir}", "crivo.Answers", self.dir / "keys", stdin=named).stdout.splitlines()
        self.assertEqual(len(said), len(made))
        answered = sum(b"\t" in line for line in said)
        self.assertTrue(len(made) // 5 < answered < len(made) * 4 // 5, answered)
        for mutant, java in zip(made, said):
            with self.subTest(mutant.what, file=mutant.path):
                expected = mutant.reader_says(keys)
                self.assertEqual(mutant.crivo_says(keys), expected, "Crivo, and reader.py")
                self.assertEqual(java, expected, "this reader, and reader.py")

    def test_refused_by_the_command(self):
        refused = self.java("-jar", self.jar, golden.GOLDEN / "bad" / "header.crv", code=4)
        self.assertIn(b"corrupt: the header checksum", refused.stderr)
        self.java("-jar", self.jar, code=2)
        self.java("-jar", self.jar, self.dir / "none.crv", code=5)

    def test_example(self):
        command = ["-cp", self.jar, JAVA / "example" / "Lookup.java", golden.GOLDEN / "map-1000-signature.crv"]
        keys = (golden.GOLDEN / "urls.txt").read_bytes().splitlines()
        answers = self.java(*command, stdin=larger.lines([keys[7], b"nowhere", keys[999]])).stdout
        self.assertEqual(answers, larger.lines([keys[7] + b"\t7", b"nowhere\tabsent", keys[999] + b"\t999"]))


if __name__ == "__main__":
    unittest.main()
