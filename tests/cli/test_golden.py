"""The golden files of formats/golden: read as they were, written again as they are; damaged ones refused."""

import hashlib
import os
import pathlib
import shutil
import subprocess

from harness import CRIVO, ENVIRONMENT, CrivoTest, files_of

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "formats" / "golden"
ABSENT = 200


def manifest(path):
    """The entries of a manifest: a name, then indented lines of a field's name and its value."""
    for stanza in path.read_text().rstrip("\n").split("\n\n"):
        name, *fields = stanza.split("\n")
        yield name, dict(field.split(maxsplit=1) for field in fields)


class GoldenTest(CrivoTest):
    def shell(self, command):
        """Runs a command of the manifest in the test's directory; returns what it prints."""
        environment = dict(ENVIRONMENT, PATH=f"{os.path.dirname(CRIVO)}:{os.environ['PATH']}")
        result = subprocess.run(
            ["sh", "-c", command], cwd=self.dir, env=environment, stdout=subprocess.PIPE, timeout=120, check=True
        )
        return result.stdout

    def keys_of(self, entry, more=0):
        command, count = entry["keys"].rsplit(maxsplit=1)
        return self.shell(f"{command} {int(count) + more}")

    def test_every_file_is_in_the_manifest(self):
        names = {name for name, _ in manifest(GOLDEN / "manifest.txt")}
        others = {"README.md", "manifest.txt", "records.tsv", "bad"}
        self.assertEqual(names | others, set(os.listdir(GOLDEN)))

    def test_are_read(self):
        for name, entry in manifest(GOLDEN / "manifest.txt"):
            with self.subTest(name):
                path = GOLDEN / name
                keys = self.keys_of(entry)
                info = self.info(path)
                self.assertEqual(info["digest"], entry["digest"])
                self.assertEqual(info["keys"], keys.count(b"\n"))
                self.assertEqual(info["format_version"], entry["version"])
                if "values" in entry:
                    pairs = self.shell(f"{entry['keys']} | {entry['values']}")
                    self.crivo("verify", path, "--keys", "-", "--values", stdin=pairs)
                else:
                    self.crivo("verify", path, "--keys", "-", stdin=keys)
                answers = self.crivo("query", path, "-", stdin=self.keys_of(entry, ABSENT)).out
                self.assertEqual(hashlib.sha256(answers).hexdigest(), entry["answers"])

    def test_store_has_its_records(self):
        records = GOLDEN / "records.tsv"
        keys = b"".join(line.split(b"\t")[0] + b"\n" for line in records.read_bytes().splitlines())
        self.crivo("verify", GOLDEN / "store-500", "--keys", records)
        self.assertEqual(self.crivo("query", GOLDEN / "store-500", "-", stdin=keys).out, records.read_bytes())

    def test_are_written_again(self):
        shutil.copy(GOLDEN / "records.tsv", self.dir)
        for name, entry in manifest(GOLDEN / "manifest.txt"):
            for threads in (1, 3):
                with self.subTest(name, threads=threads):
                    self.shell(f"{entry['command']} --quiet --force --threads {threads}")
                    self.assertTrue(files_of(self.dir / name) == files_of(GOLDEN / name), "other bytes")

    def test_damaged_ones_are_refused(self):
        listed = set()
        for name, entry in manifest(GOLDEN / "bad" / "manifest.txt"):
            with self.subTest(name, what=entry["what"]):
                shutil.copy(GOLDEN / "bad" / name, self.dir)
                program, *args = entry["command"].split()
                self.assertEqual(program, "crivo")
                result = self.crivo(*args, code=int(entry["exit"]))
                self.assertEqual(result.err.decode(), entry["error"] + "\n")
            listed |= {name}
        self.assertEqual(listed | {"manifest.txt"}, set(os.listdir(GOLDEN / "bad")))
