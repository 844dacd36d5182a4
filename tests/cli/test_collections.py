# SPDX-License-Identifier: Apache-2.0
"""tools/bench/collections.md: its commands, over small files that are made here; PISA's answers are stood in for."""

import collections
import gzip
import os
import pathlib
import random
import re
import struct
import subprocess

from harness import CRIVO, ENVIRONMENT, CrivoTest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "bench" / "collections.md"
# What is not there, or takes its time: run by hand, as the page says.
ELSEWHERE = ("parse_collection", "jellyfish", "kmc", "/usr/bin/time", "zcat")


class Collections(CrivoTest):
    def vector(self, texts):
        ends = [0]
        for text in texts:
            ends.append(ends[-1] + len(text))
        return struct.pack(f"<{len(texts) + 2}Q", len(texts), *ends) + b"".join(texts)

    def test_commands_of_the_page(self):
        chance = random.Random(3)
        words = ["The", "cat", "caf\xe9", "h\xe4tte", "7up"]
        documents = {f"doc-{i}": " ".join(chance.choices(words, k=20)) for i in (3, 1, 2)}
        text = "".join(f"{name} {content}\n" for name, content in documents.items())
        self.write("clueweb1k.plaintext", text.encode("latin-1"))
        terms = sorted({term.encode() for content in documents.values() for term in re.findall("[a-z0-9]+", content.lower())})
        names = [name.encode() for name in documents]
        for kind, texts in (("terms", terms), ("documents", names)):
            self.write(f"pisa.{kind}", b"".join(text + b"\n" for text in texts))
        self.write("pisa.termlex", self.vector(terms))
        self.write("pisa.doclex", self.vector(names))
        page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Some words<p>"
        head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:1>\r\nWARC-Target-URI: http://a/\r\n"
        head += "Content-Type: application/http\r\n"
        record = f"{head}Content-Length: {len(page)}\r\n\r\n".encode() + page + b"\r\n\r\n"
        for name in ("example.warc.gz", "pages.warc.gz"):
            self.write(name, gzip.compress(record))
        lines = [b"%d" % chance.randrange(300) for _ in range(500)]
        self.write("lines.txt", b"\n".join(lines) + b"\n")
        self.write("genome.fa", b">x\n" + bytes(chance.choices(b"ACGT", k=300)) + b"\n")
        commands = re.findall(r"(?m)^    (\S.*)$", PAGE.read_text())
        self.assertGreater(len(commands), 8)
        environment = dict(ENVIRONMENT, PATH=f"{os.path.dirname(CRIVO)}:{os.environ['PATH']}")
        for command in commands:
            if command.startswith(ELSEWHERE):
                continue
            result = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", command], cwd=self.dir, env=environment, capture_output=True, check=False
            )
            self.assertEqual((result.returncode, result.stderr), (0, b""), f"{command}\n{result.stderr!r}")
        self.assertEqual((self.dir / "words").read_bytes(), b"some\nwords\n")
        kept = (self.dir / "new.txt").read_bytes().split()
        self.assertEqual(collections.Counter(kept), collections.Counter(set(lines)))
