# SPDX-License-Identifier: Apache-2.0
"""tools/examples/kmers.md: its commands, over a genome that is made here."""

import collections
import os
import pathlib
import random
import re
import subprocess

from harness import CRIVO, ENVIRONMENT, CrivoTest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "examples" / "kmers.md"
ASKED = "ATTCAGTCTGACTACCGTAGCATCAGGATTA"


def canonical(kmer):
    return min(kmer, kmer[::-1].translate(str.maketrans("ACGT", "TGCA")))


class Kmers(CrivoTest):
    def test_commands_of_the_page(self):
        chance = random.Random(5)
        bases = "".join(chance.choices("ACGT", k=6000))
        # One that is asked for on the page stands there twice, once on the other strand.
        sequences = [bases + ASKED, bases[:500].lower() + "N" + canonical(ASKED), bases[-80:]]
        self.write("genome.fa", "".join(f">{i}\n{sequence}\n" for i, sequence in enumerate(sequences)).encode())
        counts = collections.Counter()
        for sequence in sequences:
            for piece in sequence.upper().split("N"):
                counts.update(canonical(piece[i : i + 31]) for i in range(len(piece) - 30))
        commands = re.findall(r"(?m)^    (crivo .*)$", PAGE.read_text())
        self.assertEqual(len(commands), 8)
        environment = dict(ENVIRONMENT, PATH=f"{os.path.dirname(CRIVO)}:{os.environ['PATH']}")
        said = [
            subprocess.run(["sh", "-c", command], cwd=self.dir, env=environment, capture_output=True, check=True).stdout
            for command in commands
        ]
        self.assertEqual(said[2], f"{ASKED}\t{counts[canonical(ASKED)]}\n".encode())
        asked = [kmer.encode() for kmer in counts]
        self.assertEqual(self.query("counts.crv", asked), [b"%d" % count for count in counts.values()])
        ranks = sorted(int(rank) for rank in self.query("ranks.crv", asked))
        self.assertEqual(ranks, list(range(len(counts))))
        self.assertEqual(set(self.query("seen.crv", asked)), {b"maybe"})
