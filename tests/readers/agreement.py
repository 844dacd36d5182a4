# SPDX-License-Identifier: Apache-2.0
"""What Crivo and formats/reader.py say of mutants (mutants.py), and what they and another reader may not differ in."""

import hashlib
import os
import subprocess
import sys

import golden
import mutants

sys.path.insert(0, str(golden.FORMATS))
sys.path.insert(0, str(golden.FORMATS.parent / "tests" / "cli"))
import reader
from starter import Starter

CRIVO = os.path.abspath(os.environ["CRIVO"])


def run(*arguments):
    """The program, which must succeed."""
    subprocess.run([CRIVO, *map(str, arguments)], check=True)


class Mutant:
    """A file of its own name in a directory; of the index of a store, with the records."""

    def __init__(self, directory, number, golden_path, what, data):
        self.what = f"{golden_path.relative_to(golden.GOLDEN)}: {what}"
        self.data, self.kind = data, reader.u32(data, 52)
        self.path, self.records = directory / f"{number}", None
        if self.kind == reader.STORE and golden_path.name == "index.crv":
            self.path.mkdir()
            table = reader.u64(data, 40)
            generation = hashlib.sha256(data[: mutants.HEADER] + data[table:]).hexdigest()[:16]
            (self.path / "index.crv").write_bytes(data)
            records = next(golden_path.parent.glob("data-*"))
            for ending in ("mdb", "crv"):  # whichever the index says
                self.records = self.path / f"data-{generation}.{ending}"
                self.records.symlink_to(records)
        else:
            self.path.write_bytes(data)

    def line(self):
        """For a reader that takes many."""
        return f"{self.path}/index.crv\t{self.records}" if self.records else str(self.path)

    def reader_says(self, keys):
        try:
            file = reader.File(self.data)
            if self.records:
                file.attach(self.records.read_bytes())
            file.verify()
            if file.kind not in reader.INDEXES:
                return b""
            return b"\t".join(reader.answer_line(file.lookup(key)) for key in keys)
        except reader.Refused as refused:
            return refused.why.encode()

    def crivo_says(self, keys):
        def run(*arguments):
            return Starter.run(CRIVO, arguments, {**os.environ, "LC_ALL": "C"}, self.path.parent, b"", 60)

        code, _, error = run("verify", str(self.path))
        if code == 0 and self.kind in reader.INDEXES:
            code, out, error = run("query", str(self.path), "../keys")
            if code == 0:
                return b"\t".join(self.answers(keys, out))
        if code == 4:
            return golden.why_refused(error.decode()).encode()
        # The records of a store are no file to name by themselves.
        return b"" if code == 0 or code == 2 and self.kind == reader.RECORDS else b"exit %d: %s" % (code, error)

    def answers(self, keys, out):
        """That of each key; of a filter set the first of its groups."""
        if self.kind != reader.FILTER_SET:
            return [line[len(key) + 1 :] for key, line in zip(keys, out.splitlines())]
        first = {}
        for line in out.split(b"\n")[:-1]:
            key, _, group = line.rpartition(b"\t")
            first.setdefault(key, group)
        return [first[key] for key in keys]


def make_mutants(directory, count, seed=1):
    """So many in an empty directory, and the keys to ask for, which are written beside it. Not among them are manifests,
    which not all readers read, and the index of a store alone, which is none of the files that users name."""
    keys = [b"absent"]
    for name in ("urls.txt", "words.txt", "records.tsv"):
        keys += [line.split(b"\t")[0] for line in (golden.GOLDEN / name).read_bytes().splitlines()[:3]]
    keys += (golden.GOLDEN / "numbers.txt").read_bytes().splitlines()[-8:]  # ranges of numbers, and one
    (directory.parent / "keys").write_bytes(b"".join(key + b"\n" for key in keys))
    made = []
    for number, (path, what, data) in enumerate(mutants.Mutator(seed).mutants(count)):
        mutant = Mutant(directory, number, path, what, data)
        if mutant.kind != reader.MANIFEST and (mutant.kind != reader.STORE or mutant.records):
            made.append(mutant)
    for path, what, data in mutants.chosen():
        made.append(Mutant(directory, len(made) + count, path, what, data))
    return made, keys
