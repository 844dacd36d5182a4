# SPDX-License-Identifier: Apache-2.0
"""formats/reader.py, the pages of formats/ as a program: it answers as Crivo does, and refuses what it must."""

import base64
import functools
import hashlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import agreement
import golden
import larger
import mutants

sys.path.insert(0, str(golden.FORMATS.parent / "tests" / "cli"))
import forged
import minisign

sys.path.insert(0, str(golden.FORMATS))
import reader
import write_keys

DAMAGED_STORES = 80  # of each

reader.hash_key = functools.lru_cache(maxsize=None)(reader.hash_key)  # files have their keys in common


class Hashes(unittest.TestCase):
    def test_table_of_the_specification(self):
        """Function 1, of keys whose byte i is 7 i + 1 (crivo-1.md)."""
        text = (golden.FORMATS / "crivo-1.md").read_text()
        rows = re.findall(r"^\| (\d+) \| (\w{16} \w{16}) \| (\w{16} \w{16}) \| (\w{16} \w{16}) \|$", text, re.M)
        self.assertEqual(len(rows), 15)
        for length, *hashes in rows:
            key = bytes((7 * i + 1) % 256 for i in range(int(length)))
            for seed, expected in zip((0, 1, 0xFEDCBA9876543210), hashes):
                self.assertEqual("%016x %016x" % reader.hash_key(1, seed, key), expected, f"{length} bytes, seed {seed}")

    def test_examples_of_the_specification(self):
        self.assertEqual("%016x %016x" % reader.hash_key(6, 0, b"a"), "bea0379c744eccff 2573cd0e8904c4e6")
        for function, expected in (
            (3, "d07c0a69ef53e103 674206c4f47aa61b"),
            (4, "ac36cae592112881 88917ddbbc519d3c"),
            (5, "9db34baa6348e382 eb36fc050b2d6c13"),
        ):
            self.assertEqual("%016x %016x" % reader.hash_key(function, 0, b"FABIANOBOTEL"), expected)
        self.assertEqual(reader.hash_key(2, 0, b"a0")[0], 0xF095E781A7125E70)


class HashTree(unittest.TestCase):
    def test_lists(self):
        """With chunks and pieces of 64 bytes, which have room for two hashes."""

        def hashes(data):
            return b"".join(hashlib.sha256(data[at : at + 64]).digest() for at in range(0, len(data), 64))

        with unittest.mock.patch.multiple(reader, CHUNK=64, PIECE=64):
            first = hashes(bytes(257))  # of five chunks
            self.assertEqual(reader.tree_lists(bytes(257)), [first, hashes(first), hashes(hashes(first))])
            self.assertEqual(reader.tree_lists(b""), [b""])
            for length in (0, 1, 64, 65, 128, 129, 256, 257, 4096, 4097):
                lists = reader.tree_lists(bytes(length))
                self.assertEqual(reader.leaves_length(length), sum(map(len, lists)) if length > 64 else 0)

    def test_keys_have_none(self):
        sections = write_keys.key_sections([b"a", b"b"], 0, 1, 4, None, None)
        parts = mutants.Parts.of(write_keys.container(write_keys.KIND_KEYS, 2, bytes(16), sections))
        reader.File(parts.sealed()).verify()
        parts.header[112] = 1
        with self.assertRaisesRegex(reader.Refused, "corrupt: a hash tree of keys"):
            reader.File(parts.sealed())


class Signed(unittest.TestCase):
    def test_forgeries(self):
        """Files, stores, chains and signatures that were changed: none is opened (tests/cli/test_sign.py has those that must be)."""
        count = 100_000 if os.environ.get("CRIVO_LONG") == "1" else 60
        with tempfile.TemporaryDirectory(prefix="crivo-test-") as directory:
            root = pathlib.Path(directory)
            specimens = list(forged.Maker(root / "signed", agreement.run).specimens())
            line = minisign.Key(1).line
            for path in ("filter-40/file.crv", "store-30/store", "chain-20/chain.crv", "signed_chain-20/chain.crv", "manifest-60/manifest.crv"):
                reader.open_signed(root / "signed" / path, [line])
            for what, path in forged.Forger(specimens).forgeries(root / "forged", count):
                # A store whose index is another has not the file of the records that it names.
                with self.assertRaises((reader.Refused, FileNotFoundError), msg=what):
                    reader.open_signed(path, [line])

    def test_signatures(self):
        told = {"legacy signature (Ed)": "a legacy signature", "which is not trusted": "a key that is not trusted",
                "the signature of its trusted comment is wrong": "the signature of the comment", "expired at": "it expired"}
        with tempfile.TemporaryDirectory(prefix="crivo-test-") as directory:
            path, key = pathlib.Path(directory) / "file.crv", minisign.Key(1)
            data = (golden.GOLDEN / "mphf-3000-signatures.crv").read_bytes()
            path.write_bytes(data)
            root = hashlib.sha256(forged.header_table_footer(data)).hexdigest().encode()
            for signature in forged.accepted_signatures(key, data, root):
                path.with_name("file.crv.minisig").write_bytes(signature)
                reader.open_signed(path, [key.line])
            for because, signature in forged.refused_signatures(key, data, root):
                path.with_name("file.crv.minisig").write_bytes(signature)
                with self.assertRaises(reader.Refused, msg=because) as refused:
                    reader.open_signed(path, [key.line])
                self.assertIn(next((text for part, text in told.items() if part in because), ""), str(refused.exception))

    def test_weak_keys(self):
        for y in (0, 1, reader.PRIME - 1, 1 + 2**255):
            weak = base64.b64encode(b"Ed" + bytes(8) + y.to_bytes(32, "little")).decode()
            with self.assertRaises(reader.Refused):
                reader.public_key(weak)


class Files(unittest.TestCase):
    def test_golden_files(self):
        for name, entry, asked, expected in golden.files():
            with self.subTest(name):
                file = reader.open(golden.GOLDEN / name)
                file.verify()
                self.assertEqual(file.digest(), entry["digest"])
                answers = [reader.answer_line(file.lookup(reader.asked_key(file, key))) for key in asked]
                self.assertTrue(answers == expected, "other answers")

    def test_served_parts(self):
        file = reader.open(golden.GOLDEN / "served" / "manifest.crv")
        file.verify()
        expected = next(row for row in golden.files() if row[0] == "mphf-3000-signatures.crv")
        self.assertEqual([reader.answer_line(file.lookup(key)) for key in expected[2]], expected[3])
        with self.assertRaisesRegex(reader.Refused, "part-0.crv is missing"), tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "manifest.crv").write_bytes(file.manifest.data)
            reader.open(pathlib.Path(folder) / "manifest.crv")

    def test_parts_without_hash_trees(self):
        with tempfile.TemporaryDirectory() as folder:
            path = mutants.write_part_without_tree(pathlib.Path(folder))
            with self.assertRaisesRegex(reader.Refused, "part-0.crv has no hash tree"):
                reader.open(path)
            told = subprocess.run([larger.CRIVO, "verify", path], stderr=subprocess.PIPE, check=False)
            self.assertEqual(told.returncode, 4)
            self.assertIn(b"has no hash tree, but the manifest", told.stderr)

    def test_served_stores(self):
        words = (golden.GOLDEN / "words.txt").read_bytes().splitlines()[:2200]
        for codec in ("tokens12", "zstd"):
            file = reader.open(golden.GOLDEN / "served" / f"{codec}.crv")
            file.verify()
            records = [b"no. %d" % (i + 1) for i in range(2000)] + [None] * 200
            self.assertEqual([file.lookup(key) for key in words], records)

    def test_updated_stores(self):
        """Also where a slot is damaged, which who verifies refuses; and no byte of the log can be another."""
        keys, records = zip(*golden.updated_records())
        for name in golden.UPDATED:
            if name in ("zstd", "ordered") and reader.LIBZSTD is None:
                continue
            path = golden.GOLDEN / "updated" / name
            file = reader.open(path)
            file.verify()
            self.assertEqual(tuple(file.lookup(key) for key in keys), records)
        with tempfile.TemporaryDirectory() as folder:
            copied = pathlib.Path(folder) / "store"
            shutil.copytree(golden.GOLDEN / "updated" / "tokens12", copied)
            (log,) = copied.glob("updates-*.log")
            sound = log.read_bytes()
            rng = random.Random(2)
            for turn in range(40):
                damaged = bytearray(sound)
                at = rng.choice((turn % 72, 512 + turn % 72, rng.randrange(4096), rng.randrange(4096, len(sound)), rng.randrange(len(sound) - 600, len(sound))))
                damaged[at] ^= 1 << turn % 8
                log.write_bytes(damaged)
                if at < 4096:
                    file = reader.open(copied)
                    self.assertEqual(tuple(file.lookup(key) for key in keys[::50]), records[::50])
                with self.assertRaises(reader.Refused, msg=at):
                    reader.open(copied).records.check_log()
            for slot in (0, 512):  # with the last commit, whose record is not that of the commit before
                damaged = bytearray(sound)
                damaged[slot + 41] ^= 1
                damaged[-1] ^= 1
                log.write_bytes(damaged)
                with self.assertRaises(reader.Refused):
                    reader.open(copied)

    def test_chains(self):
        for name in ("chain.crv", "chain-joined.crv"):
            file = reader.open(golden.GOLDEN / "chain" / name)
            file.verify()
            for line, answer in golden.chain_keys():
                self.assertEqual(file.lookup(line), answer)
            some = [(line.split(b"\t")[1], answer) for line, answer in golden.chain_keys() if line.startswith(b"group3\t")]
            self.assertEqual(file.group(b"group3")([key for key, _ in some]), [answer for _, answer in some])
            self.assertTrue(file.covers("log", 1))
        covers = reader.open(golden.GOLDEN / "exact-500.crv").covers
        self.assertEqual((covers("log", 20), covers("log", 21), covers("day", 1)), (True, False, False))
        with self.assertRaisesRegex(reader.Refused, "base.crv is missing"), tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "chain.crv").write_bytes(file.chain.data)
            reader.open(pathlib.Path(folder) / "chain.crv")

    def test_chains_of_a_filter(self):
        keys, others = golden.added_keys()
        held = [reader.open(golden.GOLDEN / "added" / name) for name in ("chain.crv", "chain-joined.crv")]
        self.assertEqual([file.n for file in held], [held[0].n] * 2)
        for file in held:
            file.verify()
            self.assertTrue(all(file.lookup(key) for key in keys[::7]))
        self.assertEqual([held[0].lookup(key) for key in others], [held[1].lookup(key) for key in others])

    def test_chain_of_rows(self):
        chain = reader.open(golden.GOLDEN / "layers" / "chain.crv")
        chain.verify()
        self.assertEqual([chain.lookup(key) or [] for key, _ in golden.layered_rows()], [rows for _, rows in golden.layered_rows()])

    def test_chain_of_filter_sets(self):
        chain = reader.open(golden.GOLDEN / "groups" / "chain.crv")
        chain.verify()
        further = 0
        for key, groups in golden.layered_groups():
            found = chain.lookup(key) or []
            self.assertLessEqual(set(groups), set(found))
            further += len(found) - len(groups)
        self.assertEqual((sorted(chain.groups), chain.n), ([b"a-0", b"a-1", b"a-2", b"b-0", b"b-2"], 933))
        self.assertLess(further, 40)

    def test_damaged_chains(self):
        for path, data in golden.damaged(golden.chain_files(), golden.DAMAGED // 10):
            with self.assertRaises(reader.Refused, msg=path):
                reader.File(data).verify()

    def test_bad_files(self):
        for name, entry in golden.manifest(golden.GOLDEN / "bad" / "manifest.txt"):
            with self.subTest(name, what=entry["what"]):
                path = golden.GOLDEN / "bad" / name
                if entry["exit"] == "0":
                    reader.open(path).verify()
                    continue
                with self.assertRaises(reader.Refused) as refused:
                    reader.open(path).verify()
                    reader.open(path).lookup(b"a")
                self.assertEqual(refused.exception.why, golden.why_refused(entry["error"]))

    def test_damaged_files(self):
        """Refused on opening, or by `verify`; whatever the bytes are, an answer is one that the file could give."""
        keys = [b"", b"absent", *(golden.GOLDEN / "urls.txt").read_bytes().splitlines()[:4]]
        refused = 0
        files = [path for path in golden.containers() if path.name != "index.crv" and path.stat().st_size < 50_000]
        for path, data in golden.damaged(files):
            try:
                file = reader.File(data)
            except reader.Refused:
                refused += 1
                continue
            ranked = file.kind in (reader.MPHF, reader.DICTIONARY)
            for key in keys:
                try:
                    answer = file.lookup(key)
                except reader.Refused:
                    self.assertEqual(file.kind, reader.DICTIONARY, path)  # a lookup reads the blocks as it goes
                else:
                    rank = answer[0] if isinstance(answer, tuple) else answer
                    self.assertTrue(rank is None or not ranked or rank < file.n, path)
                if file.kind == reader.DICTIONARY and file.hashed:
                    self.assertLess(file.hashed_id(key) or 0, max(file.n, 1), path)
            with self.assertRaises(reader.Refused, msg=path):
                file.verify()
        self.assertGreater(refused, golden.DAMAGED // 4)
        self.assertLess(refused, golden.DAMAGED * 9 // 10)

    def test_damaged_stores(self):
        """Likewise; an answer is the right one, since keys and records have checksums of their own."""
        keys = [key.split(b"\t")[0] for key in (golden.GOLDEN / "records.tsv").read_bytes().splitlines()[:20]]
        keys += [b"", b"absent"]
        for store in golden.stores():
            sound = reader.open(store)
            expected = list(map(sound.lookup, keys))
            parts = [store / "index.crv", *store.glob("data-*")]
            for path, data in golden.damaged(parts, DAMAGED_STORES):
                try:
                    file = reader.File(data if path == parts[0] else parts[0].read_bytes())
                    file.attach(parts[1].read_bytes() if path == parts[0] else data)
                except reader.Refused:
                    continue
                for key, answer in zip(keys, expected):
                    try:  # a damaged index may take a key for absent
                        self.assertIn(file.lookup(key), (answer, None) if path == parts[0] else (answer,), store)
                    except reader.Refused:
                        pass
                with self.assertRaises(reader.Refused, msg=path):
                    file.verify()

    def test_command(self):
        path = golden.GOLDEN / "map-1000-signature.crv"
        command = [sys.executable, golden.FORMATS / "reader.py", path]
        urls = (golden.GOLDEN / "urls.txt").read_bytes().splitlines(keepends=True)[:1100]
        expected = subprocess.run([larger.CRIVO, "query", path, "-"], input=b"".join(urls), stdout=subprocess.PIPE, check=True)
        answers = subprocess.run([*command, "-"], input=b"".join(urls), stdout=subprocess.PIPE, check=True)
        self.assertEqual(answers.stdout, expected.stdout)
        refused = subprocess.run(
            [*command[:2], golden.GOLDEN / "bad" / "header.crv"], stderr=subprocess.PIPE, text=True, check=False
        )
        self.assertEqual(refused.returncode, 1)
        self.assertIn("the header checksum", refused.stderr)


class Larger(unittest.TestCase):
    def test_files_of_a_sharded_build(self):
        with tempfile.TemporaryDirectory(prefix="crivo-test-") as directory:
            for path in larger.sharded_files(directory):
                file = reader.open(path)
                file.verify()
                with self.assertRaises(reader.Refused):
                    file.lookup(b"1")

    def test_answers(self):
        for what, path, asked, answers in larger.files():
            with self.subTest(what):
                file = reader.open(path)
                rows = [key + b"\t" + reader.answer_line(file.lookup(reader.asked_key(file, key))) for key in asked.splitlines()]
                self.assertTrue(larger.lines(rows) == answers, "other answers")


if __name__ == "__main__":
    unittest.main()
