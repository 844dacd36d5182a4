# SPDX-License-Identifier: Apache-2.0
"""The golden files of formats/golden: read as they were, written again as they are; damaged ones refused.

tools/golden makes them anew where the format changes before a release.
"""

import importlib.machinery
import os
import pathlib
import re
import shutil
import subprocess
import sys

from harness import CRIVO, ENVIRONMENT, CrivoTest, files_of

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "formats" / "golden"
KEYS = ("urls.txt", "words.txt", "numbers.txt", "records.tsv", "row-groups.tsv")
ABSENT = 200
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "readers"))
from golden import UPDATED, added_keys, chain_keys, layered_groups, layered_rows, updated_records  # noqa: E402  pylint: disable=wrong-import-position

golden = importlib.machinery.SourceFileLoader("golden", str(GOLDEN.parents[1] / "tools" / "golden")).load_module()


def manifest(path):
    """The entries of a manifest: a name, then indented lines of a field's name and its value."""
    for stanza in path.read_text().rstrip("\n").split("\n\n"):
        name, *fields = stanza.split("\n")
        yield name, dict(field.split(maxsplit=1) for field in fields)


class GoldenTest(CrivoTest):
    def setUp(self):
        super().setUp()
        for name in KEYS:
            shutil.copy(GOLDEN / name, self.dir)

    def shell(self, command):
        """Runs a command of the manifest in the test's directory, where the keys are; returns what it prints."""
        environment = dict(ENVIRONMENT, PATH=f"{os.path.dirname(CRIVO)}:{os.environ['PATH']}")
        result = subprocess.run(
            ["sh", "-c", command], cwd=self.dir, env=environment, stdout=subprocess.PIPE, timeout=120, check=True
        )
        return result.stdout

    def libraries(self, path):
        """The versions of libraries that the file records; another LMDB or zstd may make other bytes."""
        metadata = self.info(path).get("metadata", {})
        return {name: value for name, value in metadata.items() if name.startswith("crivo.with.")}

    def test_every_file_is_in_the_manifest(self):
        names = {name for name, _ in manifest(GOLDEN / "manifest.txt")}
        self.assertEqual(names | {"README.md", "manifest.txt", "added", "answers", "bad", "chain", "groups", "layers", "served", "updated", *KEYS}, set(os.listdir(GOLDEN)))
        self.assertEqual({f"{name}.txt" for name in names}, set(os.listdir(GOLDEN / "answers")))

    def test_are_read(self):
        for name, entry in manifest(GOLDEN / "manifest.txt"):
            with self.subTest(name):
                path = GOLDEN / name
                keys = self.shell(entry["keys"])
                info = self.info(path)
                self.assertEqual(info["digest"], entry["digest"])
                self.assertEqual(info["build_id"], entry["build"])
                self.assertEqual(info["keys"], keys.count(b"\n"))
                self.assertEqual(info["format_version"], entry["version"])
                if "values" in entry:
                    pairs = self.shell(f"{entry['keys']} | {entry['values']}")
                    self.crivo("verify", path, "--keys", "-", "--values", stdin=pairs)
                else:
                    self.crivo("verify", path, "--keys", "-", stdin=self.shell(f"{entry['keys']} | {entry.get('rows', 'cat')}"))
                count, text = entry["keys"].split()[2:]
                asked = (GOLDEN / text).read_bytes().splitlines()[: int(count) + ABSENT]
                expected = (GOLDEN / "answers" / f"{name}.txt").read_bytes().splitlines()
                self.assertEqual(len(expected), len(asked))
                answers = self.crivo("query", path, "-", stdin=b"".join(key + b"\n" for key in asked)).out.splitlines(True)
                answers = [row for i, row in enumerate(answers) if not i or row.split(b"\t")[0] != answers[i - 1].split(b"\t")[0]]
                self.assertTrue(answers == list(map(b"%s\t%s\n".__mod__, zip(asked, expected))), "other answers")

    def test_store_has_its_records(self):
        records = GOLDEN / "records.tsv"
        keys = b"".join(line.split(b"\t")[0] + b"\n" for line in records.read_bytes().splitlines())
        self.crivo("verify", GOLDEN / "store-500", "--keys", records)
        self.assertEqual(self.crivo("query", GOLDEN / "store-500", "-", stdin=keys).out, records.read_bytes())

    def test_are_written_again(self):
        for name, entry in manifest(GOLDEN / "manifest.txt"):
            for threads in (1, 3):
                with self.subTest(name, threads=threads):
                    self.shell(f"{entry['command']} --quiet --force --threads {threads}")
                    if self.libraries(self.dir / name) != self.libraries(GOLDEN / name):
                        continue
                    self.assertTrue(files_of(self.dir / name) == files_of(GOLDEN / name), "other bytes")

    def test_served_parts(self):
        """A manifest and its parts answer as the merged file does, and are written again."""
        merged = dict(manifest(GOLDEN / "manifest.txt"))["mphf-3000-signatures.crv"]
        served = GOLDEN / "served" / "manifest.crv"
        self.assertEqual(self.info(served)["build_id"], merged["build"])
        self.crivo("verify", served, "--keys", "-", stdin=self.shell(merged["keys"]))
        asked = (GOLDEN / "urls.txt").read_bytes().splitlines()[: 3000 + ABSENT]
        expected = (GOLDEN / "answers" / "mphf-3000-signatures.crv.txt").read_bytes().splitlines()
        self.assertEqual(self.query(served, asked), expected)
        words = (GOLDEN / "words.txt").read_bytes().splitlines()[: 2000 + ABSENT]
        records = [b"no. %d" % (i + 1) for i in range(2000)] + [b"-"] * ABSENT
        for codec in ("tokens12", "zstd"):
            self.crivo("verify", GOLDEN / "served" / f"{codec}.crv")
            self.assertEqual(self.query(GOLDEN / "served" / f"{codec}.crv", words), records)
        self.shell(golden.SERVED)
        self.crivo("build", "store", "records.tsv", "-o", "store", "--codec", "zstd", "-q")  # parts do not tell libraries
        same_zstd = self.libraries("store")["crivo.with.zstd"] == self.libraries(GOLDEN / "updated" / "zstd")["crivo.with.zstd"]
        for path in sorted((GOLDEN / "served").iterdir()):
            if same_zstd or not path.name.startswith("zstd"):
                self.assertTrue((self.dir / "served" / path.name).read_bytes() == path.read_bytes(), f"other bytes: {path.name}")

    def test_updated_stores(self):
        """Changed records are read, removed ones are not, and the logs are written again."""
        keys, records = zip(*updated_records())
        self.shell(golden.UPDATED)
        for name in UPDATED:
            self.crivo("verify", GOLDEN / "updated" / name)
            answers = self.query(GOLDEN / "updated" / name, keys)
            self.assertEqual(answers, [b"-" if record is None else record for record in records])
            if self.libraries(self.dir / "updated" / name) == self.libraries(GOLDEN / "updated" / name):
                self.assertTrue(files_of(self.dir / "updated" / name) == files_of(GOLDEN / "updated" / name), "other bytes")

    def test_chain(self):
        """A base, deltas, and chains of them answer for every key, and are written again."""
        lines = list(chain_keys())
        for name in ("chain.crv", "chain-joined.crv"):
            answers = self.query(GOLDEN / "chain" / name, [line for line, _ in lines])
            self.assertEqual(answers, [answer for _, answer in lines])
        for name in os.listdir(GOLDEN / "chain"):
            self.crivo("verify", GOLDEN / "chain" / name)
        self.shell(golden.CHAIN)
        self.assertTrue(files_of(self.dir / "chain") == files_of(GOLDEN / "chain"), "other bytes")

    def test_chain_of_a_filter(self):
        """A base and deltas hold every key, few others, and are written again."""
        keys, others = added_keys()
        for name in ("chain.crv", "chain-joined.crv"):
            self.assertEqual(set(self.query(GOLDEN / "added" / name, keys)), {b"maybe"})
            self.assertLess(self.query(GOLDEN / "added" / name, others).count(b"maybe"), 40)
        for name in os.listdir(GOLDEN / "added"):
            self.crivo("verify", GOLDEN / "added" / name)
        self.shell(golden.ADDED)
        self.assertTrue(files_of(self.dir / "added") == files_of(GOLDEN / "added"), "other bytes")

    def test_chain_of_rows(self):
        """An index of rows and two layers more have every row but those of a file that was removed, and are written again."""
        asked = list(layered_rows())
        expected = b"".join(b"%s\t%s\n" % (key, row) for key, rows in asked for row in rows or [b"-"])
        chain = GOLDEN / "layers" / "chain.crv"
        self.assertEqual(self.crivo("query", chain, "-", stdin=b"".join(key + b"\n" for key, _ in asked)).out, expected)
        self.assertEqual(self.info(chain)["null_keys"], 1)
        self.crivo("verify", chain)
        self.shell(golden.LAYERS)
        self.assertTrue(files_of(self.dir / "layers") == files_of(GOLDEN / "layers"), "other bytes")

    def test_chain_of_filter_sets(self):
        """A filter set and two layers more have every key of the groups that were not removed, and are written again."""
        chain = GOLDEN / "groups" / "chain.crv"
        asked = list(layered_groups())
        found = set(self.crivo("query", chain, "-", stdin=b"".join(key + b"\n" for key, _ in asked)).out.splitlines())
        self.assertLessEqual({key + b"\t" + group for key, groups in asked for group in groups}, found)
        self.crivo("verify", chain)
        self.shell(golden.GROUPS)
        self.assertTrue(files_of(self.dir / "groups") == files_of(GOLDEN / "groups"), "other bytes")

    def test_example_of_the_specification(self):
        """The bytes of formats/crivo-1.md, "Example", with `00 ... (N bytes)` for N zero bytes."""
        example = (GOLDEN.parent / "crivo-1.md").read_text().split("## Example\n")[1].split("Its ranks are")[0]
        listed = bytearray()
        for at, row in re.findall(r"^    ([0-9a-f]{3})  ((?:[0-9a-f]{2} {1,2})+(?:\.\.\. \(\d+ bytes\))?)", example, re.M):
            self.assertEqual(len(listed), int(at, 16))
            zeros = re.search(r"\((\d+) bytes\)", row)
            listed += bytes(int(zeros[1])) if zeros else bytes.fromhex(row)
        path = self.build("mphf", [b"a", b"b", b"c"])
        self.assertEqual(listed.hex(" "), (self.dir / path).read_bytes().hex(" "))

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
