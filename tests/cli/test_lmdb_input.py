# SPDX-License-Identifier: Apache-2.0
"""Builds from LMDB environments of other programs, made by mdb_load or by LMDB itself."""

import ctypes
import os
import pathlib
import random
import re
import shutil
import subprocess
import unittest

from harness import CRIVO, ENVIRONMENT, LONG, SANITIZED, CrivoTest, lines, urls

ROOT = pathlib.Path(__file__).resolve().parents[2]

PAGE = 4096
MDB_DUPSORT = 4


def make_duplicates(path, pairs):
    """An environment whose keys have several values each, by LMDB itself: mdb_load of Debian 13 leaves out their flag."""
    lmdb = ctypes.CDLL("liblmdb.so.0")

    class Text(ctypes.Structure):
        _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.c_char_p)]

    def call(name, *args):
        if status := getattr(lmdb, name)(*args):
            raise OSError(status, name)

    path.mkdir()
    environment, transaction, database = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint()
    call("mdb_env_create", ctypes.byref(environment))
    call("mdb_env_open", environment, os.fsencode(path), 0, 0o644)
    call("mdb_txn_begin", environment, None, 0, ctypes.byref(transaction))
    call("mdb_dbi_open", transaction, None, MDB_DUPSORT, ctypes.byref(database))
    for pair in pairs:
        key, value = (ctypes.byref(Text(len(text), text)) for text in pair)
        call("mdb_put", transaction, database, key, value, 0)
    call("mdb_txn_commit", transaction)
    lmdb.mdb_env_close(environment)


@unittest.skipUnless(shutil.which("mdb_load"), "mdb_load is not installed (lmdb-utils)")
class LmdbInput(CrivoTest):
    def environment(self, name, *databases):
        """Each database is its name, or None, and its pairs of bytes."""
        (self.dir / name).mkdir()
        for database, entries in databases:
            head = ["VERSION=3", "format=bytevalue", *([f"database={database}"] if database else []), "type=btree",
                    "mapsize=1073741824", "HEADER=END"]
            body = [" " + text.hex() for pair in entries for text in pair]
            text = "\n".join([*head, *body, "DATA=END", ""])
            subprocess.run(["mdb_load", self.dir / name], input=text.encode(), check=True)

    def build(self, *args, code=0):
        return self.crivo("build", *args, "--force", "--quiet", code=code)

    def same_as_of_keys(self, keys, *kind):
        self.write("keys", lines(keys))
        self.build(*kind, "keys", "-o", "expected.crv")
        self.build(*kind, "--from", "lmdb", "pages", "-o", "got.crv")
        self.assertEqual((self.dir / "got.crv").read_bytes(), (self.dir / "expected.crv").read_bytes())

    def test_keys_are_those_of_a_file(self):
        for count in (0, 1, 2, 63, 64, 65, 11_500):
            keys = sorted(urls(count))
            shutil.rmtree(self.dir / "pages", ignore_errors=True)
            self.environment("pages", (None, [(key, b"") for key in keys]))
            for kind in ("mphf", "filter", "dictionary"):
                self.same_as_of_keys(keys, kind, "--allow-empty-set")

    def test_of_a_file_without_a_directory(self):
        keys = urls(100)
        self.environment("pages", (None, [(key, b"") for key in keys]))
        self.build("filter", "--from", "lmdb", "pages/data.mdb", "-o", "seen.crv")
        self.crivo("verify", "seen.crv", "--keys", "-", stdin=lines(keys))

    def test_values_of_maps(self):
        keys = urls(1000)
        numbers = [i * i for i in range(1000)]
        self.environment("texts", (None, [(key, b"%d" % n) for key, n in zip(keys, numbers)]))
        self.build("map", "--values", "--from", "lmdb", "texts", "-o", "map.crv")
        given = b"".join(b"%s\t%d\n" % pair for pair in zip(keys, numbers))
        self.crivo("verify", "map.crv", "--values", "--keys", "-", stdin=given)
        for width in (3, 4, 8):
            name = f"bytes{width}"
            self.environment(name, (None, [(key, n.to_bytes(width, "little")) for key, n in zip(keys, numbers)]))
            self.build("map", "--values", "--binary-values", "--from", "lmdb", name, "-o", "map.crv")
            self.crivo("verify", "map.crv", "--values", "--keys", "-", stdin=given)

    def test_negative_values(self):
        self.environment("e", (None, [(b"a", (-5).to_bytes(2, "little", signed=True)), (b"b", b"\x07")]))
        self.build("map", "--values", "--value-type", "signed", "--binary-values", "--from", "lmdb", "e", "-o", "m.crv")
        self.assertEqual(self.crivo("query", "m.crv", "--key", "a", "--key", "b").out, b"a\t-5\nb\t7\n")

    def test_values_that_are_no_numbers(self):
        self.environment("e", (None, [(b"a", b"7"), (b"b", b"seven")]))
        got = self.build("map", "--values", "--from", "lmdb", "e", "-o", "m.crv", code=3)
        self.assertIn(b"e[1]: the value \"seven\" is not an unsigned integer", got.err)
        self.environment("f", (None, [(b"a", bytes(9))]))
        got = self.build("map", "--values", "--binary-values", "--from", "lmdb", "f", "-o", "m.crv", code=3)
        self.assertIn(b"f[0]: the value has 9 bytes; a number has 1 to 8", got.err)

    def test_records_of_stores(self):
        rng = random.Random(2)
        records = {key: rng.randbytes(rng.choice((0, 1, 100, 5000, 70_000))) for key in urls(300)}
        self.environment("e", ("texts", records.items()), ("others", [(b"k", b"v")]))
        for threads in "1", "3":
            self.build("store", "--from", "lmdb", "e", "--db", "texts", "--threads", threads, "-o", "store")
            for key in list(records)[:40]:
                got = self.crivo("get", "store", key.decode(), "--null-output").out
                self.assertEqual(got, key + b"\x001" + records[key] + b"\0")

    def test_databases_are_named(self):
        self.environment("e", ("one", [(b"a", b"1")]), ("two", [(b"b", b"2")]))
        got = self.build("filter", "--from", "lmdb", "e", "-o", "f.crv", code=2)
        self.assertIn(b'e: holds several databases, choose one of "one", "two" (--db)', got.err)
        got = self.build("filter", "--from", "lmdb", "e", "--db", "tow", "-o", "f.crv", code=2)
        self.assertIn(b'e: has no database "tow", only "one", "two" (--db)', got.err)
        self.environment("plain", (None, [(b"a", b"1")]))
        got = self.build("filter", "--from", "lmdb", "plain", "--db", "one", "-o", "f.crv", code=2)
        self.assertIn(b'plain: has no database "one", only its unnamed one (--db)', got.err)
        self.assertEqual(sorted(self.listing()), ["e", "plain"])

    def test_keys_with_several_values(self):
        pairs = [(b"a", b"1"), (b"a", b"2"), (b"b", b"3")] + [(b"c", b"%04d" % i) for i in range(3000)]
        make_duplicates(self.dir / "e", pairs)
        self.build("mphf", "--from", "lmdb", "e", "-o", "m.crv")
        self.crivo("verify", "m.crv", "--keys", "-", stdin=b"a\nb\nc\n")
        got = self.build("store", "--from", "lmdb", "e", "-o", "s", code=3)
        self.assertIn(b"e: has keys with several values each; only the keys can be taken", got.err)

    def test_options_of_files_are_refused(self):
        self.environment("e", (None, [(b"a", b"1")]))
        for options in (["--csv"], ["--resume", "r"], ["e"]):
            self.build("mphf", "--from", "lmdb", "e", *options, "-o", "m.crv", code=2)
        self.build("mphf", "e", "--db", "one", "-o", "m.crv", code=2)
        self.build("map", "--from", "lmdb", "e", "--binary-values", "-o", "m.crv", code=2)

    def test_what_is_no_environment(self):
        self.write("text", b"words\n" * 2000)
        got = self.build("mphf", "--from", "lmdb", "text", "-o", "m.crv", code=3)
        self.assertIn(b"text: its B+tree is damaged: it is no LMDB file", got.err)
        self.build("mphf", "--from", "lmdb", "absent", "-o", "m.crv", code=5)

    def test_damage_ends_the_build(self):
        rng = random.Random(3)
        pairs = [(key, rng.randbytes(rng.choice((4, 40, 3000)))) for key in urls(2000)]
        self.environment("e", ("texts", pairs))
        sound = (self.dir / "e/data.mdb").read_bytes()
        codes = set()
        for _ in range(4000 if LONG else 60):
            damaged = bytearray(sound)
            for _ in range(rng.randrange(1, 4)):
                page = rng.randrange(len(sound) // PAGE)
                damaged[page * PAGE + rng.randrange(rng.choice((24, 200, PAGE)))] = rng.choice((0, 1, 127, 128, 255))
            if rng.random() < 0.1:
                del damaged[rng.randrange(len(damaged)):]
            self.write("e/data.mdb", bytes(damaged))
            got = self.run_crivo("build", "store", "--from", "lmdb", "e", "--db", "texts", "-o", "s", "-f", "-q")
            self.assertIn(got.code, (0, 2, 3, 5), got)
            codes.add(got.code)
        self.assertIn(3, codes)

    def test_meta_pages_in_each_others_place(self):
        """LMDB would read the last transaction from the page that is not its own."""
        self.environment("e", (None, [(b"key", b"record")]))
        damaged = bytearray((self.dir / "e/data.mdb").read_bytes())
        transaction_at = 144
        damaged[transaction_at : transaction_at + 8] = (29).to_bytes(8, "little")
        self.write("e/data.mdb", bytes(damaged))
        got = self.build("mphf", "--from", "lmdb", "e", "-o", "m.crv", code=3)
        self.assertIn(b"e: its B+tree is damaged: its meta pages are in each other's place", got.err)

    def test_the_page(self):
        page = (ROOT / "tools/examples/lmdb-front.md").read_text(encoding="utf-8")
        path = os.pathsep.join([str(pathlib.Path(CRIVO).parent), os.environ["PATH"]])
        said = []
        for command in re.findall(r"(?m)^    ((?:crivo|printf|awk|mkdir)\b.*)$", page):
            self.assertNotIn("2000000", command)
            ran = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command.replace("000000", "000")], cwd=self.dir,
                                 capture_output=True, text=True, env={**ENVIRONMENT, "PATH": path}, check=False)
            self.assertEqual(ran.returncode, 0, f"{command}\n{ran.stdout}{ran.stderr}")
            said = ran.stdout.splitlines()
        self.assertEqual(len(said), 3)
        self.assertIn("\t0 found\t", said[1])
        self.assertLess(int(said[2].split()[0]), 60)

    def test_beside_a_writer(self):
        keys = urls(3000)
        self.environment("e", (None, [(key, b"1") for key in keys]))
        more = "\n".join(["VERSION=3", "format=bytevalue", "type=btree", "HEADER=END",
                          *(" " + text.hex() for key in urls(3000, salt=1) for text in (key, b"2")), "DATA=END", ""])
        writer = subprocess.Popen(["mdb_load", self.dir / "e"], stdin=subprocess.PIPE)
        try:
            writer.stdin.write(more.encode()[: len(more) // 2])
            self.build("mphf", "--from", "lmdb", "e", "-o", "m.crv")
            writer.stdin.write(more.encode()[len(more) // 2 :])
        finally:
            writer.stdin.close()
            self.assertEqual(writer.wait(), 0)
        self.assertIn(self.crivo("info", "m.crv", "--json").json()["keys"], range(3000, 6001))

    def test_room_that_no_machine_has(self):
        """What a meta page asks for beyond its pages is nothing that a reader needs; pages that are not there are damage."""
        keys = urls(100)
        self.environment("e", (None, [(key, b"") for key in keys]))
        sound = (self.dir / "e/data.mdb").read_bytes()

        def with_field(at, value):
            damaged = bytearray(sound)
            for page in (0, PAGE):
                damaged[page + at : page + at + 8] = value.to_bytes(8, "little")
            self.write("e/data.mdb", bytes(damaged))

        map_size_at, last_page_at = 32, 136
        for size in (0, 1 << 48, (1 << 64) - 1):
            with_field(map_size_at, size)
            self.build("filter", "--from", "lmdb", "e", "-o", "seen.crv")
            self.crivo("verify", "seen.crv", "--keys", "-", stdin=lines(keys))
        for last_page in (len(sound) // PAGE, 1 << 36, (1 << 64) - 1):
            with_field(last_page_at, last_page)
            got = self.build("filter", "--from", "lmdb", "e", "-o", "f.crv", code=3)
            self.assertIn(b"e: its B+tree is damaged: it ends before its last page", got.err)
        # Of the later transaction LMDB reads the other page, as they are in each other's place.
        with_field(last_page_at, 1 << 36)
        damaged = bytearray((self.dir / "e/data.mdb").read_bytes())
        damaged[last_page_at : last_page_at + 8] = (1).to_bytes(8, "little")
        damaged[last_page_at + 8 : last_page_at + 16] = (29).to_bytes(8, "little")
        self.write("e/data.mdb", bytes(damaged))
        got = self.build("filter", "--from", "lmdb", "e", "-o", "f.crv", code=3)
        self.assertIn(b"e: its B+tree is damaged: it ends before its last page", got.err)

    @unittest.skipIf(SANITIZED, "a sanitizer has an address space of its own")
    def test_a_room_larger_than_the_memory_that_is_allowed(self):
        keys = urls(100)
        self.environment("e", (None, [(key, b"") for key in keys]))  # which may grow to 1 GiB
        limited = ["prlimit", f"--as={800 << 20}", CRIVO]
        subprocess.run([*limited, "build", "filter", "--from", "lmdb", "e", "-o", "f.crv", "-q", "--threads", "1"],
                       cwd=self.dir, env=ENVIRONMENT, check=True)

    def test_beside_a_program_that_writes(self):
        keys = [b"%08d" % i for i in range(20_000 if LONG else 3_000)]
        self.environment("pages", (None, [(b"0", b"")]))
        load = subprocess.Popen(["mdb_load", self.dir / "pages"], stdin=subprocess.PIPE)
        head = ["VERSION=3", "format=bytevalue", "type=btree", "mapsize=1073741824", "HEADER=END"]
        body = [" " + text.hex() for key in keys for text in (key, bytes(500))]
        with load.stdin as stdin:
            stdin.write("\n".join([*head, *body[: len(body) // 2], ""]).encode())
            stdin.flush()
            for _ in range(10):
                self.build("filter", "--from", "lmdb", "pages", "-o", "f.crv")
            stdin.write("\n".join([*body[len(body) // 2 :], "DATA=END", ""]).encode())
        for _ in range(10):
            self.build("filter", "--from", "lmdb", "pages", "-o", "f.crv")
        self.assertEqual(load.wait(), 0)
        self.same_as_of_keys([b"0", *keys], "filter")


if __name__ == "__main__":
    unittest.main()
