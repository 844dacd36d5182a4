# SPDX-License-Identifier: Apache-2.0
"""tools/java, the reader for Java: built as its users do, it answers as Crivo does, and refuses what it must.

Over the golden files and damaged ones crivo/GoldenTest.java has the tests.
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import agreement
import beside_writers
import golden
import larger
import mutants
from key_forms import KEY_FORMS

CRIVO = os.path.abspath(os.environ["CRIVO"])
sys.path[:0] = [str(golden.FORMATS.parent / "tests" / folder) for folder in ("cli", "bindings/borders")]
import forged
import minisign
import page

# Of a process that ends soon; for the compiler too.
ENVIRONMENT = dict(os.environ, JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
FORGERIES = 100_000 if os.environ.get("CRIVO_LONG") == "1" else 300
DAMAGED_PAGES = 2_000 if os.environ.get("CRIVO_LONG") == "1" else 60
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
        command = ["javac", "-Xlint:all", "-Werror", "-cp", cls.jar, "-d", cls.dir, HERE / "crivo" / "SignedFiles.java"]
        subprocess.run(command, env=ENVIRONMENT, check=True)

    def java(self, *arguments, stdin=b"", code=0):
        result = subprocess.run(["java", *arguments], env=ENVIRONMENT, input=stdin, capture_output=True)
        self.assertEqual(result.returncode, code, result.stderr.decode()[:2000])
        return result

    def compile(self, name):
        """A program of the folder `crivo`."""
        subprocess.run(["javac", "-Xlint:all", "-Werror", "-cp", self.jar, "-d", self.dir, HERE / "crivo" / f"{name}.java"], env=ENVIRONMENT, check=True)

    def test_golden_bad_and_damaged_files(self):
        self.compile("GoldenTest")
        said = self.java("-ea", "-cp", f"{self.jar}:{self.dir}", "crivo.GoldenTest", golden.FORMATS).stdout.decode()
        self.assertIn("10000 damaged files", said)
        self.assertIn("5500 damaged stores", said)
        self.assertIn("updated stores", said)
        self.assertIn("manifests", said)
        self.assertIn("chains", said)

    def test_damaged_pages(self):
        """Of files with sums of pages: a key that is there is never absent, and has no other's answer."""
        self.compile("Silence")
        run = lambda command: subprocess.run(["sh", "-c", command], cwd=self.dir, check=True, env=dict(os.environ, CRIVO=CRIVO))
        run('"$CRIVO" gen words -n 60000 > all; awk "NR % 9 == 0" all > members')
        run('"$CRIVO" build dictionary all -o dictionary.crv --quiet; "$CRIVO" build map all -o map.crv --quiet')
        run('"$CRIVO" build exact --members members --universe all -o exact.crv --quiet --fpr 1e-9')
        run('awk "{ print \\$0 \"\\tno. \" NR }" all | "$CRIVO" build store - -o store --backend flat --quiet; awk "NR % 120 == 1" all > asked')
        store = f"{self.dir}/store/index.crv,{next((self.dir / 'store').glob('data-*'))}"
        files = [*(self.dir / f"{kind}.crv" for kind in ("dictionary", "map", "exact")), store]
        said = self.java("-cp", f"{self.jar}:{self.dir}", "crivo.Silence", self.dir / "asked", str(DAMAGED_PAGES), *files).stdout
        found = re.findall(rb"(\d+) refused, (\d+) damaged", said)
        self.assertEqual(len(found), len(files))
        self.assertTrue(all(int(refused) + int(damaged) for refused, damaged in found), found)
        self.assertTrue(all(int(damaged) for _, damaged in found[:2]), found)  # the others are mostly of one chunk

    def test_key_forms(self):
        self.compile("KeysTest")
        asked = "".join(f"{form}\t{text.hex()}\n" for form, text, _ in KEY_FORMS).encode()
        said = self.java("-cp", f"{self.jar}:{self.dir}", "crivo.KeysTest", stdin=asked).stdout.decode().split("\n")
        self.assertEqual(said[:-1], [key.hex() for _, _, key in KEY_FORMS])

    def test_larger_files(self):
        for what, path, asked, answers in larger.files():
            with self.subTest(what):
                self.assertTrue(self.java("-jar", self.jar, path, "-", stdin=asked).stdout == answers, "other answers")

    def test_files_of_a_sharded_build(self):
        for path in larger.sharded_files(self.dir):
            self.java("-jar", self.jar, path)

    def test_parts_without_hash_trees(self):
        (self.dir / "no-tree").mkdir()
        refused = self.java("-jar", self.jar, mutants.write_part_without_tree(self.dir / "no-tree"), code=4)
        self.assertIn(b"part-0.crv has no hash tree", refused.stderr)

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

    def crivo_code(self, code, *arguments):
        done = subprocess.run([agreement.CRIVO, *map(str, arguments)], capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done)

    def open_signed(self, paths, *options):
        """What is said of each path."""
        named = "".join(f"{path}\n" for path in paths).encode()
        key = minisign.Key(1).line
        return self.java("-cp", f"{self.jar}:{self.dir}", "crivo.SignedFiles", key, *options, stdin=named).stdout.decode().splitlines()

    def test_borders(self):
        """What every public method makes of what no caller should give it."""
        self.compile("Borders")
        folder, key = self.dir / "borders", minisign.Key(1)
        for name in ("mphf-300.crv", "range-1000.crv", "map-2000-values.crv", "dictionary-2000-values.crv", "exact-500.crv", "store-500", "store-500-ordered"):
            copy = shutil.copytree if (golden.GOLDEN / name).is_dir() else shutil.copy
            folder.mkdir(exist_ok=True)
            copy(golden.GOLDEN / name, folder / name)
        data = (folder / "mphf-300.crv").read_bytes()
        (folder / "mphf-300.crv.minisig").write_bytes(key.signature(data, b"crivo 1 bytes=%d" % len(data)))
        (folder / "key.pub").write_bytes(b"untrusted comment: a key\n" + key.line.encode() + b"\n")
        with zipfile.ZipFile(self.jar) as jar:
            classes = [name[: -len(".class")].replace("/", ".") for name in jar.namelist() if name.endswith(".class")]
        rows = []
        for line in self.java("-cp", f"{self.jar}:{self.dir}", "crivo.Borders", folder, key.line, *classes).stdout.decode().splitlines():
            with self.subTest(line):
                call, parameter, what, outcome = line.split("\t")
                rows.append((call, parameter, what, outcome.split()[0]))
                self.assertTrue(outcome == "taken" or parameter and outcome.startswith("refused "))
        page.check(self, "crivo.jar", sorted(set(rows)))

    def test_forgeries(self):
        specimens = list(forged.Maker(self.dir / "signed", agreement.run).specimens())
        sound = [self.dir / "signed" / f"{folder}" for folder in ("filter-40/file.crv", "filter-20500/file.crv", "store-30/store", "chain-20/chain.crv", "signed_chain-20/chain.crv", "manifest-60/manifest.crv")]
        said = self.open_signed(sound, self.dir / "state")
        self.assertEqual(said, [f"accepted {minisign.Key(1).id_text} 5 null"] * 6)
        kept = (self.dir / "state").read_bytes()
        self.assertEqual(kept, b"known sequences 1\n5\tchain.crv\n5\tfile.crv\n5\tmanifest.crv\n5\tset.crv\n5\tstore\n")
        command = ["java", "-cp", f"{self.jar}:{self.dir}", "crivo.SignedFiles", minisign.Key(1).line]
        with subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
            for what, path in forged.Forger(specimens).forgeries(self.dir / "forged", FORGERIES):
                reader.stdin.write(f"{path}\n")
                reader.stdin.flush()
                self.assertRegex(reader.stdout.readline(), r"\A(?!accepted).+\n\Z", what)

    def test_signatures(self):
        folder, key = self.dir / "refused", minisign.Key(1)
        folder.mkdir()
        (folder / "keys").write_bytes(b"a\nb\n")
        agreement.run("build", "filter", folder / "keys", "-o", folder / "file.crv", "-q")
        data = (folder / "file.crv").read_bytes()
        root = hashlib.sha256(forged.header_table_footer(data)).hexdigest().encode()
        accepted = [("accepted", signature) for signature in forged.accepted_signatures(key, data, root)]
        refused = list(forged.refused_signatures(key, data, root))
        paths = []
        for number, (_, signature) in enumerate(accepted + refused):
            paths.append(folder / str(number) / "file.crv")
            paths[-1].parent.mkdir()
            paths[-1].write_bytes(data)
            paths[-1].with_name("file.crv.minisig").write_bytes(signature)
        paths.append(folder / "file.crv")
        for (because, _), said in zip([*accepted, *refused, ("is missing", None)], self.open_signed(paths), strict=True):
            self.assertIn(because, said)
            self.assertEqual(because == "accepted", said.startswith("accepted"), said)

    def test_state_and_weak_keys(self):
        folder, key = self.dir / "known", minisign.Key(1)
        folder.mkdir()
        (folder / "keys").write_bytes(b"a\nb\n")
        path = folder / "file.crv"
        agreement.run("build", "filter", folder / "keys", "-o", path, "-q")
        data = path.read_bytes()
        for sequence, begin in ((3, "accepted"), (7, "accepted"), (7, "accepted"), (6, "corrupt")):
            path.with_name("file.crv.minisig").write_bytes(key.signature(data, b"crivo 1 bytes=%d sequence=%d" % (len(data), sequence)))
            (said,) = self.open_signed([path], folder / "seen")
            self.assertTrue(said.startswith(begin), said)
            self.crivo_code(4 if begin == "corrupt" else 0, "verify", path, "--public-key", key.line, "--state", folder / "seen")
        self.assertIn("older than one that was seen before: its sequence is 6", said)
        self.assertEqual((folder / "seen").read_bytes(), b"known sequences 1\n7\tfile.crv\n")
        for y in (0, 1, 2**255 - 20, 2**255 - 19, 2**255 - 18, 1 + 2**255):
            weak = base64.b64encode(b"Ed" + bytes(8) + (y % 2**256).to_bytes(32, "little")).decode()
            refused = self.java("-jar", self.jar, "--public-key", weak, path, code=2)
            self.assertIn(b"weak public key", refused.stderr)
        self.java("-jar", self.jar, "--public-key", "no key", path, code=5)
        asked = self.java("-jar", self.jar, "--public-key", key.line, path, "-", stdin=b"a\n").stdout
        self.assertEqual(asked, b"a\tmaybe\n")

    def test_refused_by_the_command(self):
        refused = self.java("-jar", self.jar, golden.GOLDEN / "bad" / "header.crv", code=4)
        self.assertIn(b"corrupt: the header checksum", refused.stderr)
        self.java("-jar", self.jar, code=2)
        self.java("-jar", self.jar, self.dir / "none.crv", code=5)

    def test_beside_writers(self):
        self.compile("BesideWriters")
        reader = ["java", "-cp", f"{self.jar}:{self.dir}", "crivo.BesideWriters"]
        beside_writers.opened_beside_writers(self, self.dir, reader)

    def test_help(self):
        self.assertEqual(self.java("-jar", self.jar, "--help").stdout, b"usage: java -jar crivo.jar [--public-key KEY] FILE [KEYS|-]\n")

    def test_what_is_no_file(self):
        """Is named, and nothing waits for it."""
        none, pipe = self.dir / "none.crv", self.dir / "pipe"
        os.mkfifo(pipe)
        for path, problem in ((none, b"there is no such file"), (pipe, b"is not a regular file"), (self.dir / "pipe" / "x", b"Not a directory")):
            said = self.java("-jar", self.jar, path, code=5).stderr
            self.assertTrue(said.endswith(b"\ncrivo.jar: %s: %s\n" % (bytes(path), problem)), said)
        self.assertIn(b"is not a regular file", self.java("-jar", self.jar, "--public-key", pipe, none, code=5).stderr)
        (self.dir / "unsigned.crv").write_bytes((golden.GOLDEN / "map-1000-signature.crv").read_bytes())
        os.mkfifo(self.dir / "unsigned.crv.minisig")
        refused = self.java("-jar", self.jar, "--public-key", minisign.Key(1).line, self.dir / "unsigned.crv", code=5)
        self.assertIn(b"unsigned.crv.minisig: is not a regular file", refused.stderr)

    def test_what_has_no_keys(self):
        """Exit 1 would be: absent."""
        folder = self.dir / "keyless"
        folder.mkdir()
        for name, keys in (("members", b"a\n"), ("more", b"a\nb\n"), ("all", b"a\nb\nc\n"), ("records", b"a\t1\n")):
            (folder / name).write_bytes(keys)
        agreement.run("build", "exact", "--members", folder / "members", "--universe", folder / "all", "-o", folder / "set.crv", "-q")
        agreement.run("diff", folder / "set.crv", "--members", folder / "more", "--universe", folder / "all", "-o", folder / "delta.crv", "-q")
        agreement.run("build", "store", folder / "records", "-o", folder / "store", "-q")
        agreement.run("partition", folder / "all", "-o", folder / "dealt", "--shards", "2", "-q")
        agreement.run("build", "mphf", "--shard", "0/2", folder / "dealt", "-o", folder / "part.crv", "-q")
        for path, problem in ((folder / "delta.crv", b"is a delta"), (folder / "part.crv", b"is a part of a sharded build"),
                              (folder / "store" / "index.crv", b"the index of a store, without its records")):
            self.assertIn(problem, self.java("-jar", self.jar, path, "-", stdin=b"a\n", code=2).stderr)

    def test_the_last_line_without_its_end(self):
        for path, asked, answers in ((golden.GOLDEN / "map-1000-signature.crv", b"nowhere\nat all", b"nowhere\t-\nat all\t-\n"),
                                     (golden.GOLDEN / "map-1000-signature.crv", b"\n\n", b"\t-\n\t-\n"),
                                     (golden.GOLDEN / "map-1000-signature.crv", b"", b"")):
            self.assertEqual(self.java("-jar", self.jar, path, "-", stdin=asked).stdout, answers)

    def test_arrays_longer_than_a_mapping(self):
        """Of more than 2^30 bytes, which lie in several buffers."""
        if os.environ.get("CRIVO_LONG") != "1":
            self.skipTest("takes 3 GB")
        self.compile("LongArrays")
        self.java("-ea", "-Xmx4g", "-cp", f"{self.jar}:{self.dir}", "crivo.LongArrays")

    def test_example(self):
        command = ["-cp", self.jar, JAVA / "example" / "Lookup.java", golden.GOLDEN / "map-1000-signature.crv"]
        keys = (golden.GOLDEN / "urls.txt").read_bytes().splitlines()
        answers = self.java(*command, stdin=larger.lines([keys[7], b"nowhere", keys[999]])).stdout
        self.assertEqual(answers, larger.lines([keys[7] + b"\t7", b"nowhere\tabsent", keys[999] + b"\t999"]))


if __name__ == "__main__":
    unittest.main()
