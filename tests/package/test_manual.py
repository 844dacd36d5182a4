# SPDX-License-Identifier: Apache-2.0
"""What is installed beside the program: man pages, completions, the file type. $CRIVO names the program."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tools" / "package"
SLURM = ROOT / "tools" / "slurm" / "crivo-slurm"
GOLDEN = ROOT / "formats" / "golden"
BASH, ZSH, FISH = (f"completions/{name}" for name in ("bash-completion/completions/crivo", "zsh/vendor-completions/_crivo",
                                                     "fish/vendor_completions.d/crivo.fish"))
CRIVO = os.path.abspath(os.environ["CRIVO"])


def output(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, **options).stdout


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        temporary = tempfile.TemporaryDirectory(prefix="crivo-test-")
        cls.addClassCleanup(temporary.cleanup)
        cls.dir = pathlib.Path(temporary.name)
        output(PACKAGE / "manual", cls.dir, CRIVO, SLURM)
        cls.pages = sorted((cls.dir / "man1").iterdir())

    def test_a_page_a_command_with_every_option(self):
        self.assertGreater(len(self.pages), 20)
        for page in self.pages:
            path = page.stem.split("-")[1:]
            topic = page.stem.removeprefix("crivo-help-") if len(path) > 1 and path[0] == "help" else ""
            with self.subTest(page.stem):
                asked = (SLURM, "--help") if path == ["slurm"] else (CRIVO, "help", topic) if topic else (CRIVO, *path, "--help")
                said = output(*asked)
                text = page.read_text().replace("\\-", "-")
                for names in re.findall(r"\(see crivo help [\w-]+\):\n((?:  .*\n)+)", said):
                    for option in re.findall(r"--[\w-]+", names):
                        self.assertRegex(text, rf"\\fB{option}\\fP.*\n[^.]")  # and what it does
                for option in re.findall(r"^  (?:-\w(?:,| \w+, ))?(--[\w-]+)", said, re.M):
                    self.assertIn(f"\\fB{option}\\fP", text)
                for choice in {c for choices in re.findall(r"TEXT:\{(.*?)\}", said) for c in choices.split(",")}:
                    self.assertIn(choice, text)
        names = {page.stem for page in self.pages}
        self.assertLessEqual({"crivo", "crivo-build-mphf", "crivo-filter-advise", "crivo-query", "crivo-slurm",
                              "crivo-help-mphf", "crivo-help-exit-codes"}, names)

    @unittest.skipUnless(shutil.which("groff"), "no groff: the pages are not set")
    def test_pages_are_sound(self):
        for page in self.pages:
            said = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], stderr=subprocess.PIPE, check=True)
            self.assertEqual(said.stderr, b"", page.name)

    def complete(self, *words):
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _crivo; printf "%s\\n" "${COMPREPLY[@]}"'
        return output("bash", "-c", script, "bash", self.dir / BASH, *words).split()

    def test_bash(self):
        self.assertEqual(self.complete("crivo", "bu"), ["build"])
        self.assertEqual(set(self.complete("crivo", "build", "")) - {"-h", "--help"},
                         {"mphf", "filter", "filterset", "map", "rows", "store", "exact", "dictionary"})
        self.assertEqual(self.complete("crivo", "build", "mphf", "--algorithm", "t"), ["tiny"])
        self.assertEqual(self.complete("crivo", "build", "filter", "urls.txt", "--type", "cu"), ["cuckoo"])
        self.assertEqual(self.complete("crivo", "query", "urls.crv", "--pres"), ["--present"])
        self.assertEqual(self.complete("crivo", "build", "mphf", "--thre"), ["--threads"])
        self.assertEqual(self.complete("crivo", "help", "exit"), ["exit-codes"])
        self.assertIn("--mutable", self.complete("crivo", "filter", "advise", "--"))
        self.assertEqual(set(self.complete("crivo", "gen", "")) & {"urls", "words", "ints"}, {"urls", "words", "ints"})

    def test_zsh_and_fish(self):
        """Their syntax, where they are; and that they name commands and algorithms."""
        for shell, name in (("zsh", ZSH), ("fish", FISH)):
            path = self.dir / name
            for word in ("build", "counting-bloom", "tiny", "--signature"[2:], "words"):
                self.assertIn(word, path.read_text())
            if shutil.which(shell):
                output(shell, "-n", path)
        if shutil.which("fish"):
            script = f"source {self.dir}/{FISH}; complete -C 'crivo build mphf --algorithm t'"
            self.assertEqual([line.split("\t")[0] for line in output("fish", "-c", script).splitlines()], ["tiny"])

    def test_file_type(self):
        (kind,) = xml.etree.ElementTree.parse(PACKAGE / "crivo.xml").getroot()
        self.assertEqual(kind.get("type"), "application/vnd.crivo.index")
        if shutil.which("file"):
            said = output("file", "-b", "-m", PACKAGE / "crivo.magic", GOLDEN / "map-1000.crv", GOLDEN / "urls.txt")
            self.assertEqual(said.splitlines()[0], "Crivo index, format 0.1, map of 1000 keys")
            self.assertNotIn("Crivo", said.splitlines()[1])


if __name__ == "__main__":
    unittest.main()
