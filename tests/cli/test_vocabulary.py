# SPDX-License-Identifier: Apache-2.0
"""tools/examples/vocabulary: the page's commands, and its Snakefile, over a small collection that is made here."""

import gzip
import os
import pathlib
import random
import re
import shutil
import subprocess
import unittest

from harness import CRIVO, ENVIRONMENT, CrivoTest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "examples" / "vocabulary"
SOURCES = "linux-source-6.1 /usr/share/doc /usr/share/man /usr/share/dict"
# What the page takes of Debian's packages, and what takes longer than all the rest, which test_experiments.py runs.
ELSEWHERE = ("apt-get", "tar", "snakemake", "crivo-experiments")


def commands():
    return re.findall(r"(?m)^    (\S.*)$", (PAGE / "README.md").read_text())


class Vocabulary(CrivoTest):
    def setUp(self):
        super().setUp()
        chance = random.Random(7)
        words = ["Kernel", "kernel", "kernelversion", "kernelv2", "caf\xe9", *(f"word{i}" for i in range(300))]
        self.texts = {}
        for i in range(40):
            text = " ".join(chance.choices(words, k=100)) + f"\nsee https://www.kernel.org/doc-{i % 9}/ (x_{i})\n\tend\x01"
            self.texts[f"linux/{i % 4}/file {i}"] = text.encode()
        for name, text in self.texts.items():
            path = pathlib.Path(self.dir, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(gzip.compress(text) if name.endswith("7") else text)
        self.write("linux/binary", bytes(1000))
        self.write("linux/empty", b"")
        self.environment = dict(ENVIRONMENT, PATH=f"{os.path.dirname(CRIVO)}:{PAGE}:{os.environ['PATH']}")

    def run_command(self, command):
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", command.replace(SOURCES, "linux")],
            cwd=self.dir, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, check=False,
        )

    def bytes_of(self, name):
        path = pathlib.Path(self.dir, name)
        return b"".join(file.read_bytes() for file in sorted(path.iterdir())) if path.is_dir() else path.read_bytes()

    def test_commands_of_the_page(self):
        for command in commands():
            if command.startswith(ELSEWHERE):
                continue
            result = self.run_command(command)
            self.assertEqual((result.returncode, b"warning" in result.stderr), (0, False), f"{command}\n{result.stderr!r}")
        terms = {}
        for text in self.texts.values():
            for term in set(re.findall(rb"[a-z0-9\x80-\xff]+", text.lower())):
                terms[term] = terms.get(term, 0) + 1
        names = sorted(name.replace(" ", "_").encode() for name in self.texts)
        self.assertEqual(self.bytes_of("index.documents").splitlines(), names)
        self.assertEqual(self.bytes_of("index.terms").splitlines(), sorted(terms))
        self.assertEqual(
            self.query("terms.crv", sorted(terms), "--raw"),
            [b"%d\t%d" % (i, terms[term]) for i, term in enumerate(sorted(terms))],
        )
        self.assertEqual(self.query("names.crv", names), [b"%d" % i for i in range(len(names))])
        self.assertEqual(set(self.query("urls.crv", [f"https://www.kernel.org/doc-{i}/".encode() for i in range(9)])), {b"maybe"})
        for name, text in self.texts.items():
            record = self.crivo("get", "documents", name.replace(" ", "_")).out
            self.assertEqual(record.rstrip(b"\n").split(), text.replace(b"\x01", b" ").split())

    @unittest.skipIf(shutil.which("snakemake") is None, "no snakemake: see tools/setup")
    def test_the_workflow_makes_the_same_files(self):
        (command,) = (command for command in commands() if command.startswith("snakemake"))
        command = command.replace("-s Snakefile", f"-s '{PAGE / 'Snakefile'}'")
        result = self.run_command(command)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        made = {name: self.bytes_of(name) for name in ("terms.crv", "urls.crv", "index.termlex", "index.doclex", "documents")}
        self.assertTrue(os.path.exists(os.path.join(self.dir, "names.crv")))
        for path in pathlib.Path(self.dir).iterdir():
            if path.name != "linux" and not path.name.startswith("."):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for command in commands():
            if not command.startswith((*ELSEWHERE, "crivo query", "head")):
                result = self.run_command(command)
                self.assertEqual(result.returncode, 0, f"{command}\n{result.stderr!r}")
        for name, data in made.items():
            self.assertEqual(self.bytes_of(name), data, name)
